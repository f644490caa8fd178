//! The log of operations on the pins of a clone, and how to undo them.

use icr_model::Moment;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use super::{CloneKey, PinPriority, Pins};
use crate::{DatabaseKind, Error};

/// An operation on a pin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PinOperation {
    /// Number of the operation; later operations have higher numbers.
    pub number: i64,
    /// When it was done.
    pub at: Moment,
    /// Its kind: `pin`, `unpin` or `undo`.
    pub kind: String,
    /// The id of the pin.
    pub source_id: String,
    /// Number of the operation that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<i64>,
}

/// Records the state of the pin before it is set, deleted or restored. Returns the operation's number.
pub(super) fn note(
    transaction: &Transaction<'_>,
    kind: &str,
    clone: &[u8],
    source_id: &str,
    now: Moment,
) -> rusqlite::Result<i64> {
    const NOTE: &str = "INSERT INTO pin_operations \
         (clone, at, kind, source_id, path, label, blob_id, pinned_at, expires_at, priority) \
         SELECT ?1, ?2, ?3, ?4, path, label, blob_id, pinned_at, expires_at, priority FROM (SELECT 1) \
         LEFT JOIN pins ON clone = ?1 AND source_id = ?4";
    transaction.execute(NOTE, params![clone, now.0, kind, source_id])?;
    Ok(transaction.last_insert_rowid())
}

impl Pins {
    /// The newest operations of a clone, the newest first; at most `limit`.
    ///
    /// # Errors
    ///
    /// As [`Pins::live`].
    pub fn operations(&self, clone: impl Into<CloneKey>, limit: usize) -> Result<Vec<PinOperation>, Error> {
        let CloneKey(clone) = &clone.into();
        let read = || {
            if !has_log(&self.connection)? {
                return Ok(Vec::new());
            }
            let sql = "SELECT no, at, kind, source_id, undone_by FROM pin_operations WHERE clone = ?1 ORDER BY no DESC LIMIT ?2";
            let mut statement = self.connection.prepare(sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![clone, limit], operation_of)?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "reading the log of pins", &self.path, source))
    }

    /// Restores a pin to its state before the operation `number`, or before the newest operation of the clone that is
    /// neither undone nor an undo itself. Returns the operation that was undone.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if there is no such operation; [`Error::ChangedSince`] if the pin was set or deleted later;
    /// errors of writing.
    pub fn undo(
        &mut self,
        clone: impl Into<CloneKey>,
        number: Option<i64>,
        now: Moment,
    ) -> Result<PinOperation, Error> {
        const NEWEST: &str = "SELECT no, at, kind, source_id, undone_by FROM pin_operations \
             WHERE clone = ?1 AND (?2 = no OR ?2 IS NULL AND undone_by IS NULL AND kind <> 'undo') ORDER BY no DESC LIMIT 1";
        const LATER: &str = "SELECT max(no) FROM pin_operations \
             WHERE clone = ?1 AND source_id = ?2 AND no > ?3 AND undone_by IS NULL AND kind <> 'undo'";
        // The priority is null if the pin was logged before pins had priorities.
        const PUT_BACK: &str = "INSERT INTO pins \
             (clone, source_id, path, label, blob_id, pinned_at, expires_at, priority) \
             SELECT clone, source_id, path, label, blob_id, pinned_at, expires_at, coalesce(priority, ?3) \
             FROM pin_operations WHERE no = ?1 AND path IS NOT NULL AND (expires_at IS NULL OR expires_at > ?2)";
        let CloneKey(clone) = &clone.into();
        let found = self.write("undoing what was done to a pin", now, |transaction| {
            let found = transaction.query_row(NEWEST, params![clone, number], operation_of).optional()?;
            let Some(operation) = found.filter(|operation| operation.undone_by.is_none()) else {
                return Ok(Some(Err(None)));
            };
            let values = params![clone, operation.source_id, operation.number];
            if let Some(later) = transaction.query_row(LATER, values, |row| row.get::<_, Option<i64>>(0))? {
                return Ok(Some(Err(Some((operation, later)))));
            }
            let undone_by = note(transaction, "undo", clone, &operation.source_id, now)?;
            transaction
                .execute("DELETE FROM pins WHERE clone = ?1 AND source_id = ?2", params![clone, operation.source_id])?;
            transaction.execute(PUT_BACK, params![operation.number, now.0, PinPriority::default()])?;
            transaction
                .execute("UPDATE pin_operations SET undone_by = ?1 WHERE no = ?2", [undone_by, operation.number])?;
            Ok(Some(Ok(PinOperation { undone_by: Some(undone_by), ..operation })))
        })?;
        match found {
            Some(Ok(operation)) => Ok(operation),
            Some(Err(Some((operation, later)))) => Err(Error::ChangedSince {
                operation: operation.number,
                entity: "pin",
                id: operation.source_id,
                by: Some(later),
            }),
            Some(Err(None)) | None => Err(match number {
                None => Error::NothingToUndo,
                Some(number) => Error::NotFound { entity: "operation", name: number.to_string(), similar: Vec::new() },
            }),
        }
    }
}

/// Whether the database has a log. A database of an earlier version that may only be read has none.
fn has_log(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'pin_operations')";
    connection.query_row(sql, [], |row| row.get(0))
}

fn operation_of(row: &Row<'_>) -> rusqlite::Result<PinOperation> {
    Ok(PinOperation {
        number: row.get(0)?,
        at: Moment(row.get(1)?),
        kind: row.get(2)?,
        source_id: row.get(3)?,
        undone_by: row.get(4)?,
    })
}
