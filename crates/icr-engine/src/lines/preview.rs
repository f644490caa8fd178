//! A few lines of a place, to see at a glance what it is.

use std::collections::HashSet;

use icr_model::{LineIndex, Lines};

use crate::search::cut;

/// Lines shown as preview.
const PREVIEW_LINES: usize = 3;

/// Longest line shown in a preview, in bytes.
const LINE_BYTES: usize = 200;

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
    use super::*;

    const TEXT: &str = "fn moor() {\n    anchor();\n}\n\n/// Opens it.\nfn open_gate() {\n    lift();\n}\n\nfn close() {\n    lower();\n}\n";

    fn terms(query: &str) -> Vec<String> {
        icr_lexical::query_terms(query)
    }

    #[test]
    fn the_preview_begins_where_something_is_said() {
        let lines = Lines { start: 1, end: 12 };
        assert_eq!(preview(TEXT.as_bytes(), lines, &terms("anchor")), "fn moor() {\n    anchor();\n/// Opens it.");
        assert_eq!(preview(TEXT.as_bytes(), lines, &terms("lower")), "    lower();");
    }
}
