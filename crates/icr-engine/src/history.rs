//! The commits of a view's history, and the paths that they changed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use icr_git::{HistoryEntry, KnownCommit};
use icr_history::{Association, CommitChanges, Counting, FILES_OF_A_COMMIT, RECENT_DAYS};
use icr_ingest::COMMITS_READ;
use icr_model::{CommitId, FileChange, Gap, PathNo, RepoPath};
use icr_store::CommitRow;

use crate::{Error, Snapshot};

/// What counts of a history, and what is concluded from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryOptions {
    /// Newest commits that count for files changed together; at most the 2,000 that the store keeps.
    pub cochange_commits: usize,
    /// Commits of more files do not count for files changed together.
    pub cochange_files_most: usize,
    /// Days before a view's commit in which a change counts as recent.
    pub recent_days: u32,
    /// Whether probabilities and the threshold of warnings are fitted to the repository's own past.
    pub calibrate: bool,
    /// Share of complete commits that may get a warning (false alarms), in `0.0..=1.0`.
    pub false_alarm_rate: f64,
}

impl Default for HistoryOptions {
    /// All commits that the store keeps, and one false alarm in twenty: reviewers stop reading warnings that are wrong
    /// more often.
    fn default() -> Self {
        Self {
            cochange_commits: COMMITS_READ,
            cochange_files_most: FILES_OF_A_COMMIT,
            recent_days: RECENT_DAYS,
            calibrate: true,
            false_alarm_rate: 0.05,
        }
    }
}

impl HistoryOptions {
    /// How many commits are read for files changed together.
    pub(crate) fn commits_read(&self) -> usize {
        self.cochange_commits.min(COMMITS_READ)
    }

    /// Which files of `commits`, newest first, change together.
    pub(crate) fn association(&self, commits: &[CommitChanges]) -> Association {
        Association::new(commits, self.cochange_files_most)
    }

    /// The rules for counting changes.
    pub(crate) fn counting(&self) -> Counting {
        Counting { files_most: self.cochange_files_most, recent_days: self.recent_days }
    }
}

/// The newest commits of the view's history, newest first, without merges.
pub(crate) fn history(snapshot: &Snapshot) -> Result<History, Error> {
    newest_of(snapshot, snapshot.view.revision().commit, COMMITS_READ)
}

/// The commits among them that count for files changed together; read once for a snapshot.
pub(crate) fn cochange_history(snapshot: &Snapshot) -> Result<Arc<History>, Error> {
    if let Some(history) = snapshot.cochange_history.get() {
        return Ok(Arc::clone(history));
    }
    let history = Arc::new(cochange_history_of(snapshot, snapshot.view.revision().commit)?);
    Ok(Arc::clone(snapshot.cochange_history.get_or_init(|| history)))
}

/// The same for the history of any commit; empty for `None`.
pub(crate) fn cochange_history_of(snapshot: &Snapshot, head: Option<CommitId>) -> Result<History, Error> {
    newest_of(snapshot, head, snapshot.context.options.history.commits_read())
}

/// The `most` newest commits of the history of `head`.
fn newest_of(snapshot: &Snapshot, head: Option<CommitId>, most: usize) -> Result<History, Error> {
    let Some(head) = head else { return Ok(History::default()) };
    let mut rows: HashMap<CommitId, CommitRow> = HashMap::new();
    let walked = snapshot.context.foundation.repository.history(&[head], most, |id| {
        let Some(row) = snapshot.view.look_ups().commit(&id)? else { return Ok(None) };
        let (parents, committer_time) = (row.parents.clone(), row.committer_time);
        rows.insert(id, row);
        Ok::<_, Error>(Some(KnownCommit { parents, committer_time, with_history: false }))
    })?;
    let mut history = History { meets_cut: walked.meets_cut, ..History::default() };
    let mut hidden = 0;
    for entry in walked.entries {
        match entry {
            HistoryEntry::Known(id) => {
                let row = rows.remove(&id).expect("what is known was looked up");
                if row.parents.len() < 2 {
                    history.commits.push(CommitChanges { author_time: row.author_time, changes: row.changes });
                    history.origins.push(Origin { id, committer_time: row.committer_time, message: None });
                }
            }
            HistoryEntry::Read(facts) if facts.parents.len() < 2 => match &facts.changes {
                Some(changes) => {
                    let changes = changes.iter().map(|change| history.number_change(snapshot, change));
                    let changes = changes.collect::<Result<_, _>>()?;
                    history.commits.push(CommitChanges { author_time: facts.author_time, changes });
                    let (id, committer_time) = (facts.id, facts.committer_time);
                    history.origins.push(Origin { id, committer_time, message: Some(facts.message) });
                }
                None => hidden += 1,
            },
            HistoryEntry::Read(_) => {}
        }
    }
    // In a shallow clone, these are the commits at its cut; the view reports that it is shallow.
    if hidden > 0 && !walked.meets_cut {
        history.gaps.push(Gap::UnknownChanges { commits: hidden });
    }
    Ok(history)
}

/// Commits with their changes.
#[derive(Clone, Default)]
pub(crate) struct History {
    pub(crate) commits: Vec<CommitChanges>,
    /// The commit behind each of them, in the same order.
    pub(crate) origins: Vec<Origin>,
    /// Whether the walk reached the cut of a shallow clone.
    pub(crate) meets_cut: bool,
    /// Paths without a number in the store; they get numbers in memory.
    new_paths: Vec<RepoPath>,
    new_numbers: HashMap<RepoPath, PathNo>,
    pub(crate) gaps: Vec<Gap>,
    /// Which files change together, and the most files of a commit that counts; computed once.
    association: OnceLock<(usize, Arc<Association>)>,
}

/// Identity, time and message of a commit.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) id: CommitId,
    /// In seconds since 1970.
    pub(crate) committer_time: i64,
    /// `None` if the ledger lists the commit, and so has its message.
    pub(crate) message: Option<String>,
}

impl History {
    /// Whether this history can be kept: a shallow or partial clone may get more of it, and paths without a number in
    /// the store may get one.
    pub(crate) fn is_lasting(&self) -> bool {
        self.gaps.is_empty() && !self.meets_cut && self.new_paths.is_empty()
    }

    /// The same with only the newest `commits` commits.
    pub(crate) fn cut_to(&self, commits: usize) -> Self {
        let mut cut = Self { association: OnceLock::new(), ..self.clone() };
        cut.commits.truncate(commits);
        cut
    }

    /// Which of its files change together, by `rules`. A long-lived process keeps the history, and with it this.
    pub(crate) fn association(&self, rules: &HistoryOptions) -> Arc<Association> {
        let made = || Arc::new(rules.association(&self.commits));
        let (files_most, association) = self.association.get_or_init(|| (rules.cochange_files_most, made()));
        if *files_most == rules.cochange_files_most { Arc::clone(association) } else { made() }
    }

    fn number_change(&mut self, snapshot: &Snapshot, change: &icr_git::FileChange) -> Result<FileChange, Error> {
        let path = self.number(snapshot, &change.path)?;
        let old_path = change.old_path.as_ref().map(|path| self.number(snapshot, path)).transpose()?;
        Ok(FileChange { path, old_path, kind: change.kind.into() })
    }

    /// The path of a number that the store does not have.
    pub(crate) fn new_path(&self, number: PathNo) -> Option<&RepoPath> {
        number.is_in_memory().then(|| &self.new_paths[(number.0 - PathNo::FIRST_IN_MEMORY) as usize])
    }

    fn number(&mut self, snapshot: &Snapshot, path: &RepoPath) -> Result<PathNo, Error> {
        if let Some(number) = self.new_numbers.get(path) {
            return Ok(*number);
        }
        if let Some(number) = snapshot.view.look_ups().path_no(path)? {
            return Ok(number);
        }
        let number = PathNo(PathNo::FIRST_IN_MEMORY + self.new_paths.len() as u32);
        self.new_paths.push(path.clone());
        self.new_numbers.insert(path.clone(), number);
        Ok(number)
    }
}

/// Paths by the numbers of a [`History`], each looked up once.
pub(crate) struct Names<'a> {
    snapshot: &'a Snapshot,
    history: &'a History,
    found: HashMap<PathNo, RepoPath>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, history: &'a History) -> Self {
        Self { snapshot, history, found: HashMap::new() }
    }

    pub(crate) fn get(&mut self, number: PathNo) -> Result<RepoPath, Error> {
        if let Some(path) = self.history.new_path(number) {
            return Ok(path.clone());
        }
        if let Some(path) = self.found.get(&number) {
            return Ok(path.clone());
        }
        let path = self.snapshot.view.look_ups().path(number)?;
        let path = path.ok_or_else(|| self.snapshot.view.contradiction("a commit has no listed path"))?;
        self.found.insert(number, path.clone());
        Ok(path)
    }

    /// `None` for a path that no commit and no view had.
    pub(crate) fn number(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        match self.history.new_numbers.get(path) {
            Some(number) => Ok(Some(*number)),
            None => Ok(self.snapshot.view.look_ups().path_no(path)?),
        }
    }
}
