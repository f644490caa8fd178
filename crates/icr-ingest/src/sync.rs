//! Sync: make the blobs of a committed tree complete and publish its view.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use icr_compute::{
    NumberedPathChange, ObjectSource, PathChange, Shape, ViewContents, WantedBlob, batches, bytes_of,
    changes_from_nearest, compute_counted, resolve,
};
use icr_git::{CommitFacts, KnownCommit, Repository};
use icr_lexical::{HighWaterMark, Lexical};
use icr_model::{CommitId, FileChange, TreeId};
use icr_store::{BlobRow, CommitRow, Ledger, PublishedView, StorePlace, ViewKey};
use serde::Serialize;

use crate::session::{Session, numbers_of};
use crate::{BlobPass, BuiltInEmbedder, BuiltInFill, Error, Observer, RunPart, WriteStep};

/// Number of newest commits of HEAD whose facts are read, not counting merges: as far back as the co-change statistics
/// look.
pub const COMMITS_READ: usize = 2_000;

/// Most blobs that are computed at once, and most bytes of their texts. They limit the memory in use, which is tens of
/// times the text for crafted content, and how far a time limit can be overrun.
const BATCH_BLOBS: usize = 512;
const BATCH_BYTES: u64 = 16 << 20;

/// Bytes of text that are posted between two commits: a run that is killed loses at most this much work.
const BYTES_BETWEEN_COMMITS: u64 = 96 << 20;

/// Bytes that a blob and a chunk count in addition to their text: rows, facts, postings and vectors are kept in memory,
/// too.
const BYTES_OF_BLOB: u64 = 1 << 10;
const BYTES_OF_CHUNK: u64 = 1 << 9;

/// The tree to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct SyncTarget {
    /// The tree.
    pub tree: TreeId,
    /// The commit with this tree.
    pub commit: Option<CommitId>,
    /// Committer time of that commit.
    pub committer_time: Option<i64>,
}

/// One sync run.
#[derive(Clone, Copy)]
pub struct SyncRequest<'a> {
    /// Source of blobs, trees and commits.
    pub repository: &'a Repository,
    /// The directory of the store; the caller holds its lock.
    pub place: &'a StorePlace,
    /// Membership rules and recipes.
    pub shape: &'a Shape,
    /// The tree to be indexed.
    pub target: SyncTarget,
    /// The worktree or bare repository that is at the target; `None` for a revision that is only queried.
    pub standing: Option<&'a Path>,
    /// The model that embeds every new chunk; `None` for an index of words only.
    pub built_in: Option<BuiltInEmbedder<'a>>,
    /// When to stop after the current batch, keeping what is complete; `None` to run to the end.
    pub deadline: Option<Instant>,
    /// Receives the progress.
    pub observer: &'a dyn Observer,
}

/// Counts of the work of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SyncReport {
    /// Number of blobs read from the object database.
    pub blobs_read: u64,
    /// Number of blobs that were parsed or cut into windows.
    pub parsed: u64,
    /// Number of chunks that are new in the store.
    pub chunks_new: u64,
    /// Number of chunks embedded.
    pub embedded: u64,
    /// Number of documents written to the postings.
    pub postings_written: u64,
    /// Number of commits whose facts were read.
    pub commits_read: u64,
    /// Number of files that are new in the view or differ from its base.
    pub live_added: u64,
    /// Number of files of the base that are gone from the view or differ in it.
    pub live_removed: u64,
    /// Number of blobs still missing at the deadline; 0 if the view is published.
    pub blobs_left: u64,
    /// Elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// Indexes the target's blobs and publishes its view. Work is proportional to the difference from the nearest published
/// view; of a target that is already published, it is only recorded who stands at it.
///
/// # Errors
///
/// Errors of the repository and the store. Blobs that were listed before the error stay listed.
pub fn sync(request: &SyncRequest<'_>) -> Result<SyncReport, Error> {
    let started = Instant::now();
    let mut report = SyncReport::default();
    let mut session = Session::open(request.place, request.shape, request.built_in, request.observer)?;
    let key = ViewKey { tree: request.target.tree, shape: request.shape.digest() };
    let standing = request.standing.map(|path| session.ledger.published(path)).transpose()?.flatten();
    let published = session.ledger.view(&key)?.filter(|view| view.totals.missing_files == 0);
    let history = match request.target.commit {
        Some(commit) => read_history(request, &session.ledger, commit)?,
        None => NewHistory::default(),
    };
    report.commits_read = history.commits.len() as u64;
    if published.is_some() && history.is_nothing_new() && standing == Some(key) {
        fill_built_in(request, &session, published.as_ref(), &mut report)?;
        report.elapsed_ms = started.elapsed().as_millis() as u64;
        return Ok(report);
    }
    let view = match published {
        Some(view) => view,
        None => match make_view(request, &mut session, key, &mut report)? {
            Some(view) => view,
            None => {
                session.finish()?;
                report.elapsed_ms = started.elapsed().as_millis() as u64;
                return Ok(report);
            }
        },
    };
    let commits = number_history(&mut session, &history.commits)?;
    session.list(WriteStep::Published, |write| {
        request.shape.all_recipes().try_for_each(|recipes| write.recipe(recipes).map(drop))?;
        let mut facts = commits.iter().zip(&history.commits);
        facts.try_for_each(|(commit, facts)| write.add_commit(commit, &facts.message))?;
        history.completes.iter().try_for_each(|head| write.know_history(head, COMMITS_READ as u64))?;
        write.publish(&view)?;
        match request.standing {
            Some(worktree) => write.stand_at(worktree, request.repository.common_dir(), &key),
            None => write.register_clone(request.repository.common_dir()),
        }
    })?;
    fill_built_in(request, &session, Some(&view), &mut report)?;
    session.finish()?;
    report.elapsed_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// Embeds chunks of `view` that were indexed without the built-in model, or with another one.
fn fill_built_in(
    request: &SyncRequest<'_>,
    session: &Session<'_>,
    view: Option<&PublishedView>,
    report: &mut SyncReport,
) -> Result<(), Error> {
    let (Some(built_in), Some(view)) = (request.built_in, view) else { return Ok(()) };
    let spaces = built_in.spaces();
    let lacking = spaces.reader(request.place, built_in.vectors)?.missing(spaces.chunks.recipe, &view.live_chunks)?;
    if !lacking.is_empty() {
        let fill = BuiltInFill {
            ledger: &session.ledger,
            manifest: &view.manifest,
            source: &ObjectSource(request.repository),
            max_bytes: request.shape.policy().max_file_bytes(),
            deadline: request.deadline,
            observer: request.observer,
        };
        report.embedded += built_in.fill(&fill, &lacking)?;
    }
    built_in.note_use()
}

/// Opens the postings that belong to a ledger.
///
/// # Errors
///
/// [`icr_lexical::Error::Damaged`] also when the ledger lists chunks that the postings never contained: postings are
/// committed first, so files were lost. Also when the bytes of a file have changed; each file is verified once.
pub fn open_lexical(place: &StorePlace, ledger: &Ledger) -> Result<Lexical, Error> {
    place.check_entries("lexical")?;
    let lexical = match Lexical::open(place.lexical()) {
        Err(icr_lexical::Error::Missing { .. }) => {
            return Err(place.damage_error("there is a ledger and there are no postings").into());
        }
        other => other?,
    };
    let mark = lexical.mark()?;
    let (posted, listed) = (numbers_of(mark), ledger.listed_numbers()?);
    // A blob without text is listed, but has no postings, so its number may be above those of the postings.
    if listed.chunk > posted.chunk || listed.path > posted.path {
        let reason = format!(
            "the ledger lists chunks up to {} and paths up to {}, the postings end at {} and {}",
            listed.chunk, listed.path, posted.chunk, posted.path
        );
        return Err(place.damage_error(reason).into());
    }
    // A collection increments the generation of the ledger first. If the postings have a later generation, they have
    // lost documents which this ledger, an older copy, still lists. Generations start at a random value, so they are
    // compared by difference.
    let ahead = mark.generation.wrapping_sub(ledger.generation()?) as i32;
    if mark != HighWaterMark::default() && ahead > 0 {
        return Err(place.damage_error("garbage was collected from the postings after this ledger was written").into());
    }
    let files: Vec<_> = lexical.files()?.into_iter().map(|file| Path::new("lexical").join(file)).collect();
    place.check_files("postings", &files, |file| lexical.check_file(file.strip_prefix("lexical").unwrap_or(file)))?;
    Ok(lexical)
}

/// The view of the target, with all its postings written; `None` if the deadline came first.
fn make_view(
    request: &SyncRequest<'_>,
    session: &mut Session<'_>,
    key: ViewKey,
    report: &mut SyncReport,
) -> Result<Option<PublishedView>, Error> {
    request.observer.part(RunPart::Comparison);
    let SyncTarget { tree, commit, committer_time } = request.target;
    let (base, changes) =
        changes_from_nearest(request.repository, &session.ledger, request.shape, tree, committer_time, None)?;
    let (mut rows, missing) =
        resolve(&session.ledger, request.shape, changes.iter().filter_map(|change| change.wanted))?;
    if !complete(request, session, &missing, &mut rows, report)? {
        return Ok(None);
    }
    let numbered = number_changes(session, &changes, &rows, base.as_ref())?;
    let missing_files =
        changes.iter().filter_map(|change| change.wanted).filter(|wanted| !rows.contains_key(wanted)).count();
    report.live_added = numbered.iter().filter(|change| change.row.is_some()).count() as u64;
    let base = base.map(ViewContents::from).unwrap_or_default();
    report.live_removed =
        numbered.iter().filter(|change| base.manifest.blob_at(change.path_no).is_some()).count() as u64;
    let ledger = &session.ledger;
    let mut contents = base.with_changes(numbered, |blob_no| {
        let row = ledger.blob_row(blob_no)?;
        row.ok_or_else(|| Error::from(request.place.damage_error("a published view holds a blob that is not listed")))
    })?;
    contents.totals.missing_files = missing_files as u64;
    let ViewContents { manifest, live_chunks, totals } = contents;
    Ok(Some(PublishedView { key, commit, committer_time, manifest, live_chunks, totals }))
}

/// Computes and posts `missing`, and adds the rows to `rows`. Returns whether all of it was done before the deadline.
fn complete(
    request: &SyncRequest<'_>,
    session: &mut Session<'_>,
    missing: &[WantedBlob],
    rows: &mut HashMap<WantedBlob, BlobRow>,
    report: &mut SyncReport,
) -> Result<bool, Error> {
    let source = ObjectSource(request.repository);
    let total = missing.len() as u64;
    let max_bytes = request.shape.policy().max_file_bytes();
    // Looking up all sizes in advance takes time that a run with a deadline may not have.
    if total > 0 && request.observer.is_watched() && request.deadline.is_none() {
        request.observer.progress(0, total);
        request.observer.bytes_total(bytes_of(missing, &source, max_bytes));
    }
    let mut unlisted_bytes = 0;
    let mut done = 0;
    for batch in batches(missing, &source, max_bytes, (BATCH_BLOBS, BATCH_BYTES)) {
        request.observer.progress(done, total);
        let overdue = request.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if overdue || unlisted_bytes > BYTES_BETWEEN_COMMITS {
            session.list(WriteStep::BlobsListed, |_| Ok(()))?;
            unlisted_bytes = 0;
        }
        if overdue {
            report.blobs_left = total - done;
            return Ok(false);
        }
        let computed = compute_counted(batch, &source, request.shape, |computed| {
            request.observer.count_blob(BlobPass::Extracted, computed.text.len() as u64);
        })?;
        for computed in &computed {
            let parsed = computed.extraction.as_ref().is_some_and(|extraction| !extraction.facts.chunks.is_empty());
            report.blobs_read += u64::from(!computed.text.is_empty());
            report.parsed += u64::from(parsed);
            unlisted_bytes += computed.text.len() as u64 + BYTES_OF_BLOB;
            unlisted_bytes += u64::from(computed.chunks_total()) * BYTES_OF_CHUNK;
        }
        rows.extend(session.post(&computed, report)?);
        done += batch.len() as u64;
    }
    request.observer.progress(total, total);
    Ok(true)
}

/// `changes` with their numbers. Paths that are no members on either side (symlinks, ignored files) are left out.
fn number_changes(
    session: &mut Session<'_>,
    changes: &[PathChange],
    rows: &HashMap<WantedBlob, BlobRow>,
    base: Option<&PublishedView>,
) -> Result<Vec<NumberedPathChange>, Error> {
    let row_of = |change: &PathChange| change.wanted.and_then(|wanted| rows.get(&wanted)).cloned();
    let mut relevant = Vec::with_capacity(changes.len());
    for change in changes {
        let in_base = match base {
            Some(base) => {
                session.ledger.path_no(&change.path)?.is_some_and(|path_no| base.manifest.blob_at(path_no).is_some())
            }
            None => false,
        };
        if in_base || row_of(change).is_some() {
            relevant.push(change);
        }
    }
    let numbers = session.number_paths(relevant.iter().map(|change| &change.path))?;
    let numbered = relevant.iter().zip(numbers);
    Ok(numbered
        .map(|(change, (path_no, path_tokens))| NumberedPathChange { path_no, path_tokens, row: row_of(change) })
        .collect())
}

/// Commits found by a walk over history that the ledger did not have.
#[derive(Default)]
struct NewHistory {
    /// Commits that were not recorded.
    commits: Vec<CommitFacts>,
    /// The commit, if its history is now completely recorded as far as it is needed, and this was not noted before.
    completes: Option<CommitId>,
}

impl NewHistory {
    fn is_nothing_new(&self) -> bool {
        self.commits.is_empty() && self.completes.is_none()
    }
}

/// Facts of the newest commits from `head` on that are not recorded yet. Commits whose changes this clone cannot
/// determine (at the cut of a shallow clone) are left out: another clone may know them.
fn read_history(request: &SyncRequest<'_>, ledger: &Ledger, head: CommitId) -> Result<NewHistory, Error> {
    request.observer.part(RunPart::History);
    let history = request.repository.history(&[head], COMMITS_READ, |id| {
        request.observer.count_commit();
        let ancestry = ledger.ancestry(&id)?;
        Ok::<_, Error>(ancestry.map(|ancestry| KnownCommit {
            with_history: ancestry.history_known >= COMMITS_READ as u64,
            parents: ancestry.parents,
            committer_time: ancestry.committer_time,
        }))
    })?;
    let completes = (history.is_whole() && !history.entries.is_empty()).then_some(head);
    let commits = history.into_read().filter(|facts| facts.changes.is_some()).collect();
    Ok(NewHistory { commits, completes })
}

/// `commits` with the numbers of their paths.
fn number_history(session: &mut Session<'_>, commits: &[CommitFacts]) -> Result<Vec<CommitRow>, Error> {
    let changes = || commits.iter().flat_map(|facts| facts.changes.iter().flatten());
    let numbers =
        session.number_paths(changes().flat_map(|change| std::iter::once(&change.path).chain(&change.old_path)))?;
    let mut numbers = numbers.into_iter().map(|(path_no, _)| path_no);
    let mut next = || numbers.next().expect("every path was numbered, in this order");
    let rows = commits.iter().map(|facts| CommitRow {
        id: facts.id,
        parents: facts.parents.clone(),
        committer_time: facts.committer_time,
        author_time: facts.author_time,
        changes: facts
            .changes
            .iter()
            .flatten()
            .map(|change| FileChange {
                path: next(),
                old_path: change.old_path.as_ref().map(|_| next()),
                kind: change.kind.into(),
            })
            .collect(),
    });
    Ok(rows.collect())
}
