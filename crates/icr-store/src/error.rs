//! What can go wrong with a store.

use std::path::{Path, PathBuf};

use icr_sqlite::Cause;

/// What can go wrong with a store.
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
    /// The store was written while it was read from where no lock can be taken: what was read is of no single moment.
    #[error("the store in `{}` was written while it was read", .path.display())]
    Rewritten {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The file system takes no more bytes where the store is, or not in a file of that size, or the process may have no more memory.
    #[error("nothing more can be written to the store in `{}`", .path.display())]
    Full {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The store contradicts itself or is not a store; all of it can be derived again.
    #[error("the store in `{}` is damaged: {reason}", .path.display())]
    Damaged {
        /// The directory of the store.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// All 2^31 numbers of a store were given out.
    #[error("the store has given out all its numbers; `icr index --rebuild` starts again")]
    NumbersExhausted,
    /// The operating system refused something.
    #[error("{doing} `{}`", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// SQLite refused something.
    #[error("{doing}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Sorts an answer of SQLite: a damaged, full or read-only store is not an internal error.
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

    /// Sorts an answer of the operating system.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::Full => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }
}
