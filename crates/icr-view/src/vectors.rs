//! The vectors of a view: those of the store, and those of blobs that are only in memory.

use std::sync::Arc;

use icr_compute::vectors_of;
use icr_embed::StaticScratch;
use icr_model::{ChunkNo, LiveSet};
use icr_vector::{MemoryVectors, VectorReader};

use crate::{Error, View};

impl View {
    /// The vectors of the view's chunks. On the first call, the built-in model embeds what is only in memory.
    ///
    /// # Errors
    ///
    /// Those of reading the vectors.
    pub fn vectors(&self) -> Result<&VectorReader, Error> {
        if let Some(vectors) = self.lookups.vectors.get() {
            return Ok(vectors);
        }
        let in_memory = match self.lookups.in_memory.get() {
            Some(in_memory) => Arc::clone(in_memory),
            None => {
                let made = Arc::new(self.vectors_in_memory()?);
                Arc::clone(self.lookups.in_memory.get_or_init(|| made))
            }
        };
        let vectors = match self.moment.vectors() {
            Some(vectors) => vectors.with_memory(in_memory),
            None => VectorReader::of_memory(in_memory),
        };
        Ok(self.lookups.vectors.get_or_init(|| vectors))
    }

    fn vectors_in_memory(&self) -> Result<MemoryVectors, Error> {
        let mut vectors = MemoryVectors::default();
        let (Some(model), Some(spaces)) = (self.foundation.embedder, self.foundation.built_in_spaces()) else {
            return Ok(vectors);
        };
        let mut texts = self.texts();
        let (mut text, mut scratch) = (Vec::new(), StaticScratch::default());
        for row in self.transient.rows.values() {
            // A file edited since the view was made has no vector; it is found by its words.
            if texts.read(row, &mut text).is_err() {
                continue;
            }
            let facts = self.facts(row.blob_no)?;
            let (of_chunks, of_file) = vectors_of(model, &mut scratch, &facts.chunks, &text);
            let rows: Vec<[&[f32]; 1]> = of_chunks.chunks_exact(model.dims()).map(|vector| [vector]).collect();
            let numbers = (row.chunk_first.0..).map(ChunkNo);
            vectors.add(&spaces.chunks, numbers.zip(rows.iter().map(<[_; 1]>::as_slice)))?;
            if !facts.chunks.is_empty() {
                vectors.add(&spaces.files, [(row.chunk_first, [of_file.as_slice()].as_slice())])?;
            }
        }
        Ok(vectors)
    }

    /// Chunks of the view that the store lists and the built-in model has not embedded: they were indexed while vectors
    /// were switched off, or by a program with another embedding table.
    ///
    /// # Errors
    ///
    /// Those of reading the vectors.
    pub fn chunks_without_vectors(&self) -> Result<LiveSet, Error> {
        let Some(spaces) = self.foundation.built_in_spaces() else { return Ok(LiveSet::default()) };
        let live = &self.contents.live_chunks;
        let Some(vectors) = self.moment.vectors() else {
            return Ok(LiveSet::from_numbers(live.iter().filter(|chunk| !ChunkNo(*chunk).is_in_memory())));
        };
        let mut without = vectors.missing(spaces.chunks.recipe, live)?;
        for row in self.transient.rows.values() {
            without.remove_run(row.chunk_first.0, row.chunk_count);
        }
        Ok(without)
    }
}
