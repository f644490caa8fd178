//! `icm_memory_consolidate`

use icr_memory::{Author, ConsolidationRequest, Error, ProjectKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::failure::Failure;
use crate::memory::{Purpose, counted_memories, on_one_line};
use crate::reply::Reply;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[schemars(length(min = 1, max = 255))]
    topic: String,
    #[schemars(length(min = 1, max = 65_536))]
    summary: String,
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let request = ConsolidationRequest {
        project: call.project()?,
        topic: input.topic,
        summary: Some(input.summary),
        keep_originals: false,
        author: Author::Agent,
        source: call.source(),
    };
    let now = call.now_ms();
    let consolidation = call.with_memory(Purpose::Change, |database| {
        match icr_memory::consolidate(database, &request, now) {
            // A topic of no project is listed in every project.
            Err(error @ Error::NotFound { .. }) if !request.project.is_none() => {
                let of_none = ConsolidationRequest { project: ProjectKey::NONE, ..request.clone() };
                icr_memory::consolidate(database, &of_none, now).map_err(|_| error)
            }
            consolidated => consolidated,
        }
    })?;
    let topic = on_one_line(&request.topic);
    let archived = counted_memories(consolidation.sources.len() as u64);
    Ok(Reply::text(format!("Consolidated topic: {topic}\nMemory {} is in place of {archived}.", consolidation.id)))
}
