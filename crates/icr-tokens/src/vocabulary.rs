//! The tokens of o200k_base as a table that is looked up where it lies in the program.
//!
//! Reading it costs nothing: there is nothing to parse or to allocate, and the system loads only pages that are looked at. It
//! is a perfect hash table, so a look-up reads one slot whether there is such a token or not, and compares bytes only where 17
//! bits of the hash agree.

use std::ops::Range;

/// Place of a token in the order in which tokens are merged; a lower one is merged first.
pub(crate) type Rank = u32;

/// Bytes of the longest token, 128 spaces.
pub(crate) const MAX_TOKEN_BYTES: usize = 128;

/// Groups of tokens by hash, of 1.5 tokens: with half as many, some would find no pilot among 256.
const BUCKETS_TOTAL: usize = 1 << 17;
/// Places for tokens. One of 16 is free, so that the last buckets find a pilot.
const SLOTS_TOTAL: usize = 13 << 14;

/// The table: a pilot of one byte for each bucket, the slots of eight bytes each, and the bytes of the tokens, of which the same
/// bytes may be of several.
///
/// The pilot of a bucket is a number that leads each of its tokens to a slot of its own. Slots are little-endian, see [`Slot`].
/// The tests write it from tiktoken-rs: as a build dependency, that would cost a minute of each clean build.
static TABLE: &[u8] = include_bytes!("../assets/o200k_base.table");
static PILOTS: &[u8] = TABLE.split_at(BUCKETS_TOTAL).0;
static SLOTS: &[[u8; 8]] = TABLE.split_at(BUCKETS_TOTAL).1.as_chunks().0.split_at(SLOTS_TOTAL).0;
static BYTES: &[u8] = TABLE.split_at(BUCKETS_TOTAL + SLOTS_TOTAL * size_of::<Slot>()).1;

/// Rank of the token of exactly these bytes; `None` where there is no such token.
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

/// A token: from the lowest bit, 18 bits of rank, 21 bits of where its bytes begin, 8 bits of how many they are, 17 bits of its
/// hash. A free slot has no bytes.
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

    /// Whether length and hash are those of a token with these.
    fn resembles(self, hash: u64, length: usize) -> bool {
        self.0 >> Self::LENGTH_AT == (hash << Self::HASH_AT >> Self::LENGTH_AT | length as u64)
    }
}

/// Odd numbers without pattern: the fractions of the golden ratio, and of square roots of 2 and 3.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Hash of the bytes of a token, by products of 128 bits that are folded, as in wyhash.
///
/// It is no defence against inputs that collide: a look-up costs the same for all.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    // All bits of the seed depend on the length, or it would cancel out against one bit of the bytes.
    let seed = (bytes.len() as u64).wrapping_mul(FACTORS[0]);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Both halves of what remains may overlap.
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

/// How often tokens were looked up, so that tests can bound work without a clock.
#[cfg(test)]
pub(crate) mod lookups {
    use std::cell::Cell;

    thread_local! {
        static TOTAL: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        TOTAL.set(TOTAL.get() + 1);
    }

    /// Look-ups that `work` does.
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

    /// Tokens without special ones: ranks are below.
    const TOKENS_TOTAL: usize = 199_998;

    /// The bytes of all tokens, by rank.
    static TOKENS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let tiktoken = tiktoken_rs::o200k_base_singleton();
        (0..TOKENS_TOTAL as Rank).map(|rank| tiktoken.decode_bytes(&[rank]).expect("every rank has a token")).collect()
    });

    /// The bytes of all tokens, and where those of each begin. A token that begins or ends another has no bytes of its own.
    fn shared_bytes() -> (Vec<u8>, Vec<usize>) {
        let mut ranks: Vec<usize> = (0..TOKENS_TOTAL).collect();
        // Where a token lies: in another one, so many bytes behind its start.
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
        // What has a low rank is used most: together it takes fewer pages.
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
        // While there is much room, the buckets that need most.
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
