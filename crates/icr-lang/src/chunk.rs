//! Chunks of parsed text: whole definitions where they fit, parts of larger definitions, and the text between
//! definitions.

use icr_model::{Chunk, ChunkKind, LineIndex, Span, SymbolKind, chunk_tokens};

use crate::definitions::{is_type, may_hold};
use crate::symbols::PlacedSymbol;
use crate::walk::Border;
use crate::window::pieces;

/// Sizes of chunks in model tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Neighbours are merged until a chunk has at least this many. Default 200.
    pub min_tokens: u32,
    /// Merged neighbours, parts and windows have about this many. A type, module or section with more is cut into its
    /// members. Default 500.
    pub target_tokens: u32,
    /// No chunk has more, except a single token of text that cannot be cut. Default 1200.
    pub max_tokens: u32,
    /// Windows of text share up to this many with the window before. Default 50.
    pub overlap_tokens: u32,
}

impl Default for ChunkLimits {
    fn default() -> Self {
        Self { min_tokens: 200, target_tokens: 500, max_tokens: 1200, overlap_tokens: 50 }
    }
}

impl ChunkLimits {
    /// The nearest limits that do not contradict each other: 16 ≤ max, 1 ≤ min ≤ target ≤ max, overlap ≤ target / 2.
    pub(crate) fn consistent(self) -> Self {
        let max_tokens = self.max_tokens.max(16);
        let target_tokens = self.target_tokens.clamp(1, max_tokens);
        let min_tokens = self.min_tokens.clamp(1, target_tokens);
        Self { min_tokens, target_tokens, max_tokens, overlap_tokens: self.overlap_tokens.min(target_tokens / 2) }
    }
}

/// Most levels of nesting at which a definition is cut between statements; deeper text is cut between lines.
const MAX_CUT_DEPTH: u32 = 64;

/// Longest piece, in bytes, of a line that is too long for a chunk. A byte is at most one token.
const fn piece_bytes(max_tokens: u32) -> u32 {
    max_tokens / 4
}

/// The chunks of a parsed blob, in order. Every byte that is not white space is in exactly one.
///
/// `symbols` are in order of (start, longest first). `borders` are sorted here.
pub(crate) fn chunks(
    blob: &[u8],
    lines: &LineIndex,
    symbols: &[PlacedSymbol],
    borders: &mut [Border],
    limits: &ChunkLimits,
) -> Vec<Chunk> {
    borders.sort_unstable_by_key(|border| border.offset);
    let text = Text::new(blob, lines);
    let mut cutter = Cutter { text, symbols, borders, limits, chunks: Vec::new() };
    let members = cutter.members(0, Span::new(0, blob.len() as u32), None);
    cutter.level(Span::new(0, blob.len() as u32), None, &members);
    cutter.chunks
}

struct Cutter<'a> {
    text: Text<'a>,
    symbols: &'a [PlacedSymbol],
    borders: &'a [Border],
    limits: &'a ChunkLimits,
    chunks: Vec<Chunk>,
}

/// Neighbours that will become one chunk.
#[derive(Debug, Clone, Copy)]
struct Group {
    span: Span,
    tokens: u32,
    /// Number of definitions in it.
    symbols: u32,
    /// The first of these definitions.
    first: Option<u32>,
}

impl Cutter<'_> {
    /// Cuts `span`, which is the blob or the definition `owner`, along its members.
    fn level(&mut self, span: Span, owner: Option<u32>, members: &[u32]) {
        let mut group = None;
        let mut at = span.start;
        for member in members {
            let placed = &self.symbols[*member as usize];
            let start = self.text.line_start(placed.lead_start).clamp(at, span.end);
            let end = self.text.line_end(placed.symbol.span.end).clamp(start, span.end);
            if end == start {
                continue;
            }
            self.gap(&mut group, Span::new(at, start), owner);
            self.definition(&mut group, Span::new(start, end), *member, owner);
            at = end;
        }
        self.gap(&mut group, Span::new(at, span.end), owner);
        self.flush(&mut group, owner);
    }

    /// Definitions directly inside `span`, beginning with symbol number `from`, that can be chunks of their own.
    /// Definitions of the same statement as the owner (`a, b = 1, 2`) are not inside it.
    fn members(&self, from: usize, span: Span, owner: Option<u32>) -> Vec<u32> {
        let mut members = Vec::new();
        let mut end = 0;
        for (index, placed) in self.symbols.iter().enumerate().skip(from) {
            let inner = placed.symbol.span;
            if inner.start >= span.end {
                break;
            }
            let is_beside = owner.is_some() && inner == span;
            if !is_beside
                && inner.end > end
                && span.contains(inner)
                && !is_part(placed.symbol.kind)
                && !placed.is_in_method
            {
                members.push(index as u32);
                end = inner.end;
            }
        }
        members
    }

    fn definition(&mut self, group: &mut Option<Group>, span: Span, index: u32, owner: Option<u32>) {
        let tokens = self.text.tokens(span);
        let symbol = &self.symbols[index as usize].symbol;
        let holds_members = is_type(symbol.kind) || matches!(symbol.kind, SymbolKind::Module | SymbolKind::Section);
        let soft = if holds_members { self.limits.target_tokens } else { self.limits.max_tokens };
        if tokens <= soft {
            self.join(group, Group { span, tokens, symbols: 1, first: Some(index) }, owner);
            return;
        }
        let members = self.members(index as usize + 1, symbol.span, Some(index));
        if !members.is_empty() && may_hold(symbol.kind, SymbolKind::Function) {
            self.flush(group, owner);
            self.level(span, Some(index), &members);
        } else if tokens <= self.limits.max_tokens {
            self.join(group, Group { span, tokens, symbols: 1, first: Some(index) }, owner);
        } else {
            self.flush(group, owner);
            self.parts(span, ChunkKind::Part, Some(index));
        }
    }

    fn gap(&mut self, group: &mut Option<Group>, span: Span, owner: Option<u32>) {
        if self.text.is_blank(span) {
            return;
        }
        let tokens = self.text.tokens(span);
        if tokens > self.limits.max_tokens {
            self.flush(group, owner);
            self.parts(span, ChunkKind::Gap, owner);
        } else {
            self.join(group, Group { span, tokens, symbols: 0, first: None }, owner);
        }
    }

    /// Adds `next` to the group before it if both fit in one chunk, else begins a new group.
    fn join(&mut self, group: &mut Option<Group>, next: Group, owner: Option<u32>) {
        if let Some(before) = group {
            let span = Span::new(before.span.start, next.span.end);
            let tokens = before.tokens + next.tokens;
            if self.belong(before, &next, tokens) {
                let symbols = before.symbols + next.symbols;
                *before = Group { span, tokens, symbols, first: before.first.or(next.first) };
                return;
            }
            self.flush(group, owner);
        }
        *group = Some(next);
    }

    /// Whether two neighbours with `tokens` in total become one chunk. A few tokens between definitions, such as a
    /// closing brace or a section comment, join either neighbour. A longer gap, such as the imports, is a chunk of its
    /// own. Small definitions are merged.
    fn belong(&self, before: &Group, next: &Group, tokens: u32) -> bool {
        let small_gap = |group: &Group| group.symbols == 0 && group.tokens < self.limits.min_tokens / 4;
        if small_gap(before) || small_gap(next) {
            return tokens <= self.limits.max_tokens;
        }
        let small = before.tokens < self.limits.min_tokens || next.tokens < self.limits.min_tokens;
        let alike = (before.symbols == 0) == (next.symbols == 0);
        small && alike && tokens <= self.limits.target_tokens
    }

    fn flush(&mut self, group: &mut Option<Group>, owner: Option<u32>) {
        let Some(group) = group.take() else {
            return;
        };
        let (kind, symbol) = match group.symbols {
            0 => (ChunkKind::Gap, owner),
            1 => (ChunkKind::Symbol, group.first),
            _ => (ChunkKind::Merged, owner.or(group.first)),
        };
        self.push(group.span, kind, symbol);
    }

    /// Cuts `span` between statements, else between lines, else between characters.
    fn parts(&mut self, span: Span, kind: ChunkKind, symbol: Option<u32>) {
        for part in self.cut(span, 0, 0) {
            self.push(part, kind, symbol);
        }
    }

    /// Parts of about the target size. `above` is the depth of the borders around `span`.
    fn cut(&self, span: Span, above: u32, level: u32) -> Vec<Span> {
        let inside = |offset: u32| span.start < offset && offset < span.end;
        let first = self.borders.partition_point(|border| border.offset <= span.start);
        let borders = self.borders[first..].iter().take_while(|border| border.offset < span.end);
        let deeper = borders.filter(|border| border.depth > above && inside(border.offset));
        let depth = deeper.clone().map(|border| border.depth).min();
        let (segments, depth) = match depth {
            Some(depth) if level < MAX_CUT_DEPTH => {
                let offsets = deeper.filter(|border| border.depth == depth).map(|border| border.offset);
                (segments(span, offsets), depth)
            }
            _ => (self.text.lines_or_pieces(span, piece_bytes(self.limits.max_tokens)), u32::MAX),
        };
        self.fill(&segments, depth, level)
    }

    fn fill(&self, segments: &[Span], depth: u32, level: u32) -> Vec<Span> {
        let mut parts: Vec<(Span, u32)> = Vec::new();
        // Whether the last part may still grow.
        let mut open = false;
        for segment in segments {
            let tokens = self.text.tokens(*segment);
            if tokens > self.limits.max_tokens && depth != u32::MAX {
                parts.extend(
                    self.cut(*segment, depth, level + 1).into_iter().map(|part| (part, self.text.tokens(part))),
                );
                open = false;
                continue;
            }
            match parts.last_mut() {
                Some((part, sum)) if open && self.grows(*sum, tokens) => {
                    *part = Span::new(part.start, segment.end);
                    *sum += tokens;
                }
                _ => parts.push((*segment, tokens)),
            }
            open = true;
        }
        // A short remainder is added to the part before.
        if let [.., (before, sum), (last, rest)] = parts.as_slice()
            && *rest < self.limits.min_tokens
            && sum + rest <= self.limits.max_tokens
        {
            let joined = (Span::new(before.start, last.end), sum + rest);
            parts.truncate(parts.len() - 2);
            parts.push(joined);
        }
        parts.into_iter().map(|(part, _)| part).collect()
    }

    fn grows(&self, sum: u32, tokens: u32) -> bool {
        let limit = if sum < self.limits.min_tokens { self.limits.max_tokens } else { self.limits.target_tokens };
        sum + tokens <= limit
    }

    fn push(&mut self, span: Span, kind: ChunkKind, symbol: Option<u32>) {
        if let Some(span) = self.text.trimmed(span) {
            self.chunks.push(Chunk { span, lines: self.text.lines.lines_of(span), kind, symbol });
        }
    }
}

/// Whether a definition of that kind is only a part of the definition around it.
fn is_part(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Field | SymbolKind::Variant)
}

/// `span` cut at `offsets`.
fn segments(span: Span, offsets: impl Iterator<Item = u32>) -> Vec<Span> {
    let mut segments = Vec::new();
    let mut start = span.start;
    for offset in offsets.chain([span.end]) {
        if offset > start {
            segments.push(Span::new(start, offset));
            start = offset;
        }
    }
    segments
}

/// A blob with its lines and running sums of tokens.
struct Text<'a> {
    blob: &'a [u8],
    lines: &'a LineIndex,
    /// For each line, from 0, the tokens of all lines before it; one entry more than there are lines.
    tokens_before: Vec<u32>,
}

impl<'a> Text<'a> {
    fn new(blob: &'a [u8], lines: &'a LineIndex) -> Self {
        let mut sum = 0;
        let mut tokens_before = vec![0];
        for line in blob.split_inclusive(|byte| *byte == b'\n') {
            sum += chunk_tokens(line);
            tokens_before.push(sum);
        }
        Self { blob, lines, tokens_before }
    }

    /// Tokens of `span`: whole lines from the running sums, the rest counted.
    fn tokens(&self, span: Span) -> u32 {
        if span.is_empty() {
            return 0;
        }
        let whole = self.lines.lines_of(span);
        let bytes = self.lines.span_of(whole);
        let before = Span::new(bytes.start, span.start.max(bytes.start));
        let after = Span::new(span.end.min(bytes.end), bytes.end);
        if before.is_empty() && after.is_empty() {
            return self.tokens_before[whole.end as usize] - self.tokens_before[whole.start as usize - 1];
        }
        if whole.start == whole.end {
            return chunk_tokens(span.of(self.blob));
        }
        let first_end = self.line_end(span.start + 1);
        let last_start = self.line_start(span.end - 1);
        let middle = if first_end < last_start { self.tokens(Span::new(first_end, last_start)) } else { 0 };
        chunk_tokens(Span::new(span.start, first_end).of(self.blob))
            + middle
            + chunk_tokens(Span::new(last_start, span.end).of(self.blob))
    }

    /// First byte of the line that holds `offset`.
    fn line_start(&self, offset: u32) -> u32 {
        let line = self.lines.line_of(offset);
        self.lines.span_of(icr_model::LineSpan { start: line, end: line }).start
    }

    /// One past the line that holds the byte before `offset`.
    fn line_end(&self, offset: u32) -> u32 {
        let line = self.lines.line_of(offset.saturating_sub(1));
        self.lines.span_of(icr_model::LineSpan { start: line, end: line }).end
    }

    fn is_blank(&self, span: Span) -> bool {
        span.of(self.blob).iter().all(u8::is_ascii_whitespace)
    }

    /// `span` without blank lines at its ends, and without white space at an end that is not a line border; `None`
    /// when nothing is left.
    fn trimmed(&self, span: Span) -> Option<Span> {
        let text = span.of(self.blob);
        let first = span.start + text.iter().position(|byte| !byte.is_ascii_whitespace())? as u32;
        let last = span.start + text.iter().rposition(|byte| !byte.is_ascii_whitespace())? as u32;
        Some(Span::new(self.line_start(first).max(span.start), self.line_end(last + 1).min(span.end)))
    }

    /// The lines of `span`; a line longer than `bytes` is split into pieces.
    fn lines_or_pieces(&self, span: Span, bytes: u32) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut at = span.start;
        while at < span.end {
            let end = self.line_end(at + 1).min(span.end);
            let line = Span::new(at, end);
            if line.len() <= bytes {
                spans.push(line);
            } else {
                spans.extend(pieces(self.blob, line, bytes));
            }
            at = end;
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_contradict_each_other_are_moved() {
        let moved = ChunkLimits { min_tokens: 900, target_tokens: 0, max_tokens: 3, overlap_tokens: 70 }.consistent();
        assert_eq!(moved, ChunkLimits { min_tokens: 1, target_tokens: 1, max_tokens: 16, overlap_tokens: 0 });
        assert_eq!(ChunkLimits::default().consistent(), ChunkLimits::default());
    }

    #[test]
    fn tokens_of_a_span_are_counted_from_any_byte() {
        let blob = b"alpha beta\n\ngamma(delta)\n  eps";
        let lines = LineIndex::new(blob);
        let text = Text::new(blob, &lines);
        for start in 0..=blob.len() as u32 {
            for end in start..=blob.len() as u32 {
                let span = Span::new(start, end);
                assert_eq!(text.tokens(span), chunk_tokens(span.of(blob)), "{span:?}");
            }
        }
    }
}
