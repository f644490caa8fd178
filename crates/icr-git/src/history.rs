//! Commits as facts: who comes before, when, why, and which files changed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::ControlFlow;

use gix::objs::{CommitRef, Kind};
use icr_model::{BlobId, CommitId, RepoPath};

use crate::object::{commit_id, corrupt, find, header, object_id};
use crate::rename::{Candidate, Contents, renames};
use crate::tree::diff;
use crate::{Error, FileKind, Repository, TreeChange};

/// What one commit says. Never changes, except that [`CommitFacts::changes`] may become known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    /// Which commit.
    pub id: CommitId,
    /// Its parents in order, also where they are not in this repository.
    pub parents: Vec<CommitId>,
    /// When it was made, in seconds since the epoch, by the committer's clock.
    pub committer_time: i64,
    /// The message; what is not UTF-8 is read as Latin-1 where the commit says so, else replaced.
    pub message: String,
    /// Files that differ from the first parent, ordered by path, as `git log --name-status -M` prints them; all files
    /// for a commit without parents, none for a merge. `None` where this repository cannot tell: the parent lies beyond
    /// the cut of a shallow clone, or a partial clone lacks the trees.
    pub changes: Option<Vec<FileChange>>,
}

/// One file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is now; where it was, when it was deleted.
    pub path: RepoPath,
    /// Where it was, when it was renamed.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Content before; `None` when it was added, and for submodules.
    pub old_blob: Option<BlobId>,
    /// Content now; `None` when it was deleted, and for submodules.
    pub new_blob: Option<BlobId>,
}

/// What happens to files, in git's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content changed, or whether it may be run.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and at least half of its content.
    Renamed,
    /// It became a file, a link or a submodule.
    TypeChanged,
}

impl Repository {
    /// Gives the commits reachable from `start` to `sink`, newest first by committer time, and a commit always before its
    /// parents; at most `limit`, or until `sink` breaks off.
    ///
    /// A commit for which `known` says true is neither given nor gone beyond; `known` is asked once for each.
    ///
    /// Cost: one tree diff for each commit; contents are read only where a commit both deletes and adds files.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] when a commit of `start` or, outside of the cut of a shallow clone, a parent is not
    /// there; [`Error::CorruptObject`].
    pub fn commits(
        &self,
        start: &[CommitId],
        known: &mut dyn FnMut(CommitId) -> bool,
        limit: usize,
        sink: &mut dyn FnMut(CommitFacts) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let repo = self.local_for_walks();
        let cut: HashSet<gix::ObjectId> = match repo.shallow_commits() {
            Ok(commits) => commits.iter().flat_map(|commits| commits.iter().copied()).collect(),
            Err(error) => return Err(crate::error::internal("reading the cut of a shallow clone")(error)),
        };
        let mut contents = Blobs { repo: self.local(), buffer: Vec::new() };
        let mut queue = Queue::default();
        for id in start {
            queue.push(&repo, object_id(id.as_bytes()), known)?;
        }
        for _ in 0..limit {
            let Some((id, commit)) = queue.pop() else { break };
            let is_cut = cut.contains(&id);
            if !is_cut {
                for parent in &commit.parents {
                    queue.push(&repo, *parent, known)?;
                }
            }
            let changes = match changes(&repo, &commit, is_cut, &queue, &mut contents) {
                Err(error) if error.is_missing_object() => None,
                changes => changes?,
            };
            let facts = CommitFacts {
                id: commit_id(&id),
                parents: commit.parents.iter().map(|parent| commit_id(parent)).collect(),
                committer_time: commit.time,
                message: commit.message,
                changes,
            };
            if sink(facts).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A commit, read.
struct Commit {
    tree: gix::ObjectId,
    parents: Vec<gix::ObjectId>,
    time: i64,
    message: String,
}

/// Commits that were met and not given yet, newest first; among equal times the first met comes first, as in git.
#[derive(Default)]
struct Queue {
    order: BinaryHeap<(i64, Reverse<usize>, gix::ObjectId)>,
    waiting: HashMap<gix::ObjectId, Commit>,
    met: HashSet<gix::ObjectId>,
}

impl Queue {
    fn push(
        &mut self,
        repo: &gix::Repository,
        id: gix::ObjectId,
        known: &mut dyn FnMut(CommitId) -> bool,
    ) -> Result<(), Error> {
        if !self.met.insert(id) || known(commit_id(&id)) {
            return Ok(());
        }
        let commit = read(repo, id)?;
        self.order.push((commit.time, Reverse(self.met.len()), id));
        self.waiting.insert(id, commit);
        Ok(())
    }

    fn pop(&mut self) -> Option<(gix::ObjectId, Commit)> {
        let (_, _, id) = self.order.pop()?;
        let commit = self.waiting.remove(&id).expect("every commit in the order waits");
        Some((id, commit))
    }
}

fn read(repo: &gix::Repository, id: gix::ObjectId) -> Result<Commit, Error> {
    let mut buffer = Vec::new();
    let data = find(repo, id, Kind::Commit, &mut buffer)?.data;
    let commit = CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
    let time = commit.committer().map(|committer| committer.seconds()).map_err(|error| corrupt(id, error))?;
    Ok(Commit {
        tree: commit.tree(),
        parents: commit.parents().collect(),
        time,
        message: text(commit.message, commit.encoding.map(|name| &**name)),
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
    queue: &Queue,
    contents: &mut Blobs,
) -> Result<Option<Vec<FileChange>>, Error> {
    let old_tree = match commit.parents.as_slice() {
        [] => None,
        [_] if is_cut => return Ok(None),
        [parent] => Some(match queue.waiting.get(parent) {
            Some(parent) => parent.tree,
            None => read(repo, *parent)?.tree,
        }),
        _ => return Ok(Some(Vec::new())),
    };
    let raw = diff(repo, old_tree, Some(commit.tree))?;
    Ok(Some(with_renames(raw, contents)))
}

fn with_renames(raw: Vec<TreeChange>, contents: &mut Blobs) -> Vec<FileChange> {
    let candidate =
        |path: &RepoPath, side: (BlobId, FileKind)| Candidate { path: path.clone(), blob: side.0, kind: side.1 };
    let (mut deleted, mut added, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for change in raw {
        match (change.old, change.new) {
            (Some(old), None) => deleted.push(candidate(&change.path, old)),
            (None, Some(new)) => added.push(candidate(&change.path, new)),
            (Some(old), Some(new)) => {
                let kind = if same_type(old.1, new.1) { ChangeKind::Modified } else { ChangeKind::TypeChanged };
                changes.push(file_change(change.path, None, kind, Some(old), Some(new)));
            }
            (None, None) => {}
        }
    }
    let mut is_source = vec![false; deleted.len()];
    for (file, source) in added.iter().zip(renames(&deleted, &added, contents)) {
        let new = Some((file.blob, file.kind));
        changes.push(match source {
            None => file_change(file.path.clone(), None, ChangeKind::Added, None, new),
            Some(source) => {
                is_source[source] = true;
                let old = &deleted[source];
                let old_path = Some(old.path.clone());
                file_change(file.path.clone(), old_path, ChangeKind::Renamed, Some((old.blob, old.kind)), new)
            }
        });
    }
    for (file, _) in deleted.into_iter().zip(is_source).filter(|(_, is_source)| !is_source) {
        changes.push(file_change(file.path, None, ChangeKind::Deleted, Some((file.blob, file.kind)), None));
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn file_change(
    path: RepoPath,
    old_path: Option<RepoPath>,
    kind: ChangeKind,
    old: Option<(BlobId, FileKind)>,
    new: Option<(BlobId, FileKind)>,
) -> FileChange {
    let blob =
        |side: Option<(BlobId, FileKind)>| side.filter(|(_, kind)| *kind != FileKind::Submodule).map(|side| side.0);
    FileChange { path, old_path, kind, old_blob: blob(old), new_blob: blob(new) }
}

fn same_type(a: FileKind, b: FileKind) -> bool {
    a == b || (a.is_file() && b.is_file())
}

/// Contents for the comparison of files; what is not there is not similar to anything.
struct Blobs {
    repo: gix::Repository,
    buffer: Vec<u8>,
}

impl Contents for Blobs {
    fn size(&mut self, blob: BlobId) -> Option<u64> {
        header(&self.repo, object_id(blob.as_bytes())).ok().map(|(_, size)| size)
    }

    fn read(&mut self, blob: BlobId) -> Option<&[u8]> {
        find(&self.repo, object_id(blob.as_bytes()), Kind::Blob, &mut self.buffer).ok().map(|data| data.data)
    }
}
