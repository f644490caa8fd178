//! Recall: the memories that a question is about.
//!
//! Words choose the candidates: each row that says a word of the question, or stands beside one in a conversation. The best of them are read
//! and scored by BM25 over a window, each word where it is said best: what answers a question often stands beside what its words hit. Vectors
//! add how near a row is in meaning. What the best rows are linked to is lifted ([`links`]). A memory without any weight keeps three quarters of its
//! score.

mod candidates;
mod links;
mod scoring;
mod utterance;

use icr_rank::Strength;
use rusqlite::Connection;

use crate::listing::{memory_row, select_memories};
use crate::{Error, ListScope, Memory, MemoryDatabase};

use candidates::Candidates;
use scoring::Scoring;
pub(crate) use utterance::Utterance;

/// Longest question, in characters.
const QUERY_CHARACTERS_MOST: usize = 10_000;

/// Share of its score that a memory keeps whose weight has gone.
const FORGOTTEN_SHARE: f64 = 0.75;

/// Most memories of an answer.
pub const RECALL_MOST: usize = 200;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question, in any words; at most 10,000 characters, of which the first 64 distinct words count.
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
    /// How well it answers beside the others, above 0 and at most 1.
    pub score: f64,
    /// Its weight as of now.
    pub weight: f64,
}

/// Share of the best score below which a memory answers nothing: what shares only a common word with the question stays below it.
pub const ANSWERING_SHARE: f64 = 0.1;

/// Those of `memories` whose score is at least `share` of the best, in their order.
pub fn answering(memories: &[RecalledMemory], share: f64) -> Vec<RecalledMemory> {
    let best = memories.iter().map(|recalled| recalled.score).fold(0.0, f64::max);
    memories.iter().filter(|recalled| recalled.score >= best * share).cloned().collect()
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallAnswer {
    /// The memories, best first.
    pub memories: Vec<RecalledMemory>,
    /// How sure it is that they are about the question.
    pub strength: Strength,
}

/// The memories that a question is about, best first. Reads only; [`touch`](crate::touch) counts the accesses. Costs about as much as reading a
/// few hundred rows, and a list of the rows that have each of its words.
///
/// # Errors
///
/// [`Error::Invalid`] for an empty question, a long one, or a limit of 0; those of reading.
pub fn recall(database: &MemoryDatabase, request: &RecallRequest, now: i64) -> Result<RecallAnswer, Error> {
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
    now: i64,
) -> Result<RecallAnswer, Error> {
    let candidates = Candidates::of(database, connection, request)?;
    let scored = Scoring::new(connection, &candidates, request, now).best()?;
    let strength = scored.strength;
    let sql = select_memories("WHERE no = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut memories = Vec::with_capacity(scored.rows.len());
    for (no, score) in scored.rows {
        let memory = statement.query_row([no], memory_row)?;
        let weight = memory.weight_now(database.rules(), now);
        memories.push(RecalledMemory { memory, score, weight });
    }
    links::lift_linked(connection, request, database.rules(), &mut memories, now)?;
    // An exact old memory comes before a vague new one: half of a weight is an eighth of a score.
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
