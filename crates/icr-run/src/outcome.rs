//! How a command ended, and what held it.

use std::time::Duration;

use serde::Serialize;

use crate::CapturedOutput;

/// How a command ended, what it said, and what held it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CommandOutcome {
    /// How it ended.
    pub status: CommandStatus,
    /// What it wrote to standard output.
    #[schemars(with = "crate::capture::CapturedRecord")]
    pub stdout: CapturedOutput,
    /// What it wrote to standard error.
    #[schemars(with = "crate::capture::CapturedRecord")]
    pub stderr: CapturedOutput,
    /// From the start until everything was gone.
    #[serde(rename = "elapsed_ms", serialize_with = "milliseconds")]
    #[schemars(with = "u64")]
    pub elapsed: Duration,
    /// What held it.
    pub sandbox: Sandbox,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum CommandStatus {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Killed when its time was over.
    TimedOut,
    /// Killed because the caller said so.
    Cancelled,
    /// Killed because it, or something beside it, took more of the disk than it may.
    TooMuchWritten,
    /// Killed because it, or something beside it, started more processes than it may.
    TooManyProcesses,
}

impl CommandStatus {
    /// Whether it exited with code 0.
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// What held a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Sandbox {
    /// Whether files beyond the granted places were out of reach.
    pub files: Guard,
    /// Whether the network was out of reach; not held when the network was allowed.
    pub network: Guard,
    /// Whether all processes of the command ended with it and could not touch others.
    pub processes: Guard,
}

/// One thing that a sandbox holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Guard {
    /// Whether it is held.
    pub is_held: bool,
    /// By which means, the strongest first.
    pub by: Vec<SandboxMeans>,
    /// Which means the system does not have, and why.
    pub missing: Vec<Missing>,
    /// What is not as somebody might expect, in sentences.
    pub notes: Vec<String>,
}

/// A means of the system to hold a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SandboxMeans {
    /// A user namespace: rights inside of the sandbox that are none outside. Others need it, unless root asks.
    UserNamespace,
    /// A namespace of process ids whose first process takes all others along, and of shared memory.
    PidNamespace,
    /// A file system that has the granted places and nothing else.
    PrivateView,
    /// A network that has nothing but its own loopback.
    NetworkNamespace,
    /// Rules for files and sockets that the process and its children cannot lift.
    Landlock,
    /// A filter of system calls.
    Seccomp,
    /// A supervisor that inherits orphans, kills what is left, and so misses nothing that cannot kill it first.
    Supervisor,
    /// A process group that is killed; what leaves it escapes.
    ProcessGroup,
}

impl SandboxMeans {
    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserNamespace => "a user namespace",
            Self::PidNamespace => "a pid namespace",
            Self::PrivateView => "a private view of the file system",
            Self::NetworkNamespace => "a network namespace",
            Self::Landlock => "Landlock",
            Self::Seccomp => "seccomp",
            Self::Supervisor => "a supervisor",
            Self::ProcessGroup => "a process group",
        }
    }
}

/// A means that the system does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Missing {
    /// Which.
    pub means: SandboxMeans,
    /// Why.
    pub why: String,
}

/// Whole milliseconds, for records.
fn milliseconds<S: serde::Serializer>(elapsed: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}
