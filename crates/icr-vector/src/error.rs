//! Errors of vectors, and how the errors of LMDB and arroy map to them.

use std::io;
use std::path::{Path, PathBuf};

use heed::MdbError;
use icr_model::{ChunkNo, Recipe};

use crate::VectorEncoding;

/// Why vectors could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are no vectors at the path; opening them for writing creates them.
    #[error("no vectors at `{}`", .path.display())]
    Missing {
        /// The directory that was to be opened.
        path: PathBuf,
    },
    /// The files are not as this program wrote them. Vectors are derived: remove the directory and embed again.
    #[error("the vectors at `{}` are damaged: {reason}", .path.display())]
    Damaged {
        /// Directory of the vectors; `(memory)` for those in memory.
        path: PathBuf,
        /// What is wrong, as a message for users.
        reason: String,
    },
    /// The directory was removed or replaced while this process still reads the old one.
    #[error("the vectors at `{}` were replaced while they are in use; close their readers first", .path.display())]
    Replaced {
        /// The directory that was to be opened.
        path: PathBuf,
    },
    /// The vectors were written while they were read by a reader that writers cannot see.
    #[error("the vectors at `{}` were written while they were read", .path.display())]
    Rewritten {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// The vectors were opened for reading only in this process.
    #[error("the vectors at `{}` are open for reading only", .path.display())]
    ReadOnly {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// The map must be resized, but a reader of this process stayed open too long.
    #[error("the vectors at `{}` cannot grow while readers of this process are open", .path.display())]
    Busy {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// The disk or quota is full, or the process has no more address space.
    #[error("nothing more can be written to the vectors at `{}`", .path.display())]
    Full {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// A vector or a query has another number of components than the space.
    #[error("a vector of {given} components does not fit the space {space}, whose vectors have {expected}")]
    Dimensions {
        /// The space.
        space: Recipe,
        /// Components of its vectors.
        expected: u16,
        /// Number of components that were given.
        given: usize,
    },
    /// A space is stored in another encoding than the one it is written in.
    #[error("the space {space} is kept as {expected:?}, not as {given:?}")]
    Form {
        /// The space.
        space: Recipe,
        /// The encoding that is stored.
        expected: VectorEncoding,
        /// The encoding that was given.
        given: VectorEncoding,
    },
    /// A component of a vector or of a query is infinite or NaN.
    #[error("component {at} of a vector is {value}, not a finite number")]
    NotFinite {
        /// Index of the component, from 0.
        at: usize,
        /// Its value.
        value: f32,
    },
    /// A chunk cannot be stored: its number belongs to an index in memory, or it has no windows, or too many.
    #[error("chunk {} cannot be stored: {reason}", .chunk.0)]
    Chunk {
        /// The chunk.
        chunk: ChunkNo,
        /// What would be valid.
        reason: &'static str,
    },
    /// There are too many vector spaces.
    #[error("there are {most} vector spaces already; drop one that is not used")]
    Spaces {
        /// Most spaces that there can be.
        most: usize,
    },
    /// A call of the file system or of the machine failed.
    #[error("{doing}")]
    Internal {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// An internal error, without the path and the operation, which callers add.
#[derive(Debug)]
pub(crate) enum StorageFailure {
    /// An error of LMDB, or of the file that it uses.
    Lmdb(heed::Error),
    /// An error of the trees of an index.
    Trees(arroy::Error),
    /// A stored value is not one that this crate writes.
    Damaged(String),
    /// A complete error.
    Named(Error),
}

impl StorageFailure {
    /// Whether the map is too small for the data to write.
    pub(crate) fn is_map_full(&self) -> bool {
        matches!(
            self,
            Self::Lmdb(heed::Error::Mdb(MdbError::MapFull))
                | Self::Trees(arroy::Error::Heed(heed::Error::Mdb(MdbError::MapFull)))
        )
    }

    /// Whether another process has enlarged the file beyond the map of this process.
    pub(crate) fn is_map_outgrown(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::MapResized)))
    }

    /// Whether all entries of the reader table are in use.
    pub(crate) fn is_readers_full(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::ReadersFull)))
    }

    /// Maps this error to a public one for the vectors at `path`; it occurred while `doing`.
    pub(crate) fn into_error(self, path: &Path, doing: &'static str) -> Error {
        let path = path.to_path_buf();
        match self {
            Self::Named(error) => error,
            Self::Damaged(reason) => Error::Damaged { path, reason },
            Self::Lmdb(error) => from_lmdb(error, path, doing),
            Self::Trees(arroy::Error::Heed(error)) => from_lmdb(error, path, doing),
            Self::Trees(arroy::Error::Io(error)) => from_lmdb(heed::Error::Io(error), path, doing),
            Self::Trees(error) => Error::Damaged { path, reason: error.to_string() },
        }
    }
}

fn from_lmdb(error: heed::Error, path: PathBuf, doing: &'static str) -> Error {
    match error {
        heed::Error::Mdb(
            error @ (MdbError::PageNotFound
            | MdbError::Corrupted
            | MdbError::Panic
            | MdbError::VersionMismatch
            | MdbError::Invalid
            | MdbError::CursorFull
            | MdbError::Incompatible
            | MdbError::BadDbi
            | MdbError::BadTxn
            | MdbError::Problem),
        ) => Error::Damaged { path, reason: format!("{error} while {doing}") },
        heed::Error::Decoding(error) => Error::Damaged { path, reason: error.to_string() },
        heed::Error::Mdb(MdbError::MapFull) => Error::Full { path },
        heed::Error::Io(error) if is_full(&error) => Error::Full { path },
        error => Error::Internal { doing, source: Box::new(error) },
    }
}

fn is_full(error: &io::Error) -> bool {
    /// EIO: LMDB returns it if a write was incomplete; its mdb.c has the comment "filesystem full?" there.
    const ENDED_EARLY: i32 = 5;
    let is_early = cfg!(unix) && error.raw_os_error() == Some(ENDED_EARLY);
    is_early
        || matches!(
            error.kind(),
            io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::FileTooLarge
                | io::ErrorKind::OutOfMemory
        )
}

impl From<heed::Error> for StorageFailure {
    fn from(error: heed::Error) -> Self {
        Self::Lmdb(error)
    }
}

impl From<arroy::Error> for StorageFailure {
    fn from(error: arroy::Error) -> Self {
        Self::Trees(error)
    }
}

impl From<Error> for StorageFailure {
    fn from(error: Error) -> Self {
        Self::Named(error)
    }
}

impl From<io::Error> for StorageFailure {
    fn from(error: io::Error) -> Self {
        Self::Lmdb(heed::Error::Io(error))
    }
}
