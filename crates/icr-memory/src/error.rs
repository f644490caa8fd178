//! Errors of memories, memoirs and pins.

use std::fmt;
use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, MigrationError};

/// The database that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// The database of pins.
    Pins,
    /// The database of memories and memoirs.
    Memory,
}

impl fmt::Display for DatabaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pins => "the pins",
            Self::Memory => "the memories",
        })
    }
}

/// Errors of memories, memoirs and pins. No error loses stored data.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has been writing for longer than the wait limit.
    #[error("another process is writing {kind}")]
    Busy {
        /// The locked database.
        kind: DatabaseKind,
    },
    /// The database or its directory cannot be written.
    #[error("{kind} in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
    },
    /// No space is left where the database is.
    #[error("nothing more can be written to {kind} in `{}`", .path.display())]
    Full {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
    },
    /// The file is damaged, or is a database of another program.
    #[error("{kind} in `{}` cannot be read: {reason}", .path.display())]
    Damaged {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
    },
    /// A later program has migrated the database.
    #[error("{kind} in `{}` are of version {found}, and this icr knows up to {known}", .path.display())]
    Newer {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
        /// Version of the database.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// An earlier program wrote the database, which may only be read and so cannot be migrated.
    #[error("{kind} in `{}` are of version {found} and must be migrated to version {known} before they can be read", .path.display())]
    Older {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
        /// Version of the database.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// A writer was stopped in the middle, and the database may only be read.
    #[error("a write to {kind} in `{}` was interrupted and must be undone before they can be read", .path.display())]
    CutOff {
        /// The kind of the database.
        kind: DatabaseKind,
        /// Path of the database.
        path: PathBuf,
    },
    /// A clone already has the most pins that are allowed.
    #[error("there are {most} pins already, and no more are allowed")]
    TooMany {
        /// Most pins of one clone.
        most: u32,
    },
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
    /// A value that cannot be stored.
    #[error("`{field}` {wrong}")]
    Invalid {
        /// Name of the field.
        field: &'static str,
        /// What is wrong with the value, as the end of a sentence.
        wrong: String,
        /// Which value is valid, as a sentence without a full stop.
        right: String,
    },
    /// No record has this id or name.
    #[error("there is no {entity} `{name}`")]
    NotFound {
        /// The kind of record: `memory`, `memoir`, `concept`, `operation`.
        entity: &'static str,
        /// The id or name that was looked up.
        name: String,
        /// Existing names that are spelled alike.
        similar: Vec<String>,
    },
    /// There is no operation that can be undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// An operation cannot be undone because a later operation changed the same record.
    #[error("operation {operation} cannot be undone: the {entity} `{id}` was changed after it")]
    ChangedSince {
        /// The operation that was to be undone.
        operation: i64,
        /// The kind of the changed record.
        entity: &'static str,
        /// Id of the changed record.
        id: String,
        /// The newest operation that changed it.
        by: Option<i64>,
    },
    /// SQLite refused a statement. The named operation around it converts this error to another variant.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// SQLite refused something.
    #[error("{doing}")]
    Internal {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the database.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Converts an error of SQLite.
    pub(crate) fn from_sqlite(kind: DatabaseKind, doing: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::Busy => Self::Busy { kind },
            Cause::Full => Self::Full { kind, path },
            Cause::ReadOnly => Self::ReadOnly { kind, path },
            Cause::CutOff => Self::CutOff { kind, path },
            Cause::Checksum | Cause::Damaged | Cause::UnexpectedValue => {
                Self::Damaged { kind, path, reason: source.to_string() }
            }
            Cause::Directory | Cause::CannotOpen | Cause::Other => Self::Internal { doing, source: source.into() },
        }
    }

    /// Converts an error of the operating system.
    pub(crate) fn from_io(kind: DatabaseKind, doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { kind, path },
            Cause::Full => Self::Full { kind, path },
            Cause::Directory => Self::Damaged { kind, path, reason: "it is a directory".to_owned() },
            _ => Self::Io { doing, path, source },
        }
    }

    /// An [`Error::Invalid`]: what is wrong with a field, and what would be right.
    pub(crate) fn invalid(field: &'static str, wrong: &str, right: &str) -> Self {
        Self::Invalid { field, wrong: wrong.to_owned(), right: right.to_owned() }
    }

    /// Adds the operation `doing` and the path to an error of SQLite on the memory database; other errors stay as they
    /// are.
    pub(crate) fn of(self, doing: &'static str, path: &Path) -> Self {
        match self {
            Self::Sqlite(source) => Self::from_sqlite(DatabaseKind::Memory, doing, path, source),
            error => error,
        }
    }

    /// Converts a failed migration of the database in `path`.
    pub(crate) fn from_migration(kind: DatabaseKind, path: &Path, error: MigrationError) -> Self {
        match error {
            MigrationError::Newer { found, known } => Self::Newer { kind, path: path.to_owned(), found, known },
            MigrationError::Foreign { reason } => Self::Damaged { kind, path: path.to_owned(), reason },
            MigrationError::Reading(source) => {
                Self::from_sqlite(kind, "reading the version of a database", path, source)
            }
            MigrationError::Moving(source) => {
                Self::from_sqlite(kind, "moving a database to this version", path, source)
            }
        }
    }
}
