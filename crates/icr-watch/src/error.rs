//! Errors of watching a worktree.

use std::path::PathBuf;

/// Errors of watching a worktree.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process watches for this store.
    #[error("{who} is watching already, and a store has only one watcher; its lock is `{}`", .lock.display())]
    Taken {
        /// The lock file.
        lock: PathBuf,
        /// What the other process wrote into it: its process and its worktree.
        who: String,
    },
    /// A call of the operating system failed.
    #[error("{doing} `{}`: {source}", .path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The path that it was applied to.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The system's watcher could not be started.
    #[error("the system does not report changes of files: {reason}")]
    NoWatcher {
        /// The error of the watcher.
        reason: String,
    },
}
