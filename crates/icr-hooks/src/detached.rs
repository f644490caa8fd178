//! Starts a process that outlives the hook that starts it.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::hooks_place::leave_repository;

/// A program to start in the background.
#[derive(Debug, Clone)]
pub struct DetachedProgram<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Variables to set in addition to the inherited ones.
    pub environment: &'a [(&'a OsStr, OsString)],
}

impl DetachedProgram<'_> {
    /// Starts it without waiting for it: with closed streams, in the root directory, and without the variables by which
    /// git tells the hook its repository. The program itself must call [`leave_session`].
    ///
    /// # Errors
    ///
    /// The error of the system when it cannot be started.
    pub fn start(&self) -> std::io::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the program is icr itself")]
        let mut command = Command::new(self.program);
        command.args(self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A process in the worktree would prevent unmounting it, and on some systems deleting it.
        if cfg!(unix) {
            command.current_dir("/");
        }
        leave_repository(&mut command);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.spawn().map(drop)
    }
}

/// Leaves the session and the process group of the terminal, so that neither closing the terminal nor a key pressed
/// there ends this process. Also lowers its priority, since it works in the background.
pub fn leave_session() {
    #[cfg(unix)]
    {
        // Fails only for the leader of a process group, that is, if the user typed this command; it may stay.
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(NICER);
    }
}

/// Lower priority of this process, from 0 to 19: the default of the command `nice`.
#[cfg(unix)]
const NICER: i32 = 10;
