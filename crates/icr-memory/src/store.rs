//! Stores, changes and forgets memories.

use std::time::Duration;

use icr_model::{Moment, UnixMillis};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use crate::index::{index_memory, near_keys, unindex_memory};
use crate::listing::{
    IS_RECALLED, is_recalled, memories_of_topic, memory_row, project_of_topic, select_memories, unless_senseless,
};
use crate::memory::{check_keywords, check_text, check_topic};
use crate::near_duplicates::{conflict, exact_key, jaccard, merged, token_set};
use crate::operations::{Entity, LogEntry};
use crate::terms::memory_terms;
use crate::vectors::{space_of, vector_of};
use crate::weight::{believed_time, believed_weight};
use crate::{
    Author, CodeBinding, Error, Importance, Memory, MemoryDatabase, MemoryKind, MemoryOptions, NewMemory, ProjectKey,
    RecordId, effective_weight,
};

/// What storing did with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreAction {
    /// It became a new memory.
    Added,
    /// The topic already had the same text. Keywords were united, and the higher importance was kept.
    SameText,
    /// A near duplicate got the new sentences; the log of operations keeps its previous text.
    Merged,
}

/// The result of storing a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct StoreOutcome {
    /// Id of the memory that now contains the text.
    pub id: RecordId,
    /// What was done with the memory.
    pub action: StoreAction,
    /// From this time on it is no longer recalled. If the same text was there already, the later end is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Near duplicates in the topic that stay separate memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<RecordId>,
    /// Number of memories in the topic now.
    pub topic_count: u64,
    /// Whether the topic has more memories than `consolidate_hint`, so that it should be consolidated.
    pub needs_consolidation: bool,
}

/// Changes to a memory; fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryUpdate {
    /// The new text.
    pub summary: Option<String>,
    /// The new topic.
    pub topic: Option<String>,
    /// The new importance.
    pub importance: Option<Importance>,
    /// The new keywords.
    pub keywords: Option<Vec<String>>,
    /// The new excerpt that the text was taken from.
    pub raw_excerpt: Option<String>,
    /// The new places in code that it is about.
    pub code: Option<CodeBinding>,
}

/// Stores a memory, unless its topic already has it. A memory with the same kind and text counts an access instead; a near
/// duplicate without a contradiction gets the sentences that it lacks. Different facts are never merged.
///
/// # Errors
///
/// [`Error::Invalid`], and those of writing.
pub fn store(database: &mut MemoryDatabase, new: &NewMemory, now: UnixMillis) -> Result<StoreOutcome, Error> {
    new.check()?;
    database.write("storing a memory", |transaction, options| {
        let log = LogEntry::new(transaction, ("store", new.author), &new.project, now);
        store_or_merge(transaction, &log, options, new, now)
    })
}

/// Stores memories of one author and project like [`store`], all of them as one operation, or none.
///
/// # Errors
///
/// As [`store`].
pub fn store_all(
    database: &mut MemoryDatabase,
    new: &[NewMemory],
    now: UnixMillis,
) -> Result<Vec<StoreOutcome>, Error> {
    let Some(first) = new.first() else { return Ok(Vec::new()) };
    new.iter().try_for_each(NewMemory::check)?;
    database.write("storing memories", |transaction, options| {
        let log = LogEntry::new(transaction, ("store", first.author), &first.project, now);
        new.iter().map(|new| store_or_merge(transaction, &log, options, new, now)).collect()
    })
}

/// Stores memories of one author and project without merging, all of them as one operation, or none. A near duplicate
/// becomes a memory of its own, so that it can be forgotten by its own text. The same text is stored once in a topic.
///
/// # Errors
///
/// As [`store`].
pub fn store_verbatim(database: &mut MemoryDatabase, new: &[NewMemory], now: UnixMillis) -> Result<(), Error> {
    let Some(first) = new.first() else { return Ok(()) };
    new.iter().try_for_each(NewMemory::check)?;
    database.write("storing memories", |transaction, options| {
        let log = LogEntry::new(transaction, ("store", first.author), &first.project, now);
        for new in new {
            match same_text(transaction, (&new.project, &new.topic), (new.kind, &new.summary), now)? {
                Some(same) => add_details(transaction, &log, options, same, new, now)?,
                None => {
                    let memory = fresh(new, new_id(transaction, now)?, now);
                    insert(transaction, &log, options, &memory)?;
                    link_neighbours(transaction, options, &memory)?;
                }
            }
        }
        Ok(())
    })
}

/// Changes a memory and returns it with the changes.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Error::Invalid`], also if another memory of the kind has the text in the topic; and those of
/// writing.
pub fn update(
    database: &mut MemoryDatabase,
    id: &RecordId,
    change: &MemoryUpdate,
    author: Author,
    now: UnixMillis,
) -> Result<Memory, Error> {
    change.topic.as_deref().map_or(Ok(()), check_topic)?;
    change.summary.as_deref().map_or(Ok(()), |summary| check_text("content", summary))?;
    change.keywords.as_deref().map_or(Ok(()), check_keywords)?;
    database.write("changing a memory", |transaction, options| {
        let before = required(transaction, id)?;
        let project = before.project.clone();
        let is_other_text = change.summary.as_ref().is_some_and(|text| *text != before.summary)
            || change.topic.as_ref().is_some_and(|topic| *topic != before.topic);
        let log = LogEntry::new(transaction, ("update", author), &project, now);
        let after = Memory {
            summary: change.summary.clone().unwrap_or(before.summary),
            topic: change.topic.clone().unwrap_or(before.topic),
            importance: change.importance.unwrap_or(before.importance),
            keywords: change.keywords.clone().map(distinct).unwrap_or(before.keywords),
            raw_excerpt: change.raw_excerpt.clone().or(before.raw_excerpt),
            code: change.code.clone().or(before.code),
            updated_at: time_of_change(before.updated_at, now),
            senseless: Vec::new(),
            ..before
        };
        if is_other_text
            && let Some(same) = same_text(transaction, (&project, &after.topic), (after.kind, &after.summary), now)?
            && same.id != after.id
        {
            let wrong = format!("is the text of the memory {} in the topic `{}`", same.id, after.topic);
            return Err(Error::Invalid { field: "content", wrong, right: "forget one of the two".to_owned() });
        }
        rewrite(transaction, &log, options, &after)?;
        Ok(after)
    })
}

/// Forgets a memory. The log of operations keeps it, so that [`undo`](crate::undo) restores it.
///
/// # Errors
///
/// [`Error::NotFound`], and those of writing.
pub fn forget(database: &mut MemoryDatabase, id: &RecordId, author: Author, now: UnixMillis) -> Result<Memory, Error> {
    database.write("forgetting a memory", |transaction, _| {
        let memory = required(transaction, id)?;
        let log = LogEntry::new(transaction, ("forget", author), &memory.project, now);
        remove(transaction, &log, id)?;
        Ok(memory)
    })
}

/// Forgets all memories of a project that are recalled under a topic, as one operation; if the project has none, those
/// of no project. Returns their ids, oldest first.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories; those of writing.
pub fn forget_topic(
    database: &mut MemoryDatabase,
    (project, topic): (&ProjectKey, &str),
    author: Author,
    now: UnixMillis,
) -> Result<Vec<RecordId>, Error> {
    database.write("forgetting a topic", |transaction, _| {
        let project = &project_of_topic(transaction, project, topic)?;
        let ids: Vec<RecordId> =
            memories_of_topic(transaction, project, topic, now)?.into_iter().map(|memory| memory.id).collect();
        if ids.is_empty() {
            return Err(Error::NotFound { entity: "topic", name: topic.to_owned(), similar: Vec::new() });
        }
        let log = LogEntry::new(transaction, ("forget", author), project, now);
        for id in &ids {
            remove(transaction, &log, id)?;
        }
        Ok(ids)
    })
}

/// An access of a memory, to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The memory that was recalled.
    pub id: RecordId,
    /// When it was recalled.
    pub at: UnixMillis,
}

/// Counts an access of each memory at `now`, as [`count_accesses`] does, and waits no longer than 50 ms for a lock.
///
/// # Errors
///
/// As [`count_accesses`].
pub fn touch(database: &mut MemoryDatabase, ids: &[RecordId], now: UnixMillis) -> Result<(), Error> {
    let accesses: Vec<MemoryAccess> = ids.iter().map(|id| MemoryAccess { id: id.clone(), at: now }).collect();
    count_accesses(database, &accesses, COUNTING_WAIT)
}

/// Counts accesses: the current weight of each memory is stored, and decays more slowly from then on. This is no operation
/// of the log. Waits no longer than `wait` for a lock. Nothing is counted if the database can only be read.
///
/// # Errors
///
/// [`Error::Busy`] if another process has the lock; those of writing.
pub fn count_accesses(database: &mut MemoryDatabase, accesses: &[MemoryAccess], wait: Duration) -> Result<(), Error> {
    if database.access() == crate::Access::Read || accesses.is_empty() {
        return Ok(());
    }
    database.write_within(wait, "counting accesses", |transaction, options| {
        accesses.iter().try_for_each(|access| touch_one(transaction, options, &access.id, access.at))
    })
}

/// How long a command waits for a lock to count the accesses of its answer.
const COUNTING_WAIT: Duration = Duration::from_millis(50);

/// The memory with the id.
pub(crate) fn required(connection: &Connection, id: &RecordId) -> Result<Memory, Error> {
    let sql = select_memories("WHERE id = ?1");
    let memory = connection.prepare_cached(&sql)?.query_row([id.as_str()], memory_row).optional()?;
    memory.ok_or_else(|| Error::NotFound { entity: "memory", name: id.to_string(), similar: Vec::new() })
}

/// Inserts a memory as it is and adds it to all indexes.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    options: &MemoryOptions,
    memory: &Memory,
) -> Result<(), Error> {
    const INSERT: &str = "INSERT INTO memories (id, project, topic, summary, raw_excerpt, keywords, importance, source, author, \
         kind, created_at, updated_at, accessed_at, access_count, weight, weight_at, expires_at, superseded_by, related, code, \
         exact_key, terms, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, \
         ?21, ?22, 1)";
    transaction.prepare_cached(INSERT)?.execute(params![
        memory.id.as_str(),
        memory.project.as_str(),
        memory.topic,
        memory.summary,
        memory.raw_excerpt,
        json_of(&memory.keywords),
        memory.importance as i64,
        memory.source.0,
        memory.author.name(),
        memory.kind.name(),
        memory.created_at.0,
        memory.updated_at.0,
        memory.accessed_at.0,
        memory.access_count,
        memory.weight,
        memory.weight_at.0,
        memory.expires_at.map(|at| at.0),
        memory.superseded_by.as_ref().map(RecordId::as_str),
        json_of(&memory.related),
        memory.code.as_ref().map(json_of),
        exact_key(&memory.topic, &memory.summary),
        terms_of(memory),
    ])?;
    log.record_insertion(Entity::Memory, memory.id.as_str())?;
    index_memory(transaction, options, memory.id.as_str())
}

/// Rewrites an existing memory and its entries in all indexes.
pub(crate) fn rewrite(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    options: &MemoryOptions,
    memory: &Memory,
) -> Result<(), Error> {
    log.changing(Entity::Memory, memory.id.as_str())?;
    unindex_memory(transaction, memory.id.as_str())?;
    const UPDATE: &str = "UPDATE memories SET project = ?2, topic = ?3, summary = ?4, raw_excerpt = ?5, keywords = ?6, \
         importance = ?7, updated_at = ?8, accessed_at = ?9, access_count = ?10, weight = ?11, weight_at = ?12, expires_at = ?13, \
         superseded_by = ?14, related = ?15, code = ?16, exact_key = ?17, kind = ?18, terms = ?19, source = ?20, \
         author = ?21, created_at = ?22, version = version + 1 WHERE id = ?1";
    transaction.prepare_cached(UPDATE)?.execute(params![
        memory.id.as_str(),
        memory.project.as_str(),
        memory.topic,
        memory.summary,
        memory.raw_excerpt,
        json_of(&memory.keywords),
        memory.importance as i64,
        memory.updated_at.0,
        memory.accessed_at.0,
        memory.access_count,
        memory.weight,
        memory.weight_at.0,
        memory.expires_at.map(|at| at.0),
        memory.superseded_by.as_ref().map(RecordId::as_str),
        json_of(&memory.related),
        memory.code.as_ref().map(json_of),
        exact_key(&memory.topic, &memory.summary),
        memory.kind.name(),
        terms_of(memory),
        memory.source.0,
        memory.author.name(),
        memory.created_at.0,
    ])?;
    index_memory(transaction, options, memory.id.as_str())
}

/// Removes a memory and its entries in all indexes.
pub(crate) fn remove(transaction: &Transaction<'_>, log: &LogEntry<'_>, id: &RecordId) -> Result<(), Error> {
    log.removing(Entity::Memory, id.as_str())?;
    unindex_memory(transaction, id.as_str())?;
    transaction.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id.as_str()])?;
    Ok(())
}

/// A new id, made of `now`, a counter and random bits, so that ids are in order and two databases never make the same
/// one.
pub(crate) fn new_id(connection: &Connection, now: UnixMillis) -> rusqlite::Result<RecordId> {
    const CHANCE: &str = "SELECT (SELECT coalesce(max(no), 0) FROM memories), random()";
    let (stored, chance): (i64, i64) =
        connection.prepare_cached(CHANCE)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // The counter has 32 bits, the random part 48.
    let counted = u128::from(stored as u64 as u32) << 48;
    Ok(RecordId::ulid(now, counted | u128::from(chance as u64 & 0xffff_ffff_ffff)))
}

/// Words without repetition, in their order.
pub(crate) fn distinct(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let word = word.trim().to_owned();
        if !word.is_empty() && !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept
}

/// Stores a new memory in its own row, or merges it into an existing one.
fn store_or_merge(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    options: &MemoryOptions,
    new: &NewMemory,
    now: UnixMillis,
) -> Result<StoreOutcome, Error> {
    let (id, action, similar) = insert_or_merge(transaction, log, options, new, now)?;
    let topic_count = topic_count(transaction, new)?;
    let needs_consolidation = topic_count > options.rules.consolidate_hint;
    let expires_at = required(transaction, &id)?.expires_at.map(UnixMillis::to_moment);
    Ok(StoreOutcome { id, action, expires_at, similar, topic_count, needs_consolidation })
}

/// Inserts `new`, or merges it into the memory that says the same. Returns the id of the row, what was done, and similar
/// memories that stay.
fn insert_or_merge(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    options: &MemoryOptions,
    new: &NewMemory,
    now: UnixMillis,
) -> Result<(RecordId, StoreAction, Vec<RecordId>), Error> {
    if let Some(same) = same_text(transaction, (&new.project, &new.topic), (new.kind, &new.summary), now)? {
        let id = same.id.clone();
        add_details(transaction, log, options, same, new, now)?;
        return Ok((id, StoreAction::SameText, Vec::new()));
    }
    let near = near_duplicates(transaction, options, new, now)?;
    for candidate in &near {
        if let Some(text) = united_text(options, candidate, new) {
            let (summary, action) = match text {
                UnitedText::Old => (candidate.summary.clone(), StoreAction::SameText),
                UnitedText::Longer(text) => (text, StoreAction::Merged),
            };
            let updated_at = match action {
                StoreAction::Merged => time_of_change(candidate.updated_at, now),
                _ => candidate.updated_at,
            };
            let united = Memory { summary, updated_at, ..candidate.clone() };
            let id = united.id.clone();
            add_details(transaction, log, options, united, new, now)?;
            return Ok((id, action, Vec::new()));
        }
    }
    let memory = fresh(new, new_id(transaction, now)?, now);
    insert(transaction, log, options, &memory)?;
    link_neighbours(transaction, options, &memory)?;
    Ok((memory.id, StoreAction::Added, near.into_iter().map(|memory| memory.id).collect()))
}

/// Number of newest memories of a topic that a new one may be linked to. They are near in time, and few, so that
/// storing stays fast in a large topic.
const LINKABLE: i64 = 8;

/// Links a new memory to those among the newest of its topic that have a similar meaning.
fn link_neighbours(connection: &Connection, options: &MemoryOptions, memory: &Memory) -> Result<(), Error> {
    let Some(embedder) = options.embedder.as_deref().filter(|_| options.rules.max_links > 0) else { return Ok(()) };
    let Some(space) = space_of(connection, embedder)? else { return Ok(()) };
    let sql = "SELECT no, id FROM memories WHERE project = ?1 AND topic = ?2 AND superseded_by IS NULL ORDER BY no DESC LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let values = params![memory.project.as_str(), memory.topic, LINKABLE + 1];
    let rows = statement.query_map(values, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut near: Vec<(f64, String)> = Vec::new();
    let mut own: Option<Vec<f32>> = None;
    for row in rows {
        let (no, id) = row?;
        let vector = vector_of(connection, space, no)?;
        if id == memory.id.as_str() {
            own = vector;
        } else if let (Some(own), Some(vector)) = (&own, vector) {
            near.push((cosine(own, &vector), id));
        }
    }
    near.retain(|(cosine, _)| *cosine >= options.rules.link_cosine);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    near.truncate(options.rules.max_links);
    if near.is_empty() {
        return Ok(());
    }
    let related: Vec<&str> = near.iter().map(|(_, id)| id.as_str()).collect();
    let sql = "UPDATE memories SET related = ?2 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![memory.id.as_str(), json_of(&related)])?;
    Ok(())
}

/// Most candidates of one key that are compared: a key that more memories share does not distinguish them.
const CANDIDATES_MOST: usize = 16;

/// Most near duplicates that an answer names.
const NEAR_MOST: usize = 5;

/// Memories of the topic that share most of their words with `new`, most similar first. They are found by keys, so the
/// size of the topic does not matter.
fn near_duplicates(
    connection: &Connection,
    options: &MemoryOptions,
    new: &NewMemory,
    now: UnixMillis,
) -> Result<Vec<Memory>, Error> {
    let mut candidates: Vec<i64> = Vec::new();
    let mut with_key =
        connection.prepare_cached("SELECT no FROM near_keys WHERE key = ?1 ORDER BY no DESC LIMIT ?2")?;
    for key in near_keys(new.project.as_str(), &new.topic, &new.summary) {
        let numbers = with_key.query_map(params![key, CANDIDATES_MOST as i64], |row| row.get(0))?;
        candidates.extend(numbers.collect::<rusqlite::Result<Vec<i64>>>()?);
    }
    candidates.sort_unstable();
    candidates.dedup();
    let sql = select_memories("WHERE no = ?1 AND project = ?2 AND topic = ?3 AND superseded_by IS NULL");
    let mut statement = connection.prepare_cached(&sql)?;
    let words = token_set(&new.summary);
    let mut near = Vec::new();
    for no in candidates {
        let values = params![no, new.project.as_str(), new.topic];
        let memory = statement.query_row(values, memory_row).optional();
        let Some(memory) = unless_senseless(memory)? else { continue };
        let share = jaccard(&words, &token_set(&memory.summary));
        if share >= options.rules.dedup_jaccard && is_recalled(&memory, now) {
            near.push((share, memory));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    near.truncate(NEAR_MOST);
    Ok(near.into_iter().map(|(_, memory)| memory).collect())
}

/// The result of merging two texts into one.
enum UnitedText {
    /// The old text already says everything.
    Old,
    /// The old text with the sentences that it lacked.
    Longer(String),
}

/// Merges the texts of both if they state one fact: they do not contradict each other, and their vectors are as near as
/// the rules require. Without a model only [`conflict`] decides: it allows only texts whose words say the same.
fn united_text(options: &MemoryOptions, memory: &Memory, new: &NewMemory) -> Option<UnitedText> {
    if conflict(&memory.summary, &new.summary) || memory.kind != new.kind || memory.expires_at != new.expires_at {
        return None;
    }
    if let Some(embedder) = &options.embedder {
        let cosine = cosine(&embedder.embed(&memory.summary), &embedder.embed(&new.summary));
        if cosine < options.rules.dedup_cosine {
            return None;
        }
    }
    match merged(&memory.summary, &new.summary) {
        None => Some(UnitedText::Old),
        Some(text) => (text.len() <= crate::TEXT_BYTES_MOST).then_some(UnitedText::Longer(text)),
    }
}

/// The cosine of two vectors of unit length.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// The recalled memory of the kind that has the text in the topic of the project, if there is one.
fn same_text(
    connection: &Connection,
    (project, topic): (&ProjectKey, &str),
    (kind, summary): (MemoryKind, &str),
    now: UnixMillis,
) -> Result<Option<Memory>, Error> {
    let sql = select_memories(&format!(
        "WHERE {IS_RECALLED} AND exact_key = ?2 AND project = ?3 AND topic = ?4 AND kind = ?5 ORDER BY no LIMIT 1"
    ));
    let values = params![now.0, exact_key(topic, summary), project.as_str(), topic, kind.name()];
    Ok(unless_senseless(connection.prepare_cached(&sql)?.query_row(values, memory_row).optional())?)
}

/// Adds the details of `new` other than its text to `memory`, and counts an access. Only visible changes are an
/// operation of the log.
fn add_details(
    transaction: &Transaction<'_>,
    log: &LogEntry<'_>,
    options: &MemoryOptions,
    memory: Memory,
    new: &NewMemory,
    now: UnixMillis,
) -> Result<(), Error> {
    let keywords = distinct(memory.keywords.iter().chain(&new.keywords).cloned().collect());
    let importance = memory.importance.max(new.importance);
    let raw_excerpt = united_excerpt(memory.raw_excerpt.as_deref(), new.raw_excerpt.as_deref());
    let code = new.code.clone().or_else(|| memory.code.clone());
    // The later expiry wins, and no expiry wins over any.
    let expires_at = memory.expires_at.zip(new.expires_at).map(|(one, other)| one.max(other));
    let after = Memory { keywords, importance, raw_excerpt, code, expires_at, ..memory };
    if after != required(transaction, &after.id)? {
        rewrite(transaction, log, options, &after)?;
    }
    // Storing a text again confirms it now, also against an earlier forgetting on another machine.
    let sql = "UPDATE memories SET updated_at = max(updated_at, ?2) WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute(params![after.id.as_str(), now.0])?;
    touch_one(transaction, options, &after.id, now)
}

/// The old excerpt and the paragraphs of the new one that it lacks, with an empty line between them. Only the old one if
/// both together are too long.
pub(crate) fn united_excerpt(old: Option<&str>, new: Option<&str>) -> Option<String> {
    let (Some(old), Some(new)) = (old, new) else { return old.or(new).map(str::to_owned) };
    let is_new = |paragraph: &&str| !old.split("\n\n").any(|held| held == *paragraph);
    let lacking: Vec<&str> = new.split("\n\n").filter(is_new).collect();
    let both = format!("{old}\n\n{}", lacking.join("\n\n"));
    Some(if lacking.is_empty() || old.contains(new) || both.len() > crate::TEXT_BYTES_MOST {
        old.to_owned()
    } else {
        both
    })
}

/// The time of a change at `now` of what was last changed at `before`: always later. A merge takes the later of two versions,
/// and would lose one that was made while a clock was behind.
pub(crate) fn time_of_change(before: UnixMillis, now: UnixMillis) -> UnixMillis {
    now.max(UnixMillis(before.0.saturating_add(1)))
}

fn fresh(new: &NewMemory, id: RecordId, now: UnixMillis) -> Memory {
    Memory {
        id,
        project: new.project.clone(),
        topic: new.topic.clone(),
        summary: new.summary.clone(),
        raw_excerpt: new.raw_excerpt.clone(),
        keywords: distinct(new.keywords.clone()),
        importance: new.importance,
        source: new.source.clone(),
        author: new.author,
        kind: new.kind,
        created_at: now,
        updated_at: now,
        accessed_at: now,
        access_count: 0,
        weight: 1.0,
        weight_at: now,
        expires_at: new.expires_at,
        superseded_by: None,
        related: Vec::new(),
        code: new.code.clone(),
        senseless: Vec::new(),
    }
}

fn touch_one(connection: &Connection, options: &MemoryOptions, id: &RecordId, now: UnixMillis) -> Result<(), Error> {
    let memory = match required(connection, id) {
        // It was forgotten meanwhile.
        Err(Error::NotFound { .. }) => return Ok(()),
        memory => memory?,
    };
    let Memory { importance, access_count: accesses, created_at, accessed_at, .. } = memory;
    let (weight, weight_at) = believed_weight((memory.weight, memory.weight_at), created_at, now);
    let weight = effective_weight((weight, weight_at), importance, accesses, &options.rules, now);
    // If the clock went backwards, times must not decrease.
    let (weight_at, accessed_at) = (weight_at.max(now), believed_time(accessed_at, created_at, now).max(now));
    let sql = "UPDATE memories SET weight = ?2, weight_at = ?3, accessed_at = ?4, access_count = ?5 WHERE id = ?1";
    let values = params![id.as_str(), weight, weight_at.0, accessed_at.0, accesses.saturating_add(1)];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// The search terms of a memory.
fn terms_of(memory: &Memory) -> String {
    memory_terms(&memory.topic, &memory.keywords, &memory.summary, memory.raw_excerpt.as_deref())
}

fn topic_count(connection: &Connection, new: &NewMemory) -> Result<u64, Error> {
    let sql = "SELECT count(*) FROM memories WHERE project = ?1 AND topic = ?2 AND superseded_by IS NULL";
    let values = params![new.project.as_str(), new.topic];
    Ok(connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

pub(crate) fn importance_of(number: i64) -> Importance {
    usize::try_from(number).ok().and_then(|at| Importance::ALL.get(at).copied()).unwrap_or_default()
}

pub(crate) fn json_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lists of words and places have a form in JSON")
}

#[cfg(test)]
mod tests;
