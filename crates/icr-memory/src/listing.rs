//! Lists memories and topics, and counts them.

use std::time::Duration;

use icr_model::{Moment, UnixMillis};
use rusqlite::types::{Type, Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::memory::YEAR_10000;
use crate::store::required;
use crate::{Author, Error, Importance, Memory, MemoryDatabase, MemoryKind, MemoryOrigin, ProjectKey, RecordId};

/// The order in which memories are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// The newest first.
    #[default]
    Created,
    /// The highest current weight first.
    Weight,
    /// The last recalled first.
    Accessed,
    /// The most important first, the newest of them first.
    Importance,
}

/// Selects memories by project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ListScope {
    /// Memories of all projects.
    #[default]
    All,
    /// Memories of one project, and of no project.
    Project(ProjectKey),
}

impl ListScope {
    /// The SQL condition of the scope, which begins with ` AND `, and its value.
    pub(crate) fn condition(&self) -> (&'static str, Option<String>) {
        match self {
            Self::All => ("", None),
            Self::Project(project) => (" AND project IN ('', ?)", Some(project.as_str().to_owned())),
        }
    }
}

/// Selects the memories to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// The projects to list.
    pub scope: ListScope,
    /// Only memories under this topic.
    pub topic: Option<String>,
    /// Only memories under topics with this prefix.
    pub topic_prefix: Option<String>,
    /// Only memories that this author stored.
    pub author: Option<Author>,
    /// Only derived memories: invariants, decisions and facts that were extracted from code or dialogue.
    pub derived_only: bool,
    /// Also memories that were consolidated into others, and expired ones.
    pub archived: bool,
    /// The order of the list.
    pub order: ListOrder,
    /// Number of memories to skip at the beginning.
    pub offset: usize,
    /// Most memories to list; `None` for all.
    pub limit: Option<usize>,
}

/// A topic with its number of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TopicCount {
    /// Name of the topic.
    pub topic: String,
    /// Project of its memories; empty for no project.
    pub project: String,
    /// Number of memories that are recalled.
    pub count: u64,
}

/// Counts and averages over the memories of a scope.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Statistics {
    /// Number of memories that are recalled.
    pub memories: u64,
    /// Number of memories that were consolidated into others.
    pub archived: u64,
    /// Number of topics.
    pub topics: u64,
    /// Mean current weight; 0 if there is no memory.
    pub average_weight: f64,
    /// When the oldest memory was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<Moment>,
    /// When the newest memory was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Moment>,
    /// Number of memoirs.
    pub memoirs: u64,
    /// Number of concepts.
    pub concepts: u64,
    /// Number of links between concepts.
    pub links: u64,
    /// Number of memories in the whole database that no answer has, because their ids make no sense.
    #[serde(skip_serializing_if = "is_zero")]
    pub nameless: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The condition of a topic.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TopicHealth {
    /// Name of the topic.
    pub topic: String,
    /// Project of its memories; empty for no project.
    pub project: String,
    /// Number of memories that are recalled.
    pub count: u64,
    /// Mean current weight of these memories.
    pub average_weight: f64,
    /// Number of stale memories: their weight is low, and they were not recalled for long.
    pub stale: u64,
    /// When a memory of the topic was last recalled or stored.
    pub last_accessed: Moment,
    /// Whether the topic has so many memories that it should be consolidated.
    pub needs_consolidation: bool,
}

/// The memory with this id, archived or not.
///
/// # Errors
///
/// [`Error::NotFound`], and those of reading.
pub fn memory_of(database: &MemoryDatabase, id: &RecordId) -> Result<Memory, Error> {
    let doing = "reading a memory";
    let memory = database.read(doing, |connection| Ok(required(connection, id)))?;
    memory.map_err(|error| error.of(doing, database.path()))
}

/// The memories that `request` selects.
///
/// # Errors
///
/// Those of reading.
pub fn list(database: &MemoryDatabase, request: &ListRequest, now: UnixMillis) -> Result<Vec<Memory>, Error> {
    let mut memories = database.read("listing memories", |connection| memories_of(connection, request, now))?;
    match request.order {
        ListOrder::Created => memories.reverse(),
        ListOrder::Weight => {
            let weight = |memory: &Memory| memory.weight_now(database.rules(), now);
            memories.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| b.id.cmp(&a.id)));
        }
        ListOrder::Accessed => memories.sort_by(|a, b| (b.accessed_at, &b.id).cmp(&(a.accessed_at, &a.id))),
        ListOrder::Importance => {
            memories.sort_by(|a, b| (b.importance, b.created_at, &b.id).cmp(&(a.importance, a.created_at, &a.id)));
        }
    }
    Ok(memories.into_iter().skip(request.offset).take(request.limit.unwrap_or(usize::MAX)).collect())
}

/// The topics of a scope by name, each with its number of memories.
///
/// # Errors
///
/// Those of reading.
pub fn topics(database: &MemoryDatabase, scope: &ListScope, now: UnixMillis) -> Result<Vec<TopicCount>, Error> {
    database.read("listing topics", |connection| {
        let (in_scope, project) = scope.condition();
        let sql = format!(
            "SELECT topic, project, count(*) FROM memories WHERE {IS_RECALLED}{in_scope} GROUP BY project, topic ORDER BY topic, project"
        );
        let mut statement = connection.prepare(&sql)?;
        let values = std::iter::once(Value::from(now.0)).chain(project.map(Value::from));
        let rows = statement.query_map(params_from_iter(values), |row| {
            let text = |at| Ok::<_, rusqlite::Error>(text_at(row, at)?.unwrap_or_default());
            Ok(TopicCount { topic: text(0)?, project: text(1)?, count: row.get(2)? })
        })?;
        rows.collect()
    })
}

/// Counts for a scope. Memoirs belong to no project and are always counted.
///
/// # Errors
///
/// Those of reading.
pub fn statistics(database: &MemoryDatabase, scope: &ListScope, now: UnixMillis) -> Result<Statistics, Error> {
    let memories =
        list(database, &ListRequest { scope: scope.clone(), archived: true, ..ListRequest::default() }, now)?;
    let (recalled, archived): (Vec<_>, Vec<_>) = memories.into_iter().partition(|memory| is_recalled(memory, now));
    let topics: std::collections::BTreeSet<_> =
        recalled.iter().map(|memory| (&memory.project, &memory.topic)).collect();
    let count = |table: &str| {
        database.read("counting", |connection| {
            connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        })
    };
    Ok(Statistics {
        memories: recalled.len() as u64,
        archived: archived.len() as u64,
        topics: topics.len() as u64,
        average_weight: average(recalled.iter().map(|memory| memory.weight_now(database.rules(), now))),
        oldest: recalled.iter().map(|memory| memory.created_at).min().map(UnixMillis::to_moment),
        newest: recalled.iter().map(|memory| memory.created_at).max().map(UnixMillis::to_moment),
        memoirs: count("memoirs")?,
        concepts: count("concepts")?,
        links: count("links")?,
        nameless: nameless_rows(database)?.len() as u64,
    })
}

/// Numbers of the rows that no list and no recall has, because their ids make no sense and nobody could name them.
///
/// # Errors
///
/// Those of reading.
pub fn nameless_rows(database: &MemoryDatabase) -> Result<Vec<i64>, Error> {
    database.read("looking for rows without an id", |connection| {
        // The index of ids has all that is needed.
        let mut statement = connection.prepare_cached("SELECT no, id FROM memories ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut nameless = Vec::new();
        while let Some(row) = rows.next()? {
            if RecordId::try_from(text_of(row.get_ref(1)?)).is_err() {
                nameless.push(row.get(0)?);
            }
        }
        Ok(nameless)
    })
}

/// The health of the topics of a scope, or of the named topic; ordered by name.
///
/// # Errors
///
/// [`Error::NotFound`] for a topic without memories; those of reading.
pub fn health(
    database: &MemoryDatabase,
    scope: &ListScope,
    topic: Option<&str>,
    now: UnixMillis,
) -> Result<Vec<TopicHealth>, Error> {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let request = ListRequest { scope: scope.clone(), topic: topic.map(str::to_owned), ..ListRequest::default() };
    let mut memories = list(database, &request, now)?;
    if let (true, Some(topic)) = (memories.is_empty(), topic) {
        let names = topics(database, scope, now)?;
        let similar = icr_model::similar_names(topic, names.iter().map(|count| count.topic.as_str()), 3);
        let similar = similar.into_iter().map(str::to_owned).collect();
        return Err(Error::NotFound { entity: "topic", name: topic.to_owned(), similar });
    }
    memories.sort_by(|a, b| (&a.topic, &a.project).cmp(&(&b.topic, &b.project)));
    let rules = database.rules();
    let idle = Duration::from_secs(u64::from(rules.stale_days) * DAY_SECONDS);
    let groups = memories.chunk_by(|a, b| (&a.topic, &a.project) == (&b.topic, &b.project));
    let health_of = |group: &[Memory]| {
        let is_stale = |memory: &&Memory| {
            memory.weight_now(database.rules(), now) < rules.stale_weight
                && now.duration_since(memory.accessed_at) > idle
        };
        let last = group.iter().map(|memory| memory.accessed_at).max().unwrap_or(UnixMillis(0));
        TopicHealth {
            topic: group[0].topic.clone(),
            project: group[0].project.as_str().to_owned(),
            count: group.len() as u64,
            average_weight: average(group.iter().map(|memory| memory.weight_now(database.rules(), now))),
            stale: group.iter().filter(is_stale).count() as u64,
            last_accessed: last.to_moment(),
            needs_consolidation: group.len() as u64 > rules.consolidate_hint,
        }
    };
    Ok(groups.map(health_of).collect())
}

/// Highest number of a row that questions look at. Numbers are given one after the other, so a higher one is damage, and
/// must not decide how much memory and time a question takes.
pub(crate) const NUMBER_MOST: i64 = 1 << 24;

/// The SQL condition that a row is recalled; parameter `?1` is the current time. See [`is_recalled`].
pub(crate) const IS_RECALLED: &str = "superseded_by IS NULL AND (expires_at IS NULL OR expires_at > ?1)";

/// Whether a memory is neither archived nor expired.
pub(crate) fn is_recalled(memory: &Memory, now: UnixMillis) -> bool {
    memory.superseded_by.is_none() && memory.expires_at.is_none_or(|expires_at| expires_at > now)
}

/// `SELECT` of all columns that [`memory_row`] reads; `rest` follows the name of the table.
pub(crate) fn select_memories(rest: &str) -> String {
    format!(
        "SELECT id, project, topic, summary, raw_excerpt, keywords, importance, source, author, kind, created_at, updated_at, \
         accessed_at, access_count, weight, weight_at, expires_at, superseded_by, related, code FROM memories {rest}"
    )
}

/// Reads a row of [`select_memories`]. One wrong value must not make the text, and all other memories, unreadable: it is
/// read as if it were the default, and named in [`Memory::senseless`]. Only a row whose id is none is an error; see
/// [`unless_senseless`].
pub(crate) fn memory_row(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let id = text_at(row, 0)?.unwrap_or_default();
    let id = RecordId::try_from(id)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into()))?;
    let mut columns = ColumnReader { row, senseless: Vec::new() };
    let updated_at = columns.time(11, "updated_at")?;
    let created_at = columns.time(10, "created_at")?.or(updated_at).unwrap_or(UnixMillis(0));
    let accessed_at = columns.time(12, "accessed_at")?.unwrap_or(created_at);
    let weight_at = columns.time(15, "weight_at")?.unwrap_or(created_at);
    Ok(Memory {
        id,
        project: ProjectKey::of_repository(&columns.text(1, "project")?),
        topic: columns.text(2, "topic")?,
        summary: columns.text(3, "summary")?,
        raw_excerpt: text_at(row, 4)?,
        keywords: columns.list(5, "keywords")?,
        importance: columns.value_or_default(6, "importance", |value| importance_at(value.as_i64().ok()?))?,
        source: MemoryOrigin(columns.text(7, "source")?),
        author: columns.value_or_default(8, "author", |value| Author::from_name(value.as_str().ok()?))?,
        kind: columns.value_or_default(9, "kind", |value| MemoryKind::from_name(value.as_str().ok()?))?,
        created_at,
        updated_at: updated_at.unwrap_or(created_at),
        accessed_at,
        access_count: columns.value_or_default(13, "access_count", |value| u32::try_from(value.as_i64().ok()?).ok())?,
        weight: columns.weight(14)?,
        weight_at,
        expires_at: columns.optional(16, "expires_at", time_of)?,
        superseded_by: columns.optional(17, "superseded_by", |value| RecordId::try_from(value.as_str().ok()?).ok())?,
        related: columns.list(18, "related")?,
        code: columns.optional(19, "code", |value| serde_json::from_str(value.as_str().ok()?).ok())?,
        senseless: columns.senseless,
    })
}

/// What was read; `None` for a row that [`memory_row`] cannot read.
pub(crate) fn unless_senseless<T>(read: rusqlite::Result<Option<T>>) -> rusqlite::Result<Option<T>> {
    match read {
        Err(rusqlite::Error::FromSqlConversionFailure(..)) => Ok(None),
        read => read,
    }
}

/// The rows that [`memory_row`] can read.
pub(crate) fn readable_memories(
    rows: impl Iterator<Item = rusqlite::Result<Memory>>,
) -> impl Iterator<Item = rusqlite::Result<Memory>> {
    rows.filter_map(|row| unless_senseless(row.map(Some)).transpose())
}

/// Reads the columns of a memory, and notes those whose values make no sense.
struct ColumnReader<'a> {
    row: &'a Row<'a>,
    senseless: Vec<&'static str>,
}

impl ColumnReader<'_> {
    /// What `read` makes of a column; if it makes nothing of it, the default, and the column is noted.
    fn value_or_default<T: Default>(
        &mut self,
        at: usize,
        name: &'static str,
        read: impl Fn(ValueRef<'_>) -> Option<T>,
    ) -> rusqlite::Result<T> {
        let value = read(self.row.get_ref(at)?);
        if value.is_none() {
            self.senseless.push(name);
        }
        Ok(value.unwrap_or_default())
    }

    /// As [`ColumnReader::known`], for a column that may be null.
    fn optional<T>(
        &mut self,
        at: usize,
        name: &'static str,
        read: impl Fn(ValueRef<'_>) -> Option<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.value_or_default(
            at,
            name,
            |value| if value == ValueRef::Null { Some(None) } else { read(value).map(Some) },
        )
    }

    /// A text; bytes that are not UTF-8 are replaced.
    fn text(&mut self, at: usize, name: &'static str) -> rusqlite::Result<String> {
        self.value_or_default(at, name, |value| (value != ValueRef::Null).then(|| text_of(value)))
    }

    fn list<T: DeserializeOwned>(&mut self, at: usize, name: &'static str) -> rusqlite::Result<Vec<T>> {
        self.value_or_default(at, name, |value| serde_json::from_str(&text_of(value)).ok())
    }

    fn time(&mut self, at: usize, name: &'static str) -> rusqlite::Result<Option<UnixMillis>> {
        self.value_or_default(at, name, |value| time_of(value).map(Some))
    }

    /// The weight of a new memory, if the stored one is none.
    fn weight(&mut self, at: usize) -> rusqlite::Result<f64> {
        let weight = self.value_or_default(at, "weight", |value| {
            let weight = value.as_f64().or_else(|_| value.as_i64().map(|whole| whole as f64)).ok()?;
            (weight > 0.0 && weight <= 1.0).then_some(Some(weight))
        })?;
        Ok(weight.unwrap_or(1.0))
    }
}

/// A time before the year 10000.
pub(crate) fn time_of(value: ValueRef<'_>) -> Option<UnixMillis> {
    let most = YEAR_10000.0 - 1;
    value.as_i64().ok().filter(|at| (-most..=most).contains(at)).map(UnixMillis)
}

fn importance_at(number: i64) -> Option<Importance> {
    usize::try_from(number).ok().and_then(|at| Importance::ALL.get(at).copied())
}

/// The text in a column, with bytes that are not UTF-8 replaced; `None` for null.
pub(crate) fn text_at(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    let value = row.get_ref(at)?;
    Ok((value != ValueRef::Null).then(|| text_of(value)))
}

/// A value as text; empty for null.
fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The project whose memories a topic request means: the caller's project, or no project if the caller's has none under
/// the topic. Memories of no project are visible in all projects.
pub(crate) fn project_of_topic(
    connection: &Connection,
    project: &ProjectKey,
    topic: &str,
) -> rusqlite::Result<ProjectKey> {
    let sql = "SELECT EXISTS (SELECT 1 FROM memories WHERE project = ?1 AND topic = ?2 AND superseded_by IS NULL)";
    let has_own: bool = connection.prepare_cached(sql)?.query_row([project.as_str(), topic], |row| row.get(0))?;
    Ok(if has_own { project.clone() } else { ProjectKey::NONE })
}

/// The memories of a project that are recalled under a topic, oldest first.
pub(crate) fn memories_of_topic(
    connection: &Connection,
    project: &ProjectKey,
    topic: &str,
    now: UnixMillis,
) -> rusqlite::Result<Vec<Memory>> {
    let sql = select_memories(&format!("WHERE {IS_RECALLED} AND project = ?2 AND topic = ?3 ORDER BY no"));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(rusqlite::params![now.0, project.as_str(), topic], memory_row)?;
    readable_memories(rows).collect()
}

pub(crate) fn memories_of(
    connection: &Connection,
    request: &ListRequest,
    now: UnixMillis,
) -> rusqlite::Result<Vec<Memory>> {
    let (in_scope, project) = request.scope.condition();
    let recalled = if request.archived { "?1 IS NOT NULL" } else { IS_RECALLED };
    let mut condition = format!("WHERE {recalled}{in_scope}");
    let mut values: Vec<Value> = std::iter::once(Value::from(now.0)).chain(project.map(Value::from)).collect();
    if let Some(topic) = &request.topic {
        condition.push_str(" AND topic = ?");
        values.push(Value::from(topic.clone()));
    }
    if let Some(prefix) = &request.topic_prefix {
        condition.push_str(" AND substr(topic, 1, length(?)) = ?");
        values.extend([Value::from(prefix.clone()), Value::from(prefix.clone())]);
    }
    if let Some(author) = request.author {
        condition.push_str(" AND author = ?");
        values.push(Value::from(author.name().to_owned()));
    }
    if request.derived_only {
        condition.push_str(" AND kind <> ?");
        values.push(Value::from(MemoryKind::Episodic.name().to_owned()));
    }
    condition.push_str(" ORDER BY created_at, no");
    let mut statement = connection.prepare(&select_memories(&condition))?;
    let rows = statement.query_map(params_from_iter(values), memory_row)?;
    readable_memories(rows).collect()
}

fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests;
