//! Taking over the memories of ICM, from the SQLite database of any of its versions.
//!
//! The database is only read, and may be in use or damaged in part: what can be read of it is taken, and the report says what was not. Ids are
//! kept, so that taking it over again brings what is new since then. Vectors are left, because they come from another model.

mod conversion;
mod file;
mod salvage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;

use self::conversion::IcmConversion;
use self::file::IcmFile;
use self::salvage::TableRows;
use super::archive::Archive;
use super::{ImportRequest, TransferError, TransferNote, TransferReport, merge};
use crate::{MemoryDatabase, ProjectKey};

/// How a database of ICM is taken over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IcmRequest {
    /// How the import is done.
    pub import: ImportRequest,
    /// Names of projects, as topics contain them, with the repositories that they are. ICM knows projects only by topics such as
    /// `decisions-NAME`; a memory whose topic names none belongs to no project.
    pub projects: Vec<(String, ProjectKey)>,
    /// A directory in which a copy of the database can be made while it is read: needed where the directory of the database cannot be written
    /// and its log holds changes.
    pub scratch: Option<PathBuf>,
}

/// What taking over a database of ICM did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct IcmReport {
    /// What became of the records that were read.
    #[serde(flatten)]
    pub transfer: TransferReport,
    /// Values that could not be taken as they were, with how often: what was wrong, and what stands there instead.
    pub adjusted: BTreeMap<String, u64>,
    /// Rows that could not be read, by table; damage counts rows that may have been there.
    pub unreadable: BTreeMap<String, u64>,
    /// Rows of tables that hold no memories, by table; they were left.
    pub left: BTreeMap<String, u64>,
    /// Whether SQLite finds the file damaged, so that rows may be gone without a trace.
    pub is_damaged: bool,
}

/// Columns that are asked for where a table has them.
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

/// Tables of things that are no memories. Vectors and telemetry are not worth a word.
const LEFT: [&str; 4] = ["facts", "feedback", "messages", "pending_extractions"];

/// Merges the memories, memoirs, concepts and links of the ICM database at `path` into the database.
///
/// # Errors
///
/// [`TransferError::NoIcmDatabase`] for another file, or one of which nothing can be read; those of writing. The file is never changed.
pub fn import_icm(
    database: &mut MemoryDatabase,
    path: &Path,
    request: &IcmRequest,
    now: i64,
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
    now: i64,
) -> Result<(Archive, IcmReport, Vec<TransferNote>), TransferError> {
    let no_icm = |reason: String| TransferError::NoIcmDatabase { path: path.to_owned(), reason };
    // All of it at one moment, while ICM may be writing.
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
        // None of these is in all versions.
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

/// The moment that the weights hold for, as it is written.
fn last_decay(connection: &Connection) -> Option<String> {
    let sql = "SELECT value FROM icm_metadata WHERE key = 'last_decay_at'";
    connection.query_row(sql, [], |row| row.get(0)).ok()
}

#[cfg(test)]
mod tests;
