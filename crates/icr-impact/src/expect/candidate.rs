//! A change and the files that may belong to it, in plain numbers.

use icr_model::RepoPath;

/// A change whose other files are looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    /// Its files, under the names that the history knows: before the change where they have two. A file that the change makes
    /// counts too. None twice.
    pub files: Vec<DiffFile>,
    /// Commits of the history that count; 0 where there is no history.
    pub commits_total: u32,
    /// Committer time of the newest of them, in seconds since 1970; evidence in words tells times from there.
    pub now: i64,
}

/// A file of a [`Diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiffFile {
    /// Path.
    pub path: RepoPath,
    /// Commits that changed it; 0 for one that the history does not know.
    pub commits: u32,
    /// Those of them that changed nothing else.
    pub alone: u32,
}

/// A file that may belong to a [`Diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Path.
    pub path: RepoPath,
    /// What the history says; `None` when it does not know the file.
    pub history: Option<History>,
    /// A file of the change imports it: the import with the smallest fan-in.
    pub import_forward: Option<Import>,
    /// It imports a file of the change: the import with the smallest fan-in.
    pub import_backward: Option<Import>,
    /// Its references to changed definitions, each divided by how many files refer to that definition; 0 without any.
    pub references: f64,
}

impl Candidate {
    /// A file of which nothing is known but its path.
    pub fn new(path: RepoPath) -> Self {
        Self { path, history: None, import_forward: None, import_backward: None, references: 0.0 }
    }
}

/// An import between a file of the change and another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import {
    /// Index of the changed file in [`Diff::files`].
    pub file: usize,
    /// Files that import the imported one.
    pub fan_in: u32,
}

/// What the history says of a candidate. A commit weighs `2^(-age / 600)`, age in commits. The fields are those of
/// `icr_db::cochange::HistoryEvidence`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct History {
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

/// What one file of the change says of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestFile {
    /// Index of it in [`Diff::files`].
    pub file: usize,
    /// Commits of it.
    pub commits: u32,
    /// Those with the candidate.
    pub shared: u32,
    /// Commits of it in the year before [`Diff::now`].
    pub commits_in_year: u32,
    /// Those with the candidate.
    pub shared_in_year: u32,
    /// Latest author time of the shared ones, in seconds since 1970.
    pub last_shared: i64,
}
