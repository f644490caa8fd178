//! Recall: the memories that a question is about.

use icr_rank::Strength;
use rusqlite::{Connection, ToSql, params_from_iter};

use crate::listing::{memory_row, select_memories};
use crate::memory::check_length;
use crate::{Error, ListScope, Memory, MemoryDatabase, effective_weight};

/// Longest question, in bytes; and the words of it that count.
const QUERY_BYTES_MOST: usize = 10_000;
const QUERY_WORDS_MOST: usize = 100;

/// Most memories of an answer.
pub const RECALL_MOST: usize = 200;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question, in any words; at most 10,000 bytes, of which the first 100 words count.
    pub query: String,
    /// Whose memories.
    pub scope: ListScope,
    /// Those filed under this.
    pub topic: Option<String>,
    /// Those with this keyword, in any case.
    pub keyword: Option<String>,
    /// At most so many; at most [`RECALL_MOST`].
    pub limit: usize,
}

/// A memory of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledMemory {
    /// The memory.
    pub memory: Memory,
    /// How well it answers, above 0 and at most 1, its weight included.
    pub score: f64,
    /// Its weight as of now.
    pub weight: f64,
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallAnswer {
    /// The memories, best first.
    pub memories: Vec<RecalledMemory>,
    /// How sure it is that they are about the question.
    pub strength: Strength,
    /// What the answer lacks, a sentence each.
    pub gaps: Vec<String>,
}

/// The memories that a question is about, best first. Reads only; [`touch`](crate::touch) counts the accesses.
///
/// # Errors
///
/// [`Error::Invalid`] for an empty question, a long one, or a limit of 0; those of reading.
pub fn recall(database: &MemoryDatabase, request: &RecallRequest, now: i64) -> Result<RecallAnswer, Error> {
    if request.query.trim().is_empty() {
        return Err(Error::invalid("query", "is empty", "ask for something"));
    }
    check_length("query", &request.query, QUERY_BYTES_MOST)?;
    if !(1..=RECALL_MOST).contains(&request.limit) {
        let wrong = format!("is {}", request.limit);
        return Err(Error::Invalid { field: "limit", wrong, right: format!("between 1 and {RECALL_MOST}") });
    }
    let matches = database.read("recalling memories", |connection| word_matches(connection, request, now))?;
    let best = matches.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    let scored = matches.into_iter().map(|(memory, score)| {
        let weight = effective_weight(
            (memory.weight, memory.weight_at),
            memory.importance,
            memory.access_count,
            database.rules(),
            now,
        );
        let score = if best > 0.0 { score / best * weight } else { weight };
        RecalledMemory { memory, score, weight }
    });
    let mut memories: Vec<RecalledMemory> = scored.collect();
    memories.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.memory.id.cmp(&a.memory.id)));
    memories.truncate(request.limit);
    let strength = if memories.is_empty() { Strength::None } else { Strength::Strong };
    Ok(RecallAnswer { memories, strength, gaps: Vec::new() })
}

/// Memories with any of the words, and how well each matches.
fn word_matches(connection: &Connection, request: &RecallRequest, now: i64) -> rusqlite::Result<Vec<(Memory, f64)>> {
    let words = request.query.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.take(QUERY_WORDS_MOST).map(|word| format!("\"{word}\"")).collect();
    if quoted.is_empty() {
        return Ok(Vec::new());
    }
    let (in_scope, project) = request.scope.condition();
    let mut condition = String::from(
        "JOIN (SELECT rowid AS matched, -bm25(memories_fts) AS score FROM memories_fts WHERE memories_fts MATCH ?) ON no = matched \
         WHERE superseded_by IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    );
    condition.push_str(in_scope);
    let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(quoted.join(" OR ")), Box::new(now)];
    values.extend(project.map(|project| Box::new(project) as Box<dyn ToSql>));
    if let Some(topic) = &request.topic {
        condition.push_str(" AND topic = ?");
        values.push(Box::new(topic.clone()));
    }
    if let Some(keyword) = &request.keyword {
        condition.push_str(" AND EXISTS (SELECT 1 FROM json_each(keywords) WHERE lower(value) = lower(?))");
        values.push(Box::new(keyword.clone()));
    }
    condition.push_str(" ORDER BY score DESC LIMIT 1000");
    let sql = select_memories(&condition).replace(", code FROM", ", code, score FROM");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| Ok((memory_row(row)?, row.get(20)?)))?;
    rows.collect()
}

#[cfg(test)]
mod tests;
