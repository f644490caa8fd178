//! Replays the repository's history: would the files of a commit have been expected from some of them?

use crate::change::places;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use icr_git::{ChangeKind, FileChange, HistoryEntry, KnownCommit, Revision};
use icr_history::unauthored;
use icr_impact::expect::{
    BASELINES, Calibration, Diff, DiffCandidate, Features, FileNameIndex, Measure, RankedOmission, SHIPPED,
    SHIPPED_WARNING, Scores, WARNINGS_MOST, calibration, probability, threshold, warned,
};
use icr_impact::{FileStatus, Sides};
use icr_model::{BlobId, CommitId, RepoPath};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::change::callers::Callers;
use crate::change::candidates::candidates;
use crate::change::comparison::ChangeComparison;
use crate::change::prior_history::PriorHistory;
use crate::change::reach::TraversalOptions;
use crate::change::sides::{ChangeSide, FilePair, ViewChange};
use crate::change::words::changed_words;
use crate::snapshot_source::SnapshotSource;
use crate::syncing::StoreSync;
use crate::{BusyStorePolicy, Engine, Error, Observer, Progress, SyncOptions};
use icr_view::ViewLayers;

/// Most files of a commit that is replayed. Larger commits are sweeps, which are not made file by file.
const FILES: usize = 20;

/// Most questions of each kind for one commit, so that large commits do not outweigh small ones.
const QUESTIONS: usize = 4;

/// Files of a ranking that are scored.
const LISTED: usize = 100;

/// Lengths of history, in commits. If rows are kept, every fifth commit is also asked with one of them in turn, so that
/// fitted weights suit young repositories too.
const SHORT: [usize; 5] = [0, 8, 20, 40, 150];

/// Allowed rates of false alarms on complete commits, for which warnings are measured.
const FALSE_ALARMS: [f64; 3] = [0.05, 0.10, 0.20];

/// What to replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayRequest {
    /// Commits to replay, newest first. A commit counts if it is no merge and changed 2 to 20 files, two of which
    /// existed before, and one of these is source code.
    pub commits: usize,
    /// Whether to keep every question with its candidates, for fitting weights.
    pub keep_rows: bool,
}

/// How well the changes of past commits are predicted.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Replay {
    /// Commits that were replayed.
    pub commits: u32,
    /// Questions asked.
    pub questions: u32,
    /// Scores of icr's own ranking, then of the baselines.
    pub methods: Vec<MethodScores>,
    /// Calibration of the probabilities, over the candidates of all questions with an answer.
    pub calibration: Option<CalibrationReport>,
    /// Impact miss rate: given one file of a commit, the share of its other files that are not among the first ten
    /// expected ones.
    pub impact_miss_rate: f64,
    /// Every question with its candidates, if requested.
    #[serde(skip)]
    pub rows: Vec<ReplayRow>,
}

/// The scores of one ranking method.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MethodScores {
    /// Its name.
    pub method: String,
    /// One file of a commit is given, the others are to be found.
    pub one_known: TaskScores,
    /// All files of a commit but one are given, and that one is to be found.
    pub one_missing: TaskScores,
    /// At most three warnings for a change, by allowed rate of false alarms.
    pub warnings: Vec<WarningScores>,
}

/// Means over the questions of a commit, then over commits, each in `0.0..=1.0`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TaskScores {
    /// Recall at 5.
    pub recall_at_5: f64,
    /// Recall at 10.
    pub recall_at_10: f64,
    /// Mean reciprocal rank of the first right file.
    pub mrr: f64,
    /// Mean average precision.
    pub map: f64,
}

/// Quality of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct WarningScores {
    /// Allowed share of complete commits with a warning.
    pub allowed: f64,
    /// Actual share of complete commits with a warning.
    pub false_alarms: f64,
    /// Least score of a warning.
    pub threshold: f64,
    /// Recall: share of the left-out files that are warned about.
    pub recall: f64,
    /// Precision: share of the changes with warnings whose left-out file is among these; `None` without warnings.
    pub precision: Option<f64>,
}

/// Calibration of the probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CalibrationReport {
    /// Mean absolute difference between predicted and observed share, over all candidates.
    pub expected_calibration_error: f64,
    /// By tenth of the probability range.
    pub bins: Vec<CalibratedBin>,
}

/// One tenth of the probability range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CalibratedBin {
    /// Lower end of the tenth.
    pub from: f64,
    /// Candidates in it.
    pub cases: u64,
    /// Their mean probability.
    pub predicted: f64,
    /// Share of them that were right.
    pub observed: f64,
}

/// A candidate of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayRow {
    /// Number of the question.
    pub question: u32,
    /// The kind of question.
    pub task: Task,
    /// The features of the candidate.
    pub features: Features,
    /// Whether the commit changed it.
    pub label: bool,
    /// Whether the history was cut to a few commits, to simulate a young repository.
    pub short: bool,
}

/// The kind of question about a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// One file is given, the others are to be found.
    OneKnown,
    /// All files but one are given.
    OneMissing,
    /// All files are given, so that any warning is a false alarm.
    Complete,
}

/// A commit to replay.
struct ReplayCommit {
    parent: Revision,
    commit: CommitId,
    /// Files that existed before the commit, by path, with their contents after it.
    files: Vec<(RepoPath, Option<BlobId>)>,
}

/// A question with its rankings: icr's, then those of the baselines, best first.
struct ReplayAnswer {
    commit: usize,
    task: Task,
    wanted: HashSet<RepoPath>,
    lists: Vec<Vec<(RepoPath, f64)>>,
    /// What icr would warn about, best first.
    forgotten: Vec<(RepoPath, f64)>,
    rows: Vec<(Features, bool)>,
    /// Rows of the same question with a shortened history.
    short_rows: Vec<(Features, bool)>,
}

/// Replays the newest commits of HEAD's history, each with only what was known before it. The trees before them are
/// added to the store, which keeps them as long as their commits are reachable.
///
/// # Errors
///
/// Those of repository and store.
pub fn replay(
    engine: &Engine,
    request: &ReplayRequest,
    observer: &dyn Observer,
    progress: &dyn Progress,
) -> Result<Replay, Error> {
    let commits = CommitReplay { source: engine.snapshots() };
    let targets = commits.targets(request.commits)?;
    progress.total(targets.len() as u64);
    // Oldest first, so that each tree differs little from the one before.
    for target in targets.iter().rev() {
        let options = SyncOptions { waiting: BusyStorePolicy::Wait, rebuild: false, time_box: None };
        StoreSync::of(engine.context()).sync(&target.parent, None, &options, observer)?;
    }
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(targets.len().max(1));
    let work = || -> Result<Vec<ReplayAnswer>, Error> {
        let mut answered = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(at) else { return Ok(answered) };
            answered.extend(commits.ask_target(at, target, request)?);
            progress.count_file();
        }
    };
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no question panics")).collect::<Vec<_>>()
    });
    let mut answered = Vec::new();
    for result in results {
        answered.extend(result?);
    }
    answered.sort_by_key(|answered| answered.commit);
    Ok(score_replay(targets.len(), answered, request.keep_rows))
}

/// Answers questions about past commits, each with only what was known before it. Reads the repository and the store,
/// and writes nothing.
#[derive(Clone, Copy)]
struct CommitReplay<'a> {
    source: SnapshotSource<'a>,
}

impl CommitReplay<'_> {
    /// The newest commits that can be replayed.
    fn targets(&self, limit: usize) -> Result<Vec<ReplayCommit>, Error> {
        let Some(head) = self.source.context.foundation.repository.head()?.commit else { return Ok(Vec::new()) };
        /// Most commits read for each that is replayed: most commits change one file only, or no source code.
        const READ_FOR_EACH: usize = 12;
        let unknown = |_: CommitId| Ok::<Option<KnownCommit>, Error>(None);
        let history = self.source.context.foundation.repository.history(&[head], limit * READ_FOR_EACH, unknown)?;
        let mut targets = Vec::new();
        for entry in history.entries {
            let HistoryEntry::Read(facts) = entry else { continue };
            let ([parent], Some(changes)) = (facts.parents.as_slice(), facts.changes) else { continue };
            // Of a renamed file, both names count as changed.
            let named = changes.len() + changes.iter().filter(|change| change.old_path.is_some()).count();
            if !(2..=FILES).contains(&named) {
                continue;
            }
            let mut files: Vec<(RepoPath, Option<BlobId>)> = changes.iter().filter_map(was_there).collect();
            files.sort();
            if files.len() < 2 || !files.iter().any(|(path, _)| is_code(path)) {
                continue;
            }
            let parent = self.source.context.foundation.repository.resolve(&parent.to_string())?;
            targets.push(ReplayCommit { parent, commit: facts.id, files });
            if targets.len() == limit {
                break;
            }
        }
        Ok(targets)
    }

    fn ask_target(
        &self,
        at: usize,
        target: &ReplayCommit,
        request: &ReplayRequest,
    ) -> Result<Vec<ReplayAnswer>, Error> {
        let nothing = BTreeMap::new();
        let clean = Arc::default();
        let moment = self.source.moment()?;
        let view = |laid: &BTreeMap<RepoPath, Option<Arc<[u8]>>>| {
            let layers =
                ViewLayers { revision: target.parent.clone(), name: target.commit.to_string(), overlay: &clean, laid };
            self.source.snapshot_of_layers(&moment, &layers)
        };
        let before = view(&nothing)?;
        let past = PriorHistory::read(&before, target.parent.commit)?;
        let places = places(&before)?;
        let is_asked_again = request.keep_rows && at.is_multiple_of(SHORT.len());
        let short = is_asked_again.then(|| past.cut_to(SHORT[at / SHORT.len() % SHORT.len()]));
        let mut answered = Vec::new();
        for (task, known, wanted) in questions(target) {
            let mut laid = BTreeMap::new();
            let mut files = Vec::new();
            for (path, blob) in &known {
                let mut text = None;
                if let Some(blob) = blob {
                    let mut bytes = Vec::new();
                    self.source.context.foundation.repository.reader().read(*blob, &mut bytes)?;
                    text = Some(Arc::from(bytes));
                }
                files.push(FilePair {
                    old: Some((*path).clone()),
                    new: text.is_some().then(|| (*path).clone()),
                    status: if text.is_some() { FileStatus::Modified } else { FileStatus::Deleted },
                    opaque: None,
                });
                laid.insert((*path).clone(), text);
            }
            let change = ViewChange {
                old: ChangeSide::Asked(&before),
                new: ChangeSide::Made(Box::new(view(&laid)?)),
                files,
                unread: Vec::new(),
                sides: Sides {
                    base: String::new(),
                    base_commit: None,
                    head: String::new(),
                    head_commit: None,
                    reverts: None,
                    notes: Vec::new(),
                },
                made_on: target.parent.commit,
                is_whole_files: false,
            };
            let compared = ChangeComparison::of(&change)?;
            let (old_callers, new_callers) = (Callers::new(&change.old), Callers::new(&change.new));
            let reach = compared.seeds.reach(&change, &old_callers, &new_callers, TraversalOptions::one_step())?;
            let words = changed_words(&compared.texts);
            let (diff, candidates) =
                candidates(&change.old, &change.new, &change.files, &past, &places, &reach, &words)?;
            let mut answer = answer(at, task, wanted, &diff, &candidates, &places);
            if let Some(short) = &short {
                let (diff, candidates) = crate::change::candidates::candidates(
                    &change.old,
                    &change.new,
                    &change.files,
                    short,
                    &places,
                    &reach,
                    &words,
                )?;
                let measure = Measure::new(&diff, &places);
                let row =
                    |candidate: &DiffCandidate| (measure.features(candidate), answer.wanted.contains(&candidate.path));
                answer.short_rows = candidates.iter().map(row).collect();
            }
            answered.push(answer);
        }
        Ok(answered)
    }
}

/// Ranks the candidates of one question by every method.
fn answer(
    commit: usize,
    task: Task,
    wanted: HashSet<RepoPath>,
    diff: &Diff,
    candidates: &[DiffCandidate],
    places: &FileNameIndex,
) -> ReplayAnswer {
    let measure = Measure::new(diff, places);
    let all: Vec<Features> = candidates.iter().map(|candidate| measure.features(candidate)).collect();
    let listed = |score: &dyn Fn(usize) -> f64| {
        let mut list: Vec<(RepoPath, f64)> = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| (candidate.path.clone(), score(at)))
            .filter(|(_, score)| *score > 0.0)
            .collect();
        list.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        list.truncate(LISTED);
        list
    };
    let mut lists = vec![listed(&|at| probability(&all[at], &SHIPPED))];
    let forgotten = listed(&|at| probability(&all[at], &SHIPPED_WARNING));
    lists.extend(BASELINES.iter().map(|baseline| listed(&|at| (baseline.score)(diff, &candidates[at]))));
    let rows =
        candidates.iter().zip(all).map(|(candidate, features)| (features, wanted.contains(&candidate.path))).collect();
    ReplayAnswer { commit, task, wanted, lists, forgotten, rows, short_rows: Vec::new() }
}

/// A file that existed before the commit, with its content after it; a renamed file under its old name.
fn was_there(change: &FileChange) -> Option<(RepoPath, Option<BlobId>)> {
    match change.kind {
        ChangeKind::Modified | ChangeKind::TypeChanged => Some((change.path.clone(), change.new_blob)),
        ChangeKind::Deleted => Some((change.path.clone(), None)),
        ChangeKind::Renamed => change.old_path.clone().map(|path| (path, None)),
        ChangeKind::Added => None,
    }
}

/// Whether a file is source code, by its path.
pub(crate) fn is_code(path: &RepoPath) -> bool {
    icr_lang::language_row(icr_lang::language_of(path)).is_some_and(icr_lang::LanguageRow::is_code)
}

/// A question: its kind, the given files, the wanted files.
type ReplayQuestion<'a> = (Task, Vec<&'a (RepoPath, Option<BlobId>)>, HashSet<RepoPath>);

/// The questions for a commit. Files are picked by a digest, so that the alphabet does not matter.
fn questions(target: &ReplayCommit) -> Vec<ReplayQuestion<'_>> {
    let mut picked: Vec<&(RepoPath, Option<BlobId>)> = target.files.iter().collect();
    let digest = |path: &RepoPath| {
        let mut digest = Sha256::new();
        digest.update(target.commit.to_string());
        digest.update(path.as_bytes());
        digest.finalize()
    };
    picked.sort_by_cached_key(|(path, _)| digest(path));
    picked.truncate(QUESTIONS);
    let others = |path: &RepoPath| -> Vec<&(RepoPath, Option<BlobId>)> {
        target.files.iter().filter(|(other, _)| other != path).collect()
    };
    let mut questions = Vec::new();
    for file in &picked {
        let wanted = others(&file.0).into_iter().map(|(path, _)| path.clone()).collect();
        questions.push((Task::OneKnown, vec![*file], wanted));
        questions.push((Task::OneMissing, others(&file.0), HashSet::from([file.0.clone()])));
    }
    questions.push((Task::Complete, target.files.iter().collect(), HashSet::new()));
    questions
}

fn score_replay(commits: usize, answered: Vec<ReplayAnswer>, keep_rows: bool) -> Replay {
    let names = ["icr"].into_iter().chain(BASELINES.iter().map(|baseline| baseline.name));
    let methods: Vec<MethodScores> = names
        .enumerate()
        .map(|(method, name)| MethodScores {
            method: name.to_owned(),
            one_known: task_scores(&answered, method, Task::OneKnown),
            one_missing: task_scores(&answered, method, Task::OneMissing),
            warnings: FALSE_ALARMS.iter().filter_map(|allowed| warning_scores(&answered, method, *allowed)).collect(),
        })
        .collect();
    let cases: Vec<(f64, bool)> = answered
        .iter()
        .filter(|answered| answered.task != Task::Complete)
        .flat_map(|answered| answered.lists[0].iter().map(|(path, score)| (*score, answered.wanted.contains(path))))
        .collect();
    let rows = answered.iter().enumerate().filter(|_| keep_rows).flat_map(|(question, answered)| {
        let task = answered.task;
        let row = move |(features, label): &(Features, bool), short| ReplayRow {
            question: question as u32,
            task,
            features: *features,
            label: *label,
            short,
        };
        let whole = answered.rows.iter().map(move |values| row(values, false));
        whole.chain(answered.short_rows.iter().map(move |values| row(values, true)))
    });
    Replay {
        commits: commits as u32,
        questions: answered.len() as u32,
        calibration: (!cases.is_empty()).then(|| calibrated(&calibration(&cases))),
        impact_miss_rate: 1.0 - methods[0].one_known.recall_at_10,
        rows: rows.collect(),
        methods,
    }
}

fn task_scores(answered: &[ReplayAnswer], method: usize, task: Task) -> TaskScores {
    let mut of_commit: BTreeMap<usize, Vec<Scores>> = BTreeMap::new();
    for answered in answered.iter().filter(|answered| answered.task == task) {
        let hits: Vec<bool> = answered.lists[method].iter().map(|(path, _)| answered.wanted.contains(path)).collect();
        of_commit.entry(answered.commit).or_default().push(Scores::of(&hits, answered.wanted.len()));
    }
    let commits: Vec<Scores> = of_commit.values().map(|questions| Scores::mean(questions)).collect();
    let Scores { recall_at_5, recall_at_10, reciprocal_rank, average_precision } = Scores::mean(&commits);
    TaskScores { recall_at_5, recall_at_10, mrr: reciprocal_rank, map: average_precision }
}

fn warning_scores(answered: &[ReplayAnswer], method: usize, allowed: f64) -> Option<WarningScores> {
    let authored = |answered: &ReplayAnswer| -> Vec<(f64, bool)> {
        // The baselines warn about the files that they rank first.
        let list = if method == 0 { &answered.forgotten } else { &answered.lists[method] };
        let list = list.iter().filter(|(path, _)| unauthored(path).is_none());
        list.take(WARNINGS_MOST).map(|(path, score)| (*score, answered.wanted.contains(path))).collect()
    };
    let of = |task: Task| answered.iter().filter(move |answered| answered.task == task);
    let complete: Vec<f64> =
        of(Task::Complete).map(|answered| authored(answered).first().map_or(0.0, |(score, _)| *score)).collect();
    let threshold = threshold(&complete, (allowed * complete.len() as f64) as usize)?;
    let omission = |answered: &ReplayAnswer| {
        let list = authored(answered);
        let mut tops = [0.0; WARNINGS_MOST];
        tops.iter_mut().zip(&list).for_each(|(top, (score, _))| *top = *score);
        RankedOmission { tops, place: list.iter().position(|(_, wanted)| *wanted) }
    };
    let missing: Vec<RankedOmission> = of(Task::OneMissing).map(omission).collect();
    let warned = warned(threshold, &complete, &missing);
    Some(WarningScores {
        allowed,
        false_alarms: warned.false_alarms,
        threshold,
        recall: warned.recall,
        precision: warned.precision,
    })
}

fn calibrated(calibration: &Calibration) -> CalibrationReport {
    let bin = |bin: &icr_impact::expect::Bin| CalibratedBin {
        from: bin.from,
        cases: bin.cases,
        predicted: bin.predicted,
        observed: bin.observed,
    };
    CalibrationReport {
        expected_calibration_error: calibration.error,
        bins: calibration.bins.iter().map(bin).collect(),
    }
}
