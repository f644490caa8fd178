//! The steps of a plan, for whoever carries them out.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::{Error, in_bounds};

use super::entities::is_name;
use super::expansion::ExpansionLimits;
use super::sub_queries::{SubQuery, decompose, verbatim};

/// Longest task, in characters.
const TASK_CHARACTERS_MOST: usize = 5_000;

/// Upper limits of one expansion, whatever a caller asks for.
pub(super) const STEPS_MOST: u32 = 12;
pub(super) const PEEK_LINES_MOST: u32 = 1_200;
pub(super) const CANDIDATES_MOST: u32 = 50;

/// Model tokens of a search result: path, symbol, lines, score and a preview of two lines.
const RESULT_TOKENS: u32 = 60;

/// Model tokens of a line of code: 14.2 on average over this project's own source.
const LINE_TOKENS: u32 = 14;

/// Model tokens of the pack at the end of a plan: the smallest pack, and the default size of a pack.
const PACK_TOKENS_LEAST: u32 = 512;
const PACK_TOKENS_MOST: u32 = 4_000;

/// Time of a search, and of a pack, as targets at the median.
const SEARCH_MS: u32 = 70;
const PACK_MS: u32 = 300;

/// The task of a plan, where to search, and the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanRequest<'a> {
    /// 1 to 5,000 characters.
    pub task: &'a str,
    /// Where to search.
    pub scope: PlanScope,
    /// The budget.
    pub budget: PlanBudget,
}

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanScope {
    /// Files of the view.
    #[default]
    Repo,
    /// Declarations of contracts.
    Contracts,
    /// Commits and uncommitted changes.
    Diffs,
    /// All of these.
    All,
}

impl PlanScope {
    fn name(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Contracts => "contracts",
            Self::Diffs => "diffs",
            Self::All => "all",
        }
    }
}

/// The budget of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PlanBudget {
    /// Steps, 1 to 12.
    pub max_steps: u32,
    /// Lines of code that are read, 1 to 1,200.
    pub max_peek_lines: u32,
    /// Search results, 1 to 100; 50 are used at most, the bound of an expansion.
    pub max_candidates: u32,
}

impl Default for PlanBudget {
    fn default() -> Self {
        Self { max_steps: 10, max_peek_lines: 1_000, max_candidates: 100 }
    }
}

impl PlanBudget {
    /// This much, and of nothing more than `limits` allow.
    #[must_use]
    pub fn limited_to(self, limits: ExpansionLimits) -> Self {
        Self {
            max_steps: self.max_steps.min(limits.max_steps),
            max_peek_lines: self.max_peek_lines.min(limits.max_peek_lines),
            max_candidates: self.max_candidates.min(limits.max_candidates),
        }
    }
}

/// Steps that answer a task.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SearchPlan {
    /// In any order: none waits for the answer of another.
    pub steps: Vec<PlanStep>,
    /// Model tokens of all answers, roughly.
    pub estimated_tokens: u32,
    /// Time of all steps one after another, roughly, in milliseconds.
    pub estimated_time_ms: u32,
    /// The budget, after limits.
    pub budget: PlanBudget,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlanStep {
    /// From 1.
    pub step: usize,
    /// Name of the tool.
    pub action: &'static str,
    /// Its parameters, as they are sent.
    pub params: Map<String, Value>,
    /// The reason for the step.
    pub rationale: String,
}

/// A plan for `request`, made with [`decompose`]: who uses the definitions that the task names, where these are
/// defined, and searches for the rest. If [`decompose`] finds no words, the plan searches for the task as it is. The
/// last step is a pack of the code that answers the task. The same request gives the same plan.
///
/// # Errors
///
/// [`Error::Invalid`] when the task has no letter or digit or is too long, or a bound of the budget is out of bounds.
pub fn plan(request: &PlanRequest<'_>) -> Result<SearchPlan, Error> {
    in_bounds("task", "characters", request.task.chars().count(), 1, TASK_CHARACTERS_MOST)?;
    let PlanBudget { max_steps, max_peek_lines, max_candidates } = request.budget;
    in_bounds("budget.max_steps", "", max_steps as usize, 1, STEPS_MOST as usize)?;
    in_bounds("budget.max_peek_lines", "", max_peek_lines as usize, 1, PEEK_LINES_MOST as usize)?;
    in_bounds("budget.max_candidates", "", max_candidates as usize, 1, 2 * CANDIDATES_MOST as usize)?;
    let budget = PlanBudget { max_candidates: max_candidates.min(CANDIDATES_MOST), ..request.budget };
    let mut queries = decompose(request.task);
    if queries.is_empty() {
        queries.extend(verbatim(request.task));
    }
    if queries.is_empty() {
        return Err(Error::invalid("task", "a task with words to search for", format!("`{}`", request.task)));
    }
    // What a contract promises and how something works are in the pack, unless the task asks for them.
    let says_more = |query: &SubQuery| !is_name(&query.about) || query.is_asked || query.template.is_about_uses();
    queries.retain(says_more);
    // Every search finds one result at least, so that there are no more of them than results.
    let has_pack = max_steps > 1;
    let room = (max_steps as usize - usize::from(has_pack)).min(budget.max_candidates as usize).max(1);
    queries.truncate(room);
    let searches = u32::try_from(queries.len()).unwrap_or(STEPS_MOST);
    let results_each = (budget.max_candidates / searches).max(1);
    let pack_tokens = (max_peek_lines * LINE_TOKENS).clamp(PACK_TOKENS_LEAST, PACK_TOKENS_MOST);
    let mut steps: Vec<PlanStep> = Vec::new();
    for query in &queries {
        steps.push(look_up(steps.len() + 1, query, request.scope, results_each));
    }
    if has_pack {
        steps.push(PlanStep {
            step: steps.len() + 1,
            action: "memory_pack",
            params: object(json!({"prompt": request.task, "budget_tokens": pack_tokens})),
            rationale: "read the code that answers the task".to_owned(),
        });
    }
    let pack = u32::from(has_pack);
    Ok(SearchPlan {
        steps,
        estimated_tokens: searches * results_each * RESULT_TOKENS + pack * pack_tokens,
        estimated_time_ms: searches * SEARCH_MS + pack * PACK_MS,
        budget,
    })
}

/// The step that a sub-query becomes: for a name the tool that knows names, else a search.
fn look_up(step: usize, query: &SubQuery, scope: PlanScope, limit: u32) -> PlanStep {
    let scope = if query.template.is_contract && scope == PlanScope::Repo { PlanScope::Contracts } else { scope };
    let knows_names = scope == PlanScope::Repo && is_name(&query.about);
    let (action, params) = match query.template.name {
        "usage" if knows_names => ("project_references", json!({"symbol": query.about, "limit": limit})),
        "definition" if knows_names => ("project_symbol_search", json!({"query": query.about, "limit": limit})),
        _ => ("env_search", json!({"query": query.query, "scope": scope.name(), "limit": limit})),
    };
    PlanStep {
        step,
        action,
        params: object(params),
        rationale: format!("{} of `{}`: {}", query.template.name, query.about, query.template.finds),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
