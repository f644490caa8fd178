//! Finds blobs and commits that no history contains any more.

use std::collections::{HashSet, VecDeque};

use gix::objs::{CommitRef, Kind, TreeRefIter};
use icr_model::{BlobId, CommitId};

use crate::object::{blob_id, commit_id, corrupt, find, object_id};
use crate::{Error, Repository};

impl Repository {
    /// Removes from `candidates` every blob that a commit reachable from `tips` contains. The remaining blobs are
    /// garbage with respect to these tips.
    ///
    /// The trees of the tips are read first, then those of older commits; the walk ends when `candidates` is empty.
    /// Each tree is read once. Memory: the ids of all trees that were read.
    ///
    /// Missing commits and trees (shallow and partial clones) are skipped. Their blobs could not be read from here, so
    /// they keep nothing.
    ///
    /// # Errors
    ///
    /// [`Error::CorruptObject`]: the objects below a damaged one are unknown, so nothing may be called garbage.
    pub fn prune_reachable(&self, tips: &[CommitId], candidates: &mut HashSet<BlobId>) -> Result<(), Error> {
        if candidates.is_empty() {
            return Ok(());
        }
        let repo = self.local_for_walks();
        let mut trees_seen = HashSet::new();
        for_each_ancestor(&repo, tips, |_, commit| {
            remove_blobs_of(&repo, commit.tree(), &mut trees_seen, candidates)?;
            Ok(!candidates.is_empty())
        })
    }

    /// Removes from `candidates` every commit that is one of `tips` or an ancestor of one. The remaining commits are
    /// garbage with respect to these tips.
    ///
    /// The walk ends when `candidates` is empty. Missing commits have no parents that could be read from here.
    ///
    /// # Errors
    ///
    /// [`Error::CorruptObject`]: the ancestors of a damaged commit are unknown, so nothing may be called garbage.
    pub fn prune_ancestors(&self, tips: &[CommitId], candidates: &mut HashSet<CommitId>) -> Result<(), Error> {
        if candidates.is_empty() {
            return Ok(());
        }
        for_each_ancestor(&self.local_for_walks(), tips, |id, _| {
            candidates.remove(&commit_id(&id));
            Ok(!candidates.is_empty())
        })
    }
}

/// Calls `visit` for `tips` and all of their ancestors, each once, those that are fewer steps away first, until it
/// returns `false`. Missing commits are skipped, and what is only behind them is not reached.
fn for_each_ancestor(
    repo: &gix::Repository,
    tips: &[CommitId],
    mut visit: impl FnMut(gix::ObjectId, &CommitRef<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut seen: HashSet<gix::ObjectId> = tips.iter().map(|tip| object_id(tip.as_bytes())).collect();
    let mut pending: VecDeque<gix::ObjectId> = seen.iter().copied().collect();
    let mut buffer = Vec::new();
    while let Some(id) = pending.pop_front() {
        let data = match find(repo, id, Kind::Commit, &mut buffer) {
            Err(error) if error.is_missing_object() => continue,
            found => found?.data,
        };
        let commit = CommitRef::from_bytes(data, repo.object_hash());
        let commit = commit.map_err(|error| corrupt(id, error))?;
        if !visit(id, &commit)? {
            return Ok(());
        }
        pending.extend(commit.parents().filter(|parent| seen.insert(*parent)));
    }
    Ok(())
}

/// Removes from `candidates` every blob in `tree` and in the trees below it, but for trees that were seen.
fn remove_blobs_of(
    repo: &gix::Repository,
    tree: gix::ObjectId,
    trees_seen: &mut HashSet<gix::ObjectId>,
    candidates: &mut HashSet<BlobId>,
) -> Result<(), Error> {
    let mut pending = vec![tree];
    let mut buffer = Vec::new();
    while let Some(tree) = pending.pop() {
        if !trees_seen.insert(tree) {
            continue;
        }
        let data = match find(repo, tree, Kind::Tree, &mut buffer) {
            Err(error) if error.is_missing_object() => continue,
            found => found?.data,
        };
        for entry in TreeRefIter::from_bytes(data, repo.object_hash()) {
            let entry = entry.map_err(|error| corrupt(tree, error))?;
            if entry.mode.is_tree() {
                pending.push(entry.oid.to_owned());
            } else {
                candidates.remove(&blob_id(entry.oid));
            }
        }
    }
    Ok(())
}
