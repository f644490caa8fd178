//! State kept between the questions of a long-running process, for as long as nothing changes: query graphs, the
//! messages of a history, and views with the impacts that were answered about them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use icr_db::QueryGraph;
use icr_impact::Impact;
use icr_ingest::Observer;
use icr_model::{BlobId, CommitId, Gap, PathNo, Provenance, RepoPath};
use icr_store::FileId;
use icr_view::{LedgerLookUps, View};

use crate::change::{AnsweredImpact, ImpactQuestion, KeptImpact, impact_to_keep, plan_impact};
use crate::graph::OwnGraph;
use crate::history::History;
use crate::history_search::Messages;
use crate::monitor::{CachedOverlay, may_pass};
use crate::snapshot_context::SnapshotContext;
use crate::snapshot_source::write_wishes;
use crate::timed_view::TimedView;
use crate::vectors::vectors_again;
use crate::{Deadline, Engine, Error, Freshness, ImpactRequest, Snapshot, ViewSelector};

/// Views whose graphs are kept: the worktree, the revisions compared with it, and one more.
const VIEWS: usize = 4;

/// Most bytes of all parked views together. A server has four such states for each repository, and 64 MB for views:
/// this is a quarter of it.
const VIEW_BYTES: u64 = 16 << 20;

/// Impacts kept for each view: those of a review that is asked again after each step.
const IMPACTS: usize = 8;

/// Most missing objects of a view that is parked. Before the view is used again, each is looked up, which takes a few
/// microseconds.
pub(crate) const MISSING: usize = 256;

/// State kept between the questions of one process, for the views that were asked last.
///
/// Each query graph follows its view: a change since the last question invalidates only what depends on it.
#[derive(Default)]
pub struct Warm {
    /// Query graphs, least recently used first.
    graphs: Vec<KeptGraph>,
    /// What was read of the history that was asked last.
    history: Option<HistoryCache>,
    /// Views whose validity can be checked later, least recently used first.
    parked: Vec<ParkedView>,
    /// Number of impacts answered from this cache.
    told_again: u64,
}

/// An answer, and the state that the question leaves to later ones.
struct WarmAnswer<T> {
    answer: T,
    history: Option<HistoryCache>,
    graph: Option<KeptGraph>,
    parked: Option<ParkedView>,
}

/// A view between two questions. Its ledger is open without a read transaction, so that it blocks nobody, and its
/// vectors are closed.
struct ParkedView {
    key: (PathBuf, ViewSelector),
    /// The overlay, for a view of a worktree.
    standing: Option<Arc<CachedOverlay>>,
    /// The data version of the ledger.
    version: u32,
    /// The file of the vectors and its length in bytes; the file never becomes shorter.
    vectors: Option<(FileId, u64)>,
    view: Arc<View>,
    /// Impacts that were answered about this view.
    impacts: Vec<KeptImpact>,
}

/// What was read of the history of a commit; path numbers are those of the store at `generation`.
#[derive(Clone)]
struct HistoryCache {
    store: PathBuf,
    generation: u32,
    commit: CommitId,
    messages: Option<Arc<Messages>>,
    /// The changes of the newest commits, and the number of commits that were to be read.
    cochange: Option<(usize, Arc<History>)>,
}

/// A query graph between two questions, with the view that it was last asked about.
struct KeptGraph {
    key: (PathBuf, ViewSelector),
    graph: QueryGraph,
    view: Arc<View>,
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Warm").field("graphs", &self.graphs.len()).finish()
    }
}

impl Warm {
    /// Answers `question` about a view as [`Engine::answer`] does, reusing the graph that the last question about this
    /// view left behind.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::answer`].
    pub fn answer<T>(
        &mut self,
        engine: &Engine,
        at: &ViewSelector,
        freshness: &Freshness,
        observer: &dyn Observer,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = (engine.root().to_owned(), at.clone());
        let earlier = self.graphs.iter().position(|kept| kept.key == key).map(|index| self.graphs.remove(index));
        // If the store is damaged, it is rebuilt and the question is asked again. The kept graph belongs to the damaged
        // store and must not be used then: `take` uses it up.
        let earlier = RefCell::new(earlier);
        if let Some((snapshot, impacts)) = self.wake(engine, &key)? {
            match self.ask(&snapshot, &key, &earlier, &question) {
                Ok(answered) => return Ok(self.take_over(answered, impacts)),
                Err(error) if engine.snapshots().may_derive_again(&error) => {}
                Err(error) => {
                    let closed = Arc::new(snapshot.view.with_vectors(None));
                    let parked = snapshot.park(&key, closed).ok().flatten();
                    self.park(parked.map(|parked| ParkedView { impacts, ..parked }));
                    return Err(error);
                }
            }
        }
        let ask = |snapshot: &Snapshot| self.ask(snapshot, &key, &earlier, &question);
        let answered = engine.answer(at, freshness, observer, ask)?;
        Ok(self.take_over(answered, Vec::new()))
    }

    /// As [`Engine::impact`], but answered from the cache if the same was asked before and nothing that the answer
    /// depends on has changed: the view with its overlay, the commits that the request names, the options, the ledger.
    /// If `at` is given, uncommitted files are those of that view.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::impact`].
    pub fn impact(
        &mut self,
        engine: &Engine,
        at: Option<&ViewSelector>,
        request: &ImpactRequest,
        freshness: &Freshness,
        observer: &dyn Observer,
    ) -> Result<(Impact, Provenance), Error> {
        let plan = plan_impact(engine.context(), request)?;
        let at = at.unwrap_or(&plan.at);
        let key = (engine.root().to_owned(), at.clone());
        let question = ImpactQuestion::of(engine.context(), request, &plan);
        if let Some(answer) = self.impact_again(engine, &key, &question)? {
            return Ok(answer);
        }
        plan.bring_base_up_to_date(&engine.snapshots(), freshness, observer)?;
        let answered = self.answer(engine, at, freshness, observer, |asked| impact_to_keep(asked, request, &plan))?;
        let AnsweredImpact { answer, is_lasting, missing } = answered;
        if is_lasting && let Some(parked) = self.parked.iter_mut().find(|parked| parked.key == key) {
            if parked.impacts.len() == IMPACTS {
                parked.impacts.remove(0);
            }
            parked.impacts.push(KeptImpact { question, missing, answer: answer.clone() });
            self.trim();
        }
        Ok(answer)
    }

    /// The cached answer to the same question, if its view is still current.
    fn impact_again(
        &mut self,
        engine: &Engine,
        key: &(PathBuf, ViewSelector),
        question: &ImpactQuestion,
    ) -> Result<Option<(Impact, Provenance)>, Error> {
        let Some(at) = self.parked.iter().position(|parked| parked.key == *key) else { return Ok(None) };
        // The most recently used view moves to the end, and is dropped last.
        self.parked[at..].rotate_left(1);
        let Some(parked) = self.parked.last() else { return Ok(None) };
        let Some(kept) = parked.impacts.iter().find(|kept| kept.question == *question) else { return Ok(None) };
        engine.context().deadline.check()?;
        if !parked.is_current(engine) || !are_missing(engine.context(), &kept.missing) {
            return Ok(None);
        }
        let answer = kept.answer.clone();
        self.told_again += 1;
        Ok(Some(answer))
    }

    /// Answers `question` from a snapshot: first hands it what earlier questions left, then collects what it leaves.
    fn ask<T>(
        &self,
        snapshot: &Snapshot,
        key: &(PathBuf, ViewSelector),
        earlier: &RefCell<Option<KeptGraph>>,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<WarmAnswer<T>, Error> {
        if let Some(kept) = earlier.take() {
            snapshot.go_on_from(kept)?;
        }
        if let Some(history) = &self.history {
            snapshot.take_history(history);
        }
        let answer = question(snapshot)?;
        write_wishes(snapshot);
        // Deleted vectors can be made again only when nobody has the old ones open.
        let closed = Arc::new(snapshot.view.with_vectors(None));
        // The answer is valid even if nothing can be kept for the next question.
        let graph = snapshot.graph_to_keep(key, &closed).ok().flatten();
        let parked = snapshot.park(key, closed).ok().flatten();
        Ok(WarmAnswer { answer, history: snapshot.history_to_keep(), graph, parked })
    }

    /// Keeps what a question left; `impacts` were answered about its view before.
    fn take_over<T>(&mut self, answered: WarmAnswer<T>, impacts: Vec<KeptImpact>) -> T {
        let WarmAnswer { answer, history, graph, parked } = answered;
        self.history = history.or(self.history.take());
        self.graphs.extend(graph);
        self.park(parked.map(|parked| ParkedView { impacts, ..parked }));
        self.trim();
        answer
    }

    /// Parks a view, and drops those asked longest ago that no longer fit.
    fn park(&mut self, parked: Option<ParkedView>) {
        let Some(parked) = parked else { return };
        self.parked.retain(|other| other.key != parked.key);
        self.parked.push(parked);
        self.trim();
    }

    /// Drops the views and graphs that were asked longest ago until the rest fits into [`VIEW_BYTES`]. The most recent
    /// one stays, however large it is.
    fn trim(&mut self) {
        let mut bytes = 0;
        let mut fits = |more: u64| {
            bytes += more;
            bytes <= VIEW_BYTES
        };
        let parked = self.parked.iter().rev().take_while(|parked| fits(parked.bytes())).count().max(1);
        self.parked.drain(..self.parked.len().saturating_sub(parked));
        let is_parked = |view: &Arc<View>| self.parked.iter().any(|parked| Arc::ptr_eq(&parked.view, view));
        let graphs = self.graphs.iter().rev().take(VIEWS);
        let graphs = graphs.take_while(|graph| is_parked(&graph.view) || fits(graph.view.bytes())).count().max(1);
        self.graphs.drain(..self.graphs.len().saturating_sub(graphs));
    }

    /// The parked view and the impacts answered about it, if nothing has changed since: the worktree (as far as its
    /// monitor knows), the commit that the name means, and the store.
    ///
    /// Cost: a look at HEAD or the revision, and the start of a transaction.
    fn wake(
        &mut self,
        engine: &Engine,
        key: &(PathBuf, ViewSelector),
    ) -> Result<Option<(Snapshot, Vec<KeptImpact>)>, Error> {
        engine.context().deadline.check()?;
        let Some(at) = self.parked.iter().position(|parked| parked.key == *key) else { return Ok(None) };
        let parked = self.parked.remove(at);
        Ok(parked.wake(engine))
    }

    /// Number of impacts answered from the cache so far.
    pub fn impacts_told_again(&self) -> u64 {
        self.told_again
    }

    /// Queries that ran since the last call of this function, by name, over all views. A query answered from its cached
    /// result does not count.
    pub fn take_executed(&self) -> BTreeMap<String, u64> {
        let mut executed = BTreeMap::new();
        for kept in &self.graphs {
            for (name, count) in kept.graph.take_executed() {
                *executed.entry(name).or_default() += count;
            }
        }
        executed
    }
}

impl Snapshot {
    /// Continues with a graph of an earlier state of this view.
    fn go_on_from(&self, kept: KeptGraph) -> Result<(), Error> {
        if kept.view.moment().generation() != self.view.moment().generation() {
            return Ok(());
        }
        let changed = match is_same_state(&self.view, &kept.view) {
            true => Vec::new(),
            false => changed_paths(&self.view, &kept.view)?,
        };
        let mut graph = kept.graph;
        graph.move_to(self.graph_source(), &changed)?;
        let _ = self.graph.set(OwnGraph::new(graph));
        Ok(())
    }

    /// Continues with what was read of the same history.
    fn take_history(&self, kept: &HistoryCache) {
        let is_same = self.view.revision().commit == Some(kept.commit) && self.context.store_directory() == kept.store;
        // If the clone is, or has become, shallow, the same commit has another history.
        let is_whole = !self.view.provenance().gaps.contains(&Gap::ShallowHistory);
        if is_same && is_whole && self.view.moment().generation() == kept.generation {
            kept.messages.iter().for_each(|messages| drop(self.messages.set(Arc::clone(messages))));
            let as_many = |(most, _): &&(usize, _)| *most == self.context.options.history.commits_read();
            let cochange = kept.cochange.iter().filter(as_many);
            cochange.for_each(|(_, history)| drop(self.cochange_history.set(Arc::clone(history))));
        }
    }

    /// What a later question about this history can reuse; `None` when this question did not read the history.
    fn history_to_keep(&self) -> Option<HistoryCache> {
        let messages = self.messages.get().filter(|messages| messages.is_whole()).cloned();
        let cochange = self.cochange_history.get().filter(|history| history.is_lasting()).cloned();
        let cochange = cochange.map(|history| (self.context.options.history.commits_read(), history));
        if messages.is_none() && cochange.is_none() {
            return None;
        }
        Some(HistoryCache {
            store: self.context.store_directory().to_owned(),
            generation: self.view.moment().generation(),
            commit: self.view.revision().commit?,
            messages,
            cochange,
        })
    }

    /// The graph for a later question about this view; `None` when this question did not use the graph. `closed` is
    /// this view with its vectors closed.
    fn graph_to_keep(&self, key: &(PathBuf, ViewSelector), closed: &Arc<View>) -> Result<Option<KeptGraph>, Error> {
        let Some(mut graph) = self.graph.get().map(|graph| QueryGraph::clone(graph)) else { return Ok(None) };
        let source = TimedView { view: Arc::clone(closed), deadline: Deadline::never() };
        graph.move_to(Arc::new(source), &[])?;
        Ok(Some(KeptGraph { key: key.clone(), graph, view: Arc::clone(closed) }))
    }

    /// Ends the ledger's read transaction. Listed rows stay as they are until a garbage collection, which changes the
    /// generation. Returns the view to park, or `None` if its validity cannot be checked later or one of its gaps may
    /// close without notice. `closed` is this view with its vectors closed.
    fn park(&self, key: &(PathBuf, ViewSelector), closed: Arc<View>) -> Result<Option<ParkedView>, Error> {
        let ledger = self.view.look_ups();
        let version = ledger.data_version()?;
        let published = self.context.foundation.view_key(self.view.revision().tree);
        // An unpublished view is not parked: the next question about a worktree has to bring the store up to date.
        let is_published = matches!(key.1, ViewSelector::Revision(_))
            || self.context.options.read_only
            || ledger.published(self.context.root())? == Some(published);
        ledger.end_snapshot()?;
        drop(ledger);
        let Some(version) = version else { return Ok(None) };
        let is_told_of = self.standing.is_some() || key.1 != ViewSelector::Worktree;
        // Missing objects are no obstacle: they are looked up again before the view is used.
        let may_pass = |gap: &Gap| may_pass(gap) && !matches!(gap, Gap::MissingObject { .. });
        let is_lasting = closed.transient().missing.len() <= MISSING && !self.provenance().gaps.iter().any(may_pass);
        if !is_told_of || !is_published || !is_lasting {
            return Ok(None);
        }
        Ok(Some(ParkedView {
            key: key.clone(),
            standing: self.standing.clone(),
            version,
            vectors: vectors_file(&self.context),
            view: closed,
            impacts: Vec::new(),
        }))
    }
}

impl ParkedView {
    /// Approximate bytes that it takes by itself.
    fn bytes(&self) -> u64 {
        self.view.bytes() + self.impacts.iter().map(KeptImpact::bytes).sum::<u64>()
    }

    /// Whether a new snapshot would give the same view. A read error counts as "no": taking the new snapshot will
    /// report it.
    fn is_current(&self, engine: &Engine) -> bool {
        let is_same_store = || {
            let ledger = self.view.look_ups();
            let is_same = ledger.begin_snapshot().is_ok() && self.is_same_ledger(&ledger);
            ledger.end_snapshot().is_ok() && is_same
        };
        self.stands(engine) && is_same_store()
    }

    /// Whether everything outside of the ledger is unchanged.
    fn stands(&self, engine: &Engine) -> bool {
        let (view, context) = (&self.view, engine.context());
        let is_same_overlay = self.standing.as_ref().is_none_or(|standing| {
            let now = engine.snapshots().watched.and_then(|watched| watched.current_overlay(view.revision().tree));
            now.is_some_and(|now| Arc::ptr_eq(&now, standing))
        });
        // If the vectors are gone or truncated, a new snapshot must rebuild them.
        let is_shorter = |(file, bytes): (FileId, u64)| {
            vectors_file(context).is_none_or(|(now, bytes_now)| now != file || bytes_now < bytes)
        };
        is_same_overlay
            && context.foundation.shape.digest() == view.id().shape
            && self.key.1.revision(context).is_ok_and(|now| now == *view.revision())
            && context.foundation.repository.is_shallow() == view.provenance().gaps.contains(&Gap::ShallowHistory)
            && view.postings().is_whole()
            && !self.vectors.is_some_and(is_shorter)
            && are_missing(context, &view.transient().missing)
    }

    /// Whether `ledger`, which has begun a snapshot, has the same content as when the view was parked.
    fn is_same_ledger(&self, ledger: &LedgerLookUps<'_>) -> bool {
        ledger.data_version().is_ok_and(|now| now == Some(self.version)) && ledger.is_in_place().unwrap_or(false)
    }

    /// The view, if a new snapshot would give the same, and the impacts answered about it.
    fn wake(self, engine: &Engine) -> Option<(Snapshot, Vec<KeptImpact>)> {
        if !self.stands(engine) {
            return None;
        }
        let context = engine.context();
        // Vectors are opened before the ledger is compared, because a collection deletes vectors after its ledger
        // transaction.
        let vectors = vectors_again(&context.foundation.place, context.options.embedding.index).ok()?;
        let ledger = self.view.look_ups();
        ledger.begin_snapshot().ok()?;
        if !self.is_same_ledger(&ledger) {
            // The transaction must end here, because a graph may keep the same ledger open.
            let _ = ledger.end_snapshot();
            return None;
        }
        drop(ledger);
        let snapshot = Snapshot::of(context, Arc::new(self.view.with_vectors(vectors)));
        Some((Snapshot { standing: self.standing, ..snapshot }, self.impacts))
    }
}

/// Whether objects that were missing from the clone are still missing.
fn are_missing(context: &SnapshotContext, objects: &[BlobId]) -> bool {
    let reader = context.foundation.repository.reader();
    objects.iter().all(|object| reader.size(*object).is_err())
}

/// Whether two views share the same contents in memory.
fn is_same_state(one: &View, other: &View) -> bool {
    Arc::ptr_eq(one.contents(), other.contents()) && Arc::ptr_eq(one.transient(), other.transient())
}

/// All paths at which two views of one store differ, possibly more. Cost: a pass over both manifests.
fn changed_paths(view: &View, earlier: &View) -> Result<Vec<RepoPath>, Error> {
    let mut changed = Vec::new();
    let mut add = |path_no: PathNo| {
        // All paths in memory are added below.
        if !path_no.is_in_memory() {
            changed.push(view.path(path_no)?);
        }
        Ok::<_, Error>(())
    };
    let mut old = earlier.contents().manifest.entries().iter().peekable();
    for entry in view.contents().manifest.entries() {
        while let Some(gone) = old.next_if(|old| old.path_no < entry.path_no) {
            add(gone.path_no)?;
        }
        let before = old.next_if(|old| old.path_no == entry.path_no);
        let same = before.is_some_and(|before| before.blob_no == entry.blob_no && !entry.blob_no.is_in_memory());
        if !same {
            add(entry.path_no)?;
        }
    }
    for gone in old {
        add(gone.path_no)?;
    }
    let in_memory = view.transient().paths.iter().chain(&earlier.transient().paths);
    changed.extend(in_memory.map(|(path, _)| path.clone()));
    changed.sort_unstable();
    changed.dedup();
    Ok(changed)
}

/// Identity and length in bytes of the file that holds the vectors.
fn vectors_file(context: &SnapshotContext) -> Option<(FileId, u64)> {
    let path = context.foundation.place.vectors().join("data.mdb");
    Some((FileId::of(&path)?, std::fs::metadata(&path).ok()?.len()))
}
