//! Helpers of the memory tools: names, ids, the code that a text is about, and how memories are shown.

use icr_engine::{AmbiguousName, BindRequest, ambiguous_names, bind_code, may_name_code};
use icr_memory::memoir::{Concept, ConceptHit, NamedLink};
use icr_memory::{CodeBinding, Importance, Memory, RecordId};
use icr_serve::{CallFailure, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{CallContext, CodeLook};
use crate::reply::Reply;
use crate::truncation::tokens_of;

// How much a memory matters. Not a doc comment, since it would appear in the schema of every such argument.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImportanceName {
    Critical,
    High,
    #[default]
    Medium,
    Low,
}

impl From<ImportanceName> for Importance {
    fn from(name: ImportanceName) -> Self {
        match name {
            ImportanceName::Critical => Self::Critical,
            ImportanceName::High => Self::High,
            ImportanceName::Medium => Self::Medium,
            ImportanceName::Low => Self::Low,
        }
    }
}

/// The id of a memory in the argument `id`.
///
/// # Errors
///
/// A validation error if the argument is not an id.
pub(crate) fn memory_id(id: &str) -> Result<RecordId, CallFailure> {
    RecordId::try_from(id).map_err(|_| {
        CallFailure::validation(Violation {
            field: "id",
            constraint: "pattern",
            value: &Value::String(id.to_owned()),
            allowed: json!("the id of a memory, as icm_memory_recall shows it"),
            problem: "is no id: an id has letters, digits, `-` and `_`".to_owned(),
        })
    })
}

/// The code that a text is about.
pub(crate) struct CodeOfText {
    /// The places that it names, if any are known.
    pub(crate) binding: Option<CodeBinding>,
    /// A notice that code which the text may name is not recorded, and why.
    pub(crate) missed: Option<String>,
}

impl CodeOfText {
    /// Nothing is indexed for this.
    pub(crate) fn of(call: &CallContext<'_>, text: &str) -> Self {
        let request = BindRequest { text: text.to_owned(), ..BindRequest::default() };
        let unknown = |why: &str| Self { binding: None, missed: Some(why.to_owned()) };
        match call.look_at_code(|snapshot| Ok((bind_code(snapshot, &request)?, ambiguous_names(snapshot, text)?))) {
            CodeLook::Answered((binding, ambiguous)) => Self {
                binding: Some(binding).filter(|binding| !binding.places.is_empty()),
                missed: AmbiguousName::notice(&ambiguous).map(|notice| format!("{notice}.")),
            },
            CodeLook::NotIndexed if may_name_code(text) && call.project().is_ok_and(|project| !project.is_none()) => {
                unknown("Not tied to code: the repository is not indexed; after an env_search, the same again adds it.")
            }
            CodeLook::NotIndexed => Self { binding: None, missed: None },
            CodeLook::NotAnswered => {
                unknown("Code not looked at: the index did not answer in time; the same again adds it.")
            }
        }
    }
}

/// A concept as an item of a list.
pub(crate) fn concept_item(concept: &Concept) -> Value {
    let mut item = json!({ "name": concept.name, "definition": concept.definition });
    if !concept.labels.is_empty() {
        item["labels"] = json!(concept.labels);
    }
    item["confidence"] = json!(rounded(concept.confidence));
    item["revision"] = json!(concept.revision);
    item
}

/// A link as an item of a list.
pub(crate) fn link_item(link: &NamedLink) -> Value {
    json!({ "from": link.from, "relation": link.relation.name(), "to": link.to })
}

/// The first `limit` memoir hits, best first, and how many there are. If there are [`HITS_MOST`], there may be more.
pub(crate) fn concept_hits(hits: &[ConceptHit], limit: usize) -> Reply {
    let items = hits.iter().take(limit).map(|hit| {
        let mut item = concept_item(&hit.concept);
        item["memoir"] = json!(hit.memoir);
        item["score"] = json!(rounded(hit.score));
        item
    });
    let concepts: Vec<Value> = items.collect();
    Reply::default()
        .and("total_count", json!(hits.len()))
        .and("has_more", json!(hits.len() > limit))
        .and("concepts", Value::Array(concepts))
}

/// `value` rounded to three decimal places: more digits are of no use.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// `topics` in the order of an answer. If there is no room for all, those that need consolidation come first, because
/// the last ones are cut.
pub(crate) fn urgent_first<T: Serialize>(
    call: &CallContext<'_>,
    mut topics: Vec<T>,
    is_urgent: impl Fn(&T) -> bool,
) -> Vec<T> {
    /// Model tokens reserved for the rest of the answer.
    const FRAME_TOKENS: u32 = 500;
    if tokens_of(&json!(topics)).saturating_add(FRAME_TOKENS) > call.settings.limits.soft_tokens {
        topics.sort_by_key(|topic| !is_urgent(topic));
    }
    topics
}

/// A note about an archived memory, to follow the result of changing it.
pub(crate) fn archived_note(memory: &Memory) -> String {
    let whole = memory.superseded_by.as_ref();
    whole.map(|whole| format!(" (archived: {whole} is recalled in its place)")).unwrap_or_default()
}

/// Whether a character ends a line, or moves the cursor of whoever shows it.
fn is_control(character: char) -> bool {
    (character.is_control() && character != '\t') || matches!(character, '\u{2028}' | '\u{2029}')
}

/// `1 memory`, `8 memories`.
pub(crate) fn counted_memories(count: u64) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

/// Stored text on one line, so that it cannot look like other lines of the answer.
pub(crate) fn on_one_line(text: &str) -> String {
    text.trim().replace(is_control, " ")
}

/// Stored text with every line indented, so that it cannot look like icr's own lines.
pub(crate) fn indented(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text
        .trim_end()
        .split(is_control)
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
    lines.collect()
}
