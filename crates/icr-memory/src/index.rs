//! The indexes of memories that no trigger of the database maintains: keys of near duplicates, places in code, and
//! vectors. They are kept for each row and derived from it.

use rusqlite::{Connection, OptionalExtension, params};

use crate::listing::text_at;
use crate::near_duplicates::{exact_key, sketch};
use crate::places::{drop_places, write_places};
use crate::recall::Utterance;
use crate::vectors::{empty_vectors, write_vector};
use crate::{Error, MemoryOptions};

/// The keys by which near duplicates in the same topic are found: 32 bits of the topic, so that the keys of a topic are
/// neighbours in the index, and 32 bits of the sketch.
pub(crate) fn near_keys(project: &str, topic: &str, text: &str) -> impl Iterator<Item = i64> {
    let topic = i64::from(topic_key(project, topic)) << 32;
    sketch(text).into_iter().map(move |key| topic | i64::from(key as u32))
}

/// A hash of project and topic. If two topics have the same hash, that only costs comparisons.
fn topic_key(project: &str, topic: &str) -> i32 {
    // FNV-1a, 32 bits (Fowler, Noll and Vo): prime and offset basis.
    let bytes = project.bytes().chain([0]).chain(topic.bytes());
    bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) as i32
}

/// Adds a row to the indexes after it was inserted or changed. [`unindex_memory`] must have removed the old entries
/// before a change.
pub(crate) fn index_memory(connection: &Connection, options: &MemoryOptions, id: &str) -> Result<(), Error> {
    let sql = "SELECT no, summary, project, topic, keywords, code FROM memories WHERE id = ?1";
    let (no, summary, project, topic, keywords, code): (i64, String, String, String, String, Option<String>) =
        connection.prepare_cached(sql)?.query_row([id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?;
    write_places(connection, no, code.as_deref())?;
    let mut add = connection.prepare_cached("INSERT OR IGNORE INTO near_keys (key, no) VALUES (?1, ?2)")?;
    for key in near_keys(&project, &topic, &summary) {
        add.execute([key, no])?;
    }
    match &options.embedder {
        Some(embedder) => {
            write_vector(connection, &**embedder, no, &meaning_text(&summary, &topic, &keywords)).map(drop)
        }
        None => Ok(()),
    }
}

/// Recomputes the keys of equal and near texts for all rows, because an earlier version computed them differently.
pub(crate) fn renew_keys(connection: &Connection) -> Result<(), Error> {
    let mut rows = connection.prepare("SELECT no, project, topic, summary FROM memories")?;
    let mut set_key = connection.prepare("UPDATE memories SET exact_key = ?2 WHERE no = ?1")?;
    let mut add = connection.prepare("INSERT OR IGNORE INTO near_keys (key, no) VALUES (?1, ?2)")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (no, project, topic, summary): (i64, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        set_key.execute(params![no, exact_key(&topic, &summary)])?;
        for key in near_keys(&project, &topic, &summary) {
            add.execute([key, no])?;
        }
    }
    Ok(())
}

/// Removes a row from the indexes before it is changed or deleted.
pub(crate) fn unindex_memory(connection: &Connection, id: &str) -> Result<(), Error> {
    let sql = "SELECT no, project, topic, summary FROM memories WHERE id = ?1";
    let row = connection.prepare_cached(sql)?.query_row([id], |row| {
        // A row with a value that makes no sense can be changed and forgotten too.
        let text = |at| Ok::<_, rusqlite::Error>(text_at(row, at)?.unwrap_or_default());
        Ok((row.get(0)?, text(1)?, text(2)?, text(3)?))
    });
    let Some((no, project, topic, summary)) = row.optional()? else { return Ok(()) };
    let mut remove = connection.prepare_cached("DELETE FROM near_keys WHERE key = ?1 AND no = ?2")?;
    for key in near_keys(&project, &topic, &summary) {
        remove.execute([key, no])?;
    }
    drop_places(connection, no)?;
    // The vector of the old text would match what the row no longer says.
    Ok(empty_vectors(connection, no)?)
}

/// The text of a memory that is embedded: what was said and its topic and keywords, without the speaker and the time.
pub(crate) fn meaning_text(summary: &str, topic: &str, keywords: &str) -> String {
    let keywords: Vec<String> = serde_json::from_str(keywords).unwrap_or_default();
    let body = Utterance::of(summary).body;
    std::iter::once(body).chain([topic]).chain(keywords.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}
