//! Questions about how files and definitions hang together.

use icr_engine::{NeighborsRequest, PartnersRequest, ReferencesRequest};
use icr_serve::CallFailure;
use schemars::JsonSchema;
use serde::Deserialize;

use super::QuestionContext;
use crate::answer::JsonAnswer;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReferencesInput {
    /// Name of the definition, or a qualified one (`Server.handle`)
    #[schemars(length(min = 1, max = 500))]
    symbol: String,
    /// File that defines it; by default, every file that defines the name
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
    /// A line of the definition, if the file defines the name more than once
    #[schemars(range(min = 1, max = u32::MAX))]
    line: Option<u32>,
}

pub(super) fn references(asked: &QuestionContext<'_>, input: ReferencesInput) -> Result<JsonAnswer, CallFailure> {
    let request = ReferencesRequest { symbol: input.symbol, path: input.path, line: input.line };
    let ((found, gaps), provenance) = asked.ask(|snapshot| icr_engine::references_with_uses(snapshot, &request))?;
    Ok(JsonAnswer::of(&found)?.from(&provenance, &gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct NeighborsInput {
    /// Path relative to the root
    #[schemars(length(min = 1, max = 4096))]
    path: String,
    /// Steps to follow in both directions
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 16))]
    depth: u32,
    /// Most files that change with it
    #[serde(default = "partners_limit")]
    #[schemars(range(min = 0, max = 100))]
    limit: u32,
}

fn default_depth() -> u32 {
    1
}

fn partners_limit() -> u32 {
    20
}

pub(super) fn neighbors(asked: &QuestionContext<'_>, input: NeighborsInput) -> Result<JsonAnswer, CallFailure> {
    let request = NeighborsRequest { path: input.path, depth: input.depth, changed_together: input.limit as usize };
    let (found, provenance) = asked.ask(|snapshot| icr_engine::neighbors(snapshot, &request))?;
    Ok(JsonAnswer::of(&found)?.from(&provenance, &found.gaps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CochangeInput {
    /// Path relative to the root; the file may be deleted
    #[schemars(length(min = 1, max = 4096))]
    path: String,
    #[serde(default = "partners_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

pub(super) fn cochange(asked: &QuestionContext<'_>, input: CochangeInput) -> Result<JsonAnswer, CallFailure> {
    let request = PartnersRequest { path: input.path, limit: input.limit as usize };
    let (found, provenance) = asked.ask(|snapshot| icr_engine::partners(snapshot, &request))?;
    Ok(JsonAnswer::of(&found)?.from(&provenance, &found.gaps))
}
