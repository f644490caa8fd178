//! Detects whether a file was replaced or changed.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Identity of a file (device and inode). No other file has the same as long as this one is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// The identity of the file at `path`, links followed; `None` if there is no file, or if the system has no file
    /// numbers.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from_metadata(&metadata))
    }

    /// The identity of the file at `path`, links followed; `None` if there is no file, or if the system has no file
    /// numbers.
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

/// Properties of a file that change when it is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    bytes: u64,
    written_ns: u128,
    /// Identity, if the system has file numbers. The inode change time (ctime) is not used: when SQLite runs as root,
    /// it sets the owner of the log each time that it opens it.
    file: Option<FileId>,
}

impl FileState {
    /// The state of the file at `path`; `None` if its metadata cannot be read.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        #[cfg(unix)]
        let file = Some(FileId::from_metadata(&metadata));
        #[cfg(not(unix))]
        let file = None;
        Some(Self { bytes: metadata.len(), written_ns: written.as_nanos(), file })
    }

    /// Size of the file in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Text form for lists of files: equal states have equal text.
impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileId { device, number } = self.file.unwrap_or(FileId { device: 0, number: 0 });
        write!(f, "{} {} {device} {number}", self.bytes, self.written_ns)
    }
}
