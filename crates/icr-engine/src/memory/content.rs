//! The content of a pinned file.

use crate::files::text_of;
use crate::memory::listing::pin_item;
use icr_model::{Facts, LineIndex, LineSpan};
use icr_tokens::model_tokens;
use serde::Serialize;

use super::pinning::live_pin;
use super::{Moment, PinItem};
use crate::packing::is_of_one_file;
use crate::{Error, Snapshot};

/// Which pin, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinContentRequest {
    /// What the pin is called.
    pub source_id: String,
    /// Whether the content is wanted.
    pub include_content: bool,
    /// Most model tokens of the content.
    pub max_tokens: u32,
}

/// A pin and what its file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PinContent {
    /// The pin.
    #[serde(flatten)]
    pub item: PinItem,
    /// The file, verbatim (bytes that are not UTF-8 are replaced), or its beginning; `None` if it was not requested or
    /// is unavailable.
    pub content: Option<String>,
    /// Model tokens of the whole file; 0 if it is unavailable.
    pub token_count: u32,
    /// Lines of the whole file; 0 if it is unavailable.
    pub total_lines: u32,
    /// Last complete line in `content`, 1-based; 0 without content.
    pub end_line: u32,
    /// Whether `content` is only the beginning.
    pub truncated: bool,
    /// Why the file is unavailable.
    pub problem: Option<String>,
}

/// The pin with that id in this clone, and its file in this view. If the file is longer than `max_tokens`, it is cut:
/// before a definition that begins in the second half of the allowed text, else after a whole line, and within a line
/// only if the first line alone is too long.
///
/// # Errors
///
/// [`Error::NoSuchPin`]; [`Error::Memory`]; those of reading the store.
pub fn pin_content(snapshot: &Snapshot, request: &PinContentRequest, now: Moment) -> Result<PinContent, Error> {
    let pin = live_pin(snapshot, &request.source_id, now)?;
    let item = pin_item(snapshot, &pin)?;
    let nothing = PinContent {
        item,
        content: None,
        token_count: 0,
        total_lines: 0,
        end_line: 0,
        truncated: false,
        problem: None,
    };
    let (file, text) = match text_of(snapshot, &nothing.item.path) {
        Ok(read) => read,
        Err(error) if is_of_one_file(&error) => {
            return Ok(PinContent { problem: Some(error.to_string()), ..nothing });
        }
        Err(error) => return Err(error),
    };
    let index = LineIndex::new(&text);
    let whole = PinContent { token_count: model_tokens(&text), total_lines: index.lines_total(), ..nothing };
    if !request.include_content {
        return Ok(whole);
    }
    if whole.token_count <= request.max_tokens {
        let content = String::from_utf8_lossy(&text).into_owned();
        return Ok(PinContent { content: Some(content), end_line: whole.total_lines, ..whole });
    }
    let facts = snapshot.facts(file.row.blob_no)?;
    let starts = symbol_starts(&facts, &index, LineSpan { start: 1, end: whole.total_lines });
    let text = String::from_utf8_lossy(&text);
    let (content, end_line) = beginning(&text, &starts, request.max_tokens);
    Ok(PinContent { content: Some(content.to_owned()), end_line, truncated: true, ..whole })
}

/// The first line of each definition that begins inside `lines`, its doc comment included.
fn symbol_starts(facts: &Facts, index: &LineIndex, lines: LineSpan) -> Vec<u32> {
    let starts =
        facts.symbols.iter().map(|symbol| symbol.doc.map_or(symbol.span.start, |doc| doc.start.min(symbol.span.start)));
    let mut starts: Vec<u32> =
        starts.map(|start| index.line_of(start)).filter(|line| (lines.start..=lines.end).contains(line)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The beginning of `text` that has at most `max_tokens`, and its number of whole lines. `starts` are first lines of
/// definitions.
fn beginning<'a>(text: &'a str, starts: &[u32], max_tokens: u32) -> (&'a str, u32) {
    let (mut fitting, mut left) = (0, max_tokens);
    // A token never crosses a line end, so that the tokens of lines can be summed.
    for line in text.split_inclusive('\n') {
        let Some(rest) = left.checked_sub(model_tokens(line.as_bytes())) else { break };
        (fitting, left) = (fitting + 1, rest);
    }
    if fitting == 0 {
        return (beginning_of_line(text, max_tokens), 0);
    }
    let before = starts.iter().filter_map(|start| start.checked_sub(1));
    let lines = before.filter(|lines| *lines <= fitting && *lines * 2 > fitting).max().unwrap_or(fitting);
    let bytes = text.split_inclusive('\n').take(lines as usize).map(str::len).sum();
    (&text[..bytes], lines)
}

/// The longest beginning of the first line that has at most `max_tokens`.
fn beginning_of_line(text: &str, max_tokens: u32) -> &str {
    let (mut fits, mut is_over) = (0, text.find('\n').unwrap_or(text.len()) + 1);
    // The number of tokens never falls as text grows.
    while is_over - fits > 1 {
        let middle = fits + (is_over - fits) / 2;
        match model_tokens(&text.as_bytes()[..middle]) <= max_tokens {
            true => fits = middle,
            false => is_over = middle,
        }
    }
    &text[..text.floor_char_boundary(fits)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, starts: &[u32], max_tokens: u32, expected: (&str, u32)) {
        assert_eq!(beginning(text, starts, max_tokens), expected, "{max_tokens} tokens of {text:?}");
    }

    #[test]
    fn what_is_longer_ends_before_a_definition_or_after_a_line() {
        let text = "a\nb\nc\nd\ne\n";
        check(text, &[], 6, ("a\nb\nc\n", 3));
        check(text, &[3], 6, ("a\nb\n", 2));
        check(text, &[2, 4], 6, ("a\nb\nc\n", 3));
        check(text, &[1, 2, 5], 6, ("a\nb\nc\n", 3));
        check(text, &[], 7, ("a\nb\nc\n", 3));
    }

    #[test]
    fn a_line_is_cut_where_it_alone_is_longer() {
        check("a+b+c+d\nrest\n", &[], 3, ("a+b+c", 0));
        check("éé+é\n", &[], 0, ("", 0));
        check("日本語\n", &[], 1, ("日", 0));
        check("", &[], 0, ("", 0));
    }

    proptest! {
        #[test]
        fn a_beginning_never_has_more_than_it_may(
            text in "[a-z+é🙂\n]{0,120}", starts in prop::collection::vec(0_u32..30, 0..4), max_tokens in 0_u32..60,
        ) {
            let (beginning, lines) = beginning(&text, &starts, max_tokens);
            prop_assert!(model_tokens(beginning.as_bytes()) <= max_tokens);
            prop_assert!(text.starts_with(beginning));
            prop_assert_eq!(beginning.split_inclusive('\n').count().min(lines as usize), lines as usize);
        }
    }
}
