//! `icm_memory_store`: keeps a memory.

use icr_memory::{Author, NewMemory, StoreAction, StoreOutcome};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::{CodeOfText, ImportanceName, counted_memories};
use crate::reply::Reply;
use icr_serve::CallFailure;
use icr_serve::Purpose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct IcmMemoryStoreInput {
    #[schemars(length(min = 1, max = 255))]
    topic: String,
    #[schemars(length(min = 1, max = 65_536))]
    content: String,
    #[serde(default)]
    importance: ImportanceName,
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 255)))]
    keywords: Vec<String>,
    /// Text it was taken from
    #[schemars(length(max = 65_536))]
    raw_excerpt: Option<String>,
}

pub(crate) fn run(call: &CallContext<'_>, input: IcmMemoryStoreInput) -> Result<Reply, CallFailure> {
    let new = NewMemory {
        project: call.project()?,
        topic: input.topic,
        summary: input.content,
        raw_excerpt: input.raw_excerpt.filter(|excerpt| !excerpt.trim().is_empty()),
        keywords: input.keywords,
        importance: input.importance.into(),
        source: call.source(),
        author: Author::Agent,
        code: None,
        ..NewMemory::default()
    };
    new.check()?;
    let code = CodeOfText::of(call, &new.summary);
    let new = NewMemory { code: code.binding, ..new };
    let now = call.now_ms();
    let outcome = call.with_memory(Purpose::Addition, |database| icr_memory::store(database, &new, now))?;
    let heading = if call.settings.compact { "ok:" } else { "Stored memory: " };
    Ok(Reply::text(format!("{heading}{}{}", outcome.id, became_of_it(&outcome, &new.topic, code.missed.as_deref()))))
}

/// What happened to the stored text, one line each; empty if it became a new memory that is unlike most others.
fn became_of_it(outcome: &StoreOutcome, topic: &str, missed: Option<&str>) -> String {
    let action = match outcome.action {
        StoreAction::Added => None,
        StoreAction::SameText => {
            Some("It was stored before; its keywords, importance and excerpt were added to that memory.".to_owned())
        }
        StoreAction::Merged => Some(
            "It was merged into a memory that says almost the same; the log keeps what that said before.".to_owned(),
        ),
    };
    let similar: Vec<&str> = outcome.similar.iter().map(|id| id.as_str()).collect();
    let similar = (!similar.is_empty()).then(|| format!("Similar, and kept apart: {}", similar.join(", ")));
    let hint = outcome.needs_consolidation.then(|| {
        let memories = counted_memories(outcome.topic_count);
        format!("Topic `{topic}` has {memories}: consider icm_memory_consolidate.")
    });
    [action, missed.map(str::to_owned), similar, hint].into_iter().flatten().map(|line| format!("\n{line}")).collect()
}
