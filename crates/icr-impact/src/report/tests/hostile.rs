//! Reports stay well-formed, and within their limits, whatever names a change brings.

use super::*;
use crate::fuzzing::report_checks::*;
use proptest::prelude::*;

/// Pieces that end, begin or refer to something in one of the formats.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "```",
    "|",
    "\\",
    "\\|",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "\u{ffff}",
    "<",
    ">",
    "&",
    "&lt;",
    "]]>",
    "<!--",
    "-->",
    "</details>",
    "</script>",
    "<b>",
    "@user",
    "#123",
    "!7",
    "GH-1",
    "o/n#1",
    "https://evil.example/x",
    "www.evil.example",
    "[x](y)",
    "![x](y)",
    "%",
    "%0A",
    "::error::",
    "::",
    ",",
    ":",
    ";",
    "#quot;",
    "style:x#35;",
    "{0}",
    "{{",
    "a/b.rs",
    "_",
    "__init__",
    "*",
    "~",
    "$",
    "^",
    "- ",
    "1. ",
    "é",
    "漢字",
    "👩‍💻",
    " ",
    "",
];

fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(PIECES).prop_map(str::to_owned);
    let piece = prop_oneof![8 => known, 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn impact() -> impl Strategy<Value = Impact> {
    prop::collection::vec(name(), 1..12).prop_map(|names| sample::impact_with_names(&names))
}

proptest! {
    #[test]
    fn sarif_stays_well_formed(impact in impact()) {
        check_sarif(&impact);
    }

    #[test]
    fn gitlab_and_json_stay_well_formed(impact in impact()) {
        check_gitlab(&impact);
        check_json(&impact);
    }

    #[test]
    fn junit_stays_well_formed(impact in impact()) {
        check_junit(&impact);
    }

    #[test]
    fn annotations_stay_well_formed(impact in impact()) {
        check_annotations(&impact);
    }

    #[test]
    fn graphs_stay_well_formed(impact in impact()) {
        check_mermaid(&impact);
        check_dot(&impact);
    }

    #[test]
    fn markdown_stays_well_formed(impact in impact(), characters in 0usize..20_000, bytes in 0usize..20_000) {
        check_markdown(&impact, &Limit { characters, bytes, ..Limit::NONE });
    }

    #[test]
    fn text_stays_well_formed(impact in impact(), lines in 0usize..100) {
        check_text(&impact, &Limit { lines, ..Limit::NONE });
    }
}

#[test]
fn many_rows_stay_within_limits() {
    let names: Vec<String> = (0..10_000).map(|at| format!("src/{}|`{at}`.py", PIECES[at % PIECES.len()])).collect();
    let impact = sample::impact_with_names(&names);
    check_sarif(&impact);
    check_gitlab(&impact);
    check_junit(&impact);
    check_annotations(&impact);
    check_mermaid(&impact);
    check_dot(&impact);
    for limit in [Limit::COMMENT, Limit::STEP_SUMMARY] {
        check_markdown(&impact, &limit);
    }
    check_text(&impact, &Limit::TERMINAL);
}

#[test]
fn long_names_stay_within_limits() {
    let names = ["x|".repeat(200_000), "`".repeat(100_000), "@a ".repeat(100_000)];
    let impact = sample::impact_with_names(&names);
    check_markdown(&impact, &Limit::COMMENT);
    check_mermaid(&impact);
    check_sarif(&impact);
    check_junit(&impact);
}
