//! The log of operations: changes to memories and memoirs, and how to undo them.
//!
//! Each operation keeps the previous state of the rows that it changed. Undoing it restores them, and is an operation
//! itself, so that it can be undone as well. Counting an access is not an operation, because it is a side effect of
//! reading; an import that changes only such counts is one without changes, so that an undo after it is one of it.

use icr_model::{Moment, UnixMillis};
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::index::{index_memory, unindex_memory};
use crate::memoir::{check_links_after_undo, check_undo};
use crate::{Author, Error, ListScope, MemoryDatabase, MemoryOptions, ProjectKey};

/// The kinds of records that operations can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Entity {
    /// A memory.
    Memory,
    /// A memoir.
    Memoir,
    /// A concept of a memoir.
    Concept,
    /// A link between two concepts.
    Link,
}

impl Entity {
    /// All kinds, in an order in which each kind refers only to earlier ones.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Memoir, Self::Concept, Self::Link];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        ["memory", "memoir", "concept", "link"][self as usize]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.name() == name)
    }

    /// The table of these records.
    pub(crate) fn table(self) -> &'static str {
        ["memories", "memoirs", "concepts", "links"][self as usize]
    }
}

/// An operation of the log.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Operation {
    /// Number of the operation; later operations have higher numbers.
    pub number: i64,
    /// When it was done.
    pub at: Moment,
    /// Its kind: `store`, `update`, `forget`, `consolidate`, `prune`, `undo` and so on.
    pub kind: String,
    /// Who did it.
    pub author: Author,
    /// The repository whose records it changed; empty for records of no repository.
    pub project: String,
    /// The records that it changed, by their kinds and ids.
    pub records: Vec<OperationRecord>,
    /// Number of the operation that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<i64>,
}

/// A record that an operation changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct OperationRecord {
    /// Kind of the record: `memory`, `memoir`, `concept` or `link`.
    pub entity: String,
    /// Id of the record.
    pub id: String,
    /// What happened to the record: `added`, `changed` or `removed`.
    pub change: &'static str,
}

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct UndoReport {
    /// Number of the operation that was undone.
    pub operation: i64,
    /// Kind of the operation that was undone.
    pub kind: String,
    /// Number of the undo, which is an operation itself.
    pub undone_by: i64,
    /// The records that were restored.
    pub records: Vec<OperationRecord>,
}

/// An operation that is written to the log as it changes rows. It gets its number with its first change.
pub(crate) struct LogEntry<'a> {
    transaction: &'a Transaction<'a>,
    kind: &'static str,
    author: Author,
    project: &'a ProjectKey,
    at: UnixMillis,
    number: std::cell::Cell<Option<i64>>,
}

impl<'a> LogEntry<'a> {
    pub(crate) fn new(
        transaction: &'a Transaction<'a>,
        (kind, author): (&'static str, Author),
        project: &'a ProjectKey,
        at: UnixMillis,
    ) -> Self {
        Self { transaction, kind, author, project, at, number: std::cell::Cell::new(None) }
    }

    /// Number of the operation; `None` if nothing was changed yet.
    pub(crate) fn number(&self) -> Option<i64> {
        self.number.get()
    }

    /// Number of the operation, which is in the log from now on, even if it changes no row.
    pub(crate) fn begin(&self) -> rusqlite::Result<i64> {
        if let Some(number) = self.number.get() {
            return Ok(number);
        }
        let begin = "INSERT INTO operations (at, kind, author, project) VALUES (?1, ?2, ?3, ?4)";
        let values = params![self.at.0, self.kind, self.author.name(), self.project.as_str()];
        let number = self.transaction.prepare_cached(begin)?.insert(values)?;
        self.number.set(Some(number));
        Ok(number)
    }

    /// Must be called after a new row was inserted.
    pub(crate) fn record_insertion(&self, entity: Entity, id: &str) -> rusqlite::Result<()> {
        self.record(entity, id, None, Some(1))
    }

    /// Must be called before a row is changed. The change increases the row's `version` by one.
    pub(crate) fn changing(&self, entity: Entity, id: &str) -> rusqlite::Result<()> {
        let Some((image, version)) = image_of(self.transaction, entity, id)? else { return Ok(()) };
        self.record(entity, id, Some(image), Some(version + 1))
    }

    /// Must be called before a row is removed.
    pub(crate) fn removing(&self, entity: Entity, id: &str) -> rusqlite::Result<()> {
        let Some((image, _)) = image_of(self.transaction, entity, id)? else { return Ok(()) };
        // Other machines remove the record only if it has not changed since this time.
        let fields: Option<Map<String, Value>> = serde_json::from_str(&image).ok();
        let seen = fields.and_then(|fields| fields.get("updated_at")?.as_i64());
        self.record(entity, id, Some(image), None)?;
        let bury = "INSERT OR REPLACE INTO tombstones (entity, id, at, seen) VALUES (?1, ?2, ?3, ?4)";
        self.transaction.prepare_cached(bury)?.execute(params![entity.name(), id, self.at.0, seen]).map(drop)
    }

    fn record(&self, entity: Entity, id: &str, before: Option<String>, after: Option<i64>) -> rusqlite::Result<()> {
        let number = self.begin()?;
        // If an operation changes a record twice, the state before the first change is kept.
        let keep = "INSERT INTO changes (operation, entity, id, before, version_after) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (operation, entity, id) DO UPDATE SET version_after = excluded.version_after";
        self.transaction.prepare_cached(keep)?.execute(params![number, entity.name(), id, before, after]).map(drop)
    }
}

/// The newest `limit` operations of a scope, the newest first.
///
/// # Errors
///
/// Those of reading.
pub fn operations(database: &MemoryDatabase, scope: &ListScope, limit: usize) -> Result<Vec<Operation>, Error> {
    database.read("reading the log of operations", |connection| {
        let (in_scope, project) = scope.condition();
        let sql =
            format!("SELECT {OPERATION_COLUMNS} FROM operations WHERE true{in_scope} ORDER BY no DESC LIMIT {limit}");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(project), operation_of)?;
        let mut operations = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        for operation in &mut operations {
            operation.records = records_of(connection, operation.number)?;
        }
        Ok(operations)
    })
}

/// The state of a record before each operation that changed it, the newest first, as JSON objects of its fields; `null`
/// before it was added.
///
/// # Errors
///
/// Those of reading.
pub fn history(database: &MemoryDatabase, entity: Entity, id: &str) -> Result<Vec<(Operation, Value)>, Error> {
    let entries = database.read("reading the history of a record", |connection| {
        let sql = format!(
            "SELECT {OPERATION_COLUMNS}, before FROM changes JOIN operations ON no = operation \
             WHERE entity = ?1 AND id = ?2 ORDER BY no DESC"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([entity.name(), id], |row| {
            let before: Option<String> = row.get(6)?;
            Ok((operation_of(row)?, before))
        })?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    })?;
    let parsed =
        |before: Option<String>| before.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null);
    Ok(entries.into_iter().map(|(operation, before)| (operation, parsed(before))).collect())
}

/// Selects the operation to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTarget {
    /// The operation with this number.
    Number(i64),
    /// The newest operation of the scope that is neither undone nor an undo itself.
    Newest(ListScope),
}

/// The operation with this number, or the newest one of all projects.
impl From<Option<i64>> for UndoTarget {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::Newest(ListScope::All), Self::Number)
    }
}

/// Restores what an operation changed. Undoing an undo repeats the operation.
///
/// # Errors
///
/// [`Error::NotFound`] if there is no such operation; [`Error::NothingToUndo`]; [`Error::ChangedSince`] if a later
/// operation changed one of its records, and then nothing is undone; errors of writing.
pub fn undo(
    database: &mut MemoryDatabase,
    target: impl Into<UndoTarget>,
    author: Author,
    now: UnixMillis,
) -> Result<UndoReport, Error> {
    let target = target.into();
    database.write("undoing an operation", |transaction, options| {
        let undone = operation_to_undo(transaction, &target)?;
        let project = ProjectKey::of_repository(&undone.project);
        let log = LogEntry::new(transaction, ("undo", author), &project, now);
        // Rows that others refer to are put back first and removed last.
        let mut changes = changes_of(transaction, undone.number)?;
        changes.sort_by_key(|change| change.entity);
        let (removed, restored): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.before.is_none());
        for change in restored.iter().chain(&removed) {
            check_unchanged(transaction, undone.number, change)?;
        }
        check_undo(transaction, undone.number)?;
        for change in &restored {
            restore(&log, options, change)?;
        }
        for change in removed.iter().rev() {
            log.removing(change.entity, &change.id)?;
            if change.entity == Entity::Memory {
                unindex_memory(transaction, &change.id)?;
            }
            let sql = format!("DELETE FROM {} WHERE id = ?1", change.entity.table());
            transaction.prepare_cached(&sql)?.execute([&change.id])?;
        }
        // An import may have changed no content.
        let undone_by = log.begin()?;
        check_links_after_undo(transaction, undone.number, undone_by)?;
        transaction.execute("UPDATE operations SET undone_by = ?1 WHERE no = ?2", [undone_by, undone.number])?;
        // Undoing an undo makes the operation valid again.
        transaction.execute("UPDATE operations SET undone_by = NULL WHERE undone_by = ?1", [undone.number])?;
        let records = records_of(transaction, undone_by)?;
        Ok(UndoReport { operation: undone.number, kind: undone.kind, undone_by, records })
    })
}

struct UndoneOperation {
    number: i64,
    kind: String,
    project: String,
}

fn operation_to_undo(connection: &Connection, target: &UndoTarget) -> Result<UndoneOperation, Error> {
    let (condition, value) = match target {
        UndoTarget::Number(number) => ("no = ?1".to_owned(), Some(SqlValue::Integer(*number))),
        UndoTarget::Newest(scope) => {
            let (in_scope, project) = scope.condition();
            (format!("undone_by IS NULL AND kind <> 'undo'{in_scope}"), project.map(SqlValue::Text))
        }
    };
    let sql = format!("SELECT no, kind, project, undone_by FROM operations WHERE {condition} ORDER BY no DESC LIMIT 1");
    let found = connection
        .query_row(&sql, params_from_iter(value), |row| {
            let operation = UndoneOperation { number: row.get(0)?, kind: row.get(1)?, project: row.get(2)? };
            Ok((operation, row.get::<_, Option<i64>>(3)?))
        })
        .optional()?;
    match (found, target) {
        (None, UndoTarget::Number(number)) => {
            Err(Error::NotFound { entity: "operation", name: number.to_string(), similar: Vec::new() })
        }
        (None, UndoTarget::Newest(_)) => Err(Error::NothingToUndo),
        (Some((operation, None)), _) => Ok(operation),
        (Some((operation, Some(by))), _) => Err(Error::Invalid {
            field: "operation",
            wrong: format!("{} was undone already", operation.number),
            right: format!("undo operation {by} to do it again"),
        }),
    }
}

struct RecordChange {
    entity: Entity,
    id: String,
    before: Option<String>,
    version_after: Option<i64>,
}

fn changes_of(connection: &Connection, operation: i64) -> Result<Vec<RecordChange>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT entity, id, before, version_after FROM changes WHERE operation = ?1")?;
    let rows = statement.query_map([operation], |row| {
        let entity: String = row.get(0)?;
        Ok((entity, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    let mut changes = Vec::new();
    for row in rows {
        let (entity, id, before, version_after) = row?;
        // Only a later program knows this kind of record; this program cannot have changed it.
        let Some(entity) = Entity::from_name(&entity) else { continue };
        changes.push(RecordChange { entity, id, before, version_after });
    }
    Ok(changes)
}

fn check_unchanged(connection: &Connection, operation: i64, change: &RecordChange) -> Result<(), Error> {
    let sql = format!("SELECT version FROM {} WHERE id = ?1", change.entity.table());
    let version: Option<i64> = connection.prepare_cached(&sql)?.query_row([&change.id], |row| row.get(0)).optional()?;
    if version == change.version_after {
        return Ok(());
    }
    let by = connection
        .prepare_cached("SELECT max(operation) FROM changes WHERE entity = ?1 AND id = ?2 AND operation > ?3")?
        .query_row(params![change.entity.name(), change.id, operation], |row| row.get(0))?;
    Err(Error::ChangedSince { operation, entity: change.entity.name(), id: change.id.clone(), by })
}

fn restore(log: &LogEntry<'_>, options: &MemoryOptions, change: &RecordChange) -> Result<(), Error> {
    let Some(before) = &change.before else { return Ok(()) };
    let image: Map<String, Value> = serde_json::from_str(before).map_err(|error| Error::Damaged {
        kind: crate::DatabaseKind::Memory,
        path: Default::default(),
        reason: format!("the log of operations holds a row that cannot be read: {error}"),
    })?;
    // The row gets its earlier version number back, so that earlier operations find the row as they left it.
    let version = image.get("version").and_then(Value::as_i64).unwrap_or_default();
    let columns: Vec<&str> = image.keys().map(String::as_str).filter(|column| is_column(column)).collect();
    let values = columns.iter().map(|column| sql_value(&image[*column]));
    let table = change.entity.table();
    match change.version_after {
        Some(_) => {
            let present = image_of(log.transaction, change.entity, &change.id)?.map(|(image, _)| image);
            log.record(change.entity, &change.id, present, Some(version))?;
            if change.entity == Entity::Memory {
                unindex_memory(log.transaction, &change.id)?;
            }
            let sets: Vec<String> = columns.iter().map(|column| format!("{column} = ?")).collect();
            let sql = format!("UPDATE {table} SET {} WHERE id = ?", sets.join(", "));
            let values = values.chain([SqlValue::Text(change.id.clone())]);
            log.transaction.prepare_cached(&sql)?.execute(params_from_iter(values))?;
        }
        None => {
            let marks = vec!["?"; columns.len()].join(", ");
            let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", columns.join(", "));
            log.transaction.prepare_cached(&sql)?.execute(params_from_iter(values))?;
            log.record(change.entity, &change.id, None, Some(version))?;
            let dig_up = "DELETE FROM tombstones WHERE entity = ?1 AND id = ?2";
            log.transaction.prepare_cached(dig_up)?.execute([change.entity.name(), &change.id])?;
        }
    }
    if change.entity == Entity::Memory {
        index_memory(log.transaction, options, &change.id)?;
    }
    Ok(())
}

/// Whether a name from the log may be used in SQL.
fn is_column(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// A row as JSON, with its version; `None` where there is none.
fn image_of(connection: &Connection, entity: Entity, id: &str) -> rusqlite::Result<Option<(String, i64)>> {
    let sql = format!("SELECT * FROM {} WHERE id = ?1", entity.table());
    let mut statement = connection.prepare_cached(&sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let image = statement.query_row([id], |row| {
        let mut image = Map::new();
        for (at, name) in names.iter().enumerate() {
            image.insert(name.clone(), json_value(row.get_ref(at)?));
        }
        Ok(image)
    });
    let image = image.optional()?;
    Ok(image.map(|image| {
        let version = image.get("version").and_then(Value::as_i64).unwrap_or_default();
        (Value::Object(image).to_string(), version)
    }))
}

/// Bytes become a JSON object; no other column has an object.
fn json_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => json!({ "bytes": bytes }),
    }
}

fn sql_value(value: &Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Bool(is) => SqlValue::Integer(i64::from(*is)),
        Value::Number(number) => match number.as_i64() {
            Some(number) => SqlValue::Integer(number),
            None => SqlValue::Real(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => SqlValue::Text(text.clone()),
        Value::Object(fields) => {
            let bytes = fields.get("bytes").and_then(Value::as_array);
            let byte = |value: &Value| u8::try_from(value.as_u64().unwrap_or_default()).unwrap_or_default();
            SqlValue::Blob(bytes.into_iter().flatten().map(byte).collect())
        }
        Value::Array(_) => SqlValue::Text(value.to_string()),
    }
}

/// The columns that [`operation_of`] reads.
const OPERATION_COLUMNS: &str = "no, at, kind, author, project, undone_by";

fn operation_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Operation> {
    Ok(Operation {
        number: row.get(0)?,
        at: UnixMillis(row.get(1)?).to_moment(),
        kind: row.get(2)?,
        author: Author::from_name(&row.get::<_, String>(3)?).unwrap_or_default(),
        project: row.get(4)?,
        records: Vec::new(),
        undone_by: row.get(5)?,
    })
}

fn records_of(connection: &Connection, operation: i64) -> rusqlite::Result<Vec<OperationRecord>> {
    let sql = "SELECT entity, id, before IS NULL, version_after IS NULL FROM changes WHERE operation = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([operation], |row| {
        let change = match (row.get(2)?, row.get(3)?) {
            (_, true) => "removed",
            (true, false) => "added",
            (false, false) => "changed",
        };
        Ok(OperationRecord { entity: row.get(0)?, id: row.get(1)?, change })
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests;
