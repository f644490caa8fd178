//! How two commits are related, as far as this clone knows.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use icr_model::CommitId;

use crate::lineage::{Descent, Lineage};
use crate::object::{commit_id, object_id};
use crate::{Error, Repository};

/// What two commits have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeBase {
    /// The best common ancestor: no other common ancestor descends from it. If there are several (criss-cross merges),
    /// the newest, which is the one that `git merge-base` prints.
    Base(CommitId),
    /// Both histories are complete and have no commit in common.
    Unrelated,
    /// No common commit is known, but history is cut off (`git clone --depth`), so there may be one beyond the cut.
    CutOff,
}

/// Whether one commit comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// It comes before the other, or both are the same commit.
    Yes,
    /// It does not come before the other.
    No,
    /// It is not among the known ancestors, but history is cut off (`git clone --depth`), so it may be beyond the cut.
    CutOff,
}

impl Repository {
    /// The best common ancestor of `a` and `b`, as `git merge-base` finds it: the start of `a...b`. A commit is its own
    /// ancestor.
    ///
    /// Commits at the cut of a shallow clone count as having no parents, as in git. The base is then the best known
    /// one; a newer one may lie beyond the cut.
    ///
    /// Cost: one commit decoded for each commit since the base. If there is no base, the whole history of both.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] when `a`, `b` or, outside of the cut of a shallow clone, a parent is not there;
    /// [`Error::CorruptObject`].
    pub fn merge_base(&self, a: CommitId, b: CommitId) -> Result<MergeBase, Error> {
        self.merge_base_with_any(a, &[b])
    }

    /// The best commit that `commit` shares with the histories of `others` together, as `git merge-base COMMIT
    /// OTHERS...` finds it; [`MergeBase::Unrelated`] if there are no others. Cost and errors are those of
    /// [`Repository::merge_base`], for the commits of all these histories.
    pub fn merge_base_with_any(&self, commit: CommitId, others: &[CommitId]) -> Result<MergeBase, Error> {
        let mut lineage = Lineage::new(self)?;
        let others: Vec<gix::ObjectId> = others.iter().map(|other| object_id(other.as_bytes())).collect();
        let painting = Painting::new(&mut lineage, object_id(commit.as_bytes()), &others)?;
        let meets_cut = painting.meets_cut(|_| true);
        let bases = painting.into_bases();
        Ok(match best(&mut lineage, bases)? {
            Some(base) => MergeBase::Base(commit_id(&base)),
            None if meets_cut => MergeBase::CutOff,
            None => MergeBase::Unrelated,
        })
    }

    /// Whether `ancestor` comes before `commit` or is the same. Cost and errors are those of
    /// [`Repository::merge_base`].
    pub fn is_ancestor(&self, ancestor: CommitId, commit: CommitId) -> Result<Ancestry, Error> {
        let mut lineage = Lineage::new(self)?;
        let (ancestor, commit) = (object_id(ancestor.as_bytes()), object_id(commit.as_bytes()));
        let painting = Painting::new(&mut lineage, ancestor, &[commit])?;
        Ok(if painting.has(ancestor, RIGHT) {
            Ancestry::Yes
        } else if painting.meets_cut(|colours| colours == RIGHT) {
            // Commits before `ancestor` cannot descend from it, so only the other cuts matter.
            Ancestry::CutOff
        } else {
            Ancestry::No
        })
    }

    /// The parents that `commit` names, in order, including those that a shallow clone does not have. Cost: one commit
    /// decoded.
    ///
    /// # Errors
    ///
    /// [`Error::MissingObject`] and [`Error::CorruptObject`] for `commit` itself.
    pub fn parents(&self, commit: CommitId) -> Result<Vec<CommitId>, Error> {
        let parents = crate::lineage::named_parents(&self.local(), object_id(commit.as_bytes()))?;
        Ok(parents.iter().map(|parent| commit_id(parent)).collect())
    }
}

/// Reached from the first commit.
const LEFT: u8 = 1;
/// Reached from one of the other commits.
const RIGHT: u8 = 2;
/// Ancestor of a common ancestor, so it cannot be the best one.
const STALE: u8 = 4;

/// Walks the histories of one commit and some others, newest first, until all commits that are left are ancestors of a
/// common ancestor: paint_down_to_common of git's commit-reach.c. If clocks went backwards, the walk takes longer and
/// may keep common ancestors that come before others.
struct Painting<'a> {
    lineage: &'a mut Lineage,
    met: HashMap<gix::ObjectId, VisitedCommit>,
    /// Commits to visit, newest first; among equal times the one met first.
    queue: BinaryHeap<(i64, Reverse<usize>, gix::ObjectId)>,
    /// Number of commits in `queue` that are not stale.
    fresh: usize,
    queued_total: usize,
    /// Common ancestors in the order of the visit, including stale ones.
    common: Vec<gix::ObjectId>,
}

struct VisitedCommit {
    descent: Descent,
    colours: u8,
    is_queued: bool,
}

impl<'a> Painting<'a> {
    fn new(lineage: &'a mut Lineage, left: gix::ObjectId, right: &[gix::ObjectId]) -> Result<Self, Error> {
        let (met, queue, common) = (HashMap::new(), BinaryHeap::new(), Vec::new());
        let mut painting = Self { lineage, met, queue, fresh: 0, queued_total: 0, common };
        painting.paint(left, LEFT)?;
        for id in right {
            painting.paint(*id, RIGHT)?;
        }
        painting.finish()?;
        Ok(painting)
    }

    fn paint(&mut self, id: gix::ObjectId, colours: u8) -> Result<(), Error> {
        let met = match self.met.entry(id) {
            std::collections::hash_map::Entry::Occupied(met) => met.into_mut(),
            std::collections::hash_map::Entry::Vacant(unknown) => {
                let descent = self.lineage.descent(id)?;
                unknown.insert(VisitedCommit { descent, colours: 0, is_queued: false })
            }
        };
        if met.colours & colours == colours {
            return Ok(());
        }
        let was_fresh = met.is_queued && met.colours & STALE == 0;
        met.colours |= colours;
        let is_fresh = met.colours & STALE == 0;
        self.fresh = self.fresh + usize::from(is_fresh) - usize::from(was_fresh);
        if !met.is_queued {
            met.is_queued = true;
            self.queue.push((met.descent.committer_time, Reverse(self.queued_total), id));
            self.queued_total += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        while self.fresh > 0 {
            let Some((_, _, id)) = self.queue.pop() else { break };
            let met = self.met.get_mut(&id).expect("what is queued was met");
            met.is_queued = false;
            self.fresh -= usize::from(met.colours & STALE == 0);
            let mut colours = met.colours;
            if colours == LEFT | RIGHT {
                self.common.push(id);
                colours |= STALE;
            }
            for parent in met.descent.parents.clone() {
                self.paint(parent, colours)?;
            }
        }
        Ok(())
    }

    fn has(&self, id: gix::ObjectId, colour: u8) -> bool {
        self.met.get(&id).is_some_and(|met| met.colours & colour != 0)
    }

    /// Whether history is cut off at a commit whose colours satisfy `is_such`.
    fn meets_cut(&self, is_such: impl Fn(u8) -> bool) -> bool {
        self.met.values().any(|met| met.descent.is_cut && is_such(met.colours))
    }

    /// The common ancestors that come before no other one, as far as the walk knows: newest first, among equal times in
    /// the order of the visit.
    fn into_bases(mut self) -> Vec<gix::ObjectId> {
        let mut bases = std::mem::take(&mut self.common);
        bases.retain(|id| !self.has(*id, STALE));
        bases.sort_by_key(|id| Reverse(self.met[id].descent.committer_time));
        bases
    }
}

/// The first of `bases` that comes before no other.
fn best(lineage: &mut Lineage, bases: Vec<gix::ObjectId>) -> Result<Option<gix::ObjectId>, Error> {
    for (at, base) in bases.iter().enumerate() {
        let others: Vec<gix::ObjectId> = [&bases[..at], &bases[at + 1..]].concat();
        if others.is_empty() || !Painting::new(lineage, *base, &others)?.has(*base, RIGHT) {
            return Ok(Some(*base));
        }
    }
    Ok(None)
}
