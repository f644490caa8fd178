//! The engine of one repository: it opens a store, syncs it, fills in vectors, collects garbage, and answers questions
//! about views. A question is a function over a [`Snapshot`]; everything else that concerns one subject is a value
//! borrowed from the engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use icr_git::{FileKind, Policy, PolicyOptions, Repository};
use icr_impact::Impact;
use icr_ingest::{CollectReport, Observer, SilentObserver, SyncReport};
use icr_model::{Provenance, Recipe, RecipeBuilder, TreeId};
use icr_store::{RepositoryPlace, WriterLock};

use crate::change::{RuleFiles, calibrate, impact_of, plan_impact, rule_file};
use crate::filling::fill_head;
use crate::memory::ClonePins;
use crate::monitor::{Monitor, WatchedWorktree};
use crate::packing::GateThresholds;
use crate::snapshot_context::SnapshotContext;
use crate::snapshot_source::{SnapshotSource, StoreCache, write_wishes};
use crate::syncing::StoreSync;
use crate::vectors::StoreVectors;
use crate::{
    Deadline, Error, FillOutcome, Freshness, GitFacts, ImpactRequest, LocatedRepository, OpenOptions, RepositoryStore,
    Snapshot, SyncOptions, SyncRequests, ViewSelector,
};

/// How often a question is tried on a store that cannot be locked while its owner writes it. An attempt fails only when
/// two commits fall into it.
const UNLOCKED_ATTEMPTS: usize = 5;

/// A repository and its store.
#[derive(Debug, Clone)]
pub struct Engine {
    context: SnapshotContext,
    watched: Option<Arc<WatchedWorktree>>,
    cache: Arc<StoreCache>,
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

    pub(crate) fn of(context: SnapshotContext) -> Self {
        Self { context, watched: None, cache: Arc::default() }
    }

    /// The same engine for one answer, with `deadline`.
    #[must_use]
    pub fn with_deadline(&self, deadline: &Deadline) -> Self {
        let context = SnapshotContext { deadline: deadline.clone(), ..self.context.clone() };
        Self { context, ..self.clone() }
    }

    /// The same engine, which scans its worktree only when `monitor` reports a change, or when the last scan is older
    /// than `look_every`: writes through a memory map are not reported.
    #[must_use]
    pub fn with_monitor(self, monitor: Arc<dyn Monitor>, look_every: Duration) -> Self {
        Self { watched: Some(Arc::new(WatchedWorktree::new(monitor, look_every))), ..self }
    }

    /// Id of the store, equal for all worktrees and clones of the repository.
    pub fn repo_id(&self) -> &str {
        &self.context.foundation.repo_id
    }

    /// Root of the worktree, or the directory of a bare repository.
    pub fn root(&self) -> &Path {
        self.context.root()
    }

    /// What git says about the repository.
    pub fn git(&self) -> GitFacts<'_> {
        GitFacts::of(&self.context)
    }

    /// Where the store is, and whether it is up to date.
    pub fn store(&self) -> RepositoryStore<'_> {
        RepositoryStore::of(&self.context)
    }

    /// Requests for a sync that the caller does not wait for.
    pub fn sync_requests(&self) -> SyncRequests<'_> {
        SyncRequests::of(self.snapshots())
    }

    /// The pins of this clone.
    pub fn pins(&self) -> ClonePins<'_> {
        ClonePins::of(&self.context)
    }

    /// The stored thresholds between one search of a pack and several.
    pub fn gate_thresholds(&self) -> GateThresholds<'_> {
        GateThresholds::of(&self.context)
    }

    /// The rule files of the repository, and which of them judge a change.
    pub fn rule_files(&self) -> RuleFiles<'_> {
        RuleFiles::of(&self.context)
    }

    /// How often this engine and its clones have scanned the whole worktree since a monitor was attached.
    pub fn looks(&self) -> u64 {
        self.watched.as_ref().map_or(0, |watched| watched.looks())
    }

    /// Indexes HEAD's tree completely and publishes its view; then does the same for worktrees that requested it
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::Busy`] with [`crate::BusyStorePolicy::Leave`], after a request was left; those of repository
    /// and store.
    pub fn sync(&self, options: &SyncOptions, observer: &dyn Observer) -> Result<SyncReport, Error> {
        let (head, sync) = (self.context.foundation.repository.head()?, StoreSync::of(&self.context));
        let report = sync.sync(&head, Some(self.root()), options, observer)?;
        calibrate(&self.snapshots(), &ViewSelector::Head, observer)?;
        sync.serve_latecomers(None, observer);
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
                let revision = at.revision(&self.context)?;
                let report = StoreSync::of(&self.context).sync(&revision, None, options, observer)?;
                calibrate(&self.snapshots(), at, observer)?;
                Ok(report)
            }
        }
    }

    /// Embeds the chunks of HEAD's view that the second model has not embedded, until all are done or `budget` is used
    /// up (`None`: no limit). Order: files that questions wanted the model to score, the latest question first; then
    /// the most recently changed files; then the rest by path. Does nothing when no second model is configured, when it
    /// cannot run, or while another process does this.
    ///
    /// Cost: a transformer takes some 15 to 70 ms of one core for a chunk.
    ///
    /// # Errors
    ///
    /// Those of the repository and the store; vectors written before an error are kept.
    pub fn fill(&self, budget: Option<Duration>, observer: &dyn Observer) -> Result<FillOutcome, Error> {
        fill_head(&self.snapshots(), budget, observer)
    }

    /// Builds tree indexes over large vector spaces in use that have none, or whose trees contain too few of the
    /// chunks; returns the number of indexed vectors. Does nothing below the configured crossover, nor while another
    /// process writes the store: until there are trees, questions scan.
    ///
    /// Cost: 11 s of CPU for 100,000 vectors of 256 components.
    ///
    /// # Errors
    ///
    /// Those of the store and the vectors.
    pub fn index_vectors(&self) -> Result<u64, Error> {
        let vectors = StoreVectors::of(&self.context);
        if !vectors.may_have_trees() {
            return Ok(0);
        }
        let lock = match WriterLock::try_acquire(self.store().directory()) {
            Err(icr_store::Error::Busy) => return Ok(0),
            other => other?,
        };
        let indexed = vectors.build_trees(|| self.store().live_chunks_at_head())?;
        drop(lock);
        StoreSync::of(&self.context).serve_latecomers(None, &SilentObserver);
        Ok(indexed)
    }

    /// Deletes what is no longer reachable, and stores of other formats; keeps what was used within `keep_unused`.
    ///
    /// # Errors
    ///
    /// [`icr_store::Error::Busy`] when another process writes; those of the store.
    pub fn collect_garbage(&self, keep_unused: Duration, observer: &dyn Observer) -> Result<CollectReport, Error> {
        let SnapshotContext { foundation, options, models, .. } = &self.context;
        if !foundation.place.ledger().exists() {
            return Ok(CollectReport::default());
        }
        let lock = WriterLock::try_acquire(foundation.place.directory())?;
        let store_vectors = StoreVectors::of(&self.context);
        let vectors = foundation.place.vectors().is_dir().then(|| store_vectors.open()).transpose()?;
        let mut in_use: Vec<Recipe> = models.in_use().iter().map(|model| model.space()).collect();
        in_use.extend(models.built_in_spaces().map(|spaces| spaces.files.recipe));
        let mut report = icr_ingest::collect(&foundation.place, vectors.as_ref(), &in_use, keep_unused, observer)?;
        store_vectors.build_trees(|| self.store().live_chunks_at_head())?;
        let stores = RepositoryPlace::new(&options.home, &foundation.repo_id);
        for abandoned in stores.abandoned(&foundation.place, keep_unused) {
            // A store whose lock is taken is in use after all, and is kept.
            let Ok(_lock) = WriterLock::try_acquire(abandoned.directory()) else { continue };
            abandoned.remove()?;
            report.stores_deleted += 1;
        }
        drop(lock);
        StoreSync::of(&self.context).serve_latecomers(None, observer);
        Ok(report)
    }

    /// A snapshot of the worktree or a revision, after the store was brought up to date within the time box. A store
    /// that cannot be written, or is being written by another process, is used as it is; the answer then has gaps.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_git::Error::UnknownRevision`].
    pub fn ask(&self, at: &ViewSelector, freshness: &Freshness, observer: &dyn Observer) -> Result<Snapshot, Error> {
        self.snapshots().up_to_date_snapshot(at, freshness, observer)
    }

    /// A snapshot of the published state; newer files are indexed in memory. Never writes.
    ///
    /// # Errors
    ///
    /// Those of repository and store; [`icr_store::Error::Absent`] when nothing was ever indexed.
    pub fn snapshot(&self, at: &ViewSelector) -> Result<Snapshot, Error> {
        self.snapshots().published_snapshot(at)
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
                Err(error)
                    if error.is_rewriting() || (error.is_damage() && !self.context.foundation.place.is_writable()) =>
                {
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
        let source = self.snapshots();
        let snapshot = source.up_to_date_snapshot(at, freshness, observer)?;
        let answered = question(&snapshot);
        write_wishes(&snapshot);
        if snapshot.view.look_ups().was_rewritten() {
            return Err(icr_store::Error::Rewritten { path: self.store().directory().to_owned() }.into());
        }
        match answered {
            Err(error) if source.may_derive_again(&error) => {
                let seen = Some(snapshot.view.moment().generation());
                // The old files must be closed before they are rebuilt.
                drop(snapshot);
                let snapshot = source.derive_again(at, seen, &error, observer)?;
                let answered = question(&snapshot);
                write_wishes(&snapshot);
                answered
            }
            other => other,
        }
    }

    /// What a change touches, what it forgot and which tests to run, with the provenance of the answer. The store is
    /// brought up to date first for both sides, as in [`Engine::ask`]; the repository is never written.
    ///
    /// Cost: both sides of every changed file are parsed; one walk over the newest 2,000 commits that the store knows; for every
    /// changed definition the files that mention its name, step by step.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`]; [`Error::Patch`] and [`Error::NoBase`] for what cannot be compared; those of [`Engine::answer`].
    pub fn impact(
        &self,
        request: &ImpactRequest,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<(Impact, Provenance), Error> {
        let plan = plan_impact(&self.context, request)?;
        plan.bring_base_up_to_date(&self.snapshots(), freshness, observer)?;
        self.answer(&plan.at, freshness, observer, |asked| {
            impact_of(&plan.change(&request.source, asked)?, &request.rules)
        })
    }

    pub(crate) fn context(&self) -> &SnapshotContext {
        &self.context
    }

    pub(crate) fn snapshots(&self) -> SnapshotSource<'_> {
        SnapshotSource { context: &self.context, watched: self.watched.as_deref(), cache: &self.cache }
    }
}

/// Digest of the on-disk formats. Programs with different formats use separate stores side by side.
pub(crate) fn store_format() -> Recipe {
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
