//! From candidates to the list of expected files.

use super::{Candidate, Diff, FEATURES, Features, Places, Weights, features};
use crate::{Evidence, Expected};

/// Most files of [`rank`]'s answer.
pub const EXPECTED_MOST: usize = 100;

/// The probability that a change with these features changes the candidate too, in `0.0..=1.0`.
pub fn probability(features: &Features, weights: &Weights) -> f64 {
    let sum: f64 = features.iter().zip(&weights.by_feature).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(weights.intercept + sum)).exp())
}

/// The candidates that are most probable, best first and then by path, at most [`EXPECTED_MOST`], with the evidence for each.
/// Candidates that are files of the change are left out.
pub fn rank(diff: &Diff, candidates: Vec<Candidate>, places: &Places, weights: &Weights) -> Vec<Expected> {
    let others = candidates.into_iter().filter(|candidate| diff.files.iter().all(|file| file.path != candidate.path));
    let mut ranked: Vec<(f64, Candidate, Features)> = others
        .map(|candidate| {
            let features = features(diff, &candidate, places);
            (probability(&features, weights), candidate, features)
        })
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
    ranked.truncate(EXPECTED_MOST);
    let expected = ranked.into_iter().map(|(probability, candidate, features)| {
        let parts = FEATURES.iter().zip(features).zip(weights.by_feature);
        let mut evidence: Vec<Evidence> = parts
            .filter(|((_, value), _)| *value != 0.0)
            .map(|((feature, value), weight)| Evidence {
                kind: feature.kind,
                text: feature.meaning.to_owned(),
                weight: value * weight,
            })
            .collect();
        evidence.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        Expected { path: candidate.path.to_string(), probability, evidence }
    });
    expected.collect()
}
