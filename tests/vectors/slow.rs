//! Answers that must be given before vectors are complete.

use std::time::Duration;

use icr_engine::{
    Deadline, EmbeddingOptions, Engine, Error, Freshness, Gap, GrepRequest, OpenOptions, SearchRequest, SilentObserver,
    Snapshot, SyncOptions, ViewSelector, Warm,
};
use icr_fixture::Fixture;
use icr_tests::empty_home;

use crate::model_server::ModelServer;

const FILES: &str = "//- src/a.rs\npub fn open_door() {}\n//- src/b.rs\npub fn shut_door() {}\n";

fn ask(engine: &Engine, deadline: &Deadline) -> Result<Snapshot, Error> {
    engine.with_deadline(deadline).ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver)
}

#[test]
fn a_model_that_is_too_slow_is_done_without() {
    let (server, fixture, home) = (ModelServer::new(), Fixture::new(FILES), empty_home());
    let embedding = server.options(home.path(), "slow");
    let options = OpenOptions { embedding, ..OpenOptions::new(fixture.root(), home.path()) };
    let engine = Engine::open(options).unwrap();
    engine.sync(&SyncOptions::default(), &SilentObserver).unwrap();
    engine.fill(None, &SilentObserver).unwrap();
    let snapshot = ask(&engine, &Deadline::after(Duration::from_secs(3))).unwrap();
    let held = server.hold();
    let found = icr_engine::search(
        &snapshot,
        &SearchRequest { query: "open door".to_owned(), limit: 5, ..SearchRequest::default() },
    )
    .expect("words and the built-in model");
    drop(held);
    assert_eq!(found.results[0].path, "src/a.rs");
    let [Gap::NoModel { model, reason }] = found.gaps.as_slice() else { panic!("{:?}", found.gaps) };
    assert_eq!(model, "slow");
    assert!(reason.starts_with("it gave no answer within"), "{reason}");
}

#[test]
fn who_gave_up_gets_what_there_is_or_nothing() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let embedding = EmbeddingOptions::new(home.path());
    let options = OpenOptions { embedding, ..OpenOptions::new(fixture.root(), home.path()) };
    let engine = Engine::open(options).unwrap();
    let deadline = Deadline::never();
    let snapshot = ask(&engine, &deadline).unwrap();
    deadline.cancel();
    let lines =
        icr_engine::grep(&snapshot, &GrepRequest { pattern: "door".to_owned(), limit: 5, ..GrepRequest::default() })
            .expect("the lines of no file");
    assert_eq!((lines.results.len(), lines.gaps), (0, vec![Gap::Unsearched { files: 2 }]));
    let found = icr_engine::search(
        &snapshot,
        &SearchRequest { query: "open door".to_owned(), limit: 5, ..SearchRequest::default() },
    );
    assert!(matches!(found, Err(Error::Cancelled)), "{found:?}");
    assert!(matches!(ask(&engine, &deadline), Err(Error::Cancelled)));
    assert!(matches!(ask(&engine, &Deadline::after(Duration::ZERO)), Err(Error::TimedOut)));
    assert!(ask(&engine, &Deadline::never()).is_ok(), "the next one does not know of it");
}

#[test]
fn a_walk_over_the_graph_ends_and_the_next_one_is_whole() {
    let files = "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\nuse crate::b::shut;\n//- src/b.rs\npub fn shut() {}\n";
    let (fixture, home) = (Fixture::new(files), empty_home());
    let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
    let (mut warm, deadline) = (Warm::default(), Deadline::never());
    let mut edges = |deadline: &Deadline, is_given_up: bool| {
        let engine = engine.with_deadline(deadline);
        warm.answer(&engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, |snapshot| {
            if is_given_up {
                deadline.cancel();
            }
            Ok(icr_engine::import_graph(snapshot, &())?.edges.len())
        })
    };
    let given_up = edges(&deadline, true);
    assert!(matches!(given_up, Err(Error::Cancelled)), "{given_up:?}");
    assert_eq!(edges(&Deadline::never(), false).unwrap(), 3);
}
