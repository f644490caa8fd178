//! The differences between a worktree and a tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gix::index::entry::Stage;
use icr_model::{BlobId, Gap, RepoPath, TreeId};
use rayon::prelude::*;

use crate::error::internal;
use crate::index::{self, DiskState, TrackedPath};
use crate::links::{LinkSide, changed_links};
use crate::object::{blob_id, header, object_id};
use crate::repository::{configuration_files, rule_files};
use crate::untracked::untracked;
use crate::{Error, LinkChange, Membership, Policy, Repository, TreeFile, WorktreeReader};

/// The files of a worktree that differ from a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overlay {
    /// Staged, modified, deleted and untracked files, ordered by path; without files that are not members of the view,
    /// links and submodules.
    pub entries: Vec<OverlayEntry>,
    /// Members of the view that may differ but were not read, ordered by path. The view keeps the tree's version of
    /// them; a file that grew above the size limit is left out of the view. A file above the size limit is not listed
    /// if it was compared after all and is as in the tree; larger ones than 64 MiB are not compared.
    pub unread: Vec<UnreadFile>,
    /// Symbolic links and submodules that differ, ordered by path. An untracked link is included if a file there would
    /// be; one that replaced a file is always included, and that file is deleted in the entries. Of a submodule only
    /// what is staged counts.
    pub links: Vec<LinkChange>,
    /// What is unknown about the worktree, ordered.
    pub gaps: Vec<Gap>,
    /// Number of files that were read because the index did not show that they are unchanged.
    pub files_read: u64,
}

impl Overlay {
    /// The worktree's version of `path`, if it differs.
    pub fn entry(&self, path: &RepoPath) -> Option<&OverlayEntry> {
        let found = self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
        self.entries.get(found)
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlayEntry {
    /// Path of the file.
    pub path: RepoPath,
    /// Its state in the worktree.
    pub state: OverlayState,
}

/// What the worktree has instead of the tree's version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayState {
    /// A file.
    Present {
        /// Id of the content as git would store it. It is in the object database only if it was staged.
        blob: BlobId,
        /// Bytes of that content.
        bytes_total: u64,
    },
    /// There is no file, or none that icr reads.
    Deleted,
}

/// A file that may differ but was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile {
    /// Path of the file.
    pub path: RepoPath,
    /// Why it was not read.
    pub reason: UnreadReason,
}

/// Why a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadReason {
    /// It is larger than the size limit.
    Oversize,
    /// Its attributes name an external filter driver.
    ExternalFilter,
    /// The system refused access.
    Unreadable,
    /// The time limit was reached first.
    NoTime,
    /// The index has several versions of it (a merge conflict).
    Conflicted,
}

/// Receives each directory that an overlay depends on, before the directory is read, so that the caller can tell later
/// whether the overlay is still valid.
pub trait Follow: Sync {
    /// From now on, watch `names` in `directory` for changes; `directory` is absolute and may not exist. `was_seen`
    /// says that files in it may have been looked at already.
    fn follow(&self, directory: &Path, names: Names, was_seen: bool);

    /// Whether no directory is watched yet. Then no file is looked at before its directory was passed to
    /// [`Follow::follow`].
    fn is_new(&self) -> bool;
}

/// Which names in a directory to watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// All names.
    All,
    /// Only these names.
    Only(&'static [&'static str]),
}

/// Names in git directories, besides HEAD, that an overlay depends on.
const IN_GIT_DIRECTORIES: Names = Names::Only(&["index", "info"]);

/// Largest file above the size limit, in bytes, that is compared with the version of the tree; a larger one counts as
/// changed.
const LARGEST_COMPARED: u64 = 64 << 20;

/// Files of each thread that are read even after the time limit. Who edits a few files must not be shown them as they were
/// committed because the machine is busy; to read so many takes milliseconds.
const READ_ANYWAY: usize = 32;

impl Repository {
    /// The differences between the worktree and `base`, limited to the members of the view under `policy`.
    ///
    /// The content on disk counts, whether staged or not. The index counts outside of a sparse checkout, and for files
    /// that the user marked as `assume-unchanged`. A changed file keeps the version of `base` if an external filter
    /// would convert it or if it cannot be read. A file above the size limit counts as deleted, unless the version of
    /// `base` is above it too. Each of these makes a gap. A bare repository has an empty overlay.
    ///
    /// A file is read only if the index cannot show that it is unchanged, and a file above the size limit only to learn
    /// whether it differs. Cost for a clean worktree: one `lstat` for each tracked file and one listing for each
    /// directory.
    ///
    /// # Errors
    ///
    /// [`Error::IndexMissing`] when there are commits but no index; [`Error::Index`]; [`Error::MissingObject`] and
    /// [`Error::CorruptObject`] when `base` cannot be read.
    pub fn overlay(&self, policy: &Policy, base: TreeId) -> Result<Overlay, Error> {
        self.overlay_until(policy, base, None)
    }

    /// As [`Repository::overlay`], but after `until` reads only some dozens of files. Unread files keep the version of
    /// `base`, and a gap counts them.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::overlay`].
    pub fn overlay_until(&self, policy: &Policy, base: TreeId, until: Option<Instant>) -> Result<Overlay, Error> {
        self.overlay_followed(policy, base, until, None)
    }

    /// As [`Repository::overlay_until`], and passes to `follow` all that the overlay depends on, except `base`, the
    /// configuration that the repository was opened with and [`Repository::rule_files`].
    ///
    /// # Errors
    ///
    /// Those of [`Repository::overlay`].
    pub fn overlay_followed(
        &self,
        policy: &Policy,
        base: TreeId,
        until: Option<Instant>,
        follow: Option<&dyn Follow>,
    ) -> Result<Overlay, Error> {
        let Some(root) = self.worktree_root() else { return Ok(Overlay::default()) };
        let repo = self.local_for_walks();
        let walks_first = follow.is_some_and(Follow::is_new);
        if let Some(follow) = follow {
            self.follow_git(&repo, follow);
        }
        let index = Arc::new(self.index(&repo)?);
        let tracked = index::tracked(&repo, &index)?;
        let options = repo.stat_options().map_err(internal("reading how files are compared"))?;
        let (other, index_ref, tracked_ref) = (self.local(), &*index, tracked.as_slice());
        let follow = follow.map(|follow| DirectoryFollower { follow, walks_first });
        let walk = move || untracked(&other, root, index_ref, tracked_ref, policy, follow);
        let examine = || index::examine(root, index_ref, tracked_ref, options);
        let (untracked, seen) = match walks_first {
            true => (walk(), examine()),
            false => rayon::join(walk, examine),
        };
        let untracked = untracked?;
        let mut candidates = candidates(&tracked, &seen, untracked.files, policy);
        self.read(&index, policy, until, &mut candidates)?;
        let mut gaps = Gaps::of_index(&index, policy);
        let base = object_id(base.as_bytes());
        let base = if index::is_tree(&index, base) { None } else { Some(files_by_path(&repo, base)?) };
        let worktree = worktree(&tracked, &seen, &candidates);
        let entries = differences(&repo, base.as_deref(), worktree, policy, &mut gaps);
        let gone = entries.iter().filter(|entry| entry.state == OverlayState::Deleted).map(|entry| &entry.path);
        let new_links = untracked.links.into_iter().map(RepoPath::new);
        let new_links: Vec<RepoPath> = new_links.filter(|path| policy.decide(path) == Membership::Member).collect();
        let links = changed_links(&repo, &index, base.as_deref(), LinkSide::Worktree(root), gone.chain(&new_links));
        let files_read = candidates.iter().filter(|candidate| candidate.was_read).count() as u64;
        let unread = candidates.iter().filter_map(OverlayCandidate::unread_file).collect();
        let unread = self.without_unchanged(&index, base.as_deref(), until, unread)?;
        Ok(Overlay { entries, unread, links, gaps: gaps.list(&candidates), files_read })
    }

    /// `unread` without the files above the size limit that are as in `base`: only their times changed. If `base` is
    /// `None`, the index is the base.
    fn without_unchanged(
        &self,
        index: &Arc<gix::index::File>,
        base: Option<&[TreeFile]>,
        until: Option<Instant>,
        mut unread: Vec<UnreadFile>,
    ) -> Result<Vec<UnreadFile>, Error> {
        if unread.iter().all(|file| file.reason != UnreadReason::Oversize) {
            return Ok(unread);
        }
        let version_before = |path: &RepoPath| match base {
            Some(files) => {
                let found = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
                Some(files[found].blob)
            }
            None => {
                let entry = index.entry_by_path_and_stage(path.as_bytes().into(), Stage::Unconflicted)?;
                Some(blob_id(&entry.id))
            }
        };
        let mut reader = self.worktree_reader_with(Arc::clone(index))?;
        let mut content = Vec::new();
        unread.retain(|file| {
            let is_late = || until.is_some_and(|until| Instant::now() >= until);
            let before = version_before(&file.path).filter(|_| file.reason == UnreadReason::Oversize && !is_late());
            let mut read = || reader.read(&file.path, LARGEST_COMPARED, &mut content).ok();
            before.is_none_or(|before| read() != Some(before))
        });
        Ok(unread)
    }

    /// Passes the names in git directories that an overlay depends on to `follow`.
    fn follow_git(&self, repo: &gix::Repository, follow: &dyn Follow) {
        let is_usual = repo.index_path().ends_with("index");
        let names = if is_usual { IN_GIT_DIRECTORIES } else { Names::All };
        if let Some(directory) = repo.index_path().parent() {
            let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
            follow.follow(&directory, names, false);
        }
        follow.follow(self.common_dir(), IN_GIT_DIRECTORIES, false);
        follow.follow(&self.common_dir().join("info"), Names::All, false);
    }

    /// Files outside of the worktree and of the git directories that define ignore rules and conversions, and the
    /// user's configuration, which names them. Files that do not exist are included.
    pub fn rule_files(&self) -> Vec<PathBuf> {
        let repo = self.local();
        let rules = rule_files(&repo).into_iter().map(|(_, path)| path);
        rules.chain(configuration_files(&repo)).collect()
    }

    /// The index; an empty one before the first commit, if there is no file.
    pub(crate) fn index(&self, repo: &gix::Repository) -> Result<gix::index::File, Error> {
        match index::open(repo)? {
            Some(index) => Ok(index),
            None if self.head()?.commit.is_none() => Ok(index::empty(repo)),
            None => Err(Error::IndexMissing { path: repo.index_path() }),
        }
    }

    /// Reads the candidates and stores their contents, on all threads.
    fn read(
        &self,
        index: &Arc<gix::index::File>,
        policy: &Policy,
        until: Option<Instant>,
        candidates: &mut [OverlayCandidate],
    ) -> Result<(), Error> {
        // Starting a reader costs as much as reading some dozens of files, so a few files are left to one thread.
        let run = candidates.len().div_ceil(rayon::current_num_threads()).max(64);
        candidates.par_chunks_mut(run).try_for_each(|run| {
            let mut reader = self.worktree_reader_with(Arc::clone(index))?;
            let mut content = Vec::new();
            for (at, candidate) in run.iter_mut().enumerate() {
                if at >= READ_ANYWAY && until.is_some_and(|until| Instant::now() >= until) {
                    break;
                }
                candidate.read(&mut reader, policy.max_file_bytes(), &mut content);
            }
            Ok(())
        })
    }
}

/// The receiver of the directories of a walk.
#[derive(Clone, Copy)]
pub(crate) struct DirectoryFollower<'a> {
    pub(crate) follow: &'a dyn Follow,
    /// Whether tracked files are looked at after the walk, not in parallel with it.
    pub(crate) walks_first: bool,
}

/// A file on disk whose content must be looked at.
pub(crate) struct OverlayCandidate {
    path: RepoPath,
    content: CandidateContent,
    was_read: bool,
}

/// What is known of a candidate's content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CandidateContent {
    Blob {
        blob: BlobId,
        bytes_total: u64,
    },
    Oversize,
    External,
    Unreadable,
    /// The time limit was reached first.
    Unread,
}

impl OverlayCandidate {
    fn read(&mut self, reader: &mut WorktreeReader, max_bytes: u64, content: &mut Vec<u8>) {
        self.content = match reader.read(&self.path, max_bytes, content) {
            Ok(blob) => CandidateContent::Blob { blob, bytes_total: content.len() as u64 },
            Err(Error::ExternalFilter { .. }) => CandidateContent::External,
            Err(Error::Oversize { .. }) => CandidateContent::Oversize,
            Err(_) => CandidateContent::Unreadable,
        };
        self.was_read = matches!(self.content, CandidateContent::Blob { .. });
    }

    fn unread_file(&self) -> Option<UnreadFile> {
        let reason = match self.content {
            CandidateContent::Blob { .. } => return None,
            CandidateContent::Oversize => UnreadReason::Oversize,
            CandidateContent::External => UnreadReason::ExternalFilter,
            CandidateContent::Unreadable => UnreadReason::Unreadable,
            CandidateContent::Unread => UnreadReason::NoTime,
        };
        Some(UnreadFile { path: self.path.clone(), reason })
    }
}

/// The members of the view among the tracked files that may differ and the untracked files, ordered by path.
fn candidates(
    tracked: &[TrackedPath<'_>],
    seen: &[DiskState],
    untracked: Vec<Vec<u8>>,
    policy: &Policy,
) -> Vec<OverlayCandidate> {
    let changed = tracked.iter().zip(seen).filter_map(|(file, seen)| match seen {
        DiskState::MayDiffer => Some(file.path.to_vec()),
        _ => None,
    });
    let mut candidates: Vec<OverlayCandidate> = changed
        .chain(untracked)
        .map(RepoPath::new)
        .filter(|path| policy.decide(path) == Membership::Member)
        .map(|path| OverlayCandidate { path, content: CandidateContent::Unread, was_read: false })
        .collect();
    candidates.sort_by(|a, b| a.path.cmp(&b.path));
    candidates
}

/// The worktree's entry at a path.
pub(crate) struct WorktreeEntry<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) file: Option<Version>,
    /// The blob in the index, if the index has a file for this path.
    pub(crate) indexed: Option<gix::ObjectId>,
}

/// A version of a file.
#[derive(Clone, Copy)]
pub(crate) enum Version {
    Indexed(gix::ObjectId),
    Read {
        blob: BlobId,
        bytes_total: u64,
    },
    /// Unknown; the version of the tree is used.
    Unknown,
    /// Above the size limit.
    Oversize,
}

/// All entries of the worktree, ordered by path.
fn worktree<'a>(
    tracked: &'a [TrackedPath<'a>],
    seen: &'a [DiskState],
    candidates: &'a [OverlayCandidate],
) -> impl Iterator<Item = WorktreeEntry<'a>> {
    let mut tracked = tracked.iter().zip(seen).peekable();
    let mut candidates = candidates.iter().peekable();
    std::iter::from_fn(move || {
        let next_tracked = tracked.peek().map(|(file, _)| &*file.path);
        let next_candidate = candidates.peek().map(|candidate| candidate.path.as_bytes());
        let path = match (next_tracked, next_candidate) {
            (None, None) => return None,
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        };
        let indexed = tracked.next_if(|(file, _)| *file.path == *path);
        let candidate = candidates.next_if(|candidate| candidate.path.as_bytes() == path);
        let blob = indexed.filter(|(file, _)| file.is_file).map(|(file, _)| file.blob);
        let file = match (candidate, indexed) {
            (Some(candidate), _) => match candidate.content {
                CandidateContent::Blob { blob, bytes_total } => Some(Version::Read { blob, bytes_total }),
                CandidateContent::Oversize => Some(Version::Oversize),
                CandidateContent::External | CandidateContent::Unreadable | CandidateContent::Unread => {
                    Some(Version::Unknown)
                }
            },
            (None, Some((_, DiskState::AsIndexed))) => blob.map(Version::Indexed),
            (None, Some((_, DiskState::Absent))) => None,
            // Not a member of the view, so its content was not read.
            (None, _) => Some(Version::Unknown),
        };
        Some(WorktreeEntry { path, file, indexed: blob })
    })
}

/// The files, links and submodules of `tree`, ordered by path.
pub(crate) fn files_by_path(repo: &gix::Repository, tree: gix::ObjectId) -> Result<Vec<TreeFile>, Error> {
    let mut files = Vec::new();
    crate::tree::walk(repo, tree, &[], &mut |file| files.push(file))?;
    if !files.is_sorted_by(|a, b| a.path < b.path) {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
    }
    Ok(files)
}

/// The members of the view that differ between `worktree` and `base`; if `base` is `None`, the index is the base. Links
/// are not compared.
pub(crate) fn differences<'a>(
    repo: &gix::Repository,
    base: Option<&[TreeFile]>,
    worktree: impl Iterator<Item = WorktreeEntry<'a>>,
    policy: &Policy,
    gaps: &mut Gaps,
) -> Vec<OverlayEntry> {
    let mut entries = Vec::new();
    let mut compare = |path: &[u8], old: Option<BlobId>, new: Option<Version>| {
        let new = match new {
            None => None,
            Some(Version::Unknown) => return,
            // Neither version is read, so either may be used.
            Some(Version::Oversize) if old.is_some_and(|old| is_oversize(repo, old, policy)) => return,
            Some(Version::Oversize) => {
                gaps.oversize += 1;
                None
            }
            Some(Version::Read { blob, bytes_total }) => Some((blob, Some(bytes_total))),
            Some(Version::Indexed(id)) => Some((blob_id(&id), None)),
        };
        let path = RepoPath::new(path);
        if old == new.map(|(blob, _)| blob) || policy.decide(&path) != Membership::Member {
            return;
        }
        let state = match new {
            None => OverlayState::Deleted,
            Some((blob, bytes_total)) => {
                let bytes_total = bytes_total.or_else(|| {
                    let size = header(repo, object_id(blob.as_bytes())).ok().map(|(_, size)| size);
                    gaps.missing += u64::from(size.is_none());
                    size
                });
                OverlayState::Present { blob, bytes_total: bytes_total.unwrap_or(0) }
            }
        };
        entries.push(OverlayEntry { path, state });
    };
    let mut base_files = base.unwrap_or_default().iter().filter(|file| file.kind.is_file()).peekable();
    for place in worktree {
        while let Some(gone) = base_files.next_if(|file| file.path.as_bytes() < place.path) {
            compare(gone.path.as_bytes(), Some(gone.blob), None);
        }
        let old = match base {
            None => place.indexed.map(|id| blob_id(&id)),
            Some(_) => base_files.next_if(|file| file.path.as_bytes() == place.path).map(|file| file.blob),
        };
        compare(place.path, old, place.file);
    }
    base_files.for_each(|gone| compare(gone.path.as_bytes(), Some(gone.blob), None));
    entries
}

fn is_oversize(repo: &gix::Repository, blob: BlobId, policy: &Policy) -> bool {
    header(repo, object_id(blob.as_bytes())).is_ok_and(|(_, size)| size > policy.max_file_bytes())
}

#[derive(Default)]
pub(crate) struct Gaps {
    conflicted: u64,
    missing: u64,
    /// Files above the size limit that are new, or whose version in the tree is not above it.
    oversize: u64,
}

impl Gaps {
    pub(crate) fn of_index(index: &gix::index::File, policy: &Policy) -> Self {
        Self { conflicted: conflicted(index, policy), ..Self::default() }
    }

    pub(crate) fn list(self, candidates: &[OverlayCandidate]) -> Vec<Gap> {
        let count = |content: CandidateContent| {
            candidates.iter().filter(|candidate| candidate.content == content).count() as u64
        };
        let mut gaps = vec![
            Gap::UncommittedLeftOut { files: count(CandidateContent::Unread) },
            Gap::ExternalFilter { files: count(CandidateContent::External) },
            Gap::MissingObject { objects: self.missing },
            Gap::Unreadable { files: count(CandidateContent::Unreadable) },
            Gap::Oversize { files: self.oversize },
            Gap::Conflicted { files: self.conflicted },
        ];
        gaps.retain(|gap| {
            let (Gap::UncommittedLeftOut { files: count }
            | Gap::ExternalFilter { files: count }
            | Gap::MissingObject { objects: count }
            | Gap::Unreadable { files: count }
            | Gap::Oversize { files: count }
            | Gap::Conflicted { files: count }) = gap
            else {
                return true;
            };
            *count > 0
        });
        gaps
    }
}

/// Number of members of the view that the index has in several versions.
fn conflicted(index: &gix::index::File, policy: &Policy) -> u64 {
    let stages = index.entries().iter().filter(|entry| entry.stage_raw() != 0);
    let mut paths: Vec<RepoPath> = stages.map(|entry| RepoPath::new(entry.path(index).to_vec())).collect();
    paths.dedup();
    paths.iter().filter(|path| policy.decide(path) == Membership::Member).count() as u64
}
