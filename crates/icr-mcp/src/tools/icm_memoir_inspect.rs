//! `icm_memoir_inspect`: one concept with its neighbours.

use icr_memory::memoir::{NeighbourhoodReach, inspect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::memory::{concept_item, link_item};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirInspectInput {
    #[schemars(length(min = 1, max = 255))]
    memoir: String,
    #[schemars(length(min = 1, max = 255))]
    name: String,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 5))]
    depth: u32,
}

fn depth() -> u32 {
    1
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirInspectInput) -> Result<Reply, CallFailure> {
    let reach = NeighbourhoodReach { depth: input.depth, relation: None };
    let around =
        call.with_memory(Purpose::Question, |database| inspect(database, &input.memoir, &input.name, reach))?;
    let neighbours = around.neighbours.iter().map(|neighbour| {
        let mut item = concept_item(&neighbour.concept);
        item["distance"] = json!(neighbour.distance);
        item
    });
    let neighbours: Vec<Value> = neighbours.collect();
    let links: Vec<Value> = around.links.iter().map(link_item).collect();
    let reply = Reply::of(&json!({
        "memoir": around.memoir,
        "concept": concept_item(&around.concept),
        "neighbours": neighbours,
        "links": links,
    }))?;
    Ok(reply.cutting(around.note()))
}
