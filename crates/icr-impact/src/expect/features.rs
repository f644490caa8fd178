//! What is measured of a candidate: numbers that a weighted sum turns into the log of the odds.

use super::{Candidate, Diff, Places};
use crate::EvidenceKind;

/// A number that is measured of every candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Name, as weights and dumps of rows have it.
    pub name: &'static str,
    /// What kind of reason it is.
    pub kind: EvidenceKind,
    /// What is measured.
    pub meaning: &'static str,
}

/// How many features there are.
pub const FEATURES_TOTAL: usize = 3;

/// Values of [`FEATURES`], in their order.
pub type Features = [f64; FEATURES_TOTAL];

/// Every feature, by name.
pub const FEATURES: [Feature; FEATURES_TOTAL] = [
    // tidy: sorted
    Feature { name: "confidence", kind: EvidenceKind::History, meaning: "mean confidence" },
    Feature { name: "import", kind: EvidenceKind::Import, meaning: "an import in either direction" },
    Feature { name: "name", kind: EvidenceKind::Name, meaning: "the same words in the names" },
    // tidy: end
];

/// Measures `candidate`. All values are finite.
pub fn features(diff: &Diff, candidate: &Candidate, _places: &Places) -> Features {
    let confidence = candidate.history.map_or(0.0, |history| history.weighted_mean);
    let import = candidate.import_forward.is_some() || candidate.import_backward.is_some();
    let words = super::places::words(&candidate.path);
    let same = diff.files.iter().any(|file| super::places::words(&file.path) == words);
    [confidence, f64::from(u8::from(import)), f64::from(u8::from(same))]
}
