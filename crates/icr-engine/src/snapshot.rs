//! A view to ask: what is published, moved to the tree that was asked for, with what is uncommitted on top.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use icr_compute::{Change, Contents, PathChange, QuickSpaces, Transient, Wanted};
use icr_db::Graph;
use icr_git::{Membership, Overlay, OverlayState, Revision};
use icr_lexical::{LiveChunks, LivePaths, PathStatistics, Reader, Statistics};
use icr_model::{BlobId, BlobNo, ChunkNo, Content, Digest64, Facts, Gap, LiveSet, PathNo, Provenance, RepoPath};
use icr_store::{BlobRow, Ledger};
use rustc_hash::FxHashSet;

use crate::contents::{LayeredContents, Texts, Uncommitted};
use crate::graph_source::{Memory, ViewSource};
use crate::history_search::Messages;
use crate::known::{Known, PathFacts};
use crate::monitor::Standing;
use crate::opening::{Begun, Published, Way};
use crate::vectors::vectors_now;
use crate::{At, Engine, Error};

/// Most blobs that a snapshot indexes in memory: at a millisecond each, a quarter of a second.
const BLOBS_IN_MEMORY: usize = 256;

/// Most bytes that a snapshot indexes in memory.
const BYTES_IN_MEMORY: u64 = 8 << 20;

/// One view, which never changes and never writes.
pub struct Snapshot {
    pub(crate) engine: Engine,
    pub(crate) revision: Revision,
    pub(crate) opened: Opened,
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    pub(crate) reader: Reader,
    pub(crate) contents: Arc<Contents>,
    pub(crate) transient: Arc<Transient>,
    /// Contents that the object database does not have.
    pub(crate) uncommitted: Arc<Uncommitted>,
    /// What the worktree or the index has in place of the tree's.
    pub(crate) overlay: Arc<Overlay>,
    /// That overlay, where it can be known whether it still is the worktree's.
    pub(crate) standing: Option<Arc<Standing>>,
    pub(crate) provenance: Provenance,
    pub(crate) name: String,
    pub(crate) facts: RefCell<HashMap<BlobNo, Rc<Facts>>>,
    /// What was looked up in the ledger, in this view or an earlier one.
    pub(crate) known: OnceCell<Arc<Known>>,
    pub(crate) graph: OnceCell<Graph>,
    pub(crate) chunks: OnceCell<LiveChunks>,
    pub(crate) paths: OnceCell<LivePaths>,
    /// Of the history of the view's commit.
    pub(crate) messages: OnceCell<Arc<Messages>>,
    /// Vectors of the moment, those of what is in memory only among them.
    pub(crate) reading: OnceCell<icr_vector::Reader>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("provenance", &self.provenance).finish_non_exhaustive()
    }
}

/// A file of the view.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: RepoPath,
    pub(crate) row: BlobRow,
}

/// Everything that a view says, for comparing two stores: equal dumps, equal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// A line per file: path, blob id, language, size, and its facts in full.
    pub files: BTreeMap<String, String>,
    /// A line per file: path and digest of what the built-in model makes of its chunks.
    pub vectors: BTreeMap<String, String>,
    /// The integers that statistics are made of, and what is lacking.
    pub totals: String,
}

/// A store as it was at one moment, for any number of views of that moment.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    pub(crate) generation: u32,
    pub(crate) reader: Reader,
    pub(crate) vectors: Option<icr_vector::Reader>,
}

impl Opened {
    /// The store as it is now.
    pub(crate) fn now(engine: &Engine) -> Result<Self, Error> {
        Ok(Self::of(engine, Begun::now(&engine.place)?)?.0)
    }

    /// The store as it was begun, and the way if there still is one.
    fn of(engine: &Engine, begun: Begun) -> Result<(Self, Option<Way>), Error> {
        let Published { ledger, generation, postings, vectors, way } =
            begun.open(&engine.place, engine.options.embedding.index)?;
        Ok((Self { ledger: Arc::new(Mutex::new(ledger)), generation, reader: postings, vectors }, way))
    }
}

/// What a view is made of, each over the one before.
pub(crate) struct Layers<'a> {
    /// The committed tree.
    pub(crate) revision: Revision,
    /// What the view is called.
    pub(crate) name: String,
    /// What the worktree or the index has in its place.
    pub(crate) overlay: &'a Arc<Overlay>,
    /// Contents laid on top; `None` for a file that is gone.
    pub(crate) laid: &'a BTreeMap<RepoPath, Option<Arc<[u8]>>>,
}

impl Snapshot {
    /// The view in the store that was begun; changed files that were not looked into at `look_until` are what it lacks.
    pub(crate) fn take(engine: &Engine, at: &At, begun: Begun, look_until: Option<Instant>) -> Result<Self, Error> {
        let revision = match &begun.way {
            Some(way) => way.revision.clone(),
            None => engine.revision(at)?,
        };
        let (overlay, standing) = match at {
            At::Worktree => engine.overlay(revision.tree, look_until)?,
            At::Head | At::Revision(_) => Default::default(),
        };
        let name = view_name(at, &revision);
        let layers = Layers { revision, name, overlay: &overlay, laid: &BTreeMap::new() };
        let (opened, way) = Opened::of(engine, begun)?;
        Ok(Self { standing, ..Self::along(engine, &opened, &layers, way)? })
    }

    /// The view that `layers` make.
    pub(crate) fn of(engine: &Engine, opened: &Opened, layers: &Layers<'_>) -> Result<Self, Error> {
        Self::along(engine, opened, layers, None)
    }

    /// The view that `layers` make, along a way that is known to their tree.
    fn along(engine: &Engine, opened: &Opened, layers: &Layers<'_>, way: Option<Way>) -> Result<Self, Error> {
        let Layers { revision, name, overlay, laid } = layers;
        let ledger = lock(&opened.ledger);
        let mut gaps = BTreeSet::new();
        if engine.repository.is_shallow() {
            gaps.insert(Gap::ShallowHistory);
        }
        let Way { base, changes: committed, .. } = match way {
            Some(way) => way,
            None => engine.way(&ledger, revision)?,
        };
        let mut changes: BTreeMap<RepoPath, Option<Wanted>> = BTreeMap::new();
        for PathChange { path, wanted } in committed {
            changes.insert(path, wanted);
        }
        let mut uncommitted = Uncommitted::default();
        let mut oversize_files = 0;
        let mut unindexed_files = 0;
        let mut sizes = HashMap::new();
        for gap in &overlay.gaps {
            match gap {
                Gap::Oversize { files } => oversize_files = *files,
                Gap::Unindexed { files } => unindexed_files = *files,
                other => drop(gaps.insert(other.clone())),
            }
        }
        let is_member = |path: &RepoPath| engine.shape.policy().decide(path) == Membership::Member;
        let member = |path: &RepoPath, blob_id| {
            is_member(path).then(|| Wanted { blob_id, language: icr_lang::language_of(path) })
        };
        for entry in &overlay.entries {
            let wanted = match entry.state {
                OverlayState::Present { blob, bytes_total } => {
                    uncommitted.worktree.insert(blob, entry.path.clone());
                    sizes.insert(blob, bytes_total);
                    member(&entry.path, blob)
                }
                OverlayState::Deleted => None,
            };
            changes.insert(entry.path.clone(), wanted);
        }
        for (path, content) in *laid {
            let mut wanted = None;
            if let Some(bytes) = content {
                let blob = engine.repository.blob_id_of(bytes)?;
                uncommitted.laid.insert(blob, Arc::clone(bytes));
                sizes.insert(blob, bytes.len() as u64);
                wanted = member(path, blob);
            }
            changes.insert(path.clone(), wanted);
        }
        let dirty = overlay.entries.len() as u64;
        let wanted = changes.values().filter_map(|wanted| *wanted);
        let (mut rows, missing) = icr_compute::resolve(&ledger, &engine.shape, wanted)?;
        let (in_memory, left) = share_for_memory(engine, missing, &sizes);
        if !left.is_empty() {
            let left: HashSet<Wanted> = left.into_iter().collect();
            unindexed_files += changes.values().flatten().filter(|wanted| left.contains(wanted)).count() as u64;
        }
        if unindexed_files > 0 {
            gaps.insert(Gap::Unindexed { files: unindexed_files });
        }
        let mut numbers = HashMap::new();
        let mut new_paths = Vec::new();
        for (path, wanted) in &changes {
            match ledger.path_no(path)? {
                Some(path_no) => {
                    let tokens = ledger.path(path_no)?.map_or(0, |(_, tokens)| tokens);
                    numbers.insert(path.clone(), (path_no, tokens));
                }
                None if wanted.is_some_and(|wanted| rows.contains_key(&wanted) || in_memory.contains(&wanted)) => {
                    new_paths.push(path.clone());
                }
                None => {}
            }
        }
        let source = LayeredContents { engine, uncommitted: &uncommitted };
        let transient = Transient::build(&in_memory, &source, &engine.shape, &new_paths)?;
        if transient.missing > 0 {
            gaps.insert(Gap::MissingObject { objects: transient.missing });
        }
        rows.extend(transient.rows.iter().map(|(wanted, row)| (*wanted, row.clone())));
        for (at, (path, tokens)) in transient.paths.iter().enumerate() {
            numbers.insert(path.clone(), (PathNo(PathNo::FIRST_IN_MEMORY + at as u32), *tokens));
        }
        let base = base.map(Contents::from).unwrap_or_default();
        let resolved = changes.iter().filter_map(|(path, wanted)| {
            let (path_no, path_tokens) = *numbers.get(path)?;
            let row = wanted.and_then(|wanted| rows.get(&wanted)).cloned();
            let relevant = row.is_some() || base.manifest.blob_at(path_no).is_some();
            relevant.then_some(Change { path_no, path_tokens, row })
        });
        let resolved: Vec<Change> = resolved.collect();
        let contents = base.with_changes(resolved, |blob_no| listed_row(&ledger, blob_no))?;
        oversize_files += contents.totals.oversize_files;
        if oversize_files > 0 {
            gaps.insert(Gap::Oversize { files: oversize_files });
        }
        let reader = match &transient.index {
            Some(index) => opened.reader.with_memory(index)?,
            None => opened.reader.clone(),
        };
        drop(ledger);
        let provenance = Provenance {
            repo_id: engine.repo_id.clone(),
            tree: Some(revision.tree.to_string()),
            commit: revision.commit.map(|commit| commit.to_string()),
            dirty,
            gaps: gaps.into_iter().collect(),
        };
        Ok(Self {
            engine: engine.clone(),
            revision: revision.clone(),
            opened: opened.clone(),
            ledger: Arc::clone(&opened.ledger),
            reader,
            contents: Arc::new(contents),
            transient: Arc::new(transient),
            uncommitted: Arc::new(uncommitted),
            overlay: Arc::clone(overlay),
            standing: None,
            provenance,
            name: name.clone(),
            facts: RefCell::default(),
            known: OnceCell::new(),
            graph: OnceCell::new(),
            chunks: OnceCell::new(),
            paths: OnceCell::new(),
            messages: OnceCell::new(),
            reading: OnceCell::new(),
        })
    }

    /// Another view of the moment of this one.
    pub(crate) fn beside(&self, layers: &Layers<'_>) -> Result<Self, Error> {
        let beside = Self::of(&self.engine, &self.opened, layers)?;
        let _ = beside.known.set(Arc::clone(self.known()));
        Ok(beside)
    }

    pub(crate) fn known(&self) -> &Arc<Known> {
        self.known.get_or_init(Arc::default)
    }

    /// Where the answers of this snapshot come from, and what they lack.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Adds to what the answers of this snapshot lack.
    pub(crate) fn lacks(&mut self, gap: Gap) {
        self.provenance.gaps.push(gap);
        self.provenance.gaps.sort();
    }

    /// What the view is called: `worktree` or the revision as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of files in the view.
    pub fn files_total(&self) -> u64 {
        self.contents.manifest.entries().len() as u64
    }

    /// Number of chunks in the view.
    pub fn chunks_total(&self) -> u64 {
        self.contents.live_chunks.len()
    }

    /// Everything the view says. Reads all its facts; for comparing stores.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn dump(&self) -> Result<Dump, Error> {
        let (mut files, mut vectors) = (BTreeMap::new(), BTreeMap::new());
        for file in self.files()? {
            let facts = self.facts(file.row.blob_no)?;
            vectors.insert(file.path.to_string(), self.vectors_of(&file.row)?);
            let BlobRow { blob_id, bytes_total, chunk_count, tokens, .. } = file.row;
            files.insert(
                file.path.to_string(),
                format!("{blob_id} {bytes_total} bytes, {chunk_count} chunks, tokens {tokens:?}, {facts:?}"),
            );
        }
        let totals = format!(
            "{:?} {:?} live chunks {}",
            self.contents.totals,
            self.provenance.gaps,
            self.contents.live_chunks.len()
        );
        Ok(Dump { files, vectors, totals })
    }

    /// A digest of what the built-in model makes of the chunks of a blob, and how many have a vector.
    fn vectors_of(&self, row: &BlobRow) -> Result<String, Error> {
        let Some(QuickSpaces { chunks: space, files }) = self.engine.models.quick_spaces() else {
            return Ok("none".to_owned());
        };
        let (mut digest, mut covered) = (Digest64::default(), 0);
        // A blob without chunks has no vector, and no number of its own to look for one.
        if row.chunk_count > 0 {
            for component in self.vectors()?.windows(files.recipe, row.chunk_first)?.iter().flatten() {
                digest = digest.with(&component.to_le_bytes());
            }
        }
        for ordinal in 0..row.chunk_count {
            let windows = self.vectors()?.windows(space.recipe, ChunkNo(row.chunk_first.0 + ordinal))?;
            covered += u32::from(!windows.is_empty());
            for component in windows.iter().flatten() {
                digest = digest.with(&component.to_le_bytes());
            }
        }
        Ok(format!("{covered} of {}, {:016x}", row.chunk_count, digest.finish()))
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn totals(&self) -> &icr_store::Totals {
        &self.contents.totals
    }

    /// The postings of the view's chunks. Finding out which documents these are takes a pass over all, so it is done once.
    pub(crate) fn live_chunks(&self) -> Result<&LiveChunks, Error> {
        if let Some(chunks) = self.chunks.get() {
            return Ok(chunks);
        }
        let statistics = Statistics { documents: self.contents.live_chunks.len(), tokens: self.contents.totals.tokens };
        let chunks = self.reader.live_chunks(&self.contents.live_chunks, statistics)?;
        Ok(self.chunks.get_or_init(|| chunks))
    }

    /// The postings of the view's paths, found out once.
    pub(crate) fn live_paths(&self) -> Result<&LivePaths, Error> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let entries = self.contents.manifest.entries();
        let live = LiveSet::from_numbers(entries.iter().map(|entry| entry.path_no.0));
        let statistics = PathStatistics { documents: entries.len() as u64, tokens: self.contents.totals.path_tokens };
        let paths = self.reader.live_paths(&live, statistics)?;
        Ok(self.paths.get_or_init(|| paths))
    }

    /// All files of the view, in order of their paths.
    pub(crate) fn files(&self) -> Result<Vec<File>, Error> {
        Ok(self.numbered_files()?.into_iter().map(|(_, path, row)| File { path, row }).collect())
    }

    /// The paths of all files of the view, in no order.
    pub(crate) fn paths(&self) -> Result<Vec<RepoPath>, Error> {
        let entries = self.contents.manifest.entries();
        let mut paths = Vec::with_capacity(entries.len());
        self.ledger().paths(|path_no, path| {
            if self.contents.manifest.blob_at(path_no).is_some() {
                paths.push(path);
            }
        })?;
        for entry in entries.iter().filter(|entry| entry.path_no.is_in_memory()) {
            paths.push(self.path(entry.path_no)?);
        }
        Ok(paths)
    }

    /// All files of the view with the numbers of their paths, in order of the paths.
    pub(crate) fn numbered_files(&self) -> Result<Vec<(PathNo, RepoPath, BlobRow)>, Error> {
        let mut paths = HashMap::with_capacity(self.contents.manifest.entries().len());
        self.ledger().paths(|path_no, path| drop(paths.insert(path_no, path)))?;
        let mut rows = HashMap::new();
        self.ledger().blob_rows(|row| {
            rows.insert(row.blob_no, row);
        })?;
        rows.extend(self.transient.rows.values().map(|row| (row.blob_no, row.clone())));
        let mut files = Vec::with_capacity(paths.len());
        for entry in self.contents.manifest.entries() {
            let path = match paths.get(&entry.path_no) {
                Some(path) => path.clone(),
                None => self.path(entry.path_no)?,
            };
            let row =
                rows.get(&entry.blob_no).cloned().ok_or_else(|| self.contradiction("a file has no listed blob"))?;
            files.push((entry.path_no, path, row));
        }
        files.sort_by(|a, b| a.1.cmp(&b.1));
        Ok(files)
    }

    /// The file at `path`; `None` when the view has none.
    pub(crate) fn file(&self, path: &RepoPath) -> Result<Option<File>, Error> {
        let in_memory = || self.transient.paths.iter().position(|(other, _)| other == path);
        let path_no = match self.ledger().path_no(path)? {
            Some(path_no) => Some(path_no),
            None => in_memory().map(|at| PathNo(PathNo::FIRST_IN_MEMORY + at as u32)),
        };
        let Some(blob_no) = path_no.and_then(|path_no| self.contents.manifest.blob_at(path_no)) else {
            return Ok(None);
        };
        Ok(Some(File { path: path.clone(), row: self.row(blob_no)? }))
    }

    /// The text of the file at `path`, as git would store it; `None` when the view has no such file or it has no text.
    pub(crate) fn text_at(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = self.file(path)? else { return Ok(None) };
        if file.row.content != Content::Text {
            return Ok(None);
        }
        let mut text = Vec::new();
        self.texts().read(&file.row, &mut text)?;
        Ok(Some(text))
    }

    pub(crate) fn path(&self, path_no: PathNo) -> Result<RepoPath, Error> {
        Ok(self.place(path_no)?.path.clone())
    }

    /// A path with what it says.
    pub(crate) fn place(&self, path_no: PathNo) -> Result<Arc<PathFacts>, Error> {
        if path_no.is_in_memory() {
            let (path, _) = &self.transient.paths[(path_no.0 - PathNo::FIRST_IN_MEMORY) as usize];
            return Ok(Arc::new(PathFacts::new(path.clone())));
        }
        self.known().place(path_no, || {
            let path = self.ledger().path(path_no)?;
            path.map(|(path, _)| path).ok_or_else(|| self.contradiction("a file has no listed path"))
        })
    }

    pub(crate) fn row(&self, blob_no: BlobNo) -> Result<BlobRow, Error> {
        if blob_no.is_in_memory() {
            let row = self.transient.rows.values().find(|row| row.blob_no == blob_no);
            return Ok(row.expect("numbers in memory come from the index in memory").clone());
        }
        self.known().row(blob_no, || listed_row(&self.ledger(), blob_no))
    }

    /// What a blob of the view says; decoded once for each snapshot.
    pub(crate) fn facts(&self, blob_no: BlobNo) -> Result<Rc<Facts>, Error> {
        if let Some(facts) = self.facts.borrow().get(&blob_no) {
            return Ok(Rc::clone(facts));
        }
        self.engine.deadline.check()?;
        let facts = match self.transient.facts.get(&blob_no) {
            Some(facts) => facts.clone(),
            None => self.ledger().facts(blob_no)?.ok_or_else(|| self.contradiction("a listed blob has no facts"))?,
        };
        let facts = Rc::new(facts);
        self.facts.borrow_mut().insert(blob_no, Rc::clone(&facts));
        Ok(facts)
    }

    /// Paths of the view that have one of `blobs`, those of one blob together and in order of the path.
    pub(crate) fn paths_of(&self, blobs: &FxHashSet<BlobNo>) -> Result<Vec<(BlobNo, PathNo, Arc<PathFacts>)>, Error> {
        let entries = self.contents.manifest.entries().iter().filter(|entry| blobs.contains(&entry.blob_no));
        let places = entries.map(|entry| Ok((entry.blob_no, entry.path_no, self.place(entry.path_no)?)));
        let mut places = places.collect::<Result<Vec<_>, Error>>()?;
        places.sort_by(|a, b| (a.0, &a.2.path).cmp(&(b.0, &b.2.path)));
        Ok(places)
    }

    pub(crate) fn blob_at(&self, path_no: PathNo) -> Option<BlobNo> {
        self.contents.manifest.blob_at(path_no)
    }

    /// A reader of the text of the view's blobs, for one thread.
    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts::new(&self.engine, &self.uncommitted).with_known(self.known())
    }

    /// The vectors of the view's chunks. What is in memory only is read by the built-in model when this is first asked.
    pub(crate) fn vectors(&self) -> Result<&icr_vector::Reader, Error> {
        if let Some(reader) = self.reading.get() {
            return Ok(reader);
        }
        let memory = Arc::new(self.vectors_in_memory()?);
        let reader = match &self.opened.vectors {
            Some(vectors) => vectors.with_memory(memory),
            None => icr_vector::Reader::of_memory(memory),
        };
        Ok(self.reading.get_or_init(|| reader))
    }

    /// The vectors as they lay in the store at the moment of the view; `None` where none were ever made.
    pub(crate) fn stored_vectors(&self) -> Option<&icr_vector::Reader> {
        self.opened.vectors.as_ref()
    }

    /// Runs `make`, which may write vectors, and sees what is there afterwards. What is open meanwhile would keep the file from
    /// growing.
    pub(crate) fn with_vectors_closed<T>(&mut self, make: impl FnOnce(&Self) -> T) -> Result<T, Error> {
        (self.opened.vectors, self.reading) = Default::default();
        let made = make(self);
        self.opened.vectors = vectors_now(&self.engine.place, self.engine.options.embedding.index)?;
        Ok(made)
    }

    /// The view as the query graph reads it.
    pub(crate) fn graph_source(&self) -> Result<ViewSource, Error> {
        Ok(ViewSource {
            engine: self.engine.clone(),
            ledger: Arc::clone(&self.ledger),
            chunks: self.live_chunks()?.clone(),
            paths: self.live_paths()?.clone(),
            contents: Arc::clone(&self.contents),
            transient: Arc::clone(&self.transient),
            uncommitted: Arc::clone(&self.uncommitted),
            memory: Memory::default(),
        })
    }

    pub(crate) fn contradiction(&self, reason: &str) -> Error {
        self.engine.place.damaged(reason).into()
    }
}

/// The ledger, also after a thread panicked that held it: reading leaves nothing half done.
pub(crate) fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn listed_row(ledger: &Ledger, blob_no: BlobNo) -> Result<BlobRow, Error> {
    let row = ledger.blob_row(blob_no)?;
    row.ok_or_else(|| {
        let path = std::path::PathBuf::from("ledger.db");
        icr_store::Error::Damaged { path, reason: format!("blob number {} is not listed", blob_no.0) }.into()
    })
}

/// Which of `missing` to index in memory (uncommitted content first), and which to leave.
fn share_for_memory(engine: &Engine, missing: Vec<Wanted>, sizes: &HashMap<BlobId, u64>) -> (Vec<Wanted>, Vec<Wanted>) {
    let reader = engine.repository.reader();
    let (first, then): (Vec<_>, Vec<_>) = missing.into_iter().partition(|wanted| sizes.contains_key(&wanted.blob_id));
    let max_bytes = engine.shape.policy().max_file_bytes();
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    let mut bytes_total = 0;
    for wanted in first.into_iter().chain(then) {
        if taken.len() == BLOBS_IN_MEMORY || bytes_total >= BYTES_IN_MEMORY {
            left.push(wanted);
            continue;
        }
        let size = sizes.get(&wanted.blob_id).copied().or_else(|| reader.size(wanted.blob_id).ok()).unwrap_or_default();
        bytes_total += if size > max_bytes { 0 } else { size };
        taken.push(wanted);
    }
    (taken, left)
}

fn view_name(at: &At, revision: &Revision) -> String {
    match (at, &revision.name) {
        (At::Revision(name), _) => format!("`{name}`"),
        (At::Worktree, Some(branch)) => format!("the worktree on `{branch}`"),
        (At::Worktree, None) => "the worktree".to_owned(),
        (At::Head, Some(branch)) => format!("`{branch}`"),
        (At::Head, None) => "HEAD".to_owned(),
    }
}
