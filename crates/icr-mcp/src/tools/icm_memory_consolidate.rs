//! `icm_memory_consolidate`: makes one memory of those of a topic.

use icr_memory::{Author, ConsolidationRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::{CodeOfText, counted_memories, on_one_line};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryConsolidateInput {
    #[schemars(length(min = 1, max = 255))]
    topic: String,
    #[schemars(length(min = 1, max = 65_536))]
    summary: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryConsolidateInput) -> Result<Reply, CallFailure> {
    let code = CodeOfText::of(call, &input.summary);
    let request = ConsolidationRequest {
        project: call.project()?,
        topic: input.topic,
        summary: Some(input.summary),
        code: code.binding,
        keep_originals: false,
        author: Author::Agent,
        source: call.source(),
    };
    let now = call.now_ms();
    let consolidation =
        call.with_memory(Purpose::Change, |database| icr_memory::consolidate(database, &request, now))?;
    let topic = on_one_line(&request.topic);
    let archived = counted_memories(consolidation.sources.len() as u64);
    Ok(Reply::text(format!("Consolidated topic: {topic}\nMemory {} is in place of {archived}.", consolidation.id)))
}
