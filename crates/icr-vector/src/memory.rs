//! Vectors of uncommitted and unindexed text, in the same blocks as on disk, so that both get the same scores.

use std::collections::BTreeMap;

use icr_model::{ChunkNo, Recipe};

use crate::block::{BLOCK_CHUNKS, Block, EncodedBlock, UnparsedBlock, encode};
use crate::error::{Error, StorageFailure};
use crate::row::QuantisedRow;
use crate::space::{Space, VectorEncoding, check_same, rows_of};
use crate::sum::SummedValue;

/// First block of the chunk numbers that belong to an index in memory.
pub(crate) const FIRST_IN_MEMORY: u32 = ChunkNo::FIRST_IN_MEMORY / BLOCK_CHUNKS;

/// Vectors that are never written to disk. Their chunks have numbers of an index in memory, from 2^31 on.
#[derive(Debug, Default)]
pub struct MemoryVectors {
    spaces: BTreeMap<Recipe, MemorySpace>,
}

/// Blocks of one space.
#[derive(Debug)]
pub(crate) struct MemorySpace {
    pub(crate) space: Space,
    blocks: BTreeMap<u32, EncodedBlock>,
}

impl MemoryVectors {
    /// Adds the windows of chunks to `space`; the windows of a chunk that is already there are replaced.
    ///
    /// Each vector has `space.dims` components. Its length does not matter, unless it is 0. Encodes each changed block
    /// once.
    ///
    /// # Errors
    ///
    /// [`Error::Dimensions`], [`Error::NotFinite`], [`Error::Chunk`], or [`Error::Form`] when the space exists in
    /// another encoding; nothing is added then.
    pub fn add<'v>(
        &mut self,
        space: &Space,
        chunks: impl IntoIterator<Item = (ChunkNo, &'v [&'v [f32]])>,
    ) -> Result<(), Error> {
        if let Some(stored) = self.spaces.get(&space.recipe) {
            check_same(&stored.space, space)?;
        }
        let mut added: BTreeMap<u32, BTreeMap<u16, Vec<QuantisedRow>>> = BTreeMap::new();
        for (chunk, windows) in chunks {
            if !chunk.is_in_memory() {
                return Err(Error::Chunk { chunk, reason: "numbers below 2^31 are of a store, not of memory" });
            }
            let rows = rows_of(space, chunk, windows)?;
            added.entry(chunk.0 / BLOCK_CHUNKS).or_default().insert((chunk.0 % BLOCK_CHUNKS) as u16, rows);
        }
        let stored =
            self.spaces.entry(space.recipe).or_insert_with(|| MemorySpace { space: *space, blocks: BTreeMap::new() });
        for (block_no, added) in added {
            let old =
                stored.block(block_no).map_err(|failure| failure.into_error("(memory)".as_ref(), "adding vectors"))?;
            let rows: Vec<(u16, &[QuantisedRow])> =
                added.iter().map(|(place, rows)| (*place, rows.as_slice())).collect();
            let block = encode(old.as_ref(), |place| !added.contains_key(&place), &rows);
            stored.blocks.extend(block.map(|block| (block_no, block)));
        }
        Ok(())
    }

    /// The space of `recipe`.
    pub(crate) fn space(&self, recipe: Recipe) -> Option<&MemorySpace> {
        self.spaces.get(&recipe)
    }
}

impl MemorySpace {
    /// The block `block_no`.
    pub(crate) fn block(&self, block_no: u32) -> Result<Option<Block<'_>>, StorageFailure> {
        self.blocks.get(&block_no).map(|block| self.unparsed_block(block).parse()).transpose()
    }

    /// All blocks, ascending by number.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u32, UnparsedBlock<'_>)> {
        self.blocks.iter().map(|(block_no, block)| (*block_no, self.unparsed_block(block)))
    }

    fn unparsed_block<'b>(&self, block: &'b EncodedBlock) -> UnparsedBlock<'b> {
        let halves = (self.space.form == VectorEncoding::ScaledAndHalf).then(|| SummedValue::in_memory(&block.halves));
        UnparsedBlock { rows: SummedValue::in_memory(&block.rows), halves, dims: self.space.dims }
    }
}
