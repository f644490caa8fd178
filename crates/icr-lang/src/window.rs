//! Chunks of text that no grammar reads: overlapping windows of lines, cut by size.

use icr_model::{Chunk, ChunkKind, LineIndex, LineSpan, Span, chunk_tokens};

use crate::chunk::ChunkLimits;

/// Longest piece, in bytes, of a line that is too long for a window. It is about 40 tokens of code, so that windows
/// come close to the default size and overlap.
const PIECE_BYTES: u32 = 128;

/// A line, or a piece of a long one.
#[derive(Debug, Clone, Copy)]
struct Unit {
    span: Span,
    tokens: u32,
    blank: bool,
}

/// Windows of about `limits.target_tokens`. Each begins up to `limits.overlap_tokens` before the end of the window
/// before. Every byte that is not white space is in one or two of them. Lines are kept whole, unless a single line has
/// more than `limits.max_tokens`; then it is cut between characters.
pub(crate) fn windows(blob: &[u8], lines: &LineIndex, limits: &ChunkLimits) -> Vec<Chunk> {
    let units = units(blob, lines, limits);
    let mut chunks = Vec::new();
    let mut start = 0;
    while let Some(first) = (start..units.len()).find(|at| !units[*at].blank) {
        let end = fill(&units, first, limits);
        let last = (first..end).rev().find(|at| !units[*at].blank).unwrap_or(first);
        let span = Span::new(units[first].span.start, units[last].span.end);
        chunks.push(Chunk { span, lines: lines.lines_of(span), kind: ChunkKind::Window, symbol: None });
        if units[end..].iter().all(|unit| unit.blank) {
            break;
        }
        start = step_back(&units, first, end, limits.overlap_tokens);
    }
    chunks
}

/// One past the last unit of the window that begins with unit `first`.
fn fill(units: &[Unit], first: usize, limits: &ChunkLimits) -> usize {
    let mut tokens = units[first].tokens;
    let mut end = first + 1;
    while end < units.len() && tokens < limits.target_tokens && tokens + units[end].tokens <= limits.max_tokens {
        tokens += units[end].tokens;
        end += 1;
    }
    end
}

/// Start of the window after the one over `first..end`: after `first`, with at most `overlap` tokens before `end`.
fn step_back(units: &[Unit], first: usize, end: usize, overlap: u32) -> usize {
    let mut start = end;
    let mut tokens = 0;
    while start - 1 > first && tokens + units[start - 1].tokens <= overlap {
        start -= 1;
        tokens += units[start].tokens;
    }
    start
}

fn units(blob: &[u8], lines: &LineIndex, limits: &ChunkLimits) -> Vec<Unit> {
    let mut units = Vec::with_capacity(lines.lines_total() as usize);
    let unit = |span: Span| {
        let text = span.of(blob);
        Unit { span, tokens: chunk_tokens(text), blank: text.iter().all(u8::is_ascii_whitespace) }
    };
    for line in 1..=lines.lines_total() {
        let whole = unit(lines.span_of(LineSpan { start: line, end: line }));
        if whole.tokens <= limits.max_tokens {
            units.push(whole);
        } else {
            // A byte is at most one token.
            units.extend(pieces(blob, whole.span, PIECE_BYTES.min(limits.max_tokens)).map(unit));
        }
    }
    units
}

/// `span` in pieces of at most `bytes` bytes (at least 4), cut between characters if it is UTF-8.
pub(crate) fn pieces(blob: &[u8], span: Span, bytes: u32) -> impl Iterator<Item = Span> + '_ {
    let mut start = span.start;
    std::iter::from_fn(move || {
        if start >= span.end {
            return None;
        }
        let end = char_border(blob, start, span.end.min(start + bytes.max(4)), span.end);
        let piece = Span::new(start, end);
        start = end;
        Some(piece)
    })
}

/// The last character border in `start + 1..=end`; `end` if there is none near, or if `end` is the end of the text.
fn char_border(blob: &[u8], start: u32, end: u32, all: u32) -> u32 {
    /// Most continuation bytes of a UTF-8 character: at most three follow the first byte.
    const CONTINUES: std::ops::RangeInclusive<u8> = 0x80..=0xbf;
    if end == all {
        return end;
    }
    (end.saturating_sub(3).max(start + 1)..=end)
        .rev()
        .find(|border| !CONTINUES.contains(&blob[*border as usize]))
        .unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(target_tokens: u32, max_tokens: u32, overlap_tokens: u32) -> ChunkLimits {
        ChunkLimits { min_tokens: 1, target_tokens, max_tokens, overlap_tokens }
    }

    fn texts(blob: &str, limits: ChunkLimits) -> Vec<String> {
        let chunks = windows(blob.as_bytes(), &LineIndex::new(blob.as_bytes()), &limits);
        chunks.iter().map(|chunk| String::from_utf8(chunk.span.of(blob.as_bytes()).to_vec()).unwrap()).collect()
    }

    #[test]
    fn windows_overlap_by_whole_lines() {
        // A line is two tokens: the letter and the line end.
        assert_eq!(texts("a\nb\nc\nd\ne\n", limits(6, 9, 2)), ["a\nb\nc\n", "c\nd\ne\n"]);
        assert_eq!(texts("a\nb\nc\nd\ne\n", limits(6, 9, 1)), ["a\nb\nc\n", "d\ne\n"]);
    }

    #[test]
    fn blank_lines_begin_and_end_no_window() {
        assert_eq!(texts("\n\n a\n\n", limits(6, 9, 0)), [" a\n"]);
        assert_eq!(texts(" \n\r\n", limits(6, 9, 0)), Vec::<String>::new());
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let blob = "ä日".repeat(2000);
        let texts = texts(&blob, limits(500, 1200, 0));
        assert!(texts.len() > 2, "{}", texts.len());
        assert_eq!(texts.concat(), blob);
    }

    #[test]
    fn bytes_that_are_no_characters_are_cut_anywhere() {
        let blob = [0x80_u8; 1000];
        let all: Vec<_> = pieces(&blob, Span::new(0, 1000), 128).collect();
        assert_eq!(all.len(), 8);
        assert_eq!(all.last().unwrap().end, 1000);
    }
}
