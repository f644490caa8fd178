//! What happens to vectors that nothing needs, and to many of them.

use std::path::Path;
use std::time::Duration;

use icr_engine::{
    CollectReport, EmbeddingOptions, Engine, Freshness, OpenOptions, SilentObserver, SyncOptions, VectorIndex,
    VectorOptions, VectorSpace, ViewSelector,
};
use icr_fixture::Fixture;
use icr_tests::{assert_equals_fresh, assert_sound, empty_home, engine};

use crate::model_server::ModelServer;

const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

fn spaces(engine: &Engine) -> Vec<VectorSpace> {
    let snapshot = engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).expect("a store");
    icr_engine::vector_spaces(&snapshot).expect("vectors")
}

fn with(start: &Path, home: &Path, embedding: EmbeddingOptions) -> Engine {
    Engine::open(OpenOptions { embedding, ..OpenOptions::new(start, home) }).expect("a repository")
}

#[test]
fn vectors_of_forgotten_chunks_are_deleted() {
    let (fixture, home) = (Fixture::new("//- a.rs\nfn anchor() {}\n"), empty_home());
    let engine = || engine(fixture.root(), home.path());
    let sync = || engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
    sync();
    fixture.write("//- b.rs\nfn soon_gone() {}\n");
    fixture.commit("soon gone");
    assert_eq!(sync().embedded, 1);
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    sync();
    assert_eq!(spaces(&engine())[0].chunks_stored, 2);
    let collect = || engine().collect_garbage(MONTH, &SilentObserver).unwrap();
    let CollectReport { blobs_forgotten, vectors_deleted, .. } = collect();
    assert_eq!((blobs_forgotten, vectors_deleted), (0, 0), "the reflog holds it, and its view was used");
    fixture.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    fixture.git(&["update-ref", "-d", "ORIG_HEAD"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    let ledger = icr_tests::ledger(&engine().store().directory().join("ledger.db"));
    ledger.execute_batch("UPDATE views SET used_at = 0; UPDATE clones SET seen_at = 0;").unwrap();
    drop(ledger);
    let CollectReport { blobs_forgotten, vectors_deleted, spaces_deleted, .. } = collect();
    assert_eq!((blobs_forgotten, vectors_deleted, spaces_deleted), (1, 2, 0), "that of the chunk and that of its file");
    assert_eq!(spaces(&engine())[0].chunks_stored, 1);
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "after the collection");
    assert_sound(fixture.root(), home.path(), "after the collection");
}

#[test]
fn the_vectors_of_a_model_that_is_not_used_any_more_are_deleted_in_time() {
    let (server, home) = (ModelServer::new(), empty_home());
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n");
    let chosen = with(fixture.root(), home.path(), server.options(home.path(), "far"));
    chosen.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(chosen.fill(None, &SilentObserver).unwrap().report.embedded, 2);
    let collect = |engine: &Engine, keep| engine.collect_garbage(keep, &SilentObserver).unwrap().spaces_deleted;
    let other = engine(fixture.root(), home.path());
    assert_eq!(collect(&other, MONTH), 0, "it was used lately");
    let names =
        |engine: &Engine| -> Vec<Option<String>> { spaces(engine).into_iter().map(|space| space.model).collect() };
    assert_eq!(names(&other), [Some("static".to_owned()), None], "whose it was, nobody can tell");
    // A keep time of zero has the same effect as a month that has passed.
    assert_eq!(collect(&chosen, Duration::ZERO), 0, "it is the one that is configured");
    assert_eq!(collect(&other, Duration::ZERO), 1);
    assert_eq!(names(&other), [Some("static".to_owned())]);
}

#[test]
fn large_spaces_get_trees_and_keep_them_up_to_date() {
    let home = empty_home();
    let fixture = Fixture::generated(40);
    let index = |index, crossover| EmbeddingOptions {
        index: VectorOptions { index, crossover, ..VectorOptions::default() },
        ..EmbeddingOptions::new(home.path())
    };
    let small = with(fixture.root(), home.path(), index(VectorIndex::Auto, 41));
    small.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(small.index_vectors().unwrap(), 0, "a scan is as fast");
    let never = with(fixture.root(), home.path(), index(VectorIndex::Scan, 1));
    assert_eq!(never.index_vectors().unwrap(), 0);
    let large = with(fixture.root(), home.path(), index(VectorIndex::Auto, 40));
    assert_eq!(large.index_vectors().unwrap(), 40);
    assert_eq!(large.index_vectors().unwrap(), 0, "they are there");
    assert_eq!(spaces(&large)[0].chunks_indexed, Some(40));
    for number in 0..9 {
        fixture.write(&format!("//- new/{number}.rs\nfn new_{number}() {{ at_{number}(); }}\n"));
    }
    fixture.commit("a few");
    large.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(large.index_vectors().unwrap(), 0, "a few are scanned");
    for number in 9..20 {
        fixture.write(&format!("//- new/{number}.rs\nfn new_{number}() {{ at_{number}(); }}\n"));
    }
    fixture.commit("many");
    large.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    large.collect_garbage(MONTH, &SilentObserver).unwrap();
    assert_eq!(spaces(&large)[0].chunks_indexed, Some(60), "a collection builds them as well");
}
