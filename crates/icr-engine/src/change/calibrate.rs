//! A repository's own threshold for warnings, worked out from its past.

use std::collections::BTreeSet;

use icr_git::LineEnd;
use icr_history::{Association, CommitChanges, unauthored};
use icr_impact::expect::{
    Candidate, ChangedWords, Diff, DiffFile, Features, Measure, Places, SHIPPED, SHIPPED_WARNING, WARNINGS_MOST,
    Weights, Withheld, alarms_most, probability, threshold, warned,
};
use icr_model::{CommitId, PathNo, Recipe, RecipeBuilder, RepoPath, TreeId};
use icr_store::{Access, CalibrationRow, Ledger};

use crate::change::candidates::{NEIGHBOURS, POPULAR, told};
use crate::change::past::Past;
use crate::change::words::PastWords;
use crate::history::Names;
use crate::{At, Engine, Error, HistoryOptions, Snapshot};

/// Commits between those that history is worked out for: a threshold moves slowly, and the work is a second's.
const SPACING: u32 = 50;

/// Complete commits that are asked, newest first; 200 give the share of false alarms in steps of half a percent.
const COMMITS: usize = 200;

/// Fewest of them that say anything: with 40, two are the one in twenty that may be warned about.
pub(crate) const FEWEST: u32 = 40;

/// Probability below which nothing warns, however regular the past: a warning that is wrong in three of four cases is not read.
const LEAST: f64 = 0.25;

/// Commits before one that are enough to know which files go with which.
const TRAINING: usize = 50;

/// Probabilities made otherwise are kept when they describe the newer commits better by this share of the logarithmic loss.
const BETTER: f64 = 0.01;

/// What was asked of one commit: the candidates' features, and which of them it changed.
struct Asked {
    candidates: Vec<(Features, bool)>,
    /// By candidate, whether it may be warned about.
    authored: Vec<bool>,
}

/// A past commit, and what was known before it.
struct PastChange<'a> {
    before: &'a Association,
    /// Its files that were known before it.
    known: &'a [(PathNo, RepoPath)],
    /// Author time of the commit before it, in seconds since 1970.
    now: i64,
    /// The tree before it, and the words of the lines that it changed in each of `known`; `None` for a commit without a parent.
    words: Option<(TreeId, Vec<ChangedWords>)>,
}

/// Two questions about one commit: complete, and with one file left out.
struct Replayed {
    complete: Asked,
    one_missing: Option<Asked>,
}

/// What is known of the history that a commit stands on.
pub(crate) enum Known {
    /// It was worked out up to this commit.
    Row(CommitId, CalibrationRow),
    /// Nobody worked it out yet.
    NotYet,
    /// It is cut off, or shorter than the first commit that it is worked out for, or nobody wants it.
    Never,
}

impl Engine {
    /// What is known of the history of `head`. Rows stand at commits whose distance from the root is a multiple of [`SPACING`], so that
    /// one of so many first parents has it; counting from the root would walk the whole history for every question.
    pub(crate) fn known(&self, ledger: &Ledger, head: Option<CommitId>) -> Result<Known, Error> {
        let is_wanted = self.options.history.calibrate && !self.foundation.repository.is_shallow();
        let Some(head) = head.filter(|_| is_wanted) else { return Ok(Known::Never) };
        let rule = rule(&self.options.history);
        let line = self.foundation.repository.first_parents(head, SPACING as usize)?;
        for commit in &line.commits {
            if let Some(row) = ledger.calibration(commit, &rule)? {
                return Ok(Known::Row(*commit, row));
            }
        }
        Ok(if line.end == LineEnd::Limit { Known::NotYet } else { Known::Never })
    }

    /// Works out the threshold of the history of a view's commit, unless it is known. Called with a store that is up to date for the
    /// view, which it writes.
    ///
    /// # Errors
    ///
    /// Those of repository and store.
    pub(crate) fn calibrate(&self, at: &At) -> Result<(), Error> {
        let Some(head) = self.revision(at)?.commit else { return Ok(()) };
        let known = self.known(&Ledger::open(&self.foundation.place, Access::Read)?, Some(head))?;
        if !matches!(known, Known::NotYet) {
            return Ok(());
        }
        let Some(anchor) = self.foundation.repository.anchor(head, SPACING)? else { return Ok(()) };
        let snapshot = self.snapshot(at)?;
        let row = calibrated(&snapshot, anchor)?;
        drop(snapshot);
        let Ok(_lock) = icr_store::WriterLock::try_acquire(self.foundation.place.directory()) else { return Ok(()) };
        let rule = rule(&self.options.history);
        Ok(Ledger::open(&self.foundation.place, Access::Write)?
            .write(|ledger| ledger.calibrate(&anchor, &rule, &row))?)
    }
}

/// A digest of all that shapes a calibration besides the history.
pub(crate) fn rule(options: &HistoryOptions) -> Recipe {
    let HistoryOptions { cochange_commits, cochange_files_most, false_alarm_rate, .. } = options;
    let mut builder = RecipeBuilder::default()
        .with("commits", &(*cochange_commits as u64).to_le_bytes())
        .with("files of a commit", &(*cochange_files_most as u64).to_le_bytes())
        .with("false alarms", &false_alarm_rate.to_le_bytes());
    builder = builder.with("code", env!("ICR_CALIBRATION_CODE").as_bytes());
    for weights in [SHIPPED, SHIPPED_WARNING] {
        builder = builder.with("intercept", &weights.intercept.to_le_bytes());
        for weight in weights.by_feature {
            builder = builder.with("weight", &weight.to_le_bytes());
        }
    }
    builder.build()
}

/// The weights of a row: those that icr ships with, where the log of the odds is scaled and shifted.
pub(crate) fn weights_of(row: &CalibrationRow) -> Weights {
    Weights {
        intercept: SHIPPED.intercept * row.scale + row.shift,
        by_feature: SHIPPED.by_feature.map(|weight| weight * row.scale),
    }
}

/// What the history of `anchor` says. A function of that commit alone; `snapshot` only gives numbers to paths. Imports and references
/// need a view of each past commit and are absent: warnings give them no weight, so that their probabilities are the same here. Words
/// of changed lines are read from git's objects, about a second more.
fn calibrated(snapshot: &Snapshot, anchor: CommitId) -> Result<CalibrationRow, Error> {
    let rules = &snapshot.engine.options.history;
    let past = Past::read(snapshot, Some(anchor))?;
    let mut paths = BTreeSet::new();
    let tree = snapshot.engine.foundation.repository.resolve(&anchor.to_string())?.tree;
    snapshot.engine.foundation.repository.files(tree, &mut |file| {
        paths.insert(file.path);
    })?;
    let places = Places::new(&paths);
    // What live answers see of words belongs into the scores that the threshold is taken from.
    let mut past_words = PastWords::read(snapshot, tree)?;
    let mut names = Names::new(snapshot, &past.history);
    let mut replayed: Vec<Replayed> = Vec::new();
    let commits = &past.history.commits;
    for at in 0..commits.len() {
        if replayed.len() == COMMITS || commits.len() - at - 1 < TRAINING {
            break;
        }
        let Some(files) = complete(&commits[at], &mut names)? else { continue };
        let before = rules.association(&commits[at + 1..]);
        let known: Vec<(PathNo, RepoPath)> =
            files.into_iter().filter(|(number, _)| before.commits_of(*number) > 0).collect();
        if known.len() < 2 {
            continue;
        }
        let words = words_of(&mut past_words, past.history.origins[at].id, &known)?;
        let change = PastChange { before: &before, known: &known, now: commits[at + 1].author_time, words };
        let mut ask = |left_out: Option<usize>| asked(&change, left_out, &places, &paths, &mut names, &mut past_words);
        // Which file is left out must not depend on the alphabet; the number of the commit is as good as any.
        let left_out = at % known.len();
        replayed.push(Replayed { complete: ask(None)?, one_missing: Some(ask(Some(left_out))?) });
    }
    Ok(judged(&replayed, rules.false_alarm_rate))
}

/// The tree before a commit, and the words of the lines that it changed in each of `known`; `None` for one without a parent.
fn words_of(
    past_words: &mut PastWords<'_>,
    commit: CommitId,
    known: &[(PathNo, RepoPath)],
) -> Result<Option<(TreeId, Vec<ChangedWords>)>, Error> {
    let Some(trees) = past_words.trees_of(commit)? else { return Ok(None) };
    let words = known.iter().map(|(_, path)| past_words.changed(trees, path)).collect::<Result<_, _>>()?;
    Ok(Some((trees.before, words)))
}

/// The files of a commit that somebody may have completed, one of them source code; `None` for others.
fn complete(commit: &CommitChanges, names: &mut Names<'_>) -> Result<Option<Vec<(PathNo, RepoPath)>>, Error> {
    if !(2..=icr_history::FILES_OF_A_COMMIT).contains(&commit.changes.len()) {
        return Ok(None);
    }
    let mut files = Vec::new();
    for change in &commit.changes {
        let number = change.old_path.unwrap_or(change.path);
        files.push((number, names.get(number)?));
    }
    let is_code = |path: &RepoPath| {
        icr_lang::language_row(icr_lang::language_of(path)).is_some_and(icr_lang::LanguageRow::is_code)
    };
    Ok(files.iter().any(|(_, path)| is_code(path)).then_some(files))
}

/// Asks what belongs to the known files of a commit without the one left out.
fn asked(
    change: &PastChange<'_>,
    left_out: Option<usize>,
    places: &Places,
    there: &BTreeSet<RepoPath>,
    names: &mut Names<'_>,
    past_words: &mut PastWords<'_>,
) -> Result<Asked, Error> {
    let PastChange { before, known, now, words } = change;
    let mut files: Vec<&(PathNo, RepoPath)> =
        known.iter().enumerate().filter(|(at, _)| Some(*at) != left_out).map(|(_, file)| file).collect();
    files.sort_by(|one, other| one.1.cmp(&other.1));
    let wanted = left_out.map(|at| &known[at].1);
    let paths: Vec<&RepoPath> = files.iter().map(|(_, path)| path).collect();
    let numbers: Vec<Option<PathNo>> = files.iter().map(|(number, _)| Some(*number)).collect();
    let mut others = before.popular(POPULAR);
    for path in places.neighbours(&paths, NEIGHBOURS) {
        others.extend(names.number(&path)?);
    }
    let mut asked_words = ChangedWords::default();
    for (at, words) in words.iter().flat_map(|(_, words)| words.iter().enumerate()) {
        if Some(at) != left_out {
            asked_words.extend(words);
        }
    }
    // Those that no commit names yet have too little to warn about.
    for path in past_words.mentioning_most(&asked_words, &paths) {
        others.extend(names.number(&path)?);
    }
    let mut diff = Diff { files: paths.iter().map(|path| DiffFile::new((*path).clone())).collect(), ..Diff::default() };
    let histories = told(before, &numbers, &others, *now, &mut diff);
    let measure = Measure::new(&diff, places);
    let mut candidates: Vec<(Candidate, bool)> = Vec::new();
    for (number, history) in histories {
        let path = names.get(number)?;
        let label = wanted == Some(&path);
        if paths.contains(&&path) || !(there.contains(&path) || label) {
            continue;
        }
        candidates.push((Candidate { history: Some(history), ..Candidate::new(path) }, label));
    }
    if let Some((tree, _)) = words {
        let files: Vec<RepoPath> = candidates.iter().map(|(candidate, _)| candidate.path.clone()).collect();
        let mentioned = past_words.mentioned(*tree, &asked_words, &files)?;
        candidates.iter_mut().zip(mentioned).for_each(|((candidate, _), words)| candidate.words = words);
    }
    Ok(Asked {
        authored: candidates.iter().map(|(candidate, _)| unauthored(&candidate.path).is_none()).collect(),
        candidates: candidates.iter().map(|(candidate, label)| (measure.features(candidate), *label)).collect(),
    })
}

/// The row, with a threshold from which on at most the share `allowed` of complete commits is warned about, later ones too.
fn judged(replayed: &[Replayed], allowed: f64) -> CalibrationRow {
    let (scale, shift) = scaled(replayed);
    let row = CalibrationRow {
        threshold: None,
        false_alarms: 0.0,
        precision: None,
        recall: None,
        commits: replayed.len() as u32,
        scale,
        shift,
    };
    let ranked = |asked: &Asked| {
        let candidates = asked.candidates.iter().zip(&asked.authored).filter(|(_, authored)| **authored);
        let mut ranked: Vec<(f64, bool)> =
            candidates.map(|((features, label), _)| (probability(features, &SHIPPED_WARNING), *label)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        ranked.truncate(WARNINGS_MOST);
        ranked
    };
    let complete: Vec<f64> =
        replayed.iter().map(|commit| ranked(&commit.complete).first().map_or(0.0, |first| first.0)).collect();
    let allowed = alarms_most(complete.len(), allowed).filter(|_| complete.len() as u32 >= FEWEST);
    let Some(threshold) = allowed.and_then(|allowed| threshold(&complete, allowed)) else {
        return row;
    };
    let threshold = threshold.max(LEAST);
    let withheld = |asked: &Asked| {
        let ranked = ranked(asked);
        let mut tops = [0.0; WARNINGS_MOST];
        tops.iter_mut().zip(&ranked).for_each(|(top, (probability, _))| *top = *probability);
        Withheld { tops, place: ranked.iter().position(|(_, label)| *label) }
    };
    let missing: Vec<Withheld> =
        replayed.iter().filter_map(|commit| commit.one_missing.as_ref()).map(withheld).collect();
    let warned = warned(threshold, &complete, &missing);
    CalibrationRow {
        threshold: Some(threshold),
        false_alarms: warned.false_alarms,
        precision: warned.precision,
        recall: (!missing.is_empty()).then_some(warned.recall),
        ..row
    }
}

/// By how much the log of the odds is off in this repository: a factor and an addend, fitted on the older half of what was replayed
/// and kept only if they describe the newer half better.
fn scaled(replayed: &[Replayed]) -> (f64, f64) {
    let cases = |commits: &[Replayed]| -> Vec<(f64, bool)> {
        let asked = commits.iter().filter_map(|commit| commit.one_missing.as_ref());
        let logit = |features: &Features| {
            let probability = probability(features, &SHIPPED).clamp(1e-9, 1.0 - 1e-9);
            (probability / (1.0 - probability)).ln()
        };
        asked.flat_map(|asked| asked.candidates.iter().map(|(features, label)| (logit(features), *label))).collect()
    };
    let (newer, older) = replayed.split_at(replayed.len() / 2);
    let (newer, older) = (cases(newer), cases(older));
    if older.iter().filter(|(_, label)| *label).count() < FEWEST as usize / 2 || newer.is_empty() {
        return (1.0, 0.0);
    }
    let (scale, shift) = platt(&older);
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
fn platt(cases: &[(f64, bool)]) -> (f64, f64) {
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
