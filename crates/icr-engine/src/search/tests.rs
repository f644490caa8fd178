//! What a query of several lines finds.

use icr_fixture::Fixture;

use super::*;
use crate::{Engine, OpenOptions, SyncOptions, ViewSelector};

/// Four files; `sluice.rs` twice, in two directories.
const HARBOUR: &str = "\
//- gate/sluice.rs
fn lift_gate() {
    hoist(chain());
}
//- lock/sluice.rs
fn fill_lock() {
    pump(water());
}
//- lock/tests/basin.rs
fn lantern_test() {
    lantern(basin());
}
//- src/lantern.rs
fn glow() {
    lamp();
}
";

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let fixture = Fixture::new(HARBOUR);
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
    engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    let request =
        SearchRequest { query: query.to_owned(), limit: 2, mode: SearchMode::Lexical, ..SearchRequest::default() };
    let found = search(&engine.snapshot(&ViewSelector::Head).unwrap(), &request).unwrap();
    let shown: Vec<String> = found.results.iter().map(|hit| format!("{} {}", hit.path, mentioned(hit))).collect();
    assert_eq!(shown, expected, "{query}");
}

/// What the explanation says of the file being named: nothing, or whether it is.
fn mentioned(hit: &SearchHit) -> &'static str {
    match hit.explanation.iter().find(|(name, _)| name == "mentioned") {
        None => "-",
        Some((_, share)) if *share > 0.0 => "named",
        Some(_) => "not named",
    }
}

#[test]
fn the_first_line_says_what_is_looked_for() {
    check("chain slips\nwhile water is pumped dry", &["gate/sluice.rs -", "lock/sluice.rs -"]);
    check("water is pumped\nwhile the chain slips", &["lock/sluice.rs -", "gate/sluice.rs -"]);
}

#[test]
fn a_test_below_the_first_line_asks_for_no_tests() {
    check("lantern glow\nseen in a lantern test", &["src/lantern.rs -", "lock/tests/basin.rs -"]);
}

#[test]
fn a_path_in_a_trace_is_evidence() {
    check("it breaks\n  at hoist (/srv/quay/lock/sluice.rs:2)", &["lock/sluice.rs named", "gate/sluice.rs not named"]);
    check("hoist in sluice.rs", &["gate/sluice.rs named", "lock/sluice.rs named"]);
    check("hoist in quay.toml", &["gate/sluice.rs -"]);
}

#[test]
fn a_second_place_of_a_file_is_a_result_at_a_lower_score() {
    let filler = "    // the tide turns\n".repeat(80);
    let fixture = Fixture::new(&format!(
        "//- basin.rs\nfn pump_basin() {{\n    pump(water());\n{filler}}}\nfn drain_basin() {{\n    drain(water());\n{filler}}}\n//- quay.rs\nfn tie() {{}}\n"
    ));
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
    engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
    let of = |limit| {
        let query = "water of the basin".to_owned();
        let request = SearchRequest { query, limit, mode: SearchMode::Lexical, ..SearchRequest::default() };
        search(&snapshot, &request).unwrap()
    };
    let found = of(3);
    let shown: Vec<_> = found.results.iter().map(|hit| (hit.path.as_str(), hit.symbol.as_deref())).collect();
    assert_eq!(shown, [("basin.rs", Some("pump_basin")), ("basin.rs", Some("drain_basin"))]);
    let [first, second] = &found.results[..] else { panic!("two results") };
    assert!(second.score < first.score && second.start_line > first.end_line);
    assert!(second.explanation.iter().any(|(name, _)| name == "further place"));
    assert_eq!((first.spans.len(), second.spans.len()), (2, 1));
    assert_eq!(found.total_count, 1, "files are counted");
    assert_eq!(of(1).results, found.results[..1]);
}

#[test]
fn a_qualified_name_has_its_definition_first() {
    let calls = "    moor(); Ship::moor(); moor_ship();\n".repeat(20);
    let fixture = Fixture::new(&format!(
        "//- ship.rs\npub struct Ship;\nimpl Ship {{\n    /// Ties it.\n    pub fn moor() {{}}\n}}\n//- user.rs\nfn everybody_moors_a_ship() {{\n{calls}}}\n\
         //- buoy.rs\npub struct Buoy;\nimpl Buoy {{\n    pub fn moor() {{}}\n}}\n\
         //- CHANGELOG.md\n# Changes\n\n## 1.10.2\n\nShips moor again.\n\n## 1.10.0 (2026-01-02)\n\nNew.\n\n## 1.10.0.rc\n\nNewer.\n"
    ));
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
    engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
    let first = |query: &str| {
        let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
        let found = search(&snapshot, &request).unwrap();
        let hit = &found.results[0];
        assert_eq!(hit.preview.lines().count(), hit.preview.lines().filter(|line| !line.is_empty()).count());
        (hit.path.clone(), hit.start_line, hit.end_line, hit.match_type)
    };
    for query in ["Ship::moor", "Ship.moor()", "Ship#moor"] {
        assert_eq!(first(query), ("ship.rs".to_owned(), 3, 4, "definition"), "{query}");
    }
    assert_eq!(first("Buoy.moor").0, "buoy.rs");
    for (query, line) in [("1.10.2", 3), ("what changed in v1.10.0?", 7)] {
        let (path, start, ..) = first(query);
        assert_eq!((path.as_str(), start), ("CHANGELOG.md", line), "{query}");
    }
}

#[test]
fn a_file_extension_is_no_language_but_says_which_one_is_meant() {
    let error = |name: &str| known_language(Some(name)).unwrap_err().to_string();
    for (name, start) in [
        ("rb", "the language must be `ruby`, whose files end in `.rb`; or one of "),
        (".RS", "the language must be `rust`, whose files end in `.rs`; or one of "),
        ("pythn", "the language must be `python`, which may be meant; or one of "),
        ("klingon", "the language must be one of "),
    ] {
        assert!(error(name).starts_with(start), "{}", error(name));
    }
}
