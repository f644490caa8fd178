//! The scan: every live row against a question, in steps; then exact scores of all that may be among the best.
//!
//! A score in steps differs from the exact one by no more than a bound that is known: what the question and the rows lost
//! when they were brought to steps (Cauchy-Schwarz). So the rows that are scored exactly are all that could be among the best,
//! and the answer is that of exact scores alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZero;
use std::thread;

use icr_model::{ChunkNo, LiveSet};

use crate::block::{BLOCK_CHUNKS, Block};
use crate::error::Error;
use crate::kernel;
use crate::row;

/// What adding and multiplying in float32 may lose in a score of magnitude 1 at most, many times over.
const ROUNDING: f32 = 1e-5;

/// Rows from which on a scan takes a second thread, where there is one: 50 MB at 256 components take milliseconds, a thread
/// a small part of one to start. Below, a question is better off leaving the other core to other questions.
const ROWS_FOR_TWO: usize = 200_000;

/// Candidates that are kept beyond the limit before the worst are dropped.
const SLACK: usize = 1024;

/// A question, brought to the form that rows are kept in.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its direction.
    unit: Vec<f64>,
    /// Its direction in steps of `step`.
    steps: Vec<i16>,
    step: f32,
    /// At least the distance between the two.
    error: f32,
}

impl Question {
    /// The question `vector`; `None` for the zero vector, which nothing is near to.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] when a component is infinite or not a number.
    pub(crate) fn of(vector: &[f32]) -> Result<Option<Self>, Error> {
        let most = row::most(vector)?;
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

    /// Its direction, in float32.
    pub(crate) fn direction(&self) -> Vec<f32> {
        self.unit.iter().map(|x| *x as f32).collect()
    }

    /// The cosine to the nearest of the rows `rows` of `block`; `None` when all of them are zero.
    pub(crate) fn nearest_of(&self, block: &Block<'_>, rows: std::ops::Range<usize>) -> Option<f32> {
        let rows = rows.filter(|at| block.scale(*at) > 0.0);
        let cosines = rows.map(|at| match block.row_halves(at) {
            Some(halves) => row::cosine_of_halves(&self.unit, halves),
            None => row::cosine_of_steps(&self.unit, block.row_steps(at), block.scale(at)),
        });
        cosines.reduce(f32::max)
    }
}

/// The best chunks of a scan, or of what trees have found, and the work that finding them was.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Best {
    /// Best first; equal scores by number. All that tie with the last are there.
    pub(crate) chunks: Vec<(ChunkNo, f32)>,
    pub(crate) rows_scanned: u64,
    pub(crate) chunks_scored: u64,
}

/// The `limit` chunks nearest to `question` among those of `blocks` that are `live` and that `includes` says yes to, and of
/// `found`, chunks that are scored in any case. `blocks` are ascending by number.
pub(crate) fn nearest(
    question: &Question,
    blocks: &[(u32, Block<'_>)],
    live: &LiveSet,
    includes: &(impl Fn(u32) -> bool + Sync),
    found: &[u32],
    limit: usize,
) -> Best {
    let rows: usize = blocks.iter().map(|(_, block)| block.rows()).sum();
    let in_two = rows >= ROWS_FOR_TWO && thread::available_parallelism().is_ok_and(|threads| threads > ONE);
    let is_wanted = |chunk| live.contains(chunk) && includes(chunk);
    let mut candidates = candidates(question, blocks, &is_wanted, limit, in_two);
    if !found.is_empty() {
        candidates.kept.extend(found.iter().map(|chunk| (f32::INFINITY, *chunk)));
        // One that was scanned as well must not take two of the best places.
        candidates.kept.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0)));
        candidates.kept.dedup_by_key(|(_, chunk)| *chunk);
    }
    exact(question, blocks, candidates, limit)
}

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

/// The chunks of `blocks` that may be among the best, looked for on two threads if `in_two`.
fn candidates(
    question: &Question,
    blocks: &[(u32, Block<'_>)],
    is_wanted: &(impl Fn(u32) -> bool + Sync),
    limit: usize,
    in_two: bool,
) -> Candidates {
    let residual = blocks.iter().fold(0.0, |most: f32, (_, block)| most.max(block.residual));
    let error = question.error + residual + ROUNDING;
    let scan = |part: &[(u32, Block<'_>)]| {
        let mut candidates = Candidates::new(limit, error);
        part.iter().for_each(|(block_no, block)| candidates.scan(question, *block_no, block, is_wanted));
        candidates
    };
    if !in_two {
        return scan(blocks);
    }
    let (left, right) = blocks.split_at(blocks.len() / 2);
    thread::scope(|scope| {
        let right = scope.spawn(|| scan(right));
        let left = scan(left);
        left.with(right.join().expect("the scan, because it asserts nothing that a checked block does not hold"))
    })
}

/// Chunks that may be among the best.
struct Candidates {
    limit: usize,
    /// At least the difference between a score in steps and the exact one.
    error: f32,
    /// Score in steps of the nearest row, and chunk.
    kept: Vec<(f32, u32)>,
    /// Scores below cannot be among the best.
    cut: f32,
    /// Candidates from which on the cut is raised.
    most: usize,
    rows_scanned: u64,
    selected: Vec<u32>,
    products: Vec<i32>,
}

impl Candidates {
    fn new(limit: usize, error: f32) -> Self {
        let most = limit.saturating_mul(2).saturating_add(SLACK);
        let (kept, selected, products) = Default::default();
        Self { limit, error, kept, cut: f32::NEG_INFINITY, most, rows_scanned: 0, selected, products }
    }

    fn scan(&mut self, question: &Question, block_no: u32, block: &Block<'_>, is_wanted: impl Fn(u32) -> bool) {
        let first = block_no * BLOCK_CHUNKS;
        self.selected.clear();
        self.products.clear();
        let wanted =
            |at: &u32| is_wanted(first + u32::from(block.place(*at as usize))) && block.scale(*at as usize) > 0.0;
        self.selected.extend((0..block.rows() as u32).filter(wanted));
        kernel::products(&question.steps, block.steps, &self.selected, &mut self.products);
        self.rows_scanned += self.selected.len() as u64;
        let mut rows = self.selected.iter().zip(&self.products).map(|(at, product)| {
            let at = *at as usize;
            (block.place(at), *product as f32 * (block.scale(at) * question.step))
        });
        let Some((mut place, mut score)) = rows.next() else { return };
        for (next_place, next_score) in rows {
            if next_place == place {
                score = score.max(next_score);
                continue;
            }
            add(&mut self.kept, self.cut, score, first + u32::from(place));
            (place, score) = (next_place, next_score);
        }
        add(&mut self.kept, self.cut, score, first + u32::from(place));
        if self.kept.len() > self.most {
            self.raise_cut();
        }
    }

    /// Forgets the candidates that cannot be among the best of those seen.
    fn raise_cut(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else { return self.kept.clear() };
        let (_, (score, _), _) = self.kept.select_nth_unstable_by(last, |a, b| b.0.total_cmp(&a.0));
        // The last of the best is at least this good exactly, and so must be whatever is to take its place.
        self.cut = *score - 2.0 * self.error;
        let cut = self.cut;
        self.kept.retain(|(score, _)| *score >= cut);
        // Where very many are equally good, looking again after few more would cost more than keeping them.
        self.most = self.most.max(self.kept.len().saturating_mul(2));
    }

    fn with(mut self, other: Self) -> Self {
        self.rows_scanned += other.rows_scanned;
        self.kept.extend(other.kept);
        self
    }
}

fn add(kept: &mut Vec<(f32, u32)>, cut: f32, score: f32, chunk: u32) {
    if score >= cut {
        kept.push((score, chunk));
    }
}

/// Exact scores of the candidates, best in steps first, until no other can be among the best.
fn exact(question: &Question, blocks: &[(u32, Block<'_>)], candidates: Candidates, limit: usize) -> Best {
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
        let block = &blocks[at].1;
        let rows = block.rows_of((chunk % BLOCK_CHUNKS) as u16);
        best.chunks_scored += 1;
        let Some(cosine) = question.nearest_of(block, rows) else { continue };
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
    best
}

/// A cosine as a key: it is never NaN.
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
    use crate::row::Row;

    #[test]
    fn two_threads_find_what_one_finds() {
        let row = |chunk: u32| {
            let component = |at: u32| ((chunk * 31 + at * 17) % 101) as f32 - 50.0;
            Row::of(&(0..24).map(component).collect::<Vec<_>>(), false).unwrap()
        };
        let encoded = (0..5_u32).map(|block_no| {
            let rows: Vec<[Row; 1]> = (0..BLOCK_CHUNKS).map(|place| [row(block_no * BLOCK_CHUNKS + place)]).collect();
            let places: Vec<(u16, &[Row])> = (0..).zip(rows.iter().map(<[Row; 1]>::as_slice)).collect();
            encode(None, |_| true, &places).unwrap()
        });
        let encoded: Vec<_> = encoded.collect();
        let parse = |at: usize| (at as u32, Block::parse(&encoded[at].rows, None, 24).unwrap());
        let blocks: Vec<(u32, Block<'_>)> = (0..encoded.len()).map(parse).collect();
        let question = Question::of(&(0..24).map(|at| at as f32 - 9.0).collect::<Vec<_>>()).unwrap().unwrap();
        for limit in [1, 20, 700] {
            let best = [false, true].map(|in_two| {
                let found = candidates(&question, &blocks, &|chunk| chunk % 3 > 0, limit, in_two);
                exact(&question, &blocks, found, limit)
            });
            assert_eq!(best[0].chunks, best[1].chunks);
            assert_eq!((best[0].rows_scanned, best[1].rows_scanned), (1_706, 1_706));
            assert!(best[0].chunks.len() >= limit);
        }
    }
}
