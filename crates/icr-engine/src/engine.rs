//! Opening a repository and bringing its store up to date.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use icr_compute::Shape;
use icr_git::{FileKind, Policy, PolicyOptions, Repository, Revision};
use icr_ingest::{BuiltInEmbedder, CollectReport, Observer, SyncReport, SyncRequest, SyncTarget};
use icr_model::{Gap, Recipe, RecipeBuilder, TreeId, even_after_panic};
use icr_store::{Access, Ledger, RepositoryPlace, ViewKey, WriterLock};
use icr_view::{Foundation, MemoryBudget, StoreMoment, TreeDelta, ViewCache};

use crate::change::rule_file;
use crate::identity::{IdRecording, determined_repo_id, known_repo_id, repo_id};
use crate::models::Models;
use crate::monitor::WatchedWorktree;
use crate::opening::LedgerSnapshot;
use crate::{Deadline, Error, OpenOptions, Snapshot};

/// How often one call may rebuild a store before it reports the damage. One rebuild repairs derived data; more would
/// hide a broken disk.
const REBUILDS: usize = 1;

/// How often a question is tried on a store that cannot be locked while its owner writes it. An attempt fails only when
/// two commits fall into it.
const UNLOCKED_ATTEMPTS: usize = 5;

/// Most blobs of a revision that a question indexes in memory only. With more of them the store is synced: that takes
/// some 20 ms longer, but the next question has nothing to index.
const BLOBS_UNWRITTEN: usize = 32;

/// Most bytes of a revision that a question indexes in memory only: 50 ms at 10 MB/s.
const BYTES_UNWRITTEN: u64 = 512 << 10;

/// The store for a question, brought up to date as far as possible.
pub(crate) struct PreparedStore {
    /// The ledger snapshot that was opened for the check, where the store was already up to date.
    begun: Option<LedgerSnapshot>,
    /// Whether the store is behind and cannot be written.
    is_unwritten: bool,
}

/// Whether the store is up to date for a question.
pub(crate) enum Look {
    UpToDate(Box<LedgerSnapshot>),
    /// The store must be synced first.
    Behind {
        /// Whether it has any view with the present rules and recipes.
        is_indexed: bool,
    },
}

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

/// A repository that was found, before anything else is known of it.
#[derive(Debug, Clone)]
pub struct LocatedRepository {
    repository: Repository,
}

impl LocatedRepository {
    /// The repository around `start`, upwards.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when there is none, or one that git itself would not read.
    pub fn find(start: &Path) -> Result<Self, Error> {
        Ok(Self { repository: Repository::discover(start)? })
    }

    /// The repository around a path that the user named. A git directory inside the files of a worktree is only used if
    /// it is named like this.
    ///
    /// # Errors
    ///
    /// As for [`LocatedRepository::find`].
    pub fn find_named(path: &Path) -> Result<Self, Error> {
        Ok(Self { repository: Repository::discover_named(path)? })
    }

    /// Root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        self.repository.worktree_root().unwrap_or_else(|| self.repository.git_dir())
    }

    /// The git directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.repository.common_dir()
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> &Path {
        self.repository.git_dir()
    }

    /// Id under which the repository keeps its store below `home`; see [`OpenOptions::repo_id`] for `given`. Writes at
    /// most the record of that id.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for a given id that is none; those of reading history.
    pub fn repo_id(&self, home: &Path, given: Option<&str>, recording: IdRecording) -> Result<String, Error> {
        repo_id(&self.repository, home, given, recording)
    }

    /// The id of [`LocatedRepository::repo_id`] if it was given or recorded, or a root commit determines it. `None` if
    /// nothing does; then nothing is kept under an id yet, and the first commit can still determine it.
    ///
    /// # Errors
    ///
    /// As [`LocatedRepository::repo_id`].
    pub fn determined_repo_id(
        &self,
        home: &Path,
        given: Option<&str>,
        recording: IdRecording,
    ) -> Result<Option<String>, Error> {
        determined_repo_id(&self.repository, home, given, recording)
    }

    /// The id of [`LocatedRepository::repo_id`] if it was given or recorded. Reads no history and writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for a given id that is none.
    pub fn known_repo_id(&self, home: &Path, given: Option<&str>) -> Result<Option<String>, Error> {
        known_repo_id(&self.repository, home, given)
    }

    /// Opens it. Reads no store.
    ///
    /// # Errors
    ///
    /// As [`LocatedRepository::repo_id`], and those of reading ignore files.
    pub fn open(self, options: OpenOptions) -> Result<Engine, Error> {
        let recording = IdRecording::unless(options.read_only);
        let repo_id = self.repo_id(&options.home, options.repo_id.as_deref(), recording)?;
        let repository = self.repository;
        let shape = Shape::new(policy(&repository, &options)?, options.chunk_limits);
        let place = RepositoryPlace::new(&options.home, &repo_id).store(store_format());
        let place = place.with_cache(options.cache_mb).with_notes(!options.read_only);
        let models = Arc::new(Models::new(options.embedding.clone()));
        let foundation = Arc::new(Foundation { repository, shape, place, repo_id, embedder: models.built_in_model() });
        let (deadline, watched) = (Deadline::never(), None);
        Ok(Engine { foundation, options, models, deadline, watched, looked_up: Arc::default() })
    }
}

/// A repository and its store.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) foundation: Arc<Foundation>,
    pub(crate) options: OpenOptions,
    pub(crate) models: Arc<Models>,
    pub(crate) deadline: Deadline,
    pub(crate) watched: Option<Arc<WatchedWorktree>>,
    /// The cache of the store that was asked last.
    pub(crate) looked_up: Arc<Mutex<Option<GenerationCache>>>,
}

/// A cache of look-ups in a store, valid for one generation.
#[derive(Debug)]
pub(crate) struct GenerationCache {
    generation: u32,
    cache: Arc<ViewCache>,
}

impl Engine {
    /// Opens the repository around `options.start`. Reads no store and writes at most the repository's id, unless
    /// [`OpenOptions::read_only`].
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when there is no repository, or one that git itself would not read.
    pub fn open(options: OpenOptions) -> Result<Self, Error> {
        LocatedRepository::find(&options.start)?.open(options)
    }

    /// The same engine for one answer, with `deadline`.
    #[must_use]
    pub fn with_deadline(&self, deadline: &Deadline) -> Self {
        Self { deadline: deadline.clone(), ..self.clone() }
    }

    /// Id of the store, equal for all worktrees and clones of the repository.
    pub fn repo_id(&self) -> &str {
        &self.foundation.repo_id
    }

    /// Root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        self.foundation.root()
    }

    /// Directory of the store; it may not exist.
    pub fn store_directory(&self) -> &Path {
        self.foundation.place.directory()
    }

    /// When the store was last written; `None` where there is none.
    pub fn store_written(&self) -> Option<SystemTime> {
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

    fn has_views(&self, ledger: &Ledger) -> Result<bool, Error> {
        Ok(ledger.views()?.iter().any(|view| view.key.shape == self.foundation.shape.digest()))
    }

    /// Indexes HEAD's tree completely and publishes its view; then does the same for worktrees that requested it
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::Busy`] with [`BusyStorePolicy::Leave`], after a request was left; those of repository and store.
    pub fn sync(&self, options: &SyncOptions, observer: &dyn Observer) -> Result<SyncReport, Error> {
        let head = self.foundation.repository.head()?;
        let report = self.sync_revision(&head, Some(self.root()), options, observer)?;
        self.calibrate(&ViewSelector::Head)?;
        self.serve_latecomers(None, observer);
        Ok(report)
    }

    /// Indexes the tree of a view completely, so that a question about it has nothing left to index: [`Engine::sync`],
    /// or the same for a revision, which is then not published for a worktree.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::sync`]; [`icr_git::Error::UnknownRevision`].
    pub fn sync_at(
        &self,
        at: &ViewSelector,
        options: &SyncOptions,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        match at {
            ViewSelector::Worktree | ViewSelector::Head => self.sync(options, observer),
            ViewSelector::Revision(_) => {
                let report = self.sync_revision(&self.revision(at)?, None, options, observer)?;
                self.calibrate(at)?;
                Ok(report)
            }
        }
    }

    /// The commit that a view is of.
    ///
    /// # Errors
    ///
    /// Those of the repository; [`icr_git::Error::UnknownRevision`].
    pub(crate) fn revision(&self, at: &ViewSelector) -> Result<Revision, Error> {
        match at {
            ViewSelector::Worktree | ViewSelector::Head => Ok(self.foundation.repository.head()?),
            ViewSelector::Revision(name) => Ok(self.foundation.repository.resolve(name)?),
        }
    }

    /// Opens the rest of the store for `begun`; the delta to the tree is returned if the store has not changed since.
    pub(crate) fn open_moment(&self, begun: LedgerSnapshot) -> Result<(StoreMoment, Option<TreeDelta>), Error> {
        begun.open(&self.foundation.place, self.options.embedding.index)
    }

    /// The look-up cache of the store's generation.
    pub(crate) fn view_cache(&self, moment: &StoreMoment) -> Arc<ViewCache> {
        // An unlocked read may mix two states of the store; its look-ups must not be kept for the next attempt.
        if moment.ledger().is_unlocked() {
            return Arc::default();
        }
        let (generation, mut kept) = (moment.generation(), even_after_panic(self.looked_up.lock()));
        if kept.as_ref().is_none_or(|kept| kept.generation != generation) {
            *kept = Some(GenerationCache { generation, cache: Arc::default() });
        }
        kept.as_ref().map(|kept| Arc::clone(&kept.cache)).unwrap_or_default()
    }

    /// A snapshot of the worktree or a revision, after the store was brought up to date within the time box. A store
    /// that cannot be written, or is being written by another process, is used as it is; the answer then has gaps.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_git::Error::UnknownRevision`].
    pub fn ask(&self, at: &ViewSelector, freshness: &Freshness, observer: &dyn Observer) -> Result<Snapshot, Error> {
        let store = self.bring_up_to_date(at, freshness, observer)?;
        self.deadline.check()?;
        let mut snapshot = self.snapshot_healing(at, store.begun, freshness, observer)?;
        self.deadline.check()?;
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

    /// Brings the store up to date for a view, as [`Engine::ask`] does.
    pub(crate) fn bring_up_to_date(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<PreparedStore, Error> {
        let mut store = PreparedStore { begun: None, is_unwritten: false };
        if self.options.read_only {
            return Ok(store);
        }
        let revision = self.revision(at)?;
        let standing = (!matches!(at, ViewSelector::Revision(_))).then(|| self.root());
        let is_indexed = match self.look(&revision, standing.is_some())? {
            Look::UpToDate(begun) => return Ok(PreparedStore { begun: Some(*begun), ..store }),
            Look::Behind { is_indexed } => is_indexed,
        };
        let time_box = is_indexed.then(|| self.deadline.at_most(freshness.time_box));
        let options = SyncOptions { waiting: BusyStorePolicy::Leave, rebuild: false, time_box };
        let synced = self.sync_revision(&revision, standing, &options, observer);
        match synced {
            Err(Error::Store(icr_store::Error::Busy)) if time_box.is_none() => {
                // Another process is indexing for the first time: until it is done, there is nothing to answer from.
                let options = SyncOptions { waiting: BusyStorePolicy::Wait, ..options };
                self.sync_revision(&revision, standing, &options, observer)?;
            }
            Err(Error::Store(icr_store::Error::Busy)) => {}
            Err(Error::Store(icr_store::Error::ReadOnly { .. } | icr_store::Error::Full { .. }))
                if time_box.is_some() =>
            {
                store.is_unwritten = !self.is_listed(&revision)?;
            }
            other => drop(other?),
        }
        Ok(store)
    }

    /// Whether the store already has everything of a revision, for any worktree.
    fn is_listed(&self, revision: &Revision) -> Result<bool, Error> {
        let ledger = Ledger::open(&self.foundation.place, Access::Read)?;
        let key = ViewKey { tree: revision.tree, shape: self.foundation.shape.digest() };
        let commit = revision.commit.map(|commit| ledger.commit(&commit)).transpose()?;
        Ok(ledger.view(&key)?.is_some() && commit.is_none_or(|commit| commit.is_some()))
    }

    /// Answers `question` from a snapshot that is taken as in [`Engine::ask`]. Opening a store does not read all of it,
    /// so damage may show only now: a store that may be written is then rebuilt, and the question is asked once more. A
    /// store that can only be read is asked again if its owner has written it meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::ask`] and of `question`.
    pub fn answer<T>(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut attempts = 1..UNLOCKED_ATTEMPTS;
        loop {
            match self.answer_once(at, freshness, observer, &question) {
                // What looks like damage may be a half-written state.
                Err(error) if error.is_rewriting() || (error.is_damage() && !self.foundation.place.is_writable()) => {
                    if attempts.next().is_none() {
                        return Err(error);
                    }
                }
                answered => return answered,
            }
        }
    }

    fn answer_once<T>(
        &self,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let snapshot = self.ask(at, freshness, observer)?;
        let answered = question(&snapshot);
        self.write_wishes(&snapshot);
        if snapshot.view.ledger().was_rewritten() {
            return Err(icr_store::Error::Rewritten { path: self.foundation.place.directory().to_owned() }.into());
        }
        match answered {
            Err(error) if self.may_derive_again(&error) => {
                let seen = Some(snapshot.view.moment().generation());
                // The old files must be closed before they are rebuilt.
                drop(snapshot);
                let snapshot = self.derive_again(at, seen, &error, observer)?;
                let answered = question(&snapshot);
                self.write_wishes(&snapshot);
                answered
            }
            other => other,
        }
    }

    /// A snapshot of the published state; newer files are indexed in memory. Never writes.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_store::Error::Absent`] when nothing was ever indexed.
    pub fn snapshot(&self, at: &ViewSelector) -> Result<Snapshot, Error> {
        Snapshot::take(self, at, LedgerSnapshot::now(&self.foundation.place)?, None, MemoryBudget::default())
    }

    /// Deletes what is no longer reachable, and stores of other formats; keeps what was used within `keep_unused`.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::Busy`] when another process writes; those of the store.
    pub fn collect_garbage(&self, keep_unused: Duration, observer: &dyn Observer) -> Result<CollectReport, Error> {
        if !self.foundation.place.ledger().exists() {
            return Ok(CollectReport::default());
        }
        let lock = WriterLock::try_acquire(self.foundation.place.directory())?;
        let vectors = self.foundation.place.vectors().is_dir().then(|| self.open_vectors()).transpose()?;
        let mut in_use: Vec<Recipe> = self.models.in_use().iter().map(|model| model.space()).collect();
        in_use.extend(self.models.built_in_spaces().map(|spaces| spaces.files.recipe));
        let mut report = icr_ingest::collect(&self.foundation.place, vectors.as_ref(), &in_use, keep_unused, observer)?;
        self.index_vectors_locked()?;
        for abandoned in RepositoryPlace::new(&self.options.home, &self.foundation.repo_id)
            .abandoned(&self.foundation.place, keep_unused)
        {
            // A store whose lock is taken is in use after all, and is kept.
            let Ok(_lock) = WriterLock::try_acquire(abandoned.directory()) else { continue };
            abandoned.remove()?;
            report.stores_deleted += 1;
        }
        drop(lock);
        self.serve_latecomers(None, observer);
        Ok(report)
    }

    /// Whether `error` is damage that this engine may repair: it is allowed to write, and the store is writable.
    pub(crate) fn may_derive_again(&self, error: &Error) -> bool {
        error.is_damage() && !self.options.read_only && self.foundation.place.is_writable()
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

    /// The delta to the tree that the worktree stands on, if the store has published it for this worktree.
    fn way_to_standing(&self, ledger: &Ledger, revision: &Revision) -> Result<Option<TreeDelta>, Error> {
        let key = ViewKey { tree: revision.tree, shape: self.foundation.shape.digest() };
        if ledger.published(self.root())? != Some(key) {
            return Ok(None);
        }
        match ledger.view(&key)? {
            None => Ok(None),
            // A view with missing objects does not record which paths they had, so that the delta is computed.
            Some(view) if view.totals.missing_files > 0 => {
                Ok(Some(TreeDelta::find(&self.foundation, ledger, revision)?))
            }
            Some(view) => Ok(Some(TreeDelta { revision: revision.clone(), base: Some(view), changes: Vec::new() })),
        }
    }

    /// The delta to the tree of `revision`, if it is small enough to index in memory for each question.
    fn short_way(&self, ledger: &Ledger, revision: &Revision) -> Result<Option<TreeDelta>, Error> {
        let way = TreeDelta::find(&self.foundation, ledger, revision)?;
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

    pub(crate) fn sync_revision(
        &self,
        revision: &Revision,
        standing: Option<&Path>,
        options: &SyncOptions,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let deadline = options.time_box.map(|time_box| Instant::now() + time_box);
        self.foundation.place.create()?;
        let lock = match options.waiting {
            BusyStorePolicy::Wait => WriterLock::acquire(self.foundation.place.directory())?,
            BusyStorePolicy::Leave => {
                // First leave the request, then try the lock: the holder checks for requests once more before it
                // unlocks.
                standing.map_or(Ok(()), |worktree| self.foundation.place.queue().request(worktree))?;
                WriterLock::try_acquire(self.foundation.place.directory())?
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
    fn sync_locked(
        &self,
        revision: &Revision,
        standing: Option<&Path>,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let target =
            SyncTarget { tree: revision.tree, commit: revision.commit, committer_time: revision.committer_time };
        self.healing(REBUILDS, || {
            let vectors = self.vectors_to_write()?;
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
    /// it asks. Returns whether there were any requests.
    fn serve_requests(&self, served: Option<&Path>, deadline: Option<Instant>, observer: &dyn Observer) -> bool {
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
        let engine = LocatedRepository::find_named(worktree)?.open(options)?;
        if engine.foundation.place != self.foundation.place {
            return Ok(SyncReport::default());
        }
        let head = engine.foundation.repository.head()?;
        engine.sync_locked(&head, Some(engine.root()), deadline, observer)
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

    /// Takes a snapshot of the store in `begun`. If the store is damaged, or another process is rebuilding it, and it
    /// may be written, rebuilds it or waits for that.
    fn snapshot_healing(
        &self,
        at: &ViewSelector,
        begun: Option<LedgerSnapshot>,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<Snapshot, Error> {
        let look_until = Instant::now().checked_add(self.deadline.at_most(freshness.time_box));
        let mut seen = None;
        let taken = begun.map_or_else(|| LedgerSnapshot::now(&self.foundation.place), Ok).and_then(|begun| {
            seen = Some(begun.generation);
            Snapshot::take(self, at, begun, look_until, MemoryBudget::of_time(freshness.time_box))
        });
        match taken {
            Err(error) if self.may_derive_again(&error) || (error.is_absence() && !self.options.read_only) => {
                self.derive_again(at, seen, &error, observer)
            }
            other => other,
        }
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
        self.foundation.place.create()?;
        let lock = WriterLock::acquire(self.foundation.place.directory())?;
        let now = self.generation();
        if now.is_none() || now == seen {
            tracing::warn!(error = %why, "the store is derived again");
            self.clear(Some(why))?;
        }
        let head = self.foundation.repository.head()?;
        self.sync_locked(&head, Some(self.root()), None, observer)?;
        // Taken before the lock is released, so that nobody can rebuild the store again in between.
        let begun = LedgerSnapshot::now(&self.foundation.place)?;
        let snapshot = Snapshot::take(self, at, begun, None, MemoryBudget::of_time(Freshness::default().time_box))?;
        self.serve_requests(None, None, observer);
        drop(lock);
        self.serve_latecomers(None, observer);
        Ok(snapshot)
    }

    /// Deletes derived data; `damage` is the reason, if there is one. The caller must hold the lock.
    fn clear(&self, damage: Option<&Error>) -> Result<(), Error> {
        self.foundation.place.clear()?;
        self.clear_vectors(matches!(damage, Some(Error::Vector(_))))
    }

    /// The generation of the store; `None` if there is no readable store.
    pub(crate) fn generation(&self) -> Option<u32> {
        Ledger::open(&self.foundation.place, Access::Read).and_then(|ledger| ledger.generation()).ok()
    }
}

/// Digest of the on-disk formats. Programs with different formats use separate stores side by side.
pub(crate) fn store_format() -> icr_model::Recipe {
    let ledger =
        icr_store::FORMAT.iter().fold(RecipeBuilder::default(), |all, (name, value)| all.with(name, value.as_bytes()));
    ledger.with("postings", icr_lexical::format().as_bytes()).with("vectors", icr_vector::format().as_bytes()).build()
}

/// The membership rules: those of the current worktree; in a bare repository, those of HEAD's tree.
pub(crate) fn policy(repository: &Repository, options: &OpenOptions) -> Result<Policy, Error> {
    policy_of(options, |name| match &options.rules_before {
        Some(rules) => rule_file(repository, rules, name),
        None => in_worktree(repository, name),
    })
}

/// The membership rules with the ignore files that `read` returns by name.
pub(crate) fn policy_of(
    options: &OpenOptions,
    read: impl Fn(&str) -> Result<Option<Vec<u8>>, Error>,
) -> Result<Policy, Error> {
    let mut policy = Policy::new(PolicyOptions {
        ignore_patterns: options.ignore_patterns.clone(),
        respect_gitignore: options.respect_gitignore,
        respect_icrignore: options.respect_icrignore,
        max_file_bytes: options.max_file_bytes,
        secret_patterns: options.secret_patterns.clone(),
        clone_secret_patterns: options.clone_secret_patterns.clone(),
        extensions: options.extensions.clone(),
    });
    if !options.respect_icrignore {
        return Ok(policy);
    }
    for name in [".icrignore", ".icr/ignore"] {
        if let Some(rules) = read(name)? {
            policy = policy.with_ignore_file(&rules);
        }
    }
    Ok(policy)
}

/// A rule file at the root: as in the worktree, committed or not; in a bare repository, as committed. It is ignored if
/// it is no regular file or too large. That is no error, since the file came with the clone.
pub(crate) fn in_worktree(repository: &Repository, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match repository.worktree_root() {
        Some(root) => counting(name, icr_git::read_clone_file(root, name)),
        None => committed(repository, repository.head()?.tree, name),
    }
}

/// A rule file at the root of a tree, with the limits of [`in_worktree`].
pub(crate) fn committed(repository: &Repository, tree: TreeId, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let Some((blob, FileKind::Regular | FileKind::Executable)) = repository.file_at(tree, &name.into())? else {
        return Ok(None);
    };
    let (reader, max_bytes) = (repository.reader(), icr_git::MAX_CLONE_FILE_BYTES);
    if reader.size(blob)? > max_bytes {
        return counting(name, Err(icr_git::Error::Oversize { path: name.into(), max_bytes }));
    }
    let mut rules = Vec::new();
    reader.read(blob, &mut rules)?;
    Ok(Some(rules))
}

fn counting(name: &str, read: Result<Option<Vec<u8>>, icr_git::Error>) -> Result<Option<Vec<u8>>, Error> {
    match read {
        Err(error @ (icr_git::Error::Refused { .. } | icr_git::Error::Oversize { .. })) => {
            tracing::warn!("`{name}` does not count: {error}");
            Ok(None)
        }
        read => Ok(read?),
    }
}
