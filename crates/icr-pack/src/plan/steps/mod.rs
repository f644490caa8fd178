//! The steps of a plan, for whoever carries them out.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::{Error, in_bounds};

use super::expansion::ExpansionLimits;
use super::references::from_step;
use super::sub_queries::{SubQuery, decompose, verbatim};

/// Longest task, in characters.
const TASK_CHARACTERS_MOST: usize = 5_000;

/// What one expansion may do at most, whatever a caller asks for.
pub(super) const STEPS_MOST: u32 = 12;
pub(super) const PEEK_LINES_MOST: u32 = 1_200;
pub(super) const CANDIDATES_MOST: u32 = 50;

/// Most lines of one peek.
const PEEK_LINES_EACH: u32 = 400;

/// Peeks among the steps: one for every two searches.
const SEARCHES_PER_PEEK: usize = 2;

/// Model tokens of a search result: path, symbol, lines, score and a preview of two lines.
const RESULT_TOKENS: u32 = 60;

/// Model tokens of a line of code: 14.2 on average over this project's own source.
const LINE_TOKENS: u32 = 14;

/// Lines of a typical result; peeks are of one result each.
const RESULT_LINES: u32 = 40;

/// Time of a hybrid search and of a read, as targets at the median.
const SEARCH_MS: u32 = 70;
const PEEK_MS: u32 = 10;

/// What a plan is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanRequest<'a> {
    /// 1 to 5,000 characters.
    pub task: &'a str,
    /// Where to search.
    pub scope: Scope,
    /// What it may cost.
    pub budget: PlanBudget,
}

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
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

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Contracts => "contracts",
            Self::Diffs => "diffs",
            Self::All => "all",
        }
    }
}

/// What a plan may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PlanBudget {
    /// Steps, 1 to 12.
    pub max_steps: u32,
    /// Lines of all peeks together, 1 to 1,200.
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
    pub fn within(self, limits: ExpansionLimits) -> Self {
        Self {
            max_steps: self.max_steps.min(limits.max_steps),
            max_peek_lines: self.max_peek_lines.min(limits.max_peek_lines),
            max_candidates: self.max_candidates.min(limits.max_candidates),
        }
    }
}

/// Steps that answer a task.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Plan {
    /// In order; a step may take values from answers of those before it.
    pub steps: Vec<PlanStep>,
    /// Model tokens of all answers, roughly.
    pub estimated_tokens: u32,
    /// Time of all steps one after another, roughly, in milliseconds.
    pub estimated_time_ms: u32,
    /// What it may cost, after bounds.
    pub budget: PlanBudget,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlanStep {
    /// From 1.
    pub step: usize,
    /// Name of the tool.
    pub action: &'static str,
    /// Its parameters. `{"$from": "steps[1].results[0].path"}` stands for a value of an earlier answer, see
    /// [`super::resolve_params`].
    pub params: Map<String, Value>,
    /// Why.
    pub rationale: String,
}

/// A plan for `request`: searches by [`decompose`], for the task as it is where that finds no words in it, reads of what the first
/// of them find best, and for three searches or more the list of all files found. The same request has the same plan.
///
/// # Errors
///
/// [`Error::Invalid`] when the task has no letter or digit or is too long, or a bound of the budget is out of bounds.
pub fn plan(request: &PlanRequest<'_>) -> Result<Plan, Error> {
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
    let shares = Shares::of(queries.len(), &budget);
    let mut steps: Vec<PlanStep> = Vec::new();
    for query in &queries[..shares.searches] {
        steps.push(search(steps.len() + 1, query, request.scope, shares.results_each));
    }
    for searched in 1..=shares.peeks {
        steps.push(peek(steps.len() + 1, searched, shares.lines_each));
    }
    if shares.lists_files {
        steps.push(list_files(steps.len() + 1, shares.searches));
    }
    let (searches, peeks) =
        (u32::try_from(shares.searches).unwrap_or(STEPS_MOST), u32::try_from(shares.peeks).unwrap_or(STEPS_MOST));
    Ok(Plan {
        steps,
        estimated_tokens: searches * shares.results_each * RESULT_TOKENS
            + peeks * shares.lines_each.min(RESULT_LINES) * LINE_TOKENS,
        estimated_time_ms: searches * SEARCH_MS + peeks * PEEK_MS,
        budget,
    })
}

/// How the budget is spent.
struct Shares {
    searches: usize,
    peeks: usize,
    lists_files: bool,
    /// Results of each search; 1 at least.
    results_each: u32,
    /// Lines of each peek; 1 at least.
    lines_each: u32,
}

impl Shares {
    fn of(queries: usize, budget: &PlanBudget) -> Self {
        let steps = budget.max_steps as usize;
        let lists_files = queries >= 3 && steps >= 4;
        let room = steps - usize::from(lists_files);
        // Every search finds one result at least, so that there are no more of them than results.
        let most = queries.min(budget.max_candidates as usize);
        let searches = most.min((room * SEARCHES_PER_PEEK).div_ceil(SEARCHES_PER_PEEK + 1)).max(1);
        let peeks = (room - searches).min(searches.div_ceil(SEARCHES_PER_PEEK)).min(budget.max_peek_lines as usize);
        let each = |total: u32, count: usize| total / u32::try_from(count.max(1)).unwrap_or(total);
        Self {
            searches,
            peeks,
            lists_files: lists_files && searches >= 2,
            results_each: each(budget.max_candidates, searches).max(1),
            lines_each: each(budget.max_peek_lines, peeks).clamp(1, PEEK_LINES_EACH),
        }
    }
}

fn search(step: usize, query: &SubQuery, scope: Scope, limit: u32) -> PlanStep {
    let scope = if query.template.is_contract && scope == Scope::Repo { Scope::Contracts } else { scope };
    PlanStep {
        step,
        action: "env_search",
        params: object(json!({"query": query.query, "scope": scope.name(), "limit": limit})),
        rationale: format!("{} of `{}`: {}", query.template.name, query.about, query.template.finds),
    }
}

fn peek(step: usize, searched: usize, max_lines: u32) -> PlanStep {
    let field = |name: &str| from_step(searched, &format!("results[0].{name}"));
    PlanStep {
        step,
        action: "env_peek",
        params: object(json!({
            "path": field("path"),
            "start_line": field("start_line"),
            "end_line": field("end_line"),
            "max_lines": max_lines,
        })),
        rationale: format!("read the best result of step {searched}"),
    }
}

fn list_files(step: usize, searches: usize) -> PlanStep {
    let inputs: Vec<Value> = (1..=searches).map(|searched| from_step(searched, "results[*].path")).collect();
    PlanStep {
        step,
        action: "env_aggregate",
        params: object(json!({"op": "count", "inputs": inputs, "params": {}, "limit": CANDIDATES_MOST})),
        rationale: "list the files found, those found most often first".to_owned(),
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
