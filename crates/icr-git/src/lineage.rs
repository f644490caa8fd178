//! Parents of commits, as this clone knows them.

use std::collections::HashSet;

use gix::objs::{CommitRef, Kind};

use crate::error::internal;
use crate::object::{corrupt, find, missing};
use crate::{Error, Repository, interrupt};

/// Reads the parents and times of commits. Git's commit-graph file says the same and is faster, but nothing proves what
/// it says: whoever made the git directory could hide commits with it, or close a circle.
pub(crate) struct Lineage {
    repo: gix::Repository,
    cut: HashSet<gix::ObjectId>,
    buffer: Vec<u8>,
}

/// The parents and the time of a commit.
#[derive(Debug, Clone)]
pub(crate) struct Descent {
    /// Its parents; empty if history is cut off here.
    pub(crate) parents: Vec<gix::ObjectId>,
    /// Committer time, in seconds since the epoch.
    pub(crate) committer_time: i64,
    /// Whether history is cut off here, so that the commit may have parents.
    pub(crate) is_cut: bool,
}

impl Lineage {
    /// # Errors
    ///
    /// [`Error::Internal`] when the cut of a shallow clone cannot be read.
    pub(crate) fn new(repository: &Repository) -> Result<Self, Error> {
        let repo = repository.local();
        let cut = shallow_cut(&repo)?;
        Ok(Self { repo, cut, buffer: Vec::new() })
    }

    /// The parents and the time of `id`. Cost: one commit decoded.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`]; [`Error::Interrupted`], before anything is read.
    pub(crate) fn descent(&mut self, id: gix::ObjectId) -> Result<Descent, Error> {
        interrupt::check()?;
        if id.kind() != self.repo.object_hash() {
            return Err(missing(id));
        }
        let data = find(&self.repo, id, Kind::Commit, &mut self.buffer)?.data;
        let commit = CommitRef::from_bytes(data, self.repo.object_hash()).map_err(|error| corrupt(id, error))?;
        let committer = commit.committer().map_err(|error| corrupt(id, error))?;
        let mut parents: Vec<_> = commit.parents().collect();
        // Git also lists roots that lie exactly at the requested depth.
        let is_cut = self.cut.contains(&id) && !parents.is_empty();
        if is_cut {
            parents.clear();
        }
        Ok(Descent { parents, committer_time: committer.seconds(), is_cut })
    }
}

/// The parents that the commit `id` names, including those that are not in this repository.
pub(crate) fn named_parents(repo: &gix::Repository, id: gix::ObjectId) -> Result<Vec<gix::ObjectId>, Error> {
    let mut buffer = Vec::new();
    let data = find(repo, id, Kind::Commit, &mut buffer)?.data;
    let commit = CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
    Ok(commit.parents().collect())
}

/// The commits at which the history of a shallow clone is cut off; none for a whole one.
pub(crate) fn shallow_cut(repo: &gix::Repository) -> Result<HashSet<gix::ObjectId>, Error> {
    let commits = repo.shallow_commits().map_err(internal("reading the cut of a shallow clone"))?;
    Ok(commits.iter().flat_map(|commits| commits.iter().copied()).collect())
}
