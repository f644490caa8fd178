//! Exact counts: files under the names that git prints, in commits that are not too large.

use std::collections::HashMap;

use icr_model::PathNo;

use crate::{CommitChanges, FILES_OF_A_COMMIT};

/// Default number of days before the newest commit in which a change counts as recent.
pub const RECENT_DAYS: u32 = 90;

/// Fewest commits that two files must share to be listed as a pair: a single one may be chance.
pub const FEWEST_SHARED: u32 = 2;

/// Which commits count, and which changes are recent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// Most files of a commit that counts.
    pub files_most: usize,
    /// Days before the commit that was asked in which a change is recent.
    pub recent_days: u32,
}

impl Default for Counting {
    fn default() -> Self {
        Self { files_most: FILES_OF_A_COMMIT, recent_days: RECENT_DAYS }
    }
}

/// Counts over a stretch of history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Every file of a commit that counts, in order of the number.
    pub files: Vec<FileStats>,
    /// Every two files that share [`FEWEST_SHARED`] such commits, in order of the numbers; `a < b`.
    pub pairs: Vec<PairCount>,
}

/// How often and when a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStats {
    /// The name that git prints: after a rename the new one. It is never followed back.
    pub path: PathNo,
    /// Commits that list it.
    pub commit_count: u32,
    /// Number of those commits whose author time is within [`Counting::recent_days`] before `now`, or later.
    pub recent_count: u32,
    /// Latest author time of these commits.
    pub last_modified: i64,
}

/// How often two files changed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairCount {
    /// The one with the lower number.
    pub a: PathNo,
    /// The other.
    pub b: PathNo,
    /// Commits that list both.
    pub count: u32,
}

/// The counts over `commits`, which may be in any order. `now` is the committer time of the commit that was asked
/// about, in seconds since 1970; with the wall clock, the same history would give another answer tomorrow. Commits of
/// more than [`Counting::files_most`] files do not count.
///
/// Cost: for a commit the pairs of its files, sorted; 190 for 20 files, 4,950 for 100.
pub fn statistics(commits: &[CommitChanges], now: i64, counting: &Counting) -> Statistics {
    let files = file_statistics(commits, now, counting);
    let mut pairs: Vec<(PathNo, PathNo)> = Vec::new();
    for commit in countable_commits(commits, counting) {
        let mut paths: Vec<PathNo> = commit.changes.iter().map(|change| change.path).collect();
        paths.sort_unstable();
        for (at, path) in paths.iter().enumerate() {
            pairs.extend(paths[at + 1..].iter().map(|other| (*path, *other)));
        }
    }
    pairs.sort_unstable();
    let shared = pairs.chunk_by(|one, other| one == other);
    let counted = shared.map(|same| PairCount { a: same[0].0, b: same[0].1, count: same.len() as u32 });
    let pairs = counted.filter(|pair| pair.count >= FEWEST_SHARED).collect();
    Statistics { files, pairs }
}

/// [`Statistics::files`] alone. Cost: the files of all commits.
pub fn file_statistics(commits: &[CommitChanges], now: i64, counting: &Counting) -> Vec<FileStats> {
    let recent_from = recent_from(now, counting);
    let mut files: HashMap<PathNo, FileStats> = HashMap::new();
    for commit in countable_commits(commits, counting) {
        for change in &commit.changes {
            files.entry(change.path).or_insert(FileStats::without_commits(change.path)).add(commit, recent_from);
        }
    }
    let mut files: Vec<FileStats> = files.into_values().collect();
    files.sort_unstable_by_key(|file| file.path);
    files
}

/// The row of [`file_statistics`] for one file; `None` when no commit that counts lists it. Keeps no other row.
pub fn statistics_of_file(commits: &[CommitChanges], path: PathNo, now: i64, counting: &Counting) -> Option<FileStats> {
    let recent_from = recent_from(now, counting);
    let mut file = FileStats::without_commits(path);
    for commit in countable_commits(commits, counting) {
        commit.changes.iter().filter(|change| change.path == path).for_each(|_| file.add(commit, recent_from));
    }
    (file.commit_count > 0).then_some(file)
}

impl FileStats {
    fn without_commits(path: PathNo) -> Self {
        Self { path, commit_count: 0, recent_count: 0, last_modified: i64::MIN }
    }

    fn add(&mut self, commit: &CommitChanges, recent_from: i64) {
        self.commit_count += 1;
        self.recent_count += u32::from(commit.author_time >= recent_from);
        self.last_modified = self.last_modified.max(commit.author_time);
    }
}

/// The author time from which a change is recent.
fn recent_from(now: i64, counting: &Counting) -> i64 {
    now.saturating_sub(i64::from(counting.recent_days) * 24 * 60 * 60)
}

/// The commits that count.
fn countable_commits<'a>(commits: &'a [CommitChanges], counting: &Counting) -> impl Iterator<Item = &'a CommitChanges> {
    let files_most = counting.files_most;
    commits.iter().filter(move |commit| commit.changes.len() <= files_most)
}

#[cfg(test)]
mod tests {
    use icr_model::{FileChange, FileChangeKind};

    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn commit(author_time: i64, paths: &[u32]) -> CommitChanges {
        let kind = FileChangeKind::Modified;
        let change = |path: &u32| FileChange { path: PathNo(*path), old_path: None, kind };
        CommitChanges { author_time, changes: paths.iter().map(change).collect() }
    }

    /// Lines `path commits recent last` and `a+b count`.
    #[track_caller]
    fn check(commits: &[CommitChanges], now: i64, expected: &[&str]) {
        let found = statistics(commits, now, &Counting::default());
        for file in &found.files {
            assert_eq!(statistics_of_file(commits, file.path, now, &Counting::default()), Some(*file));
        }
        assert_eq!(statistics_of_file(commits, PathNo(u32::MAX), now, &Counting::default()), None);
        let files = found
            .files
            .iter()
            .map(|file| format!("{} {} {} {}", file.path.0, file.commit_count, file.recent_count, file.last_modified));
        let pairs = found.pairs.iter().map(|pair| format!("{}+{} {}", pair.a.0, pair.b.0, pair.count));
        assert_eq!(files.chain(pairs).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn two_files_are_a_pair_when_they_share_two_commits() {
        let commits = [commit(1, &[7, 3]), commit(2, &[3, 7, 5]), commit(3, &[5]), commit(4, &[])];
        check(&commits, 4, &["3 2 2 2", "5 2 2 3", "7 2 2 2", "3+7 2"]);
        check(&[], 4, &[]);
    }

    #[test]
    fn the_window_ends_at_the_given_time_and_holds_its_first_second() {
        let commits = [commit(100 * DAY, &[1]), commit(10 * DAY, &[1]), commit(10 * DAY - 1, &[1])];
        check(&commits, 100 * DAY, &["1 3 2 8640000"]);
        check(&commits, 101 * DAY, &["1 3 1 8640000"]);
        let short = Counting { recent_days: 9, ..Counting::default() };
        assert_eq!(statistics(&commits, 100 * DAY, &short).files[0].recent_count, 1);
        // An author's clock may be ahead of the committer's.
        check(&commits, 0, &["1 3 3 8640000"]);
        check(&commits, i64::MIN, &["1 3 3 8640000"]);
    }

    #[test]
    fn a_commit_of_more_than_twenty_files_counts_for_nothing() {
        let files = |count: u32| (0..count).collect::<Vec<_>>();
        let counts = |count| {
            let commits = [commit(1, &files(count)), commit(2, &files(count))];
            let found = statistics(&commits, 2, &Counting::default());
            (found.files.len(), found.pairs.len())
        };
        let few = Counting { files_most: 3, ..Counting::default() };
        assert_eq!(statistics(&[commit(1, &files(3)), commit(2, &files(4))], 2, &few).files[0].commit_count, 1);
        assert_eq!(counts(20), (20, 190));
        assert_eq!(counts(21), (0, 0));
    }
}
