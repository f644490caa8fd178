//! Consolidates a topic: one summary replaces many memories, which stay in an archive.

use icr_model::UnixMillis;
use rusqlite::Connection;
use serde::Serialize;

use crate::listing::{memories_of_topic, project_of_topic};
use crate::operations::LogEntry;
use crate::store::{distinct, insert, new_id};
use crate::{
    Author, CodeBinding, Entity, Error, Memory, MemoryDatabase, MemoryKind, MemoryOptions, MemoryOrigin, ProjectKey,
    RecordId,
};

/// The topic that is consolidated, and its summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsolidationRequest {
    /// The project of the memories. If it has none under the topic, the memories of no project are used.
    pub project: ProjectKey,
    /// The topic of the memories.
    pub topic: String,
    /// The text that replaces the memories. If it is missing, the texts of all memories are joined, the most important
    /// first, one line each.
    pub summary: Option<String>,
    /// The places in code that the summary names, in addition to those of the memories.
    pub code: Option<CodeBinding>,
    /// Whether the memories are still recalled, beside the summary.
    pub keep_originals: bool,
    /// The author of the summary.
    pub author: Author,
    /// Where the summary comes from.
    pub source: MemoryOrigin,
}

/// The result of a consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Consolidation {
    /// Id of the summary, the memory that replaces the others.
    pub id: RecordId,
    /// Ids of the memories that were consolidated.
    pub sources: Vec<RecordId>,
    /// Whether they are archived; otherwise they are still recalled.
    pub archived: bool,
    /// Number of the operation, for undoing it.
    pub operation: Option<i64>,
}

/// Replaces the memories of a topic that do not expire by one memory. It gets their highest importance, all of their
/// keywords, links to them, and all places in code that they are about. The old memories are archived: they are no
/// longer recalled, but listed on request, and [`undo`](crate::undo) brings them back.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories; [`Error::Invalid`] for a topic with a single memory and no
/// summary, and for a summary that is not a valid text of a memory; errors of writing.
pub fn consolidate(
    database: &mut MemoryDatabase,
    request: &ConsolidationRequest,
    now: UnixMillis,
) -> Result<Consolidation, Error> {
    crate::memory::check_topic(&request.topic)?;
    request.summary.as_deref().map_or(Ok(()), |summary| crate::memory::check_text("summary", summary))?;
    database.write("consolidating a topic", |transaction, options| {
        let project = project_of_topic(transaction, &request.project, &request.topic)?;
        let request = &ConsolidationRequest { project, ..request.clone() };
        let sources = sources_of(transaction, options, request, now)?;
        let summary = match (&request.summary, &sources[..]) {
            (_, []) => {
                return Err(Error::NotFound { entity: "topic", name: request.topic.clone(), similar: Vec::new() });
            }
            (Some(summary), _) => summary.clone(),
            (None, [_]) => {
                return Err(Error::invalid("topic", "has a single memory", "give a summary to put in its place"));
            }
            (None, sources) => join_summaries(sources)?,
        };
        let log = LogEntry::new(transaction, ("consolidate", request.author), &request.project, now);
        let memory = Memory {
            id: new_id(transaction, now)?,
            project: request.project.clone(),
            topic: request.topic.clone(),
            summary,
            raw_excerpt: None,
            keywords: distinct(sources.iter().flat_map(|source| source.keywords.iter().cloned()).collect()),
            importance: sources.iter().map(|source| source.importance).max().unwrap_or_default(),
            source: request.source.clone(),
            author: request.author,
            kind: MemoryKind::Episodic,
            created_at: now,
            updated_at: now,
            accessed_at: now,
            access_count: 0,
            weight: 1.0,
            weight_at: now,
            expires_at: None,
            superseded_by: None,
            related: sources.iter().map(|source| source.id.clone()).collect(),
            code: code_of_all(request.code.as_ref(), &sources),
            senseless: Vec::new(),
        };
        insert(transaction, &log, options, &memory)?;
        if !request.keep_originals {
            for source in &sources {
                log.changing(Entity::Memory, source.id.as_str())?;
                let sql = "UPDATE memories SET superseded_by = ?2, version = version + 1 WHERE id = ?1";
                transaction.prepare_cached(sql)?.execute([source.id.as_str(), memory.id.as_str()])?;
            }
        }
        Ok(Consolidation {
            id: memory.id,
            sources: sources.iter().map(|source| source.id.clone()).collect(),
            archived: !request.keep_originals,
            operation: log.number(),
        })
    })
}

/// The memories of the topic that are recalled and do not expire, the most important first, then the heaviest.
fn sources_of(
    connection: &Connection,
    options: &MemoryOptions,
    request: &ConsolidationRequest,
    now: UnixMillis,
) -> Result<Vec<Memory>, Error> {
    let mut sources = memories_of_topic(connection, &request.project, &request.topic, now)?;
    // A memory that expires would become permanent in a summary.
    sources.retain(|source| source.expires_at.is_none());
    let weight = |memory: &Memory| memory.weight_now(&options.rules, now);
    sources.sort_by(|a, b| b.importance.cmp(&a.importance).then_with(|| weight(b).total_cmp(&weight(a))));
    Ok(sources)
}

/// All places that the summary and the memories are about. If several are about the same place, the one stored last
/// wins.
fn code_of_all(of_summary: Option<&CodeBinding>, sources: &[Memory]) -> Option<CodeBinding> {
    let mut newest_first: Vec<&Memory> = sources.iter().collect();
    newest_first.sort_by_key(|source| std::cmp::Reverse(source.updated_at));
    let mut bindings = of_summary.into_iter().chain(newest_first.into_iter().filter_map(|source| source.code.as_ref()));
    let mut all = bindings.next()?.clone();
    for binding in bindings {
        for place in &binding.places {
            if !all.places.iter().any(|known| (&known.path, &known.symbol) == (&place.path, &place.symbol)) {
                all.places.push(place.clone());
            }
        }
    }
    all.places.truncate(crate::memory::PLACES_MOST);
    Some(all)
}

/// The texts of all memories, one line each.
fn join_summaries(sources: &[Memory]) -> Result<String, Error> {
    let lines: Vec<String> = sources
        .iter()
        .map(|source| {
            let line = crate::near_duplicates::single_spaced(&source.summary);
            // The text of an earlier consolidation is already a list.
            format!("- {}", line.strip_prefix("- ").unwrap_or(&line))
        })
        .collect();
    let text = lines.join("\n");
    if text.len() > crate::TEXT_BYTES_MOST {
        let wrong = format!("has {} bytes of text, which is more than a memory holds", text.len());
        return Err(Error::Invalid { field: "topic", wrong, right: "give a summary to put in its place".to_owned() });
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
