//! Opening a database.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// How long a connection waits for the transactions of others. A transaction takes milliseconds, more on a slow disk.
/// If it takes longer than this, something hangs.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Read an existing database.
    Read,
    /// Read and write an existing database.
    Write,
    /// Read and write; create the database if there is none.
    Create,
    /// Read a database that nobody writes at the same time. No lock is taken and the files beside it are not read, so
    /// the database may lie where nothing can be written.
    Immutable,
}

/// Opens the database at `path`, for one thread at a time. The connection waits [`BUSY_TIMEOUT`] for others.
/// `file_system` is the name of a registered VFS, or `None` for SQLite's default.
///
/// # Errors
///
/// The error of SQLite. Opening does not read the file yet.
pub fn connect(path: &Path, opening: Opening, file_system: Option<&str>) -> rusqlite::Result<Connection> {
    let flags = match opening {
        Opening::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Opening::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Opening::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Opening::Immutable => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    };
    let uri = (opening == Opening::Immutable).then(|| immutable_uri(path));
    let path = uri.as_deref().unwrap_or(path);
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match file_system {
        Some(name) => Connection::open_with_flags_and_vfs(path, flags, name)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Without statistics of values no plan depends on bound values, but SQLite would still plan some statements again
    // for each value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// The `file:` URI of SQLite for a file that does not change. Characters with a meaning in a URI are escaped.
fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = OsString::from("file:");
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    uri.push(path);
    uri.push("?immutable=1");
    PathBuf::from(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_immutable_database_is_read_whatever_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a?b#c%41.db");
        connect(&path, Opening::Create, None).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
        let connection = connect(&path, Opening::Immutable, None).unwrap();
        let rows: i64 = connection.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0);
        connection.execute_batch("DROP TABLE a").unwrap_err();
    }

    #[test]
    fn only_create_makes_a_database_and_only_read_does_not_write() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let make = |opening| connect(&path, opening, None)?.execute_batch("CREATE TABLE a (b)");
        make(Opening::Read).unwrap_err();
        make(Opening::Write).unwrap_err();
        assert!(!path.exists());
        make(Opening::Create).unwrap();
        let drop_table = |opening| connect(&path, opening, None)?.execute_batch("DROP TABLE a");
        drop_table(Opening::Read).unwrap_err();
        drop_table(Opening::Write).unwrap();
    }

    #[test]
    fn a_connection_waits_for_others() {
        let directory = tempfile::tempdir().unwrap();
        let connection = connect(&directory.path().join("a.db"), Opening::Create, None).unwrap();
        let timeout_ms: i64 = connection.query_row("PRAGMA busy_timeout", [], |row| row.get(0)).unwrap();
        assert_eq!(timeout_ms as u128, BUSY_TIMEOUT.as_millis());
    }
}
