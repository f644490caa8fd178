//! Places in one blob: byte ranges and line ranges.

use serde::{Deserialize, Serialize};

/// Half-open byte range into one blob; `start <= end <= blob length`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    ///
    /// # Panics
    ///
    /// When `start > end`.
    pub fn new(start: u32, end: u32) -> Self {
        assert!(start <= end, "span starts at {start}, after its end {end}");
        Self { start, end }
    }

    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies inside, borders included.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether `offset` lies inside.
    pub fn contains_offset(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The bytes of the span in its blob; empty when the blob is shorter than the span says.
    pub fn of(self, blob: &[u8]) -> &[u8] {
        blob.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A range of lines of one blob, 1-based, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LineSpan {
    /// First line; the first line of a blob is 1.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl LineSpan {
    /// Whether `other` lies inside.
    pub fn contains(self, other: LineSpan) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Where each line of a blob begins. It turns offsets into line numbers in `O(log lines)`.
///
/// A line ends after its `\n`; a blob that ends in `\n` has no empty last line.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    blob_len: u32,
}

impl LineIndex {
    /// Scans `blob` once. Blobs of 4 GiB and more are never given to icr; the rest of such a blob would be ignored.
    pub fn new(blob: &[u8]) -> Self {
        let blob_len = u32::try_from(blob.len()).unwrap_or(u32::MAX);
        let newlines = memchr::memchr_iter(b'\n', blob);
        let starts = std::iter::once(0)
            .chain(newlines.map(|offset| offset as u32 + 1))
            .take_while(|start| *start == 0 || *start < blob_len)
            .collect();
        Self { starts, blob_len }
    }

    /// Number of lines; 0 for an empty blob.
    pub fn lines_total(&self) -> u32 {
        if self.blob_len == 0 { 0 } else { self.starts.len() as u32 }
    }

    /// The 1-based line that holds the byte at `offset`; the last line for an offset past the end.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset).max(1) as u32
    }

    /// The lines that hold bytes of `span`; for an empty span the line of its start.
    pub fn lines_of(&self, span: Span) -> LineSpan {
        let start = self.line_of(span.start);
        LineSpan { start, end: if span.is_empty() { start } else { self.line_of(span.end - 1) } }
    }

    /// The bytes of `lines`, their last line end included; cut to the blob.
    pub fn span_of(&self, lines: LineSpan) -> Span {
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.blob_len);
        let start = at(lines.start.max(1) - 1);
        Span { start, end: at(lines.end).max(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_newline_opens_no_line() {
        for (blob, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\r\n", 2)] {
            assert_eq!(LineIndex::new(blob.as_bytes()).lines_total(), lines, "{blob:?}");
        }
    }

    #[test]
    fn offsets_and_lines_agree() {
        let blob = b"ab\ncd\n\nef";
        let index = LineIndex::new(blob);
        assert_eq!(index.lines_of(Span::new(1, 4)), LineSpan { start: 1, end: 2 });
        assert_eq!(index.lines_of(Span::new(6, 6)), LineSpan { start: 3, end: 3 });
        assert_eq!(index.span_of(LineSpan { start: 2, end: 3 }).of(blob), b"cd\n\n");
        assert_eq!(index.span_of(LineSpan { start: 4, end: 9 }).of(blob), b"ef");
        assert!(index.span_of(LineSpan { start: 9, end: 9 }).is_empty());
    }
}
