//! Opening a repository and bringing its store up to date.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use icr_compute::Shape;
use icr_git::{FileKind, Policy, PolicyOptions, Repository, Revision};
use icr_ingest::{CollectReport, Observer, QuickEmbedder, SyncReport, SyncRequest, SyncTarget};
use icr_model::{Gap, Recipe, RecipeBuilder, TreeId, even_after_panic};
use icr_store::{Access, Ledger, RepositoryPlace, ViewKey, WriterLock};
use icr_view::{Foundation, StoreMoment, TreeDelta, ViewCache};

use crate::change::rule_file;
use crate::identity::{known_repo_id, repo_id};
use crate::models::Models;
use crate::monitor::WatchedWorktree;
use crate::opening::LedgerSnapshot;
use crate::{Deadline, Error, OpenOptions, Snapshot};

/// How often a store may be derived again in one call before its damage is reported: once heals what is derived, more
/// would hide a broken disk.
const REBUILDS: usize = 1;

/// How often a question is asked of a store that cannot be written and that its owner writes meanwhile. Two commits have to
/// fall into one question for each attempt.
const UNLOCKED_ATTEMPTS: usize = 5;

/// Blobs of a revision that a question reads and forgets, at most. With more of them the store is synced, which takes some
/// twenty milliseconds more than reading, and the next question reads none.
const BLOBS_UNWRITTEN: usize = 32;

/// Bytes of a revision that a question reads and forgets, at most: at ten megabytes a second, fifty milliseconds.
const BYTES_UNWRITTEN: u64 = 512 << 10;

/// The store for a question, after it was brought up to date as far as that goes.
pub(crate) struct PreparedStore {
    /// As it was found, where nothing had to be done.
    begun: Option<LedgerSnapshot>,
    /// It would have to be written and cannot.
    is_unwritten: bool,
}

/// Whether the store has what a question reads.
pub(crate) enum Look {
    UpToDate(Box<LedgerSnapshot>),
    /// It is to be synced first.
    Behind {
        /// Whether it has any view of the present shape.
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

/// How far a query may go to bring the store up to date first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// Longest catch-up; what is then still missing is a gap of the answer. A repository never indexed is indexed whole.
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
    /// When another process writes.
    pub waiting: BusyStorePolicy,
    /// Delete what is derived first.
    pub rebuild: bool,
    /// Stop after this long, keeping what is complete.
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

    /// The repository around a path that the user named. A git directory among the files of a worktree is used only so.
    ///
    /// # Errors
    ///
    /// As for [`Located::find`].
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
    pub fn repo_id(&self, home: &Path, given: Option<&str>) -> Result<String, Error> {
        repo_id(&self.repository, home, given)
    }

    /// The id of [`Located::repo_id`] where it was given or recorded. Reads no history and writes nothing.
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
    /// As [`Located::repo_id`], and those of reading ignore files.
    pub fn open(self, options: OpenOptions) -> Result<Engine, Error> {
        let repo_id = self.repo_id(&options.home, options.repo_id.as_deref())?;
        let repository = self.repository;
        let shape = Shape::new(policy(&repository, &options)?, options.chunk_limits);
        let place = RepositoryPlace::new(&options.home, &repo_id).store(store_format());
        let place = place.with_cache(options.cache_mb).with_notes(!options.read_only);
        let models = Arc::new(Models::new(options.embedding.clone()));
        let foundation = Arc::new(Foundation { repository, shape, place, repo_id, embedder: models.quick_model() });
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
    /// What views looked up in the store that was asked last.
    pub(crate) looked_up: Arc<Mutex<Option<GenerationCache>>>,
}

/// What views looked up in a store, for as long as its numbers mean the same.
#[derive(Debug)]
pub(crate) struct GenerationCache {
    generation: u32,
    cache: Arc<ViewCache>,
}

impl Engine {
    /// Opens the repository around `options.start`. Reads no store and writes at most the repository's id.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when there is no repository, or one that git itself would not read.
    pub fn open(options: OpenOptions) -> Result<Self, Error> {
        LocatedRepository::find(&options.start)?.open(options)
    }

    /// The same engine for one answer, which is wanted until `deadline`.
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

    /// Makes HEAD's tree complete and publishes its view; then does the same for worktrees that asked meanwhile.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::Busy`] with [`Waiting::Leave`], after a request was left; those of repository and store.
    pub fn sync(&self, options: &SyncOptions, observer: &dyn Observer) -> Result<SyncReport, Error> {
        let head = self.foundation.repository.head()?;
        let report = self.sync_revision(&head, Some(self.root()), options, observer)?;
        self.calibrate(&ViewSelector::Head)?;
        self.serve_latecomers(None, observer);
        Ok(report)
    }

    /// Makes the tree of a view complete, so that asking it reads no more: [`Engine::sync`], or the same for a revision, on which
    /// no worktree stands afterwards.
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

    /// The store as it was begun, and the way where it is still of this moment.
    pub(crate) fn open_moment(&self, begun: LedgerSnapshot) -> Result<(StoreMoment, Option<TreeDelta>), Error> {
        begun.open(&self.foundation.place, self.options.embedding.index)
    }

    /// What earlier views of the same store looked up.
    pub(crate) fn view_cache(&self, moment: &StoreMoment) -> Arc<ViewCache> {
        // What is read without locks may turn out to be of two moments, and must not be kept for the attempt after this.
        if moment.ledger().is_unlocked() {
            return Arc::default();
        }
        let (generation, mut kept) = (moment.generation(), even_after_panic(self.looked_up.lock()));
        if kept.as_ref().is_none_or(|kept| kept.generation != generation) {
            *kept = Some(GenerationCache { generation, cache: Arc::default() });
        }
        kept.as_ref().map(|kept| Arc::clone(&kept.cache)).unwrap_or_default()
    }

    /// A snapshot of the worktree or a revision, after the store was brought up to date within the time box. The store
    /// is left alone where it cannot be written or is being written: the answer then says what it lacks.
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
                // Another process indexes for the first time: there is nothing to answer from before it is done.
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

    /// Whether the store has all of a revision already, whoever stands there.
    fn is_listed(&self, revision: &Revision) -> Result<bool, Error> {
        let ledger = Ledger::open(&self.foundation.place, Access::Read)?;
        let key = ViewKey { tree: revision.tree, shape: self.foundation.shape.digest() };
        let commit = revision.commit.map(|commit| ledger.commit(&commit)).transpose()?;
        Ok(ledger.view(&key)?.is_some() && commit.is_none_or(|commit| commit.is_some()))
    }

    /// What `question` gets from a snapshot that was taken as [`Engine::ask`] does. Opening a store does not read all of it:
    /// where answering meets damage, and the store may be written, it is derived again and asked once more. Where it can be
    /// read only, and its owner writes it meanwhile, it is asked again.
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
                // What looks like damage may be a state that was half read.
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
                // What is derived again is not to be read meanwhile.
                drop(snapshot);
                let snapshot = self.derive_again(at, seen, &error, observer)?;
                let answered = question(&snapshot);
                self.write_wishes(&snapshot);
                answered
            }
            other => other,
        }
    }

    /// A snapshot from what is published, whatever is newer in memory; never writes.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_store::Error::Absent`] when nothing was ever indexed.
    pub fn snapshot(&self, at: &ViewSelector) -> Result<Snapshot, Error> {
        Snapshot::take(self, at, LedgerSnapshot::now(&self.foundation.place)?, None)
    }

    /// Forgets what nothing reaches any more, and stores of other formats; what was used within `keep_unused` stays.
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
        in_use.extend(self.models.quick_spaces().map(|spaces| spaces.files.recipe));
        let mut report = icr_ingest::collect(&self.foundation.place, vectors.as_ref(), &in_use, keep_unused, observer)?;
        self.index_vectors_locked()?;
        for abandoned in RepositoryPlace::new(&self.options.home, &self.foundation.repo_id)
            .abandoned(&self.foundation.place, keep_unused)
        {
            // Whoever writes it after all keeps it.
            let Ok(_lock) = WriterLock::try_acquire(abandoned.directory()) else { continue };
            abandoned.remove()?;
            report.stores_deleted += 1;
        }
        drop(lock);
        self.serve_latecomers(None, observer);
        Ok(report)
    }

    /// Whether `error` is damage that this engine may repair: it is not told to write nothing, and the store can be written.
    pub(crate) fn may_derive_again(&self, error: &Error) -> bool {
        error.is_damage() && !self.options.read_only && self.foundation.place.is_writable()
    }

    /// Looks whether the store has what a question about `revision` reads, up to what is not worth writing.
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

    /// The way to the tree that the worktree stands on, if its view is published for the worktree.
    fn way_to_standing(&self, ledger: &Ledger, revision: &Revision) -> Result<Option<TreeDelta>, Error> {
        let key = ViewKey { tree: revision.tree, shape: self.foundation.shape.digest() };
        if ledger.published(self.root())? != Some(key) {
            return Ok(None);
        }
        match ledger.view(&key)? {
            None => Ok(None),
            // A view that lacked objects cannot say which paths it lacks.
            Some(view) if view.totals.missing_files > 0 => {
                Ok(Some(TreeDelta::find(&self.foundation, ledger, revision)?))
            }
            Some(view) => Ok(Some(TreeDelta { revision: revision.clone(), base: Some(view), changes: Vec::new() })),
        }
    }

    /// The way to the tree of `revision`, unless a question would have to read more along it than is worth reading again each
    /// time.
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
                // Ask first, then try: a holder that is about to unlock looks at the requests once more.
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

    /// The sync itself. Needs the lock.
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
            let quick = vectors
                .as_ref()
                .zip(self.models.quick_model())
                .map(|(vectors, model)| QuickEmbedder { vectors, model });
            Ok(icr_ingest::sync(&SyncRequest {
                repository: &self.foundation.repository,
                place: &self.foundation.place,
                shape: &self.foundation.shape,
                target,
                standing,
                quick,
                deadline,
                observer,
            })?)
        })
    }

    /// Serves who found the lock taken after the requests were looked at. Whoever takes the lock in between serves them too.
    pub(crate) fn serve_latecomers(&self, deadline: Option<Instant>, observer: &dyn Observer) {
        while !self.foundation.place.queue().is_empty() {
            let Ok(_lock) = WriterLock::try_acquire(self.foundation.place.directory()) else { return };
            if !self.serve_requests(None, deadline, observer) {
                // What lies there and cannot be taken out is no request.
                return;
            }
        }
    }

    /// Syncs the worktrees that found the lock taken. What one of them fails with is its own to report when it asks.
    /// Returns whether there was any request.
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

    /// Syncs HEAD of another worktree of this store; nothing, where that has become one of another store. Needs the lock.
    pub(crate) fn serve(
        &self,
        worktree: &Path,
        deadline: Option<Instant>,
        observer: &dyn Observer,
    ) -> Result<SyncReport, Error> {
        let options = OpenOptions { start: worktree.to_owned(), ..self.options.clone() };
        // Whoever asked for it has found it before.
        let engine = LocatedRepository::find_named(worktree)?.open(options)?;
        if engine.foundation.place != self.foundation.place {
            return Ok(SyncReport::default());
        }
        let head = engine.foundation.repository.head()?;
        engine.sync_locked(&head, Some(engine.root()), deadline, observer)
    }

    /// Runs `work`; where it finds the store damaged, deletes what is derived and runs it again. Needs the lock.
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

    /// A snapshot of the store that was begun; where it is damaged, or just being derived again, and may be written, that is
    /// waited for or done.
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
            Snapshot::take(self, at, begun, look_until)
        });
        match taken {
            Err(error) if self.may_derive_again(&error) || (error.is_absence() && !self.options.read_only) => {
                self.derive_again(at, seen, &error, observer)
            }
            other => other,
        }
    }

    /// A snapshot after what is derived was deleted and synced again; only synced, where somebody deleted it since the store
    /// was of the generation `seen`.
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
        // Before anybody else can derive it again.
        let snapshot = Snapshot::take(self, at, LedgerSnapshot::now(&self.foundation.place)?, None)?;
        self.serve_requests(None, None, observer);
        drop(lock);
        self.serve_latecomers(None, observer);
        Ok(snapshot)
    }

    /// Deletes what is derived; because of `damage`, if there is any. Needs the lock.
    fn clear(&self, damage: Option<&Error>) -> Result<(), Error> {
        self.foundation.place.clear()?;
        self.clear_vectors(matches!(damage, Some(Error::Vector(_))))
    }

    /// Which store this is; `None` where there is none that can be read.
    pub(crate) fn generation(&self) -> Option<u32> {
        Ledger::open(&self.foundation.place, Access::Read).and_then(|ledger| ledger.generation()).ok()
    }
}

/// Digest of the on-disk formats: programs of different formats keep stores side by side.
pub(crate) fn store_format() -> icr_model::Recipe {
    let ledger =
        icr_store::FORMAT.iter().fold(RecipeBuilder::default(), |all, (name, value)| all.with(name, value.as_bytes()));
    ledger.with("postings", icr_lexical::format().as_bytes()).with("vectors", icr_vector::format().as_bytes()).build()
}

/// The rules of membership: those of the worktree one stands in; in a bare repository, those of HEAD's tree.
pub(crate) fn policy(repository: &Repository, options: &OpenOptions) -> Result<Policy, Error> {
    policy_of(options, |name| match &options.rules_before {
        Some(rules) => rule_file(repository, rules, name),
        None => in_worktree(repository, name),
    })
}

/// The rules of membership with the ignore files that `read` finds by their names.
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

/// A file of rules at the root: as it lies in the worktree, committed or not; in a bare repository, as committed. What is no
/// ordinary file, or too large for one of rules, does not count: it came with the clone, and stops nothing.
pub(crate) fn in_worktree(repository: &Repository, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match repository.worktree_root() {
        Some(root) => counting(name, icr_git::read_clone_file(root, name)),
        None => committed(repository, repository.head()?.tree, name),
    }
}

/// A file of rules at the root of a tree, which counts as in [`in_worktree`].
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
