//! `icr search --scope`: what changed, and what other code is written against.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const BERTHS: &str = "//- src/berth.rs
/// A place for a ship.
pub trait Berth {
    fn length(&self) -> u32;
}

pub fn tie_ship(berth: &dyn Berth) -> bool {
    berth.length() > 10
}
";

/// Path, kind of match, first line of the commit's message and of the preview for each hit.
fn hits(icr: &Icr, args: &[&str]) -> Vec<String> {
    let found = icr.json(&[&["search"], args].concat());
    let shown = |hit: &Value| {
        let text = |key: &str| hit[key].as_str().unwrap_or("-").lines().next().unwrap_or_default().to_owned();
        format!("{} {} {}: {}", text("path"), text("match_type"), text("subject"), text("preview"))
    };
    found["results"].as_array().expect("a search has results").iter().map(shown).collect()
}

#[test]
fn what_changed_is_found_by_message_by_text_and_before_it_is_committed() {
    let fixture = Fixture::new(BERTHS);
    fixture.write("//- src/winch.rs\npub fn wind(turns: u32) -> u32 {\n    turns * 2\n}\n");
    fixture.commit("Haul heavy cargo");
    fixture.delete("src/winch.rs");
    fixture.commit("Remove the old machine");
    fixture.write("//- src/berth.rs\npub fn dredge_basin() {}\n");
    fixture.write("//- .env\nDREDGE_BASIN=secret\n");
    let icr = Icr::new(&fixture);
    let first = |args: &[&str]| hits(&icr, &[&["--scope", "diffs"], args].concat()).into_iter().next();
    let expected = |text: &str| Some(text.to_owned());
    assert_eq!(
        first(&["haul cargo"]),
        expected("src/winch.rs commit Haul heavy cargo: +pub fn wind(turns: u32) -> u32 {")
    );
    assert_eq!(
        first(&["turns", "old machine"]),
        expected("src/winch.rs commit Remove the old machine: -pub fn wind(turns: u32) -> u32 {")
    );
    assert!(first(&["dredge basin"]).is_some_and(|hit| hit.starts_with("src/berth.rs uncommitted -: ")));
    assert_eq!(hits(&icr, &["--scope", "diffs", "secret"]), [] as [String; 0], "secret files are never shown");
    assert_eq!(hits(&icr, &["--scope", "diffs", "absent"]), [] as [String; 0]);
    let both = hits(&icr, &["--scope", "all", "dredge", "basin"]);
    let is_of_change = |hit: &&String| hit.contains(" uncommitted ") || hit.contains(" commit ");
    assert!(both.iter().any(|hit| is_of_change(&hit)) && both.iter().any(|hit| !is_of_change(&hit)), "{both:?}");
}

#[test]
fn unchanged_lines_between_changes_are_neither_removed_nor_added() {
    let fixture = Fixture::new("//- tide.txt\none ebb\ntwo slack\nthree flood\n");
    fixture.write("//- tide.txt\none low\ntwo slack\nthree high\n");
    let icr = Icr::new(&fixture);
    let found = icr.json(&["search", "--scope", "diffs", "high"]);
    let hit = &found["results"][0];
    assert_eq!(hit["preview"], "-one ebb\n+one low\n-three flood\n+three high");
    let lines = (hit["start_line"].as_u64(), hit["end_line"].as_u64());
    assert_eq!(lines, (Some(1), Some(3)), "close changes are one hit");
    let unchanged = hits(&icr, &["--scope", "diffs", "slack"]);
    assert!(!unchanged.iter().any(|hit| hit.contains(" uncommitted ")), "{unchanged:?}");
}

#[test]
fn only_contracts_are_found_where_they_are_asked_for() {
    let fixture = Fixture::new(BERTHS);
    fixture.write("//- src/crane.rs\npub fn berth_crane() -> u32 {\n    7\n}\n");
    let icr = Icr::new(&fixture);
    let paths = |scope: &str| {
        let found = icr.json(&["search", "--scope", scope, "--mode", "lexical", "berth"]);
        let results = found["results"].as_array().expect("a search has results").clone();
        let mut paths: Vec<String> = results.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect();
        paths.sort();
        paths
    };
    assert_eq!(paths("repo"), ["src/berth.rs", "src/crane.rs"]);
    assert_eq!(paths("contracts"), ["src/berth.rs"]);
}

#[test]
fn transcripts_that_nobody_gave_are_a_gap() {
    let icr_of = Fixture::new(BERTHS);
    let found = Icr::new(&icr_of).json(&["search", "--scope", "transcript", "berth"]);
    assert_eq!(found["results"], serde_json::json!([]));
    assert_eq!(found["provenance"]["gaps"], serde_json::json!([{"gap": "no_transcripts"}]));
}

#[test]
fn what_stands_beside_a_contract_is_none() {
    let fixture = Fixture::new(BERTHS);
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["search", "--scope", "contracts", "tie a ship"]);
    let symbols: Vec<&str> =
        answer["results"].as_array().expect("results").iter().filter_map(|hit| hit["symbol"].as_str()).collect();
    assert!(!symbols.is_empty() && symbols.iter().all(|symbol| symbol.starts_with("Berth")), "{symbols:?}");
}

#[test]
fn a_list_says_on_standard_error_that_it_is_weak() {
    let fixture = Fixture::new(BERTHS);
    let icr = Icr::new(&fixture);
    let query = "berth of a submarine in the arctic winter";
    assert_eq!(icr.json(&["search", query])["strength"], "weak");
    for form in ["--oneline", "--files"] {
        let ran = icr.run(&["search", query, form]);
        assert_eq!(ran.stderr, "note: weak: no single place matches the whole query\n", "{form}");
        assert!(!ran.stdout.contains("weak"), "{}", ran.stdout);
        assert_eq!(icr.run(&["search", query, form, "--quiet"]).stderr, "", "{form}");
    }
}

#[test]
fn results_are_shown_in_a_line_each_or_as_paths_alone() {
    let icr_fixture = Fixture::new(BERTHS);
    let icr = Icr::new(&icr_fixture);
    let lines = icr.run(&["search", "berth", "--oneline"]).stdout;
    let paths = icr.run(&["search", "berth", "--files"]).stdout;
    assert!(lines.lines().count() >= 1 && lines.lines().all(|line| line.contains(".rs:")), "{lines}");
    assert!(paths.lines().all(|line| icr_fixture.root().join(line).is_file()), "{paths}");
    let said = icr.run(&["search", "berth", "--explain"]).stdout;
    assert!(said.contains("how well the words of its best chunks match"), "{said}");
}
