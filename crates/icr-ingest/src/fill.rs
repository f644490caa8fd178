//! Embeds chunks that are already listed: those that a slow model has not embedded yet, and those that were indexed
//! without vectors.

use std::collections::BTreeMap;
use std::time::Instant;

use icr_compute::{BlobReadOutcome, BlobSource};
use icr_embed::Embedder;
use icr_model::{BlobNo, ChunkNo, Facts, LiveSet, PathNo, RecipeBuilder};
use icr_store::{BlobRow, Ledger, ViewManifest};
use icr_vector::{Space, Vectors};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Error, Observer};

/// Number of chunks that are embedded between two checks of the deadline: at most a few seconds of a transformer's
/// work.
const AT_ONCE: usize = 64;

/// A blob some of whose chunks lack a vector.
#[derive(Debug, Clone)]
pub struct UnembeddedBlob {
    /// The blob.
    pub row: BlobRow,
    /// Its chunks without a vector, by their position in the facts.
    pub chunks: Vec<u32>,
}

/// A model, and where to store its vectors.
pub struct FillRequest<'a> {
    /// The vectors of the store.
    pub vectors: &'a Vectors,
    /// The space of the model.
    pub space: Space,
    /// The model.
    pub model: &'a dyn Embedder,
    /// Returns the facts of a blob; `None` if it was garbage-collected meanwhile.
    pub facts: &'a (dyn Fn(BlobNo) -> Result<Option<Facts>, Error> + 'a),
    /// Source of the texts.
    pub source: &'a dyn BlobSource,
    /// Size limit of files in bytes; larger files are not read.
    pub max_bytes: u64,
    /// Number of chunks between two commits, at least 1. A run that is killed loses at most this much work, but each
    /// commit rewrites the blocks of its chunks.
    pub chunks_at_once: usize,
    /// When to stop. Finished work is kept, and a batch that has begun is completed.
    pub deadline: Option<Instant>,
    /// Receives the progress.
    pub observer: &'a dyn Observer,
}

/// The result of embedding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FillReport {
    /// Number of chunks that the model embedded.
    pub embedded: u64,
    /// Number of chunks whose vectors were copied from a chunk with the same text.
    pub copied: u64,
    /// Number of chunks that still have no vector.
    pub left: u64,
    /// Elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// Embeds the chunks of `unread`, in this order, until all have vectors or the deadline comes, and adds the counts to
/// `report`. Takes no lock of the store: a chunk that is garbage-collected meanwhile gets vectors under a number that
/// is not listed, which garbage collection deletes.
///
/// # Errors
///
/// Errors of the model, of reading texts and of the vectors. Vectors that were committed before the error are kept, and
/// are counted in the report.
pub fn fill(request: &FillRequest<'_>, unread: &[UnembeddedBlob], report: &mut FillReport) -> Result<(), Error> {
    let started = Instant::now();
    let total: u64 = unread.iter().map(|blob| blob.chunks.len() as u64).sum();
    report.left += total;
    let filled = fill_all(request, unread, total, report);
    report.elapsed_ms += u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    // A progress display ends at `total`.
    request.observer.filling(total, total);
    filled
}

fn fill_all(
    request: &FillRequest<'_>,
    unread: &[UnembeddedBlob],
    total: u64,
    report: &mut FillReport,
) -> Result<(), Error> {
    let is_overdue = || request.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let mut filling = Filling { request, read: Vec::new(), made: BTreeMap::new(), new: 0 };
    let mut pending: Vec<Pending> = Vec::new();
    let mut reader = request.source.reader();
    let mut text = Vec::new();
    let mut done = 0;
    for blob in unread {
        if is_overdue() {
            return filling.commit(report);
        }
        let outcome = reader.read(&blob.row.blob_id, request.max_bytes, &mut text)?;
        if !matches!(outcome, BlobReadOutcome::Read) {
            continue;
        }
        let Some(facts) = (request.facts)(blob.row.blob_no)? else { continue };
        for ordinal in &blob.chunks {
            let Some(chunk) = facts.chunks.get(*ordinal as usize) else { continue };
            let bytes = chunk.span.of(&text);
            pending.push(Pending {
                chunk_no: ChunkNo(blob.row.chunk_first.0 + ordinal),
                content: content_of(bytes),
                text: String::from_utf8_lossy(bytes).into_owned(),
            });
        }
        while pending.len() >= AT_ONCE {
            if is_overdue() {
                return filling.commit(report);
            }
            request.observer.filling(done, total);
            let rest = pending.split_off(AT_ONCE);
            let batch = std::mem::replace(&mut pending, rest);
            done += batch.len() as u64;
            filling.read(batch, report)?;
        }
    }
    if !is_overdue() {
        request.observer.filling(done, total);
        filling.read(pending, report)?;
    }
    filling.commit(report)
}

/// The blobs of a view with chunks among `lacking`, ordered by number, each with its paths in the order of their
/// numbers.
///
/// # Errors
///
/// Errors of the ledger.
pub fn unread_blobs(
    ledger: &Ledger,
    manifest: &ViewManifest,
    lacking: &LiveSet,
) -> Result<Vec<(UnembeddedBlob, Vec<PathNo>)>, Error> {
    let mut paths: BTreeMap<BlobNo, Vec<PathNo>> = BTreeMap::new();
    for entry in manifest.entries().iter().filter(|entry| !entry.blob_no.is_in_memory()) {
        paths.entry(entry.blob_no).or_default().push(entry.path_no);
    }
    let mut unread = Vec::new();
    for (blob_no, paths) in paths {
        let Some(row) = ledger.blob_row(blob_no)? else { continue };
        let is_lacking = |ordinal: &u32| lacking.contains(row.chunk_first.0 + ordinal);
        let chunks: Vec<u32> = (0..row.chunk_count).filter(is_lacking).collect();
        if !chunks.is_empty() {
            unread.push((UnembeddedBlob { row, chunks }, paths));
        }
    }
    Ok(unread)
}

/// The facts of a listed blob; `None` if it was garbage-collected meanwhile.
///
/// # Errors
///
/// [`icr_store::Error::Damaged`] for a blob that is listed without facts; other errors of the ledger.
pub fn facts_of(ledger: &Ledger, blob_no: BlobNo) -> Result<Option<Facts>, Error> {
    match ledger.facts(blob_no)? {
        Some(facts) => Ok(Some(facts)),
        None if ledger.blob_row(blob_no)?.is_none() => Ok(None),
        None => Err(ledger.damage_error("a listed blob has no facts").into()),
    }
}

/// The digest of a text, which identifies it among the vectors of one space.
pub(crate) fn content_of(text: &[u8]) -> u128 {
    RecipeBuilder::default().with("text", text).build().0
}

/// A chunk that is to be embedded.
struct Pending {
    chunk_no: ChunkNo,
    content: u128,
    text: String,
}

/// Embedded chunks that are not written yet.
struct Filling<'r> {
    request: &'r FillRequest<'r>,
    /// Chunks with the digests of their texts, whose vectors have been computed.
    read: Vec<(ChunkNo, u128)>,
    made: BTreeMap<u128, Vec<Vec<f32>>>,
    /// Number of these chunks that the model embedded.
    new: u64,
}

impl Filling<'_> {
    /// Embeds the texts that are new to the model, on all threads. Commits once there are enough chunks, or when the
    /// model fails.
    fn read(&mut self, pending: Vec<Pending>, report: &mut FillReport) -> Result<(), Error> {
        if let Err(error) = self.make(&pending) {
            self.commit(report)?;
            return Err(error);
        }
        self.read.extend(pending.into_iter().map(|chunk| (chunk.chunk_no, chunk.content)));
        if self.read.len() >= self.request.chunks_at_once.max(1) { self.commit(report) } else { Ok(()) }
    }

    /// Computes the vectors of `pending` that do not exist yet: all of them, or none on an error.
    fn make(&mut self, pending: &[Pending]) -> Result<(), Error> {
        let (vectors, recipe, model) = (self.request.vectors, self.request.space.recipe, self.request.model);
        let known = vectors.reader(None)?;
        let mut made: BTreeMap<u128, Vec<Vec<f32>>> = BTreeMap::new();
        let mut new: BTreeMap<u128, &str> = BTreeMap::new();
        for chunk in pending.iter().filter(|chunk| !self.made.contains_key(&chunk.content)) {
            match known.chunk_with(recipe, chunk.content)? {
                Some(same) => drop(made.insert(chunk.content, known.windows(recipe, same)?)),
                None => drop(new.insert(chunk.content, &chunk.text)),
            }
        }
        drop(known);
        let new: Vec<(u128, &str)> = new.into_iter().collect();
        let share = new.len().div_ceil(rayon::current_num_threads());
        let read: Vec<Vec<(u128, Vec<Vec<f32>>)>> = new
            .par_chunks(share.min(model.passages_at_once()).max(1))
            .map(|texts| {
                let given: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
                let vectors = model.passages(&given)?;
                Ok(texts.iter().map(|(content, _)| *content).zip(vectors).collect())
            })
            .collect::<Result<_, Error>>()?;
        made.extend(read.into_iter().flatten());
        self.new += new.len() as u64;
        self.made.append(&mut made);
        Ok(())
    }

    /// Commits all computed vectors in one transaction.
    fn commit(&mut self, report: &mut FillReport) -> Result<(), Error> {
        if self.read.is_empty() {
            return Ok(());
        }
        let vectors = self.request.vectors;
        let mut writer = vectors.writer()?;
        for (chunk_no, content) in &self.read {
            let windows: Vec<&[f32]> = self.made[content].iter().map(Vec::as_slice).collect();
            writer.write_chunk(&self.request.space, *chunk_no, *content, &windows)?;
        }
        writer.commit(vectors.mark()?)?;
        let written = self.read.len() as u64;
        report.embedded += self.new;
        report.copied += written - self.new;
        report.left -= written;
        self.read.clear();
        self.made.clear();
        self.new = 0;
        Ok(())
    }
}
