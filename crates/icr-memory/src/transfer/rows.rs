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
use crate::listing::{NUMBER_MOST, memory_row, select_memories, time_of, unless_senseless};
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

/// What was wrong with the rows of a database that was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReadFaults {
    /// Rows that are missing from the archive, because they or their pages cannot be read.
    pub(crate) unreadable: u64,
    /// Memories that were read without some value that makes no sense.
    pub(crate) senseless: u64,
}

/// Reads everything in the database except earlier texts. A damaged page is an error; a row that makes no sense is left
/// out.
pub(crate) fn read_archive(connection: &Connection, faults: &mut ReadFaults) -> rusqlite::Result<Archive> {
    let mut archive = Archive::default();
    let mut statement = connection.prepare_cached(&select_memories(""))?;
    for memory in statement.query_map([], memory_row)? {
        take_memory(&mut archive, memory, faults)?;
    }
    for table in GRAPH_TABLES {
        let mut statement = connection.prepare_cached(table.select)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            or_damaged((table.take)(&mut archive, row), &mut faults.unreadable)?;
        }
    }
    read_tombstones(connection, &mut archive)?;
    Ok(archive)
}

/// Reads everything that can be read, of a sound or a damaged database, except earlier texts.
pub(crate) fn read_all_readable(connection: &Connection) -> rusqlite::Result<(Archive, ReadFaults)> {
    let mut faults = ReadFaults::default();
    match read_archive(connection, &mut faults) {
        Err(error) if is_damage(&error) => {
            faults = ReadFaults::default();
            Ok((read_readable(connection, &mut faults)?, faults))
        }
        archive => Ok((archive?, faults)),
    }
}

/// Reads what can be read of a damaged database: rows by their numbers, one by one, and tombstones up to the first damage.
///
/// Cost: one look-up for each number that a row ever had.
fn read_readable(connection: &Connection, faults: &mut ReadFaults) -> rusqlite::Result<Archive> {
    let mut archive = Archive::default();
    each_number(connection, "memories", &select_memories("WHERE no = ?1"), faults, |row, faults| {
        let memory = memory_row(row);
        take_memory(&mut archive, memory, faults)
    })?;
    for table in GRAPH_TABLES {
        let select = format!("{} WHERE no = ?1", table.select);
        each_number(connection, table.name, &select, faults, |row, _| (table.take)(&mut archive, row))?;
    }
    or_damaged(read_tombstones(connection, &mut archive), &mut faults.unreadable)?;
    Ok(archive)
}

fn take_memory(
    archive: &mut Archive,
    memory: rusqlite::Result<Memory>,
    faults: &mut ReadFaults,
) -> rusqlite::Result<()> {
    match unless_senseless(memory.map(Some))? {
        Some(memory) => {
            faults.senseless += u64::from(!memory.senseless.is_empty());
            archive.memories.insert(memory.id.clone(), Arc::new(record_of(memory)));
        }
        None => faults.unreadable += 1,
    }
    Ok(())
}

/// Numbers in a row that are tried without finding a row, if it is not known which number is the last one.
const SILENT_MOST: i64 = 10_000;

/// Gives `take` each row that `select` finds by number, and counts those that cannot be read.
fn each_number(
    connection: &Connection,
    table: &str,
    select: &str,
    faults: &mut ReadFaults,
    mut take: impl FnMut(&Row<'_>, &mut ReadFaults) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut statement = match connection.prepare_cached(select) {
        // The table, or the page that describes it, is lost.
        Err(error) if is_damage(&error) => {
            faults.unreadable += 1;
            return Ok(());
        }
        statement => statement?,
    };
    let given = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    let given = connection.query_row(given, [table], |row| row.get::<_, i64>(0)).optional();
    let last = match given {
        Ok(given) => Some(given.unwrap_or_default().min(NUMBER_MOST)),
        Err(_) => connection.query_row(&format!("SELECT max(no) FROM {table}"), [], |row| row.get(0)).unwrap_or(None),
    };
    let (mut latest, mut number) = (0, 0);
    let mut unreadable = 0;
    while last.map_or(number - latest < SILENT_MOST, |last| number < last) {
        number += 1;
        let mut rows = statement.query([number])?;
        let read = rows.next().and_then(|row| match row {
            Some(row) => take(row, faults).map(|()| true),
            None => Ok(false),
        });
        match read {
            Ok(true) => {
                latest = number;
                faults.unreadable += std::mem::take(&mut unreadable);
            }
            Ok(false) => {}
            Err(error) if is_damage(&error) => unreadable += 1,
            Err(error) => return Err(error),
        }
    }
    // Behind the last row that was found, damage may be where no row ever was.
    faults.unreadable += if last.is_some() { unreadable } else { unreadable.min(1) };
    Ok(())
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

/// Whether an error says that a page of the database is damaged, that a table is lost (which SQLite reports as `Unknown`),
/// or that a row has a value which icr never writes.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    use rusqlite::ErrorCode::{DatabaseCorrupt, Unknown};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | Unknown))
        || matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        )
}

/// A table of memoirs.
struct GraphTable {
    name: &'static str,
    /// Selects the columns that `take` reads.
    select: &'static str,
    /// Adds a row to the archive.
    take: fn(&mut Archive, &Row<'_>) -> rusqlite::Result<()>,
}

const GRAPH_TABLES: [GraphTable; 3] = [
    GraphTable {
        name: "memoirs",
        select: "SELECT id, name, description, consolidation_threshold, created_at, updated_at FROM memoirs",
        take: |archive, row| {
            let memoir = MemoirRecord {
                created_at: time_at(row, 4)?,
                updated_at: time_at(row, 5)?,
                name: row.get(1)?,
                description: row.get(2)?,
                consolidation_threshold: row.get(3)?,
            };
            archive.memoirs.insert(id_at(row, 0)?, memoir);
            Ok(())
        },
    },
    GraphTable {
        name: "concepts",
        select: "SELECT id, memoir_id, name, definition, labels, confidence, revision, sources, created_at, updated_at \
                 FROM concepts",
        take: |archive, row| {
            archive.concepts.insert(id_at(row, 0)?, concept_row(row)?);
            Ok(())
        },
    },
    GraphTable {
        name: "links",
        select: "SELECT id, source_id, target_id, relation, weight, created_at FROM links",
        take: |archive, row| {
            let ends = LinkEnds { source_id: id_at(row, 1)?, target_id: id_at(row, 2)?, relation: row.get(3)? };
            archive
                .links
                .insert(id_at(row, 0)?, LinkRecord { created_at: time_at(row, 5)?, ends, weight: row.get(4)? });
            Ok(())
        },
    },
];

/// A time that an export can hold.
fn time_at(row: &Row<'_>, at: usize) -> rusqlite::Result<UnixMillis> {
    time_of(row.get_ref(at)?).ok_or_else(|| rusqlite::Error::IntegralValueOutOfRange(at, 0))
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
        updated_at: time_at(row, 9)?,
        memoir_id: id_at(row, 1)?,
        name: row.get(2)?,
        labels: words(4)?,
        confidence: row.get(5)?,
        revision: row.get(6)?,
    };
    Ok(ConceptRecord {
        created_at: time_at(row, 8)?,
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

fn id_at(row: &Row<'_>, at: usize) -> rusqlite::Result<RecordId> {
    let wrong = |error: crate::NoRecordId| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, error.into())
    };
    RecordId::try_from(row.get::<_, String>(at)?).map_err(wrong)
}
