//! `icm_memoir_show`: a memoir with its concepts.

use icr_memory::memoir::{MemoirStatistics, graph, show};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::memory::{concept_item, link_item, rounded};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirShowInput {
    #[schemars(length(min = 1, max = 255))]
    name: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirShowInput) -> Result<Reply, CallFailure> {
    let (statistics, graph) = call
        .with_memory(Purpose::Question, |database| Ok((show(database, &input.name)?, graph(database, &input.name)?)))?;
    let statistics = MemoirStatistics { average_confidence: rounded(statistics.average_confidence), ..statistics };
    let concepts: Vec<Value> = graph.concepts.iter().map(concept_item).collect();
    let links: Vec<Value> = graph.links.iter().map(link_item).collect();
    Reply::of(&json!({ "memoir": statistics, "concepts": concepts, "links": links }))
}
