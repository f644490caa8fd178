//! What a history says of every file that may belong to a change: one fold over the commits of the change's files.

use std::collections::{BTreeMap, HashSet};

use icr_model::PathNo;

use super::Association;
use super::association::FileNo;

/// Commits after which one weighs half in what has the word "recent" in its name.
const RECENT_HALF_LIFE_COMMITS: f64 = 100.0;

/// Commits after which one weighs half elsewhere; see [`Association::partners`].
const HALF_LIFE_COMMITS: f64 = 600.0;

/// Added to sums of weights, as if a file had changed once more and alone.
const SMOOTHING: f64 = 1.0;

/// Seconds of a year.
const YEAR: i64 = 365 * 24 * 60 * 60;

/// What a history says of a change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeHistory {
    /// Commits that count.
    pub commits_total: u32,
    /// The files asked about that the history knows, each once, in the order asked.
    pub asked: Vec<AskedFile>,
    /// Files that share a commit with one of them, and those of `others` that the history knows; by number of the file in the
    /// history, newest first.
    pub candidates: Vec<HistoryEvidence>,
}

/// A file of a change, in its history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedFile {
    /// As asked.
    pub path: PathNo,
    /// Commits that changed it.
    pub commits: u32,
    /// Those of them that changed nothing else.
    pub alone: u32,
}

/// What a history says of one file that may belong to a change. A commit weighs `2^(-age / 600)`, age in commits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryEvidence {
    /// Its newest name.
    pub path: PathNo,
    /// Commits that changed it.
    pub commits: u32,
    /// Weight of these, among all commits, in `0.0..=1.0`.
    pub popularity: f64,
    /// The same with weights that halve every 100 commits.
    pub recent_popularity: f64,
    /// Commits since its last one; 0 when that is the newest.
    pub touched_age: u32,
    /// Commits that it shares with any file of the change.
    pub shared: u32,
    /// Commits since the last of these; `None` when there is none.
    pub shared_age: Option<u32>,
    /// Latest author time of these, in seconds since 1970; `None` when there is none.
    pub last_shared: Option<i64>,
    /// Files of the change that it shares a commit with.
    pub files: u32,
    /// Mean over the change's files of: weight of the shared commits, each divided by its other files, to the weight of the file's
    /// commits plus 1. In `0.0..1.0`.
    pub weighted_mean: f64,
    /// The largest of these.
    pub weighted_max: f64,
    /// Mean over the change's files of the share of a file's commits that it shares.
    pub confidence_mean: f64,
    /// The largest of `shared / (commits + 2)` over the change's files.
    pub confidence_max: f64,
    /// Largest number of the change's files in one commit with it.
    pub overlap: u32,
    /// Commits of that many of the change's files and it.
    pub overlap_shared: u32,
    /// Commits of that many of the change's files, with it or without.
    pub overlap_commits: u32,
    /// The file of the change that says most for it; `None` when it shares no commit with any.
    pub best: Option<BestFile>,
}

/// What one file of the change says of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestFile {
    /// The file of the change.
    pub path: PathNo,
    /// Commits of it.
    pub commits: u32,
    /// Those with the other file.
    pub shared: u32,
    /// Commits of it in the last year before `now`.
    pub commits_in_year: u32,
    /// Those with the other file.
    pub shared_in_year: u32,
    /// Latest author time of the shared ones, in seconds since 1970.
    pub last_shared: i64,
}

impl Association {
    /// What the history says of every file that shares a commit with one of `asked`, and of `others` even if they do not. `now` is the
    /// committer time of the newest commit: no answer depends on a clock. The numbers are the same, to the last bit, for
    /// the same history.
    ///
    /// Cost: the files of every commit of `asked`, and the commits of every file found.
    pub fn evidence(&self, asked: &[PathNo], others: &[PathNo], now: i64) -> ChangeHistory {
        let mut known: Vec<(FileNo, PathNo)> = Vec::new();
        for path in asked {
            if let Some(file) = self.file_of(*path)
                && known.iter().all(|(other, _)| *other != file)
            {
                known.push((file, *path));
            }
        }
        let files: Vec<FileNo> = known.iter().map(|(file, _)| *file).collect();
        let asked = known.iter().map(|(file, path)| self.asked_file(*file, *path)).collect();
        let mut together = self.together(&known, now);
        for other in others.iter().filter_map(|path| self.file_of(*path)) {
            together.entry(other).or_default();
        }
        files.iter().for_each(|file| {
            together.remove(file);
        });
        let overlaps = self.overlaps(&files);
        let newest = self.weights_total(HALF_LIFE_COMMITS);
        let recent = self.weights_total(RECENT_HALF_LIFE_COMMITS);
        let candidates = together.iter().filter_map(|(file, together)| {
            let commits = self.commits(*file);
            let mut evidence = HistoryEvidence {
                path: self.newest_name(*file)?,
                commits: commits.len() as u32,
                popularity: weight_of(commits, HALF_LIFE_COMMITS) / newest,
                recent_popularity: weight_of(commits, RECENT_HALF_LIFE_COMMITS) / recent,
                touched_age: *commits.first()?,
                shared: 0,
                shared_age: None,
                last_shared: None,
                files: together.files,
                weighted_mean: together.weighted / files.len().max(1) as f64,
                weighted_max: together.weighted_max,
                confidence_mean: together.confidence / files.len().max(1) as f64,
                confidence_max: together.confidence_max,
                overlap: 0,
                overlap_shared: 0,
                overlap_commits: 0,
                best: together.best,
            };
            for commit in commits {
                let Some(overlap) = overlaps.get(commit) else { continue };
                evidence.shared += 1;
                evidence.shared_age.get_or_insert(*commit);
                let time = self.author_time(*commit);
                evidence.last_shared = Some(evidence.last_shared.map_or(time, |last| last.max(time)));
                if *overlap > evidence.overlap {
                    (evidence.overlap, evidence.overlap_shared) = (*overlap, 0);
                }
                evidence.overlap_shared += u32::from(*overlap == evidence.overlap);
            }
            evidence.overlap_commits =
                overlaps.values().filter(|overlap| evidence.overlap > 0 && **overlap == evidence.overlap).count()
                    as u32;
            Some(evidence)
        });
        let candidates = candidates.collect();
        ChangeHistory { commits_total: self.commits_total(), asked, candidates }
    }

    /// The files that most commits changed, recent commits counting more, best first and then by number.
    pub fn popular(&self, limit: usize) -> Vec<PathNo> {
        let files = self.named_files().filter(|(_, _, commits)| !commits.is_empty());
        let mut files: Vec<(f64, PathNo)> =
            files.map(|(_, path, commits)| (weight_of(commits, HALF_LIFE_COMMITS), path)).collect();
        files.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        files.truncate(limit);
        files.into_iter().map(|(_, path)| path).collect()
    }

    fn asked_file(&self, file: FileNo, path: PathNo) -> AskedFile {
        let commits = self.commits(file);
        let alone = commits.iter().filter(|commit| self.files_of(**commit).len() == 1).count();
        AskedFile { path, commits: commits.len() as u32, alone: alone as u32 }
    }

    /// Files of the change in every commit that has one.
    fn overlaps(&self, files: &[FileNo]) -> BTreeMap<u32, u32> {
        let mut overlaps = BTreeMap::new();
        for commit in files.iter().flat_map(|file| self.commits(*file)) {
            *overlaps.entry(*commit).or_default() += 1;
        }
        overlaps
    }

    /// What each of `asked` says of the files that it shares a commit with.
    fn together(&self, asked: &[(FileNo, PathNo)], now: i64) -> BTreeMap<FileNo, Together> {
        let mut together: BTreeMap<FileNo, Together> = BTreeMap::new();
        for (file, path) in asked {
            let commits = self.commits(*file);
            let total = weight_of(commits, HALF_LIFE_COMMITS) + SMOOTHING;
            let in_year = |commit: &u32| self.author_time(*commit) >= now.saturating_sub(YEAR);
            let commits_in_year = commits.iter().filter(|commit| in_year(commit)).count() as u32;
            let mut shared: BTreeMap<FileNo, (f64, BestFile)> = BTreeMap::new();
            for commit in commits {
                let files = self.files_of(*commit);
                let weight = weight(*commit, HALF_LIFE_COMMITS) / (files.len().max(2) - 1) as f64;
                let in_year = u32::from(in_year(commit));
                let time = self.author_time(*commit);
                let unique: HashSet<FileNo> = files.iter().copied().filter(|other| other != file).collect();
                for other in unique {
                    let none = BestFile {
                        path: *path,
                        commits: commits.len() as u32,
                        shared: 0,
                        commits_in_year,
                        shared_in_year: 0,
                        last_shared: i64::MIN,
                    };
                    let (weights, best) = shared.entry(other).or_insert((0.0, none));
                    *weights += weight;
                    best.shared += 1;
                    best.shared_in_year += in_year;
                    best.last_shared = best.last_shared.max(time);
                }
            }
            for (other, (weights, best)) in shared {
                together.entry(other).or_default().add(weights / total, best);
            }
        }
        together
    }

    fn weights_total(&self, half_life: f64) -> f64 {
        (0..self.commits_total()).map(|commit| weight(commit, half_life)).sum::<f64>().max(1.0)
    }
}

/// Sums over the files asked about.
#[derive(Default)]
struct Together {
    files: u32,
    weighted: f64,
    weighted_max: f64,
    confidence: f64,
    confidence_max: f64,
    best: Option<BestFile>,
}

impl Together {
    fn add(&mut self, weighted: f64, file: BestFile) {
        let smoothed = f64::from(file.shared) / (f64::from(file.commits) + 2.0);
        if self.best.is_none() || smoothed > self.confidence_max {
            self.best = Some(file);
        }
        self.files += 1;
        self.weighted += weighted;
        self.weighted_max = self.weighted_max.max(weighted);
        self.confidence += f64::from(file.shared) / f64::from(file.commits);
        self.confidence_max = self.confidence_max.max(smoothed);
    }
}

fn weight(age: u32, half_life: f64) -> f64 {
    (-f64::from(age) / half_life).exp2()
}

fn weight_of(commits: &[u32], half_life: f64) -> f64 {
    commits.iter().map(|commit| weight(*commit, half_life)).sum()
}
