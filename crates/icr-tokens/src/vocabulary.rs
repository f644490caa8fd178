//! The tokens of o200k_base as a hash table that is read in place inside the program.
//!
//! Loading costs nothing: nothing is parsed or allocated, and the operating system loads only the pages that are read.
//! It is a perfect hash table, so a look-up reads one slot whether the token exists or not. It compares bytes only if
//! 17 bits of the hash agree.

use std::ops::Range;

/// The position of a token in the merge order; a lower rank is merged first.
pub(crate) type Rank = u32;

/// Bytes of the longest token, 128 spaces.
pub(crate) const MAX_TOKEN_BYTES: usize = 128;

/// Number of buckets: groups of 1.5 tokens on average, by hash. With half as many buckets, some would find no pilot
/// among the 256 values.
const BUCKETS_TOTAL: usize = 1 << 17;
/// Number of slots. One in 16 is free, so that the last buckets still find a pilot.
const SLOTS_TOTAL: usize = 13 << 14;

/// The table: a pilot of one byte for each bucket, the slots of eight bytes each, and the bytes of the tokens. Tokens
/// may share bytes.
///
/// The pilot of a bucket is a number that gives each of its tokens a slot of its own. Slots are little-endian, see
/// [`Slot`]. The tests write the table from tiktoken-rs: as a build dependency, that would add a minute to each clean
/// build.
static TABLE: &[u8] = include_bytes!("../assets/o200k_base.table");
static PILOTS: &[u8] = TABLE.split_at(BUCKETS_TOTAL).0;
static SLOTS: &[[u8; 8]] = TABLE.split_at(BUCKETS_TOTAL).1.as_chunks().0.split_at(SLOTS_TOTAL).0;
static BYTES: &[u8] = TABLE.split_at(BUCKETS_TOTAL + SLOTS_TOTAL * size_of::<Slot>()).1;

/// Rank of the token with exactly these bytes; `None` if there is no such token.
#[inline]
pub(crate) fn rank_of(bytes: &[u8]) -> Option<Rank> {
    #[cfg(test)]
    lookups::count();
    if bytes.len() > MAX_TOKEN_BYTES {
        return None;
    }
    let hash = hash(bytes);
    let slot = Slot(u64::from_le_bytes(SLOTS[slot_at(hash, PILOTS[bucket_at(hash)])]));
    let is_it = slot.resembles(hash, bytes.len()) && BYTES[slot.bytes()] == *bytes;
    is_it.then(|| slot.rank())
}

/// One token. From the lowest bit: 18 bits of rank, 21 bits of the offset of its bytes, 8 bits of its length, 17 bits
/// of its hash. A free slot has length 0.
#[derive(Clone, Copy)]
struct Slot(u64);

impl Slot {
    const START_AT: u32 = 18;
    const LENGTH_AT: u32 = 39;
    const HASH_AT: u32 = 47;

    fn rank(self) -> Rank {
        (self.0 & 0x3_ffff) as Rank
    }

    fn bytes(self) -> Range<usize> {
        let start = (self.0 >> Self::START_AT & 0x1f_ffff) as usize;
        start..start + (self.0 >> Self::LENGTH_AT & 0xff) as usize
    }

    /// Whether the slot has this length and this hash.
    fn resembles(self, hash: u64, length: usize) -> bool {
        self.0 >> Self::LENGTH_AT == (hash << Self::HASH_AT >> Self::LENGTH_AT | length as u64)
    }
}

/// Odd numbers without a pattern: the fractions of the golden ratio, and of the square roots of 2 and 3.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Hash of the bytes of a token, by products of 128 bits that are folded, as in wyhash.
///
/// It does not protect against inputs that collide, because every look-up costs the same.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    // All bits of the seed depend on the length. Otherwise the length could cancel out against one bit of the bytes.
    let seed = (bytes.len() as u64).wrapping_mul(FACTORS[0]);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The two halves of the remaining bytes may overlap.
        let mut state = seed;
        let (whole, _) = bytes[..bytes.len() - 1].as_chunks::<8>();
        for chunk in whole.iter().skip(1) {
            state = fold(state ^ u64::from_le_bytes(*chunk), FACTORS[1]);
        }
        return fold(state ^ u64::from_le_bytes(*first), FACTORS[1] ^ u64::from_le_bytes(*last));
    }
    let word = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => match *bytes {
            [] => 0,
            [a] => u64::from(a),
            [a, b] => u64::from(a) | u64::from(b) << 8,
            [a, b, c, ..] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        },
    };
    fold(seed ^ word, FACTORS[1])
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn bucket_at(hash: u64) -> usize {
    (hash >> (u64::BITS - BUCKETS_TOTAL.ilog2())) as usize
}

#[inline]
fn slot_at(hash: u64, pilot: u8) -> usize {
    let mixed = (hash ^ u64::from(pilot).wrapping_mul(FACTORS[2])).wrapping_mul(FACTORS[0]);
    (((mixed >> 32) * SLOTS_TOTAL as u64) >> 32) as usize
}

/// Counts look-ups, so that tests can bound the work without a clock.
#[cfg(test)]
pub(crate) mod lookups {
    use std::cell::Cell;

    thread_local! {
        static TOTAL: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        TOTAL.set(TOTAL.get() + 1);
    }

    /// Number of look-ups that `work` does.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, u64) {
        let before = TOTAL.get();
        let value = work();
        (value, TOTAL.get() - before)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::asset;
    use crate::merge::merged_ends;

    /// Number of tokens without the special ones. All ranks are below it.
    const TOKENS_TOTAL: usize = 199_998;

    /// The bytes of all tokens, by rank.
    static TOKENS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let tiktoken = tiktoken_rs::o200k_base_singleton();
        (0..TOKENS_TOTAL as Rank).map(|rank| tiktoken.decode_bytes(&[rank]).expect("every rank has a token")).collect()
    });

    /// The bytes of all tokens, and the offset of each token in them. A token that is a prefix or suffix of another one
    /// has no bytes of its own.
    fn shared_bytes() -> (Vec<u8>, Vec<usize>) {
        let mut ranks: Vec<usize> = (0..TOKENS_TOTAL).collect();
        // Where a token's bytes are: in which other token, and how many bytes behind its start.
        let mut inside: Vec<Option<(usize, usize)>> = vec![None; TOKENS_TOTAL];
        ranks.sort_unstable_by_key(|rank| &TOKENS[*rank]);
        for pair in ranks.windows(2).filter(|pair| TOKENS[pair[1]].starts_with(&TOKENS[pair[0]])) {
            inside[pair[0]] = Some((pair[1], 0));
        }
        ranks.retain(|rank| inside[*rank].is_none());
        ranks.sort_by_cached_key(|rank| TOKENS[*rank].iter().rev().copied().collect::<Vec<u8>>());
        for pair in ranks.windows(2).filter(|pair| TOKENS[pair[1]].ends_with(&TOKENS[pair[0]])) {
            inside[pair[0]] = Some((pair[1], TOKENS[pair[1]].len() - TOKENS[pair[0]].len()));
        }
        ranks.retain(|rank| inside[*rank].is_none());
        // Tokens of low rank are used most; keeping them together touches fewer pages.
        ranks.sort_unstable();
        let (mut bytes, mut starts) = (Vec::new(), vec![0; TOKENS_TOTAL]);
        for rank in ranks {
            starts[rank] = bytes.len();
            bytes.extend(&TOKENS[rank]);
        }
        for rank in 0..TOKENS_TOTAL {
            let (mut outer, mut skipped) = (rank, 0);
            while let Some((next, further)) = inside[outer] {
                (outer, skipped) = (next, skipped + further);
            }
            starts[rank] = starts[outer] + skipped;
        }
        (bytes, starts)
    }

    fn table() -> Vec<u8> {
        let hashes: Vec<u64> = TOKENS.iter().map(|token| hash(token)).collect();
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); BUCKETS_TOTAL];
        for (rank, hash) in hashes.iter().enumerate() {
            buckets[bucket_at(*hash)].push(rank);
        }
        // Places the largest buckets first, while there is much room.
        let mut order: Vec<usize> = (0..BUCKETS_TOTAL).collect();
        order.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
        let (mut pilots, mut ranks) = (vec![0_u8; BUCKETS_TOTAL], vec![None; SLOTS_TOTAL]);
        for bucket in order {
            let slots_by = |pilot: u8| -> Vec<usize> {
                let mut slots: Vec<usize> = buckets[bucket].iter().map(|rank| slot_at(hashes[*rank], pilot)).collect();
                slots.sort_unstable();
                slots.dedup();
                slots
            };
            let fits = |pilot: &u8| {
                let slots = slots_by(*pilot);
                slots.len() == buckets[bucket].len() && slots.iter().all(|slot| ranks[*slot].is_none())
            };
            let pilot = (0..=u8::MAX).find(fits).expect("a pilot fits, or the hash needs other factors");
            pilots[bucket] = pilot;
            for rank in &buckets[bucket] {
                ranks[slot_at(hashes[*rank], pilot)] = Some(*rank);
            }
        }
        let (bytes, starts) = shared_bytes();
        let slot_of = |rank: usize| {
            let (start, length) = (starts[rank] as u64, TOKENS[rank].len() as u64);
            let slot = rank as u64 | start << Slot::START_AT | length << Slot::LENGTH_AT;
            slot | hashes[rank] << Slot::HASH_AT
        };
        let slots = ranks.iter().map(|rank| rank.map_or(0, slot_of));
        let mut table = pilots;
        slots.for_each(|slot| table.extend(slot.to_le_bytes()));
        table.extend(bytes);
        table
    }

    #[test]
    fn the_table_is_that_of_tiktoken() {
        asset::check("o200k_base.table", &table(), TABLE);
    }

    #[test]
    fn every_token_is_found_with_its_rank() {
        for (rank, token) in (0..).zip(&*TOKENS) {
            assert_eq!(rank_of(token), Some(rank), "{:?}", String::from_utf8_lossy(token));
        }
        assert_eq!(TOKENS.iter().map(Vec::len).max(), Some(MAX_TOKEN_BYTES));
        assert!((0..=u8::MAX).all(|byte| rank_of(&[byte]).is_some()), "every byte is a token");
    }

    #[test]
    fn every_token_is_what_its_bytes_are_merged_to() {
        let mut ends = Vec::new();
        for token in &*TOKENS {
            ends.clear();
            merged_ends(token, &mut ends);
            assert_eq!(ends, [token.len() as u32], "{:?}", String::from_utf8_lossy(token));
        }
    }

    #[test]
    fn what_is_no_token_is_not_found() {
        let known: std::collections::HashSet<&[u8]> = TOKENS.iter().map(Vec::as_slice).collect();
        assert_eq!(rank_of(b""), None);
        for token in &*TOKENS {
            let mut other = token.clone();
            other.push(b'e');
            assert_eq!(rank_of(&other).is_some(), known.contains(&other[..]), "{other:?}");
            other.pop();
            *other.last_mut().expect("tokens have bytes") ^= 1;
            assert_eq!(rank_of(&other).is_some(), known.contains(&other[..]), "{other:?}");
        }
    }
}
