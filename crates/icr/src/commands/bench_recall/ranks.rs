//! How high the evidence of questions ranks.

use serde::Serialize;

/// Means over questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct RankMeans {
    /// Recall in the first place: the share of the evidence found there, divided by the largest possible share. The
    /// other ranks likewise.
    pub(crate) recall_at_1: f64,
    pub(crate) recall_at_5: f64,
    pub(crate) recall_at_10: f64,
    /// Mean reciprocal rank: 1 divided by the rank of the first evidence, 0 if none was recalled.
    pub(crate) mrr: f64,
}

/// The ranks, from 1, of each question's evidence: `None` for a turn that was not recalled.
pub(crate) type EvidenceRanks = Vec<Option<usize>>;

impl RankMeans {
    /// The means over `questions`; all 0 if there are none.
    pub(crate) fn of<'a>(questions: impl IntoIterator<Item = &'a EvidenceRanks>) -> Self {
        let mut sum = Self::default();
        let mut count = 0.0_f64;
        for ranks in questions {
            count += 1.0;
            sum.recall_at_1 += recall_at(ranks, 1);
            sum.recall_at_5 += recall_at(ranks, 5);
            sum.recall_at_10 += recall_at(ranks, 10);
            sum.mrr += ranks.iter().flatten().min().map_or(0.0, |rank| 1.0 / *rank as f64);
        }
        let mean = |sum: f64| sum / count.max(1.0);
        Self {
            recall_at_1: mean(sum.recall_at_1),
            recall_at_5: mean(sum.recall_at_5),
            recall_at_10: mean(sum.recall_at_10),
            mrr: mean(sum.mrr),
        }
    }
}

/// Ranks of the `evidence` turns in `answer`, a list of turns with the best first.
pub(crate) fn ranks_of(evidence: &[usize], answer: &[usize]) -> EvidenceRanks {
    let rank = |turn: &usize| answer.iter().position(|other| other == turn).map(|at| at + 1);
    evidence.iter().map(rank).collect()
}

/// Baseline evidence that does not answer the question: each turn moved by half the dialogue.
pub(crate) fn shifted(evidence: &[usize], turns: usize) -> Vec<usize> {
    evidence.iter().map(|turn| (turn + turns / 2) % turns.max(1)).collect()
}

fn recall_at(ranks: &EvidenceRanks, most: usize) -> f64 {
    let there = ranks.iter().flatten().filter(|rank| **rank <= most).count();
    there as f64 / ranks.len().min(most).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_out_of_what_could_be_there_and_mrr_goes_by_the_first() {
        let questions = [vec![Some(1), Some(7)], vec![Some(2), None], vec![None]];
        let means = RankMeans::of(&questions);
        let third = |sum: f64| sum / 3.0;
        assert_eq!(means.recall_at_1, third(1.0));
        assert_eq!(means.recall_at_5, third(0.5 + 0.5));
        assert_eq!(means.recall_at_10, third(1.0 + 0.5));
        assert_eq!(means.mrr, third(1.0 + 0.5));
        assert_eq!(RankMeans::of([]), RankMeans::default());
    }

    #[test]
    fn ranks_count_from_one() {
        assert_eq!(ranks_of(&[4, 9, 2], &[2, 3, 4]), [Some(3), None, Some(1)]);
    }

    #[test]
    fn shifted_evidence_is_of_another_place() {
        assert_eq!(shifted(&[0, 3, 9], 10), [5, 8, 4]);
        assert_eq!(shifted(&[0], 0), [0]);
    }
}
