//! Writes and reads records as JSON Lines: one record a line, sorted, so that git can diff and merge them like lines of
//! code.
//!
//! The first line names the format. Then come memories by id (each followed by its earlier texts), their usage,
//! memoirs, concepts, links, and tombstones of forgotten records. The usage of a memory has its own line, because it
//! changes with each recall. Two lines with the same id are joined. So a file that git merged by keeping both sides
//! (`merge=union`) reads as if the two sides had been merged here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Read, Write};
use std::sync::Arc;

use icr_model::UnixMillis;
use serde_json::{Map, Value, json};

use super::archive::{
    Archive, ConceptRecord, ConceptText, Join, LinkEnds, LinkRecord, MemoirRecord, MemoryRecord, MemoryText,
    OrderedWords, Tombstone, Usage,
};
use super::fields::Fields;
use super::relations::check_relation;
use super::{IMPORT_MOST, RECORD_COST, RecordCounts, RefusedRecord, RefusedRecords, TransferError};
use crate::memory::{check_keywords, check_length, check_text, check_topic};
use crate::{
    Author, Entity, Importance, MemoryKind, MemoryOrigin, ProjectKey, RecordId, TEXT_BYTES_MOST, TOPIC_BYTES_MOST,
};

/// The name of the format in the first line.
pub(crate) const FORMAT: &str = "icr-memory";

/// The format version that this program writes.
const VERSION: i64 = 1;

/// Longest line that is read, in bytes: a text and an excerpt of the greatest length with each byte escaped (six
/// bytes), and the same again for everything else.
const LINE_BYTES_MOST: u64 = 2 * 6 * 2 * TEXT_BYTES_MOST as u64;

/// The names of the kinds of lines.
mod record {
    pub(super) const MEMORY: &str = "memory";
    pub(super) const EARLIER_MEMORY: &str = "earlier_memory";
    pub(super) const USAGE: &str = "usage";
    pub(super) const MEMOIR: &str = "memoir";
    pub(super) const CONCEPT: &str = "concept";
    pub(super) const EARLIER_CONCEPT: &str = "earlier_concept";
    pub(super) const LINK: &str = "link";
    pub(super) const FORGOTTEN: &str = "forgotten";
}

/// Writes all of `archive`, and returns the number of records of each kind.
pub(crate) fn write(archive: &Archive, output: &mut dyn Write) -> Result<RecordCounts, TransferError> {
    let mut lines = LineWriter { output };
    lines.write_line(json!({ "record": FORMAT, "version": VERSION }))?;
    for (id, memory) in &archive.memories {
        let (latest, _) = memory.latest();
        lines.write_line(memory_line(record::MEMORY, id, memory, latest))?;
        for summary in memory.texts.keys().filter(|summary| *summary != latest) {
            lines.write_line(memory_line(record::EARLIER_MEMORY, id, memory, summary))?;
        }
    }
    for (id, memory) in &archive.memories {
        memory.usage.map_or(Ok(()), |usage| lines.write_line(usage_line(id, &usage)))?;
    }
    for (id, memoir) in &archive.memoirs {
        lines.write_line(memoir_line(id, memoir))?;
    }
    for (id, concept) in &archive.concepts {
        let (latest, _) = concept.latest();
        lines.write_line(concept_line(record::CONCEPT, id, concept, latest))?;
        for definition in concept.texts.keys().filter(|definition| *definition != latest) {
            lines.write_line(concept_line(record::EARLIER_CONCEPT, id, concept, definition))?;
        }
    }
    for (id, link) in &archive.links {
        lines.write_line(link_line(id, link))?;
    }
    for ((entity, id), tombstone) in &archive.tombstones {
        lines.write_line(tombstone_line(*entity, id, tombstone))?;
    }
    lines.output.flush().map_err(writing)?;
    Ok(RecordCounts::of(archive))
}

/// A parsed export.
#[derive(Debug, Default)]
pub(crate) struct ExportText {
    pub(crate) archive: Archive,
    /// Fields and kinds of records from a newer icr that this one does not know, each with its count.
    pub(crate) unknown: BTreeMap<String, u64>,
    /// Invalid lines, which are not in the archive.
    pub(crate) refused: RefusedRecords,
    /// Numbers of the lines that tell how a memory was used which no line before them has.
    early_usage: BTreeMap<RecordId, u64>,
    /// Memories whose lines were refused.
    refused_memories: BTreeSet<RecordId>,
}

/// Reads an export. Every line is checked; invalid ones are left out and reported. With `strict`, the first of them is an
/// error.
pub(crate) fn read(input: &mut dyn BufRead, strict: bool) -> Result<ExportText, TransferError> {
    let mut lines = LineReader { input, number: 0, buffer: Vec::new() };
    let Some(first) = lines.next()? else {
        return Err(TransferError::NoExport { reason: "it is empty".to_owned() });
    };
    let version = version_of(first.text.unwrap_or_default())?;
    let mut text = ExportText::default();
    let is_newer = version > VERSION;
    let mut size = 0;
    while let Some(ExportLine { number, text: line }) = lines.next()? {
        size += line.as_ref().map_or(0, |line| line.len()) as u64 + RECORD_COST;
        if size > IMPORT_MOST {
            return Err(TransferError::TooLarge { what: "the export", most: IMPORT_MOST });
        }
        match line.and_then(|line| take_line(&mut text, line, number, is_newer)) {
            Ok(()) => {}
            Err(wrong) if strict => return Err(TransferError::Line { number, wrong }),
            Err(reason) => text.refused.add(RefusedRecord { line: Some(number), id: None, reason }),
        }
    }
    check_texts(&mut text, strict)?;
    recall_without_successor(&mut text);
    Ok(text)
}

fn version_of(first: &str) -> Result<i64, TransferError> {
    let no_export = |reason: String| TransferError::NoExport { reason };
    let header: Value = serde_json::from_str(first)
        .map_err(|_| no_export(format!("its first line is not `{{\"record\":\"{FORMAT}\",\"version\":{VERSION}}}`")))?;
    match header.get("record").and_then(Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(no_export(format!("its first line is a `{other}`, and should name the format `{FORMAT}`")));
        }
        None => return Err(no_export(format!("its first line names no format; it should name `{FORMAT}`"))),
    }
    match header.get("version").and_then(Value::as_i64) {
        Some(version @ 1..) => Ok(version),
        _ => Err(no_export(format!("its first line has no `version`; this icr writes version {VERSION}"))),
    }
}

fn take_line(text: &mut ExportText, line: &str, number: u64, is_newer: bool) -> Result<(), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| not_json(line, &error))?;
    let Value::Object(object) = value else {
        return Err("it is not a JSON object; each line is one record".to_owned());
    };
    let id = object.get("id").and_then(Value::as_str).and_then(|id| RecordId::try_from(id).ok());
    let mut fields = Fields::new(object);
    let name = fields.text("record")?;
    let record = match record_of(&name, &mut fields) {
        Ok(Some(record)) => record,
        Ok(None) if is_newer => {
            *text.unknown.entry(format!("record `{name}`")).or_default() += 1;
            return Ok(());
        }
        Ok(None) => return Err(format!("there is no record `{name}`")),
        Err(wrong) => return Err(refuse(text, &name, id, wrong)),
    };
    match fields.unknown() {
        Err(wrong) if !is_newer => return Err(refuse(text, &name, id, format!("{wrong} of a `{name}`"))),
        Err(_) => {
            for field in fields.names() {
                *text.unknown.entry(format!("field `{field}` of `{name}`")).or_default() += 1;
            }
        }
        Ok(()) => {}
    }
    if name == record::USAGE
        && let Some(id) = record.memories.keys().find(|id| !text.archive.memories.contains_key(*id))
    {
        text.early_usage.insert(id.clone(), number);
    }
    text.archive.join(record);
    Ok(())
}

/// The record of a line, as an archive of nothing else; `None` for a kind of record that this icr does not know.
fn record_of(name: &str, fields: &mut Fields) -> Result<Option<Archive>, String> {
    let mut archive = Archive::default();
    match name {
        record::MEMORY | record::EARLIER_MEMORY => {
            let (id, memory) = memory_of(fields)?;
            archive.memories.insert(id, Arc::new(memory));
        }
        record::USAGE => {
            let (id, usage) = usage_of(fields)?;
            archive.memories.insert(id, Arc::new(without_text(usage)));
        }
        record::MEMOIR => archive.memoirs.extend([memoir_of(fields)?]),
        record::CONCEPT | record::EARLIER_CONCEPT => archive.concepts.extend([concept_of(fields)?]),
        record::LINK => archive.links.extend([link_of(fields)?]),
        record::FORGOTTEN => archive.tombstones.extend([tombstone_of(fields)?]),
        // If files were concatenated, the format line appears again.
        FORMAT => drop(fields.integer("version")?),
        _ => return Ok(None),
    }
    Ok(Some(archive))
}

/// Notes which memory a refused line is of; gives back what is wrong with the line.
fn refuse(text: &mut ExportText, name: &str, id: Option<RecordId>, wrong: String) -> String {
    text.refused_memories.extend(id.filter(|_| name == record::MEMORY));
    wrong
}

/// Describes a line that is not JSON; most often it comes from a merge conflict.
fn not_json(line: &str, error: &serde_json::Error) -> String {
    let is_conflict = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark));
    if is_conflict {
        return "git left a conflict here; keep the lines of both sides and delete the marks, as `merge=union` does"
            .to_owned();
    }
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    format!("it is not JSON: {what} at byte {}", error.column())
}

/// Refuses memories that have only a usage line and no text.
fn check_texts(text: &mut ExportText, strict: bool) -> Result<(), TransferError> {
    let is_empty = |memory: &Arc<MemoryRecord>| memory.texts.is_empty();
    let memories = text.archive.memories.iter();
    let empty: Vec<RecordId> = memories.filter(|(_, memory)| is_empty(memory)).map(|(id, _)| id.clone()).collect();
    for id in empty {
        let reason = format!("it tells how memory `{id}` was used, and has no such memory");
        if strict {
            return Err(TransferError::NoExport { reason });
        }
        text.archive.memories.remove(&id);
        // The line of the memory itself is reported already.
        if !text.refused_memories.contains(&id) {
            let (line, reason) =
                (text.early_usage.get(&id).copied(), format!("no line has the memory `{id}`, whose use it tells"));
            text.refused.add(RefusedRecord { line, id: None, reason });
        }
    }
    Ok(())
}

/// Memories that were consolidated into one whose line was refused are recalled themselves: otherwise nothing would be
/// left of them.
fn recall_without_successor(text: &mut ExportText) {
    let is_missing: BTreeSet<RecordId> =
        text.refused_memories.iter().filter(|id| !text.archive.memories.contains_key(*id)).cloned().collect();
    if is_missing.is_empty() {
        return;
    }
    for memory in text.archive.memories.values_mut() {
        for details in Arc::make_mut(memory).texts.values_mut() {
            if details.superseded_by.iter().flatten().any(|id| is_missing.contains(id)) {
                Arc::make_mut(details).superseded_by = [None].into();
            }
        }
    }
}

fn without_text(usage: Usage) -> MemoryRecord {
    MemoryRecord {
        created_at: UnixMillis(i64::MAX),
        texts: BTreeMap::new(),
        related: OrderedWords::default(),
        usage: Some(usage),
    }
}

fn memory_line(name: &str, id: &RecordId, memory: &MemoryRecord, summary: &str) -> Value {
    let text = &memory.texts[summary];
    let mut line = RecordLine::new(name, id);
    if !text.project.is_none() {
        line.insert("project", text.project.as_str());
    }
    line.insert("topic", &text.topic);
    line.insert("summary", summary);
    line.put_some("raw_excerpt", text.raw_excerpt.as_ref());
    line.put_words("keywords", &text.keywords);
    line.insert("importance", text.importance.name());
    line.insert("source", &text.source.0);
    line.insert("author", text.author.name());
    line.insert("kind", text.kind.name());
    line.insert("created_at", memory.created_at.0);
    line.insert("updated_at", text.updated_at.0);
    line.put_some("expires_at", text.expires_at.map(|at| at.0));
    let superseded: Vec<&RecordId> = text.superseded_by.iter().flatten().collect();
    line.put_some("superseded_by", superseded.last());
    if name == record::MEMORY {
        line.put_words("related", &memory.related);
    }
    line.put_some("code", text.code.as_ref());
    line.value()
}

fn memory_of(fields: &mut Fields) -> Result<(RecordId, MemoryRecord), String> {
    let id = fields.id("id")?;
    let summary = fields.text("summary")?;
    with_described_error(check_text("summary", &summary))?;
    let topic = fields.text("topic")?;
    with_described_error(check_topic(&topic))?;
    let raw_excerpt = fields.text_or_none("raw_excerpt")?;
    with_described_error(
        raw_excerpt.as_deref().map_or(Ok(()), |excerpt| check_length("raw_excerpt", excerpt, TEXT_BYTES_MOST)),
    )?;
    let keywords = fields.words("keywords")?;
    with_described_error(check_keywords(&keywords.0))?;
    let source = fields.text("source")?;
    with_described_error(check_length("source", &source, TOPIC_BYTES_MOST))?;
    let superseded_by = fields.id_or_none("superseded_by")?;
    let text = MemoryText {
        updated_at: fields.time("updated_at")?,
        project: ProjectKey::of_repository(&fields.text_or_none("project")?.unwrap_or_default()),
        topic,
        raw_excerpt,
        keywords,
        importance: fields.word("importance", Importance::from_name, &Importance::ALL.map(Importance::name))?,
        source: MemoryOrigin(source),
        author: fields.word("author", Author::from_name, &Author::ALL.map(Author::name))?,
        kind: fields.word("kind", MemoryKind::from_name, &MemoryKind::ALL.map(MemoryKind::name))?,
        expires_at: fields.time_or_none("expires_at")?,
        superseded_by: [superseded_by].into(),
        code: fields.code("code")?,
    };
    let record = MemoryRecord {
        created_at: fields.time("created_at")?,
        texts: BTreeMap::from([(summary, Arc::new(text))]),
        related: fields.ids("related")?,
        usage: None,
    };
    Ok((id, record))
}

fn usage_line(id: &RecordId, usage: &Usage) -> Value {
    let mut line = RecordLine::new(record::USAGE, id);
    line.insert("access_count", usage.access_count);
    line.insert("accessed_at", usage.accessed_at.0);
    line.insert("weight", usage.weight);
    line.insert("weight_at", usage.weight_at.0);
    line.value()
}

fn usage_of(fields: &mut Fields) -> Result<(RecordId, Usage), String> {
    let id = fields.id("id")?;
    let usage = Usage {
        access_count: fields.count("access_count")?,
        accessed_at: fields.time("accessed_at")?,
        weight: fields.share("weight")?,
        weight_at: fields.time("weight_at")?,
    };
    if usage.weight <= 0.0 {
        return Err(format!("`weight` is {}; it is above 0 and at most 1", usage.weight));
    }
    Ok((id, usage))
}

fn memoir_line(id: &RecordId, memoir: &MemoirRecord) -> Value {
    let mut line = RecordLine::new(record::MEMOIR, id);
    line.insert("name", &memoir.name);
    line.insert("description", &memoir.description);
    line.insert("consolidation_threshold", memoir.consolidation_threshold);
    line.insert("created_at", memoir.created_at.0);
    line.insert("updated_at", memoir.updated_at.0);
    line.value()
}

fn memoir_of(fields: &mut Fields) -> Result<(RecordId, MemoirRecord), String> {
    let id = fields.id("id")?;
    let memoir = MemoirRecord {
        created_at: fields.time("created_at")?,
        updated_at: fields.time("updated_at")?,
        name: name_of(fields)?,
        description: fields.text("description")?,
        consolidation_threshold: fields.count("consolidation_threshold")?,
    };
    with_described_error(check_length("description", &memoir.description, TEXT_BYTES_MOST))?;
    Ok((id, memoir))
}

fn concept_line(name: &str, id: &RecordId, concept: &ConceptRecord, definition: &str) -> Value {
    let text = &concept.texts[definition];
    let mut line = RecordLine::new(name, id);
    line.insert("memoir_id", text.memoir_id.as_str());
    line.insert("name", &text.name);
    line.insert("definition", definition);
    line.put_words("labels", &text.labels);
    line.insert("confidence", text.confidence);
    line.insert("revision", text.revision);
    if name == record::CONCEPT {
        line.put_words("sources", &concept.sources);
    }
    line.insert("created_at", concept.created_at.0);
    line.insert("updated_at", text.updated_at.0);
    line.value()
}

fn concept_of(fields: &mut Fields) -> Result<(RecordId, ConceptRecord), String> {
    let id = fields.id("id")?;
    let definition = fields.text("definition")?;
    with_described_error(check_text("definition", &definition))?;
    let text = ConceptText {
        updated_at: fields.time("updated_at")?,
        memoir_id: fields.id("memoir_id")?,
        name: name_of(fields)?,
        labels: fields.words("labels")?,
        confidence: fields.share("confidence")?,
        revision: fields.count("revision")?,
    };
    for label in &text.labels.0 {
        with_described_error(crate::memoir::Label::parse(label).map(drop))?;
    }
    let record = ConceptRecord {
        created_at: fields.time("created_at")?,
        texts: BTreeMap::from([(definition, Arc::new(text))]),
        sources: fields.ids("sources")?,
    };
    Ok((id, record))
}

fn link_line(id: &RecordId, link: &LinkRecord) -> Value {
    let mut line = RecordLine::new(record::LINK, id);
    line.insert("source_id", link.ends.source_id.as_str());
    line.insert("target_id", link.ends.target_id.as_str());
    line.insert("relation", &link.ends.relation);
    line.insert("weight", link.weight);
    line.insert("created_at", link.created_at.0);
    line.value()
}

fn link_of(fields: &mut Fields) -> Result<(RecordId, LinkRecord), String> {
    let id = fields.id("id")?;
    let ends = LinkEnds {
        source_id: fields.id("source_id")?,
        target_id: fields.id("target_id")?,
        relation: fields.text("relation")?,
    };
    check_relation(&ends.relation)?;
    if ends.source_id == ends.target_id {
        return Err(format!("`target_id` is `source_id`: concept `{}` cannot be linked to itself", ends.source_id));
    }
    Ok((id, LinkRecord { created_at: fields.time("created_at")?, ends, weight: fields.number("weight")? }))
}

fn tombstone_line(entity: Entity, id: &RecordId, tombstone: &Tombstone) -> Value {
    let mut line = RecordLine::new(record::FORGOTTEN, id);
    line.insert("entity", entity.name());
    line.insert("at", tombstone.at.0);
    line.put_some("revoked", tombstone.revoked.then_some(true));
    line.put_some("seen", tombstone.seen.map(|at| at.0));
    line.value()
}

fn tombstone_of(fields: &mut Fields) -> Result<((Entity, RecordId), Tombstone), String> {
    let id = fields.id("id")?;
    let entity = fields.word("entity", Entity::from_name, &Entity::ALL.map(Entity::name))?;
    let tombstone =
        Tombstone { at: fields.time("at")?, revoked: fields.flag("revoked")?, seen: fields.time_or_none("seen")? };
    Ok(((entity, id), tombstone))
}

fn name_of(fields: &mut Fields) -> Result<String, String> {
    let name = fields.text("name")?;
    let name = crate::memoir::checked_name("name", &name).map(str::to_owned);
    name.map_err(|error| describe_error(&error))
}

/// As [`describe_error`], for the result of a check.
fn with_described_error(check: Result<(), crate::Error>) -> Result<(), String> {
    check.map_err(|error| describe_error(&error))
}

/// An error of a check as one sentence.
pub(crate) fn describe_error(error: &crate::Error) -> String {
    match error {
        crate::Error::Invalid { right, .. } => format!("{error}; {right}"),
        _ => error.to_string(),
    }
}

/// A record to write; the fields stay in the order in which they were added.
struct RecordLine(Map<String, Value>);

impl RecordLine {
    fn new(name: &str, id: &RecordId) -> Self {
        let mut line = Self(Map::new());
        line.insert("record", name);
        line.insert("id", id.as_str());
        line
    }

    fn insert(&mut self, name: &str, value: impl serde::Serialize) {
        self.0.insert(name.to_owned(), json!(value));
    }

    fn put_some(&mut self, name: &str, value: Option<impl serde::Serialize>) {
        if let Some(value) = value {
            self.insert(name, value);
        }
    }

    fn put_words(&mut self, name: &str, words: &OrderedWords) {
        if !words.0.is_empty() {
            self.insert(name, &words.0);
        }
    }

    fn value(self) -> Value {
        Value::Object(self.0)
    }
}

struct LineWriter<'a> {
    output: &'a mut dyn Write,
}

impl LineWriter<'_> {
    fn write_line(&mut self, line: Value) -> Result<(), TransferError> {
        writeln!(self.output, "{line}").map_err(writing)
    }
}

/// A line of an export.
struct ExportLine<'a> {
    /// From 1.
    number: u64,
    /// The line without its break, or what is wrong with it.
    text: Result<&'a str, String>,
}

struct LineReader<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
    buffer: Vec<u8>,
}

impl LineReader<'_> {
    /// The next line that is not empty.
    fn next(&mut self) -> Result<Option<ExportLine<'_>>, TransferError> {
        loop {
            if self.read_part()? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.len() as u64 > LINE_BYTES_MOST {
                while !self.buffer.ends_with(b"\n") && self.read_part()? > 0 {}
                let wrong = format!("it has more than {LINE_BYTES_MOST} bytes; no record is that long");
                return Ok(Some(ExportLine { number: self.number, text: Err(wrong) }));
            }
            // Some editors write a byte order mark at the beginning of a file.
            if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.buffer.drain(..3);
            }
            if self.buffer.iter().any(|byte| !byte.is_ascii_whitespace()) {
                break;
            }
        }
        let text = std::str::from_utf8(&self.buffer);
        let text = text.map(str::trim).map_err(|_| "it is no UTF-8 text".to_owned());
        Ok(Some(ExportLine { number: self.number, text }))
    }

    /// Reads a line, or the first part of a line that is too long; gives the number of bytes.
    fn read_part(&mut self) -> Result<usize, TransferError> {
        self.buffer.clear();
        let mut part = (&mut *self.input).take(LINE_BYTES_MOST + 1);
        let bytes = part.read_until(b'\n', &mut self.buffer);
        bytes.map_err(|source| TransferError::Io { doing: "reading an export", source })
    }
}

fn writing(source: std::io::Error) -> TransferError {
    TransferError::Io { doing: "writing an export", source }
}

#[cfg(test)]
mod tests;
