//! What can go wrong with traces. None of it reaches a caller of [`crate::Recorder`].

use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, MigrationError};

/// Why traces cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has been writing for longer than is waited for.
    #[error("another process is writing the traces")]
    Busy,
    /// The database cannot be written, or its directory cannot.
    #[error("the traces in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// Where they are.
        path: PathBuf,
    },
    /// No space is left where the database is.
    #[error("nothing more can be written to the traces in `{}`", .path.display())]
    Full {
        /// Where they are.
        path: PathBuf,
    },
    /// The file is damaged, or a database of something else.
    #[error("the traces in `{}` cannot be read: {reason}; without that file, new traces begin", .path.display())]
    Damaged {
        /// Where they are.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A later program has moved the database forward.
    #[error("the traces in `{}` are of version {found}, and this icr knows up to {known}", .path.display())]
    Newer {
        /// Where they are.
        path: PathBuf,
        /// Their version.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// An earlier program wrote the database, and reading changes nothing.
    #[error("the traces in `{}` are of version {found}; the next recorded call moves them to {known}", .path.display())]
    Older {
        /// Where they are.
        path: PathBuf,
        /// Their version.
        found: i64,
        /// The version that is read here.
        known: i64,
    },
    /// A writer was stopped in the middle, and the database lies where nothing can be written.
    #[error("a write to the traces in `{}` was cut off, and reading them means undoing it first", .path.display())]
    CutOff {
        /// Where they are.
        path: PathBuf,
    },
    /// The database could not be opened a short while ago.
    #[error("the traces could not be opened less than a minute ago")]
    NotTried,
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
    /// Whoever was to get the lines took no more of them.
    #[error("writing traces as lines of JSON")]
    Output(#[source] std::io::Error),
    /// SQLite refused something.
    #[error("{doing}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl Error {
    /// Sorts an answer of SQLite.
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

    /// Sorts an answer of the operating system.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::Full => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }

    /// Why the database is not of this version.
    pub(crate) fn from_migration(path: &Path, error: MigrationError) -> Self {
        match error {
            MigrationError::Newer { found, known } => Self::Newer { path: path.to_owned(), found, known },
            MigrationError::Foreign { reason } => Self::Damaged { path: path.to_owned(), reason },
            MigrationError::Reading(source) => Self::from_sqlite("reading the version of the traces", path, source),
            MigrationError::Moving(source) => Self::from_sqlite("moving the traces to this version", path, source),
        }
    }
}
