//! Which files are expected to change with a change: evidence, a probability, and words for both.

mod baselines;
mod candidate;
mod features;
mod fit;
mod measure;
mod places;
mod rank;
mod weights;

pub use baselines::{BASELINES, Baseline};
pub use candidate::{BestFile, Candidate, Diff, DiffFile, History, Import};
pub use features::{FEATURES, FEATURES_TOTAL, Feature, Features, features};
pub use fit::{Row, fit};
pub use measure::{Bin, Calibration, Scores, calibration, scores, threshold};
pub use places::Places;
pub use rank::{EXPECTED_MOST, probability, rank};
pub use weights::{SHIPPED, Weights};
