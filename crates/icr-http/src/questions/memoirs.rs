//! Questions about memoirs.

use icr_memory::memoir::{self, Concept, MemoirOverview, MemoirStatistics, NamedLink};
use icr_serve::{CallFailure, Purpose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use super::status::NoInput;
use crate::answer::JsonAnswer;

/// Memoirs, by name.
#[derive(Serialize, JsonSchema)]
pub(super) struct Memoirs {
    memoirs: Vec<MemoirOverview>,
}

pub(super) fn list(asked: &QuestionContext<'_>, NoInput {}: NoInput) -> Result<JsonAnswer, CallFailure> {
    let memoirs = asked.with_memory(Purpose::Question, |database| memoir::list(database))?;
    JsonAnswer::of(&Memoirs { memoirs })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct MemoirInput {
    #[schemars(length(min = 1, max = 255))]
    name: String,
}

/// A memoir.
#[derive(Serialize, JsonSchema)]
pub(super) struct Memoir {
    #[serde(flatten)]
    statistics: MemoirStatistics,
    /// Its concepts.
    concept_list: Vec<Concept>,
    /// The links between its concepts.
    link_list: Vec<NamedLink>,
}

pub(super) fn show(asked: &QuestionContext<'_>, input: MemoirInput) -> Result<JsonAnswer, CallFailure> {
    let (statistics, graph) = asked.with_memory(Purpose::Question, |database| {
        Ok((memoir::show(database, &input.name)?, memoir::graph(database, &input.name)?))
    })?;
    JsonAnswer::of(&Memoir { statistics, concept_list: graph.concepts, link_list: graph.links })
}
