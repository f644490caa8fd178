//! `icm_memory_health`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::Call;
use crate::failure::Failure;
use crate::memory::Purpose;
use crate::reply::Reply;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[schemars(length(min = 1, max = 255))]
    topic: Option<String>,
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let (scope, now) = (call.memory_scope()?, call.now_ms());
    let topics = call
        .with_memory(Purpose::Question, |database| icr_memory::health(database, &scope, input.topic.as_deref(), now))?;
    let need_consolidation = topics.iter().filter(|topic| topic.needs_consolidation).count();
    let stale: u64 = topics.iter().map(|topic| topic.stale).sum();
    Reply::of(&json!({
        "topics": topics,
        "total_count": topics.len(),
        "need_consolidation": need_consolidation,
        "stale": stale,
    }))
}
