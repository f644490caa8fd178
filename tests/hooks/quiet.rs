//! Errors of icr never change the result of git.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::world::{World, wait, write_program};

/// Commits in a world and checks git's output and exit code.
#[track_caller]
fn check_unnoticed(world: &World) {
    world.fixture.write("//- more.rs\nfn more() {}\n");
    world.git(&["add", "-A"]);
    let output = world.run(world.root(), "git", &["commit", "-qm", "more"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_program_that_is_gone_is_not_missed() {
    let world = World::new();
    fs::remove_file(world.fixture.home().join("programs/icr")).unwrap();
    let hook = world.root().join(".git/hooks/post-commit");
    let text = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, text.replace(env!("CARGO_BIN_EXE_icr"), "/nowhere/icr")).unwrap();
    check_unnoticed(&world);
}

#[test]
fn a_program_of_the_same_name_that_makes_noise_and_fails_is_not_heard() {
    let world = World::new();
    write_program(&world.fixture.home().join("programs/icr"), "#!/bin/sh\necho out; echo err >&2; cat; exit 9\n");
    check_unnoticed(&world);
}

#[test]
fn nothing_is_called_when_hooks_are_disabled() {
    let world = World::new().with_variable("ICR_DISABLE_HOOKS", "1");
    check_unnoticed(&world);
    assert!(world.calls().is_empty(), "the script starts nothing");
    // Also not where no script stands before it.
    world.icr(world.root(), &["hook", "git", "post-commit"]);
    let engine = world.engine(world.root());
    world.rests(&engine);
    assert!(!engine.store().follows_head().unwrap());
}

#[test]
fn the_configuration_switches_hooks_off() {
    let world = World::new();
    world.fixture.write("//- .icr.toml\n[hooks]\nenabled = false\n");
    check_unnoticed(&world);
    world.events(0, 1);
    world.icr(world.root(), &["hook", "git", "post-commit"]);
    let engine = world.engine(world.root());
    world.rests(&engine);
    assert!(!engine.store().follows_head().unwrap());
}

/// Content of the hooks' log, once it is not empty.
#[track_caller]
fn logged(home: &Path) -> String {
    let log = home.join("logs/hooks.log");
    wait("a failure is logged", || fs::metadata(&log).is_ok_and(|file| file.len() > 0));
    fs::read_to_string(log).unwrap()
}

#[test]
fn a_home_that_cannot_be_written_is_silent() {
    let world = World::new();
    let home = world.fixture.home().join("a file");
    fs::write(&home, "").unwrap();
    let world = world.with_variable("ICR_HOME", home.to_str().unwrap());
    check_unnoticed(&world);
    for arguments in [&["hook", "git", "post-commit"][..], &["hook", "serve"], &["hook", "git"]] {
        let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), arguments);
        assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_store_that_cannot_be_written_is_a_line_of_the_log() {
    let world = World::new();
    let store = world.engine(world.root()).store().directory().to_owned();
    // If something blocks a part of the store, it is repaired; if something blocks the whole store, nothing can be
    // made.
    fs::remove_dir_all(&store).unwrap();
    fs::write(&store, "").unwrap();
    check_unnoticed(&world);
    let log = logged(&world.home());
    assert!(log.contains(" post-commit ") && log.lines().count() == 1, "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn outside_of_a_repository_a_hook_is_a_line_of_the_log() {
    let world = World::new();
    let output = world.run(world.fixture.home(), env!("CARGO_BIN_EXE_icr"), &["hook", "git", "post-commit", "--json"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    assert!(logged(&world.home()).contains("is not inside a git repository"));
}

#[test]
fn a_broken_configuration_is_a_line_of_the_log() {
    let world = World::new();
    fs::write(world.home().join("config.toml"), "[hooks\n").unwrap();
    check_unnoticed(&world);
    assert!(logged(&world.home()).contains("not TOML"));
}

#[test]
fn a_repository_that_is_gone_when_its_turn_comes_is_a_line_of_the_log() {
    let world = World::new();
    let engine = world.engine(world.root());
    let gone = world.fixture.home().join("gone");
    let queue = engine.store().directory().join("queue");
    fs::write(queue.join("00000000000000ff"), gone.to_str().unwrap()).unwrap();
    check_unnoticed(&world);
    world.follows(world.root());
    let log = logged(&world.home());
    assert!(log.contains(" serve ") && log.contains(gone.to_str().unwrap()), "{log}");
}

/// Whoever waits for the end of git's output, or of a descriptor that git inherits, waits for git alone.
#[test]
fn nothing_that_was_open_stays_open() {
    let world = World::new();
    world.fixture.write("//- more.rs\nfn more() {}\n");
    world.git(&["add", "-A"]);
    write_program(&world.fixture.home().join("programs/icr"), "#!/bin/sh\nread line < \"$HOLD\"\n");
    let hold = world.fixture.home().join("hold");
    assert!(world.run(world.root(), "mkfifo", &[&hold]).status.success());
    let world = world.with_variable("HOLD", hold.to_str().unwrap());
    // `3>&1`: as a test runner does that waits for whoever holds a copy of its pipe.
    let mut command = world.command(world.root(), "sh");
    command.args(["-c", "git commit -qm more 3>&1"]).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success() && text.is_empty(), "{text}");
    // The process that the hook started is still running, and ends when it is allowed to.
    fs::write(&hold, "go\n").unwrap();
}
