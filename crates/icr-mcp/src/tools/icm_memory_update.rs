//! `icm_memory_update`

use icr_memory::{Author, MemoryUpdate};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::failure::Failure;
use crate::memory::{ImportanceName, Purpose, memory_id};
use crate::reply::Reply;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[schemars(length(min = 1, max = 64))]
    id: String,
    #[schemars(length(min = 1, max = 65_536))]
    content: String,
    importance: Option<ImportanceName>,
    #[schemars(length(max = 100), inner(length(min = 1, max = 255)))]
    keywords: Option<Vec<String>>,
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let id = memory_id(&input.id)?;
    let change = MemoryUpdate {
        summary: Some(input.content),
        importance: input.importance.map(Into::into),
        keywords: input.keywords,
        ..MemoryUpdate::default()
    };
    let now = call.now_ms();
    call.with_memory(Purpose::Change, |database| icr_memory::update(database, &id, &change, Author::Agent, now))?;
    Ok(Reply::text(format!("Updated memory: {id}")))
}
