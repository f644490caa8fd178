//! Extracts prose from a doc comment: removes comment marks, tags and sections of its language.

/// The prose of a doc comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prose {
    /// The first sentence, without the mark at its end.
    pub(crate) sentence: String,
    /// All of it, up to the first section.
    pub(crate) whole: String,
}

/// Marks that a line of a doc comment may begin with; among marks with a common prefix, the longest first.
const OPENING: &[&str] = &[
    "/**",
    "/*!",
    "/*",
    "///<",
    "///",
    "//!",
    "//",
    "*/",
    "**",
    "*)",
    "*",
    "##'",
    "##",
    "#'",
    "#",
    "--- |",
    "-- |",
    "-- ^",
    "---",
    "--",
    "{-|",
    "{-",
    "-}",
    "(**",
    "(*",
    "\"\"\"",
    "'''",
    "r\"\"\"",
    "@moduledoc",
    "@typedoc",
    "@doc",
    "~S\"\"\"",
    "~s\"\"\"",
    "u\"\"\"",
    "=begin",
    "|",
    "!",
];

/// What a line may end with.
const CLOSING: &[&str] = &["*/", "**/", "*)", "-}", "\"\"\"", "'''"];

/// Tags that precede prose.
const NAMED: &[&str] =
    &["@brief", "\\brief", "@short", "@title", "\\title", "@description", "@summary", "@desc", "- Summary:"];

/// Marks that end the prose: sections, tags, examples.
const SECTIONS: &[&str] = &[
    "@",
    "\\",
    ":param",
    ":return",
    ":rtype",
    ":type",
    ":arg",
    ":raise",
    "args:",
    "arguments:",
    "parameters",
    "params:",
    "returns:",
    "return:",
    "raises:",
    "yields:",
    "example",
    "usage:",
    "usage::",
    ">>>",
    "```",
    "~~~",
    "----",
    "====",
    "notes",
    "see also",
    "since:",
    "- parameter",
    "- returns",
    "- throws",
    "- note",
    "# ",
    "## ",
    "==",
    "+----",
    "input:",
    "output:",
    ".. ",
    "<pre",
    "<code>",
    "iex>",
];

/// Words of comments that say nothing about a definition.
const SILENT: &[&str] = &[
    "copyright",
    "licen",
    "todo",
    "fixme",
    "xxx",
    "generated",
    "spdx",
    "eslint",
    "nolint",
    "noqa",
    "pylint",
    "{@inheritdoc",
    "inheritdoc",
    "not documented",
    "undocumented",
    "no description",
    "auto-gen",
    "autogen",
    "deprecated",
    "http://",
    "https://",
];

/// Most words read of a doc comment.
const MAX_WORDS: usize = 80;

impl Prose {
    /// The prose of `doc`, a doc comment or docstring as written; `None` when it has none, or none about a definition.
    pub(crate) fn of(doc: &str) -> Option<Self> {
        let mut paragraphs: Vec<String> = vec![String::new()];
        for line in doc.lines() {
            let line = bare(line);
            let is_empty = paragraphs.last().is_none_or(String::is_empty);
            let named = NAMED.iter().find_map(|tag| line.strip_prefix(tag));
            let lower = line.to_lowercase();
            if named.is_none() && SECTIONS.iter().any(|section| lower.starts_with(section)) {
                if paragraphs.iter().all(String::is_empty) {
                    continue;
                }
                break;
            }
            let line = untagged(named.unwrap_or(line));
            match (line.trim(), is_empty) {
                ("", true) => {}
                ("", false) => paragraphs.push(String::new()),
                (line, _) => {
                    let paragraph = paragraphs.last_mut().expect("there is one from the start");
                    paragraph.push_str(if is_empty { "" } else { " " });
                    paragraph.push_str(line);
                }
            }
        }
        let sentence = first_sentence(&paragraphs[0]).to_owned();
        let whole: Vec<&str> =
            paragraphs.iter().flat_map(|paragraph| paragraph.split_whitespace()).take(MAX_WORDS).collect();
        let prose = Self { sentence, whole: whole.join(" ") };
        prose.says_something().then_some(prose)
    }

    fn says_something(&self) -> bool {
        let lower = self.sentence.to_lowercase();
        let letters = lower.chars().filter(char::is_ascii_alphabetic).count();
        // Mostly ASCII letters: few public comments are in other scripts, and rows of symbols are drawings.
        let is_words = letters * 10 >= lower.chars().filter(|character| !character.is_whitespace()).count() * 7;
        letters >= 8 && is_words && !SILENT.iter().any(|word| lower.contains(word))
    }
}

/// `line` without the marks of a comment around it.
fn bare(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) = OPENING.iter().find_map(|mark| line.strip_prefix(mark)) {
        line = rest.trim_start();
    }
    while let Some(rest) = CLOSING.iter().find_map(|mark| line.strip_suffix(mark)) {
        line = rest.trim_end();
    }
    line.trim_matches('"')
}

/// Longest text that is accepted as a tag: `<see cref="T:System.Collections.Generic.Dictionary" />`.
const LONGEST_TAG: usize = 120;

/// `line` without HTML, XML and link markup; the enclosed text stays.
fn untagged(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{', '`']) {
        text.push_str(&rest[..at]);
        let tail = &rest[at..];
        let tag = || {
            tail.find('>').filter(|end| {
                *end <= LONGEST_TAG && tail[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            })
        };
        rest = match tail.as_bytes()[0] {
            b'<' => match tag() {
                Some(end) => {
                    text.push_str(named_by(&tail[..end]));
                    &tail[end + 1..]
                }
                None => {
                    text.push('<');
                    &tail[1..]
                }
            },
            b'{' if tail.starts_with("{@") => tail.find(' ').map_or("", |end| &tail[end + 1..]),
            b'`' => &tail[1..],
            _ => {
                text.push('{');
                &tail[1..]
            }
        };
    }
    text.push_str(rest);
    if line.contains("{@") { text.replace('}', "") } else { text }
}

/// What a tag refers to: `Write` of `<see cref="M:Stream.Write(System.Byte)"/>`.
fn named_by(tag: &str) -> &str {
    let Some((_, name)) = ["cref=\"", "name=\"", "langword=\""].iter().find_map(|mark| tag.split_once(mark)) else {
        return "";
    };
    let name = name.split(['"', '(']).next().unwrap_or_default();
    name.rsplit(['.', ':']).next().unwrap_or_default()
}

/// `paragraph` up to the first mark that ends a sentence.
fn first_sentence(paragraph: &str) -> &str {
    let bytes = paragraph.as_bytes();
    let ends = |at: &usize| {
        let next = bytes.get(at + 1..).unwrap_or_default();
        let goes_on = next.len() > 1 && (next[0] != b' ' || next[1].is_ascii_lowercase());
        // An abbreviation, as in `e.g. this`, or one letter.
        !goes_on && *at > 8
    };
    let end = paragraph.match_indices(['.', '!', '?', ';']).map(|(at, _)| at).find(ends).unwrap_or(paragraph.len());
    paragraph[..end].trim_end_matches([':', '.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(doc: &str, sentence: &str, whole: &str) {
        let expected = Prose { sentence: sentence.to_owned(), whole: whole.to_owned() };
        assert_eq!(Prose::of(doc), Some(expected));
    }

    #[test]
    fn marks_of_comments_are_no_prose() {
        let whole = "Opens the file, e.g. to read. Twice.";
        let sentence = "Opens the file, e.g. to read";
        check("/// Opens the file,\n/// e.g. to read. Twice.", sentence, whole);
        check("/**\n * Opens the file, e.g. to read. Twice.\n * @param path where\n */", sentence, whole);
        check(
            "\"\"\"Opens the file, e.g. to read. Twice.\n\n    Args:\n        path: where\n    \"\"\"",
            sentence,
            whole,
        );
        check("-- | Opens the file, e.g. to read.\n-- Twice.", sentence, whole);
        check("(** Opens the file, e.g. to read. Twice. *)", sentence, whole);
        check("#' @title Opens the file, e.g. to read. Twice.\n#' @param path where", sentence, whole);
        check(
            "/// <summary>\n/// Opens the file, e.g. to read. Twice.\n/// </summary>\n/// <param name=\"a\">b</param>",
            sentence,
            "Opens the file, e.g. to read. Twice. ab",
        );
    }

    #[test]
    fn links_keep_what_they_name() {
        check(
            "/** Returns a {@link Map of `names` in <b>order</b> of <see cref=\"T:System.Key\"/>. */",
            "Returns a Map of names in order of Key",
            "Returns a Map of names in order of Key.",
        );
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        for doc in [
            "/// TODO: write this for real",
            "// Copyright the authors of this",
            "/* ---------- */",
            "/// ok",
            "",
            "/** 函数打开文件并读取 */",
        ] {
            assert_eq!(Prose::of(doc), None, "{doc}");
        }
    }
}
