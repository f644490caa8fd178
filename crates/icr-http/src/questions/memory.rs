//! Questions about memories, and what is kept and deleted of them.

use std::time::Duration;

use icr_engine::{AbsentCode, BindRequest, Deadline, MemoriesInView, Snapshot, Strength, ViewSelector};
use icr_memory::{
    Author, CodeBinding, Importance, ListRequest, ListScope, Memory, MemoryItem, MemoryOrigin, NewMemory,
    RecallRequest, RecalledMemory, RecordId, Statistics, StoreOutcome, TopicCount,
};
use icr_serve::{CallFailure, Code, Purpose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QuestionContext;
use crate::answer::JsonAnswer;

/// Longest time that is spent on looking at the code that memories are about.
const LOOK_TIME: Duration = Duration::from_millis(500);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ScopeInput {
    /// Include memories of all repositories
    #[serde(default)]
    all_projects: bool,
}

/// Topics with how many memories each has.
#[derive(Serialize, JsonSchema)]
pub(super) struct Topics {
    topics: Vec<TopicCount>,
}

pub(super) fn topics(asked: &QuestionContext<'_>, input: ScopeInput) -> Result<JsonAnswer, CallFailure> {
    let scope = asked.memory_scope(input.all_projects)?;
    let now = asked.now_ms();
    let topics = asked.with_memory(Purpose::Question, |database| icr_memory::topics(database, &scope, now))?;
    JsonAnswer::of(&Topics { topics })
}

pub(super) fn stats(asked: &QuestionContext<'_>, input: ScopeInput) -> Result<JsonAnswer, CallFailure> {
    let scope = asked.memory_scope(input.all_projects)?;
    let now = asked.now_ms();
    let found: Statistics =
        asked.with_memory(Purpose::Question, |database| icr_memory::statistics(database, &scope, now))?;
    JsonAnswer::of(&found)
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListInput {
    /// Only memories of this topic
    #[schemars(length(min = 1, max = 255))]
    topic: Option<String>,
    /// Include memories that were consolidated into others or have expired
    #[serde(default)]
    archived: bool,
    /// Include memories of all repositories
    #[serde(default)]
    all_projects: bool,
    #[serde(default = "list_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn list_limit() -> u32 {
    100
}

/// Memories.
#[derive(Serialize, JsonSchema)]
pub(super) struct MemoryList {
    memories: Vec<MemoryItem>,
    /// Number of memories, including those beyond `limit`.
    total_count: u64,
}

pub(super) fn list(asked: &QuestionContext<'_>, input: ListInput) -> Result<JsonAnswer, CallFailure> {
    let now = asked.now_ms();
    let request = ListRequest {
        scope: asked.memory_scope(input.all_projects)?,
        topic: input.topic,
        archived: input.archived,
        ..ListRequest::default()
    };
    let (memories, total) = asked.with_memory(Purpose::Question, |database| {
        let memories = icr_memory::list(database, &request, now)?;
        let total = memories.len() as u64;
        let recalled =
            |memory: Memory| RecalledMemory { score: 0.0, weight: memory.weight_now(database.rules(), now), memory };
        Ok((memories.into_iter().take(input.limit as usize).map(recalled).collect::<Vec<_>>(), total))
    })?;
    let MemoriesInView { items, .. } = in_view(asked, &memories, AbsentCode::Show);
    let memories = items.into_iter().map(|item| MemoryItem { score: None, ..item }).collect();
    JsonAnswer::of(&MemoryList { memories, total_count: total })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RecallInput {
    /// A question, or words
    #[schemars(length(min = 1, max = 10_000))]
    query: String,
    #[schemars(length(min = 1, max = 255))]
    topic: Option<String>,
    /// One of its keywords
    #[schemars(length(min = 1, max = 255))]
    keyword: Option<String>,
    /// Include memories of all repositories
    #[serde(default)]
    all_projects: bool,
    #[serde(default = "recall_limit")]
    #[schemars(range(min = 1, max = 50))]
    limit: u32,
}

fn recall_limit() -> u32 {
    10
}

/// Recalled memories.
#[derive(Serialize, JsonSchema)]
pub(super) struct RecalledMemories {
    memories: Vec<MemoryItem>,
    /// How well the memories answer the question.
    strength: Strength,
    /// Number of memories left out because their code is not in the worktree.
    hidden: u64,
}

pub(super) fn recall(asked: &QuestionContext<'_>, input: RecallInput) -> Result<JsonAnswer, CallFailure> {
    let limit = input.limit as usize;
    let request = RecallRequest {
        query: input.query,
        scope: asked.memory_scope(input.all_projects)?,
        topic: input.topic,
        keyword: input.keyword,
        limit: (limit * 2).min(icr_memory::RECALL_MOST),
    };
    let now = asked.now_ms();
    let answer = asked.with_memory(Purpose::Question, |database| icr_memory::recall(database, &request, now))?;
    let answering = icr_memory::answering(&answer.memories, icr_memory::ANSWERING_SHARE);
    let shows_absent = asked.server.settings.memory_view.cross_branch;
    let MemoriesInView { mut items, hidden } =
        in_view(asked, &answering, if shows_absent { AbsentCode::Show } else { AbsentCode::Hide });
    items.truncate(answer.strength.shown_count(limit));
    JsonAnswer::of(&RecalledMemories { memories: items, strength: answer.strength, hidden: hidden as u64 })
}

/// Memories with what has become of their code, where an index is there and tells in time.
fn in_view(asked: &QuestionContext<'_>, memories: &[RecalledMemory], absent: AbsentCode) -> MemoriesInView {
    let plain = || {
        let item = |recalled: &RecalledMemory| MemoryItem::new(&recalled.memory, recalled.weight, Some(recalled.score));
        MemoriesInView { items: memories.iter().map(item).collect(), hidden: 0 }
    };
    if memories.iter().all(|recalled| recalled.memory.code.is_none()) {
        return plain();
    }
    look_at_code(asked, |snapshot| icr_engine::memories_in_view(snapshot, memories, absent)).unwrap_or_else(plain)
}

/// What `question` gets from the worktree; `None` where it is not indexed, or does not answer in time.
fn look_at_code<T>(
    asked: &QuestionContext<'_>,
    question: impl Fn(&Snapshot) -> Result<T, icr_engine::Error>,
) -> Option<T> {
    let repository = asked.repository().ok().filter(|repository| repository.is_indexed())?;
    let left = asked.deadline.remaining_time().unwrap_or(LOOK_TIME);
    let looked = repository.ask(&ViewSelector::Worktree, &Deadline::after(LOOK_TIME.min(left / 2)), question);
    looked.map(|(answer, _)| answer).map_err(|error| tracing::debug!(%error, "the code is not looked at")).ok()
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct StoreInput {
    #[schemars(length(min = 1, max = 255))]
    topic: String,
    #[schemars(length(min = 1, max = 65_536))]
    content: String,
    #[serde(default)]
    importance: Importance,
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 255)))]
    keywords: Vec<String>,
}

/// What became of what was stored.
pub(super) type StoredMemory = StoreOutcome;

pub(super) fn store(asked: &QuestionContext<'_>, input: StoreInput) -> Result<JsonAnswer, CallFailure> {
    let new = NewMemory {
        project: asked.project()?,
        topic: input.topic,
        summary: input.content,
        keywords: input.keywords,
        importance: input.importance,
        source: MemoryOrigin("http".to_owned()),
        author: Author::Person,
        ..NewMemory::default()
    };
    asked.may_write()?;
    new.check()?;
    let request = BindRequest { text: new.summary.clone(), ..BindRequest::default() };
    let code: Option<CodeBinding> = look_at_code(asked, |snapshot| icr_engine::bind_code(snapshot, &request));
    let new = NewMemory { code: code.filter(|code| !code.places.is_empty()), ..new };
    let now = asked.now_ms();
    let outcome = asked.with_memory(Purpose::Addition, |database| icr_memory::store(database, &new, now))?;
    JsonAnswer::of(&outcome)
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct IdInput {
    #[schemars(length(min = 1, max = 64))]
    id: String,
    /// Delete the memory even if it is of another repository
    #[serde(default)]
    all_projects: bool,
}

/// The deleted memory.
#[derive(Serialize, JsonSchema)]
pub(super) struct Forgotten {
    id: RecordId,
}

pub(super) fn forget(asked: &QuestionContext<'_>, input: IdInput) -> Result<JsonAnswer, CallFailure> {
    let id = RecordId::try_from(input.id.as_str()).map_err(|_| {
        let message = "`id` is not the id of a memory: an id has letters, digits, `-` and `_`";
        CallFailure::new(Code::ValidationError, message).with("field", "id")
    })?;
    let memory = asked.with_memory(Purpose::Change, |database| icr_memory::memory_of(database, &id))?;
    if let ListScope::Project(project) = asked.memory_scope(input.all_projects)?
        && !memory.project.is_none()
        && memory.project != project
    {
        let message = format!(
            "there is no memory `{id}` here: it is of another repository; name that by `repo`, or add `all_projects`"
        );
        return Err(CallFailure::new(Code::NotFound, message).with("field", "id").with("value", id.as_str()));
    }
    let now = asked.now_ms();
    asked.with_memory(Purpose::Change, |database| icr_memory::forget(database, &id, Author::Person, now))?;
    JsonAnswer::of(&Forgotten { id })
}
