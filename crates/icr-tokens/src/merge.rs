//! Byte-pair encoding of one piece: its bytes are parts, and of all adjacent parts that are a token together those of the lowest
//! rank become one, the leftmost first, until there are none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::{MAX_TOKEN_BYTES, Rank, rank_of};

/// Longest piece whose pairs are searched for the lowest rank before each merge. That takes a few instructions for four pairs;
/// longer pieces, for which it would be quadratic, have a heap.
const SHORT_PIECE_BYTES: usize = 96;

/// Rank of a pair that is no token, above all others.
const NO_RANK: Rank = Rank::MAX;

/// Tokens of a piece that are at most `most`; `None` where there are more.
///
/// A piece with more bytes than `most` tokens can have is not merged.
#[inline]
pub(crate) fn tokens_within(piece: &[u8], most: u32) -> Option<u32> {
    if piece.len().div_ceil(MAX_TOKEN_BYTES) > most as usize {
        return None;
    }
    let tokens = tokens_of(piece);
    (tokens <= most).then_some(tokens)
}

/// Tokens of a piece, which is not empty.
///
/// Bytes that are a token are that one token: every token is what its bytes are merged to, as a test finds.
#[inline]
fn tokens_of(piece: &[u8]) -> u32 {
    match piece.len() {
        1 => 1,
        _ if rank_of(piece).is_some() => 1,
        ..=SHORT_PIECE_BYTES => ShortPiece::merged(piece).parts_total,
        _ => LongPiece::merged(piece).ends().count() as u32,
    }
}

/// Appends to `ends` where the tokens of `piece`, which is not empty, end.
pub(crate) fn token_ends(piece: &[u8], ends: &mut Vec<u32>) {
    if rank_of(piece).is_some() {
        ends.push(piece.len() as u32);
    } else {
        merged_ends(piece, ends);
    }
}

/// As [`token_ends`], but for a piece that need not be looked up as a whole.
pub(crate) fn merged_ends(piece: &[u8], ends: &mut Vec<u32>) {
    if piece.len() <= SHORT_PIECE_BYTES {
        ends.extend(ShortPiece::merged(piece).ends());
    } else {
        ends.extend(LongPiece::merged(piece).ends());
    }
}

/// Parts of a piece of at most [`SHORT_PIECE_BYTES`], by where they start; nothing is allocated.
struct ShortPiece<'a> {
    piece: &'a [u8],
    parts_total: u32,
    ends: [u8; SHORT_PIECE_BYTES],
    /// Where the part before starts.
    previous: [u8; SHORT_PIECE_BYTES],
    /// For each part, the rank of it and the one behind it together, above [`START_BITS`] of where it starts: the lowest is
    /// the next to merge.
    pairs: [i32; SHORT_PIECE_BYTES],
}

/// Bits of where a part starts; those of a rank are 18.
const START_BITS: u32 = 7;
const _: () = assert!(SHORT_PIECE_BYTES <= 1 << START_BITS);
/// No pair, above all others.
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

    /// Merges the part that starts at `start` with the one behind it.
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

/// Parts of a piece of any length, by where they start.
struct LongPiece {
    ends: Vec<u32>,
    /// Where the part before starts.
    previous: Vec<u32>,
    /// Of the part and the one behind it together.
    pair_ranks: Vec<Rank>,
}

impl LongPiece {
    /// Merges `piece`, which is shorter than 4 GiB, in a time that is linear but for the heap.
    fn merged(piece: &[u8]) -> Self {
        let bytes_total = u32::try_from(piece.len()).expect("texts of 4 GiB are not split into pieces");
        let pair_ranks: Vec<Rank> = piece.windows(2).map(|pair| rank_of(pair).unwrap_or(NO_RANK)).collect();
        let pairs = (0..).zip(&pair_ranks).filter(|(_, rank)| **rank != NO_RANK);
        let mut pairs: BinaryHeap<Reverse<(Rank, u32)>> = pairs.map(|(start, rank)| Reverse((*rank, start))).collect();
        let previous = (0..bytes_total).map(|start| start.saturating_sub(1)).collect();
        let mut parts = Self { ends: (1..=bytes_total).collect(), previous, pair_ranks };
        parts.pair_ranks.push(NO_RANK);
        while let Some(Reverse((rank, start))) = pairs.pop() {
            // Pairs whose parts were merged with others meanwhile are left in the heap.
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

    /// Merges the part that starts at `start` with the one behind it.
    fn merge(&mut self, start: u32) {
        let middle = self.ends[start as usize] as usize;
        let end = self.ends[middle];
        self.pair_ranks[middle] = NO_RANK;
        self.ends[start as usize] = end;
        if let Some(previous) = self.previous.get_mut(end as usize) {
            *previous = start;
        }
    }

    /// Where the part before the one at `start` starts.
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
