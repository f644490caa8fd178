//! The store of a repository: where it is, and whether it is up to date.

use std::path::Path;
use std::time::SystemTime;

use icr_git::Revision;
use icr_store::{Access, Ledger};
use icr_view::{Foundation, TreeDelta};

use crate::Error;
use crate::opening::LedgerSnapshot;
use crate::snapshot_context::SnapshotContext;

/// Most blobs of a revision that a question indexes in memory only. With more of them the store is synced: that takes
/// some 20 ms longer, but the next question has nothing to index.
const BLOBS_UNWRITTEN: usize = 32;

/// Most bytes of a revision that a question indexes in memory only: 50 ms at 10 MB/s.
const BYTES_UNWRITTEN: u64 = 512 << 10;

/// Whether the store is up to date for a question.
pub(crate) enum Look {
    UpToDate(Box<LedgerSnapshot>),
    /// The store must be synced first.
    Behind {
        /// Whether it has any view with the present rules and recipes.
        is_indexed: bool,
    },
}

/// The store of a repository. Reads its ledger and the repository; only [`RepositoryStore::create`] writes.
#[derive(Debug, Clone, Copy)]
pub struct RepositoryStore<'a> {
    foundation: &'a Foundation,
}

impl<'a> RepositoryStore<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        Self { foundation: &context.foundation }
    }

    /// Its directory; it may not exist.
    pub fn directory(&self) -> &'a Path {
        self.foundation.place.directory()
    }

    /// Creates the directory if it does not exist, and deletes foreign files in it; see
    /// [`icr_store::StorePlace::create`].
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] if these are the cause.
    pub fn create(&self) -> Result<(), Error> {
        Ok(self.foundation.place.create()?)
    }

    /// When it was last written; `None` where there is none.
    pub fn last_write(&self) -> Option<SystemTime> {
        self.foundation.place.written()
    }

    /// Whether any view of the present shape is published.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn is_indexed(&self) -> Result<bool, Error> {
        match Ledger::open(&self.foundation.place, Access::Read) {
            Ok(ledger) => self.has_views(&ledger),
            Err(icr_store::Error::Absent { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the view of HEAD is published for this worktree, so that there is nothing to sync. Reads two rows.
    ///
    /// # Errors
    ///
    /// Those of repository and store; a missing or damaged store counts as not up to date.
    pub fn follows_head(&self) -> Result<bool, Error> {
        Ok(matches!(self.look(&self.foundation.repository.head()?, true)?, Look::UpToDate(_)))
    }

    /// The generation; `None` if there is no readable store.
    pub(crate) fn generation(&self) -> Option<u32> {
        Ledger::open(&self.foundation.place, Access::Read).and_then(|ledger| ledger.generation()).ok()
    }

    /// Chunks of the published view of HEAD; 0 when it is not published.
    pub(crate) fn live_chunks_at_head(&self) -> Result<u64, Error> {
        let ledger = Ledger::open(&self.foundation.place, Access::Read)?;
        let key = self.foundation.view_key(self.foundation.repository.head()?.tree);
        Ok(ledger.view(&key)?.map_or(0, |view| view.live_chunks.len()))
    }

    /// Whether the store already has everything of a revision, for any worktree.
    pub(crate) fn is_listed(&self, revision: &Revision) -> Result<bool, Error> {
        let ledger = Ledger::open(&self.foundation.place, Access::Read)?;
        let commit = revision.commit.map(|commit| ledger.commit(&commit)).transpose()?;
        let view = ledger.view(&self.foundation.view_key(revision.tree))?;
        Ok(view.is_some() && commit.is_none_or(|commit| commit.is_some()))
    }

    /// Checks whether the store is up to date for a question about `revision`, except for differences too small to
    /// write.
    pub(crate) fn look(&self, revision: &Revision, standing: bool) -> Result<Look, Error> {
        let mut begun = match LedgerSnapshot::now(&self.foundation.place) {
            Err(error) if error.is_absence() || error.is_damage() => return Ok(Look::Behind { is_indexed: false }),
            begun => begun?,
        };
        let way = match standing {
            true => self.way_to_standing(&begun.ledger, revision),
            false => self.short_way(&begun.ledger, revision),
        };
        match way {
            Err(error) if !error.is_damage() => Err(error),
            Ok(Some(way)) => {
                begun.way = Some(way);
                Ok(Look::UpToDate(Box::new(begun)))
            }
            Ok(None) | Err(_) => Ok(Look::Behind { is_indexed: self.has_views(&begun.ledger).unwrap_or(false) }),
        }
    }

    fn has_views(&self, ledger: &Ledger) -> Result<bool, Error> {
        Ok(ledger.views()?.iter().any(|view| view.key.shape == self.foundation.shape.digest()))
    }

    /// The delta to the tree that the worktree stands on, if the store has published it for this worktree.
    fn way_to_standing(&self, ledger: &Ledger, revision: &Revision) -> Result<Option<TreeDelta>, Error> {
        let key = self.foundation.view_key(revision.tree);
        if ledger.published(self.foundation.root())? != Some(key) {
            return Ok(None);
        }
        match ledger.view(&key)? {
            None => Ok(None),
            // A view with missing objects does not record which paths they had, so that the delta is computed.
            Some(view) if view.totals.missing_files > 0 => {
                Ok(Some(TreeDelta::find(self.foundation, ledger, revision)?))
            }
            Some(view) => Ok(Some(TreeDelta { revision: revision.clone(), base: Some(view), changes: Vec::new() })),
        }
    }

    /// The delta to the tree of `revision`, if it is small enough to index in memory for each question.
    fn short_way(&self, ledger: &Ledger, revision: &Revision) -> Result<Option<TreeDelta>, Error> {
        let way = TreeDelta::find(self.foundation, ledger, revision)?;
        if way.base.is_none() {
            return Ok(None);
        }
        let wanted = way.changes.iter().filter_map(|change| change.wanted);
        let (_, missing) = icr_compute::resolve(ledger, &self.foundation.shape, wanted)?;
        if missing.len() > BLOBS_UNWRITTEN {
            return Ok(None);
        }
        let (reader, max_bytes) =
            (self.foundation.repository.reader(), self.foundation.shape.policy().max_file_bytes());
        let sizes = missing.iter().filter_map(|wanted| reader.size(wanted.blob_id).ok());
        let bytes: u64 = sizes.filter(|size| *size <= max_bytes).sum();
        Ok((bytes <= BYTES_UNWRITTEN).then_some(way))
    }
}
