//! From candidates to lists of files: those that are expected, and those that may have been forgotten.

use std::collections::HashSet;

use icr_model::RepoPath;

use super::reasons::evidence;
use super::{Diff, DiffCandidate, Features, FileNameIndex, Measure, Weights};
use crate::ExpectedFile;

/// Files of [`Ranking::best`] that are usually enough.
pub const EXPECTED_MOST: usize = 100;

/// Default for the most files that are warned about per change. The quality of warnings is measured with this number.
pub const WARNINGS_MOST: usize = 3;

/// The probability that a change with these features changes the candidate too, in `0.0..=1.0`.
pub fn probability(features: &Features, weights: &Weights) -> f64 {
    let sum: f64 = features.iter().zip(&weights.by_feature).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(weights.intercept + sum)).exp())
}

/// The candidates of one change, measured once for all lists of them.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    diff: &'a Diff,
    measure: Measure<'a>,
    candidates: Vec<(DiffCandidate, Features)>,
}

impl<'a> Ranking<'a> {
    /// Measures `candidates`; files of the change are left out.
    ///
    /// Cost: for every candidate a comparison with the files of the change, at most 200 of them.
    pub fn new(diff: &'a Diff, candidates: Vec<DiffCandidate>, places: &'a FileNameIndex) -> Self {
        let measure = Measure::new(diff, places);
        let of_change: HashSet<&RepoPath> = diff.files.iter().map(|file| &file.path).collect();
        let others = candidates.into_iter().filter(|candidate| !of_change.contains(&candidate.path));
        let measured = |candidate: DiffCandidate| {
            let features = measure.features(&candidate);
            (candidate, features)
        };
        let candidates = others.map(measured).collect();
        Self { diff, measure, candidates }
    }

    /// The candidates that are most probable by `weights`, best first and then by path, at most `most`, with the evidence for each. Of
    /// candidates with the same path the best counts.
    pub fn best(&self, weights: &Weights, most: usize) -> Vec<ExpectedFile> {
        self.best_of(|_| true, weights, most)
    }

    /// As [`Ranking::best`], of the candidates that `is_meant` holds for.
    pub fn best_of(&self, is_meant: impl Fn(&RepoPath) -> bool, weights: &Weights, most: usize) -> Vec<ExpectedFile> {
        let candidates = self.candidates.iter().filter(|(candidate, _)| is_meant(&candidate.path));
        let mut ranked: Vec<(f64, &DiffCandidate, &Features)> =
            candidates.map(|(candidate, features)| (probability(features, weights), candidate, features)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
        let mut seen: HashSet<&RepoPath> = HashSet::new();
        ranked.retain(|(_, candidate, _)| seen.insert(&candidate.path));
        ranked.truncate(most);
        let expected = ranked.into_iter().map(|(probability, candidate, features)| ExpectedFile {
            path: candidate.path.to_string(),
            probability,
            evidence: evidence(self.diff, &self.measure, candidate, features, weights),
        });
        expected.collect()
    }
}

/// Those of `ranked`, best first, that are probable enough to warn about: at most `most`.
pub fn missing(ranked: &[ExpectedFile], threshold: f64, most: usize) -> &[ExpectedFile] {
    let probable = ranked.iter().take(most).take_while(|file| file.probability >= threshold);
    &ranked[..probable.count()]
}
