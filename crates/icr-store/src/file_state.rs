//! Whether a file is the one that somebody looked at.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// What a write to a file changes, and a file that takes its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    bytes: u64,
    written_ns: u128,
    /// Device and number, where files have such. Not the time at which the record of a file changed: SQLite, run by root, gives
    /// a log to its owner again whenever it opens it.
    identity: [u64; 2],
}

impl FileState {
    /// The state of the file at `path`; `None` where there is none that can be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            [metadata.dev(), metadata.ino()]
        };
        #[cfg(not(unix))]
        let identity = [0; 2];
        Some(Self { bytes: metadata.len(), written_ns: written.as_nanos(), identity })
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// As it stands in a list of files: the same text for the same state.
impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [device, number] = self.identity;
        write!(f, "{} {} {device} {number}", self.bytes, self.written_ns)
    }
}
