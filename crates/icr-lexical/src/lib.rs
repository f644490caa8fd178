//! Postings of blobs: writing in batches, and search in a live set with exact live statistics.
//!
//! One index has two kinds of documents. Chunks are found by their text, definitions, docs and imports; paths are found
//! by their words. Documents do not belong to a view; each query passes the live numbers of a view. tantivy stores the
//! dictionary, the postings, the term frequencies and the field lengths. Scores are computed here, from live documents
//! only and in a fixed order, so they do not depend on any other content of the index, past or present.
//!
//! ```
//! use icr_lexical::{query_terms, ChunkDocument, LexicalReader, MemoryIndex, Statistics};
//! use icr_model::{BlobNo, ChunkNo, LiveSet};
//!
//! let document = ChunkDocument { body: b"fn open_file() {}", ..ChunkDocument::new(ChunkNo(0), BlobNo(0)) };
//! let index = MemoryIndex::build(&[document], &[])?;
//! let statistics = index.chunk_tokens().iter().fold(Statistics::default(), |sum, tokens| sum.with(*tokens));
//! let live = LiveSet::from_numbers([0]);
//! let chunks = LexicalReader::of_memory(&index)?.live_chunks(&live, statistics)?;
//! let hits = chunks.search(&query_terms("openFile"), 10, |score| score.fields.iter().sum::<f64>())?;
//! assert_eq!(hits.chunks[0].chunk_no, ChunkNo(0));
//! # Ok::<(), icr_lexical::Error>(())
//! ```

mod bm25;
mod document;
mod error;
mod index;
mod live_chunks;
mod live_paths;
mod matching;
mod memory;
mod reader;
mod schema;
mod writer;

pub use bm25::{inverse_document_frequency, length_norm, term_score};
pub use document::{ChunkDocument, PathDocument, PreparedChunk, PreparedPath};
pub use error::Error;
pub use icr_words::{identifiers, query_terms, tokens};
pub use index::{HighWaterMark, Lexical};
pub use live_chunks::{
    ChunkHits, ChunkRef, ChunkScore, DefinedName, DefinitionPattern, FieldScores, LiveChunks, Statistics, TextField,
};
pub use live_paths::{LivePaths, PathHits, PathScore, PathStatistics};
pub use matching::TermDocuments;
pub use memory::MemoryIndex;
pub use reader::LexicalReader;
pub use schema::{format, recipe};
pub use writer::{LexicalWriter, Merging, WriterOptions};
