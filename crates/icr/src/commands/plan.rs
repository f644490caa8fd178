//! `icr plan`

use clap::{Args, ValueEnum};
use icr_engine::{PlanBudget, PlanRequest, PlanScope, SearchPlan as Planned, plan};
use serde_json::json;

use crate::arguments::Global;
use crate::commands::pack::rules;
use crate::context::{configuration_around, home};
use crate::output::{Output, Style};
use crate::problem;

/// Plan the searches and reads that answer a task, for somebody else to carry out
///
/// The same task always gets the same plan. Nothing is searched: the plan depends only on the words of the task and
/// needs no repository.
#[derive(Debug, Args)]
pub(crate) struct PlanCommand {
    /// The task, in words
    #[arg(required = true)]
    task: Vec<String>,
    /// Where to search
    #[arg(long, value_enum, default_value_t = PlanScopeArgument::Repo)]
    scope: PlanScopeArgument,
    /// Most steps; `rlm.max_steps` is the upper bound
    #[arg(long, default_value_t = 10, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=12))]
    max_steps: u32,
    /// Most lines of all reads together; `rlm.max_peek_lines` is the upper bound
    #[arg(long, default_value_t = 1_000, value_name = "LINES", value_parser = clap::value_parser!(u32).range(1..=1_200))]
    max_peek_lines: u32,
    /// Most results of all searches together; `rlm.max_candidates` is the upper bound
    #[arg(long, default_value_t = 100, value_name = "RESULTS", value_parser = clap::value_parser!(u32).range(1..=100))]
    max_candidates: u32,
}

/// Where to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanScopeArgument {
    /// Files of the view.
    Repo,
    /// Declarations of contracts.
    Contracts,
    /// Commits and uncommitted changes.
    Diffs,
    /// All of these.
    All,
}

impl From<PlanScopeArgument> for PlanScope {
    fn from(scope: PlanScopeArgument) -> Self {
        match scope {
            PlanScopeArgument::Repo => Self::Repo,
            PlanScopeArgument::Contracts => Self::Contracts,
            PlanScopeArgument::Diffs => Self::Diffs,
            PlanScopeArgument::All => Self::All,
        }
    }
}

impl PlanCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let asked = PlanBudget {
            max_steps: self.max_steps,
            max_peek_lines: self.max_peek_lines,
            max_candidates: self.max_candidates,
        };
        let limits = rules(&configuration_around(global, &home()?)?).limits;
        let task = self.task.join(" ");
        let request = PlanRequest { task: &task, scope: self.scope.into(), budget: asked.limited_to(limits) };
        let planned = plan(&request).map_err(icr_engine::Error::from)?;
        if output.is_json() {
            output.json(&json!({"plan": planned, "budget_asked": asked}))?;
        } else {
            draw(output, &planned, asked)?;
        }
        Ok(problem::OK)
    }
}

fn draw(output: &mut Output, planned: &Planned, asked: PlanBudget) -> std::io::Result<()> {
    for step in &planned.steps {
        let action = output.styled(Style::Name, step.action);
        let params = serde_json::to_string(&step.params).unwrap_or_default();
        output.line(format_args!("{:>2}. {action} {params}", step.step))?;
        let rationale = output.styled(Style::Faint, &step.rationale);
        output.line(format_args!("    {rationale}"))?;
    }
    let within = |used: u32, asked: u32, what: &str| match used == asked {
        true => format!("{used} {what}"),
        false => format!("{used} {what} (the configuration allows no more than that)"),
    };
    let PlanBudget { max_steps, max_peek_lines, max_candidates } = planned.budget;
    output.line(format_args!(
        "about {} tokens and {} ms; within {}, {} and {}",
        planned.estimated_tokens,
        planned.estimated_time_ms,
        within(max_steps, asked.max_steps, "steps"),
        within(max_peek_lines, asked.max_peek_lines, "lines"),
        within(max_candidates, asked.max_candidates, "results"),
    ))
}
