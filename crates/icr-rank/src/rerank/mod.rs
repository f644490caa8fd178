//! The first candidates read again: their names and definitions are held against the words of the question, one by one.
//!
//! What fusion adds up are sums over whole files. Which of the first files it is shows in finer things: all words of its name
//! are said, a definition is called as the question puts it, its definitions are near to the question in meaning. A linear model
//! over these numbers orders the first files anew.

mod features;
mod forms;
mod question;
#[cfg(test)]
mod tests;

pub use question::RerankQuestion;

use icr_model::SymbolKind;

use crate::rerank::features::{Candidate, rarity_in_definitions, value};
use crate::{FileEvidence, Ranked};

/// Files that are read again. Were these always in the best order, NDCG@10 on 622 public code-search queries would be 0.98.
pub const RERANKED: usize = 20;

/// What reading a file again finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RerankFile<'a> {
    /// What it defines and how that is called, in the order of the file.
    pub definitions: Vec<(SymbolKind, &'a str)>,
}

/// How near words are in meaning.
pub trait WordVectors {
    /// The cosines of `word`, in lower case, with each of the question's [`RerankQuestion::words`]; zeros for what is unknown.
    fn nearness(&mut self, word: &str) -> &[f64];

    /// Whether there are vectors at all: without, other weights hold.
    fn are_there(&self) -> bool;
}

/// Puts the first of `ranked`, which are `files` in order, in the order that reading them again gives: as many as `read` has, what
/// was found in each, in their order. They share out the scores that they had, best first; [`Ranked::read_again`] says what
/// each gained or lost by it.
///
/// Cost: every word of up to 160 names a file against every word of the question.
pub fn rerank(
    ranked: &mut [Ranked],
    files: &[FileEvidence],
    question: &RerankQuestion,
    read: &[RerankFile<'_>],
    vectors: &mut dyn WordVectors,
) {
    let first = read.len().min(ranked.len());
    let ranked = &mut ranked[..first];
    let top = ranked.iter().map(|ranked| ranked.score).fold(0.0, f64::max);
    let candidates: Vec<Candidate<'_>> =
        ranked.iter().zip(read).map(|(ranked, read)| Candidate::new(ranked, &files[ranked.file], read)).collect();
    let rarity = rarity_in_definitions(&candidates, question);
    let values: Vec<f64> =
        candidates.iter().map(|candidate| value(candidate, top, question, &rarity, vectors)).collect();
    let scores: Vec<f64> = ranked.iter().map(|ranked| ranked.score).collect();
    ranked.iter_mut().zip(values).for_each(|(ranked, value)| ranked.read_again = Some(value));
    // Stable: what is as good stays in the order that it had.
    ranked.sort_by(|one, other| other.read_again.unwrap_or(0.0).total_cmp(&one.read_again.unwrap_or(0.0)));
    for (ranked, score) in ranked.iter_mut().zip(scores) {
        ranked.read_again = Some(score - ranked.score);
        ranked.score = score;
    }
}
