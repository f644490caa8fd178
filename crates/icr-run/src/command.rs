//! What to run, where and within which bounds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{AllowList, DEFAULT_OUTPUT_BYTES, DEFAULT_TIMEOUT, DEFAULT_WRITTEN_BYTES, SandboxMeans};

/// One command: what to run, where, and within which bounds.
#[derive(Debug, Clone)]
pub struct SandboxedCommand<'a> {
    /// The program as it was typed, and its arguments. No shell interprets them.
    pub argv: Vec<String>,
    /// Root of the worktree, absolute. The command may read and write below it.
    pub root: PathBuf,
    /// Where the command starts: the root or a directory below it. A relative path is one from the root.
    pub directory: PathBuf,
    /// Git directories, in the worktree or elsewhere. The command may read them, but not write them. `.git` of the root
    /// always counts and need not be listed.
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
    /// Whether to refuse the command if the kernel cannot restrict its file access or, without `network`, cannot block
    /// the network.
    pub require_sandbox: bool,
    /// Two limits in bytes, more than zero: the size of the largest file that the command writes, and the disk space
    /// that may be used up while it runs, whoever uses it.
    pub written_bytes_most: u64,
    /// The environment that the command's variables are taken from.
    pub environment: Environment,
    /// Sandbox means to treat as missing in the kernel. For tests.
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

/// The caller's environment, and the additional variables that a command gets.
///
/// A command gets `PATH`, `HOME`, the user's name, language and time zone, and the home directories of tool chains.
/// Nothing else is passed on, above all no tokens and no sockets of agents.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The variables of the caller (`std::env::vars_os().collect()`).
    pub variables: Vec<(OsString, OsString)>,
    /// More names to pass on, from the user's own configuration.
    pub keep: Vec<String>,
    /// Variables to set, from the user's own configuration.
    pub set: Vec<(String, String)>,
}
