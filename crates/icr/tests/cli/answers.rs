//! What each command prints, for people and for programs.

use icr_fixture::Fixture;

use crate::run::Icr;

const PROJECT: &str = r#"//- Cargo.toml
[package]
name = "harbour"
//- docs/mooring.md
# Mooring

How a ship is tied to a berth.
//- src/berth.rs
//! Places for ships.

/// Ties a ship to the berth.
///
/// Twice over.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}

/// Who keeps the harbour.
pub struct Warden;

impl Warden {
    /// Opens the gate.
    pub fn open_gate(&self) -> u8 {
        1
    }
}
"#;

/// Standard output of each command line on the project above; standard error stays empty.
#[track_caller]
fn print(lines: &[&[&str]]) -> String {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let mut printed = String::new();
    for args in lines {
        let ran = icr.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "`icr {}`", args.join(" "));
        printed.push_str(&icr.filtered(&ran.stdout));
    }
    printed
}

#[test]
fn index() {
    insta::assert_snapshot!(print(&[&["index"], &["index"]]), @"");
    insta::assert_snapshot!(print(&[&["index", "--json"]]), @"");
}

#[test]
fn status() {
    insta::assert_snapshot!(print(&[&["status"]]), @"");
    insta::assert_snapshot!(print(&[&["index", "--status", "--json"]]), @"");
}

#[test]
fn search() {
    insta::assert_snapshot!(print(&[&["search", "tie", "ship", "berth"]]), @"");
    insta::assert_snapshot!(print(&[&["search", "open_gate", "-n", "1", "--explain"]]), @"");
    insta::assert_snapshot!(print(&[&["search", "open_gate", "-n", "1", "--json"]]), @"");
}

#[test]
fn search_for_lines() {
    insta::assert_snapshot!(print(&[&["search", "--mode", "grep", "ship"], &["search", "--mode", "grep", "ship", "-n", "1"]]), @"");
    insta::assert_snapshot!(print(&[&["search", "--mode", "grep", "-e", "gate.*u8", "--json"]]), @"");
}

#[test]
fn symbols() {
    insta::assert_snapshot!(print(&[&["symbols", "warden"], &["symbols", "--type", "method", "gate"]]), @"");
    insta::assert_snapshot!(print(&[&["symbols", "moor", "--json"]]), @"");
}

#[test]
fn map() {
    insta::assert_snapshot!(print(&[&["map"], &["map", "--depth", "1"], &["map", "docs"]]), @"");
    insta::assert_snapshot!(print(&[&["map", "docs", "--json"]]), @"");
}

#[test]
fn read() {
    insta::assert_snapshot!(print(&[&["read", "src/berth.rs", "--start", "9", "--end", "12"]]), @"");
    insta::assert_snapshot!(print(&[&["read", "src/berth.rs", "--start", "2", "--max-lines", "2", "--json"]]), @"");
}

#[test]
fn slice() {
    insta::assert_snapshot!(print(&[&["slice", "src/berth.rs", "Warden.open_gate", "--context", "1"]]), @"");
    insta::assert_snapshot!(print(&[&["slice", "src/berth.rs", "moor", "--json"]]), @"");
}

#[test]
fn commands() {
    insta::assert_snapshot!(print(&[&["commands"], &["commands", "--type", "test"]]), @"");
    insta::assert_snapshot!(print(&[&["commands", "--type", "test", "--json"]]), @"");
}

#[test]
fn repositories() {
    insta::assert_snapshot!(print(&[&["repo", "list"], &["repo", "add"], &["repo", "list"], &["repo", "remove", ".", "--yes"]]), @"");
    insta::assert_snapshot!(print(&[&["repo", "add", "--json"], &["repo", "list", "--json"], &["repo", "remove", ".", "--yes", "--json"]]), @"");
}

#[test]
fn garbage() {
    insta::assert_snapshot!(print(&[&["gc"], &["index", "--quiet"], &["gc"]]), @"");
    insta::assert_snapshot!(print(&[&["gc", "--json"]]), @"");
}

#[test]
fn doctor() {
    insta::assert_snapshot!(print(&[&["index", "--quiet"], &["doctor"]]), @"");
    insta::assert_snapshot!(print(&[&["index", "--quiet"], &["doctor", "--json"]]), @"");
}

#[test]
fn what_is_not_found_is_an_answer_with_code_1() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for args in [
        &["search", "zeppelin"][..],
        &["search", "--mode", "grep", "zeppelin"],
        &["symbols", "zeppelin"],
        &["commands", "--type", "run"],
    ] {
        let ran = icr.run(args);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", ""), "`icr {}`", args.join(" "));
    }
    assert_eq!(icr.json(&["search", "zeppelin"])["total_count"], 0);
}
