//! The database of traces.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_sqlite::{
    Cause, MigrationError, Migrations, Opening, SchemaVersion, check_ordinary_file, create_private_directory,
    create_private_file,
};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{DATABASE_NAME, Error, TraceEvent, rows};

/// Every version of the database, from nothing to the present one.
const MIGRATIONS: Migrations<'static> =
    Migrations { application_id: 0x6963_7274, steps: &[include_str!("migrations/0001_traces.sql")] };

/// A write-ahead log that is not forced to disk at each commit: a killed process loses nothing that it committed, but a
/// power failure loses the newest commits (SQLite, "WAL mode", `PRAGMA synchronous`). The log file is cut to 4 MiB
/// after a checkpoint.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; \
     PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = ON;";

/// Set before a database has tables, so that the file shrinks when rows are deleted.
const BEFORE_TABLES: &str = "PRAGMA auto_vacuum = INCREMENTAL;";

/// Bytes of the smallest page that SQLite allows ("Database File Format").
const PAGE_BYTES_LEAST: u64 = 512;

/// How long a writer or reader of traces waits for locks of others. Transactions take milliseconds; events that need a
/// longer wait are not worth it.
const WAIT: Duration = Duration::from_secs(2);

/// A connection to the database, for one thread at a time. Several processes may write.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
    /// Identity of the file when it was opened.
    file: Option<FileIdentity>,
}

impl Database {
    /// The database in `directory`, which is created if there is none.
    pub(crate) fn create(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(DATABASE_NAME);
        check_kind(&path)?;
        create_private_directory(directory)
            .map_err(|source| Error::from_io("creating the directory", directory, source))?;
        create_private_file(&path).map_err(|source| Error::from_io("making the database", &path, source))?;
        let mut database = Self::connect(path, Opening::Write)?;
        let prepare = |connection: &mut Connection, path: &Path| {
            let failed = |source| Error::from_sqlite("opening the traces", path, source);
            // Checks first that the database is of icr, and its version: any other file is left as it is.
            let version = MIGRATIONS.version(connection).map_err(|error| Error::from_migration(path, error))?;
            if version == SchemaVersion::Empty {
                connection.execute_batch(BEFORE_TABLES).map_err(failed)?;
            }
            MIGRATIONS.run(connection).map_err(|error| Error::from_migration(path, error))?;
            connection.execute_batch(PRAGMAS).map_err(failed)
        };
        prepare(&mut database.connection, &database.path)?;
        Ok(database)
    }

    /// Opens the database in `directory` to read it; `None` if there is none. Changes no byte. A database in a
    /// directory that cannot be written can still be read.
    pub(crate) fn existing(directory: &Path) -> Result<Option<Self>, Error> {
        let path = directory.join(DATABASE_NAME);
        check_kind(&path)?;
        match fs::metadata(&path) {
            // Another process is just creating an empty file.
            Ok(metadata) if metadata.len() == 0 => return Ok(None),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(source) => return Err(Error::from_io("looking for", &path, source)),
        }
        let mut database = Self::connect(path.clone(), Opening::Read)?;
        let mut version = MIGRATIONS.version(&database.connection);
        if let Err(MigrationError::Reading(source)) = &version
            && matches!(Cause::from(source), Cause::CannotOpen | Cause::ReadOnly)
        {
            // A log that holds commits cannot be read without its shared memory. If the log has no commits, the
            // database file is complete.
            if fs::metadata(log_of(&path)).is_ok_and(|log| log.len() > 0) {
                return Err(Error::CutOff { path });
            }
            database = Self::connect(path.clone(), Opening::Immutable)?;
            version = MIGRATIONS.version(&database.connection);
        }
        match version.map_err(|error| Error::from_migration(&path, error))? {
            SchemaVersion::Empty => Ok(None),
            SchemaVersion::Present => Ok(Some(database)),
            SchemaVersion::Older(found) => Err(Error::Older { path, found, known: MIGRATIONS.latest() }),
        }
    }

    /// Writes all of `events` and the number `dropped` of events that were not recorded, or nothing.
    pub(crate) fn write(&mut self, events: &VecDeque<TraceEvent>, dropped: u64, now: i64) -> Result<(), Error> {
        self.change("writing traces", |transaction| {
            for event in events {
                rows::insert(transaction, event)?;
            }
            if dropped > 0 {
                rows::insert_dropped(transaction, dropped, now)?;
            }
            Ok(())
        })
    }

    /// Commits what `work` did, unless it fails. The lock is taken at the beginning: two transactions that first read
    /// and then want to write could not wait for each other.
    pub(crate) fn change<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let path = &self.path;
        let failed = |source| Error::from_sqlite(doing, path, source);
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate).map_err(failed)?;
        let value = work(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(value)
    }

    /// Runs `question` in one read transaction.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let ask = || {
            let moment = self.connection.unchecked_transaction()?;
            let answer = question(&self.connection)?;
            drop(moment);
            Ok(answer)
        };
        ask().map_err(|source| Error::from_sqlite(doing, &self.path, source))
    }

    /// Whether the path still has the file that was opened. Removing traces removes the file, and events written to the
    /// old file would be lost.
    pub(crate) fn is_in_place(&self) -> bool {
        FileIdentity::of(&self.path) == self.file
    }

    fn connect(path: PathBuf, opening: Opening) -> Result<Self, Error> {
        let connect = || {
            let connection = icr_sqlite::connect(&path, opening, None)?;
            connection.busy_timeout(WAIT)?;
            Ok(connection)
        };
        let connection = connect().map_err(|source| Error::from_sqlite("opening the traces", &path, source))?;
        let file = FileIdentity::of(&path);
        Ok(Self { connection, path, file })
    }
}

/// Tells a file from another one that took its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl FileIdentity {
    /// The identity of the file at `path`; `None` if there is none.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self { device_and_inode: (metadata.dev(), metadata.ino()) })
        }
        #[cfg(not(unix))]
        {
            // On other systems an open file cannot be removed.
            let _ = metadata;
            Some(Self {})
        }
    }
}

/// Path of the write-ahead log of a database.
fn log_of(path: &Path) -> PathBuf {
    let mut log: OsString = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

fn check_kind(path: &Path) -> Result<(), Error> {
    let damaged = |reason: &str| Error::Damaged { path: path.to_owned(), reason: reason.to_owned() };
    check_ordinary_file(path).map_err(damaged)?;
    // SQLite treats a file smaller than its smallest page as empty, and overwrites it.
    match fs::metadata(path) {
        Ok(metadata) if (1..PAGE_BYTES_LEAST).contains(&metadata.len()) => Err(damaged("it is not a database")),
        _ => Ok(()),
    }
}
