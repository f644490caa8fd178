//! Finds words of a text that may be files or definitions. Pure functions: the caller checks whether these exist.

use std::collections::HashSet;

/// Most distinct words of a text that are looked up, the first ones: each costs a few index look-ups.
const MENTIONS_MOST: usize = 100;

/// Longest word that is looked up, in bytes; longer ones are data.
const LONGEST: usize = 300;

/// Longest file name extension, in letters and digits, that makes a bare word a file name.
const LONGEST_EXTENSION: usize = 8;

/// A word of a text that may be a file, a definition, or both (`Class.method`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CodeMention {
    /// The file that the word may mean.
    pub(super) path: Option<MentionedPath>,
    /// The definition that the word may mean.
    pub(super) name: Option<MentionedName>,
}

/// A word that may be a file: `src/a.rs`, `a.rs:12-30`, `src/a.rs#L12`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MentionedPath {
    /// As written, with `/` between its parts.
    pub(super) path: String,
    /// The line in the reference, 1-based; the first one of a range.
    pub(super) line: Option<u32>,
}

/// A word that may be a definition, with the names around it: `open`, `Store::open`, `Class.method`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MentionedName {
    /// The names around the definition, outermost first, without relative ones (`crate`, `self`).
    pub(super) outer: Vec<String>,
    /// Its own name.
    pub(super) name: String,
}

impl MentionedPath {
    /// A path as somebody typed it, perhaps with a line.
    pub(super) fn of(text: &str) -> Self {
        let (path, line) = without_line(text.trim());
        let path = if path.contains('/') { path.to_owned() } else { path.replace('\\', "/") };
        Self { path: path.strip_prefix("./").unwrap_or(&path).to_owned(), line }
    }

    /// Whether it starts at the root of a disk, a home directory or another directory, and so is not relative to a
    /// repository.
    pub(super) fn is_absolute(&self) -> bool {
        let is_drive = self.path.as_bytes().get(1) == Some(&b':');
        is_drive || self.path.starts_with(['/', '~', '\\']) || self.path.starts_with("../")
    }
}

impl MentionedName {
    /// A name or qualified name as somebody typed it, perhaps with `()`; `None` if it is no name in any language.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix("()").unwrap_or(text).trim_start_matches(['$', '@', '&', '*']);
        let separated = text.replace("::", ".").replace("->", ".").replace('#', ".");
        let parts: Vec<&str> = separated.split('.').collect();
        let (name, outer) = parts.split_last().filter(|(name, outer)| {
            let own = name.strip_suffix(['?', '!']).unwrap_or(name);
            is_identifier(own) && outer.iter().all(|part| is_identifier(part))
        })?;
        let is_place = |part: &&&str| !matches!(**part, "crate" | "self" | "super" | "this" | "Self");
        Some(Self {
            outer: outer.iter().filter(is_place).map(|part| (*part).to_owned()).collect(),
            name: (*name).to_owned(),
        })
    }
}

/// The words of `text` that may be files or definitions, each once, in order: the first 100.
///
/// A bare word may be a definition if it is marked as code, looks like code (`snake_case`, `CamelCase`), or is called
/// (`open()`). A bare word without an extension may be a file only if it is marked as code.
pub(super) fn mentions(text: &str) -> Vec<CodeMention> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for piece in pieces(text) {
        let whole = piece.is_code.then(|| of_code(piece.text)).flatten();
        let mentions = match whole {
            Some(mention) => vec![mention],
            None => words(piece.text).filter_map(|word| of_word(&word, piece.is_code)).collect(),
        };
        for mention in mentions {
            if found.len() == MENTIONS_MOST {
                return found;
            }
            if known.insert(mention.clone()) {
                found.push(mention);
            }
        }
    }
    found
}

/// A part of a text: a code span between backticks on one line, or the text between spans.
#[derive(Debug, Clone, Copy)]
struct TextSpan<'a> {
    text: &'a str,
    is_code: bool,
}

/// Splits `text` at its code spans. Fenced code blocks are no spans: their content is read as text.
fn pieces(text: &str) -> Vec<TextSpan<'_>> {
    let mut pieces = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("```")) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('`') {
            pieces.push(TextSpan { text: before, is_code: false });
            // A span delimited by two backticks may contain one.
            let marker = if after.starts_with('`') { "``" } else { "`" };
            let inside = after.strip_prefix('`').unwrap_or(after);
            match inside.split_once(marker) {
                Some((code, after)) => {
                    pieces.push(TextSpan { text: code, is_code: true });
                    rest = after;
                }
                None => rest = inside,
            }
        }
        pieces.push(TextSpan { text: rest, is_code: false });
    }
    pieces
}

/// The meaning of a whole code span: a file, or a definition with parameters (`open(path)`, `Store<T>`).
fn of_code(code: &str) -> Option<CodeMention> {
    let code = code.trim();
    if code.is_empty() || code.len() > LONGEST || code.contains("://") {
        return None;
    }
    let name = code.split_once(['(', '<']).map_or(code, |(name, _)| name);
    let name = MentionedName::of(name);
    let is_path = !code.contains(|letter: char| letter.is_whitespace() || "()<>`\"'".contains(letter));
    let path = is_path.then(|| MentionedPath::of(code)).filter(|path| !path.path.is_empty());
    (name.is_some() || path.is_some()).then_some(CodeMention { path, name })
}

/// A word of a text, and whether call parentheses follow it.
struct TextWord<'a> {
    text: &'a str,
    /// The text that follows it.
    rest: &'a str,
}

/// The words of `text`: letters, digits and what paths and qualified names are joined by.
fn words(text: &str) -> impl Iterator<Item = TextWord<'_>> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-+@./\\:#$~".contains(letter);
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_part)?;
        let from = &rest[start..];
        let end = from.find(|letter| !is_part(letter)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        rest = after;
        Some(TextWord { text: word, rest: after })
    })
}

/// The possible meaning of a word. In a code span any call counts; elsewhere only a call without arguments.
fn of_word(word: &TextWord<'_>, is_code: bool) -> Option<CodeMention> {
    if word.text.len() > LONGEST || word.text.contains("://") {
        return None;
    }
    let is_called = if is_code { word.rest.starts_with('(') } else { word.rest.starts_with("()") };
    let text = word.text.trim_end_matches(['.', '/', '\\', '-', '+', '@', ':', '#', '~', '$']);
    let text = text.trim_start_matches(['-', '+', ':', '#']);
    let name = MentionedName::of(text).filter(|name| {
        let is_qualified = text.contains("::") || (!name.outer.is_empty() && text.contains(['.', '#']));
        is_called || is_qualified || is_written_as_code(&name.name)
    });
    let path = MentionedPath::of(text);
    let has_line = path.line.is_some() && path.path.starts_with(char::is_alphabetic);
    let path = (has_line || path.path.contains('/') || has_extension(&path.path)).then_some(path);
    (name.is_some() || path.is_some()).then_some(CodeMention { path, name })
}

/// `text` without a line reference at its end: `:12`, `:12:5`, `:12-30`, `#L12`, `#L12-L30`.
fn without_line(text: &str) -> (&str, Option<u32>) {
    let marker = text.find("#L").or_else(|| {
        let is_line = |(at, _): &(usize, &str)| text[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        text.match_indices(':').find(is_line).map(|(at, _)| at)
    });
    let Some((path, line)) = marker.map(|at| text.split_at(at)) else { return (text, None) };
    let line = line.trim_start_matches([':', '#', 'L']);
    let digits = line.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(line.len());
    match line[..digits].parse() {
        Ok(line) if line > 0 && !path.is_empty() => (path, Some(line)),
        _ => (text, None),
    }
}

/// Whether the last part of a path is a file name with an extension, or begins with a dot.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = extension.len() <= LONGEST_EXTENSION
        && extension.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && extension.chars().all(|letter| letter.is_ascii_alphanumeric());
    is_extension || (stem.is_empty() && extension.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// Whether the text is a name in most languages.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Whether a word looks like code: `snake_case`, or with an inner capital (`openFile`, `FileStore`, `HTTPServer`).
fn is_written_as_code(word: &str) -> bool {
    let is_joined = word.trim_matches('_').contains('_');
    let letters: Vec<char> = word.chars().collect();
    let has_hump = letters.windows(2).any(|at| at[0].is_lowercase() && at[1].is_uppercase());
    let has_late_hump =
        letters.windows(3).any(|at| at[0].is_uppercase() && at[1].is_uppercase() && at[2].is_lowercase());
    is_joined || has_hump || has_late_hump
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each mention as `path:line` and `outer.name`, one beside the other.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = |mention: &CodeMention| {
            let path = mention.path.as_ref().map(|path| match path.line {
                Some(line) => format!("{}:{line}", path.path),
                None => path.path.clone(),
            });
            let name = mention.name.as_ref().map(|name| {
                let parts: Vec<&str> = name.outer.iter().chain([&name.name]).map(String::as_str).collect();
                format!("<{}>", parts.join("."))
            });
            path.into_iter().chain(name).collect::<Vec<_>>().join("|")
        };
        let found: Vec<String> = mentions(text).iter().map(shown).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn paths_are_words_with_a_slash_an_extension_or_a_line() {
        check("it is in src/gate.rs, not lock/gate.rs.", "src/gate.rs lock/gate.rs");
        check("see ./src/a.rs:12-30 and src\\b.rs", "src/a.rs:12 src/b.rs");
        check("(src/a.rs#L7-L9) src/a.rs:7:3", "src/a.rs:7");
        check("File \"/srv/app/tide.py\", line 12", "/srv/app/tide.py");
        check("`Makefile` and .gitignore", "Makefile|<Makefile> .gitignore");
    }

    #[test]
    fn names_are_qualified_written_as_code_called_or_marked() {
        check("Store::open calls Class.method and A#b", "<Store.open> Class.method|<Class.method> <A.b>");
        check(
            "open_file, openFile, FileStore, HTTPServer, MAX_SIZE",
            "<open_file> <openFile> <FileStore> <HTTPServer> <MAX_SIZE>",
        );
        check("open() retries", "<open>");
        check(
            "`open` and `open(path)` and `Store<T>` and `crate::a::b`",
            "open|<open> <open> <Store> crate::a::b|<a.b>",
        );
        check("`pub fn open(path)` and ``let x = closed``", "<open>");
        check("`empty?` and `$total`", "empty?|<empty?> $total|<total>");
    }

    #[test]
    fn prose_names_nothing() {
        check("We open the file. Store it: twice; Rust, JSON, v1.2.3 at 10:30, 1/2, 3.14.", "1/2");
        check("file(s), _emphasis_ and __strong__, well-known; a - b -- c", "");
        check("https://example.org/src/a.rs#L7 and www", "");
        check("` lonely backtick", "");
        check("```rust", "");
        check("and/or, e.g. this", "and/or e.g|<e.g>");
    }

    #[test]
    fn a_long_text_names_the_first_hundred() {
        let text: String = (0..500).map(|at| format!("word_{at} ")).collect();
        let found = mentions(&text);
        assert_eq!(found.len(), MENTIONS_MOST);
        assert_eq!(found[99].name.as_ref().unwrap().name, "word_99");
        assert!(mentions(&"a_".repeat(1_000)).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "[a-zA-ZéÜ日_:#./\\\\`()L0-9 \n<-]{0,80}") {
            for mention in mentions(&text) {
                prop_assert!(mention.path.is_some() || mention.name.is_some());
            }
        }
    }
}
