//! Takes snapshots: brings the store up to date first, derives a damaged one again, and adds the vectors that a view
//! lacks.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use icr_compute::ObjectSource;
use icr_embed::Embedder;
use icr_git::Revision;
use icr_ingest::{BuiltInEmbedder, BuiltInFill, Observer};
use icr_model::{Gap, LiveSet, even_after_panic};
use icr_store::{Access, Ledger, ViewManifest, WriterLock};
use icr_view::{MemoryBudget, StoreMoment, TreeDelta, View, ViewCache, ViewLayers};

use crate::filling::EmbedFirst;
use crate::memory::ClonePins;
use crate::monitor::{WatchedWorktree, overlay_of};
use crate::opening::LedgerSnapshot;
use crate::repository_store::{Look, RepositoryStore};
use crate::snapshot::view_name;
use crate::snapshot_context::SnapshotContext;
use crate::syncing::StoreSync;
use crate::vectors::{StoreVectors, vectors_now};
use crate::{BusyStorePolicy, Error, Snapshot, SyncOptions};

/// Which view is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewSelector {
    /// The worktree with what is uncommitted there; in a bare repository, HEAD.
    Worktree,
    /// HEAD's commit, without what is uncommitted.
    Head,
    /// A revision as git names it.
    Revision(String),
}

impl ViewSelector {
    /// The commit that the view is of.
    ///
    /// # Errors
    ///
    /// Those of the repository; [`icr_git::Error::UnknownRevision`].
    pub(crate) fn revision(&self, context: &SnapshotContext) -> Result<Revision, Error> {
        match self {
            Self::Worktree | Self::Head => Ok(context.foundation.repository.head()?),
            Self::Revision(name) => Ok(context.foundation.repository.resolve(name)?),
        }
    }
}

/// How much time a query may spend on bringing the store up to date first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// Longest time for catching up; what is still missing then is a gap of the answer. A repository that was never
    /// indexed is indexed in full, without this limit.
    pub time_box: Duration,
}

impl Default for Freshness {
    /// Ten seconds: a checkout of a few thousand changed files, with a person waiting at a progress bar.
    fn default() -> Self {
        Self { time_box: Duration::from_secs(10) }
    }
}

/// Writes what an answered question recorded for later: files to embed first, and that the clone needs an id.
pub(crate) fn write_wishes(snapshot: &Snapshot) {
    for files in snapshot.asked_about.take() {
        EmbedFirst::of(&snapshot.context).remember(&files, snapshot.view.moment().generation());
    }
    if let Some(now) = snapshot.clone_to_settle.take() {
        ClonePins::of(&snapshot.context).settle_if_new(now);
    }
}

/// A cache of look-ups in the store that was asked last, valid for one generation.
#[derive(Debug, Default)]
pub(crate) struct StoreCache(Mutex<Option<(u32, Arc<ViewCache>)>>);

impl StoreCache {
    /// The cache for the store's generation.
    fn at_moment(&self, moment: &StoreMoment) -> Arc<ViewCache> {
        // An unlocked read may mix two states of the store; its look-ups must not be kept for the next attempt.
        if moment.is_unlocked() {
            return Arc::default();
        }
        let mut kept = even_after_panic(self.0.lock());
        match &*kept {
            Some((generation, cache)) if *generation == moment.generation() => Arc::clone(cache),
            _ => {
                let cache = Arc::default();
                *kept = Some((moment.generation(), Arc::clone(&cache)));
                cache
            }
        }
    }
}

/// The store for a question, brought up to date as far as possible.
struct PreparedStore {
    /// The ledger snapshot that was opened for the check, where the store was already up to date.
    begun: Option<LedgerSnapshot>,
    /// Whether the store is behind and cannot be written.
    is_unwritten: bool,
}

/// Where snapshots of a repository come from. Reads the worktree, the repository and the store. Unless the options
/// forbid it, what a view lacks is written to the store before.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotSource<'a> {
    pub(crate) context: &'a SnapshotContext,
    pub(crate) watched: Option<&'a WatchedWorktree>,
    pub(crate) cache: &'a StoreCache,
}

impl SnapshotSource<'_> {
    /// A snapshot of the worktree or a revision, after the store was brought up to date within the time box. A store
    /// that cannot be written, or is being written by another process, is used as it is; the answer then has gaps.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_git::Error::UnknownRevision`].
    pub(crate) fn up_to_date_snapshot(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<Snapshot, Error> {
        let store = self.prepare(at, freshness, observer)?;
        self.context.deadline.check()?;
        let mut snapshot = self.take_or_rebuild(at, store.begun, freshness, observer)?;
        self.context.deadline.check()?;
        if store.is_unwritten {
            let view = snapshot.view.with_gap(Gap::ReadOnlyStore);
            snapshot = snapshot.with_view(view);
        }
        let seen = Some(snapshot.view.moment().generation());
        match self.with_all_vectors(snapshot, freshness, observer) {
            Err(error) if self.may_derive_again(&error) => self.derive_again(at, seen, &error, observer),
            other => other,
        }
    }

    /// A snapshot of the published state; newer files are indexed in memory. Never writes.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_store::Error::Absent`] when nothing was ever indexed.
    pub(crate) fn published_snapshot(&self, at: &ViewSelector) -> Result<Snapshot, Error> {
        self.take(at, LedgerSnapshot::now(&self.context.foundation.place)?, None, MemoryBudget::default())
    }

    /// The view that `layers` make.
    pub(crate) fn snapshot_of_layers(&self, moment: &StoreMoment, layers: &ViewLayers<'_>) -> Result<Snapshot, Error> {
        self.along(moment, layers, None, MemoryBudget::default())
    }

    /// Brings the store up to date for a view, as [`SnapshotSource::up_to_date_snapshot`] does.
    pub(crate) fn bring_up_to_date(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        self.prepare(at, freshness, observer).map(drop)
    }

    /// Whether `error` is damage that may be repaired here: writing is allowed, and the store is writable.
    pub(crate) fn may_derive_again(&self, error: &Error) -> bool {
        error.is_damage() && !self.context.options.read_only && self.context.foundation.place.is_writable()
    }

    /// Rebuilds the store and takes a snapshot. If another process has already rebuilt it since generation `seen`, only
    /// syncs.
    pub(crate) fn derive_again(
        &self,
        at: &ViewSelector,
        seen: Option<u32>,
        why: &Error,
        observer: &dyn Observer,
    ) -> Result<Snapshot, Error> {
        let (foundation, sync) = (&self.context.foundation, StoreSync::of(self.context));
        foundation.place.create()?;
        let lock = WriterLock::acquire(foundation.place.directory())?;
        let now = RepositoryStore::of(self.context).generation();
        if now.is_none() || now == seen {
            tracing::warn!(error = %why, "the store is derived again");
            sync.clear(Some(why))?;
        }
        let head = foundation.repository.head()?;
        sync.sync_locked(&head, Some(foundation.root()), None, observer)?;
        // Taken before the lock is released, so that nobody can rebuild the store again in between.
        let begun = LedgerSnapshot::now(&foundation.place)?;
        let snapshot = self.take(at, begun, None, MemoryBudget::of_time(Freshness::default().time_box))?;
        sync.serve_requests(None, None, observer);
        drop(lock);
        sync.serve_latecomers(None, observer);
        Ok(snapshot)
    }

    /// Opens the store as it is now, for several views.
    pub(crate) fn moment(&self) -> Result<StoreMoment, Error> {
        Ok(self.open(LedgerSnapshot::now(&self.context.foundation.place)?)?.0)
    }

    fn prepare(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<PreparedStore, Error> {
        let mut prepared = PreparedStore { begun: None, is_unwritten: false };
        if self.context.options.read_only {
            return Ok(prepared);
        }
        let (store, sync) = (RepositoryStore::of(self.context), StoreSync::of(self.context));
        let revision = at.revision(self.context)?;
        let standing = (!matches!(at, ViewSelector::Revision(_))).then(|| self.context.root());
        let is_indexed = match store.look(&revision, standing.is_some())? {
            Look::UpToDate(begun) => return Ok(PreparedStore { begun: Some(*begun), ..prepared }),
            Look::Behind { is_indexed } => is_indexed,
        };
        let time_box = is_indexed.then(|| self.context.deadline.at_most(freshness.time_box));
        let options = SyncOptions { waiting: BusyStorePolicy::Leave, rebuild: false, time_box };
        let synced = sync.sync(&revision, standing, &options, observer);
        match synced {
            Err(Error::Store(icr_store::Error::Busy)) if time_box.is_none() => {
                // Another process is indexing for the first time: until it is done, there is nothing to answer from.
                let options = SyncOptions { waiting: BusyStorePolicy::Wait, ..options };
                sync.sync(&revision, standing, &options, observer)?;
            }
            Err(Error::Store(icr_store::Error::Busy)) => {}
            Err(Error::Store(icr_store::Error::ReadOnly { .. } | icr_store::Error::Full { .. }))
                if time_box.is_some() =>
            {
                prepared.is_unwritten = !store.is_listed(&revision)?;
            }
            other => drop(other?),
        }
        Ok(prepared)
    }

    /// Takes a snapshot of the store in `begun`. If the store is damaged, or another process is rebuilding it, and it
    /// may be written, rebuilds it or waits for that.
    fn take_or_rebuild(
        &self,
        at: &ViewSelector,
        begun: Option<LedgerSnapshot>,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<Snapshot, Error> {
        let look_until = Instant::now().checked_add(self.context.deadline.at_most(freshness.time_box));
        let mut seen = None;
        let taken = begun.map_or_else(|| LedgerSnapshot::now(&self.context.foundation.place), Ok).and_then(|begun| {
            seen = Some(begun.generation);
            self.take(at, begun, look_until, MemoryBudget::of_time(freshness.time_box))
        });
        match taken {
            Err(error) if self.may_derive_again(&error) || (error.is_absence() && !self.context.options.read_only) => {
                self.derive_again(at, seen, &error, observer)
            }
            other => other,
        }
    }

    /// The view in the store that `begun` opened. Changed files that were not examined before `look_until`, and those
    /// that do not fit in `budget`, are a gap.
    fn take(
        &self,
        at: &ViewSelector,
        begun: LedgerSnapshot,
        look_until: Option<Instant>,
        budget: MemoryBudget,
    ) -> Result<Snapshot, Error> {
        let revision = match &begun.way {
            Some(way) => way.revision.clone(),
            None => at.revision(self.context)?,
        };
        let foundation = &self.context.foundation;
        let (overlay, standing) = match at {
            ViewSelector::Worktree => overlay_of(foundation, self.watched, revision.tree, look_until)?,
            ViewSelector::Head | ViewSelector::Revision(_) => Default::default(),
        };
        let name = view_name(at, &revision, foundation.repository.is_bare());
        let layers = ViewLayers { revision, name, overlay: &overlay, laid: &Default::default() };
        let (moment, way) = self.open(begun)?;
        Ok(Snapshot { standing, ..self.along(&moment, &layers, way, budget)? })
    }

    /// Opens the rest of the store for `begun`; the delta to the tree is returned if the store has not changed since.
    fn open(&self, begun: LedgerSnapshot) -> Result<(StoreMoment, Option<TreeDelta>), Error> {
        begun.open(&self.context.foundation.place, self.context.options.embedding.index)
    }

    /// The view of `layers`, with the delta to their tree already known.
    fn along(
        &self,
        moment: &StoreMoment,
        layers: &ViewLayers<'_>,
        way: Option<TreeDelta>,
        budget: MemoryBudget,
    ) -> Result<Snapshot, Error> {
        let cache = self.cache.at_moment(moment);
        let view = View::build(&self.context.foundation, moment, &cache, layers, way, budget)?;
        Ok(Snapshot::of(self.context, Arc::new(view)))
    }

    /// A snapshot for a question, after the built-in model has embedded the chunks of its view that it had not. Chunks
    /// that it cannot embed, because the store may not be written or the time box ends, are a gap.
    fn with_all_vectors(
        &self,
        mut snapshot: Snapshot,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<Snapshot, Error> {
        let Some(model) = self.context.models.built_in_model() else { return Ok(snapshot) };
        let without = snapshot.view.chunks_without_vectors()?;
        if without.is_empty() {
            return Ok(snapshot);
        }
        if !self.context.options.read_only {
            let deadline = Instant::now().checked_add(freshness.time_box);
            // The file of vectors cannot grow while it is open elsewhere.
            let closed = snapshot.view.with_vectors(None);
            drop(snapshot);
            match self.fill_built_in(&closed.contents().manifest, &without, deadline, observer) {
                Ok(()) => {}
                Err(error) if error.is_damage() => return Err(error),
                Err(error) => tracing::debug!(%error, "what was indexed without vectors has none"),
            }
            let vectors = vectors_now(&self.context.foundation.place, self.context.options.embedding.index)?;
            snapshot = Snapshot::of(self.context, Arc::new(closed.with_vectors(vectors)));
        }
        let chunks = snapshot.view.chunks_without_vectors()?.len();
        if chunks > 0 {
            let looked_at = snapshot.chunks_total();
            let gap = Gap::NotEmbedded { model: model.descriptor().name.clone(), chunks, looked_at };
            let view = snapshot.view.with_gap(gap);
            snapshot = snapshot.with_view(view);
        }
        Ok(snapshot)
    }

    fn fill_built_in(
        &self,
        manifest: &ViewManifest,
        lacking: &LiveSet,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let (foundation, vectors) = (&self.context.foundation, StoreVectors::of(self.context));
        let (Some(model), Some(vectors)) = (self.context.models.built_in_model(), vectors.writable()?) else {
            return Ok(());
        };
        let fill = BuiltInFill {
            ledger: &Ledger::open(&foundation.place, Access::Read)?,
            manifest,
            source: &ObjectSource(&foundation.repository),
            max_bytes: foundation.shape.policy().max_file_bytes(),
            deadline,
            observer,
        };
        let built_in = BuiltInEmbedder { vectors: &vectors, model };
        built_in.fill(&fill, lacking)?;
        Ok(built_in.note_use()?)
    }
}
