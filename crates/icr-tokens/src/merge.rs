//! Byte-pair encoding of one piece. At first each byte is a part. Of all adjacent parts that form a token together, the
//! pair of the lowest rank is merged, the leftmost first, until no such pair is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::{MAX_TOKEN_BYTES, Rank, rank_of};

/// Longest piece, in bytes, whose pairs are searched for the lowest rank before each merge. The search takes a few
/// instructions for four pairs, but quadratic time for long pieces; these use a heap instead.
const SHORT_PIECE_BYTES: usize = 96;

/// Rank of a pair that is no token; above all others.
const NO_RANK: Rank = Rank::MAX;

/// Number of tokens of a piece; `None` if there are more than `most`.
///
/// A piece that has too many bytes for `most` tokens is not merged.
#[inline]
pub(crate) fn tokens_within(piece: &[u8], most: u32) -> Option<u32> {
    if piece.len().div_ceil(MAX_TOKEN_BYTES) > most as usize {
        return None;
    }
    let tokens = tokens_of(piece);
    (tokens <= most).then_some(tokens)
}

/// Number of tokens of a piece, which must not be empty.
///
/// If the piece is a token, that is the only one: merging the bytes of any token gives that token, as a test checks.
#[inline]
fn tokens_of(piece: &[u8]) -> u32 {
    match piece.len() {
        1 => 1,
        _ if rank_of(piece).is_some() => 1,
        ..=SHORT_PIECE_BYTES => ShortPiece::merged(piece).parts_total,
        _ => LongPiece::merged(piece).ends().count() as u32,
    }
}

/// Appends to `ends` the end offsets of the tokens of `piece`, which must not be empty.
pub(crate) fn token_ends(piece: &[u8], ends: &mut Vec<u32>) {
    if rank_of(piece).is_some() {
        ends.push(piece.len() as u32);
    } else {
        merged_ends(piece, ends);
    }
}

/// Like [`token_ends`], but does not look up the piece as a whole.
pub(crate) fn merged_ends(piece: &[u8], ends: &mut Vec<u32>) {
    if piece.len() <= SHORT_PIECE_BYTES {
        ends.extend(ShortPiece::merged(piece).ends());
    } else {
        ends.extend(LongPiece::merged(piece).ends());
    }
}

/// The parts of a piece of at most [`SHORT_PIECE_BYTES`], indexed by their starts. Allocates nothing.
struct ShortPiece<'a> {
    piece: &'a [u8],
    parts_total: u32,
    ends: [u8; SHORT_PIECE_BYTES],
    /// Start of the part before.
    previous: [u8; SHORT_PIECE_BYTES],
    /// For each part, the rank of the pair that it forms with the next part, shifted left by [`START_BITS`], plus the
    /// part's start. The lowest value is the next to merge.
    pairs: [i32; SHORT_PIECE_BYTES],
}

/// Bits for the start of a part; a rank has 18 bits.
const START_BITS: u32 = 7;
const _: () = assert!(SHORT_PIECE_BYTES <= 1 << START_BITS);
/// The value for no pair; above all others.
const NO_PAIR: i32 = i32::MAX;

impl<'a> ShortPiece<'a> {
    fn merged(piece: &'a [u8]) -> Self {
        let ends = std::array::from_fn(|start| start as u8 + 1);
        let previous = std::array::from_fn(|start| start.saturating_sub(1) as u8);
        let pairs = [NO_PAIR; SHORT_PIECE_BYTES];
        let mut parts = Self { piece, parts_total: piece.len() as u32, ends, previous, pairs };
        (0..piece.len()).for_each(|start| parts.rank_pair(start));
        while let Some(&lowest) = parts.pairs[..piece.len()].iter().min().filter(|lowest| **lowest != NO_PAIR) {
            parts.merge((lowest & ((1 << START_BITS) - 1)) as usize);
        }
        parts
    }

    /// Merges the part that starts at `start` with the next one.
    fn merge(&mut self, start: usize) {
        let middle = usize::from(self.ends[start]);
        let end = self.ends[middle];
        self.pairs[middle] = NO_PAIR;
        self.ends[start] = end;
        if let Some(previous) = self.previous.get_mut(usize::from(end)) {
            *previous = start as u8;
        }
        self.parts_total -= 1;
        self.rank_pair(start);
        if start > 0 {
            self.rank_pair(usize::from(self.previous[start]));
        }
    }

    fn rank_pair(&mut self, start: usize) {
        let middle = usize::from(self.ends[start]);
        self.pairs[start] = if middle < self.piece.len() {
            let rank = rank_of(&self.piece[start..usize::from(self.ends[middle])]);
            rank.map_or(NO_PAIR, |rank| (rank << START_BITS) as i32 | start as i32)
        } else {
            NO_PAIR
        };
    }

    fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        let next = |end: &u8| (usize::from(*end) < self.piece.len()).then(|| self.ends[usize::from(*end)]);
        std::iter::successors(Some(self.ends[0]), next).map(u32::from)
    }
}

/// The parts of a piece of any length, indexed by their starts.
struct LongPiece {
    ends: Vec<u32>,
    /// Start of the part before.
    previous: Vec<u32>,
    /// Rank of the pair that the part forms with the next one.
    pair_ranks: Vec<Rank>,
}

impl LongPiece {
    /// Merges `piece`, which is shorter than 4 GiB. The time is linear except for the heap.
    fn merged(piece: &[u8]) -> Self {
        let bytes_total = u32::try_from(piece.len()).expect("texts of 4 GiB are not split into pieces");
        let pair_ranks: Vec<Rank> = piece.windows(2).map(|pair| rank_of(pair).unwrap_or(NO_RANK)).collect();
        let pairs = (0..).zip(&pair_ranks).filter(|(_, rank)| **rank != NO_RANK);
        let mut pairs: BinaryHeap<Reverse<(Rank, u32)>> = pairs.map(|(start, rank)| Reverse((*rank, start))).collect();
        let previous = (0..bytes_total).map(|start| start.saturating_sub(1)).collect();
        let mut parts = Self { ends: (1..=bytes_total).collect(), previous, pair_ranks };
        parts.pair_ranks.push(NO_RANK);
        while let Some(Reverse((rank, start))) = pairs.pop() {
            // Pairs whose parts have been merged with others stay in the heap as stale entries.
            if parts.pair_ranks[start as usize] != rank {
                continue;
            }
            parts.merge(start);
            for first in [Some(start), parts.part_before(start)].into_iter().flatten() {
                let rank = parts.rank_of_pair(piece, first);
                parts.pair_ranks[first as usize] = rank;
                if rank != NO_RANK {
                    pairs.push(Reverse((rank, first)));
                }
            }
        }
        parts
    }

    /// Merges the part that starts at `start` with the next one.
    fn merge(&mut self, start: u32) {
        let middle = self.ends[start as usize] as usize;
        let end = self.ends[middle];
        self.pair_ranks[middle] = NO_RANK;
        self.ends[start as usize] = end;
        if let Some(previous) = self.previous.get_mut(end as usize) {
            *previous = start;
        }
    }

    /// Start of the part before the one at `start`.
    fn part_before(&self, start: u32) -> Option<u32> {
        (start > 0).then(|| self.previous[start as usize])
    }

    fn rank_of_pair(&self, piece: &[u8], start: u32) -> Rank {
        let middle = self.ends[start as usize];
        let end = self.ends.get(middle as usize);
        end.and_then(|end| rank_of(&piece[start as usize..*end as usize])).unwrap_or(NO_RANK)
    }

    fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.ends.first().copied(), |end| self.ends.get(*end as usize).copied())
    }
}
