//! Where git looks for hooks, and whose place that is.

use std::fs;
use std::path::{Path, PathBuf};

use icr_fixture::Fixture;
use icr_hooks::{Error, HookState, HooksPlace, HooksReach};

use crate::repository::{changed, installs, listing, place, repository, state, uninstalls, write_hook};

/// Where `git` itself runs a hook of `root` from, told by a hook: hooks are put in, and this finds which of them git sees.
#[track_caller]
fn check(root: &Path, configured: Option<&str>, directory: &Path, reach: HooksReach, fixture: &Fixture) {
    if let Some(configured) = configured {
        fixture.git_in(root, &["config", "core.hooksPath", configured]);
    }
    let found = place(root);
    let canonical = |path: &Path| {
        fs::create_dir_all(path).unwrap();
        path.canonicalize().unwrap()
    };
    assert_eq!((canonical(&found.directory), found.reach), (canonical(directory), reach));
}

#[test]
fn the_directory_is_the_one_that_git_uses() {
    let fixture = repository();
    let (root, outside) = (fixture.root().to_owned(), fixture.home().join("hooks"));
    check(&root, None, &root.join(".git/hooks"), HooksReach::Clone, &fixture);
    check(&root, outside.to_str(), &outside, HooksReach::Outside, &fixture);
    check(&root, Some(".githooks"), &root.join(".githooks"), HooksReach::Project, &fixture);
    check(&root, Some(".git/other"), &root.join(".git/other"), HooksReach::Clone, &fixture);
    check(&root, Some("../beside"), &fixture.home().join("beside"), HooksReach::Outside, &fixture);
    fs::write(root.join(".gitignore"), ".local/\n").unwrap();
    check(&root, Some(".local/hooks"), &root.join(".local/hooks"), HooksReach::Clone, &fixture);
}

#[test]
fn worktrees_share_the_hooks_of_their_repository() {
    let fixture = repository();
    let worktree = fixture.worktree("other", "HEAD");
    check(&worktree, None, &fixture.root().join(".git/hooks"), HooksReach::Clone, &fixture);
    installs(&worktree, false).unwrap();
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Installed);
}

#[test]
fn bare_repositories_have_hooks_too() {
    let fixture = Fixture::bare();
    check(fixture.root(), None, &fixture.root().join("hooks"), HooksReach::Clone, &fixture);
    check(fixture.root(), Some("mine"), &fixture.root().join("mine"), HooksReach::Clone, &fixture);
}

#[test]
fn hooks_of_a_project_are_not_written_unasked() {
    let fixture = repository();
    write_hook(&fixture.root().join(".githooks"), "post-commit", b"#!/bin/sh\n", 0o755);
    fixture.commit("hooks");
    fixture.git(&["config", "core.hooksPath", ".githooks"]);
    let error = installs(fixture.root(), false).unwrap_err();
    let hint = error.hint().expect("the error says what to do");
    assert!(matches!(error, Error::NotOurs { .. }) && hint.contains("icr hook git EVENT \"$@\""), "{error}: {hint}");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert!(!changed(&installs(fixture.root(), true).unwrap()).is_empty());
    uninstalls(fixture.root());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[test]
fn hooks_are_not_written_through_links_out_of_the_repository() {
    let fixture = repository();
    let outside = fixture.home().join("bin");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(fixture.root().join("own")).unwrap();
    fixture.symlink(outside.to_str().unwrap(), ".githooks");
    fixture.symlink("own", ".links");
    fixture.commit("innocent");
    for configured in [".githooks", "./own/../.githooks", ".git/hooks"] {
        if configured == ".git/hooks" {
            fs::remove_dir_all(fixture.root().join(configured)).unwrap();
            std::os::unix::fs::symlink(&outside, fixture.root().join(configured)).unwrap();
        }
        fixture.git(&["config", "core.hooksPath", configured]);
        for force in [false, true] {
            let error = installs(fixture.root(), force).unwrap_err();
            assert!(matches!(&error, Error::LinkOut { place, .. } if *place == outside), "{configured}: {error}");
            assert!(error.hint().is_some());
        }
        assert!(listing(&outside).is_empty(), "{configured}");
    }
    fixture.git(&["config", "core.hooksPath", ".links"]);
    assert!(!changed(&installs(fixture.root(), true).unwrap()).is_empty());
}

#[test]
fn hooks_are_not_written_outside_of_the_repository_unasked() {
    let fixture = repository();
    let outside = fixture.home().join("bin");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, fixture.home().join("alias")).unwrap();
    let worktree = fixture.worktree("other", "HEAD");
    for configured in [outside.to_str().unwrap(), "../bin", "../alias"] {
        fixture.git(&["config", "core.hooksPath", configured]);
        for root in [fixture.root(), &worktree] {
            let error = installs(root, false).unwrap_err();
            assert!(matches!(error, Error::NotOurs { .. }), "{configured}: {error}");
            assert!(error.hint().is_some_and(|hint| hint.contains("`--force`")), "{configured}");
        }
        assert!(listing(&outside).is_empty(), "{configured}");
    }
    let report = installs(fixture.root(), true).unwrap();
    assert_eq!((report.reach, state(fixture.root(), "post-commit")), (HooksReach::Outside, HookState::Installed));
}

#[test]
fn hooks_that_were_put_in_before_the_directory_changed_are_taken_out_as_well() {
    let fixture = repository();
    let usual = fixture.root().join(".git/hooks");
    let before = listing(&usual);
    installs(fixture.root(), false).unwrap();
    fixture.git(&["config", "core.hooksPath", fixture.home().join("new").to_str().unwrap()]);
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Absent);
    assert!(!changed(&uninstalls(fixture.root())).is_empty());
    assert_eq!(listing(&usual), before);
}

#[test]
fn hooks_that_are_switched_off_are_not_switched_on() {
    let fixture = repository();
    fixture.git(&["config", "core.hooksPath", "/dev/null"]);
    let error = HooksPlace::find(fixture.root()).unwrap_err();
    assert!(matches!(error, Error::NotADirectory { .. }), "{error}");
}

#[test]
fn what_is_no_repository_is_an_error_in_the_words_of_git() {
    let directory: PathBuf = Fixture::empty().home().to_owned();
    assert!(matches!(HooksPlace::find(&directory), Err(Error::Git { .. })));
}
