//! The difference between the published views and a requested tree.

use icr_compute::{PathChange, changes_from_nearest};
use icr_git::Revision;
use icr_store::Ledger;

use crate::{Error, Foundation};

/// A requested tree as a published view plus changes.
pub struct TreeDelta {
    /// The requested revision.
    pub revision: Revision,
    /// The published base view; `None` when `changes` lists all files.
    pub base: Option<icr_store::PublishedView>,
    /// Changes from the base view to the tree.
    pub changes: Vec<PathChange>,
}

impl TreeDelta {
    /// The delta to the tree of `revision` from the nearest published view.
    ///
    /// # Errors
    ///
    /// Those of reading the ledger and trees.
    pub fn find(foundation: &Foundation, ledger: &Ledger, revision: &Revision) -> Result<Self, Error> {
        let Revision { tree, committer_time, .. } = *revision;
        let standing = ledger.published(foundation.root())?;
        let Foundation { repository, shape, .. } = foundation;
        let (base, changes) = changes_from_nearest(repository, ledger, shape, tree, committer_time, standing)?;
        Ok(Self { revision: revision.clone(), base, changes })
    }
}
