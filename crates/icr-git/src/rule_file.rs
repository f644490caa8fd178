//! `.gitignore` and `.gitattributes` files of a worktree. Any directory may have one, and a clone may contain something
//! other than a file in its place.

use std::fs::Metadata;
use std::path::Path;

use crate::clone_file::MAX_CLONE_FILE_BYTES;

/// Largest rule file of the user, in bytes: git's limit, PATTERN_MAX_FILE_SIZE (its dir.c) and ATTR_MAX_FILE_SIZE (its
/// attr.h). Rule files of a clone have the limit of its other rules: a hundred megabytes of rules take a gigabyte of
/// memory.
pub(crate) const MOST_BYTES: u64 = 100 << 20;

/// Why a rule file is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleProblem {
    /// A link, which neither git nor gix follows, or a directory.
    NoFile(&'static str),
    /// Reading it would do harm: a pipe would block, and an endless file would fill the memory.
    Unreadable(&'static str),
}

impl RuleProblem {
    /// The problem with the rule file at `place`; `None` if there is no problem or no file.
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

    /// The reason, to complete "it cannot be read: …".
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NoFile(reason) | Self::Unreadable(reason) => reason,
        }
    }
}
