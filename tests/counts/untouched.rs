//! What icr never changes and never stores.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use icr_engine::{Freshness, GrepRequest, SearchMode, SearchRequest, SilentObserver, SyncOptions, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{ask, empty_home, engine};

/// All files below `directory`, except below directories named in `without`.
fn files_below(directory: &Path, without: &[&str]) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if without.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&entry.path(), without));
        } else {
            files.insert(entry.path());
        }
    }
    files
}

#[test]
fn the_repository_has_no_new_object_no_new_file_and_the_same_status() {
    let (fixture, home) = (Fixture::generated(60), empty_home());
    fixture.write("//- untracked.rs\nfn untracked() {}\n//- src/part_0/group_0/file_0.rs\nfn changed() {}\n");
    fixture.write("//- staged.py\ndef staged():\n    pass\n");
    fixture.git(&["add", "staged.py"]);
    let linked = fixture.worktree("linked", "HEAD");
    let state = || {
        let status = fixture.git(&["status", "--porcelain=v2", "--branch", "--untracked-files=all"]);
        let refs = fixture.git(&["for-each-ref"]);
        // There icr stores the id of the repository and nothing else.
        (fixture.object_count(), status, refs, files_below(fixture.root(), &["icr"]))
    };
    let before = state();
    for place in [fixture.root(), &linked] {
        engine(place, home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        ask(place, home.path(), &ViewSelector::Worktree).unwrap();
        ask(place, home.path(), &ViewSelector::Revision("HEAD".to_owned())).unwrap();
        let month = std::time::Duration::from_secs(30 * 24 * 60 * 60);
        engine(place, home.path()).collect_garbage(month, &SilentObserver).unwrap();
        icr_engine::examine(&engine(place, home.path()));
    }
    let after = state();
    assert_eq!(before.0, after.0, "objects");
    assert_eq!(before.1, after.1, "status");
    assert_eq!(before.2, after.2, "refs");
    assert_eq!(before.3, after.3, "files");
    let kept = files_below(&fixture.root().join(".git/icr"), &[]);
    assert_eq!(kept, BTreeSet::from([fixture.root().join(".git/icr/repo-id")]));
}

#[test]
fn uncommitted_text_is_found_where_it_is_and_nowhere_else() {
    const MARKER: &str = "zyxwvutmarker";
    let (fixture, home) = (Fixture::generated(30), empty_home());
    let linked = fixture.worktree("linked", "HEAD");
    let found = |place: &Path| {
        let snapshot =
            engine(place, home.path()).ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).unwrap();
        let mode = SearchMode::Lexical;
        let search = SearchRequest { query: MARKER.to_owned(), limit: 9, mode, ..SearchRequest::default() };
        let grep = GrepRequest { pattern: MARKER.to_owned(), limit: 9, ..GrepRequest::default() };
        (
            icr_engine::search(&snapshot, &search).unwrap().results.len(),
            icr_engine::grep(&snapshot, &grep).unwrap().total_count,
        )
    };
    assert_eq!(found(fixture.root()), (0, 0));
    fixture.write(&format!("//- src/dirty_{MARKER}.rs\n/// {MARKER}.\nfn {MARKER}() {{}}\n"));
    let staged = format!("//- src/part_0/group_0/file_0.rs\nfn staged_{MARKER}() {{}}\n");
    fixture.write(&staged);
    fixture.git(&["add", "src/part_0/group_0/file_0.rs"]);
    assert_eq!(found(fixture.root()), (2, 3));
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_eq!(found(fixture.root()), (2, 3), "after a sync, which takes what is committed");
    assert_eq!(found(&linked), (0, 0));
    let holders = || {
        let holds =
            |path: &PathBuf| fs::read(path).unwrap().windows(MARKER.len()).any(|bytes| bytes == MARKER.as_bytes());
        files_below(home.path(), &[]).into_iter().filter(holds).collect::<Vec<_>>()
    };
    assert_eq!(holders(), Vec::<PathBuf>::new(), "uncommitted text in the store");
    fixture.commit("now it is committed");
    engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
    assert_ne!(holders(), Vec::<PathBuf>::new(), "committed text is seen where it is looked for");
}
