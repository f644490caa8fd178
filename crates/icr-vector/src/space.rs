//! Vector spaces: each contains the vectors of one model.

use icr_model::{ChunkNo, Recipe};

use crate::error::{Error, StorageFailure};
use crate::row::QuantisedRow;

/// Most windows of one chunk: 256 windows of 256 word pieces are more than 100 KB of text, larger than any chunk.
pub(crate) const MOST_WINDOWS: usize = 256;

/// Most vector spaces in one store; the number of a space has two bytes.
pub(crate) const MOST_SPACES: usize = u16::MAX as usize;

/// The vectors of one model. Vectors of two spaces are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Digest of everything that determines the vectors; it identifies the space.
    pub recipe: Recipe,
    /// Number of components of a vector; at least 1.
    pub dims: u16,
    /// How a vector is stored.
    pub form: VectorEncoding,
    /// Whether a chunk's vectors can be found by the digest of its text ([`crate::VectorReader::chunk_with`]). Costs 50
    /// bytes per chunk; worth it if computing a vector costs more than a look-up.
    pub by_content: bool,
}

/// How a vector is stored. Only directions are: every vector is normalised to length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorEncoding {
    /// Quantised to 127 steps in each direction, with a scale: `dims + 6` bytes.
    Scaled,
    /// Quantised for the scan, and in float16 for exact scores: `3 * dims + 6` bytes.
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

/// A space and its size, for users and for garbage collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceStatus {
    /// The space.
    pub space: Space,
    /// Number of chunks with vectors, in any view.
    pub chunks: u64,
    /// Number of vectors: one for each window of a chunk, so at least one per chunk.
    pub rows: u64,
    /// Size of the rows in bytes, without the trees of an index.
    pub bytes: u64,
    /// Number of chunks in the trees of an index, as built by [`crate::VectorWriter::build_index`]; `None` without
    /// trees.
    pub chunks_indexed: Option<u64>,
    /// Last recorded time of use, in seconds since 1970; `None` if none was recorded.
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

/// Checks that a vector of `given` components fits `space`.
pub(crate) fn check_dims(space: &Space, given: usize) -> Result<(), Error> {
    if given == 0 || given != usize::from(space.dims) {
        return Err(Error::Dimensions { space: space.recipe, expected: space.dims, given });
    }
    Ok(())
}

/// Checks that vectors of `given` can be stored in `stored`, which has the same recipe.
pub(crate) fn check_same(stored: &Space, given: &Space) -> Result<(), Error> {
    check_dims(stored, usize::from(given.dims))?;
    if stored.form != given.form {
        return Err(Error::Form { space: given.recipe, expected: stored.form, given: given.form });
    }
    Ok(())
}

/// A space as stored in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredSpace {
    /// Number of the space in the keys of its rows.
    pub(crate) no: u16,
    pub(crate) space: Space,
    /// Last recorded time of use, in seconds since 1970; 0 if none was recorded.
    pub(crate) last_used_s: u64,
    /// Whether there are trees.
    pub(crate) has_index: bool,
}

impl StoredSpace {
    /// Last recorded time of use, in seconds since 1970; `None` if none was recorded.
    pub(crate) fn used_s(&self) -> Option<u64> {
        (self.last_used_s > 0).then_some(self.last_used_s)
    }

    /// The bytes of its row. The recipe is not included, since it is the key.
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

    /// Decodes the row that [`StoredSpace::to_bytes`] made for `recipe`.
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
