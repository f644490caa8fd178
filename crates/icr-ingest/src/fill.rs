//! Vectors for chunks that are listed already: what a slow model has not read yet, and what was indexed without vectors.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use icr_embed::Embedder;
use icr_model::{BlobNo, ChunkNo, Facts, RecipeBuilder};
use icr_store::BlobRow;
use icr_vector::{Space, Vectors};
use rayon::prelude::*;
use serde::Serialize;

use crate::{BlobSource, Error, Observer, Outcome};

/// Texts given to the model between two commits: a run that is killed loses at most this much work.
const CHUNKS_AT_ONCE: usize = 64;

/// A blob some of whose chunks lack a vector.
#[derive(Debug, Clone)]
pub struct Unread {
    /// The blob.
    pub row: BlobRow,
    /// Which of its chunks, by their place in the facts.
    pub chunks: Vec<u32>,
}

/// Who makes vectors, and where they go.
pub struct FillRequest<'a> {
    /// The vectors.
    pub vectors: &'a Vectors,
    /// Those of the model.
    pub space: Space,
    /// The model.
    pub model: &'a dyn Embedder,
    /// What a blob says.
    pub facts: &'a (dyn Fn(BlobNo) -> Result<Facts, Error> + 'a),
    /// Where texts come from.
    pub source: &'a dyn BlobSource,
    /// Files above are not read, in bytes.
    pub max_bytes: u64,
    /// When to stop; what is done stays done.
    pub deadline: Option<Instant>,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

/// What was filled in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FillReport {
    /// Chunks that the model read.
    pub embedded: u64,
    /// Chunks whose vectors were taken over from a chunk of the same text.
    pub copied: u64,
    /// Chunks that still lack a vector.
    pub left: u64,
    /// Milliseconds.
    pub elapsed_ms: u64,
}

/// Gives the chunks of `unread` their vectors, in this order, until all have one or the deadline comes. Takes no lock of the
/// store: what garbage collection forgets meanwhile has vectors under numbers that nothing lists.
///
/// # Errors
///
/// Those of the model, of reading texts and of the vectors; what was committed before one stays.
pub fn fill(request: &FillRequest<'_>, unread: &[Unread]) -> Result<FillReport, Error> {
    let started = Instant::now();
    let total: u64 = unread.iter().map(|blob| blob.chunks.len() as u64).sum();
    let mut report = FillReport { left: total, ..FillReport::default() };
    let mut pending: Vec<Pending> = Vec::new();
    let mut reader = request.source.reader();
    let mut text = Vec::new();
    request.observer.filling(0, total);
    for blob in unread {
        let outcome = reader.read(&blob.row.blob_id, request.max_bytes, &mut text)?;
        if !matches!(outcome, Outcome::Read) {
            continue;
        }
        let facts = (request.facts)(blob.row.blob_no)?;
        for ordinal in &blob.chunks {
            let Some(chunk) = facts.chunks.get(*ordinal as usize) else { continue };
            let bytes = chunk.span.of(&text);
            pending.push(Pending {
                chunk_no: ChunkNo(blob.row.chunk_first.0 + ordinal),
                content: content_of(bytes),
                text: String::from_utf8_lossy(bytes).into_owned(),
            });
        }
        while pending.len() >= CHUNKS_AT_ONCE {
            let rest = pending.split_off(CHUNKS_AT_ONCE);
            write(request, std::mem::replace(&mut pending, rest), &mut report)?;
            request.observer.filling(total - report.left, total);
            if request.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                report.elapsed_ms = elapsed_ms(started.elapsed());
                return Ok(report);
            }
        }
    }
    write(request, pending, &mut report)?;
    request.observer.filling(total, total);
    report.elapsed_ms = elapsed_ms(started.elapsed());
    Ok(report)
}

/// The name of a text among the vectors of one space.
pub(crate) fn content_of(text: &[u8]) -> u128 {
    RecipeBuilder::default().with("text", text).build().0
}

/// A chunk that waits for its vector.
struct Pending {
    chunk_no: ChunkNo,
    content: u128,
    text: String,
}

/// Reads what is new to the model on all threads, then writes all of it in one transaction.
fn write(request: &FillRequest<'_>, pending: Vec<Pending>, report: &mut FillReport) -> Result<(), Error> {
    if pending.is_empty() {
        return Ok(());
    }
    let known = request.vectors.reader(None)?;
    let mut made: BTreeMap<u128, Vec<Vec<f32>>> = BTreeMap::new();
    let mut new: BTreeMap<u128, &str> = BTreeMap::new();
    for chunk in &pending {
        match known.chunk_with(request.space.recipe, chunk.content)? {
            Some(same) => drop(made.insert(chunk.content, known.windows(request.space.recipe, same)?)),
            None => drop(new.insert(chunk.content, &chunk.text)),
        }
    }
    drop(known);
    report.copied += (pending.len() - new.len()) as u64;
    report.embedded += new.len() as u64;
    let new: Vec<(u128, &str)> = new.into_iter().collect();
    let read: Vec<Vec<(u128, Vec<Vec<f32>>)>> = new
        .par_chunks(new.len().div_ceil(rayon::current_num_threads()).max(1))
        .map(|texts| {
            let given: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
            let vectors = request.model.passages(&given)?;
            Ok(texts.iter().map(|(content, _)| *content).zip(vectors).collect())
        })
        .collect::<Result<_, Error>>()?;
    made.extend(read.into_iter().flatten());
    let mut writer = request.vectors.writer()?;
    for chunk in &pending {
        let windows: Vec<&[f32]> = made[&chunk.content].iter().map(Vec::as_slice).collect();
        writer.put(&request.space, chunk.chunk_no, chunk.content, &windows)?;
    }
    writer.commit(request.vectors.mark()?)?;
    report.left -= pending.len() as u64;
    Ok(())
}

fn elapsed_ms(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
