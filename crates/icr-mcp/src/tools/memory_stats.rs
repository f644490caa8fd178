//! `memory_stats`

use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::reply::Reply;
use icr_serve::Failure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(default)]
    include_breakdown: bool,
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let repository = call.repository()?;
    let now = call.now();
    let (stats, provenance) =
        call.ask(&repository, |snapshot| icr_engine::memory_stats(snapshot, input.include_breakdown, now))?;
    Ok(Reply::of(&stats)?.from(provenance))
}
