//! From candidates to the list of expected files.

use std::collections::HashSet;

use icr_model::RepoPath;

use super::reasons::evidence;
use super::{Candidate, Diff, Features, Measure, Places, Weights};
use crate::Expected;

/// Files of [`rank`]'s answer that are usually enough.
pub const EXPECTED_MOST: usize = 100;

/// Most files that a change is warned about where nobody says otherwise; how often warnings are right is measured with so many.
pub const WARNINGS_MOST: usize = 3;

/// The probability that a change with these features changes the candidate too, in `0.0..=1.0`.
pub fn probability(features: &Features, weights: &Weights) -> f64 {
    let sum: f64 = features.iter().zip(&weights.by_feature).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(weights.intercept + sum)).exp())
}

/// The candidates that are most probable, best first and then by path, at most `most`, with the evidence for each. Of
/// candidates with the same path the best counts; files of the change are left out.
///
/// Cost: for every candidate a comparison with the files of the change, at most 200 of them.
pub fn rank(diff: &Diff, candidates: Vec<Candidate>, places: &Places, weights: &Weights, most: usize) -> Vec<Expected> {
    let measure = Measure::new(diff, places);
    let of_change: HashSet<&RepoPath> = diff.files.iter().map(|file| &file.path).collect();
    let others = candidates.into_iter().filter(|candidate| !of_change.contains(&candidate.path));
    let mut ranked: Vec<(f64, Candidate, Features)> = others
        .map(|candidate| {
            let features = measure.features(&candidate);
            (probability(&features, weights), candidate, features)
        })
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
    let mut seen: HashSet<RepoPath> = HashSet::new();
    ranked.retain(|(_, candidate, _)| seen.insert(candidate.path.clone()));
    ranked.truncate(most);
    let expected = ranked.into_iter().map(|(probability, candidate, features)| Expected {
        path: candidate.path.to_string(),
        probability,
        evidence: evidence(diff, &measure, &candidate, &features, weights),
    });
    expected.collect()
}

/// Those of `expected`, best first, that are probable enough to warn about: at most `most`.
pub fn missing(expected: &[Expected], threshold: f64, most: usize) -> &[Expected] {
    let probable = expected.iter().take(most).take_while(|file| file.probability >= threshold);
    &expected[..probable.count()]
}
