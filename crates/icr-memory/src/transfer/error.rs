//! Errors of exports and imports.

use std::path::PathBuf;

use super::RECORD_COST;

/// Errors of exports and imports. The database is unchanged after any of them.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A line of an export is invalid.
    #[error("line {number}: {wrong}")]
    Line {
        /// Number of the line, from 1.
        number: u64,
        /// What is wrong with the line, and what would be right.
        wrong: String,
    },
    /// The input is not an export of icr.
    #[error("this is not an export of icr: {reason}")]
    NoExport {
        /// What the input is instead.
        reason: String,
    },
    /// The input is larger than one import may be.
    #[error("{what} holds more than is imported at once: {} MiB, where each record counts {RECORD_COST} bytes besides its text", most >> 20)]
    TooLarge {
        /// The input: the export, or the other database.
        what: &'static str,
        /// The limit in bytes; each record counts as a KiB in addition to its bytes.
        most: u64,
    },
    /// The file is not a memory database of ICM, or is so damaged that nothing can be read.
    #[error("`{}` is not a memory database of ICM: {reason}", .path.display())]
    NoIcmDatabase {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
    },
    /// The operating system refused something.
    #[error("{doing}")]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// An error of the memory database.
    #[error(transparent)]
    Memory(#[from] crate::Error),
}
