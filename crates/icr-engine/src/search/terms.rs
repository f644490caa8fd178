//! The terms of a query that are looked up, with their weights.

use icr_rank::{content_terms, is_stop_word, passages};

use crate::search::{LONGEST_QUERY, cut};

/// Most distinct terms of a query that are looked up. On long public issue texts 96 rank 0.006 NDCG@10 higher, and 48
/// rank as much lower; each term costs a read of its postings.
const TERMS: usize = 64;

/// Distinct tokens that the index may have, with weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Terms {
    /// In order of their first appearance in the query; the bits of matched terms have the same order.
    pub(crate) terms: Vec<String>,
    /// How much each counts, above 0 and at most 1.
    pub(crate) weights: Vec<f64>,
}

impl Terms {
    /// The meaningful terms of `query`: for a single line as selected by [`icr_rank::content_terms`], for several lines
    /// weighted by their first position.
    pub(crate) fn of(query: &str) -> Self {
        let mut all = Self::default();
        for passage in passages(cut(query, LONGEST_QUERY)) {
            for term in icr_lexical::query_terms(passage.text) {
                if !all.terms.contains(&term) {
                    all.terms.push(term);
                    all.weights.push(passage.weight);
                }
            }
        }
        let mut content = content_terms(&all.terms);
        content.truncate(TERMS);
        let mut rest = all.terms.iter().zip(all.weights);
        let weight_of = |term: &String| rest.find(|(other, _)| *other == term).map_or(1.0, |(_, weight)| weight);
        Self { weights: content.iter().map(weight_of).collect(), terms: content }
    }

    /// Whether there are terms, and all are function words such as "the".
    pub(crate) fn are_stop_words(&self) -> bool {
        !self.terms.is_empty() && self.terms.iter().all(|term| is_stop_word(term))
    }

    /// `rarities`, in the order of the terms, each times its term's weight.
    pub(crate) fn weighed(&self, rarities: &[f64]) -> Vec<f64> {
        rarities.iter().zip(&self.weights).map(|(rarity, weight)| rarity * weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &str) {
        let Terms { terms, weights } = Terms::of(query);
        let shown: Vec<String> = terms.iter().zip(&weights).map(|(term, weight)| format!("{term} {weight}")).collect();
        assert_eq!(shown.join(", "), expected, "{query}");
    }

    #[test]
    fn words_weigh_by_where_they_stand_first() {
        check("how does the router match", "router 1, match 1");
        check("router fails\nThe router has a gate", "router 1, fails 1, fail 1, gate 0.2");
        check("how does it", "how 1, does 1, doe 1, it 1");
        check("", "");
    }

    #[test]
    fn a_long_query_has_its_first_words() {
        let words: Vec<String> = (0..5_000).map(|at| format!("w{at:04}x")).collect();
        let Terms { terms, weights } = Terms::of(&words.join(" "));
        assert_eq!((terms.len(), weights.len()), (TERMS, TERMS));
        assert_eq!(terms[0], "w0000x");
    }
}
