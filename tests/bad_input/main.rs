//! Answers of the engine when files change while it works. Odd repositories, contents and questions are tested with the
//! program.

use icr_engine::{
    Error, Freshness, Gap, GrepRequest, ReadRequest, SearchMode, SearchRequest, SilentObserver, Snapshot,
    SymbolRequest, ViewSelector,
};
use icr_fixture::Fixture;

/// Takes a snapshot of a worktree with an edit, makes `change` in that worktree, and asks the snapshot.
#[track_caller]
fn changed_after(change: impl FnOnce(&Fixture)) {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n");
    fixture.write("//- a.rs\nfn capstan() {}\n");
    let home = icr_tests::empty_home();
    let engine = icr_tests::engine(fixture.root(), home.path());
    let snapshot =
        engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).expect("the fixture is in order");
    change(&fixture);
    check(&snapshot);
}

/// Every answer describes the file by its known facts, leaves out its text, and says so.
#[track_caller]
fn check(snapshot: &Snapshot) {
    let unreadable = [Gap::Unreadable { files: 1 }];
    let request = SearchRequest { query: "capstan".to_owned(), limit: 5, ..SearchRequest::default() };
    let found = icr_engine::search(snapshot, &SearchRequest { mode: SearchMode::Lexical, ..request });
    let found = found.expect("a search needs no text");
    let paths: Vec<(&str, &str)> = found.results.iter().map(|hit| (hit.path.as_str(), hit.preview.as_str())).collect();
    assert_eq!((paths.as_slice(), found.gaps.as_slice()), ([("a.rs", "")].as_slice(), unreadable.as_slice()));
    let found = icr_engine::symbols(
        snapshot,
        &SymbolRequest { query: "capstan".to_owned(), limit: 5, ..SymbolRequest::default() },
    );
    let found = found.expect("names are in the facts");
    assert_eq!((found.symbols[0].signature.as_str(), found.gaps.as_slice()), ("", unreadable.as_slice()));
    let found =
        icr_engine::grep(snapshot, &GrepRequest { pattern: "fn".to_owned(), limit: 5, ..GrepRequest::default() });
    let found = found.expect("the other file can be read");
    let paths: Vec<&str> = found.results.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!((paths.as_slice(), found.gaps.as_slice()), (["b.rs"].as_slice(), unreadable.as_slice()));
    let read = |path: &str| {
        icr_engine::read(
            snapshot,
            &ReadRequest { path: path.to_owned(), start_line: None, end_line: None, max_lines: u32::MAX },
        )
    };
    assert!(matches!(read("a.rs"), Err(Error::Changed { .. } | Error::Git(_))), "{:?}", read("a.rs"));
    assert_eq!(read("b.rs").expect("it did not change").content, "fn buoy() {}\n");
}

#[test]
fn a_file_that_is_edited_after_it_was_indexed() {
    changed_after(|fixture| fixture.write("//- a.rs\nfn dinghy() {}\n"));
}

#[test]
fn a_file_that_is_deleted_after_it_was_indexed() {
    changed_after(|fixture| fixture.delete("a.rs"));
}

#[test]
fn a_file_that_becomes_a_link_after_it_was_indexed() {
    changed_after(|fixture| {
        fixture.delete("a.rs");
        fixture.symlink("/etc/passwd", "a.rs");
    });
}
