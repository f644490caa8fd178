//! What memories are found by besides the triggers of the database: keys of near duplicates, places in code and vectors. Kept with each row,
//! and made again from it.

use rusqlite::{Connection, OptionalExtension};

use crate::near::sketch;
use crate::places::{drop_places, write_places};
use crate::recall::Utterance;
use crate::vectors::write_vector;
use crate::{Error, MemoryOptions};

/// Makes the indexes of a row anew, after it was inserted or changed.
pub(crate) fn index_memory(connection: &Connection, options: &MemoryOptions, id: &str) -> Result<(), Error> {
    let sql = "SELECT no, summary, topic, keywords, code FROM memories WHERE id = ?1";
    let (no, summary, topic, keywords, code): (i64, String, String, String, Option<String>) = connection
        .prepare_cached(sql)?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
    write_places(connection, no, code.as_deref())?;
    connection.prepare_cached("DELETE FROM near_keys WHERE no = ?1")?.execute([no])?;
    let mut add = connection.prepare_cached("INSERT OR IGNORE INTO near_keys (key, no) VALUES (?1, ?2)")?;
    for key in sketch(&summary) {
        // SQLite knows signed numbers only; equal keys stay equal.
        add.execute([key as i64, no])?;
    }
    match &options.embedder {
        Some(embedder) => write_vector(connection, &**embedder, no, &meaning_text(&summary, &topic, &keywords)),
        // A vector of what the row said before would find what it does not say now.
        None => Ok(drop_vectors(connection, no)?),
    }
}

/// Takes a row out of the indexes, before it is deleted.
pub(crate) fn unindex_memory(connection: &Connection, id: &str) -> Result<(), Error> {
    let sql = "SELECT no FROM memories WHERE id = ?1";
    let no: Option<i64> = connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    connection.prepare_cached("DELETE FROM near_keys WHERE no = ?1")?.execute([no])?;
    let Some(no) = no else { return Ok(()) };
    drop_places(connection, no)?;
    Ok(drop_vectors(connection, no)?)
}

fn drop_vectors(connection: &Connection, no: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM vectors WHERE no = ?1")?.execute([no]).map(drop)
}

/// What of a memory is read by the model: what was said, not who said it when, and what it is filed under.
pub(crate) fn meaning_text(summary: &str, topic: &str, keywords: &str) -> String {
    let keywords: Vec<String> = serde_json::from_str(keywords).unwrap_or_default();
    let body = Utterance::of(summary).body;
    std::iter::once(body).chain([topic]).chain(keywords.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}
