//! What a commit changed, with paths given as numbers.

use serde::{Deserialize, Serialize};

use crate::PathNo;

/// One file of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path after the commit; before it for a deletion.
    pub path: PathNo,
    /// Path before the commit, for a rename as git detects it.
    pub old_path: Option<PathNo>,
    /// What the commit did to the file.
    pub kind: FileChangeKind,
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileChangeKind {
    /// The file is new.
    Added,
    /// The content or mode changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file has another path, and perhaps another content.
    Renamed,
}
