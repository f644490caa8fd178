//! Commits of ten files, and what a sync after each costs.

use std::fs::OpenOptions;
use std::io::Write;

use icr_lang::{LanguageRow, language_of, language_row};
use icr_model::RepoPath;

use crate::clock::{Cost, mean, median};
use crate::error::{Error, io};
use crate::stage::{Counts, Stage, StageDirectories, SyncStageResult};
use crate::temporary_clone::TemporaryClone;

/// Files of one commit.
const FILES: usize = 10;

/// Commits made and synced for a mean CPU time: a sync takes only a few clock ticks.
const COMMITS: usize = 5;

/// What syncs after commits cost.
pub(crate) struct Syncs {
    /// Mean CPU and median clock time of one.
    pub(crate) cost: Cost,
    /// Work of the last.
    pub(crate) counts: Counts,
}

/// Changes ten source files in each of a few commits, and syncs after each; `None` without source files.
///
/// # Errors
///
/// [`Error::Git`] and [`Error::Io`] when a commit cannot be made; [`Error::Stage`] when a sync fails.
pub(crate) fn sync_after_commits(clone: &TemporaryClone, place: &StageDirectories) -> Result<Option<Syncs>, Error> {
    let listed = clone.git(&["ls-files", "-z"])?;
    let is_code = |path: &str| language_row(language_of(&RepoPath::from(path))).is_some_and(LanguageRow::is_code);
    let is_source = |path: &&str| is_code(path) && clone.root().join(path).is_file();
    let sources: Vec<&str> = listed.split('\0').filter(is_source).collect();
    if sources.is_empty() {
        return Ok(None);
    }
    let mut costs = Vec::new();
    let mut counts = Counts::default();
    for commit in 0..COMMITS {
        let paths = spread(&sources, FILES, commit);
        for (at, path) in paths.iter().enumerate() {
            append(clone, path, &format!("bench commit {commit} file {at}"))?;
        }
        let message = format!("bench commit {commit}");
        clone.git(&[&["commit", "-q", "-m", &message, "--"], paths.as_slice()].concat())?;
        let (synced, cost) = place.run::<SyncStageResult>(Stage::Sync)?;
        costs.push(cost);
        counts = synced.counts;
    }
    let cost = average(&costs);
    Ok(Some(Syncs { cost, counts }))
}

/// Mean CPU, since single runs are rounded to ticks, and median clock time, since single runs meet other work.
pub(crate) fn average(costs: &[Cost]) -> Cost {
    let cpu: Vec<f64> = costs.iter().map(|cost| cost.cpu_ms).collect();
    let wall: Vec<f64> = costs.iter().map(|cost| cost.wall_ms).collect();
    Cost { cpu_ms: mean(&cpu), wall_ms: median(&wall) }
}

/// At most `count` of `items` at even distances, beginning at `offset`.
pub(crate) fn spread<T: Copy>(items: &[T], count: usize, offset: usize) -> Vec<T> {
    let count = count.min(items.len());
    (0..count).map(|at| items[(at * items.len() / count + offset) % items.len()]).collect()
}

/// Appends a comment to the file. It makes content that no blob had before and that every grammar can parse.
fn append(clone: &TemporaryClone, path: &str, comment: &str) -> Result<(), Error> {
    let sign = if language_of(&RepoPath::from(path)) == "python" { "#" } else { "//" };
    let file = clone.root().join(path);
    let opened = OpenOptions::new().append(true).open(&file);
    opened.and_then(|mut opened| writeln!(opened, "\n{sign} {comment}")).map_err(io("appending to", &file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_spread_evenly_and_change_with_the_commit() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(spread(&items, 4, 0), [0, 25, 50, 75]);
        assert_eq!(spread(&items, 4, 1), [1, 26, 51, 76]);
        assert_eq!(spread(&items[..3], 10, 1), [1, 2, 0]);
        assert!(spread(&items[..0], 10, 1).is_empty());
    }

    #[test]
    fn a_run_that_met_other_work_does_not_count_for_the_clock() {
        let costs = [(10.0, 20.0), (0.0, 900.0), (20.0, 30.0)].map(|(cpu_ms, wall_ms)| Cost { cpu_ms, wall_ms });
        assert_eq!(average(&costs), Cost { cpu_ms: 10.0, wall_ms: 30.0 });
    }
}
