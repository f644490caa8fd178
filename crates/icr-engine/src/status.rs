//! What is indexed.

use crate::vectors::vector_spaces;
use std::collections::BTreeMap;

use icr_model::{ContentKind, Gap, Provenance};
use serde::Serialize;

use crate::{Error, Snapshot, VectorSpace};

/// What is indexed of a view.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct IndexStatus {
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
    /// Files that could not be parsed for the most part, or not in bounded work: they are found by their words, and
    /// only some of their definitions are known. These are mostly minified, generated or hostile files.
    pub unparsed_files: u64,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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

/// Files above the size limit, committed or not.
fn oversize_files(snapshot: &Snapshot) -> u64 {
    let files = |gap: &Gap| if let Gap::Oversize { files } = gap { Some(*files) } else { None };
    snapshot.provenance().gaps.iter().find_map(files).unwrap_or_default()
}

/// What is indexed of this view. Reads all its facts.
///
/// # Errors
///
/// Those of reading the store.
pub fn status(snapshot: &Snapshot) -> Result<IndexStatus, Error> {
    let mut languages: BTreeMap<&str, LanguageCount> = BTreeMap::new();
    let (mut symbols, mut contracts, mut unparsed) = (0, 0, 0);
    let files = snapshot.view.files()?;
    for file in files.iter().filter(|file| file.row.content == ContentKind::Text) {
        let facts = snapshot.facts(file.row.blob_no)?;
        let language = snapshot.language_of(&file.path, file.row.blob_no)?;
        let empty = || LanguageCount { language: language.to_owned(), files: 0, bytes: 0, lines: 0 };
        let count = languages.entry(language).or_insert_with(empty);
        count.files += 1;
        count.bytes += file.row.bytes_total;
        count.lines += u64::from(file.row.lines_total);
        symbols += facts.symbols.len() as u64;
        unparsed += u64::from(facts.error_bytes > facts.bytes_total / 2);
        contracts += facts.symbols.iter().filter(|symbol| symbol.contract.is_some()).count() as u64;
    }
    let mut languages: Vec<LanguageCount> = languages.into_values().collect();
    languages.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.language.cmp(&b.language)));
    Ok(IndexStatus {
        root: snapshot.context.root().display().to_string(),
        store: snapshot.context.store_directory().display().to_string(),
        view: snapshot.name().to_owned(),
        files_indexed: snapshot.files_total(),
        chunks_stored: snapshot.chunks_total(),
        contracts_detected: contracts,
        symbols,
        text_bytes: snapshot.view.totals().text_bytes,
        binary_files: snapshot.view.totals().binary_files,
        oversize_files: oversize_files(snapshot),
        unparsed_files: unparsed,
        store_bytes: snapshot.context.foundation.place.bytes_total(),
        vectors: vector_spaces(snapshot)?,
        languages,
        provenance: snapshot.provenance().clone(),
    })
}
