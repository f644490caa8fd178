//! How much there is of everything.

use crate::status::status;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::{Moment, live_pins};
use crate::{Error, Snapshot};

/// How much is indexed of a view and kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoryStats {
    /// Id of the repository.
    pub repo_id: String,
    /// Files of the view.
    pub files_indexed: u64,
    /// Chunks of the view; files with equal contents share theirs.
    pub chunks_stored: u64,
    /// Chunks of the view that a model in use has embedded; of several models, the one with the most.
    pub vectors_stored: u64,
    /// Definitions of the view with a contract label.
    pub contracts_detected: u64,
    /// Live pins of the clone.
    pub pinned_items: usize,
    /// Bytes on disk.
    pub memory_usage: MemoryUsage,
    /// What the chunks and definitions are; `None` where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<MemoryBreakdown>,
}

/// Bytes on disk of derived data, for all views of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoryUsage {
    /// All but the vectors.
    pub index_size_bytes: u64,
    /// The vectors.
    pub vector_size_bytes: u64,
    /// Both.
    pub total_bytes: u64,
}

/// What a view is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoryBreakdown {
    /// Chunks by language; they add up to [`MemoryStats::chunks_stored`].
    pub by_language: BTreeMap<String, u64>,
    /// Definitions by kind, of every file; they add up to [`crate::IndexStatus::symbols`].
    pub by_type: BTreeMap<&'static str, u64>,
}

/// How much there is of everything. Reads all facts of the view.
///
/// # Errors
///
/// [`Error::Memory`]; those of reading the store.
pub fn memory_stats(snapshot: &Snapshot, include_breakdown: bool, now: Moment) -> Result<MemoryStats, Error> {
    let status = status(snapshot)?;
    let in_use = status.vectors.iter().filter(|space| space.in_use);
    let vector_size_bytes = bytes_in(&snapshot.context.foundation.place.vectors());
    let total_bytes = status.store_bytes.max(vector_size_bytes);
    Ok(MemoryStats {
        repo_id: snapshot.context.foundation.repo_id.clone(),
        files_indexed: status.files_indexed,
        chunks_stored: status.chunks_stored,
        vectors_stored: in_use.map(|space| space.chunks_covered).max().unwrap_or_default(),
        contracts_detected: status.contracts_detected,
        pinned_items: live_pins(snapshot, now)?.len(),
        memory_usage: MemoryUsage { index_size_bytes: total_bytes - vector_size_bytes, vector_size_bytes, total_bytes },
        breakdown: include_breakdown.then(|| breakdown(snapshot)).transpose()?,
    })
}

fn breakdown(snapshot: &Snapshot) -> Result<MemoryBreakdown, Error> {
    let mut breakdown = MemoryBreakdown { by_language: BTreeMap::new(), by_type: BTreeMap::new() };
    let mut counted = HashSet::new();
    for file in snapshot.view.files()? {
        let facts = snapshot.facts(file.row.blob_no)?;
        for symbol in &facts.symbols {
            *breakdown.by_type.entry(symbol.kind.name()).or_default() += 1;
        }
        if file.row.chunk_count > 0 && counted.insert(file.row.blob_no) {
            *breakdown.by_language.entry(facts.language.clone()).or_default() += u64::from(file.row.chunk_count);
        }
    }
    Ok(breakdown)
}

/// Bytes of the files in a directory; none where there is no directory.
fn bytes_in(directory: &Path) -> u64 {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}
