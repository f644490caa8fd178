//! Reads a database into an [`Archive`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icr_model::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, Rows};
use serde_json::{Map, Value};

use super::RECORD_COST;
use super::archive::{
    Archive, ConceptRecord, ConceptText, Join, LinkEnds, LinkRecord, MemoirRecord, MemoryRecord, MemoryText,
    OrderedWords, Tombstone, Usage,
};
use crate::listing::{memory_row, select_memories};
use crate::store::importance_of;
use crate::{Author, Entity, Memory, MemoryKind, MemoryOrigin, ProjectKey, RecordId};

/// Prefix of the property names that store revoked tombstones.
const REVOKED: &str = "revoked-tombstone/";

/// The size of the memories and memoirs of a database, with their earlier texts, for the limit of an import; see
/// [`RECORD_COST`].
pub(crate) fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let texts = [
        ("memories", "octet_length(summary) + ifnull(octet_length(raw_excerpt), 0) + octet_length(keywords)"),
        ("changes WHERE before IS NOT NULL", "octet_length(before)"),
        ("memoirs", "octet_length(description)"),
        ("concepts", "octet_length(definition)"),
        ("links", "0"),
    ];
    let mut size = 0;
    for (table, bytes) in texts {
        let sql = format!("SELECT ifnull(sum({bytes}), 0) + {RECORD_COST} * count(*) FROM {table}");
        size += connection.query_row(&sql, [], |row| row.get::<_, u64>(0))?;
    }
    Ok(size)
}

/// Reads everything in the database except earlier texts.
pub(crate) fn read_archive(connection: &Connection) -> rusqlite::Result<Archive> {
    let mut archive = Archive::default();
    let mut statement = connection.prepare_cached(&select_memories(""))?;
    for memory in statement.query_map([], memory_row)? {
        let memory = memory?;
        archive.memories.insert(memory.id.clone(), Arc::new(record_of(memory)));
    }
    read_memoirs(connection, &mut archive)?;
    read_tombstones(connection, &mut archive)?;
    Ok(archive)
}

/// Reads what can be read of a damaged database: memories one by one, memoirs and tombstones up to the first damage. Adds
/// the number of damaged places that it met to `unreadable`.
///
/// Cost: one look-up for each number that a memory ever had.
pub(crate) fn read_readable(connection: &Connection, unreadable: &mut u64) -> rusqlite::Result<Archive> {
    let mut archive = Archive::default();
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'";
    let newest: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    let mut statement = connection.prepare_cached(&select_memories("WHERE no = ?1"))?;
    for no in 1..=newest.unwrap_or_default() {
        if let Some(memory) = or_damaged(statement.query_row([no], memory_row).optional(), unreadable)? {
            archive.memories.insert(memory.id.clone(), Arc::new(record_of(memory)));
        }
    }
    or_damaged(read_memoirs(connection, &mut archive), unreadable)?;
    or_damaged(read_tombstones(connection, &mut archive), unreadable)?;
    Ok(archive)
}

/// What was `read`; nothing, and one more in `unreadable`, if the database is damaged there.
pub(crate) fn or_damaged<T: Default>(read: rusqlite::Result<T>, unreadable: &mut u64) -> rusqlite::Result<T> {
    match read {
        Err(error) if is_damage(&error) => {
            *unreadable += 1;
            Ok(T::default())
        }
        read => read,
    }
}

/// Whether an error says that a page of the database is damaged, or that a row has a value which icr never writes.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
        || matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        )
}

fn read_memoirs(connection: &Connection, archive: &mut Archive) -> rusqlite::Result<()> {
    let sql = "SELECT id, name, description, consolidation_threshold, created_at, updated_at FROM memoirs";
    archive.memoirs = records(connection, sql, |row| {
        Ok(MemoirRecord {
            created_at: UnixMillis(row.get(4)?),
            updated_at: UnixMillis(row.get(5)?),
            name: row.get(1)?,
            description: row.get(2)?,
            consolidation_threshold: row.get(3)?,
        })
    })?;
    let sql = "SELECT id, memoir_id, name, definition, labels, confidence, revision, sources, created_at, updated_at \
         FROM concepts";
    archive.concepts = records(connection, sql, concept_row)?;
    let sql = "SELECT id, source_id, target_id, relation, weight, created_at FROM links";
    archive.links = records(connection, sql, |row| {
        let ends = LinkEnds { source_id: id_at(row, 1)?, target_id: id_at(row, 2)?, relation: row.get(3)? };
        Ok(LinkRecord { created_at: UnixMillis(row.get(5)?), ends, weight: row.get(4)? })
    })?;
    Ok(())
}

/// A memory of this database as a record.
pub(crate) fn record_of(memory: Memory) -> MemoryRecord {
    let text = MemoryText {
        updated_at: memory.updated_at,
        project: memory.project,
        topic: memory.topic,
        raw_excerpt: memory.raw_excerpt,
        keywords: OrderedWords(memory.keywords),
        importance: memory.importance,
        source: memory.source,
        author: memory.author,
        kind: memory.kind,
        expires_at: memory.expires_at,
        superseded_by: [memory.superseded_by].into(),
        code: memory.code,
    };
    let usage = Usage {
        access_count: memory.access_count,
        accessed_at: memory.accessed_at,
        weight: memory.weight,
        weight_at: memory.weight_at,
    };
    MemoryRecord {
        created_at: memory.created_at,
        texts: BTreeMap::from([(memory.summary, Arc::new(text))]),
        related: OrderedWords::of_ids(&memory.related),
        usage: Some(usage),
    }
}

/// Adds earlier texts from the log of operations to all memories and concepts of `archive`, or only to those in `ids`.
/// A text in the log that is later than the current one was taken back by an undo, and is not an earlier text.
pub(crate) fn add_earlier_texts(
    connection: &Connection,
    archive: &mut Archive,
    ids: Option<&[(Entity, RecordId)]>,
) -> rusqlite::Result<()> {
    let mut earlier = EarlierTexts::default();
    const COLUMNS: &str = "SELECT entity, id, before FROM changes WHERE before IS NOT NULL";
    match ids {
        None => {
            let sql = format!("{COLUMNS} AND entity IN ('memory', 'concept')");
            earlier.take_rows(archive, connection.prepare_cached(&sql)?.query([])?)?;
        }
        Some(ids) => {
            let mut statement = connection.prepare_cached(&format!("{COLUMNS} AND entity = ?1 AND id = ?2"))?;
            for (entity, id) in ids {
                earlier.take_rows(archive, statement.query([entity.name(), id.as_str()])?)?;
            }
        }
    }
    for (id, texts) in earlier.memories {
        archive.memories.entry(id).and_modify(|memory| Arc::make_mut(memory).texts.join(texts));
    }
    for (id, texts) in earlier.concepts {
        archive.concepts.entry(id).and_modify(|concept| concept.texts.join(texts));
    }
    Ok(())
}

#[derive(Default)]
struct EarlierTexts {
    memories: BTreeMap<RecordId, BTreeMap<String, Arc<MemoryText>>>,
    concepts: BTreeMap<RecordId, BTreeMap<String, Arc<ConceptText>>>,
}

impl EarlierTexts {
    fn take_rows(&mut self, archive: &Archive, mut rows: Rows<'_>) -> rusqlite::Result<()> {
        while let Some(row) = rows.next()? {
            let (entity, id, before): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            // Log entries in an unknown format are ignored.
            let image = serde_json::from_str::<Map<String, Value>>(&before);
            if let (Ok(id), Ok(image)) = (RecordId::try_from(id), image) {
                self.take(archive, entity == "memory", id, &image);
            }
        }
        Ok(())
    }

    fn take(&mut self, archive: &Archive, is_memory: bool, id: RecordId, image: &Map<String, Value>) {
        if is_memory {
            let Some((summary, text)) = memory_text_of(image) else { return };
            let Some((now, latest)) = archive.memories.get(&id).map(|memory| memory.latest()) else { return };
            if summary != *now && (text.updated_at, &summary) < (latest.updated_at, now) {
                self.memories.entry(id).or_default().join(BTreeMap::from([(summary, Arc::new(text))]));
            }
        } else {
            let Some((definition, mut text)) = concept_text_of(image) else { return };
            let Some((now, latest)) = archive.concepts.get(&id).map(ConceptRecord::latest) else { return };
            // All definitions of a concept belong to its current memoir.
            text.memoir_id = latest.memoir_id.clone();
            if definition != *now && (text.updated_at, &definition) < (latest.updated_at, now) {
                self.concepts.entry(id).or_default().join(BTreeMap::from([(definition, Arc::new(text))]));
            }
        }
    }
}

/// Reads the text of a memory from a row of the log of operations.
fn memory_text_of(image: &Map<String, Value>) -> Option<(String, MemoryText)> {
    let text = |name: &str| image.get(name)?.as_str().map(str::to_owned);
    let number = |name: &str| image.get(name)?.as_i64();
    let words = |name: &str| Some(OrderedWords(serde_json::from_str(&text(name)?).ok()?));
    let details = MemoryText {
        updated_at: UnixMillis(number("updated_at")?),
        project: ProjectKey::of_repository(&text("project")?),
        topic: text("topic")?,
        raw_excerpt: text("raw_excerpt"),
        keywords: words("keywords")?,
        importance: importance_of(number("importance")?),
        source: MemoryOrigin(text("source")?),
        author: Author::from_name(&text("author")?)?,
        kind: MemoryKind::from_name(&text("kind")?)?,
        expires_at: number("expires_at").map(UnixMillis),
        // Only the current text of a memory has a successor.
        superseded_by: [None].into(),
        code: text("code").and_then(|code| serde_json::from_str(&code).ok()),
    };
    Some((text("summary")?, details))
}

/// Reads the definition of a concept from a row of the log of operations.
fn concept_text_of(image: &Map<String, Value>) -> Option<(String, ConceptText)> {
    let text = |name: &str| image.get(name)?.as_str().map(str::to_owned);
    let number = |name: &str| image.get(name)?.as_i64();
    let details = ConceptText {
        updated_at: UnixMillis(number("updated_at")?),
        memoir_id: RecordId::try_from(text("memoir_id")?).ok()?,
        name: text("name")?,
        labels: OrderedWords(serde_json::from_str(&text("labels")?).ok()?),
        confidence: image.get("confidence")?.as_f64()?,
        revision: u32::try_from(number("revision")?).ok()?,
    };
    Some((text("definition")?, details))
}

fn concept_row(row: &Row<'_>) -> rusqlite::Result<ConceptRecord> {
    let words = |at: usize| -> rusqlite::Result<OrderedWords> {
        Ok(OrderedWords(serde_json::from_str(&row.get::<_, String>(at)?).unwrap_or_default()))
    };
    let text = ConceptText {
        updated_at: UnixMillis(row.get(9)?),
        memoir_id: id_at(row, 1)?,
        name: row.get(2)?,
        labels: words(4)?,
        confidence: row.get(5)?,
        revision: row.get(6)?,
    };
    Ok(ConceptRecord {
        created_at: UnixMillis(row.get(8)?),
        texts: BTreeMap::from([(row.get(3)?, Arc::new(text))]),
        sources: words(7)?,
    })
}

/// Reads the tombstones, also the revoked ones. Undoing an import does not count as forgetting: its records may be
/// imported again.
fn read_tombstones(connection: &Connection, archive: &mut Archive) -> rusqlite::Result<()> {
    let mut add = |entity: &str, id: String, tombstone: Tombstone| {
        if let (Some(entity), Ok(id)) = (Entity::from_name(entity), RecordId::try_from(id)) {
            archive.tombstones.join(BTreeMap::from([((entity, id), tombstone)]));
        }
    };
    let sql = "SELECT entity, id, at, seen FROM tombstones AS tombstone WHERE NOT EXISTS (\
         SELECT 1 FROM changes JOIN operations AS undoing ON undoing.no = changes.operation \
         JOIN operations AS import ON import.undone_by = undoing.no \
         WHERE changes.entity = tombstone.entity AND changes.id = tombstone.id AND changes.version_after IS NULL \
         AND undoing.at = tombstone.at AND import.kind = 'import')";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        add(
            &row.get::<_, String>(0)?,
            row.get(1)?,
            Tombstone {
                at: UnixMillis(row.get(2)?),
                revoked: false,
                seen: row.get::<_, Option<i64>>(3)?.map(UnixMillis),
            },
        );
    }
    // A record that an operation removed, and that exists again because the operation was undone.
    let sql = "SELECT entity, id, at FROM changes JOIN operations ON no = operation \
         WHERE version_after IS NULL AND undone_by IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut taken_back = BTreeSet::new();
    while let Some(row) = rows.next()? {
        taken_back.insert((row.get::<_, String>(0)?, row.get::<_, String>(1)?, UnixMillis(row.get(2)?)));
    }
    let sql = "SELECT name, value FROM properties WHERE name LIKE ?1 || '%'";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([REVOKED])?;
    while let Some(row) = rows.next()? {
        let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
        let record = name.strip_prefix(REVOKED).and_then(|record| record.split_once('/'));
        if let (Some((entity, id)), Ok(at)) = (record, value.parse().map(UnixMillis)) {
            taken_back.insert((entity.to_owned(), id.to_owned(), at));
        }
    }
    for (entity, id, at) in taken_back {
        add(&entity, id, Tombstone { at, revoked: true, seen: None });
    }
    Ok(())
}

/// Drops tombstones of memories that are known to belong to other projects than `project`.
pub(crate) fn keep_tombstones_of(
    connection: &Connection,
    archive: &mut Archive,
    project: &ProjectKey,
) -> rusqlite::Result<()> {
    let sql =
        "SELECT before ->> 'project' FROM changes WHERE entity = 'memory' AND id = ?1 AND before IS NOT NULL LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut foreign = Vec::new();
    for key @ (_, id) in archive.tombstones.keys().filter(|(entity, _)| *entity == Entity::Memory) {
        let of: Option<String> = statement.query_row([id.as_str()], |row| row.get(0)).optional()?.flatten();
        // If a tombstone came only with an import, its project is unknown. It is passed on, so that a third machine
        // that merges only with the second one also forgets the memory. The id of a tombstone reveals nothing.
        if of.is_some_and(|of| !of.is_empty() && of != project.as_str()) {
            foreign.push(key.clone());
        }
    }
    for key in foreign {
        archive.tombstones.remove(&key);
    }
    Ok(())
}

/// The name of the property that stores a revoked tombstone.
pub(crate) fn revoked_property(entity: Entity, id: &RecordId) -> String {
    format!("{REVOKED}{}/{id}", entity.name())
}

/// Reads rows whose first column is an id.
fn records<T>(
    connection: &Connection,
    sql: &str,
    record: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<BTreeMap<RecordId, T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| Ok((id_at(row, 0)?, record(row)?)))?;
    rows.collect()
}

fn id_at(row: &Row<'_>, at: usize) -> rusqlite::Result<RecordId> {
    let wrong = |error: crate::NoRecordId| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, error.into())
    };
    RecordId::try_from(row.get::<_, String>(at)?).map_err(wrong)
}
