//! Consolidating a topic: one summary in place of many memories, which stay in an archive.

use serde::Serialize;

use crate::listing::{is_recalled, memory_row, select_memories, weight_of};
use crate::operations::LogEntry;
use crate::store::{distinct, insert, new_id, rewrite};
use crate::{Author, Error, Memory, MemoryDatabase, MemoryKind, ProjectKey, RecordId, Source};

/// Which topic is consolidated, and into what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsolidationRequest {
    /// The project of the memories.
    pub project: ProjectKey,
    /// Their topic.
    pub topic: String,
    /// What stands in their place; without it, the texts of all, the most important first, a line each.
    pub summary: Option<String>,
    /// Whether the memories are recalled as before, beside the summary.
    pub keep_originals: bool,
    /// Who says so.
    pub author: Author,
    /// Where the summary comes from.
    pub source: Source,
}

/// What consolidating did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// Puts one memory in place of those of a topic. It has their highest importance, all of their keywords and links to them; they are archived
/// and are not recalled any more, but listed on request, and [`undo`](crate::undo) brings them back.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories; [`Error::Invalid`] for a summary that no memory may have; those of writing.
pub fn consolidate(
    database: &mut MemoryDatabase,
    request: &ConsolidationRequest,
    now: i64,
) -> Result<Consolidation, Error> {
    crate::memory::check_topic(&request.topic)?;
    let sources = sources_of(database, request, now)?;
    if sources.is_empty() {
        return Err(Error::NotFound { entity: "topic", name: request.topic.clone(), similar: Vec::new() });
    }
    let summary = request.summary.clone().unwrap_or_else(|| joined(&sources));
    crate::memory::check_text("summary", &summary)?;
    database.write("consolidating a topic", |transaction, options| {
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
            code: sources.iter().rev().find_map(|source| source.code.clone()),
        };
        insert(transaction, &log, options, &memory)?;
        if !request.keep_originals {
            for source in &sources {
                let archived = Memory { superseded_by: Some(memory.id.clone()), ..source.clone() };
                rewrite(transaction, &log, options, &archived)?;
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

/// The memories of the topic that are recalled, oldest first.
fn sources_of(database: &MemoryDatabase, request: &ConsolidationRequest, now: i64) -> Result<Vec<Memory>, Error> {
    let memories = database.read("reading the memories of a topic", |connection| {
        let sql = select_memories("WHERE project = ?1 AND topic = ?2 ORDER BY no");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([request.project.as_str(), &request.topic], memory_row)?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    })?;
    let mut sources: Vec<Memory> = memories.into_iter().filter(|memory| is_recalled(memory, now)).collect();
    sources.sort_by(|a, b| {
        let weight = |memory: &Memory| weight_of(database, memory, now);
        b.importance.cmp(&a.importance).then_with(|| weight(b).total_cmp(&weight(a)))
    });
    Ok(sources)
}

/// The texts of all, a line each, as many as a memory holds.
fn joined(sources: &[Memory]) -> String {
    let mut text = String::new();
    for source in sources {
        let line = source.summary.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() + line.len() + 3 > crate::TEXT_BYTES_MOST {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("- ");
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests;
