//! The workloads run on a small repository, and count what the design promises.

use std::path::Path;
use std::process::Command;

use icr_fixture::Fixture;
use serde_json::Value;

/// Runs `icr-bench` and gives the lines that it appended.
#[track_caller]
fn lines(arguments: &[&str], out: &Path) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_icr-bench")).args(arguments).arg("--out").arg(out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(out).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn row<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rows = report["rows"].as_array().unwrap();
    let names: Vec<&Value> = rows.iter().map(|row| &row["name"]).collect();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row `{name}` among {names:?}"))
}

const NOTHING: &str = "read 0, parsed 0, chunks 0, postings 0, commits 0, live +0 -0";

/// Two commits, the second of which changes one file.
fn fixture() -> Fixture {
    let files: String = (0..12).map(|at| format!("//- src/file_{at}.rs\nfn read_{at}() {{}}\n")).collect();
    let fixture = Fixture::new(&files);
    fixture.write("//- src/file_0.rs\nfn open_file() {}\n");
    fixture.commit("open the file before it is read");
    fixture
}

#[test]
fn work_is_what_the_budgets_are_about() {
    let fixture = fixture();
    let out = fixture.home().join("out.jsonl");
    let root = fixture.root().to_str().unwrap();
    let reports = lines(&["workloads", root, "--runs", "1", "--icr", "/nowhere/icr"], &out);
    let [report] = reports.as_slice() else { panic!("one repository, one line: {reports:?}") };
    assert_eq!(report["subject"], "repo");
    assert_eq!(row(report, "bare limit: read and parse")["note"], "read 12, parsed 12");
    let full = row(report, "full sync")["note"].as_str().unwrap();
    assert!(full.starts_with("read 12, parsed 12, ") && full.ends_with(", commits 2, live +12 -0"), "{full}");
    assert_eq!(row(report, "sync of nothing")["note"], NOTHING);
    assert_eq!(row(report, "sync of a second clone")["figure"]["value"], 0.0);
    // Ten of twelve files, each with a content that is new.
    let ten = row(report, "sync of a commit of ten files")["note"].as_str().unwrap();
    assert!(ten.starts_with("read 10, parsed 10, ") && ten.ends_with(", commits 1, live +10 -10"), "{ten}");
    let back = row(report, "switch back 1 commits")["note"].as_str().unwrap();
    assert!(back.starts_with("read 1, parsed 1, "), "{back}");
    assert_eq!(row(report, "return, blobs parsed")["figure"]["value"], 0.0);
    let cold = row(report, "cold `icr search`")["note"].as_str().unwrap();
    assert!(cold.starts_with("not measured: build the program"), "{cold}");
    let queries = row(report, "search, asked again, p99")["note"].as_str().unwrap();
    assert!(queries.starts_with("13 queries, "), "{queries}");
}

#[test]
fn the_repository_is_left_as_it_was() {
    let fixture = fixture();
    let state =
        || (fixture.git(&["rev-parse", "HEAD"]), fixture.object_count(), fixture.git(&["status", "--porcelain"]));
    let before = state();
    let root = fixture.root().to_str().unwrap();
    lines(&["workloads", root, "--runs", "1", "--icr", "/nowhere/icr"], &fixture.home().join("out.jsonl"));
    assert_eq!(state(), before);
    assert!(!fixture.root().join(".git/icr").exists());
}

#[test]
fn generated_repositories_of_two_sizes_are_compared() {
    let home = tempfile::tempdir().unwrap();
    let reports = lines(&["generated", "60", "20"], &home.path().join("out.jsonl"));
    for files in [20, 60] {
        assert_eq!(row(&reports[0], &format!("{files}: sync of nothing"))["note"], NOTHING);
        let ten = row(&reports[0], &format!("{files}: sync of a commit of ten files"))["note"].as_str().unwrap();
        assert!(ten.starts_with("read 10, parsed 10, "), "{ten}");
    }
    let growth = row(&reports[0], "commit of ten files, largest to smallest");
    assert_eq!((&growth["figure"]["unit"], &growth["figure"]["budget"]), (&"x smallest".into(), &1.5.into()));
}

#[test]
fn a_searching_program_that_fails_is_named() {
    let fixture = fixture();
    let program = env!("CARGO_BIN_EXE_icr-bench");
    let mut command = Command::new(program);
    command.arg("workloads").arg(fixture.root()).args(["--runs", "1", "--icr", program]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("icr-bench` exited with 64: error: `search` is no command"), "{message}");
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_icr-bench")).arg("dance").output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("error: `dance` is no command\n\nusage: icr-bench "), "{message}");
}

#[test]
fn a_directory_that_is_no_repository_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_icr-bench")).arg("workloads").arg(directory.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("is not inside a git repository"), "{message}");
}
