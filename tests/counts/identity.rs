//! Which store a repository uses after various changes to it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use icr_engine::{IdRecording, LocatedRepository, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{ask, ask_fresh, empty_home};

#[track_caller]
fn id(start: &Path, home: &Path) -> String {
    let id = LocatedRepository::find(start).unwrap().repo_id(home, None, IdRecording::Allowed).unwrap();
    assert!(id.len() == 16 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{id}");
    id
}

/// The id as it is found without a recorded one.
#[track_caller]
fn computed(start: &Path) -> String {
    for directory in [start.join(".git/icr"), start.join("icr")] {
        let _ = fs::remove_dir_all(directory);
    }
    id(start, empty_home().path())
}

#[test]
fn the_id_is_that_of_the_history_whatever_is_done_to_it() {
    let (fixture, home) = (Fixture::new("//- a.rs\nfn a() {}\n"), empty_home());
    let first = id(fixture.root(), home.path());
    let check = |when: &str| {
        assert_eq!(id(fixture.root(), home.path()), first, "{when}");
        assert_eq!(computed(fixture.root()), first, "{when}, computed again");
    };
    fixture.write("//- b.rs\nfn b() {}\n");
    fixture.commit("second");
    check("after a commit");
    fixture.git(&["commit", "-q", "--amend", "-m", "another message"]);
    check("after amending the tip");
    fixture.git(&["switch", "-q", "-c", "topic"]);
    check("on another branch");
    fixture.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    check("detached");
    fixture.git(&["gc", "-q"]);
    fixture.git(&["pack-refs", "--all"]);
    check("with packed refs");
    let linked = fixture.worktree("linked", "main");
    assert_eq!(id(&linked, home.path()), first, "in a linked worktree");
    assert_eq!(id(&fixture.clone_to("clone", &[]), empty_home().path()), first, "in a clone");
    fixture.git(&["switch", "-q", "topic"]);
    id(fixture.root(), home.path());
    fixture.git(&["switch", "-q", "--orphan", "orphan"]);
    assert_eq!(id(fixture.root(), home.path()), first, "on an unborn orphan branch");
    fixture.write("//- c.rs\nfn c() {}\n");
    fixture.commit("a root of its own");
    assert_eq!(id(fixture.root(), home.path()), first, "on an orphan branch");
}

#[test]
fn the_id_stays_when_the_directory_is_moved() {
    let (fixture, home) = (Fixture::new("//- a.rs\nfn a() {}\n"), empty_home());
    let moved = fixture.home().join("moved");
    let clone = fixture.clone_to("clone", &[]);
    let first = id(&clone, home.path());
    fs::rename(&clone, &moved).unwrap();
    assert_eq!(id(&moved, home.path()), first);
    assert_eq!(computed(&moved), first);
}

#[test]
fn unrelated_repositories_have_different_ids() {
    let (one, other) = (Fixture::new("//- a.rs\nfn a() {}\n"), Fixture::new("//- a.rs\nfn b() {}\n"));
    let home = empty_home();
    assert_ne!(id(one.root(), home.path()), id(other.root(), home.path()));
}

#[test]
fn an_id_given_without_history_stays() {
    let (fixture, home) = (Fixture::empty(), empty_home());
    let unborn = id(fixture.root(), home.path());
    assert_ne!(unborn, id(Fixture::empty().root(), home.path()), "two empty repositories are not one");
    fixture.write("//- a.rs\nfn a() {}\n");
    fixture.commit("first");
    assert_eq!(id(fixture.root(), home.path()), unborn, "after the first commit");
    fixture.write("//- a.rs\nfn b() {}\n");
    fixture.commit("second");
    let shallow = fixture.clone_to("shallow", &["--depth=1"]);
    let cut = id(&shallow, home.path());
    fixture.git_in(&shallow, &["fetch", "-q", "--unshallow"]);
    assert_eq!(id(&shallow, home.path()), cut, "after the rest of history was fetched");
}

#[test]
fn a_recorded_id_that_is_none_is_ignored() {
    let (fixture, home) = (Fixture::new("//- a.rs\nfn a() {}\n"), empty_home());
    let expected = id(fixture.root(), empty_home().path());
    let record = fixture.root().join(".git/icr/repo-id");
    let long = "0123456789abcdef".repeat(1_000);
    for hostile in
        ["../../../../etc", "../../0123456789", "0123456789ABCDEF", "", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &long]
    {
        fs::write(&record, hostile).unwrap();
        assert_eq!(id(fixture.root(), home.path()), expected, "{:?}", hostile.get(..16));
        ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap();
        let stores: Vec<_> =
            fs::read_dir(home.path().join("repos")).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(stores, [expected.as_str()]);
    }
    fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &record).unwrap();
    assert_eq!(id(fixture.root(), home.path()), expected, "a link");
}

#[test]
fn a_git_directory_that_cannot_be_written_is_read() {
    let (fixture, home) = (Fixture::new("//- a.rs\nfn parse_token() {}\n"), empty_home());
    let expected = ask_fresh(fixture.root(), &ViewSelector::Worktree).unwrap();
    let first = id(fixture.root(), home.path());
    let _ = fs::remove_dir_all(fixture.root().join(".git/icr"));
    let git_dir = fixture.root().join(".git");
    fs::set_permissions(&git_dir, fs::Permissions::from_mode(0o555)).unwrap();
    // Permissions do not stop root, so a file in the place of the directory is used to make writing fail.
    let writable = fs::create_dir(git_dir.join("icr")).is_ok();
    if writable {
        fs::remove_dir(git_dir.join("icr")).unwrap();
        fs::write(git_dir.join("icr"), "in the way").unwrap();
    }
    assert_eq!(id(fixture.root(), home.path()), first);
    let found = ask(fixture.root(), home.path(), &ViewSelector::Worktree).unwrap();
    fs::set_permissions(&git_dir, fs::Permissions::from_mode(0o755)).unwrap();
    found.assert_equal(&expected, "with a git directory that cannot be written");
    assert!(!git_dir.join("icr/repo-id").exists());
}
