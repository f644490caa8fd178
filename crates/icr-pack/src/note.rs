//! Notes about a file of an answer.

use serde::Serialize;

use crate::pack::one_line;

/// Most notes of one answer.
pub const NOTES_MOST: usize = 2;

/// Title of notes in an answer.
pub const NOTES_TITLE: &str = "## Notes\n";

/// Something that was noted about a file, or a definition in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileNote {
    /// Its id.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition that it is about; `None` for the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Whether that has changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// The text of the note. Its author is not trusted, so it is shown as one line without markup.
    pub summary: String,
}

impl FileNote {
    /// An item of a list in Markdown, with its line break: `- src/a.rs:open: Opens files once.`
    pub fn line(&self) -> String {
        let symbol = self.symbol.as_deref().map_or(String::new(), |symbol| format!(":{}", plain_markdown(symbol)));
        let changed = if self.changed { " (changed since)" } else { "" };
        format!("- {}{symbol}{changed}: {}\n", one_line(&self.path), plain_markdown(&without_code_marks(&self.summary)))
    }
}

/// `text` without the backticks around words of code; what is no pair of single ones stays as it is.
fn without_code_marks(text: &str) -> String {
    let is_plain = !text.contains("``") && text.matches('`').count().is_multiple_of(2);
    if is_plain { text.replace('`', "") } else { text.to_owned() }
}

/// `text` as one line of Markdown without markup: a backslash stands before every character that could be markup
/// (CommonMark 0.31, 2.4).
fn plain_markdown(text: &str) -> String {
    let characters: Vec<char> = one_line(text).chars().collect();
    let mut plain = String::with_capacity(text.len());
    for (at, character) in characters.iter().copied().enumerate() {
        let beside = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|c| c.is_alphanumeric());
        // Within a word, an underscore is not markup, and names have many of them.
        let is_in_word = character == '_' && beside(at.checked_sub(1)) && beside(at.checked_add(1));
        if "\\`*_~<>[]!&|$".contains(character) && !is_in_word {
            plain.push('\\');
        }
        plain.push(character);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(summary: &str, symbol: Option<&str>, expected: &str) {
        let symbol = symbol.map(str::to_owned);
        let note =
            FileNote { id: "1".into(), path: "src/a.rs".into(), symbol, changed: false, summary: summary.into() };
        assert_eq!(note.line(), expected);
    }

    #[test]
    fn a_note_is_an_item_of_a_list_that_marks_nothing_up() {
        check("Opens files once.", Some("Store.open"), "- src/a.rs:Store.open: Opens files once.\n");
        check("retry_delay is _old_", None, "- src/a.rs: retry_delay is \\_old\\_\n");
        check("a\n## b\r\n```c", None, "- src/a.rs: a ## b  \\`\\`\\`c\n");
        check("![x](y) <b> &lt; \\[", None, "- src/a.rs: \\!\\[x\\](y) \\<b\\> \\&lt; \\\\\\[\n");
        check("`Store.open` and `a*`", None, "- src/a.rs: Store.open and a\\*\n");
        check("x", Some("a`b\nc"), "- src/a.rs:a\\`b c: x\n");
    }

    #[test]
    fn a_note_says_that_its_code_has_changed() {
        let note = FileNote {
            id: "1".into(),
            path: "a.rs".into(),
            symbol: Some("open".into()),
            changed: true,
            summary: "Opens once.".into(),
        };
        assert_eq!(note.line(), "- a.rs:open (changed since): Opens once.\n");
    }
}
