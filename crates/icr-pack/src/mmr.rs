//! Which candidates are relevant and say something new (maximal marginal relevance, Carbonell and Goldstein 1998).

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::candidate::{Candidate, Cosine};
use crate::terms::whole_words;

/// A candidate that was selected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selected {
    /// Its place in the input.
    pub index: usize,
    /// Greatest similarity to anything selected before it, `0.0..=1.0`.
    pub redundancy: f64,
}

/// At most `k` of `candidates`, in the order in which they are worth reading.
///
/// Each step takes the candidate with the greatest `lambda × relevance − (1 − lambda) × similarity`, where relevance is
/// the fused score (over the best one where that is above 1) and similarity the greatest one to `seeds` and to what was
/// selected before: cosine, at least 0, or shared words where a vector is missing, and never less than the share of
/// lines in common. Copies, which differ in white space at most, come after everything else. Ties: higher score, then
/// path and place. `lambda` is clamped to `0.0..=1.0`; at 1 the order is that of the scores.
///
/// The order of the input does not matter. Cost: `k` × candidates comparisons.
pub fn diversify<C: Borrow<Candidate>>(
    candidates: &[C],
    seeds: &[&Candidate],
    k: usize,
    lambda: f64,
    cosine: &Cosine<'_>,
) -> Vec<Selected> {
    let lambda = if lambda.is_nan() { 1.0 } else { lambda.clamp(0.0, 1.0) };
    let candidates: Vec<&Candidate> = candidates.iter().map(Borrow::borrow).collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| candidates[*a].by_score(candidates[*b]));
    let scale = order.first().map_or(1.0, |best| candidates[*best].relevance().max(1.0));
    let wordings: Vec<Wording> = candidates.iter().map(|candidate| Wording::of(candidate)).collect();
    let mut open: Vec<Open> = order.into_iter().map(|index| Open { index, redundancy: 0.0, is_copy: false }).collect();
    for seed in seeds {
        let wording = Wording::of(seed);
        for other in &mut open {
            other.compare(candidates[other.index], &wordings[other.index], seed, &wording, cosine);
        }
    }
    // At 1 similarity counts for nothing, not even that of copies.
    let is_last = |open: &Open| open.is_copy && lambda < 1.0;
    let mut selected = Vec::new();
    while selected.len() < k {
        let worth =
            |open: &Open| lambda * candidates[open.index].relevance() / scale - (1.0 - lambda) * open.redundancy;
        let better = |a: &Open, b: &Open| if is_last(a) == is_last(b) { worth(a) > worth(b) } else { is_last(b) };
        // The first of equals: those still open stand in the order of their scores.
        let Some(best) = (0..open.len()).reduce(|best, at| if better(&open[at], &open[best]) { at } else { best })
        else {
            break;
        };
        let Open { index, redundancy, .. } = open.remove(best);
        selected.push(Selected { index, redundancy });
        let (chosen, chosen_wording) = (candidates[index], &wordings[index]);
        for other in &mut open {
            other.compare(candidates[other.index], &wordings[other.index], chosen, chosen_wording, cosine);
        }
    }
    selected
}

/// Share of words, or of lines, that two candidates have in common: the greater, `0.0..=1.0`.
pub(crate) fn text_similarity(a: &Wording, b: &Wording, places: (&Candidate, &Candidate)) -> f64 {
    a.jaccard(b).max(shared_lines(places.0, places.1))
}

/// A candidate that was not selected yet.
struct Open {
    index: usize,
    redundancy: f64,
    is_copy: bool,
}

impl Open {
    fn compare(
        &mut self,
        own: &Candidate,
        own_wording: &Wording,
        other: &Candidate,
        wording: &Wording,
        cosine: &Cosine<'_>,
    ) {
        // Given best first, so that a function that is not quite symmetric gives the same in any order of the input.
        let similarity = match cosine(other, own).filter(|cosine| cosine.is_finite()) {
            Some(cosine) => cosine.clamp(0.0, 1.0).max(shared_lines(own, other)),
            None => text_similarity(own_wording, wording, (own, other)),
        };
        let is_copy = own_wording.squeezed == wording.squeezed;
        self.is_copy |= is_copy;
        self.redundancy = self.redundancy.max(if is_copy { 1.0 } else { similarity });
    }
}

/// What is compared of a text.
pub(crate) struct Wording {
    /// Hashes of its words, each once, ascending.
    words: Vec<u64>,
    /// Hash of the text without white space.
    squeezed: u64,
}

impl Wording {
    pub(crate) fn of(candidate: &Candidate) -> Self {
        let text = &candidate.text;
        let mut words: Vec<u64> = whole_words(text).map(|range| hash(&text[range])).collect();
        words.sort_unstable();
        words.dedup();
        let squeezed: String = text.split_whitespace().collect();
        Self { words, squeezed: hash(&squeezed) }
    }

    /// Words in common over words in either.
    fn jaccard(&self, other: &Self) -> f64 {
        let (mut at, mut there, mut common) = (0, 0, 0_usize);
        while at < self.words.len() && there < other.words.len() {
            let (own, others) = (self.words[at], other.words[there]);
            common += usize::from(own == others);
            at += usize::from(own <= others);
            there += usize::from(others <= own);
        }
        let either = self.words.len() + other.words.len() - common;
        if either == 0 { f64::from(u8::from(self.squeezed == other.squeezed)) } else { common as f64 / either as f64 }
    }
}

/// Share of the lines of `own` that `other` has too, of the same file.
fn shared_lines(own: &Candidate, other: &Candidate) -> f64 {
    if own.path != other.path {
        return 0.0;
    }
    let first = u64::from(own.start_line.max(other.start_line));
    let last = u64::from(own.end_line.min(other.end_line));
    let common = (last + 1).saturating_sub(first);
    let lines = (u64::from(own.end_line) + 1).saturating_sub(u64::from(own.start_line)).max(1);
    (common as f64 / lines as f64).min(1.0)
}

/// Deterministic: the keys of this hasher are fixed.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The place in `candidates` of each that is not the same lines as a better one, pins before others.
pub(crate) fn distinct_places(candidates: &[Candidate]) -> Vec<usize> {
    let mut best: HashMap<(&str, u32, u32), usize> = HashMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let kept = best.entry(candidate.place()).or_insert(index);
        if candidate.by_pin(&candidates[*kept]).is_lt() {
            *kept = index;
        }
    }
    let mut places: Vec<usize> = best.into_values().collect();
    places.sort_by(|a, b| candidates[*a].by_score(&candidates[*b]));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::no_cosine;
    use proptest::prelude::*;

    fn candidate(path: &str, score: f64, text: &str) -> Candidate {
        Candidate { path: path.into(), score, text: text.into(), start_line: 1, end_line: 3, ..Candidate::default() }
    }

    #[track_caller]
    fn check(candidates: &[Candidate], k: usize, lambda: f64, cosine: &Cosine<'_>, expected: &[&str]) {
        let selected = diversify(candidates, &[], k, lambda, cosine);
        let paths: Vec<&str> = selected.iter().map(|one| candidates[one.index].path.as_str()).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn what_was_said_comes_later() {
        let candidates = [
            candidate("a", 0.9, "open the file for reading"),
            candidate("b", 0.85, "open the file for writing"),
            candidate("c", 0.7, "network sockets listen"),
        ];
        check(&candidates, 3, 0.7, &no_cosine, &["a", "c", "b"]);
        check(&candidates, 2, 0.7, &no_cosine, &["a", "c"]);
        check(&candidates, 0, 0.7, &no_cosine, &[]);
        check(&candidates, 3, 1.0, &no_cosine, &["a", "b", "c"]);
        check(&candidates, 3, f64::NAN, &no_cosine, &["a", "b", "c"]);
    }

    #[test]
    fn vectors_decide_where_there_are_some() {
        let candidates = [candidate("a", 0.9, "one"), candidate("b", 0.85, "two"), candidate("c", 0.7, "three")];
        let alike = |a: &Candidate, b: &Candidate| Some(if a.path.as_str().max(&b.path) == "b" { 0.9 } else { 0.0 });
        check(&candidates, 3, 0.7, &alike, &["a", "c", "b"]);
        let opposite = |_: &Candidate, _: &Candidate| Some(-1.0);
        check(&candidates, 3, 0.7, &opposite, &["a", "b", "c"]);
        let broken = |_: &Candidate, _: &Candidate| Some(f64::NAN);
        check(&candidates, 3, 0.7, &broken, &["a", "b", "c"]);
    }

    #[test]
    fn a_copy_comes_after_every_alternative() {
        let candidates = [
            candidate("a", 1.0, "fn open() {}"),
            candidate("b", 1.0, "fn  open()\n{}"),
            candidate("c", 0.01, "struct Socket;"),
        ];
        check(&candidates, 3, 0.7, &no_cosine, &["a", "c", "b"]);
    }

    #[test]
    fn the_same_lines_are_alike_whatever_the_vectors_say() {
        let candidates =
            [candidate("a", 0.9, "one two"), Candidate { id: "2".into(), ..candidate("a", 0.8, "three four") }];
        let selected = diversify(&candidates, &[], 2, 0.7, &|_, _| Some(0.0));
        assert_eq!(selected[1], Selected { index: 1, redundancy: 1.0 });
    }

    #[test]
    fn seeds_were_said_before() {
        let candidates = [candidate("a", 0.9, "open the file"), candidate("b", 0.8, "close the socket")];
        let seed = candidate("z", 0.0, "open the file");
        let selected = diversify(&candidates, &[&seed], 1, 0.7, &no_cosine);
        assert_eq!(selected[0].index, 1);
    }

    #[test]
    fn scores_above_one_do_not_drown_novelty() {
        let candidates = [
            candidate("a", 2.0, "open the file for reading"),
            candidate("b", 1.9, "open the file for writing"),
            candidate("c", 1.7, "network sockets listen"),
        ];
        check(&candidates, 3, 0.7, &no_cosine, &["a", "c", "b"]);
    }

    fn some_candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let row = (0_u8..6, 0_u8..10, proptest::collection::vec("[a-e]{1,2}", 0..6));
        proptest::collection::vec(row, 0..14).prop_map(|rows| {
            let of = |(path, score, words): (u8, u8, Vec<String>)| {
                candidate(&format!("{path}.rs"), f64::from(score) / 10.0, &words.join(" "))
            };
            rows.into_iter().map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn at_lambda_one_the_order_is_that_of_the_scores(candidates in some_candidates()) {
            let selected = diversify(&candidates, &[], candidates.len(), 1.0, &no_cosine);
            let scores: Vec<f64> = selected.iter().map(|one| candidates[one.index].score).collect();
            prop_assert!(scores.is_sorted_by(|a, b| a >= b));
            prop_assert_eq!(scores.len(), candidates.len());
        }

        #[test]
        fn the_order_of_the_input_does_not_matter(candidates in some_candidates(), k in 0_usize..14) {
            let mut turned = candidates.clone();
            turned.reverse();
            let shown = |candidates: &[Candidate]| -> Vec<(Candidate, f64)> {
                let selected = diversify(candidates, &[], k, 0.7, &no_cosine);
                selected.iter().map(|one| (candidates[one.index].clone(), one.redundancy)).collect()
            };
            prop_assert_eq!(shown(&candidates), shown(&turned));
        }
    }
}
