//! `icm_memory_consolidate`

use icr_memory::{Author, ConsolidationRequest, Error, ProjectKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::failure::Failure;
use crate::memory::{Purpose, on_one_line};
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
    let archived = consolidation.sources.len();
    let instead = if archived == 1 { "1 memory, which is".to_owned() } else { format!("{archived} memories, which are") };
    Ok(Reply::text(format!(
        "Consolidated topic: {topic}\nMemory {} stands in place of {instead} archived.",
        consolidation.id
    )))
}
