//! What can go wrong when memories leave or come in.

use std::path::PathBuf;

use super::RECORD_COST;

/// What can go wrong when memories leave or come in. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A line of an export cannot be taken.
    #[error("line {number}: {wrong}")]
    Line {
        /// Its number, from 1.
        number: u64,
        /// What is wrong with it, and what would be right.
        wrong: String,
    },
    /// What was to be imported is no export of icr.
    #[error("this is no export of icr: {reason}")]
    NoExport {
        /// What was found instead.
        reason: String,
    },
    /// There is more of it than is taken in at once.
    #[error("{what} holds more than is imported at once: {} MiB, where each record counts {RECORD_COST} bytes besides its text", most >> 20)]
    TooLarge {
        /// What: the export, the other database.
        what: &'static str,
        /// How much is taken: bytes, and a KiB for each record.
        most: u64,
    },
    /// A file is no memory database of ICM, or so damaged that nothing of it can be read.
    #[error("`{}` is no memory database of ICM: {reason}", .path.display())]
    NoIcmDatabase {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The operating system refused something.
    #[error("{doing}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database refused something.
    #[error(transparent)]
    Memory(#[from] crate::Error),
}
