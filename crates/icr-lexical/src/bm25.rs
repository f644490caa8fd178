//! BM25 in `f64`: pure functions of the counts of live documents.

/// Term-frequency saturation; the customary value, also tantivy's (its `query/bm25.rs`).
const K1: f64 = 1.2;

/// Weight of the document's length; the customary value, also tantivy's.
const B: f64 = 0.75;

/// Inverse document frequency: `ln(1 + (N - df + 0.5) / (df + 0.5))`.
///
/// Never negative, also when the counts disagree (`document_frequency > documents`).
pub fn inverse_document_frequency(documents: u64, document_frequency: u64) -> f64 {
    let (documents, frequency) = (documents as f64, document_frequency as f64);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln().max(0.0)
}

/// Score of a term that occurs `term_frequency` times in a document with this length norm.
#[inline]
pub fn term_score(inverse_document_frequency: f64, term_frequency: u32, length_norm: f64) -> f64 {
    let frequency = f64::from(term_frequency);
    inverse_document_frequency * (frequency * (K1 + 1.0)) / (frequency + length_norm)
}

/// Length norm of a document of `length` tokens, if `documents` documents have `tokens` tokens in total.
pub fn length_norm(documents: u64, tokens: u64, length: u32) -> f64 {
    // Without live tokens there are no postings to score; this only avoids an average of zero.
    let average = if documents == 0 || tokens == 0 { 1.0 } else { tokens as f64 / documents as f64 };
    K1 * (1.0 - B + B * f64::from(length) / average)
}

/// Length norm for each of the 256 lengths that an index distinguishes; `length` gives the tokens of each. The live
/// documents are `documents` with `tokens` tokens in total.
pub(crate) fn length_norms(documents: u64, tokens: u64, length: impl Fn(u8) -> u32) -> [f64; 256] {
    std::array::from_fn(|id| length_norm(documents, tokens, length(id as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_scores() {
        // 10 documents, 2 with the term, 3 occurrences in a document of average length: by hand from the formula.
        let idf = inverse_document_frequency(10, 2);
        assert!((idf - (1.0_f64 + 8.5 / 2.5).ln()).abs() < 1e-12);
        let norms = length_norms(10, 50, u32::from);
        assert!((norms[5] - 1.2).abs() < 1e-12);
        assert!((norms[0] - 0.3).abs() < 1e-12);
        assert!((term_score(idf, 3, norms[5]) - idf * 6.6 / 4.2).abs() < 1e-12);
    }

    #[test]
    fn counts_that_disagree_give_finite_scores() {
        for (documents, frequency, tokens) in [(0, 0, 0), (0, 7, 0), (3, 9, 1), (u64::MAX, 1, u64::MAX)] {
            let idf = inverse_document_frequency(documents, frequency);
            let score = term_score(idf, u32::MAX, length_norms(documents, tokens, |_| u32::MAX)[0]);
            assert!(score.is_finite() && score >= 0.0, "{documents} {frequency} {tokens}: {score}");
        }
    }
}
