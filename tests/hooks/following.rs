//! After every git operation the index follows HEAD by itself.

use std::fs;
use std::path::Path;

use icr_engine::{ServedBy, SilentObserver};
use icr_fixture::Fixture;

use crate::world::{World, wait, write_program};

/// Runs git commands one after the other with other hooks present; after each the index follows by itself, and the hooks that
/// were there before have run as often as git ran them.
#[test]
fn the_index_follows_a_day_of_work() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n"));
    let hooks = world.root().join(".git/hooks");
    let seen = world.fixture.home().join("seen");
    for event in ["post-commit", "post-checkout", "post-merge", "post-rewrite"] {
        write_program(&hooks.join(event), &format!("#!/bin/sh\necho {event} >> '{}'\n", seen.display()));
    }
    world.installs(world.root());
    let mut expected = String::new();
    let mut does = |arguments: &[&str], ran: &[&str]| {
        world.git(arguments);
        world.follows(world.root());
        ran.iter().for_each(|event| expected.push_str(&format!("{event}\n")));
        assert_eq!(fs::read_to_string(&seen).unwrap_or_default(), expected, "after `git {}`", arguments.join(" "));
    };
    let writes = |files: &str| {
        world.fixture.write(files);
        world.git(&["add", "-A"]);
    };
    writes("//- c.rs\nfn capstan() {}\n");
    does(&["commit", "-qm", "second"], &["post-commit"]);
    writes("//- c.rs\nfn davit() {}\n");
    does(&["commit", "-q", "--amend", "-m", "again"], &["post-commit", "post-rewrite"]);
    does(&["checkout", "-qb", "topic", "HEAD~1"], &["post-checkout"]);
    writes("//- t.rs\nfn topsail() {}\n");
    does(&["commit", "-qm", "topic"], &["post-commit"]);
    does(&["checkout", "-q", "main"], &["post-checkout"]);
    does(&["checkout", "-q", "topic", "--", "t.rs"], &["post-checkout"]);
    does(&["stash", "-q"], &[]);
    does(&["merge", "-q", "--no-edit", "topic"], &["post-merge"]);
    does(&["stash", "drop", "-q"], &[]);
    does(&["switch", "-q", "topic"], &["post-checkout"]);
    writes("//- u.rs\nfn upperdeck() {}\n");
    does(&["commit", "-qm", "more"], &["post-commit"]);
    does(&["checkout", "-q", "-B", "side", "main~1"], &["post-checkout"]);
    writes("//- s.rs\nfn stanchion() {}\n");
    does(&["commit", "-qm", "side"], &["post-commit"]);
    does(&["rebase", "-q", "topic"], &["post-checkout", "post-commit", "post-commit", "post-rewrite"]);
    does(&["checkout", "-q", "main"], &["post-checkout"]);
    does(&["cherry-pick", "side"], &["post-commit"]);
    does(&["reset", "-q", "--soft", "HEAD"], &[]);
}

#[test]
fn a_new_worktree_and_what_is_committed_there_are_followed() {
    let world = World::new();
    let other = world.fixture.home().join("other worktree");
    world.git(&["worktree", "add", "-q", "-b", "other", other.to_str().unwrap()]);
    world.follows(&other);
    fs::write(other.join("w.rs"), "fn windlass() {}\n").unwrap();
    world.git_in(&other, &["add", "-A"]);
    world.git_in(&other, &["commit", "-qm", "there"]);
    world.follows(&other);
    world.follows(world.root());
    assert_eq!(world.events(0, 2), ["post-checkout", "post-commit"]);
}

#[test]
fn a_push_into_a_bare_repository_and_into_a_worktree_is_followed() {
    let world = World::new();
    let bare = world.fixture.home().join("bare.git");
    world.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    world.installs(&bare);
    world.commits("//- p.rs\nfn pushed() {}\n");
    world.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
    world.follows(&bare);
    let worktree = world.fixture.clone_to("clone", &[]);
    world.git_in(&worktree, &["config", "receive.denyCurrentBranch", "updateInstead"]);
    world.installs(&worktree);
    world.commits("//- q.rs\nfn quay() {}\n");
    world.git(&["push", "-q", worktree.to_str().unwrap(), "main"]);
    world.follows(&worktree);
    assert!(worktree.join("q.rs").is_file());
}

#[test]
fn a_configured_directory_of_hooks_is_used() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    world.git(&["config", "core.hooksPath", ".git/own hooks"]);
    world.installs(world.root());
    assert!(world.root().join(".git/own hooks/post-commit").is_file());
    world.commits("//- b.rs\nfn buoy() {}\n");
    world.follows(world.root());
}

#[test]
fn a_rebase_is_one_run_and_so_is_a_series_of_patches() {
    let world = World::new();
    world.git(&["checkout", "-qb", "topic"]);
    for number in 0..5 {
        world.commits(&format!("//- t{number}.rs\nfn t{number}() {{}}\n"));
    }
    let patches = world.fixture.home().join("patches");
    world.git(&["format-patch", "-q", "-5", "-o", patches.to_str().unwrap()]);
    world.git(&["checkout", "-q", "main"]);
    world.commits("//- m.rs\nfn mizzen() {}\n");
    world.git(&["checkout", "-q", "topic"]);
    world.follows(world.root());
    let one = |from: usize, events: &[&str]| {
        world.follows(world.root());
        // A later command: if the earlier one had caused more calls, they would have come before.
        world.git(&["checkout", "-q", "--detach"]);
        assert_eq!(world.events(from, events.len() + 1), [events, &["post-checkout"]].concat());
        world.follows(world.root());
        from + events.len() + 1
    };
    let from = 9;
    world.events(0, from);
    world.git(&["rebase", "-q", "main"]);
    // A rebase begins with a checkout, which moves post-commit out of the way and is itself not followed.
    let from = one(from, &["post-checkout", "post-rewrite"]);
    world.icr(world.root(), &["hooks", "install", "--set", "git.hooks=post-applypatch"]);
    world.git(&["checkout", "-q", "main"]);
    let mut arguments = vec!["am".to_owned(), "-q".to_owned()];
    let mut files: Vec<_> = fs::read_dir(&patches).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    arguments.extend(files.iter().map(|file| file.to_str().unwrap().to_owned()));
    world.events(from, 1);
    world.git(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let from = one(from + 1, &["post-applypatch"]);
    // A rebase that only moves forward ends before its last hook would run.
    world.git(&["checkout", "-q", "-B", "behind", "main~3"]);
    world.events(from, 1);
    world.git(&["rebase", "-q", "main"]);
    one(from + 1, &["post-checkout"]);
}

#[test]
fn a_rebase_runs_without_post_commit_and_gives_it_back() {
    let world = World::new();
    let hook = world.root().join(".git/hooks/post-commit");
    world.git(&["checkout", "-qb", "topic"]);
    world.commits("//- a.rs\nfn capstan() {}\n");
    world.commits("//- c.rs\nfn davit() {}\n");
    world.git(&["checkout", "-q", "main"]);
    world.commits("//- a.rs\nfn buoy() {}\n");
    world.git(&["checkout", "-q", "topic"]);
    let rebase = ["rebase", "-q", "main", "--exec", "test -e .git/hooks/post-commit || echo away"];
    assert!(!world.run(world.root(), "git", &rebase).status.success(), "it stops at a conflict");
    wait("the hook is back where the rebase has stopped", || hook.is_file());
    world.git(&["rebase", "--abort"]);
    let said = world.git(&[&rebase[..], &["-X", "theirs"]].concat());
    assert!(said.starts_with("away"), "while commits are made: {said:?}");
    wait("the hook is back where the rebase has ended", || hook.is_file());
    world.follows(world.root());
    assert!(world.icr(world.root(), &["hooks", "status"]).contains("post-commit      installed\n"));
}

#[test]
fn many_events_become_few_runs_and_end_at_head() {
    let world = World::new();
    let engine = world.engine(world.root());
    let store = engine.store().directory().to_owned();
    let lock = fs::File::options().write(true).open(store.join("lock")).unwrap();
    lock.lock().unwrap();
    for number in 0..20 {
        world.commits(&format!("//- n{number}.rs\nfn n{number}() {{}}\n"));
    }
    // While another process writes the store, hooks leave a request and start nothing.
    assert_eq!(world.events(0, 20), ["post-commit"; 20]);
    wait("requests are written", || fs::read_dir(store.join("queue")).unwrap().count() == 1);
    assert!(!engine.store().follows_head().unwrap());
    lock.unlock().unwrap();
    world.commits("//- last.rs\nfn last() {}\n");
    world.follows(world.root());
    let report = world.icr(world.root(), &["index", "--json"]);
    for nothing in [r#""blobs_read": 0"#, r#""commits_read": 0"#, r#""live_added": 0"#] {
        assert!(report.contains(nothing), "{report}");
    }
}

#[test]
fn requests_of_one_worktree_are_one_piece_of_work() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n"));
    let engine = world.engine(world.root());
    for _ in 0..20 {
        assert_eq!(engine.sync_requests().leave().unwrap(), ServedBy::Nobody);
    }
    let lock = fs::File::options().write(true).open(engine.store().directory().join("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(engine.sync_requests().leave().unwrap(), ServedBy::Writer);
    assert!(engine.sync_requests().serve(&SilentObserver).unwrap().is_empty(), "the writer serves");
    lock.unlock().unwrap();
    let served = engine.sync_requests().serve(&SilentObserver).unwrap();
    let work: Vec<_> =
        served.iter().map(|served| (&*served.worktree, served.outcome.as_ref().unwrap().blobs_read)).collect();
    assert_eq!(work, [(world.root(), 2)]);
    assert!(
        engine.store().follows_head().unwrap() && engine.sync_requests().serve(&SilentObserver).unwrap().is_empty()
    );
}

#[test]
fn a_hook_that_another_program_calls_decides_as_the_script_does() {
    let world = World::new();
    world.icr(world.root(), &["hooks", "uninstall"]);
    world.commits("//- c.rs\nfn capstan() {}\n");
    let hook = |arguments: &[&str]| {
        let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), &[&["hook", "git"], arguments].concat());
        assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    };
    let engine = world.engine(world.root());
    hook(&["post-checkout", "a", "b", "0"]);
    hook(&["post-merge", "1"]);
    hook(&["post-rewrite", "amend"]);
    world.rests(&engine);
    assert!(!engine.store().follows_head().unwrap());
    hook(&["post-commit"]);
    world.follows(world.root());
}

#[test]
fn the_program_is_found_where_it_was_when_the_path_has_none() {
    let world = World::new();
    fs::remove_file(world.fixture.home().join("programs/icr")).unwrap();
    world.commits("//- c.rs\nfn capstan() {}\n");
    world.follows(world.root());
    assert!(world.calls().is_empty());
    assert!(Path::new(env!("CARGO_BIN_EXE_icr")).is_absolute());
}
