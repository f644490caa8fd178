//! What outlives a question in processes that answer many: query graphs, and the messages of a history.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use icr_db::Graph;
use icr_ingest::{Contents, Observer, Transient};
use icr_model::{CommitId, PathNo, RepoPath};

use crate::history_search::Messages;
use crate::known::Known;
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
        let (answer, kept, told, looked_up) = engine.answer(at, freshness, observer, |snapshot| {
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
            Ok((answer, snapshot.kept(&view)?, told, looked_up))
        })?;
        self.told = told.or(self.told.take());
        self.looked_up = Some(looked_up);
        self.kept.extend(kept);
        if self.kept.len() > VIEWS {
            self.kept.remove(0);
        }
        Ok(answer)
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
        if kept.generation != self.ledger().generation()? {
            return Ok(());
        }
        let changed = self.changed_since(&kept)?;
        let mut graph = kept.graph;
        graph.move_to(Arc::new(self.graph_source()?), &changed)?;
        let _ = self.graph.set(graph);
        Ok(())
    }

    /// Takes over the messages of the same history.
    fn remember(&self, told: &Told) -> Result<(), Error> {
        let is_same = self.revision.commit == Some(told.commit) && self.engine.store_directory() == told.store;
        if is_same && self.ledger().generation()? == told.generation {
            let _ = self.messages.set(Arc::clone(&told.messages));
        }
        Ok(())
    }

    /// Takes over what was looked up in the same store.
    fn know(&self, looked_up: &LookedUp) -> Result<(), Error> {
        let is_same = self.engine.store_directory() == looked_up.store;
        if is_same && self.ledger().generation()? == looked_up.generation {
            let _ = self.known.set(Arc::clone(&looked_up.known));
        }
        Ok(())
    }

    /// What a later question to this store can go on from.
    fn looked_up(&self) -> Result<LookedUp, Error> {
        let (store, generation) = (self.engine.store_directory().to_owned(), self.ledger().generation()?);
        Ok(LookedUp { store, generation, known: Arc::clone(self.known()) })
    }

    /// What a later question about this history can go on from; nothing when this one did not ask.
    fn told(&self) -> Result<Option<Told>, Error> {
        let messages = self.messages.get().filter(|messages| messages.is_whole());
        let (Some(messages), Some(commit)) = (messages, self.revision.commit) else { return Ok(None) };
        let (store, generation) = (self.engine.store_directory().to_owned(), self.ledger().generation()?);
        Ok(Some(Told { store, generation, commit, messages: Arc::clone(messages) }))
    }

    /// What a later question to this view can go on from; nothing when this one asked no graph.
    fn kept(&self, view: &(PathBuf, At)) -> Result<Option<Kept>, Error> {
        let Some(graph) = self.graph.get().cloned() else { return Ok(None) };
        let generation = self.ledger().generation()?;
        // What is listed stays as it is until a collection, which the generation tells.
        self.ledger().end_snapshot()?;
        Ok(Some(Kept {
            view: view.clone(),
            generation,
            graph,
            contents: Arc::clone(&self.contents),
            transient: Arc::clone(&self.transient),
        }))
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
