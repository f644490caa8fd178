//! An index in memory, of content that is not in the store: uncommitted files, and revisions without a published view.

use std::collections::HashMap;
use std::sync::Arc;

use icr_lexical::{MemoryIndex, PathDocument};
use icr_model::{BlobId, BlobNo, ChunkNo, Facts, PathNo, RepoPath};
use icr_store::{BlobRow, RecipeNo};

use crate::{BlobSource, Error, Shape, WantedBlob, compute};

/// Rows, facts and postings with numbers that no store uses; the code, scorer and statistics are the same as on disk.
#[derive(Debug, Default)]
pub struct Transient {
    /// Rows of the blobs that exist.
    pub rows: HashMap<WantedBlob, BlobRow>,
    /// Facts of these blobs.
    pub facts: HashMap<BlobNo, Arc<Facts>>,
    /// Paths with their numbers in memory and their token counts; sorted for binary search.
    pub paths: Vec<(RepoPath, u32)>,
    /// Blobs that could not be read.
    pub missing: Vec<BlobId>,
    /// The postings; `None` if there are no documents.
    pub index: Option<MemoryIndex>,
}

impl Transient {
    /// Indexes `wanted` and `paths` (those without a number in the store, in order).
    ///
    /// # Errors
    ///
    /// Errors of reading blobs and of the postings.
    pub fn build(
        wanted: &[WantedBlob],
        source: &dyn BlobSource,
        shape: &Shape,
        paths: &[RepoPath],
    ) -> Result<Self, Error> {
        let mut transient = Self::default();
        if wanted.is_empty() && paths.is_empty() {
            return Ok(transient);
        }
        let computed = compute(wanted, source, shape)?;
        let missing = computed.iter().filter(|computed| !computed.is_present());
        transient.missing = missing.map(|computed| computed.wanted.blob_id).collect();
        let mut chunk_first = ChunkNo(ChunkNo::FIRST_IN_MEMORY);
        let mut numbered = Vec::with_capacity(computed.len());
        for computed in computed.iter().filter(|computed| computed.is_present()) {
            numbered.push((BlobNo(BlobNo::FIRST_IN_MEMORY + numbered.len() as u32), chunk_first, computed));
            chunk_first = ChunkNo(chunk_first.0 + computed.chunks_total());
        }
        let documents: Vec<_> = numbered
            .iter()
            .flat_map(|(blob_no, chunk_first, computed)| computed.documents(*blob_no, *chunk_first))
            .collect();
        let path_documents: Vec<_> = paths
            .iter()
            .enumerate()
            .map(|(at, path)| PathDocument { path_no: PathNo(PathNo::FIRST_IN_MEMORY + at as u32), path })
            .collect();
        let index = MemoryIndex::build(&documents, &path_documents)?;
        let mut tokens = index.chunk_tokens().iter().copied();
        for (blob_no, chunk_first, computed) in numbered {
            let tokens = tokens.by_ref().take(computed.chunks_total() as usize).sum();
            // Blobs in memory have no recipe row, and this number is never looked up.
            let row = computed.row(blob_no, RecipeNo(u32::MAX), chunk_first, tokens);
            transient.rows.insert(computed.wanted, row);
            let facts = computed.extraction.as_ref().expect("missing objects were left out above").facts.clone();
            transient.facts.insert(blob_no, Arc::new(facts));
        }
        transient.paths = paths.iter().cloned().zip(index.path_tokens().iter().copied()).collect();
        transient.index = Some(index);
        Ok(transient)
    }
}
