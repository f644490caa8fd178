//! Imports the memories of ICM from its SQLite database of any version.
//!
//! The database is only read. It may be in use, or damaged in part: whatever can be read is imported, and the report
//! says what could not be. Ids are kept, so a second import only brings what is new. Vectors are not imported, because
//! they come from another model.

mod conversion;
mod file;
mod salvage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use icr_model::UnixMillis;
use rusqlite::Connection;
use serde::Serialize;

use self::conversion::IcmConversion;
use self::file::IcmFile;
use self::salvage::TableRows;
use super::archive::Archive;
use super::{ImportRequest, TransferError, TransferNote, TransferReport, merge};
use crate::{MemoryDatabase, ProjectKey};

/// Options for importing a database of ICM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IcmRequest {
    /// The general options of an import.
    pub import: ImportRequest,
    /// Names of projects, as they occur in topics, with their repositories. ICM stores projects only in topics such as
    /// `decisions-NAME`; a memory whose topic contains no known name belongs to no project.
    pub projects: Vec<(String, ProjectKey)>,
    /// A directory in which a temporary copy of the database can be made. It is needed if the directory of the database
    /// cannot be written and its log holds changes.
    pub scratch: Option<PathBuf>,
}

/// The result of importing a database of ICM.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct IcmReport {
    /// What happened to the records that were read.
    #[serde(flatten)]
    pub transfer: TransferReport,
    /// Values that had to be adjusted, each with a count: what was wrong, and what replaced it.
    pub adjusted: BTreeMap<String, u64>,
    /// Rows that could not be read, by table. In a damaged part, this counts rows that may have existed.
    pub unreadable: BTreeMap<String, u64>,
    /// Rows of tables that hold no memories, by table; they were not imported.
    pub left: BTreeMap<String, u64>,
    /// Whether SQLite reports that the file is damaged, so that rows may be missing without a trace.
    pub is_damaged: bool,
}

/// Columns that are read if a table has them.
const MEMORIES: &[&str] = &[
    "id",
    "created_at",
    "updated_at",
    "last_accessed",
    "access_count",
    "weight",
    "topic",
    "summary",
    "raw_excerpt",
    "keywords",
    "importance",
    "source_type",
    "source_data",
    "related_ids",
];
const MEMOIRS: &[&str] = &["id", "name", "description", "created_at", "updated_at", "consolidation_threshold"];
const CONCEPTS: &[&str] = &[
    "id",
    "memoir_id",
    "name",
    "definition",
    "labels",
    "confidence",
    "revision",
    "created_at",
    "updated_at",
    "source_memory_ids",
];
const LINKS: &[&str] = &["id", "source_id", "target_id", "relation", "weight", "created_at"];

/// Tables that hold no memories. Vectors and telemetry are not even reported.
const LEFT: [&str; 4] = ["facts", "feedback", "messages", "pending_extractions"];

/// Merges the memories, memoirs, concepts and links of the ICM database at `path` into `database`.
///
/// # Errors
///
/// [`TransferError::NoIcmDatabase`] for any other file, or if nothing can be read; errors of writing. The file is never
/// changed.
pub fn import_icm(
    database: &mut MemoryDatabase,
    path: &Path,
    request: &IcmRequest,
    now: UnixMillis,
) -> Result<IcmReport, TransferError> {
    let (archive, mut report, notes) = {
        let file = IcmFile::open(path, request.scratch.as_deref())?;
        read_file(&file.connection, path, request, now)?
    };
    report.transfer = merge::merge_archive(database, archive, &request.import, now)?;
    for note in notes {
        report.transfer.note(note);
    }
    Ok(report)
}

fn read_file(
    connection: &Connection,
    path: &Path,
    request: &IcmRequest,
    now: UnixMillis,
) -> Result<(Archive, IcmReport, Vec<TransferNote>), TransferError> {
    let no_icm = |reason: String| TransferError::NoIcmDatabase { path: path.to_owned(), reason };
    // Reads everything in one transaction, because ICM may be writing.
    let moment = connection.unchecked_transaction().map_err(|error| no_icm(error.to_string()))?;
    let columns = salvage::columns_of(&moment, "memories").map_err(|error| no_icm(error.to_string()))?;
    let lacking = ["id", "topic", "summary", "importance", "source_type"].into_iter().find(|name| {
        let name = (*name).to_owned();
        !columns.contains(&name)
    });
    if let Some(name) = lacking {
        return Err(no_icm(match columns.is_empty() {
            true => "it has no table `memories`".to_owned(),
            false => format!("its table `memories` has no column `{name}`"),
        }));
    }
    let mut report = IcmReport::default();
    let mut conversion = IcmConversion::new(&request.projects, last_decay(&moment), now);
    let mut rows = |table: &'static str, columns| {
        let TableRows { rows, unreadable } = salvage::read_table(&moment, table, columns);
        if unreadable > 0 {
            report.unreadable.insert(table.to_owned(), unreadable);
        }
        rows
    };
    for row in rows("memories", MEMORIES) {
        conversion.take_memory(row);
    }
    for row in rows("memoirs", MEMOIRS) {
        conversion.take_memoir(row);
    }
    for row in rows("concepts", CONCEPTS) {
        conversion.take_concept(row);
    }
    for row in rows("concept_links", LINKS) {
        conversion.take_link(row);
    }
    for table in LEFT {
        let sql = format!("SELECT count(*) FROM {table}");
        // Each of these tables is missing in some versions.
        let count = moment.query_row(&sql, [], |row| row.get::<_, u64>(0));
        if let Ok(count @ 1..) = count {
            report.left.insert(table.to_owned(), count);
        }
    }
    let check = moment.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    report.is_damaged = check.map_or(true, |said| said != "ok");
    let (archive, adjusted, notes) = conversion.finish();
    report.adjusted = adjusted;
    Ok((archive, report, notes))
}

/// The time at which the weights were last lowered, as text.
fn last_decay(connection: &Connection) -> Option<String> {
    let sql = "SELECT value FROM icm_metadata WHERE key = 'last_decay_at'";
    connection.query_row(sql, [], |row| row.get(0)).ok()
}

#[cfg(test)]
mod tests;
