//! What a worktree says that a tree does not.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use icr_model::{BlobId, Gap, RepoPath, TreeId};
use rayon::prelude::*;

use crate::error::internal;
use crate::index::{self, DiskState, TrackedPath};
use crate::links::{LinkSide, changed_links};
use crate::object::{blob_id, header, object_id};
use crate::repository::{configuration_files, rule_files};
use crate::untracked::untracked;
use crate::{Error, FileKind, LinkChange, Membership, Policy, Repository, TreeFile, WorktreeReader};

/// The files of a worktree that differ from a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overlay {
    /// Staged, modified, deleted and untracked files, ordered by path; those that are no members of the view, links and
    /// submodules are not among them.
    pub entries: Vec<OverlayEntry>,
    /// Members of the view that may differ and whose content is not known, ordered by path. The view has the version of
    /// the tree in their place, or, of a file that grew too large, none.
    pub unread: Vec<UnreadFile>,
    /// Links that git tracks and that differ, ordered by path; also one that has taken the place of a file, which is among the
    /// entries as deleted.
    pub links: Vec<LinkChange>,
    /// What is not known of the worktree, ordered.
    pub gaps: Vec<Gap>,
    /// How many files were read: those that the index could not vouch for.
    pub files_read: u64,
}

impl Overlay {
    /// What the worktree has at `path`, where that differs.
    pub fn entry(&self, path: &RepoPath) -> Option<&OverlayEntry> {
        let found = self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
        self.entries.get(found)
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlayEntry {
    /// Where it is.
    pub path: RepoPath,
    /// What is there.
    pub state: OverlayState,
}

/// What a worktree has in place of a file of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayState {
    /// A file.
    Present {
        /// Its content, as git would store it. Not in the object database, unless it was staged.
        blob: BlobId,
        /// Bytes of that content.
        bytes_total: u64,
    },
    /// No file that icr reads.
    Deleted,
}

/// A file that may differ, and that nobody read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile {
    /// Where it is.
    pub path: RepoPath,
    /// Why.
    pub reason: UnreadReason,
}

/// Why a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadReason {
    /// It is above the size limit.
    Oversize,
    /// Its attributes name an external filter driver.
    ExternalFilter,
    /// The system does not let it be read.
    Unreadable,
    /// There was no time to look.
    NoTime,
    /// The index has several versions of it, and no single content.
    Conflicted,
}

/// Is told which directories an overlay depends on, each before it is looked at, so that a later question can know whether
/// the overlay still stands.
pub trait Follow: Sync {
    /// Changes to `names` in `directory`, which is absolute and may be gone, matter from now on. `was_seen` says that files
    /// in it may have been looked at already.
    fn follow(&self, directory: &Path, names: Names, was_seen: bool);

    /// Whether nothing is followed yet. No file is then looked at before its directory was told.
    fn is_new(&self) -> bool;
}

/// Which names in a directory matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Every one.
    All,
    /// These.
    Only(&'static [&'static str]),
}

/// What an overlay depends on in git directories besides HEAD.
const IN_GIT_DIRECTORIES: Names = Names::Only(&["index", "info"]);

impl Repository {
    /// What the worktree has that `base` does not, as far as `policy` makes it part of a view.
    ///
    /// The disk decides: a path has the content that lies there, whether staged or not. Outside of a sparse checkout,
    /// and where the user said that a file is to be assumed unchanged, the index decides. A changed file that an external
    /// filter would convert keeps the version of `base`, as does one that cannot be read; one above the size limit
    /// counts as deleted unless the version of `base` is above it too; each makes a gap. A bare repository has an empty overlay.
    ///
    /// Files are read only where the index cannot vouch for them. Cost for a clean worktree: one `lstat` for each tracked
    /// file and one listing for each directory.
    ///
    /// # Errors
    ///
    /// [`Error::IndexMissing`] when there are commits but no index; [`Error::Index`]; [`Error::MissingObject`] and
    /// [`Error::CorruptObject`] when `base` cannot be read.
    pub fn overlay(&self, policy: &Policy, base: TreeId) -> Result<Overlay, Error> {
        self.overlay_until(policy, base, None)
    }

    /// As [`Repository::overlay`], reading no file after `until`: those left unread keep the version of `base`, and a gap counts
    /// them.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::overlay`].
    pub fn overlay_until(&self, policy: &Policy, base: TreeId, until: Option<Instant>) -> Result<Overlay, Error> {
        self.overlay_followed(policy, base, until, None)
    }

    /// As [`Repository::overlay_until`], telling `follow` all that the overlay depends on besides `base`, the configuration
    /// that the repository was opened with and [`Repository::rule_files`].
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
        let mut candidates = candidates(&tracked, &seen, untracked?, policy);
        self.read(&index, policy, until, &mut candidates)?;
        let mut gaps = Gaps::of_index(&index, policy);
        let base = object_id(base.as_bytes());
        let base = if index::is_tree(&index, base) { None } else { Some(files_and_links(&repo, base)?) };
        let worktree = worktree(&tracked, &seen, &candidates);
        let entries = differences(&repo, base.as_deref(), worktree, policy, &mut gaps);
        let gone = entries.iter().filter(|entry| entry.state == OverlayState::Deleted).map(|entry| &entry.path);
        let links = changed_links(&repo, &index, base.as_deref(), LinkSide::Worktree(root), gone);
        let files_read = candidates.iter().filter(|candidate| candidate.was_read).count() as u64;
        let unread = candidates.iter().filter_map(OverlayCandidate::unread_file).collect();
        Ok(Overlay { entries, unread, links, gaps: gaps.list(&candidates), files_read })
    }

    /// Tells what of the git directories an overlay depends on.
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

    /// Files outside of the worktree and the git directories that say what is ignored and how files are converted, and the
    /// user's configuration, which names them; whether they are there or not.
    pub fn rule_files(&self) -> Vec<PathBuf> {
        let repo = self.local();
        let rules = rule_files(&repo).into_iter().map(|(_, path)| path);
        rules.chain(configuration_files(&repo)).collect()
    }

    /// The index, which need not be there before the first commit.
    pub(crate) fn index(&self, repo: &gix::Repository) -> Result<gix::index::File, Error> {
        match index::open(repo)? {
            Some(index) => Ok(index),
            None if self.head()?.commit.is_none() => Ok(index::empty(repo)),
            None => Err(Error::IndexMissing { path: repo.index_path() }),
        }
    }

    /// Reads the candidates and fills in what they hold, on all threads.
    fn read(
        &self,
        index: &Arc<gix::index::File>,
        policy: &Policy,
        until: Option<Instant>,
        candidates: &mut [OverlayCandidate],
    ) -> Result<(), Error> {
        // A reader costs as much as some dozens of files, so that few files are left to one thread.
        let run = candidates.len().div_ceil(rayon::current_num_threads()).max(64);
        candidates.par_chunks_mut(run).try_for_each(|run| {
            let mut reader = self.worktree_reader_with(Arc::clone(index))?;
            let mut content = Vec::new();
            for candidate in run {
                if until.is_some_and(|until| Instant::now() >= until) {
                    break;
                }
                candidate.read(&mut reader, policy.max_file_bytes(), &mut content);
            }
            Ok(())
        })
    }
}

/// Who is told of directories, for a walk.
#[derive(Clone, Copy)]
pub(crate) struct DirectoryFollower<'a> {
    pub(crate) follow: &'a dyn Follow,
    /// Whether tracked files are looked at after the walk, not beside it.
    pub(crate) walks_first: bool,
}

/// A file on disk whose content must be looked at.
pub(crate) struct OverlayCandidate {
    path: RepoPath,
    content: CandidateContent,
    was_read: bool,
}

/// What is known of a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CandidateContent {
    Blob {
        blob: BlobId,
        bytes_total: u64,
    },
    Oversize,
    External,
    Unreadable,
    /// There was no time to look.
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

/// The members of the view among what may differ and what is untracked, ordered by path.
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

/// What the worktree has at a path.
pub(crate) struct WorktreeEntry<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) file: Option<Version>,
    /// The blob of the index, if it holds a file there.
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
    /// Not known; that of the tree is taken.
    Unknown,
    /// Above the size limit.
    Oversize,
}

/// All that the worktree has, ordered by path.
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
            // Not a member of the view, so that nobody asked for its content.
            (None, _) => Some(Version::Unknown),
        };
        Some(WorktreeEntry { path, file, indexed: blob })
    })
}

/// The files and links of `tree`, ordered by path.
pub(crate) fn files_and_links(repo: &gix::Repository, tree: gix::ObjectId) -> Result<Vec<TreeFile>, Error> {
    let mut files = Vec::new();
    crate::tree::walk(repo, tree, &[], &mut |file| {
        if file.kind != FileKind::Submodule {
            files.push(file);
        }
    })?;
    if !files.is_sorted_by(|a, b| a.path < b.path) {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
    }
    Ok(files)
}

/// The members of the view at which `worktree` and `base` differ; `base` is what the index has when it is `None`. Of its links
/// nothing is said.
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
            // Neither version is read, so it does not matter which one it is.
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
    /// Files above the size limit that the tree does not have, or has in a version below it.
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
            Gap::Unindexed { files: count(CandidateContent::Unread) },
            Gap::ExternalFilter { files: count(CandidateContent::External) },
            Gap::MissingObject { objects: self.missing },
            Gap::Unreadable { files: count(CandidateContent::Unreadable) },
            Gap::Oversize { files: self.oversize },
            Gap::Conflicted { files: self.conflicted },
        ];
        gaps.retain(|gap| {
            let (Gap::Unindexed { files: count }
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

/// Members of the view that the index has in several versions.
fn conflicted(index: &gix::index::File, policy: &Policy) -> u64 {
    let stages = index.entries().iter().filter(|entry| entry.stage_raw() != 0);
    let mut paths: Vec<RepoPath> = stages.map(|entry| RepoPath::new(entry.path(index).to_vec())).collect();
    paths.dedup();
    paths.iter().filter(|path| policy.decide(path) == Membership::Member).count() as u64
}
