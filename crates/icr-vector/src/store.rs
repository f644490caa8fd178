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

/// How vectors are opened and asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Which way [`VectorReader::nearest`] goes.
    pub index: IndexUse,
    /// Live chunks from which on [`IndexUse::Auto`] asks the trees.
    pub crossover: u64,
    /// Address space to reserve for the file, in bytes. It costs no memory and no disk, and less is taken where the process
    /// may not have as much: an eighth of what it may have. When the file reaches it, it doubles. Counts for the first who
    /// opens a directory.
    pub map_bytes: u64,
}

impl Default for Options {
    /// Trees from 500,000 chunks on, where a scan takes 6 ms; 64 GiB, which hold the static vectors of 200 million chunks.
    fn default() -> Self {
        Self { index: IndexUse::Auto, crossover: 500_000, map_bytes: 64 << 30 }
    }
}

/// Whether a question is answered by a scan or by trees. Trees that were never built cannot be asked: then it is a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexUse {
    /// Trees above the crossover.
    Auto,
    /// Never trees: always exact.
    Scan,
    /// Trees whenever they are there.
    Arroy,
}

/// Vectors in a directory. Any number of readers, of any process, beside one writer at a time.
///
/// Handles of one directory in one process share one environment, however they were opened.
#[derive(Debug, Clone)]
pub struct Vectors {
    environment: Arc<Environment>,
    path: PathBuf,
    options: Options,
}

impl Vectors {
    /// Opens the vectors in the directory `path`, which is made if need be, for its owner alone.
    ///
    /// Reads the upper pages of the file, about one for each 30 MB.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when the files are of another format or make no sense; [`Error::Replaced`] or
    /// [`Error::ReadOnly`] when this process has them open otherwise; [`Error::Internal`] when they cannot be read.
    pub fn open(path: impl Into<PathBuf>, options: Options) -> Result<Self, Error> {
        Self::open_as(path.into(), options, false)
    }

    /// Opens the vectors in the directory `path` to read them only. The directory may be on a file system that takes no
    /// writes, or belong to somebody else; where it can be written, a place in the lock file is taken. Where it cannot, a
    /// reader that is open while others commit ends with [`Error::Rewritten`].
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] when there are none; else as for [`Vectors::open`].
    pub fn open_read_only(path: impl Into<PathBuf>, options: Options) -> Result<Self, Error> {
        Self::open_as(path.into(), options, true)
    }

    fn open_as(path: PathBuf, options: Options, is_read_only: bool) -> Result<Self, Error> {
        let environment = Environment::open(&path, options.map_bytes, is_read_only)?;
        Ok(Self { environment, path, options })
    }

    /// What is committed now, together with `memory`. Later commits do not change what a reader sees.
    ///
    /// Waits for no writer; costs microseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when another process has outgrown this one's map and readers of this process keep it from moving;
    /// [`Error::Internal`] when 512 readers are open.
    pub fn reader(&self, memory: Option<Arc<MemoryVectors>>) -> Result<VectorReader, Error> {
        let open = || {
            let databases = self.environment.databases()?;
            Ok(VectorReader::new(self.environment.read()?, databases, memory, self.options))
        };
        open().map_err(|failure: crate::error::StorageFailure| {
            failure.into_error(&self.path, "opening the vectors to read")
        })
    }

    /// Leaves the files open and mapped for whoever opens them next in this process, who then need not read in again and check what was read
    /// before. They are closed by [`close_kept`], when sixteen others were kept since, and when they were replaced or are to be written after
    /// they were opened to be read.
    pub fn keep_open(&self) {
        self.environment.keep_open();
    }

    /// A writer, which collects what is to change and changes it at once. Nothing is locked until it commits.
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

    /// The number above all chunks that were ever committed; 0 before the first commit.
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

    /// Address space that is reserved now, in bytes; [`Options::map_bytes`] until that was too little or too much.
    pub fn map_bytes(&self) -> u64 {
        self.environment.map_bytes()
    }
}

/// Closes the files that [`Vectors::keep_open`] left open, as soon as nobody reads them.
pub fn close_kept() {
    environment::close_kept();
}

/// What shapes the files, whatever is in them. Part of a store's format, so that stores of two formats lie side by side.
pub fn format() -> String {
    format!(
        "lmdb 1, little-endian, blocks of {BLOCK_CHUNKS} chunks: rows, residual f32, places u16, scales f32, steps i8 of \
         127; halves f16; digests u16 u128; {}; {}",
        crate::sum::FORMAT,
        index::format()
    )
}
