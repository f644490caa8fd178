//! `icm_memory_embed_all`: computes missing vectors of memories.

use icr_memory::ListScope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

/// Memories of one transaction: few enough that other processes do not wait for long.
const BATCH: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryEmbedAllInput {
    #[schemars(length(min = 1, max = 255))]
    topic: Option<String>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryEmbedAllInput) -> Result<Reply, CallFailure> {
    let (topic, now) = (input.topic.as_deref(), call.now_ms());
    let report = call.with_memory(Purpose::Change, |database| {
        let report = icr_memory::embed(database, topic, false, BATCH)?;
        if topic.is_some() && report.memories == 0 {
            // Fails if there is no such topic, and suggests similar names.
            icr_memory::health(database, &ListScope::All, topic, now)?;
        }
        Ok(report)
    })?;
    Ok(Reply::text(match report.embedded {
        0 => "All memories already have embeddings.".to_owned(),
        embedded => format!("Embedded {embedded}/{} memories (0 errors)", report.memories),
    }))
}
