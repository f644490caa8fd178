//! What memories are found by besides the triggers of the database: keys of near duplicates and vectors. Kept with each row, and made again
//! from it.

use rusqlite::{Connection, OptionalExtension};

use crate::near::sketch;
use crate::{Error, MemoryOptions};

/// Makes the indexes of a row anew, after it was inserted or changed.
pub(crate) fn index_memory(connection: &Connection, options: &MemoryOptions, id: &str) -> Result<(), Error> {
    let _ = options;
    let sql = "SELECT no, summary FROM memories WHERE id = ?1";
    let (no, summary): (i64, String) =
        connection.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    connection.prepare_cached("DELETE FROM near_keys WHERE no = ?1")?.execute([no])?;
    let mut add = connection.prepare_cached("INSERT OR IGNORE INTO near_keys (key, no) VALUES (?1, ?2)")?;
    for key in sketch(&summary) {
        // SQLite knows signed numbers only; equal keys stay equal.
        add.execute([key as i64, no])?;
    }
    Ok(())
}

/// Takes a row out of the indexes, before it is deleted.
pub(crate) fn unindex_memory(connection: &Connection, id: &str) -> Result<(), Error> {
    let sql = "SELECT no FROM memories WHERE id = ?1";
    let no: Option<i64> = connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    connection.prepare_cached("DELETE FROM near_keys WHERE no = ?1")?.execute([no])?;
    Ok(())
}
