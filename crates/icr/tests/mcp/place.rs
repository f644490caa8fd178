//! Where the program runs: a repository, a home of its own, and nothing of the machine's environment.

use std::ffi::OsStr;
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
        command
    }

    /// Indexes what is committed, so that no answer depends on how fast that is.
    #[track_caller]
    pub(crate) fn index(&self) {
        let output = self.icr(&["index"]).output().expect("the program can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
