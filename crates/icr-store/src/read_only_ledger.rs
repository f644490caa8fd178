//! Reading a ledger beside which nothing can be written: in a layer of a container, in a cache, in the home of another user.
//!
//! SQLite keeps readers and writers apart through a file of shared memory beside the database. Where it can neither make nor
//! find that file, the database is read as it lies, and whether somebody wrote it meanwhile is told by its files.

use std::path::{Path, PathBuf};

use icr_sqlite::BUSY_TIMEOUT;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use crate::file_state::FileState;
use crate::sums::{SUMMED, SUMMED_WITHOUT_LOCKS};

/// How often opening starts again because somebody wrote the files in between. A writer that comes and goes leaves a file of
/// shared memory while it is there, so that two attempts in a row hardly ever meet one.
const ATTEMPTS: usize = 20;

/// The files of a ledger that is read without locks, as they were before it was opened.
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

    /// Whether somebody wrote them since, so that what was read may be of two moments.
    pub(crate) fn were_written(&self) -> bool {
        *self != Self::now(&self.ledger)
    }

    /// Whether the log holds anything: only then what is published may stand there alone.
    fn have_log(&self) -> bool {
        self.states[1].as_ref().is_some_and(|log| log.bytes() > 0)
    }
}

/// A connection to the ledger at `path` that takes no locks, and its files as they were before.
///
/// # Errors
///
/// What SQLite says of files that nobody wrote while they were opened.
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

/// Whether SQLite said that it can make no files beside the database, or not as large as it wants them.
pub(crate) fn needs_files_beside(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    let is_damage = error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_DATA);
    !is_damage && matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly))
}

fn connect(path: &Path, has_log: bool) -> rusqlite::Result<Connection> {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    // A log is read into memory of this process alone; without one, SQLite may take the file for one that never changes.
    let how = if has_log { format!("vfs={SUMMED_WITHOUT_LOCKS}") } else { format!("immutable=1&vfs={SUMMED}") };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("file:{path}?{how}"), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if has_log {
        // Asked for before the first read, this keeps the index of the log out of shared memory.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(connection)
}
