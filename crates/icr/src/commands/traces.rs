//! `icr traces`

use clap::Args;
use icr_model::Moment;
use icr_traces::{CallFilter, CallOutcome, CallRecord, Door, Traces as Database};
use serde_json::json;

use crate::arguments::Global;
use crate::context::{given_repo_id, home, locate};
use crate::output::{Output, Style};
use crate::problem;

/// Show what icr was asked and what it answered, newest last
///
/// Traces stay on this machine, for as many days as `telemetry.traces_retention_days` says. `telemetry.enabled`
/// switches them off.
#[derive(Debug, Args)]
pub(crate) struct Traces {
    /// Number of traces to show
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    last: u32,
    /// Show only calls through one door: cli, mcp, mcp-http, http or hook
    #[arg(long, value_parser = door)]
    door: Option<Door>,
    /// Only calls of this tool or command
    #[arg(long)]
    tool: Option<String>,
    /// Only calls of this session
    #[arg(long)]
    session: Option<String>,
    /// Show traces of all repositories
    #[arg(long)]
    all: bool,
    /// Print as JSON lines of the OpenTelemetry protocol, for other programs
    #[arg(long)]
    otlp: bool,
}

fn door(name: &str) -> Result<Door, String> {
    Door::from_name(name).ok_or_else(|| format!("expected one of {}", Door::ALL.map(Door::name).join(", ")))
}

impl Traces {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let filter = CallFilter {
            door: self.door,
            tool: self.tool.clone(),
            session: self.session.clone(),
            repo_id: if self.all { None } else { repo_id_here(global) },
            limit: Some(self.last),
            ..CallFilter::default()
        };
        let database = Database::open(&home()?)?;
        if self.otlp {
            let mut lines = Vec::new();
            if let Some(database) = &database {
                database.otlp_lines(&filter, &mut lines)?;
            }
            String::from_utf8_lossy(&lines).lines().try_for_each(|line| output.line(line))?;
            return Ok(problem::OK);
        }
        if output.is_json() {
            let calls = database.map(|database| database.calls_with_lists(&filter)).transpose()?.unwrap_or_default();
            output.json(&json!({ "traces": calls }))?;
            return Ok(problem::OK);
        }
        let calls = database.map(|database| database.calls(&filter)).transpose()?.unwrap_or_default();
        for call in calls.iter().rev() {
            output.line(line_of(output, call))?;
        }
        if calls.is_empty() {
            output.nothing_found();
        }
        Ok(problem::OK)
    }
}

/// Id of the repository here; `None` outside of any repository, where traces of all are shown.
pub(super) fn repo_id_here(global: &Global) -> Option<String> {
    let home = home().ok()?;
    locate(global).ok()?.known_repo_id(&home, given_repo_id(global, &home).ok()?.as_deref()).ok()?
}

fn line_of(output: &Output, call: &CallRecord) -> String {
    let time = output.styled(Style::Faint, Moment::of(call.started_at));
    let door = output.styled(Style::Faint, format_args!("{:<8}", call.door.name()));
    let tool = output.styled(Style::Name, &call.tool);
    let task = call.task.as_deref().unwrap_or_default();
    let task: String = task.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cost = format!("{} tokens, {} ms", call.output_tokens, call.duration.as_millis());
    let cost = output.styled(Style::Faint, cost);
    let outcome = match &call.outcome {
        CallOutcome::Ok => String::new(),
        other => format!("  {}", output.styled(Style::Warning, other)),
    };
    format!("{time}  {door}  {tool}  {task}  {cost}{outcome}")
}
