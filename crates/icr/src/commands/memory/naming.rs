//! Finding memories by what people type, and showing records of operations to people.

use icr_memory::{Entity, ListRequest, ListScope, Memory, MemoryDatabase, RecordId};
use icr_model::UnixMillis;

use super::memory_error;
use crate::columns::shortened;
use crate::memory_context::MemoryContext;
use crate::problem::{NotThere, Usage};

/// Shortest beginning of an id that names a memory, in characters.
const ID_BEGINNING_LEAST: usize = 6;

/// Memories that are listed when the beginning of an id is ambiguous.
const CANDIDATES_NAMED: usize = 5;

/// Width of a shortened text that reminds of a memory, in columns.
const REMINDER_COLUMNS: usize = 60;

/// The memory that `typed` names: by its full id, or by at least six characters that begin this id and no other.
///
/// Cost: a look-up; where that finds nothing, all memories are read.
fn memory_named(database: &MemoryDatabase, typed: &RecordId, now: UnixMillis) -> anyhow::Result<Memory> {
    let error = match icr_memory::memory_of(database, typed) {
        Err(error @ icr_memory::Error::NotFound { .. }) => error,
        found => return found.map_err(memory_error),
    };
    let not_there = || NotThere { error: error.into(), hint: "`icr list --all` names what is there".to_owned() };
    let beginning = typed.as_str();
    if beginning.len() < ID_BEGINNING_LEAST {
        let hint = format!("give an id, or {ID_BEGINNING_LEAST} or more characters that only one begins with");
        return Err(NotThere { hint, ..not_there() }.into());
    }
    let request = ListRequest { scope: ListScope::All, archived: true, ..ListRequest::default() };
    let mut memories = icr_memory::list(database, &request, now).map_err(memory_error)?;
    let begins = |memory: &Memory| {
        let id = memory.id.as_str().get(..beginning.len());
        id.is_some_and(|id| id.eq_ignore_ascii_case(beginning))
    };
    memories.retain(begins);
    match memories.len() {
        0 => Err(not_there().into()),
        1 => Ok(memories.remove(0)),
        count => {
            let named: Vec<String> = memories
                .iter()
                .take(CANDIDATES_NAMED)
                .map(|memory| format!("{} {}", memory.id, reminder(&memory.topic, &memory.summary)))
                .collect();
            let more = if count > CANDIDATES_NAMED { "; and more" } else { "" };
            Err(Usage {
                message: format!("the ids of {count} memories begin with `{beginning}`"),
                hint: Some(format!("type more of one: {}{more}", named.join("; "))),
            }
            .into())
        }
    }
}

/// As [`memory_named`], but a memory of another project is refused unless `all_projects`, as the server's tools refuse
/// it.
pub(super) fn own_memory(
    context: &MemoryContext,
    database: &MemoryDatabase,
    named: (&RecordId, bool),
    now: UnixMillis,
) -> anyhow::Result<Memory> {
    memory_of_project(context, database, named, now, "give the command there, or with `--all-projects`")
}

/// As [`own_memory`], for a change: `icr undo` here would not restore a memory of another project.
pub(super) fn memory_to_change(
    context: &MemoryContext,
    database: &MemoryDatabase,
    named: (&RecordId, bool),
    now: UnixMillis,
) -> anyhow::Result<Memory> {
    let hint = "give the command there, or with `--all-projects`; then `icr undo --all-projects` reverts it";
    memory_of_project(context, database, named, now, hint)
}

fn memory_of_project(
    context: &MemoryContext,
    database: &MemoryDatabase,
    (typed, all_projects): (&RecordId, bool),
    now: UnixMillis,
    hint: &str,
) -> anyhow::Result<Memory> {
    let memory = memory_named(database, typed, now)?;
    let is_own = memory.project.is_none() || memory.project == context.project;
    match all_projects || is_own || matches!(context.scope(false), ListScope::All) {
        true => Ok(memory),
        false => Err(Usage {
            message: format!(
                "memory {} is of another repository: {}",
                memory.id,
                reminder(&memory.topic, &memory.summary)
            ),
            hint: Some(hint.to_owned()),
        }
        .into()),
    }
}

/// A topic, and the beginning of a text that is filed under it, in one line.
pub(super) fn reminder(topic: &str, text: &str) -> String {
    format!("[{}] {}", shortened(topic, TOPIC_COLUMNS), shortened(text, REMINDER_COLUMNS))
}

/// Width of a topic on a line that shows more than the topic, in columns.
pub(super) const TOPIC_COLUMNS: usize = 40;

/// A record of an operation in words: topic and text of a memory, or the name of a memoir or concept. A removed record
/// is described as it was before. `None` for links, and if there is no description any more.
pub(super) fn record_line(database: &MemoryDatabase, entity: &str, id: &str) -> anyhow::Result<Option<String>> {
    let Some(entity) = Entity::from_name(entity) else { return Ok(None) };
    if let (Entity::Memory, Ok(id)) = (entity, RecordId::try_from(id))
        && let Ok(memory) = icr_memory::memory_of(database, &id)
    {
        return Ok(Some(reminder(&memory.topic, &memory.summary)));
    }
    let history = icr_memory::history(database, entity, id).map_err(memory_error)?;
    let image = history.iter().map(|(_, before)| before).find(|before| before.is_object());
    let field = |name: &str| image.and_then(|image| image[name].as_str());
    Ok(match entity {
        Entity::Memory => field("topic").zip(field("summary")).map(|(topic, text)| reminder(topic, text)),
        Entity::Memoir | Entity::Concept => field("name").map(|name| shortened(name, REMINDER_COLUMNS)),
        Entity::Link => None,
    })
}

/// The error for a topic that does not exist in `scope`, with similar topics that do, and whether another project has
/// it.
pub(super) fn no_such_topic(
    database: &MemoryDatabase,
    scope: &ListScope,
    topic: &str,
    now: UnixMillis,
) -> anyhow::Error {
    const SIMILAR_MOST: usize = 3;
    let topics = |scope: &ListScope| icr_memory::topics(database, scope, now).unwrap_or_default();
    let own = topics(scope);
    let mut names: Vec<&str> = own.iter().map(|topic| topic.topic.as_str()).collect();
    names.dedup();
    let similar = icr_model::similar_names(topic, names, SIMILAR_MOST).into_iter().map(str::to_owned).collect();
    let hint = match topics(&ListScope::All).iter().any(|other| other.topic == topic) {
        true => "another project has this topic, and this one does not; `icr topics --all-projects` lists those of all",
        false => "`icr topics` lists those of this project",
    };
    let error = icr_memory::Error::NotFound { entity: "topic", name: topic.to_owned(), similar };
    NotThere { error: error.into(), hint: hint.to_owned() }.into()
}
