//! The newest commits of a view's history, and the refs that lead to commits.

use icr_git::NamedRef;
use icr_model::{Moment, RepoPath};
use serde::Serialize;

use crate::files::no_such_file;
use crate::history::{Names, history};
use crate::search::path_of;
use crate::{Error, Snapshot};

/// Most branches and tags, newest first: as many as a person chooses from.
const REFS_MOST: usize = 500;

/// Most files that are named for each commit.
const FILES_NAMED: usize = 20;

/// Which commits to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// Only commits that changed this file, under this name.
    pub path: Option<String>,
    /// Most commits in the answer.
    pub limit: usize,
}

/// The newest commits of a view's history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Log {
    /// Commits that are no merges, newest first, of the 2,000 newest.
    pub commits: Vec<LogCommit>,
    /// Number of commits that match.
    pub total_count: u64,
    /// Number of commits that were looked at: those of the history, but at most the newest 2,000.
    pub searched_count: u64,
    /// Branches, remote branches and tags, those with the newest commits first.
    pub refs: Vec<NamedCommit>,
    /// Commit of the view.
    pub head: Option<String>,
}

/// A commit of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LogCommit {
    /// Its id.
    pub commit: String,
    /// When it was made, by the committer's clock.
    pub time: Moment,
    /// Who made its change.
    pub author: String,
    /// First line of its message.
    pub subject: String,
    /// Files that it changed.
    pub files_total: u64,
    /// The first of them, under the names that the commit gives them.
    pub files: Vec<String>,
}

/// A name that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NamedCommit {
    /// Name without its `refs/heads/`, `refs/remotes/` or `refs/tags/`.
    pub name: String,
    /// `branch`, `remote` or `tag`.
    pub kind: &'static str,
    /// The commit that it leads to.
    pub commit: String,
}

/// The newest commits of the view's history, or only those of one file, and the branches and tags.
///
/// Cost: as of [`crate::partners`], and a read of each commit shown.
///
/// # Errors
///
/// [`Error::NoSuchFile`] for a path that neither the view nor any commit has; those of reading the store and the repository.
pub fn log(snapshot: &Snapshot, request: &LogRequest) -> Result<Log, Error> {
    let history = history(snapshot)?;
    let mut names = Names::new(snapshot, &history);
    let wanted = match request.path.as_deref().map(path_of) {
        Some(path) => match names.number(&path)? {
            Some(number) => Some(number),
            None if snapshot.view.file(&path)?.is_some() => None,
            None => return Err(no_such_file(snapshot, &path)),
        },
        None => None,
    };
    let repository = &snapshot.context.foundation.repository;
    let is_everything = request.path.is_none();
    let searched_count = history.commits.len() as u64;
    let mut log = Log { searched_count, head: snapshot.provenance().commit.clone(), ..Log::default() };
    for (at, commit) in history.commits.iter().enumerate() {
        if !is_everything && !commit.changes.iter().any(|change| Some(change.path) == wanted) {
            continue;
        }
        log.total_count += 1;
        if log.commits.len() == request.limit {
            continue;
        }
        let (id, time) = (history.origins[at].id, history.origins[at].committer_time);
        let named = commit.changes.iter().take(FILES_NAMED).map(|change| names.get(change.path));
        let files: Vec<RepoPath> = named.collect::<Result<_, _>>()?;
        let subject = repository.message(id)?.lines().next().unwrap_or_default().to_owned();
        log.commits.push(LogCommit {
            commit: id.to_string(),
            time: Moment(time),
            author: repository.author(id)?,
            subject,
            files_total: commit.changes.len() as u64,
            files: files.iter().map(ToString::to_string).collect(),
        });
    }
    let refs = repository.named_refs(REFS_MOST)?;
    let named = |NamedRef { name, kind, commit }| NamedCommit { name, kind: kind.name(), commit: commit.to_string() };
    log.refs = refs.into_iter().map(named).collect();
    Ok(log)
}
