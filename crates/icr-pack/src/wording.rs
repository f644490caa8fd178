//! Whether two texts say the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::terms::whole_words;

/// What is compared of a text.
pub(crate) struct Wording {
    /// Hashes of its words, each once, ascending.
    words: Vec<u64>,
    /// Hash of the text without white space.
    squeezed: u64,
}

impl Wording {
    /// Of `text`. Cost: a pass over it.
    pub(crate) fn of(text: &str) -> Self {
        let mut words: Vec<u64> = whole_words(text).map(|range| hash(&text[range])).collect();
        words.sort_unstable();
        words.dedup();
        let squeezed: String = text.split_whitespace().collect();
        Self { words, squeezed: hash(&squeezed) }
    }

    /// Words in common over words in either, in `0.0..=1.0`; 1 for texts that differ in white space at most.
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        if self.squeezed == other.squeezed {
            return 1.0;
        }
        let (mut at, mut there, mut common) = (0, 0, 0_usize);
        while at < self.words.len() && there < other.words.len() {
            let (own, others) = (self.words[at], other.words[there]);
            common += usize::from(own == others);
            at += usize::from(own <= others);
            there += usize::from(others <= own);
        }
        let either = self.words.len() + other.words.len() - common;
        if either == 0 { 0.0 } else { common as f64 / either as f64 }
    }
}

/// Deterministic: the keys of this hasher are fixed.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_alike_by_their_words() {
        let similarity = |one: &str, other: &str| Wording::of(one).similarity(&Wording::of(other));
        assert_eq!(similarity("fn open() {}", "fn  open()\n{}"), 1.0);
        assert_eq!(similarity("open the file", "open the door"), 0.5);
        assert_eq!(similarity("", ""), 1.0);
        assert_eq!(similarity("{}", "()"), 0.0);
    }
}
