//! Similarity of words in meaning, by the built-in model.

use icr_embed::{StaticEmbedder, StaticScratch};
use icr_rank::{RerankQuestion, WordVectors};
use rustc_hash::FxHashMap;

/// The words of one question, with a cache of comparisons.
pub(super) struct TableWordVectors {
    /// `None` when vectors are switched off.
    model: Option<&'static StaticEmbedder>,
    scratch: StaticScratch,
    /// The vectors of the question's words.
    question: Vec<Vec<f32>>,
    known: FxHashMap<String, Vec<f64>>,
    zeros: Vec<f64>,
}

impl TableWordVectors {
    pub(super) fn of(question: &RerankQuestion, model: Option<&'static StaticEmbedder>) -> Self {
        let mut scratch = StaticScratch::default();
        let vectors = model.map(|model| question.words().map(|word| vector(model, word, &mut scratch)).collect());
        Self {
            model,
            scratch,
            question: vectors.unwrap_or_default(),
            known: FxHashMap::default(),
            zeros: vec![0.0; question.words().len()],
        }
    }
}

impl WordVectors for TableWordVectors {
    fn nearness(&mut self, word: &str) -> &[f64] {
        let Some(model) = self.model else { return &self.zeros };
        if !self.known.contains_key(word) {
            let of_word = vector(model, word, &mut self.scratch);
            let near = self.question.iter().map(|asked| f64::from(dot(asked, &of_word))).collect();
            self.known.insert(word.to_owned(), near);
        }
        &self.known[word]
    }

    fn are_there(&self) -> bool {
        self.model.is_some()
    }
}

fn vector(model: &StaticEmbedder, word: &str, scratch: &mut StaticScratch) -> Vec<f32> {
    let mut vector = vec![0.0; model.dims()];
    model.embed_into(word, scratch, &mut vector);
    vector
}

/// Eight partial sums, added in a fixed order: the result is the same on every machine, and SIMD can be used.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (one, other) in one.chunks_exact(8).zip(other.chunks_exact(8)) {
        for at in 0..8 {
            sums[at] += one[at] * other[at];
        }
    }
    sums.iter().sum()
}
