//! Splits a text into its prose.

use super::lines::{TextLineKind, item, line};
use crate::near_duplicates::code_spans;
use crate::preamble;

/// Longest paragraph that is kept together, in bytes. A longer one is not prose, or its sentences are found although it
/// is cut.
const PARAGRAPH_BYTES: usize = 16 * 1024;

/// Columns of indentation that make a line code.
const CODE_COLUMNS: usize = 4;

/// The paragraphs, items and labelled headings of `text` in order, each joined to one line.
///
/// Fenced and indented code, diffs, logs, tables, data, and the output of icr are skipped. A fence that is not closed
/// reaches to the end, as in Markdown.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    let mut reader = ParagraphReader::default();
    for text in text.lines() {
        reader.read(text);
    }
    reader.finish();
    reader.paragraphs
}

/// The state while lines are read.
#[derive(Default)]
struct ParagraphReader {
    paragraphs: Vec<String>,
    /// The paragraph that the next line may continue.
    paragraph: String,
    /// The character of the open fence, and how many of them opened it.
    fence: Option<(char, usize)>,
    is_in_list: bool,
    is_in_diff: bool,
    is_in_preamble: bool,
    /// Whether the indented lines of a stack trace follow.
    is_in_trace: bool,
    /// Whether the next line belongs to this one, as the message of a panic does.
    is_next_left_out: bool,
}

impl ParagraphReader {
    fn read(&mut self, text: &str) {
        let trimmed = text.trim();
        if self.is_left_out(text, trimmed) {
            self.finish();
            return;
        }
        let columns = text
            .chars()
            .take_while(|character| character.is_whitespace())
            .map(|blank| if blank == '\t' { 4 } else { 1 });
        let is_indented = columns.sum::<usize>() >= CODE_COLUMNS;
        match line(trimmed) {
            TextLineKind::Blank => self.finish(),
            TextLineKind::Item(item) => {
                self.finish();
                self.is_in_list = true;
                self.go_on(item);
            }
            TextLineKind::Heading(heading) => {
                self.finish();
                self.is_in_list = false;
                self.go_on(heading);
                self.finish();
            }
            TextLineKind::Prose if is_indented && !self.is_in_list && self.paragraph.is_empty() => {}
            TextLineKind::Prose => {
                // A line without indentation behind a blank line ends a list.
                self.is_in_list &= is_indented || !self.paragraph.is_empty() || text.starts_with(' ');
                self.go_on(trimmed);
            }
            TextLineKind::Other { announces_one } => {
                self.finish();
                self.is_in_list |= item(trimmed).is_some();
                self.is_next_left_out = announces_one;
            }
            TextLineKind::Diff => {
                self.finish();
                self.is_in_diff = true;
            }
            TextLineKind::Trace => {
                self.finish();
                self.is_in_trace = true;
            }
        }
    }

    /// Whether a line is inside a part that is skipped.
    fn is_left_out(&mut self, text: &str, trimmed: &str) -> bool {
        if let Some((mark, length)) = self.fence {
            let run = trimmed.chars().take_while(|character| *character == mark).count();
            if run >= length && trimmed.chars().count() == run {
                self.fence = None;
            }
            return true;
        }
        let unquoted = trimmed.trim_start_matches(['>', ' ']);
        if let Some(fence) = opened_fence(unquoted) {
            self.fence = Some(fence);
            return true;
        }
        if unquoted.starts_with(preamble::TAG) {
            self.is_in_preamble = true;
            return true;
        }
        // The block of recalled memories has only bullets, so any other line ends it, even if its last line was cut
        // off.
        if self.is_in_preamble {
            self.is_in_preamble = unquoted.starts_with(preamble::BULLET);
            return self.is_in_preamble || unquoted == preamble::FOOTER;
        }
        if self.is_in_diff {
            self.is_in_diff = text.starts_with([' ', '+', '-', '@', '\\'])
                || ["diff ", "index ", "new file", "deleted file", "similarity", "rename ", "Binary "]
                    .iter()
                    .any(|begin| text.starts_with(begin));
            return self.is_in_diff;
        }
        if self.is_in_trace && !trimmed.is_empty() {
            // The first line that is not indented is the error message itself.
            self.is_in_trace = text.starts_with(char::is_whitespace);
            return true;
        }
        std::mem::take(&mut self.is_next_left_out) && !trimmed.is_empty()
    }

    fn go_on(&mut self, text: &str) {
        if self.paragraph.len() + text.len() > PARAGRAPH_BYTES {
            self.finish();
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push(' ');
        }
        self.paragraph += text;
    }

    fn finish(&mut self) {
        if !self.paragraph.is_empty() {
            self.paragraphs.push(std::mem::take(&mut self.paragraph));
        }
    }
}

/// The fence character that a line opens a fence with, and its count.
fn opened_fence(line: &str) -> Option<(char, usize)> {
    // A fence may be in a list item.
    let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let run = line.chars().take_while(|character| *character == mark).count();
    // Backticks with more backticks behind them in the line are inline code.
    let is_inline = mark == '`' && line[run..].contains('`');
    (run >= 3 && !is_inline).then_some((mark, run))
}

/// A sentence in one line with single blanks, without bold marks and without marks before its first word.
pub(super) fn plain(sentence: &str) -> String {
    let mut unmarked = String::with_capacity(sentence.len());
    let mut from = 0;
    for code in code_spans(sentence) {
        unmarked += &sentence[from..code.start].replace("**", "");
        unmarked += &sentence[code.clone()];
        from = code.end;
    }
    unmarked += &sentence[from..].replace("**", "");
    let spaced = unmarked.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = |character: char| {
        character.is_alphanumeric()
            || matches!(character, '`' | '"' | '\'' | '“' | '(' | '[' | '.' | '/' | '@' | '$' | '-')
    };
    let text = spaced.trim_start_matches(|character| !begins(character));
    text.trim_start_matches("- ").trim_end_matches(['*', '_', ' ']).to_owned()
}
