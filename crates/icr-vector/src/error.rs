//! What can go wrong with vectors, and what the errors of LMDB and arroy mean here.

use std::io;
use std::path::{Path, PathBuf};

use heed::MdbError;
use icr_model::{ChunkNo, Recipe};

use crate::VectorEncoding;

/// Why vectors could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are no vectors at the path; opening them to write makes some.
    #[error("no vectors at `{}`", .path.display())]
    Missing {
        /// Directory that was asked for.
        path: PathBuf,
    },
    /// The files are not what this program wrote. Vectors are derived: remove the directory and embed again.
    #[error("the vectors at `{}` are damaged: {reason}", .path.display())]
    Damaged {
        /// Directory of the vectors; `(memory)` for those in memory.
        path: PathBuf,
        /// What was found, for a person.
        reason: String,
    },
    /// The directory was removed or replaced while this process still reads what was there.
    #[error("the vectors at `{}` were replaced while they are in use; close their readers first", .path.display())]
    Replaced {
        /// Directory that was asked for.
        path: PathBuf,
    },
    /// They were written while they were read from where readers cannot be known to those who write.
    #[error("the vectors at `{}` were written while they were read", .path.display())]
    Rewritten {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// They were opened in this process for reading only.
    #[error("the vectors at `{}` are open for reading only", .path.display())]
    ReadOnly {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// A reader of this process has been open for as long as the map had to move.
    #[error("the vectors at `{}` cannot grow while readers of this process are open", .path.display())]
    Busy {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// The file system, or the address space of the process, takes no more bytes.
    #[error("nothing more can be written to the vectors at `{}`", .path.display())]
    Full {
        /// Directory of the vectors.
        path: PathBuf,
    },
    /// A vector or a question has another number of components than its space.
    #[error("a vector of {given} components does not fit the space {space}, whose vectors have {expected}")]
    Dimensions {
        /// The space that was asked for.
        space: Recipe,
        /// Components of its vectors.
        expected: u16,
        /// Components that were given.
        given: usize,
    },
    /// A space is stored in another form than the one it is written in.
    #[error("the space {space} is kept as {expected:?}, not as {given:?}")]
    Form {
        /// The space.
        space: Recipe,
        /// The form that is stored.
        expected: VectorEncoding,
        /// The form that was given.
        given: VectorEncoding,
    },
    /// A component of a vector or of a question is infinite or not a number.
    #[error("component {at} of a vector is {value}, not a finite number")]
    NotFinite {
        /// Index of the component, from 0.
        at: usize,
        /// Its value.
        value: f32,
    },
    /// A chunk cannot be stored: its number belongs to an index in memory, or it has no window, or too many.
    #[error("chunk {} cannot be stored: {reason}", .chunk.0)]
    Chunk {
        /// The chunk.
        chunk: ChunkNo,
        /// What would be right.
        reason: &'static str,
    },
    /// There is a vector space too many.
    #[error("there are {most} vector spaces already; drop one that is not used")]
    Spaces {
        /// How many there can be.
        most: usize,
    },
    /// The file system or the machine refused.
    #[error("{doing}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What refused.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// An error below the public border: what it is about is known further up.
#[derive(Debug)]
pub(crate) enum StorageFailure {
    /// LMDB, or the file below it.
    Lmdb(heed::Error),
    /// The trees of an index.
    Trees(arroy::Error),
    /// A value is not what this crate writes.
    Damaged(String),
    /// It is an error of its own already.
    Named(Error),
}

impl StorageFailure {
    /// Whether the map is too small for what is to be written.
    pub(crate) fn is_map_full(&self) -> bool {
        matches!(
            self,
            Self::Lmdb(heed::Error::Mdb(MdbError::MapFull))
                | Self::Trees(arroy::Error::Heed(heed::Error::Mdb(MdbError::MapFull)))
        )
    }

    /// Whether another process has written beyond the map of this one.
    pub(crate) fn is_map_outgrown(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::MapResized)))
    }

    /// Whether all places for readers are taken.
    pub(crate) fn is_readers_full(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::ReadersFull)))
    }

    /// What this means for the vectors at `path`, when it came up while `doing`.
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
    /// EIO: what LMDB calls a write that ended early, where it asks itself "filesystem full?" (its mdb.c).
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
