//! Blocks: the rows of a range of chunk numbers stored as one value, so that a scan reads them sequentially.
//!
//! The layout of a value, little-endian: the number of rows (4 bytes), the largest residual of a row (4), for each row
//! its chunk's place in the range (2 each, ascending), each row's scale (4 each), each row's steps (one byte per
//! component). If the space has float16 components, they are a separate value in the same order, so that a scan does
//! not read them.

use std::ops::Range;

use crate::error::StorageFailure;
use crate::row::QuantisedRow;
use crate::space::MOST_WINDOWS;
use crate::sum::SummedValue;

/// Number of chunk numbers in a block. A small sync rewrites one block: 135 KB at 256 components, of which LMDB's pages
/// waste 1 %.
pub(crate) const BLOCK_CHUNKS: u32 = 512;

/// Size of the header before the places, in bytes.
const HEADER: usize = 8;

/// Largest size in bytes of a value with rows of `dims` components.
pub(crate) fn longest(dims: u16) -> usize {
    HEADER + BLOCK_CHUNKS as usize * MOST_WINDOWS * (6 + usize::from(dims))
}

/// The values of a block before they are read. Listing all blocks of a space therefore reads only the keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnparsedBlock<'a> {
    pub(crate) rows: SummedValue<'a>,
    /// Float16 components, if the space has them.
    pub(crate) halves: Option<SummedValue<'a>>,
    pub(crate) dims: u16,
}

impl<'a> UnparsedBlock<'a> {
    /// Reads the block with [`Block::parse`], after its checksums were verified.
    pub(crate) fn parse(&self) -> Result<Block<'a>, StorageFailure> {
        let halves = self.halves.map(|halves| halves.bytes()).transpose()?;
        Block::parse(self.rows.bytes()?, halves, self.dims)
    }

    /// This block, marked as verified by the caller, so that its checksums are not computed again.
    #[must_use]
    pub(crate) fn sound(self) -> Self {
        Self { rows: self.rows.sound(), halves: self.halves.map(SummedValue::sound), ..self }
    }

    /// Estimated number of rows, from the size of the value.
    pub(crate) fn rows_about(&self) -> usize {
        self.rows.len() / (6 + usize::from(self.dims))
    }
}

/// A block over its stored bytes. Rows are numbered from 0; the rows of one chunk are adjacent.
///
/// To read one chunk, use [`Block::rows_of`], which checks what it reads. To read all chunks, call [`Block::check`]
/// first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    dims: usize,
    places: &'a [[u8; 2]],
    scales: &'a [[u8; 4]],
    /// Steps of all rows, row after row.
    steps: &'a [u8],
    /// Float16 components of all rows; empty if the space has none.
    halves: &'a [u8],
    /// An upper bound of every row's residual.
    pub(crate) residual: f32,
}

impl<'a> Block<'a> {
    /// The block in `bytes`, with rows of `dims` components, and its float16 components in `halves`, if the space has
    /// them. Reads only the header.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Damaged`] when the length is not that of a block.
    pub(crate) fn parse(bytes: &'a [u8], halves: Option<&'a [u8]>, dims: u16) -> Result<Self, StorageFailure> {
        let dims = usize::from(dims);
        let (header, body) =
            bytes.split_at_checked(HEADER).ok_or_else(|| damaged_block(bytes.len(), "has no header"))?;
        let rows = u32_at(header, 0) as usize;
        let residual = f32::from_bits(u32_at(header, 4));
        if rows == 0 || rows.checked_mul(6 + dims) != Some(body.len()) {
            return Err(damaged_block(bytes.len(), &format!("cannot hold {rows} vectors of {dims} components")));
        }
        if halves.is_some_and(|halves| halves.len() != rows * dims * 2) {
            let reason = format!("has not the {rows} vectors of {dims} components of its float16 values");
            return Err(damaged_block(bytes.len(), &reason));
        }
        let (places, body) = body.split_at(rows * 2);
        let (scales, steps) = body.split_at(rows * 4);
        let (places, scales) = (places.as_chunks().0, scales.as_chunks().0);
        let block = Self { dims, places, scales, steps, halves: halves.unwrap_or_default(), residual };
        if !(residual.is_finite() && residual >= 0.0) {
            return Err(block.lacks_a_length());
        }
        Ok(block)
    }

    /// Checks that all places and scales are valid. Reads 6 bytes per row, many at once, in a few hundred nanoseconds.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Damaged`] when one is not.
    pub(crate) fn check(&self) -> Result<(), StorageFailure> {
        // Neither loop exits early, so that the compiler can vectorise it.
        let pairs = self.places.iter().zip(&self.places[1..]);
        let is_ascending = pairs.fold(true, |is, (a, b)| is & (u16::from_le_bytes(*a) <= u16::from_le_bytes(*b)));
        if !is_ascending || u32::from(self.place(self.rows() - 1)) >= BLOCK_CHUNKS {
            return Err(self.has_other_chunks());
        }
        let most = self.scales.iter().fold(0, |most, scale| u32::from_le_bytes(*scale).max(most));
        if !is_length(most) {
            return Err(self.lacks_a_length());
        }
        Ok(())
    }

    /// Number of rows; at least 1.
    pub(crate) fn rows(&self) -> usize {
        self.places.len()
    }

    /// Place of the chunk of the row `at`: its chunk number minus the first one of the block.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.places[at])
    }

    /// Scale of the row `at`; 0 for a zero vector.
    #[inline]
    pub(crate) fn scale(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.scales[at])
    }

    /// Places of all rows, little-endian.
    pub(crate) fn places(&self) -> &'a [[u8; 2]] {
        self.places
    }

    /// Scales of all rows, little-endian.
    pub(crate) fn scales(&self) -> &'a [[u8; 4]] {
        self.scales
    }

    /// Steps of the row `at`.
    pub(crate) fn row_steps(&self, at: usize) -> &'a [u8] {
        self.steps_of(at..at + 1)
    }

    /// Steps of the rows `rows`, row after row.
    pub(crate) fn steps_of(&self, rows: Range<usize>) -> &'a [u8] {
        &self.steps[rows.start * self.dims..rows.end * self.dims]
    }

    /// Float16 components of the row `at`; `None` if the space has none.
    pub(crate) fn row_halves(&self, at: usize) -> Option<&'a [u8]> {
        self.halves.get(at * self.dims * 2..(at + 1) * self.dims * 2)
    }

    /// Rows of the chunk at `place`; an empty range if it has none. Reads the places that its search passes: two of
    /// them if every chunk of the block has one row.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Damaged`] when those places, or the scales of the rows, are invalid.
    pub(crate) fn rows_of(&self, place: u16) -> Result<Range<usize>, StorageFailure> {
        let at = usize::from(place);
        let is_at = |at: usize| self.places.get(at).is_some_and(|there| u16::from_le_bytes(*there) == place);
        let (mut low, mut high) = if is_at(at) && !(at > 0 && is_at(at - 1)) { (at, at) } else { (0, self.rows()) };
        let (mut least, mut most) = (0, (BLOCK_CHUNKS - 1) as u16);
        while low < high {
            let middle = low + (high - low) / 2;
            let there = self.place(middle);
            if there < least || there > most {
                return Err(self.has_other_chunks());
            }
            if there < place { (low, least) = (middle + 1, there) } else { (high, most) = (middle, there) }
        }
        let rows = (low..self.rows()).take_while(|at| is_at(*at)).count();
        if !self.scales[low..low + rows].iter().all(|scale| is_length(u32::from_le_bytes(*scale))) {
            return Err(self.lacks_a_length());
        }
        Ok(low..low + rows)
    }

    fn has_other_chunks(&self) -> StorageFailure {
        damaged_block(self.bytes(), "has chunks that are not its own")
    }

    fn lacks_a_length(&self) -> StorageFailure {
        damaged_block(self.bytes(), "has a vector without a length")
    }

    fn bytes(&self) -> usize {
        HEADER + self.rows() * (6 + self.dims)
    }

    /// Places of the chunks that have rows, ascending.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = u16> + '_ {
        let is_first = |at: &usize| *at == 0 || self.place(*at) != self.place(*at - 1);
        (0..self.rows()).filter(is_first).map(|at| self.place(at))
    }
}

/// The values of a block: the rows, and their float16 components, which are empty if the space has none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodedBlock {
    pub(crate) rows: Vec<u8>,
    pub(crate) halves: Vec<u8>,
}

/// The block with the chunks of `kept` for which `keeps` returns true, and with `added`, which are ascending by place
/// and different from the kept ones. `None` if no row is left.
pub(crate) fn encode(
    kept: Option<&Block<'_>>,
    keeps: impl Fn(u16) -> bool,
    added: &[(u16, &[QuantisedRow])],
) -> Option<EncodedBlock> {
    enum RowOrigin<'a> {
        Kept(usize),
        Added(&'a QuantisedRow),
    }
    let old = kept.into_iter().flat_map(|block| (0..block.rows()).map(|at| (block.place(at), RowOrigin::Kept(at))));
    let new = added.iter().flat_map(|(place, rows)| rows.iter().map(|row| (*place, RowOrigin::Added(row))));
    let mut rows: Vec<(u16, RowOrigin<'_>)> = old.filter(|(place, _)| keeps(*place)).chain(new).collect();
    // Stable, so that the windows of a chunk keep their order.
    rows.sort_by_key(|(place, _)| *place);
    if rows.is_empty() {
        return None;
    }
    let kept_residual = kept.map_or(0.0, |block| block.residual);
    let residual = added.iter().flat_map(|(_, rows)| *rows).map(|row| row.residual).fold(kept_residual, f32::max);
    let mut encoded = EncodedBlock::default();
    encoded.rows.extend_from_slice(&(rows.len() as u32).to_le_bytes());
    encoded.rows.extend_from_slice(&residual.to_le_bytes());
    rows.iter().for_each(|(place, _)| encoded.rows.extend_from_slice(&place.to_le_bytes()));
    let kept = |at: usize| (kept.expect("a kept row, because its number came from the block"), at);
    for (_, row) in &rows {
        let scale = match row {
            RowOrigin::Kept(at) => kept(*at).0.scale(*at),
            RowOrigin::Added(row) => row.scale,
        };
        encoded.rows.extend_from_slice(&scale.to_le_bytes());
    }
    for (_, row) in &rows {
        match row {
            RowOrigin::Kept(at) => {
                let (block, at) = kept(*at);
                encoded.rows.extend_from_slice(block.row_steps(at));
                encoded.halves.extend_from_slice(block.row_halves(at).unwrap_or_default());
            }
            RowOrigin::Added(row) => {
                encoded.rows.extend_from_slice(&row.steps);
                row.halves.iter().for_each(|half| encoded.halves.extend_from_slice(&half.to_le_bytes()));
            }
        }
    }
    Some(encoded)
}

fn damaged_block(bytes: usize, reason: &str) -> StorageFailure {
    StorageFailure::Damaged(format!("a block of {bytes} bytes {reason}"))
}

/// Whether the bits are those of a float32 that is not negative, infinite or NaN. Such bits compare in the order of
/// their values.
fn is_length(bits: u32) -> bool {
    bits < f32::INFINITY.to_bits()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(vector: &[f32]) -> QuantisedRow {
        QuantisedRow::of(vector, true).unwrap()
    }

    fn parse(encoded: &EncodedBlock) -> Block<'_> {
        let block = Block::parse(&encoded.rows, Some(&encoded.halves), 2).unwrap();
        block.check().unwrap();
        block
    }

    /// A change of these bytes is a change of the format, which [`crate::format`] must then say.
    #[test]
    fn the_bytes_of_a_block() {
        let (two, one) = ([row(&[1.0, 0.0]), row(&[0.0, -1.0])], [row(&[0.0, 0.0])]);
        let block = encode(None, |_| true, &[(3, &two), (511, &one)]).unwrap();
        let residual = parse(&block).residual;
        assert!(residual < 1e-6);
        let scale = (1.0_f32 / 127.0).to_le_bytes();
        let mut expected = vec![3, 0, 0, 0];
        expected.extend(residual.to_le_bytes());
        expected.extend([3, 0, 3, 0, 255, 1]);
        expected.extend([scale, scale, [0; 4]].concat());
        expected.extend([127, 0, 0, -127_i8 as u8, 0, 0]);
        assert_eq!(block.rows, expected);
        assert_eq!(block.halves, [0, 0x3c, 0, 0, 0, 0, 0, 0xbc, 0, 0, 0, 0]);
    }

    #[test]
    fn chunks_come_and_go() {
        let (a, b, c) = ([row(&[1.0, 0.0])], [row(&[0.0, 1.0]), row(&[1.0, 1.0])], [row(&[-1.0, 0.0])]);
        let first = encode(None, |_| true, &[(1, &a), (7, &b)]).unwrap();
        let second = encode(Some(&parse(&first)), |place| place != 1, &[(4, &c)]).unwrap();
        assert_eq!(second, encode(None, |_| true, &[(4, &c), (7, &b)]).unwrap());
        let block = parse(&second);
        assert_eq!(block.chunks().collect::<Vec<_>>(), [4, 7]);
        assert_eq!([0, 4, 5, 7, 8].map(|place| block.rows_of(place).unwrap()), [0..0, 0..1, 1..1, 1..3, 3..3]);
        assert_eq!(encode(Some(&block), |_| false, &[]), None);
    }

    #[test]
    fn other_bytes_are_damage() {
        let rows = [row(&[1.0, 0.0]), row(&[0.5, 1.0])];
        let block = encode(None, |_| true, &[(1, &rows[..1]), (2, &rows[1..])]).unwrap();
        let reason = |rows: &[u8], halves: &[u8], dims| match Block::parse(rows, Some(halves), dims)
            .and_then(|block| block.check())
        {
            Err(StorageFailure::Damaged(reason)) => reason,
            other => panic!("{other:?}"),
        };
        for length in 0..block.rows.len() {
            reason(&block.rows[..length], &block.halves, 2);
        }
        assert_eq!(reason(&block.rows, &block.halves, 3), "a block of 24 bytes cannot hold 2 vectors of 3 components");
        reason(&block.rows, &block.halves[1..], 2);
        reason(&[0; 8], &[], 2);
        for (at, value) in [(0, 3), (3, 255), (7, 0xff), (8, 3), (11, 2), (19, 0xff)] {
            let mut rows = block.rows.clone();
            rows[at] = value;
            reason(&rows, &block.halves, 2);
        }
    }

    #[test]
    fn a_damaged_row_is_told_when_it_is_looked_for() {
        let rows = [row(&[1.0, 0.5])];
        let chunks: Vec<(u16, &[QuantisedRow])> = (0..9).map(|place| (place * 3, rows.as_slice())).collect();
        let sound = encode(None, |_| true, &chunks).unwrap();
        for at in 0..9 {
            let place = HEADER + at * 2;
            let scale = HEADER + 9 * 2 + at * 4;
            for (place_or_scale, value) in [
                (place, &[0, 2][..]),
                (place, &[255, 255]),
                (scale, &f32::NAN.to_le_bytes()),
                (scale, &f32::INFINITY.to_le_bytes()),
                (scale, &(-0.5_f32).to_le_bytes()),
            ] {
                let mut bytes = sound.rows.clone();
                bytes[place_or_scale..place_or_scale + value.len()].copy_from_slice(value);
                let block = Block::parse(&bytes, Some(&sound.halves), 2).unwrap();
                assert!(matches!(block.check(), Err(StorageFailure::Damaged(_))), "{at} {value:?}");
                assert!(matches!(block.rows_of(at as u16 * 3), Err(StorageFailure::Damaged(_))), "{at} {value:?}");
            }
        }
    }
}
