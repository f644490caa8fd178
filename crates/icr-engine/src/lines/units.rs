//! Splits a file into units: definitions that are shown whole, text between them, and parts of long definitions.

use icr_model::{Facts, LineIndex, LineSpan, Span, Symbol, SymbolKind};

/// How long units may be, in lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    /// A definition with members is shown whole up to this length, such as a small type.
    pub(super) small: u32,
    /// A longer unit is cut.
    pub(super) long: u32,
    /// Longest part of a long definition without members.
    pub(super) part: u32,
}

/// Lengths for answers to questions: about a screen.
pub(super) const SHOWN: Lengths = Lengths { small: 25, long: 90, part: 60 };

/// A range of lines that a place includes whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) lines: LineSpan,
    /// Index in [`Facts::symbols`] of the innermost definition around it.
    pub(super) symbol: Option<u32>,
    /// Whether that definition begins in it.
    pub(super) begins: bool,
}

/// The units of a file in order. Together they cover every line that is not blank, without overlap.
pub(super) fn units(facts: &Facts, index: &LineIndex, text: &[u8], lengths: Lengths) -> Vec<Unit> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); facts.symbols.len() + 1];
    for (at, symbol) in facts.symbols.iter().enumerate() {
        // A field alone says little; it belongs to the unit of its type.
        if !matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant | SymbolKind::Key) {
            // The parent of a method of Go is the type of its receiver, which does not enclose it.
            let encloses = |parent: &u32| facts.symbols[*parent as usize].span.contains(symbol.span);
            members[symbol.parent.filter(encloses).map_or(0, |parent| parent as usize + 1)].push(at as u32);
        }
    }
    let mut cutter = Cutter { facts, index, text, lengths, members, units: Vec::new() };
    cutter.cut(None, LineSpan { start: 1, end: facts.lines_total });
    cutter.units
}

/// Whether a definition is a test or lies in a test container, by the naming conventions of languages and test runners.
pub(super) fn is_test(facts: &Facts, symbol: u32) -> bool {
    let mut at = Some(symbol);
    std::iter::from_fn(|| {
        let symbol = &facts.symbols[at? as usize];
        at = symbol.parent;
        Some(symbol.name.as_str())
    })
    .any(|name| {
        let lower = name.to_lowercase();
        let after_test = name.strip_prefix("Test").and_then(|rest| rest.chars().next());
        matches!(lower.as_str(), "test" | "tests" | "spec")
            || lower.starts_with("test_")
            || lower.ends_with("_test")
            || lower.ends_with("_tests")
            || after_test.is_some_and(char::is_uppercase)
    })
}

/// The lines of a definition including the comment directly above it.
pub(crate) fn lines_with_doc(symbol: &Symbol, index: &LineIndex) -> LineSpan {
    match symbol.doc {
        Some(doc) if doc.start < symbol.span.start => index.lines_of(Span::new(doc.start, symbol.span.end)),
        _ => symbol.lines,
    }
}

struct Cutter<'a> {
    facts: &'a Facts,
    index: &'a LineIndex,
    text: &'a [u8],
    lengths: Lengths,
    /// For each definition (0 for the file), its direct children, in order.
    members: Vec<Vec<u32>>,
    units: Vec<Unit>,
}

impl Cutter<'_> {
    fn cut(&mut self, symbol: Option<u32>, lines: LineSpan) {
        let Lengths { small, long, part } = self.lengths;
        let members = std::mem::take(&mut self.members[symbol.map_or(0, |symbol| symbol as usize + 1)]);
        if symbol.is_some() && lines.end + 1 - lines.start <= if members.is_empty() { long } else { small } {
            return self.add(symbol, lines, true);
        }
        if members.is_empty() {
            if part == u32::MAX {
                return self.add(symbol, lines, symbol.is_some());
            }
            return self.cut_at_chunks(symbol, lines);
        }
        let mut next = lines.start;
        let mut begins = symbol.is_some();
        for member in members {
            let LineSpan { start, end } = lines_with_doc(&self.facts.symbols[member as usize], self.index);
            let (start, end) = (start.max(next), end.min(lines.end));
            if start > end {
                continue;
            }
            if start > next {
                self.add(symbol, LineSpan { start: next, end: start - 1 }, begins);
                begins = false;
            }
            self.cut(Some(member), LineSpan { start, end });
            next = end + 1;
        }
        if next <= lines.end {
            self.add(symbol, LineSpan { start: next, end: lines.end }, begins);
        }
    }

    /// Cuts at the boundaries of the chunks of a long definition, which lie between statements.
    fn cut_at_chunks(&mut self, symbol: Option<u32>, lines: LineSpan) {
        let mut next = lines.start;
        let facts = self.facts;
        let ends = facts.chunks.iter().map(|chunk| chunk.lines.end);
        for end in ends.filter(|end| (lines.start..lines.end).contains(end)).chain([lines.end]) {
            if end >= next {
                self.add(symbol, LineSpan { start: next, end }, symbol.is_some() && next == lines.start);
                next = end + 1;
            }
        }
    }

    /// Adds `lines` without blank lines at both ends, in equal parts if they are many.
    fn add(&mut self, symbol: Option<u32>, lines: LineSpan, begins: bool) {
        let LineSpan { mut start, mut end } = lines;
        let is_blank = |line: u32| {
            let span = self.index.span_of(LineSpan { start: line, end: line });
            span.of(self.text).iter().all(u8::is_ascii_whitespace)
        };
        while start < end && is_blank(start) {
            start += 1;
        }
        while start < end && is_blank(end) {
            end -= 1;
        }
        if start == end && is_blank(start) {
            return;
        }
        let length = end + 1 - start;
        let parts = if length > self.lengths.long { length.div_ceil(self.lengths.part) } else { 1 };
        for part in 0..parts {
            let first = start + part_of(length, part, parts);
            let last = start + part_of(length, part + 1, parts) - 1;
            self.units.push(Unit { lines: LineSpan { start: first, end: last }, symbol, begins: begins && part == 0 });
        }
    }
}

/// Part number `part` of `parts` equal parts of `length`, for lengths of any size.
pub(super) fn part_of(length: u32, part: u32, parts: u32) -> u32 {
    (u64::from(length) * u64::from(part) / u64::from(parts)) as u32
}
