//! Fits weights that put the answers of a question first among the reranked files.

use icr_rank::{RERANK_FEATURES_TOTAL, RerankFeatures};

const SIZE: usize = RERANK_FEATURES_TOTAL;

/// A question with its reranked files, in their order before reranking.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct List {
    /// Index of the repository that was asked.
    pub(super) repository: usize,
    pub(super) category: Category,
    /// Files that answer it, in the list or not.
    pub(super) expected: usize,
    /// For each file of the list, whether it answers the question.
    pub(super) answers: Vec<bool>,
    pub(super) values: Vec<RerankFeatures>,
}

/// Origin of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Category {
    /// The first line of a message.
    Message,
    /// A whole message of several lines.
    Report,
    /// A sentence of documentation.
    Documented,
}

/// Ranks that count for NDCG.
const RANKS: usize = 10;

/// Ridge penalty: times the square of each weight, in standard deviations of its feature, added to the mean loss. Keeps
/// weights near 0 if lists say little about them.
const RIDGE: f64 = 0.003;

/// Steps at most; a dozen are enough.
const STEPS: usize = 60;

/// Fitting stops after a step that gains less than this.
const LEAST_GAIN: f64 = 1e-10;

impl List {
    /// Whether some of its files answer and others do not.
    pub(super) fn says_something(&self) -> bool {
        self.answers.contains(&true) && self.answers.contains(&false)
    }

    /// NDCG@10 of the files ordered by `score`, best first; files with equal scores keep their order.
    pub(super) fn ndcg(&self, score: impl Fn(&RerankFeatures) -> f64) -> f64 {
        let mut order: Vec<(f64, bool)> = self.values.iter().map(score).zip(self.answers.iter().copied()).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0));
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let found: f64 =
            order.iter().take(RANKS).enumerate().filter(|(_, (_, is))| *is).map(|(rank, _)| gain(rank)).sum();
        found / (0..self.expected.min(RANKS)).map(gain).sum::<f64>()
    }
}

/// The weights under which the files that answer are most probably chosen, where each list is a choice among its files
/// (a listwise softmax: Cao and others, "Learning to rank: from pairwise approach to listwise approach", 2007).
/// Features that are not in `counted` get 0. `weight` is the weight of a list.
///
/// The same lists in the same order give the same weights. All are 0 where no list says anything.
pub(super) fn fit(lists: &[&List], weight: impl Fn(&List) -> f64, counted: [bool; SIZE]) -> RerankFeatures {
    let says = |list: &&&List| list.says_something() && weight(list) > 0.0;
    let lists: Vec<&List> = lists.iter().filter(says).copied().collect();
    let total: f64 = lists.iter().map(|list| weight(list)).sum();
    let scale = scale(&lists, counted);
    let scaled = |values: &RerankFeatures| -> RerankFeatures { std::array::from_fn(|at| values[at] * scale[at]) };
    let lists: Vec<(f64, &List, Vec<RerankFeatures>)> =
        lists.iter().map(|list| (weight(list) / total, *list, list.values.iter().map(scaled).collect())).collect();
    let mut at = [0.0; SIZE];
    let mut now = Loss::at(&lists, &at);
    for _ in 0..STEPS {
        let step = solve(now.curvature, now.slope);
        let mut length = 1.0;
        let next = loop {
            let next: RerankFeatures = std::array::from_fn(|i| at[i] - length * step[i]);
            let loss = Loss::at(&lists, &next);
            if loss.value <= now.value || length < 1e-6 {
                break (next, loss);
            }
            length /= 2.0;
        };
        let gain = now.value - next.1.value;
        (at, now) = next;
        if gain < LEAST_GAIN {
            break;
        }
    }
    std::array::from_fn(|i| at[i] * scale[i])
}

/// The reciprocal of each feature's standard deviation; 0 for a constant feature or one that does not count.
fn scale(lists: &[&List], counted: [bool; SIZE]) -> RerankFeatures {
    let all = || lists.iter().flat_map(|list| &list.values);
    let count = all().count().max(1) as f64;
    std::array::from_fn(|at| {
        let mean = all().map(|values| values[at]).sum::<f64>() / count;
        let deviation = (all().map(|values| (values[at] - mean).powi(2)).sum::<f64>() / count).sqrt();
        if counted[at] && deviation > 1e-9 { 1.0 / deviation } else { 0.0 }
    })
}

/// The loss of weights, its gradient and its curvature.
struct Loss {
    value: f64,
    slope: RerankFeatures,
    curvature: [RerankFeatures; SIZE],
}

impl Loss {
    fn at(lists: &[(f64, &List, Vec<RerankFeatures>)], weights: &RerankFeatures) -> Self {
        let mut loss = Self { value: 0.0, slope: [0.0; SIZE], curvature: [[0.0; SIZE]; SIZE] };
        for (weight, list, values) in lists {
            loss.add(*weight, list, values, weights);
        }
        for (i, weight) in weights.iter().enumerate() {
            loss.value += RIDGE * weight.powi(2);
            loss.slope[i] += 2.0 * RIDGE * weight;
            loss.curvature[i][i] += 2.0 * RIDGE;
        }
        loss
    }

    fn add(&mut self, weight: f64, list: &List, values: &[RerankFeatures], weights: &RerankFeatures) {
        let score = |values: &RerankFeatures| values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        let scores: Vec<f64> = values.iter().map(score).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let share = 1.0 / list.answers.iter().filter(|answers| **answers).count() as f64;
        let mut mean = [0.0; SIZE];
        for ((values, score), answers) in values.iter().zip(&scores).zip(&list.answers) {
            let chosen = (score - top).exp() / sum;
            let wanted = if *answers { share } else { 0.0 };
            self.value -= weight * wanted * (score - top - sum.ln());
            for i in 0..SIZE {
                mean[i] += chosen * values[i];
                self.slope[i] += weight * (chosen - wanted) * values[i];
                for k in 0..SIZE {
                    self.curvature[i][k] += weight * chosen * values[i] * values[k];
                }
            }
        }
        for i in 0..SIZE {
            for k in 0..SIZE {
                self.curvature[i][k] -= weight * mean[i] * mean[k];
            }
        }
    }
}

/// Solves `matrix · x = right` for a symmetric positive definite matrix by Gaussian elimination without pivoting.
fn solve(mut matrix: [RerankFeatures; SIZE], mut right: RerankFeatures) -> RerankFeatures {
    for pivot in 0..SIZE {
        for row in pivot + 1..SIZE {
            let above = matrix[pivot];
            let factor = matrix[row][pivot] / above[pivot];
            matrix[row].iter_mut().zip(above).skip(pivot).for_each(|(value, above)| *value -= factor * above);
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..SIZE).rev() {
        let known: f64 = (row + 1..SIZE).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[(f64, f64)], answer: usize) -> List {
        let values: Vec<RerankFeatures> = values
            .iter()
            .map(|(first, second)| {
                let mut values = [0.0; SIZE];
                (values[0], values[1]) = (*first, *second);
                values
            })
            .collect();
        let answers = (0..values.len()).map(|at| at == answer).collect();
        List { repository: 0, category: Category::Message, expected: 1, answers, values }
    }

    #[test]
    fn what_answers_share_gets_weight() {
        let lists: Vec<List> =
            (0..40).map(|at| list(&[(1.0, f64::from(at % 3)), (0.0, f64::from((at + 1) % 3))], 0)).collect();
        let lists: Vec<&List> = lists.iter().collect();
        let weights = fit(&lists, |_| 1.0, [true; SIZE]);
        assert!(weights[0] > 2.0, "{weights:?}");
        assert!(weights[1].abs() < 0.3, "{weights:?}");
        assert!(weights[2..].iter().all(|weight| *weight == 0.0), "{weights:?}");
    }

    #[test]
    fn what_does_not_count_gets_none() {
        let lists = [list(&[(1.0, 1.0), (0.0, 0.0)], 0), list(&[(0.0, 1.0), (1.0, 0.0)], 0)];
        let mut counted = [true; SIZE];
        counted[1] = false;
        assert_eq!(fit(&lists.iter().collect::<Vec<_>>(), |_| 1.0, counted), [0.0; SIZE]);
    }

    #[test]
    fn nothing_to_learn_gives_nothing() {
        let all = list(&[(1.0, 0.0)], 0);
        assert_eq!(fit(&[&all], |_| 1.0, [true; SIZE]), [0.0; SIZE]);
        assert_eq!(fit(&[], |_| 1.0, [true; SIZE]), [0.0; SIZE]);
    }

    #[test]
    fn the_figure_is_that_of_the_field() {
        let list = list(&[(3.0, 0.0), (2.0, 1.0), (1.0, 2.0)], 1);
        assert_eq!(list.ndcg(|values| values[0]), 1.0 / 3.0_f64.log2());
        assert_eq!(list.ndcg(|_| 0.0), 1.0 / 3.0_f64.log2(), "files as good stay");
        assert_eq!(list.ndcg(|values| -(values[1] - 1.0).abs()), 1.0);
    }
}
