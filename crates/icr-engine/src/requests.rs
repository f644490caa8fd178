//! Requests for a sync that the caller does not wait for, such as those of git hooks.

use std::path::PathBuf;

use icr_ingest::{Observer, SyncReport};
use icr_store::WriterLock;

use crate::change::calibrate;
use crate::snapshot_source::SnapshotSource;
use crate::syncing::StoreSync;
use crate::{Error, ViewSelector};

/// Who serves a sync that [`SyncRequests::leave`] requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedBy {
    /// The process that is writing the store, when it has finished.
    Writer,
    /// Nobody, until a process calls [`SyncRequests::serve`] or syncs.
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

/// The queue of requests for a sync of one worktree and its store. A request is a small file in the store; serving one
/// syncs HEAD of its worktree.
#[derive(Clone, Copy)]
pub struct SyncRequests<'a> {
    source: SnapshotSource<'a>,
}

impl<'a> SyncRequests<'a> {
    pub(crate) fn of(source: SnapshotSource<'a>) -> Self {
        Self { source }
    }

    /// Requests a sync of HEAD of this worktree and returns at once with who serves it. Repeated requests of one
    /// worktree count as one. Cost: one small file; the store is not read.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::ReadOnly`] or [`icr_store::Error::Full`] when the request cannot be written.
    pub fn leave(&self) -> Result<ServedBy, Error> {
        let foundation = &self.source.context.foundation;
        foundation.place.create()?;
        // First leave the request, then check the lock: the holder checks for requests once more before it unlocks.
        foundation.place.queue().request(foundation.root())?;
        match WriterLock::try_acquire(foundation.place.directory()) {
            Ok(_free) => Ok(ServedBy::Nobody),
            Err(icr_store::Error::Busy) => Ok(ServedBy::Writer),
            Err(error) => Err(error.into()),
        }
    }

    /// Serves requests until there are none, and returns how each ended. Returns at once when another process writes
    /// the store, because that process serves them.
    ///
    /// # Errors
    ///
    /// Those of taking the lock, and of calibrating HEAD's history afterwards.
    pub fn serve(&self, observer: &dyn Observer) -> Result<Vec<ServedSyncRequest>, Error> {
        let (place, sync) = (&self.source.context.foundation.place, StoreSync::of(self.source.context));
        let mut served = Vec::new();
        while !place.queue().is_empty() {
            let lock = match WriterLock::try_acquire(place.directory()) {
                Err(icr_store::Error::Busy) => return Ok(served),
                other => other?,
            };
            let requests = place.queue().take();
            if requests.is_empty() {
                // There are entries in the queue that are no valid requests; trying again would loop forever.
                break;
            }
            for worktree in requests {
                let outcome = sync.serve(&worktree, None, observer);
                served.push(ServedSyncRequest { worktree, outcome });
            }
            drop(lock);
        }
        if served.iter().any(|served| served.outcome.is_ok()) {
            calibrate(&self.source, &ViewSelector::Head, observer)?;
            sync.serve_latecomers(None, observer);
        }
        Ok(served)
    }
}
