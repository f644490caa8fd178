//! What is indexed.

use std::collections::BTreeMap;

use icr_model::{Content, Gap, Provenance};
use serde::Serialize;

use crate::{Error, Snapshot, VectorSpace};

/// What is indexed of a view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Root of the worktree, or the directory of a bare repository.
    pub root: String,
    /// Directory of the store.
    pub store: String,
    /// Branch or revision.
    pub view: String,
    /// Files of the view.
    pub files_indexed: u64,
    /// Chunks of the view.
    pub chunks_stored: u64,
    /// Definitions of the view with a contract label.
    pub contracts_detected: u64,
    /// Definitions of the view.
    pub symbols: u64,
    /// Bytes of the files with text.
    pub text_bytes: u64,
    /// Files without text.
    pub binary_files: u64,
    /// Files above the size limit.
    pub oversize_files: u64,
    /// Bytes of the store, for all its views.
    pub store_bytes: u64,
    /// Vectors by model, those in use first.
    pub vectors: Vec<VectorSpace>,
    /// Files and bytes by language, most bytes first.
    pub languages: Vec<LanguageCount>,
    /// Where this was computed from, and what it lacks.
    #[serde(skip)]
    pub provenance: Provenance,
}

/// Files of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LanguageCount {
    /// Name in the language table.
    pub language: String,
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their lines.
    pub lines: u64,
}

impl Snapshot {
    /// Files above the size limit, committed or not.
    fn oversize_files(&self) -> u64 {
        let files = |gap: &Gap| if let Gap::Oversize { files } = gap { Some(*files) } else { None };
        self.provenance().gaps.iter().find_map(files).unwrap_or_default()
    }

    /// What is indexed of this view. Reads all its facts.
    ///
    /// # Errors
    ///
    /// Those of reading the store.
    pub fn status(&self) -> Result<Status, Error> {
        let mut languages: BTreeMap<&str, LanguageCount> = BTreeMap::new();
        let (mut symbols, mut contracts) = (0, 0);
        let files = self.view.files()?;
        for file in files.iter().filter(|file| file.row.content == Content::Text) {
            let language = icr_lang::language_of(&file.path);
            let empty = || LanguageCount { language: language.to_owned(), files: 0, bytes: 0, lines: 0 };
            let count = languages.entry(language).or_insert_with(empty);
            count.files += 1;
            count.bytes += file.row.bytes_total;
            count.lines += u64::from(file.row.lines_total);
            let facts = self.facts(file.row.blob_no)?;
            symbols += facts.symbols.len() as u64;
            contracts += facts.symbols.iter().filter(|symbol| symbol.contract.is_some()).count() as u64;
        }
        let mut languages: Vec<LanguageCount> = languages.into_values().collect();
        languages.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.language.cmp(&b.language)));
        Ok(Status {
            root: self.engine.root().display().to_string(),
            store: self.engine.store_directory().display().to_string(),
            view: self.name().to_owned(),
            files_indexed: self.files_total(),
            chunks_stored: self.chunks_total(),
            contracts_detected: contracts,
            symbols,
            text_bytes: self.view.totals().text_bytes,
            binary_files: self.view.totals().binary_files,
            oversize_files: self.oversize_files(),
            store_bytes: self.engine.foundation.place.bytes_total(),
            vectors: self.vector_spaces()?,
            languages,
            provenance: self.provenance().clone(),
        })
    }
}
