//! Vectors in a directory: opening them to read and to write.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::block::BLOCK_CHUNKS;
use crate::environment::{self, Environment};
use crate::error::Error;
use crate::index;
use crate::memory::MemoryVectors;
use crate::reader::VectorReader;
use crate::writer::VectorWriter;

/// Settings for opening and querying vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether [`VectorReader::nearest`] uses a scan or trees.
    pub index: IndexUse,
    /// Number of live chunks from which [`IndexUse::Auto`] uses the trees.
    pub crossover: u64,
    /// Address space to reserve for the file, in bytes. It uses neither memory nor disk. If the address space of the
    /// process is limited, at most an eighth of the limit is reserved. When the file reaches this size, the reserved
    /// space is doubled. Only the first opening of a directory in a process uses this value.
    pub map_bytes: u64,
}

impl Default for Options {
    /// Trees from 500,000 chunks on, where a scan takes 6 ms; 64 GiB, enough for the static vectors of 200 million
    /// chunks.
    fn default() -> Self {
        Self { index: IndexUse::Auto, crossover: 500_000, map_bytes: 64 << 30 }
    }
}

/// Whether a query uses a scan or trees. Without trees, it is always a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexUse {
    /// Trees from the crossover on.
    Auto,
    /// Always a scan, which is exact.
    Scan,
    /// Trees whenever they exist.
    Arroy,
}

/// Vectors in a directory. Any number of readers, of any process, beside one writer at a time.
///
/// All handles of one directory in a process share one environment, whatever their options.
#[derive(Debug, Clone)]
pub struct Vectors {
    environment: Arc<Environment>,
    path: PathBuf,
    options: Options,
}

impl Vectors {
    /// Opens the vectors in the directory `path`. The directory is created if necessary, accessible only to its owner.
    ///
    /// Reads the upper pages of the file, about one per 30 MB.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when the files have another format or are invalid; [`Error::Replaced`] or [`Error::ReadOnly`]
    /// when this process has them open in another way; [`Error::Internal`] when they cannot be read.
    pub fn open(path: impl Into<PathBuf>, options: Options) -> Result<Self, Error> {
        Self::open_as(path.into(), options, false)
    }

    /// Opens the vectors in the directory `path` for reading only. The directory may be on a read-only file system or
    /// belong to another user. If the lock file can be written, a reader takes an entry in it. Otherwise a reader that
    /// is open during the commits of others ends with [`Error::Rewritten`].
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] when there are none; otherwise as for [`Vectors::open`].
    pub fn open_read_only(path: impl Into<PathBuf>, options: Options) -> Result<Self, Error> {
        Self::open_as(path.into(), options, true)
    }

    fn open_as(path: PathBuf, options: Options, is_read_only: bool) -> Result<Self, Error> {
        let environment = Environment::open(&path, options.map_bytes, is_read_only)?;
        Ok(Self { environment, path, options })
    }

    /// A reader of the last commit together with `memory`. Later commits do not change its results.
    ///
    /// Does not wait for writers; takes microseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when another process has enlarged the file beyond this process's map, and readers of this
    /// process prevent resizing it; [`Error::Internal`] when 512 readers are open.
    pub fn reader(&self, memory: Option<Arc<MemoryVectors>>) -> Result<VectorReader, Error> {
        let open = || {
            let databases = self.environment.databases()?;
            Ok(VectorReader::new(self.environment.read()?, databases, memory, self.options))
        };
        open().map_err(|failure: crate::error::StorageFailure| {
            failure.into_error(&self.path, "opening the vectors to read")
        })
    }

    /// Keeps the files open and mapped for the next user in this process, who then need not load and verify again what
    /// was already read. They are closed by [`close_kept`], when sixteen others were kept after them, when they were
    /// replaced, or when they were opened for reading and are to be written.
    pub fn keep_open(&self) {
        self.environment.keep_open();
    }

    /// A writer, which collects changes and commits them at once. Nothing is locked before the commit.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] when the vectors were opened for reading only.
    pub fn writer(&self) -> Result<VectorWriter, Error> {
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly { path: self.path.clone() });
        }
        Ok(VectorWriter::new(Arc::clone(&self.environment)))
    }

    /// One above the highest chunk number that was ever committed; 0 before the first commit.
    ///
    /// # Errors
    ///
    /// As for [`Vectors::reader`].
    pub fn mark(&self) -> Result<u32, Error> {
        self.reader(None)?.mark()
    }

    /// Directory of the vectors.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Address space that is reserved now, in bytes; initially [`Options::map_bytes`], unless that was too little or
    /// too much.
    pub fn map_bytes(&self) -> u64 {
        self.environment.map_bytes()
    }
}

/// Closes the files that [`Vectors::keep_open`] kept open, as soon as they have no readers.
pub fn close_kept() {
    environment::close_kept();
}

/// Everything that determines the format of the files. Part of a store's format, so that stores of two formats have
/// separate directories.
pub fn format() -> String {
    format!(
        "lmdb 1, little-endian, blocks of {BLOCK_CHUNKS} chunks: rows, residual f32, places u16, scales f32, steps i8 of \
         127; halves f16; digests u16 u128; {}; {}",
        crate::sum::FORMAT,
        index::format()
    )
}
