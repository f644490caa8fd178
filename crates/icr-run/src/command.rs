//! What to run, where and within which bounds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{AllowList, DEFAULT_OUTPUT_BYTES, DEFAULT_TIMEOUT, DEFAULT_WRITTEN_BYTES, SandboxMeans};

/// One command: what to run, where, and within which bounds.
#[derive(Debug, Clone)]
pub struct SandboxedCommand<'a> {
    /// The program as it was typed, and its arguments. Nothing in them is interpreted: no shell reads them.
    pub argv: Vec<String>,
    /// Root of the worktree, absolute. The command may read and write below it.
    pub root: PathBuf,
    /// Where the command starts: the root or a directory below it. A relative path is one from the root.
    pub directory: PathBuf,
    /// Git directories, in the worktree or elsewhere. The command may read them and not write them. `.git` of the
    /// root is one of them without being named.
    pub git_directories: Vec<PathBuf>,
    /// When the command is killed; more than zero and at most [`MOST_TIME`](crate::MOST_TIME).
    pub timeout: Duration,
    /// Bytes that are kept of standard output and of standard error each; at most
    /// [`MOST_OUTPUT_BYTES`](crate::MOST_OUTPUT_BYTES). What is beyond that is read and forgotten.
    pub output_bytes: usize,
    /// The programs that may be run.
    pub allowed: &'a AllowList,
    /// More files and directories to read, from the user's own configuration. What does not exist is ignored.
    pub readable: Vec<PathBuf>,
    /// More files and directories to read and write, from the user's own configuration. What does not exist is ignored.
    pub writable: Vec<PathBuf>,
    /// Whether the command may use the network.
    pub network: bool,
    /// Whether to refuse the command where the kernel cannot hold its files and, without `network`, keep it off the
    /// network.
    pub require_sandbox: bool,
    /// Bytes that the largest file may have that is written, and that the disk may lose while the command runs,
    /// whoever writes them; more than zero.
    pub written_bytes_most: u64,
    /// The environment to choose from.
    pub environment: Environment,
    /// Means to go without, as if the kernel did not have them. For tests.
    #[doc(hidden)]
    pub without: Vec<SandboxMeans>,
}

impl<'a> SandboxedCommand<'a> {
    /// `argv` in `root`, with the default bounds, no network, and no more places than the sandbox gives anyway.
    pub fn new(
        argv: impl IntoIterator<Item = impl Into<String>>,
        root: &Path,
        allowed: &'a AllowList,
        environment: Environment,
    ) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            root: root.to_path_buf(),
            directory: root.to_path_buf(),
            git_directories: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            output_bytes: DEFAULT_OUTPUT_BYTES,
            allowed,
            readable: Vec::new(),
            writable: Vec::new(),
            network: false,
            require_sandbox: false,
            written_bytes_most: DEFAULT_WRITTEN_BYTES,
            environment,
            without: Vec::new(),
        }
    }
}

/// The caller's environment, and what of it a command gets besides the usual.
///
/// A command gets `PATH`, `HOME`, the user's name, language and time zone, and where the homes of tool chains are.
/// Anything else, tokens and sockets of agents above all, stays away.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The variables of the caller (`std::env::vars_os().collect()`).
    pub variables: Vec<(OsString, OsString)>,
    /// More names to pass on, from the user's own configuration.
    pub keep: Vec<String>,
    /// Variables to set, from the user's own configuration.
    pub set: Vec<(String, String)>,
}
