//! `icr watch` as a user runs it: a burst of files, commits, a second watcher, and how it ends.

#![expect(clippy::disallowed_methods, reason = "the program is run")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use icr_engine::{Engine, OpenOptions};
use icr_fixture::Fixture;
use serde_json::Value;

/// Longest wait for a line, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn project() -> Fixture {
    Fixture::new("//- a.rs\nfn anchor() {}\n//- .gitignore\n*.log\n")
}

fn icr(fixture: &Fixture, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_icr"));
    command.args(arguments).current_dir(fixture.root()).env_clear().stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", fixture.home());
    command.env("ICR_HOME", fixture.home().join("icr-home"));
    command
}

/// A watcher and the lines that it prints.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    /// Starts one and waits for its first line, which it prints when it watches and the index is at HEAD.
    fn over(fixture: &Fixture, arguments: &[&str]) -> (Self, String) {
        let mut command = icr(fixture, &[&["watch", "--set", "watcher.debounce_ms=200"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let watcher = Self { child, lines };
        let first = watcher.line();
        (watcher, first)
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line is printed")
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.line()).expect("each line is an object")
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// The exit code and what was said on stderr, when it has ended.
    #[track_caller]
    fn ends(mut self) -> (Option<i32>, String) {
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "the watcher ends");
            std::thread::park_timeout(Duration::from_millis(20));
        }
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_burst_of_files_and_a_commit_are_told_and_followed() {
    let fixture = project();
    let (watcher, first) = Watcher::over(&fixture, &["--json"]);
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&first["head_moved"], &first["sync"]["blobs_read"]), (&true.into(), &2.into()));
    for number in 0..300 {
        fs::write(fixture.root().join(format!("n{number}.rs")), "fn n() {}\n").unwrap();
        fs::write(fixture.root().join(format!("n{number}.log")), "ignored\n").unwrap();
    }
    let mut files = 0;
    while files < 300 {
        let told = watcher.json();
        files += told["files_changed"].as_u64().unwrap();
        assert_eq!((&told["sync"], &told["head_moved"]), (&Value::Null, &false.into()));
        assert!(told["files"].as_array().unwrap().iter().all(|file| !file.as_str().unwrap().ends_with(".log")));
    }
    let head = fixture.commit("many");
    let told = loop {
        let told = watcher.json();
        if told["head_moved"] == true {
            break told;
        }
    };
    assert_eq!((&told["head"], &told["error"]), (&Value::from(head), &Value::Null));
    let engine = Engine::open(OpenOptions::new(fixture.root(), fixture.home().join("icr-home"))).unwrap();
    assert!(engine.store().follows_head().unwrap());
    watcher.signal("-TERM");
    assert_eq!(watcher.ends(), (Some(0), String::new()));
}

#[test]
fn lines_are_for_people() {
    let fixture = project();
    let (watcher, first) = Watcher::over(&fixture, &[]);
    let head = fixture.git(&["rev-parse", "--short=7", "HEAD"]);
    let start = format!("watching {}: ", fixture.root().display());
    assert!(first.starts_with(&start) && first.contains(&format!("HEAD moved to {head}: 2 blobs read, ")), "{first}");
    fixture.write("//- a.rs\nfn buoy() {}\n");
    assert_eq!(watcher.line(), "1 file changed");
    let head = fixture.commit("second");
    let line = watcher.line();
    assert!(line.starts_with(&format!("HEAD moved to {}: 1 blob read, ", &head[..7])), "{line}");
    watcher.signal("-INT");
    assert_eq!(watcher.ends().0, Some(0));
}

#[test]
fn the_second_watcher_of_a_store_is_told_who_was_first() {
    let fixture = project();
    let (watcher, _) = Watcher::over(&fixture, &[]);
    let other = fixture.worktree("other", "HEAD");
    for directory in [fixture.root(), &other] {
        let output = icr(&fixture, &["watch", "--json"]).current_dir(directory).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(75), "{said}");
        let who = format!("process {} in `{}` is watching already", watcher.child.id(), fixture.root().display());
        assert!(said.contains(&who) && said.contains("watch.lock") && said.contains(r#""code":"BUSY""#), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn one_signal_ends_it_where_head_became_a_pipe() {
    let fixture = project();
    let (watcher, _) = Watcher::over(&fixture, &["--json"]);
    let git = |name: &str| fixture.root().join(".git").join(name);
    // Beside HEAD, so that HEAD is there at every moment.
    assert!(Command::new("mkfifo").arg(git("pipe")).status().unwrap().success());
    fs::rename(git("pipe"), git("HEAD")).unwrap();
    let told = watcher.json();
    assert!(told["error"].as_str().is_some_and(|error| error.ends_with("HEAD` is not an ordinary file")), "{told}");
    watcher.signal("-TERM");
    assert_eq!(watcher.ends(), (Some(0), String::new()));
}

#[test]
fn it_ends_when_the_repository_is_gone() {
    let fixture = project();
    let (watcher, _) = Watcher::over(&fixture, &[]);
    fs::remove_dir_all(fixture.root()).unwrap();
    let (code, said) = watcher.ends();
    assert_eq!((code, said), (Some(0), format!("note: `{}` is gone\n", fixture.root().display())));
}

#[test]
fn whoever_may_not_write_may_not_watch() {
    let fixture = project();
    let output = icr(&fixture, &["watch", "--read-only"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
