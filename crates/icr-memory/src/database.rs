//! The database of memories and memoirs.

mod rescue;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icr_sqlite::{
    BUSY_TIMEOUT, Cause, Migrations, Opening, SchemaVersion, check_ordinary_file, create_private_directory,
    create_private_file,
};
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub(crate) use self::rescue::ScratchDirectory;
use crate::index::renew_keys;
use crate::vectors::VectorCache;
use crate::{Access, DatabaseKind, Error};

/// Every version of the database, from nothing to the present one.
const MIGRATIONS: Migrations<'static> = Migrations {
    application_id: 0x6963_726d,
    steps: &[include_str!("migrations/memory/0001_memories.sql"), include_str!("migrations/memory/0002_topics.sql")],
};

/// From this version on, the keys of equal and near texts are computed as they are now.
const KEYS_SINCE: i64 = 2;

/// A write-ahead log that is not forced to disk at each commit: a power failure loses only the newest commits, each as
/// a whole, and a killed process loses no commit (SQLite, "WAL mode", `PRAGMA synchronous`). Deleting a row also
/// deletes its links.
///
/// The page cache has 32 MiB (SQLite's default: 2 MB) and a checkpoint is made every 4,000 pages (default: 1,000). So
/// storing takes four fifths of the time at 10,000 memories; the log grows to 16 MB.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
     PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000;";

/// Number of prepared statements that a connection caches.
const STATEMENTS: usize = 64;

/// Turns a text into a vector, so that memories are found by meaning.
pub trait TextEmbedder: Send + Sync {
    /// The name of the vector space. Vectors of two spaces are never compared.
    fn space(&self) -> &str;

    /// Number of components of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of `text`, of unit length; all zero if the model knows none of its words.
    fn embed(&self, text: &str) -> Vec<f32>;

    /// How much the vector similarity counts beside words in recall, in `0.0..=1.0`; `None` if that is not known of the
    /// model.
    fn weight(&self) -> Option<f64> {
        None
    }
}

/// The configurable parameters of memories; the defaults are those of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRules {
    /// Share of its weight that a memory of medium importance loses in a day.
    pub decay_per_day: f64,
    /// Most accesses that slow the decay; further ones do not count.
    pub access_cap: u32,
    /// If a topic has more memories than this, icr suggests to consolidate it.
    pub consolidate_hint: u64,
    /// Least cosine of near duplicates.
    pub dedup_cosine: f64,
    /// Smallest Jaccard similarity of the words of near duplicates.
    pub dedup_jaccard: f64,
    /// Smallest cosine at which a new memory is linked to another one.
    pub link_cosine: f64,
    /// Most links that a new memory gets.
    pub max_links: usize,
    /// Memories of medium and low importance with a weight below this are pruned.
    pub prune_threshold: f64,
    /// A memory with a weight below this can be stale.
    pub stale_weight: f64,
    /// Days without an access after which such a memory is stale.
    pub stale_days: u32,
    /// Share of vectors in recall, if the user set it; the rest is the share of words. Otherwise the share known of the
    /// model is used, or [`MemoryRules::EMBEDDING_SHARE`].
    pub embedding_share: Option<f64>,
}

impl MemoryRules {
    /// Share of vectors if nothing is known of the model: 0.7, beside 0.3 for BM25.
    pub const EMBEDDING_SHARE: f64 = 0.7;
}

impl Default for MemoryRules {
    fn default() -> Self {
        Self {
            decay_per_day: 0.05,
            access_cap: 5,
            consolidate_hint: 7,
            dedup_cosine: 0.95,
            dedup_jaccard: 0.6,
            link_cosine: 0.75,
            max_links: 5,
            prune_threshold: 0.1,
            stale_weight: 0.5,
            stale_days: 14,
            embedding_share: None,
        }
    }
}

/// Options for opening a database.
#[derive(Clone, Default)]
pub struct MemoryOptions {
    /// The parameters of memories.
    pub rules: MemoryRules,
    /// The embedding model, if memories are also found by meaning.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
}

impl fmt::Debug for MemoryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.embedder.as_ref().map(|embedder| embedder.space());
        f.debug_struct("MemoryOptions").field("rules", &self.rules).field("space", &space).finish()
    }
}

/// The database of memories and memoirs, for one thread at a time. Several processes may open and write it; each write
/// waits for the others.
#[derive(Debug)]
pub struct MemoryDatabase {
    pub(crate) connection: Connection,
    pub(crate) options: MemoryOptions,
    pub(crate) vectors: VectorCache,
    path: PathBuf,
    access: Access,
    /// Deleted after the connection is closed.
    _scratch: Option<ScratchDirectory>,
}

impl MemoryDatabase {
    /// Opens the database at `path`, or creates it (0600, in a directory of 0700). A database of an older version is
    /// first copied beside itself and then migrated.
    ///
    /// # Errors
    ///
    /// [`Error::Newer`], [`Error::Damaged`], [`Error::ReadOnly`], [`Error::Full`], [`Error::Busy`]; an existing file is
    /// not changed then.
    pub fn create(path: &Path, options: MemoryOptions) -> Result<Self, Error> {
        check_kind(path)?;
        if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            let created = create_private_directory(directory);
            created.map_err(|source| from_io("creating the directory", directory, source))?;
        }
        create_private_file(path).map_err(|source| from_io("making the memory database", path, source))?;
        let mut database = Self::connect(path, Opening::Write, Access::Write, options)?;
        database.move_forward()?;
        database.prepare()?;
        Ok(database)
    }

    /// Opens the database at `path`; `None` if there is none. With [`Access::Read`] no byte is changed, and a database
    /// in a directory that cannot be written can still be read.
    ///
    /// # Errors
    ///
    /// As [`MemoryDatabase::create`]; with [`Access::Read`] also [`Error::Older`] and [`Error::CutOff`].
    pub fn existing(path: &Path, access: Access, options: MemoryOptions) -> Result<Option<Self>, Error> {
        if !is_there(path)? {
            return Ok(None);
        }
        if access == Access::Write {
            return Self::create(path, options).map(Some);
        }
        Self::readable(path, options, BUSY_TIMEOUT)
    }

    /// Like [`MemoryDatabase::existing`] with [`Access::Read`], for a caller that can do without memories if it would
    /// have to wait long: it waits no longer than `wait` for a lock on the database.
    ///
    /// # Errors
    ///
    /// As [`MemoryDatabase::existing`].
    pub fn existing_within(path: &Path, options: MemoryOptions, wait: Duration) -> Result<Option<Self>, Error> {
        if is_there(path)? { Self::readable(path, options, wait) } else { Ok(None) }
    }

    /// Opens an existing database for reading.
    fn readable(path: &Path, options: MemoryOptions, wait: Duration) -> Result<Option<Self>, Error> {
        let access = Access::Read;
        check_kind(path)?;
        let connect = |opening, options| {
            let database = Self::connect(path, opening, access, options)?;
            database.set_wait(wait)?;
            Ok::<_, Error>(database)
        };
        let database = connect(Opening::Read, options.clone())?;
        let database = match database.version() {
            Err(Unreadable::NoSharedMemory) => {
                // A log that holds commits cannot be read without its shared memory. If the log has no commits, the
                // database file is complete.
                if fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0) {
                    return Err(Error::CutOff { kind: DatabaseKind::Memory, path: path.to_owned() });
                }
                let database = connect(Opening::Immutable, options)?;
                database.version().map_err(|unreadable| unreadable.error(path)).map(|version| (database, version))?
            }
            Err(unreadable) => return Err(unreadable.error(path)),
            Ok(version) => (database, version),
        };
        match database {
            (_, SchemaVersion::Empty) => Ok(None),
            (database, SchemaVersion::Present) => Ok(Some(database)),
            (_, SchemaVersion::Older(found)) => Err(Error::Older {
                kind: DatabaseKind::Memory,
                path: path.to_owned(),
                found,
                known: MIGRATIONS.latest(),
            }),
        }
    }

    /// A database in memory that no other process sees.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`].
    pub fn in_memory(options: MemoryOptions) -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory();
        let connection = connection.map_err(|source| from_sqlite("opening the memory database", &path, source))?;
        let mut database =
            Self { connection, options, vectors: VectorCache::default(), path, access: Access::Write, _scratch: None };
        database.move_forward()?;
        database.prepare()?;
        Ok(database)
    }

    /// Path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The parameters of memories.
    pub fn rules(&self) -> &MemoryRules {
        &self.options.rules
    }

    /// The embedding model; `None` if memories are found by words only.
    pub fn embedder(&self) -> Option<&dyn TextEmbedder> {
        self.options.embedder.as_deref()
    }

    /// Whether the database may be written.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Checks all pages. If the database may be written, also checks that the full-text indexes agree with the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] with the first problem that was found.
    pub fn check(&self) -> Result<(), Error> {
        let damaged = |reason: String| Error::Damaged { kind: DatabaseKind::Memory, path: self.path.clone(), reason };
        let finding = self.read("checking the memory database", |connection| {
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        })?;
        if finding != "ok" {
            return Err(damaged(finding.replace('\n', " ")));
        }
        if self.access == Access::Read {
            return Ok(());
        }
        // The value 1 in `rank` asks for a comparison with the rows (SQLite, "The 'integrity-check' Command").
        for index in ["memories_fts", "concepts_fts"] {
            let sql = format!("INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)");
            self.connection.execute(&sql, []).map_err(|source| damaged(format!("`{index}`: {source}")))?;
        }
        Ok(())
    }

    /// Runs `question` in one read transaction.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let ask = || {
            let moment =
                self.connection.is_autocommit().then(|| self.connection.unchecked_transaction()).transpose()?;
            let answer = question(&self.connection)?;
            drop(moment);
            Ok(answer)
        };
        ask().map_err(|source| from_sqlite(doing, &self.path, source))
    }

    /// Commits what `work` did, unless it fails. The lock is taken at the beginning: two transactions that first read
    /// and then want to write could not wait for each other.
    pub(crate) fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>, &MemoryOptions) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.access == Access::Read {
            return Err(Error::ReadOnly { kind: DatabaseKind::Memory, path: self.path.clone() });
        }
        let (path, options) = (&self.path, &self.options);
        let failed = |source| from_sqlite(doing, path, source);
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate).map_err(failed)?;
        let value = work(&transaction, options).map_err(|error| error.of(doing, path))?;
        transaction.commit().map_err(failed)?;
        Ok(value)
    }

    /// Like [`MemoryDatabase::write`], but waits no longer than `wait` for a lock on the database.
    pub(crate) fn write_within<T>(
        &mut self,
        wait: Duration,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>, &MemoryOptions) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.set_wait(wait)?;
        let written = self.write(doing, work);
        self.set_wait(BUSY_TIMEOUT)?;
        written
    }

    /// From now on, waits no longer than `wait` for a lock on the database, and never longer than the default of ten
    /// seconds.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`].
    pub fn wait_at_most(&self, wait: Duration) -> Result<(), Error> {
        self.set_wait(wait.min(BUSY_TIMEOUT))
    }

    fn set_wait(&self, wait: Duration) -> Result<(), Error> {
        let set = self.connection.busy_timeout(wait);
        set.map_err(|source| from_sqlite("setting how long to wait", &self.path, source))
    }

    fn connect(path: &Path, opening: Opening, access: Access, options: MemoryOptions) -> Result<Self, Error> {
        let connection = icr_sqlite::connect(path, opening, None);
        let connection = connection.map_err(|source| from_sqlite("opening the memory database", path, source))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let vectors = VectorCache::default();
        Ok(Self { connection, options, vectors, path: path.to_owned(), access, _scratch: None })
    }

    fn version(&self) -> Result<SchemaVersion, Unreadable> {
        match MIGRATIONS.version(&self.connection) {
            Ok(version) => Ok(version),
            Err(icr_sqlite::MigrationError::Reading(source))
                if matches!(Cause::from(&source), Cause::CannotOpen | Cause::ReadOnly) =>
            {
                Err(Unreadable::NoSharedMemory)
            }
            Err(error) => Err(Unreadable::Other(Error::from_migration(DatabaseKind::Memory, &self.path, error))),
        }
    }

    fn prepare(&self) -> Result<(), Error> {
        let prepared = self.connection.execute_batch(PRAGMAS);
        prepared.map_err(|source| from_sqlite("opening the memory database", &self.path, source))
    }

    /// Copies the database beside itself, then applies the missing steps. A damaged database gets none.
    fn move_forward(&mut self) -> Result<(), Error> {
        let version = self.version().map_err(|unreadable| unreadable.error(&self.path))?;
        if let SchemaVersion::Older(found) = version {
            self.check()?;
            let mut copy = self.path.clone().into_os_string();
            copy.push(format!(".v{found}"));
            let copy = PathBuf::from(copy);
            if !copy.exists() {
                let copied = self.connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]);
                copied.map_err(|source| from_sqlite("copying the memory database", &copy, source))?;
            }
        }
        MIGRATIONS
            .run(&mut self.connection)
            .map_err(|error| Error::from_migration(DatabaseKind::Memory, &self.path, error))?;
        if matches!(version, SchemaVersion::Older(found) if found < KEYS_SINCE) {
            self.write("making keys of memories anew", |transaction, _| renew_keys(transaction))?;
        }
        Ok(())
    }
}

/// Why the version of a database could not be read.
enum Unreadable {
    /// The shared-memory file of the write-ahead log cannot be created.
    NoSharedMemory,
    Other(Error),
}

impl Unreadable {
    fn error(self, path: &Path) -> Error {
        match self {
            Self::NoSharedMemory => Error::ReadOnly { kind: DatabaseKind::Memory, path: path.to_owned() },
            Self::Other(error) => error,
        }
    }
}

/// Path of the write-ahead log of a database.
fn log_of(path: &Path) -> PathBuf {
    let mut log: OsString = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Whether there is a database. An empty file without a log is one whose creation was not finished, or is not yet.
fn is_there(path: &Path) -> Result<bool, Error> {
    check_kind(path)?;
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.len() > 0),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(from_io("looking for the memory database", path, source)),
    }
}

/// Refuses what is no ordinary file, and an emptied one beside the log of its newest commits.
fn check_kind(path: &Path) -> Result<(), Error> {
    let damaged =
        |reason: &str| Error::Damaged { kind: DatabaseKind::Memory, path: path.to_owned(), reason: reason.to_owned() };
    check_ordinary_file(path).map_err(damaged)?;
    // A database gets its log only when it has tables. SQLite deletes the log of an empty file, and with it the newest
    // commits. The log is looked at first: another process may be creating both.
    let log = log_of(path);
    let has_log = fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if has_log && fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Err(damaged(&format!("it is empty, but its log `{}` still has content", log.display())));
    }
    Ok(())
}

pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Error {
    Error::from_sqlite(DatabaseKind::Memory, doing, path, source)
}

fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Error {
    Error::from_io(DatabaseKind::Memory, doing, path, source)
}

#[cfg(test)]
mod tests;
