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
    /// Device, number and time of the last change of a file's own record, where there are such.
    record: [u64; 4],
}

impl FileState {
    /// The state of the file at `path`; `None` where there is none that can be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        #[cfg(unix)]
        let record = {
            use std::os::unix::fs::MetadataExt;
            [metadata.dev(), metadata.ino(), metadata.ctime() as u64, metadata.ctime_nsec() as u64]
        };
        #[cfg(not(unix))]
        let record = [0; 4];
        Some(Self { bytes: metadata.len(), written_ns: written.as_nanos(), record })
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// As it stands in a list of files: the same text for the same state.
impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [device, number, seconds, nanoseconds] = self.record;
        write!(f, "{} {} {device} {number} {seconds} {nanoseconds}", self.bytes, self.written_ns)
    }
}
