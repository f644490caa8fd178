//! `icm_memoir_add_concept`: adds a concept to a memoir.

use icr_memory::Author;
use icr_memory::memoir::{NewConcept, add_concept, labels_of};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::on_one_line;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirAddConceptInput {
    #[schemars(length(min = 1, max = 255))]
    memoir: String,
    #[schemars(length(min = 1, max = 255))]
    name: String,
    #[schemars(length(min = 1, max = 10_000))]
    definition: String,
    /// `namespace:value`, separated by commas
    #[schemars(length(max = 5_000))]
    labels: Option<String>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirAddConceptInput) -> Result<Reply, CallFailure> {
    let new = NewConcept {
        name: input.name,
        definition: input.definition,
        labels: labels_of(&input.labels.unwrap_or_default())?,
        sources: Vec::new(),
    };
    let now = call.now_ms();
    let concept =
        call.with_memory(Purpose::Change, |database| add_concept(database, &input.memoir, &new, Author::Agent, now))?;
    let (name, memoir) = (on_one_line(&concept.name), on_one_line(&input.memoir));
    Ok(Reply::text(format!("Added concept '{name}' to memoir '{memoir}': {}", concept.id)))
}
