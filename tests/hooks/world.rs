//! A repository with hooks, git run as a user runs it, and the program on the path.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use icr_engine::{Engine, OpenOptions};
use icr_fixture::Fixture;

/// Longest wait for background work, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// A fixture with an icr home. The program on the path is a script that logs each call.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) fixture: Fixture,
    variables: Vec<(String, String)>,
}

impl World {
    /// A repository of two files with hooks put in and the index at HEAD.
    pub(crate) fn new() -> Self {
        let world = Self::of(Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n"));
        world.installs(world.root());
        world.icr(world.root(), &["index", "-q"]);
        world
    }

    /// A repository without hooks.
    pub(crate) fn of(fixture: Fixture) -> Self {
        let programs = fixture.home().join("programs");
        let world = Self { fixture, variables: Vec::new() };
        let program = env!("CARGO_BIN_EXE_icr");
        let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec '{program}' \"$@\"\n", world.calls_file().display());
        write_program(&programs.join("icr"), &script);
        world
    }

    /// With a variable in the environment of git and of icr.
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.fixture.root()
    }

    /// The home of icr.
    pub(crate) fn home(&self) -> PathBuf {
        self.fixture.home().join("icr-home")
    }

    /// Standard output of git in a directory.
    #[track_caller]
    pub(crate) fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self.run(directory, "git", arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`git {}`: {stderr}", arguments.join(" "));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(self.root(), arguments)
    }

    /// Writes a file and commits everything.
    #[track_caller]
    pub(crate) fn commits(&self, files: &str) {
        self.fixture.write(files);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "more"]);
    }

    /// Standard output of icr, which must end well.
    #[track_caller]
    pub(crate) fn icr(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self.run(directory, env!("CARGO_BIN_EXE_icr"), arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`icr {}`: {stderr}", arguments.join(" "));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[track_caller]
    pub(crate) fn installs(&self, directory: &Path) {
        self.icr(directory, &["hooks", "install"]);
    }

    /// Runs a program as a user does, with nothing of the machine's configuration.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, directory: &Path, program: &str, arguments: &[S]) -> Output {
        self.command(directory, program).args(arguments).output().expect("the program can be run")
    }

    pub(crate) fn command(&self, directory: &Path, program: &str) -> Command {
        let path = format!("{}:{}", self.fixture.home().join("programs").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(program);
        command.current_dir(directory).env_clear().stdin(Stdio::null());
        let settings = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null"), ("GIT_EDITOR", "true")];
        command.envs(settings).env("PATH", path).env("HOME", self.fixture.home()).env("ICR_HOME", self.home());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// What icr was called with by hooks so far, a line for each call.
    pub(crate) fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.calls_file()).unwrap_or_default();
        text.lines().filter_map(|line| line.strip_prefix("hook git ")).map(str::to_owned).collect()
    }

    /// The events among the calls from the `from`th on, once there are `count` of them.
    #[track_caller]
    pub(crate) fn events(&self, from: usize, count: usize) -> Vec<String> {
        wait("hooks call icr", || self.calls().len() >= from + count);
        self.calls()[from..].iter().map(|call| call.split(' ').next().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until the index is at HEAD of the worktree and no process is working or requested.
    #[track_caller]
    pub(crate) fn follows(&self, worktree: &Path) {
        let engine = self.engine(worktree);
        wait("the index follows HEAD", || engine.store().follows_head().unwrap_or(false));
        self.rests(&engine);
    }

    /// Waits until no process writes the store or requests a write.
    #[track_caller]
    pub(crate) fn rests(&self, engine: &Engine) {
        let store = engine.store().directory();
        let is_asked = || fs::read_dir(store.join("queue")).is_ok_and(|mut entries| entries.next().is_some());
        let is_written = || {
            let lock = fs::File::options().write(true).open(store.join("lock"));
            lock.is_ok_and(|lock| lock.try_lock().is_err())
        };
        wait("nobody is at work", || !is_asked() && !is_written());
    }

    pub(crate) fn engine(&self, worktree: &Path) -> Engine {
        Engine::open(OpenOptions::new(worktree, self.home())).expect("the repository can be opened")
    }

    fn calls_file(&self) -> PathBuf {
        self.fixture.home().join("calls")
    }
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn wait(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::park_timeout(LOOK);
    }
}

/// Writes a script that can be run.
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a program lies somewhere")).expect("directories can be made");
    fs::write(path, text).expect("a file can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode can be set");
}
