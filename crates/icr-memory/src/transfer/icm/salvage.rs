//! Reads the rows of a table that may be damaged in part.

use std::collections::BTreeMap;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row};

/// Most row numbers that are tried one by one behind a damaged place.
const PROBES_MOST: i64 = 1_000_000;

/// A row: its number, and its values by column. Bytes of texts that are not UTF-8 are replaced.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct IcmRow {
    pub(super) number: i64,
    values: BTreeMap<&'static str, Value>,
    /// Whether any bytes were replaced.
    pub(super) has_foreign_bytes: bool,
}

impl IcmRow {
    /// The text in a column; `None` for null and for other types.
    pub(super) fn text(&mut self, column: &str) -> Option<String> {
        match self.values.get_mut(column) {
            Some(Value::Text(text)) => Some(std::mem::take(text)),
            _ => None,
        }
    }

    /// The number in a column, integer or real.
    pub(super) fn number(&self, column: &str) -> Option<f64> {
        match self.values.get(column) {
            Some(Value::Integer(number)) => Some(*number as f64),
            Some(Value::Real(number)) => Some(*number),
            _ => None,
        }
    }
}

/// The readable rows of a table.
#[derive(Debug, Default)]
pub(super) struct TableRows {
    pub(super) rows: Vec<IcmRow>,
    pub(super) unreadable: u64,
}

/// The columns of a table; empty if there is no such table.
pub(super) fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}

/// The rows of `table` in order, with those of `columns` that it has. Behind a damaged page, rows are looked up by
/// number, one by one.
pub(super) fn read_table(connection: &Connection, table: &str, columns: &[&'static str]) -> TableRows {
    let mut found = TableRows::default();
    let Ok(present) = columns_of(connection, table) else { return found };
    let columns: Vec<&'static str> =
        columns.iter().copied().filter(|column| present.iter().any(|name| name == column)).collect();
    if columns.is_empty() {
        return found;
    }
    let select = format!("SELECT rowid, {} FROM {table}", columns.join(", "));
    if scan(connection, &select, &columns, &mut found.rows).is_ok() {
        return found;
    }
    let first = found.rows.last().map_or(i64::MIN, |row| row.number);
    let (first, last) = bounds(connection, table, first);
    let Ok(mut statement) = connection.prepare(&format!("{select} WHERE rowid = ?1")) else { return found };
    for number in (first..=last).take(PROBES_MOST as usize) {
        match statement.query_row([number], |row| row_of(row, &columns)).optional() {
            Ok(Some(row)) => found.rows.push(row),
            Ok(None) => {}
            Err(_) => found.unreadable += 1,
        }
    }
    found
}

fn scan(
    connection: &Connection,
    select: &str,
    columns: &[&'static str],
    found: &mut Vec<IcmRow>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("{select} ORDER BY rowid"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        found.push(row_of(row, columns)?);
    }
    Ok(())
}

/// The range of possible row numbers behind the row `seen`.
fn bounds(connection: &Connection, table: &str, seen: i64) -> (i64, i64) {
    let edge = |function: &str| {
        let sql = format!("SELECT {function}(rowid) FROM {table}");
        connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0)).ok().flatten()
    };
    let first = if seen == i64::MIN { edge("min").unwrap_or(1) } else { seen.saturating_add(1) };
    let last = edge("max").unwrap_or_else(|| first.saturating_add(PROBES_MOST));
    (first, last)
}

fn row_of(row: &Row<'_>, columns: &[&'static str]) -> rusqlite::Result<IcmRow> {
    let mut found = IcmRow { number: row.get(0)?, ..IcmRow::default() };
    for (at, column) in columns.iter().enumerate() {
        let value = match row.get_ref(at + 1)? {
            ValueRef::Text(bytes) => match String::from_utf8_lossy(bytes) {
                std::borrow::Cow::Borrowed(text) => Value::Text(text.to_owned()),
                std::borrow::Cow::Owned(text) => {
                    found.has_foreign_bytes = true;
                    Value::Text(text)
                }
            },
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        };
        found.values.insert(column, value);
    }
    Ok(found)
}
