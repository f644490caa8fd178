//! The repository's own threshold for warnings, computed from its history.

use std::collections::BTreeSet;

use icr_git::{LineEnd, Membership};
use icr_history::{Association, CommitChanges, unauthored};
use icr_impact::expect::{
    ChangedWords, Diff, DiffCandidate, DiffFile, Features, FileNameIndex, Measure, RankedOmission, SHIPPED,
    SHIPPED_WARNING, WARNINGS_MOST, Weights, alarms_most, probability, threshold, warned,
};
use icr_model::{CommitId, FileChangeKind, PathNo, Recipe, RecipeBuilder, RepoPath, TreeId};
use icr_store::{Access, CalibrationRow, Ledger, WriterLock};

use crate::change::candidates::{NEIGHBOURS, POPULAR, history_evidence_of};
use crate::change::is_code;
use crate::change::prior_history::PriorHistory;
use crate::change::words::PastWords;
use crate::history::Names;
use crate::snapshot_context::SnapshotContext;
use crate::snapshot_source::SnapshotSource;
use crate::{Error, HistoryOptions, Observer, RunPart, Snapshot, ViewSelector};

/// Distance in commits between calibrations: a threshold changes slowly, and a calibration takes a second.
const SPACING: u32 = 50;

/// Complete commits that are replayed, newest first; with 200 of them, the share of false alarms has steps of 0.5 %.
const COMMITS: usize = 200;

/// Fewest complete commits for a threshold. At a false-alarm rate of one in twenty, 32 commits only allow a threshold
/// that warns about none of them ([`alarms_most`]); 40 leave some room.
const COMPLETE_COMMITS_LEAST: usize = 40;

/// Fewest left-out files among the candidates that probabilities are fitted on.
const LABELS_LEAST: usize = 20;

/// Least probability of a warning, however regular the history: a warning that is wrong in three of four cases is not
/// read.
const LEAST: f64 = 0.25;

/// Commits that must precede a replayed one, so that files that change together are known.
const TRAINING: usize = 50;

/// Refitted probabilities are kept if they reduce the logarithmic loss on the newer commits by at least this share.
const BETTER: f64 = 0.01;

/// The candidates for one change: their features, and whether each is the file that was left out.
struct LabelledCandidates {
    candidates: Vec<(Features, bool)>,
    /// For each candidate, whether it may be warned about.
    authored: Vec<bool>,
}

/// A file that a past commit changed.
struct CommitFile {
    /// The number of `before`.
    number: PathNo,
    /// Its path before the commit; for a new file the one after it.
    before: RepoPath,
    /// Its path after the commit; for a deleted file the one before it.
    after: RepoPath,
    is_new: bool,
}

/// A past commit, and what was known before it.
struct PastChange<'a> {
    /// The history before it.
    history: &'a Association,
    files: &'a [CommitFile],
    /// Committer time of the commit before it, in seconds since 1970.
    now: i64,
    /// The tree before it, and the words of the lines that it changed in each of `files`; `None` for a commit without a parent.
    words: Option<(TreeId, Vec<ChangedWords>)>,
}

/// Two questions about one commit: with all its files, and with one of them left out.
struct CommitQuestions {
    complete: LabelledCandidates,
    one_missing: LabelledCandidates,
}

/// Whether the history of a commit has been calibrated.
pub(crate) enum CalibrationState {
    /// The calibration of this commit applies.
    Row(CommitId, CalibrationRow),
    /// A calibration is possible and has not been computed.
    NotYet,
    /// There will be none: the history is shallow or too short, or calibration is switched off.
    Never,
}

/// The calibration for the history of `head`; `stored` looks one up in the store. Calibrations belong to commits whose
/// distance from the root is a multiple of [`SPACING`], so that one of the last [`SPACING`] first parents has one. The
/// distance is not counted here: that would walk the whole history for every question.
pub(crate) fn calibration_of<E>(
    context: &SnapshotContext,
    head: Option<CommitId>,
    stored: impl Fn(&CommitId, &Recipe) -> Result<Option<CalibrationRow>, E>,
) -> Result<CalibrationState, Error>
where
    Error: From<E>,
{
    let repository = &context.foundation.repository;
    let is_wanted = context.options.history.calibrate && !repository.is_shallow();
    let Some(head) = head.filter(|_| is_wanted) else { return Ok(CalibrationState::Never) };
    let rule = rule(context);
    let line = repository.first_parents(head, SPACING as usize)?;
    for commit in &line.commits {
        if let Some(row) = stored(commit, &rule)? {
            return Ok(CalibrationState::Row(*commit, row));
        }
    }
    Ok(if line.end == LineEnd::Limit { CalibrationState::NotYet } else { CalibrationState::Never })
}

/// Computes the threshold for the history of a view's commit, if it is not known yet, and writes it to the store. The
/// store must be up to date for the view. Does nothing while another process writes the store; the next call computes
/// it.
///
/// # Errors
///
/// Those of repository and store.
pub(crate) fn calibrate(source: &SnapshotSource<'_>, at: &ViewSelector, observer: &dyn Observer) -> Result<(), Error> {
    let (context, foundation) = (source.context, &source.context.foundation);
    let Some(head) = at.revision(context)?.commit else { return Ok(()) };
    let ledger = Ledger::open(&foundation.place, Access::Read)?;
    let state = calibration_of(context, Some(head), |commit, rule| ledger.calibration(commit, rule))?;
    drop(ledger);
    if !matches!(state, CalibrationState::NotYet) {
        return Ok(());
    }
    let Some(anchor) = foundation.repository.anchor(head, SPACING)? else { return Ok(()) };
    observer.part(RunPart::Calibration);
    let snapshot = source.published_snapshot(at)?;
    let row = calibrate_from(&snapshot, anchor, observer)?;
    drop(snapshot);
    let _lock = match WriterLock::try_acquire(foundation.place.directory()) {
        Err(icr_store::Error::Busy) => return Ok(()),
        other => other?,
    };
    let rule = rule(context);
    Ok(Ledger::open(&foundation.place, Access::Write)?.write(|ledger| ledger.calibrate(&anchor, &rule, &row))?)
}

/// Digest of everything besides the history that a calibration depends on: options, membership rules, the measuring
/// code, the weights. It leaves out which languages are source code and how git detects renames.
fn rule(context: &SnapshotContext) -> Recipe {
    let HistoryOptions { cochange_commits, cochange_files_most, false_alarm_rate, .. } = context.options.history;
    let mut builder = RecipeBuilder::default()
        .with("commits", &(cochange_commits as u64).to_le_bytes())
        .with("files of a commit", &(cochange_files_most as u64).to_le_bytes())
        .with("false alarms", &false_alarm_rate.to_le_bytes())
        .with("members", &context.foundation.shape.policy().digest().to_bytes())
        .with("code", env!("ICR_CALIBRATION_CODE").as_bytes());
    for weights in [SHIPPED, SHIPPED_WARNING] {
        builder = builder.with("intercept", &weights.intercept.to_le_bytes());
        for weight in weights.by_feature {
            builder = builder.with("weight", &weight.to_le_bytes());
        }
    }
    builder.build()
}

/// The weights of a calibration: the weights that icr ships with, with the log-odds scaled and shifted.
pub(crate) fn weights_of(row: &CalibrationRow) -> Weights {
    Weights {
        intercept: SHIPPED.intercept * row.scale + row.shift,
        by_feature: SHIPPED.by_feature.map(|weight| weight * row.scale),
    }
}

/// Calibrates on the history of `anchor`. The result depends only on that commit and on what [`rule`] digests;
/// `snapshot` only supplies path numbers and rules. Import and reference features would need a view of each past commit
/// and are left out; warnings give them no weight, so that probabilities are the same. Words of changed lines are read
/// from git's objects, which takes about a second more.
fn calibrate_from(snapshot: &Snapshot, anchor: CommitId, observer: &dyn Observer) -> Result<CalibrationRow, Error> {
    let rules = &snapshot.context.options.history;
    let past = PriorHistory::read(snapshot, Some(anchor))?;
    let tree = snapshot.context.foundation.repository.resolve(&anchor.to_string())?.tree;
    let (places, there) = files_of(snapshot, tree)?;
    // Live answers use word features, so the scores behind the threshold must use them too.
    let mut past_words = PastWords::read(snapshot, tree)?;
    let mut names = Names::new(snapshot, &past.history);
    let mut questions: Vec<CommitQuestions> = Vec::new();
    let (commits, origins) = (&past.history.commits, &past.history.origins);
    let measured_most = commits.len().saturating_sub(TRAINING).min(COMMITS);
    for at in 0..commits.len() {
        observer.calibrating(questions.len() as u64, measured_most as u64);
        if questions.len() == COMMITS || commits.len() - at - 1 < TRAINING {
            break;
        }
        let Some(files) = completable_files(&commits[at], &mut names)? else { continue };
        // A new file cannot be the forgotten one, because nobody would know its name.
        let old_files: Vec<usize> = (0..files.len()).filter(|file| !files[*file].is_new).collect();
        if old_files.is_empty() {
            continue;
        }
        // The left-out file must not depend on the alphabet, so it is picked by the number of the commit.
        let left_out = old_files[at % old_files.len()];
        let history = rules.association(&commits[at + 1..]);
        let words = words_of(&mut past_words, origins[at].id, &files)?;
        let change = PastChange { history: &history, files: &files, now: origins[at + 1].committer_time, words };
        let mut ask = |left_out: Option<usize>| {
            candidates_before(&change, left_out, &places, &there, &mut names, &mut past_words)
        };
        questions.push(CommitQuestions { complete: ask(None)?, one_missing: ask(Some(left_out))? });
    }
    Ok(row_of(&questions, rules.false_alarm_rate))
}

/// The members of `tree` by names and places, and all files that may be named, as a live answer has them.
fn files_of(snapshot: &Snapshot, tree: TreeId) -> Result<(FileNameIndex, BTreeSet<RepoPath>), Error> {
    let foundation = &snapshot.context.foundation;
    let policy = foundation.shape.policy();
    let (mut members, mut nameable) = (Vec::new(), BTreeSet::new());
    foundation.repository.files(tree, &mut |file| {
        let membership = policy.decide(&file.path);
        if !file.kind.is_file() || membership == Membership::Secret {
            return;
        }
        if membership == Membership::Member {
            members.push(file.path.clone());
        }
        nameable.insert(file.path);
    })?;
    Ok((FileNameIndex::new(&members), nameable))
}

/// The tree before a commit, and the words of the lines that it changed in each of `files`; `None` for one without a parent.
fn words_of(
    past_words: &mut PastWords<'_>,
    commit: CommitId,
    files: &[CommitFile],
) -> Result<Option<(TreeId, Vec<ChangedWords>)>, Error> {
    let Some(trees) = past_words.trees_of(commit)? else { return Ok(None) };
    let paths: Vec<(&RepoPath, &RepoPath)> = files.iter().map(|file| (&file.before, &file.after)).collect();
    Ok(Some((trees.before, past_words.read_changed_words(trees, &paths)?)))
}

/// The files of a commit that could be left incomplete, at least one of them source code, by their paths before it;
/// `None` for other commits.
fn completable_files(commit: &CommitChanges, names: &mut Names<'_>) -> Result<Option<Vec<CommitFile>>, Error> {
    if !(2..=icr_history::FILES_OF_A_COMMIT).contains(&commit.changes.len()) {
        return Ok(None);
    }
    let mut files = Vec::new();
    for change in &commit.changes {
        let number = change.old_path.unwrap_or(change.path);
        let (before, after) = (names.get(number)?, names.get(change.path)?);
        files.push(CommitFile { number, before, after, is_new: change.kind == FileChangeKind::Added });
    }
    files.sort_by(|one, other| one.before.cmp(&other.before));
    Ok(files.iter().any(|file| is_code(&file.before)).then_some(files))
}

/// The candidates for a commit without the left-out file, from what was known before it.
fn candidates_before(
    change: &PastChange<'_>,
    left_out: Option<usize>,
    places: &FileNameIndex,
    there: &BTreeSet<RepoPath>,
    names: &mut Names<'_>,
    past_words: &mut PastWords<'_>,
) -> Result<LabelledCandidates, Error> {
    let PastChange { history, files, now, words } = change;
    let in_question = files.iter().enumerate().filter(|(at, _)| Some(*at) != left_out);
    let in_question: Vec<&CommitFile> = in_question.map(|(_, file)| file).collect();
    let wanted = left_out.map(|at| &files[at].before);
    let paths: Vec<&RepoPath> = in_question.iter().map(|file| &file.before).collect();
    let own: Vec<&RepoPath> = in_question.iter().flat_map(|file| [&file.before, &file.after]).collect();
    // The history before the commit does not know a new file, unless another file had its path.
    let numbers: Vec<Option<PathNo>> = in_question.iter().map(|file| Some(file.number)).collect();
    let mut others = history.popular(POPULAR);
    for path in places.neighbours(&paths, NEIGHBOURS) {
        others.extend(names.number(&path)?);
    }
    let mut changed_words = ChangedWords::default();
    for (at, words) in words.iter().flat_map(|(_, words)| words.iter().enumerate()) {
        if Some(at) != left_out {
            changed_words.extend(words);
        }
    }
    // Candidates that no commit names have too little evidence for a warning.
    for path in past_words.mentioning_most(&changed_words, &own) {
        others.extend(names.number(&path)?);
    }
    let mut diff = Diff { files: paths.iter().map(|path| DiffFile::new((*path).clone())).collect(), ..Diff::default() };
    let histories = history_evidence_of(history, &numbers, &others, *now, &mut diff);
    let measure = Measure::new(&diff, places);
    let mut candidates: Vec<(DiffCandidate, bool)> = Vec::new();
    for (number, history) in histories {
        let path = names.get(number)?;
        let label = wanted == Some(&path);
        if own.contains(&&path) || !(there.contains(&path) || label) {
            continue;
        }
        candidates.push((DiffCandidate { history: Some(history), ..DiffCandidate::new(path) }, label));
    }
    if let Some((tree, _)) = words {
        let files: Vec<RepoPath> = candidates.iter().map(|(candidate, _)| candidate.path.clone()).collect();
        let mentioned = past_words.read_mentioned_words(*tree, &changed_words, &files)?;
        candidates.iter_mut().zip(mentioned).for_each(|((candidate, _), words)| candidate.words = words);
    }
    Ok(LabelledCandidates {
        authored: candidates.iter().map(|(candidate, _)| unauthored(&candidate.path).is_none()).collect(),
        candidates: candidates.iter().map(|(candidate, label)| (measure.features(candidate), *label)).collect(),
    })
}

/// The calibration, with a threshold at which at most the share `allowed` of complete commits gets a warning, with
/// allowance for later commits.
fn row_of(questions: &[CommitQuestions], allowed: f64) -> CalibrationRow {
    let (scale, shift) = platt_scaling(questions);
    let row = CalibrationRow {
        threshold: None,
        false_alarms: 0.0,
        precision: None,
        recall: None,
        commits: questions.len() as u32,
        scale,
        shift,
    };
    let ranked = |one: &LabelledCandidates| {
        let candidates = one.candidates.iter().zip(&one.authored).filter(|(_, authored)| **authored);
        let mut ranked: Vec<(f64, bool)> =
            candidates.map(|((features, label), _)| (probability(features, &SHIPPED_WARNING), *label)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        ranked.truncate(WARNINGS_MOST);
        ranked
    };
    let complete: Vec<f64> =
        questions.iter().map(|commit| ranked(&commit.complete).first().map_or(0.0, |first| first.0)).collect();
    let allowed = alarms_most(complete.len(), allowed).filter(|_| complete.len() >= COMPLETE_COMMITS_LEAST);
    let Some(threshold) = allowed.and_then(|allowed| threshold(&complete, allowed)) else {
        return row;
    };
    let threshold = threshold.max(LEAST);
    let omission = |one: &LabelledCandidates| {
        let ranked = ranked(one);
        let mut tops = [0.0; WARNINGS_MOST];
        tops.iter_mut().zip(&ranked).for_each(|(top, (probability, _))| *top = *probability);
        RankedOmission { tops, place: ranked.iter().position(|(_, label)| *label) }
    };
    let omissions: Vec<RankedOmission> = questions.iter().map(|commit| omission(&commit.one_missing)).collect();
    let warned = warned(threshold, &complete, &omissions);
    CalibrationRow {
        threshold: Some(threshold),
        false_alarms: warned.false_alarms,
        precision: warned.precision,
        recall: Some(warned.recall),
        ..row
    }
}

/// Platt scaling of the log-odds for this repository: a factor and an addend, fitted on the older half of the commits
/// and kept only if they describe the newer half better.
fn platt_scaling(questions: &[CommitQuestions]) -> (f64, f64) {
    let logit = |features: &Features| {
        let probability = probability(features, &SHIPPED).clamp(1e-9, 1.0 - 1e-9);
        (probability / (1.0 - probability)).ln()
    };
    let cases = |commits: &[CommitQuestions]| -> Vec<(f64, bool)> {
        let candidates = commits.iter().flat_map(|commit| &commit.one_missing.candidates);
        candidates.map(|(features, label)| (logit(features), *label)).collect()
    };
    let (newer, older) = questions.split_at(questions.len() / 2);
    let (newer, older) = (cases(newer), cases(older));
    if older.iter().filter(|(_, label)| *label).count() < LABELS_LEAST || newer.is_empty() {
        return (1.0, 0.0);
    }
    let (scale, shift) = fit_platt(&older);
    let better = loss(&newer, scale, shift) < loss(&newer, 1.0, 0.0) * (1.0 - BETTER);
    if better && scale > 0.0 { (scale, shift) } else { (1.0, 0.0) }
}

/// Mean logarithmic loss of `cases` with the log of the odds scaled and shifted.
fn loss(cases: &[(f64, bool)], scale: f64, shift: f64) -> f64 {
    let loss = |(logit, label): &(f64, bool)| {
        let logit = scale * logit + shift;
        let signed = if *label { -logit } else { logit };
        // ln(1 + e^x) without overflow.
        if signed > 30.0 { signed } else { signed.exp().ln_1p() }
    };
    cases.iter().map(loss).sum::<f64>() / cases.len().max(1) as f64
}

/// The factor and the addend that make `cases` most likely (Platt's scaling), by Newton's method.
fn fit_platt(cases: &[(f64, bool)]) -> (f64, f64) {
    /// Steps; it converges in fewer than ten.
    const STEPS: usize = 20;
    /// Holds both to what icr ships with where there is little to go by.
    const PRIOR: f64 = 1.0;
    let (mut scale, mut shift) = (1.0, 0.0);
    for _ in 0..STEPS {
        let (mut g0, mut g1) = (-PRIOR * (scale - 1.0), -PRIOR * shift);
        let (mut h00, mut h01, mut h11) = (PRIOR, 0.0, PRIOR);
        for (logit, label) in cases {
            let p = 1.0 / (1.0 + (-(scale * logit + shift)).exp());
            let (error, weight) = (f64::from(u8::from(*label)) - p, p * (1.0 - p));
            g0 += error * logit;
            g1 += error;
            h00 += weight * logit * logit;
            h01 += weight * logit;
            h11 += weight;
        }
        let determinant = h00 * h11 - h01 * h01;
        if determinant.abs() < f64::EPSILON {
            break;
        }
        let (d0, d1) = ((g0 * h11 - g1 * h01) / determinant, (g1 * h00 - g0 * h01) / determinant);
        scale += d0;
        shift += d1;
        if d0.abs() + d1.abs() < 1e-9 {
            break;
        }
    }
    (scale, shift)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use icr_fixture::Fixture;
    use tempfile::TempDir;

    use super::*;
    use crate::{Engine, OpenOptions, SyncOptions};

    /// An engine with a synced store that works out no threshold by itself.
    fn synced(fixture: &Fixture) -> (TempDir, Engine) {
        let home = tempfile::tempdir().unwrap();
        let options = OpenOptions::new(fixture.root(), home.path());
        let history = HistoryOptions { calibrate: false, ..HistoryOptions::default() };
        let quiet = Engine::open(OpenOptions { history, ..options.clone() }).unwrap();
        quiet.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        (home, Engine::open(options).unwrap())
    }

    fn state(engine: &Engine) -> CalibrationState {
        let context = engine.context();
        let ledger = Ledger::open(&context.foundation.place, Access::Read).unwrap();
        let head = ViewSelector::Head.revision(context).unwrap().commit;
        calibration_of(context, head, |commit, rule| ledger.calibration(commit, rule)).unwrap()
    }

    /// A history of 60 commits, each of `a.py` and `b.py`, but for the one that has 50 before it: it has `a.py` and a new file.
    fn with_new_file() -> Fixture {
        let mut stream = String::new();
        for number in 1..=60 {
            let pair = if number == 51 { ["a.py", "new.py"] } else { ["a.py", "b.py"] };
            let time = 1_700_000_000 + number * 3_600;
            let _ = writeln!(stream, "commit refs/heads/main\ncommitter A <a@example.org> {time} +0000\ndata 1\nm");
            for path in pair {
                let text = format!("def change():\n    return {number}\n");
                let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
            }
        }
        let fixture = Fixture::empty();
        fixture.import(stream.as_bytes());
        fixture.git(&["checkout", "-q", "-f", "main"]);
        fixture
    }

    #[test]
    fn a_threshold_is_kept_unless_another_process_writes_the_store() {
        let fixture = with_new_file();
        let (_home, engine) = synced(&fixture);
        let lock = WriterLock::try_acquire(engine.store().directory()).unwrap();
        calibrate(&engine.snapshots(), &ViewSelector::Head, &icr_ingest::SilentObserver).unwrap();
        assert!(matches!(state(&engine), CalibrationState::NotYet));
        drop(lock);
        calibrate(&engine.snapshots(), &ViewSelector::Head, &icr_ingest::SilentObserver).unwrap();
        let CalibrationState::Row(anchor, row) = state(&engine) else { panic!("there is no row") };
        assert_eq!(anchor.to_string(), fixture.git(&["rev-parse", "HEAD~9"]));
        assert_eq!((row.commits, row.threshold), (1, None), "a commit counts whose other file is new");
    }

    /// What was reported of the commits that are measured.
    #[derive(Default)]
    struct MeasuredCommits(std::sync::Mutex<Vec<(u64, u64)>>);

    impl Observer for MeasuredCommits {
        fn calibrating(&self, done: u64, total: u64) {
            self.0.lock().unwrap().push((done, total));
        }
    }

    #[test]
    fn the_commits_that_are_measured_are_counted() {
        let fixture = with_new_file();
        let (_home, engine) = synced(&fixture);
        let measured = MeasuredCommits::default();
        calibrate(&engine.snapshots(), &ViewSelector::Head, &measured).unwrap();
        assert_eq!(measured.0.into_inner().unwrap(), [(0, 1), (1, 1)]);
    }

    #[test]
    fn a_threshold_holds_for_the_members_that_it_was_worked_out_with() {
        let fixture = with_new_file();
        let (home, engine) = synced(&fixture);
        calibrate(&engine.snapshots(), &ViewSelector::Head, &icr_ingest::SilentObserver).unwrap();
        assert!(matches!(state(&engine), CalibrationState::Row(..)));
        let options = OpenOptions::new(fixture.root(), home.path());
        let narrow = Engine::open(OpenOptions { ignore_patterns: vec!["b.py".to_owned()], ..options }).unwrap();
        assert!(matches!(state(&narrow), CalibrationState::NotYet));
    }

    #[test]
    fn a_commit_is_asked_about_with_its_new_and_its_renamed_files() {
        let fixture = Fixture::new("//- gone.rs\nfn gone() {}\n//- old.rs\nfn one() {}\nfn two() {}\nfn three() {}\n");
        fixture.delete("gone.rs");
        fixture.delete("old.rs");
        fixture.write("//- moved.rs\nfn one() {}\nfn two() {}\nfn three() {}\n//- added.rs\nstruct Added(u8);\n");
        fixture.commit("second");
        let (_home, engine) = synced(&fixture);
        let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
        let past = PriorHistory::read(&snapshot, snapshot.view.revision().commit).unwrap();
        let mut names = Names::new(&snapshot, &past.history);
        let files = completable_files(&past.history.commits[0], &mut names).unwrap().unwrap();
        let shown: Vec<String> =
            files.iter().map(|file| format!("{} {} {}", file.before, file.after, file.is_new)).collect();
        assert_eq!(shown, ["added.rs added.rs true", "gone.rs gone.rs false", "old.rs moved.rs false"]);
    }

    /// Commits whose missing file is a sure candidate. `is_blamed` says which of them have such a candidate when they are complete.
    fn questions(commits: usize, is_blamed: impl Fn(usize) -> bool) -> Vec<CommitQuestions> {
        let none = || LabelledCandidates { candidates: Vec::new(), authored: Vec::new() };
        let sure = || {
            let weights = SHIPPED_WARNING.by_feature;
            let features = weights.map(|weight| if weight > 0.0 { 10.0 } else { 0.0 });
            LabelledCandidates { candidates: vec![(features, true)], authored: vec![true] }
        };
        let complete = |at: usize| if is_blamed(at) { sure() } else { none() };
        (0..commits).map(|at| CommitQuestions { complete: complete(at), one_missing: sure() }).collect()
    }

    #[test]
    fn a_threshold_needs_40_complete_commits() {
        assert_eq!(row_of(&questions(39, |_| false), 0.05).threshold, None);
        let row = row_of(&questions(40, |_| false), 0.05);
        assert_eq!((row.threshold, row.false_alarms, row.recall), (Some(LEAST), 0.0, Some(1.0)));
    }

    #[test]
    fn of_40_complete_commits_none_is_warned_about() {
        let row = row_of(&questions(40, |at| at == 7), 0.05);
        assert_eq!((row.false_alarms, row.precision, row.recall), (0.0, None, Some(0.0)));
    }
}
