//! Detects what kind of file is to be imported.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use icr_sqlite::{Opening, connect};

use super::TransferError;
use super::json_lines::FORMAT;

/// The first bytes of every SQLite database (SQLite, "Database File Format").
pub(crate) const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Byte range of the application id in the header of an SQLite database (SQLite, "Database File Format").
const APPLICATION_ID_BYTES: std::ops::Range<usize> = 68..72;

/// The application id that the first migration of a memory database sets.
const APPLICATION_ID: i64 = 0x6963_726d;

/// Number of bytes that are read: enough for the header of a database, or the first line of an export.
const LOOKED_AT: u64 = 512;

/// The kind of a file to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportSource {
    /// An export of icr; [`import`](crate::import()) takes it.
    Export,
    /// A memory database of icr; [`merge`](crate::merge()) takes it once it is open.
    Database,
    /// Another SQLite database; [`import_icm`](crate::import_icm()) takes it if it is one of ICM.
    OtherDatabase,
    /// Anything else, such as a conversation.
    Other,
}

/// Detects the kind of the file at `path` from its beginning. This does not check whether it can be imported.
///
/// # Errors
///
/// [`TransferError::Io`] if the file cannot be read.
pub fn import_source(path: &Path) -> Result<ImportSource, TransferError> {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut begin));
    read.map_err(|source| TransferError::Io { doing: "reading what is to be imported", source })?;
    if begin.starts_with(SQLITE_MAGIC) {
        // The latest writes may be only in the log, so SQLite is asked first.
        let asked = connect(path, Opening::Read, None)
            .and_then(|connection| connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0)));
        let id = asked.ok().or_else(|| application_id_in(&begin));
        return Ok(if id == Some(APPLICATION_ID) { ImportSource::Database } else { ImportSource::OtherDatabase });
    }
    let begin = String::from_utf8_lossy(&begin);
    let first = begin.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
    let header: serde_json::Value = serde_json::from_str(first).unwrap_or_default();
    Ok(if header["record"] == FORMAT { ImportSource::Export } else { ImportSource::Other })
}

fn application_id_in(header: &[u8]) -> Option<i64> {
    let bytes = header.get(APPLICATION_ID_BYTES)?.try_into().ok()?;
    Some(i64::from(i32::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::Connection;

    use super::*;
    use crate::{MemoryDatabase, MemoryOptions};

    #[test]
    fn files_are_told_apart_by_how_they_begin() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let open = MemoryDatabase::create(&path("icr.db"), MemoryOptions::default()).unwrap();
        Connection::open(path("icm.db")).unwrap().execute_batch("CREATE TABLE memories (id)").unwrap();
        fs::write(path("export.jsonl"), "\u{feff}\r\n{\"record\":\"icr-memory\",\"version\":7}\r\n{}").unwrap();
        fs::write(path("session.jsonl"), "{\"type\":\"user\"}\n").unwrap();
        fs::write(path("empty"), "").unwrap();
        fs::write(path("torn.db"), SQLITE_MAGIC).unwrap();
        let source = |name: &str| import_source(&path(name)).unwrap();
        assert_eq!(source("icr.db"), ImportSource::Database, "also while it is open");
        drop(open);
        assert_eq!(source("icr.db"), ImportSource::Database);
        assert_eq!([source("icm.db"), source("torn.db")], [ImportSource::OtherDatabase; 2]);
        assert_eq!(source("export.jsonl"), ImportSource::Export);
        assert_eq!([source("session.jsonl"), source("empty")], [ImportSource::Other; 2]);
        import_source(&path("absent")).unwrap_err();
    }

    #[test]
    fn the_header_names_the_application_where_sqlite_cannot_be_asked() {
        let mut header = vec![0; 100];
        assert_eq!(application_id_in(&header), Some(0));
        header[68..72].copy_from_slice(b"icrm");
        assert_eq!(application_id_in(&header), Some(APPLICATION_ID));
        assert_eq!(application_id_in(&header[..70]), None);
    }
}
