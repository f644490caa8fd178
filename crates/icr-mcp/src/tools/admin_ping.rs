//! `admin_ping`: whether the server answers, and what it is.

use icr_engine::{Gap, IndexStatus, Moment, ViewSelector};
use icr_serve::{Lane, ServedRepository};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::CallContext;
use crate::reply::{Reply, WORDS_OF_TOOLS};
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct AdminPingInput {
    #[schemars(length(max = 256))]
    echo: Option<String>,
    #[serde(default)]
    include_diagnostics: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    echo: Option<String>,
    version: String,
    uptime_seconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Diagnostics>,
}

#[derive(Serialize, JsonSchema)]
struct Diagnostics {
    /// `ready`, `stale`, `none`, or `unavailable`.
    index_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding_backend: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_index_update: Option<String>,
    pending_updates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Diagnostics look into an index, which takes time. A plain ping does not.
pub(crate) fn lane(arguments: &JsonObject) -> Lane {
    match arguments.get("include_diagnostics") {
        Some(Value::Bool(true)) => Lane::Ordinary,
        _ => Lane::Quick,
    }
}

pub(crate) fn run(call: &CallContext<'_>, input: AdminPingInput) -> Result<Reply, CallFailure> {
    let now = (call.settings.clock)();
    let uptime = now.duration_since(call.started).unwrap_or_default();
    let diagnostics = input.include_diagnostics.then(|| diagnostics(call));
    // If the server cannot read its repository, it still answers and reports the problem.
    let is_well = diagnostics.as_ref().is_none_or(|diagnostics| diagnostics.problem.is_none());
    Reply::of(&Output {
        status: if is_well { "healthy" } else { "degraded" },
        echo: input.echo,
        version: call.settings.version.clone(),
        uptime_seconds: uptime.as_secs(),
        diagnostics,
    })
}

/// The state of the index. None is made for this.
fn diagnostics(call: &CallContext<'_>) -> Diagnostics {
    let found = call.repository().and_then(|repository| {
        if !repository.is_indexed() {
            return Ok(Diagnostics {
                index_status: "none",
                embedding_backend: None,
                last_index_update: None,
                pending_updates: 0,
                problem: None,
            });
        }
        let status = icr_engine::status(&repository.engine().snapshot(&ViewSelector::Worktree)?)?;
        Ok(of_index(&repository, &status))
    });
    found.unwrap_or_else(|failure: CallFailure| Diagnostics {
        index_status: "unavailable",
        embedding_backend: None,
        last_index_update: None,
        pending_updates: 0,
        problem: Some(failure.in_words(&WORDS_OF_TOOLS).message),
    })
}

fn of_index(repository: &ServedRepository, status: &IndexStatus) -> Diagnostics {
    let pending = status.provenance.gaps.iter().map(|gap| match gap {
        Gap::Unindexed { files } | Gap::UncommittedLeftOut { files } => *files,
        _ => 0,
    });
    let pending_updates: u64 = pending.sum();
    let mut in_use = status.vectors.iter().filter(|space| space.in_use).filter_map(|space| space.model.clone());
    Diagnostics {
        index_status: if pending_updates == 0 { "ready" } else { "stale" },
        // The model behind the built-in one comes last of those in use.
        embedding_backend: in_use.next_back(),
        last_index_update: repository.engine().store().last_write().map(|written| Moment::of(written).to_string()),
        pending_updates,
        problem: None,
    }
}
