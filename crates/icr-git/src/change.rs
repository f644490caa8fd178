//! Files that differ between two trees, with renames detected.

use gix::objs::Kind;
use icr_model::{BlobId, RepoPath, TreeId};

use crate::object::{find, header, object_id};
use crate::rename::{ContentSource, RenameCandidate, renames};
use crate::tree::diff;
use crate::tree_bounds::TreeBounds;
use crate::{ChangeKind, Error, FileKind, Repository, TreeChange};

/// One file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Path in the new tree; the old path if the file was deleted.
    pub path: RepoPath,
    /// Old path, if the file was renamed.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The file in the old tree; `None` if it was added. For a submodule the id is that of a commit of another
    /// repository.
    pub old: Option<(BlobId, FileKind)>,
    /// The file in the new tree; `None` if it was deleted. For a submodule the id is that of a commit of another
    /// repository.
    pub new: Option<(BlobId, FileKind)>,
}

impl FileDiff {
    /// Whether path and content are the same and only the executable bit changed.
    pub fn is_mode_only(&self) -> bool {
        let blob = |side: Option<(BlobId, FileKind)>| side.map(|(blob, _)| blob);
        self.kind == ChangeKind::Modified && blob(self.old) == blob(self.new)
    }
}

impl Repository {
    /// The files that differ between `old` and `new`, ordered by path, with renames as `git diff -M` finds them. If
    /// `old` is `None`, all files of `new` are added.
    ///
    /// Cost: one tree diff; contents are read only if files were both deleted and added. A content that a partial clone
    /// lacks is similar to no other, so such a file is reported as deleted and added, unless the contents have equal
    /// ids.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for one of the trees or a tree below;
    /// [`Error::TreeTooLarge`].
    pub fn changes_between(&self, old: Option<TreeId>, new: TreeId) -> Result<Vec<FileDiff>, Error> {
        let old = old.map(|old| object_id(old.as_bytes()));
        let raw = diff(&self.local_for_walks(), old, Some(object_id(new.as_bytes())), &mut TreeBounds::default())?;
        Ok(with_renames(raw, &mut Blobs::new(self)))
    }
}

/// Turns the path differences `raw`, ordered by path, into file changes in the same order.
pub(crate) fn with_renames(raw: Vec<TreeChange>, contents: &mut Blobs) -> Vec<FileDiff> {
    let candidate = |path: &RepoPath, side: (BlobId, FileKind)| RenameCandidate {
        path: path.clone(),
        content: side.0,
        kind: side.1,
    };
    let (mut deleted, mut added, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for change in raw {
        match (change.old, change.new) {
            (Some(old), None) => deleted.push(candidate(&change.path, old)),
            (None, Some(new)) => added.push(candidate(&change.path, new)),
            (Some(old), Some(new)) => {
                let kind = if same_type(old.1, new.1) { ChangeKind::Modified } else { ChangeKind::TypeChanged };
                let (path, old, new) = (change.path, change.old, change.new);
                changes.push(FileDiff { path, old_path: None, kind, old, new });
            }
            (None, None) => {}
        }
    }
    let mut is_source = vec![false; deleted.len()];
    for (file, source) in added.iter().zip(renames(&deleted, &added, contents)) {
        let (kind, old) = match source {
            Some(source) => (ChangeKind::Renamed, Some(&deleted[source])),
            None => (ChangeKind::Added, None),
        };
        if let Some(source) = source {
            is_source[source] = true;
        }
        changes.push(FileDiff {
            path: file.path.clone(),
            old_path: old.map(|old| old.path.clone()),
            kind,
            old: old.map(|old| (old.content, old.kind)),
            new: Some((file.content, file.kind)),
        });
    }
    for (file, _) in deleted.into_iter().zip(is_source).filter(|(_, is_source)| !is_source) {
        let old = Some((file.content, file.kind));
        changes.push(FileDiff { path: file.path, old_path: None, kind: ChangeKind::Deleted, old, new: None });
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn same_type(a: FileKind, b: FileKind) -> bool {
    a == b || (a.is_file() && b.is_file())
}

/// Contents for rename detection; a missing content is similar to no other.
pub(crate) struct Blobs {
    repo: gix::Repository,
    buffer: Vec<u8>,
}

impl Blobs {
    pub(crate) fn new(repository: &Repository) -> Self {
        Self { repo: repository.local(), buffer: Vec::new() }
    }
}

impl ContentSource<BlobId> for Blobs {
    fn size(&mut self, blob: BlobId) -> Option<u64> {
        header(&self.repo, object_id(blob.as_bytes())).ok().map(|(_, size)| size)
    }

    fn read(&mut self, blob: BlobId) -> Option<&[u8]> {
        find(&self.repo, object_id(blob.as_bytes()), Kind::Blob, &mut self.buffer).ok().map(|data| data.data)
    }
}
