//! `memory_stats`: numbers about the index.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryStatsInput {
    #[serde(default)]
    include_breakdown: bool,
}

pub(crate) fn run(call: &CallContext<'_>, input: MemoryStatsInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let now = call.now();
    let (stats, provenance) =
        call.ask(&repository, |snapshot| icr_engine::memory_stats(snapshot, input.include_breakdown, now))?;
    Ok(Reply::of(&stats)?.from(provenance))
}
