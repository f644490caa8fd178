//! `icm_memoir_list`

use icr_memory::memoir::list;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::Call;
use crate::reply::Reply;
use icr_serve::Failure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

pub(crate) fn run(call: &Call<'_>, _: Input) -> Result<Reply, Failure> {
    let memoirs = call.with_memory(Purpose::Question, |database| list(database))?;
    Reply::of(&json!({ "memoirs": memoirs, "total_count": memoirs.len() }))
}
