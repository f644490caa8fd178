//! Time, output, disk, and what a command is given.

use std::cell::Cell;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::worktree::{Worktree, has, run};
use crate::CommandStatus;

#[test]
fn nothing_in_arguments_is_interpreted() {
    let worktree = Worktree::new();
    let literal = ["; rm -rf src", "$(touch src/made)", "`id`", "*", "a b", "", "|", "> src/made", "\u{fffd}é\n"];
    let argv = [&["sh", "-c", "printf '[%s]' \"$@\"", "name"][..], &literal].concat();
    let outcome = run(&worktree.command(&argv)).expect("it was run");
    assert_eq!(outcome.stdout.text(), literal.map(|text| format!("[{text}]")).concat());
    assert!(worktree.root.join("src/file").exists() && !worktree.root.join("src/made").exists());
}

#[test]
fn exit_codes_and_signals_are_told() {
    let worktree = Worktree::new();
    assert_eq!(worktree.shell("exit 0").status, CommandStatus::Exited(0));
    assert_eq!(worktree.shell("echo out; echo err >&2; exit 7").status, CommandStatus::Exited(7));
    assert_eq!(worktree.shell("kill -9 $$").status, CommandStatus::Signalled(9));
    let outcome = worktree.shell("echo out; echo err >&2");
    assert_eq!((outcome.stdout.text(), outcome.stderr.text()), ("out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn secrets_of_the_environment_stay_away() {
    let worktree = Worktree::new();
    let said = run(&worktree.command(&["env"])).expect("it was run").stdout.text();
    assert!(!said.contains("SECRET") && said.contains("TERM=dumb"), "{said}");
    assert!(said.contains(&format!("HOME={}", worktree.home.display())), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn there_is_nothing_to_read_and_nothing_else_is_open() {
    let worktree = Worktree::new();
    let _open = fs::File::open("/dev/null").expect("it is there");
    let outcome = worktree.shell("cat; ls /proc/self/fd | tr '\\n' ' '");
    // The last one is the listing itself.
    assert_eq!(outcome.stdout.text(), "0 1 2 3 ");
}

#[test]
fn a_temporary_directory_is_private_and_gone_afterwards() {
    let worktree = Worktree::new();
    let base = worktree.beside("temporary");
    fs::create_dir(&base).expect("a directory");
    let mut command =
        worktree.command(&["sh", "-c", "echo x > \"$TMPDIR/file\" && cat \"$TMPDIR/file\" && chmod 0 \"$TMPDIR\""]);
    command.environment.variables.push(("TMPDIR".into(), base.clone().into()));
    let outcome = run(&command).expect("it was run");
    assert_eq!(outcome.stdout.text(), "x\n", "{outcome:?}");
    assert_eq!(fs::read_dir(&base).expect("it is there").count(), 0);
}

#[test]
fn a_command_that_prints_for_ever_costs_what_is_kept() {
    let worktree = Worktree::new();
    let mut command = worktree.command(&["yes"]);
    command.output_bytes = 100;
    // A machine that is busy needs more time to print anything.
    let outcomes = [500, 5_000, 20_000].map(Duration::from_millis).into_iter().map(|timeout| {
        command.timeout = timeout;
        run(&command).expect("it was run")
    });
    let outcome = outcomes.into_iter().find(|outcome| outcome.stdout.total > 1_000_000).expect("it printed");
    assert_eq!(outcome.status, CommandStatus::TimedOut);
    assert!(outcome.stdout.truncated && outcome.stdout.bytes.len() < 200, "{outcome:?}");
}

#[test]
fn the_beginning_and_the_end_of_much_output_are_kept() {
    let worktree = Worktree::new();
    let mut command = worktree.command(&[
        "sh",
        "-c",
        "echo first; i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; echo last",
    ]);
    command.output_bytes = 1_000;
    let text = run(&command).expect("it was run").stdout.text();
    assert!(text.starts_with("first\n") && text.ends_with("last\n") && text.contains("bytes left out …"), "{text}");
}

#[test]
fn time_is_over_when_it_is_over() {
    let worktree = Worktree::new();
    let mut command = worktree.command(&["sleep", "1000"]);
    command.timeout = Duration::from_millis(200);
    let outcome = run(&command).expect("it was run");
    assert_eq!(outcome.status, CommandStatus::TimedOut);
    assert!(outcome.elapsed >= Duration::from_millis(200) && outcome.elapsed < Duration::from_secs(20));
}

#[test]
fn whoever_cancels_is_obeyed() {
    let worktree = Worktree::new();
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let outcome = crate::run(&worktree.command(&["sleep", "1000"]), cancelled).expect("it was run");
    assert_eq!(outcome.status, CommandStatus::Cancelled);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_larger_than_allowed_cannot_be_written() {
    let worktree = Worktree::new();
    let mut command = worktree.command(&["sh", "-c", "head -c 3000000 /dev/zero > src/file; ls -l src/file"]);
    command.written_bytes_most = 1_000_000;
    let outcome = run(&command).expect("it was run");
    assert!(fs::metadata(worktree.root.join("src/file")).expect("it is there").len() <= 1_000_000, "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_fills_the_disk_is_killed() {
    let worktree = Worktree::new();
    let script = "i=0; while :; do head -c 4000000 /dev/zero > \"$TMPDIR/big$i\" || exit; i=$((i+1)); done";
    let mut command = worktree.command(&["sh", "-c", script]);
    command.written_bytes_most = 40_000_000;
    let outcome = run(&command).expect("it was run");
    assert_eq!(outcome.status, CommandStatus::TooMuchWritten, "{outcome:?}");
}

#[test]
fn many_run_at_once() {
    let worktree = Worktree::new();
    let started = Instant::now();
    thread::scope(|scope| {
        let runs: Vec<_> = (0..50)
            .map(|number: i32| {
                let worktree = &worktree;
                scope.spawn(move || (number, worktree.shell(&format!("echo {number}; exit {number}"))))
            })
            .collect();
        for run in runs {
            let (number, outcome) = run.join().expect("no panic");
            assert_eq!(outcome.status, CommandStatus::Exited(number));
            assert_eq!(outcome.stdout.text(), format!("{number}\n"));
        }
    });
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn an_outcome_is_a_record() {
    let worktree = Worktree::new();
    let outcome = worktree.shell("printf 'a\\377b'");
    assert_eq!(outcome.stdout.bytes, b"a\xffb");
    assert_eq!(outcome.stdout.text(), "a\u{fffd}b");
}

#[test]
fn git_reads_the_repository() {
    if !has("git") {
        return;
    }
    let worktree = Worktree::new();
    let outcome = run(&worktree.command(&["git", "--version"])).expect("it was run");
    assert!(outcome.status.is_success() && outcome.stdout.text().starts_with("git version"), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_goes_first_when_memory_runs_out() {
    let worktree = Worktree::new();
    assert_eq!(worktree.shell("cat /proc/self/oom_score_adj").stdout.text(), "1000\n");
}
