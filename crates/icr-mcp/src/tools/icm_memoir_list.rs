//! `icm_memoir_list`: the memoirs.

use icr_memory::memoir::list;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirListInput {}

pub(crate) fn run(call: &CallContext<'_>, _: IcmMemoirListInput) -> Result<Reply, CallFailure> {
    let memoirs = call.with_memory(Purpose::Question, |database| list(database))?;
    Reply::of(&json!({ "memoirs": memoirs, "total_count": memoirs.len() }))
}
