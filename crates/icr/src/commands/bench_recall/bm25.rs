//! BM25 over single turns: the baseline for recall.

use std::collections::HashMap;

/// BM25 parameters k1 (saturation of repeated words) and b (weight of text length), with Robertson's usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Word counts of texts.
#[derive(Debug)]
pub(crate) struct Bm25 {
    texts: Vec<HashMap<String, f64>>,
    lengths: Vec<f64>,
    texts_with: HashMap<String, f64>,
}

impl Bm25 {
    pub(crate) fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let mut bm25 = Self { texts: Vec::new(), lengths: Vec::new(), texts_with: HashMap::new() };
        for text in texts {
            let words = words(text.as_ref());
            bm25.lengths.push(words.len() as f64);
            let mut counts: HashMap<String, f64> = HashMap::new();
            words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
            counts.keys().for_each(|word| *bm25.texts_with.entry(word.clone()).or_default() += 1.0);
            bm25.texts.push(counts);
        }
        bm25
    }

    /// The numbers of the texts that have a word of the question, best first, at most `limit`.
    pub(crate) fn best(&self, question: &str, limit: usize) -> Vec<usize> {
        let mut words = words(question);
        words.sort_unstable();
        words.dedup();
        let scores = (0..self.texts.len()).map(|no| (no, words.iter().map(|word| self.score(no, word)).sum::<f64>()));
        let mut scored: Vec<(usize, f64)> = scores.filter(|(_, score)| *score > 0.0).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.into_iter().take(limit).map(|(no, _)| no).collect()
    }

    fn score(&self, no: usize, word: &str) -> f64 {
        let Some(count) = self.texts[no].get(word) else { return 0.0 };
        let total = self.texts.len() as f64;
        let with_word = self.texts_with.get(word).copied().unwrap_or_default();
        let rarity = (1.0 + (total - with_word + 0.5) / (with_word + 0.5)).ln();
        let average = self.lengths.iter().sum::<f64>() / total;
        rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * self.lengths[no] / average))
    }
}

/// The words of a text in lower case, in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_and_long_texts_less() {
        let bm25 = Bm25::new(["the lock", "the lock and the log and the rest of it", "the disk", ""]);
        assert_eq!(bm25.best("The LOCK?", 10), [0, 1, 2]);
        assert_eq!(bm25.best("log", 10), [1]);
        assert_eq!(bm25.best("the", 1), [0]);
        assert!(bm25.best("nothing", 10).is_empty());
    }
}
