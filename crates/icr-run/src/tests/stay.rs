//! Processes that would outlive their command.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::worktree::{NAMESPACES, Worktree, has, run};
use crate::{CommandStatus, SandboxMeans};

/// With a pid namespace; without, with Landlock; without both.
const WITHOUT: [&[SandboxMeans]; 3] = [
    &[],
    &[SandboxMeans::PidNamespace],
    &[SandboxMeans::PidNamespace, SandboxMeans::Landlock, SandboxMeans::PrivateView],
];

/// A number of seconds that no other process of this machine sleeps.
fn unique_seconds(number: u32) -> String {
    format!("{}.{number}", 1_000_000 + std::process::id())
}

/// Processes of this machine that `sleep` for `seconds`.
fn sleepers(seconds: &str) -> usize {
    let lines = fs::read_dir("/proc").expect("it is there").flatten();
    let lines = lines.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| *line == [b"sleep\0", seconds.as_bytes(), b"\0"].concat()).count()
}

/// Waits until as many processes as `expected` sleep for `seconds`; `false` when it takes ten seconds.
fn comes_to(expected: usize, seconds: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if sleepers(seconds) == expected {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// Runs a script, in which `SLEEP` is a sleep that is never over, and none is left when it has ended.
#[track_caller]
fn check(number: u32, script: &str, expected: Option<CommandStatus>) {
    for (round, without) in WITHOUT.into_iter().enumerate() {
        let worktree = Worktree::new();
        let seconds = unique_seconds(number * 10 + round as u32);
        let script = script.replace("SLEEP", &format!("sleep {seconds}"));
        let mut command = worktree.command(&["sh", "-c", &script]);
        command.without = without.to_vec();
        command.timeout = Duration::from_millis(if expected == Some(CommandStatus::TimedOut) { 700 } else { 20_000 });
        let outcome = run(&command).expect("it was run");
        assert_eq!(sleepers(&seconds), 0, "without {without:?}: {outcome:?}");
        if let Some(expected) = expected {
            assert_eq!(outcome.status, expected, "without {without:?}: {outcome:?}");
        }
        let means = if without.is_empty() { SandboxMeans::PidNamespace } else { SandboxMeans::Supervisor };
        let processes = &outcome.sandbox.processes;
        assert!(processes.by.contains(&means) || !processes.missing.is_empty(), "{processes:?}");
    }
}

#[test]
fn a_child_in_the_background_ends_with_the_command() {
    check(1, "SLEEP & SLEEP & exit 3", Some(CommandStatus::Exited(3)));
}

#[test]
fn what_forks_and_sleeps_ends_with_its_time() {
    check(2, "SLEEP & (SLEEP & SLEEP) & wait", Some(CommandStatus::TimedOut));
}

#[test]
fn what_ignores_signals_ends_with_its_time() {
    check(3, "trap '' TERM HUP INT QUIT; (trap '' TERM; SLEEP) ; SLEEP", Some(CommandStatus::TimedOut));
}

#[test]
fn a_daemon_ends_with_the_command() {
    if has("setsid") {
        check(4, "(setsid setsid SLEEP > /dev/null 2>&1 < /dev/null &) ; exit 0", Some(CommandStatus::Exited(0)));
    }
}

#[test]
fn a_daemon_without_environment_ends_with_the_command() {
    if has("setsid") {
        check(5, "(env -i setsid SLEEP > /dev/null 2>&1 &) ; exit 0", Some(CommandStatus::Exited(0)));
    }
}

#[test]
fn output_that_is_held_open_is_not_waited_for() {
    check(6, "SLEEP & echo said", Some(CommandStatus::Exited(0)));
}

#[test]
fn a_stopped_command_ends_with_its_time() {
    check(7, "SLEEP & kill -STOP $$", Some(CommandStatus::TimedOut));
}

#[test]
fn a_supervisor_that_is_attacked_takes_everything_along() {
    // Whether it can be hit depends on the means; what is left does not.
    check(8, "SLEEP & kill -9 $PPID; kill -9 1; kill -TERM $PPID; exit 0", None);
}

#[test]
fn a_bomb_of_processes_ends_with_its_time() {
    if !has("python3") {
        return;
    }
    // Two hundred that start others in place of themselves for ever: more would slow the machine down, not the test.
    let bomb = "if os.fork() == 0:\n    while True:\n      if os.fork(): os._exit(0)";
    let program = format!("import os, time\nfor _ in range(200):\n  {bomb}\ntime.sleep(100)");
    let worktree = Worktree::new();
    for without in WITHOUT {
        let mark = format!("{program}\n# {}", unique_seconds(99));
        let mut command = worktree.command(&["python3", "-c", &mark]);
        command.timeout = Duration::from_millis(700);
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        assert_eq!(outcome.status, CommandStatus::TimedOut);
        let lines = fs::read_dir("/proc").expect("it is there").flatten();
        let lines = lines.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
        assert_eq!(lines.filter(|line| line.contains(&mark)).count(), 0, "without {without:?}");
    }
}

#[test]
fn a_tree_of_processes_ends_with_its_time() {
    // It has 255 of them, and no more if all fails.
    check(
        13,
        "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; SLEEP; }; f 7",
        Some(CommandStatus::TimedOut),
    );
}

#[test]
fn a_command_with_too_many_threads_does_not_go_on() {
    if !has("python3") {
        return;
    }
    // They outlast the time that a busy machine takes to start them all, and nobody waits for them.
    let program = "import threading, time\n\
                   for _ in range(6000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n";
    let worktree = Worktree::new();
    for without in WITHOUT {
        let mut command = worktree.command(&["python3", "-c", program]);
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        // Whatever counts: the namespace, the user's limit, or the watch.
        assert!(!outcome.status.is_success(), "without {without:?}: {outcome:?}");
    }
}

#[test]
fn processes_outside_are_not_hit() {
    let worktree = Worktree::new();
    let seconds = unique_seconds(9);
    let mut outside = start(&["sleep", &seconds]);
    for without in [&[][..], &[SandboxMeans::PidNamespace], &NAMESPACES] {
        let script = format!("kill -9 {}; kill -9 -1; true", outside.id());
        let outcome = worktree.shell_without(&script, without);
        if outcome.sandbox.processes.is_held {
            assert!(outside.try_wait().expect("it can be asked").is_none(), "without {without:?}: {outcome:?}");
        }
    }
    outside.kill().expect("it runs");
    outside.wait().expect("it ended");
}

#[test]
fn a_caller_that_panics_leaves_nothing() {
    for (round, without) in WITHOUT.into_iter().enumerate() {
        let worktree = Worktree::new();
        let seconds = unique_seconds(110 + round as u32);
        let mut command = worktree.command(&["sh", "-c", &format!("sleep {seconds} & sleep {seconds}")]);
        command.without = without.to_vec();
        let cancelled = || {
            assert!(sleepers(&seconds) < 2, "as a caller may panic");
            false
        };
        assert!(catch_unwind(AssertUnwindSafe(|| crate::run(&command, cancelled))).is_err());
        assert_eq!(sleepers(&seconds), 0, "without {without:?}");
    }
}

#[test]
fn a_caller_that_is_killed_leaves_nothing() {
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("a path that is text");
    for round in 0..WITHOUT.len() {
        // Whoever is killed leaves its directories; here they are in one that is removed.
        let base = tempfile::tempdir().expect("a directory");
        let temporary = format!("TMPDIR={}", base.path().display());
        let seconds = unique_seconds(120 + round as u32);
        let argument = format!("{round} {seconds}");
        let mut caller =
            start(&["env", &format!("{CALLER}={argument}"), &temporary, this, "--exact", "tests::stay::caller"]);
        assert!(comes_to(2, &seconds), "round {round}");
        caller.kill().expect("it runs");
        caller.wait().expect("it ended");
        assert!(comes_to(0, &seconds), "round {round}");
    }
}

/// The variable that tells the caller below what to run.
const CALLER: &str = "ICR_RUN_TEST_CALLER";

/// A caller to be killed, in a process of its own; nothing where no other test says what to run.
#[test]
#[expect(clippy::disallowed_methods, reason = "one test tells another so")]
fn caller() {
    let Ok(argument) = std::env::var(CALLER) else { return };
    let (round, seconds) = argument.split_once(' ').expect("two words");
    let worktree = Worktree::new();
    let mut command = worktree.command(&["sh", "-c", &format!("sleep {seconds} & sleep {seconds}")]);
    command.environment.variables.push(("TMPDIR".into(), std::env::temp_dir().into()));
    command.without = WITHOUT[round.parse::<usize>().expect("a number")].to_vec();
    run(&command).expect("it was run");
}

#[expect(clippy::disallowed_methods, reason = "a test starts what a command is not to reach")]
fn start(argv: &[&str]) -> std::process::Child {
    let mut command = std::process::Command::new(argv[0]);
    command.args(&argv[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("it starts")
}
