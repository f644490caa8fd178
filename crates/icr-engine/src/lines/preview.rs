//! A preview of a place: the line that names it, and the lines that match the query best.

use std::borrow::Cow;

use icr_model::{LineSpan, SymbolKind};

use crate::lines::{FileText, LineQuery, ScoredLines};
use crate::search::cut;

/// Results that are shown with [`LINES_OF_FIRST`] lines; the answer is mostly among them.
const FIRST: usize = 3;

/// Lines of the preview of each of the first results, without the marks for omitted lines.
const LINES_OF_FIRST: usize = 4;

/// Further results that are shown with [`LINES_OF_FURTHER`] lines.
const FURTHER: usize = 10;

/// Lines of their preview: the name, and one line that matches.
const LINES_OF_FURTHER: usize = 2;

/// Longest line shown in a preview, in bytes.
const LINE_BYTES: usize = 160;

/// Bytes shown before a name or a word of the query that stands beyond [`LINE_BYTES`] of its line.
const BYTES_BEFORE_NAME: usize = 40;

/// Bytes between the places at which a word is searched in a long identifier.
const BYTES_BETWEEN_CUTS: usize = LINE_BYTES / 2;

/// The mark for omitted lines, or an omitted part of a line.
const MARK: &str = "…";

/// Weight of the words on a comment line, relative to a code line.
const COMMENT: f64 = 0.5;

/// Weight of a word on further lines after the first one that has it.
const SAID_BEFORE: f64 = 0.2;

/// Lines in the preview of the result at `rank`, 0 for the best.
pub(crate) fn preview_lines(rank: usize) -> usize {
    match rank {
        0..FIRST => LINES_OF_FIRST,
        FIRST..FURTHER => LINES_OF_FURTHER,
        // One line: the name.
        _ => 1,
    }
}

/// At most `most` lines of `text`, in order and with marks for omitted lines: those that match the query best, or the
/// first ones if none matches.
pub(crate) fn preview(text: &[u8], asked: &LineQuery<'_>, most: usize) -> String {
    let shown = String::from_utf8_lossy(text);
    let lines = shown.lines().enumerate().map(|(at, text)| PreviewLine { number: at as u32, text, is_comment: false });
    shown_lines(lines.collect(), LineSpan { start: 0, end: u32::MAX }, None, asked, most)
}

impl FileText<'_> {
    /// As [`preview`], for `place`, with the line of the name first; that line may lie outside of the place.
    pub(crate) fn preview(&self, place: &ScoredLines, asked: &LineQuery<'_>, most: usize) -> String {
        let text = String::from_utf8_lossy(self.of_lines(place.lines));
        let symbol = place.symbol.map(|symbol| &self.facts.symbols[symbol as usize]);
        let named = symbol.map(|symbol| self.index.line_of(symbol.name_start));
        let docs = self.docs_in(place.lines);
        // A Markdown heading begins with a comment sign of other languages.
        let is_prose = self.facts.symbols.iter().any(|symbol| symbol.kind == SymbolKind::Section);
        let lines = text.lines().zip(place.lines.start..).map(|(text, number)| PreviewLine {
            number,
            text,
            is_comment: !is_prose
                && (is_comment(text) || docs.iter().any(|doc| (doc.start..=doc.end).contains(&number))),
        });
        let mut lines: Vec<PreviewLine<'_>> = lines.collect();
        let outside = named.filter(|named| !(place.lines.start..=place.lines.end).contains(named));
        let outside = outside
            .map(|number| (number, String::from_utf8_lossy(self.of_lines(LineSpan { start: number, end: number }))));
        if let Some((number, text)) = &outside {
            let line = PreviewLine { number: *number, text: text.trim_end_matches(['\r', '\n']), is_comment: false };
            lines.insert(if *number < place.lines.start { 0 } else { lines.len() }, line);
        }
        let name = named.zip(symbol).map(|(number, symbol)| {
            let start = self.index.span_of(LineSpan { start: number, end: number }).start;
            NamePosition {
                line: number,
                column: (symbol.name_start.saturating_sub(start)) as usize,
                bytes: symbol.name.len(),
            }
        });
        shown_lines(lines, place.lines, name, asked, most)
    }

    /// The lines of doc comments that begin in `lines`.
    fn docs_in(&self, lines: LineSpan) -> Vec<LineSpan> {
        let docs = self.facts.symbols.iter().filter_map(|symbol| symbol.doc);
        let docs = docs.map(|doc| self.index.lines_of(doc));
        docs.filter(|doc| (lines.start..=lines.end).contains(&doc.start)).collect()
    }
}

/// A line of a text.
struct PreviewLine<'a> {
    number: u32,
    text: &'a str,
    is_comment: bool,
}

/// Position of the name of a place.
struct NamePosition {
    line: u32,
    /// Bytes of the line before it.
    column: usize,
    bytes: usize,
}

/// Whether a line is only a comment, by the comment signs of most languages.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let begins = |sign: &&str| line.starts_with(*sign);
    // `#include`, `#[derive]` and `#!` are not comments.
    let is_hash = line.strip_prefix('#').is_some_and(|rest| rest.starts_with([' ', '#', ':']) || rest.is_empty());
    is_hash || ["//", "/*", "* ", "*/", "--", ";;", "\"\"\"", "'''", "<!--", "(*", "{-"].iter().any(begins)
}

/// The best of `lines`, which are those of `place` and at most one line outside. If one of them has a word of the query,
/// so has the preview, even if that takes a line more than `most`: what was searched for must not be missing.
fn shown_lines(
    lines: Vec<PreviewLine<'_>>,
    place: LineSpan,
    name: Option<NamePosition>,
    asked: &LineQuery<'_>,
    most: usize,
) -> String {
    let lines: Vec<PreviewLine<'_>> =
        lines.into_iter().filter(|line| line.text.contains(char::is_alphanumeric)).collect();
    let terms: Vec<Vec<usize>> = lines.iter().map(|line| terms_in(line.text.as_bytes(), asked)).collect();
    let mut chosen: Vec<usize> =
        name.iter().filter_map(|name| lines.iter().position(|line| line.number == name.line)).collect();
    let mut said: Vec<usize> = chosen.iter().flat_map(|at| terms[*at].iter().copied()).collect();
    while chosen.len() < most || chosen.iter().all(|at| terms[*at].is_empty()) {
        let worth = |at: usize| {
            let of_term = |term: &usize| {
                let share = if said.contains(term) { SAID_BEFORE } else { 1.0 };
                share * asked.rarity.get(*term).copied().unwrap_or(1.0)
            };
            let words: f64 = terms[at].iter().map(of_term).sum();
            if lines[at].is_comment { COMMENT * words } else { words }
        };
        let left = (0..lines.len()).filter(|at| !chosen.contains(at));
        // The first of the lines with the best score.
        let best = left.map(|at| (at, worth(at))).rev().max_by(|one, other| one.1.total_cmp(&other.1));
        // A word may be so frequent that it counts for nothing.
        let best = match best.filter(|(_, worth)| *worth > 0.0) {
            Some((best, _)) => best,
            None if said.is_empty() => match terms.iter().position(|terms| !terms.is_empty()) {
                Some(first) => first,
                None => break,
            },
            None => break,
        };
        said.extend(&terms[best]);
        chosen.push(best);
    }
    // If few lines match, fill up with the lines after the first match, code before comments; then with those before
    // it.
    let from = chosen.iter().copied().min().unwrap_or(0);
    let lines = &lines;
    let after = |is_comment: bool| (from..lines.len()).filter(move |at| lines[*at].is_comment == is_comment);
    let rest = after(false).chain(after(true)).chain((0..from).rev());
    let rest: Vec<usize> = rest.filter(|at| !chosen.contains(at)).take(most.saturating_sub(chosen.len())).collect();
    chosen.extend(rest);
    chosen.sort_unstable();
    let indent = chosen.iter().map(|at| indent_of(lines[*at].text)).min().unwrap_or(0);
    let mut shown = String::new();
    for (position, at) in chosen.iter().enumerate() {
        let line = &lines[*at];
        let before = position.checked_sub(1).map(|before| chosen[before]);
        // A line without a word is not marked as omitted.
        let is_left_out = |before: usize| {
            let number = lines[before].number;
            let is_outside = number < place.start || line.number > place.end;
            before + 1 < *at || (is_outside && number + 1 < line.number)
        };
        if before.is_some_and(is_left_out) {
            shown.push_str(MARK);
            shown.push('\n');
        }
        let name = name.as_ref().filter(|name| name.line == line.number);
        shown.push_str(&shown_part(line.text, indent, name, !terms[*at].is_empty(), asked));
        shown.push('\n');
    }
    shown.truncate(shown.trim_end_matches('\n').len());
    shown
}

/// Bytes of leading white space.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// As [`part_of_line`]; if the line `has_term`, with a word of the query, wherever that stands in it.
fn shown_part<'a>(
    line: &'a str,
    indent: usize,
    name: Option<&NamePosition>,
    has_term: bool,
    asked: &LineQuery<'_>,
) -> Cow<'a, str> {
    let part = part_of_line(line, indent, name);
    if !has_term || !terms_in(part.as_bytes(), asked).is_empty() {
        return part;
    }
    let mut start = None;
    asked.wanted.each_with_start(line.as_bytes(), &mut |_, at| start = start.or(Some(at)));
    let Some(start) = start else { return part };
    // An identifier may be longer than what is shown of a line.
    let from = std::iter::once(start.saturating_sub(BYTES_BEFORE_NAME));
    let mut from = from.chain((start..line.len()).step_by(BYTES_BETWEEN_CUTS)).map(|at| line.floor_char_boundary(at));
    let has_word = |from: &usize| !terms_in(cut(&line[*from..], LINE_BYTES).as_bytes(), asked).is_empty();
    let Some(from) = from.find(has_word) else { return part };
    let with_word = cut(&line[from..], LINE_BYTES);
    let before = if name.is_some() { part.trim_end_matches(MARK) } else { "" };
    let after = if from + with_word.len() < line.len() { MARK } else { "" };
    Cow::Owned(format!("{before}{MARK}{with_word}{after}"))
}

/// A line without `indent` bytes of its indentation, cut if it is long, but not before the end of the name.
fn part_of_line<'a>(line: &'a str, indent: usize, name: Option<&NamePosition>) -> Cow<'a, str> {
    let from = name.filter(|name| name.column + name.bytes > indent + LINE_BYTES);
    let from = from.map_or(indent, |name| line.floor_char_boundary(name.column.saturating_sub(BYTES_BEFORE_NAME)));
    let rest = line.get(from..).unwrap_or(line).trim_end();
    let part = cut(rest, LINE_BYTES);
    match (from > indent, part.len() < rest.len()) {
        (false, false) => Cow::Borrowed(part),
        (is_late, is_cut) => {
            let (before, after) = (if is_late { MARK } else { "" }, if is_cut { MARK } else { "" });
            Cow::Owned(format!("{before}{part}{after}"))
        }
    }
}

/// Which of the terms stand in `text`, each once.
fn terms_in(text: &[u8], asked: &LineQuery<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    asked.wanted.each(text, &mut |term| {
        if !found.contains(&term) {
            found.push(term);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use icr_lang::{ChunkLimits, Extractor};
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;
    use crate::lines::TermMatcher;

    const TEXT: &str = "/* Copyright of the harbour. */\n\nfn moor() {\n    anchor();\n}\n\n/// Opens the gate.\nfn open_gate() {\n    lift();\n    /* lower */\n    lower();\n}\n\nfn close() {\n    lower();\n}\n";

    fn asking<T>(query: &str, answer: impl FnOnce(&LineQuery<'_>) -> T) -> T {
        let wanted = TermMatcher::of(icr_lexical::query_terms(query));
        answer(&LineQuery { wanted: &wanted, rarity: &[], weights: &[], identifiers: &[], about_tests: false })
    }

    /// The preview of `lines` of [`TEXT`], called by its definition of that name.
    fn of(query: &str, name: Option<&str>, lines: (u32, u32), most: usize) -> String {
        let facts = Extractor::new(ChunkLimits::default()).extract("rust", TEXT.as_bytes()).facts;
        let symbol =
            name.map(|name| facts.symbols.iter().position(|symbol| symbol.name == name).expect("it is there") as u32);
        let place = ScoredLines { symbol, lines: LineSpan { start: lines.0, end: lines.1 }, score: 1.0 };
        asking(query, |asked| FileText::new(&facts, TEXT.as_bytes()).preview(&place, asked, most))
    }

    #[test]
    fn a_text_shows_the_lines_that_say_most_in_its_order() {
        let shown = |query: &str| asking(query, |asked| preview(TEXT.as_bytes(), asked, 3));
        assert_snapshot!(shown("anchor"), @"
            anchor();
        /// Opens the gate.
        fn open_gate() {
        ");
        assert_snapshot!(shown("lower close moor"), @"
        fn moor() {
        …
            /* lower */
        …
        fn close() {
        ");
        assert_snapshot!(shown("absent"), @"
        /* Copyright of the harbour. */
        fn moor() {
            anchor();
        ");
    }

    #[test]
    fn a_place_shows_the_name_that_it_is_called_by() {
        assert_snapshot!(of("lower", Some("open_gate"), (7, 12), 2), @"
        fn open_gate() {
        …
            lower();
        ");
        assert_snapshot!(of("lower", Some("open_gate"), (11, 12), 2), @"
        fn open_gate() {
        …
            lower();
        ");
        assert_snapshot!(of("absent", Some("open_gate"), (7, 12), 2), @"
        fn open_gate() {
            lift();
        ");
        assert_snapshot!(of("lower", None, (8, 12), 1), @"lower();");
    }

    #[test]
    fn a_word_that_counts_for_nothing_is_shown_and_one_below_the_name_too() {
        let wanted = TermMatcher::of(icr_lexical::query_terms("lower"));
        let asked = LineQuery { wanted: &wanted, rarity: &[0.0], weights: &[], identifiers: &[], about_tests: false };
        assert_snapshot!(preview(TEXT.as_bytes(), &asked, 1), @"/* lower */");
        assert_snapshot!(of("lower", Some("open_gate"), (7, 12), 1), @"
        fn open_gate() {
        …
            lower();
        ");
    }

    #[test]
    fn a_long_line_is_cut_around_the_word() {
        let line = format!("{} anchor {}", "b".repeat(300), "c".repeat(300));
        let shown = asking("anchor", |asked| preview(line.as_bytes(), asked, 1));
        assert!(shown.starts_with("…b") && shown.contains(" anchor c") && shown.ends_with("c…"), "{shown}");
    }

    proptest! {
        #[test]
        fn a_word_that_a_line_has_is_shown(
            query in "(anchor|gate|lower)( (anchor|gate|lower|the))?",
            lines in prop::collection::vec(
                ("[ab(;_ é]{0,200}", "anchor|Gate|lower|open_gate|gateAnchor|anchors|", "[ab(;_ é]{0,200}"),
                0..12,
            ),
            most in 1_usize..5,
        ) {
            let text: Vec<String> = lines.iter().map(|(before, word, after)| format!("{before}{word}{after}")).collect();
            let (shown, has_word, says_word) = asking(&query, |asked| {
                let shown = preview(text.join("\n").as_bytes(), asked, most);
                let has_word = text.iter().any(|line| !terms_in(line.as_bytes(), asked).is_empty());
                let says_word = shown.lines().any(|line| !terms_in(line.as_bytes(), asked).is_empty());
                (shown, has_word, says_word)
            });
            prop_assert_eq!(has_word, says_word, "{}", shown);
            prop_assert!(shown.lines().filter(|line| *line != MARK).count() <= most.max(1), "{}", shown);
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_name() {
        let text = format!("x{}", "a".repeat(300));
        assert_eq!(part_of_line(&text, 0, None), format!("x{}…", "a".repeat(LINE_BYTES - 1)));
        let line = format!("{}name(){}", "b".repeat(300), "c".repeat(300));
        let part = part_of_line(&line, 0, Some(&NamePosition { line: 1, column: 300, bytes: 4 }));
        assert!(part.starts_with("…b") && part.contains("name()") && part.ends_with("c…"), "{part}");
    }
}
