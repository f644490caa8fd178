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

/// The weights that icr ships with: how probable it is that a change like this one changes a file too.
///
/// Fitted by `cargo run --release -p xtask -- fit-impact` on 18 public repositories in 11 languages, which that program lists: of each the
/// newest 60 commits of 2 to 20 files, no merges, each seen from its parent with the 2,000 commits before it; and every fifth of
/// them again with 0 to 150 commits before it, which weigh half. A query is one file of a commit, or all but one; a row is a
/// candidate of a query; of those that did not belong to the commit a fourth was taken, weighted by what it stands for.
pub const SHIPPED: Weights = Weights { intercept: INTERCEPT, by_feature: values(&BY_NAME) };

/// The weights of warnings: how probable it is that a change, of which nobody knows whether it is complete, leaves a file out.
///
/// Fitted as [`SHIPPED`] is, on commits with one file left out and on the same commits without anything left out. Imports and references
/// have no weight, so that the threshold of a repository is worked out on the very scores that warn: past commits are asked without
/// a view of each. Of 18 repositories, each with weights fitted on the others, 0.195 of the files left out were named where 3.4 % of
/// the complete commits were warned about, and 0.18 with weights fitted as those of [`SHIPPED`] are and all evidence.
pub const SHIPPED_WARNING: Weights = Weights { intercept: WARNING_INTERCEPT, by_feature: values(&WARNING_BY_NAME) };

/// The least probability, by [`SHIPPED_WARNING`], that warns where the repository's own history is too short to find one: of 2,000
/// complete commits of eight repositories that were not fitted on, at most one in twenty was warned about, and of none more than one in 15.
pub const SHIPPED_THRESHOLD: f64 = 0.58;

/// What [`SHIPPED_THRESHOLD`] did there.
pub const SHIPPED_WARNED: Warned = Warned { false_alarms: 0.04, recall: 0.141, precision: Some(0.73) };

// fitted: begin
/// The log of the odds of [`SHIPPED`] where every feature is 0.
const INTERCEPT: f64 = -7.4138;

/// The weights of [`SHIPPED`], by the names of the features.
const BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 2.7820),
    ("change_one", 1.9154),
    ("change_prose", 0.2767),
    ("change_settings", 0.4146),
    ("change_sizes", -2.8751),
    ("change_touching", -0.1001),
    ("change_touching_one", -0.0258),
    ("history_none", -0.0368),
    ("history_thin", -0.2681),
    ("history_thin_unknown", 0.6576),
    ("import_backward", -0.0121),
    ("import_forward", 0.1900),
    ("name_alike", 0.4622),
    ("name_alike_unshared", 0.7114),
    ("name_namesakes", -0.1685),
    ("name_test_pair", 0.6561),
    ("place_beside", 2.4997),
    ("place_prefix", 0.3602),
    ("place_prefix_unshared", 0.8175),
    ("place_same", -0.9348),
    ("popularity", -0.3273),
    ("popularity_recent", 0.4373),
    ("popularity_recent_size", -0.2398),
    ("popularity_unshared", 0.3486),
    ("referred", -0.0165),
    ("referred_unshared", 0.4184),
    ("refers", 0.3451),
    ("refers_unshared", 0.4809),
    ("together_best", 0.3183),
    ("together_commits", -0.0016),
    ("together_lift", -0.2109),
    ("together_mean", 4.7574),
    ("together_mean_log", 0.6104),
    ("together_mean_one", -0.3684),
    ("together_near_size", 0.2401),
    ("together_never", -0.1298),
    ("together_overlap", 0.8668),
    ("touched", 0.1603),
    ("touched_lately", -0.6231),
    ("unknown", 0.2969),
    ("words_added", -0.2456),
    ("words_rarest", 0.9209),
    ("words_removed", 0.3082),
    ("words_share", 1.3565),
    ("words_share_unshared", 0.8246),
    // tidy: end
];

/// The log of the odds of [`SHIPPED_WARNING`] where every feature is 0.
const WARNING_INTERCEPT: f64 = -7.3042;

/// The weights of [`SHIPPED_WARNING`], by the names of the features.
const WARNING_BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 2.8878),
    ("change_one", 0.6547),
    ("change_prose", 0.1273),
    ("change_settings", 0.2366),
    ("change_sizes", -2.1495),
    ("change_touching", -0.0348),
    ("change_touching_one", -0.1476),
    ("history_none", -0.3151),
    ("history_thin", 0.4184),
    ("history_thin_unknown", 0.2149),
    ("import_backward", 0.0000),
    ("import_forward", 0.0000),
    ("name_alike", 0.6422),
    ("name_alike_unshared", 1.2413),
    ("name_namesakes", -0.1707),
    ("name_test_pair", 0.5520),
    ("place_beside", 1.4573),
    ("place_prefix", 0.0596),
    ("place_prefix_unshared", 1.1509),
    ("place_same", -0.3941),
    ("popularity", -0.5434),
    ("popularity_recent", 0.5700),
    ("popularity_recent_size", -0.1783),
    ("popularity_unshared", 0.3269),
    ("referred", 0.0000),
    ("referred_unshared", 0.0000),
    ("refers", 0.0000),
    ("refers_unshared", 0.0000),
    ("together_best", 0.2082),
    ("together_commits", 0.0312),
    ("together_lift", -0.2331),
    ("together_mean", 4.2228),
    ("together_mean_log", 0.6629),
    ("together_mean_one", 0.2790),
    ("together_near_size", 0.2854),
    ("together_never", -1.3254),
    ("together_overlap", 0.8016),
    ("touched", 0.0461),
    ("touched_lately", -0.3511),
    ("unknown", 0.3530),
    ("words_added", -0.0391),
    ("words_rarest", 1.1690),
    ("words_removed", 0.1740),
    ("words_share", 1.2370),
    ("words_share_unshared", 1.7261),
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
        for table in [BY_NAME, WARNING_BY_NAME] {
            assert_eq!(FEATURES.map(|feature| feature.name), table.map(|(name, _)| name));
        }
        assert!(FEATURES.is_sorted_by(|one, other| one.name < other.name));
    }

    #[test]
    fn warnings_rest_on_what_past_commits_can_be_asked_for() {
        for (feature, weight) in FEATURES.iter().zip(SHIPPED_WARNING.by_feature) {
            assert!(feature.reason.is_replayed() || weight == 0.0, "{}", feature.name);
        }
    }
}
