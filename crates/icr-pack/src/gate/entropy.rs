//! How undecided a list of scores is.

use serde::Serialize;

/// Most scores that are looked at: the threshold is a share of what this many can have.
pub(crate) const SCORES_MAX: usize = 50;

/// How scores are spread over candidates, in four units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Entropy {
    /// Shannon entropy in nats, `0.0..=ln(candidates)`.
    #[serde(rename = "entropy")]
    pub nats: f64,
    /// The same in bits.
    #[serde(rename = "entropy_bits")]
    pub bits: f64,
    /// Share of what that many candidates can have, `0.0..=1.0`; 0 for fewer than two.
    #[serde(rename = "entropy_normalized")]
    pub normalized: f64,
    /// How many equally good candidates would be as undecided: `exp(nats)`; 0 when there are none.
    pub effective_candidates: f64,
    /// Scores looked at, 50 at most.
    pub candidates: usize,
}

/// Entropy of the best 50 of `scores`, in any order: mapped linearly to `0.0..=1.0`, then a softmax at `temperature`.
///
/// The mapping makes scores of different queries comparable. Without it, 50 scores in `0.0..=1.0` have nearly the same
/// entropy as equal scores, whatever they are. Scores that are not finite are left out. A temperature that is not above
/// 0 means the limit: the best score has all the weight.
pub fn entropy(scores: &[f64], temperature: f64) -> Entropy {
    let best = best_scores(scores);
    let (Some(most), Some(least)) = (best.first(), best.last()) else {
        return Entropy { nats: 0.0, bits: 0.0, normalized: 0.0, effective_candidates: 0.0, candidates: 0 };
    };
    // The least positive number instead of 0: then a difference of 0 stays 0, and any other becomes infinite.
    let temperature = if temperature > 0.0 { temperature } else { f64::MIN_POSITIVE };
    let spread = most - least;
    // Best first, so that sums do not depend on the order of the input.
    let weight = |score: &f64| if spread > 0.0 { (-((most - score) / spread) / temperature).exp() } else { 1.0 };
    let weights: Vec<f64> = best.iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    let shares = weights.iter().map(|weight| weight / total);
    // A share of 0 adds nothing: that is the limit of p ln p at 0.
    let nats = shares.filter(|share| *share > 0.0).map(|share| -share * share.ln()).sum::<f64>().max(0.0);
    let candidates = best.len();
    let normalized = if candidates < 2 { 0.0 } else { (nats / (candidates as f64).ln()).min(1.0) };
    Entropy { nats, bits: nats / std::f64::consts::LN_2, normalized, effective_candidates: nats.exp(), candidates }
}

/// The best finite scores, best first.
pub(super) fn best_scores(scores: &[f64]) -> Vec<f64> {
    let mut best: Vec<f64> = scores.iter().copied().filter(|score| score.is_finite()).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    best.truncate(SCORES_MAX);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(scores: &[f64], normalized: f64) {
        let found = entropy(scores, 0.1).normalized;
        assert!((found - normalized).abs() < 0.001, "{found} is not {normalized}");
    }

    #[test]
    fn shapes_of_fifty_scores() {
        let mut shapes: Vec<(Vec<f64>, f64)> = Vec::new();
        let leaders = |count: usize, high: f64, low: f64| {
            (0..50).map(|at| if at < count { high } else { low }).collect::<Vec<f64>>()
        };
        shapes.push((leaders(50, 0.5, 0.5), 1.0));
        shapes.push(((0..50).map(|at| 0.92 - 0.72 * f64::from(at) / 49.0).collect(), 0.662));
        shapes.push((leaders(25, 0.9, 0.1), 0.823));
        shapes.push((leaders(12, 0.95, 0.15), 0.636));
        shapes.push(((0..50).map(|at| 0.9_f64.powi(at)).collect(), 0.309));
        let mut peaks = leaders(1, 0.95, 0.15);
        shapes.push((peaks.clone(), 0.006));
        peaks[1] = 0.93;
        shapes.push((peaks, 0.178));
        for (scores, normalized) in shapes {
            check(&scores, normalized);
        }
    }

    #[test]
    fn fifty_equal_scores_have_the_logarithm_of_fifty_nats() {
        let found = entropy(&[0.4; 50], 0.1);
        assert!((found.nats - 3.912).abs() < 0.001, "{found:?}");
        assert!((found.bits - 5.644).abs() < 0.001, "{found:?}");
        assert!((found.effective_candidates - 50.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn one_certain_candidate_has_none() {
        assert_eq!(entropy(&[0.9, 0.1, 0.0], 0.0).nats, 0.0);
        assert_eq!(entropy(&[0.9, 0.1, 0.0], f64::NAN).nats, 0.0);
        assert_eq!(entropy(&[0.9], 0.1).nats, 0.0);
        assert_eq!(entropy(&[], 0.1).candidates, 0);
    }

    #[test]
    fn what_is_not_finite_and_what_comes_after_fifty_is_not_looked_at() {
        assert_eq!(entropy(&[f64::NAN, 0.5, f64::INFINITY, f64::NEG_INFINITY], 0.1).candidates, 1);
        let mut scores = vec![0.5; 50];
        scores.extend([0.0; 50]);
        assert_eq!(entropy(&scores, 0.1), entropy(&[0.5; 50], 0.1));
    }

    proptest! {
        #[test]
        fn a_higher_peak_is_never_less_decided(
            others in 3_usize..60, low in 0.0_f64..0.4, middle in 0.4_f64..0.5, peak in 0.5_f64..0.9, more in 0.0_f64..0.1,
        ) {
            let with = |peak: f64| {
                let rest = std::iter::repeat_n(middle, others);
                entropy(&rest.chain([peak, low]).collect::<Vec<_>>(), 0.1).nats
            };
            prop_assert!(with(peak + more) <= with(peak) + 1e-9);
        }

        #[test]
        fn any_order_has_the_same_entropy(scores in proptest::collection::vec(-1.0_f64..2.0, 0..80)) {
            let mut turned = scores.clone();
            turned.reverse();
            let found = entropy(&scores, 0.1);
            prop_assert_eq!(found, entropy(&turned, 0.1));
            prop_assert!((0.0..=1.0).contains(&found.normalized));
        }
    }
}
