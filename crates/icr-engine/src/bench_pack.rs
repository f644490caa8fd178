//! Benchmark of packs on the repository's own history: how much of what a commit changed is in the pack for its
//! message?

use std::collections::BTreeMap;

use icr_git::{CommitFacts, KnownCommit, line_hunks};
use icr_lexical::{FieldScores, TextField};
use icr_model::{BlobId, BlobNo, ChunkNo, CommitId, LineSpan, RepoPath};
use icr_tokens::model_tokens;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::change::is_code;
use crate::lines::overlap;
use crate::packing::{PackRequest, PackRules, pack};
use crate::search::{Terms, UnreadBlobs};
use crate::snapshot_context::SnapshotContext;
use crate::syncing::StoreSync;
use crate::{
    BusyStorePolicy, Engine, Error, Freshness, Gap, Observer, Progress, Provenance, SilentObserver, Snapshot,
    SyncOptions, ViewSelector,
};

/// Most files of a commit that is replayed. Larger commits are sweeps, whose message does not say what they change.
const FILES: usize = 20;

/// Commits read for each commit that is replayed, at most: many do not change existing source code.
const READ_FOR_EACH: usize = 6;

/// Chunks that the baselines put into a pack, at most.
const CHUNKS: usize = 400;

/// Bootstrap samples of commits for a confidence interval.
const SAMPLES: usize = 2_000;

/// What to replay.
#[derive(Debug, Clone, PartialEq)]
pub struct PackBenchRequest {
    /// The revision whose history is replayed; HEAD for the worktree.
    pub at: ViewSelector,
    /// Commits to replay, newest first. A commit counts if it is no merge, changed 1 to 20 files, and changed source
    /// code that existed before and is no test.
    pub commits: usize,
    /// Budgets of the packs, in model tokens. The caller must check them against [`PackBudgets`](crate::PackBudgets).
    pub budgets: Vec<u32>,
    /// Rules by which packs are made.
    pub rules: PackRules,
}

/// What was in the packs.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackBench {
    /// Commits that were replayed.
    pub commits: usize,
    /// Commits that were read to find these, including those that were left out.
    pub commits_read: usize,
    /// Commits that were read and not replayed, by reason.
    pub left_out: CommitsLeftOut,
    /// Changed files of the replayed commits that packs are searched for.
    pub files: usize,
    /// Replayed commits for whose message the search says that nothing in the repository answers it.
    pub unanswered: usize,
    /// Scores for each budget, in the order of the request.
    pub budgets: Vec<PackBenchBudget>,
}

/// Commits that were read and not replayed, each counted for the first of these reasons that holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CommitsLeftOut {
    /// Merges, and commits without a parent.
    pub without_one_parent: usize,
    /// Their changes are unknown: the history is cut off before them, or their trees are not in this repository.
    pub with_unknown_changes: usize,
    /// They changed more than 20 files.
    pub with_many_files: usize,
    /// Their message has no word to search for.
    pub without_words: usize,
    /// They changed no source code that was there before, tests aside.
    pub without_source_code: usize,
    /// They changed no line of indexed source code: only files that are ignored or too large, or the mode of a file.
    pub without_indexed_lines: usize,
}

/// What the packs of one budget contained.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackBenchBudget {
    /// The budget, in model tokens.
    pub budget_tokens: u32,
    /// `pack`, `bm25` and `random`, in this order.
    pub methods: Vec<PackBenchMethod>,
    /// Difference of the shares of hunks between `pack` and `bm25`, as a mean over the commits.
    pub gain: f64,
    /// The 95 % confidence interval of that difference, from bootstrap samples of the commits.
    pub gain_interval: [f64; 2],
}

/// What one way of filling a budget contained, as means over the commits.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackBenchMethod {
    /// Its name.
    pub method: &'static str,
    /// For each changed file, the share of its hunks of which at least one line is contained; the mean over the files.
    pub hunks: f64,
    /// Share of the changed files of which at least one line is contained.
    pub files: f64,
    /// Model tokens used.
    pub tokens: f64,
}

/// The newest commits of a history that can be replayed, and why the others were left out.
#[derive(Default)]
struct Targets {
    /// Newest first.
    targets: Vec<PackBenchCommit>,
    commits_read: usize,
    left_out: CommitsLeftOut,
    gaps: Vec<Gap>,
}

/// A commit to replay.
struct PackBenchCommit {
    parent: CommitId,
    commit: CommitId,
    message: String,
    /// Changed files that existed before, with their contents before and after.
    files: Vec<(RepoPath, BlobId, Option<BlobId>)>,
}

/// A file and lines of it.
type FileLines = (RepoPath, LineSpan);

/// What a commit changed: for each file, line ranges in the parent.
type ChangedLines = BTreeMap<RepoPath, Vec<LineSpan>>;

/// What the methods contained for one commit, by budget and method.
struct CommitCoverage {
    files: usize,
    is_unanswered: bool,
    by_budget: Vec<[Share; METHODS.len()]>,
}

#[derive(Clone, Copy, Default)]
struct Share {
    hunks: f64,
    files: f64,
    tokens: f64,
}

const METHODS: [&str; 3] = ["pack", "bm25", "random"];

/// Makes a pack for the message of each of the newest commits, on the tree of its parent and with the history
/// before it only, and checks how much of the commit's change the pack contains. The baselines are the chunks
/// ranked by BM25 of their text, and chunks of source code in random order; they pay for no headings. The parents'
/// trees are added to the store and stay there as long as a ref, worktree, stash or reflog entry reaches them.
///
/// `observer` watches the indexing of the requested revision, `progress` the commits. The provenance is that of the
/// requested revision.
///
/// # Errors
///
/// [`icr_git::Error::UnknownRevision`]; those of repository and store.
pub fn bench_packs(
    engine: &Engine,
    request: &PackBenchRequest,
    observer: &dyn Observer,
    progress: &dyn Progress,
) -> Result<(PackBench, Provenance), Error> {
    let at = match &request.at {
        ViewSelector::Worktree => ViewSelector::Head,
        at => at.clone(),
    };
    let (context, sync) = (engine.context(), StoreSync::of(engine.context()));
    let revision = at.revision(context)?;
    let Targets { targets, commits_read, mut left_out, gaps } =
        pack_targets(context, revision.commit, request.commits)?;
    let options = SyncOptions { waiting: BusyStorePolicy::Wait, rebuild: false, time_box: None };
    sync.sync(&revision, None, &options, observer)?;
    let provenance =
        engine.answer(&at, &Freshness::default(), observer, |snapshot| Ok(snapshot.provenance().clone()))?;
    progress.total(targets.len() as u64);
    let mut held = Vec::new();
    // Oldest first, so that each tree differs little from the one before.
    for target in targets.iter().rev() {
        let parent = context.foundation.repository.resolve(&target.parent.to_string())?;
        sync.sync(&parent, None, &options, &SilentObserver)?;
        let at = ViewSelector::Revision(target.parent.to_string());
        let question = |snapshot: &Snapshot| held_of(snapshot, target, request);
        match engine.answer(&at, &Freshness::default(), &SilentObserver, question)? {
            Some(of_commit) => held.push(of_commit),
            None => left_out.without_indexed_lines += 1,
        }
        progress.count_file();
    }
    let bench = PackBench {
        commits: held.len(),
        commits_read,
        left_out,
        files: held.iter().map(|held| held.files).sum(),
        unanswered: held.iter().filter(|held| held.is_unanswered).count(),
        budgets: mean_by_budget(request, &held),
    };
    Ok((bench, provenance.with_gaps(&gaps)))
}

/// The newest commits of the history of `start` that can be replayed, at most `limit`.
fn pack_targets(context: &SnapshotContext, start: Option<CommitId>, limit: usize) -> Result<Targets, Error> {
    let mut found = Targets::default();
    let Some(start) = start else { return Ok(found) };
    let unknown = |_: CommitId| Ok::<Option<KnownCommit>, Error>(None);
    let history = context.foundation.repository.history(&[start], limit.saturating_mul(READ_FOR_EACH), unknown)?;
    let meets_cut = history.meets_cut;
    for facts in history.into_read() {
        found.commits_read += 1;
        found.targets.extend(target_of(facts, &mut found.left_out));
        if found.targets.len() == limit {
            break;
        }
    }
    let hidden = found.left_out.with_unknown_changes as u64;
    // In a shallow clone these are the commits at its cut, and the view says that it is shallow.
    if hidden > 0 && !meets_cut {
        found.gaps.push(Gap::UnknownChanges { commits: hidden });
    }
    Ok(found)
}

/// What to replay of a commit; `None` if it is left out, in which case the reason is counted.
fn target_of(facts: CommitFacts, left_out: &mut CommitsLeftOut) -> Option<PackBenchCommit> {
    let CommitFacts { id: commit, parents, message, changes, .. } = facts;
    let &[parent] = parents.as_slice() else {
        left_out.without_one_parent += 1;
        return None;
    };
    let Some(changes) = changes else {
        left_out.with_unknown_changes += 1;
        return None;
    };
    if changes.len() > FILES {
        left_out.with_many_files += 1;
        return None;
    }
    if Terms::of(&message).terms.is_empty() {
        left_out.without_words += 1;
        return None;
    }
    let was_there = changes.into_iter().filter_map(|change| {
        let path = change.old_path.unwrap_or(change.path);
        let is_meant = is_code(&path) && !icr_rank::is_test_path(&path);
        Some((path, change.old_blob?, change.new_blob)).filter(|_| is_meant)
    });
    let files: Vec<_> = was_there.collect();
    if files.is_empty() {
        left_out.without_source_code += 1;
        return None;
    }
    Some(PackBenchCommit { parent, commit, message, files })
}

/// What each method contained for one commit; `None` if the commit changed no line that the view shows.
fn held_of(
    snapshot: &Snapshot,
    target: &PackBenchCommit,
    request: &PackBenchRequest,
) -> Result<Option<CommitCoverage>, Error> {
    let changed = changed_parent_lines(snapshot, target)?;
    if changed.is_empty() {
        return Ok(None);
    }
    let terms = Terms::of(&target.message);
    let ranked = by_words(snapshot, &terms)?;
    let any = in_any_order(snapshot, target.commit)?;
    let mut is_unanswered = false;
    let mut by_budget = Vec::new();
    for budget_tokens in &request.budgets {
        let asked = PackRequest {
            budget_tokens: *budget_tokens,
            rules: request.rules,
            ..PackRequest::new(crate::search::cut(&target.message, LONGEST_MESSAGE))
        };
        let answer = pack(snapshot, &asked)?;
        is_unanswered = answer.strength == icr_rank::Strength::None;
        let in_pack: Vec<FileLines> = answer
            .sources
            .iter()
            .map(|source| {
                let lines = LineSpan { start: source.start_line, end: source.end_line };
                (RepoPath::from(source.path.as_str()), lines)
            })
            .collect();
        by_budget.push([
            share(&changed, &in_pack, f64::from(answer.metadata.tokens_used)),
            filled(&changed, &ranked, *budget_tokens),
            filled(&changed, &any, *budget_tokens),
        ]);
    }
    Ok(Some(CommitCoverage { files: changed.len(), is_unanswered, by_budget }))
}

/// Bytes of a message that are used as a question: a pack accepts at most 10,000 characters.
const LONGEST_MESSAGE: usize = 10_000;

/// The lines that the commit changed, as lines of the parent. For a pure insertion, the two lines around it.
fn changed_parent_lines(snapshot: &Snapshot, target: &PackBenchCommit) -> Result<ChangedLines, Error> {
    let reader = snapshot.context.foundation.repository.reader();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut changed = ChangedLines::new();
    for (path, before, after) in &target.files {
        let Some(file) = snapshot.view.file(path)? else { continue };
        if file.row.content != icr_model::ContentKind::Text {
            continue;
        }
        reader.read(*before, &mut old)?;
        new.clear();
        if let Some(after) = after {
            reader.read(*after, &mut new)?;
        }
        let lines = line_hunks(&old, &new).into_iter().map(|hunk| match hunk.old.is_empty() {
            true => LineSpan { start: hunk.old.start.max(1), end: hunk.old.start + 1 },
            false => LineSpan { start: hunk.old.start + 1, end: hunk.old.end },
        });
        let lines: Vec<LineSpan> = lines.collect();
        if !lines.is_empty() {
            changed.insert(path.clone(), lines);
        }
    }
    Ok(changed)
}

/// A chunk that a baseline may choose, and its cost.
struct BaselineChunk {
    place: FileLines,
    tokens: u32,
}

/// The whole chunk, among [`FieldScores::fields`].
const BODY: usize = TextField::Body as usize;

/// Chunks in the order of BM25 of their text.
fn by_words(snapshot: &Snapshot, terms: &Terms) -> Result<Vec<BaselineChunk>, Error> {
    let body = |scores: &FieldScores| scores.fields[BODY];
    let hits = snapshot.view.live_chunks()?.search_weighted(&terms.terms, &terms.weights, CHUNKS, body)?;
    let mut chunks: Vec<(f64, BlobNo, ChunkNo)> =
        hits.chunks.iter().map(|hit| (hit.scores.fields[BODY], hit.blob_no, hit.chunk_no)).collect();
    chunks.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
    pieces(snapshot, chunks.into_iter().map(|(_, blob_no, chunk_no)| (blob_no, chunk_no)))
}

/// Chunks of source code in a pseudo-random order, seeded by the commit's id.
fn in_any_order(snapshot: &Snapshot, commit: CommitId) -> Result<Vec<BaselineChunk>, Error> {
    let mut chunks: Vec<(Vec<u8>, BlobNo, ChunkNo)> = Vec::new();
    for file in snapshot.view.files()?.iter().filter(|file| is_code(&file.path)) {
        for ordinal in 0..file.row.chunk_count {
            let chunk_no = ChunkNo(file.row.chunk_first.0 + ordinal);
            let place = format!("{commit} {} {ordinal}", file.path);
            chunks.push((Sha256::digest(place.as_bytes()).to_vec(), file.row.blob_no, chunk_no));
        }
    }
    chunks.sort_unstable();
    pieces(snapshot, chunks.into_iter().take(CHUNKS).map(|(_, blob_no, chunk_no)| (blob_no, chunk_no)))
}

fn pieces(snapshot: &Snapshot, chunks: impl Iterator<Item = (BlobNo, ChunkNo)>) -> Result<Vec<BaselineChunk>, Error> {
    let (mut texts, mut unread, mut text) = (snapshot.view.texts(), UnreadBlobs::default(), Vec::new());
    let mut pieces = Vec::new();
    for (blob_no, chunk_no) in chunks {
        let (row, facts) = (snapshot.view.row(blob_no)?, snapshot.facts(blob_no)?);
        if !unread.read(&mut texts, &row, &mut text)? {
            continue;
        }
        let chunk = &facts.chunks[(chunk_no.0 - row.chunk_first.0) as usize];
        let tokens = model_tokens(chunk.span.of(&text));
        for (_, _, place) in snapshot.view.paths_of(&[blob_no].into_iter().collect())?.into_iter().take(1) {
            pieces.push(BaselineChunk { place: (place.path.clone(), chunk.lines), tokens });
        }
    }
    Ok(pieces)
}

/// The first pieces that fit into a budget; the last one is cut at its end.
fn filled(changed: &ChangedLines, pieces: &[BaselineChunk], budget_tokens: u32) -> Share {
    let mut left = budget_tokens;
    let mut in_pack: Vec<FileLines> = Vec::new();
    for BaselineChunk { place: (path, lines), tokens } in pieces {
        if *tokens <= left {
            in_pack.push((path.clone(), *lines));
            left -= tokens;
            continue;
        }
        let count = u64::from(lines.end + 1 - lines.start) * u64::from(left) / u64::from(*tokens);
        if count > 0 {
            in_pack.push((path.clone(), LineSpan { start: lines.start, end: lines.start + count as u32 - 1 }));
            left = 0;
        }
        break;
    }
    share(changed, &in_pack, f64::from(budget_tokens - left))
}

/// How much of the change a set of lines contains.
fn share(changed: &ChangedLines, in_pack: &[FileLines], tokens: f64) -> Share {
    let is_there =
        |path: &RepoPath, hunk: &LineSpan| in_pack.iter().any(|(held, lines)| held == path && overlap(*lines, *hunk));
    let of_file = |(path, hunks): (&RepoPath, &Vec<LineSpan>)| {
        hunks.iter().filter(|hunk| is_there(path, hunk)).count() as f64 / hunks.len() as f64
    };
    let files = changed.keys().filter(|path| in_pack.iter().any(|(held, _)| held == *path)).count();
    let all = changed.len() as f64;
    Share { hunks: changed.iter().map(of_file).sum::<f64>() / all, files: files as f64 / all, tokens }
}

/// Means over the commits, by budget.
fn mean_by_budget(request: &PackBenchRequest, held: &[CommitCoverage]) -> Vec<PackBenchBudget> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let budgets = request.budgets.iter().enumerate().map(|(at, budget_tokens)| {
        let methods = METHODS.iter().enumerate().map(|(method, name)| {
            let of = |value: fn(&Share) -> f64| {
                mean(&held.iter().map(|held| value(&held.by_budget[at][method])).collect::<Vec<_>>())
            };
            PackBenchMethod {
                method: name,
                hunks: of(|share| share.hunks),
                files: of(|share| share.files),
                tokens: of(|share| share.tokens),
            }
        });
        let gains: Vec<f64> =
            held.iter().map(|held| held.by_budget[at][0].hunks - held.by_budget[at][1].hunks).collect();
        PackBenchBudget {
            budget_tokens: *budget_tokens,
            methods: methods.collect(),
            gain: mean(&gains),
            gain_interval: interval(&gains),
        }
    });
    budgets.collect()
}

/// The 95 % confidence interval of the mean of `values`, by the percentile bootstrap (Efron 1979). Deterministic: the
/// same values give the same interval.
fn interval(values: &[f64]) -> [f64; 2] {
    if values.is_empty() {
        return [0.0, 0.0];
    }
    let mut random = StdRng::seed_from_u64(0);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            (0..values.len()).map(|_| values[random.random_range(0..values.len())]).sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    [means[SAMPLES * 25 / 1_000], means[SAMPLES * 975 / 1_000 - 1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: u32, end: u32) -> LineSpan {
        LineSpan { start, end }
    }

    #[test]
    fn a_hunk_is_held_when_one_line_of_it_is() {
        let path = |name: &str| RepoPath::from(name);
        let changed: ChangedLines =
            [(path("a"), vec![lines(1, 2), lines(10, 12)]), (path("b"), vec![lines(5, 5)])].into_iter().collect();
        let of = |in_pack: &[FileLines]| {
            let share = share(&changed, in_pack, 0.0);
            (share.hunks, share.files)
        };
        assert_eq!(of(&[]), (0.0, 0.0));
        assert_eq!(of(&[(path("a"), lines(12, 40))]), (0.25, 0.5));
        assert_eq!(of(&[(path("a"), lines(1, 40)), (path("b"), lines(1, 4))]), (0.5, 1.0));
        assert_eq!(of(&[(path("c"), lines(1, 99))]), (0.0, 0.0));
    }

    #[test]
    fn a_baseline_fills_its_budget_and_cuts_the_last() {
        let path = RepoPath::from("a");
        let changed: ChangedLines =
            [(path.clone(), vec![lines(1, 1), lines(14, 14), lines(15, 15)])].into_iter().collect();
        let pieces = [
            BaselineChunk { place: (path.clone(), lines(1, 5)), tokens: 50 },
            BaselineChunk { place: (path, lines(11, 20)), tokens: 100 },
        ];
        let share = filled(&changed, &pieces, 90);
        assert_eq!((share.hunks, share.tokens), (2.0 / 3.0, 90.0));
        assert_eq!(filled(&changed, &[], 90).tokens, 0.0);
    }

    #[test]
    fn an_interval_is_about_the_mean() {
        assert_eq!(interval(&[]), [0.0, 0.0]);
        assert_eq!(interval(&[0.5, 0.5]), [0.5, 0.5]);
        let [low, high] = interval(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        assert!((0.0..0.5).contains(&low) && high > 0.5 && high <= 1.0, "{low} {high}");
    }
}
