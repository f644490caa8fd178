//! What changed together: folds over the facts of commits. Pure; whoever asks brings the commits.

mod association;
mod evidence;
mod exact;
mod unauthored;

use icr_model::PathNo;

pub use association::{Association, Partner};
pub use evidence::{AskedFile, BestFile, ChangeHistory, HistoryEvidence};
pub use exact::{Counting, FEWEST_SHARED, FileStats, PairCount, RECENT_DAYS, Statistics, statistics};
pub use unauthored::unauthored;

/// Most files of a commit that counts; beyond, a commit is a sweep (a format, a rename, an import), and its files have nothing
/// in common. 20 is the rule of the statistics that icr reports, and near the best for predicting what changes next.
pub const FILES_OF_A_COMMIT: usize = 20;

/// What a commit changed, as `git log --name-status -M` lists it. Merges are left out of all folds: do not pass them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// When its change was made, in seconds since 1970, by the author's clock.
    pub author_time: i64,
    /// Its files; none twice.
    pub changes: Vec<Change>,
}

/// A file of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Path after the commit; before it for a deletion.
    pub path: PathNo,
    /// Path before the commit, for a rename.
    pub old_path: Option<PathNo>,
}
