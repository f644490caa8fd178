//! A few lines of a place, to see at a glance what it is.

use crate::lines::Asked;
use crate::search::cut;

/// Lines shown as preview.
const PREVIEW_LINES: usize = 3;

/// Longest line shown in a preview, in bytes.
const LINE_BYTES: usize = 200;

/// A few lines of `text`, without those that hold no word: from the first on when one of these says anything of what was asked,
/// else from the line that says most.
pub(crate) fn preview(text: &[u8], asked: &Asked<'_>) -> String {
    let shown = String::from_utf8_lossy(text);
    let said: Vec<&str> = shown.lines().filter(|line| line.contains(char::is_alphanumeric)).collect();
    let says = |line: &&str| terms_in(line.as_bytes(), asked);
    let from = match said.iter().take(PREVIEW_LINES).any(|line| says(line) > 0) {
        true => 0,
        // The first of those that say most.
        false => said.iter().map(says).enumerate().rev().max_by_key(|(_, count)| *count).map_or(0, |(at, _)| at),
    };
    said.into_iter().skip(from).take(PREVIEW_LINES).map(|line| cut(line, LINE_BYTES)).collect::<Vec<_>>().join("\n")
}

/// How many of the terms stand in `text`.
fn terms_in(text: &[u8], asked: &Asked<'_>) -> u32 {
    let mut found = 0_u64;
    // A query has at most as many terms as there are bits.
    asked.wanted.each(text, &mut |term| found |= 1 << (term % 64));
    found.count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Wanted;

    const TEXT: &str = "fn moor() {\n    anchor();\n}\n\n/// Opens it.\nfn open_gate() {\n    lift();\n}\n\nfn close() {\n    lower();\n}\n";

    #[track_caller]
    fn check(query: &str, expected: &str) {
        let terms = icr_lexical::query_terms(query);
        let wanted = Wanted::of(terms);
        let asked = Asked { wanted: &wanted, rarity: &[], weights: &[], identifiers: &[], about_tests: false };
        assert_eq!(preview(TEXT.as_bytes(), &asked), expected, "{query}");
    }

    #[test]
    fn the_preview_begins_where_something_is_said() {
        check("anchor", "fn moor() {\n    anchor();\n/// Opens it.");
        check("lower", "    lower();");
        check("lower close lift", "    lift();\nfn close() {\n    lower();");
        check("absent", "fn moor() {\n    anchor();\n/// Opens it.");
    }
}
