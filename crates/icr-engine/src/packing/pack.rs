//! Makes a pack for a question: search, decide whether one search is enough, otherwise search with reworded questions,
//! then choose and lay out.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use icr_model::{BlobNo, Gap, LineSpan, RepoPath};
use icr_pack::{ExpansionLimits, GateReason, GateRules, Gating, ModeUsed, PackMode, SubQueryBonus, gate};
use icr_rank::Strength;
use icr_tokens::model_tokens;

use super::answer::{PackAnswer, PackExpansion, PackMetadata, ThresholdSource};
use super::calibration::GateThresholds;
use super::candidates::CandidateReader;
use super::expand::{ExpansionOutcome, expand};
use super::notes::with_notes;
use super::pins::Pin;
use super::uses::uses;
use crate::files::{PathScope, check_part};
use crate::search::{
    FoundFile, QuestionTerms, RankedFiles, definition_asked_for, definition_lines, is_written_in, rank_files,
};
use crate::{Error, SearchRequest, Snapshot};

/// Longest question, in characters.
const PROMPT_CHARACTERS_MOST: usize = 10_000;

/// Most files that the lines of a pack are chosen from; also the most that the gate looks at.
const CONSIDERED: usize = 50;

/// Files whose lines are chosen from when a request does not say how many.
const FILES: usize = 20;

/// Temperature of the softmax over the scores of files, mapped to `0.0..=1.0`. With it, 27 of sixty questions about a
/// repository of 92 files are reworded: 12 of the 17 that the first search answers badly, and none that is a name. At
/// 0.1, which suits evenly falling scores, none would be.
pub(super) const GATE_TEMPERATURE: f64 = 0.2;

/// Most paths to focus on.
const FOCUS_MOST: usize = 100;

/// A question for code under a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct PackRequest {
    /// 1 to 10,000 characters.
    pub prompt: String,
    /// Most model tokens of the pack.
    pub budget_tokens: u32,
    /// Most files whose lines are chosen from besides pins, 1 to 50.
    pub k: usize,
    /// Whether to search with reworded questions.
    pub mode: PackMode,
    /// Paths that the asker works on, at most 100: what lies below them counts a little more.
    pub focus: Vec<String>,
    /// Include only pins, which may then take the whole budget; the search still ranks their lines.
    pub pinned_only: bool,
    /// Only files in this language of the language table.
    pub language: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// What the user pinned, in any order.
    pub pins: Vec<Pin>,
    /// Rules for making the pack.
    pub rules: PackRules,
}

impl PackRequest {
    /// `prompt` with the default rules: 4,000 tokens, lines of 20 files, and the scores decide about further searches.
    pub fn new(prompt: impl Into<String>) -> Self {
        let defaults = icr_pack::PackRequest::default();
        Self {
            prompt: prompt.into(),
            budget_tokens: defaults.budget_tokens,
            k: FILES,
            mode: PackMode::Auto,
            focus: Vec::new(),
            pinned_only: false,
            language: None,
            path_prefix: None,
            pins: Vec::new(),
            rules: PackRules::default(),
        }
    }
}

/// Parameters for making a pack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackRules {
    /// Entropy from which one search is not enough, in nats over 50 candidates; `None` for the repository's own
    /// threshold, or else the shipped one.
    pub entropy_threshold: Option<f64>,
    /// Factor on the temperature of the softmax over scores.
    pub temperature_factor: f64,
    /// Best files that the gate looks at, 50 at most.
    pub gate_candidates: usize,
    /// Fewest files taken from each search; never fewer than twice as many as are chosen from.
    pub initial_candidates: usize,
    /// Relevance against novelty: 1 is relevance alone.
    pub mmr_lambda: f64,
    /// Whether [`PackMode::Auto`] may search with reworded questions. Off by default: on 40 public questions whose answers
    /// are lines, a pack of 4,000 tokens contains 0.86 of these after one search and 0.80 after several.
    pub may_expand: bool,
    /// The budget of an expansion.
    pub limits: ExpansionLimits,
    /// Bonus for a file that several reworded questions find.
    pub bonus: SubQueryBonus,
    /// Share of the budget that pins may take beside others, in `0.0..=1.0`.
    pub pin_share: f64,
    /// Factor for lines that declare a contract, 1 or more.
    pub contract_factor: f64,
    /// Time after which no further search is begun.
    pub time_limit: Duration,
}

impl Default for PackRules {
    fn default() -> Self {
        let packing = icr_pack::PackRequest::default();
        Self {
            entropy_threshold: None,
            temperature_factor: 1.0,
            gate_candidates: CONSIDERED,
            initial_candidates: 100,
            mmr_lambda: packing.lambda,
            may_expand: false,
            limits: ExpansionLimits::default(),
            bonus: SubQueryBonus::default(),
            pin_share: packing.pin_share,
            contract_factor: packing.contract_factor,
            time_limit: Duration::from_secs(8),
        }
    }
}

/// The input of a pack, and how it was found.
struct PackMaterial {
    /// Best first.
    files: Vec<FoundFile>,
    words: QuestionTerms,
    strength: Strength,
    gating: Gating,
    expansion: Option<PackExpansion>,
    candidates_found: usize,
    searches: usize,
    warnings: Vec<String>,
    gaps: Vec<Gap>,
}

/// Code of the view that answers a question, verbatim and with citations, under a budget of model tokens.
///
/// One search finds files. If its scores do not separate them clearly enough, reworded questions are searched too, as
/// far as rules and time allow. The most relevant lines of the best files are chosen; the best places of the first
/// files are always included. At most two memories about files of the pack follow the code. Running out of time is no
/// error: the pack is then made from the first search, and says so.
///
/// Cost: a search, and the texts and facts of as many files as are chosen from.
///
/// # Errors
///
/// [`Error::Bounds`] for a prompt, a number of files or of focus paths out of bounds, or an unknown language;
/// [`Error::NoSuchFile`] for a path that the view does not have; those of reading the store.
pub fn pack(snapshot: &Snapshot, request: &PackRequest) -> Result<PackAnswer, Error> {
    let began = Instant::now();
    check(request)?;
    let (rules, threshold_source) = gate_rules(snapshot, &request.rules);
    let PackMaterial {
        mut files,
        words,
        mut strength,
        gating,
        expansion,
        candidates_found,
        searches,
        mut warnings,
        mut gaps,
    } = gather(snapshot, request, &rules, began)?;
    if request.pinned_only {
        // The question decides which lines of pinned files are shown.
        files.clear();
        if request.pins.is_empty() {
            warnings.push("nothing is pinned in this repository".to_owned());
        }
    }
    only_once(&mut files);
    let definition = definition_first(snapshot, request, &mut files)?;
    if definition.is_some() {
        strength = Strength::Strong;
    } else if strength == Strength::Strong && !definition_asked_for(&request.prompt).is_empty() {
        let paths: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
        strength = if is_written_in(snapshot, &request.prompt, &paths)? { strength } else { Strength::Weak };
    }
    files.truncate(strength.shown_count(request.k));
    warnings.extend(unknown_focus(snapshot, &request.focus)?);
    let mut reading = CandidateReader::of(snapshot, &request.prompt, words, definition);
    reading.read_files(&files)?;
    warnings.extend(reading.read_pins(&request.pins)?);
    let (mut candidates, unread) = reading.candidates();
    gaps.extend(unread);
    if strength == Strength::None {
        // If nothing answers the question, only the places of the nearest results are shown.
        candidates.retain(|candidate| candidate.is_pinned() || candidate.lead.is_some());
    }
    let uses = match request.pinned_only {
        true => None,
        false => uses(snapshot, &request.prompt, request.budget_tokens)?,
    };
    // With the line end before it.
    let uses_tokens = uses.as_ref().map_or(0, |uses| model_tokens(uses.as_bytes()) + 1);
    let packing = icr_pack::PackRequest {
        budget_tokens: request.budget_tokens - uses_tokens,
        lambda: request.rules.mmr_lambda,
        strength: if request.pinned_only { Strength::Strong } else { strength },
        pinned_only: request.pinned_only,
        pin_share: request.rules.pin_share,
        contract_factor: request.rules.contract_factor,
    };
    let pack = icr_pack::pack(&packing, &candidates);
    let (pack, notes) = match request.pinned_only || strength == Strength::None {
        true => (pack, Vec::new()),
        false => with_notes(snapshot, &packing, &candidates, pack),
    };
    let pack_content = match uses {
        Some(uses) => format!("{}\n{uses}", pack.pack_content),
        None => pack.pack_content,
    };
    let tokens_used = match uses_tokens {
        0 => pack.metadata.tokens_used,
        _ => model_tokens(pack_content.as_bytes()),
    };
    let metadata = PackMetadata {
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        tokens_used,
        tokens_budget: request.budget_tokens,
        tokens_remaining: request.budget_tokens.saturating_sub(tokens_used),
        token_counter: pack.metadata.token_counter,
        sources_considered: pack.metadata.sources_considered,
        candidates_found,
        searches,
        threshold_source,
    };
    Ok(PackAnswer {
        gating,
        strength,
        pack_content,
        sources: pack.sources,
        citations: pack.citations,
        omitted: pack.omitted,
        notes,
        expansion,
        warnings,
        metadata,
        gaps,
    })
}

/// The rules of the gate, and where its threshold comes from.
fn gate_rules(snapshot: &Snapshot, rules: &PackRules) -> (GateRules, ThresholdSource) {
    let shipped = GateRules::default();
    let (threshold_nats, source) = match (rules.entropy_threshold, GateThresholds::of(&snapshot.context).current()) {
        (Some(configured), _) => (configured, ThresholdSource::Configured),
        (None, Some(calibrated)) => (calibrated, ThresholdSource::Calibrated),
        (None, None) => (shipped.threshold_nats, ThresholdSource::BuiltIn),
    };
    let temperature = GATE_TEMPERATURE * rules.temperature_factor;
    (GateRules { threshold_nats, temperature, ..shipped }, source)
}

fn gather(
    snapshot: &Snapshot,
    request: &PackRequest,
    rules: &GateRules,
    began: Instant,
) -> Result<PackMaterial, Error> {
    let search = search_of(request);
    let RankedFiles { mut files, words, strength, gaps, .. } = rank_files(snapshot, &search)?;
    if files.is_empty() {
        check_part(snapshot, &PathScope::of(request.path_prefix.as_deref()))?;
    }
    files.truncate(search.limit);
    let is_fixed = request.mode == PackMode::Auto && (!request.rules.may_expand || request.pinned_only);
    let mode = if is_fixed { PackMode::Pack } else { request.mode };
    let mut gating = gate(&request.prompt, &gate_scores(&files, request.rules.gate_candidates), mode, rules);
    if is_fixed {
        gating.gating_reason = GateReason::ExpansionOff;
    }
    let candidates_found = files.len();
    let mut gathered = PackMaterial {
        files,
        words,
        strength,
        gating,
        expansion: None,
        candidates_found,
        searches: 1,
        warnings: Vec::new(),
        gaps,
    };
    if gating.mode_used == ModeUsed::Pack {
        return Ok(gathered);
    }
    // A time limit beyond the range of the clock is no limit.
    let deadline = began.checked_add(request.rules.time_limit);
    match expand(snapshot, &search, &gathered.files, &request.rules, deadline)? {
        ExpansionOutcome::Done { files, expansion, gaps } => {
            gathered.searches += expansion.searches.len();
            gathered.candidates_found = files.len();
            gathered.files = files;
            gathered.expansion = Some(expansion);
            add_gaps(&mut gathered.gaps, gaps);
        }
        ExpansionOutcome::TimedOut { searches } => {
            // Only the results of the first search are used, because the others depend on the clock.
            gathered.gating.mode_used = ModeUsed::Pack;
            gathered.searches += searches;
            let (limit, word) =
                (request.rules.time_limit.as_millis(), if searches == 0 { "search" } else { "searches" });
            gathered.warnings.push(format!(
                "the time of {limit} ms was over after {} {word}: this is the pack of the first",
                gathered.searches
            ));
        }
    }
    Ok(gathered)
}

/// The file and the lines of the definition that the question is about, if it names one and the search found its file,
/// which becomes the first.
fn definition_first(
    snapshot: &Snapshot,
    request: &PackRequest,
    files: &mut [FoundFile],
) -> Result<Option<(BlobNo, LineSpan)>, Error> {
    for names in definition_asked_for(&request.prompt).iter().filter(|_| !request.pinned_only) {
        let Some((blob_no, lines)) = definition_lines(snapshot, &search_of(request), names)? else { continue };
        let Some(at) = files.iter().position(|file| file.blob_no == blob_no) else { continue };
        files[at].score = files.iter().map(|file| file.score).fold(0.0, f64::max);
        files[..=at].rotate_right(1);
        return Ok(Some((blob_no, lines)));
    }
    Ok(None)
}

/// Drops files whose content equals that of a better one.
fn only_once(files: &mut Vec<FoundFile>) {
    let mut known = HashSet::new();
    files.retain(|file| known.insert(file.blob_no));
}

/// A sentence for each path to focus on that the view does not have.
///
/// # Errors
///
/// Those of reading the store.
pub fn unknown_focus(snapshot: &Snapshot, focus: &[String]) -> Result<Vec<String>, Error> {
    let mut unknown = Vec::new();
    for path in focus {
        match check_part(snapshot, &PathScope::of(Some(path))) {
            Ok(()) => {}
            Err(error @ Error::NoSuchFile { .. }) => unknown.push(format!("nothing to focus on: {error}")),
            Err(error) => return Err(error),
        }
    }
    Ok(unknown)
}

/// The first search for a pack.
fn search_of(request: &PackRequest) -> SearchRequest {
    SearchRequest {
        query: request.prompt.clone(),
        limit: request.rules.initial_candidates.max(2 * request.k),
        language: request.language.clone(),
        path_prefix: request.path_prefix.clone(),
        focus: request.focus.clone(),
        ..SearchRequest::default()
    }
}

/// The scores for the gate: those of the best files, one for each. Chunks of one file do not compete with each other.
pub(super) fn gate_scores(files: &[FoundFile], candidates: usize) -> Vec<f64> {
    files.iter().map(|file| file.score).take(candidates.min(CONSIDERED)).collect()
}

/// Appends the items that are not in `all` yet.
pub(super) fn add_gaps(all: &mut Vec<Gap>, more: Vec<Gap>) {
    for gap in more {
        if !all.contains(&gap) {
            all.push(gap);
        }
    }
}

fn check(request: &PackRequest) -> Result<(), Error> {
    let in_bounds = |field, count: usize, least: usize, most: usize, unit: &str| match (least..=most).contains(&count) {
        true => Ok(()),
        false => {
            Err(Error::Bounds { field, allowed: format!("{least} to {most} {unit}"), value: format!("{count} {unit}") })
        }
    };
    in_bounds("the prompt", request.prompt.chars().count(), 1, PROMPT_CHARACTERS_MOST, "characters")?;
    in_bounds("the number of files", request.k, 1, CONSIDERED, "files")?;
    in_bounds("the focus", request.focus.len(), 0, FOCUS_MOST, "paths")
}
