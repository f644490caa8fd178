//! Whether a question has an answer in a view at all.

use serde::Serialize;

/// How likely it is that an answer contains what was asked for.
///
/// Every ranking has a first file, even if nothing in the view answers the question. Measured on 622 public questions
/// about 31 repositories and 1,244 questions about other repositories: of 1,000 questions about the repository itself,
/// 32 are `weak` and 0 are `none`; of 1,000 questions about another repository, 300 are `weak` and 564 are `none` (by
/// chunks read anew, not by the candidates of an answer). The strength says least in a repository that has words for
/// everything: in one with 19,000 chunks, six of ten questions about other repositories are called strong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Nothing in the view matches the question; the results are only the nearest ones.
    #[default]
    None,
    /// The view matches a part of the question.
    Weak,
    /// The view matches the question, or defines the name that it asks for.
    Strong,
}

impl Strength {
    /// Name of the level in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }

    /// How many of `total` results people and agents see. For [`Strength::None`] these are only the nearest three, for
    /// readers who can still use them.
    pub fn shown_count(self, total: usize) -> usize {
        if self == Self::None { total.min(3) } else { total }
    }

    /// The next lower level.
    fn lowered(self) -> Self {
        match self {
            Self::None | Self::Weak => Self::None,
            Self::Strong => Self::Weak,
        }
    }
}

/// Evidence from all chunks of a view together about a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerEvidence {
    /// Whether words, vectors or both are evidence.
    pub basis: StrengthBasis,
    /// Largest sum, over the chunks, of two numbers: the share of the question's words in the chunk, and the cosine of
    /// its vector with the question's. Either is 0 if `basis` does not include it. In `-1.0..=2.0`.
    pub best_sum: f64,
    /// Largest share of the question's words in one chunk or in the name of a file.
    pub best_coverage: f64,
    /// Largest share of the question's words in one chunk, with each word weighted by its rarity in the view. A word
    /// that occurs nowhere has the highest rarity. In `0.0..=1.0`.
    pub best_rare_coverage: f64,
    /// Largest cosine of a chunk's vector with the question's; 0 without vectors.
    pub best_cosine: f64,
    /// Number of words of the question that count.
    pub words: usize,
    /// Number of chunks in the view.
    pub chunks_total: u64,
    /// Whether the question names a definition, as it is written, or a file of the view.
    pub is_named: bool,
    /// Whether a word of the question occurs in a text, a path or a commit message.
    pub is_any_word_said: bool,
    /// Whether the question has identifiers and none of them occurs anywhere.
    pub lacks_identifiers: bool,
}

/// The kinds of evidence about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrengthBasis {
    /// Words and vectors.
    Both,
    /// Words alone.
    Words,
    /// Vectors alone.
    Vectors,
}

impl StrengthBasis {
    /// Scores from which an answer is strong and weak. On the questions of [`Strength`], about 3 in 100 questions about
    /// a repository fall below the first and none below the second; of commit messages, asked before their commit, 3 in
    /// 100 do.
    fn thresholds(self) -> (f64, f64) {
        match self {
            Self::Both => (0.86, 0.55),
            Self::Words => (0.52, 0.32),
            Self::Vectors => (0.34, 0.20),
        }
    }
}

/// Typical number of chunks of a view. In larger views the best chunk scores higher by chance.
const USUAL_CHUNKS: f64 = 500.0;

/// Subtracted from the score for each tenfold increase in chunks. Without it, one more in twenty-five questions about
/// other repositories is called strong. A regression over the same questions gives 0.14.
const OF_CHUNKS: f64 = 0.1;

/// Number of words of a typical question. One chunk more easily contains all words of a shorter question.
const USUAL_WORDS: f64 = 5.0;

/// Added to the score for each doubling of the number of words. Without it, 1.5 times as many long commit messages are
/// called `none`. A regression gives 0.15.
const OF_WORDS: f64 = 0.1;

impl AnswerEvidence {
    /// How strong the answer is.
    pub fn strength(&self) -> Strength {
        if self.is_named {
            return Strength::Strong;
        }
        let asks_words = self.basis != StrengthBasis::Vectors;
        // Vectors cannot change this: every text is near to something.
        if asks_words && !self.is_any_word_said {
            return Strength::None;
        }
        let (strong, weak) = self.basis.thresholds();
        let score = self.score();
        let mut strength = match score {
            _ if score >= strong => Strength::Strong,
            _ if score >= weak => Strength::Weak,
            _ => Strength::None,
        };
        if asks_words && self.best_coverage >= 1.0 {
            strength = strength.max(Strength::Weak);
        }
        if self.lacks_identifiers { strength.lowered() } else { strength }
    }

    fn score(&self) -> f64 {
        let of_chunks = OF_CHUNKS * (self.chunks_total.max(1) as f64 / USUAL_CHUNKS).log10();
        let of_words = match self.basis {
            StrengthBasis::Both => OF_WORDS * (self.words.max(2) as f64 / USUAL_WORDS).log2(),
            StrengthBasis::Words | StrengthBasis::Vectors => 0.0,
        };
        self.best_sum - of_chunks + of_words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: AnswerEvidence = AnswerEvidence {
        basis: StrengthBasis::Both,
        best_sum: 1.0,
        best_coverage: 0.6,
        best_rare_coverage: 0.6,
        best_cosine: 0.4,
        words: 5,
        chunks_total: 500,
        is_named: false,
        is_any_word_said: true,
        lacks_identifiers: false,
    };

    #[track_caller]
    fn check(evidence: AnswerEvidence, expected: Strength) {
        assert_eq!(evidence.strength(), expected, "{evidence:?}");
    }

    #[test]
    fn the_best_chunk_decides() {
        check(USUAL, Strength::Strong);
        check(AnswerEvidence { best_sum: 0.8, ..USUAL }, Strength::Weak);
        check(AnswerEvidence { best_sum: 0.5, ..USUAL }, Strength::None);
        check(AnswerEvidence { best_sum: 0.5, best_coverage: 1.0, ..USUAL }, Strength::Weak);
    }

    #[test]
    fn many_chunks_and_few_words_say_more_by_chance() {
        check(AnswerEvidence { best_sum: 0.9, chunks_total: 5_000, ..USUAL }, Strength::Weak);
        check(AnswerEvidence { best_sum: 0.9, words: 2, ..USUAL }, Strength::Weak);
        check(AnswerEvidence { best_sum: 0.8, words: 10, ..USUAL }, Strength::Strong);
        check(AnswerEvidence { words: 0, chunks_total: 0, ..USUAL }, Strength::Strong);
    }

    #[test]
    fn what_is_said_nowhere_is_not_found_however_near_it_is() {
        check(AnswerEvidence { is_any_word_said: false, ..USUAL }, Strength::None);
        check(AnswerEvidence { lacks_identifiers: true, ..USUAL }, Strength::Weak);
        let meaning = AnswerEvidence { basis: StrengthBasis::Vectors, is_any_word_said: false, ..USUAL };
        check(AnswerEvidence { best_sum: 0.4, ..meaning }, Strength::Strong);
        check(AnswerEvidence { best_sum: 0.1, ..meaning }, Strength::None);
    }

    #[test]
    fn of_nothing_the_nearest_are_shown() {
        assert_eq!(
            [Strength::None, Strength::Weak, Strength::Strong].map(|strength| strength.shown_count(20)),
            [3, 20, 20]
        );
        assert_eq!(Strength::None.shown_count(2), 2);
    }

    #[test]
    fn what_is_named_is_found() {
        check(AnswerEvidence { is_named: true, best_sum: 0.0, ..USUAL }, Strength::Strong);
    }
}
