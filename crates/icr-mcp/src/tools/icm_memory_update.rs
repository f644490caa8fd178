//! `icm_memory_update`: changes the text of a memory.

use icr_memory::{Author, MemoryUpdate};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::{CodeOfText, ImportanceName, archived_note, memory_id};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryUpdateInput {
    #[schemars(length(min = 1, max = 64))]
    id: String,
    #[schemars(length(min = 1, max = 65_536))]
    content: String,
    importance: Option<ImportanceName>,
    #[schemars(length(max = 100), inner(length(min = 1, max = 255)))]
    keywords: Option<Vec<String>>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryUpdateInput) -> Result<Reply, CallFailure> {
    let id = memory_id(&input.id)?;
    call.own_memory(Purpose::Change, &id)?;
    let code = CodeOfText::of(call, &input.content);
    let change = MemoryUpdate {
        summary: Some(input.content),
        importance: input.importance.map(Into::into),
        keywords: input.keywords,
        code: code.binding,
        ..MemoryUpdate::default()
    };
    let now = call.now_ms();
    let memory =
        call.with_memory(Purpose::Change, |database| icr_memory::update(database, &id, &change, Author::Agent, now))?;
    let missed = code.missed.map(|missed| format!("\n{missed}")).unwrap_or_default();
    Ok(Reply::text(format!("Updated memory: {id}{}{missed}", archived_note(&memory))))
}
