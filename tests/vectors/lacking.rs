//! Chunks without vectors: indexed without a model, or with lost vectors.

use std::fs;
use std::path::Path;

use icr_engine::{
    Backend, EmbeddingOptions, Engine, Freshness, Gap, OpenOptions, SilentObserver, SyncOptions, ViewSelector,
};
use icr_fixture::Fixture;
use icr_tests::{assert_equals_fresh, assert_sound, empty_home, engine, read_only_engine};

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n";

fn without_models(start: &Path, home: &Path) -> Engine {
    let embedding = EmbeddingOptions { backend: Backend::None, ..EmbeddingOptions::new(home) };
    Engine::open(OpenOptions { embedding, ..OpenOptions::new(start, home) }).expect("a repository")
}

/// Two commits, both indexed without a model.
fn indexed_without(home: &Path) -> Fixture {
    let fixture = Fixture::new(FILES);
    let sync = || without_models(fixture.root(), home).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(sync().embedded, 0);
    fixture.write("//- src/lib.rs\nfn read_token() {}\n//- src/more.rs\nfn open_stream() {}\n");
    fixture.commit("second");
    assert_eq!(sync().embedded, 0);
    fixture
}

#[test]
fn who_asks_first_has_what_is_lacking_read() {
    let home = empty_home();
    let fixture = indexed_without(home.path());
    let engine = || engine(fixture.root(), home.path());
    assert!(!engine().store().directory().join("vectors.lmdb").exists(), "no model, no vectors");
    // Any view that is asked for, the present one not first.
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Revision("HEAD~1".to_owned()), "an older commit");
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "the worktree");
    let report = engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(report.embedded, 0, "nothing is left to read");
}

#[test]
fn a_sync_reads_what_is_lacking_of_its_view() {
    let home = empty_home();
    let fixture = indexed_without(home.path());
    let engine = || engine(fixture.root(), home.path());
    let report = engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!((report.parsed, report.embedded), (0, 3));
    let findings = icr_engine::examine(&engine());
    let lacking = findings.iter().find(|finding| finding.hint.is_some()).expect("a chunk of the first commit has none");
    assert_eq!((lacking.subject, lacking.found.as_str()), ("vectors", "1 of 4 chunks have none"));
    assert_sound(fixture.root(), home.path(), "that is worth a note and no fault");
}

#[test]
fn who_may_not_write_says_what_is_lacking() {
    let home = empty_home();
    let fixture = indexed_without(home.path());
    let snapshot = read_only_engine(fixture.root(), home.path())
        .ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver)
        .expect("a store that can be read");
    let lacking = Gap::NotEmbedded { model: "static".to_owned(), chunks: 3, looked_at: 3 };
    assert_eq!(snapshot.provenance().gaps, [lacking]);
}

#[test]
fn vectors_that_are_gone_are_made_again() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let store = || engine(fixture.root(), home.path()).store().directory().to_owned();
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    fs::remove_dir_all(store().join("vectors.lmdb")).unwrap();
    let report = engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!((report.parsed, report.embedded), (0, 2), "what is listed is read, and not parsed");
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "vectors were removed");
}
