//! A view as the query graph reads it: the snapshot's ledger, postings and contents, from any thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use icr_compute::{Contents, Transient, Wanted};
use icr_db::{Content, Source, SourceError};
use icr_lexical::{ChunkRef, DefinitionPattern, LiveChunks, LivePaths};
use icr_model::{BlobNo, DecodeError, Facts, PathNo, RepoPath, Statements};
use icr_store::{BlobRow, Ledger};

use crate::contents::{Texts, Uncommitted};
use crate::snapshot::{listed_row, lock};
use crate::{Engine, Error};

/// Facts kept decoded: what one question goes back and forth between, not what it walks over.
const FACTS_KEPT: usize = 512;

/// What the query graph asks of a view.
pub(crate) struct ViewSource {
    pub(crate) engine: Engine,
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    pub(crate) chunks: LiveChunks,
    pub(crate) paths: LivePaths,
    pub(crate) contents: Arc<Contents>,
    pub(crate) transient: Arc<Transient>,
    pub(crate) uncommitted: Arc<Uncommitted>,
    pub(crate) memory: Memory,
}

/// What was read before.
#[derive(Default)]
pub(crate) struct Memory {
    /// Files by the number of their blob, made when a question first asks who has a blob.
    by_blob: OnceLock<Vec<(BlobNo, PathNo)>>,
    /// All files by path and by name, read when a question is about all of them.
    table: OnceLock<PathTable>,
    numbers: Mutex<HashMap<Content, BlobNo>>,
    facts: Mutex<HashMap<BlobNo, Arc<Facts>>>,
}

/// Every file of the view.
struct PathTable {
    contents: HashMap<RepoPath, Content>,
    paths: HashMap<PathNo, RepoPath>,
    /// By last component in lower case.
    names: HashMap<String, Vec<RepoPath>>,
    directories: HashMap<RepoPath, Vec<RepoPath>>,
}

impl ViewSource {
    /// Reads all paths at once: for questions about all files, which would look up each of them otherwise.
    pub(crate) fn load(&self, files: Vec<(PathNo, RepoPath, BlobRow)>) {
        let mut table = PathTable {
            contents: HashMap::with_capacity(files.len()),
            paths: HashMap::with_capacity(files.len()),
            names: HashMap::new(),
            directories: HashMap::new(),
        };
        let mut numbers = self.memory.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        for (path_no, path, row) in files {
            let content = Content { blob_id: row.blob_id, language: icr_lang::language_of(&path) };
            numbers.insert(content, row.blob_no);
            table.names.entry(lower(path.file_name())).or_default().push(path.clone());
            table.directories.entry(path.directory()).or_default().push(path.clone());
            table.contents.insert(path.clone(), content);
            table.paths.insert(path_no, path);
        }
        drop(numbers);
        table.names.values_mut().chain(table.directories.values_mut()).for_each(|paths| paths.sort_unstable());
        let _ = self.memory.table.set(table);
    }

    fn path_no(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        if let Some(path_no) = lock(&self.ledger).path_no(path)? {
            return Ok(Some(path_no));
        }
        let at = self.transient.paths.iter().position(|(other, _)| other == path);
        Ok(at.map(|at| PathNo(PathNo::FIRST_IN_MEMORY + at as u32)))
    }

    fn path(&self, path_no: PathNo) -> Result<RepoPath, Error> {
        if let Some(path) = self.memory.table.get().and_then(|table| table.paths.get(&path_no)) {
            return Ok(path.clone());
        }
        if path_no.is_in_memory() {
            return Ok(self.transient.paths[(path_no.0 - PathNo::FIRST_IN_MEMORY) as usize].0.clone());
        }
        let path = lock(&self.ledger).path(path_no)?;
        path.map(|(path, _)| path).ok_or_else(|| self.damaged("a file has no listed path"))
    }

    fn row(&self, blob_no: BlobNo) -> Result<BlobRow, Error> {
        if blob_no.is_in_memory() {
            let row = self.transient.rows.values().find(|row| row.blob_no == blob_no);
            return Ok(row.expect("numbers in memory come from the index in memory").clone());
        }
        listed_row(&lock(&self.ledger), blob_no)
    }

    /// The row of a content of this view, also when another source met it first.
    fn row_of(&self, content: Content) -> Result<BlobRow, Error> {
        let known = self.memory.numbers.lock().unwrap_or_else(PoisonError::into_inner).get(&content).copied();
        if let Some(blob_no) = known {
            return self.row(blob_no);
        }
        let wanted = Wanted { blob_id: content.blob_id, language: content.language };
        if let Some(row) = self.transient.rows.get(&wanted) {
            return Ok(row.clone());
        }
        let (mut rows, _) = icr_compute::resolve(&lock(&self.ledger), &self.engine.shape, [wanted])?;
        rows.remove(&wanted).ok_or_else(|| self.damaged("a file of the view has no listed blob"))
    }

    /// Files of the view that have one of the blobs of `chunks`, in order.
    fn files_of(&self, chunks: Vec<ChunkRef>) -> Result<Vec<RepoPath>, SourceError> {
        let mut files = Vec::new();
        for path_no in self.numbers_of(chunks) {
            files.push(self.path(path_no)?);
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Numbers of the files of the view that have one of the blobs of `chunks`.
    fn numbers_of(&self, chunks: Vec<ChunkRef>) -> Vec<PathNo> {
        let by_blob = self.memory.by_blob.get_or_init(|| {
            let entries = self.contents.manifest.entries();
            let mut by_blob: Vec<_> = entries.iter().map(|entry| (entry.blob_no, entry.path_no)).collect();
            by_blob.sort_unstable();
            by_blob
        });
        let mut blobs: Vec<BlobNo> = chunks.into_iter().map(|chunk| chunk.blob_no).collect();
        blobs.sort_unstable();
        blobs.dedup();
        let mut numbers = Vec::with_capacity(blobs.len());
        for blob_no in blobs {
            let first = by_blob.partition_point(|(other, _)| *other < blob_no);
            let of_blob = by_blob[first..].iter().take_while(|(other, _)| *other == blob_no);
            numbers.extend(of_blob.map(|(_, path_no)| *path_no));
        }
        numbers
    }

    /// Those of the files numbered `numbers` that stand in `directory` or below, by reading what stands there when that is
    /// less; in order.
    fn below(&self, mut numbers: Vec<PathNo>, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        /// Paths that are read one by one at once: no more than listing a small directory reads.
        const FEW: usize = 32;
        let mut files = Vec::new();
        if numbers.len() > FEW
            && self.memory.table.get().is_none()
            && let Some(listed) = lock(&self.ledger).paths_below(directory, numbers.len())?
        {
            numbers.sort_unstable();
            let wanted = listed.into_iter().filter(|(number, _)| numbers.binary_search(number).is_ok());
            files.extend(wanted.map(|(_, path)| path));
            // The ledger lists no path that is in memory only.
            numbers.retain(|number| number.is_in_memory());
        }
        for number in numbers {
            files.extend(Some(self.path(number)?).filter(|path| path.is_below(directory.as_bytes())));
        }
        files.sort_unstable();
        Ok(files)
    }

    fn kept_facts(&self, blob_no: BlobNo) -> Option<Arc<Facts>> {
        self.memory.facts.lock().unwrap_or_else(PoisonError::into_inner).get(&blob_no).cloned()
    }

    /// What `decode` makes of the stored facts of a blob.
    fn decoded<T>(&self, blob_no: BlobNo, decode: impl Fn(&[u8]) -> Result<T, DecodeError>) -> Result<T, Error> {
        // A walk over many files is many of these.
        self.engine.deadline.check()?;
        let encoded = lock(&self.ledger).encoded_facts(blob_no)?;
        let encoded = encoded.ok_or_else(|| self.damaged("a listed blob has no facts"))?;
        decode(&encoded).map_err(|error| self.damaged(&error.to_string()))
    }

    fn damaged(&self, reason: &str) -> Error {
        self.engine.place.damaged(reason).into()
    }
}

impl Source for ViewSource {
    fn content(&self, path: &RepoPath) -> Result<Option<Content>, SourceError> {
        if let Some(table) = self.memory.table.get() {
            return Ok(table.contents.get(path).copied());
        }
        let Some(path_no) = self.path_no(path)? else { return Ok(None) };
        let Some(blob_no) = self.contents.manifest.blob_at(path_no) else { return Ok(None) };
        let row = self.row(blob_no)?;
        let content = Content { blob_id: row.blob_id, language: icr_lang::language_of(path) };
        self.memory.numbers.lock().unwrap_or_else(PoisonError::into_inner).insert(content, blob_no);
        Ok(Some(content))
    }

    fn facts(&self, content: Content) -> Result<Arc<Facts>, SourceError> {
        let blob_no = self.row_of(content)?.blob_no;
        if let Some(facts) = self.kept_facts(blob_no) {
            return Ok(facts);
        }
        let facts = match self.transient.facts.get(&blob_no) {
            Some(facts) => Arc::new(facts.clone()),
            None => Arc::new(self.decoded(blob_no, Facts::decode)?),
        };
        let mut kept = self.memory.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= FACTS_KEPT {
            kept.clear();
        }
        kept.insert(blob_no, Arc::clone(&facts));
        Ok(facts)
    }

    fn statements(&self, content: Content) -> Result<Statements, SourceError> {
        let blob_no = self.row_of(content)?.blob_no;
        if let Some(facts) = self.kept_facts(blob_no) {
            return Ok(facts.statements());
        }
        match self.transient.facts.get(&blob_no) {
            Some(facts) => Ok(facts.statements()),
            None => Ok(self.decoded(blob_no, Facts::decode_statements)?),
        }
    }

    fn text(&self, content: Content) -> Result<Option<Arc<[u8]>>, SourceError> {
        let row = self.row_of(content)?;
        if row.content != icr_model::Content::Text {
            return Ok(None);
        }
        let mut text = Vec::new();
        Texts::new(&self.engine, &self.uncommitted).read(&row, &mut text)?;
        Ok(Some(text.into()))
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        if let Some(table) = self.memory.table.get() {
            return Ok(table.directories.get(directory).cloned().unwrap_or_default());
        }
        let listed = lock(&self.ledger).paths_in(directory)?;
        let live = |path_no: PathNo| self.contents.manifest.blob_at(path_no).is_some();
        let mut files: Vec<RepoPath> =
            listed.into_iter().filter(|(path_no, _)| live(*path_no)).map(|(_, path)| path).collect();
        for (at, (path, _)) in self.transient.paths.iter().enumerate() {
            if path.directory() == *directory && live(PathNo(PathNo::FIRST_IN_MEMORY + at as u32)) {
                files.push(path.clone());
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError> {
        let suffix = lower(suffix.as_bytes());
        let ends = |path: &RepoPath| {
            let path = lower(path.as_bytes());
            path.strip_suffix(&suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        if let Some(table) = self.memory.table.get() {
            let name = suffix.rsplit('/').next().unwrap_or_default();
            let named = table.names.get(name).into_iter().flatten();
            return Ok(named.filter(|path| ends(path)).cloned().collect());
        }
        let mut files = Vec::new();
        for path_no in self.paths.with_name(&suffix)? {
            let path = self.path(path_no)?;
            if ends(&path) {
                files.push(path);
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.chunks.with_provides(name)?)
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.chunks.with_requires(key)?)
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.below(self.numbers_of(self.chunks.with_requires(key)?), directory)
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        /// Ways to write one name in other cases; more than anybody has.
        const SPELLINGS: usize = 1_000;
        let spellings = self.chunks.definitions(&DefinitionPattern::Exact(name), SPELLINGS)?;
        let written = spellings.into_iter().find(|definition| definition.name == name);
        self.files_of(written.map(|definition| definition.chunks).unwrap_or_default())
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.chunks.with_identifier(name)?)
    }
}

/// Lower case for comparing file names; what is not UTF-8 is equal to nothing that is.
fn lower(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_lowercase()
}
