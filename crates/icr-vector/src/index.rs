//! Trees over the rows of a space, built with arroy, for spaces so large that a scan takes too long.
//!
//! The items of the trees are the distinct rows of the space in the order of their bytes, so the trees depend neither
//! on chunk numbers nor on the order of writing. Rows that were written after the trees were built are scanned.

use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use arroy::distances::Cosine;
use heed::RwTxn;
use icr_model::LiveSet;
use rand::SeedableRng;
use rand::rngs::StdRng;
use roaring::RoaringBitmap;

use crate::block::BLOCK_CHUNKS;
use crate::environment::Databases;
use crate::error::StorageFailure;
use crate::scan::VectorQuery;
use crate::space::StoredSpace;
use crate::stored_values::StoredValues;
use crate::sum::CheckedValues;
use crate::table::{Table, block_key};

/// Number of trees of one space. Fixed, since arroy's own choice depends on the number of items and is in the hundreds.
const TREES: usize = 20;

/// Seed of the trees. An arbitrary value that must not change.
const SEED: u64 = 0x1c2;

/// Least number of items that a query examines in the trees.
const LEAST_LOOKED_AT: usize = 2_000;

/// Number of items that a query examines for each requested chunk.
const LOOKED_AT: usize = 100;

/// Bytes of the bitmap of one block.
const BITS: usize = BLOCK_CHUNKS as usize / 8;

/// Everything that determines the trees, for [`crate::format`].
pub(crate) fn format() -> String {
    format!("arroy 0.9, cosine, {TREES} trees from {SEED:#x} over distinct rows by bytes")
}

/// The result of a query on the trees.
pub(crate) struct TreeCandidates<'t> {
    /// Live chunks that may be near, ascending.
    pub(crate) chunks: Vec<u32>,
    known: Vec<(u32, &'t [u8])>,
}

impl TreeCandidates<'_> {
    /// Whether the trees contain the current rows of `chunk`.
    pub(crate) fn knows(&self, chunk: u32) -> bool {
        let block = self.known.binary_search_by_key(&(chunk / BLOCK_CHUNKS), |(block_no, _)| *block_no);
        block.is_ok_and(|at| bit(self.known[at].1, chunk % BLOCK_CHUNKS))
    }
}

/// Chunks near to `question` by the trees of `space`; `None` if so few of the items are live that a scan is faster.
///
/// Reads the list of items, 8 bytes per row, and the trees. `path` is the path of the store, for errors.
pub(crate) fn nearest<'t>(
    space: &StoredSpace,
    stored: &StoredValues<'t>,
    question: &VectorQuery,
    path: &Path,
    live: &LiveSet,
    limit: usize,
) -> Result<Option<TreeCandidates<'t>>, StorageFailure> {
    let items = Items::of(stored, space)?;
    let mut bits = vec![0; items.total().div_ceil(8)];
    for item in 0..items.total() {
        if items.chunks(item)?.any(|chunk| live.contains(chunk)) {
            bits[item / 8] |= 1 << (item % 8);
        }
    }
    let candidates = RoaringBitmap::from_lsb0_bytes(0, &bits);
    // Below half, arroy compares all of them one by one.
    if candidates.len() * 2 < items.total() as u64 {
        return Ok(None);
    }
    let looked_at = limit.saturating_mul(LOOKED_AT).max(LEAST_LOOKED_AT);
    let ask = || -> Result<Vec<(u32, f32)>, StorageFailure> {
        let reader = arroy::Reader::<Cosine>::open(stored.txn, space.no, stored.databases.trees)?;
        // Quantised vectors may have a slightly different order than the exact ones.
        let mut query = reader.nns(limit.saturating_mul(2).saturating_add(100));
        query.search_k(NonZeroUsize::new(looked_at).unwrap_or(NonZeroUsize::MIN)).candidates(&candidates);
        Ok(query.by_vector(stored.txn, &question.direction())?)
    };
    // On damaged data an assertion in arroy may fail. A query changes nothing, so a panic leaves nothing half done.
    let near = panic::catch_unwind(AssertUnwindSafe(ask)).unwrap_or_else(|_| {
        Err(StorageFailure::Damaged(format!("the trees in `{}` cannot be asked", path.display())))
    })?;
    let mut chunks = Vec::new();
    for (item, _) in near {
        chunks.extend(items.chunks(item as usize)?.filter(|chunk| live.contains(*chunk)));
    }
    chunks.sort_unstable();
    chunks.dedup();
    Ok(Some(TreeCandidates { chunks, known: stored.values(Table::Indexed, space)? }))
}

/// Number of chunks whose rows the trees of `space` contain.
pub(crate) fn chunks_known(stored: &StoredValues<'_>, space: &StoredSpace) -> Result<u64, StorageFailure> {
    let known = stored.values(Table::Indexed, space)?;
    Ok(known.iter().flat_map(|(_, bits)| *bits).map(|byte| u64::from(byte.count_ones())).sum())
}

/// Builds the trees of `space` over all its current rows and returns their number of items. Copies the whole space to
/// memory and writes 4 bytes per component of each row; temporary files are in `directory`.
pub(crate) fn build(
    space: &StoredSpace,
    databases: &Databases,
    txn: &mut RwTxn<'_>,
    directory: &Path,
) -> Result<u64, StorageFailure> {
    remove(space, databases, txn)?;
    let checked = CheckedValues::default();
    let stored = StoredValues { txn, databases: *databases, checked: &checked };
    let dims = usize::from(space.space.dims);
    let (mut rows, mut chunks, mut scales, mut known) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (block_no, block) in stored.checked_blocks(space)? {
        let mut bits = [0_u8; BITS];
        for at in 0..block.rows() {
            let place = block.place(at);
            bits[usize::from(place) / 8] |= 1 << (place % 8);
            if block.scale(at) > 0.0 {
                rows.extend_from_slice(block.row_steps(at));
                chunks.push(block_no * BLOCK_CHUNKS + u32::from(place));
                scales.push(block.scale(at));
            }
        }
        known.push((block_no, bits));
    }
    let row = |at: u32| &rows[at as usize * dims..(at as usize + 1) * dims];
    let mut order: Vec<u32> = (0..chunks.len() as u32).collect();
    order.sort_unstable_by(|a, b| row(*a).cmp(row(*b)).then(chunks[*a as usize].cmp(&chunks[*b as usize])));
    let items: Vec<&[u32]> = order.chunk_by(|a, b| row(*a) == row(*b)).collect();

    let mut trees = arroy::Writer::<Cosine>::new(databases.trees, space.no, dims);
    trees.set_tmpdir(directory);
    let mut vector = vec![0.0; dims];
    for (item, same) in items.iter().enumerate() {
        let scale = scales[same[0] as usize];
        vector.iter_mut().zip(row(same[0])).for_each(|(x, step)| *x = f32::from(*step as i8) * scale);
        trees.add_item(txn, item as u32, &vector)?;
    }
    trees.builder(&mut StdRng::seed_from_u64(SEED)).n_trees(TREES).build(txn)?;

    let list = Items::encode(&items, &chunks);
    databases.rows.put(txn, &block_key(Table::Items, space.no, 0), &list)?;
    for (block_no, bits) in known {
        databases.rows.put(txn, &block_key(Table::Indexed, space.no, block_no), &bits)?;
    }
    Ok(items.len() as u64)
}

/// Removes the trees of `space` and all data that belong to them.
pub(crate) fn remove(space: &StoredSpace, databases: &Databases, txn: &mut RwTxn<'_>) -> Result<(), StorageFailure> {
    if space.has_index {
        arroy::Writer::<Cosine>::new(databases.trees, space.no, usize::from(space.space.dims)).clear(txn)?;
        crate::writer::delete_table(Table::Indexed, space, databases, txn)?;
        crate::writer::delete_table(Table::Items, space, databases, txn)?;
    }
    Ok(())
}

/// Records that the trees do not contain the current rows of the chunks at `places` of a block.
pub(crate) fn forget(
    space: &StoredSpace,
    databases: &Databases,
    txn: &mut RwTxn<'_>,
    block_no: u32,
    places: impl Iterator<Item = u16>,
) -> Result<(), StorageFailure> {
    let key = block_key(Table::Indexed, space.no, block_no);
    let Some(bits) = databases.rows.get(txn, &key)? else { return Ok(()) };
    let mut bits = bits.to_vec();
    for place in places {
        if let Some(byte) = bits.get_mut(usize::from(place) / 8) {
            *byte &= !(1 << (place % 8));
        }
    }
    Ok(databases.rows.put(txn, &key, &bits)?)
}

fn bit(bits: &[u8], at: u32) -> bool {
    bits.get(at as usize / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

/// The chunks of each item of the trees. Stored as the number of items, the end of each item's run of chunks, and all
/// runs.
#[derive(Clone, Copy)]
struct Items<'t> {
    ends: &'t [[u8; 4]],
    chunks: &'t [[u8; 4]],
}

impl<'t> Items<'t> {
    fn of(stored: &StoredValues<'t>, space: &StoredSpace) -> Result<Self, StorageFailure> {
        let bytes = stored.value(Table::Items, space, 0)?.unwrap_or_default();
        let parse = || {
            let (numbers, rest) = bytes.as_chunks::<4>();
            let (total, numbers) = numbers.split_first().filter(|_| rest.is_empty())?;
            let (ends, chunks) = numbers.split_at_checked(u32::from_le_bytes(*total) as usize)?;
            Some(Self { ends, chunks })
        };
        parse().ok_or_else(|| StorageFailure::Damaged(format!("the items of {} make no sense", space.space.recipe)))
    }

    fn encode(items: &[&[u32]], chunks: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + items.len() * 4 + chunks.len() * 4);
        bytes.extend_from_slice(&(items.len() as u32).to_le_bytes());
        let mut end = 0;
        for same in items {
            end += same.len() as u32;
            bytes.extend_from_slice(&end.to_le_bytes());
        }
        for at in items.iter().copied().flatten() {
            bytes.extend_from_slice(&chunks[*at as usize].to_le_bytes());
        }
        bytes
    }

    fn total(&self) -> usize {
        self.ends.len()
    }

    fn chunks(&self, item: usize) -> Result<impl Iterator<Item = u32> + use<'t>, StorageFailure> {
        let end = |at: usize| self.ends.get(at).map(|end| u32::from_le_bytes(*end) as usize);
        let start = if item == 0 { Some(0) } else { end(item - 1) };
        let run = start.zip(end(item)).and_then(|(start, end)| self.chunks.get(start..end));
        let run = run.ok_or_else(|| StorageFailure::Damaged(format!("item {item} of the trees has no chunks")))?;
        Ok(run.iter().map(|chunk| u32::from_le_bytes(*chunk)))
    }
}
