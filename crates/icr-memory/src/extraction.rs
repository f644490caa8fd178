//! Extracts facts from what an agent writes, by rules.
//!
//! A text is split into sentences of prose; code, logs, tables, diffs, data and the output of icr itself are skipped.
//! Each sentence is scored by the kinds of signal words it holds, and the best ones are facts. No model is used, so the
//! same text always gives the same facts, and the cost grows only with its bytes.

mod announcements;
mod language;
mod lines;
mod prose;
mod signals;

use std::cmp::Ordering;

use crate::Importance;
use crate::near_duplicates::{conflict, jaccard, sentences, token_set, turn_alike};

pub use signals::Signal;

/// Parameters that select facts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtractionRules {
    /// Smallest score of a fact.
    pub threshold: f64,
    /// Shortest sentence that is considered, in characters.
    pub min_sentence_chars: usize,
    /// Longest sentence that is considered, in characters.
    pub max_sentence_chars: usize,
    /// Most sentences that are compared with each other; the best ones are taken.
    pub max_scored: usize,
    /// Most facts that are kept of one text.
    pub max_kept: usize,
    /// Two sentences are duplicates if the Jaccard similarity of their words is above this, in `0.0..=1.0`.
    pub dedup_jaccard: f64,
}

impl Default for ExtractionRules {
    fn default() -> Self {
        Self {
            threshold: 3.0,
            min_sentence_chars: 20,
            max_sentence_chars: 500,
            max_scored: 30,
            max_kept: 20,
            dedup_jaccard: 0.6,
        }
    }
}

/// A sentence that says something worth keeping.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedFact {
    /// The sentence in one line, without the marks of lists and bold text.
    pub text: String,
    /// Sum of the points of its signals.
    pub score: f64,
    /// The signals in the sentence, each once, in the order of [`Signal`].
    pub signals: Vec<Signal>,
    /// High for a decision, an error or a fix; medium for anything else.
    pub importance: Importance,
}

/// The facts of `text` in the order in which it states them, at most `rules.max_kept`.
///
/// If two sentences are more similar than `rules.dedup_jaccard`, the one with the higher score is kept, or the first of
/// equal ones. Both are kept if they could state two facts, as lines of a list do that share all other words.
/// Questions, plans, guesses and thanks are not facts, and neither is text in other languages than English.
pub fn extract(text: &str, rules: &ExtractionRules) -> Vec<ExtractedFact> {
    let mut scored = Vec::new();
    for paragraph in prose::paragraphs(text) {
        for sentence in sentences(&paragraph) {
            scored.extend(fact(sentence, rules).map(|fact| (scored.len(), fact)));
        }
    }
    let by_score = |one: &(usize, ExtractedFact), other: &(usize, ExtractedFact)| {
        other.1.score.partial_cmp(&one.1.score).unwrap_or(Ordering::Equal).then(one.0.cmp(&other.0))
    };
    scored.sort_by(by_score);
    scored.truncate(rules.max_scored);
    let mut kept: Vec<(usize, ExtractedFact)> = Vec::new();
    let mut kept_tokens: Vec<Vec<String>> = Vec::new();
    for (place, fact) in scored {
        if kept.len() == rules.max_kept {
            break;
        }
        let tokens = token_set(&fact.text);
        let is_told = kept.iter().zip(&kept_tokens).any(|((_, told), told_tokens)| {
            jaccard(told_tokens, &tokens) > rules.dedup_jaccard
                && says_the_same((&told.text, told_tokens), (&fact.text, &tokens))
        });
        if !is_told {
            kept.push((place, fact));
            kept_tokens.push(tokens);
        }
    }
    kept.sort_by_key(|(place, _)| *place);
    kept.into_iter().map(|(_, fact)| fact).collect()
}

/// Whether one of two similar sentences says nothing that the other does not. Each is given with its words.
fn says_the_same((one, its_words): (&str, &[String]), (other, others_words): (&str, &[String])) -> bool {
    let (fewer, more) =
        if its_words.len() <= others_words.len() { (its_words, others_words) } else { (others_words, its_words) };
    let is_detail =
        |word: &&String| word.contains(|letter: char| !letter.is_alphabetic() && !matches!(letter, '-' | '\'' | '’'));
    let adds_no_detail = more.iter().filter(is_detail).all(|word| fewer.contains(word));
    let is_part = adds_no_detail && fewer.iter().all(|word| more.contains(word)) && turn_alike(one, other);
    is_part || !conflict(one, other)
}

/// The sentence as a fact, if it is one.
fn fact(sentence: &str, rules: &ExtractionRules) -> Option<ExtractedFact> {
    let text = prose::plain(sentence);
    let chars = text.chars().count();
    if chars < rules.min_sentence_chars || chars > rules.max_sentence_chars {
        return None;
    }
    let words = signals::words(&text);
    if !language::is_english(&text, &words) || announcements::is_announcement(&text, &words) {
        return None;
    }
    let signals = signals::signals(&words);
    let score: f64 = signals.iter().map(|signal| signal.points()).sum();
    if signals.is_empty() || score < rules.threshold {
        return None;
    }
    let is_high = signals.iter().any(|signal| matches!(signal, Signal::Decision | Signal::Error));
    let importance = if is_high { Importance::High } else { Importance::Medium };
    Some(ExtractedFact { text, score, signals, importance })
}

#[cfg(test)]
mod tests;
