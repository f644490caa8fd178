//! The lines of many sources.

use std::time::Duration;

use icr_engine::{MapReduceAnswer, MapReduceRequest};
use icr_fixture::Fixture;

use crate::asking::{World, snapshot, text, tokens};

fn request(sources: &[&str]) -> MapReduceRequest {
    MapReduceRequest {
        task: "how errors are handled".to_owned(),
        map_prompt: "errors that are raised".to_owned(),
        reduce_prompt: "errors".to_owned(),
        sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        map_tokens: 400,
        reduce_tokens: 2_000,
        time_limit: Duration::from_secs(20),
    }
}

#[test]
fn every_line_is_a_line_of_its_source() {
    let world = World::new();
    let snapshot = world.snapshot();
    let sources = [
        "core/src/error.rs",
        "core/src/retry.rs:Backoff.delay",
        "core/src/ingest.rs:1-60",
        "gateway/internal/auth/token.go",
        "workers/waybill_workers/cli.py",
    ];
    for reduce_tokens in [0, 40, 300, 2_000] {
        let answer = icr_engine::map_reduce(&snapshot, &MapReduceRequest { reduce_tokens, ..request(&sources) });
        let MapReduceAnswer { reduced, metadata, .. } = answer.expect("the sources are there");
        assert_eq!((reduced.sources_processed, reduced.sources_failed, metadata.generative), (5, 0, false));
        assert!(tokens(&reduced.reduce_result) <= reduce_tokens);
        assert!(reduce_tokens < 300 || !reduced.reduce_result.is_empty());
        let results = reduced.map_results.iter().map(|result| &result.result).chain([&reduced.reduce_result]);
        for line in results.flat_map(|result| result.lines()) {
            let mut parts = line.splitn(3, ':');
            let (path, number) = (parts.next().expect("a path"), parts.next().expect("a number"));
            let number = number.parse().unwrap_or_else(|_| panic!("{line}"));
            let shown = parts.next().and_then(|shown| shown.strip_prefix(' ')).expect("the line");
            assert_eq!(text(&snapshot, path, number, number).trim_end_matches(['\n', '\r']), shown);
        }
    }
}

const SOURCES: &str = "//- a.rs
fn one() {}

/// Raises errors.
fn raise() {
    error();
}

struct Ship;
impl Ship {
    fn error(&self) {}
}
//- odd:name.rs
fn error() {}
//- .env
ERROR=1
";

#[track_caller]
fn check(source: &str, expected: &str) {
    let fixture = Fixture::new(SOURCES);
    fixture.write_bytes("binary", b"error\0");
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let reduced = icr_engine::map_reduce(&snapshot, &request(&[source])).expect("one source is enough").reduced;
    let failed: String =
        reduced.failed.iter().map(|failed| format!("{}: {}\n", failed.source, failed.reason)).collect();
    assert_eq!(reduced.reduce_result + &failed, expected, "{source}");
}

#[test]
fn sources_are_files_lines_and_definitions() {
    let raise = "a.rs:3: /// Raises errors.\na.rs:4: fn raise() {\na.rs:5:     error();\na.rs:6: }\n";
    check("a.rs:raise", raise);
    check("a.rs:3-6", raise);
    check("a.rs:5", "a.rs:5:     error();\n");
    check("./a.rs:5", "a.rs:5:     error();\n");
    check("a.rs:Ship::error", "a.rs:10:     fn error(&self) {}\n");
    check("a.rs:Ship.error", "a.rs:10:     fn error(&self) {}\n");
    check("odd:name.rs", "odd:name.rs:1: fn error() {}\n");
    check("odd:name.rs:error", "odd:name.rs:1: fn error() {}\n");
    check("a.rs:6-99", "a.rs:8: struct Ship;\na.rs:9: impl Ship {\na.rs:10:     fn error(&self) {}\na.rs:11: }\n");
}

#[test]
fn sources_that_cannot_be_read_are_named() {
    check("gone.rs", "gone.rs: `gone.rs` is not in the view of the worktree on `main`\n");
    check("gone.rs:1-2", "gone.rs:1-2: `gone.rs` is not in the view of the worktree on `main`\n");
    check("a.rs:anchor", "a.rs:anchor: `a.rs` defines no `anchor`\n");
    check("a.rs:90-95", "a.rs:90-95: `a.rs` has no line 90: it has 11\n");
    check("a.rs:6-3", "a.rs:6-3: lines 6 to 3 of `a.rs` end before they begin\n");
    check(".env", ".env: `.env` is on the list of secret files, which icr never reads\n");
    check(".env:1", ".env:1: `.env` is on the list of secret files, which icr never reads\n");
    check("../a.rs", "../a.rs: `../a.rs` is not in the view of the worktree on `main`\n");
    check("binary", "binary: `binary` has no text: its content is binary, or a pointer to content elsewhere\n");
}

#[test]
fn one_bad_source_spoils_no_other_and_late_ones_are_named() {
    let fixture = Fixture::new(SOURCES);
    let home = icr_tests::empty_home();
    let snapshot = snapshot(&icr_tests::engine(fixture.root(), home.path()));
    let reduced = icr_engine::map_reduce(&snapshot, &request(&["gone.rs", "a.rs:5"])).expect("one is there").reduced;
    assert_eq!((reduced.sources_processed, reduced.sources_failed), (1, 1));
    assert_eq!(reduced.reduce_result, "a.rs:5:     error();\n");
    let late = MapReduceRequest { time_limit: Duration::ZERO, ..request(&["a.rs", "a.rs:5"]) };
    let reduced = icr_engine::map_reduce(&snapshot, &late).expect("running late is no error").reduced;
    assert_eq!((reduced.sources_processed, reduced.sources_failed), (0, 2));
    assert_eq!(reduced.failed[1].reason, "not read: the time of 0 ms was over");
    let many = vec!["a.rs"; 101];
    let refused = icr_engine::map_reduce(&snapshot, &request(&many)).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused, Err("`sources` is 101 sources; allowed: 1 to 100 sources".to_owned()));
}
