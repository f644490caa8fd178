//! Keys of stored values: the tables that share one database, and the layout of their keys.

use icr_model::Recipe;

/// Name of the database for everything except the contents of the two databases below.
pub(crate) const ROWS: &str = "rows";

/// Name of the database from (space, digest of a text) to a chunk that has it.
pub(crate) const CONTENTS: &str = "contents";

/// Name of the database of arroy's trees. arroy defines its keys; the number of a space is arroy's index number.
pub(crate) const TREES: &str = "trees";

/// Key of the value one above the highest chunk number that was ever committed, 4 bytes little-endian.
pub(crate) const MARK: &[u8] = &[0, 0];

/// Key of the value of [`crate::format`] when the files were created.
pub(crate) const FORMAT: &[u8] = &[0, 1];

/// A table of values by space and block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Quantised rows ([`crate::block`]).
    Rows = 2,
    /// Their float16 components.
    Halves = 3,
    /// Digests of the texts of chunks: place (2 bytes) and digest (16), ascending by place.
    Digests = 4,
    /// For each chunk of the block one bit: whether the trees contain its rows.
    Indexed = 5,
    /// The chunks of each item of the trees, under block 0.
    Items = 6,
}

impl Table {
    /// All tables.
    pub(crate) const ALL: [Self; 5] = [Self::Rows, Self::Halves, Self::Digests, Self::Indexed, Self::Items];
}

/// Key of a block of a space; keys ascend with spaces, then blocks.
pub(crate) fn block_key(table: Table, space_no: u16, block_no: u32) -> [u8; 7] {
    let ([a, b], [c, d, e, f]) = (space_no.to_be_bytes(), block_no.to_be_bytes());
    [table as u8, a, b, c, d, e, f]
}

/// Prefix of the keys of all blocks of a space.
pub(crate) fn blocks_prefix(table: Table, space_no: u16) -> [u8; 3] {
    let [a, b] = space_no.to_be_bytes();
    [table as u8, a, b]
}

/// The block of a key made by [`block_key`].
pub(crate) fn block_no(key: &[u8]) -> Option<u32> {
    let number: &[u8; 4] = key.get(3..)?.try_into().ok()?;
    Some(u32::from_be_bytes(*number))
}

/// Prefix of the keys of all spaces.
pub(crate) const SPACES: &[u8] = &[1];

/// Key of a space.
pub(crate) fn space_key(recipe: Recipe) -> [u8; 17] {
    let mut key = [1; 17];
    key[1..].copy_from_slice(&recipe.to_bytes());
    key
}

/// The space of a key made by [`space_key`].
pub(crate) fn space_recipe(key: &[u8]) -> Option<Recipe> {
    Recipe::from_bytes(key.get(1..)?)
}

/// Key of a text's digest in a space.
pub(crate) fn content_key(space_no: u16, content: u128) -> [u8; 18] {
    let mut key = [0; 18];
    key[..2].copy_from_slice(&space_no.to_be_bytes());
    key[2..].copy_from_slice(&content.to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_back_and_ascend() {
        assert_eq!(block_no(&block_key(Table::Rows, 7, 0x0102_0304)), Some(0x0102_0304));
        assert_eq!(block_no(&[2, 0, 0, 1]), None);
        assert_eq!(space_recipe(&space_key(Recipe(9))), Some(Recipe(9)));
        assert_eq!(space_recipe(SPACES), None);
        let keys =
            [(0, 0), (0, 255), (0, 256), (1, 0), (256, 0)].map(|(space, block)| block_key(Table::Rows, space, block));
        assert!(keys.is_sorted() && keys.iter().all(|key| key.len() == 7));
        assert!(keys[3].starts_with(&blocks_prefix(Table::Rows, 1)));
    }
}
