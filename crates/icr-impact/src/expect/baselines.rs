//! Plain rankings that a better one has to beat.

use super::{Diff, DiffCandidate};

/// A ranking with a name.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    /// Name.
    pub name: &'static str,
    /// How it ranks.
    pub meaning: &'static str,
    /// Score of a candidate, higher first; 0 for one that is not in the list.
    pub score: fn(&Diff, &DiffCandidate) -> f64,
}

/// Every baseline, by name.
pub const BASELINES: [Baseline; 4] = [
    // tidy: sorted
    Baseline {
        name: "import_neighbours",
        meaning: "files that import a file of the change or are imported by one, those with few importers first",
        score: import_neighbours,
    },
    Baseline { name: "rose", meaning: "files of the commits that changed all files of the change", score: rose },
    Baseline {
        name: "same_directory",
        meaning: "files beside one of the change, popular ones first",
        score: same_directory,
    },
    Baseline {
        name: "tarmaq",
        meaning: "files of the commits that changed most files of the change, by how many these are",
        score: tarmaq,
    },
    // tidy: end
];

fn import_neighbours(_: &Diff, candidate: &DiffCandidate) -> f64 {
    let damped = |fan_in: u32| 1.0 / (1.0 + f64::from(fan_in).ln_1p());
    let backward = candidate.import_backward.map_or(0.0, |import| 0.8 * damped(import.fan_in));
    let forward = candidate.import_forward.map_or(0.0, |import| 0.7 * damped(import.fan_in));
    backward.max(forward)
}

fn rose(diff: &Diff, candidate: &DiffCandidate) -> f64 {
    let shared = candidate.history.map_or(0, |history| history.overlap_shared);
    let whole = diff.history.overlap as usize == diff.files.len();
    if whole { f64::from(shared) / f64::from(diff.history.overlap_commits.max(1)) } else { 0.0 }
}

fn same_directory(diff: &Diff, candidate: &DiffCandidate) -> f64 {
    let directory = candidate.path.directory();
    let beside = diff.files.iter().any(|file| file.path.directory() == directory);
    let commits = candidate.history.map_or(0.0, |history| f64::from(history.commits));
    if beside { 0.5 + 0.5 * commits / (1.0 + commits) } else { 0.0 }
}

fn tarmaq(diff: &Diff, candidate: &DiffCandidate) -> f64 {
    let shared = f64::from(candidate.history.map_or(0, |history| history.overlap_shared));
    // The share only orders those of equal support.
    shared / (shared + 1.0) * 0.999 + 0.001 * shared / f64::from(diff.history.overlap_commits.max(1))
}
