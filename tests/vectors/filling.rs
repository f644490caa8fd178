//! The model behind the built-in one: what it reads, when, and never twice.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use icr_engine::{
    Backend, EmbeddingOptions, Engine, FillOutcome, Freshness, Gap, Observer, OpenOptions, SearchRequest,
    SilentObserver, SyncOptions, VectorSpace, ViewSelector,
};
use icr_fixture::Fixture;
use icr_tests::empty_home;

use crate::model_server::ModelServer;

/// Chunks embedded at once.
const BATCH: usize = 64;

/// Chunks embedded between two commits of the store.
const COMMITTED: usize = 256;

/// `count` files of one chunk each.
fn files(count: usize) -> Fixture {
    let mut files = String::new();
    for number in 0..count {
        let _ = write!(files, "//- src/file_{number:03}.rs\n/// Opens door {number}.\npub fn open_{number}() {{}}\n");
    }
    Fixture::new(&files)
}

fn engine(start: &Path, home: &Path, embedding: EmbeddingOptions) -> Engine {
    Engine::open(OpenOptions { embedding, ..OpenOptions::new(start, home) }).expect("a repository")
}

fn synced(fixture: &Fixture, home: &Path, embedding: EmbeddingOptions) -> Engine {
    let engine = engine(fixture.root(), home, embedding);
    engine.sync(&SyncOptions::default(), &SilentObserver).expect("nobody else writes");
    engine
}

/// Chunks embedded, copied and left.
fn counts(filled: &FillOutcome) -> (u64, u64, u64) {
    (filled.report.embedded, filled.report.copied, filled.report.left)
}

#[track_caller]
fn fill(engine: &Engine) -> (u64, u64, u64) {
    let filled = engine.fill(None, &SilentObserver).expect("a whole store");
    assert_eq!(filled.gap, None);
    counts(&filled)
}

#[track_caller]
fn space(engine: &Engine, model: &str) -> VectorSpace {
    let snapshot = engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).expect("a store");
    let spaces = icr_engine::vector_spaces(&snapshot).expect("vectors");
    spaces
        .into_iter()
        .find(|space| space.model.as_deref() == Some(model))
        .unwrap_or_else(|| panic!("no space of {model}"))
}

#[test]
fn all_is_read_once_and_a_change_is_all_that_is_read_then() {
    let (server, fixture, home) = (ModelServer::new(), files(10), empty_home());
    let engine = synced(&fixture, home.path(), server.options(home.path(), "far"));
    assert_eq!(fill(&engine), (10, 0, 0));
    assert_eq!(fill(&engine), (0, 0, 0));
    assert_eq!(server.take_read().len(), 10);
    fixture.write("//- src/file_003.rs\npub fn opened() {}\n");
    fixture.git(&["mv", "src/file_004.rs", "src/renamed.rs"]);
    fixture.commit("a change and a rename");
    engine.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(fill(&engine), (1, 0, 0));
    assert_eq!(server.take_read(), ["pub fn opened() {}\n"]);
    fixture.git(&["checkout", "-q", "HEAD~1"]);
    engine.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(fill(&engine), (0, 0, 0), "a commit that was read before");
}

#[test]
fn equal_texts_are_read_once() {
    let (server, home) = (ModelServer::new(), empty_home());
    // Two files that share a long function, so that it is a chunk of its own in both.
    let function = |name: &str| {
        let lines: String = (0..90).map(|line| format!("    {name}_step_{line}(values, {line});\n")).collect();
        format!("pub fn {name}(values: &mut Values) {{\n{lines}}}\n\n")
    };
    let file = |name: &str| format!("//- {name}.rs\n{}{}", function("shared"), function(name));
    let fixture = Fixture::new(&[file("first"), file("second")].concat());
    let engine = synced(&fixture, home.path(), server.options(home.path(), "far"));
    let (embedded, copied, left) = fill(&engine);
    assert!(copied > 0, "the shared function is read once");
    let read = server.take_read();
    let distinct: BTreeSet<&String> = read.iter().collect();
    assert_eq!((embedded, left), (distinct.len() as u64, 0));
    assert_eq!(read.len(), distinct.len());
    assert_eq!(embedded + copied, space(&engine, "far").chunks_total);
}

#[test]
fn what_was_asked_for_and_what_changed_last_is_read_first() {
    let (server, fixture, home) = (ModelServer::new(), files(BATCH + 40), empty_home());
    fixture.write("//- src/file_090.rs\npub fn changed_last() {}\n");
    fixture.commit("a change");
    let options = EmbeddingOptions { rescored: 1, ..server.options(home.path(), "far") };
    let engine = synced(&fixture, home.path(), options);
    let request = SearchRequest { query: "open_99".to_owned(), limit: 1, ..SearchRequest::default() };
    let search = |snapshot: &icr_engine::Snapshot| icr_engine::search(snapshot, &request);
    engine.answer(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver, search).unwrap();
    server.read_at_most(BATCH);
    let filled = engine.fill(None, &SilentObserver).unwrap();
    assert!(
        matches!(&filled.gap, Some(Gap::NoModel { model, reason }) if model == "far" && reason.contains("had enough"))
    );
    assert_eq!(counts(&filled), (BATCH as u64, 0, 40));
    let read = server.take_read();
    for text in ["open_99()", "changed_last", "open_0()", "open_61()"] {
        assert!(read.iter().any(|read| read.contains(text)), "{text} is among the first");
    }
    assert!(!read.iter().any(|read| read.contains("open_62()")), "and nothing that comes later");
    server.read_at_most(usize::MAX);
    assert_eq!(fill(&engine), (40, 0, 0), "a later run reads the rest");
}

#[test]
fn reading_one_file_moves_none() {
    let (server, fixture, home) = (ModelServer::new(), files(12), empty_home());
    let order = |engine: &Engine| {
        let snapshot = engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).unwrap();
        let request = SearchRequest { query: "open door 7".to_owned(), limit: 12, ..SearchRequest::default() };
        let found = icr_engine::search(&snapshot, &request).unwrap();
        (found.results.into_iter().map(|hit| hit.path).collect::<Vec<_>>(), found.gaps)
    };
    let without = synced(&fixture, home.path(), EmbeddingOptions::new(home.path()));
    let (before, gaps) = order(&without);
    assert_eq!((before.len(), gaps), (12, Vec::new()));
    drop(without);
    let options = EmbeddingOptions { most_vectors: 1, ..server.options(home.path(), "far") };
    let engine = synced(&fixture, home.path(), options);
    assert_eq!(fill(&engine), (1, 0, 11));
    let lacking = Gap::NotEmbedded { model: "far".to_owned(), chunks: 11, looked_at: 12 };
    assert_eq!(order(&engine), (before, vec![lacking]));
}

/// Fails after this many chunks, which leaves the same state as any error there.
struct StopAfter(usize);

impl Observer for StopAfter {
    fn filling(&self, done: u64, _total: u64) {
        assert!(done < self.0 as u64, "stopped after {done}");
    }
}

#[test]
fn a_run_that_is_stopped_loses_nothing_that_it_committed() {
    let all = COMMITTED + BATCH + 9;
    let (server, fixture, home) = (ModelServer::new(), files(all), empty_home());
    let engine = synced(&fixture, home.path(), server.options(home.path(), "far"));
    let stop = StopAfter(COMMITTED + BATCH);
    let stopped = catch_unwind(AssertUnwindSafe(|| engine.fill(None, &stop)));
    assert!(stopped.is_err());
    assert_eq!(space(&engine, "far").chunks_covered, COMMITTED as u64);
    assert_eq!(server.take_read().len(), COMMITTED + BATCH, "what was read since is read again");
    assert_eq!(fill(&engine), ((BATCH + 9) as u64, 0, 0));
    let read = server.take_read();
    assert_eq!((read.len(), read.iter().collect::<BTreeSet<_>>().len()), (BATCH + 9, BATCH + 9), "each was read once");
}

#[test]
fn a_budget_that_is_used_up_reads_nothing() {
    let (server, fixture, home) = (ModelServer::new(), files(5), empty_home());
    let engine = synced(&fixture, home.path(), server.options(home.path(), "far"));
    let filled = engine.fill(Some(Duration::ZERO), &SilentObserver).unwrap();
    assert_eq!((counts(&filled), server.take_read().len()), ((0, 0, 5), 0));
}

#[test]
fn a_store_has_no_more_vectors_of_a_model_than_it_may() {
    let (server, fixture, home) = (ModelServer::new(), files(9), empty_home());
    let options = EmbeddingOptions { most_vectors: 7, ..server.options(home.path(), "far") };
    let engine = synced(&fixture, home.path(), options);
    let filled = engine.fill(None, &SilentObserver).unwrap();
    assert_eq!((counts(&filled), filled.above_limit), ((7, 0, 2), 2));
    let filled = engine.fill(None, &SilentObserver).unwrap();
    assert_eq!((counts(&filled), filled.above_limit), ((0, 0, 2), 2));
    assert_eq!(space(&engine, "static").chunks_covered, 9, "the built-in model has no limit");
}

#[test]
fn a_model_that_was_chosen_before_has_its_vectors_still() {
    let (server, fixture, home) = (ModelServer::new(), files(6), empty_home());
    let [first, second] = ["first", "second"].map(|name| server.options(home.path(), name));
    assert_eq!(fill(&synced(&fixture, home.path(), first.clone())), (6, 0, 0));
    let engine = synced(&fixture, home.path(), second);
    assert_eq!(fill(&engine), (6, 0, 0), "vectors of two models are never mixed");
    assert_eq!(space(&engine, "second").chunks_covered, 6);
    let engine = synced(&fixture, home.path(), first);
    assert_eq!(fill(&engine), (0, 0, 0));
    assert_eq!(server.take_read().len(), 12);
}

#[test]
fn a_model_that_cannot_run_is_a_gap() {
    let (fixture, home) = (files(2), empty_home());
    let options = EmbeddingOptions { backend: Backend::Onnx, ..EmbeddingOptions::new(home.path()) };
    let engine = synced(&fixture, home.path(), options);
    let filled = engine.fill(None, &SilentObserver).unwrap();
    let Some(Gap::NoModel { model, reason }) = filled.gap else { panic!("no gap") };
    assert_eq!(model, "all-MiniLM-L6-v2");
    assert!(reason.contains("no model `all-MiniLM-L6-v2` was imported (none is)"), "{reason}");
    assert_eq!(space(&engine, "static").chunks_covered, 2);
}
