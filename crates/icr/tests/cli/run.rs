//! Runs the built program with a home of its own and nothing of the machine's environment.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use icr_fixture::Fixture;
use regex::Regex;
use serde_json::Value;

/// The program, where it stands, and what is in its environment.
#[derive(Debug, Clone)]
pub(crate) struct Icr {
    outer: PathBuf,
    home: PathBuf,
    directory: PathBuf,
    environment: Vec<(String, String)>,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Icr {
    /// Standing in the root of the fixture, with a home beside it.
    pub(crate) fn new(fixture: &Fixture) -> Self {
        let outer = fixture.home().to_owned();
        Self { home: outer.join("icr-home"), directory: fixture.root().to_owned(), outer, environment: Vec::new() }
    }

    /// The same home, standing in another directory.
    pub(crate) fn standing_in(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..self.clone() }
    }

    /// The same place, with another home.
    pub(crate) fn with_home(&self, home: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), ..self.clone() }
    }

    /// With a variable in the environment.
    pub(crate) fn with_variable(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        changed.environment.push((name.to_owned(), value.to_owned()));
        changed
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// A command that is ready to run, for tests that need more than [`Icr::run`].
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        self.isolated(env!("CARGO_BIN_EXE_icr"), args)
    }

    /// Runs a shell script with the program's path as `$0` and the same environment.
    pub(crate) fn shell(&self, script: &str) -> RunOutput {
        finish(self.isolated_shell(script))
    }

    /// A shell with a script, as for [`Icr::shell`], that is ready to start.
    pub(crate) fn isolated_shell(&self, script: &str) -> Command {
        self.isolated("sh", &["-c", script, env!("CARGO_BIN_EXE_icr")])
    }

    #[track_caller]
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> RunOutput {
        finish(self.command(args))
    }

    /// Like [`Icr::run`] with something on standard input.
    #[track_caller]
    pub(crate) fn reads(&self, input: &[u8], args: &[&str]) -> RunOutput {
        let file = self.outer.join("standard-input");
        std::fs::write(&file, input).expect("a file can be written");
        let mut command = self.command(args);
        command.stdin(File::open(file).expect("it was just written"));
        finish(command)
    }

    /// Standard output of a run that ends well.
    #[track_caller]
    pub(crate) fn prints(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "`icr {}` failed: {}", args.join(" "), ran.stderr);
        ran.stdout
    }

    /// The JSON that a run prints, whatever its exit code says of the answer.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], args].concat());
        assert!(ran.code <= 1, "`icr {}` failed: {}", args.join(" "), ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", ran.stdout))
    }

    /// What a run that must fail with `code` says on standard error; it prints nothing else.
    #[track_caller]
    pub(crate) fn fails<S: AsRef<OsStr>>(&self, code: i32, args: &[S]) -> String {
        let ran = self.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{}", ran.stderr);
        ran.stderr
    }

    /// Paths of the files that `icr search` finds, best first.
    #[track_caller]
    pub(crate) fn finds(&self, args: &[&str]) -> Vec<String> {
        let found = self.json(&[&["search", "--mode", "lexical"], args].concat());
        let results = found["results"].as_array().expect("a search has results");
        results.iter().map(|hit| hit["path"].as_str().expect("a hit has a path").to_owned()).collect()
    }

    /// The lines that `icr search --mode grep` finds, as `path:line`.
    #[track_caller]
    pub(crate) fn greps(&self, args: &[&str]) -> Vec<String> {
        let found = self.json(&[&["search", "--mode", "grep"], args].concat());
        let results = found["results"].as_array().expect("a search has results");
        results.iter().map(|hit| format!("{}:{}", hit["path"].as_str().unwrap_or("?"), hit["start_line"])).collect()
    }

    /// All files of the view, in order.
    #[track_caller]
    pub(crate) fn files(&self, args: &[&str]) -> Vec<String> {
        let map = self.json(&[&["map", "--depth", "10"], args].concat());
        let mut files = Vec::new();
        add_files(&map["tree"], "", &mut files);
        files.sort();
        files
    }

    /// Names of the gaps of an answer.
    #[track_caller]
    pub(crate) fn gaps(&self, args: &[&str]) -> Vec<String> {
        let answer = self.json(args);
        let gaps = answer["provenance"]["gaps"].as_array().expect("provenance lists gaps");
        gaps.iter().map(|gap| gap["gap"].as_str().expect("a gap has a name").to_owned()).collect()
    }

    /// Directory of the store of an indexed repository.
    #[track_caller]
    pub(crate) fn store(&self) -> PathBuf {
        self.json(&["status"])["store"].as_str().expect("status names the store").into()
    }

    /// `text` without what differs from run to run and from machine to machine.
    pub(crate) fn filtered(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let places = [(self.home.as_path(), "$HOME"), (&self.directory, "$REPO"), (&self.outer, "$OUTER")];
        for (place, name) in places {
            text = text.replace(&place.display().to_string(), name);
        }
        for (pattern, replacement) in [
            (r"\b[0-9a-f]{40}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{12}\b", "[id]"),
            (r"\b\d+ ms\b", "[ms]"),
            (r#""elapsed_ms": \d+"#, r#""elapsed_ms": [ms]"#),
            (r#"("store_bytes|"bytes_before|"bytes_after)": \d+"#, r#"$1": [bytes]"#),
            (r#""last_used_s": \d+"#, r#""last_used_s": [seconds]"#),
            (r"\b\d+\.\d [KM]iB\b", "[bytes]"),
            (r#""score": [\d.]+"#, r#""score": [score]"#),
            (r"\b\d+\.\d{2,}\b", "[score]"),
        ] {
            let pattern = Regex::new(pattern).expect("the pattern is a constant");
            text = pattern.replace_all(&text, replacement).into_owned();
        }
        text
    }

    fn isolated<S: AsRef<OsStr>>(&self, program: &str, args: &[S]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.directory).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.outer).env("XDG_CONFIG_HOME", &self.outer).env("ICR_HOME", &self.home);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Holds the writer lock of a store, as a process that indexes does.
#[derive(Debug)]
pub(crate) struct Writer {
    _lock: File,
}

impl Writer {
    pub(crate) fn in_store(store: &Path) -> Self {
        let lock = File::options().write(true).open(store.join("lock")).expect("the store has a lock file");
        lock.try_lock().expect("nobody else writes");
        Self { _lock: lock }
    }
}

#[track_caller]
fn finish(mut command: Command) -> RunOutput {
    let output = command.output().expect("the program can be run");
    let stdout = String::from_utf8(output.stdout).expect("what is printed is text");
    let stderr = String::from_utf8(output.stderr).expect("what is said is text");
    assert!(!stderr.contains("panicked"), "{command:?} panicked: {stderr}");
    let code = output.status.code().unwrap_or_else(|| panic!("{command:?} was killed: {stderr}"));
    RunOutput { code, stdout, stderr }
}

fn add_files(node: &Value, directory: &str, files: &mut Vec<String>) {
    for child in node["children"].as_array().into_iter().flatten() {
        let path = format!("{directory}{}", child["name"].as_str().expect("a node has a name"));
        if child["type"] == "file" {
            files.push(path);
        } else {
            add_files(child, &format!("{path}/"), files);
        }
    }
}
