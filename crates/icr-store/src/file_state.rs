//! Whether a file is the one that somebody looked at.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Which file lies at a path. As long as it is open, no other has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// The file at `path`, links followed; `None` where there is none, or where the system gives files no numbers.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from_metadata(&metadata))
    }

    /// The file at `path`, links followed; `None` where there is none, or where the system gives files no numbers.
    #[cfg(not(unix))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), number: metadata.ino() }
    }
}

/// What a write to a file changes, and a file that takes its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    bytes: u64,
    written_ns: u128,
    /// Where files have such. Not the time at which the record of a file changed: SQLite, run by root, gives
    /// a log to its owner again whenever it opens it.
    file: Option<FileId>,
}

impl FileState {
    /// The state of the file at `path`; `None` where there is none that can be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        #[cfg(unix)]
        let file = Some(FileId::from_metadata(&metadata));
        #[cfg(not(unix))]
        let file = None;
        Some(Self { bytes: metadata.len(), written_ns: written.as_nanos(), file })
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// As it stands in a list of files: the same text for the same state.
impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileId { device, number } = self.file.unwrap_or(FileId { device: 0, number: 0 });
        write!(f, "{} {} {device} {number}", self.bytes, self.written_ns)
    }
}
