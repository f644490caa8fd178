//! Writes the store: indexes trees, and serves the worktrees that requested a sync meanwhile.

use std::path::Path;
use std::time::{Duration, Instant};

use icr_git::Revision;
use icr_ingest::{BuiltInEmbedder, Observer, SyncReport, SyncRequest, SyncTarget};
use icr_store::WriterLock;
use icr_view::Foundation;

use crate::models::Models;
use crate::snapshot_context::SnapshotContext;
use crate::vectors::StoreVectors;
use crate::{Error, LocatedRepository, OpenOptions};

/// How often one call may rebuild a store before it reports the damage. One rebuild repairs derived data; more would
/// hide a broken disk.
const REBUILDS: usize = 1;

/// What to do when another process writes the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusyStorePolicy {
    /// Wait for it.
    Wait,
    /// Leave it a request and return [`icr_store::Error::Busy`].
    Leave,
}

/// How to sync.
#[derive(Debug, Clone, Copy)]
pub struct SyncOptions {
    /// What to do when another process writes the store.
    pub waiting: BusyStorePolicy,
    /// Delete derived data first.
    pub rebuild: bool,
    /// Stop after this time and keep what is complete.
    pub time_box: Option<Duration>,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self { waiting: BusyStorePolicy::Wait, rebuild: false, time_box: None }
    }
}

/// Syncs one store. Reads trees and blobs, and writes the ledger, postings and vectors; takes requests out of the
/// queue. Everything is written under the lock of the store.
#[derive(Clone, Copy)]
pub(crate) struct StoreSync<'a> {
    foundation: &'a Foundation,
    /// For the worktrees that requested a sync, which are opened like this one.
    options: &'a OpenOptions,
    models: &'a Models,
    vectors: StoreVectors<'a>,
}

impl<'a> StoreSync<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, options, models, .. } = context;
        Self { foundation, options, models, vectors: StoreVectors::of(context) }
    }

    /// Indexes the tree of `revision`, and publishes its view for the worktree `standing`, if one stands on it; then
    /// does the same for worktrees that requested it meanwhile.
    pub(crate) fn sync(
        &self,
        revision: &Revision,
        standing: Option<&Path>,
        options: &SyncOptions,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let deadline = options.time_box.map(|time_box| Instant::now() + time_box);
        let place = &self.foundation.place;
        place.create()?;
        let lock = match options.waiting {
            BusyStorePolicy::Wait => WriterLock::acquire(place.directory())?,
            BusyStorePolicy::Leave => {
                // First leave the request, then try the lock: the holder checks for requests once more before it
                // unlocks.
                standing.map_or(Ok(()), |worktree| place.queue().request(worktree))?;
                WriterLock::try_acquire(place.directory())?
            }
        };
        if options.rebuild {
            self.clear(None)?;
        }
        let report = self.sync_locked(revision, standing, deadline, observer)?;
        self.serve_requests(standing, deadline, observer);
        drop(lock);
        self.serve_latecomers(deadline, observer);
        Ok(report)
    }

    /// The sync itself. The caller must hold the lock.
    pub(crate) fn sync_locked(
        &self,
        revision: &Revision,
        standing: Option<&Path>,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let target =
            SyncTarget { tree: revision.tree, commit: revision.commit, committer_time: revision.committer_time };
        self.healing(REBUILDS, || {
            let vectors = self.vectors.writable()?;
            let built_in = vectors
                .as_ref()
                .zip(self.models.built_in_model())
                .map(|(vectors, model)| BuiltInEmbedder { vectors, model });
            Ok(icr_ingest::sync(&SyncRequest {
                repository: &self.foundation.repository,
                place: &self.foundation.place,
                shape: &self.foundation.shape,
                target,
                standing,
                built_in,
                deadline,
                observer,
            })?)
        })
    }

    /// Serves requests that were left after the last check for them. If another process takes the lock first, it serves
    /// them.
    pub(crate) fn serve_latecomers(&self, deadline: Option<Instant>, observer: &dyn Observer) {
        while !self.foundation.place.queue().is_empty() {
            let Ok(_lock) = WriterLock::try_acquire(self.foundation.place.directory()) else { return };
            if !self.serve_requests(None, deadline, observer) {
                // There are entries in the queue that are no valid requests; trying again would loop forever.
                return;
            }
        }
    }

    /// Syncs the worktrees that left a request. The error of a worktree is only logged: its own process meets it when
    /// it asks. Returns whether there were any requests. The caller must hold the lock.
    pub(crate) fn serve_requests(
        &self,
        served: Option<&Path>,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> bool {
        let requests = self.foundation.place.queue().take();
        for worktree in &requests {
            if Some(worktree.as_path()) == served {
                continue;
            }
            if let Err(error) = self.serve(worktree, deadline, observer) {
                tracing::warn!(worktree = %worktree.display(), %error, "a requested sync failed");
            }
        }
        !requests.is_empty()
    }

    /// Syncs HEAD of another worktree of this store; does nothing if that worktree belongs to another store now. The
    /// caller must hold the lock.
    pub(crate) fn serve(
        &self,
        worktree: &Path,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let options = OpenOptions { start: worktree.to_owned(), ..self.options.clone() };
        // The path comes from a process that had found the repository there.
        let context = LocatedRepository::find_named(worktree)?.open_context(options)?;
        if context.foundation.place != self.foundation.place {
            return Ok(SyncReport::default());
        }
        let head = context.foundation.repository.head()?;
        StoreSync::of(&context).sync_locked(&head, Some(context.root()), deadline, observer)
    }

    /// Deletes derived data; `damage` is the reason, if there is one. The caller must hold the lock.
    pub(crate) fn clear(&self, damage: Option<&Error>) -> Result<(), Error> {
        self.foundation.place.clear()?;
        self.vectors.clear(matches!(damage, Some(Error::Vector(_))))
    }

    /// Runs `work`; if it finds the store damaged, deletes derived data and runs it again. The caller must hold the
    /// lock.
    fn healing<T>(&self, rebuilds: usize, mut work: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
        match work() {
            Err(error) if error.is_damage() && rebuilds > 0 => {
                tracing::warn!(%error, "the store is derived again");
                self.clear(Some(&error))?;
                self.healing(rebuilds - 1, work)
            }
            other => other,
        }
    }
}
