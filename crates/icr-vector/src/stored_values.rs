//! The values of a space in the snapshot of one transaction.

use heed::types::Bytes;
use heed::{AnyTls, RoTxn};
use icr_model::{ChunkNo, Recipe};

use crate::block::{self, BLOCK_CHUNKS, Block, UnparsedBlock};
use crate::environment::Databases;
use crate::error::StorageFailure;
use crate::space::{StoredSpace, VectorEncoding};
use crate::sum::{CheckedValues, SummedValue, without_sum};
use crate::table::{MARK, SPACES, Table, block_key, block_no, blocks_prefix, content_key, space_key, space_recipe};

/// Bytes of one entry for a chunk's text: its place and the digest.
const DIGEST: usize = 18;

/// Reads values in one transaction. Returned values are borrowed from the map.
#[derive(Clone, Copy)]
pub(crate) struct StoredValues<'t> {
    pub(crate) txn: &'t RoTxn<'t, AnyTls>,
    pub(crate) databases: Databases,
    pub(crate) checked: &'t CheckedValues,
}

impl<'t> StoredValues<'t> {
    /// One above the highest chunk number that was ever committed; 0 before the first commit.
    pub(crate) fn mark(&self) -> Result<u32, StorageFailure> {
        let Some(bytes) = self.databases.rows.get(self.txn, MARK)? else { return Ok(0) };
        let bytes = bytes.try_into().map_err(|_| StorageFailure::Damaged("the mark is no number".to_owned()))?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// The space of `recipe`.
    pub(crate) fn space(&self, recipe: Recipe) -> Result<Option<StoredSpace>, StorageFailure> {
        let key = space_key(recipe);
        let row = self.databases.rows.get(self.txn, &key)?;
        row.map(|row| StoredSpace::from_bytes(recipe, without_sum(&key, row)?)).transpose()
    }

    /// All spaces, by recipe.
    pub(crate) fn spaces(&self) -> Result<Vec<StoredSpace>, StorageFailure> {
        let mut spaces = Vec::new();
        for entry in self.databases.rows.prefix_iter(self.txn, SPACES)? {
            let (key, row) = entry?;
            let recipe = space_recipe(key)
                .ok_or_else(|| StorageFailure::Damaged("a space has no recipe for a key".to_owned()))?;
            spaces.push(StoredSpace::from_bytes(recipe, without_sum(key, row)?)?);
        }
        Ok(spaces)
    }

    /// The block `block_no` of `space`. Its checksums are verified unless `is_sound`; its content is not checked yet.
    pub(crate) fn block(
        &self,
        space: &StoredSpace,
        block_no: u32,
        is_sound: bool,
    ) -> Result<Option<Block<'t>>, StorageFailure> {
        let Some(rows) = self.summed(Table::Rows, space, block_no)? else { return Ok(None) };
        let halves = match space.space.form {
            VectorEncoding::Scaled => None,
            VectorEncoding::ScaledAndHalf => Some(match self.summed(Table::Halves, space, block_no)? {
                Some(halves) => halves,
                None => SummedValue::in_memory(&[]),
            }),
        };
        let block = unparsed_block(rows, halves, space)?;
        if is_sound { block.sound().parse().map(Some) } else { block.parse().map(Some) }
    }

    /// The value of a block in `table`, with its checksum.
    fn summed(
        &self,
        table: Table,
        space: &StoredSpace,
        block_no: u32,
    ) -> Result<Option<SummedValue<'t>>, StorageFailure> {
        let stored = self.value(table, space, block_no)?;
        stored.map(|stored| SummedValue::of(block_key(table, space.no, block_no), stored, self.checked)).transpose()
    }

    /// All values of `space` in `table`, with their checksums, ascending by block number. Reads only keys and
    /// checksums.
    fn all_summed(&self, table: Table, space: &StoredSpace) -> Result<Vec<(u32, SummedValue<'t>)>, StorageFailure> {
        let summed = |(no, stored)| Ok((no, SummedValue::of(block_key(table, space.no, no), stored, self.checked)?));
        self.values(table, space)?.into_iter().map(summed).collect()
    }

    /// All blocks of `space`, ascending by number. Reads only keys and checksums.
    pub(crate) fn blocks(&self, space: &StoredSpace) -> Result<Vec<(u32, UnparsedBlock<'t>)>, StorageFailure> {
        let rows = self.all_summed(Table::Rows, space)?;
        let halves = match space.space.form {
            VectorEncoding::Scaled => Vec::new(),
            VectorEncoding::ScaledAndHalf => self.all_summed(Table::Halves, space)?,
        };
        if space.space.form == VectorEncoding::ScaledAndHalf
            && !rows.iter().map(|row| row.0).eq(halves.iter().map(|half| half.0))
        {
            return Err(StorageFailure::Damaged(format!("the space {} lacks float16 values", space.space.recipe)));
        }
        let blocks = rows.into_iter().enumerate();
        blocks
            .map(|(at, (no, rows))| Ok((no, unparsed_block(rows, halves.get(at).map(|half| half.1), space)?)))
            .collect()
    }

    /// All blocks of `space`, ascending by number, checked. Reads 6 bytes per row.
    pub(crate) fn checked_blocks(&self, space: &StoredSpace) -> Result<Vec<(u32, Block<'t>)>, StorageFailure> {
        let check = |(no, block): (u32, UnparsedBlock<'t>)| {
            let block = block.parse()?;
            block.check()?;
            Ok((no, block))
        };
        self.blocks(space)?.into_iter().map(check).collect()
    }

    /// All values of `space` in `table`, ascending by block number. Reads only keys.
    pub(crate) fn values(&self, table: Table, space: &StoredSpace) -> Result<Vec<(u32, &'t [u8])>, StorageFailure> {
        let prefix = blocks_prefix(table, space.no);
        let mut values = Vec::new();
        for entry in self.databases.rows.prefix_iter(self.txn, &prefix)? {
            let (key, value): (&[u8], &'t [u8]) = entry?;
            let no = block_no(key).filter(|no| *no <= u32::MAX / BLOCK_CHUNKS);
            values.push((
                no.ok_or_else(|| StorageFailure::Damaged("a block has no number for a key".to_owned()))?,
                value,
            ));
        }
        Ok(values)
    }

    /// The stored bytes of a block in `table`.
    pub(crate) fn value(
        &self,
        table: Table,
        space: &StoredSpace,
        block_no: u32,
    ) -> Result<Option<&'t [u8]>, StorageFailure> {
        Ok(self.databases.rows.remap_data_type::<Bytes>().get(self.txn, &block_key(table, space.no, block_no))?)
    }

    /// A chunk of `space` whose text had the digest `content`; it may have been deleted since.
    pub(crate) fn chunk_with(&self, space: &StoredSpace, content: u128) -> Result<Option<ChunkNo>, StorageFailure> {
        let Some(bytes) = self.databases.contents.get(self.txn, &content_key(space.no, content))? else {
            return Ok(None);
        };
        let bytes = bytes.try_into().map_err(|_| StorageFailure::Damaged("a content has no chunk".to_owned()))?;
        Ok(Some(ChunkNo(u32::from_le_bytes(bytes))))
    }

    /// Digests of the texts of the chunks of a block: place and digest, ascending by place.
    pub(crate) fn digests(&self, space: &StoredSpace, block_no: u32) -> Result<Vec<(u16, u128)>, StorageFailure> {
        let bytes = self.summed(Table::Digests, space, block_no)?.map(|digests| digests.bytes()).transpose()?;
        let bytes = bytes.unwrap_or_default();
        let (digests, rest) = bytes.as_chunks::<DIGEST>();
        if !rest.is_empty() {
            return Err(StorageFailure::Damaged(format!("{} bytes are no digests", bytes.len())));
        }
        let digest = |bytes: &[u8; DIGEST]| {
            let mut content = [0; 16];
            content.copy_from_slice(&bytes[2..]);
            (u16::from_le_bytes([bytes[0], bytes[1]]), u128::from_be_bytes(content))
        };
        Ok(digests.iter().map(digest).collect())
    }
}

/// The value of [`StoredValues::digests`].
pub(crate) fn encode_digests(digests: &[(u16, u128)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digests.len() * DIGEST);
    for (place, content) in digests {
        bytes.extend_from_slice(&place.to_le_bytes());
        bytes.extend_from_slice(&content.to_be_bytes());
    }
    bytes
}

fn unparsed_block<'t>(
    rows: SummedValue<'t>,
    halves: Option<SummedValue<'t>>,
    space: &StoredSpace,
) -> Result<UnparsedBlock<'t>, StorageFailure> {
    let dims = space.space.dims;
    if rows.len() > block::longest(dims) {
        return Err(StorageFailure::Damaged(format!("a block of {} bytes is longer than blocks are", rows.len())));
    }
    Ok(UnparsedBlock { rows, halves, dims })
}
