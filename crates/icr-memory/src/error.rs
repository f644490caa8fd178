//! What can go wrong with what is kept.

use std::path::{Path, PathBuf};

/// What can go wrong with what is kept. None of it loses anything that was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has been writing for longer than is waited for.
    #[error("another process is writing the pins")]
    Busy,
    /// The database cannot be written, or its directory cannot.
    #[error("the pins in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// No space is left where the database is.
    #[error("no space is left for the pins in `{}`", .path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The file is damaged, or a database of something else.
    #[error("the pins in `{}` cannot be read: {reason}", .path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A later program has moved the database forward.
    #[error("the pins in `{}` are of version {found}, and this icr knows up to {known}", .path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// An earlier program wrote the database, and it may only be read.
    #[error("the pins in `{}` are of version {found}, and reading them means moving them to {known} first", .path.display())]
    Older {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version that is read here.
        known: i64,
    },
    /// A writer was stopped in the middle, and the database may only be read.
    #[error("a write to the pins in `{}` was cut off, and reading them means undoing it first", .path.display())]
    CutOff {
        /// The database.
        path: PathBuf,
    },
    /// One clone has as many pins as it may have.
    #[error("there are {most} pins already, which is the most")]
    TooMany {
        /// Most pins of one clone.
        most: u32,
    },
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
    /// Sorts an answer of SQLite.
    pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        /// A journal that a reader may not play back (`SQLITE_READONLY_ROLLBACK` of sqlite3.h).
        const CUT_OFF: i32 = 776;
        let path = path.to_owned();
        if source.sqlite_error().is_some_and(|error| error.extended_code == CUT_OFF) {
            return Self::CutOff { path };
        }
        if let rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) = source {
            return Self::Damaged { path, reason: source.to_string() };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            // Unknown is a missing table or column: half of a database, or somebody else's.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => {
                Self::Damaged { path, reason: source.to_string() }
            }
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
            ErrorKind::IsADirectory => Self::Damaged { path, reason: "it is a directory".to_owned() },
            _ => Self::Io { doing, path, source },
        }
    }
}
