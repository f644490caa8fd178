//! What the channel says, against a recomputation from the output of `git log`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use icr_fixture::Fixture;
use tempfile::TempDir;

use super::*;
use crate::{Engine, Freshness, OpenOptions, SyncOptions, ViewSelector, Warm};

/// A commit as `git log --name-status -M` prints it.
struct LoggedCommit {
    message: String,
    /// Paths, with the old ones of renames.
    changes: Vec<(String, Option<String>)>,
}

/// Scores of the files of `revision` from what git prints, one file and one commit at a time.
fn recomputed(fixture: &Fixture, directory: &Path, revision: &str, terms: &[String]) -> BTreeMap<String, f64> {
    let format = "--format=%x01%B%x02";
    let log = fixture.git_in(directory, &["log", "--no-merges", "-n2000", "-M", "--name-status", format, revision]);
    let logged: Vec<LoggedCommit> = log.split('\u{1}').skip(1).map(logged).collect();
    let counted = |commit: &&LoggedCommit| (1..=20).contains(&commit.changes.len());
    let tokens = |text: &str| {
        let mut tokens = Vec::new();
        icr_lexical::tokens(text.as_bytes(), &mut |token| tokens.push(token.to_owned()));
        tokens
    };
    let documents: Vec<Vec<String>> = logged.iter().filter(counted).map(|commit| tokens(&commit.message)).collect();
    let total = documents.len() as f64;
    let average = documents.iter().map(Vec::len).sum::<usize>() as f64 / total;
    let score = |message: &str| -> f64 {
        let words = tokens(message);
        let of_term = |term: &String| {
            let with = documents.iter().filter(|document| document.contains(term)).count() as f64;
            let frequency = words.iter().filter(|word| *word == term).count() as f64;
            let rarity = (1.0 + (total - with + 0.5) / (with + 0.5)).ln();
            rarity * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * words.len() as f64 / average))
        };
        terms.iter().map(of_term).sum()
    };
    let mut scores = BTreeMap::new();
    for file in fixture.git_in(directory, &["ls-tree", "-r", "--name-only", revision]).lines() {
        let mut name = file.to_owned();
        let mut sum = 0.0;
        for (age, commit) in logged.iter().enumerate() {
            // Before a file of this name was renamed to another, the name was that file's.
            if commit.changes.iter().any(|(path, old)| old.as_ref() == Some(&name) && *path != name) {
                break;
            }
            let Some((_, old)) = commit.changes.iter().find(|(path, _)| *path == name) else { continue };
            if counted(&commit) {
                sum += (-(age as f64) / 600.0).exp2() * score(&commit.message).powi(2);
            }
            name = old.clone().unwrap_or(name);
        }
        if sum > 0.0 {
            scores.insert(file.to_owned(), sum.sqrt());
        }
    }
    scores
}

fn logged(record: &str) -> LoggedCommit {
    let (message, names) = record.split_once('\u{2}').unwrap();
    let changes = names.lines().filter(|line| !line.is_empty()).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let old = fields[0].starts_with('R').then(|| fields[1].to_owned());
        (fields.last().unwrap().to_string(), old)
    });
    LoggedCommit { message: message.to_owned(), changes: changes.collect() }
}

fn engine(directory: &Path) -> (TempDir, Engine) {
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::open(OpenOptions::new(directory, home.path())).unwrap();
    engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    (home, engine)
}

fn scored(snapshot: &Snapshot, query: &str) -> BTreeMap<String, f64> {
    let scores = history_scores(snapshot, &Terms::of(query)).unwrap().scores;
    assert!(scores.is_sorted_by_key(|(path_no, _)| *path_no));
    scores.iter().map(|(path_no, score)| (snapshot.view.path(*path_no).unwrap().to_string(), *score)).collect()
}

/// The channel says of `revision` what a recomputation says, to rounding, and it says something.
#[track_caller]
fn check(fixture: &Fixture, directory: &Path, snapshot: &Snapshot, revision: &str, query: &str, files: &[&str]) {
    let found = scored(snapshot, query);
    let expected = recomputed(fixture, directory, revision, &Terms::of(query).terms);
    assert_eq!(found.keys().collect::<Vec<_>>(), files, "{query}");
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{query}");
    for (path, score) in &found {
        assert!((score - expected[path]).abs() < 1e-9, "{path}: {score}, recomputed {}", expected[path]);
    }
}

/// Two files, a rename, a name used again, a merge, a sweep over 21 files, and a branch that nothing merged.
fn harbour() -> Fixture {
    let fixture =
        Fixture::new("//- gate.rs\nfn open_gate() {\n    lift();\n    wait();\n}\n//- quay.rs\nfn moor() {}\n");
    let step = |files: &str, message: &str| {
        fixture.write(files);
        fixture.commit(message)
    };
    step("//- gate.rs\nfn open_gate() {\n    lift();\n    wait();\n    sail();\n}\n", "Open the gate at high tide");
    fixture.git(&["mv", "gate.rs", "lock.rs"]);
    fixture.commit("Name the gate what it is\n\nA lock, for ships at tide.");
    step("//- gate.rs\nstruct Gate;\n", "A small gate for bikes");
    fixture.git(&["switch", "-q", "-c", "storm", "HEAD~1"]);
    step("//- quay.rs\nfn moor() { rope(); }\n", "Moor with a rope when the tide is high");
    fixture.git(&["switch", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "Merge the storm with tide, gate and rope", "storm"]);
    let sweep: String = (0..21).map(|file| format!("//- buoys/{file}.rs\nconst TIDE: u32 = {file};\n")).collect();
    step(&sweep, "Tide in all buoys");
    fixture.git(&["switch", "-q", "-c", "lost"]);
    step("//- quay.rs\nfn moor() { chain(); }\n", "Moor with a chain, whatever the tide and the gate");
    fixture.git(&["switch", "-q", "main"]);
    fixture
}

#[test]
fn scores_are_those_of_a_recomputation() {
    let fixture = harbour();
    let (_home, engine) = engine(fixture.root());
    let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
    let check = |query: &str, files: &[&str]| check(&fixture, fixture.root(), &snapshot, "HEAD", query, files);
    check("tide", &["lock.rs", "quay.rs"]);
    check("gate", &["gate.rs", "lock.rs"]);
    check("high tide at the gate for ships", &["gate.rs", "lock.rs", "quay.rs"]);
    check("buoys", &[]);
    check("chain", &[]);
    check("", &[]);
}

#[test]
fn history_is_that_of_the_revision_asked() {
    let fixture = harbour();
    let (_home, engine) = engine(fixture.root());
    for (revision, query, files) in
        [("lost", "chain and gate", &["gate.rs", "lock.rs", "quay.rs"][..]), ("storm~1", "gate", &["lock.rs"])]
    {
        // Of `lost` the store has neither the tree nor the commit; a sync of its own must not change the answer.
        let snapshot = engine.snapshot(&ViewSelector::Revision(revision.to_owned())).unwrap();
        check(&fixture, fixture.root(), &snapshot, revision, query, files);
        fixture.git(&["switch", "-q", "--detach", revision]);
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let synced = engine.snapshot(&ViewSelector::Head).unwrap();
        assert_eq!(scored(&snapshot, query), scored(&synced, query), "{revision}");
    }
}

#[test]
fn a_file_the_store_never_saw_has_its_history() {
    let fixture = harbour();
    let (_home, engine) = engine(fixture.root());
    fixture.git(&["switch", "-q", "-c", "beacon"]);
    fixture.write("//- beacon.rs\nfn shine() {}\n");
    fixture.commit("A beacon against the tide");
    // The uncommitted file takes the first number in memory, which the history gives to another path.
    fixture.write("//- a_draft.rs\nfn draft() {}\n");
    let snapshot = engine.snapshot(&ViewSelector::Worktree).unwrap();
    check(&fixture, fixture.root(), &snapshot, "HEAD", "beacon tide", &["beacon.rs", "lock.rs", "quay.rs"]);
    let scores = history_scores(&snapshot, &Terms::default()).unwrap();
    let recency = |path: &str| {
        let path = RepoPath::from(path);
        let entries = snapshot.view.contents().manifest.entries();
        let entry = entries.iter().find(|entry| snapshot.view.path(entry.path_no).unwrap() == path).unwrap();
        scores.recency(entry.path_no, &path, 30.0)
    };
    assert_eq!((recency("a_draft.rs"), recency("beacon.rs")), (1.0, 1.0));
    assert!(recency("gate.rs") < 1.0 && recency("gate.rs") > recency("lock.rs"));
}

#[test]
fn recency_decays_from_the_commit_of_the_view() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n//- b.rs\nfn b() {}\n");
    fixture.advance_hours(24 * 30 - 1);
    fixture.write("//- b.rs\nfn b() { c(); }\n");
    fixture.commit("second");
    let (_home, engine) = engine(fixture.root());
    let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
    let scores = history_scores(&snapshot, &Terms::default()).unwrap();
    let paths: BTreeSet<(String, String)> = snapshot
        .view
        .contents()
        .manifest
        .entries()
        .iter()
        .map(|entry| {
            let path = snapshot.view.path(entry.path_no).unwrap();
            (path.to_string(), format!("{:.3}", scores.recency(entry.path_no, &path, 30.0)))
        })
        .collect();
    let expected = [("a.rs", "0.368"), ("b.rs", "1.000")].map(|(path, value)| (path.to_owned(), value.to_owned()));
    assert_eq!(paths, BTreeSet::from(expected));
}

#[test]
fn a_shallow_clone_counts_what_it_has_and_an_unborn_branch_nothing() {
    let fixture = harbour();
    let clone = fixture.clone_to("shallow", &["--depth", "4", "--branch", "main"]);
    let (_home, shallow) = engine(&clone);
    let snapshot = shallow.snapshot(&ViewSelector::Head).unwrap();
    let found = scored(&snapshot, "high tide");
    assert_eq!(found.keys().collect::<Vec<_>>(), ["quay.rs"], "the rename and what lies before it is cut off");
    assert!(snapshot.provenance().gaps.contains(&Gap::ShallowHistory));
    assert_eq!(history_scores(&snapshot, &Terms::default()).unwrap().gaps, []);

    let empty = Fixture::empty();
    empty.write("//- a.rs\nfn tide() {}\n");
    let (_home, unborn) = engine(empty.root());
    assert_eq!(scored(&unborn.snapshot(&ViewSelector::Worktree).unwrap(), "tide"), BTreeMap::new());
}

#[test]
fn a_later_question_to_the_same_commit_reads_no_history() {
    let fixture = harbour();
    let (_home, engine) = engine(fixture.root());
    let mut warm = Warm::default();
    let mut ask = |at: ViewSelector| {
        let messages = warm.answer(&engine, &at, &Freshness::default(), &icr_ingest::SilentObserver, |snapshot| {
            let scores = history_scores(snapshot, &Terms::of("tide gate"))?;
            Ok((Arc::as_ptr(&scores.messages), scored(snapshot, "tide gate")))
        });
        messages.unwrap()
    };
    let first = ask(ViewSelector::Worktree);
    assert_eq!(ask(ViewSelector::Worktree), first);
    assert_eq!(ask(ViewSelector::Head), first, "another view of the same commit");
    fixture.write("//- quay.rs\nfn moor() { chain(); }\n");
    assert_eq!(ask(ViewSelector::Worktree), first, "what is uncommitted has no message");
    fixture.commit("A chain against the tide");
    let (then, scores) = ask(ViewSelector::Worktree);
    assert_ne!(then, first.0);
    assert_eq!(scores, scored(&engine.snapshot(&ViewSelector::Head).unwrap(), "tide gate"));
}

#[test]
fn a_history_that_is_cut_short_meanwhile_is_read_again() {
    let fixture = harbour();
    let (_home, engine) = engine(fixture.root());
    let mut warm = Warm::default();
    let mut ask = || {
        let question = |snapshot: &Snapshot| Ok(scored(snapshot, "high tide"));
        warm.answer(&engine, &ViewSelector::Head, &Freshness::default(), &icr_ingest::SilentObserver, question).unwrap()
    };
    let whole = ask();
    // What `git fetch --depth 1` writes.
    std::fs::write(fixture.root().join(".git/shallow"), fixture.git(&["rev-parse", "HEAD"])).unwrap();
    let cut = ask();
    assert_ne!(cut, whole);
    assert_eq!(cut, scored(&engine.snapshot(&ViewSelector::Head).unwrap(), "high tide"));
}
