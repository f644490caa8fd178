//! Requests for a sync that the caller does not wait for, such as those of git hooks.

use std::path::{Path, PathBuf};

use icr_ingest::{Observer, SyncReport};
use icr_store::WriterLock;

use crate::engine::Look;
use crate::{Engine, Error, ViewSelector};

/// Who serves a sync that [`Engine::request_sync`] requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedBy {
    /// The process that is writing the store, when it has finished.
    Writer,
    /// Nobody, until a process calls [`Engine::serve_queue`] or syncs.
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
    /// Creates the directory of the store if it does not exist, and deletes foreign files in it; see
    /// [`icr_store::StorePlace::create`].
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] if these are the cause.
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

    /// Whether the view of HEAD is published for this worktree, so that there is nothing to sync. Reads two rows.
    ///
    /// # Errors
    ///
    /// Those of repository and store; a missing or damaged store counts as not up to date.
    pub fn follows_head(&self) -> Result<bool, Error> {
        Ok(matches!(self.look(&self.foundation.repository.head()?, true)?, Look::UpToDate(_)))
    }

    /// Requests a sync of HEAD and returns at once with who serves it. Repeated requests of one worktree count as one.
    /// Cost: one small file; the store is not read.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] when the request cannot be written.
    pub fn request_sync(&self) -> Result<ServedBy, Error> {
        self.foundation.place.create()?;
        // First leave the request, then check the lock: the holder checks for requests once more before it unlocks.
        self.foundation.place.queue().request(self.root())?;
        match WriterLock::try_acquire(self.foundation.place.directory()) {
            Ok(_free) => Ok(ServedBy::Nobody),
            Err(icr_store::Error::Busy) => Ok(ServedBy::Writer),
            Err(error) => Err(error.into()),
        }
    }

    /// Serves sync requests until there are none, and returns how each ended. Returns at once when another process
    /// writes the store, because that process serves them.
    ///
    /// # Errors
    ///
    /// Those of taking the lock, and of calibrating HEAD's history afterwards.
    pub fn serve_queue(&self, observer: &dyn Observer) -> Result<Vec<ServedSyncRequest>, Error> {
        let mut served = Vec::new();
        while !self.foundation.place.queue().is_empty() {
            let lock = match WriterLock::try_acquire(self.foundation.place.directory()) {
                Err(icr_store::Error::Busy) => return Ok(served),
                other => other?,
            };
            let requests = self.foundation.place.queue().take();
            if requests.is_empty() {
                // There are entries in the queue that are no valid requests; trying again would loop forever.
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
