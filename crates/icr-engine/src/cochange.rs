//! Files that changed together in the history of the view's commit.

use crate::files::no_such_file;
use crate::history::cochange_history;
use icr_git::Membership;
use icr_history::{Partner, explains, statistics, statistics_of_file};
use icr_model::{Gap, RepoPath};
use serde::Serialize;

use crate::history::Names;
use crate::search::path_of;
use crate::{Error, Snapshot};

/// How often files changed, alone and together. Counts the newest 2,000 commits from the view's commit back, without
/// merges. Files have the names that git prints, including deleted files; commits of more than 20 files count for
/// nothing. [`crate::HistoryOptions`] can lower the first number and change the second.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cochange {
    /// Commits that were read, including those that count for nothing.
    pub commits_analyzed: u64,
    /// Commits of more files count for nothing ([`crate::HistoryOptions::cochange_files_most`]).
    pub max_files_per_commit: u64,
    /// Committer time of the view's commit, in seconds since 1970; `None` where there is no commit.
    pub now: Option<i64>,
    /// Files, by path.
    pub file_stats: Vec<FileActivity>,
    /// Pairs of files that share two commits or more, the most frequent first, then by path.
    pub pairs: Vec<FilePair>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// How often a file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileActivity {
    /// Path relative to the root.
    pub path: String,
    /// Commits that list it under this name.
    pub commit_count: u32,
    /// Commits among them from the days before `now` that [`crate::HistoryOptions::recent_days`] says, usually 90.
    pub recent_count: u32,
    /// Latest author time of these commits, in seconds since 1970; `None` when there is none.
    pub last_modified: Option<i64>,
}

/// Two files that changed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FilePair {
    /// The one whose path comes first.
    pub a: String,
    /// The other.
    pub b: String,
    /// Commits that list both.
    pub count: u32,
}

/// Which file's partners to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartnersRequest {
    /// Path relative to the root; the file may be deleted.
    pub path: String,
    /// Most partners in the answer.
    pub limit: usize,
}

/// The answer to a [`PartnersRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Partners {
    /// As in [`Cochange`].
    pub commits_analyzed: u64,
    /// As in [`Cochange`].
    pub max_files_per_commit: u64,
    /// As in [`Cochange`].
    pub now: Option<i64>,
    /// The file, with the counts of [`Cochange`].
    #[serde(flatten)]
    pub file: FileActivity,
    /// Commits that changed it under any of its names, without commits of too many files. The partners are measured
    /// against this number.
    pub commits_followed: u32,
    /// Files of the view that changed with it, best first; lock files, generated ones and change logs left out.
    pub partners: Vec<PartnerFile>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A file that changed together with another.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PartnerFile {
    /// Path relative to the root.
    pub path: String,
    /// Commits of both, renames followed.
    pub count: u32,
    /// Share of the other file's commits, in `0.0..=1.0`.
    pub confidence: f64,
    /// Lift: how many times more often they change together than by chance.
    pub lift: f64,
    /// Confidence, reduced for old and large commits and for what popularity alone explains.
    pub score: f64,
    /// Latest author time of the shared commits, in seconds since 1970.
    pub last_commit: i64,
}

/// Counts over the history of the view's commit. Commits that the store does not have are read, one tree diff each.
///
/// # Errors
///
/// Those of reading the store and the repository.
pub fn cochange(snapshot: &Snapshot) -> Result<Cochange, Error> {
    let history = cochange_history(snapshot)?;
    let now = snapshot.view.revision().committer_time.filter(|_| snapshot.view.revision().commit.is_some());
    let counting = snapshot.context.options.history.counting();
    let counts = statistics(&history.commits, now.unwrap_or_default(), &counting);
    let mut names = Names::new(snapshot, &history);
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
    let pairs = pairs.into_iter().map(|(count, a, b)| FilePair { a: a.to_string(), b: b.to_string(), count: count.0 });
    Ok(Cochange {
        commits_analyzed: history.commits.len() as u64,
        max_files_per_commit: snapshot.context.options.history.cochange_files_most as u64,
        now,
        file_stats: file_stats.collect(),
        pairs: pairs.collect(),
        gaps: history.gaps.clone(),
    })
}

/// The files that change together with one file. Reads the history as [`crate::cochange()`] does.
///
/// # Errors
///
/// [`Error::NoSuchFile`] for a path that is neither in the view nor in its history, [`Error::Secret`]; those of reading
/// the store and the repository.
pub fn partners(snapshot: &Snapshot, request: &PartnersRequest) -> Result<Partners, Error> {
    let path = path_of(&request.path);
    if snapshot.context.foundation.shape.policy().decide(&path) == Membership::Secret {
        return Err(Error::Secret { path: request.path.clone() });
    }
    let history = cochange_history(snapshot)?;
    let rules = &snapshot.context.options.history;
    let mut names = Names::new(snapshot, &history);
    let now = snapshot.view.revision().committer_time.filter(|_| snapshot.view.revision().commit.is_some());
    let path_no = names.number(&path)?;
    let (now_s, counting) = (now.unwrap_or_default(), rules.counting());
    let counts = path_no.and_then(|path_no| statistics_of_file(&history.commits, path_no, now_s, &counting));
    let association = history.association(rules);
    let commits_followed = path_no.map_or(0, |path_no| association.commits_of(path_no));
    if counts.is_none() && commits_followed == 0 && snapshot.view.file(&path)?.is_none() {
        return Err(no_such_file(snapshot, &path));
    }
    let mut failed = None;
    let found = association.partners(path_no.as_slice(), |partner| {
        names.get(partner).and_then(|name| Ok(!explains(&name) || snapshot.view.file(&name)?.is_none())).unwrap_or_else(
            |error| {
                failed.get_or_insert(error);
                true
            },
        )
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
        max_files_per_commit: rules.cochange_files_most as u64,
        now,
        file: FileActivity {
            path: path.to_string(),
            commit_count: counts.map_or(0, |counts| counts.commit_count),
            recent_count: counts.map_or(0, |counts| counts.recent_count),
            last_modified: counts.map(|counts| counts.last_modified),
        },
        commits_followed,
        partners: partners.into_iter().map(|(partner, path)| partner_file(&partner, &path)).collect(),
        gaps: history.gaps.clone(),
    })
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
