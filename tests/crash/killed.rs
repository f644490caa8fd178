//! Processes that are killed while they work.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use icr_engine::{SilentObserver, SyncOptions, ViewSelector, WriteStep};
use icr_fixture::Fixture;
use icr_tests::{Draws, ask_fresh, assert_equals_fresh, assert_sound, empty_home, engine, stopped_at};

use crate::children::{KEEP_UNUSED, Work, spawn};

/// SIGABRT on every system with signals.
const ABORTED: i32 = 6;

/// More files than one batch holds, so that a part can be complete and the rest not.
const TWO_BATCHES: usize = 600;

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n\
                     //- notes.txt\nThe token stream.\n";

/// Steps of every sync that finds something new.
const OF_SYNC: [WriteStep; 6] = [
    WriteStep::RecipesRecorded,
    WriteStep::NumbersReserved,
    WriteStep::DocumentsAdded,
    WriteStep::PostingsCommitted,
    WriteStep::VectorsCommitted,
    WriteStep::Published,
];

/// Steps of a sync that lists its work in parts.
const BETWEEN_PARTS: [WriteStep; 1] = [WriteStep::BlobsListed];

/// Steps of a collection.
const OF_COLLECTION: [WriteStep; 2] = [WriteStep::GarbageForgotten, WriteStep::GarbageDeleted];

#[track_caller]
fn killed_at(work: Work, start: &Path, home: &Path, step: WriteStep) {
    let status = spawn(work, start, home, Some(step)).wait().expect("the child was started");
    assert_eq!(status.signal(), Some(ABORTED), "{work:?} ends at {}: {status}", step.name());
}

#[track_caller]
fn assert_repaired(start: &Path, home: &Path, when: &str) {
    assert_equals_fresh(start, home, &ViewSelector::Worktree, when);
    assert_sound(start, home, when);
    engine(start, home).collect_garbage(KEEP_UNUSED, &SilentObserver).expect("nobody else writes");
    assert_equals_fresh(start, home, &ViewSelector::Worktree, &format!("{when}, and garbage was collected"));
    assert_sound(start, home, &format!("{when}, and garbage was collected"));
}

/// Runs `work` to `step` in a store that is new, and in one that has the commit before.
fn check_sync(work: Work, step: WriteStep, files: &str) {
    let fixture = if work == Work::PartOfSync { Fixture::generated(TWO_BATCHES) } else { Fixture::new(files) };
    let (new, old) = (empty_home(), empty_home());
    if work == Work::Sync {
        engine(fixture.root(), old.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        fixture.write("//- src/lib.rs\npub fn open_stream() {}\n//- src/more.c\nint read_token(void) { return 2; }\n");
        fixture.delete("notes.txt");
        fixture.commit("second");
        killed_at(work, fixture.root(), old.path(), step);
        assert_repaired(fixture.root(), old.path(), &format!("killed at {}", step.name()));
    }
    killed_at(work, fixture.root(), new.path(), step);
    assert_repaired(fixture.root(), new.path(), &format!("killed at {} in a new store", step.name()));
}

#[test]
fn a_sync_killed_at_any_step_is_completed_by_the_next_ask() {
    for step in OF_SYNC {
        check_sync(Work::Sync, step, FILES);
    }
}

#[test]
fn a_sync_killed_between_two_parts_is_completed_by_the_next_ask() {
    for step in BETWEEN_PARTS {
        check_sync(Work::PartOfSync, step, FILES);
    }
}

#[test]
fn a_collection_killed_at_any_step_is_completed_by_the_next_one() {
    for step in OF_COLLECTION {
        let (fixture, home) = (Fixture::new(FILES), empty_home());
        make_garbage(&fixture, home.path());
        killed_at(Work::Collect, fixture.root(), home.path(), step);
        assert_repaired(fixture.root(), home.path(), &format!("killed at {}", step.name()));
    }
}

#[test]
fn every_step_is_killed_at_in_one_of_these_tests() {
    let mut killed = [&OF_SYNC[..], &BETWEEN_PARTS, &OF_COLLECTION].concat();
    killed.sort();
    assert_eq!(killed, WriteStep::ALL);
}

#[test]
fn an_error_at_any_step_leaves_a_store_that_the_same_process_completes() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    for (at, step) in WriteStep::ALL.into_iter().enumerate() {
        fixture
            .write(&format!("//- src/lib.rs\npub fn open_{at}() {{}}\n//- src/new_{at}.rs\nfn parse_token() {{}}\n"));
        fixture.commit("next");
        let engine = engine(fixture.root(), home.path());
        let stopped = stopped_at(step, |observer| drop(engine.sync(&SyncOptions::default(), observer)));
        // A small sync has no parts, and collects nothing.
        assert_eq!(stopped, OF_SYNC.contains(&step), "{}", step.name());
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, step.name());
    }
    assert_sound(fixture.root(), home.path(), "after all steps");
}

#[test]
fn a_sync_killed_at_any_moment_is_completed_by_the_next_ask() {
    /// Rounds; their delays are spread over the whole run of a sync.
    const ROUNDS: usize = 20;
    /// Longest delay in milliseconds: a sync of 300 files takes less on an idle machine, and more on a busy one.
    const LONGEST: usize = 400;
    let fixture = Fixture::generated(300);
    let expected = ask_fresh(fixture.root(), &ViewSelector::Worktree).unwrap();
    let mut draws = Draws::new(20);
    let mut killed = 0;
    for round in 0..ROUNDS {
        let home = empty_home();
        // The second one finds what the first one left.
        for _ in 0..2 {
            let mut child = spawn(Work::Sync, fixture.root(), home.path(), None);
            // The test chooses the moment to kill; no message is sent before it.
            let (_sender, moment) = std::sync::mpsc::channel::<()>();
            let drawn = moment.recv_timeout(Duration::from_millis(draws.below(LONGEST) as u64));
            drawn.expect_err("nobody sends anything");
            child.kill().expect("the child is ours");
            killed += usize::from(child.wait().expect("the child was started").signal().is_some());
        }
        let found = icr_tests::ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap();
        found.assert_equal(&expected, &format!("round {round}"));
        assert_sound(fixture.root(), home.path(), &format!("round {round}"));
    }
    assert!(killed > 0, "every child was done before it could be killed");
}

/// Lists blobs that nothing reaches and nobody used for long.
pub(crate) fn make_garbage(fixture: &Fixture, home: &Path) {
    let sync =
        || engine(fixture.root(), home).sync(&SyncOptions::default(), &SilentObserver).expect("nobody else writes");
    sync();
    fixture.write("//- src/lib.rs\npub fn open_for_a_while() {}\n//- src/gone.py\ndef gone_soon():\n    pass\n");
    fixture.commit("soon amended");
    sync();
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.write("//- src/lib.rs\npub fn open_for_good() {}\n");
    fixture.commit("for good");
    sync();
    fixture.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    fixture.git(&["update-ref", "-d", "ORIG_HEAD"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    age(&engine(fixture.root(), home).store().directory().join("ledger.db"));
}

/// Sets the last use of everything to long ago.
pub(crate) fn age(ledger: &Path) {
    let connection = icr_tests::ledger(ledger);
    let sql = "UPDATE views SET used_at = 0; UPDATE clones SET seen_at = 0; UPDATE recipes SET used_at = 0;";
    connection.execute_batch(sql).expect("views, clones and recipes have a date");
}
