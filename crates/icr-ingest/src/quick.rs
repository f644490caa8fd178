//! The built-in model, whose vectors are made where a text is in hand anyway.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use icr_embed::{Embedder, StaticEmbedder, StaticScratch};
use icr_model::{Chunk, ChunkNo, LiveSet, Recipe, RecipeBuilder};
use icr_store::{Ledger, Manifest, StorePlace};
use icr_vector::{Form, Reader, Space, Vectors};

use crate::fill::{Unread, facts_of, unread_blobs};
use crate::{BlobSource, Error, Observer, Outcome};

/// Files whose vectors are written in one transaction: a fraction of a second of work.
const FILES_AT_ONCE: usize = 1_024;

/// How exactly the last use of a space is known: spaces are kept for weeks, and noting a use costs a write to the disk.
const NOTED_EVERY_S: u64 = 24 * 60 * 60;

/// The model that reads every chunk when it is indexed, and where its vectors go.
#[derive(Clone, Copy)]
pub struct Quick<'a> {
    /// The vectors.
    pub vectors: &'a Vectors,
    /// The model.
    pub model: &'a StaticEmbedder,
}

/// What [`Quick::fill`] reads, and how long.
pub struct QuickFill<'a> {
    /// What is listed.
    pub ledger: &'a Ledger,
    /// The files of the view.
    pub manifest: &'a Manifest,
    /// Where texts come from.
    pub source: &'a dyn BlobSource,
    /// Files above are not read, in bytes.
    pub max_bytes: u64,
    /// When to stop; what is done stays done.
    pub deadline: Option<Instant>,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl Quick<'_> {
    /// Where the vectors live.
    pub fn spaces(&self) -> QuickSpaces {
        QuickSpaces::of(self.model)
    }

    /// Gives vectors to the blobs of a view that have chunks among `lacking`: they were indexed by a run without this model.
    /// Stops between two commits when `deadline` comes. Returns how many of the chunks were read; what cannot be read any more, or
    /// was forgotten by a collection of garbage meanwhile, is left out.
    ///
    /// # Errors
    ///
    /// Those of reading texts and facts, and of writing vectors; what was committed before one stays.
    pub fn fill(&self, request: &QuickFill<'_>, lacking: &LiveSet) -> Result<u64, Error> {
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
            for (Unread { row, chunks }, _) in unread {
                let Outcome::Read = reader.read(&row.blob_id, request.max_bytes, &mut text)? else { continue };
                let Some(facts) = facts_of(request.ledger, row.blob_no)? else { continue };
                let (of_chunks, of_file) = vectors_of(self.model, &mut scratch, &facts.chunks, &text);
                for (chunk_no, vector) in (row.chunk_first.0..).zip(of_chunks.chunks_exact(self.model.dims())) {
                    writer.put(&spaces.chunks, ChunkNo(chunk_no), 0, &[vector])?;
                }
                writer.put(&spaces.files, row.chunk_first, 0, &[&of_file])?;
                done += chunks.len() as u64;
            }
            writer.commit(self.vectors.mark()?)?;
        }
        // Whoever shows how far it is stops showing it.
        request.observer.filling(total, total);
        Ok(done)
    }

    /// Notes that the vectors are in use, so that garbage collection keeps them.
    ///
    /// # Errors
    ///
    /// As [`note_use`].
    pub fn note_use(&self) -> Result<(), Error> {
        let QuickSpaces { chunks, files } = self.spaces();
        note_use(self.vectors, &[chunks.recipe, files.recipe])
    }
}

/// Notes that the vectors of `spaces` are in use, if none was noted within a day. Does nothing for a space that there is not.
///
/// # Errors
///
/// Those of reading and writing the vectors.
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

/// The time of this machine's clock.
pub(crate) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

/// Where the vectors of the built-in model live: one row of bytes with its scale is a whole vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuickSpaces {
    /// Those of chunks.
    pub chunks: Space,
    /// Those of whole files, under the number of their first chunk: the sum of the vectors of the chunks, each times the
    /// root of its bytes. Long chunks say more of what a file is about, and not in proportion.
    pub files: Space,
}

impl QuickSpaces {
    /// The spaces of `model`.
    pub fn of(model: &StaticEmbedder) -> Self {
        let descriptor = model.descriptor();
        let of_chunks = descriptor.space();
        let of_files =
            RecipeBuilder::default().with("sum of chunks by the root of bytes, 1", &of_chunks.to_bytes()).build();
        let space = |recipe| Space { recipe, dims: descriptor.dims, form: Form::Scaled, by_content: false };
        Self { chunks: space(of_chunks), files: space(of_files) }
    }

    /// A reader of the vectors of `place`, in which those of these spaces are the ones that were written: all of them are looked at
    /// once for each state of their file, and then not where they are read.
    ///
    /// # Errors
    ///
    /// [`icr_vector::Error::Damaged`] for other bytes than were written; those of reading.
    pub fn reader(&self, place: &StorePlace, vectors: &Vectors) -> Result<Reader, icr_vector::Error> {
        let spaces = [self.chunks.recipe, self.files.recipe];
        let mut reader = None;
        // The file is looked at first: a reader of what is committed later has another state before it.
        place.check_files("vectors", &["vectors.lmdb/data.mdb"], |_| {
            let opened = vectors.reader(None)?;
            spaces.iter().try_for_each(|space| opened.check(*space))?;
            reader = Some(opened);
            Ok::<_, icr_vector::Error>(())
        })?;
        let reader = match reader {
            Some(reader) => reader,
            None => vectors.reader(None)?,
        };
        spaces.into_iter().for_each(|space| reader.trust(space));
        Ok(reader)
    }
}

/// The vectors of the `chunks` of `text`, one after the other, and that of the whole, which has no particular length.
pub fn vectors_of(
    model: &StaticEmbedder,
    scratch: &mut StaticScratch,
    chunks: &[Chunk],
    text: &[u8],
) -> (Vec<f32>, Vec<f32>) {
    let dims = model.dims();
    let (mut of_chunks, mut of_file) = (vec![0.0; chunks.len() * dims], vec![0.0; dims]);
    for (chunk, vector) in chunks.iter().zip(of_chunks.chunks_exact_mut(dims)) {
        model.embed_into(&String::from_utf8_lossy(chunk.span.of(text)), scratch, vector);
        let weight = (chunk.span.len() as f32).sqrt();
        of_file.iter_mut().zip(&*vector).for_each(|(sum, component)| *sum += weight * component);
    }
    (of_chunks, of_file)
}
