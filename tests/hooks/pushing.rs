//! Before a push, one line for each ref says what it changes, if the user enabled that. No push is stopped.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use icr_fixture::Fixture;

use crate::world::World;

/// A function and a file that calls it.
const PROJECT: &str = "//- pyproject.toml
[project]
name = \"floors\"
//- src/floors/__init__.py
//- src/floors/rooms.py
from floors.shapes import area

def room():
    return area(2, 3)
//- src/floors/shapes.py
def area(width, height):
    return width * height
";

/// The function under another name.
const RENAMED: &str = "//- src/floors/shapes.py
def surface(width, height):
    return width * height
";

/// Text of the line about the new name.
const TOLD: &str = "breaking: 1 file changed: 1 broken contract with users that are not updated, 1 file to re-check";

/// An indexed repository. Pre-push is the only hook that runs here. Its remote has the first commit and a default
/// branch.
fn world() -> World {
    let world = World::of(Fixture::new(PROJECT));
    let remote = remote(&world);
    world.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    world.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    world.git(&["push", "-q", "origin", "main"]);
    world.git(&["remote", "set-head", "origin", "main"]);
    world.icr(world.root(), &["hooks", "install", "--pre-push", "--set", "git.hooks=post-applypatch"]);
    world.icr(world.root(), &["index", "-q"]);
    world
}

fn remote(world: &World) -> PathBuf {
    world.fixture.home().join("remote.git")
}

/// The output of a push, without git's own lines.
#[track_caller]
fn pushes(world: &World, arguments: &[&str]) -> String {
    let output = world.run(world.root(), "git", &[&["push", "-q", "origin"], arguments].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    said
}

/// The abbreviated id of a revision.
#[track_caller]
fn id(world: &World, revision: &str) -> String {
    world.git(&["rev-parse", revision])[..12].to_owned()
}

/// What is in the log of hooks.
fn log(world: &World) -> String {
    fs::read_to_string(world.home().join("logs/hooks.log")).unwrap_or_default()
}

#[test]
fn pre_push_is_put_in_when_it_is_asked_for_and_taken_out_with_the_others() {
    let world = World::new();
    let hook = world.root().join(".git/hooks/pre-push");
    assert!(!hook.exists());
    let said = world.icr(world.root(), &["hooks", "install", "--pre-push"]);
    assert!(said.contains("  pre-push         written: installed\n") && hook.is_file(), "{said}");
    let said = world.icr(world.root(), &["hooks", "status"]);
    assert!(said.contains("  pre-push         installed\n"), "{said}");
    world.icr(world.root(), &["hooks", "uninstall"]);
    assert!(!hook.exists());
}

#[test]
fn a_line_says_what_a_push_changes_and_keeps_nothing_back() {
    let world = world();
    assert_eq!(pushes(&world, &["main"]), "", "nothing new");
    world.commits(RENAMED);
    let range = format!("{}..{}", id(&world, "HEAD~1"), id(&world, "HEAD"));
    assert_eq!(pushes(&world, &["main"]), format!("icr: main: {TOLD} (icr impact {range})\n"));
    assert_eq!(world.git_in(&remote(&world), &["rev-parse", "main"]), world.git(&["rev-parse", "HEAD"]));
    assert!(!world.engine(world.root()).store().follows_head().unwrap(), "the store is read only");
    assert_eq!(log(&world), "");
}

#[test]
fn a_new_ref_is_compared_with_the_nearest_commit_of_the_remote() {
    let world = world();
    // A clone knows a default branch only if somebody set it.
    world.git(&["remote", "set-head", "origin", "--delete"]);
    world.git(&["checkout", "-qb", "topic"]);
    world.commits(RENAMED);
    world.git(&["tag", "light"]);
    world.git(&["tag", "-a", "-m", "a tag", "heavy"]);
    let range = |base: &str, head: &str| format!("{}..{}", id(&world, base), id(&world, head));
    let told = |name: &str| format!("icr: {name}: {TOLD} (icr impact {})\n", range("main", name));
    assert_eq!(pushes(&world, &["topic"]), told("topic"));
    assert_eq!(pushes(&world, &["main:same", "light", "heavy"]), "", "the remote has their commits");
    assert_eq!(pushes(&world, &[":topic"]), "", "it is deleted");
    world.git_in(&remote(&world), &["tag", "-d", "light", "heavy"]);
    assert_eq!(pushes(&world, &["heavy"]), told("heavy"));
    // A branch on top of a branch.
    assert_eq!(pushes(&world, &["topic"]), told("topic"));
    world.commits("//- src/floors/halls.py\ndef hall():\n    return 1\n");
    world.git(&["branch", "further"]);
    let said = pushes(&world, &["further"]);
    assert!(said.ends_with(&format!("(icr impact {})\n", range("topic~1", "further"))), "{said}");
    assert_eq!(log(&world), "");
}

#[test]
fn a_new_ref_of_which_the_remote_is_not_known_to_have_anything_says_so() {
    let world = world();
    world.git(&["checkout", "-q", "--orphan", "apart"]);
    world.commits(RENAMED);
    assert_eq!(
        pushes(&world, &["apart"]),
        "icr: apart: not compared: it shares no commit with the branches of the remote that are known in this clone\n"
    );
    world.git(&["remote", "set-head", "origin", "--delete"]);
    for name in ["apart", "main"] {
        world.git(&["update-ref", "-d", &format!("refs/remotes/origin/{name}")]);
    }
    world.git(&["branch", "another"]);
    assert_eq!(
        pushes(&world, &["another"]),
        "icr: another: not compared: no branch of the remote is known in this clone\n"
    );
    let blob = world.git(&["rev-parse", "HEAD:pyproject.toml"]);
    world.git(&["tag", "of-a-blob", &blob]);
    assert_eq!(pushes(&world, &["of-a-blob"]), "icr: of-a-blob: not compared: it is no commit\n");
    assert_eq!(log(&world), "");
}

#[test]
fn no_more_than_three_refs_are_told() {
    let world = world();
    world.commits(RENAMED);
    let branches = ["one", "two", "three", "four", "five"];
    branches.iter().for_each(|branch| drop(world.git(&["branch", branch])));
    let said = pushes(&world, &branches);
    let lines: Vec<_> = said.lines().collect();
    assert!(lines.len() == 4 && lines[..3].iter().all(|line| line.contains(TOLD)), "{said}");
    assert_eq!(lines[3], "icr: 2 more refs were not looked at");
}

#[test]
fn a_commit_that_was_never_fetched_is_nothing_to_compare_with() {
    let world = world();
    let theirs = [
        &["-c", "user.name=a", "-c", "user.email=a@example.org"][..],
        &["commit-tree", "-m", "theirs", "-p", "main", "main^{tree}"],
    ];
    let theirs = world.git_in(&remote(&world), &theirs.concat());
    world.git_in(&remote(&world), &["update-ref", "refs/heads/main", &theirs]);
    world.commits(RENAMED);
    assert_eq!(pushes(&world, &["--force", "main"]), "");
    assert_eq!(log(&world), "");
}

#[test]
fn without_an_index_one_is_made_in_the_background() {
    let world = world();
    fs::remove_dir_all(world.home()).unwrap();
    world.commits(RENAMED);
    let said = "icr: nothing compared: this repository is being indexed in the background\n";
    assert_eq!(pushes(&world, &["main"]), said);
    world.follows(world.root());
    assert_eq!(log(&world), "");
}

#[test]
fn the_configuration_switches_it_off() {
    let world = world();
    world.fixture.write("//- .icr.toml\n[hooks]\nenabled = false\n");
    world.commits(RENAMED);
    assert_eq!(pushes(&world, &["main"]), "");
}

#[test]
fn a_failure_is_a_line_of_the_log() {
    let world = world();
    fs::write(world.home().join("config.toml"), "[hooks\n").unwrap();
    world.commits(RENAMED);
    assert_eq!(pushes(&world, &["main"]), "");
    let log = log(&world);
    assert!(log.contains(" pre-push ") && log.contains("not TOML") && log.lines().count() == 1, "{log}");
}

#[test]
fn a_push_waits_five_seconds_at_most() {
    let world = world();
    let mut command = world.command(world.root(), env!("CARGO_BIN_EXE_icr"));
    command.args(["hook", "git", "pre-push", "origin", "url"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The standard input stays open.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    assert!(log(&world).ends_with(" pre-push given up after 5 s\n"), "{}", log(&world));
}
