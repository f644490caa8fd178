//! Runs one command of a project: from an allow-list, without a shell, bounded in time and output, in a sandbox where
//! the kernel has one.
//!
//! [`run`] takes a [`Command`] and answers an [`Outcome`] whose [`Sandbox`] says, for files, network and processes, by
//! which means of the kernel they were held, and which means were missing and why. What must not start at all is a
//! [`Refusal`].
//!
//! On Linux (x86-64 and ARM64) each run has up to four layers: namespaces with a view of the file system that has
//! only what was granted, Landlock, a filter of system calls, and a supervisor that ends every process of the run.
//! Each is tried anew in every run; what the kernel refuses is left out and said. Elsewhere a command is bounded in
//! time and output only.
//!
//! Nothing here is global: no handler of signals, no setting of the process. Any number of threads may run commands.
//! A run takes one thread (the caller's), 128 KiB and what is kept of the output; on Linux also a copy of the
//! process that is written to by nobody, and so grows only with what the caller's process changes meanwhile.

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
pub use outcome::{CommandOutcome, CommandStatus, Guard, Missing, Sandbox, SandboxMeans};
pub use refusal::Refusal;

/// Runs `command` and waits for its end.
///
/// `cancelled` is asked about fifty times a second, on the caller's thread; once it answers true, the command is
/// killed. When this returns, every process that the command started is gone, whatever it did to stay (what
/// [`Sandbox::processes`] does not hold excepted), and so is its private directory. A caller that dies takes the
/// command along.
///
/// # Errors
///
/// [`Refusal`] when nothing was run: the command is not allowed, is malformed, cannot be started, or needs a sandbox
/// that the kernel does not have.
pub fn run(command: &SandboxedCommand<'_>, cancelled: impl Fn() -> bool) -> Result<CommandOutcome, Refusal> {
    let program = program::find(command)?;
    system::run(&program, command, &cancelled)
}
