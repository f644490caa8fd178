//! Recall: finds the memories that a question is about.
//!
//! Words select the candidates: each row that contains a word of the question, or is next to such a row in a
//! conversation. The best candidates are read and scored by BM25 over a window of rows, where each word counts at the
//! row that scores best for it, because an answer is often next to the row with the question's words. Vectors add the
//! similarity in meaning. Memories that the best rows are linked to get a higher score ([`links`]). A memory of weight
//! 0 would keep three quarters of its score.

mod candidates;
mod links;
mod scoring;
mod utterance;

use icr_model::UnixMillis;
use icr_rank::Strength;
use rusqlite::{Connection, OptionalExtension};

use crate::listing::{memory_row, select_memories, unless_senseless};
use crate::{Error, ListScope, Memory, MemoryDatabase};

use candidates::Candidates;
use scoring::Scoring;
pub(crate) use utterance::Utterance;

/// Longest question, in characters.
const QUERY_CHARACTERS_MOST: usize = 10_000;

/// Share of its score that a memory keeps at weight 0.
const FORGOTTEN_SHARE: f64 = 0.75;

/// Most memories in an answer.
pub const RECALL_MOST: usize = 200;

/// A question to recall memories for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question in natural language; at most 10,000 characters, of which the first 64 distinct words count.
    pub query: String,
    /// Which projects' memories are searched.
    pub scope: ListScope,
    /// Only memories under this topic.
    pub topic: Option<String>,
    /// Only memories with this keyword, in upper or lower case.
    pub keyword: Option<String>,
    /// Most memories to return; at most [`RECALL_MOST`].
    pub limit: usize,
}

/// A memory in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledMemory {
    /// The memory.
    pub memory: Memory,
    /// Its score relative to the other memories, above 0 and at most 1.
    pub score: f64,
    /// Its current weight.
    pub weight: f64,
}

/// Share of the best score below which a memory is not an answer. A memory that shares only a common word with the
/// question has a lower score.
pub const ANSWERING_SHARE: f64 = 0.1;

/// Those of `memories` whose score is at least `share` of the best score, in their order.
pub fn answering(memories: &[RecalledMemory], share: f64) -> Vec<RecalledMemory> {
    let best = memories.iter().map(|recalled| recalled.score).fold(0.0, f64::max);
    memories.iter().filter(|recalled| recalled.score >= best * share).cloned().collect()
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallAnswer {
    /// The memories, best first.
    pub memories: Vec<RecalledMemory>,
    /// How sure it is that the memories are about the question.
    pub strength: Strength,
}

/// The memories that a question is about, best first. Only reads; [`touch`](crate::touch) counts the accesses. Cost:
/// reading a few hundred rows, and for each word the list of the rows that contain it.
///
/// # Errors
///
/// [`Error::Invalid`] for an empty or too long question, or a limit of 0; errors of reading.
pub fn recall(database: &MemoryDatabase, request: &RecallRequest, now: UnixMillis) -> Result<RecallAnswer, Error> {
    if request.query.trim().is_empty() {
        return Err(Error::invalid("query", "is empty", "ask for something"));
    }
    let characters = request.query.chars().count();
    if characters > QUERY_CHARACTERS_MOST {
        return Err(Error::Invalid {
            field: "query",
            wrong: format!("has {characters} characters"),
            right: format!("at most {QUERY_CHARACTERS_MOST}; ask for less at a time"),
        });
    }
    if !(1..=RECALL_MOST).contains(&request.limit) {
        let wrong = format!("is {}", request.limit);
        return Err(Error::Invalid { field: "limit", wrong, right: format!("between 1 and {RECALL_MOST}") });
    }
    let doing = "recalling memories";
    let answer = database.read(doing, |connection| Ok(answer(database, connection, request, now)))?;
    answer.map_err(|error| error.of(doing, database.path()))
}

fn answer(
    database: &MemoryDatabase,
    connection: &Connection,
    request: &RecallRequest,
    now: UnixMillis,
) -> Result<RecallAnswer, Error> {
    let candidates = Candidates::of(database, connection, request)?;
    let scored = Scoring::new(connection, &candidates, request, now).best()?;
    let strength = scored.strength;
    let sql = select_memories("WHERE no = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut memories = Vec::with_capacity(scored.rows.len());
    for (no, score) in scored.rows {
        let Some(memory) = unless_senseless(statement.query_row([no], memory_row).optional())? else { continue };
        let weight = memory.weight_now(database.rules(), now);
        memories.push(RecalledMemory { memory, score, weight });
    }
    links::lift_linked(connection, request, database.rules(), &mut memories, now)?;
    // An old memory that matches exactly comes before a new one that matches vaguely: losing half of the weight costs
    // an eighth of the score.
    let order =
        |recalled: &RecalledMemory| recalled.score * (FORGOTTEN_SHARE + (1.0 - FORGOTTEN_SHARE) * recalled.weight);
    memories.sort_by(|a, b| order(b).total_cmp(&order(a)).then_with(|| a.memory.id.cmp(&b.memory.id)));
    memories.truncate(request.limit);
    let greatest = memories.iter().map(order).fold(1.0, f64::max);
    for recalled in &mut memories {
        recalled.score = order(recalled) / greatest;
    }
    Ok(RecallAnswer { memories, strength })
}

#[cfg(test)]
mod tests;
