//! Questions that are answered with code, names and places.

use std::sync::Arc;
use std::time::Duration;

use icr_engine::{
    ContextRequest, GrepRequest, MapNode, MapRequest, MapSummary, PackBudgets, PackMode, PackRequest, ReadRequest,
    SearchMode, SearchRequest, SearchScope, SymbolRequest,
};
use icr_serve::{CallFailure, ServedRepository};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use crate::answer::JsonAnswer;

/// Seconds in a day.
const DAY: u64 = 86_400;

#[derive(Deserialize, JsonSchema)]
pub(super) struct SearchInput {
    /// Words
    #[schemars(length(min = 1, max = 10_000))]
    query: String,
    #[serde(default)]
    mode: CodeSearchMode,
    #[serde(default)]
    scope: CodeSearchScope,
    /// Only files in this language
    #[schemars(length(min = 1, max = 50))]
    language: Option<String>,
    /// Only files below this path
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    /// What you work on: files below these paths count a little more
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(min = 1, max = 4096)))]
    focus: Vec<String>,
    /// Only changes of this many days before the view's commit
    #[schemars(range(min = 1, max = 3650))]
    since_days: Option<u32>,
    /// Most results; by default, `retrieval.final_results` of the configuration
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    /// Show the parts of each score
    #[serde(default)]
    explain: bool,
}

/// Ways of searching.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CodeSearchMode {
    #[default]
    Hybrid,
    Lexical,
    Semantic,
}

/// Places to search.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CodeSearchScope {
    #[default]
    Repo,
    Diffs,
    Contracts,
    Transcript,
    All,
}

/// Most results: as asked, else as configured for the repository.
fn results_limit(limit: Option<u32>, repository: &ServedRepository) -> usize {
    limit.map_or(repository.configuration().final_results, |limit| limit as usize)
}

pub(super) fn search(asked: &QuestionContext<'_>, input: SearchInput) -> Result<JsonAnswer, CallFailure> {
    let scope = match input.scope {
        CodeSearchScope::Repo => SearchScope::Repo,
        CodeSearchScope::Diffs => SearchScope::Diffs,
        CodeSearchScope::Contracts => SearchScope::Contracts,
        CodeSearchScope::Transcript => SearchScope::Transcript,
        CodeSearchScope::All => SearchScope::All,
    };
    let repository = asked.repository()?;
    let read = || Arc::new(repository.configuration().transcripts.read(&asked.deadline));
    let request = SearchRequest {
        query: input.query,
        limit: results_limit(input.limit, &repository),
        language: input.language,
        path_prefix: input.path,
        mode: match input.mode {
            CodeSearchMode::Hybrid => SearchMode::Hybrid,
            CodeSearchMode::Lexical => SearchMode::Lexical,
            CodeSearchMode::Semantic => SearchMode::Semantic,
        },
        scope,
        focus: input.focus,
        pinned: Vec::new(),
        time_window: input.since_days.map(|days| Duration::from_secs(u64::from(days) * DAY)),
        transcripts: scope.has_transcripts().then(read),
    };
    let now = asked.now_ms().to_moment();
    let (mut found, provenance) = asked.ask(|snapshot| icr_engine::search_with_pins(snapshot, &request, now))?;
    if !input.explain {
        found.results.iter_mut().for_each(|hit| hit.explanation.clear());
    }
    Ok(JsonAnswer::of(&found)?.from(&provenance, &found.gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GrepInput {
    /// A text, or a pattern if `regex` is set
    #[schemars(length(min = 1, max = 10_000))]
    query: String,
    #[serde(default)]
    regex: bool,
    /// Ignore case even if the query has a capital letter
    #[serde(default)]
    ignore_case: bool,
    /// Only files in this language
    #[schemars(length(min = 1, max = 50))]
    language: Option<String>,
    /// Only files below this path
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    /// Most results; by default, `retrieval.final_results` of the configuration
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
}

pub(super) fn grep(asked: &QuestionContext<'_>, input: GrepInput) -> Result<JsonAnswer, CallFailure> {
    let request = GrepRequest {
        pattern: input.query,
        regex: input.regex,
        case_sensitive: input.ignore_case.then_some(false),
        limit: results_limit(input.limit, &*asked.repository()?),
        language: input.language,
        path_prefix: input.path,
    };
    let (found, provenance) = asked.ask(|snapshot| icr_engine::grep(snapshot, &request))?;
    Ok(JsonAnswer::of(&found)?.from(&provenance, &found.gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SymbolsInput {
    /// Name, part of one, or `Class.name`
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Only files in this language
    #[schemars(length(min = 1, max = 50))]
    language: Option<String>,
    /// Only files below this path
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    #[serde(default = "symbols_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn symbols_limit() -> u32 {
    30
}

pub(super) fn symbols(asked: &QuestionContext<'_>, input: SymbolsInput) -> Result<JsonAnswer, CallFailure> {
    let request = SymbolRequest {
        query: input.query,
        kinds: Vec::new(),
        languages: input.language.into_iter().collect(),
        path_prefix: input.path,
        limit: input.limit as usize,
    };
    let (found, provenance) = asked.ask(|snapshot| icr_engine::symbols(snapshot, &request))?;
    Ok(JsonAnswer::of(&found)?.from(&provenance, &found.gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReadInput {
    /// Path relative to the root
    #[schemars(length(min = 1, max = 4096))]
    path: String,
    /// First line
    #[schemars(range(min = 1, max = u32::MAX))]
    start: Option<u32>,
    /// Last line
    #[schemars(range(min = 1, max = u32::MAX))]
    end: Option<u32>,
}

pub(super) fn read(asked: &QuestionContext<'_>, input: ReadInput) -> Result<JsonAnswer, CallFailure> {
    let request = ReadRequest { path: input.path, start_line: input.start, end_line: input.end, max_lines: u32::MAX };
    let (excerpt, provenance) = asked.ask(|snapshot| icr_engine::read(snapshot, &request))?;
    Ok(JsonAnswer::of(&excerpt)?.from(&provenance, &[]).exact())
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct OutlineInput {
    /// Path relative to the root
    #[schemars(length(min = 1, max = 4096))]
    path: String,
}

pub(super) fn outline(asked: &QuestionContext<'_>, input: OutlineInput) -> Result<JsonAnswer, CallFailure> {
    let (outline, provenance) = asked.ask(|snapshot| icr_engine::outline(snapshot, &input.path))?;
    Ok(JsonAnswer::of(&outline)?.from(&provenance, &[]))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct MapInput {
    /// Only below this path
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    /// Levels to show
    #[serde(default = "map_depth")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
}

fn map_depth() -> u32 {
    3
}

/// The tree of files.
#[derive(Serialize, JsonSchema)]
pub(super) struct MapAnswer {
    /// The root, or the directory that was named.
    tree: MapNode,
    /// Totals of the tree.
    summary: MapSummary,
}

pub(super) fn map(asked: &QuestionContext<'_>, input: MapInput) -> Result<JsonAnswer, CallFailure> {
    let request = MapRequest { depth: input.depth as usize, path_prefix: input.path, ..MapRequest::default() };
    let ((tree, summary), provenance) = asked.ask(|snapshot| icr_engine::map(snapshot, &request))?;
    Ok(JsonAnswer::of(&MapAnswer { tree, summary })?.from(&provenance, &[]))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PackInput {
    /// The question, in words
    #[schemars(length(min = 1, max = 10_000))]
    query: String,
    /// Most model tokens of the pack, headings included; at most `pack.max_budget_tokens` of the configuration
    #[schemars(range(min = PackBudgets::LEAST, max = PackBudgets::MOST))]
    budget: Option<u32>,
    /// Files to choose lines from, besides pins
    #[serde(default = "pack_sources")]
    #[schemars(range(min = 1, max = 50))]
    sources: u32,
    /// Only files in this language
    #[schemars(length(min = 1, max = 50))]
    language: Option<String>,
    /// Only files below this path
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    /// Prefer files below these paths
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(min = 1, max = 4096)))]
    focus: Vec<String>,
    /// Only pinned files, which may then use the whole budget
    #[serde(default)]
    pinned_only: bool,
}

fn pack_sources() -> u32 {
    20
}

pub(super) fn pack(asked: &QuestionContext<'_>, input: PackInput) -> Result<JsonAnswer, CallFailure> {
    let repository = asked.repository()?;
    let opened = repository.configuration();
    let request = PackRequest {
        budget_tokens: opened.budgets.choose(input.budget)?,
        k: input.sources as usize,
        mode: PackMode::Auto,
        focus: input.focus,
        pinned_only: input.pinned_only,
        language: input.language,
        path_prefix: input.path,
        rules: opened.pack,
        ..PackRequest::new(input.query)
    };
    let now = asked.now_ms().to_moment();
    let (answer, provenance) = asked.ask(|snapshot| icr_engine::pack_with_pins(snapshot, &request, now))?;
    Ok(JsonAnswer::of(&answer)?.from(&provenance, &answer.gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ContextInput {
    /// What you want to do, in words
    #[schemars(length(min = 1, max = 10_000))]
    goal: String,
    /// Most model tokens of the text
    #[serde(default = "context_budget")]
    #[schemars(range(min = 50, max = 4000))]
    budget: u32,
}

fn context_budget() -> u32 {
    300
}

/// Questions that a map suggests.
const NEXT_STEPS: &str = "/api/search?query=… | /api/read?path=… | /api/pack?query=… | /api/impact";

pub(super) fn context(asked: &QuestionContext<'_>, input: ContextInput) -> Result<JsonAnswer, CallFailure> {
    let (answer, provenance) = asked.ask(|snapshot| {
        let scripts = icr_engine::project_commands(snapshot)?.scripts();
        let (goal, next_steps) = (input.goal.clone(), NEXT_STEPS);
        let request = ContextRequest { goal, scripts, next_steps, budget_tokens: input.budget };
        icr_engine::context(snapshot, &request)
    })?;
    Ok(JsonAnswer::of(&answer)?.from(&provenance, &answer.gaps))
}
