//! Running a command of a project.

use std::time::Duration;

use icr_serve::{CallFailure, RunRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::QuestionContext;
use crate::answer::JsonAnswer;

#[derive(Deserialize, JsonSchema)]
pub(super) struct RunInput {
    /// Program and arguments; run without a shell
    #[schemars(length(min = 1, max = 1000))]
    argv: Vec<String>,
    /// Where to start it, relative to the root
    #[schemars(length(min = 1, max = 4096))]
    directory: Option<String>,
    #[schemars(range(min = 1, max = 3600))]
    timeout_seconds: Option<u32>,
}

pub(super) fn run(asked: &QuestionContext<'_>, input: RunInput) -> Result<JsonAnswer, CallFailure> {
    asked.may_write()?;
    let repository = asked.repository()?;
    let request = RunRequest {
        argv: input.argv,
        directory: input.directory,
        timeout: input.timeout_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
    };
    let (commands, provenance) = asked.ask(icr_engine::project_commands)?;
    let rules = &repository.configuration().run;
    let variables = (asked.server.settings.variables)();
    let outcome = rules.run(repository.engine(), &commands, &request, variables, &asked.deadline)?;
    Ok(JsonAnswer::of(&outcome)?.from(&provenance, &[]))
}
