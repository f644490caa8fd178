//! Reads a ledger in a directory where nothing can be written: in a layer of a container, in a cache, in the home of
//! another user.
//!
//! SQLite coordinates readers and writers through a shared-memory file beside the database. If it can neither create
//! nor find that file, the database is read without locks, and the states of its files show whether somebody wrote it
//! meanwhile.

use std::path::{Path, PathBuf};

use icr_sqlite::BUSY_TIMEOUT;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use crate::file_state::FileState;
use crate::page_checksums::{CHECKSUM_VFS, CHECKSUM_VFS_WITHOUT_LOCKS};

/// Most attempts to open the files while others write them. A writer leaves a shared-memory file while it runs, so two
/// attempts in a row hardly ever meet one.
const ATTEMPTS: usize = 20;

/// The states of a ledger's files before it was opened without locks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnlockedFiles {
    ledger: PathBuf,
    states: [Option<FileState>; 2],
}

impl UnlockedFiles {
    fn now(ledger: &Path) -> Self {
        let files = [ledger.to_owned(), ledger.with_extension("db-wal")];
        let states = files.map(|file| FileState::of(&file));
        Self { ledger: ledger.to_owned(), states }
    }

    /// Whether the files were written since, so that reads may mix two states.
    pub(crate) fn were_written(&self) -> bool {
        *self != Self::now(&self.ledger)
    }

    /// Whether the log has content. Only then may published data be in the log alone.
    fn have_log(&self) -> bool {
        self.states[1].as_ref().is_some_and(|log| log.bytes() > 0)
    }
}

/// A connection to the ledger at `path` that takes no locks, and the states of its files before it was opened.
///
/// # Errors
///
/// Errors of SQLite, if the files were not written while they were opened.
pub(crate) fn open(path: &Path) -> rusqlite::Result<(Connection, UnlockedFiles)> {
    for _ in 0..ATTEMPTS {
        let files = UnlockedFiles::now(path);
        let opened = connect(path, files.have_log());
        if !files.were_written() {
            return opened.map(|connection| (connection, files));
        }
    }
    Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None))
}

/// Whether SQLite failed because it can create no files beside the database, or cannot make them large enough.
pub(crate) fn needs_files_beside(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    let is_damage = error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA);
    !is_damage && matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly))
}

fn connect(path: &Path, has_log: bool) -> rusqlite::Result<Connection> {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    // With a log, SQLite builds the log's index in the memory of this process. Without one, it may treat the file as
    // immutable.
    let how =
        if has_log { format!("vfs={CHECKSUM_VFS_WITHOUT_LOCKS}") } else { format!("immutable=1&vfs={CHECKSUM_VFS}") };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("file:{path}?{how}"), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if has_log {
        // If set before the first read, this keeps the index of the log out of shared memory.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(connection)
}
