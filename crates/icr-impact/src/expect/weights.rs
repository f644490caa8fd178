//! What every feature weighs.

use super::{FEATURES_TOTAL, Features, Warned};

/// Weights of a logistic model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The log of the odds where every feature is 0.
    pub intercept: f64,
    /// What one unit of each of [`super::FEATURES`] adds to it, in their order.
    pub by_feature: Features,
}

/// The weights that icr ships with.
///
/// Fitted on 31 public repositories in 16 languages: of each the newest 150 commits of 2 to 20 files, no merges, each seen from its
/// parent with the 2,000 commits before it; and every fifth of them again with 0 to 150 commits before it, which weigh half. A
/// query is one file of a commit, or all but one; a row is a candidate of a query. 955,000 rows, of which 63,000 belonged to the
/// commit and the others are a sample, weighted by what it stands for. The ridge was 30.
pub const SHIPPED: Weights = Weights { intercept: INTERCEPT, by_feature: values(&BY_NAME) };

/// The least probability that warns where the repository's own history is too short to find one: on ten repositories that
/// [`SHIPPED`] was not fitted on, 1,500 complete commits, at most one in twenty was warned about.
pub const SHIPPED_THRESHOLD: f64 = 0.67;

/// What [`SHIPPED_THRESHOLD`] did there.
pub const SHIPPED_WARNED: Warned = Warned { false_alarms: 0.048, recall: 0.125, precision: Some(0.71) };

// fitted: begin
/// The log of the odds of [`SHIPPED`] where every feature is 0.
const INTERCEPT: f64 = -6.7252;

/// The weights of [`SHIPPED`], by the names of the features.
const BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 2.4482),
    ("change_one", 1.8158),
    ("change_prose", 0.2818),
    ("change_settings", 0.3586),
    ("change_sizes", -2.0379),
    ("change_touching", -0.2717),
    ("change_touching_one", -0.0727),
    ("history_none", -0.2327),
    ("history_thin", -0.8092),
    ("history_thin_unknown", 1.2156),
    ("import_backward", -0.0075),
    ("import_forward", 0.2378),
    ("name_alike", 1.0550),
    ("name_alike_unshared", 0.6445),
    ("name_namesakes", -0.2231),
    ("name_test_pair", 0.3288),
    ("place_beside", 2.5415),
    ("place_prefix", 0.1144),
    ("place_prefix_unshared", 1.1023),
    ("place_same", -0.4232),
    ("popularity", -0.3786),
    ("popularity_recent", 0.6388),
    ("popularity_recent_size", -0.2598),
    ("popularity_unshared", 0.4538),
    ("referred", 0.1474),
    ("referred_unshared", 0.4602),
    ("refers", 0.1917),
    ("refers_unshared", 0.5718),
    ("together_best", 0.2767),
    ("together_commits", 0.1495),
    ("together_lift", -0.2900),
    ("together_mean", 4.6755),
    ("together_mean_log", 0.6039),
    ("together_mean_one", -0.3572),
    ("together_near_size", 0.3111),
    ("together_never", -0.5158),
    ("together_overlap", 0.9360),
    ("touched", 0.3277),
    ("touched_lately", -1.4852),
    ("unknown", 0.6066),
    // tidy: end
];
// fitted: end

const fn values(table: &[(&str, f64); FEATURES_TOTAL]) -> Features {
    let mut values = [0.0; FEATURES_TOTAL];
    let mut at = 0;
    while at < FEATURES_TOTAL {
        values[at] = table[at].1;
        at += 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::FEATURES;

    #[test]
    fn every_feature_has_a_weight_under_its_name() {
        assert_eq!(FEATURES.map(|feature| feature.name), BY_NAME.map(|(name, _)| name));
        assert!(FEATURES.is_sorted_by(|one, other| one.name < other.name));
    }
}
