//! Computes the scores of a ranked list against the expected places. Pure functions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::{ResolvedPlace, shows};
use crate::SearchHit;

/// Means over questions. Files are ranked; a file with several expected places counts once, with the best of their grades.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RetrievalScores {
    /// Questions.
    pub queries: u32,
    /// Normalised discounted cumulative gain of the first ten files (Järvelin and Kekäläinen, 2002): the sum of
    /// `grade / log2(rank + 1)` over these, as a share of that sum for the expected files in order of their grades. In
    /// `0.0..=1.0`.
    pub ndcg_at_10: f64,
    /// Mean reciprocal rank (Voorhees, TREC-8, 1999): one over the rank of the first expected file, 0 when it is not among
    /// the hits asked for.
    pub mrr: f64,
    /// Capped recall at 1, as in the BEIR benchmark (Thakur and others, 2021): the share of the expected files in the
    /// first hit, out of at most one, so that the best order of any question scores 1.
    pub recall_at_1: f64,
    /// Capped recall at 5.
    pub recall_at_5: f64,
    /// Capped recall at 10.
    pub recall_at_10: f64,
    /// Among the questions that expect lines, the share for which one of the requested first hits is right: it is in a
    /// file with expected lines, and its first place overlaps these. A place of more than 120 lines and more than three
    /// times as many as expected counts as half the file, not as an answer. `None` when no question expects lines.
    pub right_lines: Option<f64>,
    /// Median time of one search, in milliseconds. Each question is asked once, in order, by one thread.
    pub p50_ms: f64,
}

/// The scores of one question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuestionScores {
    /// Rank of the first expected file.
    pub(super) rank: Option<u32>,
    pub(super) right_lines: Option<bool>,
    ndcg_at_10: f64,
    /// Recall at 1, 5 and 10.
    recall: [f64; 3],
    took: Duration,
}

impl QuestionScores {
    /// Scores of `hits`, best first, against the expected `targets`; lines are checked in the first `shown` hits.
    pub(super) fn of(targets: &[ResolvedPlace], hits: &[SearchHit], shown: usize, took: Duration) -> Self {
        let mut grades: BTreeMap<&str, u8> = BTreeMap::new();
        for target in targets {
            let grade = grades.entry(&target.path).or_default();
            *grade = target.grade.max(*grade);
        }
        // A file counts as found once; its further places still take up ranks.
        let mut seen = BTreeSet::new();
        let gain = |hit: &'_ SearchHit| match seen.insert(hit.path.clone()) {
            true => grades.get(hit.path.as_str()).copied().unwrap_or_default(),
            false => 0,
        };
        let gains: Vec<u8> = hits.iter().map(gain).collect();
        let right = |target: &ResolvedPlace| {
            let mut here = hits.iter().take(shown).filter(|hit| hit.path == target.path);
            target.lines.is_some_and(|lines| here.any(|hit| shows(hit, lines)))
        };
        Self {
            rank: gains.iter().position(|gain| *gain > 0).map(|at| at as u32 + 1),
            right_lines: targets.iter().any(|target| target.wants_lines).then(|| targets.iter().any(right)),
            recall: [1, 5, 10].map(|first| recall(&gains, first, grades.len())),
            ndcg_at_10: ndcg_at_10(&gains, &grades.into_values().collect::<Vec<_>>()),
            took,
        }
    }
}

/// Means over `answered`, and the median of their times; zeros for none.
pub(super) fn scores_of<'a>(answered: impl Iterator<Item = &'a QuestionScores>) -> RetrievalScores {
    let answered: Vec<&QuestionScores> = answered.collect();
    let mean = |value: &dyn Fn(&QuestionScores) -> f64| {
        // `sum` is not used because the sum of nothing is -0.
        answered.iter().map(|answered| value(answered)).fold(0.0, |sum, value| sum + value)
            / answered.len().max(1) as f64
    };
    let lines: Vec<bool> = answered.iter().filter_map(|answered| answered.right_lines).collect();
    let right = lines.iter().filter(|right| **right).count();
    RetrievalScores {
        queries: answered.len() as u32,
        ndcg_at_10: mean(&|answered| answered.ndcg_at_10),
        mrr: mean(&|answered| answered.rank.map_or(0.0, |rank| 1.0 / f64::from(rank))),
        recall_at_1: mean(&|answered| answered.recall[0]),
        recall_at_5: mean(&|answered| answered.recall[1]),
        recall_at_10: mean(&|answered| answered.recall[2]),
        right_lines: (!lines.is_empty()).then(|| right as f64 / lines.len() as f64),
        p50_ms: median(answered.iter().map(|answered| answered.took.as_secs_f64() * 1e3).collect()),
    }
}

/// NDCG of a ranking: `gains` are the grades of the hits, best hit first; `grades` are those of the expected files in
/// any order.
fn ndcg_at_10(gains: &[u8], grades: &[u8]) -> f64 {
    let discounted = |gains: &[u8]| -> f64 {
        let ranks = (1..=10).zip(gains);
        ranks.map(|(rank, gain)| f64::from(*gain) / f64::from(rank + 1).log2()).fold(0.0, |sum, gain| sum + gain)
    };
    let mut ideal = grades.to_vec();
    ideal.sort_unstable_by(|one, other| other.cmp(one));
    let most = discounted(&ideal);
    if most > 0.0 { discounted(gains) / most } else { 0.0 }
}

/// Expected files among the `first` hits, as a share of those that could be there.
fn recall(gains: &[u8], first: usize, files: usize) -> f64 {
    let found = gains.iter().take(first).filter(|gain| **gain > 0).count();
    found as f64 / files.clamp(1, first) as f64
}

/// The middle value, or the mean of the two in the middle; 0 for none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use icr_model::LineSpan;
    use proptest::prelude::*;

    use super::*;

    fn hit(path: &str, start_line: u32, end_line: u32) -> SearchHit {
        SearchHit {
            id: String::new(),
            path: path.to_owned(),
            symbol: None,
            start_line,
            end_line,
            score: 1.0,
            match_type: "lexical",
            preview: String::new(),
            language: "rust".to_owned(),
            spans: Vec::new(),
            explanation: Vec::new(),
            commit: None,
            subject: None,
            speaker: None,
            said_at: None,
            scope: None,
        }
    }

    fn target(path: &str, grade: u8, lines: Option<(u32, u32)>) -> ResolvedPlace {
        let lines = lines.map(|(start, end)| LineSpan { start, end });
        ResolvedPlace { path: path.to_owned(), grade, wants_lines: lines.is_some(), lines }
    }

    fn score(targets: &[ResolvedPlace], hits: &[SearchHit], shown: usize) -> RetrievalScores {
        scores_of([QuestionScores::of(targets, hits, shown, Duration::from_millis(2))].iter())
    }

    fn hits(paths: &str) -> Vec<SearchHit> {
        paths.split(' ').map(|path| hit(path, 1, 10)).collect()
    }

    /// NDCG@10, MRR and recall at 1, 5 and 10.
    #[track_caller]
    fn check(expected: &[(&str, u8)], found: &str, figures: [f64; 5]) {
        let targets: Vec<ResolvedPlace> = expected.iter().map(|(path, grade)| target(path, *grade, None)).collect();
        let scores = score(&targets, &hits(found), 10);
        let is = [scores.ndcg_at_10, scores.mrr, scores.recall_at_1, scores.recall_at_5, scores.recall_at_10];
        assert!(is.iter().zip(figures).all(|(is, figure)| (is - figure).abs() < 1e-12), "{is:?}, not {figures:?}");
    }

    #[test]
    fn the_best_order_gets_1_in_every_figure() {
        check(&[("a", 1)], "a b c", [1.0; 5]);
        check(&[("a", 3), ("b", 1)], "a b c", [1.0; 5]);
    }

    #[test]
    fn what_is_not_found_gets_0() {
        check(&[("a", 1)], "b c", [0.0; 5]);
    }

    #[test]
    fn a_lower_rank_is_worth_less() {
        // log2(2) / log2(4) for rank 3.
        check(&[("a", 1)], "b c a", [0.5, 1.0 / 3.0, 0.0, 1.0, 1.0]);
        check(&[("a", 1)], "b c d e f g h a", [1.0 / 9.0_f64.log2(), 0.125, 0.0, 0.0, 1.0]);
        check(&[("a", 1)], "b c d e f g h i j k a", [0.0, 1.0 / 11.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn grades_are_gains() {
        let second = 1.0 / 3.0_f64.log2();
        check(&[("a", 3), ("b", 1)], "b a", [(1.0 + 3.0 * second) / (3.0 + second), 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn two_places_of_one_file_are_one_file_with_the_better_grade() {
        check(&[("a", 1), ("a", 3)], "a", [1.0; 5]);
    }

    #[test]
    fn further_places_of_a_file_are_not_found_again_and_take_room() {
        check(&[("a", 1)], "a a b", [1.0; 5]);
        check(
            &[("a", 1), ("b", 1)],
            "a a a a a b",
            [(1.0 + 1.0 / 7.0_f64.log2()) / (1.0 + 1.0 / 3.0_f64.log2()), 1.0, 1.0, 0.5, 1.0],
        );
    }

    #[test]
    fn lines_are_right_when_the_shown_ones_overlap_and_are_not_half_the_file() {
        let right = |expected: (u32, u32), shown: (u32, u32)| {
            score(&[target("a", 1, Some(expected))], &[hit("a", shown.0, shown.1)], 10).right_lines
        };
        assert_eq!(right((10, 20), (20, 40)), Some(1.0), "the last line is shared");
        assert_eq!(right((10, 20), (21, 40)), Some(0.0));
        assert_eq!(right((10, 20), (1, 120)), Some(1.0), "120 lines are never too many");
        assert_eq!(right((10, 20), (1, 121)), Some(0.0), "121 are more than three times 11");
        assert_eq!(right((1, 50), (1, 150)), Some(1.0), "150 are three times 50");
    }

    #[test]
    fn lines_are_looked_for_in_the_hits_shown_and_only_where_they_are_expected() {
        let expected = [target("b", 1, Some((1, 5)))];
        assert_eq!(score(&expected, &hits("a b"), 1).right_lines, Some(0.0));
        assert_eq!(score(&expected, &hits("a b"), 2).right_lines, Some(1.0));
        assert_eq!(score(&[target("a", 1, None)], &hits("a"), 1).right_lines, None);
        let missing = ResolvedPlace { path: "a".to_owned(), grade: 1, wants_lines: true, lines: None };
        assert_eq!(score(&[missing], &hits("a"), 1).right_lines, Some(0.0), "the view has no such lines");
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    proptest! {
        #[test]
        fn figures_are_shares_and_a_step_forward_never_lowers_one(
            grades in prop::collection::vec(0..4_u8, 1..30), at in 1..30_usize, twice in 0..30_usize,
        ) {
            let names: Vec<String> = (0..grades.len()).map(|name| name.to_string()).collect();
            let expected: Vec<ResolvedPlace> = names
                .iter()
                .zip(&grades)
                .filter(|(_, grade)| **grade > 0)
                .map(|(name, grade)| target(name, *grade, None))
                .collect();
            let figures = |order: &[String]| {
                let RetrievalScores { ndcg_at_10, mrr, recall_at_1, recall_at_5, recall_at_10, .. } =
                    score(&expected, &hits(&order.join(" ")), 10);
                [ndcg_at_10, mrr, recall_at_1, recall_at_5, recall_at_10]
            };
            let again = [&names[..], &names[twice.min(names.len())..]].concat();
            prop_assert!(figures(&again).iter().all(|figure| (0.0..=1.0 + 1e-12).contains(figure)));
            let before = figures(&names);
            prop_assert!(before.iter().all(|figure| (0.0..=1.0 + 1e-12).contains(figure)), "{before:?}");
            let at = at.min(grades.len() - 1);
            if at > 0 && grades[at] > grades[at - 1] {
                let mut better = names.clone();
                better.swap(at, at - 1);
                let after = figures(&better);
                prop_assert!(before.iter().zip(after).all(|(was, is)| is >= was - 1e-12), "{before:?} {after:?}");
            }
        }
    }
}
