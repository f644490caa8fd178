//! The scan: compares every live row with a query in quantised form, then computes exact scores of all rows that may be
//! among the best.
//!
//! A quantised score differs from the exact one by at most a known bound, which follows from the quantisation errors of
//! the query and of the rows (Cauchy-Schwarz). The rows that are scored exactly are all rows that could be among the
//! best, so the result is that of exact scores alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

use icr_model::{ChunkNo, LiveSet};

use crate::block::{BLOCK_CHUNKS, Block, UnparsedBlock};
use crate::error::{Error, StorageFailure};
use crate::kernel;
use crate::row;

/// Bound of the float32 rounding error in a score of magnitude 1, with a large margin.
const ROUNDING: f32 = 1e-5;

/// Number of rows from which a scan uses a second thread, if there is one. That many rows are 50 MB at 256 components
/// and take milliseconds; starting a thread takes a small part of one. For fewer rows it is better to leave the other
/// core to other queries.
const ROWS_FOR_TWO: usize = 200_000;

/// Number of candidates beyond the limit that are kept before the worst are dropped.
const SLACK: usize = 1024;

/// A query, converted to the form of stored rows.
#[derive(Debug)]
pub(crate) struct VectorQuery {
    /// Its unit vector.
    unit: Vec<f64>,
    /// Its unit vector in steps of `step`.
    steps: Vec<i16>,
    step: f32,
    /// An upper bound of the distance between the two.
    error: f32,
}

impl VectorQuery {
    /// Converts the query `vector`; `None` for the zero vector, which is near to nothing.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] when a component is infinite or NaN.
    pub(crate) fn of(vector: &[f32]) -> Result<Option<Self>, Error> {
        let most = row::largest_magnitude(vector)?;
        if most == 0.0 {
            return Ok(None);
        }
        let unit = row::unit(vector, most);
        let most = unit.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let dims = u16::try_from(vector.len()).unwrap_or(u16::MAX);
        let step = (most / f64::from(kernel::most_steps(dims))) as f32;
        let steps: Vec<i16> = unit.iter().map(|x| (x / f64::from(step)).round() as i16).collect();
        let squares = unit.iter().zip(&steps).map(|(x, y)| (x - f64::from(*y) * f64::from(step)).powi(2)).sum::<f64>();
        Ok(Some(Self { unit, steps, step, error: squares.sqrt() as f32 }))
    }

    /// Its unit vector, in float32.
    pub(crate) fn direction(&self) -> Vec<f32> {
        self.unit.iter().map(|x| *x as f32).collect()
    }

    /// The quantised cosine to a row with the given product with the query and the given scale.
    #[inline(always)]
    fn score(&self, product: i32, scale: [u8; 4]) -> f32 {
        product as f32 * (f32::from_le_bytes(scale) * self.step)
    }

    /// Whether one of these scores reaches `cut`. Compares all of them, several at a time.
    #[inline(always)]
    fn is_any(&self, products: &[i32], scales: &[[u8; 4]], cut: f32) -> bool {
        products.iter().zip(scales).fold(false, |is, (product, scale)| is | (self.score(*product, *scale) >= cut))
    }

    /// The cosine to the nearest of the rows `rows` of `block`; `None` if all of them are zero.
    pub(crate) fn nearest_of(&self, block: &Block<'_>, rows: Range<usize>) -> Option<f32> {
        let rows = rows.filter(|at| block.scale(*at) > 0.0);
        let cosines = rows.map(|at| match block.row_halves(at) {
            Some(halves) => row::cosine_of_halves(&self.unit, halves),
            None => row::cosine_of_steps(&self.unit, block.row_steps(at), block.scale(at)),
        });
        cosines.reduce(f32::max)
    }
}

/// The best chunks of a scan or of a tree query, and how much work it took to find them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Best {
    /// Best first, equal scores by number; includes all chunks that tie with the last one.
    pub(crate) chunks: Vec<(ChunkNo, f32)>,
    pub(crate) rows_scanned: u64,
    pub(crate) chunks_scored: u64,
}

/// The `limit` chunks nearest to `question`, among the chunks of `blocks` that are `live` and for which `includes`
/// returns true, and the chunks `found`, which are always scored. `blocks` are ascending by number.
///
/// # Errors
///
/// [`StorageFailure::Damaged`] when a block is invalid.
pub(crate) fn nearest(
    question: &VectorQuery,
    blocks: &[(u32, UnparsedBlock<'_>)],
    live: &LiveSet,
    includes: &(impl Fn(u32) -> bool + Sync),
    found: &[u32],
    limit: usize,
) -> Result<Best, StorageFailure> {
    let rows: usize = blocks.iter().map(|(_, block)| block.rows_about()).sum();
    let in_two = rows >= ROWS_FOR_TWO && thread::available_parallelism().is_ok_and(|threads| threads > ONE);
    let is_wanted = |chunk| live.contains(chunk) && includes(chunk);
    let mut candidates = candidates(question, blocks, &is_wanted, limit, in_two)?;
    candidates.raise_cut();
    if !found.is_empty() {
        candidates.kept.extend(found.iter().map(|chunk| (f32::INFINITY, *chunk)));
        // A chunk that was also scanned must not take two of the best places.
        candidates.kept.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0)));
        candidates.kept.dedup_by_key(|(_, chunk)| *chunk);
    }
    exact(question, blocks, candidates, limit)
}

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

/// The chunks of `blocks` that may be among the best; uses two threads if `in_two`.
fn candidates(
    question: &VectorQuery,
    blocks: &[(u32, UnparsedBlock<'_>)],
    is_wanted: &(impl Fn(u32) -> bool + Sync),
    limit: usize,
    in_two: bool,
) -> Result<Candidates, StorageFailure> {
    let scan = |part: &[(u32, UnparsedBlock<'_>)]| {
        let mut candidates = Candidates::new(limit, question.error + ROUNDING);
        for (block_no, block) in part {
            candidates.scan(question, *block_no, &block.parse()?, is_wanted)?;
        }
        Ok(candidates)
    };
    if !in_two {
        return scan(blocks);
    }
    let (left, right) = blocks.split_at(blocks.len() / 2);
    thread::scope(|scope| {
        let right = scope.spawn(|| scan(right));
        let left = scan(left);
        let right = right.join().expect("the scan, because it asserts nothing that a checked block does not hold");
        Ok(left?.with(right?))
    })
}

/// Chunks that may be among the best.
struct Candidates {
    limit: usize,
    /// An upper bound of the difference between quantised and exact scores, for the blocks so far.
    error: f32,
    /// For each chunk the quantised score of its nearest row, and its number.
    kept: Vec<(f32, u32)>,
    /// Chunks with a lower score cannot be among the best.
    cut: f32,
    /// Number of candidates at which the cut is raised.
    most: usize,
    rows_scanned: u64,
    /// For each row of the current block a bit: whether it is compared.
    wanted: Vec<u64>,
    /// Products of the rows of the current block with the query.
    products: Vec<i32>,
    /// Groups of [`TOGETHER`] rows of the current block that contain a row near enough.
    near: Vec<usize>,
}

/// Number of rows whose scores are compared with the cut at once.
const TOGETHER: usize = 16;

impl Candidates {
    fn new(limit: usize, error: f32) -> Self {
        let most = limit.saturating_mul(2).saturating_add(SLACK);
        let (kept, wanted, products, near) = Default::default();
        Self { limit, error, kept, cut: f32::NEG_INFINITY, most, rows_scanned: 0, wanted, products, near }
    }

    fn scan(
        &mut self,
        question: &VectorQuery,
        block_no: u32,
        block: &Block<'_>,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Result<(), StorageFailure> {
        block.check()?;
        // If this block has a larger quantisation error than earlier ones, its rows may score lower and still be among
        // the best.
        let error = question.error + block.residual + ROUNDING;
        if error > self.error {
            self.cut -= 2.0 * (error - self.error);
            self.error = error;
        }
        let first = block_no * BLOCK_CHUNKS;
        self.wanted.clear();
        self.wanted.extend(block.places().chunks(64).map(|places| {
            let bit = |place: &[u8; 2]| u64::from(is_wanted(first + u32::from(u16::from_le_bytes(*place))));
            places.iter().rev().fold(0, |word, place| word << 1 | bit(place))
        }));
        // A zero vector is near to nothing. Few blocks contain one.
        if block.scales().iter().fold(false, |has, scale| has | (*scale == [0; 4])) {
            let zeros = (0..block.rows()).filter(|at| block.scale(*at) == 0.0);
            zeros.for_each(|at| self.wanted[at / 64] &= !(1 << (at % 64)));
        }
        self.products.clear();
        self.products.resize(block.rows(), 0);
        for run in Runs::of(&self.wanted) {
            self.rows_scanned += run.len() as u64;
            kernel::products(&question.steps, block.steps_of(run.clone()), &mut self.products[run]);
        }
        let (groups, last) = self.products.as_chunks::<TOGETHER>();
        let (group_scales, last_scales) = block.scales().as_chunks::<TOGETHER>();
        let groups = groups.iter().zip(group_scales).enumerate();
        // Most groups contain no row that is near enough.
        self.near.clear();
        self.near.extend(
            groups.filter(|(_, (products, scales))| question.is_any(*products, *scales, self.cut)).map(|(at, _)| at),
        );
        self.near.extend((question.is_any(last, last_scales, self.cut)).then_some(block.rows() / TOGETHER));
        for group in &self.near {
            for at in group * TOGETHER..block.rows().min((group + 1) * TOGETHER) {
                let score = question.score(self.products[at], block.scales()[at]);
                if score >= self.cut && self.wanted[at / 64] >> (at % 64) & 1 == 1 {
                    add(&mut self.kept, score, first + u32::from(block.place(at)));
                }
            }
        }
        if self.kept.len() > self.most {
            self.raise_cut();
        }
        Ok(())
    }

    /// Drops the candidates that cannot be among the best of those seen so far.
    fn raise_cut(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else { return self.kept.clear() };
        if last >= self.kept.len() {
            return;
        }
        let (_, (score, _), _) = self.kept.select_nth_unstable_by(last, |a, b| b.0.total_cmp(&a.0));
        // The exact score of the last of the best is at least this high, so a candidate must reach it to replace one of
        // them.
        self.cut = *score - 2.0 * self.error;
        let cut = self.cut;
        self.kept.retain(|(score, _)| *score >= cut);
        // If very many scores are equal, checking again soon would cost more than keeping the candidates.
        self.most = self.most.max(self.kept.len().saturating_mul(2));
    }

    fn with(mut self, other: Self) -> Self {
        self.error = self.error.max(other.error);
        self.rows_scanned += other.rows_scanned;
        self.kept.extend(other.kept);
        self
    }
}

/// Adds a row of `chunk` that is near enough. Rows of one chunk come one after another; only the nearest counts.
fn add(kept: &mut Vec<(f32, u32)>, score: f32, chunk: u32) {
    match kept.last_mut().filter(|(_, last)| *last == chunk) {
        Some((last, _)) => *last = last.max(score),
        None => kept.push((score, chunk)),
    }
}

/// Iterates over the runs of set bits.
struct Runs<'w> {
    words: &'w [u64],
    at: usize,
}

impl<'w> Runs<'w> {
    fn of(words: &'w [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// The first bit from `at` on that is set, or not set if `is_set` is false; the number of all bits if there is
    /// none.
    fn next_bit(&self, at: usize, is_set: bool) -> usize {
        let mut at = at;
        while let Some(word) = self.words.get(at / 64) {
            let rest = (if is_set { *word } else { !*word }) >> (at % 64);
            if rest != 0 {
                return at + rest.trailing_zeros() as usize;
            }
            at = (at / 64 + 1) * 64;
        }
        self.words.len() * 64
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.next_bit(self.at, true);
        self.at = self.next_bit(start, false);
        (start < self.at).then_some(start..self.at)
    }
}

/// Computes exact scores of the candidates, best quantised score first, until no other can be among the best.
fn exact(
    question: &VectorQuery,
    blocks: &[(u32, UnparsedBlock<'_>)],
    candidates: Candidates,
    limit: usize,
) -> Result<Best, StorageFailure> {
    let Candidates { mut kept, error, rows_scanned, .. } = candidates;
    kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best = Best { rows_scanned, ..Best::default() };
    let mut lowest = BinaryHeap::with_capacity(limit.min(kept.len()) + 1);
    for (score, chunk) in kept {
        if limit == 0
            || lowest.peek().is_some_and(|Reverse(Cosine(last))| lowest.len() == limit && score + error < *last)
        {
            break;
        }
        let Ok(at) = blocks.binary_search_by_key(&(chunk / BLOCK_CHUNKS), |(block_no, _)| *block_no) else { continue };
        let block = blocks[at].1.parse()?;
        let rows = block.rows_of((chunk % BLOCK_CHUNKS) as u16)?;
        best.chunks_scored += 1;
        let Some(cosine) = question.nearest_of(&block, rows) else { continue };
        best.chunks.push((ChunkNo(chunk), cosine));
        lowest.push(Reverse(Cosine(cosine)));
        if lowest.len() > limit {
            lowest.pop();
        }
    }
    best.chunks.sort_unstable_by_key(|(chunk, cosine)| (Reverse(Cosine(*cosine)), *chunk));
    if let Some((_, last)) = limit.checked_sub(1).and_then(|last| best.chunks.get(last)).copied() {
        best.chunks.retain(|(_, cosine)| *cosine >= last);
    }
    Ok(best)
}

/// A cosine as an ordered key; it is never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cosine(f32);

impl Eq for Cosine {}

impl PartialOrd for Cosine {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cosine {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::encode;
    use crate::row::QuantisedRow;
    use crate::sum::SummedValue;

    #[test]
    fn runs_are_those_of_a_bit_by_bit_look() {
        for words in [&[][..], &[0, 0], &[u64::MAX, u64::MAX], &[0b1011, 1 << 63, 1], &[u64::MAX, 0, !1]] {
            let is_set = |at: &usize| words[at / 64] >> (at % 64) & 1 == 1;
            let bits: Vec<usize> = (0..words.len() * 64).filter(is_set).collect();
            let runs: Vec<_> = Runs::of(words).collect();
            assert_eq!(runs.iter().cloned().flatten().collect::<Vec<_>>(), bits);
            assert!(runs.is_sorted_by(|a, b| a.end < b.start), "{runs:?}");
        }
    }

    #[test]
    fn two_threads_find_what_one_finds() {
        let row = |chunk: u32| {
            let component = |at: u32| ((chunk * 31 + at * 17) % 101) as f32 - 50.0;
            QuantisedRow::of(&(0..24).map(component).collect::<Vec<_>>(), false).unwrap()
        };
        let encoded = (0..5_u32).map(|block_no| {
            let rows: Vec<[QuantisedRow; 1]> =
                (0..BLOCK_CHUNKS).map(|place| [row(block_no * BLOCK_CHUNKS + place)]).collect();
            let places: Vec<(u16, &[QuantisedRow])> =
                (0..).zip(rows.iter().map(<[QuantisedRow; 1]>::as_slice)).collect();
            encode(None, |_| true, &places).unwrap()
        });
        let encoded: Vec<_> = encoded.collect();
        let rows = |block_no: u32| SummedValue::in_memory(&encoded[block_no as usize].rows);
        let unread = |block_no| (block_no, UnparsedBlock { rows: rows(block_no), halves: None, dims: 24 });
        let blocks: Vec<(u32, UnparsedBlock<'_>)> = (0..encoded.len() as u32).map(unread).collect();
        let question = VectorQuery::of(&(0..24).map(|at| at as f32 - 9.0).collect::<Vec<_>>()).unwrap().unwrap();
        for limit in [1, 20, 700] {
            let best = [false, true].map(|in_two| {
                let found = candidates(&question, &blocks, &|chunk| chunk % 3 > 0, limit, in_two).unwrap();
                exact(&question, &blocks, found, limit).unwrap()
            });
            assert_eq!(best[0].chunks, best[1].chunks);
            assert_eq!((best[0].rows_scanned, best[1].rows_scanned), (1_706, 1_706));
            assert!(best[0].chunks.len() >= limit);
        }
    }
}
