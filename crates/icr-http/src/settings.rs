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
    /// Address to listen on. It must be a loopback address; port 0 takes any free port.
    pub address: SocketAddr,
    /// Home of icr: the token lies there, and the stores of repositories.
    pub home: PathBuf,
    /// Version that callers are told.
    pub version: String,
    /// The clock.
    pub clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// Runs the calls; other interfaces of the process may share it.
    pub workshop: Arc<Workshop>,
    /// The memories; other doors of the process may share them.
    pub memory: Arc<SharedMemory>,
    /// Settings of memories.
    pub memory_view: MemoryView,
    /// Whether private keys and access tokens are masked, except if a file is requested as it is.
    pub mask_credentials: bool,
    /// Whether all writing is forbidden.
    pub read_only: bool,
    /// Recorder of traces; one that is off costs nothing.
    pub recorder: Arc<Recorder>,
    /// The environment from which commands get a part.
    pub variables: fn() -> Vec<(OsString, OsString)>,
    /// Longest time limit of a command.
    pub run_limit: Duration,
    /// Longest time of a question.
    pub call_limit: Duration,
    /// The answer to a body at `/mcp` that is not an MCP message; `None` if it is one.
    pub refusal_of: fn(&[u8]) -> Option<String>,
}

/// Settings of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryView {
    /// Whether questions see only memories of their repository and those without one; otherwise they see all.
    pub per_project: bool,
    /// Whether memories whose code is missing in the worktree are recalled.
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
