//! One writing run: blobs that are numbered and posted but not listed yet, and the order of the steps until they are
//! listed.

use std::collections::HashMap;

use icr_compute::{BuiltInSpaces, ComputedBlob, Shape, WantedBlob, vectors_of};
use icr_embed::{StaticEmbedder, StaticScratch};
use icr_lexical::{Lexical, LexicalWriter, PathDocument, PreparedChunk, WriterOptions};
use icr_model::{BlobNo, ChunkNo, FieldCounts, PathNo, RepoPath};
use icr_store::{Access, BlobRow, CompleteBlob, Ledger, LedgerWrite, Numbers, RecipeNo, Recipes, StorePlace};
use rayon::prelude::*;

use crate::built_in_model::seconds_since_1970;
use crate::{BlobPass, BuiltInEmbedder, Error, Observer, SyncReport, WriteStep};

/// Numbers, postings and rows of one run. Dropping it without [`Session::list`] leaves the ledger as it was.
pub(crate) struct Session<'a> {
    pub(crate) ledger: Ledger,
    lexical: Lexical,
    writer: Option<LexicalWriter>,
    built_in: Option<BuiltInEmbedder<'a>>,
    vectors: Option<icr_vector::VectorWriter>,
    shape: &'a Shape,
    observer: &'a dyn Observer,
    recipe_numbers: HashMap<Recipes, RecipeNo>,
    blobs: Vec<(BlobRow, Vec<u8>)>,
    paths: Vec<(PathNo, RepoPath, u32)>,
    path_numbers: HashMap<RepoPath, (PathNo, u32)>,
}

impl<'a> Session<'a> {
    /// A run over the store of `place`, whose lock the caller holds.
    pub(crate) fn open(
        place: &StorePlace,
        shape: &'a Shape,
        built_in: Option<BuiltInEmbedder<'a>>,
        observer: &'a dyn Observer,
    ) -> Result<Self, Error> {
        place.create()?;
        let ledger = Ledger::open(place, Access::Write)?;
        let lexical = match Lexical::create(place.lexical()) {
            Err(icr_lexical::Error::Exists { .. }) => crate::open_lexical(place, &ledger)?,
            _ if ledger.listed_numbers()? != Numbers::default() => crate::open_lexical(place, &ledger)?,
            created => created?,
        };
        Ok(Self {
            ledger,
            lexical,
            writer: None,
            built_in,
            vectors: None,
            shape,
            observer,
            recipe_numbers: HashMap::new(),
            blobs: Vec::new(),
            paths: Vec::new(),
            path_numbers: HashMap::new(),
        })
    }

    /// Numbers and posts the computed blobs; missing ones are skipped. The rows are kept for [`Session::list`].
    pub(crate) fn post(
        &mut self,
        computed: &[ComputedBlob],
        report: &mut SyncReport,
    ) -> Result<Vec<(WantedBlob, BlobRow)>, Error> {
        let present: Vec<&ComputedBlob> = computed.iter().filter(|computed| computed.is_present()).collect();
        self.record_recipes(&present)?;
        let chunks = present.iter().map(|computed| computed.chunks_total()).sum();
        let numbers = Numbers { blob: present.len() as u32, chunk: chunks, path: 0 };
        let reserved = self.reserve(numbers)?;
        let mut chunk_first = reserved.chunk;
        let numbered: Vec<(BlobNo, ChunkNo, &ComputedBlob)> = (reserved.blob.0..)
            .zip(present)
            .map(|(blob_no, computed)| {
                let first = chunk_first;
                chunk_first = ChunkNo(first.0 + computed.chunks_total());
                (BlobNo(blob_no), first, computed)
            })
            .collect();
        let model = self.built_in.map(|built_in| built_in.model);
        let observer = self.observer;
        let prepared: Vec<PreparedBlob> = numbered
            .into_par_iter()
            .map_init(StaticScratch::default, |scratch, (blob_no, first, computed)| {
                let prepared = PreparedBlob::new(blob_no, first, computed, model.map(|model| (model, scratch)));
                observer.count_blob(BlobPass::Prepared, computed.text.len() as u64);
                prepared
            })
            .collect();
        let mut rows = Vec::with_capacity(prepared.len());
        for PreparedBlob { wanted, blob_no, chunk_first, facts, tokens, chunks, vectors, computed } in prepared {
            if let Some((of_chunks, of_file)) = &vectors {
                self.add_vectors(chunk_first, of_chunks, of_file, report)?;
            }
            report.chunks_new += chunks.len() as u64;
            report.postings_written += chunks.len() as u64;
            for chunk in chunks {
                writer(&mut self.writer, &self.lexical)?.add_prepared_chunk(chunk)?;
            }
            let recipe_no = self.recipe_numbers[computed.recipes(self.shape)];
            let row = computed.row(blob_no, recipe_no, chunk_first, tokens);
            self.blobs.push((row.clone(), facts));
            rows.push((wanted, row));
        }
        self.observer.step(WriteStep::DocumentsAdded);
        Ok(rows)
    }

    /// Adds the vectors of the chunks from number `first` on, one after the other, and the vector of their file.
    fn add_vectors(
        &mut self,
        first: ChunkNo,
        of_chunks: &[f32],
        of_file: &[f32],
        report: &mut SyncReport,
    ) -> Result<(), Error> {
        let Some(built_in) = self.built_in.filter(|_| !of_chunks.is_empty()) else { return Ok(()) };
        let spaces = built_in.spaces();
        let writer = match &mut self.vectors {
            Some(writer) => writer,
            none => none.insert(built_in.vectors.writer()?),
        };
        for (chunk_no, vector) in (first.0..).zip(of_chunks.chunks_exact(usize::from(spaces.chunks.dims))) {
            writer.write_chunk(&spaces.chunks, ChunkNo(chunk_no), 0, &[vector])?;
            report.embedded += 1;
        }
        Ok(writer.write_chunk(&spaces.files, first, 0, &[of_file])?)
    }

    /// Numbers of `paths` with their token counts. New paths are numbered and posted.
    pub(crate) fn number_paths<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p RepoPath>,
    ) -> Result<Vec<(PathNo, u32)>, Error> {
        let mut numbers: Vec<Option<(PathNo, u32)>> = Vec::new();
        let mut order: Vec<&RepoPath> = Vec::new();
        let mut new: Vec<&RepoPath> = Vec::new();
        for path in paths {
            let mut known = self.path_numbers.get(path).copied();
            if known.is_none()
                && let Some(path_no) = self.ledger.path_no(path)?
            {
                let tokens = self.ledger.path(path_no)?.map_or(0, |(_, tokens)| tokens);
                known = Some((path_no, tokens));
            }
            if let Some(known) = known {
                self.path_numbers.insert(path.clone(), known);
            } else if self.path_numbers.insert(path.clone(), (PathNo(u32::MAX), 0)).is_none() {
                new.push(path);
            }
            order.push(path);
            numbers.push(known);
        }
        if !new.is_empty() {
            let reserved = self.reserve(Numbers { path: new.len() as u32, ..Numbers::default() })?;
            for (at, path) in new.into_iter().enumerate() {
                let path_no = PathNo(reserved.path.0 + at as u32);
                let tokens = writer(&mut self.writer, &self.lexical)?.add_path(&PathDocument { path_no, path })?;
                self.paths.push((path_no, path.clone(), tokens));
                self.path_numbers.insert(path.clone(), (path_no, tokens));
            }
        }
        Ok(order.into_iter().map(|path| self.path_numbers[path]).collect())
    }

    /// Commits the postings, then lists the posted blobs and runs `further` in one transaction. `step` is reported
    /// afterwards.
    pub(crate) fn list(
        &mut self,
        step: WriteStep,
        further: impl FnOnce(&LedgerWrite<'_>) -> Result<(), icr_store::Error>,
    ) -> Result<(), Error> {
        if let Some(writer) = &mut self.writer {
            let numbers = self.ledger.numbers()?;
            writer.commit(mark_of(numbers, self.ledger.generation()?))?;
            self.observer.step(WriteStep::PostingsCommitted);
        }
        if let (Some(mut vectors), Some(built_in)) = (self.vectors.take(), self.built_in) {
            let BuiltInSpaces { chunks, files } = built_in.spaces();
            [chunks, files].into_iter().for_each(|space| vectors.note_use(space.recipe, seconds_since_1970()));
            vectors.commit(self.ledger.numbers()?.chunk)?;
            self.observer.step(WriteStep::VectorsCommitted);
        }
        let (blobs, paths) = (std::mem::take(&mut self.blobs), std::mem::take(&mut self.paths));
        self.ledger.write(|write| {
            for (row, facts) in &blobs {
                write.complete(&CompleteBlob { row: row.clone(), facts })?;
            }
            for (path_no, path, tokens) in &paths {
                write.add_path(*path_no, path, *tokens)?;
            }
            further(write)
        })?;
        self.observer.step(step);
        Ok(())
    }

    /// Waits for running merges, so that their work is not lost when the process ends.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.writer {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    fn reserve(&mut self, numbers: Numbers) -> Result<icr_store::ReservedNumbers, Error> {
        let mut floor = numbers_of(self.lexical.mark()?);
        if let Some(built_in) = self.built_in {
            floor.chunk = floor.chunk.max(built_in.vectors.mark()?);
        }
        let reserved = self.ledger.reserve(numbers, floor)?;
        self.observer.step(WriteStep::NumbersReserved);
        Ok(reserved)
    }

    fn record_recipes(&mut self, computed: &[&ComputedBlob]) -> Result<(), Error> {
        let mut new: Vec<&Recipes> = computed.iter().map(|computed| computed.recipes(self.shape)).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|recipes| !self.recipe_numbers.contains_key(*recipes));
        if new.is_empty() {
            return Ok(());
        }
        let numbers = self.ledger.write(|write| {
            new.iter().map(|recipes| Ok(((*recipes).clone(), write.recipe(recipes)?))).collect::<Result<Vec<_>, _>>()
        })?;
        self.recipe_numbers.extend(numbers);
        self.observer.step(WriteStep::RecipesRecorded);
        Ok(())
    }
}

/// The prepared data of one blob, made on any thread once its numbers are known.
struct PreparedBlob<'c> {
    wanted: WantedBlob,
    blob_no: BlobNo,
    chunk_first: ChunkNo,
    facts: Vec<u8>,
    tokens: FieldCounts,
    chunks: Vec<PreparedChunk>,
    /// The vectors of all chunks, one after the other, and the vector of the file; `None` without a model.
    vectors: Option<(Vec<f32>, Vec<f32>)>,
    computed: &'c ComputedBlob,
}

impl<'c> PreparedBlob<'c> {
    fn new(
        blob_no: BlobNo,
        chunk_first: ChunkNo,
        computed: &'c ComputedBlob,
        model: Option<(&StaticEmbedder, &mut StaticScratch)>,
    ) -> Self {
        let chunks: Vec<PreparedChunk> =
            computed.documents(blob_no, chunk_first).map(|document| PreparedChunk::new(&document)).collect();
        let tokens = chunks.iter().map(PreparedChunk::tokens).sum();
        let facts = &computed.extraction.as_ref().expect("missing objects are left out before").facts;
        let vectors = model.map(|(model, scratch)| vectors_of(model, scratch, &facts.chunks, &computed.text));
        Self { wanted: computed.wanted, blob_no, chunk_first, facts: facts.encode(), tokens, chunks, vectors, computed }
    }
}

fn writer<'w>(writer: &'w mut Option<LexicalWriter>, lexical: &Lexical) -> Result<&'w mut LexicalWriter, Error> {
    if writer.is_none() {
        *writer = Some(lexical.writer(WriterOptions::default())?);
    }
    Ok(writer.as_mut().expect("it was opened above"))
}

pub(crate) fn mark_of(numbers: Numbers, generation: u32) -> icr_lexical::HighWaterMark {
    let Numbers { blob: next_blob, chunk: next_chunk, path: next_path } = numbers;
    icr_lexical::HighWaterMark { next_blob, next_chunk, next_path, generation }
}

pub(crate) fn numbers_of(mark: icr_lexical::HighWaterMark) -> Numbers {
    Numbers { blob: mark.next_blob, chunk: mark.next_chunk, path: mark.next_path }
}
