//! Files that change together with a file.

use icr_engine::{Error, Freshness, Partners, PartnersRequest, SilentObserver, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{empty_home, engine};

fn ask(fixture: &Fixture, path: &str, limit: usize) -> Result<Partners, Error> {
    let home = empty_home();
    let request = PartnersRequest { path: path.to_owned(), limit };
    engine(fixture.root(), home.path()).answer(
        &ViewSelector::Worktree,
        &Freshness::default(),
        &SilentObserver,
        |snapshot| icr_engine::partners(snapshot, &request),
    )
}

/// Partners as `path count/confidence`, best first.
#[track_caller]
fn check(fixture: &Fixture, path: &str, expected: &str) {
    let found = ask(fixture, path, 10).unwrap();
    let shown = found.partners.iter().map(|found| format!("{} {}/{:.2}", found.path, found.count, found.confidence));
    assert_eq!(shown.collect::<Vec<_>>().join(", "), expected);
}

/// Commits, oldest first: names of files that each gets a new line.
fn grown(commits: &[&str]) -> Fixture {
    let fixture = Fixture::empty();
    for (at, names) in commits.iter().enumerate() {
        for name in names.split_whitespace() {
            let before = std::fs::read_to_string(fixture.root().join(name)).unwrap_or_default();
            fixture.write_bytes(name, format!("{before}line {at} of {name}\n").as_bytes());
        }
        fixture.commit("next");
    }
    fixture
}

#[test]
fn lock_files_and_change_logs_are_no_partners() {
    let commits = [
        "CHANGELOG.md",
        "src/a.rs tests/a.rs CHANGELOG.md Cargo.lock",
        "src/b.rs CHANGELOG.md",
        "src/a.rs tests/a.rs CHANGELOG.md Cargo.lock",
        "src/c.rs CHANGELOG.md",
        "src/a.rs CHANGELOG.md Cargo.lock",
        "src/b.rs",
        "src/c.rs CHANGELOG.md",
        "src/d.rs",
    ];
    let fixture = grown(&commits);
    check(&fixture, "src/a.rs", "tests/a.rs 2/0.67");
    check(&fixture, "src/c.rs", "");
    check(&fixture, "src/d.rs", "");
}

#[test]
fn history_is_followed_over_renames_and_files_that_are_gone_are_no_partners() {
    let fixture = grown(&["a t", "a t", "a gone", "x", "y"]);
    fixture.git(&["mv", "a", "b"]);
    fixture.delete("gone");
    fixture.commit("moved");
    let found = ask(&fixture, "b", 10).unwrap();
    assert_eq!((found.file.commit_count, found.commits_followed, found.commits_analyzed), (1, 4, 6));
    check(&fixture, "b", "t 2/0.50");
    check(&fixture, "t", "b 2/1.00");
    // A deleted file can be asked about; shells complete paths with `./`.
    check(&fixture, "gone", "b 2/1.00");
    check(&fixture, "./t", "b 2/1.00");
    assert_eq!(ask(&fixture, "t", 0).unwrap().partners, []);
}

#[test]
fn ties_are_ordered_by_path() {
    check(&grown(&["x", "m z b a", "y"]), "m", "a 1/1.00, b 1/1.00, z 1/1.00");
    // In a store where the numbers of the paths have another order.
    let fixture = grown(&["z", "m z b a", "y"]);
    fixture.delete("z");
    fixture.commit("one less");
    check(&fixture, "m", "a 1/1.00, b 1/1.00");
}

#[test]
fn a_path_that_nobody_knows_is_an_error_with_a_hint() {
    let fixture = grown(&["src/lib.rs a", "a"]);
    let error = ask(&fixture, "source/lib.rs", 10).unwrap_err();
    assert_eq!(error.to_string(), "`source/lib.rs` is not in the view of the worktree on `main`");
    assert_eq!(error.command_line_hints(), ["did you mean `src/lib.rs`?"]);
    assert!(matches!(ask(&fixture, ".env", 10), Err(Error::Secret { .. })));
    // An uncommitted file has no history, which is not an error.
    fixture.write("//- new\n1\n");
    let found = ask(&fixture, "new", 10).unwrap();
    assert_eq!((found.file.commit_count, found.file.last_modified, found.partners.len()), (0, None, 0));
}

#[test]
fn a_repository_without_commits_has_no_history() {
    let fixture = Fixture::empty();
    fixture.write("//- a\n1\n");
    let found = ask(&fixture, "a", 10).unwrap();
    assert_eq!((found.commits_analyzed, found.now), (0, None));
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_text_are_shown_and_taken_as_elsewhere() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new("//- x\n1\n");
    let path = fixture.root().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    for n in 0..2 {
        std::fs::write(&path, format!("{n}")).unwrap();
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit("both");
    }
    check(&fixture, "a", "odd\\377 2/1.00");
    check(&fixture, "odd\\377", "a 2/1.00");
}
