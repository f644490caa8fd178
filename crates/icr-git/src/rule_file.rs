//! `.gitignore` and `.gitattributes` of a worktree. Any directory may have one, and whoever made the clone may have put something
//! else in its place.

use std::fs::Metadata;
use std::path::Path;

use crate::clone_file::MAX_CLONE_FILE_BYTES;

/// Largest file of the user's rules: what git reads, PATTERN_MAX_FILE_SIZE (its dir.c) and ATTR_MAX_FILE_SIZE (its attr.h). Those of a clone
/// have no more than its other rules: rules of a hundred megabytes take a gigabyte.
pub(crate) const MOST_BYTES: u64 = 100 << 20;

/// Why rules do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleProblem {
    /// A link, which neither git nor gix follows, or a directory.
    NoFile(&'static str),
    /// Nobody may try to read it: a pipe would block, and a file without end fill the memory.
    Unreadable(&'static str),
}

impl RuleProblem {
    /// What is wrong with the rules at `place`; nothing when there are none.
    pub(crate) fn at(place: &Path) -> Option<Self> {
        place.symlink_metadata().ok().and_then(|metadata| Self::of(&metadata))
    }

    fn of(metadata: &Metadata) -> Option<Self> {
        match () {
            () if metadata.is_symlink() => Some(Self::NoFile("it is a link")),
            () if metadata.is_dir() => Some(Self::NoFile("it is not an ordinary file")),
            () if !metadata.is_file() => Some(Self::Unreadable("it is not an ordinary file")),
            () if metadata.len() > MAX_CLONE_FILE_BYTES => Some(Self::Unreadable("it is larger than 1 MiB")),
            () => None,
        }
    }

    /// To complete "it cannot be read: …".
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NoFile(reason) | Self::Unreadable(reason) => reason,
        }
    }
}
