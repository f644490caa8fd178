//! The first-parent line of a commit: the commits that a branch was at, from its newest to its root.

use icr_model::CommitId;

use crate::lineage::Lineage;
use crate::object::{commit_id, object_id};
use crate::{Error, Repository};

/// A part of a first-parent line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstParents {
    /// The commits, newest first.
    pub commits: Vec<CommitId>,
    /// Why the line ends after the last commit.
    pub end: LineEnd,
}

/// Why a line of first parents ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The last commit has no parents.
    Root,
    /// History is cut off after the last commit (`git clone --depth`), so earlier commits are unknown here.
    Cut,
    /// The caller's limit was reached.
    Limit,
}

impl Repository {
    /// `head` and the commits before it along first parents, at most `limit`, newest first.
    ///
    /// Cost: one commit decoded for each.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] when `head` or, outside of the cut of a shallow clone, a first parent is not there;
    /// [`Error::CorruptObject`].
    pub fn first_parents(&self, head: CommitId, limit: usize) -> Result<FirstParents, Error> {
        let mut commits = Vec::new();
        let end = walk(self, head, limit, |id| commits.push(commit_id(&id)))?;
        Ok(FirstParents { commits, end })
    }

    /// A commit that stays the same while `head` moves on, so that results computed from it can be kept. It is the
    /// newest commit on the first-parent line of `head` (`head` included) whose distance from the root of that line is
    /// a multiple of `spacing` and above 0. It is the same for all heads within `spacing` commits after it. `None` if
    /// there is none, if `spacing` is 0, and in a shallow clone, where neither the distance nor all earlier commits are
    /// known.
    ///
    /// Cost: the whole first-parent line, as [`Repository::first_parents`].
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] when `head` or a first parent is not there; [`Error::CorruptObject`].
    pub fn anchor(&self, head: CommitId, spacing: u32) -> Result<Option<CommitId>, Error> {
        let spacing = usize::try_from(spacing).unwrap_or(usize::MAX);
        if spacing == 0 || self.is_shallow() {
            return Ok(None);
        }
        // The anchor is less than `spacing` commits before the head.
        let mut newest = Vec::new();
        let mut distance = 0;
        walk(self, head, usize::MAX, |id| {
            if newest.len() < spacing {
                newest.push(id);
            }
            distance += 1;
        })?;
        distance -= 1;
        let before_head = distance % spacing;
        Ok((distance >= spacing).then(|| commit_id(&newest[before_head])))
    }
}

fn walk(
    repository: &Repository,
    head: CommitId,
    limit: usize,
    mut sink: impl FnMut(gix::ObjectId),
) -> Result<LineEnd, Error> {
    let mut lineage = Lineage::new(repository)?;
    let mut id = object_id(head.as_bytes());
    for _ in 0..limit {
        let descent = lineage.descent(id)?;
        sink(id);
        match descent.parents.first() {
            Some(parent) => id = *parent,
            None if descent.is_cut => return Ok(LineEnd::Cut),
            None => return Ok(LineEnd::Root),
        }
    }
    Ok(LineEnd::Limit)
}
