//! Statistics about files that change together. Pure: the caller supplies the commits.

mod association;
mod evidence;
mod exact;
mod file_numbers;
mod unauthored;

use icr_model::FileChange;

pub use association::{Association, HALF_LIFE_COMMITS, Partner};
pub use evidence::{AskedFile, BestFile, ChangeHistory, ChangeSummary, HistoryEvidence};
pub use exact::{
    Counting, FEWEST_SHARED, FileStats, PairCount, RECENT_DAYS, Statistics, file_statistics, statistics,
    statistics_of_file,
};
pub use file_numbers::{FileNo, FileNumbers, NewFile};
pub use unauthored::{explains, is_change_log, unauthored};

/// Most files of a commit that counts. A larger commit is a sweep (a format, a rename, an import), and its files have
/// nothing in common. The limit of 20 is the one of the statistics that icr reports, and close to the best one for
/// predicting what changes next.
pub const FILES_OF_A_COMMIT: usize = 20;

/// The changes of a commit, as `git log --name-status -M` lists them. Do not pass merges: no statistic counts them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitChanges {
    /// When its change was made, in seconds since 1970, by the author's clock.
    pub author_time: i64,
    /// Its files; none twice.
    pub changes: Vec<FileChange>,
}

#[cfg(test)]
mod testing {
    use icr_model::{FileChange, FileChangeKind, PathNo};

    use crate::CommitChanges;

    /// Commits from the newest to the oldest with the author times `times`: files by letter, `b<a` where `a` was
    /// renamed to `b`.
    pub(crate) fn commits(commits: &[&str], times: impl Iterator<Item = i64>) -> Vec<CommitChanges> {
        let number = |letter: &str| PathNo(u32::from(letter.as_bytes()[0]));
        let change = |word: &str| match word.split_once('<') {
            Some((path, old_path)) => {
                FileChange { path: number(path), old_path: Some(number(old_path)), kind: FileChangeKind::Renamed }
            }
            None => FileChange { path: number(word), old_path: None, kind: FileChangeKind::Modified },
        };
        let commits = commits.iter().zip(times);
        let commits = commits.map(|(files, author_time)| CommitChanges {
            author_time,
            changes: files.split_whitespace().map(change).collect(),
        });
        commits.collect()
    }

    pub(crate) fn letter(path: PathNo) -> char {
        char::from_u32(path.0).expect("paths are numbered by letters")
    }
}
