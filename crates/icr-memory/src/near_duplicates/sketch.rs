//! Sketches: a few numbers by which near duplicates are found without comparing all texts.

use super::{folded, token_set};

/// Number of keys in a sketch. Storing a memory writes one index entry for each.
///
/// Two texts of Jaccard similarity `s` share a key with probability `1 - (1 - s^3)^4`: .98 at .85, .81 at .7, .62 at .6 and .03 at .2.
pub const SKETCH_KEYS: usize = 4;

/// Number of minimum hashes that are combined into one key.
const HASHES_PER_KEY: usize = 3;

/// FNV-1a, 64 bits (Fowler, Noll and Vo): offset basis and prime.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0000_0100_0000_01b3);

/// The golden ratio in 64 bits, which SplitMix64 (Steele, Lea and Flood) uses as its step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The keys by which near duplicates are found. Texts that share most of their words share at least one key, at the
/// same index, with the probability given at [`SKETCH_KEYS`]; other texts rarely do.
///
/// The keys are the same on every machine and in every release. The position of a key in the sketch is mixed into it,
/// so one database index can hold the keys of all positions. Cost: 12 multiplications for each distinct word.
pub fn sketch(text: &str) -> [u64; SKETCH_KEYS] {
    let mut hashes: Vec<u64> = token_set(text).iter().map(|token| hash_of(token.as_bytes())).collect();
    if hashes.is_empty() {
        // Texts without words are near only to the same text.
        hashes.push(hash_of(folded(text.trim()).as_bytes()));
    }
    std::array::from_fn(|key| {
        let numbers = key * HASHES_PER_KEY..(key + 1) * HASHES_PER_KEY;
        numbers.fold(mix_bits(key as u64), |key, number| mix_bits(key ^ least_hash(&hashes, number as u64)))
    })
}

/// The minimum of the hashes under the hash function with this number.
fn least_hash(hashes: &[u64], number: u64) -> u64 {
    let seed = mix_bits(STEP.wrapping_mul(number + 1));
    hashes.iter().map(|hash| mix_bits(hash ^ seed)).min().unwrap_or(seed)
}

fn hash_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV.1))
}

/// SplitMix64's output function: each bit of `number` changes half of the output bits on average.
fn mix_bits(number: u64) -> u64 {
    let number = number.wrapping_add(STEP);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near_duplicates::jaccard;

    /// A deterministic pseudo-random sequence.
    struct Sequence(u64);

    impl Sequence {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_add(STEP);
            mix_bits(self.0) % bound
        }
    }

    fn shares_a_key(one: &str, other: &str) -> bool {
        sketch(one).iter().zip(sketch(other)).any(|(left, right)| *left == right)
    }

    /// Pairs of texts with `words` words, of which `shared` are the same.
    fn share_of_pairs(pairs: u64, words: u64, shared: u64) -> (f64, f64) {
        let mut sequence = Sequence(7);
        let mut word = move || format!("w{}", sequence.below(u64::MAX));
        let (mut found, mut similarity) = (0, 0.0);
        for _ in 0..pairs {
            let both: Vec<String> = (0..shared).map(|_| word()).collect();
            let mut text = || {
                let own: Vec<String> = (shared..words).map(|_| word()).collect();
                [both.join(" "), own.join(" ")].join(" ")
            };
            let (one, other) = (text(), text());
            similarity = jaccard(&token_set(&one), &token_set(&other));
            found += u64::from(shares_a_key(&one, &other));
        }
        (similarity, found as f64 / pairs as f64)
    }

    #[test]
    fn near_texts_mostly_share_a_key() {
        let (similarity, found) = share_of_pairs(2_000, 17, 14);
        assert!((0.69..0.71).contains(&similarity), "{similarity}");
        assert!(found >= 0.78, "{found}");
        let (similarity, found) = share_of_pairs(2_000, 20, 15);
        assert!((0.59..0.61).contains(&similarity), "{similarity}");
        assert!(found >= 0.58, "{found}");
    }

    #[test]
    fn other_texts_rarely_share_a_key() {
        let (similarity, found) = share_of_pairs(2_000, 11, 2);
        assert!((0.09..0.11).contains(&similarity), "{similarity}");
        assert!(found <= 0.02, "{found}");
        let (_, found) = share_of_pairs(2_000, 5, 0);
        assert!(found == 0.0, "{found}");
    }

    #[test]
    fn a_sketch_never_changes() {
        let expected = format!("{:016x?}", sketch("We use SQLite for memories."));
        insta::assert_snapshot!(expected, @"[bb29b042cf118791, a61ef13f68e9256b, 16273cf84cde55fb, 2200b5ba5c7f4714]");
        assert_eq!(sketch("we use  sqlite for memories"), sketch("We use SQLite for memories."));
        assert_eq!(sketch("memories for SQLite use we"), sketch("We use SQLite for memories."));
    }

    #[test]
    fn texts_without_words_have_keys() {
        assert_eq!(sketch(""), sketch("  "));
        assert_ne!(sketch("?"), sketch("??"));
    }

    #[test]
    fn keys_of_one_sketch_differ() {
        let mut keys = sketch("one word and another").to_vec();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), SKETCH_KEYS);
    }
}
