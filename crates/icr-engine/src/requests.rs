//! Syncs that somebody asks for and does not wait for: git's hooks.

use std::path::{Path, PathBuf};

use icr_ingest::{Observer, SyncReport};
use icr_store::WriterLock;

use crate::engine::Look;
use crate::{Engine, Error, ViewSelector};

/// Who does what [`Engine::request_sync`] asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedBy {
    /// Whoever is writing the store, when done with that.
    Writer,
    /// Nobody, before somebody calls [`Engine::serve_queue`] or syncs.
    Nobody,
}

/// A worktree that somebody asked to sync.
#[derive(Debug)]
pub struct ServedSyncRequest {
    /// Root of the worktree, or the directory of a bare repository.
    pub worktree: PathBuf,
    /// What was done.
    pub outcome: Result<SyncReport, Error>,
}

impl Engine {
    /// Makes the directory of the store where there is none, and deletes what no store has in it; see [`icr_store::StorePlace::create`].
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] when that is why it cannot.
    pub fn create_store(&self) -> Result<(), Error> {
        Ok(self.foundation.place.create()?)
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> &Path {
        self.foundation.repository.git_dir()
    }

    /// The git directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.foundation.repository.common_dir()
    }

    /// Roots of all worktrees of the repository that are there, sorted; see [`icr_git::Repository::worktree_roots`].
    pub fn worktree_roots(&self) -> Vec<PathBuf> {
        self.foundation.repository.worktree_roots()
    }

    /// The commit that HEAD stands at, in hexadecimal digits; `None` on a branch without one.
    ///
    /// # Errors
    ///
    /// Those of reading the repository.
    pub fn head_commit(&self) -> Result<Option<String>, Error> {
        Ok(self.foundation.repository.head()?.commit.map(|commit| commit.to_string()))
    }

    /// Whether the worktree's view is published as HEAD stands: there is nothing to sync. Reads two rows.
    ///
    /// # Errors
    ///
    /// Those of repository and store; a store that is absent or damaged is one that does not follow.
    pub fn follows_head(&self) -> Result<bool, Error> {
        Ok(matches!(self.look(&self.foundation.repository.head()?, true)?, Look::UpToDate(_)))
    }

    /// Asks for a sync of HEAD and returns at once, saying who does it. Requests of one worktree are one, however many are made.
    /// Cost: one small file, and no look into the store.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] when the request cannot be written.
    pub fn request_sync(&self) -> Result<ServedBy, Error> {
        self.foundation.place.create()?;
        // Ask first, then look: a holder that is about to unlock looks at the requests once more.
        self.foundation.place.queue().request(self.root())?;
        match WriterLock::try_acquire(self.foundation.place.directory()) {
            Ok(_free) => Ok(ServedBy::Nobody),
            Err(icr_store::Error::Busy) => Ok(ServedBy::Writer),
            Err(error) => Err(error.into()),
        }
    }

    /// Syncs the worktrees that were asked for until nobody asks any more, each with how it ended. Returns at once when another
    /// process writes the store, since that one serves them.
    ///
    /// # Errors
    ///
    /// Those of taking the lock, and of working out the threshold of HEAD's history afterwards.
    pub fn serve_queue(&self, observer: &dyn Observer) -> Result<Vec<ServedSyncRequest>, Error> {
        let mut served = Vec::new();
        while !self.foundation.place.queue().is_empty() {
            let lock = match WriterLock::try_acquire(self.foundation.place.directory()) {
                Err(icr_store::Error::Busy) => return Ok(served),
                other => other?,
            };
            let requests = self.foundation.place.queue().take();
            if requests.is_empty() {
                // What lies there and cannot be taken out is no request.
                break;
            }
            for worktree in requests {
                let outcome = self.serve(&worktree, None, observer);
                served.push(ServedSyncRequest { worktree, outcome });
            }
            drop(lock);
        }
        if served.iter().any(|served| served.outcome.is_ok()) {
            self.calibrate(&ViewSelector::Head)?;
            self.serve_latecomers(None, observer);
        }
        Ok(served)
    }
}
