use icr_lang::{ChunkLimits, Extractor};
use icr_rank::QueryShape;
use proptest::prelude::*;

use super::*;

/// The places of a Rust text for a query whose terms are all equally rare: `symbol first-last`, best first.
fn shown(text: &str, query: &str) -> Vec<String> {
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    found(&facts, text, query, &[]).iter().map(|place| show(&facts, place)).collect()
}

fn found(facts: &Facts, text: &str, query: &str, similarities: &[f64]) -> Vec<ScoredLines> {
    let similarities = similarities.iter().copied().map(Some).chain(std::iter::repeat(None));
    let chunks = facts.chunks.iter().zip(similarities);
    let matched: Vec<MatchedChunk<'_>> = chunks.map(|(chunk, similarity)| MatchedChunk { chunk, similarity }).collect();
    asking(query, |asked| FileText::new(facts, text.as_bytes()).places(&matched, asked))
}

fn asking<T>(query: &str, answer: impl FnOnce(&LineQuery<'_>) -> T) -> T {
    let shape = QueryShape::of(query);
    let terms = icr_lexical::query_terms(query);
    let ones = vec![1.0; terms.len()];
    let asked = LineQuery {
        wanted: &TermMatcher::of(terms),
        rarity: &ones,
        weights: &ones,
        identifiers: &shape.identifiers,
        about_tests: shape.about_tests,
    };
    answer(&asked)
}

fn show(facts: &Facts, place: &ScoredLines) -> String {
    let name = place.symbol.map_or_else(String::new, |symbol| facts.qualified_name(symbol));
    format!("{name} {}-{}", place.lines.start, place.lines.end)
}

#[track_caller]
fn check(text: &str, query: &str, expected: &[&str]) {
    assert_eq!(shown(text, query), expected, "{query}");
}

/// Fourteen lines: `moor` 1-3, `open_gate` with its comment 5-8, `close` 10-12.
const QUAY: &str = "fn moor() {\n    anchor();\n}\n\n/// Opens it.\nfn open_gate() {\n    lift();\n}\n\nfn close() {\n    lower();\n}\n";

#[test]
fn a_definition_is_shown_whole_with_its_comment() {
    check(QUAY, "open_gate", &["open_gate 5-8"]);
    check(QUAY, "lift it", &["open_gate 5-8"]);
    check(QUAY, "lower", &["close 10-12"]);
    check(QUAY, "anchor", &["moor 1-3"]);
}

#[test]
fn a_method_outside_of_its_type_is_shown_whole() {
    let text = "package quay\n\ntype Gate struct {\n\tlift int\n}\n\n// Open opens it.\nfunc (g *Gate) Open() {\n\tg.raise()\n}\n\nfunc (g *Gate) Close() {\n\tg.lower()\n}\n";
    let facts = Extractor::new(ChunkLimits::default()).extract("go", text.as_bytes()).facts;
    let first = |query: &str| show(&facts, &found(&facts, text, query, &[])[0]);
    assert_eq!(first("raise"), "Gate.Open 7-10");
    assert_eq!(first("lower"), "Gate.Close 12-14");
}

#[test]
fn a_member_that_was_asked_for_by_name_is_shown_instead_of_its_type() {
    let text = "struct Warden;\n\nimpl Warden {\n    /// Opens it.\n    fn open_gate(&self) {}\n}\n";
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    let whole = ScoredLines { symbol: None, lines: LineSpan { start: 1, end: 6 }, score: 1.0 };
    let file = FileText::new(&facts, text.as_bytes());
    let shown = |name: &str| show(&facts, &file.narrow_to_definition(whole.clone(), &[name.to_owned()]));
    assert_eq!(shown("open_gate"), "Warden.open_gate 4-5");
    assert_eq!(shown("absent"), " 1-6");
}

#[test]
fn neighbours_that_say_it_too_are_taken_in() {
    check(QUAY, "anchor lift", &["moor 1-8"]);
    check(QUAY, "anchor lower", &["moor 1-12"]);
}

#[test]
fn nothing_is_shown_where_nothing_is_said() {
    check(QUAY, "absent words", &[]);
    check("", "absent", &[]);
}

#[test]
fn further_places_are_those_that_do_not_overlap() {
    let filler: String = (0..120).map(|line| format!("static FILL_{line}: u32 = {line};\n")).collect();
    let text = format!("fn ship() {{\n    sail(sail);\n}}\n{filler}fn boat() {{\n    sail();\n}}\n");
    check(&text, "sail", &["ship 1-3", "boat 124-126"]);
}

#[test]
fn what_is_asked_for_by_name_comes_before_its_users() {
    let text = "fn user() {\n    open_gate(); open_gate(); open_gate();\n}\n".to_owned()
        + &"// Sea.\n".repeat(120)
        + "fn open_gate() {\n}\n";
    assert_eq!(shown(&text, "open_gate")[0].split(' ').next(), Some("open_gate"));
}

#[test]
fn tests_beside_the_code_come_after_it_unless_asked_for() {
    let text = "fn lift() {\n    gate.raise();\n}\n".to_owned()
        + &"// Sea.\n".repeat(120)
        + "mod tests {\n    fn lift_works() {\n        gate.raise(); gate.raise();\n    }\n}\n";
    assert_eq!(shown(&text, "raise the gate")[0], "lift 1-3");
    assert_eq!(shown(&text, "tests that raise the gate")[0], "tests 124-128");
}

#[test]
fn a_long_definition_is_shown_in_part() {
    let before: String = (0..150).map(|line| format!("    wait({line});\n")).collect();
    let text = format!("fn voyage() {{\n{before}    sight_land();\n{before}}}\n");
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    let places = found(&facts, &text, "sight land", &[]);
    let LineSpan { start, end } = places[0].lines;
    assert!(start <= 152 && 152 <= end && end + 1 - start <= LONGEST_PLACE, "{start}-{end}");
    assert_eq!(facts.qualified_name(places[0].symbol.unwrap()), "voyage");
}

#[test]
fn where_words_say_the_same_the_similar_chunk_is_shown() {
    let filler: String = (0..120).map(|line| format!("static FILL_{line}: u32 = {line};\n")).collect();
    let text = format!("fn ship() {{\n    sail();\n}}\n{filler}fn boat() {{\n    sail();\n}}\n");
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    let last = facts.chunks.len() - 1;
    let mut similarities = vec![0.1; facts.chunks.len()];
    assert_eq!(show(&facts, &found(&facts, &text, "sail", &similarities)[0]), "ship 1-3");
    similarities[last] = 0.9;
    let best = &found(&facts, &text, "sail", &similarities)[0];
    assert!(best.lines.end == 126, "{}", show(&facts, best));
}

#[test]
fn what_the_whole_file_says_counts_less_than_what_one_part_says() {
    let quays: String =
        (0..8).map(|quay| format!("fn quay_{quay}() {{\n    boat();\n}}\n{}", "// Sea.\n".repeat(120))).collect();
    let text = format!("fn pier() {{\n    boat(); boat(); boat(); boat();\n}}\n{quays}fn dock() {{\n    moor();\n}}\n");
    assert_eq!(shown(&text, "moor boat")[0].split(' ').next(), Some("dock"));
}

#[test]
fn similarity_that_all_parts_have_takes_nothing_from_their_difference() {
    let filler: String = (0..120).map(|line| format!("static FILL_{line}: u32 = {line};\n")).collect();
    let text =
        format!("fn ship() {{\n    sail(); sail(); sail(); sail();\n}}\n{filler}fn boat() {{\n    sail();\n}}\n");
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    let mut similarities = vec![0.35; facts.chunks.len()];
    *similarities.last_mut().unwrap() = 0.6;
    let best = |similarities: &[f64]| show(&facts, &found(&facts, &text, "sail", similarities)[0]);
    assert_eq!(best(&similarities), "boat 124-126");
}

#[test]
fn what_is_a_test_is_told_by_its_name() {
    let text = "fn test_a() {}\nfn b_test() {}\nmod tests { fn inner() {} }\nstruct TestCase;\nfn latest() {}\nfn testify() {}\nstruct Tester;\n";
    let facts = Extractor::new(ChunkLimits::default()).extract("rust", text.as_bytes()).facts;
    let names = (0..facts.symbols.len() as u32).filter(|at| units::is_test(&facts, *at));
    let names: Vec<String> = names.map(|at| facts.qualified_name(at)).collect();
    assert_eq!(names, ["test_a", "b_test", "tests", "tests.inner", "TestCase"]);
}

#[test]
fn a_part_of_a_long_file_is_where_it_is() {
    assert_eq!(units::part_of(420_000, 13_999, 14_000), 419_970);
    assert_eq!((units::part_of(7, 0, 2), units::part_of(7, 1, 2), units::part_of(7, 2, 2)), (0, 3, 7));
}

fn languages() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["rust", "python", "go", "markdown", "yaml", "text"])
}

proptest! {
    #[test]
    fn units_have_every_line_that_is_not_blank_once(
        language in languages(),
        lines in prop::collection::vec(
            prop::sample::select(vec!["", "  ", "fn a() {", "}", "/// Doc.", "struct B {", "    x: u32,", "def f():", "    pass", "# Title", "key:", "  - 1", "func (t T) m() {", "word"]),
            0..220,
        ),
    ) {
        let text = lines.join("\n");
        let facts = Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts;
        let units = units(&facts, &LineIndex::new(text.as_bytes()), text.as_bytes(), SHOWN);
        let mut next = 1;
        for unit in &units {
            let LineSpan { start, end } = unit.lines;
            prop_assert!(next <= start && start <= end && end <= facts.lines_total, "{units:?}");
            for left in next..start {
                prop_assert!(lines[left as usize - 1].trim().is_empty(), "line {left} of {units:?}");
            }
            next = end + 1;
        }
        prop_assert!(lines.iter().skip(next as usize - 1).all(|line| line.trim().is_empty()), "after {units:?}");
        let segments = asking("doc word", |asked| FileText::new(&facts, text.as_bytes()).segments(asked));
        let mut next = 1;
        for segment in &segments {
            let LineSpan { start, end } = segment.lines;
            prop_assert!(next <= start && start <= end && end <= facts.lines_total, "{segments:?}");
            for left in next..start {
                prop_assert!(lines[left as usize - 1].trim().is_empty(), "line {left} of {segments:?}");
            }
            next = end + 1;
        }
        prop_assert!(lines.iter().skip(next as usize - 1).all(|line| line.trim().is_empty()), "after {segments:?}");
        for place in found(&facts, &text, "doc word title x", &[]) {
            prop_assert!(place.lines.end + 1 - place.lines.start <= LONGEST_PLACE, "{place:?}");
            prop_assert!(place.score > 0.0 && place.score <= 1.0, "{place:?}");
        }
    }
}
