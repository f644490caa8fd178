//! Post-commit out of the way of a rebase, and back.

use std::fs;

use icr_hooks::{HookState, pause, resume, resume_after_rebase};

use crate::repository::{changed, installs, listing, repository, state, uninstalls, write_hook};

#[test]
fn a_pause_changes_nothing_for_good() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    installs(fixture.root(), false).unwrap();
    let before = listing(&hooks);
    assert!(!resume(&hooks).unwrap());
    assert!(pause(&hooks).unwrap());
    assert!(!hooks.join("post-commit").exists() && !pause(&hooks).unwrap());
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Installed);
    assert!(changed(&installs(fixture.root(), false).unwrap()).is_empty());
    assert!(resume(&hooks).unwrap() && !resume(&hooks).unwrap());
    assert_eq!(listing(&hooks), before);
}

#[test]
fn a_hook_that_others_have_a_part_in_is_not_paused() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    write_hook(&hooks, "post-commit", b"#!/bin/sh\necho mine\n", 0o755);
    assert!(!pause(&hooks).unwrap(), "another hook");
    installs(fixture.root(), false).unwrap();
    let before = listing(&hooks);
    assert!(!pause(&hooks).unwrap(), "another hook is run first");
    assert_eq!(listing(&hooks), before);
    assert!(!pause(&fixture.root().join("nowhere")).unwrap());
}

#[test]
fn a_hook_that_came_meanwhile_is_not_written_over() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    installs(fixture.root(), false).unwrap();
    pause(&hooks).unwrap();
    write_hook(&hooks, "post-commit", b"#!/bin/sh\necho mine\n", 0o755);
    assert!(!resume(&hooks).unwrap());
    assert_eq!(fs::read(hooks.join("post-commit")).unwrap(), b"#!/bin/sh\necho mine\n");
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Foreign);
}

#[test]
fn hooks_can_be_taken_out_during_a_pause() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    let before = listing(&hooks);
    installs(fixture.root(), false).unwrap();
    pause(&hooks).unwrap();
    uninstalls(fixture.root());
    assert_eq!(listing(&hooks), before);
    assert!(!resume(&hooks).unwrap());
}

#[test]
fn a_rebase_that_is_over_or_has_stopped_ends_the_pause() {
    let fixture = repository();
    let (git_dir, hooks) = (fixture.root().join(".git"), fixture.root().join(".git/hooks"));
    installs(fixture.root(), false).unwrap();
    pause(&hooks).unwrap();
    assert!(resume_after_rebase(&hooks, &git_dir).unwrap());
    pause(&hooks).unwrap();
    fixture.write("//- .git/rebase-merge/git-rebase-todo\npick\n//- .git/rebase-merge/stopped-sha\n1\n");
    assert!(resume_after_rebase(&hooks, &git_dir).unwrap());
    pause(&hooks).unwrap();
    fs::remove_file(git_dir.join("rebase-merge/stopped-sha")).unwrap();
    std::thread::scope(|scope| {
        let resumed = scope.spawn(|| resume_after_rebase(&hooks, &git_dir).unwrap());
        assert!(!hooks.join("post-commit").exists(), "git is at work");
        fs::remove_dir_all(git_dir.join("rebase-merge")).unwrap();
        assert!(resumed.join().unwrap());
    });
}
