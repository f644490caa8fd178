//! `icm_memoir_refine`: replaces the definition of a concept.

use icr_memory::Author;
use icr_memory::memoir::{ConceptRefinement, refine};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::on_one_line;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirRefineInput {
    #[schemars(length(min = 1, max = 255))]
    memoir: String,
    #[schemars(length(min = 1, max = 255))]
    name: String,
    #[schemars(length(min = 1, max = 10_000))]
    definition: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirRefineInput) -> Result<Reply, CallFailure> {
    let refinement = ConceptRefinement { definition: input.definition, ..ConceptRefinement::default() };
    let now = call.now_ms();
    let concept = call.with_memory(Purpose::Change, |database| {
        refine(database, &input.memoir, &input.name, &refinement, Author::Agent, now)
    })?;
    let name = on_one_line(&concept.name);
    Ok(Reply::text(format!("Refined '{name}' (r{}, confidence={:.2})", concept.revision, concept.confidence)))
}
