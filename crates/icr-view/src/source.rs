//! Makes a view readable for the query graph, from any thread.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard};

use icr_compute::WantedBlob;
use icr_db::{SourceError, ViewBlob, ViewSource};
use icr_lexical::{ChunkRef, DefinitionPattern};
use icr_model::{BlobNo, Facts, PathNo, RepoPath, Statements, even_after_panic};
use icr_store::BlobRow;

use crate::{Error, View};

/// A table of all files of the view.
pub(crate) struct PathTable {
    contents: HashMap<RepoPath, ViewBlob>,
    paths: HashMap<PathNo, RepoPath>,
    /// Paths by their last component in lower case.
    names: HashMap<String, Vec<RepoPath>>,
    directories: HashMap<RepoPath, Vec<RepoPath>>,
}

impl View {
    /// Reads all paths at once and returns them in order. For questions about all files, which would otherwise look up
    /// each path.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn load_paths(&self) -> Result<Vec<RepoPath>, Error> {
        let files = self.numbered_files()?;
        let paths = files.iter().map(|(_, path, _)| path.clone()).collect();
        if self.lookups.table.get().is_none() {
            let _ = self.lookups.table.set(self.path_table(files));
        }
        Ok(paths)
    }

    fn path_table(&self, files: Vec<(PathNo, RepoPath, BlobRow)>) -> PathTable {
        let mut table = PathTable {
            contents: HashMap::with_capacity(files.len()),
            paths: HashMap::with_capacity(files.len()),
            names: HashMap::new(),
            directories: HashMap::new(),
        };
        let mut numbers = self.numbers();
        for (path_no, path, row) in files {
            let content = ViewBlob { blob_id: row.blob_id, language: icr_lang::language_of(&path) };
            numbers.insert(content, row.blob_no);
            table.names.entry(lower(path.file_name())).or_default().push(path.clone());
            table.directories.entry(path.directory()).or_default().push(path.clone());
            table.contents.insert(path.clone(), content);
            table.paths.insert(path_no, path);
        }
        drop(numbers);
        table.names.values_mut().chain(table.directories.values_mut()).for_each(|paths| paths.sort_unstable());
        table
    }

    fn numbers(&self) -> MutexGuard<'_, HashMap<ViewBlob, BlobNo>> {
        even_after_panic(self.lookups.numbers.lock())
    }

    /// The path of a number, from the table of all paths if that is loaded.
    fn tabled_path(&self, path_no: PathNo) -> Result<RepoPath, Error> {
        match self.lookups.table.get().and_then(|table| table.paths.get(&path_no)) {
            Some(path) => Ok(path.clone()),
            None => self.path(path_no),
        }
    }

    /// The row of a blob of this view, also when another source resolved it first.
    fn row_of(&self, content: ViewBlob) -> Result<BlobRow, Error> {
        let known = self.numbers().get(&content).copied();
        if let Some(blob_no) = known {
            return self.row(blob_no);
        }
        let wanted = WantedBlob { blob_id: content.blob_id, language: content.language };
        if let Some(row) = self.transient.rows.get(&wanted) {
            return Ok(row.clone());
        }
        self.look_ups().row_of(wanted)?.ok_or_else(|| self.contradiction("a file of the view has no listed blob"))
    }

    /// Files of the view that have one of the blobs of `chunks`, in order.
    fn files_of(&self, chunks: Vec<ChunkRef>) -> Result<Vec<RepoPath>, SourceError> {
        let mut files = Vec::new();
        for path_no in self.numbers_of(chunks) {
            files.push(self.tabled_path(path_no)?);
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Numbers of the files of the view that have one of the blobs of `chunks`.
    fn numbers_of(&self, chunks: Vec<ChunkRef>) -> Vec<PathNo> {
        let by_blob = self.lookups.by_blob.get_or_init(|| {
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

    /// Those of the files `numbers` that lie in `directory` or below, in order. Lists the directory when that reads
    /// less.
    fn below(&self, mut numbers: Vec<PathNo>, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        /// Up to this number, paths are read one by one: no more work than listing a small directory.
        const FEW: usize = 32;
        let mut files = Vec::new();
        if numbers.len() > FEW
            && self.lookups.table.get().is_none()
            && let Some(listed) = self.ledger().paths_below(directory, numbers.len())?
        {
            numbers.sort_unstable();
            let wanted = listed.into_iter().filter(|(number, _)| numbers.binary_search(number).is_ok());
            files.extend(wanted.map(|(_, path)| path));
            // The ledger does not list paths that are only in memory.
            numbers.retain(|number| number.is_in_memory());
        }
        for number in numbers {
            files.extend(Some(self.tabled_path(number)?).filter(|path| path.is_below(directory.as_bytes())));
        }
        files.sort_unstable();
        Ok(files)
    }
}

impl ViewSource for View {
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError> {
        if let Some(table) = self.lookups.table.get() {
            return Ok(table.contents.get(path).copied());
        }
        let Some(path_no) = self.path_no(path)? else { return Ok(None) };
        let Some(blob_no) = self.contents.manifest.blob_at(path_no) else { return Ok(None) };
        let row = self.row(blob_no)?;
        let content = ViewBlob { blob_id: row.blob_id, language: icr_lang::language_of(path) };
        self.numbers().insert(content, blob_no);
        Ok(Some(content))
    }

    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError> {
        Ok(View::facts(self, self.row_of(content)?.blob_no)?)
    }

    fn statements(&self, content: ViewBlob) -> Result<Statements, SourceError> {
        let blob_no = self.row_of(content)?.blob_no;
        if let Some(facts) = self.transient.facts.get(&blob_no) {
            return Ok(facts.statements());
        }
        if let Some(facts) = self.cache.kept_facts(blob_no) {
            return Ok(facts.statements());
        }
        let encoded = self.encoded_facts(blob_no)?;
        Ok(Facts::decode_statements(&encoded).map_err(|error| self.contradiction(&error.to_string()))?)
    }

    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError> {
        let row = self.row_of(content)?;
        if row.content != icr_model::ContentKind::Text {
            return Ok(None);
        }
        let mut text = Vec::new();
        self.texts().read(&row, &mut text)?;
        Ok(Some(text.into()))
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        if let Some(table) = self.lookups.table.get() {
            return Ok(table.directories.get(directory).cloned().unwrap_or_default());
        }
        let listed = self.ledger().paths_in(directory)?;
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
        if let Some(table) = self.lookups.table.get() {
            let name = suffix.rsplit('/').next().unwrap_or_default();
            let named = table.names.get(name).into_iter().flatten();
            return Ok(named.filter(|path| ends(path)).cloned().collect());
        }
        let mut files = Vec::new();
        for path_no in self.live_paths()?.with_name(&suffix)? {
            let path = self.tabled_path(path_no)?;
            if ends(&path) {
                files.push(path);
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.live_chunks()?.with_provides(name)?)
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.live_chunks()?.with_requires(key)?)
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.below(self.numbers_of(self.live_chunks()?.with_requires(key)?), directory)
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        /// Most case variants of one name that are tried; more than any name has.
        const SPELLINGS: usize = 1_000;
        let spellings = self.live_chunks()?.definitions(&DefinitionPattern::Exact(name), SPELLINGS)?;
        let written = spellings.into_iter().find(|definition| definition.name == name);
        self.files_of(written.map(|definition| definition.chunks).unwrap_or_default())
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.files_of(self.live_chunks()?.with_identifier(name)?)
    }
}

/// Lower case for comparing file names. A name that is not UTF-8 equals no name that is.
fn lower(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_lowercase()
}
