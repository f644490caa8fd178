//! A change and the files that may belong to it, in plain numbers.

use icr_model::RepoPath;

/// A change whose other files are looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    /// Its files, also new ones, none twice: under the names that the history knows, which are those before the change.
    pub files: Vec<DiffFile>,
    /// What the history says of all of them together.
    pub history: DiffHistory,
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
    /// Mean over its commits of one divided by the files of the commit, in `0.0..=1.0`; 0 without commits.
    pub focus: f64,
}

impl DiffFile {
    /// A file that the history does not know.
    pub fn new(path: RepoPath) -> Self {
        Self { path, commits: 0, alone: 0, focus: 0.0 }
    }
}

/// What a history says of a change, as in `icr_db::cochange::ChangeHistory`; all zeros where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DiffHistory {
    /// Commits that count, of the newest 2,000.
    pub commits_total: u32,
    /// Weight of the commits that changed a file of the change.
    pub touching: f64,
    /// Largest number of the change's files that one commit changed together with another file.
    pub overlap: u32,
    /// Commits that changed that many of them.
    pub overlap_commits: u32,
    /// Committer time of the newest commit, in seconds since 1970; words tell times from there.
    pub now: i64,
}

/// A file that may belong to a [`Diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Path.
    pub path: RepoPath,
    /// What the history says; `None` when no commit that counts changed the file.
    pub history: Option<History>,
    /// A file of the change imports it: the import with the smallest fan-in.
    pub import_forward: Option<Import>,
    /// It imports a file of the change: the import with the smallest fan-in.
    pub import_backward: Option<Import>,
    /// It refers to a file of the change: the file of which it makes the largest share of all references.
    pub refers: Option<References>,
    /// A file of the change refers to it: the file that makes the largest share of its references there.
    pub referred: Option<References>,
}

impl Candidate {
    /// A file of which nothing is known but its path.
    pub fn new(path: RepoPath) -> Self {
        Self { path, history: None, import_forward: None, import_backward: None, refers: None, referred: None }
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

/// References between a file of the change and another. The weights that icr ships were fitted with those of whole files, as
/// `graph --refs` counts them; references to the changed definitions alone say more of the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct References {
    /// Index of the changed file in [`Diff::files`].
    pub file: usize,
    /// How many they are.
    pub count: u32,
    /// Their weight, divided by that of all references into the changed file (for [`Candidate::refers`]) or out of it (for
    /// [`Candidate::referred`]), in `0.0..=1.0`.
    pub share: f64,
}

/// What the history says of a candidate. The fields are those of `icr_db::cochange::HistoryEvidence`, which says how they are made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct History {
    /// Commits that changed it.
    pub commits: u32,
    /// Their share of the weight of all commits, in `0.0..=1.0`; half after 600 commits.
    pub popularity: f64,
    /// The same; half after 25 commits.
    pub recent_popularity: f64,
    /// Commits since the newest of them; 0 when that is the newest of all.
    pub touched_age: u32,
    /// Commits that it shares with any file of the change.
    pub shared: u32,
    /// How many times more often than by chance it shares one.
    pub lift: f64,
    /// Mean over the change's files of the weighted share of the file's commits that it shares, large commits counting less.
    pub weighted_mean: f64,
    /// The largest weighted share of a file's commits.
    pub best_confidence: f64,
    /// Commits of it among those with [`DiffHistory::overlap`] files of the change.
    pub overlap_shared: u32,
    /// Share of the commits most like the change that had it.
    pub nearness: f64,
    /// The file of the change that says most for it; `None` when it shares no commit with any.
    pub best: Option<BestFile>,
}

/// What one file of the change says of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BestFile {
    /// Index of it in [`Diff::files`].
    pub file: usize,
    /// Commits of it.
    pub commits: u32,
    /// Those with the candidate.
    pub shared: u32,
    /// Commits of it in the year before [`DiffHistory::now`].
    pub commits_in_year: u32,
    /// Those with the candidate.
    pub shared_in_year: u32,
    /// Latest author time of the shared ones, in seconds since 1970.
    pub last_shared: i64,
}
