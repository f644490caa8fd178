//! Which lines of a found chunk to show: those that say what was asked.

use std::collections::HashSet;

use icr_model::{Chunk, ChunkKind, Facts, LineIndex, Lines, Span, SymbolKind};

use crate::search::cut;

/// Lines shown as preview.
const PREVIEW_LINES: usize = 3;

/// Longest line shown in a preview, in bytes.
const LINE_BYTES: usize = 200;

/// A definition or a chunk, by its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index of the definition in [`Facts::symbols`].
    pub(crate) symbol: Option<u32>,
    pub(crate) lines: Lines,
}

/// The part of `chunk` that says most of `terms`. A chunk of several small neighbours stands for the best of them, the
/// first of equals; any other chunk for itself.
pub(crate) fn best_place(facts: &Facts, chunk: &Chunk, text: &[u8], terms: &[String]) -> Place {
    let whole = Place { symbol: chunk.symbol, lines: chunk.lines };
    if chunk.kind != ChunkKind::Merged || text.is_empty() {
        return whole;
    }
    let first = facts.symbols.partition_point(|symbol| symbol.span.start < chunk.span.start);
    let inside =
        facts.symbols.iter().enumerate().skip(first).take_while(|(_, symbol)| symbol.span.start < chunk.span.end);
    let mut best: Option<(usize, Span, u32)> = None;
    // A field says little by itself: its type stands for it.
    let whole_things = inside.filter(|(_, symbol)| !matches!(symbol.kind, SymbolKind::Field | SymbolKind::Variant));
    for (at, symbol) in whole_things {
        let start = symbol.doc.map_or(symbol.span.start, |doc| doc.start.min(symbol.span.start)).max(chunk.span.start);
        let span = Span::new(start, symbol.span.end.min(chunk.span.end).max(start));
        let said = terms_in(span.of(text), terms);
        // A member that says as much as what encloses it says it in fewer lines.
        let is_better =
            best.map_or(said > 0, |(most, around, _)| said > most || (said == most && around.contains(span)));
        if is_better {
            best = Some((said, span, at as u32));
        }
    }
    best.map_or(whole, |(_, span, at)| Place { symbol: Some(at), lines: LineIndex::new(text).lines_of(span) })
}

/// A few lines of `lines`, without those that hold no word: from the first on when one of these says any of `terms`, else from the line that says most.
pub(crate) fn preview(text: &[u8], lines: Lines, terms: &[String]) -> String {
    let index = LineIndex::new(text);
    let shown = String::from_utf8_lossy(index.span_of(lines).of(text)).into_owned();
    let said: Vec<&str> = shown.lines().filter(|line| line.contains(char::is_alphanumeric)).collect();
    let counts: Vec<usize> = said.iter().map(|line| terms_in(line.as_bytes(), terms)).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let from = match counts.iter().take(PREVIEW_LINES).any(|count| *count > 0) {
        true => 0,
        false => counts.iter().position(|count| *count == most).unwrap_or_default(),
    };
    said.into_iter().skip(from).take(PREVIEW_LINES).map(|line| cut(line, LINE_BYTES)).collect::<Vec<_>>().join("\n")
}

/// How many of `terms` stand in `text`.
fn terms_in(text: &[u8], terms: &[String]) -> usize {
    let mut found = HashSet::new();
    icr_lexical::tokens(text, &mut |token| {
        found.extend(terms.iter().position(|term| term == token));
    });
    found.len()
}

#[cfg(test)]
mod tests {
    use icr_lang::{ChunkLimits, Extractor};

    use super::*;

    const TEXT: &str = "fn moor() {\n    anchor();\n}\n\n/// Opens it.\nfn open_gate() {\n    lift();\n}\n\nfn close() {\n    lower();\n}\n";

    fn terms(query: &str) -> Vec<String> {
        icr_lexical::query_terms(query)
    }

    #[test]
    fn of_merged_neighbours_the_one_that_was_asked_for_is_shown() {
        let facts = Extractor::new(ChunkLimits::default()).extract("rust", TEXT.as_bytes()).facts;
        assert_eq!(facts.chunks[0].kind, ChunkKind::Merged);
        let place = |query: &str| {
            let place = best_place(&facts, &facts.chunks[0], TEXT.as_bytes(), &terms(query));
            let name = place.symbol.map_or_else(String::new, |symbol| facts.qualified_name(symbol));
            format!("{name} {}-{}", place.lines.start, place.lines.end)
        };
        assert_eq!(place("open_gate"), "open_gate 5-8");
        assert_eq!(place("lower"), "close 10-12");
        assert_eq!(place("anchor"), "moor 1-3");
        assert_eq!(place("absent words"), "moor 1-12", "the chunk stands for itself");
    }

    #[test]
    fn the_preview_begins_where_something_is_said() {
        let lines = Lines { start: 1, end: 12 };
        assert_eq!(preview(TEXT.as_bytes(), lines, &terms("anchor")), "fn moor() {\n    anchor();\n/// Opens it.");
        assert_eq!(preview(TEXT.as_bytes(), lines, &terms("lower")), "    lower();");
    }
}
