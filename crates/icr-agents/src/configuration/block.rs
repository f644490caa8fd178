//! A block between two marks in a text that is written for people or models.

use super::lines::{TextLine, lines, with_line_ends};
use super::refusal::{Position, Refusal};

/// The line before the block.
pub(crate) const BEGIN: &str = "<!-- icr:begin (`icr uninstall` takes this block out) -->";
/// The line behind it.
pub(crate) const END: &str = "<!-- icr:end -->";

/// Start of a first line, as every version of icr writes it.
const BEGINS: &str = "<!-- icr:begin";

/// Byte range of the block, including its marker lines.
pub(crate) fn place(text: &str) -> Result<Option<(usize, usize)>, Refusal> {
    let all = lines(text);
    let begins = |line: &TextLine<'_>| line.text.trim_start().starts_with(BEGINS);
    let Some(first) = all.iter().position(begins) else {
        let ends = || all.iter().find(|line| line.text.trim() == END).map(|line| line.start);
        // Another text before the marker, or a damaged block, is left alone with an error.
        return match text.find(BEGINS).or_else(ends) {
            Some(at) => Err(Refusal::Syntax {
                position: Position::of(text, at),
                expected: format!("the block of icr whole, with `{BEGINS} …` at the beginning of its line"),
            }),
            None => Ok(None),
        };
    };
    let start = all[first].start;
    let rest = all.get(first + 1..).unwrap_or_default();
    let last = rest.iter().take_while(|line| !begins(line)).find(|line| line.text.trim() == END);
    match last {
        Some(last) => match all.iter().find(|line| line.start >= last.end && begins(line)) {
            Some(second) => Err(Refusal::Syntax {
                position: Position::of(text, second.start),
                expected: "one block of icr, and here is a second".to_owned(),
            }),
            None => Ok(Some((start, last.end))),
        },
        None => Err(Refusal::Syntax {
            position: Position::of(text, start),
            expected: format!("a line `{END}` behind the block that begins here"),
        }),
    }
}

/// The block that holds `content`.
pub(crate) fn block(content: &str) -> String {
    format!("{BEGIN}\n{content}{END}\n")
}

/// The block of `text` with line ends as icr writes them.
pub(crate) fn block_in(text: &str) -> Result<Option<String>, Refusal> {
    let span = place(text)?;
    let block = span.map(|(start, end)| text.get(start..end).unwrap_or_default().replace("\r\n", "\n"));
    Ok(block.map(|block| if block.ends_with('\n') { block } else { with_line_ends(&format!("{block}\n"), "\n") }))
}
