//! `context_pack`: where to look for a goal.

use icr_engine::ContextRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ContextPackInput {
    #[schemars(length(min = 1, max = 10_000))]
    goal: String,
    #[serde(default = "budget_tokens")]
    #[schemars(range(min = 50, max = 4000))]
    budget_tokens: u32,
}

fn budget_tokens() -> u32 {
    300
}

/// Tools that a map suggests.
const NEXT_STEPS: &str = "env_search {query} | env_peek {path} | memory_pack {prompt} | impact_diff";

pub(crate) fn run(call: &CallContext<'_>, input: ContextPackInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    Reply::within_budget(call.settings, input.budget_tokens, |budget_tokens| {
        let (answer, provenance) = call.ask(&repository, |snapshot| {
            let scripts = icr_engine::project_commands(snapshot)?.scripts();
            let (goal, next_steps) = (input.goal.clone(), NEXT_STEPS);
            icr_engine::context(snapshot, &ContextRequest { goal, scripts, next_steps, budget_tokens })
        })?;
        let map = answer.map;
        let strength = format!("strength {}", map.strength.name());
        let tokens = format!("{} of {} tokens", map.tokens_used, input.budget_tokens);
        Ok(Reply::text(map.text).fact(strength).fact(tokens).from(provenance.with_gaps(&answer.gaps)))
    })
}
