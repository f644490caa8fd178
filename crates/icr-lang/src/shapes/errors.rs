//! The places where a text does not parse.

use icr_model::{LineIndex, LineSpan, Span};

use super::parsed;
use crate::definitions::span_of;
use crate::islands::{Island, islands};
use crate::parse::outermost_errors;
use crate::table::row_of_text;

/// The parts of `text` that its grammar cannot read, in order and without surrounding white space: errors of the tree and what
/// it leaves out, without the parts that parse alone, and the lines in which a token is missing. Empty for a text that parses,
/// and for text without a language. The whole text when no grammar should read it (huge, minified) or none can in bounded
/// work.
///
/// Costs one parse of `text`, and one more of the text under errors.
pub fn syntax_errors(language: &str, text: &[u8]) -> Vec<Span> {
    let Some(row) = row_of_text(language, text) else { return Vec::new() };
    let whole = || Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let Some((parses, tree)) = parsed(row, text) else { return vec![whole()] };
    if !tree.root_node().has_error() {
        return Vec::new();
    }
    let islands = islands(&parses, &tree);
    let mut errors = Vec::new();
    let lines = LineIndex::new(text);
    for error in outermost_errors(&tree) {
        match error.is_missing() {
            true => {
                let line = lines.line_of(span_of(error).start);
                errors.push(lines.span_of(LineSpan { start: line, end: line }));
            }
            false => without(span_of(error), &islands, &mut errors),
        }
    }
    for part in parses.abandoned_parts(&tree) {
        without(part, &islands, &mut errors);
    }
    errors.sort_unstable_by_key(|error| error.start);
    errors.into_iter().map(|span| trimmed(text, span)).filter(|span| !span.is_empty()).collect()
}

/// The branches of `#if` in `text` that are not read, in order and without surrounding white space: those of conditions
/// that stand in the middle of a definition. Costs as [`syntax_errors`].
pub fn unread_branches(language: &str, text: &[u8]) -> Vec<Span> {
    let Some((parses, _)) = row_of_text(language, text).and_then(|row| parsed(row, text)) else { return Vec::new() };
    let unread = parses.hidden.iter().flat_map(|conditional| &conditional.unread);
    unread.map(|span| trimmed(text, *span)).filter(|span| !span.is_empty()).collect()
}

/// `span` without the white space at both of its ends.
fn trimmed(text: &[u8], span: Span) -> Span {
    let inside = span.of(text);
    let start = span.start + (inside.len() - inside.trim_ascii_start().len()) as u32;
    Span::new(start, start + inside.trim_ascii().len() as u32)
}

/// Adds the parts of `span` that are on no island.
fn without(span: Span, islands: &[Island], errors: &mut Vec<Span>) {
    let mut start = span.start;
    for island in islands.iter().filter(|island| island.span.end > span.start && island.span.start < span.end) {
        if island.span.start > start {
            errors.push(Span::new(start, island.span.start));
        }
        start = start.max(island.span.end);
    }
    if start < span.end {
        errors.push(Span::new(start, span.end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, text: &str, expected: &[&str]) {
        let errors = syntax_errors(language, text.as_bytes());
        let shown: Vec<&str> = errors.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(shown, expected, "{language}: {text:?}");
    }

    #[test]
    fn a_text_that_parses_has_none() {
        check("python", "def a():\n    return 1\n", &[]);
        check("rust", "fn a() -> u32 {\n    1\n}\n", &[]);
        check("text", "}}} not a language {{{", &[]);
        check("json", "{\"a\": 1}\n", &[]);
        check("python", "", &[]);
    }

    #[test]
    fn a_line_that_lacks_a_token_is_one() {
        check("rust", "fn a() {\n    b()\n}\n\nfn c() {\n    let d = 1\n}\n", &["let d = 1"]);
    }

    #[test]
    fn what_parses_behind_an_error_is_none() {
        check("python", "def a(:\n    return 1\n\ndef b():\n    return 2\n", &["def a(:"]);
    }

    #[test]
    fn what_a_parser_leaves_out_behind_an_error_is_one() {
        // The parser gives up behind the first branch, and takes too much work for all of them in other words.
        let branches = "    is A if a < 1 -> b > 1\n".repeat(2_000);
        let text = format!("class A {{\n  fun a(v: Any) = when (v) {{\n{branches}  }}\n}}\n\nfun b(\n");
        let errors = syntax_errors("kotlin", text.as_bytes());
        let last = errors.last().unwrap();
        assert!(last.of(text.as_bytes()).ends_with(b"fun b("), "{errors:?}");
    }

    #[test]
    fn what_no_grammar_should_read_is_one_as_a_whole() {
        let minified = format!("a({});", "1,".repeat(20_000));
        assert_eq!(syntax_errors("javascript", minified.as_bytes()), [Span::new(0, minified.len() as u32)]);
    }
}
