//! The built-in model, which embeds each text when it is read for indexing anyway.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use icr_compute::{BlobReadOutcome, BlobSource, BuiltInSpaces, vectors_of};
use icr_embed::{StaticEmbedder, StaticScratch};
use icr_model::{ChunkNo, LiveSet, Recipe};
use icr_store::{Ledger, ViewManifest};
use icr_vector::Vectors;

use crate::fill::{UnembeddedBlob, facts_of, unread_blobs};
use crate::{Error, Observer};

/// Number of files whose vectors are written in one transaction: a fraction of a second of work.
const FILES_AT_ONCE: usize = 1_024;

/// Precision of the recorded last use of a space: spaces are kept for weeks, and recording a use costs a disk write.
const NOTED_EVERY_S: u64 = 24 * 60 * 60;

/// The model that embeds every chunk when it is indexed, and the vectors that it writes to.
#[derive(Clone, Copy)]
pub struct BuiltInEmbedder<'a> {
    /// The vectors of the store.
    pub vectors: &'a Vectors,
    /// The model.
    pub model: &'a StaticEmbedder,
}

/// Which texts [`BuiltInEmbedder::fill`] embeds, and until when.
pub struct BuiltInFill<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// The files of the view.
    pub manifest: &'a ViewManifest,
    /// Source of the texts.
    pub source: &'a dyn BlobSource,
    /// Size limit of files in bytes; larger files are not read.
    pub max_bytes: u64,
    /// When to stop; finished work is kept.
    pub deadline: Option<Instant>,
    /// Receives the progress.
    pub observer: &'a dyn Observer,
}

impl BuiltInEmbedder<'_> {
    /// The spaces of the vectors.
    pub fn spaces(&self) -> BuiltInSpaces {
        BuiltInSpaces::of(self.model)
    }

    /// Embeds the blobs of a view that have chunks among `lacking`, since they were indexed without this model. Stops
    /// between two commits when `deadline` comes. Returns the number of embedded chunks; chunks that can no longer be
    /// read or were garbage-collected meanwhile are left out.
    ///
    /// # Errors
    ///
    /// Errors of reading texts and facts, and of writing vectors. Vectors that were committed before the error are
    /// kept.
    pub fn fill(&self, request: &BuiltInFill<'_>, lacking: &LiveSet) -> Result<u64, Error> {
        let unread = unread_blobs(request.ledger, request.manifest, lacking)?;
        let total: u64 = unread.iter().map(|(unread, _)| unread.chunks.len() as u64).sum();
        let spaces = self.spaces();
        let (mut reader, mut text, mut scratch) = (request.source.reader(), Vec::new(), StaticScratch::default());
        let mut done = 0;
        for unread in unread.chunks(FILES_AT_ONCE) {
            if request.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            request.observer.filling(done, total);
            let mut writer = self.vectors.writer()?;
            for (UnembeddedBlob { row, chunks }, _) in unread {
                let BlobReadOutcome::Read = reader.read(&row.blob_id, request.max_bytes, &mut text)? else { continue };
                let Some(facts) = facts_of(request.ledger, row.blob_no)? else { continue };
                let (of_chunks, of_file) = vectors_of(self.model, &mut scratch, &facts.chunks, &text);
                for (chunk_no, vector) in (row.chunk_first.0..).zip(of_chunks.chunks_exact(self.model.dims())) {
                    writer.write_chunk(&spaces.chunks, ChunkNo(chunk_no), 0, &[vector])?;
                }
                writer.write_chunk(&spaces.files, row.chunk_first, 0, &[&of_file])?;
                done += chunks.len() as u64;
            }
            writer.commit(self.vectors.mark()?)?;
        }
        // A progress display ends at `total`.
        request.observer.filling(total, total);
        Ok(done)
    }

    /// Records that the vectors are in use, so that garbage collection keeps them.
    ///
    /// # Errors
    ///
    /// As [`note_use`].
    pub fn note_use(&self) -> Result<(), Error> {
        let BuiltInSpaces { chunks, files } = self.spaces();
        note_use(self.vectors, &[chunks.recipe, files.recipe])
    }
}

/// Records that the vectors of `spaces` are in use, unless that was recorded within the last day. Ignores spaces that
/// do not exist.
///
/// # Errors
///
/// Errors of reading and writing the vectors.
pub fn note_use(vectors: &Vectors, used: &[Recipe]) -> Result<(), Error> {
    let now = seconds_since_1970();
    let is_stale = |used: Option<u64>| used.is_none_or(|used| used + NOTED_EVERY_S < now);
    let uses = vectors.reader(None)?.uses()?;
    let is_meant = |(space, last): &(Recipe, Option<u64>)| used.contains(space) && is_stale(*last);
    let stale: Vec<Recipe> = uses.into_iter().filter(is_meant).map(|(space, _)| space).collect();
    if !stale.is_empty() {
        let mut writer = vectors.writer()?;
        stale.into_iter().for_each(|space| writer.note_use(space, now));
        writer.commit(0)?;
    }
    Ok(())
}

/// Seconds since 1970 by this machine's clock.
#[expect(clippy::disallowed_methods, reason = "when vectors were used last; nothing that is answered depends on it")]
pub(crate) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}
