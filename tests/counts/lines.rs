//! Lines that past changes add and remove, compared with git's own count.

use std::collections::BTreeMap;

use icr_engine::{ChangeSource, Engine, Freshness, ImpactRequest, SilentObserver, SyncOptions, ViewSelector, Warm};
use icr_fixture::Fixture;
use icr_impact::Impact;
use icr_tests::{Draws, empty_home, engine};

/// Commits of the history; each pair of them is a change.
const COMMITS: usize = 12;

/// Files that come and go.
const FILES: usize = 6;

/// By path after the change: lines added and removed.
type LineCounts = BTreeMap<String, (u32, u32)>;

/// A history in which files are added, edited in several places, emptied and removed. No line is there twice, so that there is one
/// shortest diff, and whoever looks for it counts the same.
fn history() -> (Fixture, Vec<String>) {
    let fixture = Fixture::new("//- README.md\n# Numbers\n");
    let mut draws = Draws::new(7);
    let mut files: Vec<Vec<String>> = vec![Vec::new(); FILES];
    let mut next = 0;
    let mut commits = Vec::new();
    for _ in 0..COMMITS {
        for (number, lines) in files.iter_mut().enumerate() {
            let path = format!("src/m{number}.py");
            if !lines.is_empty() && draws.below(6) == 0 {
                lines.clear();
                fixture.delete(&path);
                continue;
            }
            for _ in 0..draws.below(5) {
                let at = draws.below(lines.len() + 1);
                let removed = draws.below(4).min(lines.len() - at);
                let added = (0..draws.below(4)).map(|_| {
                    next += 1;
                    format!("def f{next}():\n    return {next}\n")
                });
                let added: Vec<String> = added.collect();
                lines.splice(at..at + removed, added);
            }
            if !lines.is_empty() {
                fixture.write_bytes(&path, lines.concat().as_bytes());
            }
        }
        commits.push(fixture.commit("numbers"));
    }
    (fixture, commits)
}

/// Counts of `git diff --numstat`, without rename detection.
fn counted_by_git(fixture: &Fixture, range: &str) -> LineCounts {
    let rows = fixture.git(&["diff", "--numstat", "--no-renames", range]);
    let row = |row: &str| {
        let mut columns = row.split('\t');
        let mut count = || columns.next().and_then(|count| count.parse().ok()).expect("git counts lines of text");
        let counts = (count(), count());
        (columns.next().expect("git names the file").to_owned(), counts)
    };
    rows.lines().map(row).collect()
}

/// Counts of icr's answer. For a renamed file: git's counts without rename detection.
fn counted(impact: &Impact, git: &LineCounts) -> LineCounts {
    let mut counts = LineCounts::new();
    for file in &impact.changed {
        match &file.old_path {
            Some(old) => {
                counts.extend([old, &file.path].map(|path| (path.clone(), git[path])));
            }
            None => drop(counts.insert(file.path.clone(), (file.lines_added, file.lines_removed))),
        }
    }
    counts
}

fn pairs(commits: &[String]) -> impl Iterator<Item = String> {
    let before_after = (0..commits.len()).flat_map(move |old| (0..commits.len()).map(move |new| (old, new)));
    before_after.filter(|(old, new)| old < new).map(|(old, new)| format!("{}..{}", commits[old], commits[new]))
}

/// Asks about every pair of commits in one process, and compares each answer with git.
#[track_caller]
fn check(mut ask: impl FnMut(&Engine, &ImpactRequest) -> Impact) {
    let (fixture, commits) = history();
    let home = empty_home();
    let engine = engine(fixture.root(), home.path());
    engine.sync(&SyncOptions::default(), &SilentObserver).expect("the store can be written");
    let mut renames = 0;
    for range in pairs(&commits) {
        let impact = ask(&engine, &ImpactRequest::new(ChangeSource::Revisions(range.clone())));
        renames += impact.changed.iter().filter(|file| file.old_path.is_some()).count();
        let git = counted_by_git(&fixture, &range);
        assert_eq!(counted(&impact, &git), git, "{range}");
    }
    assert!(renames < COMMITS, "nearly every file keeps its name, so that its lines are compared");
}

#[test]
fn every_pair_of_commits_has_the_lines_that_git_counts() {
    check(|engine, request| {
        engine.impact(request, &Freshness::default(), &SilentObserver).expect("both commits are here").0
    });
}

#[test]
fn one_view_that_is_asked_about_every_pair_of_commits_has_the_lines_that_git_counts() {
    let mut warm = Warm::default();
    check(|engine, request| {
        let question = |snapshot: &icr_engine::Snapshot| Ok(icr_engine::impact(snapshot, request)?.0);
        warm.answer(engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, question)
            .expect("both commits are here")
    });
}
