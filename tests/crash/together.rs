//! Concurrent runs on one store.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use icr_engine::{
    BusyStorePolicy, Error, Freshness, Observer, SilentObserver, SyncOptions, SyncReport, ViewSelector, WriteStep,
};
use icr_fixture::Fixture;
use icr_tests::{answers, ask_fresh, assert_equals_fresh, assert_sound, empty_home, engine, read_only_engine};

use crate::children::{KEEP_UNUSED, Work, spawn};
use crate::killed::{age, make_garbage};

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n";

const LEAVE: SyncOptions = SyncOptions { waiting: BusyStorePolicy::Leave, rebuild: false, time_box: None };

#[track_caller]
fn succeeds_or_is_busy(result: Result<SyncReport, Error>) {
    if let Err(error) = result {
        assert!(error.is_busy(), "{error}");
    }
}

#[test]
fn many_worktrees_syncing_and_asking_at_once_end_like_one_after_the_other() {
    const WORKTREES: usize = 4;
    const THREADS: usize = 12;
    let (fixture, home) = (Fixture::generated(60), empty_home());
    let mut roots = vec![fixture.root().to_owned()];
    for number in 1..WORKTREES {
        fixture.write(&format!(
            "//- src/lib.rs\npub fn open_{number}() {{}}\n//- src/only_{number}.rs\nfn parse_token() {{}}\n"
        ));
        fixture.commit("next");
        roots.push(fixture.worktree(&format!("worktree-{number}"), "HEAD"));
    }
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (root, home) = (&roots[thread % WORKTREES], home.path());
            scope.spawn(move || {
                for round in 0..3 {
                    let engine = engine(root, home);
                    match (thread + round) % 3 {
                        0 => succeeds_or_is_busy(engine.sync(&LEAVE, &SilentObserver)),
                        1 => drop(engine.sync(&SyncOptions::default(), &SilentObserver).unwrap()),
                        _ => {}
                    }
                    let snapshot = engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).unwrap();
                    answers(&snapshot).unwrap();
                }
            });
        }
    });
    for root in &roots {
        assert_equals_fresh(root, home.path(), &ViewSelector::Worktree, "after all threads");
    }
    assert_sound(fixture.root(), home.path(), "after all threads");
}

#[test]
fn twenty_processes_syncing_at_once_all_succeed() {
    let (fixture, home) = (Fixture::generated(60), empty_home());
    let children: Vec<_> = (0..20).map(|_| spawn(Work::Sync, fixture.root(), home.path(), None)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let report = engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(SyncReport { elapsed_ms: 0, ..report }, SyncReport::default(), "nothing is left to do");
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "after all processes");
    assert_sound(fixture.root(), home.path(), "after all processes");
}

/// Ends a loop in other threads, even if this thread panics.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn readers_of_a_collected_store_never_fail_and_miss_nothing() {
    const ROUNDS: usize = 12;
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    fixture.git(&["tag", "base"]);
    let at = ViewSelector::Revision("base".to_owned());
    make_garbage(&fixture, home.path());
    let expected = ask_fresh(fixture.root(), &at).unwrap();
    let ended = AtomicBool::new(false);
    let reads = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let snapshot = read_only_engine(fixture.root(), home.path()).snapshot(&at).unwrap();
                    answers(&snapshot).unwrap().assert_equal(&expected, "while garbage was collected");
                    *reads.lock().unwrap() += 1;
                }
            });
        }
        let _ending = Ending(&ended);
        let mut forgotten = 0;
        for round in 0..ROUNDS {
            let engine = engine(fixture.root(), home.path());
            age(&engine.store().directory().join("ledger.db"));
            forgotten += engine.collect_garbage(KEEP_UNUSED, &SilentObserver).unwrap().blobs_forgotten;
            fixture.write(&format!("//- src/round_{round}.rs\nfn open_round_{round}() {{}}\n"));
            fixture.commit("a round");
            engine.sync(&SyncOptions::default(), &SilentObserver).unwrap();
            fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
            fixture.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
            fixture.git(&["update-ref", "-d", "ORIG_HEAD"]);
        }
        assert!(forgotten >= ROUNDS as u64, "each round made garbage: {forgotten}");
    });
    assert!(*reads.lock().unwrap() > 0);
    assert_sound(fixture.root(), home.path(), "after all rounds");
}

#[test]
fn a_view_keeps_the_vectors_that_are_collected_after_it_was_taken() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    fixture.git(&["tag", "base"]);
    let at = ViewSelector::Revision("base".to_owned());
    make_garbage(&fixture, home.path());
    let expected = ask_fresh(fixture.root(), &at).unwrap();
    let snapshot = read_only_engine(fixture.root(), home.path()).snapshot(&at).unwrap();
    let collected = engine(fixture.root(), home.path()).collect_garbage(KEEP_UNUSED, &SilentObserver).unwrap();
    assert!(collected.vectors_deleted > 0, "{collected:?}");
    answers(&snapshot).unwrap().assert_equal(&expected, "after a collection");
}

#[test]
fn readers_of_a_store_that_is_derived_again_never_fail_and_miss_nothing() {
    const ROUNDS: usize = 8;
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let expected = ask_fresh(fixture.root(), &ViewSelector::Worktree).unwrap();
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let found = icr_tests::ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap();
                    found.assert_equal(&expected, "while the store was derived again");
                }
            });
        }
        let _ending = Ending(&ended);
        for _ in 0..ROUNDS {
            let options = SyncOptions { rebuild: true, ..SyncOptions::default() };
            engine(fixture.root(), home.path()).sync(&options, &SilentObserver).unwrap();
        }
    });
    assert_sound(fixture.root(), home.path(), "after all rounds");
}

#[test]
fn stores_of_two_formats_share_a_home_and_leave_each_other_alone() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let engine = || engine(fixture.root(), home.path());
    engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
    let own = engine().store().directory().to_owned();
    // A store of another format that another program has made and is writing.
    let other = own.with_file_name("0123456789abcdef");
    fs::rename(&own, &other).unwrap();
    let lock = fs::File::options().write(true).open(other.join("lock")).unwrap();
    lock.lock().unwrap();
    let ledger = fs::read(other.join("ledger.db")).unwrap();
    let report = engine().sync(&LEAVE, &SilentObserver).unwrap();
    assert!(own.is_dir() && report.parsed > 0, "{report:?}");
    assert_eq!(engine().collect_garbage(KEEP_UNUSED, &SilentObserver).unwrap().stores_deleted, 0);
    assert_eq!(
        engine().collect_garbage(Duration::ZERO, &SilentObserver).unwrap().stores_deleted,
        0,
        "it is being written"
    );
    assert!(fs::read(other.join("ledger.db")).unwrap() == ledger, "not a byte of it changed");
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "beside a store of another format");
    drop(lock);
    assert_eq!(engine().collect_garbage(Duration::ZERO, &SilentObserver).unwrap().stores_deleted, 1);
    assert!(!other.exists() && own.is_dir());
}

/// Reports that a step was reached, and waits for permission to continue.
struct Pause {
    step: WriteStep,
    times: Mutex<usize>,
    reached: SyncSender<()>,
    go_on: Mutex<Receiver<()>>,
}

impl Observer for Pause {
    fn step(&self, step: WriteStep) {
        let mut times = self.times.lock().unwrap();
        if step == self.step && *times > 0 {
            *times -= 1;
            self.reached.send(()).unwrap();
            self.go_on.lock().unwrap().recv().unwrap();
        }
    }
}

#[test]
fn whoever_finds_the_lock_taken_is_served_by_its_holder() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let mut others = Vec::new();
    for number in 0..2 {
        fixture.write(&format!("//- src/only_{number}.rs\nfn parse_token_{number}() {{}}\n"));
        fixture.commit("next");
        others.push(fixture.worktree(&format!("worktree-{number}"), "HEAD"));
    }
    fixture.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let (reached, has_reached) = sync_channel(0);
    let (go_on, goes_on) = sync_channel(0);
    let pause = Pause { step: WriteStep::Published, times: Mutex::new(2), reached, go_on: Mutex::new(goes_on) };
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &pause));
        // The first one comes while the holder's own view is published, the second one while the first is served, when the
        // requests were looked at already.
        for other in &others {
            has_reached.recv().unwrap();
            let refused = engine(other, home.path()).sync(&LEAVE, &SilentObserver).unwrap_err();
            assert!(refused.is_busy(), "{refused}");
            go_on.send(()).unwrap();
        }
        holder.join().unwrap().unwrap();
    });
    // The last one first: whoever syncs serves those that are still waiting.
    for other in others.iter().rev() {
        let report = engine(other, home.path()).sync(&LEAVE, &SilentObserver).unwrap();
        assert_eq!(SyncReport { elapsed_ms: 0, ..report }, SyncReport::default(), "{} was served", other.display());
        assert_equals_fresh(other, home.path(), &ViewSelector::Worktree, "after the holder was done");
    }
}

#[test]
fn a_question_while_another_process_writes_is_answered_from_memory() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    fixture.write("//- src/more.rs\nfn read_token() {}\n");
    fixture.commit("second");
    let (reached, has_reached) = sync_channel(0);
    let (go_on, goes_on) = sync_channel(0);
    let pause = Pause { step: WriteStep::PostingsCommitted, times: Mutex::new(1), reached, go_on: Mutex::new(goes_on) };
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &pause));
        has_reached.recv().unwrap();
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, "while the lock is held");
        go_on.send(()).unwrap();
        holder.join().unwrap().unwrap();
    });
}
