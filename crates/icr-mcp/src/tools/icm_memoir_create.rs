//! `icm_memoir_create`: makes a memoir.

use icr_memory::Author;
use icr_memory::memoir::create;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::on_one_line;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirCreateInput {
    #[schemars(length(min = 1, max = 255))]
    name: String,
    #[schemars(length(max = 10_000))]
    description: Option<String>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirCreateInput) -> Result<Reply, CallFailure> {
    let now = call.now_ms();
    let memoir = call.with_memory(Purpose::Addition, |database| {
        create(database, &input.name, input.description.as_deref().unwrap_or_default(), Author::Agent, now)
    })?;
    Ok(Reply::text(format!("Created memoir '{}': {}", on_one_line(&memoir.name), memoir.id)))
}
