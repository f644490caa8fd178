//! Judges from the candidates of an answer whether it answers the question.

use std::collections::BTreeMap;

use icr_model::{BlobNo, ChunkNo};
use icr_rank::{AnswerEvidence, ChunkEvidence, FileEvidence, Strength, StrengthBasis, headline, is_stop_word};
use rustc_hash::FxHashMap;

/// Weight of a compound as written (`camelCase`), relative to 1 for each of its words.
const COMPOUND: f64 = 2.0;

/// The words of a question's headline, each once, that are among its terms.
#[derive(Debug, Default, PartialEq)]
struct HeadlineWords {
    /// Number of a term, and how much it counts.
    counted: Vec<(usize, f64)>,
}

impl HeadlineWords {
    /// A plain word counts as its stem, a compound as written and by each of its words. `terms` are those of the question.
    fn of(question: &str, terms: &[String]) -> Self {
        let mut words: Vec<(String, f64)> = Vec::new();
        let identifiers = headline(question).split(|character: char| !character.is_alphanumeric() && character != '_');
        for identifier in identifiers {
            let mut tokens: Vec<String> = Vec::new();
            icr_lexical::tokens(identifier.as_bytes(), &mut |token| tokens.push(token.to_owned()));
            let counted = match tokens.as_slice() {
                all if !identifier.is_ascii() => all.iter().map(|token| (token.clone(), 1.0)).collect(),
                [_, stem] if is_plain(identifier) => vec![(stem.clone(), 1.0)],
                [word] => vec![(word.clone(), 1.0)],
                [] => Vec::new(),
                [whole, parts @ ..] => {
                    let parts = parts.iter().map(|part| (part.clone(), 1.0));
                    [(whole.clone(), COMPOUND)].into_iter().chain(parts).collect()
                }
            };
            for (token, weight) in counted {
                if words.iter().all(|(known, _)| *known != token) {
                    words.push((token, weight));
                }
            }
        }
        if words.iter().any(|(word, _)| !is_stop_word(word)) {
            words.retain(|(word, _)| !is_stop_word(word));
        }
        let number = |word: &String| terms.iter().position(|term| term == word);
        Self { counted: words.iter().filter_map(|(word, weight)| Some((number(word)?, *weight))).collect() }
    }

    /// The share of the words that are among the terms `matched`, in `0.0..=1.0`.
    fn coverage(&self, matched: u64) -> f64 {
        let all: f64 = self.counted.iter().map(|(_, weight)| weight).sum();
        let said: f64 =
            self.counted.iter().filter(|(term, _)| is_matched(matched, *term)).map(|(_, weight)| weight).sum();
        if all > 0.0 { said / all } else { 0.0 }
    }

    /// The same with each word weighted by its rarity in `rarity`.
    fn rare_coverage(&self, matched: u64, rarity: &[f64]) -> f64 {
        let rare = |term: usize| rarity.get(term).copied().unwrap_or_default();
        let all: f64 = self.counted.iter().map(|(term, weight)| weight * rare(*term)).sum();
        let said = self.counted.iter().filter(|(term, _)| is_matched(matched, *term));
        let said: f64 = said.map(|(term, weight)| weight * rare(*term)).sum();
        if all > 0.0 { said / all } else { 0.0 }
    }
}

/// Whether term `term` is among the terms `matched`, of which the first 64 are known.
fn is_matched(matched: u64, term: usize) -> bool {
    term < 64 && matched & (1 << term) != 0
}

/// Whether an identifier is one word: letters alone, and no capital inside.
fn is_plain(identifier: &str) -> bool {
    let bytes = identifier.as_bytes();
    let begins_word = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let ends_capitals = |three: &[u8]| three[..2].iter().all(u8::is_ascii_uppercase) && three[2].is_ascii_lowercase();
    bytes.iter().all(u8::is_ascii_alphabetic)
        && !bytes.windows(2).any(begins_word)
        && !bytes.windows(3).any(ends_capitals)
}

/// A question, and what was found of it.
pub(super) struct QuestionEvidence<'a> {
    pub(super) question: &'a str,
    pub(super) terms: &'a [String],
    /// How rare each term is among the chunks of the view.
    pub(super) rarity: &'a [f64],
    /// Texts of the question that can only be identifiers, as written.
    pub(super) identifiers: &'a [String],
    pub(super) basis: StrengthBasis,
    /// All chunks with any evidence.
    pub(super) chunks: &'a FxHashMap<BlobNo, BTreeMap<ChunkNo, ChunkEvidence>>,
    pub(super) files: &'a [FileEvidence],
    /// Chunks of the view.
    pub(super) chunks_total: u64,
}

impl QuestionEvidence<'_> {
    /// The evidence of all candidates together.
    pub(super) fn evidence(&self) -> AnswerEvidence {
        let words = HeadlineWords::of(self.question, self.terms);
        let (mut best_sum, mut best_coverage) = (f64::NEG_INFINITY, 0.0_f64);
        let (mut best_rare_coverage, mut best_cosine) = (0.0_f64, 0.0_f64);
        let (mut is_named, mut matched) = (false, 0);
        for chunk in self.chunks.values().flat_map(BTreeMap::values) {
            let coverage = words.coverage(chunk.matched);
            best_sum = best_sum.max(coverage + chunk.cosine.unwrap_or_default());
            best_coverage = best_coverage.max(coverage);
            best_rare_coverage = best_rare_coverage.max(words.rare_coverage(chunk.matched, self.rarity));
            best_cosine = best_cosine.max(chunk.cosine.unwrap_or_default());
            is_named |= chunk.defined.is_some_and(|defined| defined.as_written);
            matched |= chunk.matched;
        }
        let mut is_file_said = false;
        for file in self.files {
            best_coverage = best_coverage.max(words.coverage(file.name.terms_matched));
            // Certain, because no other file has this name.
            is_named |= file.mentioned.is_some_and(|surely| surely >= 1.0);
            is_file_said |= file.path_score > 0.0 || file.history_score > 0.0;
            matched |= file.name.terms_matched;
        }
        let is_said = |identifier: &String| {
            let whole = identifier.to_lowercase();
            self.terms.iter().position(|term| *term == whole).is_some_and(|term| is_matched(matched, term))
        };
        AnswerEvidence {
            basis: self.basis,
            best_sum: if best_sum.is_finite() { best_sum } else { 0.0 },
            best_coverage,
            best_rare_coverage,
            best_cosine,
            words: words.counted.len(),
            chunks_total: self.chunks_total,
            is_named,
            is_any_word_said: matched != 0 || is_file_said,
            lacks_identifiers: self.basis != StrengthBasis::Vectors
                && !self.identifiers.is_empty()
                && !self.identifiers.iter().any(is_said),
        }
    }
}

/// How strongly `texts`, the best of `texts_total`, answer a question by their words alone.
pub(super) fn of_texts(
    question: &str,
    terms: &[String],
    texts: impl Iterator<Item = String>,
    texts_total: usize,
) -> Strength {
    let words = HeadlineWords::of(question, terms);
    let coverage_of = |text: String| {
        let mut matched = 0;
        icr_lexical::tokens(text.as_bytes(), &mut |token| {
            let term = terms.iter().take(64).position(|term| term == token);
            matched |= term.map_or(0, |term| 1_u64 << term);
        });
        words.coverage(matched)
    };
    let best_coverage = texts.map(coverage_of).fold(0.0, f64::max);
    AnswerEvidence {
        basis: StrengthBasis::Words,
        best_sum: best_coverage,
        best_coverage,
        best_rare_coverage: best_coverage,
        best_cosine: 0.0,
        words: words.counted.len(),
        chunks_total: texts_total as u64,
        is_named: false,
        is_any_word_said: best_coverage > 0.0,
        lacks_identifiers: false,
    }
    .strength()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expected: &str) {
        let terms = crate::search::Terms::of(question).terms;
        let HeadlineWords { counted } = HeadlineWords::of(question, &terms);
        let shown: Vec<String> = counted.iter().map(|(term, weight)| format!("{} {weight}", terms[*term])).collect();
        assert_eq!(shown.join(", "), expected, "{question}");
    }

    #[test]
    fn a_word_counts_once_and_a_compound_by_its_words_too() {
        check("how are routes registered and matched", "route 1, register 1, match 1");
        check("parseConfig of parse_config", "parseconfig 2, parse 1, config 1, parse_config 2");
        check("utf8 HTTPServer", "utf8 2, utf 1, httpserver 2, http 1, server 1");
        check("crash\nwhen it opens the gate", "crash 1");
        check("how does it", "how 1, doe 1, it 1");
        check("", "");
    }

    #[test]
    fn coverage_is_a_share_of_the_weights() {
        let words = HeadlineWords { counted: vec![(0, 2.0), (1, 1.0), (2, 1.0)] };
        assert_eq!([0b000, 0b001, 0b110, 0b111].map(|matched| words.coverage(matched)), [0.0, 0.5, 0.5, 1.0]);
        assert_eq!(HeadlineWords::default().coverage(u64::MAX), 0.0);
    }
}
