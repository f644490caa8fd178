//! `icm_memory_health`: which topics want tidying.

use icr_memory::TopicHealth;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::CallContext;
use crate::memory::{rounded, urgent_first};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryHealthInput {
    #[schemars(length(min = 1, max = 255))]
    topic: Option<String>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryHealthInput) -> Result<Reply, CallFailure> {
    let (scope, now) = (call.memory_scope()?, call.now_ms());
    let topics = call
        .with_memory(Purpose::Question, |database| icr_memory::health(database, &scope, input.topic.as_deref(), now))?;
    let need_consolidation = topics.iter().filter(|topic| topic.needs_consolidation).count();
    let stale: u64 = topics.iter().map(|topic| topic.stale).sum();
    let with_few_digits = |topic: TopicHealth| TopicHealth { average_weight: rounded(topic.average_weight), ..topic };
    let topics =
        urgent_first(call, topics.into_iter().map(with_few_digits).collect(), |topic| topic.needs_consolidation);
    Reply::of(&json!({
        "topics": topics,
        "total_count": topics.len(),
        "need_consolidation": need_consolidation,
        "stale": stale,
    }))
}
