//! `icm_memoir_link`: links two concepts.

use icr_memory::Author;
use icr_memory::memoir::{LinkEnds, Relation, link};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::on_one_line;
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoirLinkInput {
    #[schemars(length(min = 1, max = 255))]
    memoir: String,
    #[schemars(length(min = 1, max = 255))]
    from: String,
    #[schemars(length(min = 1, max = 255))]
    to: String,
    // Not a list of words: other spellings than these are understood.
    /// part_of, depends_on, related_to, contradicts, refines, alternative_to, caused_by, instance_of or superseded_by
    #[schemars(length(min = 1, max = 50))]
    relation: String,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoirLinkInput) -> Result<Reply, CallFailure> {
    let ends = LinkEnds { from: input.from, to: input.to, relation: Relation::parse(&input.relation)? };
    let now = call.now_ms();
    let outcome =
        call.with_memory(Purpose::Change, |database| link(database, &input.memoir, &ends, Author::Agent, now))?;
    let heading = if outcome.is_new { "Linked" } else { "Linked before" };
    let (from, to) = (on_one_line(&ends.from), on_one_line(&ends.to));
    Ok(Reply::text(format!("{heading}: {from} --{}--> {to} ({})", ends.relation.name(), outcome.link.id)))
}
