//! What was asked of icr on this machine, and how much of the answers was of use.

use icr_serve::{CallFailure, Code};
use icr_traces::metrics::{Metrics, MetricsRequest};
use icr_traces::{CallFilter, CallRecord, Door};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use crate::answer::JsonAnswer;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TracesInput {
    /// Number of calls
    #[serde(default = "last")]
    #[schemars(range(min = 1, max = 1000))]
    last: u32,
    /// Only calls through this door: `cli`, `mcp`, `mcp-http`, `http` or `hook`
    #[schemars(length(min = 1, max = 20))]
    door: Option<String>,
    /// Only calls of this tool, command or question
    #[schemars(length(min = 1, max = 200))]
    tool: Option<String>,
    /// Only calls of this session
    #[schemars(length(min = 1, max = 200))]
    session: Option<String>,
    /// Include calls about all repositories
    #[serde(default)]
    all: bool,
    /// Add to each call what it returned, and which files it said a change affects
    #[serde(default)]
    lists: bool,
}

fn last() -> u32 {
    100
}

/// Calls.
#[derive(Serialize, JsonSchema)]
pub(super) struct Traces {
    /// The newest first.
    traces: Vec<CallRecord>,
}

pub(super) fn traces(asked: &QuestionContext<'_>, input: TracesInput) -> Result<JsonAnswer, CallFailure> {
    let door = input.door.map(|name| {
        Door::from_name(&name).ok_or_else(|| {
            let names = Door::ALL.map(Door::name).join(", ");
            CallFailure::new(Code::ValidationError, format!("`door` must be one of {names}")).with("field", "door")
        })
    });
    let filter = CallFilter {
        door: door.transpose()?,
        tool: input.tool,
        session: input.session,
        repo_id: if input.all { None } else { asked.named_repo_id()? },
        limit: Some(input.last),
        ..CallFilter::default()
    };
    let traces = match open(asked)? {
        Some(traces) if input.lists => traces.calls_with_lists(&filter).map_err(failed)?,
        Some(traces) => traces.calls(&filter).map_err(failed)?,
        None => Vec::new(),
    };
    JsonAnswer::of(&Traces { traces })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct MetricsInput {
    /// Number of sessions to measure, the newest ones
    #[serde(default = "sessions")]
    #[schemars(range(min = 1, max = 1000))]
    last: u32,
}

fn sessions() -> u32 {
    50
}

pub(super) fn metrics(asked: &QuestionContext<'_>, input: MetricsInput) -> Result<JsonAnswer, CallFailure> {
    let request =
        MetricsRequest { repo_id: asked.named_repo_id()?, since: None, last_sessions: Some(input.last as usize) };
    let metrics = match open(asked)? {
        Some(traces) => traces.metrics(&request).map_err(failed)?,
        None => Metrics::of(&[], &request, 0),
    };
    JsonAnswer::of(&metrics)
}

fn open(asked: &QuestionContext<'_>) -> Result<Option<icr_traces::Traces>, CallFailure> {
    icr_traces::Traces::open(&asked.server.settings.home).map_err(failed)
}

fn failed(error: icr_traces::Error) -> CallFailure {
    CallFailure::new(Code::ServiceUnavailable, format!("the traces cannot be read: {error}"))
}
