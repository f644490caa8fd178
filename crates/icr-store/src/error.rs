//! Errors of a store.

use std::path::{Path, PathBuf};

use icr_sqlite::Cause;

/// Errors of a store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process holds the writer lock.
    #[error("another process is writing the store")]
    Busy,
    /// The store's directory or files cannot be written.
    #[error("the store in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// The directory of the store.
        path: PathBuf,
    },
    /// There is no store yet.
    #[error("there is no store in `{}`", .path.display())]
    Absent {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The ledger was read without locks, and another process wrote it meanwhile. The results mix several states.
    #[error("the store in `{}` was written while it was read", .path.display())]
    Rewritten {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The disk or quota is full, the file may not grow further, or the process is out of memory (also while
    /// reading).
    #[error("there is no more disk space or memory for the store in `{}`", .path.display())]
    Full {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The store is inconsistent, or is not a store; all of it can be derived again.
    #[error("the store in `{}` is damaged: {reason}", .path.display())]
    Damaged {
        /// The directory of the store.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// All 2^31 numbers of one kind are in use.
    #[error("the store has given out all its numbers; `icr index --rebuild` starts again")]
    NumbersExhausted,
    /// A call of the operating system failed.
    #[error("{doing} `{}`", .path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The path that it was applied to.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A call of SQLite failed.
    #[error("{doing}")]
    Internal {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the database.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Maps an error of SQLite to a variant, so that a damaged, full or read-only store is not reported as an internal
    /// error.
    pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::Busy => Self::Busy,
            Cause::Full => Self::Full { path },
            Cause::ReadOnly | Cause::CutOff => Self::ReadOnly { path },
            Cause::Checksum => {
                Self::Damaged { path, reason: "a page of the ledger has other bytes than were written".to_owned() }
            }
            Cause::Damaged => Self::Damaged { path, reason: source.to_string() },
            Cause::CannotOpen if !path.exists() => Self::Absent { path },
            Cause::UnexpectedValue | Cause::Directory | Cause::CannotOpen | Cause::Other => {
                Self::Internal { doing, source: source.into() }
            }
        }
    }

    /// Maps an error of the operating system to a variant.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::Full => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }
}
