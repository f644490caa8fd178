//! What can go wrong with a store.

use std::path::{Path, PathBuf};

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
    /// No space is left where the store is.
    #[error("no space is left for the store in `{}`", .path.display())]
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
        use rusqlite::ErrorCode;
        /// What SQLite says when the file system takes no more bytes: a write that was refused, and shared memory that
        /// could not grow (`SQLITE_IOERR_WRITE`, `SQLITE_IOERR_SHMSIZE` of sqlite3.h).
        const NO_MORE_BYTES: [i32; 2] = [778, 4874];
        let path = path.to_owned();
        if source.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_DATA) {
            return Self::Damaged { path, reason: "a page of the ledger has other bytes than were written".to_owned() };
        }
        if source.sqlite_error().is_some_and(|error| NO_MORE_BYTES.contains(&error.extended_code)) {
            return Self::Full { path };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, reason: source.to_string() }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::CannotOpen) if !path.exists() => Self::Absent { path },
            // A missing table or column in a file of this format's directory: somebody else's database, or half of one.
            Some(ErrorCode::Unknown) => Self::Damaged { path, reason: source.to_string() },
            _ => Self::Internal { doing, source: source.into() },
        }
    }

    /// Sorts an answer of the operating system.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }
}
