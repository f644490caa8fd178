//! Exports and imports memories: exports as JSON Lines, merges with the memories of another machine, and imports from a
//! database of ICM.
//!
//! An import is a merge. Records with the same id are united: the text that was changed last wins, and the log keeps
//! the other one; the higher access counts and the heavier weight win. A record that one side forgot, and the other
//! side did not change afterwards, is forgotten on both. The result does not depend on the order of merges, and merging
//! again changes nothing.

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
use std::fmt;
use std::io::{BufRead, Write};
use std::sync::Arc;

use icr_model::UnixMillis;
use serde::Serialize;

use self::archive::{Archive, MemoryRecord, MemoryText};
use self::rows::ReadFaults;
use crate::{Author, ListScope, MemoryDatabase, NewMemory};

pub use self::error::TransferError;
pub use self::icm::{IcmReport, IcmRequest, import_icm};
pub use self::source::{ImportSource, import_source};

/// Selects what an export contains besides recalled memories, memoirs, concepts, links and tombstones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// The projects whose memories are exported. Memoirs belong to no project and are always exported.
    pub scope: ListScope,
    /// Also archived and expired memories.
    pub archived: bool,
    /// Also earlier texts of memories and definitions of concepts.
    pub earlier_texts: bool,
    /// Leave out how often and when memories were recalled, and their weights, so that a recall does not change the
    /// export.
    pub without_usage: bool,
}

impl ExportRequest {
    /// Selects everything.
    pub fn of_all_records() -> Self {
        Self { scope: ListScope::All, archived: true, earlier_texts: true, without_usage: false }
    }
}

/// Options of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// The author of the import in the log.
    pub author: Author,
    /// Also import records that were forgotten here, in order to restore an old export.
    pub revive: bool,
    /// Write nothing, and only report what would change.
    pub dry_run: bool,
    /// Import nothing if one record is invalid. Otherwise invalid records are left out and reported.
    pub strict: bool,
}

/// Number of records of each kind in an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RecordCounts {
    /// Number of memories.
    pub memories: u64,
    /// Number of memoirs.
    pub memoirs: u64,
    /// Number of concepts.
    pub concepts: u64,
    /// Number of links.
    pub links: u64,
    /// Number of tombstones: records that are forgotten, or were restored later.
    pub forgotten: u64,
    /// Most records that are missing, because a damaged database could not be read where they were or may have been.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Number of memories with a value that makes no sense, which are exported with the default in its place.
    #[serde(skip_serializing_if = "is_zero")]
    pub senseless: u64,
}

impl RecordCounts {
    fn of(archive: &Archive) -> Self {
        Self {
            memories: archive.memories.len() as u64,
            memoirs: archive.memoirs.len() as u64,
            concepts: archive.concepts.len() as u64,
            links: archive.links.len() as u64,
            forgotten: archive.tombstones.len() as u64,
            unreadable: 0,
            senseless: 0,
        }
    }
}

/// Number of records of one kind by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RecordReport {
    /// New records.
    pub added: u64,
    /// Records that existed and were changed.
    pub merged: u64,
    /// Records that existed and stay as they were.
    pub unchanged: u64,
    /// Records that were united with another record of the same content, which got their details.
    pub same_as_another: u64,
    /// Records that were left out because they were forgotten here.
    pub forgotten: u64,
    /// Records that were left out because the record that they belong to is missing.
    pub incomplete: u64,
    /// Records that were removed here because they were forgotten on the other side.
    pub removed: u64,
}

/// A note for the user about one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TransferNote {
    /// Kind of the record: `memory`, `memoir`, `concept`, `link`, or a table of another program.
    pub record: String,
    /// Its id.
    pub id: String,
    /// What happened, and why.
    pub reason: String,
}

/// An invalid record, which was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RefusedRecord {
    /// Number of its line in an export, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Id of the memory, if it comes from another database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The field, its value, and what would be right.
    pub reason: String,
}

impl fmt::Display for RefusedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, &self.id) {
            (Some(line), _) => write!(f, "line {line}: ")?,
            (None, Some(id)) => write!(f, "memory `{id}`: ")?,
            (None, None) => {}
        }
        f.write_str(&self.reason)
    }
}

/// The invalid records of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RefusedRecords {
    /// The first ones, at most 20.
    pub first: Vec<RefusedRecord>,
    /// Number of all.
    pub count: u64,
}

impl RefusedRecords {
    /// Most records that are named. Of a file with the wrong values everywhere, more would help nobody.
    const NAMED_MOST: usize = 20;

    fn add(&mut self, record: RefusedRecord) {
        self.count += 1;
        if self.first.len() < Self::NAMED_MOST {
            self.first.push(record);
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Largest import: bytes of the input plus [`RECORD_COST`] for each record. Everything is held in memory until it is
/// merged, because a merge must be complete or not happen at all.
const IMPORT_MOST: u64 = 320 << 20;

/// Cost of a record besides its bytes: a record without a text takes 1.1 kB of memory.
const RECORD_COST: u64 = 1_024;

/// Most notes in a report; a damaged database could give one for each row.
const NOTES_MOST: usize = 100;

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TransferReport {
    /// Counts for memories.
    pub memories: RecordReport,
    /// Counts for memoirs.
    pub memoirs: RecordReport,
    /// Counts for concepts.
    pub concepts: RecordReport,
    /// Counts for links.
    pub links: RecordReport,
    /// Number of texts that were replaced on the other side and are now kept in the history of their records.
    pub earlier_texts: u64,
    /// Fields and records from a newer icr that were left out, each with its count.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<String, u64>,
    /// Records that were left out because they are invalid.
    #[serde(skip_serializing_if = "RefusedRecords::is_empty")]
    pub refused: RefusedRecords,
    /// Most records that are missing, because the other database could not be read where they were or may have been.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Notes about single records, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TransferNote>,
    /// Number of notes beyond these.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_notes: u64,
    /// Number of the operation, for undoing it; `None` if nothing changed.
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

/// Writes an export: one line of JSON for each record, sorted by id. Equal databases give equal bytes, and so does a
/// database that the export was imported into. Memories that have expired at `now` count as archived. Of a damaged
/// database, what can be read is exported, and the counts say that something is missing.
///
/// # Errors
///
/// [`TransferError::Io`], and those of reading.
pub fn export(
    database: &MemoryDatabase,
    request: &ExportRequest,
    output: &mut dyn Write,
    now: UnixMillis,
) -> Result<RecordCounts, TransferError> {
    let (mut archive, faults) = database.read("reading all memories", |connection| {
        let (mut archive, mut faults) = rows::read_all_readable(connection)?;
        archive.memories.retain(|_, memory| is_asked_for(request, memory, now));
        if let ListScope::Project(project) = &request.scope {
            let kept = rows::keep_tombstones_of(connection, &mut archive, project);
            rows::or_damaged(kept, &mut faults.unreadable)?;
        }
        if request.earlier_texts {
            rows::or_damaged(rows::add_earlier_texts(connection, &mut archive, None), &mut faults.unreadable)?;
        }
        Ok((archive, faults))
    })?;
    if request.without_usage {
        archive.memories.values_mut().for_each(|memory| Arc::make_mut(memory).usage = None);
    }
    let ReadFaults { unreadable, senseless } = faults;
    Ok(RecordCounts { unreadable, senseless, ..json_lines::write(&archive, output)? })
}

fn is_asked_for(request: &ExportRequest, memory: &MemoryRecord, now: UnixMillis) -> bool {
    let (_, text) = memory.latest();
    let is_recalled = text.superseded_by.iter().all(Option::is_none) && text.expires_at.is_none_or(|at| at > now);
    let is_in_scope = match &request.scope {
        ListScope::All => true,
        ListScope::Project(project) => text.project == *project || text.project.is_none(),
    };
    is_in_scope && (is_recalled || request.archived)
}

/// Merges an export into the database. Invalid lines are left out and reported, unless the request is strict.
///
/// # Errors
///
/// [`TransferError::NoExport`] if it is no export; [`TransferError::Line`] for an invalid line of a strict request;
/// [`TransferError::TooLarge`]; [`TransferError::Io`]; errors of writing.
pub fn import(
    database: &mut MemoryDatabase,
    input: &mut dyn BufRead,
    request: &ImportRequest,
    now: UnixMillis,
) -> Result<TransferReport, TransferError> {
    let text = json_lines::read(input, request.strict)?;
    let mut report = merge::merge_archive(database, text.archive, request, now)?;
    (report.unknown, report.refused) = (text.unknown, text.refused);
    Ok(report)
}

/// Merges everything in the database `other` into this one. Invalid memories are left out and reported, and so is the
/// number of places that cannot be read, unless the request is strict.
///
/// # Errors
///
/// [`TransferError::TooLarge`]; [`TransferError::NoExport`] for an invalid memory of a strict request; those of reading
/// and writing.
pub fn merge(
    database: &mut MemoryDatabase,
    other: &MemoryDatabase,
    request: &ImportRequest,
    now: UnixMillis,
) -> Result<TransferReport, TransferError> {
    let size = match other.read("counting all memories", rows::size) {
        // What can be read of a damaged database is no more than the file.
        Err(crate::Error::Damaged { .. }) if !request.strict => {
            std::fs::metadata(other.path()).map_or(0, |metadata| metadata.len())
        }
        size => size?,
    };
    if size > IMPORT_MOST {
        return Err(TransferError::TooLarge { what: "the other database", most: IMPORT_MOST });
    }
    let (mut archive, unreadable) = other.read("reading all memories", |connection| {
        if request.strict {
            let mut archive = rows::read_archive(connection, &mut ReadFaults::default())?;
            rows::add_earlier_texts(connection, &mut archive, None)?;
            return Ok((archive, 0));
        }
        let (mut archive, mut faults) = rows::read_all_readable(connection)?;
        rows::or_damaged(rows::add_earlier_texts(connection, &mut archive, None), &mut faults.unreadable)?;
        Ok((archive, faults.unreadable))
    })?;
    let refused = refuse_invalid(&mut archive);
    if let Some(record) = refused.first.first().filter(|_| request.strict) {
        return Err(TransferError::NoExport { reason: record.to_string() });
    }
    let report = merge::merge_archive(database, archive, request, now)?;
    Ok(TransferReport { refused, unreadable, ..report })
}

/// Removes the memories of another database that exceed the limits here: whoever wrote it may have ignored them. Of a
/// memory whose current text is valid, only invalid earlier texts are removed.
fn refuse_invalid(archive: &mut Archive) -> RefusedRecords {
    let mut refused = RefusedRecords::default();
    archive.memories.retain(|id, memory| {
        let latest = memory.latest().0.clone();
        match check_text(&latest, &memory.texts[&latest]) {
            Err(reason) => {
                refused.add(RefusedRecord { line: None, id: Some(id.to_string()), reason });
                false
            }
            Ok(()) => {
                if memory.texts.iter().any(|(summary, text)| check_text(summary, text).is_err()) {
                    Arc::make_mut(memory).texts.retain(|summary, text| check_text(summary, text).is_ok());
                }
                true
            }
        }
    });
    refused
}

/// Checks a text of a memory as if it were stored here.
fn check_text(summary: &str, text: &MemoryText) -> Result<(), String> {
    let new = NewMemory {
        project: text.project.clone(),
        topic: text.topic.clone(),
        summary: summary.to_owned(),
        raw_excerpt: text.raw_excerpt.clone(),
        keywords: text.keywords.0.clone(),
        source: text.source.clone(),
        expires_at: text.expires_at,
        code: text.code.clone(),
        ..NewMemory::default()
    };
    new.check().map_err(|error| json_lines::describe_error(&error))
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
