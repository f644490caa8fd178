//! Files of a tree, and what differs between two trees.

use std::cmp::Ordering;
use std::collections::HashSet;

use gix::objs::tree::{EntryKind, EntryMode, EntryRef};
use gix::objs::{Kind, TreeRefIter};
use icr_model::{BlobId, RepoPath, TreeId};

use crate::object::{blob_id, corrupt, find, object_id};
use crate::tree_bounds::{BoundedWalk, TreeBounds};
use crate::tree_names::uncounted_entries;
use crate::{Error, Repository};

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Path of the file.
    pub path: RepoPath,
    /// Its content; for a submodule the id of a commit of another repository.
    pub blob: BlobId,
    /// What kind of file it is.
    pub kind: FileKind,
}

/// Type of a file, as git records it in its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Ordinary file.
    Regular,
    /// Executable ordinary file.
    Executable,
    /// Symbolic link; its blob contains the path of the target.
    Symlink,
    /// Submodule: another repository; its id is that of a commit there.
    Submodule,
}

impl FileKind {
    /// Whether the blob is the content of a file.
    pub fn is_file(self) -> bool {
        matches!(self, Self::Regular | Self::Executable)
    }
}

/// One path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// The path.
    pub path: RepoPath,
    /// The file in the old tree; `None` if there is none.
    pub old: Option<(BlobId, FileKind)>,
    /// The file in the new tree; `None` if there is none.
    pub new: Option<(BlobId, FileKind)>,
}

impl Repository {
    /// Passes every file below `tree` to `sink`, each path once. They are ordered by path if the trees are in git's
    /// order. If a tree names an entry twice, the first one counts, as for [`Repository::file_at`].
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for `tree` or a tree below it, [`Error::TreeTooLarge`].
    /// The files before the error have been passed to `sink`.
    pub fn files(&self, tree: TreeId, sink: &mut dyn FnMut(TreeFile)) -> Result<(), Error> {
        walk(&self.local_for_walks(), object_id(tree.as_bytes()), &[], sink)
    }

    /// The file at `path` in `tree`; `None` if there is none, or a directory. Cost: one tree read for each component,
    /// unless it is cached.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for one of the trees on the way.
    pub fn file_at(&self, tree: TreeId, path: &RepoPath) -> Result<Option<(BlobId, FileKind)>, Error> {
        let mut tree = object_id(tree.as_bytes());
        let mut names = path.as_bytes().split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            let directory = self.known_trees().get(tree, || self.local())?;
            let Some(entry) = directory.entry(name) else { return Ok(None) };
            match (file_kind(entry.mode), names.peek()) {
                (None, Some(_)) => tree = entry.oid.to_owned(),
                (Some(kind), None) => return Ok(Some((blob_id(entry.oid), kind))),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The paths whose file differs between `old` and `new`, ordered by path, each once. A rename is reported as a
    /// deletion and an addition. If a tree names an entry twice, the first one counts.
    ///
    /// Cost: only the trees that differ are read.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for one of the trees or a tree below;
    /// [`Error::TreeTooLarge`].
    pub fn tree_diff(&self, old: TreeId, new: TreeId) -> Result<Vec<TreeChange>, Error> {
        tracing::trace!(%old, %new, "compared trees");
        let (old, new) = (object_id(old.as_bytes()), object_id(new.as_bytes()));
        diff(&self.local_for_walks(), Some(old), Some(new), &mut TreeBounds::default())
    }
}

/// Walks without recursion, since the author of a repository chooses the depth of its trees.
pub(crate) fn walk(
    repo: &gix::Repository,
    tree: gix::ObjectId,
    prefix: &[u8],
    sink: &mut dyn FnMut(TreeFile),
) -> Result<(), Error> {
    struct Level {
        id: gix::ObjectId,
        data: Vec<u8>,
        offset: usize,
        /// Number of entries before `offset`.
        entries_read: usize,
        uncounted: HashSet<usize>,
        path_len: usize,
    }
    let open = |id: gix::ObjectId, mut data: Vec<u8>, path_len: usize| {
        find(repo, id, Kind::Tree, &mut data)?;
        let uncounted = uncounted_entries(&data, repo.object_hash());
        Ok::<_, Error>(Level { id, data, offset: 0, entries_read: 0, uncounted, path_len })
    };
    let mut path = prefix.to_vec();
    let mut spare = Vec::new();
    let mut levels = vec![open(tree, Vec::new(), path.len())?];
    let mut bounds = TreeBounds::default();
    let mut bounded = BoundedWalk::new(repo, [tree], &mut bounds);
    loop {
        let depth = levels.len();
        let Some(level) = levels.last_mut() else { return Ok(()) };
        path.truncate(level.path_len);
        let rest = &level.data[level.offset..];
        let mut entries = TreeRefIter::from_bytes(rest, repo.object_hash());
        let Some(entry) = entries.next() else {
            let closed = levels.pop().expect("the level was just looked at");
            spare.push(closed.data);
            continue;
        };
        let entry = entry.map_err(|error| corrupt(level.id, error))?;
        path.extend_from_slice(entry.filename);
        let (mode, id) = (entry.mode, entry.oid.to_owned());
        level.offset += entries.offset_to_next_entry(rest);
        let is_counted = !level.uncounted.contains(&level.entries_read);
        level.entries_read += 1;
        bounded.meet(path.len(), depth)?;
        if !is_counted {
            continue;
        }
        match file_kind(mode) {
            Some(kind) => sink(TreeFile { path: RepoPath::new(path.as_slice()), blob: blob_id(&id), kind }),
            None => {
                path.push(b'/');
                levels.push(open(id, spare.pop().unwrap_or_default(), path.len())?);
            }
        }
    }
}

/// The differing files, ordered by path. A missing tree counts as empty.
pub(crate) fn diff(
    repo: &gix::Repository,
    old: Option<gix::ObjectId>,
    new: Option<gix::ObjectId>,
    bounds: &mut TreeBounds,
) -> Result<Vec<TreeChange>, Error> {
    let mut changes = Vec::new();
    let mut pending = vec![(Vec::new(), 1, old, new)];
    let mut bounded = BoundedWalk::new(repo, old.into_iter().chain(new), bounds);
    let (mut old_data, mut new_data) = (Vec::new(), Vec::new());
    while let Some((prefix, depth, old, new)) = pending.pop() {
        if old == new {
            continue;
        }
        let old_entries = entries(repo, old, &mut old_data)?;
        let new_entries = entries(repo, new, &mut new_data)?;
        for (old, new) in pairs(&old_entries, &new_entries) {
            let name = old.or(new).map(|entry| entry.filename).expect("a pair has a side");
            if old.map(identity) == new.map(identity) {
                continue;
            }
            let is_tree = old.or(new).is_some_and(|entry| entry.mode.is_tree());
            bounded.meet(prefix.len() + name.len(), depth)?;
            let mut path = [prefix.as_slice(), name].concat();
            if is_tree {
                path.push(b'/');
                let tree = |entry: Option<&EntryRef<'_>>| entry.map(|entry| entry.oid.to_owned());
                pending.push((path, depth + 1, tree(old), tree(new)));
                continue;
            }
            let side = |entry: Option<&EntryRef<'_>>| {
                entry.and_then(|entry| Some((blob_id(entry.oid), file_kind(entry.mode)?)))
            };
            changes.push(TreeChange { path: RepoPath::new(path), old: side(old), new: side(new) });
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(join_type_changes(changes))
}

/// The entries of a tree that count.
fn entries<'a>(
    repo: &gix::Repository,
    tree: Option<gix::ObjectId>,
    data: &'a mut Vec<u8>,
) -> Result<Vec<EntryRef<'a>>, Error> {
    let Some(tree) = tree else { return Ok(Vec::new()) };
    let data = find(repo, tree, Kind::Tree, data)?.data;
    let entries = TreeRefIter::from_bytes(data, repo.object_hash()).entries();
    let entries = entries.map_err(|error| corrupt(tree, error))?;
    let uncounted = uncounted_entries(data, repo.object_hash());
    if uncounted.is_empty() {
        return Ok(entries);
    }
    let counted = entries.into_iter().enumerate().filter(|(number, _)| !uncounted.contains(number));
    Ok(counted.map(|(_, entry)| entry).collect())
}

/// Pairs the entries of both sides that have the same name and are both files or both directories. A name that is a
/// file on one side and a directory on the other makes two pairs.
fn pairs<'a, 'data>(
    old: &'a [EntryRef<'data>],
    new: &'a [EntryRef<'data>],
) -> impl Iterator<Item = (Option<&'a EntryRef<'data>>, Option<&'a EntryRef<'data>>)> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => {
                gix::objs::tree::name_order(a.filename, a.mode.is_tree(), b.filename, b.mode.is_tree())
            }
        };
        Some(match order {
            Ordering::Less => (old.next(), None),
            Ordering::Greater => (None, new.next()),
            Ordering::Equal => (old.next(), new.next()),
        })
    })
}

fn identity<'a>(entry: &EntryRef<'a>) -> (&'a gix::oid, Option<FileKind>) {
    (entry.oid, file_kind(entry.mode))
}

/// Joins adjacent changes of the same path: in a tree whose entries are out of order, a path may occur once for each
/// side, which is one change.
fn join_type_changes(changes: Vec<TreeChange>) -> Vec<TreeChange> {
    let mut joined: Vec<TreeChange> = Vec::with_capacity(changes.len());
    for change in changes {
        match joined.last_mut().filter(|last| last.path == change.path) {
            Some(last) => {
                last.old = last.old.or(change.old);
                last.new = last.new.or(change.new);
            }
            None => joined.push(change),
        }
    }
    joined.retain(|change| change.old != change.new);
    joined
}

/// `None` for a directory.
fn file_kind(mode: EntryMode) -> Option<FileKind> {
    match mode.kind() {
        EntryKind::Tree => None,
        EntryKind::Blob => Some(FileKind::Regular),
        EntryKind::BlobExecutable => Some(FileKind::Executable),
        EntryKind::Link => Some(FileKind::Symlink),
        EntryKind::Commit => Some(FileKind::Submodule),
    }
}
