//! The history channel: files found by what was said of past changes to them.

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
    /// Files that a commit changed whose message has any of the terms, by number; above 0 and comparable within one
    /// answer only.
    pub(crate) scores: Vec<(PathNo, f64)>,
    /// What these lack besides what the view lacks.
    pub(crate) gaps: Vec<Gap>,
    messages: Arc<Messages>,
    /// Times of files whose paths the store has no number for.
    unlisted: FxHashMap<PathNo, i64>,
    overlay: Arc<Overlay>,
    now: i64,
}

impl HistoryScores {
    /// How lately the file `path` changed, whose number is `path_no`: `exp(-age / tau_days)`, its age being that of the
    /// newest commit that changed it, by the committers' clocks up to the view's commit. 1 for a file that is not
    /// committed as it is; 0 where none of the commits looked at changed it.
    pub(crate) fn recency(&self, path_no: PathNo, path: &RepoPath, tau_days: f64) -> f64 {
        if self.overlay.entries.binary_search_by(|entry| entry.path.cmp(path)).is_ok() {
            return 1.0;
        }
        let newest = self.unlisted.get(&path_no).copied().or_else(|| self.messages.newest_change(path_no));
        // A clock that ran ahead does not make a file newer than new.
        newest.map_or(0.0, |time| (-((self.now - time).max(0) as f64) / DAY / tau_days).exp())
    }
}

/// How well the messages of the commits that changed a file match the terms. Counts the newest 2,000 commits reachable from the view's commit, merges
/// apart; renames are followed.
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
        let message = snapshot.view.ledger().commit_message(id)?;
        message.ok_or_else(|| snapshot.view.contradiction("a listed commit has no message").into())
    })?);
    Ok(Arc::clone(snapshot.messages.get_or_init(|| messages)))
}

fn number_in_view(snapshot: &Snapshot, name: &HistoryPath) -> Result<Option<PathNo>, Error> {
    let in_memory = |path: &RepoPath| snapshot.view.transient().paths.iter().position(|(other, _)| other == path);
    let number = match name {
        HistoryPath::Listed(path_no) => Some(*path_no),
        // It may have been listed since the history was read.
        HistoryPath::Unlisted(path) => match snapshot.view.ledger().path_no(path)? {
            Some(path_no) => Some(path_no),
            None => in_memory(path).map(|at| PathNo(PathNo::FIRST_IN_MEMORY + at as u32)),
        },
    };
    Ok(number.filter(|path_no| snapshot.view.blob_at(*path_no).is_some()))
}
