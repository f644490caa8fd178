//! `memory_pin`: pins a file.

use icr_engine::{PinPriority, PinRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::paths::relative;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryPinInput {
    #[schemars(length(min = 1, max = 256))]
    source_id: String,
    path: String,
    #[schemars(length(max = 256))]
    label: Option<String>,
    #[schemars(range(min = 60, max = 86_400))]
    ttl_seconds: Option<u64>,
    /// 5 if unset; 10 comes first
    #[schemars(range(min = 1, max = 10))]
    priority: Option<u8>,
}

pub(crate) fn run(call: &CallContext<'_>, input: MemoryPinInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let request = PinRequest {
        source_id: input.source_id,
        path: relative(repository.root(), "path", &input.path)?,
        label: input.label,
        ttl_seconds: input.ttl_seconds,
        priority: input.priority.and_then(PinPriority::new).unwrap_or_default(),
    };
    let now = call.now();
    let (pin, provenance) = call.ask(&repository, |snapshot| icr_engine::new_pin(snapshot, &request, now))?;
    let pinned = repository.engine().pins().set(&pin)?;
    Ok(Reply::of(&pinned)?.from(provenance))
}
