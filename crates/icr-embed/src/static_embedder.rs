//! The embedder that is always there: a text is the sum of the rows of its tokens.

use std::sync::LazyLock;

use crate::static_table::{StaticTable, TableError};
use crate::wordpiece::{Splitting, WordCache, WordPiece};
use crate::{Descriptor, Embedder, Error, Pooling};

/// The table that is part of the program; see `assets/NOTICE` beside it for where it comes from.
static BUILT_IN: &[u8] = include_bytes!("../assets/static.table");

/// How texts become vectors, as far as the table does not say it: part of the revision, and so of the name of the vector space.
const RULES: &str = "code splitting, root of counts, 1";

/// Vectors from a table of tokens: a text is the sum over its distinct tokens of the root of their count times their row, at
/// length 1. Needs no runtime, no model file and no network. One thread reads some 50,000 chunks of 30 lines in a second.
#[derive(Debug)]
pub struct StaticEmbedder {
    descriptor: Descriptor,
    table: StaticTable,
    word_piece: WordPiece,
}

/// Memory that [`StaticEmbedder::embed_into`] keeps from text to text, one for each thread: the words it has seen, and room
/// to count. About 4 MB after much code, 20 MB at most.
#[derive(Debug, Default)]
pub struct StaticScratch {
    words: WordCache,
    ids: Vec<u32>,
    /// By row; all zero between two texts.
    counts: Vec<u32>,
}

impl StaticEmbedder {
    /// The embedder with the table of the program. The first call reads its vocabulary, which takes some milliseconds.
    pub fn built_in() -> &'static Self {
        static EMBEDDER: LazyLock<StaticEmbedder> = LazyLock::new(|| {
            StaticTable::parse(BUILT_IN)
                .and_then(StaticEmbedder::new)
                .expect("the table in the program is whole because a test reads it")
        });
        &EMBEDDER
    }

    /// The embedder of a table.
    ///
    /// # Errors
    ///
    /// [`TableError::Vocabulary`] when its pieces are no vocabulary.
    pub fn new(table: StaticTable) -> Result<Self, TableError> {
        let word_piece =
            WordPiece::from_vocabulary(table.pieces()).map_err(|_| TableError::Vocabulary("has a piece twice"))?;
        let descriptor = Descriptor {
            name: "static".to_owned(),
            revision: format!("{}, {RULES}", table.digest()),
            dims: table.dims() as u16,
            window: None,
            pooling: Pooling::RootCount,
            query_prefix: String::new(),
            passage_prefix: String::new(),
        };
        Ok(Self { descriptor, table, word_piece })
    }

    /// Length of a vector.
    pub fn dims(&self) -> usize {
        self.table.dims()
    }

    /// The table that the vectors are made of.
    pub fn table(&self) -> &StaticTable {
        &self.table
    }

    /// Writes the vector of `text`, a chunk, a path or a question, to `out`: of length 1, or zero when the table knows none of
    /// its tokens. Allocates nothing once `scratch` has grown. The same on every machine, to the last bit.
    ///
    /// # Panics
    ///
    /// When `out` has not [`StaticEmbedder::dims`] numbers.
    pub fn embed_into(&self, text: &str, scratch: &mut StaticScratch, out: &mut [f32]) {
        assert_eq!(out.len(), self.dims(), "a vector of this table has {} numbers", self.dims());
        out.fill(0.0);
        scratch.ids.clear();
        scratch.counts.resize(self.table.rows_total(), 0);
        self.word_piece.encode_into(text, Splitting::Code, &mut scratch.words, &mut scratch.ids);
        let counts = &mut scratch.counts;
        scratch.ids.iter().for_each(|&id| counts[id as usize] += 1);
        // In the order of the text, so that the rounding of the sum depends on the text alone.
        for &id in &scratch.ids {
            let count = std::mem::take(&mut counts[id as usize]);
            if count > 0 {
                let (scale, row) = self.table.row(id as usize);
                add(out, row, scale * (count as f32).sqrt());
            }
        }
        normalise(out);
    }

    /// The vector of `text`, as [`StaticEmbedder::embed_into`] writes it; for a question or a few.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dims()];
        self.embed_into(text, &mut StaticScratch::default(), &mut vector);
        vector
    }
}

impl Embedder for StaticEmbedder {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error> {
        let mut scratch = StaticScratch::default();
        let passage = |text: &&str| {
            let mut vector = vec![0.0; self.dims()];
            self.embed_into(text, &mut scratch, &mut vector);
            vec![vector]
        };
        Ok(texts.iter().map(passage).collect())
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, Error> {
        Ok(self.embed(text))
    }
}

/// Adds `weight` times `row`, read as `i8`, to `sum`.
fn add(sum: &mut [f32], row: &[u8], weight: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { add_avx2(sum, row, weight) };
        return;
    }
    add_anywhere(sum, row, weight);
}

/// The same loop with wider registers: no number is computed in another way.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(sum: &mut [f32], row: &[u8], weight: f32) {
    add_anywhere(sum, row, weight);
}

#[inline(always)]
fn add_anywhere(sum: &mut [f32], row: &[u8], weight: f32) {
    for (sum, byte) in sum.iter_mut().zip(row) {
        *sum += weight * f32::from(*byte as i8);
    }
}

/// Scales `vector` to length 1; zero stays zero.
fn normalise(vector: &mut [f32]) {
    // Eight sums side by side, always in this order: a fixed result that a compiler can keep in one register.
    let mut sums = [0.0_f32; 8];
    for eight in vector.chunks_exact(8) {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value * value);
    }
    let length = sums.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}
