//! Files that changed together in the history of the view's commit.

use std::collections::HashMap;

use icr_db::cochange::{Association, Change, Commit, Partner, statistics, unauthored};
use icr_git::{FileChange, HistoryEntry, KnownCommit, Membership};
use icr_ingest::COMMITS_READ;
use icr_model::{CommitId, Gap, PathNo, RepoPath};
use icr_store::CommitRow;
use serde::Serialize;

use crate::search::path_of;
use crate::{Error, Snapshot};

/// Which files changed, how often, and which of them together, by the letter: commits from the view's commit back, the newest
/// 2,000 that are no merges; files under the names that git prints, deleted ones too; those of more than 20 files count
/// for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Cochange {
    /// Commits looked at, with those that count for nothing.
    pub commits_analyzed: u64,
    /// Committer time of the view's commit, in seconds since 1970; `None` where there is no commit.
    pub now: Option<i64>,
    /// Files, by path.
    pub file_stats: Vec<FileActivity>,
    /// Files that share two commits or more, the most frequent first, then by path.
    pub pairs: Vec<FilePair>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// How often a file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileActivity {
    /// Path relative to the root.
    pub path: String,
    /// Commits that list it under this name.
    pub commit_count: u32,
    /// Those of them made in the 90 days before `now`.
    pub recent_count: u32,
    /// Latest author time of these commits, in seconds since 1970; `None` when there is none.
    pub last_modified: Option<i64>,
}

/// Two files that changed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilePair {
    /// The one whose path comes first.
    pub a: String,
    /// The other.
    pub b: String,
    /// Commits that list both.
    pub count: u32,
}

/// Whose partners to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartnersRequest {
    /// Path relative to the root; also of a file that is gone.
    pub path: String,
    /// Most partners in the answer.
    pub limit: usize,
}

/// The answer to a [`PartnersRequest`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Partners {
    /// As in [`Cochange`].
    pub commits_analyzed: u64,
    /// As in [`Cochange`].
    pub now: Option<i64>,
    /// The file, with the counts of [`Cochange`].
    #[serde(flatten)]
    pub file: FileActivity,
    /// Commits that changed it under any of its names, which is what the partners are measured against; commits of more than
    /// 20 files left out.
    pub commits_followed: u32,
    /// Files of the view that changed with it, best first; lock files and generated ones left out.
    pub partners: Vec<PartnerFile>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A file that changed together with another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartnerFile {
    /// Path relative to the root.
    pub path: String,
    /// Commits of both, renames followed.
    pub count: u32,
    /// Share of the other file's commits, in `0.0..=1.0`.
    pub confidence: f64,
    /// How many times more often than by chance they change together.
    pub lift: f64,
    /// Confidence that counts old and large commits less, without what popularity alone explains.
    pub score: f64,
    /// Latest author time of the shared commits, in seconds since 1970.
    pub last_commit: i64,
}

impl Snapshot {
    /// Counts over the history of the view's commit. Commits that the store does not have are read, one tree diff each.
    ///
    /// # Errors
    ///
    /// Those of reading the store and the repository.
    pub fn cochange(&self) -> Result<Cochange, Error> {
        let history = self.history()?;
        let now = self.revision.committer_time.filter(|_| self.revision.commit.is_some());
        let counts = statistics(&history.commits, now.unwrap_or_default());
        let mut names = Names::new(self, &history);
        let mut file_stats = Vec::with_capacity(counts.files.len());
        for file in &counts.files {
            file_stats.push((names.get(file.path)?, *file));
        }
        file_stats.sort_by(|one, other| one.0.cmp(&other.0));
        let file_stats = file_stats.into_iter().map(|(path, file)| FileActivity {
            path: path.to_string(),
            commit_count: file.commit_count,
            recent_count: file.recent_count,
            last_modified: Some(file.last_modified),
        });
        let mut pairs = Vec::with_capacity(counts.pairs.len());
        for pair in &counts.pairs {
            let (one, other) = (names.get(pair.a)?, names.get(pair.b)?);
            pairs.push((std::cmp::Reverse(pair.count), one.clone().min(other.clone()), one.max(other)));
        }
        pairs.sort();
        let pairs =
            pairs.into_iter().map(|(count, a, b)| FilePair { a: a.to_string(), b: b.to_string(), count: count.0 });
        Ok(Cochange {
            commits_analyzed: history.commits.len() as u64,
            now,
            file_stats: file_stats.collect(),
            pairs: pairs.collect(),
            gaps: history.gaps,
        })
    }

    /// The files that change with one file. Reads as [`Snapshot::cochange`] does.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFile`] for a path that is neither in the view nor in its history, [`Error::Secret`]; those of reading
    /// the store and the repository.
    pub fn partners(&self, request: &PartnersRequest) -> Result<Partners, Error> {
        let path = path_of(&request.path);
        if self.engine.shape.policy().decide(&path) == Membership::Secret {
            return Err(Error::Secret { path: request.path.clone() });
        }
        let history = self.history()?;
        let mut names = Names::new(self, &history);
        let now = self.revision.committer_time.filter(|_| self.revision.commit.is_some());
        let path_no = names.number(&path)?;
        let counts = statistics(&history.commits, now.unwrap_or_default());
        let counts = counts.files.iter().find(|file| Some(file.path) == path_no);
        let association = Association::new(&history.commits);
        let commits_followed = path_no.map_or(0, |path_no| association.commits_of(path_no));
        if counts.is_none() && commits_followed == 0 && self.file(&path)?.is_none() {
            return Err(self.no_such_file(&path));
        }
        let mut failed = None;
        let found = association.partners(path_no.as_slice(), |partner| {
            names
                .get(partner)
                .and_then(|name| Ok(unauthored(&name).is_some() || self.file(&name)?.is_none()))
                .unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    true
                })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let mut partners: Vec<(Partner, RepoPath)> = Vec::with_capacity(found.len());
        for partner in found {
            partners.push((partner, names.get(partner.path)?));
        }
        partners.sort_by(|(one, path), (other, other_path)| one.better_first(other).then_with(|| path.cmp(other_path)));
        partners.truncate(request.limit);
        Ok(Partners {
            commits_analyzed: history.commits.len() as u64,
            now,
            file: FileActivity {
                path: path.to_string(),
                commit_count: counts.map_or(0, |counts| counts.commit_count),
                recent_count: counts.map_or(0, |counts| counts.recent_count),
                last_modified: counts.map(|counts| counts.last_modified),
            },
            commits_followed,
            partners: partners.into_iter().map(|(partner, path)| partner_file(&partner, &path)).collect(),
            gaps: history.gaps,
        })
    }

    /// What the newest commits of the view's history changed, without merges, newest first.
    fn history(&self) -> Result<History, Error> {
        let Some(head) = self.revision.commit else { return Ok(History::default()) };
        let mut rows: HashMap<CommitId, CommitRow> = HashMap::new();
        let walked = self.engine.repository.history(&[head], COMMITS_READ, |id| {
            let Some(row) = self.ledger().commit(&id)? else { return Ok(None) };
            let (parents, committer_time) = (row.parents.clone(), row.committer_time);
            rows.insert(id, row);
            Ok::<_, Error>(Some(KnownCommit { parents, committer_time, with_history: false }))
        })?;
        let mut history = History::default();
        let mut hidden = 0;
        for entry in walked.entries {
            match entry {
                HistoryEntry::Known(id) => {
                    let row = rows.remove(&id).expect("what is known was looked up");
                    if row.parents.len() < 2 {
                        let changes = row.changes.iter();
                        let changes = changes.map(|change| Change { path: change.path, old_path: change.old_path });
                        history.commits.push(Commit { author_time: row.author_time, changes: changes.collect() });
                    }
                }
                HistoryEntry::Read(facts) if facts.parents.len() < 2 => match &facts.changes {
                    Some(changes) => {
                        let changes = changes.iter().map(|change| history.number_change(self, change));
                        let changes = changes.collect::<Result<_, _>>()?;
                        history.commits.push(Commit { author_time: facts.author_time, changes });
                    }
                    None => hidden += 1,
                },
                HistoryEntry::Read(_) => {}
            }
        }
        // In a shallow clone these are the commits at its cut, and the view says that it is shallow.
        if hidden > 0 && !walked.meets_cut {
            history.gaps.push(Gap::MissingObject { objects: hidden });
        }
        Ok(history)
    }
}

/// Commits to be counted.
#[derive(Default)]
struct History {
    commits: Vec<Commit>,
    /// Paths that the store has no number for, under numbers in memory.
    new_paths: Vec<RepoPath>,
    new_numbers: HashMap<RepoPath, PathNo>,
    gaps: Vec<Gap>,
}

impl History {
    fn number_change(&mut self, snapshot: &Snapshot, change: &FileChange) -> Result<Change, Error> {
        let path = self.number(snapshot, &change.path)?;
        let old_path = change.old_path.as_ref().map(|path| self.number(snapshot, path)).transpose()?;
        Ok(Change { path, old_path })
    }

    fn number(&mut self, snapshot: &Snapshot, path: &RepoPath) -> Result<PathNo, Error> {
        if let Some(number) = self.new_numbers.get(path) {
            return Ok(*number);
        }
        if let Some(number) = snapshot.ledger().path_no(path)? {
            return Ok(number);
        }
        let number = PathNo(PathNo::FIRST_IN_MEMORY + self.new_paths.len() as u32);
        self.new_paths.push(path.clone());
        self.new_numbers.insert(path.clone(), number);
        Ok(number)
    }
}

/// Paths by the numbers of a [`History`], each looked up once.
struct Names<'a> {
    snapshot: &'a Snapshot,
    history: &'a History,
    found: HashMap<PathNo, RepoPath>,
}

impl<'a> Names<'a> {
    fn new(snapshot: &'a Snapshot, history: &'a History) -> Self {
        Self { snapshot, history, found: HashMap::new() }
    }

    fn get(&mut self, number: PathNo) -> Result<RepoPath, Error> {
        if number.is_in_memory() {
            return Ok(self.history.new_paths[(number.0 - PathNo::FIRST_IN_MEMORY) as usize].clone());
        }
        if let Some(path) = self.found.get(&number) {
            return Ok(path.clone());
        }
        let path = self.snapshot.ledger().path(number)?;
        let (path, _) = path.ok_or_else(|| self.snapshot.contradiction("a commit has no listed path"))?;
        self.found.insert(number, path.clone());
        Ok(path)
    }

    /// `None` for a path that no commit and no view had.
    fn number(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        match self.history.new_numbers.get(path) {
            Some(number) => Ok(Some(*number)),
            None => Ok(self.snapshot.ledger().path_no(path)?),
        }
    }
}

fn partner_file(partner: &Partner, path: &RepoPath) -> PartnerFile {
    PartnerFile {
        path: path.to_string(),
        count: partner.count,
        confidence: partner.confidence,
        lift: partner.lift,
        score: partner.score,
        last_commit: partner.last_commit,
    }
}
