//! Where the program runs: a repository, a home of its own, and nothing of the machine's environment.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use icr_fixture::Fixture;

/// A repository with a home of icr beside it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) fixture: Fixture,
}

impl Place {
    pub(crate) fn of(fixture: Fixture) -> Self {
        Self { fixture }
    }

    /// The repository, where programs stand.
    pub(crate) fn root(&self) -> &Path {
        self.fixture.root()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.fixture.home().join("icr-home")
    }

    /// The program with `args`, ready to run.
    pub(crate) fn icr(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_icr"), args)
    }

    /// Another program in the same environment, for those that start icr.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.root()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.fixture.home()).env("XDG_CONFIG_HOME", self.fixture.home());
        command.env("ICR_HOME", self.home());
        // Answers are compared with others, whatever was called before them.
        command.env("ICR_MEMORY__NUDGE_AFTER_CALLS", "0");
        command
    }

    /// A store that is begun and holds nothing, which nobody else can write: a first index waits until what is returned is
    /// dropped, however fast the machine is.
    #[track_caller]
    pub(crate) fn held(&self) -> HeldWriterLock {
        let status = self.icr(&["index", "--quiet"]).env("ICR_TEST_DIE_AT", "numbers-reserved").output();
        assert_eq!(status.expect("the program can be run").status.code(), None, "it ends in the middle");
        let lock = locks_below(&self.home()).pop().expect("the store has a lock file");
        let lock = File::options().write(true).open(lock).expect("the lock is a file");
        lock.try_lock().expect("nobody else writes");
        HeldWriterLock { _lock: lock }
    }

    /// Indexes what is committed, so that no answer depends on how fast that is.
    #[track_caller]
    pub(crate) fn index(&self) {
        let output = self.icr(&["index"]).output().expect("the program can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Holds the writer lock of a store, as a process that indexes does.
#[derive(Debug)]
pub(crate) struct HeldWriterLock {
    _lock: File,
}

fn locks_below(directory: &Path) -> Vec<PathBuf> {
    let mut locks = Vec::new();
    for entry in std::fs::read_dir(directory).expect("it can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            locks.extend(locks_below(&path));
        } else if path.file_name().is_some_and(|name| name == "lock") && path.with_file_name("ledger.db").exists() {
            locks.push(path);
        }
    }
    locks
}
