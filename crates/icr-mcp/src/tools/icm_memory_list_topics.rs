//! `icm_memory_list_topics`: the topics.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::CallContext;
use crate::memory::urgent_first;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryListTopicsInput {}

pub(crate) fn run(call: &CallContext<'_>, _: IcmMemoryListTopicsInput) -> Result<Reply, CallFailure> {
    let (scope, now) = (call.memory_scope()?, call.now_ms());
    let topics = call.with_memory(Purpose::Question, |database| icr_memory::topics(database, &scope, now))?;
    let most = call.settings.memory.place.rules().consolidate_hint;
    let topics = urgent_first(call, topics, |topic| topic.count > most);
    Reply::of(&json!({ "topics": topics, "total_count": topics.len() }))
}
