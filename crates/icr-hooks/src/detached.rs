//! A process that outlives the hook that starts it.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::hooks_place::leave_repository;

/// A program to start on its own.
#[derive(Debug, Clone)]
pub struct DetachedProgram<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Variables to set besides those that it inherits.
    pub environment: &'a [(&'a OsStr, OsString)],
}

impl DetachedProgram<'_> {
    /// Starts it with its streams closed, at the root of the file system, without what git told the hook about its repository; does
    /// not wait for it. The program itself calls [`leave_session`].
    ///
    /// # Errors
    ///
    /// Whatever the system says when it cannot be started.
    pub fn start(&self) -> std::io::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the program is icr itself")]
        let mut command = Command::new(self.program);
        command.args(self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A worktree that somebody stands in cannot be unmounted, and on some systems not be deleted.
        if cfg!(unix) {
            command.current_dir("/");
        }
        leave_repository(&mut command);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.spawn().map(drop)
    }
}

/// Leaves the session and the process group of the terminal, so that neither its end nor a key pressed there ends this process, and gives
/// way to others: it works in the background of what the user waits for.
pub fn leave_session() {
    #[cfg(unix)]
    {
        // Fails for a leader of a group only, which whoever typed this command is: that one may stay.
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(NICER);
    }
}

/// How much later than others this process gets a processor, of 19: what `nice` takes when it is not told.
#[cfg(unix)]
const NICER: i32 = 10;
