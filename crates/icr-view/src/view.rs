//! The view and its look-ups.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use icr_compute::{Transient, ViewContents};
use icr_db::ViewBlob as FileContent;
use icr_git::{Overlay, Revision};
use icr_lexical::{LexicalReader, LiveChunks, LivePaths, PathStatistics, Statistics};
use icr_model::{
    BlobNo, ChunkNo, CommitId, ContentKind, Facts, Gap, LiveSet, PathNo, Provenance, Recipe, RepoPath, TreeId,
};
use icr_store::{BlobRow, Ledger, Totals};
use icr_vector::MemoryVectors;
use rustc_hash::FxHashSet;

use crate::cache::PathFacts;
use crate::source::PathTable;
use crate::texts::{Texts, UncommittedContents};
use crate::{Error, Foundation, LedgerLookUps, MemoryBudget, StoreMoment, ViewCache};

/// Identity of a view. Two views with one id have the same files with the same contents, by the same rules, and one
/// history.
///
/// It includes the commit, since two commits of one tree differ in their history, and the shape, since two size limits
/// differ in their members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewId {
    /// The commit whose history the view has; `None` for a tree without one.
    pub commit: Option<CommitId>,
    /// The committed files.
    pub tree: TreeId,
    /// The membership rules and the recipes.
    pub shape: Recipe,
    /// Digest of all paths that are uncommitted or laid on top, with their blobs.
    pub overlay: Recipe,
}

/// The code at one tree with one overlay. Never changes, and writes nothing. A clone shares all large data except the
/// live sets of its postings.
#[derive(Clone)]
pub struct View {
    pub(crate) foundation: Arc<Foundation>,
    pub(crate) id: ViewId,
    pub(crate) revision: Revision,
    pub(crate) name: String,
    pub(crate) moment: StoreMoment,
    /// Postings of the store and of blobs in memory.
    pub(crate) postings: LexicalReader,
    pub(crate) contents: Arc<ViewContents>,
    /// Blobs and paths that the store does not list, indexed in memory.
    pub(crate) transient: Arc<Transient>,
    /// How much it was allowed to index in memory.
    pub(crate) budget: MemoryBudget,
    /// Contents that the object database does not have.
    pub(crate) uncommitted: Arc<UncommittedContents>,
    /// Uncommitted files of the worktree or the index.
    pub(crate) overlay: Arc<Overlay>,
    pub(crate) provenance: Provenance,
    pub(crate) cache: Arc<ViewCache>,
    pub(crate) lookups: Lookups,
}

/// Values computed once for each view, on first use.
#[derive(Clone, Default)]
pub(crate) struct Lookups {
    chunks: OnceLock<LiveChunks>,
    paths: OnceLock<LivePaths>,
    /// Vectors of the store at this moment, together with those in memory.
    pub(crate) vectors: OnceLock<icr_vector::VectorReader>,
    /// Vectors of blobs in memory. They stay when those of the store are closed.
    pub(crate) in_memory: Arc<OnceLock<Arc<MemoryVectors>>>,
    /// Blob and path numbers of all files, sorted by blob.
    pub(crate) by_blob: Arc<OnceLock<Vec<(BlobNo, PathNo)>>>,
    /// All files by path and by name, loaded for questions about all of them.
    pub(crate) table: Arc<OnceLock<PathTable>>,
    /// Numbers of the blobs that the query graph has seen.
    pub(crate) numbers: Arc<Mutex<HashMap<FileContent, BlobNo>>>,
}

/// A file of a view.
#[derive(Debug, Clone)]
pub struct ViewFile {
    /// Its path.
    pub path: RepoPath,
    /// The row of its blob.
    pub row: BlobRow,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("id", &self.id).field("provenance", &self.provenance).finish_non_exhaustive()
    }
}

impl View {
    /// The identity of the view.
    pub fn id(&self) -> ViewId {
        self.id
    }

    /// The commit, and its tree.
    pub fn revision(&self) -> &Revision {
        &self.revision
    }

    /// Name of the view: `worktree` or the revision as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What answers were computed from, and the gaps of the view.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Uncommitted files of the worktree or the index, which replace those of the tree.
    pub fn overlay(&self) -> &Arc<Overlay> {
        &self.overlay
    }

    /// The manifest of files and the totals.
    pub fn contents(&self) -> &Arc<ViewContents> {
        &self.contents
    }

    /// What the store does not list and is indexed in memory.
    pub fn transient(&self) -> &Arc<Transient> {
        &self.transient
    }

    /// How much the view was allowed to index in memory.
    pub fn budget(&self) -> MemoryBudget {
        self.budget
    }

    /// The integers that statistics are made of.
    pub fn totals(&self) -> &Totals {
        &self.contents.totals
    }

    /// The store as the view reads it.
    pub fn moment(&self) -> &StoreMoment {
        &self.moment
    }

    /// The cache shared by the views of this store.
    pub fn cache(&self) -> &Arc<ViewCache> {
        &self.cache
    }

    /// The postings, including those in memory.
    pub fn postings(&self) -> &LexicalReader {
        &self.postings
    }

    /// Look-ups in the ledger at the moment of the view.
    pub fn look_ups(&self) -> LedgerLookUps<'_> {
        LedgerLookUps { ledger: self.ledger(), shape: &self.foundation.shape }
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.moment.ledger()
    }

    /// Number of files in the view.
    pub fn files_total(&self) -> u64 {
        self.contents.manifest.entries().len() as u64
    }

    /// Number of chunks in the view.
    pub fn chunks_total(&self) -> u64 {
        self.contents.live_chunks.len()
    }

    /// Approximate size of the view in bytes, for callers that keep several: its manifest and live set, what is indexed
    /// in memory, the table of paths if loaded, and the ledger's page cache. The cache that views of one store share by
    /// `Arc` does not count.
    pub fn bytes(&self) -> u64 {
        /// Size of a connection with its schema and statements.
        const CONNECTION: u64 = 512 << 10;
        /// Bytes of facts and postings for each byte of text: two to six, as measured on sources of several languages.
        const INDEX_OF_TEXT: u64 = 6;
        /// Size of a path in three maps, with its directory and its name.
        const TABLED_PATH: u64 = 400;
        let files = self.files_total();
        let in_memory: u64 = self.transient.rows.values().map(|row| row.bytes_total).sum();
        let tabled = if self.lookups.table.get().is_some() { files * TABLED_PATH } else { 0 };
        let place = &self.foundation.place;
        let ledger_file = std::fs::metadata(place.ledger()).map_or(0, |metadata| metadata.len());
        let pages = ledger_file.min(u64::from(place.cache_mb()) << 20);
        CONNECTION + pages + files * 16 + self.chunks_total() / 4 + in_memory * INDEX_OF_TEXT + tabled
    }

    /// The same view with one more gap.
    #[must_use]
    pub fn with_gap(&self, gap: Gap) -> Self {
        let mut view = self.clone();
        view.provenance.gaps.push(gap);
        view.provenance.gaps.sort();
        view
    }

    /// The same view with other vectors of the store; see [`StoreMoment::with_vectors`].
    #[must_use]
    pub fn with_vectors(&self, vectors: Option<icr_vector::VectorReader>) -> Self {
        let mut view = self.clone();
        view.moment = self.moment.with_vectors(vectors);
        view.lookups.vectors = OnceLock::new();
        view
    }

    /// The postings of the view's chunks. Computed once, since it takes a pass over all documents.
    ///
    /// # Errors
    ///
    /// Those of reading the postings.
    pub fn live_chunks(&self) -> Result<&LiveChunks, Error> {
        if let Some(chunks) = self.lookups.chunks.get() {
            return Ok(chunks);
        }
        let statistics = Statistics { documents: self.contents.live_chunks.len(), tokens: self.contents.totals.tokens };
        let chunks = self.postings.live_chunks(&self.contents.live_chunks, statistics)?;
        Ok(self.lookups.chunks.get_or_init(|| chunks))
    }

    /// The postings of the view's paths; computed once.
    ///
    /// # Errors
    ///
    /// Those of reading the postings.
    pub fn live_paths(&self) -> Result<&LivePaths, Error> {
        if let Some(paths) = self.lookups.paths.get() {
            return Ok(paths);
        }
        let entries = self.contents.manifest.entries();
        let live = LiveSet::from_numbers(entries.iter().map(|entry| entry.path_no.0));
        let statistics = PathStatistics { documents: entries.len() as u64, tokens: self.contents.totals.path_tokens };
        let paths = self.postings.live_paths(&live, statistics)?;
        Ok(self.lookups.paths.get_or_init(|| paths))
    }

    /// All files of the view, in order of their paths.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn files(&self) -> Result<Vec<ViewFile>, Error> {
        Ok(self.numbered_files()?.into_iter().map(|(_, path, row)| ViewFile { path, row }).collect())
    }

    /// The paths of all files of the view, in no order.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn paths(&self) -> Result<Vec<RepoPath>, Error> {
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
    ///
    /// # Errors
    ///
    /// Those of reading the store.
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

    /// The number of a path; `None` for one that neither the store nor the view has ever had.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn path_no(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        if let Some(path_no) = self.ledger().path_no(path)? {
            return Ok(Some(path_no));
        }
        let at = self.transient.paths.binary_search_by(|(other, _)| other.cmp(path)).ok();
        Ok(at.map(|at| PathNo(PathNo::FIRST_IN_MEMORY + at as u32)))
    }

    /// The file at `path`; `None` when the view has none.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn file(&self, path: &RepoPath) -> Result<Option<ViewFile>, Error> {
        let Some(blob_no) = self.path_no(path)?.and_then(|path_no| self.blob_at(path_no)) else { return Ok(None) };
        Ok(Some(ViewFile { path: path.clone(), row: self.row(blob_no)? }))
    }

    /// The text of the file at `path`, as git would store it; `None` when the view has no such file or it has no text.
    ///
    /// # Errors
    ///
    /// Those of reading the store and the text.
    pub fn text_at(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = self.file(path)? else { return Ok(None) };
        if file.row.content != ContentKind::Text {
            return Ok(None);
        }
        let mut text = Vec::new();
        self.texts().read(&file.row, &mut text)?;
        Ok(Some(text))
    }

    /// The path of a number.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn path(&self, path_no: PathNo) -> Result<RepoPath, Error> {
        Ok(self.place(path_no)?.path.clone())
    }

    /// A path with the facts derived from it.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn place(&self, path_no: PathNo) -> Result<Arc<PathFacts>, Error> {
        if path_no.is_in_memory() {
            let (path, _) = &self.transient.paths[(path_no.0 - PathNo::FIRST_IN_MEMORY) as usize];
            return Ok(Arc::new(PathFacts::new(path.clone())));
        }
        self.cache.place(path_no, || {
            let path = self.ledger().path(path_no)?;
            path.map(|(path, _)| path).ok_or_else(|| self.contradiction("a file has no listed path"))
        })
    }

    /// The row of a blob.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn row(&self, blob_no: BlobNo) -> Result<BlobRow, Error> {
        if blob_no.is_in_memory() {
            let row = self.transient.rows.values().find(|row| row.blob_no == blob_no);
            return Ok(row.expect("numbers in memory come from the index in memory").clone());
        }
        self.cache.row(blob_no, || listed_row(&self.ledger(), blob_no))
    }

    /// The facts of a blob of the view.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn facts(&self, blob_no: BlobNo) -> Result<Arc<Facts>, Error> {
        if let Some(facts) = self.transient.facts.get(&blob_no) {
            return Ok(Arc::clone(facts));
        }
        self.cache.facts(blob_no, || {
            let encoded = self.encoded_facts(blob_no)?;
            let facts = Facts::decode(&encoded).map_err(|error| self.contradiction(&error.to_string()))?;
            Ok((facts, encoded.len()))
        })
    }

    pub(crate) fn encoded_facts(&self, blob_no: BlobNo) -> Result<Vec<u8>, Error> {
        self.ledger().encoded_facts(blob_no)?.ok_or_else(|| self.contradiction("a listed blob has no facts"))
    }

    /// Paths of the view that have one of `blobs`, grouped by blob and sorted by path.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn paths_of(&self, blobs: &FxHashSet<BlobNo>) -> Result<Vec<(BlobNo, PathNo, Arc<PathFacts>)>, Error> {
        let entries = self.contents.manifest.entries().iter().filter(|entry| blobs.contains(&entry.blob_no));
        let places = entries.map(|entry| Ok((entry.blob_no, entry.path_no, self.place(entry.path_no)?)));
        let mut places = places.collect::<Result<Vec<_>, Error>>()?;
        places.sort_by(|a, b| (a.0, &a.2.path).cmp(&(b.0, &b.2.path)));
        Ok(places)
    }

    /// The blob at a path; `None` when the view has no file there.
    pub fn blob_at(&self, path_no: PathNo) -> Option<BlobNo> {
        self.contents.manifest.blob_at(path_no)
    }

    /// The blob that has `chunk_no`, a chunk of this view.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn blob_of_chunk(&self, chunk_no: ChunkNo) -> Result<BlobNo, Error> {
        let unlisted = || self.contradiction("a live chunk has no listed blob");
        if chunk_no.is_in_memory() {
            let holds =
                |row: &&BlobRow| chunk_no >= row.chunk_first && chunk_no.0 - row.chunk_first.0 < row.chunk_count;
            return self.transient.rows.values().find(holds).map(|row| row.blob_no).ok_or_else(unlisted);
        }
        self.cache.blob_of_chunk(chunk_no, || self.ledger().blob_of_chunk(chunk_no)?.ok_or_else(unlisted))
    }

    /// A reader of the text of the view's blobs, for one thread.
    pub fn texts(&self) -> Texts<'_> {
        Texts::new(&self.foundation.repository, &self.uncommitted, &self.cache)
    }

    /// The store contradicts itself: `reason` says how.
    pub fn contradiction(&self, reason: &str) -> Error {
        self.foundation.place.damage_error(reason).into()
    }
}

pub(crate) fn listed_row(ledger: &Ledger, blob_no: BlobNo) -> Result<BlobRow, Error> {
    let row = ledger.blob_row(blob_no)?;
    row.ok_or_else(|| {
        let path = std::path::PathBuf::from("ledger.db");
        icr_store::Error::Damaged { path, reason: format!("blob number {} is not listed", blob_no.0) }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_a_view() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<Arc<View>>();
    }
}
