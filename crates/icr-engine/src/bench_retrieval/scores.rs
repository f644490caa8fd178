//! What a ranked list is worth against what was expected. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::{Target, shows};
use crate::SearchHit;

/// Means over questions. Files are ranked; a file with several expected places counts once, with the best of their grades.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
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
    /// Share of the expected files that is the first hit.
    pub recall_at_1: f64,
    /// Share of the expected files among the first five.
    pub recall_at_5: f64,
    /// Share of the expected files among the first ten.
    pub recall_at_10: f64,
    /// Of the questions that expect lines, the share where one of the first hits, as many as were asked for, is right: it is in a
    /// file with expected lines, and the place that it shows first shares a line with these. A place of more than 120 lines
    /// and more than three times those expected is half the file, not an answer. `None` when no question expects lines.
    pub right_lines: Option<f64>,
    /// Median time of one search, in milliseconds. Each question is asked once, in order, by one thread.
    pub p50_ms: f64,
}

/// What one question contributes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    /// Rank of the first expected file.
    pub(super) rank: Option<u32>,
    pub(super) right_lines: Option<bool>,
    ndcg_at_10: f64,
    /// At 1, 5 and 10.
    recall: [f64; 3],
    took: Duration,
}

impl Answered {
    /// What `hits`, best first, are worth when `targets` were expected; lines are looked for in the first `shown`.
    pub(super) fn of(targets: &[Target], hits: &[SearchHit], shown: usize, took: Duration) -> Self {
        let mut grades: BTreeMap<&str, u8> = BTreeMap::new();
        for target in targets {
            let grade = grades.entry(&target.path).or_default();
            *grade = target.grade.max(*grade);
        }
        let gains: Vec<u8> =
            hits.iter().map(|hit| grades.get(hit.path.as_str()).copied().unwrap_or_default()).collect();
        let right = |target: &Target| {
            let mut here = hits.iter().take(shown).filter(|hit| hit.path == target.path);
            target.lines.is_some_and(|lines| here.any(|hit| shows(hit, lines)))
        };
        Self {
            rank: gains.iter().position(|gain| *gain > 0).map(|at| at as u32 + 1),
            right_lines: targets.iter().any(|target| target.wants_lines).then(|| targets.iter().any(right)),
            ndcg_at_10: ndcg_at_10(&gains, grades.into_values().collect::<Vec<_>>().as_slice()),
            recall: [1, 5, 10].map(|first| recall(&gains, first, targets)),
            took,
        }
    }
}

/// Means over `answered`, and the median of their times; zeros for none.
pub(super) fn scores_of<'a>(answered: impl Iterator<Item = &'a Answered>) -> RetrievalScores {
    let answered: Vec<&Answered> = answered.collect();
    let mean = |value: &dyn Fn(&Answered) -> f64| {
        answered.iter().map(|answered| value(answered)).sum::<f64>() / answered.len().max(1) as f64
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

/// `gains` are the grades of the hits, best hit first; `grades` those of the expected files in any order.
fn ndcg_at_10(gains: &[u8], grades: &[u8]) -> f64 {
    let discounted = |gains: &[u8]| -> f64 {
        let ranks = (1..=10).zip(gains);
        ranks.map(|(rank, gain)| f64::from(*gain) / f64::from(rank + 1).log2()).sum()
    };
    let mut ideal = grades.to_vec();
    ideal.sort_unstable_by(|one, other| other.cmp(one));
    let most = discounted(&ideal);
    if most > 0.0 { discounted(gains) / most } else { 0.0 }
}

/// Share of the expected files among the `first` hits.
fn recall(gains: &[u8], first: usize, targets: &[Target]) -> f64 {
    let files: std::collections::BTreeSet<&str> = targets.iter().map(|target| target.path.as_str()).collect();
    let found = gains.iter().take(first).filter(|gain| **gain > 0).count();
    found as f64 / files.len().max(1) as f64
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
