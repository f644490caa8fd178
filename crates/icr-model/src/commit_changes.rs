//! What a commit changed, by the numbers of paths.

use serde::{Deserialize, Serialize};

use crate::PathNo;

/// One file of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path after the commit; before it for a deletion.
    pub path: PathNo,
    /// Path before the commit, for a rename as git detects it.
    pub old_path: Option<PathNo>,
    /// What happened.
    pub kind: FileChangeKind,
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileChangeKind {
    /// It is new.
    Added,
    /// Its content or mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and perhaps another content.
    Renamed,
}
