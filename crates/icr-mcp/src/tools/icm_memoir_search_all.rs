//! `icm_memoir_search_all`: concepts of all memoirs.

use icr_memory::memoir::{ConceptSearch, HITS_MOST, search_all};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::concept_hits;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirSearchAllInput {
    #[schemars(length(max = 10_000))]
    query: String,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn limit() -> u32 {
    10
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirSearchAllInput) -> Result<Reply, CallFailure> {
    let request = ConceptSearch { query: input.query, label: None, limit: HITS_MOST };
    let hits = call.with_memory(Purpose::Question, |database| search_all(database, &request))?;
    Ok(concept_hits(&hits, input.limit as usize))
}
