//! The differences between the index and a tree: what the next commit would change.

use icr_model::{RepoPath, TreeId};

use crate::index::{self, TrackedPath};
use crate::links::{LinkSide, changed_links};
use crate::object::object_id;
use crate::overlay::{Gaps, UnreadFile, UnreadReason, Version, WorktreeEntry, differences, files_by_path};
use crate::{Error, Membership, Overlay, Policy, Repository};

impl Repository {
    /// The differences between the index and `base`, as `git diff --cached` shows them, limited to the members of the
    /// view under `policy`. The disk is not checked. The contents are in the object database, whatever their size, so
    /// [`crate::BlobReader`] reads them.
    ///
    /// As in [`Repository::overlay`], a change of only the mode does not count, and links and submodules count as no
    /// file. A path with several versions keeps that of `base` and makes a gap. A content that a partial clone lacks is
    /// listed with 0 bytes and makes a gap, too. Files of `git add --intent-to-add` are not staged. A bare repository
    /// has an empty overlay.
    ///
    /// Cost: the index and the trees of `base` are read; if the index records that it equals `base`, only the index.
    /// Work grows with the number of tracked files.
    ///
    /// # Errors
    ///
    /// [`Error::IndexMissing`] when there are commits but no index; [`Error::Index`]; [`Error::MissingObject`] and
    /// [`Error::CorruptObject`] when `base` cannot be read.
    pub fn staged(&self, policy: &Policy, base: TreeId) -> Result<Overlay, Error> {
        if self.is_bare() {
            return Ok(Overlay::default());
        }
        let repo = self.local_for_walks();
        let index = self.index(&repo)?;
        let base = object_id(base.as_bytes());
        if index::is_tree(&index, base) {
            return Ok(Overlay::default());
        }
        let tracked = index::tracked(&repo, &index)?;
        let base = files_by_path(&repo, base)?;
        let mut gaps = Gaps::of_index(&index, policy);
        let entries = differences(&repo, Some(&base), tracked.iter().map(place), policy, &mut gaps);
        let links = changed_links(&repo, &index, Some(&base), LinkSide::Index, std::iter::empty());
        let conflicted = tracked.iter().filter(|file| file.is_conflicted).map(|file| RepoPath::new(file.path.to_vec()));
        let unread = conflicted
            .filter(|path| policy.decide(path) == Membership::Member)
            .map(|path| UnreadFile { path, reason: UnreadReason::Conflicted })
            .collect();
        Ok(Overlay { entries, unread, links, gaps: gaps.list(&[]), files_read: 0 })
    }
}

fn place<'a>(file: &'a TrackedPath<'a>) -> WorktreeEntry<'a> {
    let indexed = file.is_file.then_some(file.blob);
    let version = if file.is_conflicted { Some(Version::Unknown) } else { indexed.map(Version::Indexed) };
    WorktreeEntry { path: &file.path, file: version, indexed }
}
