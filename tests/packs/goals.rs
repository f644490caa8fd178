//! The map for a goal.

use icr_engine::{ContextAnswer, ContextRequest, Script, Snapshot};
use icr_fixture::Fixture;

use crate::asking::{World, snapshot, tokens};
use crate::repository::questions;

#[track_caller]
fn map(snapshot: &Snapshot, goal: &str, budget_tokens: u32) -> ContextAnswer {
    let scripts = vec![Script { kind: "test".to_owned(), command: "cargo test".to_owned() }];
    let request = ContextRequest { goal: goal.to_owned(), scripts, budget_tokens, next_steps: "" };
    let answer = icr_engine::context(snapshot, &request).unwrap_or_else(|error| panic!("{goal}: {error}"));
    let counted = tokens(&answer.map.text);
    assert!(counted <= budget_tokens, "{counted} of {budget_tokens}: {}", answer.map.text);
    assert_eq!(answer.map.tokens_used, counted);
    answer
}

#[test]
fn every_map_fits() {
    let world = World::new();
    let snapshot = world.snapshot();
    for question in questions() {
        let answer = map(&snapshot, &question.query, 300);
        assert!(answer.map.text.starts_with("# "), "{}", answer.map.text);
        assert!((1..=8).contains(&answer.map.files.len()), "{}: {:?}", question.query, answer.map.files);
    }
    for budget_tokens in (0..300).step_by(23) {
        map(&snapshot, "where is a parcel tracked", budget_tokens);
    }
}

const HARBOUR: &str = "//- src/lib.rs
pub mod berth;
pub mod harbour;
//- src/berth.rs
//! Places for ships.

/// Ties a ship to the berth.
pub fn moor() {}
//- src/harbour.rs
use crate::berth::moor;

pub fn open() {
    moor();
}
//- tests/berth.rs
use harbour::berth::moor;

#[test]
fn ships_moor() {
    moor();
}
//- Cargo.toml
[package]
name = \"harbour\"
";

/// A repository in which the berth changes together with the harbour.
fn harbour() -> Fixture {
    let fixture = Fixture::new(HARBOUR);
    for version in 1..=2 {
        fixture.write_bytes(
            "src/berth.rs",
            format!(
                "//! Places for ships.\n\n/// Ties a ship to the berth.\npub fn moor() {{\n    tie({version});\n}}\n"
            )
            .as_bytes(),
        );
        fixture.write_bytes(
            "src/harbour.rs",
            format!("use crate::berth::moor;\n\npub fn open() {{\n    moor();\n    wave({version});\n}}\n").as_bytes(),
        );
        fixture.commit("again");
    }
    fixture
}

#[test]
fn a_map_names_files_their_importers_and_what_changes_with_them() {
    let fixture = harbour();
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let answer = map(&snapshot, "moor at the berth", 300);
    let best = &answer.map.files[0];
    assert_eq!((best.path.as_str(), best.reason.as_str()), ("src/berth.rs", "Places for ships."));
    let impact = answer.map.impact.iter().find(|row| row.path == "src/berth.rs").expect("it is imported");
    assert_eq!(impact.importers, ["src/harbour.rs", "src/lib.rs", "tests/berth.rs"], "tests come last");
    let history = answer.map.history.iter().find(|row| row.path == "src/berth.rs").expect("it changed");
    assert_eq!(history.recent_commits, 3);
    let partners: Vec<(&str, u32)> =
        history.cochanges.iter().map(|partner| (partner.path.as_str(), partner.count)).collect();
    assert_eq!(partners, [("src/harbour.rs", 3)]);
    assert!(answer.map.text.contains("test: cargo test"), "{}", answer.map.text);
}

#[test]
fn of_nothing_there_is_a_map_that_says_so() {
    let fixture = Fixture::empty();
    let home = icr_tests::empty_home();
    let empty = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let answer = map(&empty, "moor at the berth", 300);
    assert!(answer.map.files.is_empty() && answer.map.text.contains("Nothing found that answers this."));
    let fixture = harbour();
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    for goal in ["🦀", "the of a", " ", "どこで", &"berth ".repeat(1_600)] {
        map(&snapshot, goal, 300);
    }
    let refused = |goal: String| {
        let request = ContextRequest { goal, scripts: Vec::new(), budget_tokens: 300, next_steps: "" };
        icr_engine::context(&snapshot, &request).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(refused(String::new()), Err("the goal must be 1 to 10000 characters, not `0 characters`".to_owned()));
    assert!(refused("x".repeat(10_001)).is_err());
}
