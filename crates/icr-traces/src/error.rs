//! Errors of traces. None of them reaches a caller of [`crate::Recorder`].

use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, MigrationError};

/// Why traces cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has been writing for longer than the wait limit.
    #[error("another process is writing the traces")]
    Busy,
    /// The database or its directory cannot be written.
    #[error("the traces in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// Path of the database.
        path: PathBuf,
    },
    /// No space is left where the database is.
    #[error("nothing more can be written to the traces in `{}`", .path.display())]
    Full {
        /// Path of the database.
        path: PathBuf,
    },
    /// The file is damaged, or is a database of another program.
    #[error("the traces in `{}` cannot be read: {reason}; if you delete it, icr starts a new one", .path.display())]
    Damaged {
        /// Path of the database.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
    },
    /// A later program has migrated the database.
    #[error("the traces in `{}` are of version {found}, and this icr knows up to {known}", .path.display())]
    Newer {
        /// Path of the database.
        path: PathBuf,
        /// Version of the database.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// An earlier program wrote the database, and a reader does not migrate it.
    #[error("the traces in `{}` are of version {found}; the next recorded call moves them to {known}", .path.display())]
    Older {
        /// Path of the database.
        path: PathBuf,
        /// Version of the database.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// A writer was stopped in the middle, and the database is in a place that cannot be written.
    #[error("a write to the traces in `{}` was interrupted and must be undone before they can be read", .path.display())]
    CutOff {
        /// Path of the database.
        path: PathBuf,
    },
    /// Opening the database failed a short while ago, and was not tried again.
    #[error("the traces could not be opened less than a minute ago")]
    NotTried,
    /// The operating system refused something.
    #[error("{doing} `{}`", .path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The file or directory that it was done to.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The output of the exported lines could not be written.
    #[error("writing traces as lines of JSON")]
    Output(#[source] std::io::Error),
    /// SQLite refused something.
    #[error("{doing}")]
    Internal {
        /// The operation that failed.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

impl Error {
    /// Converts an error of SQLite.
    pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::Busy => Self::Busy,
            Cause::Full => Self::Full { path },
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::CutOff => Self::CutOff { path },
            Cause::Checksum | Cause::Damaged | Cause::UnexpectedValue => {
                Self::Damaged { path, reason: source.to_string() }
            }
            Cause::Directory | Cause::CannotOpen | Cause::Other => Self::Internal { doing, source },
        }
    }

    /// Converts an error of the operating system.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::Full => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }

    /// Converts a failed migration of the database in `path`.
    pub(crate) fn from_migration(path: &Path, error: MigrationError) -> Self {
        match error {
            MigrationError::Newer { found, known } => Self::Newer { path: path.to_owned(), found, known },
            MigrationError::Foreign { reason } => Self::Damaged { path: path.to_owned(), reason },
            MigrationError::Reading(source) => Self::from_sqlite("reading the version of the traces", path, source),
            MigrationError::Moving(source) => Self::from_sqlite("moving the traces to this version", path, source),
        }
    }
}
