//! Writing: changes are collected in memory and committed in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use heed::RwTxn;
use icr_model::{ChunkNo, LiveSet, Recipe};

use crate::block::{BLOCK_CHUNKS, Block, encode};
use crate::environment::{Databases, Environment};
use crate::error::{Error, StorageFailure};
use crate::index;
use crate::row::QuantisedRow;
use crate::space::{MOST_SPACES, Space, StoredSpace, VectorEncoding, check_same, rows_of};
use crate::stored_values::{StoredValues, encode_digests};
use crate::sum::{CheckedValues, with_sum};
use crate::table::{MARK, Table, block_key, blocks_prefix, content_key, space_key};

/// Pending changes to the vectors. [`VectorWriter::commit`] applies all of them, in the order of the calls. If the
/// writer is dropped before, nothing changes.
///
/// It holds all pending vectors in memory: 256 bytes for each vector of 256 components, three times as much in a space
/// with float16.
pub struct VectorWriter {
    environment: Arc<Environment>,
    changes: Changes,
}

/// The changes of a commit, in order: drop spaces, delete chunks, write, build trees.
#[derive(Default)]
struct Changes {
    dropped: BTreeSet<Recipe>,
    dead: LiveSet,
    put: BTreeMap<Recipe, SpaceWrites>,
    used_s: BTreeMap<Recipe, u64>,
    indexed: BTreeSet<Recipe>,
}

/// Chunks to write to one space.
struct SpaceWrites {
    space: Space,
    chunks: BTreeMap<u32, NewChunk>,
}

struct NewChunk {
    /// Digest of its text.
    content: u128,
    rows: Vec<QuantisedRow>,
}

/// The result of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorCommitReport {
    /// Number of chunks that were given vectors.
    pub chunks_written: u64,
    /// Number of chunks whose vectors were deleted, counted once for each space that had some; without those of dropped
    /// spaces.
    pub chunks_deleted: u64,
    /// Number of blocks that were written.
    pub blocks_written: u64,
    /// Number of blocks that were deleted because they became empty; without those of dropped spaces.
    pub blocks_freed: u64,
    /// Number of distinct vectors in the trees that were built.
    pub rows_indexed: u64,
}

impl VectorWriter {
    pub(crate) fn new(environment: Arc<Environment>) -> Self {
        Self { environment, changes: Changes::default() }
    }

    /// Replaces the vectors of `chunk` in `space` by those of its `windows`. The first chunk creates the space.
    ///
    /// `content` is a digest of the chunk's text; it is stored if the space finds chunks by content. A zero vector
    /// means that the chunk was embedded but is near to nothing. Other vectors are normalised to unit length.
    ///
    /// # Errors
    ///
    /// [`Error::Dimensions`], [`Error::NotFinite`], [`Error::Chunk`] when the vectors cannot be stored, and
    /// [`Error::Form`] when this writer already puts vectors into the space in another encoding; the chunk is then
    /// unchanged.
    pub fn write_chunk(
        &mut self,
        space: &Space,
        chunk: ChunkNo,
        content: u128,
        windows: &[&[f32]],
    ) -> Result<(), Error> {
        if chunk.is_in_memory() {
            return Err(Error::Chunk { chunk, reason: "numbers from 2^31 on are of memory and never reach a store" });
        }
        let rows = rows_of(space, chunk, windows)?;
        let put = self.changes.put.entry(space.recipe);
        let put = put.or_insert_with(|| SpaceWrites { space: *space, chunks: BTreeMap::new() });
        check_same(&put.space, space)?;
        put.chunks.insert(chunk.0, NewChunk { content, rows });
        Ok(())
    }

    /// Deletes the vectors of the chunks `dead` in all spaces. Reads 6 bytes of each vector and rewrites the blocks
    /// that contained some of them.
    pub fn delete_chunks(&mut self, dead: &LiveSet) {
        dead.iter().for_each(|chunk| self.changes.dead.insert(chunk));
        for put in self.changes.put.values_mut() {
            put.chunks.retain(|chunk, _| !dead.contains(*chunk));
        }
    }

    /// Deletes the space of `recipe` with all its vectors, if it exists.
    pub fn drop_space(&mut self, recipe: Recipe) {
        self.changes.put.remove(&recipe);
        self.changes.used_s.remove(&recipe);
        self.changes.indexed.remove(&recipe);
        self.changes.dropped.insert(recipe);
    }

    /// Records that the space of `recipe` was in use at `at_s`, in seconds since 1970. An earlier time than the
    /// recorded one is ignored, and so is a space that does not exist.
    pub fn note_use(&mut self, recipe: Recipe, at_s: u64) {
        let used = self.changes.used_s.entry(recipe).or_default();
        *used = at_s.max(*used);
    }

    /// Builds trees over the space of `recipe`, if it exists, in place of its existing trees. They contain all vectors
    /// of the space after this commit; vectors of later commits are scanned until the trees are built again.
    ///
    /// Meant for spaces above [`crate::Options::crossover`]: 100,000 vectors of 256 components take 11 seconds of CPU
    /// and 230 MB of disk.
    pub fn build_index(&mut self, recipe: Recipe) {
        self.changes.indexed.insert(recipe);
    }

    /// Commits all changes at once, and records that chunk numbers below `mark` are in use. Waits for other writers and
    /// for the disk. The writer is empty afterwards.
    ///
    /// The recorded mark never decreases, and is always above all written chunks.
    ///
    /// # Errors
    ///
    /// [`Error::Dimensions`] or [`Error::Form`] when a space is stored in another form than it is written;
    /// [`Error::Full`] or [`Error::Busy`] when the file cannot grow; [`Error::Damaged`] or [`Error::Internal`] when it
    /// cannot be read or written. The stored vectors are then unchanged, and the changes are still pending.
    pub fn commit(&mut self, mark: u32) -> Result<VectorCommitReport, Error> {
        let environment = &self.environment;
        let directory = environment.path();
        let committed = environment.write(|_, txn, databases| {
            let mut work = Work {
                txn,
                databases,
                checked: environment.checked_values(),
                committed: VectorCommitReport::default(),
            };
            work.make(&self.changes, mark, directory)?;
            Ok(work.committed)
        });
        let committed = committed.map_err(|failure| failure.into_error(directory, "writing vectors"))?;
        self.changes = Changes::default();
        Ok(committed)
    }
}

/// A commit in progress.
struct Work<'w, 'txn> {
    txn: &'w mut RwTxn<'txn>,
    databases: &'w Databases,
    checked: &'w CheckedValues,
    committed: VectorCommitReport,
}

impl Work<'_, '_> {
    fn make(&mut self, changes: &Changes, mark: u32, directory: &Path) -> Result<(), StorageFailure> {
        for recipe in &changes.dropped {
            self.drop_space(*recipe)?;
        }
        if !changes.dead.is_empty() {
            for space in self.stored_values().spaces()? {
                self.delete(&space, &changes.dead)?;
            }
        }
        for put in changes.put.values().filter(|put| !put.chunks.is_empty()) {
            let space = self.space_for(&put.space)?;
            self.write_chunks(&space, &put.chunks)?;
        }
        for (recipe, used_s) in &changes.used_s {
            if let Some(space) = self.stored_values().space(*recipe)?.filter(|space| space.last_used_s < *used_s) {
                self.save(&StoredSpace { last_used_s: *used_s, ..space })?;
            }
        }
        for recipe in &changes.indexed {
            if let Some(space) = self.stored_values().space(*recipe)? {
                self.committed.rows_indexed += index::build(&space, self.databases, self.txn, directory)?;
                self.save(&StoredSpace { has_index: true, ..space })?;
            }
        }
        let highest =
            changes.put.values().filter_map(|put| put.chunks.last_key_value()).map(|(chunk, _)| chunk + 1).max();
        let mark = mark.max(highest.unwrap_or(0)).max(self.stored_values().mark()?);
        Ok(self.databases.rows.put(self.txn, MARK, &mark.to_le_bytes())?)
    }

    fn stored_values(&self) -> StoredValues<'_> {
        StoredValues { txn: self.txn, databases: *self.databases, checked: self.checked }
    }

    /// The stored space for `space`; it is created if necessary.
    fn space_for(&mut self, space: &Space) -> Result<StoredSpace, StorageFailure> {
        if let Some(stored) = self.stored_values().space(space.recipe)? {
            check_same(&stored.space, space)?;
            return Ok(stored);
        }
        let taken: BTreeSet<u16> = self.stored_values().spaces()?.iter().map(|stored| stored.no).collect();
        let no = (0..MOST_SPACES as u16).find(|no| !taken.contains(no)).ok_or(Error::Spaces { most: MOST_SPACES })?;
        let stored = StoredSpace { no, space: *space, last_used_s: 0, has_index: false };
        self.save(&stored)?;
        Ok(stored)
    }

    fn save(&mut self, space: &StoredSpace) -> Result<(), StorageFailure> {
        let key = space_key(space.space.recipe);
        Ok(self.databases.rows.put(self.txn, &key, &with_sum(&key, &space.to_bytes()))?)
    }

    fn write_chunks(&mut self, space: &StoredSpace, chunks: &BTreeMap<u32, NewChunk>) -> Result<(), StorageFailure> {
        let mut chunks = chunks.iter().peekable();
        while let Some((first, _)) = chunks.peek() {
            let block_no = **first / BLOCK_CHUNKS;
            let mut added = Vec::new();
            while let Some((chunk, new)) = chunks.next_if(|(chunk, _)| **chunk / BLOCK_CHUNKS == block_no) {
                added.push(((chunk % BLOCK_CHUNKS) as u16, new));
            }
            self.change(space, block_no, &BTreeSet::new(), &added)?;
            self.committed.chunks_written += added.len() as u64;
        }
        Ok(())
    }

    fn delete(&mut self, space: &StoredSpace, dead: &LiveSet) -> Result<(), StorageFailure> {
        let is_dead = |block_no: u32, place: &u16| dead.contains(block_no * BLOCK_CHUNKS + u32::from(*place));
        let blocks = self.stored_values().checked_blocks(space)?;
        let dead: Vec<(u32, BTreeSet<u16>)> = blocks
            .iter()
            .map(|(block_no, block)| (*block_no, block.chunks().filter(|place| is_dead(*block_no, place)).collect()))
            .collect();
        for (block_no, dead) in dead.iter().filter(|(_, dead)| !dead.is_empty()) {
            self.change(space, *block_no, dead, &[])?;
            self.committed.chunks_deleted += dead.len() as u64;
        }
        Ok(())
    }

    /// Removes the chunks at the places `dead` from a block and adds `added`, ascending by place.
    fn change(
        &mut self,
        space: &StoredSpace,
        block_no: u32,
        dead: &BTreeSet<u16>,
        added: &[(u16, &NewChunk)],
    ) -> Result<(), StorageFailure> {
        let is_new = |place: u16| added.binary_search_by_key(&place, |(place, _)| *place).is_ok();
        let rows: Vec<(u16, &[QuantisedRow])> =
            added.iter().map(|(place, new)| (*place, new.rows.as_slice())).collect();
        let old = self.stored_values().block(space, block_no, false)?;
        old.as_ref().map_or(Ok(()), Block::check)?;
        let encoded = encode(old.as_ref(), |place| !dead.contains(&place) && !is_new(place), &rows);
        match &encoded {
            Some(encoded) => {
                self.save_block(Table::Rows, space, block_no, &encoded.rows)?;
                if space.space.form == VectorEncoding::ScaledAndHalf {
                    self.save_block(Table::Halves, space, block_no, &encoded.halves)?;
                }
                self.committed.blocks_written += 1;
            }
            None => {
                self.save_block(Table::Rows, space, block_no, &[])?;
                self.save_block(Table::Halves, space, block_no, &[])?;
                self.committed.blocks_freed += 1;
            }
        }
        if space.space.by_content {
            self.change_digests(space, block_no, dead, added)?;
        }
        if space.has_index {
            let places = dead.iter().copied().chain(added.iter().map(|(place, _)| *place));
            index::forget(space, self.databases, self.txn, block_no, places)?;
        }
        Ok(())
    }

    /// Updates the digests of a block, and the look-up from digest to chunk, for the same chunks as [`Work::change`].
    fn change_digests(
        &mut self,
        space: &StoredSpace,
        block_no: u32,
        dead: &BTreeSet<u16>,
        added: &[(u16, &NewChunk)],
    ) -> Result<(), StorageFailure> {
        let chunk = |place: u16| block_no * BLOCK_CHUNKS + u32::from(place);
        let mut digests: BTreeMap<u16, u128> = self.stored_values().digests(space, block_no)?.into_iter().collect();
        for place in dead.iter().copied().chain(added.iter().map(|(place, _)| *place)) {
            let Some(content) = digests.remove(&place) else { continue };
            // Another chunk may have the same text by now; the look-up then points to that chunk and is kept.
            if self.stored_values().chunk_with(space, content)? == Some(ChunkNo(chunk(place))) {
                self.databases.contents.delete(self.txn, &content_key(space.no, content))?;
            }
        }
        for (place, new) in added {
            digests.insert(*place, new.content);
            let key = content_key(space.no, new.content);
            self.databases.contents.put(self.txn, &key, &chunk(*place).to_le_bytes())?;
        }
        let digests: Vec<(u16, u128)> = digests.into_iter().collect();
        self.save_block(Table::Digests, space, block_no, &encode_digests(&digests))
    }

    /// Writes the value of a block with its checksum, or deletes it if it is empty.
    fn save_block(
        &mut self,
        table: Table,
        space: &StoredSpace,
        block_no: u32,
        value: &[u8],
    ) -> Result<(), StorageFailure> {
        let key = block_key(table, space.no, block_no);
        if value.is_empty() {
            self.databases.rows.delete(self.txn, &key)?;
        } else {
            self.databases.rows.put(self.txn, &key, &with_sum(&key, value))?;
        }
        Ok(())
    }

    fn drop_space(&mut self, recipe: Recipe) -> Result<(), StorageFailure> {
        let Some(space) = self.stored_values().space(recipe)? else { return Ok(()) };
        index::remove(&space, self.databases, self.txn)?;
        for table in Table::ALL {
            delete_table(table, &space, self.databases, self.txn)?;
        }
        let (first, last) = (content_key(space.no, 0), content_key(space.no, u128::MAX));
        let contents: Keys<'_> = (Bound::Included(&first), Bound::Included(&last));
        self.databases.contents.delete_range(self.txn, &contents)?;
        self.databases.rows.delete(self.txn, &space_key(recipe))?;
        Ok(())
    }
}

/// A range of keys.
type Keys<'k> = (Bound<&'k [u8]>, Bound<&'k [u8]>);

/// Deletes all values of `space` in `table`.
pub(crate) fn delete_table(
    table: Table,
    space: &StoredSpace,
    databases: &Databases,
    txn: &mut RwTxn<'_>,
) -> Result<(), StorageFailure> {
    let (first, last) = (blocks_prefix(table, space.no), block_key(table, space.no, u32::MAX));
    let keys: Keys<'_> = (Bound::Included(&first), Bound::Included(&last));
    databases.rows.delete_range(txn, &keys)?;
    Ok(())
}
