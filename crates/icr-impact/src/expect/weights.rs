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
/// Fitted by `cargo run --release -p xtask -- fit-impact` on 18 public repositories in 11 languages, which that program lists: of each the
/// newest 60 commits of 2 to 20 files, no merges, each seen from its parent with the 2,000 commits before it; and every fifth of
/// them again with 0 to 150 commits before it, which weigh half. A query is one file of a commit, or all but one; a row is a
/// candidate of a query; of those that did not belong to the commit a fourth was taken, weighted by what it stands for.
pub const SHIPPED: Weights = Weights { intercept: INTERCEPT, by_feature: values(&BY_NAME) };

/// The least probability that warns where the repository's own history is too short to find one: on ten repositories that
/// were not fitted on, 1,500 complete commits, at most one in twenty was warned about, with weights fitted as [`SHIPPED`] is.
pub const SHIPPED_THRESHOLD: f64 = 0.67;

/// What [`SHIPPED_THRESHOLD`] did there.
pub const SHIPPED_WARNED: Warned = Warned { false_alarms: 0.048, recall: 0.125, precision: Some(0.71) };

// fitted: begin
/// The log of the odds of [`SHIPPED`] where every feature is 0.
const INTERCEPT: f64 = -7.3862;

/// The weights of [`SHIPPED`], by the names of the features.
const BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 3.0382),
    ("change_one", 1.8948),
    ("change_prose", 0.2923),
    ("change_settings", 0.3936),
    ("change_sizes", -2.8046),
    ("change_touching", -0.1528),
    ("change_touching_one", -0.0824),
    ("history_none", -0.3377),
    ("history_thin", -0.7378),
    ("history_thin_unknown", 1.5957),
    ("import_backward", -0.1594),
    ("import_forward", 0.3657),
    ("name_alike", 0.9043),
    ("name_alike_unshared", 0.8766),
    ("name_namesakes", -0.2320),
    ("name_test_pair", 0.4580),
    ("place_beside", 2.6968),
    ("place_prefix", 0.3574),
    ("place_prefix_unshared", 0.8865),
    ("place_same", -0.7808),
    ("popularity", -0.2744),
    ("popularity_recent", 0.4316),
    ("popularity_recent_size", -0.2405),
    ("popularity_unshared", 0.4149),
    ("referred", 0.0896),
    ("referred_unshared", 0.5708),
    ("refers", 0.4891),
    ("refers_unshared", 0.5920),
    ("together_best", 0.3077),
    ("together_commits", 0.0717),
    ("together_lift", -0.2342),
    ("together_mean", 4.1239),
    ("together_mean_log", 0.7109),
    ("together_mean_one", -0.3870),
    ("together_near_size", 0.2518),
    ("together_never", -0.0438),
    ("together_overlap", 0.9577),
    ("touched", 0.2433),
    ("touched_lately", -0.8776),
    ("unknown", 0.3522),
    ("words_added", 0.2500),
    ("words_rarest", 0.3000),
    ("words_removed", 0.3500),
    ("words_share", 0.6000),
    ("words_share_unshared", 0.4000),
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
    use super::super::FEATURES;
    use super::*;

    #[test]
    fn every_feature_has_a_weight_under_its_name() {
        assert_eq!(FEATURES.map(|feature| feature.name), BY_NAME.map(|(name, _)| name));
        assert!(FEATURES.is_sorted_by(|one, other| one.name < other.name));
    }
}
