//! The work of a sync, by its counters.

use icr_engine::{
    Engine, Freshness, OpenOptions, SearchRequest, SilentObserver, SyncOptions, SyncReport, ViewSelector,
};
use icr_fixture::{COMMIT_INTERVAL, FIRST_COMMIT_TIME, Fixture};
use icr_tests::{answers, ask_fresh, assert_sound, empty_home, engine};
use std::fmt::Write;
use std::path::Path;

/// A new engine for each sync, as each command runs in a new process.
#[track_caller]
fn sync(start: &Path, home: &Path) -> SyncReport {
    let report = engine(start, home).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    SyncReport { elapsed_ms: 0, ..report }
}

#[test]
fn one_changed_file_of_many_is_all_that_is_parsed() {
    let (fixture, home) = (Fixture::generated(500), empty_home());
    assert_eq!(sync(fixture.root(), home.path()).parsed, 500);
    fixture.write("//- src/part_0/group_0/file_0.rs\n/// Reads.\npub fn read_zero() -> u64 {\n    0\n}\n");
    fixture.commit("one file");
    let expected = SyncReport {
        blobs_read: 1,
        parsed: 1,
        chunks_new: 1,
        embedded: 1,
        postings_written: 1,
        commits_read: 1,
        live_added: 1,
        live_removed: 1,
        ..SyncReport::default()
    };
    assert_eq!(sync(fixture.root(), home.path()), expected);
    assert_eq!(sync(fixture.root(), home.path()), SyncReport::default(), "nothing is left to do");
}

#[test]
fn content_that_was_seen_is_never_parsed_again() {
    let (fixture, home) = (Fixture::generated(120), empty_home());
    sync(fixture.root(), home.path());
    fixture.git(&["mv", "src/part_0/group_0/file_1.rs", "src/part_0/group_0/renamed.rs"]);
    fixture.commit("a rename");
    let report = sync(fixture.root(), home.path());
    assert_eq!((report.blobs_read, report.parsed, report.chunks_new, report.embedded), (0, 0, 0, 0), "a rename");
    assert_eq!((report.live_added, report.live_removed), (1, 1), "a rename");

    fixture.git(&["switch", "-q", "-c", "other"]);
    for number in [3, 4, 6] {
        fixture.write(&format!("//- src/part_0/group_0/file_{number}.rs\nfn other_{number}() {{}}\n"));
    }
    fixture.commit("another branch");
    let report = sync(fixture.root(), home.path());
    assert_eq!((report.parsed, report.chunks_new, report.embedded), (3, 3, 3), "three new contents");
    fixture.git(&["switch", "-q", "main"]);
    assert_eq!(sync(fixture.root(), home.path()), SyncReport::default(), "back to a branch that was seen");
    fixture.git(&["switch", "-q", "other"]);
    assert_eq!(sync(fixture.root(), home.path()), SyncReport::default(), "and forth");

    fixture.git(&["commit", "-q", "--amend", "-m", "another message"]);
    let expected = SyncReport { commits_read: 1, ..SyncReport::default() };
    assert_eq!(sync(fixture.root(), home.path()), expected, "another message");
    fixture.write("//- src/part_0/group_0/file_3.rs\nfn for_a_while() {}\n");
    fixture.commit("for a while");
    sync(fixture.root(), home.path());
    fixture.git(&["revert", "--no-edit", "HEAD"]);
    let expected = SyncReport { commits_read: 1, ..SyncReport::default() };
    assert_eq!(sync(fixture.root(), home.path()), expected, "a tree that was published");
}

#[test]
fn each_size_limit_derives_a_file_once_and_answers_as_if_it_were_the_only_one() {
    let (fixture, home) = (Fixture::generated(20), empty_home());
    fixture.write(&format!("//- src/table.py\n{}", "def row(a):\n    return a\n\n".repeat(600)));
    fixture.commit("a table of 16 KB");
    let with_limit = |home: &Path, max_file_bytes: u64| {
        Engine::open(OpenOptions { max_file_bytes, ..OpenOptions::new(fixture.root(), home) }).unwrap()
    };
    let (small, usual) = (10 << 10, 500 << 10);
    let parsed = |limit| with_limit(home.path(), limit).sync(&SyncOptions::default(), &SilentObserver).unwrap().parsed;
    assert_eq!([usual, small, usual, small].map(parsed), [21, 0, 0, 0]);
    for limit in [usual, small] {
        let answers_in = |home: &Path| {
            with_limit(home, limit)
                .answer(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver, answers)
                .unwrap()
        };
        let fresh = answers_in(empty_home().path());
        answers_in(home.path()).assert_equal(&fresh, &format!("under a limit of {limit} bytes"));
    }
}

#[test]
fn commits_of_nothing_but_a_file_above_the_limit_derive_nothing_again() {
    let (fixture, home) = (Fixture::generated(20), empty_home());
    sync(fixture.root(), home.path());
    for number in 0..3 {
        fixture.write(&format!("//- pnpm-lock.yaml\n{}", format!("package: {number}\n").repeat(50_000)));
        fixture.commit("the lock file");
        let report = sync(fixture.root(), home.path());
        assert_eq!((report.blobs_read, report.parsed, report.commits_read), (0, 0, 1), "commit {number}");
        assert_sound(fixture.root(), home.path(), &format!("after commit {number}"));
    }
}

#[test]
fn a_second_worktree_and_a_second_clone_cost_next_to_nothing() {
    /// Most disk space that a second view may take.
    const MOST_BYTES: u64 = 1_000_000;
    let (fixture, home) = (Fixture::generated(500), empty_home());
    sync(fixture.root(), home.path());
    let bytes = || {
        let snapshot = engine(fixture.root(), home.path()).snapshot(&ViewSelector::Worktree).unwrap();
        icr_engine::status(&snapshot).unwrap().store_bytes
    };
    let before = bytes();
    fixture.write("//- src/new.rs\nfn new() {}\n");
    fixture.commit("second");
    for place in [fixture.worktree("linked", "HEAD~1"), fixture.clone_to("clone", &[])] {
        fixture.git_in(&place, &["checkout", "-q", "--detach", "HEAD"]);
        let report = sync(&place, home.path());
        let new = u64::from(place.ends_with("clone"));
        assert_eq!((report.parsed, report.live_added), (new, new), "{}", place.display());
        let taken = bytes() - before;
        assert!(taken < MOST_BYTES, "{} takes {taken} bytes", place.display());
        assert_eq!(engine(&place, home.path()).repo_id(), engine(fixture.root(), home.path()).repo_id());
    }
}

#[test]
fn a_revision_that_differs_much_is_read_once() {
    let (fixture, home) = (Fixture::generated(3), empty_home());
    let many = |name: &str| {
        (0..40).for_each(|file| fixture.write(&format!("//- many_{file}.py\ndef {name}_{file}(): pass\n")))
    };
    let long =
        |number: usize| format!("//- long_{number}.py\ndef f():\n{}", format!("    call({number})\n").repeat(16_000));
    (0..3).for_each(|number| fixture.write(&long(number)));
    many("one");
    fixture.commit("few and long");
    for number in 0..3 {
        fixture.write(&format!("//- long_{number}.py\ndef short_{number}(): pass\n"));
    }
    fixture.commit("few and short");
    many("other");
    fixture.commit("many");
    sync(fixture.root(), home.path());
    let left_by_a_question = |name: &str| {
        let at = ViewSelector::Revision(name.to_owned());
        icr_tests::ask(fixture.root(), home.path(), &at).unwrap();
        let report =
            engine(fixture.root(), home.path()).sync_at(&at, &SyncOptions::default(), &SilentObserver).unwrap();
        (report.parsed, report.blobs_read)
    };
    assert_eq!(left_by_a_question("HEAD~1"), (0, 0), "40 short files");
    assert_eq!(left_by_a_question("HEAD~2"), (0, 0), "576 kB");
    assert_eq!(left_by_a_question("HEAD~3"), (0, 0), "nothing that is new");

    fixture.write("//- long_1.py\ndef another(): pass\n");
    fixture.commit("one");
    assert_eq!(left_by_a_question("HEAD"), (1, 1), "a question about little writes nothing, and `sync_at` does");
    assert_eq!(left_by_a_question("HEAD"), (0, 0));
}

/// A commit on `main` that changes ten of the generated files.
fn ten_files() -> Vec<u8> {
    let date = FIRST_COMMIT_TIME + COMMIT_INTERVAL;
    let mut stream = format!(
        "commit refs/heads/main\ncommitter Fixture <fixture@example.org> {date} +0000\ndata 3\nten\nfrom refs/heads/main^0\n"
    );
    for number in 0..10 {
        let content = format!("/// Opens {number}.\npub fn open_{number}() -> u32 {{\n    {number}\n}}\n");
        let _ = write!(
            stream,
            "M 100644 inline src/part_{number}/group_{number}/file_{}.rs\ndata {}\n{content}\n",
            // The first Rust file of its directory.
            (number * 50..).find(|file| file % 3 != 2).expect("two of three are"),
            content.len()
        );
    }
    stream.into_bytes()
}

#[test]
fn the_work_of_a_commit_does_not_depend_on_the_size_of_the_repository() {
    let work = [1_000, 20_000].map(|files| {
        let (fixture, home) = (Fixture::generated_bare(files), empty_home());
        assert_eq!(sync(fixture.root(), home.path()).parsed, files as u64);
        fixture.import(&ten_files());
        sync(fixture.root(), home.path())
    });
    assert_eq!(work[0].parsed, 10);
    assert_eq!(work[0], work[1]);
}

#[test]
fn the_next_ask_after_a_checkout_far_back_finds_what_is_there_and_nothing_else() {
    const COMMITS: usize = 60;
    let (fixture, home) = (Fixture::new("//- src/always.rs\nfn always() {}\n"), empty_home());
    for number in 0..COMMITS {
        fixture.write(&format!("//- src/moving.rs\nfn only_in_commit_{number}() {{}}\n"));
        fixture.commit("next");
    }
    let finds = |name: &str| {
        let snapshot = engine(fixture.root(), home.path())
            .ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver)
            .unwrap();
        let request = SearchRequest { query: name.to_owned(), limit: 50, ..SearchRequest::default() };
        let best = icr_engine::search(&snapshot, &request).unwrap().results;
        let symbols = best.iter().flat_map(|hit| &hit.symbol).filter(|symbol| *symbol == name).count();
        symbols > 0
    };
    let (newest, far_back) = ("only_in_commit_59", "only_in_commit_9");
    assert_eq!((finds(newest), finds(far_back)), (true, false));
    fixture.git(&["checkout", "-q", "HEAD~50"]);
    assert_eq!((finds(newest), finds(far_back)), (false, true));
    let found = icr_tests::ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap();
    found.assert_equal(&ask_fresh(fixture.root(), &ViewSelector::Worktree).unwrap(), "fifty commits back");
    fixture.git(&["checkout", "-q", "main"]);
    assert_eq!((finds(newest), finds(far_back)), (true, false));
}
