//! What a question may look up in the ledger of its view besides the files of the view.

use std::path::Path;
use std::sync::MutexGuard;

use icr_compute::{Shape, WantedBlob, resolve};
use icr_model::{CommitId, PathNo, Recipe, RepoPath};
use icr_store::{BlobRow, CalibrationRow, CommitRow, Ledger, ViewKey};

use crate::Error;

/// Look-ups in the ledger at the moment of a view. Nothing can be written through it. It holds the lock of the ledger,
/// so keep it no longer than for one look-up.
pub struct LedgerLookUps<'a> {
    pub(crate) ledger: MutexGuard<'a, Ledger>,
    pub(crate) shape: &'a Shape,
}

impl LedgerLookUps<'_> {
    /// The row of a blob in a language, also of one that the view does not have; `None` if it is not listed.
    ///
    /// # Errors
    ///
    /// Those of reading the store, as for all look-ups.
    pub fn row_of(&self, wanted: WantedBlob) -> Result<Option<BlobRow>, Error> {
        let (mut rows, _) = resolve(&self.ledger, self.shape, [wanted])?;
        Ok(rows.remove(&wanted))
    }

    /// The parents and changes of a commit; see [`Ledger::commit`].
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn commit(&self, id: &CommitId) -> Result<Option<CommitRow>, Error> {
        Ok(self.ledger.commit(id)?)
    }

    /// The message of a commit; see [`Ledger::commit_message`].
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn commit_message(&self, id: &CommitId) -> Result<Option<String>, Error> {
        Ok(self.ledger.commit_message(id)?)
    }

    /// The number of a path that the store has, in this view or not.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn path_no(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        Ok(self.ledger.path_no(path)?)
    }

    /// The path of a number of the store.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn path(&self, path_no: PathNo) -> Result<Option<RepoPath>, Error> {
        Ok(self.ledger.path(path_no)?.map(|(path, _)| path))
    }

    /// The calibration that `rule` computed from the history of `anchor`.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn calibration(&self, anchor: &CommitId, rule: &Recipe) -> Result<Option<CalibrationRow>, Error> {
        Ok(self.ledger.calibration(anchor, rule)?)
    }

    /// The view that a worktree published last.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn published(&self, worktree: &Path) -> Result<Option<ViewKey>, Error> {
        Ok(self.ledger.published(worktree)?)
    }

    /// Whether the store was rewritten while it was read without locks.
    pub fn was_rewritten(&self) -> bool {
        self.ledger.was_rewritten()
    }

    /// The state of the ledger in this read transaction; see [`Ledger::data_version`].
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn data_version(&self) -> Result<Option<u32>, Error> {
        Ok(self.ledger.data_version()?)
    }

    /// Whether the file of the ledger is still the one that was opened.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn is_in_place(&self) -> Result<bool, Error> {
        Ok(self.ledger.is_in_place()?)
    }

    /// Ends the read transaction, so that a view that nobody asks blocks nobody.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn end_snapshot(&self) -> Result<(), Error> {
        Ok(self.ledger.end_snapshot()?)
    }

    /// Begins a read transaction again after [`LedgerLookUps::end_snapshot`].
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn begin_snapshot(&self) -> Result<(), Error> {
        Ok(self.ledger.begin_snapshot()?)
    }
}
