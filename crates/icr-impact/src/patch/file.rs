//! The part of a diff about one file.

use icr_model::RepoPath;

use super::Hunk;
use crate::FileStatus;

/// The part of a diff about one file.
///
/// At least one of the paths is there. Lines are borrowed from the text that was parsed, unless that was coloured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePatch<'a> {
    /// Path before the change; `None` for a new file.
    pub old_path: Option<RepoPath>,
    /// Path after the change; `None` for a deleted file.
    pub new_path: Option<RepoPath>,
    /// What happened. A file that became a link, or a link or submodule that became a file, is one
    /// [`FileStatus::TypeChanged`], although git writes a deletion and an addition.
    pub status: FileStatus,
    /// Hexadecimal id of the content before, as printed and so possibly abbreviated. `None` if the diff does not give
    /// it, or if it is all zeros: git prints zeros for a missing file and for content that is not stored.
    pub old_blob: Option<String>,
    /// The same of the content after.
    pub new_blob: Option<String>,
    /// Mode before, as git has it (`0o100644`); `None` where it is not said.
    pub old_mode: Option<u32>,
    /// Mode after.
    pub new_mode: Option<u32>,
    /// Whether a side is binary: there are no hunks then, and [`apply`](super::apply) refuses.
    pub binary: bool,
    /// Whether a side is a submodule; its lines are `Subproject commit` and an id.
    pub submodule: bool,
    /// What changed in the content, from top to bottom; empty where only the path or the mode did.
    pub hunks: Vec<Hunk<'a>>,
}

impl FilePatch<'_> {
    /// Path after the change; before it for a deletion.
    pub fn path(&self) -> &RepoPath {
        self.new_path.as_ref().or(self.old_path.as_ref()).expect("a patch has a path, because parsing checks it")
    }

    /// Lines added by all hunks.
    pub fn lines_added(&self) -> u32 {
        self.hunks.iter().map(Hunk::lines_added).fold(0, u32::saturating_add)
    }

    /// Lines removed by all hunks.
    pub fn lines_removed(&self) -> u32 {
        self.hunks.iter().map(Hunk::lines_removed).fold(0, u32::saturating_add)
    }

    /// The same patch with lines of its own.
    pub fn into_owned(self) -> FilePatch<'static> {
        FilePatch { hunks: self.hunks.into_iter().map(Hunk::into_owned).collect(), ..self }
    }
}
