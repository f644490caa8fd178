//! The part of a diff about one file.

use icr_model::RepoPath;

use super::{Hunk, LineKind};
use crate::FileStatus;

/// Mode of a symbolic link.
const SYMLINK_MODE: u32 = 0o120_000;

/// Bits of a mode that say file, link or submodule, and their value for a file.
const FILE_TYPE: (u32, u32) = (0o170_000, 0o100_000);

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

    /// Whether a side is a symbolic link; its text is the path that the link leads to.
    pub fn symlink(&self) -> bool {
        [self.old_mode, self.new_mode].contains(&Some(SYMLINK_MODE))
    }

    /// Whether it says no more than that a submodule has uncommitted files. Git then writes the commit of the submodule on
    /// both sides, on one with `-dirty` behind it.
    pub fn only_dirties_submodule(&self) -> bool {
        let [hunk] = self.hunks.as_slice() else { return false };
        let mut lines = hunk.lines();
        let (Some(old), Some(new), None) = (lines.next(), lines.next(), lines.next()) else { return false };
        (old.kind, new.kind) == (LineKind::Removed, LineKind::Added)
            && old.text.starts_with(b"Subproject commit ")
            && new.text.strip_suffix(b"-dirty") == Some(old.text)
            && self.old_mode.or(self.new_mode).is_none()
    }

    /// Texts before and after a change of type, of which the diff has all lines; `None` for a side that is a link or a
    /// submodule.
    pub fn file_texts(&self) -> [Option<Vec<u8>>; 2] {
        let text = |kind: LineKind| {
            let mut text = Vec::new();
            for line in self.hunks.iter().flat_map(Hunk::lines).filter(|line| line.kind == kind) {
                text.extend_from_slice(line.text);
                text.extend_from_slice(if line.ended { b"\n" } else { b"" });
            }
            text
        };
        let is_file = |mode: Option<u32>| mode.is_some_and(|mode| mode & FILE_TYPE.0 == FILE_TYPE.1);
        [(self.old_mode, LineKind::Removed), (self.new_mode, LineKind::Added)]
            .map(|(mode, kind)| is_file(mode).then(|| text(kind)))
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
