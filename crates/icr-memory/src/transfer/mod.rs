//! Memories on their way out of a database and into one: exports as lines of JSON, merging with what another machine has, and taking over a
//! database of ICM.
//!
//! An import is a merge. Records are united by id: the text that was changed last holds, and the log keeps the other; counts of accesses are the
//! higher ones; the heavier weight holds. What was forgotten on one side and not changed after that on the other is forgotten on both. Merging
//! does not depend on who merges what first, and merging again changes nothing.

mod archive;
mod error;
mod fields;
mod icm;
mod json_lines;
mod merge;
mod relations;
mod rows;
mod settlement;
mod source;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::Arc;

use serde::Serialize;

use self::archive::{Archive, MemoryRecord};
use crate::{Author, ListScope, MemoryDatabase, NewMemory};

pub use self::error::TransferError;
pub use self::icm::{IcmReport, IcmRequest, import_icm};
pub use self::source::{ImportSource, import_source};

/// What an export holds besides memories that are recalled, memoirs, concepts, links and what was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// Whose memories. Memoirs belong to no project and are always there.
    pub scope: ListScope,
    /// Also memories that were consolidated into others, and those whose time is over.
    pub archived: bool,
    /// Also the texts that memories and concepts had before.
    pub earlier_texts: bool,
    /// Without how often and when memories were recalled, and their weights: then a recall changes nothing in the export.
    pub without_usage: bool,
}

impl ExportRequest {
    /// All that there is.
    pub fn of_all_records() -> Self {
        Self { scope: ListScope::All, archived: true, earlier_texts: true, without_usage: false }
    }
}

/// How an import is done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// Who does it.
    pub author: Author,
    /// Whether records come although they were forgotten here: an old export is to be restored.
    pub revive: bool,
    /// Whether nothing is written, and only said what would be.
    pub dry_run: bool,
}

/// Records of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RecordCounts {
    /// Memories.
    pub memories: u64,
    /// Memoirs.
    pub memoirs: u64,
    /// Concepts.
    pub concepts: u64,
    /// Links.
    pub links: u64,
    /// Records that were forgotten, or were and are there again.
    pub forgotten: u64,
}

impl RecordCounts {
    fn of(archive: &Archive) -> Self {
        Self {
            memories: archive.memories.len() as u64,
            memoirs: archive.memoirs.len() as u64,
            concepts: archive.concepts.len() as u64,
            links: archive.links.len() as u64,
            forgotten: archive.tombstones.len() as u64,
        }
    }
}

/// What became of the records of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RecordReport {
    /// New ones.
    pub added: u64,
    /// Ones that were here and are not as they were.
    pub merged: u64,
    /// Ones that were here and are as they were.
    pub unchanged: u64,
    /// Ones that another record says already, which got what they had besides.
    pub same_as_another: u64,
    /// Ones that were not taken, because they were forgotten here.
    pub forgotten: u64,
    /// Ones that were not taken, because they lack what they belong to.
    pub incomplete: u64,
    /// Records that were here and are not any more, because they were forgotten on the other side.
    pub removed: u64,
}

/// Something that a user may want to know about one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TransferNote {
    /// Its kind: `memory`, `memoir`, `concept`, `link`, or a table of another program.
    pub record: String,
    /// Its id.
    pub id: String,
    /// What was done, and why.
    pub reason: String,
}

/// What an import takes in at most: bytes of what is read, and [`RECORD_COST`] for each record. All of it is held until it is merged, which has to
/// be whole or not at all.
const IMPORT_MOST: u64 = 320 << 20;

/// What a record costs besides its bytes: a record without a text takes 1.1 kB of memory.
const RECORD_COST: u64 = 1_024;

/// Most notes that a report holds; there may be one for each row of a damaged database.
const NOTES_MOST: usize = 100;

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TransferReport {
    /// Memories.
    pub memories: RecordReport,
    /// Memoirs.
    pub memoirs: RecordReport,
    /// Concepts.
    pub concepts: RecordReport,
    /// Links.
    pub links: RecordReport,
    /// Texts that were replaced on the other side, and are kept in the history of their records.
    pub earlier_texts: u64,
    /// Fields and records that a newer icr wrote, with how often each stood there; they were left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<String, u64>,
    /// What there is to say about single records, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TransferNote>,
    /// How many more notes there would be.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_notes: u64,
    /// The operation, for undoing it; none where nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<i64>,
}

impl TransferReport {
    fn note(&mut self, note: TransferNote) {
        if self.notes.len() < NOTES_MOST {
            self.notes.push(note);
        } else {
            self.more_notes += 1;
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Writes an export: a line of JSON a record, by id. The same database gives the same bytes, and so does one that it was imported into. What
/// is over at `now` (milliseconds since 1970) counts as archived.
///
/// # Errors
///
/// [`TransferError::Io`], and those of reading.
pub fn export(
    database: &MemoryDatabase,
    request: &ExportRequest,
    output: &mut dyn Write,
    now: i64,
) -> Result<RecordCounts, TransferError> {
    let mut archive = database.read("reading all memories", |connection| {
        let mut archive = rows::read_archive(connection)?;
        archive.memories.retain(|_, memory| is_asked_for(request, memory, now));
        if let ListScope::Project(project) = &request.scope {
            rows::keep_tombstones_of(connection, &mut archive, project)?;
        }
        if request.earlier_texts {
            rows::add_earlier_texts(connection, &mut archive, None)?;
        }
        Ok(archive)
    })?;
    if request.without_usage {
        archive.memories.values_mut().for_each(|memory| Arc::make_mut(memory).usage = None);
    }
    json_lines::write(&archive, output)
}

fn is_asked_for(request: &ExportRequest, memory: &MemoryRecord, now: i64) -> bool {
    let (_, text) = memory.latest();
    let is_recalled = text.superseded_by.iter().all(Option::is_none) && text.expires_at.is_none_or(|at| at > now);
    let is_in_scope = match &request.scope {
        ListScope::All => true,
        ListScope::Project(project) => text.project == *project || text.project.is_none(),
    };
    is_in_scope && (is_recalled || request.archived)
}

/// Merges an export into the database: all of it or, where one line is wrong, nothing.
///
/// # Errors
///
/// [`TransferError::Line`] and [`TransferError::NoExport`] for what is no export; [`TransferError::TooLarge`]; [`TransferError::Io`]; those of writing.
pub fn import(
    database: &mut MemoryDatabase,
    input: &mut dyn BufRead,
    request: &ImportRequest,
    now: i64,
) -> Result<TransferReport, TransferError> {
    let text = json_lines::read(input)?;
    let mut report = merge::merge_archive(database, text.archive, request, now)?;
    report.unknown = text.unknown;
    Ok(report)
}

/// Merges all that `other` has into the database.
///
/// # Errors
///
/// [`TransferError::TooLarge`]; those of reading and writing.
pub fn merge(
    database: &mut MemoryDatabase,
    other: &MemoryDatabase,
    request: &ImportRequest,
    now: i64,
) -> Result<TransferReport, TransferError> {
    let size = other.read("counting all memories", rows::size)?;
    if size > IMPORT_MOST {
        return Err(TransferError::TooLarge { what: "the other database", most: IMPORT_MOST });
    }
    let archive = other.read("reading all memories", |connection| {
        let mut archive = rows::read_archive(connection)?;
        rows::add_earlier_texts(connection, &mut archive, None)?;
        Ok(archive)
    })?;
    check_memories(&archive)?;
    Ok(merge::merge_archive(database, archive, request, now)?)
}

/// Holds the memories of another database to what is stored here: who wrote it may have kept to nothing.
fn check_memories(archive: &Archive) -> Result<(), TransferError> {
    for (id, memory) in &archive.memories {
        for (summary, text) in &memory.texts {
            let new = NewMemory {
                project: text.project.clone(),
                topic: text.topic.clone(),
                summary: summary.clone(),
                raw_excerpt: text.raw_excerpt.clone(),
                keywords: text.keywords.0.clone(),
                source: text.source.clone(),
                expires_at: text.expires_at,
                code: text.code.clone(),
                ..NewMemory::default()
            };
            new.check().map_err(|error| TransferError::NoExport { reason: format!("memory `{id}`: {error}") })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
