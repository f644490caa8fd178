//! `memory_unpin`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::Call;
use crate::reply::Reply;
use icr_serve::Failure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[schemars(length(min = 1, max = 256))]
    source_id: String,
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let repository = call.repository()?;
    let unpinned = repository.engine().unpin(&input.source_id, call.now())?;
    let reply = Reply::of(&unpinned)?;
    Ok(if unpinned.similar.is_empty() { reply } else { reply.with("similar", json!(unpinned.similar)) })
}
