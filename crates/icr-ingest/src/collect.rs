//! Garbage collection: deletes what is no longer reachable.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_git::Repository;
use icr_lexical::{Lexical, WriterOptions};
use icr_model::{BlobId, BlobNo, CommitId, LiveSet, Recipe};
use icr_store::{Access, Ledger, StorePlace, ViewKey};
use icr_vector::{SpaceStatus, Vectors};
use serde::Serialize;

use crate::built_in_model::seconds_since_1970;
use crate::session::{mark_of, numbers_of};
use crate::{Error, Observer, WriteStep, open_lexical};

/// The result of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CollectReport {
    /// Number of blobs that were listed.
    pub blobs_total: u64,
    /// Number of blobs deleted.
    pub blobs_forgotten: u64,
    /// Number of commits deleted.
    pub commits_forgotten: u64,
    /// Number of views deleted with them.
    pub views_forgotten: u64,
    /// Number of blobs in the postings that the ledger did not list.
    pub unlisted_deleted: u64,
    /// Number of clone records deleted, since the clone no longer exists.
    pub clones_forgotten: u64,
    /// Number of chunks whose vectors were deleted since the ledger does not list them, counted once for each vector
    /// space.
    pub vectors_deleted: u64,
    /// Number of vector spaces deleted, since their model was not used for `keep_unused`.
    pub spaces_deleted: u64,
    /// Number of stores of other formats deleted, since no program wrote them for `keep_unused`.
    pub stores_deleted: u64,
    /// Size of the store before, in bytes.
    pub bytes_before: u64,
    /// Size of the store after, in bytes.
    pub bytes_after: u64,
}

/// Deletes blobs and commits that no ref, worktree, stash, reflog entry or recently used view of any registered clone
/// reaches, and blobs of recipes that were not used within `keep_unused`. A view also counts for `keep_unused` after
/// its last use, and a clone for `keep_unused` after it disappeared. Then deletes postings and vectors that the ledger
/// does not list, and vector spaces that were not used within `keep_unused` and are not in `models_in_use`. The caller
/// holds the writer lock. Cost: at worst one tree diff per commit of each clone's history.
///
/// # Errors
///
/// Errors of the store. If a clone cannot be read, nothing that it might reach is deleted: deleting is never worth a
/// wrong guess.
pub fn collect(
    place: &StorePlace,
    vectors: Option<&Vectors>,
    models_in_use: &[Recipe],
    keep_unused: Duration,
    observer: &dyn Observer,
) -> Result<CollectReport, Error> {
    let mut ledger = Ledger::open(place, Access::Write)?;
    // Opened first, because nothing is forgotten if the postings are damaged.
    let lexical = open_lexical(place, &ledger)?;
    let mut report = CollectReport { bytes_before: place.bytes_total(), ..CollectReport::default() };

    let clones = ledger.clones(keep_unused)?;
    let (here, gone): (Vec<_>, Vec<_>) = clones.into_iter().partition(|(path, _)| path.exists());
    let UnreachedObjects { blobs: unreached, commits } = unreached_objects(&ledger, &here, keep_unused)?;
    let viewed = ledger.recently_viewed(keep_unused)?;
    let stale = ledger.stale_recipes(keep_unused)?;
    let mut garbage: HashSet<BlobNo> = HashSet::new();
    let mut listed: HashSet<BlobNo> = HashSet::new();
    let mut listed_chunks = LiveSet::default();
    ledger.blob_rows(|row| {
        report.blobs_total += 1;
        let is_unused = unreached.contains(&row.blob_id) || stale.contains(&row.recipe_no);
        if is_unused && !viewed.contains(&row.blob_no) {
            garbage.insert(row.blob_no);
        } else {
            listed.insert(row.blob_no);
            listed_chunks.insert_run(row.chunk_first.0, row.chunk_count);
        }
    })?;
    let views = views_with(&ledger, &garbage)?;
    let forgotten: Vec<&Path> = gone.iter().filter(|(_, recent)| !recent).map(|(path, _)| path.as_path()).collect();
    let worktrees: Vec<_> = ledger.worktrees()?.into_iter().filter(|path| !path.exists()).collect();
    if !(garbage.is_empty() && commits.is_empty() && forgotten.is_empty() && worktrees.is_empty()) {
        ledger.write(|write| {
            write.forget(&garbage, &views)?;
            write.forget_commits(&commits)?;
            forgotten.iter().try_for_each(|path| write.forget_clone(path))?;
            worktrees.iter().try_for_each(|path| write.forget_worktree(path))
        })?;
    }
    observer.step(WriteStep::GarbageForgotten);

    report.unlisted_deleted = collect_postings(place, &ledger, lexical, &listed)?;
    if let Some(vectors) = vectors {
        let unused_since = seconds_since_1970().saturating_sub(keep_unused.as_secs());
        let deleted = collect_vectors(vectors, &listed_chunks, models_in_use, unused_since)?;
        (report.vectors_deleted, report.spaces_deleted) = deleted;
    }
    observer.step(WriteStep::GarbageDeleted);
    if !(garbage.is_empty() && commits.is_empty()) {
        ledger.compact()?;
    }
    report.blobs_forgotten = garbage.len() as u64;
    report.commits_forgotten = commits.len() as u64;
    report.views_forgotten = views.len() as u64;
    report.clones_forgotten = forgotten.len() as u64;
    report.bytes_after = place.bytes_total();
    Ok(report)
}

/// What no clone reaches.
#[derive(Default)]
struct UnreachedObjects {
    blobs: HashSet<BlobId>,
    commits: HashSet<CommitId>,
}

/// What none of `clones` reaches, and of commits also what was not viewed within `keep_unused`. Nothing if one of the
/// clones cannot be read.
fn unreached_objects(
    ledger: &Ledger,
    clones: &[(PathBuf, bool)],
    keep_unused: Duration,
) -> Result<UnreachedObjects, Error> {
    let mut blobs = ledger.blob_ids()?;
    let graph = ledger.commit_graph()?;
    let mut commits: HashSet<CommitId> = graph.keys().copied().collect();
    let mut every_clone_was_read = true;
    for (path, _) in clones {
        // This clone was queried before, so its git directory is trusted as if the user had named it.
        let pruned = Repository::discover_named(path).and_then(|repository| {
            let tips = repository.tips()?;
            repository.prune_reachable(&tips, &mut blobs)?;
            repository.prune_ancestors(&tips, &mut commits)
        });
        if let Err(error) = pruned {
            tracing::warn!(clone = %path.display(), %error, "this clone cannot be read, so nothing is forgotten");
            every_clone_was_read = false;
        }
    }
    if !every_clone_was_read {
        return Ok(UnreachedObjects::default());
    }
    let commits = without_histories(commits, &graph, ledger.recently_viewed_commits(keep_unused)?);
    Ok(UnreachedObjects { blobs, commits })
}

/// Deletes the postings of blobs that are not `listed`. Returns the number of these blobs.
fn collect_postings(
    place: &StorePlace,
    ledger: &Ledger,
    lexical: Lexical,
    listed: &HashSet<BlobNo>,
) -> Result<u64, Error> {
    let unlisted: Vec<BlobNo> =
        lexical.reader(None)?.blob_numbers()?.into_iter().filter(|blob_no| !listed.contains(blob_no)).collect();
    if !unlisted.is_empty() {
        // The ledger may be older than the postings. Numbers that the postings have used stay reserved, since paths
        // that are not listed keep their documents.
        let numbers = ledger.numbers()?.max(numbers_of(lexical.mark()?));
        let mark = mark_of(numbers, ledger.generation()?);
        let mut writer = lexical.writer(WriterOptions::default())?;
        writer.delete_blobs(&unlisted);
        writer.commit(mark)?;
        writer.finish()?;
        // Opening verifies the files that were written.
        open_lexical(place, ledger)?;
    }
    Ok(unlisted.len() as u64)
}

/// Deletes the vectors of chunks that are not `listed`, and spaces not used after `unused_since`, in seconds since
/// the start of 1970. Returns the number of chunks and of spaces.
fn collect_vectors(
    vectors: &Vectors,
    listed: &LiveSet,
    in_use: &[Recipe],
    unused_since: u64,
) -> Result<(u64, u64), Error> {
    let mark = vectors.mark()?;
    let unlisted = LiveSet::from_numbers((0..mark).filter(|chunk| !listed.contains(*chunk)));
    let spaces = vectors.reader(None)?.spaces()?;
    let is_unused = |status: &&SpaceStatus| {
        !in_use.contains(&status.space.recipe) && status.last_used_s.unwrap_or_default() <= unused_since
    };
    let mut writer = vectors.writer()?;
    let unused: Vec<Recipe> = spaces.iter().filter(is_unused).map(|status| status.space.recipe).collect();
    unused.iter().for_each(|space| writer.drop_space(*space));
    writer.delete_chunks(&unlisted);
    let committed = writer.commit(mark)?;
    Ok((committed.chunks_deleted, unused.len() as u64))
}

/// `unreached` without the ancestors of commits that are kept or were `viewed`. If a commit is kept, its whole recorded
/// history is kept, so that statements about that history stay true.
fn without_histories(
    mut unreached: HashSet<CommitId>,
    graph: &HashMap<CommitId, Vec<CommitId>>,
    viewed: Vec<CommitId>,
) -> HashSet<CommitId> {
    let mut pending: Vec<CommitId> = graph.keys().copied().filter(|id| !unreached.contains(id)).collect();
    for id in viewed {
        unreached.remove(&id);
        pending.push(id);
    }
    while let Some(id) = pending.pop() {
        let parents = graph.get(&id).into_iter().flatten();
        pending.extend(parents.filter(|parent| unreached.remove(*parent)));
    }
    unreached
}

fn views_with(ledger: &Ledger, garbage: &HashSet<BlobNo>) -> Result<Vec<ViewKey>, Error> {
    let mut keys = Vec::new();
    for summary in ledger.views()? {
        let Some(view) = ledger.view(&summary.key)? else { continue };
        if view.manifest.entries().iter().any(|entry| garbage.contains(&entry.blob_no)) {
            keys.push(summary.key);
        }
    }
    Ok(keys)
}
