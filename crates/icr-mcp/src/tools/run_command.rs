//! `run_command`: runs a command of the project in a sandbox.

use std::time::Duration;

use icr_serve::{CallFailure, RunRequest};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::call::CallContext;
use crate::reply::Reply;
use crate::settings::Limits;

/// Time reserved beyond the command's own limit, for killing it and reporting its output.
const AROUND: Duration = Duration::from_secs(2);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RunCommandInput {
    /// Program and arguments; run without a shell
    #[schemars(length(min = 1, max = 1000))]
    argv: Vec<String>,
    /// Where to start it, relative to the root
    #[schemars(length(max = 4096))]
    directory: Option<String>,
    #[schemars(range(min = 1, max = 3600))]
    timeout_seconds: Option<u32>,
}

/// The time limit is that of the command.
pub(crate) fn limit(limits: &Limits, arguments: &JsonObject) -> Duration {
    let asked = arguments.get("timeout_seconds").and_then(Value::as_u64).map(Duration::from_secs);
    asked.unwrap_or(limits.run) + AROUND
}

pub(crate) fn run(call: &CallContext<'_>, input: RunCommandInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let request = RunRequest {
        argv: input.argv,
        directory: input.directory,
        timeout: input.timeout_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
    };
    let (commands, provenance) = call.ask(&repository, icr_engine::project_commands)?;
    let rules = &repository.configuration().run;
    let outcome = rules.run(repository.engine(), &commands, &request, (call.settings.variables)(), &call.deadline)?;
    Ok(Reply::of(&outcome)?.from(provenance))
}
