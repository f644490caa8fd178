//! The weights of all features.

use super::{FEATURES_TOTAL, Features, WarningStatistics};

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
/// Fitted by `cargo run --release -p xtask -- fit-impact` on 18 public repositories in 11 languages, which that program
/// lists. From each, the newest 60 commits of 2 to 20 files, no merges, were used, each seen from its parent with the
/// 2,000 commits before it. Every fifth of them was used again with only 0 to 150 commits before it, at half weight. A
/// query is one file of a commit, or all files but one; a row is one candidate of a query. Of the candidates that did
/// not belong to the commit, a fourth was sampled, weighted accordingly.
pub const SHIPPED: Weights = Weights { intercept: INTERCEPT, by_feature: values(&BY_NAME) };

/// The weights of warnings: how probable it is that a change leaves a file out if nobody knows whether the change is
/// complete.
///
/// Fitted like [`SHIPPED`], on commits with one file left out and on the same commits without anything left out.
/// Imports and references have no weight, because past commits are evaluated without a view of each, and the threshold
/// of a repository has to be computed from the same scores that later warn. On 18 repositories, each with weights
/// fitted on the others, the warnings named 0.195 of the files left out while 3.4 % of the complete commits were warned
/// about. With weights fitted like [`SHIPPED`] and all evidence, they named 0.18.
pub const SHIPPED_WARNING: Weights = Weights { intercept: WARNING_INTERCEPT, by_feature: values(&WARNING_BY_NAME) };

/// The least probability, by [`SHIPPED_WARNING`], that warns where the repository's own history is too short to find one: of 2,000
/// complete commits of eight repositories that were not fitted on, at most one in twenty was warned about, and of none more than one in 15.
pub const SHIPPED_THRESHOLD: f64 = 0.58;

/// The quality of [`SHIPPED_THRESHOLD`] on these repositories.
pub const SHIPPED_WARNED: WarningStatistics =
    WarningStatistics { false_alarms: 0.04, recall: 0.141, precision: Some(0.73) };

// fitted: begin
/// The log of the odds of [`SHIPPED`] where every feature is 0.
const INTERCEPT: f64 = -7.41375;

/// The weights of [`SHIPPED`], by the names of the features.
const BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 2.78197),
    ("change_one", 1.91535),
    ("change_prose", 0.27674),
    ("change_settings", 0.41457),
    ("change_sizes", -2.87510),
    ("change_touching", -0.10005),
    ("change_touching_one", -0.02585),
    ("history_none", -0.03676),
    ("history_thin", -0.26813),
    ("history_thin_unknown", 0.65758),
    ("import_backward", -0.01213),
    ("import_forward", 0.19000),
    ("name_alike", 0.46224),
    ("name_alike_unshared", 0.71136),
    ("name_namesakes", -0.16846),
    ("name_test_pair", 0.65613),
    ("place_beside", 2.49969),
    ("place_prefix", 0.36015),
    ("place_prefix_unshared", 0.81753),
    ("place_same", -0.93479),
    ("popularity", -0.32727),
    ("popularity_recent", 0.43731),
    ("popularity_recent_size", -0.23979),
    ("popularity_unshared", 0.34860),
    ("referred", -0.01650),
    ("referred_unshared", 0.41841),
    ("refers", 0.34508),
    ("refers_unshared", 0.48088),
    ("together_best", 0.31832),
    ("together_commits", -0.00157),
    ("together_lift", -0.21092),
    ("together_mean", 4.75743),
    ("together_mean_log", 0.61039),
    ("together_mean_one", -0.36836),
    ("together_near_size", 0.24006),
    ("together_never", -0.12979),
    ("together_overlap", 0.86684),
    ("touched", 0.16027),
    ("touched_lately", -0.62310),
    ("unknown", 0.29692),
    ("words_added", -0.24557),
    ("words_rarest", 0.92088),
    ("words_removed", 0.30820),
    ("words_share", 1.35650),
    ("words_share_unshared", 0.82462),
    // tidy: end
];

/// The log of the odds of [`SHIPPED_WARNING`] where every feature is 0.
const WARNING_INTERCEPT: f64 = -7.30419;

/// The weights of [`SHIPPED_WARNING`], by the names of the features.
const WARNING_BY_NAME: [(&str, f64); FEATURES_TOTAL] = [
    // tidy: sorted
    ("change_alone", 2.88775),
    ("change_one", 0.65470),
    ("change_prose", 0.12733),
    ("change_settings", 0.23657),
    ("change_sizes", -2.14948),
    ("change_touching", -0.03479),
    ("change_touching_one", -0.14760),
    ("history_none", -0.31512),
    ("history_thin", 0.41836),
    ("history_thin_unknown", 0.21491),
    ("import_backward", 0.00000),
    ("import_forward", 0.00000),
    ("name_alike", 0.64220),
    ("name_alike_unshared", 1.24130),
    ("name_namesakes", -0.17070),
    ("name_test_pair", 0.55196),
    ("place_beside", 1.45733),
    ("place_prefix", 0.05957),
    ("place_prefix_unshared", 1.15087),
    ("place_same", -0.39407),
    ("popularity", -0.54337),
    ("popularity_recent", 0.56998),
    ("popularity_recent_size", -0.17826),
    ("popularity_unshared", 0.32687),
    ("referred", 0.00000),
    ("referred_unshared", 0.00000),
    ("refers", 0.00000),
    ("refers_unshared", 0.00000),
    ("together_best", 0.20819),
    ("together_commits", 0.03120),
    ("together_lift", -0.23307),
    ("together_mean", 4.22280),
    ("together_mean_log", 0.66290),
    ("together_mean_one", 0.27898),
    ("together_near_size", 0.28540),
    ("together_never", -1.32537),
    ("together_overlap", 0.80160),
    ("touched", 0.04611),
    ("touched_lately", -0.35112),
    ("unknown", 0.35299),
    ("words_added", -0.03908),
    ("words_rarest", 1.16899),
    ("words_removed", 0.17403),
    ("words_share", 1.23702),
    ("words_share_unshared", 1.72613),
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
            assert!(feature.reason.is_known_without_view() || weight == 0.0, "{}", feature.name);
        }
    }
}
