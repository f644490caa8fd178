//! What outlives a question in processes that answer many: query graphs, the messages of a history, and a view of the
//! worktree for as long as nothing changes.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use icr_compute::{Contents, Transient};
use icr_db::Graph;
use icr_git::Revision;
use icr_ingest::Observer;
use icr_lexical::{LiveChunks, LivePaths, Reader};
use icr_model::{CommitId, Gap, PathNo, Provenance, RepoPath};
use icr_store::{FileId, ViewKey};

use crate::contents::Uncommitted;
use crate::history_search::Messages;
use crate::known::Known;
use crate::monitor::{Standing, may_pass};
use crate::snapshot::{Opened, lock};
use crate::vectors::vectors_now;
use crate::{At, Engine, Error, Freshness, Snapshot};

/// Views whose graphs are kept: a worktree, the revisions compared with it, and one to spare.
const VIEWS: usize = 4;

/// Query graphs kept between the questions of one process, of the views that were asked last.
///
/// Each follows its view: what changed since the last question makes stale what depended on it, and nothing else.
#[derive(Default)]
pub struct Warm {
    /// Used last, last.
    kept: Vec<Kept>,
    /// Of the history that was asked last.
    told: Option<Told>,
    /// Of the store that was asked last.
    looked_up: Option<LookedUp>,
    /// The view of the worktree, where it can be known whether it still is that.
    rested: Option<Rested>,
}

/// An answer, and what the question leaves to later ones.
struct Answered<T> {
    answer: T,
    told: Option<Told>,
    looked_up: LookedUp,
    kept: Option<Kept>,
    rested: Option<Rested>,
}

/// A view between two questions. Its ledger is open and reads nothing, so that it holds nobody back.
struct Rested {
    view: (PathBuf, At),
    standing: Arc<Standing>,
    /// The version of what is in the ledger.
    version: u32,
    /// The file that the vectors were in, and its bytes; it never becomes shorter.
    vectors: Option<(FileId, u64)>,
    revision: Revision,
    opened: Opened,
    reader: Reader,
    contents: Arc<Contents>,
    transient: Arc<Transient>,
    uncommitted: Arc<Uncommitted>,
    provenance: Provenance,
    name: String,
    chunks: OnceCell<LiveChunks>,
    paths: OnceCell<LivePaths>,
}

/// What was looked up in a store.
struct LookedUp {
    store: PathBuf,
    generation: u32,
    known: Arc<Known>,
}

/// The messages of the history of a commit, with the path numbers of a store.
struct Told {
    store: PathBuf,
    generation: u32,
    commit: CommitId,
    messages: Arc<Messages>,
}

struct Kept {
    view: (PathBuf, At),
    generation: u32,
    graph: Graph,
    contents: Arc<Contents>,
    transient: Arc<Transient>,
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Warm").field("kept", &self.kept.len()).finish()
    }
}

impl Warm {
    /// What `question` gets from a view, as [`Engine::answer`] does, with the graph that the last question to this view
    /// left behind.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::answer`].
    pub fn answer<T>(
        &mut self,
        engine: &Engine,
        at: &At,
        freshness: &Freshness,
        observer: &dyn Observer,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let view = (engine.root().to_owned(), at.clone());
        let earlier = self.kept.iter().position(|kept| kept.view == view).map(|index| self.kept.remove(index));
        // A store that was damaged is derived again and asked again; nothing kept speaks of that one.
        let earlier = RefCell::new(earlier);
        if let Some(snapshot) = self.wake(engine, &view)? {
            match self.ask(&snapshot, &view, &earlier, &question) {
                Ok(answered) => return Ok(self.take_over(answered)),
                Err(error) if engine.may_derive_again(&error) => {}
                Err(error) => {
                    self.rested = snapshot.rest(&view).ok().flatten();
                    return Err(error);
                }
            }
        }
        let ask = |snapshot: &Snapshot| self.ask(snapshot, &view, &earlier, &question);
        let answered = engine.answer(at, freshness, observer, ask)?;
        Ok(self.take_over(answered))
    }

    /// What `question` gets from a snapshot, with what earlier questions left, and what this one leaves.
    fn ask<T>(
        &self,
        snapshot: &Snapshot,
        view: &(PathBuf, At),
        earlier: &RefCell<Option<Kept>>,
        question: impl Fn(&Snapshot) -> Result<T, Error>,
    ) -> Result<Answered<T>, Error> {
        // First, before the graph is moved, which looks things up.
        if let Some(looked_up) = &self.looked_up {
            snapshot.know(looked_up)?;
        }
        if let Some(kept) = earlier.take() {
            snapshot.go_on_from(kept)?;
        }
        if let Some(told) = &self.told {
            snapshot.remember(told)?;
        }
        let answer = question(snapshot)?;
        // Before what is kept gives up the ledger's moment.
        let (told, looked_up) = (snapshot.told()?, snapshot.looked_up()?);
        let kept = snapshot.kept(view, looked_up.generation);
        Ok(Answered { answer, told, looked_up, kept, rested: snapshot.rest(view)? })
    }

    fn take_over<T>(&mut self, answered: Answered<T>) -> T {
        let Answered { answer, told, looked_up, kept, rested } = answered;
        self.told = told.or(self.told.take());
        self.looked_up = Some(looked_up);
        self.rested = rested.or(self.rested.take());
        self.kept.extend(kept);
        if self.kept.len() > VIEWS {
            self.kept.remove(0);
        }
        answer
    }

    /// The view as the last question to it left it, if nothing has changed since: not the worktree, as far as its monitor
    /// knows, not HEAD, and not the store.
    ///
    /// Cost: a look at HEAD, and the beginning of a transaction.
    fn wake(&mut self, engine: &Engine, view: &(PathBuf, At)) -> Result<Option<Snapshot>, Error> {
        let Some(rested) = self.rested.take_if(|rested| rested.view == *view) else { return Ok(None) };
        engine.deadline.check()?;
        Ok(rested.wake(engine))
    }

    /// Queries that ran since this was last asked, by name, over all views; what was answered from memory did not run.
    pub fn take_executed(&self) -> BTreeMap<String, u64> {
        let mut executed = BTreeMap::new();
        for kept in &self.kept {
            for (name, count) in kept.graph.take_executed() {
                *executed.entry(name).or_default() += count;
            }
        }
        executed
    }
}

impl Snapshot {
    /// Takes over a graph of an earlier state of this view.
    fn go_on_from(&self, kept: Kept) -> Result<(), Error> {
        if kept.generation != self.opened.generation {
            return Ok(());
        }
        let changed = match self.is_same_as(&kept) {
            true => Vec::new(),
            false => self.changed_since(&kept)?,
        };
        let mut graph = kept.graph;
        graph.move_to(Arc::new(self.graph_source()?), &changed)?;
        let _ = self.graph.set(graph);
        Ok(())
    }

    /// Takes over the messages of the same history.
    fn remember(&self, told: &Told) -> Result<(), Error> {
        let is_same = self.revision.commit == Some(told.commit) && self.engine.store_directory() == told.store;
        if is_same && self.opened.generation == told.generation {
            let _ = self.messages.set(Arc::clone(&told.messages));
        }
        Ok(())
    }

    /// Takes over what was looked up in the same store.
    fn know(&self, looked_up: &LookedUp) -> Result<(), Error> {
        // What is read without locks may turn out to be of two moments, and must not be kept for the attempt after this.
        let is_same = self.engine.store_directory() == looked_up.store && !self.ledger().is_unlocked();
        if is_same && self.opened.generation == looked_up.generation {
            let _ = self.known.set(Arc::clone(&looked_up.known));
        }
        Ok(())
    }

    /// What a later question to this store can go on from.
    fn looked_up(&self) -> Result<LookedUp, Error> {
        let (store, generation) = (self.engine.store_directory().to_owned(), self.opened.generation);
        Ok(LookedUp { store, generation, known: Arc::clone(self.known()) })
    }

    /// What a later question about this history can go on from; nothing when this one did not ask.
    fn told(&self) -> Result<Option<Told>, Error> {
        let messages = self.messages.get().filter(|messages| messages.is_whole());
        let (Some(messages), Some(commit)) = (messages, self.revision.commit) else { return Ok(None) };
        let (store, generation) = (self.engine.store_directory().to_owned(), self.opened.generation);
        Ok(Some(Told { store, generation, commit, messages: Arc::clone(messages) }))
    }

    /// What a later question to this view can go on from; nothing when this one asked no graph.
    fn kept(&self, view: &(PathBuf, At), generation: u32) -> Option<Kept> {
        let graph = self.graph.get().cloned()?;
        Some(Kept {
            view: view.clone(),
            generation,
            graph,
            contents: Arc::clone(&self.contents),
            transient: Arc::clone(&self.transient),
        })
    }

    /// Gives up the ledger's moment: what is listed stays as it is until a collection, which the generation tells. Returns the
    /// view, where it can be known later whether it is still the same and nothing that it lacks may be there then.
    fn rest(&self, view: &(PathBuf, At)) -> Result<Option<Rested>, Error> {
        let ledger = self.ledger();
        let version = ledger.data_version()?;
        let key = ViewKey { tree: self.revision.tree, shape: self.engine.shape.digest() };
        // Otherwise the next question has to bring the store up to date.
        let is_published = self.engine.options.read_only || ledger.published(self.engine.root())? == Some(key);
        ledger.end_snapshot()?;
        drop(ledger);
        let (Some(standing), Some(version)) = (&self.standing, version) else { return Ok(None) };
        if !is_published || self.provenance.gaps.iter().any(may_pass) {
            return Ok(None);
        }
        Ok(Some(Rested {
            view: view.clone(),
            standing: Arc::clone(standing),
            version,
            vectors: vectors_file(&self.engine),
            revision: self.revision.clone(),
            // Vectors that were deleted can be made again only when nobody has the old ones open.
            opened: Opened { vectors: None, ..self.opened.clone() },
            reader: self.reader.clone(),
            contents: Arc::clone(&self.contents),
            transient: Arc::clone(&self.transient),
            uncommitted: Arc::clone(&self.uncommitted),
            provenance: self.provenance.clone(),
            name: self.name.clone(),
            chunks: self.chunks.clone(),
            paths: self.paths.clone(),
        }))
    }

    /// Whether this is the very state that was left.
    fn is_same_as(&self, kept: &Kept) -> bool {
        Arc::ptr_eq(&self.contents, &kept.contents) && Arc::ptr_eq(&self.transient, &kept.transient)
    }

    /// At least all paths at which this view and the earlier one differ. Cost: a pass over both manifests.
    fn changed_since(&self, earlier: &Kept) -> Result<Vec<RepoPath>, Error> {
        let mut changed = Vec::new();
        let mut add = |path_no: PathNo| {
            // What is in memory is listed whole below.
            if !path_no.is_in_memory() {
                changed.push(self.path(path_no)?);
            }
            Ok::<_, Error>(())
        };
        let mut old = earlier.contents.manifest.entries().iter().peekable();
        for entry in self.contents.manifest.entries() {
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
        let in_memory = self.transient.paths.iter().chain(&earlier.transient.paths);
        changed.extend(in_memory.map(|(path, _)| path.clone()));
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }
}

impl Rested {
    /// The view, if it still is what a new snapshot would be. What cannot be read says nothing here: whoever takes that new
    /// snapshot finds out why.
    fn wake(self, engine: &Engine) -> Option<Snapshot> {
        let standing = engine.watched.as_ref()?.standing(self.revision.tree)?;
        let is_shallow = self.provenance.gaps.contains(&Gap::ShallowHistory);
        if !Arc::ptr_eq(&standing, &self.standing)
            || engine.repository.head().ok()? != self.revision
            || engine.repository.is_shallow() != is_shallow
        {
            return None;
        }
        if !self.reader.is_whole() {
            return None;
        }
        // Vectors that are gone, or cut short, are derived again for a new snapshot.
        let is_shorter = |(file, bytes): (FileId, u64)| {
            vectors_file(engine).is_none_or(|(now, bytes_now)| now != file || bytes_now < bytes)
        };
        if self.vectors.is_some_and(is_shorter) {
            return None;
        }
        // Before it is known that the ledger is the same: a collection takes vectors away after its ledger transaction.
        let vectors = vectors_now(&engine.place, engine.options.embedding.index).ok()?;
        let ledger = lock(&self.opened.ledger);
        ledger.begin_snapshot().ok()?;
        let is_same_version = ledger.data_version().is_ok_and(|now| now == Some(self.version));
        if !is_same_version || !ledger.is_in_place().unwrap_or(false) {
            // A graph may have it open as well.
            let _ = ledger.end_snapshot();
            return None;
        }
        drop(ledger);
        Some(Snapshot {
            engine: engine.clone(),
            revision: self.revision,
            ledger: Arc::clone(&self.opened.ledger),
            opened: Opened { vectors, ..self.opened },
            reader: self.reader,
            contents: self.contents,
            transient: self.transient,
            uncommitted: self.uncommitted,
            overlay: Arc::clone(&standing.overlay),
            standing: Some(standing),
            provenance: self.provenance,
            name: self.name,
            facts: RefCell::default(),
            known: OnceCell::new(),
            graph: OnceCell::new(),
            chunks: self.chunks,
            paths: self.paths,
            messages: OnceCell::new(),
            reading: OnceCell::new(),
        })
    }
}

/// Which file the vectors are in, and how long it is.
fn vectors_file(engine: &Engine) -> Option<(FileId, u64)> {
    let path = engine.place.vectors().join("data.mdb");
    Some((FileId::of(&path)?, std::fs::metadata(&path).ok()?.len()))
}
