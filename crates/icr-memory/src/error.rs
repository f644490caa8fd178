//! What can go wrong with what is kept.

use std::fmt;
use std::path::{Path, PathBuf};

use icr_sqlite::{Cause, MigrationError};

/// Which of the databases something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// That of pins.
    Pins,
    /// That of memories and memoirs.
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

/// What can go wrong with what is kept. None of it loses anything that was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has been writing for longer than is waited for.
    #[error("another process is writing {kind}")]
    Busy {
        /// Which database.
        kind: DatabaseKind,
    },
    /// The database cannot be written, or its directory cannot.
    #[error("{kind} in `{}` cannot be written", .path.display())]
    ReadOnly {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
        path: PathBuf,
    },
    /// No space is left where the database is.
    #[error("nothing more can be written to {kind} in `{}`", .path.display())]
    Full {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
        path: PathBuf,
    },
    /// The file is damaged, or a database of something else.
    #[error("{kind} in `{}` cannot be read: {reason}", .path.display())]
    Damaged {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A later program has moved the database forward.
    #[error("{kind} in `{}` are of version {found}, and this icr knows up to {known}", .path.display())]
    Newer {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version that is known here.
        known: i64,
    },
    /// An earlier program wrote the database, and it may only be read.
    #[error("{kind} in `{}` are of version {found}, and reading them means moving them to {known} first", .path.display())]
    Older {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version that is read here.
        known: i64,
    },
    /// A writer was stopped in the middle, and the database may only be read.
    #[error("a write to {kind} in `{}` was cut off, and reading them means undoing it first", .path.display())]
    CutOff {
        /// Which database.
        kind: DatabaseKind,
        /// Where it is.
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
    /// What was to be kept cannot be.
    #[error("`{field}` {wrong}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong with it, to complete a sentence.
        wrong: String,
        /// What would be right, as a sentence without a full stop.
        right: String,
    },
    /// No record has the id or name.
    #[error("there is no {entity} `{name}`")]
    NotFound {
        /// What was looked for: `memory`, `memoir`, `concept`, `operation`.
        entity: &'static str,
        /// Its id or name.
        name: String,
        /// Names that are written alike.
        similar: Vec<String>,
    },
    /// Everything was undone already, or nothing was ever done.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// An operation cannot be undone because of what was done after it.
    #[error("operation {operation} cannot be undone: the {entity} `{id}` was changed after it")]
    ChangedSince {
        /// The operation that was to be undone.
        operation: i64,
        /// What was changed.
        entity: &'static str,
        /// Its id.
        id: String,
        /// The newest operation that changed it.
        by: Option<i64>,
    },
    /// SQLite refused something inside of a piece of work that knows its name.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
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

    /// Sorts an answer of the operating system.
    pub(crate) fn from_io(kind: DatabaseKind, doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match Cause::from(&source) {
            Cause::ReadOnly => Self::ReadOnly { kind, path },
            Cause::Full => Self::Full { kind, path },
            Cause::Directory => Self::Damaged { kind, path, reason: "it is a directory".to_owned() },
            _ => Self::Io { doing, path, source },
        }
    }

    /// What is wrong with a field, and what would be right.
    pub(crate) fn invalid(field: &'static str, wrong: &str, right: &str) -> Self {
        Self::Invalid { field, wrong: wrong.to_owned(), right: right.to_owned() }
    }

    /// The error of a piece of work on the memory database, with a name for what SQLite refused in it.
    pub(crate) fn of(self, doing: &'static str, path: &Path) -> Self {
        match self {
            Self::Sqlite(source) => Self::from_sqlite(DatabaseKind::Memory, doing, path, source),
            error => error,
        }
    }

    /// Why the database in `path` is not of this version.
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
