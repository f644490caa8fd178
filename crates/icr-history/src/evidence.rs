//! What a history says of every file that may belong to a change: one fold over the commits of the change's files.

use std::collections::{BTreeMap, HashSet};

use icr_model::PathNo;

use crate::association::SMOOTHING;
use crate::{Association, FileNo, HALF_LIFE_COMMITS};

/// Half-life of a commit's weight in [`HistoryEvidence::recent_popularity`], in commits. It is shorter than 600 because
/// current work predicts the next change better than the work of the last years.
const RECENT_HALF_LIFE_COMMITS: f64 = 25.0;

/// Weight of assumed similar commits that lack the candidate. It keeps a share low that only a few similar commits
/// support.
const NEARNESS_SMOOTHING: f64 = 0.3;

/// Seconds of a year.
const YEAR: i64 = 365 * 24 * 60 * 60;

/// What a history says of a change. A commit weighs `2^(-age / 600)`, age in commits; the newest has age 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeHistory {
    /// Evidence about all files of the change together.
    pub summary: ChangeSummary,
    /// The files asked about that commits that count changed, each once, in the order asked.
    pub asked: Vec<AskedFile>,
    /// Candidates by their newest paths: files that share a commit with a file of the change, and those of the
    /// requested other files that at least one counted commit changed. Files of `asked` are left out.
    pub candidates: Vec<(PathNo, HistoryEvidence)>,
}

/// Evidence from history about all files of a change together; all zeros if there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ChangeSummary {
    /// Commits that count.
    pub commits_total: u32,
    /// Weight of the commits that changed any file of the change.
    pub touching: f64,
    /// Largest number of files of the change that one commit changed together with another file.
    pub overlap: u32,
    /// Number of commits that changed that many files of the change, with or without another file.
    pub overlap_commits: u32,
    /// Committer time of the newest commit, in seconds since 1970; words tell times from there.
    pub now: i64,
}

/// A file of a change, in its history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedFile {
    /// Index of the file in the list of files asked about.
    pub file: usize,
    /// Commits that changed it.
    pub commits: u32,
    /// Number of those commits that changed no other file.
    pub alone: u32,
    /// Mean over its commits of 1 divided by the number of files of the commit, in `0.0..=1.0`; 1 if it always changed
    /// alone.
    pub focus: f64,
}

/// Evidence from history about one file that may belong to a change.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HistoryEvidence {
    /// Commits that changed it; at least one.
    pub commits: u32,
    /// Their share of the weight of all commits, in `0.0..=1.0`.
    pub popularity: f64,
    /// The same share with a weight that halves every 25 commits.
    pub recent_popularity: f64,
    /// Age of the newest of these commits.
    pub touched_age: u32,
    /// Commits that it shares with any file of the change.
    pub shared: u32,
    /// How many times more often than by chance the file shares a commit with the change; 1 means no association.
    pub lift: f64,
    /// Mean over the files of the change of this quotient: the weight of the commits that the two files share, each
    /// divided by the number of its other files, over the weight of all commits of the changed file plus 1. In
    /// `0.0..1.0`.
    pub weighted_mean: f64,
    /// The same quotient without the division by the other files, for the file of the change where it is largest.
    pub best_confidence: f64,
    /// Number of its commits among those with [`ChangeSummary::overlap`] files of the change.
    pub overlap_shared: u32,
    /// Share of the commits similar to the change that include this file, by weight, in `0.0..1.0`. The similarity of a
    /// commit is the number of files in common with the change over the number of files in either, to the fourth power.
    /// The share is near 1 if commits of nearly the same files always included this one.
    pub nearness: f64,
    /// The file of the change that is the strongest evidence for it; `None` if it shares no commit with any.
    pub best: Option<BestFile>,
}

/// The association of one file of the change with a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BestFile {
    /// Index of the file of the change among those asked about.
    pub file: usize,
    /// Number of its commits.
    pub commits: u32,
    /// Number of those commits that also changed the candidate.
    pub shared: u32,
    /// Number of its commits in the last year before `now`.
    pub commits_in_year: u32,
    /// Number of those commits that also changed the candidate.
    pub shared_in_year: u32,
    /// Latest author time of the shared ones, in seconds since 1970.
    pub last_shared: i64,
}

impl Association {
    /// Evidence about every file that shares a commit with a file of `asked`, and about `others` even if they share
    /// none. `asked` holds all files of the change; files that the history does not know count as files of the change
    /// too. `now` is the committer time of the newest commit, so that no answer depends on a clock. The numbers are the
    /// same, to the last bit, for the same history.
    ///
    /// Cost: the files of every commit of `asked`, and the commits of every file found.
    pub fn evidence(&self, asked: &[PathNo], others: &[PathNo], now: i64) -> ChangeHistory {
        let change = ChangeFiles::new(self, asked);
        let mut together = self.cochange_by_file(&change.known, now);
        for file in others.iter().filter_map(|path| self.file_of(*path)) {
            together.entry(file).or_default();
        }
        change.known.iter().for_each(|(file, _)| {
            together.remove(file);
        });
        let commons: Vec<u32> = self.commons(&change);
        let with_another = |commit: &(u32, &u32)| self.files_of(commit.0).len() as u32 > *commit.1;
        let overlap = (0..).zip(&commons).filter(with_another).map(|(_, common)| *common).max().unwrap_or(0);
        let overlap_commits = commons.iter().filter(|common| overlap > 0 && **common == overlap).count();
        let totals = Totals {
            all: weight_of(0..self.commits_total(), HALF_LIFE_COMMITS),
            recent: weight_of(0..self.commits_total(), RECENT_HALF_LIFE_COMMITS),
            touching: commons.iter().filter(|common| **common > 0).count(),
            like: (0..).zip(&commons).map(|(commit, common)| self.likeness(&change, commit, *common, 0)).sum(),
        };
        let touching = (0..).zip(&commons).filter(|(_, common)| **common > 0).map(|(commit, _)| commit);
        let touching = weight_of(touching, HALF_LIFE_COMMITS);
        let candidates = together.into_iter().filter_map(|(file, together)| {
            let path = self.newest_name(file)?;
            Some((path, self.candidate(&change, &commons, &totals, overlap, CochangeCandidate { file, together })?))
        });
        ChangeHistory {
            summary: ChangeSummary {
                commits_total: self.commits_total(),
                touching,
                overlap,
                overlap_commits: overlap_commits as u32,
                now,
            },
            asked: change.known.iter().map(|(file, at)| self.asked_file(*file, *at)).collect(),
            candidates: candidates.collect(),
        }
    }

    /// The files with the highest popularity, best first. Files with equal popularity stay in the order in which the
    /// history names them, newest first, because path numbers differ from store to store. Deleted files are included.
    pub fn popular(&self, limit: usize) -> Vec<PathNo> {
        let files = self.named_files().filter(|(_, commits)| !commits.is_empty());
        let mut files: Vec<(f64, PathNo)> =
            files.map(|(path, commits)| (weight_of(commits.iter().copied(), HALF_LIFE_COMMITS), path)).collect();
        // Stable, and the files are in that order.
        files.sort_by(|one, other| other.0.total_cmp(&one.0));
        files.truncate(limit);
        files.into_iter().map(|(_, path)| path).collect()
    }

    fn asked_file(&self, file: FileNo, at: usize) -> AskedFile {
        let commits = self.commits(file);
        let sizes = commits.iter().map(|commit| self.files_of(*commit).len());
        AskedFile {
            file: at,
            commits: commits.len() as u32,
            alone: sizes.clone().filter(|size| *size == 1).count() as u32,
            focus: sizes.map(|size| 1.0 / size as f64).sum::<f64>() / commits.len() as f64,
        }
    }

    /// By commit: how many files of the change it changed.
    fn commons(&self, change: &ChangeFiles) -> Vec<u32> {
        let mut commons = vec![0; self.commits_total() as usize];
        for commit in change.known.iter().flat_map(|(file, _)| self.commits(*file)) {
            commons[*commit as usize] += 1;
        }
        commons
    }

    /// Weight of a commit by its similarity to the change. The commit has `common` files of the change; `left_out` of
    /// its other files do not count.
    fn likeness(&self, change: &ChangeFiles, commit: u32, common: u32, left_out: usize) -> f64 {
        if common == 0 {
            return 0.0;
        }
        let either = change.files_total + self.files_of(commit).len() - left_out - common as usize;
        weight(commit, HALF_LIFE_COMMITS) * (f64::from(common) / either as f64).powi(4)
    }

    fn candidate(
        &self,
        change: &ChangeFiles,
        commons: &[u32],
        totals: &Totals,
        overlap: u32,
        found: CochangeCandidate,
    ) -> Option<HistoryEvidence> {
        let commits = self.commits(found.file);
        let touched_age = *commits.first()?;
        let (mut shared, mut overlap_shared, mut like_with, mut like_without) = (0, 0, 0.0, totals.like);
        for commit in commits.iter().copied() {
            let common = commons[commit as usize];
            if common > 0 {
                shared += 1;
                overlap_shared += u32::from(common == overlap);
                // The candidate itself is no difference between the change and a commit that has it.
                like_with += self.likeness(change, commit, common, 1);
                like_without -= self.likeness(change, commit, common, 0);
            }
        }
        let by_chance = totals.touching as f64 * commits.len() as f64 / f64::from(self.commits_total());
        Some(HistoryEvidence {
            commits: commits.len() as u32,
            popularity: weight_of(commits.iter().copied(), HALF_LIFE_COMMITS) / totals.all,
            recent_popularity: weight_of(commits.iter().copied(), RECENT_HALF_LIFE_COMMITS) / totals.recent,
            touched_age,
            shared,
            lift: if shared > 0 { f64::from(shared) / by_chance } else { 0.0 },
            weighted_mean: found.together.weighted / change.known.len().max(1) as f64,
            best_confidence: found.together.best_confidence,
            overlap_shared,
            nearness: like_with / (like_with + like_without.max(0.0) + NEARNESS_SMOOTHING),
            best: found.together.best,
        })
    }

    /// For each file that shares a commit with a file of the change, the sums over the files of the change.
    fn cochange_by_file(&self, change: &[(FileNo, usize)], now: i64) -> BTreeMap<FileNo, CochangeSums> {
        let mut together: BTreeMap<FileNo, CochangeSums> = BTreeMap::new();
        let year_from = now.saturating_sub(YEAR);
        for (file, at) in change {
            let commits = self.commits(*file);
            let total = weight_of(commits.iter().copied(), HALF_LIFE_COMMITS) + SMOOTHING;
            let in_year = |commit: u32| u32::from(self.author_time(commit) >= year_from);
            let nothing = BestFile {
                file: *at,
                commits: commits.len() as u32,
                shared: 0,
                commits_in_year: commits.iter().map(|commit| in_year(*commit)).sum(),
                shared_in_year: 0,
                last_shared: i64::MIN,
            };
            let mut shared: BTreeMap<FileNo, SharedCommits> = BTreeMap::new();
            for commit in commits.iter().copied() {
                let files = self.files_of(commit);
                let weight = weight(commit, HALF_LIFE_COMMITS);
                for other in files.iter().filter(|other| *other != file) {
                    let with =
                        shared.entry(*other).or_insert(SharedCommits { weight: 0.0, divided: 0.0, counts: nothing });
                    with.weight += weight;
                    with.divided += weight / (files.len() - 1) as f64;
                    with.counts.shared += 1;
                    with.counts.shared_in_year += in_year(commit);
                    with.counts.last_shared = with.counts.last_shared.max(self.author_time(commit));
                }
            }
            for (other, with) in shared {
                together.entry(other).or_default().add(&with, total);
            }
        }
        together
    }
}

/// The files of a change.
struct ChangeFiles {
    /// Files of the change that counted commits changed, each with its index in the list of files asked about; each
    /// once, in the order asked.
    known: Vec<(FileNo, usize)>,
    /// Number of all files of the change, including those that the history does not know.
    files_total: usize,
}

impl ChangeFiles {
    fn new(history: &Association, asked: &[PathNo]) -> Self {
        let mut known: Vec<(FileNo, usize)> = Vec::new();
        let mut seen: HashSet<FileNo> = HashSet::new();
        let mut unknown: HashSet<PathNo> = HashSet::new();
        for (at, path) in asked.iter().enumerate() {
            match history.file_of(*path).filter(|file| !history.commits(*file).is_empty()) {
                Some(file) if seen.insert(file) => known.push((file, at)),
                Some(_) => {}
                None => {
                    unknown.insert(*path);
                }
            }
        }
        Self { files_total: known.len() + unknown.len(), known }
    }
}

/// What is the same for all candidates.
struct Totals {
    /// Weight of all commits.
    all: f64,
    /// The same with the shorter half-life.
    recent: f64,
    /// Commits with a file of the change.
    touching: usize,
    /// Sum of the similarities of these to the change.
    like: f64,
}

/// A file that may belong to the change.
struct CochangeCandidate {
    file: FileNo,
    together: CochangeSums,
}

/// What one file of the change shares with another.
struct SharedCommits {
    weight: f64,
    divided: f64,
    counts: BestFile,
}

/// Sums over the files of the change.
#[derive(Default)]
struct CochangeSums {
    weighted: f64,
    best_confidence: f64,
    best: Option<BestFile>,
}

impl CochangeSums {
    fn add(&mut self, with: &SharedCommits, total: f64) {
        self.weighted += with.divided / total;
        let confidence = with.weight / total;
        if self.best.is_none() || confidence > self.best_confidence {
            (self.best_confidence, self.best) = (confidence, Some(with.counts));
        }
    }
}

fn weight(age: u32, half_life: f64) -> f64 {
    (-f64::from(age) / half_life).exp2()
}

fn weight_of(commits: impl Iterator<Item = u32>, half_life: f64) -> f64 {
    commits.map(|commit| weight(commit, half_life)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FILES_OF_A_COMMIT;
    use crate::testing::{commits, letter};

    /// A history, a day between two commits.
    fn history(history: &[&str]) -> Association {
        let times = (0..).map(|age| NOW - age * 24 * 60 * 60);
        Association::new(&commits(history, times), FILES_OF_A_COMMIT)
    }

    const NOW: i64 = 1_000_000_000;

    fn numbers(letters: &str) -> Vec<PathNo> {
        letters.bytes().map(|byte| PathNo(u32::from(byte))).collect()
    }

    #[track_caller]
    fn evidence_of(commits: &[&str], asked: &str, candidate: char) -> HistoryEvidence {
        let found = history(commits).evidence(&numbers(asked), &numbers(&candidate.to_string()), NOW);
        let of_it = found.candidates.iter().filter(|(path, _)| letter(*path) == candidate);
        let of_it: Vec<&HistoryEvidence> = of_it.map(|(_, evidence)| evidence).collect();
        assert_eq!(of_it.len(), 1, "{candidate}");
        *of_it[0]
    }

    /// Candidates as `path shared/commits`, and with `others` those of these that share nothing.
    #[track_caller]
    fn check(commits: &[&str], asked: &str, others: &str, expected: &str) {
        let found = history(commits).evidence(&numbers(asked), &numbers(others), NOW);
        let shown = found.candidates.iter();
        let shown = shown.map(|(path, found)| format!("{} {}/{}", letter(*path), found.shared, found.commits));
        assert_eq!(shown.collect::<Vec<_>>().join(", "), expected);
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn candidates_share_a_commit_or_are_named() {
        let commits = ["a b", "a c", "b x", "x y"];
        check(&commits, "a", "", "b 1/2, c 1/1");
        check(&commits, "a", "xb?", "b 1/2, c 1/1, x 0/2");
        check(&commits, "ab", "a", "c 1/1, x 1/2");
        check(&commits, "?", "y", "y 0/1");
        check(&commits, "", "", "");
        check(&[], "a", "b", "");
    }

    #[test]
    fn the_files_of_the_change_are_told_once_each() {
        let found = history(&["a b", "a", "a b c d"]).evidence(&numbers("?abaz"), &[], NOW);
        let shown = found.asked.iter().map(|asked| format!("{} {} {}", asked.file, asked.commits, asked.alone));
        assert_eq!(shown.collect::<Vec<_>>(), ["1 3 1", "2 2 0"]);
        assert_near(found.asked[0].focus, (0.5 + 1.0 + 0.25) / 3.0);
        let ChangeSummary { commits_total, touching, overlap, overlap_commits, .. } = found.summary;
        assert_eq!((commits_total, overlap, overlap_commits), (3, 2, 2));
        assert_near(touching, 1.0 + weight(1, 600.0) + weight(2, 600.0));
    }

    #[test]
    fn the_largest_overlap_is_one_with_another_file() {
        let found = history(&["a b", "a b", "b c", "a d"]).evidence(&numbers("ab"), &[], NOW);
        assert_eq!((found.summary.overlap, found.summary.overlap_commits), (1, 2));
        let shown = found.candidates.iter().map(|(path, found)| (letter(*path), found.overlap_shared));
        assert_eq!(shown.collect::<Vec<_>>(), [('c', 1), ('d', 1)]);
        let complete = history(&["a b", "a b"]).evidence(&numbers("ab"), &[], NOW);
        assert_eq!((complete.summary.overlap, complete.summary.overlap_commits), (0, 0));
    }

    #[test]
    fn a_commit_like_the_change_says_more_than_one_with_much_besides() {
        // Both share all their commits with the change; `t` in commits that change nothing else.
        let commits = ["a b t", "a b x y z s"];
        let (t, s) = (evidence_of(&commits, "ab", 't'), evidence_of(&commits, "ab", 's'));
        assert!(t.nearness > s.nearness);
        assert!(t.weighted_mean > s.weighted_mean);
        // 1 for the commit with `t`, and (2 / 6)^4 for the other.
        let other = weight(1, 600.0) * (2.0_f64 / 6.0).powi(4);
        assert_near(t.nearness, 1.0 / (1.0 + other + 0.3));
        // A complete change like this one says that nothing is missing.
        assert!(
            evidence_of(&["a b", "a b t"], "ab", 't').nearness < evidence_of(&["x y", "a b t"], "ab", 't').nearness
        );
        // New files make the change unlike all commits.
        assert!(evidence_of(&["a t"], "a??", 't').nearness == evidence_of(&["a t"], "a?", 't').nearness);
        assert!(evidence_of(&["a t"], "a?", 't').nearness < evidence_of(&["a t"], "a", 't').nearness);
    }

    #[test]
    fn the_file_that_says_most_is_named_with_its_counts() {
        let mut commits = vec!["a t", "a", "b t"];
        commits.extend(["x"; 400]);
        commits.extend(["b", "a t"]);
        let best = evidence_of(&commits, "ab", 't').best.unwrap();
        assert_eq!((best.file, best.shared, best.commits), (0, 2, 3));
        assert_eq!((best.shared_in_year, best.commits_in_year, best.last_shared), (1, 2, NOW));
        assert_eq!(evidence_of(&commits, "ab", 'x').best, None);
    }

    #[test]
    fn what_is_old_weighs_less() {
        let found = evidence_of(&["a t", "x"], "a", 't');
        assert_near(found.weighted_mean, 0.5);
        assert_near(found.best_confidence, 0.5);
        assert_near(found.popularity, 1.0 / (1.0 + weight(1, 600.0)));
        assert_near(found.recent_popularity, 1.0 / (1.0 + weight(1, 25.0)));
        let older = evidence_of(&["x", "a t"], "a", 't');
        assert!(older.weighted_mean < found.weighted_mean && older.recent_popularity < found.recent_popularity);
        assert_eq!((found.touched_age, older.touched_age), (0, 1));
        assert_near(evidence_of(&["a t", "x", "y"], "a", 't').lift, 3.0);
        assert_near(evidence_of(&["a t", "x", "y"], "a", 'x').lift, 0.0);
    }

    #[test]
    fn the_most_popular_come_first() {
        let popular =
            |limit| history(&["a b", "b c", "b<o c", "o"]).popular(limit).into_iter().map(letter).collect::<String>();
        assert_eq!((popular(9), popular(2), popular(0)), ("bca".to_owned(), "bc".to_owned(), String::new()));
    }
}
