//! How the server and its indexes are, and the histories that can be asked.

use icr_engine::LogRequest;
use icr_model::Moment;
use icr_serve::{CallFailure, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use crate::answer::JsonAnswer;

#[derive(Deserialize, JsonSchema)]
pub(super) struct NoInput {}

#[derive(Deserialize, JsonSchema)]
pub(super) struct HealthInput {
    /// Any text: the answer then proves that the server knows its token
    #[schemars(length(min = 16, max = 200))]
    challenge: Option<String>,
}

/// State of the server.
#[derive(Serialize, JsonSchema)]
pub(super) struct Health {
    /// Always `ok`: a server that has failed does not answer.
    status: &'static str,
    /// Version of icr.
    version: String,
    /// When the server started.
    since: Moment,
    /// HMAC-SHA-256 of the challenge, keyed by the SHA-256 of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

pub(super) fn health(asked: &QuestionContext<'_>, input: HealthInput) -> Result<JsonAnswer, CallFailure> {
    let server = asked.server;
    let since = Moment::of(server.started);
    let proof = input.challenge.map(|challenge| server.credentials.proof(&challenge));
    JsonAnswer::of(&Health { status: "ok", version: server.settings.version.clone(), since, proof })
}

/// A link to the page.
#[derive(Serialize, JsonSchema)]
pub(super) struct PageLink {
    /// Works once, within five minutes.
    link: String,
}

pub(super) fn link(asked: &QuestionContext<'_>, NoInput {}: NoInput) -> Result<JsonAnswer, CallFailure> {
    let code = asked.server.credentials.new_code();
    let code =
        code.map_err(|error| CallFailure::new(Code::ServiceUnavailable, format!("no link can be made: {error}")))?;
    JsonAnswer::of(&PageLink { link: format!("http://{}/?code={code}", asked.server.address) })
}

pub(super) fn status(asked: &QuestionContext<'_>, NoInput {}: NoInput) -> Result<JsonAnswer, CallFailure> {
    let (status, provenance) = asked.ask(icr_engine::status)?;
    Ok(JsonAnswer::of(&status)?.from(&provenance, &[]))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CommitsInput {
    /// Only commits that changed this file, under this name
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    #[serde(default = "commits_limit")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

fn commits_limit() -> u32 {
    50
}

pub(super) fn commits(asked: &QuestionContext<'_>, input: CommitsInput) -> Result<JsonAnswer, CallFailure> {
    let request = LogRequest { path: input.path, limit: input.limit as usize };
    let (log, provenance) = asked.ask(|snapshot| icr_engine::log(snapshot, &request))?;
    Ok(JsonAnswer::of(&log)?.from(&provenance, &[]))
}
