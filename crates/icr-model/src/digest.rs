//! Digests of contents (to compare definitions) and of everything that determines a fact (to know when it is out of
//! date).

use std::fmt;

/// A 64-bit FNV-1a digest, for comparing short texts inside one repository. It is not safe against texts made to
/// collide.
///
/// Constants: the 64-bit offset basis and prime of draft-eastlake-fnv.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest64(u64);

impl Default for Digest64 {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest64 {
    /// Adds one piece. Pieces are kept apart, so `["ab", "c"]` and `["a", "bc"]` give different digests.
    #[must_use]
    pub fn with(mut self, piece: &[u8]) -> Self {
        for byte in piece.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// The digest of what was added so far.
    pub fn finish(self) -> u64 {
        self.0
    }
}

/// Digest of everything that determines a fact besides the bytes of its blob: grammar, query text, parameters, and the
/// code that extracts. Two facts with equal recipes were made in the same way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipe(pub u128);

impl Recipe {
    /// The 16 bytes, big-endian.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The recipe encoded by [`Recipe::to_bytes`]; `None` when the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(u128::from_be_bytes(bytes)))
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipe({self})")
    }
}

/// Collects everything that determines a fact into a [`Recipe`] (FNV-1a, 128 bits; constants of draft-eastlake-fnv).
#[derive(Debug, Clone, Copy)]
pub struct RecipeBuilder(u128);

impl Default for RecipeBuilder {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl RecipeBuilder {
    /// Adds one named ingredient. Name and value are kept apart in the digest.
    #[must_use]
    pub fn with(mut self, name: &str, value: &[u8]) -> Self {
        let lengths = [name.len() as u64, value.len() as u64].map(u64::to_be_bytes);
        for byte in lengths.as_flattened().iter().chain(name.as_bytes()).chain(value) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// The digest of the ingredients so far. Their order matters.
    pub fn build(self) -> Recipe {
        Recipe(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ingredients_are_kept_apart() {
        let recipe = |pairs: &[(&str, &str)]| {
            pairs.iter().fold(RecipeBuilder::default(), |all, (name, value)| all.with(name, value.as_bytes())).build()
        };
        assert_ne!(recipe(&[("a", "bc")]), recipe(&[("ab", "c")]));
        assert_ne!(recipe(&[("a", "b"), ("c", "d")]), recipe(&[("c", "d"), ("a", "b")]));
        assert_ne!(Digest64::default().with(b"ab").with(b"c"), Digest64::default().with(b"a").with(b"bc"));
    }

    #[test]
    fn known_value_of_fnv_1a() {
        // FNV-1a 64 of "a" followed by the separator byte 0xff, computed by hand from the published constants.
        let expected =
            ((0xcbf2_9ce4_8422_2325_u64 ^ 0x61).wrapping_mul(0x100_0000_01b3) ^ 0xff).wrapping_mul(0x100_0000_01b3);
        assert_eq!(Digest64::default().with(b"a").finish(), expected);
    }
}
