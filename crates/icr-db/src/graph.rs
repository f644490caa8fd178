//! The database: inputs are created when they are first asked about, and set when the view moves.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use icr_model::{RepoPath, even_after_panic};
use salsa::plumbing::IngredientIndex;
use salsa::{Database, Durability, Setter};

use crate::source::{SourceError, ViewBlob, ViewSource};

/// Why the query graph gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The view moved while the question was worked on. Asked again, it is answered for the current view.
    #[error("the repository changed while the question was being answered")]
    Moved,
    /// Data that the answer needs could not be read.
    #[error("reading the view")]
    Source(#[source] SourceError),
}

/// A path that a query asked about, whether the view has it or not. Answers also depend on a path being absent.
#[salsa::input(debug)]
#[derive(PartialOrd, Ord)]
pub(crate) struct PathInput {
    #[returns(ref)]
    pub(crate) path: RepoPath,
    #[returns(copy)]
    pub(crate) content: Option<ViewBlob>,
}

/// A directory whose files a query listed.
#[salsa::input(debug)]
pub(crate) struct DirectoryInput {
    #[returns(ref)]
    pub(crate) files: Arc<[RepoPath]>,
}

/// Changes with every move, for answers that depend on more than single paths or directories.
#[salsa::input(singleton, debug)]
pub(crate) struct ViewInput {
    /// Increases when a path is added or removed.
    #[returns(copy)]
    pub(crate) paths_revision: u64,
    /// Increases when any content changes.
    #[returns(copy)]
    pub(crate) contents_revision: u64,
}

/// What queries read that is not the result of another query.
#[salsa::db]
pub(crate) trait Db: salsa::Database {
    /// The source of facts. Its answers about one blob never change. Its answers about the view may be read only where
    /// an input stands for them.
    fn source(&self) -> &dyn ViewSource;

    /// The input that stands for a path.
    fn path_input(&self, path: &RepoPath) -> PathInput {
        self.input_at(path.as_bytes())
    }

    /// The input that stands for the path of these bytes. Creates nothing if it was asked for before.
    fn input_at(&self, path: &[u8]) -> PathInput;

    /// The input that stands for a directory.
    fn directory_input(&self, directory: &RepoPath) -> DirectoryInput;

    /// Records the first failure of the source. The whole question then fails with it.
    fn fail(&self, error: SourceError);
}

/// The source's answer, or the default value when the source failed.
pub(crate) fn sound<T: Default>(db: &dyn Db, answer: Result<T, SourceError>) -> T {
    answer.unwrap_or_else(|error| {
        db.fail(error);
        T::default()
    })
}

/// The query graph of one view.
///
/// A clone is a second handle to the same graph, for another thread. [`QueryGraph::move_to`] must be the only one at
/// work, so it interrupts the questions of the other handles, which then fail with [`Error::Moved`].
#[salsa::db]
#[derive(Clone)]
pub struct QueryGraph {
    storage: salsa::Storage<Self>,
    shared: Arc<GraphState>,
    /// `None` after it was released.
    source: Option<Arc<dyn ViewSource>>,
}

#[derive(Default)]
struct GraphState {
    paths: Inputs<PathInput>,
    directories: Inputs<DirectoryInput>,
    failure: Mutex<Option<SourceError>>,
    executed: Arc<Mutex<BTreeMap<IngredientIndex, u64>>>,
}

/// Inputs by the path that they stand for. Many threads look them up, so they are spread over several tables, each
/// with its own lock.
struct Inputs<T> {
    shards: [Mutex<HashMap<Box<[u8]>, T>>; SHARDS],
}

/// A few times the number of threads that a large machine uses for one question, so that two threads rarely want the
/// same table at once.
const SHARDS: usize = 32;

impl<T> Default for Inputs<T> {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl<T: Copy> Inputs<T> {
    /// The table for a path. The map hashes the whole path; to choose a table, a few bytes of the file name are
    /// enough.
    fn shard(&self, path: &[u8]) -> &Mutex<HashMap<Box<[u8]>, T>> {
        let tail = path.iter().rev().take(12);
        let mixed = tail.fold(path.len(), |mixed, byte| mixed.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        &self.shards[mixed % SHARDS]
    }

    fn get(&self, path: &[u8]) -> Option<T> {
        even_after_panic(self.shard(path).lock()).get(path).copied()
    }

    /// The input for `path`; calls `make` if it does not exist yet.
    fn get_or(&self, path: &[u8], make: impl FnOnce() -> T) -> T {
        *even_after_panic(self.shard(path).lock()).entry(path.into()).or_insert_with(make)
    }
}

impl std::fmt::Debug for QueryGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").finish_non_exhaustive()
    }
}

impl QueryGraph {
    /// The graph of the view that `source` reads. Creating it costs nothing; every answer pays for what it needs.
    pub fn new(source: Arc<dyn ViewSource>) -> Self {
        let shared = Arc::new(GraphState::default());
        let executed = Arc::clone(&shared.executed);
        let count = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                *even_after_panic(executed.lock()).entry(database_key.ingredient_index()).or_default() += 1;
            }
        };
        let graph = Self { storage: salsa::Storage::new(Some(Box::new(count))), shared, source: Some(source) };
        ViewInput::new(&graph, 0, 0);
        graph
    }

    /// Moves to the view that `source` reads. `changed` must hold at least every path in which the two views differ.
    /// Answers that do not depend on these paths are kept. Paths that no query asked about get no input.
    ///
    /// # Errors
    ///
    /// [`Error::Source`]; the graph cannot be used any more after that and should be dropped.
    pub fn move_to(&mut self, source: Arc<dyn ViewSource>, changed: &[RepoPath]) -> Result<(), Error> {
        let before = self.source.replace(Arc::clone(&source));
        let Some(before) = before.filter(|_| !changed.is_empty()) else { return Ok(()) };
        let mut coming_and_going = HashSet::new();
        for path in changed {
            let content = source.content(path).map_err(Error::Source)?;
            if before.content(path).map_err(Error::Source)?.is_some() != content.is_some() {
                coming_and_going.insert(path.directory());
            }
            // salsa counts a set as a change even when the value is the same, so compare first.
            if let Some(input) = self.shared.paths.get(path.as_bytes())
                && input.content(self) != content
            {
                input.set_content(self).to(content);
            }
        }
        for directory in &coming_and_going {
            if let Some(input) = self.shared.directories.get(directory.as_bytes()) {
                let files: Arc<[RepoPath]> = source.files_in(directory).map_err(Error::Source)?.into();
                if *input.files(self) != files {
                    input.set_files(self).to(files);
                }
            }
        }
        let view = ViewInput::get(self);
        let contents_revision = view.contents_revision(self) + 1;
        view.set_contents_revision(self).to(contents_revision);
        if !coming_and_going.is_empty() {
            let paths_revision = view.paths_revision(self) + 1;
            view.set_paths_revision(self).to(paths_revision);
        }
        Ok(())
    }

    /// Releases the source of this handle, before the handle is dropped on another thread. A later question to it
    /// panics.
    pub fn let_go(&mut self) {
        self.source = None;
    }

    /// Answers with the result of `work`, which may only ask queries.
    ///
    /// # Errors
    ///
    /// [`Error::Moved`] when [`QueryGraph::move_to`] interrupted it. [`Error::Source`] when anything that it needs
    /// could not be read; there are no incomplete answers.
    pub(crate) fn ask<T>(&self, work: impl FnOnce(&dyn Db) -> T) -> Result<T, Error> {
        let asked = std::panic::AssertUnwindSafe(|| work(self));
        let answer = salsa::Cancelled::catch(asked).map_err(|_| Error::Moved)?;
        match even_after_panic(self.shared.failure.lock()).take() {
            Some(error) => Err(Error::Source(error)),
            None => Ok(answer),
        }
    }

    /// How often each query ran since the last call, by name. Answers from memory do not count as a run.
    pub fn take_executed(&self) -> BTreeMap<String, u64> {
        let executed = std::mem::take(&mut *even_after_panic(self.shared.executed.lock()));
        executed.into_iter().map(|(index, count)| (self.ingredient_debug_name(index).into_owned(), count)).collect()
    }
}

#[salsa::db]
impl salsa::Database for QueryGraph {}

#[salsa::db]
impl Db for QueryGraph {
    fn source(&self) -> &dyn ViewSource {
        self.source.as_deref().expect("a graph that was let go is asked nothing")
    }

    fn input_at(&self, path: &[u8]) -> PathInput {
        self.shared.paths.get(path).unwrap_or_else(|| {
            let named = RepoPath::new(path);
            let content = sound(self, self.source().content(&named));
            // The path of an input never changes, so an answer that reads it does not depend on it.
            let make = || PathInput::builder(named, content).path_durability(Durability::NEVER_CHANGE).new(self);
            self.shared.paths.get_or(path, make)
        })
    }

    fn directory_input(&self, directory: &RepoPath) -> DirectoryInput {
        self.shared.directories.get(directory.as_bytes()).unwrap_or_else(|| {
            let files = sound(self, self.source().files_in(directory));
            self.shared.directories.get_or(directory.as_bytes(), || DirectoryInput::new(self, files.into()))
        })
    }

    fn fail(&self, error: SourceError) {
        even_after_panic(self.shared.failure.lock()).get_or_insert(error);
    }
}
