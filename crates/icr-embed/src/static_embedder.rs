//! The built-in embedder: the vector of a text is the sum of the table rows of its tokens.

use std::sync::LazyLock;

use crate::static_table::{StaticTable, TableError};
use crate::wordpiece::{Splitting, WordCache, WordPiece};
use crate::{Descriptor, Embedder, Error, Pooling};

/// The table that is compiled into the program; `assets/NOTICE` beside it names its origin.
static BUILT_IN: &[u8] = include_bytes!("../assets/static.table");

/// Rules by which texts become vectors, as far as the table does not define them. Part of the revision, and so of the
/// name of the vector space.
const RULES: &str = "code splitting, root of counts, 1";

/// Vectors from a table of tokens: a text is the sum over its distinct tokens of the root of their count times their row, at
/// length 1. Needs no runtime, no model file and no network. One thread reads some 50,000 chunks of 30 lines in a second.
#[derive(Debug)]
pub struct StaticEmbedder {
    descriptor: Descriptor,
    table: StaticTable,
    word_piece: WordPiece,
}

/// Memory that [`StaticEmbedder::embed_into`] reuses from text to text; one for each thread. Holds the words seen so
/// far and the counts. About 4 MB after much code, 20 MB at most.
#[derive(Debug, Default)]
pub struct StaticScratch {
    words: WordCache,
    ids: Vec<u32>,
    /// Count of each row's token; all zero between two texts.
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

    /// An embedder with `table`.
    ///
    /// # Errors
    ///
    /// [`TableError::Vocabulary`] if its pieces are not a valid vocabulary.
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

    /// Length of the vectors.
    pub fn dims(&self) -> usize {
        self.table.dims()
    }

    /// The table of this embedder.
    pub fn table(&self) -> &StaticTable {
        &self.table
    }

    /// Writes the vector of `text` (a chunk, a path or a question) to `out`. It has length 1, or is zero if the table
    /// knows no token of the text. Allocates nothing once `scratch` has grown. The result is the same on every machine,
    /// to the last bit.
    ///
    /// # Panics
    ///
    /// If the length of `out` is not [`StaticEmbedder::dims`].
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

    /// The vector of `text`, as [`StaticEmbedder::embed_into`] writes it. For single texts such as questions.
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

/// The same loop compiled for wider registers. The arithmetic is the same.
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
    // Eight partial sums, always in this order: the result is fixed, and the compiler can keep them in one register.
    let mut sums = [0.0_f32; 8];
    for eight in vector.chunks_exact(8) {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value * value);
    }
    let length = sums.iter().sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table of 64 dims in which each piece has its own axis, at its position in the list.
    fn embedder() -> StaticEmbedder {
        let pieces = ["(", "file", "open", "read"];
        let mut values = vec![0.0; pieces.len() * 64];
        (0..pieces.len()).for_each(|at| values[at * 64 + at] = (at + 1) as f32);
        let bytes = StaticTable::encode(&pieces, 64, &values).unwrap();
        StaticTable::parse(bytes).and_then(StaticEmbedder::new).unwrap()
    }

    #[track_caller]
    fn check(text: &str, expected: [f32; 4]) {
        let vector = embedder().embed(text);
        let length = expected.iter().map(|value| value * value).sum::<f32>().sqrt();
        for (found, wanted) in vector.iter().zip(expected) {
            assert!((found * length - wanted).abs() < 1e-5, "{:?} for {expected:?}", &vector[..4]);
        }
        assert!(vector[4..].iter().all(|value| *value == 0.0));
    }

    #[test]
    fn a_text_is_the_sum_of_its_tokens_by_the_root_of_their_counts() {
        check("open file", [0.0, 2.0, 3.0, 0.0]);
        check("openFile(READ, read read_read)", [1.0, 2.0, 3.0, 8.0]);
    }

    #[test]
    fn what_the_table_does_not_know_says_nothing() {
        check("open unheard 世界", [0.0, 0.0, 1.0, 0.0]);
        for text in ["", "   ", "unheard", "💡"] {
            assert_eq!(embedder().embed(text), [0.0; 64], "{text}");
        }
    }

    #[test]
    fn passages_have_one_vector_each_and_questions_the_same() {
        let embedder = embedder();
        let passages = embedder.passages(&["open", "read file", ""]).unwrap();
        let alone: Vec<_> = ["open", "read file", ""].map(|text| vec![embedder.question(text).unwrap()]).to_vec();
        assert_eq!(passages, alone);
    }

    /// Digest of the built-in table, so that no other table gets in by accident: the table is trained, not written by
    /// hand.
    const SHA_256: &str = "200a6316fcd2e10e77962c3d4fe61a8fd96d1370239142636dc5694e39f58ff2";

    #[test]
    fn the_table_in_the_program_is_whole() {
        let embedder = StaticEmbedder::built_in();
        assert_eq!(embedder.table().verify(), Ok(()));
        assert_eq!(embedder.table().digest(), SHA_256);
        assert_eq!(embedder.descriptor().dims as usize, embedder.dims());
        assert!(embedder.descriptor().revision.starts_with(SHA_256));
        assert!(embedder.table().bytes_are_borrowed(), "eight megabytes are not copied at every start");
    }

    #[test]
    fn the_table_in_the_program_knows_what_code_does() {
        let embedder = StaticEmbedder::built_in();
        let codes = [
            "fn load(path: &Path) -> io::Result<String> { let mut text = String::new(); File::open(path)?.read_to_string(&mut text)?; Ok(text) }",
            "def average(values):\n    return sum(values) / len(values)",
            "func (c *Client) dial(ctx context.Context, addr string) (net.Conn, error) { return c.dialer.DialContext(ctx, \"tcp\", addr) }",
            "function hash(password, salt) { return crypto.pbkdf2Sync(password, salt, 1000, 64, 'sha512') }",
        ];
        let questions = [
            "read a file into a string",
            "the arithmetic mean of numbers",
            "connect to a server",
            "encrypt a user's secret",
        ];
        let codes = codes.map(|code| embedder.embed(code));
        for (right, question) in questions.into_iter().enumerate() {
            let vector = embedder.embed(question);
            let cosine = |code: &Vec<f32>| code.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>();
            let cosines: Vec<f32> = codes.iter().map(cosine).collect();
            assert!(cosines.iter().all(|other| *other <= cosines[right]), "{question}: {cosines:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_length_1_or_says_nothing_whatever_was_read_before(texts in prop::collection::vec("\\PC{0,40}", 1..6)) {
            let embedder = StaticEmbedder::built_in();
            let mut scratch = StaticScratch::default();
            let mut vector = vec![0.0; embedder.dims()];
            for text in &texts {
                embedder.embed_into(text, &mut scratch, &mut vector);
                let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
                prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{}", length);
                prop_assert_eq!(&vector, &embedder.embed(text));
            }
        }
    }
}
