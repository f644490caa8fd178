//! Runs one command of a project: from an allow-list, without a shell, bounded in time and output, in a sandbox where
//! the kernel has one.
//!
//! [`run`] takes a [`SandboxedCommand`] and returns a [`CommandOutcome`]. Its [`Sandbox`] says for files, network and
//! processes which means of the kernel restricted them, and which means were missing and why. A command that must not
//! start at all is a [`Refusal`].
//!
//! On Linux (x86-64 and ARM64) each run has up to four layers: namespaces with a view of the file system that has only
//! the granted places, Landlock, a filter of system calls, and a supervisor that ends every process of the run. Every
//! run tries each layer again; layers that the kernel refuses are left out and reported. On other systems only time and
//! output are bounded.
//!
//! Nothing here is global: no signal handlers, no process settings. Any number of threads may run commands. A run takes
//! the caller's thread, 128 KiB, and the captured output. On Linux it also takes a copy of the process, to which nobody
//! writes, so it grows only with what the caller's process changes meanwhile.

mod allow;
mod capture;
mod command;
mod directory;
mod environment;
#[cfg(unix)]
mod leftovers;
mod limits;
mod outcome;
mod private;
mod program;
mod refusal;

#[cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "linux/mod.rs"]
mod system;
#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "portable.rs"]
mod system;

#[cfg(test)]
mod tests;

pub use allow::AllowList;
pub use capture::CapturedOutput;
pub use command::{Environment, SandboxedCommand};
pub use limits::{DEFAULT_OUTPUT_BYTES, DEFAULT_TIMEOUT, DEFAULT_WRITTEN_BYTES, MOST_OUTPUT_BYTES, MOST_TIME};
pub use outcome::{CommandOutcome, CommandStatus, MissingMeans, Protection, Sandbox, SandboxMeans};
pub use refusal::Refusal;

/// Runs `command` and waits for its end.
///
/// `cancelled` is called about fifty times a second, on the caller's thread; when it returns true, the command is
/// killed. When `run` returns, every process that the command started is gone, however it tried to stay, unless
/// [`Sandbox::processes`] is not held; the private directory is gone too. If the caller dies, the command dies with it.
///
/// # Errors
///
/// [`Refusal`] when nothing was run: the command is not allowed, is malformed, cannot be started, or needs a sandbox
/// that the kernel does not have.
pub fn run(command: &SandboxedCommand<'_>, cancelled: impl Fn() -> bool) -> Result<CommandOutcome, Refusal> {
    let program = program::find(command)?;
    system::run(&program, command, &cancelled)
}
