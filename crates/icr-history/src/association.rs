//! Files that usually change together, for files under all their names and for guessing what belongs to a change.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use icr_model::PathNo;

use crate::{CommitChanges, FileNo, FileNumbers, NewFile};

/// Half-life of a commit's weight, in commits. Of the half-lives that were tried on the histories of ten repositories,
/// commit by commit, this one found the most of the other files of a change.
pub const HALF_LIFE_COMMITS: f64 = 600.0;

/// Weight added to the commits of a file, as if it had changed once more, alone. A file with a single commit is weak
/// evidence for what changes with it.
pub(super) const SMOOTHING: f64 = 1.0;

/// A history, ready to be asked about any file.
#[derive(Debug, Clone)]
pub struct Association {
    /// Commits that count, newest first.
    commits: Vec<CountedCommit>,
    /// The file that a name means, by the newest commit that has the name.
    file_of: HashMap<PathNo, FileNo>,
    /// For each file its newest name, unless another file has that name now, and its commits, newest first.
    files: Vec<(Option<PathNo>, Vec<u32>)>,
}

#[derive(Debug, Clone)]
struct CountedCommit {
    author_time: i64,
    files: Vec<FileNo>,
}

/// A file that changed together with those that were asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Partner {
    /// Its newest name.
    pub path: PathNo,
    /// Commits that it shares with one of them.
    pub count: u32,
    /// Share of the commits of a file asked about that also changed this file, in `0.0..=1.0`; the mean if several
    /// files were asked about.
    pub confidence: f64,
    /// How many times more often this file changes in commits of the files asked about than in any commit; 1 means no
    /// association.
    pub lift: f64,
    /// Like `confidence`, but each commit weighs `2^(-age / 600) / (files - 1)`, with the age in commits, because old
    /// and large commits are weak evidence. In `0.0..1.0`.
    pub weighted_confidence: f64,
    /// `weighted_confidence` times `1 - 1 / lift`, and 0 below a lift of 1. This removes the part that the popularity
    /// of the file explains, so that a change log is not a partner of every file.
    pub score: f64,
    /// Latest author time of the shared commits, in seconds since 1970.
    pub last_commit: i64,
}

impl Partner {
    /// Orders by the higher score, then by the other measures. Partners that are equal in all measures compare as
    /// equal: the caller, who knows their paths, has to order them.
    pub fn better_first(&self, other: &Self) -> Ordering {
        let scores = other.score.total_cmp(&self.score);
        let confidences = || other.weighted_confidence.total_cmp(&self.weighted_confidence);
        scores.then_with(confidences).then(other.count.cmp(&self.count))
    }
}

impl Association {
    /// Reads `commits`, newest first. Renames are followed in all commits, as [`FileNumbers`] does. A commit with no
    /// files or with more than `files_most` files is used for renames only.
    pub fn new(commits: &[CommitChanges], files_most: usize) -> Self {
        let mut history = Self { commits: Vec::new(), file_of: HashMap::new(), files: Vec::new() };
        let mut numbers = FileNumbers::default();
        for commit in commits {
            let mut files: Vec<FileNo> = Vec::with_capacity(commit.changes.len());
            numbers.add_commit(&commit.changes, &mut files, |new| history.add_file(new));
            for (change, file) in commit.changes.iter().zip(&files) {
                if let Some(old_path) = change.old_path {
                    history.file_of.entry(old_path).or_insert(*file);
                }
            }
            if (1..=files_most).contains(&files.len()) {
                let number = history.commits.len() as u32;
                files.iter().for_each(|file| history.files[*file as usize].1.push(number));
                history.commits.push(CountedCommit { author_time: commit.author_time, files });
            }
        }
        history
    }

    /// Commits that count.
    pub fn commits_total(&self) -> u32 {
        self.commits.len() as u32
    }

    /// Commits that changed the file `path`, under any of its names.
    pub fn commits_of(&self, path: PathNo) -> u32 {
        self.file_of.get(&path).map_or(0, |file| self.files[*file as usize].1.len() as u32)
    }

    /// Files that changed together with any of `paths`, without `paths` themselves, in the order in which the history,
    /// newest first, names them. Files for which `is_excluded` returns true are left out; it is called once for each
    /// file. The numbers are the same, to the last bit, for the same history.
    ///
    /// Cost: the files of every commit of `paths`.
    pub fn partners(&self, paths: &[PathNo], mut is_excluded: impl FnMut(PathNo) -> bool) -> Vec<Partner> {
        let asked: HashSet<FileNo> = paths.iter().filter_map(|path| self.file_of.get(path).copied()).collect();
        let mut asked: Vec<FileNo> = asked.into_iter().collect();
        // In this order the sums below are the same in every run.
        asked.sort_unstable();
        let mut together: BTreeMap<FileNo, AssociationSums> = BTreeMap::new();
        let mut of_any: HashSet<u32> = HashSet::new();
        for file in &asked {
            self.add(*file, asked.len() as f64, &mut together);
            of_any.extend(&self.files[*file as usize].1);
        }
        let partners =
            together.iter().filter(|(file, _)| asked.binary_search(file).is_err()).filter_map(|(file, together)| {
                let (path, commits) = &self.files[*file as usize];
                let path = path.filter(|path| !is_excluded(*path))?;
                let shared = commits.iter().filter(|commit| of_any.contains(*commit));
                let count = shared.clone().count() as u32;
                let times = shared.map(|commit| self.commits[*commit as usize].author_time);
                let by_chance = of_any.len() as f64 * commits.len() as f64 / self.commits.len() as f64;
                let lift = f64::from(count) / by_chance;
                Some(Partner {
                    path,
                    count,
                    confidence: together.confidence,
                    lift,
                    weighted_confidence: together.weighted_confidence,
                    score: together.weighted_confidence * (1.0 - 1.0 / lift).max(0.0),
                    last_commit: times.max()?,
                })
            });
        partners.collect()
    }

    /// Adds the files that changed together with `file`, one of `asked_total`.
    fn add(&self, file: FileNo, asked_total: f64, together: &mut BTreeMap<FileNo, AssociationSums>) {
        let commits = &self.files[file as usize].1;
        let weight = |commit: u32| (-f64::from(commit) / HALF_LIFE_COMMITS).exp2();
        let total = commits.iter().map(|commit| weight(*commit)).sum::<f64>() + SMOOTHING;
        let mut shared: BTreeMap<FileNo, (u32, f64)> = BTreeMap::new();
        for commit in commits {
            let files = &self.commits[*commit as usize].files;
            for other in files.iter().filter(|other| **other != file) {
                let (count, weights) = shared.entry(*other).or_default();
                *count += 1;
                *weights += weight(*commit) / (files.len() - 1) as f64;
            }
        }
        for (other, (count, weights)) in shared {
            let partner = together.entry(other).or_default();
            partner.confidence += f64::from(count) / commits.len() as f64 / asked_total;
            partner.weighted_confidence += weights / total / asked_total;
        }
    }

    /// The file that `path` means.
    pub(super) fn file_of(&self, path: PathNo) -> Option<FileNo> {
        self.file_of.get(&path).copied()
    }

    /// The commits of `file`, newest first: 0 is the newest of all.
    pub(super) fn commits(&self, file: FileNo) -> &[u32] {
        &self.files[file as usize].1
    }

    /// The newest name of `file`; `None` if another file has that name now.
    pub(super) fn newest_name(&self, file: FileNo) -> Option<PathNo> {
        self.files[file as usize].0
    }

    /// Every file that has a name of its own, with its commits.
    pub(super) fn named_files(&self) -> impl Iterator<Item = (PathNo, &[u32])> {
        self.files.iter().filter_map(|(path, commits)| Some(((*path)?, commits.as_slice())))
    }

    /// The files of a commit.
    pub(super) fn files_of(&self, commit: u32) -> &[FileNo] {
        &self.commits[commit as usize].files
    }

    /// When a commit was made, in seconds since 1970.
    pub(super) fn author_time(&self, commit: u32) -> i64 {
        self.commits[commit as usize].author_time
    }

    /// Adds a file that was not met before. From then on a name means the newest file that has it.
    fn add_file(&mut self, new: NewFile) {
        let newest_name = match new {
            NewFile::Named(path) => Some(path),
            NewFile::Displaced(_) => None,
        };
        self.file_of.extend(newest_name.map(|path| (path, self.files.len() as FileNo)));
        self.files.push((newest_name, Vec::new()));
    }
}

/// Sums over the files asked about.
#[derive(Default)]
struct AssociationSums {
    confidence: f64,
    weighted_confidence: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FILES_OF_A_COMMIT;
    use crate::testing::{commits, letter};

    /// A history, a second between two commits.
    fn history(history: &[&str]) -> Vec<CommitChanges> {
        commits(history, (0..history.len() as i64).rev())
    }

    fn partners(commits: &[&str], paths: &str) -> Vec<Partner> {
        let paths: Vec<PathNo> = paths.bytes().map(|byte| PathNo(u32::from(byte))).collect();
        let mut partners =
            Association::new(&history(commits), FILES_OF_A_COMMIT).partners(&paths, |path| letter(path) == 'L');
        partners.sort_by(|one, other| one.better_first(other).then(one.path.cmp(&other.path)));
        partners
    }

    /// Partners as `path count/confidence`, best first.
    #[track_caller]
    fn check(commits: &[&str], paths: &str, expected: &str) {
        let found = partners(commits, paths);
        let shown = found.iter().map(|found| format!("{} {}/{:.2}", letter(found.path), found.count, found.confidence));
        assert_eq!(shown.collect::<Vec<_>>().join(", "), expected);
    }

    #[test]
    fn confidence_is_the_share_of_the_commits_of_the_file_asked_about() {
        let commits = ["a b", "a c", "a b", "b x", "x", "x"];
        check(&commits, "a", "b 2/0.67, c 1/0.33");
        check(&commits, "b", "a 2/0.67, x 1/0.33");
        check(&commits, "c", "a 1/1.00");
        check(&commits, "?", "");
        check(&[], "a", "");
    }

    #[test]
    fn over_several_files_the_mean_counts() {
        // Of `a` half of the commits have `t`, of `b` all; in one commit it goes with both.
        check(&["a t b", "a c", "x", "x", "x", "x"], "ab", "t 1/0.75, c 1/0.25");
        check(&["a t b", "a c", "x", "x", "x", "x"], "aab", "t 1/0.75, c 1/0.25");
    }

    #[test]
    fn lift_compares_with_chance() {
        let found = partners(&["a b", "a b", "a x", "x", "x", "x"], "a");
        let lifts: Vec<String> =
            found.iter().map(|found| format!("{} {:.2}", letter(found.path), found.lift)).collect();
        // 2 of 2 commits of b, where chance gives 3 of 6; 1 of 4 of x.
        assert_eq!(lifts, ["b 2.00", "x 0.50"]);
        assert_eq!(found[1].score, 0.0);
        assert_eq!((found[0].last_commit, found[1].last_commit), (5, 3));
    }

    #[test]
    fn a_change_log_is_not_every_files_top_partner() {
        // `C` is in four of five commits, and in all those of `a`; `t` is the test of `a`.
        let commits = ["a t C", "b C", "a t C", "d C", "a C", "e C", "f", "g C", "h C", "i"];
        let found = partners(&commits, "a");
        assert_eq!(found.iter().map(|found| letter(found.path)).collect::<String>(), "tC");
        assert!(
            found[1].confidence > found[0].confidence && found[1].weighted_confidence > found[0].weighted_confidence
        );
    }

    #[test]
    fn excluded_files_are_no_partners_and_still_count_as_files() {
        check(&["a b L", "a b L", "x", "y"], "a", "b 2/1.00");
        let weighted = |commits: &[&str]| partners(commits, "a")[0].weighted_confidence;
        assert!(weighted(&["a b L", "a b L", "x"]) < weighted(&["a b", "a b", "x"]));
    }

    #[test]
    fn what_is_old_and_what_is_large_weighs_less() {
        let weighted = |commits: &[&str]| partners(commits, "a")[0].weighted_confidence;
        // One commit, one other file: 1 / (1 + smoothing).
        assert_eq!(weighted(&["a b", "x"]), 0.5);
        assert_eq!(weighted(&["a b c", "x"]), 0.25);
        let mut aged = vec!["x"; 600];
        aged.push("a b");
        assert_eq!(weighted(&aged), 0.5 / 1.5);
    }

    #[test]
    fn renames_are_followed_back() {
        check(&["n t", "n<o", "o t", "o s", "x", "x"], "n", "t 2/0.50, s 1/0.25");
        // Both sides of a pair, over several steps, and back again.
        check(&["c s", "c<b s<t", "b t", "b<a t", "a t"], "c", "s 5/1.00");
        check(&["a t", "a<b", "b t", "b<a", "a t", "x", "x"], "a", "t 3/0.60");
        // A name that is gone stands for the file that had it.
        check(&["n t", "n<o", "o t", "x"], "o", "t 2/0.67");
    }

    #[test]
    fn a_name_that_is_used_again_is_another_file() {
        // The old `b` was deleted before `a` was renamed to `b`; and after that, another `a` was made.
        check(&["a u", "b t", "b<a", "a t", "b", "b v", "x", "x", "x"], "b", "t 2/0.67");
        check(&["a u", "b t", "b<a", "a t", "b", "b v", "x", "x", "x"], "a", "u 1/1.00");
        // A file whose name is another one's now is no partner.
        check(&["b<a", "a", "b v", "b v", "x"], "v", "");
        // Two files change their names.
        check(&["a t", "b s", "a<b b<a", "a s", "b t", "x", "x"], "a", "t 2/0.67, b 1/0.33");
    }

    #[test]
    fn a_large_commit_only_renames() {
        let large: String = (0..21)
            .map(|at| char::from(b'A' + at))
            .filter(|name| *name != 'L')
            .map(|name| format!("{name} "))
            .collect();
        let large = format!("{large} n<o");
        assert_eq!(large.split_whitespace().count(), 21);
        let commits = ["n t", &large, "o t", ""];
        check(&commits, "n", "t 2/1.00");
        let association = Association::new(&history(&commits), FILES_OF_A_COMMIT);
        assert_eq!((association.commits_total(), association.commits_of(PathNo(u32::from(b'n')))), (2, 2));
        let counts = |most| Association::new(&history(&commits), most).commits_total();
        assert_eq!((counts(21), counts(2), counts(1)), (3, 2, 0));
    }
}
