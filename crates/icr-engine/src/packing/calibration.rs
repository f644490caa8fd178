//! Calibrates the repository's own threshold between one search and several, and stores it.

use crate::search::rank_files;
use std::path::PathBuf;

use icr_lexical::DefinitionPattern;
use icr_model::{Gap, RecipeBuilder, SymbolKind};
use icr_pack::{Calibration, CalibrationSource, GateRules, calibrate, easy_questions, entropy};
use icr_store::{StorePlace, read_small_file, replace_small_file};
use serde::{Deserialize, Serialize};

use super::answer::ThresholdSource;
use super::pack::{GATE_TEMPERATURE, PackRules, add_gaps, gate_scores};
use crate::snapshot_context::SnapshotContext;
use crate::{Error, Progress, SearchRequest, Snapshot};

/// Name of the file of thresholds in the directory of a store.
const FILE: &str = "gate.json";

/// Most bytes of that file: a threshold takes a few hundred.
const FILE_BYTES: u64 = 64 << 10;

/// Most thresholds in the file, newest last: one for each combination of rules, vectors and code.
const KEPT: usize = 16;

/// Most files whose definitions are used, spread evenly over the view: enough names for any number of questions.
const FILES: usize = 2_000;

/// Names examined for each question, because some have further definitions elsewhere.
const NAMES_FOR_A_QUESTION: usize = 4;

/// Most questions.
const QUESTIONS_MOST: usize = 1_000;

/// A threshold computed from questions that are known to be easy.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GateCalibration {
    /// The threshold and what it rests on.
    #[serde(flatten)]
    pub calibration: Calibration,
    /// The threshold that held before, in nats.
    pub entropy_threshold_before: f64,
    /// Where that came from.
    pub source_before: ThresholdSource,
    /// The questions, least decided last, then by name.
    pub easy_questions: Vec<EasyQuestion>,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A question for which one search should be enough: a name with a single definition.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EasyQuestion {
    /// The name.
    pub name: String,
    /// Normalised entropy of the scores of its search, `0.0..=1.0`.
    pub entropy_normalized: f64,
    /// Files that the search found, up to the number that the gate examines.
    pub candidates: usize,
}

/// Searches for the names of at most `limit` definitions (1 to 1,000), and computes the threshold below which three
/// quarters of these easy questions stay. Writes nothing: [`GateThresholds::keep`] does.
///
/// Cost: a search for each question, and the facts of at most 2,000 files.
///
/// # Errors
///
/// [`Error::Bounds`] for a limit out of bounds; those of reading the store.
pub fn calibrate_gate(snapshot: &Snapshot, limit: usize, progress: &dyn Progress) -> Result<GateCalibration, Error> {
    if !(1..=QUESTIONS_MOST).contains(&limit) {
        return Err(Error::Bounds {
            field: "the number of questions",
            allowed: format!("1 to {QUESTIONS_MOST}"),
            value: limit.to_string(),
        });
    }
    let shipped = GateRules::default();
    let rules = PackRules::default();
    let names = names_defined_once(snapshot, limit)?;
    progress.total(names.len() as u64);
    let mut gaps = Vec::new();
    let mut questions = Vec::new();
    for name in names {
        let search = SearchRequest { query: name.clone(), limit: rules.initial_candidates, ..SearchRequest::default() };
        let found = rank_files(snapshot, &search)?;
        add_gaps(&mut gaps, found.gaps);
        let entropy = entropy(&gate_scores(&found.files, rules.gate_candidates), GATE_TEMPERATURE);
        progress.count_file();
        if entropy.candidates > 0 {
            let (entropy_normalized, candidates) = (entropy.normalized, entropy.candidates);
            questions.push(EasyQuestion { name, entropy_normalized, candidates });
        }
    }
    questions.sort_by(|a, b| a.entropy_normalized.total_cmp(&b.entropy_normalized).then_with(|| a.name.cmp(&b.name)));
    let normalized: Vec<f64> = questions.iter().map(|question| question.entropy_normalized).collect();
    let kept = GateThresholds::of(&snapshot.context).current();
    Ok(GateCalibration {
        calibration: calibrate(&normalized, shipped.threshold_nats),
        entropy_threshold_before: kept.unwrap_or(shipped.threshold_nats),
        source_before: kept.map_or(ThresholdSource::BuiltIn, |_| ThresholdSource::Calibrated),
        easy_questions: questions,
        gaps,
    })
}

/// At most `limit` names of functions, types and their kind that the view defines once, spread evenly over the alphabet.
fn names_defined_once(snapshot: &Snapshot, limit: usize) -> Result<Vec<String>, Error> {
    let is_code = |language: &str| icr_lang::language_row(language).is_some_and(icr_lang::LanguageRow::is_code);
    let mut files = snapshot.view.files()?;
    files.retain(|file| is_code(icr_lang::language_of(&file.path)) && !icr_rank::is_test_path(&file.path));
    let step = files.len().div_ceil(FILES).max(1);
    let mut names: Vec<String> = Vec::new();
    for file in files.iter().step_by(step) {
        let facts = snapshot.facts(file.row.blob_no)?;
        let named = facts.symbols.iter().filter(|symbol| is_asked_for(symbol.kind));
        names.extend(named.map(|symbol| symbol.name.clone()));
    }
    let live_chunks = snapshot.view.live_chunks()?;
    let mut once: Vec<String> = Vec::new();
    for name in easy_questions(names.iter().map(String::as_str), limit * NAMES_FOR_A_QUESTION) {
        let definitions = live_chunks.definitions(&DefinitionPattern::Exact(name), 2)?;
        if definitions.iter().map(|definition| definition.chunks.len()).sum::<usize>() == 1 {
            once.push(name.to_owned());
        }
    }
    Ok(easy_questions(once.iter().map(String::as_str), limit).into_iter().map(str::to_owned).collect())
}

/// Whether people search for this kind of definition by name.
fn is_asked_for(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Function, Interface, Method, Struct, Trait, Type};
    matches!(kind, Class | Enum | Function | Interface | Method | Struct | Trait | Type)
}

/// Thresholds with the digests that they are valid for.
#[derive(Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
struct Thresholds {
    thresholds: Vec<Threshold>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
struct Threshold {
    /// Digest of the rules of membership and of all recipes.
    shape: String,
    /// Digests of the vector spaces in use; `none` without vectors.
    space: String,
    /// Digest of the code that searches and scores.
    rule: String,
    /// In nats over 50 candidates.
    entropy_threshold: f64,
    /// Questions that it rests on.
    questions: usize,
}

/// The thresholds of a repository: a small file of its store, which holds one for each combination of rules, vectors and
/// code.
pub struct GateThresholds<'a> {
    place: &'a StorePlace,
    /// Digests of shape, vector spaces and code.
    key: [String; 3],
}

impl<'a> GateThresholds<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, models, .. } = context;
        let built_in = models.built_in_spaces().map(|spaces| spaces.chunks.recipe);
        let behind = models.tier().ok().flatten().map(|tier| tier.space.recipe);
        let spaces: Vec<String> = built_in.into_iter().chain(behind).map(|recipe| recipe.to_string()).collect();
        let space = if spaces.is_empty() { "none".to_owned() } else { spaces.join(" ") };
        let rule = RecipeBuilder::default()
            .with("version", env!("CARGO_PKG_VERSION").as_bytes())
            .with("code", env!("ICR_GATE_CODE").as_bytes());
        Self { place: &foundation.place, key: [foundation.shape.digest().to_string(), space, rule.build().to_string()] }
    }

    /// Stores a threshold for this repository, these rules and recipes, and these vectors; [`crate::pack`] uses it if
    /// its request has none. A threshold from too few questions is not stored. Returns whether it was stored.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the directory of the store cannot be written.
    pub fn keep(&self, found: &GateCalibration) -> Result<bool, Error> {
        let Calibration { entropy_threshold, source, questions, .. } = found.calibration;
        if source == CalibrationSource::TooFewQuestions {
            return Ok(false);
        }
        let [shape, space, rule] = self.key.clone();
        let mut all = self.read_all();
        all.thresholds.retain(|other| [&other.shape, &other.space] != [&shape, &space]);
        all.thresholds.push(Threshold { shape, space, rule, entropy_threshold, questions });
        let from = all.thresholds.len().saturating_sub(KEPT);
        all.thresholds.drain(..from);
        let mut bytes = serde_json::to_vec_pretty(&all).expect("names and numbers are JSON");
        bytes.push(b'\n');
        let path = self.path();
        replace_small_file(&path, &bytes).map_err(|source| Error::Io {
            doing: "keeping the threshold in",
            path,
            source,
        })?;
        Ok(true)
    }

    /// The stored threshold, in nats; `None` if there is none for the present rules, vectors and code.
    pub(super) fn current(&self) -> Option<f64> {
        let all = self.read_all().thresholds;
        let own = all.into_iter().find(|one| [&one.shape, &one.space, &one.rule] == self.key.each_ref());
        own.map(|one| one.entropy_threshold).filter(|nats| nats.is_finite() && *nats >= 0.0)
    }

    /// The stored thresholds; empty if there is no file or it is unreadable, because they can be computed again.
    fn read_all(&self) -> Thresholds {
        let bytes = read_small_file(&self.path(), FILE_BYTES).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn path(&self) -> PathBuf {
        self.place.directory().join(FILE)
    }
}
