//! Follows links from the best memories of an answer: to memories with a similar meaning, and to memories that are
//! sources of the same concept.

use std::collections::BTreeSet;

use icr_model::UnixMillis;
use rusqlite::{Connection, OptionalExtension};

use super::{RecallRequest, RecalledMemory};
use crate::listing::{is_recalled, memory_row, select_memories, unless_senseless};
use crate::{Error, ListScope, Memory, MemoryRules, RecordId};

/// Number of best memories whose links are followed.
const LINKING: usize = 3;

/// Share of a memory's score that the memories linked from it get.
const LINKED_SHARE: f64 = 0.3;

/// Raises the scores of memories that the best ones are linked to, and adds linked memories that were not found by
/// words.
pub(super) fn lift_linked(
    connection: &Connection,
    request: &RecallRequest,
    rules: &MemoryRules,
    memories: &mut Vec<RecalledMemory>,
    now: UnixMillis,
) -> Result<(), Error> {
    let best: Vec<(RecordId, Vec<RecordId>, f64)> = memories
        .iter()
        .take(LINKING)
        .map(|recalled| (recalled.memory.id.clone(), recalled.memory.related.clone(), recalled.score))
        .collect();
    for (id, related, score) in best {
        let linked: BTreeSet<RecordId> = related.into_iter().chain(of_one_concept(connection, &id)?).collect();
        for other in linked.into_iter().filter(|other| *other != id) {
            let share = score * LINKED_SHARE;
            if let Some(known) = memories.iter_mut().find(|recalled| recalled.memory.id == other) {
                known.score = known.score.max(share);
                continue;
            }
            let sql = select_memories("WHERE id = ?1");
            let memory = connection.prepare_cached(&sql)?.query_row([other.as_str()], memory_row).optional();
            if let Some(memory) = unless_senseless(memory)?.filter(|memory| is_asked_for(request, memory, now)) {
                let weight = memory.weight_now(rules, now);
                memories.push(RecalledMemory { memory, score: share, weight });
            }
        }
    }
    Ok(())
}

/// The memories that are sources of the same concepts as the given one, itself included.
fn of_one_concept(connection: &Connection, id: &RecordId) -> Result<Vec<RecordId>, Error> {
    let sql = "SELECT sources FROM concepts WHERE instr(sources, ?1) > 0";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map([format!("\"{id}\"")], |row| Ok(row.get_ref(0)?.as_str().unwrap_or_default().to_owned()))?;
    let mut others = Vec::new();
    for row in rows {
        others.extend(serde_json::from_str::<Vec<RecordId>>(&row?).unwrap_or_default());
    }
    Ok(others)
}

/// Whether the request allows a linked memory as an answer.
fn is_asked_for(request: &RecallRequest, memory: &Memory, now: UnixMillis) -> bool {
    let is_in_scope = match &request.scope {
        ListScope::All => true,
        ListScope::Project(project) => memory.project == *project || memory.project.is_none(),
    };
    let has_keyword = request.keyword.as_ref().is_none_or(|keyword| {
        let keyword = keyword.trim().to_lowercase();
        memory.keywords.iter().any(|own| own.to_lowercase() == keyword)
    });
    let has_topic = request.topic.as_ref().is_none_or(|topic| memory.topic == *topic);
    is_recalled(memory, now) && is_in_scope && has_keyword && has_topic
}
