//! `icm_memory_forget`: deletes a memory.

use icr_memory::Author;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::{archived_note, memory_id};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryForgetInput {
    #[schemars(length(min = 1, max = 64))]
    id: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryForgetInput) -> Result<Reply, CallFailure> {
    let id = memory_id(&input.id)?;
    let now = call.now_ms();
    call.own_memory(Purpose::Change, &id)?;
    let memory = call.with_memory(Purpose::Change, |database| icr_memory::forget(database, &id, Author::Agent, now))?;
    Ok(Reply::text(format!("Deleted memory: {id}{}", archived_note(&memory))))
}
