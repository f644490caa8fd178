//! Why a diff cannot be read or applied.

/// Why a diff cannot be read or applied. Lines are counted from 1: of the diff in errors of reading, of the file in
/// errors of applying.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is text, and no diff in it.
    #[error("no diff in {} of input", format_count(*.lines, "line"))]
    NoDiff {
        /// Lines of the text.
        lines: usize,
    },
    /// The text is UTF-16, as some shells write what they redirect.
    #[error("the diff is UTF-16; write it with `git diff --output=FILE`, which changes no byte")]
    Utf16,
    /// It is about more files than are taken.
    #[error("the diff is about more than {most} files; name the commits instead: `icr impact BASE..HEAD`")]
    TooManyFiles {
        /// Number of files that are allowed.
        most: usize,
    },
    /// A merge was shown against all its parents at once.
    #[error(
        "line {line}: a combined diff has no single old side; use a two-sided diff, such as `git diff OLD NEW` or \
         `git show --first-parent MERGE`"
    )]
    Combined {
        /// Where it begins.
        line: usize,
    },
    /// A line between `diff --git` and the first hunk is not of the form that git writes.
    #[error("line {line}: `{text}` is not {expected}")]
    Header {
        /// The line.
        line: usize,
        /// The text of the line.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A hunk stands before any `+++`.
    #[error("line {line}: the hunk belongs to no file; `--- OLD` and `+++ NEW` have to stand before it")]
    HunkWithoutFile {
        /// The line of its `@@`.
        line: usize,
    },
    /// The lines of a hunk do not match the counts in its `@@`.
    #[error("line {line}: {reason}")]
    Hunk {
        /// The first line that is wrong.
        line: usize,
        /// Why.
        reason: String,
    },
    /// A path that no file of a repository has.
    #[error("line {line}: path `{path}` {reason}")]
    Path {
        /// The line that has it.
        line: usize,
        /// The path as text.
        path: String,
        /// What is wrong: "is absolute; …".
        reason: &'static str,
    },
    /// The diff only says that the file is binary.
    #[error("`{path}` is binary; its content cannot be made from a diff")]
    Binary {
        /// The file.
        path: String,
    },
    /// The content of a deleted file was left out of the diff.
    #[error("`{path}`: the diff leaves out what the deleted file held; make it without `--irreversible-delete`")]
    LeftOut {
        /// The file.
        path: String,
    },
    /// The patch makes a file where there is one.
    #[error("`{path}`: the patch creates this file, but it exists already, with {}", format_count(*.lines, "line"))]
    AlreadyThere {
        /// The file.
        path: String,
        /// Lines that it has.
        lines: usize,
    },
    /// The patch deletes a file that holds more than the patch knows.
    #[error("`{path}`: the patch deletes this file, but {} of it would be left", format_count(*.lines, "line"))]
    NotAllDeleted {
        /// The file.
        path: String,
        /// Lines that would be left.
        lines: usize,
    },
    /// A hunk fits nowhere.
    #[error("`{path}` line {line}: the patch expects {expected}, the file has {found} (hunk {hunk} of {hunks})")]
    Mismatch {
        /// The file.
        path: String,
        /// Line of the file, where the hunk says it belongs, moved as far as the hunk before it was.
        line: usize,
        /// What the hunk has there, in backticks, or in words.
        expected: String,
        /// What the file has there.
        found: String,
        /// Number of the hunk in its file, from 1.
        hunk: usize,
        /// Hunks of the file.
        hunks: usize,
    },
    /// A hunk belongs above the end of the one before it.
    #[error(
        "`{path}` line {line}: hunk {hunk} of {hunks} overlaps the one before it; hunks have to go from top to bottom"
    )]
    Overlap {
        /// The file.
        path: String,
        /// Line of the file where the hunk says it belongs.
        line: usize,
        /// Number of the hunk in its file, from 1.
        hunk: usize,
        /// Hunks of the file.
        hunks: usize,
    },
    /// Looking for the place of the hunks compared so much that it was given up.
    #[error(
        "`{path}`: hunk {hunk} of {hunks} is not at its line, and the file repeats itself too much to find where it is"
    )]
    TooRepetitive {
        /// The file.
        path: String,
        /// Number of the hunk in its file, from 1.
        hunk: usize,
        /// Hunks of the file.
        hunks: usize,
    },
}

/// Bytes of a diff or a file shown in a message; longer texts end in `…`.
const SHOWN_LENGTH: usize = 80;

/// `text` for a message: without control characters, and cut.
pub(super) fn format_excerpt(text: &[u8]) -> String {
    let lossy = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN_LENGTH)]);
    let mut characters = lossy.chars();
    let mut shown: String = characters.by_ref().take(SHOWN_LENGTH).flat_map(escaped).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

fn escaped(character: char) -> impl Iterator<Item = char> {
    let (escape, plain) = match character.is_control() && character != '\t' {
        true => (Some(character.escape_default()), None),
        false => (None, Some(character)),
    };
    escape.into_iter().flatten().chain(plain)
}

fn format_count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
