//! `icr context`

use std::time::Duration;

use clap::Args;
use icr_engine::{ContextRequest, Strength};

use crate::arguments::Global;
use crate::context::Context;
use crate::output::Output;
use crate::problem;

/// Longest time to bring the index up to date before a map. A map is asked for before each prompt, and it names what it
/// lacks.
const CATCH_UP: Duration = Duration::from_millis(200);

/// Show where to look for a goal: files, what imports them, what changes with them, in about 300 tokens
///
/// `3 commits/90d` counts commits of a file in the 90 days before the date of the view's commit, usually HEAD, without
/// merges.
#[derive(Debug, Args)]
pub(crate) struct ContextMap {
    /// What you want to do, in words
    #[arg(required = true)]
    pub(crate) goal: Vec<String>,
    /// Most model tokens of the text
    #[arg(long, value_name = "TOKENS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(50..=4_000))]
    budget: u32,
}

/// Commands that a map suggests.
const NEXT_STEPS: &str = "icr search \"<query>\" | icr read <path> | icr pack \"<question>\" | icr impact";

impl ContextMap {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let (answer, provenance) = Context::open(global)?.catching_up_within(CATCH_UP).ask(|snapshot| {
            let scripts = icr_engine::project_commands(snapshot)?.scripts();
            icr_engine::context(
                snapshot,
                &ContextRequest {
                    goal: self.goal.join(" "),
                    scripts,
                    next_steps: NEXT_STEPS,
                    budget_tokens: self.budget,
                },
            )
        })?;
        let code = if answer.map.strength == Strength::None { problem::FINDING } else { problem::OK };
        output.answer(&answer, &provenance.with_gaps(&answer.gaps), code, |output| {
            output.line(answer.map.text.strip_suffix('\n').unwrap_or(&answer.map.text))
        })
    }
}
