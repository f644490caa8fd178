//! From what is published to the tree that is asked for.

use icr_compute::{PathChange, changes_from_nearest};
use icr_git::Revision;
use icr_store::Ledger;

use crate::{Error, Foundation};

/// How a tree is reached from what is published.
pub struct TreeDelta {
    /// What is asked for.
    pub revision: Revision,
    /// The published view to begin with; `None` where the changes are all files.
    pub base: Option<icr_store::PublishedView>,
    /// What the tree says otherwise.
    pub changes: Vec<PathChange>,
}

impl TreeDelta {
    /// The way to the tree of `revision` from the published view that is nearest to it.
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
