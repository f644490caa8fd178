//! An index in memory, for content that is not in the store.

use std::path::Path;

use icr_model::FieldCounts;
use tantivy::directory::RamDirectory;
use tantivy::{Index, TantivyDocument, TantivyError};

use crate::document::{ChunkDocument, PathDocument, PreparedChunk, PreparedPath};
use crate::error::Error;
use crate::index::settings;
use crate::schema::{Fields, schema, tokenizers};

/// Memory budget in bytes, which sets the initial size of the term table (a third of it, rounded down to a power of
/// two). The table grows with the number of terms. A few changed files have a few thousand terms.
const BUDGET_BYTES: usize = 1 << 20;

/// Path in errors about an index in memory.
pub(crate) const MEMORY: &str = "(memory)";

/// Postings in memory, with the same fields and scores as those on disk. Starts no thread and writes no file.
#[derive(Debug, Clone)]
pub struct MemoryIndex {
    pub(crate) index: Index,
    pub(crate) fields: Fields,
    chunk_tokens: Vec<FieldCounts>,
    path_tokens: Vec<u32>,
}

impl MemoryIndex {
    /// Indexes `chunks` and `paths`. Takes one to two milliseconds for the chunks of a few files, most of it for
    /// setting up one dictionary per field.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when tantivy fails; no content causes that.
    pub fn build(chunks: &[ChunkDocument<'_>], paths: &[PathDocument<'_>]) -> Result<Self, Error> {
        let chunks: Vec<PreparedChunk> = chunks.iter().map(PreparedChunk::new).collect();
        let paths: Vec<PreparedPath> = paths.iter().map(PreparedPath::new).collect();
        Self::of_prepared(chunks, paths)
    }

    /// Like [`MemoryIndex::build`], for prepared postings.
    ///
    /// # Errors
    ///
    /// As for [`MemoryIndex::build`].
    pub fn of_prepared(chunks: Vec<PreparedChunk>, paths: Vec<PreparedPath>) -> Result<Self, Error> {
        let chunk_tokens = chunks.iter().map(PreparedChunk::tokens).collect();
        let path_tokens = paths.iter().map(PreparedPath::tokens).collect();
        let (_, fields) = schema();
        let chunks = chunks.into_iter().map(|chunk| chunk.into_tantivy(&fields));
        let paths = paths.into_iter().map(|path| path.into_tantivy(&fields));
        let index = write(chunks.chain(paths))
            .map_err(|error| Error::from_tantivy(error, Path::new(MEMORY), "indexing in memory"))?;
        Ok(Self { index, fields, chunk_tokens, path_tokens })
    }

    /// Token counts of the chunks, in the order in which they were given.
    pub fn chunk_tokens(&self) -> &[FieldCounts] {
        &self.chunk_tokens
    }

    /// Token counts of the paths, in the order in which they were given.
    pub fn path_tokens(&self) -> &[u32] {
        &self.path_tokens
    }
}

fn write(documents: impl Iterator<Item = TantivyDocument>) -> Result<Index, TantivyError> {
    let (schema, _) = schema();
    let builder = Index::builder().schema(schema).settings(settings()).tokenizers(tokenizers());
    let mut documents = documents.peekable();
    if documents.peek().is_none() {
        return builder.create_in_ram();
    }
    let mut writer = builder.single_segment_index_writer(RamDirectory::create(), BUDGET_BYTES)?;
    documents.try_for_each(|document| writer.add_document(document))?;
    writer.finalize()
}
