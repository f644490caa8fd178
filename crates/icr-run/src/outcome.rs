//! How a command ended, and how it was sandboxed.

use std::time::Duration;

use serde::Serialize;

use crate::CapturedOutput;

/// How a command ended, its output, and its sandbox.
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
    /// From the start until every process was gone.
    #[serde(rename = "elapsed_ms", serialize_with = "milliseconds")]
    #[schemars(with = "u64")]
    pub elapsed: Duration,
    /// Its sandbox.
    pub sandbox: Sandbox,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum CommandStatus {
    /// It exited with this code.
    Exited(i32),
    /// This signal killed it.
    Signalled(i32),
    /// Killed when its time was over.
    TimedOut,
    /// Killed because the caller cancelled it.
    Cancelled,
    /// Killed: it, or another process, used up more of the disk than allowed.
    TooMuchWritten,
    /// Killed: it, or another process, started more processes than allowed.
    TooManyProcesses,
}

impl CommandStatus {
    /// Whether it exited with code 0.
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// Sandbox of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Sandbox {
    /// Whether files beyond the granted places were out of reach.
    pub files: Protection,
    /// Whether the network was out of reach; not held if it was allowed.
    pub network: Protection,
    /// Whether all processes of the command ended with it and could not touch others.
    pub processes: Protection,
}

/// One protection of a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Protection {
    /// Whether it is in force.
    pub is_held: bool,
    /// The means that enforce it, strongest first.
    pub by: Vec<SandboxMeans>,
    /// The means that the system lacks, and why.
    pub missing: Vec<MissingMeans>,
    /// Notes about what a user might not expect, in sentences.
    pub notes: Vec<String>,
}

/// A mechanism of the operating system that confines a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SandboxMeans {
    /// A user namespace: its rights do not count outside. The others need it, unless root asks.
    UserNamespace,
    /// A namespace of process ids, which all end with its first process, and of shared memory.
    PidNamespace,
    /// A file system that has only the granted places.
    PrivateView,
    /// A network that has nothing but its own loopback.
    NetworkNamespace,
    /// Rules for files and sockets that the process and its children cannot lift.
    Landlock,
    /// A filter of system calls.
    Seccomp,
    /// A supervisor that inherits orphans and kills all processes. Only killing it first is an escape.
    Supervisor,
    /// A process group that is killed; a process that leaves it escapes.
    ProcessGroup,
}

impl SandboxMeans {
    /// Name of the means in a sentence.
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
pub struct MissingMeans {
    /// The means.
    pub means: SandboxMeans,
    /// The reason.
    pub why: String,
}

/// Whole milliseconds, for records.
fn milliseconds<S: serde::Serializer>(elapsed: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}
