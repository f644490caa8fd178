//! `rlm_plan`: the calls that a task needs, in order.

use icr_engine::{ExpansionLimits, PlanBudget, PlanRequest, PlanScope, ViewSelector};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RlmPlanInput {
    #[schemars(length(min = 1, max = 5000))]
    task: String,
    scope: RlmPlanScope,
    budget: Option<Budget>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RlmPlanScope {
    Repo,
    Contracts,
    Diffs,
    All,
}

impl From<RlmPlanScope> for PlanScope {
    fn from(scope: RlmPlanScope) -> Self {
        match scope {
            RlmPlanScope::Repo => Self::Repo,
            RlmPlanScope::Contracts => Self::Contracts,
            RlmPlanScope::Diffs => Self::Diffs,
            RlmPlanScope::All => Self::All,
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Budget {
    #[schemars(range(min = 1, max = 12))]
    max_steps: Option<u32>,
    #[schemars(range(min = 1, max = 1200))]
    max_peek_lines: Option<u32>,
    #[schemars(range(min = 1, max = 100))]
    max_candidates: Option<u32>,
}

pub(crate) fn run(call: &CallContext<'_>, input: RlmPlanInput) -> Result<Reply, CallFailure> {
    let limits = limits(call)?;
    // Default values are not reported as reduced.
    let usual = PlanBudget::default().limited_to(limits);
    let given = input.budget.unwrap_or_default();
    let asked = PlanBudget {
        max_steps: given.max_steps.unwrap_or(usual.max_steps),
        max_peek_lines: given.max_peek_lines.unwrap_or(usual.max_peek_lines),
        max_candidates: given.max_candidates.unwrap_or(usual.max_candidates),
    };
    let request = PlanRequest { task: &input.task, scope: input.scope.into(), budget: asked.limited_to(limits) };
    let mut plan = icr_engine::plan(&request).map_err(icr_engine::Error::from)?;
    // The steps must use the same view as the plan.
    if let ViewSelector::Revision(rev) = &call.at {
        plan.steps.iter_mut().for_each(|step| drop(step.params.insert("rev".to_owned(), json!(rev))));
    }
    let used = plan.budget;
    let clamped: Vec<Value> = [
        ("max_steps", asked.max_steps, used.max_steps),
        ("max_peek_lines", asked.max_peek_lines, used.max_peek_lines),
        ("max_candidates", asked.max_candidates, used.max_candidates),
    ]
    .into_iter()
    .filter(|(_, asked, used)| asked != used)
    .map(|(name, asked, used)| json!({ "name": name, "asked": asked, "used": used }))
    .collect();
    Reply::of(&json!({ "plan": plan, "clamped": clamped }))
}

/// The limits from the repository's configuration. A plan needs no repository; without one the default limits apply.
fn limits(call: &CallContext<'_>) -> Result<ExpansionLimits, CallFailure> {
    match call.repository() {
        Ok(repository) => Ok(repository.configuration().pack.limits),
        Err(failure) if call.names_repository() => Err(failure),
        Err(_) => Ok(ExpansionLimits::default()),
    }
}
