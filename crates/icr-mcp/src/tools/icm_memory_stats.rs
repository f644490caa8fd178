//! `icm_memory_stats`

use icr_memory::Statistics;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::memory::rounded;
use crate::reply::Reply;
use icr_serve::Failure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

pub(crate) fn run(call: &Call<'_>, _: Input) -> Result<Reply, Failure> {
    let (scope, now) = (call.memory_scope()?, call.now_ms());
    let statistics = call.with_memory(Purpose::Question, |database| icr_memory::statistics(database, &scope, now))?;
    Reply::of(&Statistics { average_weight: rounded(statistics.average_weight), ..statistics })
}
