//! Symbolic links that differ from those of a tree. They are no files of a view; whoever judges a change names them.

use std::collections::BTreeMap;
use std::path::Path;

use gix::index::entry::{Mode, Stage};
use icr_model::{RepoPath, TreeId};

use crate::index::{self, on_disk};
use crate::object::object_id;
use crate::tree::FileKind;
use crate::{Error, Repository};

/// A path at which a link is, or was, and something else was, or is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkChange {
    /// Where it is.
    pub path: RepoPath,
    /// Whether the tree has anything there.
    pub was_there: bool,
    /// Whether anything is there now.
    pub is_there: bool,
    /// Whether one of the two is no link.
    pub is_other_kind: bool,
}

/// What is compared with a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinksOf {
    /// The index: the next commit.
    Index,
    /// The worktree, at the paths of links that the tree or the index has.
    Worktree,
}

/// What is at a path: whether it is a link, and the content that git gives it; none for what cannot be compared.
type PathContent = (bool, Option<gix::ObjectId>);

impl Repository {
    /// Links that `side` has otherwise than `base`, in order of their paths. A link that git does not track is not among them,
    /// nor, in the worktree, one in the place of a tracked file, which an overlay has as deleted. None in a bare repository.
    ///
    /// Cost: the index; where it is not noted to be `base`, its trees too; for a worktree a look at each link.
    ///
    /// # Errors
    ///
    /// As for [`Repository::staged`].
    pub fn changed_links(&self, base: TreeId, side: LinksOf) -> Result<Vec<LinkChange>, Error> {
        let Some(root) = self.worktree_root() else { return Ok(Vec::new()) };
        let repo = self.local_for_walks();
        let has_links = repo.config_snapshot().boolean("core.symlinks").unwrap_or(true);
        let index = self.index(&repo)?;
        let base = object_id(base.as_bytes());
        let links = index.entries().iter().filter(|entry| entry.mode == Mode::SYMLINK && entry.stage_raw() == 0);
        let indexed: BTreeMap<Vec<u8>, gix::ObjectId> =
            links.map(|entry| (entry.path(&index).to_vec(), entry.id)).collect();
        let mut before: BTreeMap<Vec<u8>, PathContent> = BTreeMap::new();
        match index::is_tree(&index, base) {
            true => before.extend(indexed.iter().map(|(path, id)| (path.clone(), (true, Some(*id))))),
            false => crate::tree::walk(&repo, base, b"", &mut |file| {
                let path = file.path.as_bytes();
                let is_link = file.kind == FileKind::Symlink;
                if is_link || indexed.contains_key(path) {
                    before.insert(path.to_vec(), (is_link, Some(object_id(file.blob.as_bytes()))));
                }
            })?,
        }
        let paths = before.iter().filter(|(_, (is_link, _))| *is_link).map(|(path, _)| path).chain(indexed.keys());
        let paths: std::collections::BTreeSet<&Vec<u8>> = paths.collect();
        let mut changes = Vec::new();
        for path in paths {
            let in_index = || {
                let entry = index.entry_by_path_and_stage(path.as_slice().into(), Stage::Unconflicted);
                entry.map(|entry| (entry.mode == Mode::SYMLINK, Some(entry.id)))
            };
            let now = match side {
                LinksOf::Worktree if has_links => found_on_disk(root, path, repo.object_hash()),
                _ => in_index(),
            };
            let was = before.get(path).copied();
            let any_is_link = was.is_some_and(|was| was.0) || now.is_some_and(|now| now.0);
            if any_is_link && was != now {
                changes.push(LinkChange {
                    path: RepoPath::new(path.clone()),
                    was_there: was.is_some(),
                    is_there: now.is_some(),
                    is_other_kind: was.zip(now).is_some_and(|(was, now)| was.0 != now.0),
                });
            }
        }
        Ok(changes)
    }
}

/// What lies at a path of the worktree; the content of a link alone is read.
fn found_on_disk(root: &Path, path: &[u8], hash: gix::hash::Kind) -> Option<PathContent> {
    let place = on_disk(root, path)?;
    let metadata = place.symlink_metadata().ok()?;
    if !metadata.is_symlink() {
        return metadata.is_file().then_some((false, None));
    }
    let target = std::fs::read_link(&place).ok()?;
    let target = gix::path::to_unix_separators_on_windows(gix::path::into_bstr(target).ok()?).into_owned();
    Some((true, gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &target).ok()))
}
