//! `memory_unpin`: removes a pin.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryUnpinInput {
    #[schemars(length(min = 1, max = 256))]
    source_id: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: MemoryUnpinInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let unpinned = repository.engine().pins().remove(&input.source_id, call.now())?;
    let reply = Reply::of(&unpinned)?;
    Ok(if unpinned.similar.is_empty() { reply } else { reply.with("similar", json!(unpinned.similar)) })
}
