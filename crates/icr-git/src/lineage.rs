//! Who comes before whom, as this clone knows it.

use std::collections::HashSet;

use gix::objs::{CommitRef, Kind};

use crate::error::internal;
use crate::object::{corrupt, find, missing};
use crate::{Error, Repository, interrupt};

/// Reads the parents and times of commits: from git's commit-graph file where there is one, else from the commits.
pub(crate) struct Lineage {
    repo: gix::Repository,
    cut: HashSet<gix::ObjectId>,
    graph: Option<gix::commitgraph::Graph>,
    buffer: Vec<u8>,
}

/// What comes right before a commit.
#[derive(Debug, Clone)]
pub(crate) struct Descent {
    /// None where history is cut off.
    pub(crate) parents: Vec<gix::ObjectId>,
    /// By the committer's clock, in seconds since the epoch.
    pub(crate) committer_time: i64,
    /// Whether history is cut off here, so that there may be parents.
    pub(crate) is_cut: bool,
}

impl Lineage {
    /// # Errors
    ///
    /// [`Error::Internal`] when the cut of a shallow clone cannot be read.
    pub(crate) fn new(repository: &Repository) -> Result<Self, Error> {
        let repo = repository.local();
        let cut = cut(&repo)?;
        // Of a shallow clone the file may know what the clone does not, and git does not use it there either. One that
        // cannot be read is no loss, since all it says stands in the commits.
        let graph = if cut.is_empty() { repo.commit_graph_if_enabled().ok().flatten() } else { None };
        Ok(Self { repo, cut, graph, buffer: Vec::new() })
    }

    /// What comes right before `id`. Cost: a look-up in the commit-graph file, or one commit decoded.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`], [`Error::CorruptObject`]; [`Error::Interrupted`], before anything was read.
    pub(crate) fn descent(&mut self, id: gix::ObjectId) -> Result<Descent, Error> {
        interrupt::check()?;
        if id.kind() != self.repo.object_hash() {
            return Err(missing(id));
        }
        if let Some(descent) = self.graph.as_ref().and_then(|graph| descent_from_graph(graph, id)) {
            return Ok(descent);
        }
        let data = find(&self.repo, id, Kind::Commit, &mut self.buffer)?.data;
        let commit = CommitRef::from_bytes(data, self.repo.object_hash()).map_err(|error| corrupt(id, error))?;
        let committer = commit.committer().map_err(|error| corrupt(id, error))?;
        let mut parents: Vec<_> = commit.parents().collect();
        // Git also lists roots that lie just as deep as was asked for.
        let is_cut = self.cut.contains(&id) && !parents.is_empty();
        if is_cut {
            parents.clear();
        }
        Ok(Descent { parents, committer_time: committer.seconds(), is_cut })
    }
}

/// The parents that the commit `id` names, also where they are not there.
pub(crate) fn named_parents(repo: &gix::Repository, id: gix::ObjectId) -> Result<Vec<gix::ObjectId>, Error> {
    let mut buffer = Vec::new();
    let data = find(repo, id, Kind::Commit, &mut buffer)?.data;
    let commit = CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
    Ok(commit.parents().collect())
}

/// The commits at which the history of a shallow clone is cut off; none for a whole one.
pub(crate) fn cut(repo: &gix::Repository) -> Result<HashSet<gix::ObjectId>, Error> {
    let commits = repo.shallow_commits().map_err(internal("reading the cut of a shallow clone"))?;
    Ok(commits.iter().flat_map(|commits| commits.iter().copied()).collect())
}

/// What the commit-graph file says of `id`; `None` where it says nothing, or nothing that makes sense.
fn descent_from_graph(graph: &gix::commitgraph::Graph, id: gix::ObjectId) -> Option<Descent> {
    let commit = graph.commit_by_id(id)?;
    let parents = commit.iter_parents().map(|parent| parent.map(|parent| graph.id_at(parent).to_owned()));
    Some(Descent {
        parents: parents.collect::<Result<_, _>>().ok()?,
        committer_time: i64::try_from(commit.committer_timestamp()).ok()?,
        is_cut: false,
    })
}
