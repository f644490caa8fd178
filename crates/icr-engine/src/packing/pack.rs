//! From a question to a pack: search, decide whether that was enough, ask in other words if not, choose and lay out.

use crate::packing::expand::expand;
use crate::packing::hits::gather_hits;
use crate::packing::pins::pinned;
use std::time::{Duration, Instant};

use icr_model::Gap;
use icr_pack::{ExpansionLimits, GateRules, Gating, Mode, ModeUsed, SubQueryBonus, gate};

use super::answer::{PackAnswer, PackExpansion, PackMetadata, ThresholdSource};
use super::expand::Outcome;
use super::hits::{Hit, Hits, Reading, add_gaps};
use super::pins::Pin;
use crate::search::Words;
use crate::{Error, SearchRequest, Snapshot};

/// Longest question, in characters.
const PROMPT_CHARACTERS_MOST: usize = 10_000;

/// Most candidates that a pack is chosen from; also the most that the gate looks at.
const CONSIDERED: usize = 50;

/// Temperature of the softmax over the scores of files, mapped to `0.0..=1.0`. Of sixty questions about a repository of 92
/// files, 27 are then asked in other words: 12 of the 17 that the first search answers badly, and none that is a name. At 0.1,
/// which suits scores that fall evenly, no question would be.
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
    /// Most sources to choose from besides pins, 1 to 50.
    pub k: usize,
    /// Whether to ask in other words.
    pub mode: Mode,
    /// Paths that the asker works on, at most 100: what lies below them counts a little more.
    pub focus: Vec<String>,
    /// Only pins, which may then take the whole budget.
    pub pinned_only: bool,
    /// Only files in this language of the language table.
    pub language: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// What the user pinned, in any order.
    pub pins: Vec<Pin>,
    /// How it is decided.
    pub rules: PackRules,
}

impl PackRequest {
    /// `prompt` under the rules that ship: 4,000 tokens, 20 sources, the mode by the scores.
    pub fn new(prompt: impl Into<String>) -> Self {
        let defaults = icr_pack::PackRequest::default();
        Self {
            prompt: prompt.into(),
            budget_tokens: defaults.budget_tokens,
            k: defaults.k,
            mode: Mode::Auto,
            focus: Vec::new(),
            pinned_only: false,
            language: None,
            path_prefix: None,
            pins: Vec::new(),
            rules: PackRules::default(),
        }
    }
}

/// Numbers that a pack is decided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackRules {
    /// Entropy from which one search is not enough, in nats over 50 candidates; `None` for the repository's own threshold,
    /// or the one that ships.
    pub entropy_threshold: Option<f64>,
    /// Factor on the temperature of the softmax over scores.
    pub temperature_factor: f64,
    /// Best files that the gate looks at, 50 at most.
    pub gate_candidates: usize,
    /// Fewest chunks taken from each search; never fewer than twice as many as sources are asked for.
    pub initial_candidates: usize,
    /// Relevance against novelty: 1 is relevance alone.
    pub mmr_lambda: f64,
    /// Whether [`Mode::Auto`] may ask in other words.
    pub may_expand: bool,
    /// What asking in other words may cost.
    pub limits: ExpansionLimits,
    /// What being found in several other words adds.
    pub bonus: SubQueryBonus,
    /// Share of the budget that pins may take beside others, in `0.0..=1.0`.
    pub pin_share: f64,
    /// How much more a contract is worth than its score, 1 or more.
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
            may_expand: true,
            limits: ExpansionLimits::default(),
            bonus: SubQueryBonus::default(),
            pin_share: packing.pin_share,
            contract_factor: packing.contract_factor,
            time_limit: Duration::from_secs(8),
        }
    }
}

/// What is to be packed, and how it was found.
struct Gathered {
    hits: Vec<Hit>,
    words: Words,
    gating: Gating,
    expansion: Option<PackExpansion>,
    candidates_found: usize,
    searches: usize,
    warnings: Vec<String>,
    gaps: Vec<Gap>,
}

/// Code of the view that answers a question, verbatim and with citations, under a budget of model tokens.
///
/// One search finds chunks; where its scores do not tell enough of them apart, others are made in other words, as far
/// as the rules and the time allow. Of the best fifty, those are chosen that are worth most together. Running out of time
/// is no error: the pack is then that of the first search, and says so.
///
/// # Errors
///
/// [`Error::Bounds`] for a prompt, a number of sources or of focus paths out of bounds, or an unknown language; those of
/// reading the store.
pub fn pack(snapshot: &Snapshot, request: &PackRequest) -> Result<PackAnswer, Error> {
    let began = Instant::now();
    check(request)?;
    let (rules, threshold_source) = gate_rules(snapshot, &request.rules);
    let Gathered { hits, words, gating, expansion, candidates_found, searches, mut warnings, mut gaps } =
        match request.pinned_only {
            true => Gathered::nothing(gate(&request.prompt, &[], Mode::Pack, &rules)),
            false => gather(snapshot, request, &rules, began)?,
        };
    let (mut candidates, lost_pins) = pinned(snapshot, &request.pins)?;
    warnings.extend(lost_pins);
    let mut reading = Reading::of(snapshot, words);
    for hit in hits.iter().take(CONSIDERED) {
        candidates.extend(reading.candidate(hit)?);
    }
    let packing = icr_pack::PackRequest {
        budget_tokens: request.budget_tokens,
        k: request.k,
        lambda: request.rules.mmr_lambda,
        pinned_only: request.pinned_only,
        pin_share: request.rules.pin_share,
        contract_factor: request.rules.contract_factor,
    };
    let pack = icr_pack::pack(&packing, &candidates, &|one, other| reading.cosine(one, other));
    gaps.extend(reading.gaps());
    let metadata = PackMetadata {
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        tokens_used: pack.metadata.tokens_used,
        tokens_budget: pack.metadata.tokens_budget,
        tokens_remaining: pack.metadata.tokens_remaining,
        token_counter: pack.metadata.token_counter,
        sources_considered: pack.metadata.sources_considered,
        candidates_found,
        searches,
        threshold_source,
    };
    Ok(PackAnswer {
        gating,
        pack_content: pack.pack_content,
        sources: pack.sources,
        citations: pack.citations,
        omitted: pack.omitted,
        expansion,
        warnings,
        metadata,
        gaps,
    })
}

/// What the gate decides by, and where its threshold comes from.
fn gate_rules(snapshot: &Snapshot, rules: &PackRules) -> (GateRules, ThresholdSource) {
    let shipped = GateRules::default();
    let (threshold_nats, source) = match (rules.entropy_threshold, snapshot.engine.gate_threshold()) {
        (Some(configured), _) => (configured, ThresholdSource::Configured),
        (None, Some(calibrated)) => (calibrated, ThresholdSource::Calibrated),
        (None, None) => (shipped.threshold_nats, ThresholdSource::BuiltIn),
    };
    let temperature = GATE_TEMPERATURE * rules.temperature_factor;
    (GateRules { threshold_nats, temperature, ..shipped }, source)
}

fn gather(snapshot: &Snapshot, request: &PackRequest, rules: &GateRules, began: Instant) -> Result<Gathered, Error> {
    let search = search_of(request);
    let Hits { hits, file_scores, words, gaps } = gather_hits(snapshot, &search, search.limit)?;
    let mode = if request.mode == Mode::Auto && !request.rules.may_expand { Mode::Pack } else { request.mode };
    let gating = gate(&request.prompt, &gate_scores(&file_scores, request.rules.gate_candidates), mode, rules);
    let candidates_found = hits.len();
    let mut gathered = Gathered { hits, words, candidates_found, searches: 1, gaps, ..Gathered::nothing(gating) };
    if gating.mode_used == ModeUsed::Pack {
        return Ok(gathered);
    }
    // Too long a time limit for the clock is none.
    let deadline = began.checked_add(request.rules.time_limit);
    match expand(snapshot, &search, &gathered.hits, &request.rules, deadline)? {
        Outcome::Done { hits, expansion, gaps } => {
            gathered.searches += expansion.searches.len();
            gathered.candidates_found = hits.len();
            gathered.hits = hits;
            gathered.expansion = Some(expansion);
            add_gaps(&mut gathered.gaps, gaps);
        }
        Outcome::TimedOut { searches } => {
            // What was found so far depends on the clock; what the first search found does not.
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

impl Gathered {
    fn nothing(gating: Gating) -> Self {
        Self {
            hits: Vec::new(),
            words: Words::default(),
            gating,
            expansion: None,
            candidates_found: 0,
            searches: 0,
            warnings: Vec::new(),
            gaps: Vec::new(),
        }
    }
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

/// The scores that the gate looks at: those of the best files. Chunks of one file do not compete with each other.
pub(super) fn gate_scores(file_scores: &[f64], candidates: usize) -> Vec<f64> {
    file_scores.iter().copied().take(candidates.min(CONSIDERED)).collect()
}

fn check(request: &PackRequest) -> Result<(), Error> {
    let in_bounds = |field, count: usize, least: usize, most: usize, unit: &str| match (least..=most).contains(&count) {
        true => Ok(()),
        false => {
            Err(Error::Bounds { field, allowed: format!("{least} to {most} {unit}"), value: format!("{count} {unit}") })
        }
    };
    in_bounds("the prompt", request.prompt.chars().count(), 1, PROMPT_CHARACTERS_MOST, "characters")?;
    in_bounds("the number of sources", request.k, 1, CONSIDERED, "sources")?;
    in_bounds("the focus", request.focus.len(), 0, FOCUS_MOST, "paths")
}
