//! Commits as facts: their parents, their times, their messages and the files that they changed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::objs::{CommitRef, Kind};
use icr_model::{BlobId, CommitId, FileChangeKind, RepoPath};

use crate::change::{Blobs, FileDiff, with_renames};
use crate::lineage::shallow_cut;
use crate::object::{commit_id, corrupt, find, object_id};
use crate::tree::diff;
use crate::tree_bounds::TreeBounds;
use crate::{Error, FileKind, Repository};

/// The facts of one commit. They never change, except that [`CommitFacts::changes`] may become known later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    /// Id of the commit.
    pub id: CommitId,
    /// Its parents in order, including those that are not in this repository.
    pub parents: Vec<CommitId>,
    /// When it was made, in seconds since the epoch, by the committer's clock.
    pub committer_time: i64,
    /// When its change was made, in seconds since the epoch, by the author's clock.
    pub author_time: i64,
    /// The message, at most its first 64 KiB. Text that is not UTF-8 is read as Latin-1 if the commit declares that
    /// encoding; otherwise invalid bytes are replaced.
    pub message: String,
    /// Files that differ from the first parent, ordered by path, as `git log --name-status -M` prints them. For a
    /// commit without parents all its files, for a merge none. `None` if this repository cannot tell: the parent lies
    /// beyond the cut of a shallow clone, a partial clone lacks the trees, or the trees are too large.
    pub changes: Option<Vec<FileChange>>,
}

/// One file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path after the commit; the old path if the commit deleted it.
    pub path: RepoPath,
    /// Its old path, if the commit renamed it.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Content before the commit; `None` if the file was added, and for submodules.
    pub old_blob: Option<BlobId>,
    /// Content after the commit; `None` if the file was deleted, and for submodules.
    pub new_blob: Option<BlobId>,
}

/// Kinds of changes to a file, in git's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content changed, or its executable bit.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has another path and kept at least half of its content.
    Renamed,
    /// Its type changed, for example from a file to a link or a submodule.
    TypeChanged,
}

impl From<ChangeKind> for FileChangeKind {
    fn from(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Added => Self::Added,
            ChangeKind::Modified | ChangeKind::TypeChanged => Self::Modified,
            ChangeKind::Deleted => Self::Deleted,
            ChangeKind::Renamed => Self::Renamed,
        }
    }
}

/// What the caller of [`Repository::history`] already knows of a commit, so that the commit is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCommit {
    /// Its parents in order.
    pub parents: Vec<CommitId>,
    /// When it was made, in seconds since the epoch, by the committer's clock.
    pub committer_time: i64,
    /// Whether the caller also knows all commits that a walk from this one with the same limit would return.
    pub with_history: bool,
}

/// The part of history that [`Repository::history`] returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// Commits in the order of `git log`.
    pub entries: Vec<HistoryEntry>,
    /// Whether the walk reached the cut of a shallow clone; there may be more commits beyond it.
    pub meets_cut: bool,
}

/// A commit of a [`History`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryEntry {
    /// A commit that the caller knew already.
    Known(CommitId),
    /// A commit that was read.
    Read(CommitFacts),
}

impl History {
    /// Whether the history is complete: no commits beyond the cut of a shallow clone, and the changes of every commit
    /// are known.
    pub fn is_whole(&self) -> bool {
        let hides = |entry: &HistoryEntry| matches!(entry, HistoryEntry::Read(facts) if facts.changes.is_none());
        !self.meets_cut && !self.entries.iter().any(hides)
    }

    /// The commits that were read, newest first.
    pub fn into_read(self) -> impl Iterator<Item = CommitFacts> {
        self.entries.into_iter().filter_map(|entry| match entry {
            HistoryEntry::Known(_) => None,
            HistoryEntry::Read(facts) => Some(facts),
        })
    }
}

impl Repository {
    /// The history of `start` in the order of `git log`: newest first by committer time, a commit always before its
    /// parents. It ends after `limit` commits that are not merges. Merges are returned too, but do not count towards
    /// the limit.
    ///
    /// A commit that `known` knows is not read, unless it lies at the cut of a shallow clone; `known` is called once
    /// for each commit. The walk stops early if only one commit is left to visit and the caller knows that commit with
    /// its history. All commits that the walk would still return are in that history, since earlier commits have only
    /// used up a part of the limit. With two such commits left, equal times may let one use up the other's part of the
    /// limit, so both are walked.
    ///
    /// Cost: one tree diff for each commit that is read; contents are read only if a commit both deletes and adds
    /// files.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] when a commit of `start` or, outside of the cut of a shallow clone, a parent is not
    /// there; [`Error::CorruptObject`]; those of `known`.
    pub fn history<E: From<Error>>(
        &self,
        start: &[CommitId],
        limit: usize,
        mut known: impl FnMut(CommitId) -> Result<Option<KnownCommit>, E>,
    ) -> Result<History, E> {
        let repo = self.local_for_walks();
        let cut = shallow_cut(&repo)?;
        let mut contents = Blobs::new(self);
        let mut queue = CommitQueue {
            repo: &repo,
            cut: &cut,
            order: BinaryHeap::new(),
            waiting: HashMap::new(),
            met: HashSet::new(),
        };
        for id in start {
            queue.push(object_id(id.as_bytes()), &mut known)?;
        }
        let mut history = History::default();
        // One bound for all commits together: each commit may have a different tree that is too large.
        let mut bounds = TreeBounds::default();
        let mut counted = 0;
        while counted < limit {
            let Some((id, commit)) = queue.pop() else { break };
            if matches!(&commit, QueuedCommit::Known(known) if known.with_history && queue.order.is_empty()) {
                break;
            }
            let is_cut = cut.contains(&id);
            history.meets_cut |= is_cut;
            let parents = commit.parents();
            counted += usize::from(parents.len() < 2);
            if !is_cut {
                for parent in &parents {
                    queue.push(*parent, &mut known)?;
                }
            }
            history.entries.push(match commit {
                QueuedCommit::Known(_) => HistoryEntry::Known(commit_id(&id)),
                QueuedCommit::Read(commit) => {
                    let changes = match changes(&repo, &commit, is_cut, &queue, &mut contents, &mut bounds) {
                        Err(error) if error.is_missing_object() || error.is_too_large() => None,
                        changes => changes?,
                    };
                    HistoryEntry::Read(CommitFacts {
                        id: commit_id(&id),
                        parents: parents.iter().map(|parent| commit_id(parent)).collect(),
                        committer_time: commit.committer_time,
                        author_time: commit.author_time,
                        message: commit.message,
                        changes,
                    })
                }
            });
        }
        Ok(history)
    }

    /// The message of `commit`, as [`CommitFacts::message`]. Cost: one commit decoded.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`].
    pub fn message(&self, commit: CommitId) -> Result<String, Error> {
        Ok(read(&self.local(), object_id(commit.as_bytes()))?.message)
    }
}

impl Repository {
    /// The name of the author of `commit`; invalid UTF-8 is replaced. Cost: one commit decoded.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`].
    pub fn author(&self, commit: CommitId) -> Result<String, Error> {
        let repo = self.local();
        let (id, mut buffer) = (object_id(commit.as_bytes()), Vec::new());
        let object = find(&repo, id, Kind::Commit, &mut buffer)?;
        let decoded = CommitRef::from_bytes(object.data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
        let author = decoded.author().map_err(|error| corrupt(id, error))?;
        Ok(author.name.to_string())
    }
}

/// A commit, read.
struct Commit {
    tree: gix::ObjectId,
    parents: Vec<gix::ObjectId>,
    committer_time: i64,
    author_time: i64,
    message: String,
}

/// A commit that was found but not returned yet.
enum QueuedCommit {
    Known(KnownCommit),
    Read(Commit),
}

impl QueuedCommit {
    fn parents(&self) -> Vec<gix::ObjectId> {
        match self {
            Self::Known(commit) => commit.parents.iter().map(|parent| object_id(parent.as_bytes())).collect(),
            Self::Read(commit) => commit.parents.clone(),
        }
    }

    fn committer_time(&self) -> i64 {
        match self {
            Self::Known(commit) => commit.committer_time,
            Self::Read(commit) => commit.committer_time,
        }
    }
}

/// Commits that were found but not returned yet, newest first; among equal times the one found first, as in git.
struct CommitQueue<'a> {
    repo: &'a gix::Repository,
    cut: &'a HashSet<gix::ObjectId>,
    order: BinaryHeap<(i64, Reverse<usize>, gix::ObjectId)>,
    waiting: HashMap<gix::ObjectId, QueuedCommit>,
    met: HashSet<gix::ObjectId>,
}

impl CommitQueue<'_> {
    fn push<E: From<Error>>(
        &mut self,
        id: gix::ObjectId,
        known: &mut impl FnMut(CommitId) -> Result<Option<KnownCommit>, E>,
    ) -> Result<(), E> {
        if !self.met.insert(id) {
            return Ok(());
        }
        // Another clone may know the commits beyond this clone's cut. Answers must not depend on that.
        let known = if self.cut.contains(&id) { None } else { known(commit_id(&id))? };
        let commit = match known {
            Some(known) => QueuedCommit::Known(known),
            None => QueuedCommit::Read(read(self.repo, id)?),
        };
        self.order.push((commit.committer_time(), Reverse(self.met.len()), id));
        self.waiting.insert(id, commit);
        Ok(())
    }

    fn pop(&mut self) -> Option<(gix::ObjectId, QueuedCommit)> {
        let (_, _, id) = self.order.pop()?;
        let commit = self.waiting.remove(&id).expect("every commit in the order waits");
        Some((id, commit))
    }
}

/// Most bytes of a message that are read. Two thousand messages are in memory at once; people write a few hundred
/// bytes.
const MESSAGE_BYTES: usize = 64 << 10;

fn read(repo: &gix::Repository, id: gix::ObjectId) -> Result<Commit, Error> {
    let mut buffer = Vec::new();
    let data = find(repo, id, Kind::Commit, &mut buffer)?.data;
    let commit = CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
    let committer_time = commit.committer().map(|committer| committer.seconds()).map_err(|error| corrupt(id, error))?;
    // Git accepts commits whose author line is malformed; the committer's time is the best guess.
    let author_time = commit.author().map_or(committer_time, |author| author.seconds());
    Ok(Commit {
        tree: commit.tree(),
        parents: commit.parents().collect(),
        committer_time,
        author_time,
        message: text(&commit.message[..commit.message.len().min(MESSAGE_BYTES)], commit.encoding.map(|name| &**name)),
    })
}

fn text(message: &[u8], encoding: Option<&[u8]>) -> String {
    let is_latin_1 = encoding.is_some_and(|name| {
        [&b"iso-8859-1"[..], b"iso8859-1", b"latin1", b"latin-1"].iter().any(|known| name.eq_ignore_ascii_case(known))
    });
    if is_latin_1 {
        return message.iter().map(|byte| char::from(*byte)).collect();
    }
    String::from_utf8_lossy(message).into_owned()
}

fn changes(
    repo: &gix::Repository,
    commit: &Commit,
    is_cut: bool,
    queue: &CommitQueue<'_>,
    contents: &mut Blobs,
    bounds: &mut TreeBounds,
) -> Result<Option<Vec<FileChange>>, Error> {
    let old_tree = match commit.parents.as_slice() {
        [] => None,
        [_] if is_cut => return Ok(None),
        [parent] => Some(match queue.waiting.get(parent) {
            Some(QueuedCommit::Read(parent)) => parent.tree,
            _ => read(repo, *parent)?.tree,
        }),
        _ => return Ok(Some(Vec::new())),
    };
    let raw = diff(repo, old_tree, Some(commit.tree), bounds)?;
    Ok(Some(with_renames(raw, contents).into_iter().map(FileChange::from).collect()))
}

impl From<FileDiff> for FileChange {
    fn from(diff: FileDiff) -> Self {
        let blob =
            |side: Option<(BlobId, FileKind)>| side.filter(|(_, kind)| *kind != FileKind::Submodule).map(|side| side.0);
        let FileDiff { path, old_path, kind, old, new } = diff;
        Self { path, old_path, kind, old_blob: blob(old), new_blob: blob(new) }
    }
}
