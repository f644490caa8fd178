//! Counts over histories of many shapes.

use std::fmt::Write;
use std::time::Duration;

use icr_engine::{Engine, Gap, OpenOptions, SilentObserver, SyncOptions, ViewSelector};
use icr_fixture::{COMMIT_INTERVAL, FIRST_COMMIT_TIME, Fixture};
use icr_tests::{Draws, assert_sound, empty_home, engine, read_only_engine};

use crate::{check, check_with, cochange};

/// Files `f0` and so on, each with `text`.
fn files(count: usize, text: &str) -> String {
    (0..count).fold(String::new(), |mut files, number| {
        let _ = write!(files, "//- many/f{number}.txt\n{text} {number}\n");
        files
    })
}

fn shaped() -> Fixture {
    let fixture = Fixture::new("//- src/a.rs\nfn a() {}\n//- src/b.rs\nfn b() {}\nfn bb() {}\n//- odd name\n1\n");
    for n in 0..3 {
        fixture.write(&format!("//- src/a.rs\nfn a{n}() {{}}\n//- odd name\n{n}{n}\n"));
        fixture.commit("together");
    }
    fixture.git(&["switch", "-q", "-c", "side"]);
    fixture.git(&["mv", "src/b.rs", "src/moved.rs"]);
    fixture.write("//- src/a.rs\nfn other() {}\n");
    fixture.commit("a rename");
    fixture.write(&files(20, "twenty"));
    fixture.commit("as many as count");
    fixture.git(&["switch", "-q", "main"]);
    fixture.write(&files(21, "more"));
    fixture.commit("too many");
    fixture.delete("odd name");
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-q", "-m", "old work", "--date=@1500000000 +0000"]);
    fixture.git(&["merge", "-q", "--no-edit", "-X", "theirs", "side"]);
    fixture.commit("nothing");
    fixture.advance_hours(24 * 100);
    fixture.write("//- src/moved.rs\nfn b() {}\nfn bb() {}\nfn late() {}\n//- src/a.rs\nlate\n");
    fixture.commit("a hundred days later");
    fixture
}

#[test]
fn counts_are_those_of_git_log_at_every_commit() {
    let (fixture, home) = (shaped(), empty_home());
    check(&fixture, fixture.root(), home.path(), "in a store of its own");
    let newest = cochange(&engine(fixture.root(), home.path()), &ViewSelector::Worktree);
    assert!(newest.pairs.len() == 2 && newest.file_stats.len() > 20, "{newest:?}");
    for commit in fixture.git(&["rev-list", "HEAD"]).lines() {
        let at = ViewSelector::Revision(commit.to_owned());
        check_with(
            &fixture,
            fixture.root(),
            &cochange(&engine(fixture.root(), home.path()), &at),
            commit,
            "of a lived-in store",
        );
        // This store has no history of these commits, and must not get any.
        let other = empty_home();
        fixture.git(&["checkout", "-q", "--detach", "main~7"]);
        engine(fixture.root(), other.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        let snapshot = read_only_engine(fixture.root(), other.path()).snapshot(&at).unwrap();
        check_with(&fixture, fixture.root(), &icr_engine::cochange(&snapshot).unwrap(), commit, "in memory");
        fixture.git(&["checkout", "-q", "main"]);
    }
}

#[test]
fn what_is_recent_depends_on_head_and_on_no_clock() {
    let (fixture, home) = (Fixture::new("//- a\n1\n//- b\n1\n"), empty_home());
    let recent = || {
        let found = cochange(&engine(fixture.root(), home.path()), &ViewSelector::Worktree);
        found
            .file_stats
            .iter()
            .map(|file| format!("{} {}", file.path, file.recent_count))
            .collect::<Vec<_>>()
            .join(", ")
    };
    // By the machine's clock, all of this is years old.
    assert_eq!(recent(), "a 1, b 1");
    fixture.advance_hours(24 * 91);
    assert_eq!(recent(), "a 1, b 1");
    fixture.write("//- b\n2\n");
    fixture.commit("later");
    assert_eq!(recent(), "a 0, b 1");
}

/// A `fast-import` stream of `commits` commits of two files each; every tenth is merged from a side branch, and every fourth has
/// the time of the one before.
fn long(commits: u64) -> String {
    let mut stream = String::new();
    let mut mark = 0;
    let mut commit = |stream: &mut String, branch: &str, at: u64, from: &str, changes: &str| {
        mark += 1;
        let date = FIRST_COMMIT_TIME + COMMIT_INTERVAL * (at - u64::from(at % 4 == 3));
        let _ = write!(
            stream,
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter Fixture <fixture@example.org> {date} +0000\ndata 1\nc\n{from}{changes}\n"
        );
        mark
    };
    let mut head = String::new();
    for at in 1..=commits {
        let change =
            |name: u64| format!("M 100644 inline d{}/f{name}\ndata {}\n{at}\n", name % 5, at.to_string().len());
        let changes = format!("{}{}", change(at % 17), change(20 + at % 13));
        if at % 10 == 0 {
            let side = commit(&mut stream, "side", at, &head, &changes);
            let merge = format!("{head}merge :{side}\n{changes}");
            head = format!("from :{}\n", commit(&mut stream, "main", at, &merge, ""));
        } else {
            head = format!("from :{}\n", commit(&mut stream, "main", at, &head, &changes));
        }
    }
    stream
}

#[test]
fn two_thousand_commits_are_known_from_any_head() {
    let (fixture, home) = (Fixture::empty(), empty_home());
    fixture.import(long(2_300).as_bytes());
    fixture.git(&["reset", "-q", "--hard"]);
    let sync =
        || engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap().commits_read;
    let check = |when: &str| check(&fixture, fixture.root(), home.path(), when);
    let known = |revision: &str| {
        let range = fixture.git(&["rev-list", "--parents", revision]);
        let merges: Vec<bool> = range.lines().map(|line| line.split(' ').count() > 2).collect();
        let last = merges.iter().enumerate().filter(|(_, merge)| !**merge).nth(1_999).map(|(at, _)| at + 1);
        last.unwrap_or(merges.len()) as u64
    };
    assert_eq!(sync(), known("HEAD"));
    check("at first");
    assert_eq!(sync(), 0);
    fixture.git(&["checkout", "-q", "--detach", "HEAD~150"]);
    let found =
        icr_engine::cochange(&read_only_engine(fixture.root(), home.path()).snapshot(&ViewSelector::Worktree).unwrap())
            .unwrap();
    check_with(&fixture, fixture.root(), &found, "HEAD", "before a sync, in memory");
    let further = sync();
    assert!((100..200).contains(&further), "{further} commits are further back");
    check("far back");
    fixture.git(&["checkout", "-q", "--detach", "HEAD~150"]);
    check("farther back");
    assert_eq!(sync(), 0);
    fixture.git(&["checkout", "-q", "main"]);
    assert_eq!(sync(), 0);
    fixture.write("//- new\n1\n");
    fixture.commit("one more");
    assert_eq!(sync(), 1);
    check("after one more commit");
    fixture.git(&["switch", "-q", "-c", "topic", "HEAD~40"]);
    fixture.write("//- topic\n1\n");
    fixture.commit("on a topic");
    fixture.git(&["switch", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-edit", "topic"]);
    assert_eq!(sync(), 2);
    check("after a merge");
}

#[test]
fn a_shallow_clone_counts_what_it_has_whatever_others_know() {
    const ID: &str = "0123456789abcdef";
    let (fixture, home) = (shaped(), empty_home());
    let clone = fixture.clone_to("shallow", &["--depth=4"]);
    let at = |start: &std::path::Path, home: &std::path::Path| {
        Engine::open(OpenOptions { repo_id: Some(ID.to_owned()), ..OpenOptions::new(start, home) }).unwrap()
    };
    let alone = empty_home();
    let expected = cochange(&at(&clone, alone.path()), &ViewSelector::Worktree);
    // In a shallow clone, the oldest two commits (both sides of the merge) look like additions of all files.
    let cut = fixture.git_in(&clone, &["rev-list", "--no-merges", "--count", "--min-parents=1", "HEAD"]);
    assert_eq!(expected.commits_analyzed.to_string(), cut);
    assert!(expected.commits_analyzed > 0 && expected.file_stats.iter().any(|file| file.path == "src/moved.rs"));
    check_with(
        &fixture,
        fixture.root(),
        &cochange(&at(fixture.root(), home.path()), &ViewSelector::Worktree),
        "HEAD",
        "whole",
    );
    for when in ["beside a whole one", "again"] {
        assert_eq!(cochange(&at(&clone, home.path()), &ViewSelector::Worktree), expected, "{when}");
    }
    let snapshot = at(&clone, home.path()).snapshot(&ViewSelector::Worktree).unwrap();
    assert!(snapshot.provenance().gaps.contains(&Gap::ShallowHistory));
    assert_eq!(icr_engine::cochange(&snapshot).unwrap().gaps, []);
    // Data written by the shallow clone must not hide anything from a complete one.
    check_with(
        &fixture,
        fixture.root(),
        &cochange(&at(fixture.root(), alone.path()), &ViewSelector::Worktree),
        "HEAD",
        "whole, after it",
    );
    fixture.git_in(&clone, &["fetch", "-q", "--unshallow"]);
    let other = empty_home();
    for home in [&alone, &other] {
        check_with(
            &fixture,
            &clone,
            &cochange(&at(&clone, home.path()), &ViewSelector::Worktree),
            "HEAD",
            "no longer shallow",
        );
    }
}

#[test]
fn commits_that_nothing_reaches_are_forgotten_with_what_is_known_of_them() {
    let (fixture, home) = (shaped(), empty_home());
    let rows = || {
        let ledger = engine(fixture.root(), home.path()).store().directory().join("ledger.db");
        let connection = icr_tests::ledger(&ledger);
        connection.execute_batch("UPDATE views SET used_at = 0").unwrap();
        connection.query_row("SELECT count(*) FROM commits", [], |row| row.get::<_, u64>(0)).unwrap()
    };
    let collect =
        || engine(fixture.root(), home.path()).collect_garbage(Duration::from_secs(1_000), &SilentObserver).unwrap();
    check(&fixture, fixture.root(), home.path(), "at first");
    let total = rows();
    fixture.git(&["commit", "-q", "--amend", "-m", "amended"]);
    check(&fixture, fixture.root(), home.path(), "amended");
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(rows(), total + 1);
    assert_eq!(collect().commits_forgotten, 0, "the reflog holds what was amended");
    fixture.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    assert_eq!(collect().commits_forgotten, 1);
    assert_eq!(rows(), total);
    check(&fixture, fixture.root(), home.path(), "after the collection");
    assert_sound(fixture.root(), home.path(), "after the collection");
    fixture.git(&["reset", "-q", "--hard", "HEAD~5"]);
    fixture.git(&["branch", "-q", "-D", "side"]);
    fixture.git(&["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    assert!(collect().commits_forgotten > 3);
    check(&fixture, fixture.root(), home.path(), "after a reset");
}

#[test]
fn every_sequence_of_commits_and_rewrites_counts_like_git() {
    for seed in 0..3 {
        let (fixture, home) = (Fixture::new("//- f0\n0\n"), empty_home());
        let mut draws = Draws::new(seed);
        for step in 0..24 {
            let branches = fixture.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
            let branches: Vec<&str> = branches.lines().collect();
            let branch = branches[draws.below(branches.len())];
            let done = match draws.below(9) {
                0 => fixture.try_git(&["switch", "-q", branch]).is_ok(),
                1 => fixture.try_git(&["switch", "-q", "-c", &format!("b{step}")]).is_ok(),
                2 => fixture.try_git(&["merge", "-q", "--no-edit", "-X", "ours", branch]).is_ok(),
                3 => fixture.try_git(&["rebase", "-q", "-X", "theirs", branch]).is_ok(),
                4 => fixture.try_git(&["reset", "-q", "--hard", "HEAD~1"]).is_ok(),
                5 => fixture.try_git(&["commit", "-q", "--amend", "-m", "amended"]).is_ok(),
                _ => {
                    for _ in 0..=draws.below(3) {
                        fixture.write(&format!("//- f{}\n{step}\n", draws.below(6)));
                    }
                    fixture.commit("more");
                    true
                }
            };
            if !done {
                // A conflict that the strategy does not resolve (a file deleted here and changed there) aborts the
                // merge or rebase.
                let _ = fixture.try_git(&["merge", "--abort"]);
                let _ = fixture.try_git(&["rebase", "--abort"]);
            }
            let when = format!("seed {seed}, step {step}");
            check(&fixture, fixture.root(), home.path(), &when);
            if step % 6 == 5 {
                engine(fixture.root(), home.path()).collect_garbage(Duration::ZERO, &SilentObserver).unwrap();
                check(&fixture, fixture.root(), home.path(), &format!("{when}, collected"));
            }
        }
    }
}
