//! Symbolic links and submodules that a change touches. They are not files of a view, so code that reviews a change
//! reports them separately.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::index::entry::{Flags, Mode, Stage};
use icr_model::RepoPath;

use crate::index::{Directories, on_disk};
use crate::object::object_id;
use crate::rename::{ContentSource, RenameCandidate, renames};
use crate::tree::{FileKind, TreeFile};

/// A path where one side of a change has a link, and the other side has something else or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkChange {
    /// Path of the link; where it no longer exists, its path in the tree.
    pub path: RepoPath,
    /// Path in the tree, if the link was renamed. As in git, it then leads where it led before.
    pub old_path: Option<RepoPath>,
    /// What kind of link it is; if the sides have one of each kind, a submodule.
    pub kind: LinkKind,
    /// Whether the tree has an entry at this path.
    pub was_there: bool,
    /// Whether the compared side has an entry at this path.
    pub is_there: bool,
    /// Whether the sides have entries of different kinds.
    pub is_other_kind: bool,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// A symbolic link, which leads to a path.
    Symlink,
    /// A submodule, which leads to a commit of another repository.
    Submodule,
}

/// The side that is compared with a tree.
#[derive(Clone, Copy)]
pub(crate) enum LinkSide<'a> {
    /// The index: the next commit.
    Index,
    /// The worktree with this root.
    Worktree(&'a Path),
}

/// An entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PathContent {
    /// `None` for an ordinary file.
    link: Option<LinkKind>,
    /// Its id as git computes it; `None` for an entry that is not compared.
    content: Option<gix::ObjectId>,
}

/// Links in which `side` differs from `base`, ordered by path; `None` as `base` stands for the content of the index. An
/// untracked link of a worktree is included only if it lies at one of the paths `untracked`. A link that was renamed is
/// one change.
///
/// A submodule in a worktree leads to the commit that the index records, whatever it has checked out: its repository
/// may lie anywhere and is not opened.
///
/// Cost: reading the index; for a worktree also a look at each link and at each path of `untracked`.
pub(crate) fn changed_links<'a>(
    repo: &gix::Repository,
    index: &'a gix::index::File,
    base: Option<&'a [TreeFile]>,
    side: LinkSide<'_>,
    untracked: impl Iterator<Item = &'a RepoPath>,
) -> Vec<LinkChange> {
    let has_links = repo.config_snapshot().boolean("core.symlinks").unwrap_or(true);
    let indexed = index.entries().iter().filter(|entry| link_of_mode(entry.mode).is_some() && entry.stage_raw() == 0);
    let mut paths: BTreeSet<&[u8]> = indexed.map(|entry| -> &[u8] { entry.path(index) }).collect();
    let before = base.unwrap_or_default().iter().filter(|file| !file.kind.is_file());
    paths.extend(before.map(|file| file.path.as_bytes()));
    let mut worktree = match side {
        LinkSide::Worktree(root) if has_links => Some(WorktreeLinks::new(root, repo.object_hash())),
        _ => None,
    };
    if let Some(worktree) = &mut worktree {
        let mut is_link =
            |path: &&[u8]| matches!(worktree.at(path), Some(DiskEntry::Content(now)) if now.link.is_some());
        paths.extend(untracked.map(RepoPath::as_bytes).filter(|path| is_link(path)));
    }
    let entry_at = |path: &[u8]| index.entry_by_path_and_stage(path.into(), Stage::Unconflicted);
    let in_index =
        |path| entry_at(path).map(|entry| PathContent { link: link_of_mode(entry.mode), content: Some(entry.id) });
    let mut changes = Vec::new();
    for path in paths {
        let was = match base {
            Some(files) => in_tree(files, path),
            None => in_index(path),
        };
        let now = match worktree.as_mut().map(|worktree| worktree.at(path)) {
            Some(Some(DiskEntry::Content(now))) => Some(now),
            Some(Some(DiskEntry::Directory)) => in_index(path).filter(|now| now.link == Some(LinkKind::Submodule)),
            // For paths that are not checked out, or must not be looked at, the index decides.
            Some(None) => {
                let unseen = Flags::SKIP_WORKTREE | Flags::ASSUME_VALID;
                in_index(path).filter(|_| entry_at(path).is_some_and(|entry| entry.flags.intersects(unseen)))
            }
            None => in_index(path),
        };
        let kind = [was, now].into_iter().flatten().filter_map(|side| side.link).max();
        let Some(kind) = kind.filter(|_| was != now) else { continue };
        let change = LinkChange {
            path: RepoPath::new(path),
            old_path: None,
            kind,
            was_there: was.is_some(),
            is_there: now.is_some(),
            is_other_kind: was.zip(now).is_some_and(|(was, now)| was.link != now.link),
        };
        changes.push((change, [was, now]));
    }
    with_renames(changes)
}

/// Joins the removal and the addition of one link to a rename, by the rules for two trees. Each change comes with what
/// its path had before and has now.
fn with_renames(changes: Vec<(LinkChange, [Option<PathContent>; 2])>) -> Vec<LinkChange> {
    let on_one_side = |side: usize| -> Vec<RenameCandidate<gix::ObjectId>> {
        let candidate = |(change, sides): &(LinkChange, [Option<PathContent>; 2])| {
            let entry = sides[side].filter(|_| sides[1 - side].is_none())?;
            let (content, kind) = (entry.content?, kind_of_link(entry.link?));
            Some(RenameCandidate { path: change.path.clone(), content, kind })
        };
        changes.iter().filter_map(candidate).collect()
    };
    let (deleted, added) = (on_one_side(0), on_one_side(1));
    let sources = renames(&deleted, &added, &mut NoContents);
    let pairs = added.into_iter().zip(sources);
    let old_paths: BTreeMap<RepoPath, RepoPath> =
        pairs.filter_map(|(link, source)| Some((link.path, deleted[source?].path.clone()))).collect();
    let moved: BTreeSet<&RepoPath> = old_paths.values().collect();
    let kept = changes.into_iter().map(|(change, _)| change).filter(|change| !moved.contains(&change.path));
    kept.map(|change| LinkChange { old_path: old_paths.get(&change.path).cloned(), ..change }).collect()
}

/// Links are never similar, only equal, so no content is read.
struct NoContents;

impl ContentSource<gix::ObjectId> for NoContents {
    fn size(&mut self, _: gix::ObjectId) -> Option<u64> {
        None
    }

    fn read(&mut self, _: gix::ObjectId) -> Option<&[u8]> {
        None
    }
}

fn link_of_mode(mode: Mode) -> Option<LinkKind> {
    match mode {
        Mode::SYMLINK => Some(LinkKind::Symlink),
        Mode::COMMIT => Some(LinkKind::Submodule),
        _ => None,
    }
}

fn kind_of_link(link: LinkKind) -> FileKind {
    match link {
        LinkKind::Symlink => FileKind::Symlink,
        LinkKind::Submodule => FileKind::Submodule,
    }
}

fn link_of_kind(kind: FileKind) -> Option<LinkKind> {
    match kind {
        FileKind::Symlink => Some(LinkKind::Symlink),
        FileKind::Submodule => Some(LinkKind::Submodule),
        FileKind::Regular | FileKind::Executable => None,
    }
}

/// The entry at `path` in the tree with these files, which are ordered by path.
fn in_tree(files: &[TreeFile], path: &[u8]) -> Option<PathContent> {
    let found = files.binary_search_by(|file| file.path.as_bytes().cmp(path)).ok()?;
    let file = &files[found];
    Some(PathContent { link: link_of_kind(file.kind), content: Some(object_id(file.blob.as_bytes())) })
}

/// What lies at a path of a worktree.
enum DiskEntry {
    Content(PathContent),
    Directory,
}

/// Looks up links of a worktree. Paths come in order, so directories are cached.
struct WorktreeLinks<'a> {
    root: &'a Path,
    directories: Directories<'a>,
    hash: gix::hash::Kind,
}

impl<'a> WorktreeLinks<'a> {
    fn new(root: &'a Path, hash: gix::hash::Kind) -> Self {
        Self { root, directories: Directories::new(root), hash }
    }

    /// The entry at `path`. Content is read only for links; entries behind a linked directory do not exist.
    fn at(&mut self, path: &[u8]) -> Option<DiskEntry> {
        let found = self.directories.find(path)?;
        if found.is_dir() {
            return Some(DiskEntry::Directory);
        }
        if !found.is_symlink() {
            return found.is_file().then_some(DiskEntry::Content(PathContent { link: None, content: None }));
        }
        let target = std::fs::read_link(on_disk(self.root, path)?).ok()?;
        let target = gix::path::to_unix_separators_on_windows(gix::path::into_bstr(target).ok()?).into_owned();
        let content = gix::objs::compute_hash(self.hash, gix::objs::Kind::Blob, &target).ok();
        Some(DiskEntry::Content(PathContent { link: Some(LinkKind::Symlink), content }))
    }
}
