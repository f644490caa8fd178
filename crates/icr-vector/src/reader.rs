//! Queries: nearest chunks, similarities, and which chunks have vectors.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use icr_model::{ChunkNo, LiveSet, Recipe, even_after_panic};

use crate::block::{BLOCK_CHUNKS, Block, UnparsedBlock};
use crate::environment::{Databases, ReadTransaction};
use crate::error::{Error, StorageFailure};
use crate::index;
use crate::memory::{FIRST_IN_MEMORY, MemorySpace, MemoryVectors};
use crate::row::from_half;
use crate::scan::{Best, VectorQuery, nearest};
use crate::space::{Space, SpaceStatus, StoredSpace, check_dims, check_same};
use crate::store::{IndexUse, Options};
use crate::stored_values::StoredValues;
use crate::sum::SUM;
use crate::table::Table;

/// A snapshot of the vectors, unaffected by later writes, together with vectors in memory.
///
/// It waits for no writer and writes only its entry in the reader table. Queries to one reader from several threads run
/// one after another; opening a reader for each thread costs microseconds. While a reader is open, space that was freed
/// since cannot be reused, so open a reader for each query. A clone shares the snapshot, which ends with the last
/// clone.
#[derive(Clone)]
pub struct VectorReader {
    disk: Option<Arc<Disk>>,
    memory: Option<Arc<MemoryVectors>>,
    path: PathBuf,
    options: Options,
}

/// A transaction, and the data that it has read.
struct Disk {
    reading: Mutex<ReadTransaction>,
    databases: Databases,
    /// The spaces that were looked up; many queries are about a single chunk.
    spaces: Mutex<Vec<StoredSpace>>,
    /// Spaces whose values are known to be undamaged.
    sound: Mutex<Vec<Recipe>>,
}

impl Disk {
    fn stored_values<'r>(&self, reading: &'r ReadTransaction) -> StoredValues<'r> {
        StoredValues { txn: &reading.txn, databases: self.databases, checked: reading.environment.checked_values() }
    }

    fn is_sound(&self, recipe: Recipe) -> bool {
        even_after_panic(self.sound.lock()).contains(&recipe)
    }
}

/// The result of a nearest-neighbour query.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Chunks with their cosines in -1.0..=1.0, best first, ties by number. As many as requested, and all that tie with
    /// the last of them, so that a caller can break ties by something that does not depend on numbers.
    pub chunks: Vec<(ChunkNo, f32)>,
    /// Whether trees selected which chunks were scored, so that a nearest chunk may be missing. Scores are exact in any
    /// case.
    pub is_approximate: bool,
    /// Number of vectors that were compared in quantised form.
    pub rows_scanned: u64,
    /// Number of chunks whose exact cosine was computed.
    pub chunks_scored: u64,
}

impl VectorReader {
    pub(crate) fn new(
        reading: ReadTransaction,
        databases: Option<Databases>,
        memory: Option<Arc<MemoryVectors>>,
        options: Options,
    ) -> Self {
        let path = reading.environment.path().to_path_buf();
        let disk = databases.map(|databases| {
            let (spaces, sound) = Default::default();
            Disk { reading: Mutex::new(reading), databases, spaces, sound }
        });
        Self { disk: disk.map(Arc::new), memory, path, options }
    }

    /// The same snapshot of the disk, with `memory` in place of the previous vectors in memory.
    #[must_use]
    pub fn with_memory(&self, memory: Arc<MemoryVectors>) -> Self {
        Self { memory: Some(memory), ..self.clone() }
    }

    /// A reader of vectors in memory alone.
    pub fn of_memory(memory: Arc<MemoryVectors>) -> Self {
        Self { disk: None, memory: Some(memory), path: PathBuf::from("(memory)"), options: Options::default() }
    }

    /// Chunks of `live` nearest to `question` by cosine. For a chunk with several windows, the nearest window counts.
    ///
    /// `question` has as many components as the vectors of `space`; its length does not matter. A zero vector is near
    /// to nothing, whether in the query or stored; an empty space returns nothing. The result does not depend on the
    /// order of writing, and without trees it is that of exact scores of all live chunks. A scan reads 256 bytes for
    /// each vector of 256 components: 1 ms of CPU for 100,000 vectors.
    ///
    /// # Errors
    ///
    /// [`Error::Dimensions`] or [`Error::NotFinite`] when `question` cannot be compared; [`Error::Damaged`] or
    /// [`Error::Internal`] when the vectors cannot be read.
    pub fn nearest(&self, space: Recipe, question: &[f32], live: &LiveSet, limit: usize) -> Result<Nearest, Error> {
        self.ask(space, "looking for the nearest vectors", |rows| {
            check_dims(&rows.space, question.len())?;
            let Some(question) = VectorQuery::of(question)? else { return Ok(Nearest::none()) };
            let blocks = rows.blocks()?;
            if let (Some((stored, trees)), true) = (rows.trees(), self.asks_trees(live)) {
                let found = index::nearest(stored, trees, &question, &self.path, live, limit)?;
                if let Some(found) = found {
                    let is_new = |chunk| !found.knows(chunk);
                    let best = nearest(&question, &blocks, live, &is_new, &found.chunks, limit)?;
                    return Ok(Nearest::of(best, true));
                }
            }
            Ok(Nearest::of(nearest(&question, &blocks, live, &|_| true, &[], limit)?, false))
        })
        .map(|nearest| nearest.unwrap_or_else(Nearest::none))
    }

    /// The cosine between `question` and each of `chunks`, in their order; `None` for a chunk without a vector, 0 for a
    /// chunk with zero vectors. Reads only the blocks of these chunks.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::nearest`].
    pub fn similarities(&self, space: Recipe, question: &[f32], chunks: &[ChunkNo]) -> Result<Vec<Option<f32>>, Error> {
        let similarities = self.ask(space, "comparing vectors", |rows| {
            check_dims(&rows.space, question.len())?;
            let question = VectorQuery::of(question)?;
            rows.map_chunks(chunks, |block, at| {
                question.as_ref().and_then(|question| question.nearest_of(block, at)).unwrap_or(0.0)
            })
        })?;
        Ok(similarities.unwrap_or_else(|| vec![None; chunks.len()]))
    }

    /// The vectors of `chunk` at unit length, in the order of its windows; empty if it has none. They have the
    /// precision of the stored encoding.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] or [`Error::Internal`] when the vectors cannot be read.
    pub fn windows(&self, space: Recipe, chunk: ChunkNo) -> Result<Vec<Vec<f32>>, Error> {
        let windows = self.ask(space, "reading vectors", |rows| {
            let Some(block) = rows.block(chunk.0 / BLOCK_CHUNKS)? else { return Ok(Vec::new()) };
            let at = block.rows_of((chunk.0 % BLOCK_CHUNKS) as u16)?;
            Ok(at.map(|at| vector(&block, at)).collect())
        })?;
        Ok(windows.unwrap_or_default())
    }

    /// The weighted sum of the vectors of some chunks, each at unit length; of a chunk with several windows, only the
    /// first counts. Added in the given order. A zero vector if no chunk has a vector; `None` if the space is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] or [`Error::Internal`] when the vectors cannot be read.
    pub fn sum(&self, space: Recipe, weighted: &[(ChunkNo, f32)]) -> Result<Option<Vec<f32>>, Error> {
        let chunks: Vec<ChunkNo> = weighted.iter().map(|(chunk, _)| *chunk).collect();
        self.ask(space, "adding vectors", |rows| {
            let mut sum = vec![0.0; usize::from(rows.space.dims)];
            let vectors = rows.map_chunks(&chunks, |block, at| vector(block, at.start))?;
            for (vector, (_, weight)) in vectors.into_iter().zip(weighted) {
                let vector = vector.unwrap_or_default();
                sum.iter_mut().zip(vector).for_each(|(sum, component): (&mut f32, f32)| *sum += weight * component);
            }
            Ok(sum)
        })
    }

    /// A chunk whose text has the digest `content` and that has vectors. `None` if there is none, or if the space
    /// stores no digests.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn chunk_with(&self, space: Recipe, content: u128) -> Result<Option<ChunkNo>, Error> {
        let found = self.ask(space, "looking for a text", |rows| {
            let Some((stored, disk)) = rows.disk else { return Ok(None) };
            if !stored.space.by_content {
                return Ok(None);
            }
            disk.chunk_with(&stored, content)
        })?;
        Ok(found.flatten())
    }

    /// Number of chunks of `live` that have vectors in `space`. Reads 6 bytes per vector.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn count_covered(&self, space: Recipe, live: &LiveSet) -> Result<u64, Error> {
        let covered = self.ask(space, "counting vectors", |rows| {
            let mut covered = 0;
            rows.each_chunk(|chunk| covered += u64::from(live.contains(chunk)))?;
            Ok(covered)
        })?;
        Ok(covered.unwrap_or(0))
    }

    /// The chunks of `live` that have no vector in `space`. Reads 6 bytes per vector.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn missing(&self, space: Recipe, live: &LiveSet) -> Result<LiveSet, Error> {
        let missing = self.ask(space, "looking for what has no vector", |rows| {
            let mut missing = live.clone();
            rows.each_chunk(|chunk| missing.remove(chunk))?;
            Ok(missing)
        })?;
        Ok(missing.unwrap_or_else(|| live.clone()))
    }

    /// Verifies all vectors of `space` on disk. Reads all of them: 24 MB in 2 ms.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when some have changed since they were written.
    pub fn check(&self, space: Recipe) -> Result<(), Error> {
        self.with_disk("checking vectors", |disk| {
            let Some(disk) = disk else { return Ok(()) };
            let Some(stored) = disk.space(space)? else { return Ok(()) };
            disk.blocks(&stored)?.into_iter().try_for_each(|(_, block)| block.parse().map(drop))
        })
    }

    /// Marks all vectors of `space` on disk as verified by the caller, so that queries do not verify them again.
    pub fn trust(&self, space: Recipe) {
        if let Some(disk) = &self.disk {
            even_after_panic(disk.sound.lock()).push(space);
        }
    }

    /// The spaces on disk, by recipe. Reads the keys and 6 bytes per vector.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn spaces(&self) -> Result<Vec<SpaceStatus>, Error> {
        self.with_disk("listing vector spaces", |disk| {
            let Some(disk) = disk else { return Ok(Vec::new()) };
            disk.spaces()?.into_iter().map(|stored| status(&disk, stored)).collect()
        })
    }

    /// The spaces on disk, by recipe, each with the last recorded time of use (seconds since 1970), if any. Reads one
    /// row per space and no vectors.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn uses(&self) -> Result<Vec<(Recipe, Option<u64>)>, Error> {
        self.with_disk("listing when vectors were used", |disk| {
            let Some(disk) = disk else { return Ok(Vec::new()) };
            Ok(disk.spaces()?.into_iter().map(|stored| (stored.space.recipe, stored.used_s())).collect())
        })
    }

    /// One above the highest chunk number that was ever committed; 0 before the first commit.
    ///
    /// # Errors
    ///
    /// As for [`VectorReader::windows`].
    pub fn mark(&self) -> Result<u32, Error> {
        self.with_disk("reading the mark", |disk| disk.map_or(Ok(0), |disk| disk.mark()))
    }

    /// Whether trees should select the scored chunks of a query in `live`.
    fn asks_trees(&self, live: &LiveSet) -> bool {
        match self.options.index {
            IndexUse::Auto => live.len() >= self.options.crossover,
            IndexUse::Scan => false,
            IndexUse::Arroy => true,
        }
    }

    /// Runs `answer` on the rows of a space, on disk and in memory; `None` if there are none.
    fn ask<T>(
        &self,
        recipe: Recipe,
        doing: &'static str,
        answer: impl FnOnce(Rows<'_>) -> Result<T, StorageFailure>,
    ) -> Result<Option<T>, Error> {
        self.with_disk(doing, |disk| {
            let on_disk = match disk {
                Some(disk) => self.known_space(recipe, &disk)?.map(|stored| (stored, disk)),
                None => None,
            };
            let in_memory = self.memory.as_ref().and_then(|memory| memory.space(recipe));
            let space = match (&on_disk, in_memory) {
                (None, None) => return Ok(None),
                (Some((stored, _)), None) => stored.space,
                (None, Some(memory)) => memory.space,
                (Some((stored, _)), Some(memory)) => {
                    check_same(&stored.space, &memory.space)?;
                    stored.space
                }
            };
            let is_sound = self.disk.as_ref().is_some_and(|disk| disk.is_sound(recipe));
            answer(Rows { space, disk: on_disk, is_sound, memory: in_memory }).map(Some)
        })
    }

    /// The space of `recipe` on disk; it does not change during this reader's snapshot.
    fn known_space(&self, recipe: Recipe, stored: &StoredValues<'_>) -> Result<Option<StoredSpace>, StorageFailure> {
        let Some(disk) = &self.disk else { return Ok(None) };
        let mut spaces = even_after_panic(disk.spaces.lock());
        if let Some(space) = spaces.iter().find(|space| space.space.recipe == recipe) {
            return Ok(Some(*space));
        }
        let space = stored.space(recipe)?;
        spaces.extend(space);
        Ok(space)
    }

    fn with_disk<T>(
        &self,
        doing: &'static str,
        answer: impl FnOnce(Option<StoredValues<'_>>) -> Result<T, StorageFailure>,
    ) -> Result<T, Error> {
        let answered = match &self.disk {
            Some(disk) => {
                let reading = even_after_panic(disk.reading.lock());
                let checked = reading.check_unwritten();
                let answered = checked.and_then(|()| answer(Some(disk.stored_values(&reading))));
                // Overwritten pages may have looked like damage.
                reading.check_unwritten().and(answered)
            }
            None => answer(None),
        };
        answered.map_err(|failure| failure.into_error(&self.path, doing))
    }
}

impl Nearest {
    fn none() -> Self {
        Self::of(Best::default(), false)
    }

    fn of(best: Best, is_approximate: bool) -> Self {
        let Best { chunks, rows_scanned, chunks_scored } = best;
        Self { chunks, is_approximate, rows_scanned, chunks_scored }
    }
}

/// The rows of one space. The chunk number tells whether a row is on disk or in memory.
struct Rows<'t> {
    space: Space,
    disk: Option<(StoredSpace, StoredValues<'t>)>,
    /// Whether the data on disk are known to be undamaged.
    is_sound: bool,
    memory: Option<&'t MemorySpace>,
}

impl<'t> Rows<'t> {
    /// All blocks, ascending by number.
    fn blocks(&self) -> Result<Vec<(u32, UnparsedBlock<'t>)>, StorageFailure> {
        let mut blocks = match &self.disk {
            Some((stored, disk)) => disk.blocks(stored)?,
            None => Vec::new(),
        };
        if self.is_sound {
            blocks.iter_mut().for_each(|(_, block)| *block = block.sound());
        }
        blocks.extend(self.memory.into_iter().flat_map(MemorySpace::blocks));
        Ok(blocks)
    }

    /// The space and its trees, if it has any.
    fn trees(&self) -> Option<(&StoredSpace, &StoredValues<'t>)> {
        self.disk.as_ref().filter(|(stored, _)| stored.has_index).map(|(stored, disk)| (stored, disk))
    }

    /// Calls `read` for each of `chunks` that has rows, with its block and its rows there, and returns the results.
    fn map_chunks<T>(
        &self,
        chunks: &[ChunkNo],
        mut read: impl FnMut(&Block<'t>, std::ops::Range<usize>) -> T,
    ) -> Result<Vec<Option<T>>, StorageFailure> {
        let mut order: Vec<usize> = (0..chunks.len()).collect();
        order.sort_unstable_by_key(|at| chunks[*at]);
        let mut values: Vec<Option<T>> = Vec::new();
        values.resize_with(chunks.len(), || None);
        let mut last: Option<(u32, Option<Block<'t>>)> = None;
        for at in order {
            let chunk = chunks[at].0;
            let block_no = chunk / BLOCK_CHUNKS;
            let block = match &last {
                Some((no, block)) if *no == block_no => *block,
                _ => {
                    let block = self.block(block_no)?;
                    last = Some((block_no, block));
                    block
                }
            };
            let Some(block) = block else { continue };
            let rows = block.rows_of((chunk % BLOCK_CHUNKS) as u16)?;
            if !rows.is_empty() {
                values[at] = Some(read(&block, rows));
            }
        }
        Ok(values)
    }

    fn block(&self, block_no: u32) -> Result<Option<Block<'t>>, StorageFailure> {
        match (&self.disk, self.memory) {
            (_, Some(memory)) if block_no >= FIRST_IN_MEMORY => memory.block(block_no),
            (Some((stored, disk)), _) => disk.block(stored, block_no, self.is_sound),
            _ => Ok(None),
        }
    }

    /// Calls `each` with the number of each chunk that has rows.
    fn each_chunk(&self, mut each: impl FnMut(u32)) -> Result<(), StorageFailure> {
        for (block_no, block) in self.blocks()? {
            let block = block.parse()?;
            block.check()?;
            block.chunks().for_each(|place| each(block_no * BLOCK_CHUNKS + u32::from(place)));
        }
        Ok(())
    }
}

fn vector(block: &Block<'_>, at: usize) -> Vec<f32> {
    match block.row_halves(at) {
        Some(halves) => halves.chunks_exact(2).map(|pair| from_half(u16::from_le_bytes([pair[0], pair[1]]))).collect(),
        None => {
            let scale = block.scale(at);
            block.row_steps(at).iter().map(|step| f32::from(*step as i8) * scale).collect()
        }
    }
}

fn status(disk: &StoredValues<'_>, stored: StoredSpace) -> Result<SpaceStatus, StorageFailure> {
    let blocks = disk.checked_blocks(&stored)?;
    let mut bytes = 0;
    for table in [Table::Rows, Table::Halves, Table::Digests] {
        bytes +=
            disk.values(table, &stored)?.iter().map(|(_, value)| value.len().saturating_sub(SUM) as u64).sum::<u64>();
    }
    Ok(SpaceStatus {
        space: stored.space,
        chunks: blocks.iter().map(|(_, block)| block.chunks().count() as u64).sum(),
        rows: blocks.iter().map(|(_, block)| block.rows() as u64).sum(),
        bytes,
        chunks_indexed: if stored.has_index { Some(index::chunks_known(disk, &stored)?) } else { None },
        last_used_s: stored.used_s(),
    })
}
