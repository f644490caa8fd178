//! Finds what a task names: paths, identifiers, quoted words.

use std::ops::Range;

/// Longest quotation that is a name and not a sentence, in characters.
const QUOTE_CHARACTERS: usize = 80;

/// Longest name that tools take, in bytes.
const NAME_BYTES: usize = 256;

/// Words that precede names and are no names themselves.
const SMALL_WORDS: &[&str] = &[
    // tidy: sorted
    "a", "an", "are", "is", "it", "our", "that", "the", "these", "this", "those",
    // tidy: end
];

/// File extensions of code and settings, which distinguish `jwt.py` from `user.name`.
const FILE_ENDINGS: &[&str] = &[
    // tidy: sorted
    "bash", "c", "cc", "cfg", "cpp", "cs", "css", "cxx", "dart", "ex", "exs", "go", "gql", "graphql", "h", "hcl", "hpp",
    "hs", "html", "ini", "java", "js", "json", "jsx", "kt", "kts", "lock", "lua", "md", "mjs", "ml", "mli", "php",
    "proto", "py", "pyi", "r", "rb", "rs", "rst", "scala", "sh", "sql", "swift", "tf", "toml", "ts", "tsx", "txt",
    "vue", "xml", "yaml", "yml", "zig",
    // tidy: end
];

/// Names in `task`, in order of appearance, each once: quoted texts, paths, and words that can only be identifiers
/// (with an inner capital, an underscore, a scope separator or the brackets of a call).
pub(super) fn entities(task: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        if text.chars().any(char::is_alphanumeric) && !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    };
    let mut rest = task;
    while let Some((range, end)) = quotation(rest) {
        names(&rest[..range.start]).for_each(&mut add);
        add(rest[range].trim());
        rest = &rest[end..];
    }
    names(rest).for_each(&mut add);
    found
}

/// The definitions that `task` may name, in order of appearance, each once: the names in it that a definition can have.
/// If no word is a name by its spelling, a word may be one by its position: `all usages of moor`, `where is moor
/// called`.
pub fn named_in(task: &str) -> Vec<String> {
    let names: Vec<String> = entities(task).into_iter().filter(|name| is_name(name)).collect();
    if !names.is_empty() {
        return names;
    }
    let is_small = |word: &&str| SMALL_WORDS.contains(word);
    let words: Vec<&str> = task.split_whitespace().map(trimmed).filter(|word| !is_small(word)).collect();
    let by_place = words.windows(2).filter_map(|pair| match pair {
        ["call" | "calls" | "of" | "references" | "to" | "use" | "uses", name] => Some(*name),
        [name, "called" | "referenced" | "used"] => Some(*name),
        _ => None,
    });
    by_place.filter(|name| is_name(name)).map(str::to_owned).take(1).collect()
}

/// Range of the first quoted name in `text`, and the byte after its closing quote.
fn quotation(text: &str) -> Option<(Range<usize>, usize)> {
    for (at, quote) in text.char_indices() {
        let closing = match quote {
            '`' | '"' | '\'' => quote,
            '“' => '”',
            '‘' => '’',
            _ => continue,
        };
        // An apostrophe stands inside a word, a quote before one.
        let is_apostrophe = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let start = at + quote.len_utf8();
        let Some(length) = text[start..].find(closing) else { continue };
        let inside = &text[start..start + length];
        let is_name = !inside.trim().is_empty() && inside.chars().count() <= QUOTE_CHARACTERS && !inside.contains('\n');
        if is_name && !is_apostrophe {
            return Some((start..start + length, start + length + closing.len_utf8()));
        }
    }
    None
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(trimmed).filter(|word| is_path(word) || is_identifier(word)).map(without_call)
}

/// `word` without the punctuation of the sentence around it. A leading dot belongs to `.env` and `./a`.
fn trimmed(word: &str) -> &str {
    let outer = |character: char| "`\"'“”‘’,;:?!([{<>]}".contains(character);
    let word = word.trim_matches(|character| outer(character) || character == '@').trim_end_matches('.');
    // A closing bracket belongs to the sentence, unless it ends a call.
    if word.ends_with(')') && !word.contains('(') { word.trim_end_matches(')').trim_end_matches(outer) } else { word }
}

fn without_call(word: &str) -> &str {
    word.split('(').next().unwrap_or(word)
}

fn is_path(word: &str) -> bool {
    let is_plain = !word.contains("://") && word.chars().any(char::is_alphanumeric);
    let is_file = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.chars().any(char::is_alphanumeric) && FILE_ENDINGS.binary_search(&ending.to_lowercase().as_str()).is_ok()
    });
    // `and/or` and `input/output` are words; a path has more components or a file extension.
    let is_deep = word.matches('/').count() > 1 || word.starts_with('/') || word.ends_with('/') && word.len() > 1;
    is_plain && (is_file || is_deep)
}

/// Whether `text` can be the name of a definition, alone or with those around it: no path, and no more than one word.
pub(super) fn is_name(text: &str) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || "_$.:#?!".contains(character);
    text.len() <= NAME_BYTES && text.chars().all(is_of_name) && text.chars().any(char::is_alphabetic) && !is_path(text)
}

fn is_identifier(word: &str) -> bool {
    if word.contains("://") || word.contains('@') || word.contains('/') {
        return false;
    }
    let mut pairs = word.chars().zip(word.chars().skip(1));
    let inner_capital = pairs.any(|(first, second)| first.is_lowercase() && second.is_uppercase());
    let acronym_hump = {
        let letters: Vec<char> = word.chars().collect();
        letters
            .windows(4)
            .any(|run| run[0].is_uppercase() && run[1].is_uppercase() && run[2..].iter().all(|c| c.is_lowercase()))
    };
    let underscore = word.trim_matches('_').contains('_');
    let dotted = word.split('.').count() > 1
        && word.split('.').all(|part| part.chars().filter(|c| c.is_alphabetic()).count() > 1);
    inner_capital || acronym_hump || underscore || dotted || word.contains("::") || word.ends_with("()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, expected: &[&str]) {
        assert_eq!(entities(task), expected, "{task}");
    }

    #[test]
    fn identifiers_paths_and_quotations_are_named() {
        check("How does AuthService validate a parse_token?", &["AuthService", "parse_token"]);
        check("look at src/auth/jwt.py, and at jwt.py.", &["src/auth/jwt.py", "jwt.py"]);
        check("where is `open file` and \"close\" and 'x y'", &["open file", "close", "x y"]);
        check("HTTPServer std::fs::read handle() user.name", &["HTTPServer", "std::fs::read", "handle", "user.name"]);
        check("AuthService and AuthService (in AuthService)", &["AuthService"]);
        check("MAX_SIZE of __init__.py", &["MAX_SIZE", "__init__.py"]);
        check("all of crates/ please", &["crates/"]);
        check("parse(a, b) of FooBar(1)", &["FooBar"]);
    }

    #[test]
    fn what_is_asked_about_is_named_by_its_spelling_or_its_place() {
        for (task, expected) in [
            ("audit all usages of AuthService in src/auth.py", vec!["AuthService"]),
            ("find all callers of moor and list them", vec!["moor"]),
            ("list every place that is slow", vec![]),
            ("who calls moor?", vec!["moor"]),
            ("where is moor used in the tests", vec!["moor"]),
            ("who uses the moor function", vec!["moor"]),
        ] {
            assert_eq!(named_in(task), expected, "{task}");
        }
    }

    #[test]
    fn words_of_a_sentence_are_not() {
        check("don't split what doesn't quote", &[]);
        check("Find The JWT and/or input/output e.g. 3.5 of it", &[]);
        check("see https://example.com/a/b and me@example.com", &[]);
        check("an unclosed ` or \" quote", &[]);
        check("", &[]);
        check("🙂 … ()() '' \"\"", &[]);
        let long = format!("\"{}\"", "word ".repeat(40));
        check(&long, &[]);
    }

    #[test]
    fn endings_are_sorted() {
        assert!(FILE_ENDINGS.is_sorted());
    }
}
