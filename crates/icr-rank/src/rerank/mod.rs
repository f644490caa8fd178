//! Reranking: compares the names and definitions of the first candidates with the words of the question, one by one.
//!
//! Fusion sums over whole files. The features here are finer: whether the question has all words of a file's name,
//! whether a definition has the name that the question uses, and how near definitions are to the question in meaning. A
//! linear model over these features reorders the first files.

mod features;
mod forms;
mod question;
#[cfg(test)]
mod tests;
mod weights;

pub use features::{RERANK_FEATURES, RERANK_FEATURES_TOTAL, RerankFeature, RerankFeatures};
pub use question::{QuestionKind, RerankQuestion};

use icr_model::SymbolKind;

use crate::rerank::features::{CandidateWords, features, rarity_in_definitions};
use crate::rerank::forms::MetWords;
use crate::rerank::weights::weights;
use crate::{FileEvidence, RankedFile};

/// Number of files that are reranked. If these were always in the best order, NDCG@10 on 622 public code-search queries
/// would be 0.98.
pub const RERANKED: usize = 20;

/// What reranking reads of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RerankFile<'a> {
    /// Kind and name of each definition, in the order of the file.
    pub definitions: Vec<(SymbolKind, &'a str)>,
}

/// How near words are in meaning.
pub trait WordVectors {
    /// Cosines of `word`, in lower case, with each of [`RerankQuestion::words`] of the question; zeros if the word is
    /// unknown.
    fn nearness(&mut self, word: &str) -> &[f64];

    /// Whether there are any vectors. Without them, other weights apply.
    fn are_there(&self) -> bool;
}

/// Reorders the first `read.len()` of `ranked`. `ranked` is an order of `files`, and `read` is parallel to the
/// beginning of `ranked`. The list of scores stays as it is and only the files move, so a file gets the score of its
/// new rank; [`RankedFile::read_again`] holds how much its score changed. A question without words changes nothing.
///
/// Cost: each word of up to 160 names per file, with up to 16 words each, is compared with each word of the question.
pub fn rerank(
    ranked: &mut Vec<RankedFile>,
    files: &[FileEvidence],
    question: &RerankQuestion,
    read: &[RerankFile<'_>],
    vectors: &mut dyn WordVectors,
) {
    if question.words.is_empty() {
        return;
    }
    let wanted = |feature: &RerankFeature| feature.counts_for(question.kind);
    let features = features_of_wanted(ranked, files, question, read, vectors, wanted);
    let weights = weights(question.kind, vectors.are_there());
    let value = |features: &RerankFeatures| features.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
    let behind = ranked.split_off(features.len());
    let scores: Vec<f64> = ranked.iter().map(|ranked| ranked.score).collect();
    let mut first: Vec<(f64, RankedFile)> = features.iter().map(value).zip(ranked.drain(..)).collect();
    // The sort is stable: equally good files keep their order.
    first.sort_by(|one, other| other.0.total_cmp(&one.0));
    ranked.extend(first.into_iter().zip(scores).map(|((_, ranked), score)| RankedFile {
        read_again: Some(score - ranked.score),
        score,
        ..ranked
    }));
    ranked.extend(behind);
}

/// All features of the first `read.len()` files of `ranked`, in their order. The weights are fitted on these.
pub fn rerank_features(
    ranked: &[RankedFile],
    files: &[FileEvidence],
    question: &RerankQuestion,
    read: &[RerankFile<'_>],
    vectors: &mut dyn WordVectors,
) -> Vec<RerankFeatures> {
    features_of_wanted(ranked, files, question, read, vectors, |_| true)
}

fn features_of_wanted(
    ranked: &[RankedFile],
    files: &[FileEvidence],
    question: &RerankQuestion,
    read: &[RerankFile<'_>],
    vectors: &mut dyn WordVectors,
    wanted: impl Fn(&RerankFeature) -> bool,
) -> Vec<RerankFeatures> {
    let mut met = MetWords::default();
    let mut candidate = |ranked, file, read| CandidateWords::new(ranked, file, read, &mut met);
    let candidates = ranked.iter().zip(read).map(|(ranked, read)| candidate(ranked, &files[ranked.file], read));
    let candidates: Vec<CandidateWords<'_>> = candidates.collect();
    let top = ranked.iter().take(candidates.len()).map(|ranked| ranked.score).fold(0.0, f64::max);
    let rarity = rarity_in_definitions(&candidates, question);
    let of = |candidate| features(candidate, top, &wanted, question, &rarity, vectors);
    candidates.iter().map(of).collect()
}
