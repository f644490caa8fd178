//! What can keep a worktree from being watched.

use std::path::PathBuf;

/// What can keep a worktree from being watched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process watches for the same store.
    #[error("{who} watches already, and there is one watcher for a store; its lock is `{}`", .lock.display())]
    Taken {
        /// The file that is locked.
        lock: PathBuf,
        /// What the other process wrote into it: itself and its worktree.
        who: String,
    },
    /// The operating system refused something.
    #[error("{doing} `{}`: {source}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system's watcher could not be started.
    #[error("the system gives no news of files: {reason}")]
    NoWatcher {
        /// What it said.
        reason: String,
    },
}
