//! Vector spaces: what the vectors of one model are kept under.

use icr_model::{ChunkNo, Recipe};

use crate::error::{Error, StorageFailure};
use crate::row::QuantisedRow;

/// Most windows of one chunk: 256 windows of 256 word pieces are a text of more than 100 KB, beyond any chunk.
pub(crate) const MOST_WINDOWS: usize = 256;

/// Most vector spaces in one store: a space has a number of two bytes.
pub(crate) const MOST_SPACES: usize = u16::MAX as usize;

/// The vectors of one model. Vectors of two spaces are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Digest of everything that shapes the vectors; names the space.
    pub recipe: Recipe,
    /// Components of a vector; at least 1.
    pub dims: u16,
    /// How a vector is kept.
    pub form: VectorEncoding,
    /// Whether a chunk's vectors can be found by the digest of its text ([`crate::VectorReader::chunk_with`]), at 50 bytes a
    /// chunk. Worth it where a vector costs more than a look-up.
    pub by_content: bool,
}

/// How a vector is kept. Only directions are: a vector of another length is brought to length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorEncoding {
    /// 127 steps to each side and a scale are the vector: `dims + 6` bytes.
    Scaled,
    /// Steps for the scan, and float16 for exact scores: `3 * dims + 6` bytes.
    ScaledAndHalf,
}

impl VectorEncoding {
    fn code(self) -> u8 {
        match self {
            Self::Scaled => 0,
            Self::ScaledAndHalf => 1,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        [Self::Scaled, Self::ScaledAndHalf].into_iter().find(|form| form.code() == code)
    }
}

/// A space and what it holds, for a person and for the collection of garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceStatus {
    /// The space.
    pub space: Space,
    /// Chunks with vectors, whatever view they belong to.
    pub chunks: u64,
    /// Vectors: at least one a chunk, one for each of its windows.
    pub rows: u64,
    /// Bytes of rows, without the trees of an index.
    pub bytes: u64,
    /// Chunks that the trees of an index know, with [`crate::VectorWriter::build_index`]; `None` without trees.
    pub chunks_indexed: Option<u64>,
    /// When it was last said to be in use, in seconds since 1970; `None` when never.
    pub last_used_s: Option<u64>,
}

/// Rows of `windows`, the vectors of `chunk`.
///
/// # Errors
///
/// [`Error::Chunk`], [`Error::Dimensions`] or [`Error::NotFinite`] when they cannot be stored in `space`.
pub(crate) fn rows_of(space: &Space, chunk: ChunkNo, windows: &[&[f32]]) -> Result<Vec<QuantisedRow>, Error> {
    if windows.is_empty() {
        return Err(Error::Chunk { chunk, reason: "it has no window; a chunk has a vector at least" });
    }
    if windows.len() > MOST_WINDOWS {
        return Err(Error::Chunk { chunk, reason: "it has more than 256 windows" });
    }
    let row = |window: &&[f32]| {
        check_dims(space, window.len())?;
        QuantisedRow::of(window, space.form == VectorEncoding::ScaledAndHalf)
    };
    windows.iter().map(row).collect()
}

/// That a vector of `given` components fits `space`.
pub(crate) fn check_dims(space: &Space, given: usize) -> Result<(), Error> {
    if given == 0 || given != usize::from(space.dims) {
        return Err(Error::Dimensions { space: space.recipe, expected: space.dims, given });
    }
    Ok(())
}

/// That vectors of `given` can be stored as `stored`, which has its recipe.
pub(crate) fn check_same(stored: &Space, given: &Space) -> Result<(), Error> {
    check_dims(stored, usize::from(given.dims))?;
    if stored.form != given.form {
        return Err(Error::Form { space: given.recipe, expected: stored.form, given: given.form });
    }
    Ok(())
}

/// A space as its row says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredSpace {
    /// Number under which its rows are.
    pub(crate) no: u16,
    pub(crate) space: Space,
    /// Seconds since 1970; 0 when never said.
    pub(crate) last_used_s: u64,
    /// Whether there are trees.
    pub(crate) has_index: bool,
}

impl StoredSpace {
    /// When it was last noted to be in use, in seconds since 1970.
    pub(crate) fn used_s(&self) -> Option<u64> {
        (self.last_used_s > 0).then_some(self.last_used_s)
    }

    /// The bytes of its row, without the recipe, which is the key.
    pub(crate) fn to_bytes(self) -> [u8; 15] {
        let mut bytes = [0; 15];
        bytes[..2].copy_from_slice(&self.no.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.space.dims.to_le_bytes());
        bytes[4] = self.space.form.code();
        bytes[5] = u8::from(self.space.by_content);
        bytes[6] = u8::from(self.has_index);
        bytes[7..].copy_from_slice(&self.last_used_s.to_le_bytes());
        bytes
    }

    /// The space that [`StoredSpace::to_bytes`] gave for `recipe`.
    pub(crate) fn from_bytes(recipe: Recipe, bytes: &[u8]) -> Result<Self, StorageFailure> {
        let damaged = || StorageFailure::Damaged(format!("the row of the space {recipe} makes no sense"));
        let bytes: &[u8; 15] = bytes.try_into().map_err(|_| damaged())?;
        let dims = u16::from_le_bytes([bytes[2], bytes[3]]);
        let form = VectorEncoding::from_code(bytes[4]).ok_or_else(damaged)?;
        if dims == 0 || bytes[5] > 1 || bytes[6] > 1 {
            return Err(damaged());
        }
        let mut last_used = [0; 8];
        last_used.copy_from_slice(&bytes[7..]);
        Ok(Self {
            no: u16::from_le_bytes([bytes[0], bytes[1]]),
            space: Space { recipe, dims, form, by_content: bytes[5] == 1 },
            last_used_s: u64::from_le_bytes(last_used),
            has_index: bytes[6] == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_survives_its_bytes_and_other_bytes_are_damage() {
        let recipe = Recipe(7);
        for (form, by_content, has_index) in
            [(VectorEncoding::Scaled, false, true), (VectorEncoding::ScaledAndHalf, true, false)]
        {
            let space = Space { recipe, dims: 384, form, by_content };
            let stored = StoredSpace { no: 3, space, last_used_s: u64::MAX - 1, has_index };
            assert_eq!(StoredSpace::from_bytes(recipe, &stored.to_bytes()).unwrap(), stored);
            for (at, value) in [(4, 2), (5, 2), (6, 9)] {
                let mut bytes = stored.to_bytes();
                bytes[at] = value;
                assert!(StoredSpace::from_bytes(recipe, &bytes).is_err(), "{at}");
            }
            assert!(StoredSpace::from_bytes(recipe, &stored.to_bytes()[1..]).is_err());
        }
        assert!(StoredSpace::from_bytes(recipe, &[0; 15]).is_err(), "no dimensions");
    }
}
