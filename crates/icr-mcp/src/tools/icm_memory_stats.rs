//! `icm_memory_stats`: numbers about the memories.

use icr_memory::Statistics;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::rounded;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryStatsInput {}

pub(crate) fn run(call: &CallContext<'_>, _: IcmMemoryStatsInput) -> Result<Reply, CallFailure> {
    let (scope, now) = (call.memory_scope()?, call.now_ms());
    let statistics = call.with_memory(Purpose::Question, |database| icr_memory::statistics(database, &scope, now))?;
    Reply::of(&Statistics { average_weight: rounded(statistics.average_weight), ..statistics })
}
