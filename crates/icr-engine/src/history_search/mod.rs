//! The history channel: finds files by the messages of the commits that changed them.

mod messages;
#[cfg(test)]
mod tests;

use crate::history::history;
use std::sync::Arc;

use icr_git::Overlay;
use icr_model::{Gap, PathNo, RepoPath};
use rustc_hash::FxHashMap;

pub(crate) use messages::Messages;

use crate::history_search::messages::HistoryPath;
use crate::search::Terms;
use crate::{Error, Snapshot};

/// Seconds in a day.
const DAY: f64 = 86_400.0;

/// What the history of a view says of its files.
pub(crate) struct HistoryScores {
    /// Scores of the files whose commit messages have any of the terms, by path number; above 0, and comparable within
    /// one answer only.
    pub(crate) scores: Vec<(PathNo, f64)>,
    /// What these lack besides what the view lacks.
    pub(crate) gaps: Vec<Gap>,
    messages: Arc<Messages>,
    /// Change times of files whose paths have no number in the store.
    unlisted: FxHashMap<PathNo, i64>,
    overlay: Arc<Overlay>,
    now: i64,
}

impl HistoryScores {
    /// How recently the file `path` with the number `path_no` changed: `exp(-age / tau_days)`, where the age is that of
    /// the newest commit that changed it, by committer times up to the view's commit. 1 for a file with uncommitted
    /// changes; 0 if no commit of the history changed it.
    pub(crate) fn recency(&self, path_no: PathNo, path: &RepoPath, tau_days: f64) -> f64 {
        if self.overlay.entries.binary_search_by(|entry| entry.path.cmp(path)).is_ok() {
            return 1.0;
        }
        let newest = self.unlisted.get(&path_no).copied().or_else(|| self.messages.newest_change(path_no));
        // A committer's clock may be ahead; the age is at least 0.
        newest.map_or(0.0, |time| (-((self.now - time).max(0) as f64) / DAY / tau_days).exp())
    }
}

/// Scores files by how well the messages of the commits that changed them match the terms. Counts the newest 2,000
/// commits reachable from the view's commit, without merges; follows renames.
///
/// Cost: the history is read once for each snapshot, then a pass over the tokens of its messages, at most a million.
///
/// # Errors
///
/// Those of reading the store and the repository.
pub(crate) fn history_scores(snapshot: &Snapshot, terms: &Terms) -> Result<HistoryScores, Error> {
    let messages = messages(snapshot)?;
    let mut scores = Vec::new();
    for (file, score) in messages.scores(terms) {
        let Some(name) = messages.name(file) else { continue };
        scores.extend(number_in_view(snapshot, name)?.map(|path_no| (path_no, score)));
    }
    scores.sort_unstable_by_key(|(path_no, _)| *path_no);
    let mut unlisted = FxHashMap::default();
    for (name, time) in messages.unlisted() {
        unlisted.extend(number_in_view(snapshot, name)?.map(|path_no| (path_no, time)));
    }
    Ok(HistoryScores {
        scores,
        gaps: messages.gaps.clone(),
        messages,
        unlisted,
        overlay: Arc::clone(snapshot.view.overlay()),
        now: snapshot.view.revision().committer_time.unwrap_or_default(),
    })
}

fn messages(snapshot: &Snapshot) -> Result<Arc<Messages>, Error> {
    if let Some(messages) = snapshot.messages.get() {
        return Ok(Arc::clone(messages));
    }
    let messages = Arc::new(Messages::new(&history(snapshot)?, |id| {
        let message = snapshot.view.look_ups().commit_message(id)?;
        message.ok_or_else(|| snapshot.view.contradiction("a listed commit has no message").into())
    })?);
    Ok(Arc::clone(snapshot.messages.get_or_init(|| messages)))
}

fn number_in_view(snapshot: &Snapshot, name: &HistoryPath) -> Result<Option<PathNo>, Error> {
    let in_memory = |path: &RepoPath| snapshot.view.transient().paths.iter().position(|(other, _)| other == path);
    let number = match name {
        HistoryPath::Listed(path_no) => Some(*path_no),
        // The path may have got a number since the history was read.
        HistoryPath::Unlisted(path) => match snapshot.view.look_ups().path_no(path)? {
            Some(path_no) => Some(path_no),
            None => in_memory(path).map(|at| PathNo(PathNo::FIRST_IN_MEMORY + at as u32)),
        },
    };
    Ok(number.filter(|path_no| snapshot.view.blob_at(*path_no).is_some()))
}
