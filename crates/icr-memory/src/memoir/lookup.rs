//! Rows of memoirs, concepts and links.

use icr_model::UnixMillis;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::{Concept, ConceptLink, Label, Memoir, Relation};
use crate::{Error, MemoryDatabase, RecordId};

/// Columns that [`memoir_row`] reads.
pub(super) const MEMOIR_COLUMNS: &str = "id, name, description, consolidation_threshold, created_at, updated_at";

/// Columns that [`concept_row`] reads.
pub(super) const CONCEPT_COLUMNS: &str =
    "id, name, definition, labels, confidence, revision, sources, created_at, updated_at";

/// Most names that an error suggests.
const SIMILAR_MOST: usize = 3;

/// Runs `question` in one read transaction.
pub(super) fn ask<T>(
    database: &MemoryDatabase,
    doing: &'static str,
    question: impl FnOnce(&Connection) -> Result<T, Error>,
) -> Result<T, Error> {
    let answer = database.read(doing, |connection| Ok(question(connection)))?;
    answer.map_err(|error| error.of(doing, database.path()))
}

/// The memoir with the name.
pub(super) fn memoir_named(connection: &Connection, name: &str) -> Result<Memoir, Error> {
    let name = name.trim();
    let sql = format!("SELECT {MEMOIR_COLUMNS} FROM memoirs WHERE name = ?1");
    let memoir = connection.prepare_cached(&sql)?.query_row([name], memoir_row).optional()?;
    match memoir {
        Some(memoir) => Ok(memoir),
        None => {
            let names = rows_of(connection, "SELECT name FROM memoirs ORDER BY name", [], |row| row.get(0))?;
            Err(not_found("memoir", name, &names))
        }
    }
}

/// The concept of a memoir with the name, if there is one.
pub(super) fn concept_if_any(connection: &Connection, memoir: &Memoir, name: &str) -> Result<Option<Concept>, Error> {
    let sql = format!("SELECT {CONCEPT_COLUMNS} FROM concepts WHERE memoir_id = ?1 AND name = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row([memoir.id.as_str(), name.trim()], concept_row).optional()?)
}

/// The concept of a memoir with the name.
pub(super) fn concept_named(connection: &Connection, memoir: &Memoir, name: &str) -> Result<Concept, Error> {
    if let Some(concept) = concept_if_any(connection, memoir, name)? {
        return Ok(concept);
    }
    let sql = "SELECT name FROM concepts WHERE memoir_id = ?1 ORDER BY name";
    let names = rows_of(connection, sql, [memoir.id.as_str()], |row| row.get(0))?;
    Err(not_found("concept", name.trim(), &names))
}

/// All rows of a statement.
pub(super) fn rows_of<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(values, row)?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
}

/// A row of [`MEMOIR_COLUMNS`].
pub(super) fn memoir_row(row: &Row<'_>) -> rusqlite::Result<Memoir> {
    Ok(Memoir {
        id: record_id(row, 0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        consolidation_threshold: row.get(3)?,
        created_at: UnixMillis(row.get(4)?),
        updated_at: UnixMillis(row.get(5)?),
    })
}

/// Reads a row of [`CONCEPT_COLUMNS`]. Lists that cannot be read are left empty, because the definition matters most.
pub(super) fn concept_row(row: &Row<'_>) -> rusqlite::Result<Concept> {
    Ok(Concept {
        id: record_id(row, 0)?,
        name: row.get(1)?,
        definition: row.get(2)?,
        labels: readable_labels(&row.get::<_, String>(3)?),
        confidence: row.get(4)?,
        revision: row.get(5)?,
        sources: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
        created_at: UnixMillis(row.get(7)?),
        updated_at: UnixMillis(row.get(8)?),
    })
}

/// The valid labels of a JSON list.
fn readable_labels(json: &str) -> Vec<Label> {
    let labels: Vec<String> = serde_json::from_str(json).unwrap_or_default();
    labels.iter().filter_map(|label| Label::parse(label).ok()).collect()
}

/// Reads `id, source_id, target_id, relation, weight, created_at`, beginning with column `first`.
pub(super) fn link_row(row: &Row<'_>, first: usize) -> rusqlite::Result<ConceptLink> {
    let relation: String = row.get(first + 3)?;
    let wrong = |error: Error| rusqlite::Error::FromSqlConversionFailure(first + 3, Type::Text, error.into());
    Ok(ConceptLink {
        id: record_id(row, first)?,
        source_id: record_id(row, first + 1)?,
        target_id: record_id(row, first + 2)?,
        relation: Relation::parse(&relation).map_err(wrong)?,
        weight: row.get(first + 4)?,
        created_at: UnixMillis(row.get(first + 5)?),
    })
}

/// A new id for a row of `table`, made of `now`, a counter and random bits, so that ids are in order and two databases
/// never make the same one.
pub(super) fn new_id(connection: &Connection, table: &'static str, now: UnixMillis) -> Result<RecordId, Error> {
    let sql = format!("SELECT (SELECT coalesce(max(no), 0) FROM {table}), random()");
    let (added, chance): (i64, i64) =
        connection.prepare_cached(&sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // The counter has 32 bits, the random part 48.
    let counted = u128::from(added as u64 as u32) << 48;
    Ok(RecordId::ulid(now, counted | u128::from(chance as u64 & 0xffff_ffff_ffff)))
}

/// The id in a column.
pub(super) fn record_id(row: &Row<'_>, at: usize) -> rusqlite::Result<RecordId> {
    let text: String = row.get(at)?;
    RecordId::try_from(text).map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, error.into()))
}

fn not_found(entity: &'static str, name: &str, names: &[String]) -> Error {
    let similar = icr_model::similar_names(name, names.iter().map(String::as_str), SIMILAR_MOST);
    let similar = similar.into_iter().map(str::to_owned).collect();
    Error::NotFound { entity, name: name.to_owned(), similar }
}
