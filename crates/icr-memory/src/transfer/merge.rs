//! Merges an [`Archive`] into a database, in one transaction and as one operation of the log.

use std::collections::{BTreeMap, BTreeSet};

use icr_model::UnixMillis;
use rusqlite::{Transaction, params};
use serde_json::{Value, json};

use super::archive::{Archive, ConceptRecord, Join, LinkRecord, MemoirRecord, MemoryRecord, MemoryText, Tombstone};
use super::rows::{ReadFaults, add_earlier_texts, read_archive, revoked_property};
use super::settlement::{Settlement, settle};
use super::{ImportRequest, RecordReport, TransferNote, TransferReport};
use crate::operations::LogEntry;
use crate::store::{insert, json_of, remove, rewrite};
use crate::{Entity, Error, Memory, MemoryDatabase, MemoryOptions, ProjectKey, RecordId};

/// The operation kind of a merge.
const OPERATION: &str = "import";

/// The operation kind under which the log keeps texts that were replaced on the other side.
const EARLIER_TEXTS: &str = "import_earlier_texts";

/// Merges `incoming` into the database, completely or not at all.
pub(crate) fn merge_archive(
    database: &mut MemoryDatabase,
    mut incoming: Archive,
    request: &ImportRequest,
    now: UnixMillis,
) -> Result<TransferReport, Error> {
    database.write("importing memories", |transaction, options| {
        if request.dry_run {
            transaction.execute_batch("SAVEPOINT dry_run")?;
        }
        let mut before = read_archive(transaction, &mut ReadFaults::default())?;
        if request.revive {
            revive(&before, &mut incoming);
        }
        let mut settlement = settle(join_archives(&before, &incoming));
        let ids = records_with_history(&before, &incoming, &settlement);
        if !ids.is_empty() {
            add_earlier_texts(transaction, &mut before, Some(&ids))?;
            settlement = settle(join_archives(&before, &incoming));
        }
        let no_project = ProjectKey::NONE;
        let log = LogEntry::new(transaction, (OPERATION, request.author), &no_project, now);
        let writer = ArchiveWriter { transaction, options, log: &log, before: &before, settlement: &settlement };
        writer.write(&incoming)?;
        let earlier_texts = writer.keep_earlier_texts(request, now)?;
        let mut report = report_of(&before, &incoming, &settlement);
        if report.memories.merged > 0 {
            // If only usage was united, nothing can be restored. But an undo after this import must not undo what was
            // done before it.
            log.begin()?;
        }
        report.earlier_texts = earlier_texts;
        report.operation = log.number();
        if request.dry_run {
            transaction.execute_batch("ROLLBACK TO dry_run; RELEASE dry_run")?;
            report.operation = None;
        }
        Ok(report)
    })
}

/// Revokes the tombstones of records in `incoming` that were forgotten here, so that they are imported.
fn revive(here: &Archive, incoming: &mut Archive) {
    let ids = |entity: Entity, ids: Vec<&RecordId>| -> Vec<(Entity, RecordId)> {
        ids.into_iter().map(|id| (entity, id.clone())).collect()
    };
    let alive = [
        ids(Entity::Memory, incoming.memories.keys().collect()),
        ids(Entity::Memoir, incoming.memoirs.keys().collect()),
        ids(Entity::Concept, incoming.concepts.keys().collect()),
        ids(Entity::Link, incoming.links.keys().collect()),
    ]
    .concat();
    for key in alive {
        if let Some(tombstone) = here.tombstones.get(&key) {
            let revoked = Tombstone { revoked: true, ..*tombstone };
            incoming.tombstones.join(BTreeMap::from([(key, revoked)]));
        }
    }
}

fn join_archives(here: &Archive, incoming: &Archive) -> Archive {
    let mut joined = here.clone();
    joined.join(incoming.clone());
    joined
}

/// Records of the database whose earlier texts are needed: the other side has another text, or the record is united
/// with another one.
fn records_with_history(here: &Archive, incoming: &Archive, settlement: &Settlement) -> Vec<(Entity, RecordId)> {
    let memories = incoming.memories.iter().filter(|(id, memory)| {
        here.memories.get(*id).is_some_and(|known| memory.texts.len() > 1 || known.latest().0 != memory.latest().0)
    });
    let concepts = incoming.concepts.iter().filter(|(id, concept)| {
        here.concepts.get(*id).is_some_and(|known| concept.texts.len() > 1 || known.latest().0 != concept.latest().0)
    });
    let mut ids: BTreeSet<(Entity, RecordId)> = memories.map(|(id, _)| (Entity::Memory, id.clone())).collect();
    ids.extend(concepts.map(|(id, _)| (Entity::Concept, id.clone())));
    for ((entity, id), first) in &settlement.same {
        ids.extend([(*entity, id.clone()), (*entity, first.clone())]);
    }
    ids.into_iter().collect()
}

/// Writes the changes of a settlement to the database.
struct ArchiveWriter<'a> {
    transaction: &'a Transaction<'a>,
    options: &'a MemoryOptions,
    log: &'a LogEntry<'a>,
    before: &'a Archive,
    settlement: &'a Settlement,
}

impl ArchiveWriter<'_> {
    fn write(&self, incoming: &Archive) -> Result<(), Error> {
        let after = &self.settlement.archive;
        for id in self.before.memories.keys().filter(|id| !after.memories.contains_key(*id)) {
            remove(self.transaction, self.log, id)?;
            self.set_tombstone(Entity::Memory, id)?;
        }
        self.write_graph()?;
        for (id, memory) in &after.memories {
            self.write_memory(id, memory)?;
        }
        for (entity, id) in incoming.tombstones.keys() {
            self.set_tombstone(*entity, id)?;
        }
        Ok(())
    }

    fn write_memory(&self, id: &RecordId, after: &MemoryRecord) -> Result<(), Error> {
        let memory = memory_of(id, after);
        let Some(before) = self.before.memories.get(id) else {
            insert(self.transaction, self.log, self.options, &memory)?;
            return self.set_tombstone(Entity::Memory, id);
        };
        let known = memory_of(id, before);
        if is_same_content(&known, &memory) {
            if known != memory {
                self.write_usage(&memory)?;
            }
            return Ok(());
        }
        rewrite(self.transaction, self.log, self.options, &memory)
    }

    /// Writes the usage of a memory. The log does not keep it, because usage is not content.
    fn write_usage(&self, memory: &Memory) -> Result<(), Error> {
        let sql = "UPDATE memories SET access_count = ?2, accessed_at = ?3, weight = ?4, weight_at = ?5 WHERE id = ?1";
        let Memory { id, access_count, accessed_at, weight, weight_at, .. } = memory;
        let values = params![id.as_str(), access_count, accessed_at.0, weight, weight_at.0];
        self.transaction.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// Writes memoirs, concepts and links. Records that were renamed or moved are first removed and then inserted
    /// again, so that no two rows ever have the same name.
    fn write_graph(&self) -> Result<(), Error> {
        let (before, after) = (self.before, &self.settlement.archive);
        let mut memoirs: BTreeSet<&RecordId> = BTreeSet::new();
        for (id, memoir) in &before.memoirs {
            if after.memoirs.get(id).is_none_or(|after| after.name != memoir.name) {
                memoirs.insert(id);
            }
        }
        let mut concepts: BTreeSet<&RecordId> = BTreeSet::new();
        for (id, concept) in &before.concepts {
            let place = |concept: &ConceptRecord| {
                let (_, text) = concept.latest();
                (text.memoir_id.clone(), text.name.clone())
            };
            let place_before = place(concept);
            let moves = after.concepts.get(id).is_none_or(|after| place(after) != place_before);
            if moves || memoirs.contains(&place_before.0) {
                concepts.insert(id);
            }
        }
        let mut links: BTreeSet<&RecordId> = BTreeSet::new();
        for (id, link) in &before.links {
            let moves = after.links.get(id).is_none_or(|after| after.ends != link.ends);
            if moves || [&link.ends.source_id, &link.ends.target_id].iter().any(|end| concepts.contains(*end)) {
                links.insert(id);
            }
        }
        for (entity, ids) in [(Entity::Link, &links), (Entity::Concept, &concepts), (Entity::Memoir, &memoirs)] {
            for id in ids {
                self.log.removing(entity, id.as_str())?;
                let sql = format!("DELETE FROM {} WHERE id = ?1", entity.table());
                self.transaction.prepare_cached(&sql)?.execute([id.as_str()])?;
                self.set_tombstone(entity, id)?;
            }
        }
        for (id, memoir) in &after.memoirs {
            let known = before.memoirs.get(id).filter(|_| !memoirs.contains(id));
            self.write_row(Entity::Memoir, id, known.map(|known| known == memoir), || self.put_memoir(id, memoir))?;
        }
        for (id, concept) in &after.concepts {
            let known = before.concepts.get(id).filter(|_| !concepts.contains(id));
            let is_same = known.map(|known| {
                known.latest() == concept.latest()
                    && known.sources == concept.sources
                    && known.created_at == concept.created_at
            });
            self.write_row(Entity::Concept, id, is_same, || self.put_concept(id, concept))?;
        }
        for (id, link) in &after.links {
            let known = before.links.get(id).filter(|_| !links.contains(id));
            self.write_row(Entity::Link, id, known.map(|known| known == link), || self.put_link(id, link))?;
        }
        Ok(())
    }

    /// Writes a row that is new (`before` is `None`) or changed, and records the change in the log.
    fn write_row(
        &self,
        entity: Entity,
        id: &RecordId,
        is_same: Option<bool>,
        put: impl FnOnce() -> rusqlite::Result<()>,
    ) -> Result<(), Error> {
        match is_same {
            Some(true) => {}
            Some(false) => {
                self.log.changing(entity, id.as_str())?;
                put()?;
            }
            None => {
                put()?;
                self.log.record_insertion(entity, id.as_str())?;
                self.set_tombstone(entity, id)?;
            }
        }
        Ok(())
    }

    fn put_memoir(&self, id: &RecordId, memoir: &MemoirRecord) -> rusqlite::Result<()> {
        let sql = "INSERT INTO memoirs (id, name, description, consolidation_threshold, created_at, updated_at, version) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
             description = excluded.description, consolidation_threshold = excluded.consolidation_threshold, \
             created_at = excluded.created_at, updated_at = excluded.updated_at, version = version + 1";
        let MemoirRecord { created_at, updated_at, name, description, consolidation_threshold } = memoir;
        let values = params![id.as_str(), name, description, consolidation_threshold, created_at.0, updated_at.0];
        self.transaction.prepare_cached(sql)?.execute(values).map(drop)
    }

    fn put_concept(&self, id: &RecordId, concept: &ConceptRecord) -> rusqlite::Result<()> {
        let sql = "INSERT INTO concepts (id, memoir_id, name, definition, labels, confidence, revision, sources, created_at, \
             updated_at, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1) ON CONFLICT (id) DO UPDATE SET \
             definition = excluded.definition, labels = excluded.labels, confidence = excluded.confidence, \
             revision = excluded.revision, sources = excluded.sources, created_at = excluded.created_at, \
             updated_at = excluded.updated_at, version = version + 1";
        let (definition, text) = concept.latest();
        let values = params![
            id.as_str(),
            text.memoir_id.as_str(),
            text.name,
            definition,
            json_of(&text.labels.0),
            text.confidence,
            text.revision,
            json_of(&concept.sources.0),
            concept.created_at.0,
            text.updated_at.0,
        ];
        self.transaction.prepare_cached(sql)?.execute(values).map(drop)
    }

    fn put_link(&self, id: &RecordId, link: &LinkRecord) -> rusqlite::Result<()> {
        let sql = "INSERT INTO links (id, source_id, target_id, relation, weight, created_at, version) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT (id) DO UPDATE SET weight = excluded.weight, \
             created_at = excluded.created_at, version = version + 1";
        let ends = &link.ends;
        let values = params![
            id.as_str(),
            ends.source_id.as_str(),
            ends.target_id.as_str(),
            ends.relation,
            link.weight,
            link.created_at.0
        ];
        self.transaction.prepare_cached(sql)?.execute(values).map(drop)
    }

    /// Writes the tombstone of a record from the settlement. A record that exists, or was united with another one, has
    /// none.
    fn set_tombstone(&self, entity: Entity, id: &RecordId) -> Result<(), Error> {
        let key = (entity, id.clone());
        let after = &self.settlement.archive;
        let tombstone = after.tombstones.get(&key);
        let is_there = match entity {
            Entity::Memory => after.memories.contains_key(id),
            Entity::Memoir => after.memoirs.contains_key(id),
            Entity::Concept => after.concepts.contains_key(id),
            Entity::Link => after.links.contains_key(id),
        };
        match tombstone {
            Some(tombstone) if !is_there && !tombstone.revoked => {
                let sql = "INSERT OR REPLACE INTO tombstones (entity, id, at, seen) VALUES (?1, ?2, ?3, ?4)";
                let values = params![entity.name(), id.as_str(), tombstone.at.0, tombstone.seen.map(|at| at.0)];
                self.transaction.prepare_cached(sql)?.execute(values)?;
            }
            _ => {
                let sql = "DELETE FROM tombstones WHERE entity = ?1 AND id = ?2";
                self.transaction.prepare_cached(sql)?.execute([entity.name(), id.as_str()])?;
            }
        }
        let property = revoked_property(entity, id);
        match tombstone.filter(|tombstone| tombstone.revoked) {
            Some(tombstone) => {
                let sql = "INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)";
                self.transaction.prepare_cached(sql)?.execute([property, tombstone.at.0.to_string()])?;
            }
            None => {
                self.transaction.prepare_cached("DELETE FROM properties WHERE name = ?1")?.execute([property])?;
            }
        }
        Ok(())
    }

    /// Adds texts that were replaced on the other side to the log, like texts that are replaced here. Returns their
    /// number.
    fn keep_earlier_texts(&self, request: &ImportRequest, now: UnixMillis) -> Result<u64, Error> {
        // An operation can hold one text of each record, so there are as many operations as the most texts of one
        // record.
        let mut ranks: Vec<Vec<(Entity, &RecordId, Value)>> = Vec::new();
        let mut keep = |rank: usize, entity: Entity, id, image: Value| {
            if ranks.len() <= rank {
                ranks.resize_with(rank + 1, Vec::new);
            }
            ranks[rank].push((entity, id, image));
        };
        for (id, memory) in &self.settlement.archive.memories {
            let known = self.before.memories.get(id);
            let (latest, _) = memory.latest();
            let mut earlier: Vec<_> = memory.texts.iter().filter(|(text, _)| *text != latest).collect();
            earlier.retain(|(text, details)| known.and_then(|known| known.texts.get(*text)) != Some(*details));
            earlier.sort_by_key(|(_, text)| text.updated_at);
            for (rank, (summary, text)) in earlier.into_iter().enumerate() {
                keep(rank, Entity::Memory, id, memory_image(id, memory, summary, text));
            }
        }
        for (id, concept) in &self.settlement.archive.concepts {
            let known = self.before.concepts.get(id);
            let (latest, _) = concept.latest();
            let mut earlier: Vec<_> = concept.texts.iter().filter(|(text, _)| *text != latest).collect();
            earlier.retain(|(text, details)| known.and_then(|known| known.texts.get(*text)) != Some(*details));
            earlier.sort_by_key(|(_, text)| text.updated_at);
            for (rank, (definition, text)) in earlier.into_iter().enumerate() {
                let image = json!({
                    "id": id, "memoir_id": text.memoir_id, "name": text.name, "definition": definition,
                    "labels": json_of(&text.labels.0), "confidence": text.confidence, "revision": text.revision,
                    "sources": json_of(&concept.sources.0), "created_at": concept.created_at.0, "updated_at": text.updated_at.0,
                });
                keep(rank, Entity::Concept, id, image);
            }
        }
        let texts = ranks.iter().map(|rank| rank.len() as u64).sum();
        for rank in ranks {
            let begin = "INSERT INTO operations (at, kind, author, project) VALUES (?1, ?2, ?3, '')";
            let number =
                self.transaction.prepare_cached(begin)?.insert(params![now.0, EARLIER_TEXTS, request.author.name()])?;
            // Marks the operation as undone, because it cannot be undone: it only keeps texts that were replaced
            // already.
            let replaced_by = self.log.number().unwrap_or(number);
            self.transaction.execute("UPDATE operations SET undone_by = ?1 WHERE no = ?2", [replaced_by, number])?;
            let sql = "INSERT INTO changes (operation, entity, id, before, version_after) VALUES (?1, ?2, ?3, ?4, 0)";
            let mut statement = self.transaction.prepare_cached(sql)?;
            for (entity, id, image) in rank {
                statement.execute(params![number, entity.name(), id.as_str(), image.to_string()])?;
            }
        }
        Ok(texts)
    }
}

/// A row of the table of memories in the form in which the log keeps it.
fn memory_image(id: &RecordId, memory: &MemoryRecord, summary: &str, text: &MemoryText) -> Value {
    json!({
        "id": id, "project": text.project, "topic": text.topic, "summary": summary, "raw_excerpt": text.raw_excerpt,
        "keywords": json_of(&text.keywords.0), "importance": text.importance as i64, "source": text.source.0,
        "author": text.author.name(), "kind": text.kind.name(), "created_at": memory.created_at.0,
        "updated_at": text.updated_at.0, "expires_at": text.expires_at.map(|at| at.0), "superseded_by": null,
        "related": json_of(&memory.related.0), "code": text.code.as_ref().map(json_of),
    })
}

/// Converts a settled record to a memory of the database. Without known usage it counts as never recalled.
fn memory_of(id: &RecordId, record: &MemoryRecord) -> Memory {
    let (summary, text) = record.latest();
    let (access_count, accessed_at, weight, weight_at) = match record.usage {
        Some(usage) => (usage.access_count, usage.accessed_at, usage.weight, usage.weight_at),
        None => (0, text.updated_at, 1.0, text.updated_at),
    };
    Memory {
        id: id.clone(),
        project: text.project.clone(),
        topic: text.topic.clone(),
        summary: summary.clone(),
        raw_excerpt: text.raw_excerpt.clone(),
        keywords: text.keywords.0.clone(),
        importance: text.importance,
        source: text.source.clone(),
        author: text.author,
        kind: text.kind,
        created_at: record.created_at,
        updated_at: text.updated_at,
        accessed_at,
        access_count,
        weight,
        weight_at,
        expires_at: text.expires_at,
        superseded_by: text.superseded_by.last().cloned().flatten(),
        related: record.related.ids(),
        code: text.code.clone(),
        senseless: Vec::new(),
    }
}

/// Whether two memories have the same content; their usage may differ.
fn is_same_content(a: &Memory, b: &Memory) -> bool {
    let Memory { access_count, accessed_at, weight, weight_at, .. } = *a;
    Memory { access_count, accessed_at, weight, weight_at, ..b.clone() } == *a
}

fn report_of(before: &Archive, incoming: &Archive, settlement: &Settlement) -> TransferReport {
    let after = &settlement.archive;
    let mut report = TransferReport::default();
    let mut notes = Vec::new();
    report.memories =
        one_kind(Entity::Memory, &before.memories, &incoming.memories, &after.memories, settlement, &mut notes);
    report.memoirs =
        one_kind(Entity::Memoir, &before.memoirs, &incoming.memoirs, &after.memoirs, settlement, &mut notes);
    report.concepts =
        one_kind(Entity::Concept, &before.concepts, &incoming.concepts, &after.concepts, settlement, &mut notes);
    report.links = one_kind(Entity::Link, &before.links, &incoming.links, &after.links, settlement, &mut notes);
    for note in notes {
        report.note(note);
    }
    report
}

fn one_kind<T: PartialEq>(
    entity: Entity,
    before: &BTreeMap<RecordId, T>,
    incoming: &BTreeMap<RecordId, T>,
    after: &BTreeMap<RecordId, T>,
    settlement: &Settlement,
    notes: &mut Vec<TransferNote>,
) -> RecordReport {
    let mut report = RecordReport::default();
    for id in incoming.keys() {
        let key = (entity, id.clone());
        let count = match (before.get(id), after.get(id)) {
            (None, Some(_)) => &mut report.added,
            (Some(before), Some(after)) if before == after => &mut report.unchanged,
            (Some(_), Some(_)) => &mut report.merged,
            (_, None) if settlement.same.contains_key(&key) => &mut report.same_as_another,
            (_, None) if settlement.forgotten.contains(&key) => &mut report.forgotten,
            (_, None) => {
                let reason = settlement.incomplete.get(&key).cloned().unwrap_or_default();
                notes.push(TransferNote { record: entity.name().to_owned(), id: id.to_string(), reason });
                &mut report.incomplete
            }
        };
        *count += 1;
    }
    let removed = before.keys().filter(|id| settlement.forgotten.contains(&(entity, (*id).clone())));
    report.removed = removed.count() as u64;
    report
}
