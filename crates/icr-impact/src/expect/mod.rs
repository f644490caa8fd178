//! Which files are expected to change with a change: evidence, a probability, and words for both.

mod baselines;
mod candidate;
mod features;
mod file_name_index;
mod fit;
mod kind;
mod measure;
mod rank;
mod reasons;
#[cfg(test)]
mod tests;
mod weights;
mod words;

pub use baselines::{BASELINES, Baseline};
pub use candidate::{Diff, DiffCandidate, DiffFile, Import, References};
pub use features::{FEATURES, FEATURES_TOTAL, Feature, Features, Measure, Reason};
pub use file_name_index::FileNameIndex;
pub use fit::{TrainingRow, fit};
pub use measure::{
    Bin, Calibration, RankedOmission, Scores, WarningStatistics, alarms_most, calibration, threshold, warned,
};
pub use rank::{EXPECTED_MOST, Ranking, WARNINGS_MOST, missing, probability};
pub use weights::{SHIPPED, SHIPPED_THRESHOLD, SHIPPED_WARNED, SHIPPED_WARNING, Weights};
pub use words::{
    ChangedWord, ChangedWords, LineSide, MentionedWords, RareWordMentions, is_looked_up, mentioned_words, rare_at_most,
    rarity,
};
