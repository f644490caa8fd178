//! What can go wrong with what is kept.

use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, MigrationError};

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
    #[error("nothing more can be written to the pins in `{}`", .path.display())]
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
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::Busy => Self::Busy,
            Cause::Full => Self::Full { path },
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::CutOff => Self::CutOff { path },
            Cause::Checksum | Cause::Damaged | Cause::UnexpectedValue => {
                Self::Damaged { path, reason: source.to_string() }
            }
            Cause::Directory | Cause::CannotOpen | Cause::Other => Self::Internal { doing, source: source.into() },
        }
    }

    /// Sorts an answer of the operating system.
    pub(crate) fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::Full => Self::Full { path },
            Cause::Directory => Self::Damaged { path, reason: "it is a directory".to_owned() },
            _ => Self::Io { doing, path, source },
        }
    }

    /// Why the pins in `path` are not of this version.
    pub(crate) fn from_migration(path: &Path, error: MigrationError) -> Self {
        match error {
            MigrationError::Newer { found, known } => Self::Newer { path: path.to_owned(), found, known },
            MigrationError::Foreign { reason } => Self::Damaged { path: path.to_owned(), reason },
            MigrationError::Reading(source) => Self::from_sqlite("reading the version of the pins", path, source),
            MigrationError::Moving(source) => Self::from_sqlite("moving the pins to this version", path, source),
        }
    }
}
