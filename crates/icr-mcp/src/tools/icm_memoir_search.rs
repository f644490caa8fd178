//! `icm_memoir_search`: concepts of one memoir.

use icr_memory::Error;
use icr_memory::memoir::{ConceptSearch, HITS_MOST, Label, search};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::concept_hits;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirSearchInput {
    #[schemars(length(min = 1, max = 255))]
    memoir: String,
    /// Empty for all with the label
    #[schemars(length(max = 10_000))]
    query: String,
    #[schemars(length(min = 1, max = 100))]
    label: Option<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn limit() -> u32 {
    10
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirSearchInput) -> Result<Reply, CallFailure> {
    let label = input.label.as_deref().map(Label::parse).transpose().map_err(|error| match error {
        Error::Invalid { wrong, right, .. } => Error::Invalid { field: "label", wrong, right },
        other => other,
    })?;
    let request = ConceptSearch { query: input.query, label, limit: HITS_MOST };
    let hits = call.with_memory(Purpose::Question, |database| search(database, &input.memoir, &request))?;
    Ok(concept_hits(&hits, input.limit as usize))
}
