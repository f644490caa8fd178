//! What a server is started with.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_serve::{SharedMemory, Workshop};
use icr_traces::Recorder;

/// What a server is started with.
#[derive(Clone)]
pub struct Settings {
    /// Where to listen: an address of this machine's loopback; port 0 for any that is free.
    pub address: SocketAddr,
    /// Home of icr: the token lies there, and the stores of repositories.
    pub home: PathBuf,
    /// Version that callers are told.
    pub version: String,
    /// The time now.
    pub clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// What calls work in; other doors of the process may share it.
    pub workshop: Arc<Workshop>,
    /// The memories; other doors of the process may share them.
    pub memory: Arc<SharedMemory>,
    /// How memories are asked.
    pub memory_view: MemoryView,
    /// Whether private keys and tokens of services are shown as a mask, but where a file is asked for as it is.
    pub mask_credentials: bool,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// Where questions are traced; one that is off costs nothing.
    pub recorder: Arc<Recorder>,
    /// The environment that commands are given a part of.
    pub variables: fn() -> Vec<(OsString, OsString)>,
    /// Longest time of a command that is run.
    pub run_limit: Duration,
    /// Longest time of a question.
    pub call_limit: Duration,
    /// What to answer to a body at `/mcp` that is no message of the protocol; `None` for one that is.
    pub refusal_of: fn(&[u8]) -> Option<String>,
}

/// How memories are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryView {
    /// Whether a question is about memories of its repository and of none; otherwise it is about all.
    pub per_project: bool,
    /// Whether memories are recalled whose code the worktree lacks.
    pub cross_branch: bool,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { address, home, version, read_only, .. } = self;
        f.debug_struct("Settings")
            .field("address", address)
            .field("home", home)
            .field("version", version)
            .field("read_only", read_only)
            .finish_non_exhaustive()
    }
}
