//! Consolidating a topic: one summary in place of many memories, which stay in an archive.

use rusqlite::Connection;
use serde::Serialize;

use crate::listing::{memories_of_topic, project_of_topic};
use crate::operations::LogEntry;
use crate::store::{distinct, insert, new_id};
use crate::{
    Author, CodeBinding, Entity, Error, Memory, MemoryDatabase, MemoryKind, MemoryOptions, MemoryOrigin, ProjectKey,
    RecordId,
};

/// Which topic is consolidated, and into what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsolidationRequest {
    /// The project of the memories; where it has none under the topic, those of no project are meant.
    pub project: ProjectKey,
    /// Their topic.
    pub topic: String,
    /// What stands in their place; without it, the texts of all, the most important first, a line each.
    pub summary: Option<String>,
    /// Code that the summary names, besides that of the memories.
    pub code: Option<CodeBinding>,
    /// Whether the memories are recalled as before, beside the summary.
    pub keep_originals: bool,
    /// Who says so.
    pub author: Author,
    /// Where the summary comes from.
    pub source: MemoryOrigin,
}

/// What consolidating did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Consolidation {
    /// The memory that stands in place of the others.
    pub id: RecordId,
    /// The memories that it was made of.
    pub sources: Vec<RecordId>,
    /// Whether they are archived; else they are recalled as before.
    pub archived: bool,
    /// The operation, for undoing it.
    pub operation: Option<i64>,
}

/// Puts one memory in place of those of a topic that do not expire. It has their highest importance, all of their keywords, links to them, and the code that any of
/// them is about; they are archived and are not recalled any more, but listed on request, and [`undo`](crate::undo) brings them back.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories; [`Error::Invalid`] for one with a single memory and no summary, and for a summary that no
/// memory may have; those of writing.
pub fn consolidate(
    database: &mut MemoryDatabase,
    request: &ConsolidationRequest,
    now: i64,
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
    now: i64,
) -> Result<Vec<Memory>, Error> {
    let mut sources = memories_of_topic(connection, &request.project, &request.topic, now)?;
    // What holds for a time only would hold for good in a summary.
    sources.retain(|source| source.expires_at.is_none());
    let weight = |memory: &Memory| memory.weight_now(&options.rules, now);
    sources.sort_by(|a, b| b.importance.cmp(&a.importance).then_with(|| weight(b).total_cmp(&weight(a))));
    Ok(sources)
}

/// All places that the summary and the memories are about; of one that several are about, what was stored of it last.
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

/// The texts of all, a line each.
fn join_summaries(sources: &[Memory]) -> Result<String, Error> {
    let lines: Vec<String> = sources
        .iter()
        .map(|source| {
            let line = crate::near_duplicates::single_spaced(&source.summary);
            // One that was consolidated before is a list already.
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
