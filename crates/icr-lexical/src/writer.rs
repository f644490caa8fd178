//! Writing postings to disk.

use std::path::{Path, PathBuf};

use icr_model::{BlobNo, FieldCounts};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::document::{ChunkDocument, PathDocument, PreparedChunk, PreparedPath};
use crate::error::Error;
use crate::index::HighWaterMark;
use crate::schema::Fields;

/// Least memory per thread that tantivy accepts, in bytes (its `MEMORY_BUDGET_NUM_BYTES_MIN`).
const LEAST_THREAD_BYTES: usize = 15_000_000;

/// Most memory per thread that tantivy accepts, in bytes (its `MEMORY_BUDGET_NUM_BYTES_MAX`, less one).
const MOST_THREAD_BYTES: usize = u32::MAX as usize - 1_000_001;

/// Most indexing threads that tantivy accepts (its `MAX_NUM_THREAD`).
const MOST_THREADS: usize = 8;

/// Share of deleted documents above which a segment is rewritten without them.
const DELETED_SHARE: f32 = 0.3;

/// Settings of a writer; they do not affect the results of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Memory for postings before they are written to disk as a segment, in bytes, for all threads together; raised to
    /// at least 15 MB per thread.
    pub memory_bytes: usize,
    /// Number of indexing threads, 1 to 8; other values are clamped.
    pub threads: usize,
    /// Whether segments are merged.
    pub merging: Merging,
}

impl Default for WriterOptions {
    /// One thread with 64 MB, which makes segments larger than 10,000 chunks, and merging.
    fn default() -> Self {
        Self { memory_bytes: 64 << 20, threads: 1, merging: Merging::InBackground }
    }
}

/// Whether small segments are merged into larger ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// After commits, on threads of the writer; [`LexicalWriter::finish`] waits for them.
    InBackground,
    /// Not by this writer, for a process that must end soon. A later writer merges them.
    Never,
}

/// The only writer of an index. If it is dropped without a commit, the index is unchanged.
///
/// The caller assigns the numbers of documents. The index does not check them: if two documents have the same number,
/// queries find both.
pub struct LexicalWriter {
    path: PathBuf,
    writer: IndexWriter,
    fields: Fields,
}

impl LexicalWriter {
    pub(crate) fn open(path: &Path, index: &Index, fields: Fields, options: WriterOptions) -> Result<Self, Error> {
        let threads = options.threads.clamp(1, MOST_THREADS);
        let thread_bytes = (options.memory_bytes / threads).clamp(LEAST_THREAD_BYTES, MOST_THREAD_BYTES);
        let settings = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(thread_bytes)
            // Merges are limited by the disk rather than by a core; tantivy's default of four threads would outnumber
            // the indexing threads.
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index
            .writer_with_options(settings)
            .map_err(|error| to_lexical_error(error, path, "opening the postings to write"))?;
        match options.merging {
            Merging::InBackground => {
                let mut policy = LogMergePolicy::default();
                policy.set_del_docs_ratio_before_merge(DELETED_SHARE);
                writer.set_merge_policy(Box::new(policy));
            }
            Merging::Never => writer.set_merge_policy(Box::new(NoMergePolicy)),
        }
        Ok(Self { path: path.into(), writer, fields })
    }

    /// Adds a chunk and returns its token counts. [`PreparedChunk::new`] runs on this thread.
    ///
    /// Waits when the indexing threads are 10,000 documents behind.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when an indexing thread could not write; the writer cannot be used any more.
    pub fn add_chunk(&mut self, document: &ChunkDocument<'_>) -> Result<FieldCounts, Error> {
        let prepared = PreparedChunk::new(document);
        let tokens = prepared.tokens();
        self.add_prepared_chunk(prepared)?;
        Ok(tokens)
    }

    /// Adds a chunk with prepared postings.
    ///
    /// # Errors
    ///
    /// As for [`LexicalWriter::add_chunk`].
    pub fn add_prepared_chunk(&mut self, chunk: PreparedChunk) -> Result<(), Error> {
        self.add(chunk.into_tantivy(&self.fields))
    }

    /// Adds a path and returns its token count.
    ///
    /// # Errors
    ///
    /// As for [`LexicalWriter::add_chunk`].
    pub fn add_path(&mut self, document: &PathDocument<'_>) -> Result<u32, Error> {
        let prepared = PreparedPath::new(document);
        let tokens = prepared.tokens();
        self.add(prepared.into_tantivy(&self.fields))?;
        Ok(tokens)
    }

    /// Deletes the chunks of `blobs` that were added before, in this batch or an earlier one.
    pub fn delete_blobs(&mut self, blobs: &[BlobNo]) {
        for blob in blobs {
            self.writer.delete_term(Term::from_field_u64(self.fields.blob_no, u64::from(blob.0)));
        }
    }

    /// Publishes all additions and deletions since the last commit together with `mark`, atomically. Waits for the
    /// disk.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when something could not be written; the index then has the state of the previous commit.
    pub fn commit(&mut self, mark: HighWaterMark) -> Result<(), Error> {
        let committed = self.writer.prepare_commit().and_then(|mut prepared| {
            prepared.set_payload(&mark.payload());
            prepared.commit()
        });
        committed.map(drop).map_err(|error| to_lexical_error(error, &self.path, "committing postings"))
    }

    /// Merges all committed segments into one and removes deleted documents. Rewrites the whole index.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when something could not be written; [`Error::Damaged`] when a segment cannot be read. The
    /// index is then unchanged.
    pub fn merge_all(&mut self) -> Result<(), Error> {
        let doing = "merging postings";
        let failed = |error| to_lexical_error(error, &self.path, doing);
        let metas = self.writer.index().searchable_segment_metas().map_err(failed)?;
        let whole = metas.len() == 1 && metas.iter().all(|meta| !meta.has_deletes());
        if metas.is_empty() || whole {
            return Ok(());
        }
        let segments: Vec<_> = metas.iter().map(tantivy::index::SegmentMeta::id).collect();
        drop(metas);
        self.writer.merge(&segments).wait().map_err(failed)?;
        self.writer.garbage_collect_files().wait().map(drop).map_err(failed)
    }

    /// Waits for merges that commits have started, then unlocks the index. Changes without a commit are lost.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when a thread of the writer failed; earlier commits are safe.
    pub fn finish(self) -> Result<(), Error> {
        self.writer.wait_merging_threads().map_err(|error| to_lexical_error(error, &self.path, "waiting for merges"))
    }

    fn add(&mut self, document: TantivyDocument) -> Result<(), Error> {
        self.writer
            .add_document(document)
            .map(drop)
            .map_err(|error| to_lexical_error(error, &self.path, "adding postings"))
    }
}

fn to_lexical_error(error: TantivyError, path: &Path, doing: &'static str) -> Error {
    Error::from_tantivy(error, path, doing)
}
