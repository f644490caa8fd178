//! The weights of all features.

use crate::rerank::QuestionKind;
use crate::rerank::features::{RERANK_FEATURES, RerankFeatures};

/// Weights of [`super::RERANK_FEATURES`], in their order: what one unit of each feature adds to the value of a
/// candidate, for a kind of question, with vectors or without.
///
/// Fitted by `cargo run --release -p xtask -- fit-ranking` on 29 public repositories in 17 languages, which that
/// program lists. The queries are of three kinds. First lines of commit messages, and whole messages (`report`), ask
/// for the files that their commits changed, in trees from before these commits. Sentences of documentation
/// (`documented`) ask for the file that they document, in trees without these sentences. Nobody judged the answers, and
/// search is not measured on any of these repositories. The comment of each table shows how well it does in
/// repositories left out of the fit, on lists with an answer among the first 20: NDCG@10 before, after, and with
/// answers that were shuffled before the fit.
pub(super) fn weights(kind: QuestionKind, has_vectors: bool) -> RerankFeatures {
    let table = match (kind, has_vectors) {
        (QuestionKind::Question, true) => QUESTION,
        (QuestionKind::Question, false) => QUESTION_WITHOUT_VECTORS,
        (QuestionKind::Message, true) => MESSAGE,
        (QuestionKind::Message, false) => MESSAGE_WITHOUT_VECTORS,
    };
    let weight = |name| table.iter().find(|(other, _)| *other == name).map_or(0.0, |(_, weight)| *weight);
    std::array::from_fn(|at| weight(RERANK_FEATURES[at].name))
}

/// Weights by the names of features; a feature that is not named has weight 0.
type Weights = &'static [(&'static str, f64)];

// fitted: begin
/// For questions, with vectors.
///
/// ```text
///               lists  before  after  shuffled
/// message        3937  0.687   0.695  0.190
/// documented     3038  0.731   0.769  0.076
/// ```
const QUESTION: Weights = &[
    ("score", 5.84),
    ("name_said", -0.96),
    ("whole_name_said", 0.94),
    ("form_said", 0.40),
    ("definition", 0.98),
    ("near_definitions", 1.85),
    ("best_chunk", 0.99),
    ("chunks", -0.20),
];

/// For questions, without vectors.
///
/// ```text
///               lists  before  after  shuffled
/// message        3955  0.684   0.693  0.350
/// documented     2985  0.699   0.748  0.361
/// ```
const QUESTION_WITHOUT_VECTORS: Weights = &[
    ("score", 6.18),
    ("name_said", -1.23),
    ("whole_name_said", 0.95),
    ("form_said", 0.90),
    ("definition", 1.97),
    ("near_definitions", 0.00),
    ("best_chunk", 0.13),
    ("chunks", -0.72),
];

/// For messages of commits and reports, with vectors.
///
/// ```text
///               lists  before  after  shuffled
/// message        3937  0.687   0.708  0.193
/// report         1419  0.733   0.738  0.223
/// ```
const MESSAGE: Weights = &[
    ("score", 7.33),
    ("definition", 3.74),
    ("best_chunk", 2.07),
    ("text", -0.53),
    ("names", -0.74),
    ("comments", -0.43),
    ("history", 0.96),
    ("similarity", -1.36),
];

/// For messages of commits and reports, without vectors.
///
/// ```text
///               lists  before  after  shuffled
/// message        3955  0.684   0.700  0.244
/// report         1403  0.722   0.728  0.243
/// ```
const MESSAGE_WITHOUT_VECTORS: Weights = &[
    ("score", 5.99),
    ("definition", 3.71),
    ("best_chunk", 1.73),
    ("text", -1.13),
    ("names", -0.92),
    ("comments", -0.42),
    ("history", 0.88),
    ("similarity", 0.00),
];

// fitted: end

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_features_that_count() {
        for (kind, tables) in [
            (QuestionKind::Question, [QUESTION, QUESTION_WITHOUT_VECTORS]),
            (QuestionKind::Message, [MESSAGE, MESSAGE_WITHOUT_VECTORS]),
        ] {
            let counted = RERANK_FEATURES.iter().filter(|feature| feature.counts_for(kind)).map(|feature| feature.name);
            let counted: Vec<&str> = counted.collect();
            for table in tables {
                let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
                assert_eq!(names, counted, "fit them again: the features are others");
            }
        }
    }
}
