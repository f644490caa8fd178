//! The database of memories and memoirs.

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

use crate::index::renew_keys;
use crate::vectors::VectorCache;
use crate::{Access, DatabaseKind, Error};

/// Every version of the database, from nothing to the present one.
const MIGRATIONS: Migrations<'static> = Migrations {
    application_id: 0x6963_726d,
    steps: &[include_str!("migrations/memory/0001_memories.sql"), include_str!("migrations/memory/0002_topics.sql")],
};

/// The version since which keys of equal and near texts are made as they are now.
const KEYS_SINCE: i64 = 2;

/// A write-ahead log that is not forced to disk at each commit: what a power failure takes away is the newest commits as a whole, and
/// what a killed process committed stays (SQLite, "WAL mode", `PRAGMA synchronous`). Deleted rows take their links along.
///
/// With 32 MiB of pages (SQLite's own: 2 MB) and a checkpoint every 4,000 pages (1,000), storing at 10,000 memories takes four fifths of the
/// time; the log grows to 16 MB.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
     PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000;";

/// Prepared statements kept by a connection.
const STATEMENTS: usize = 64;

/// What turns a text into a vector, so that memories are found by meaning.
pub trait TextEmbedder: Send + Sync {
    /// Names the space of its vectors; those of two spaces are never compared.
    fn space(&self) -> &str;

    /// Components of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of `text`, of unit length; all zero where the model knows no word of it.
    fn embed(&self, text: &str) -> Vec<f32>;

    /// How much its nearness counts beside words in recall, in `0.0..=1.0`, where that is known of the model.
    fn weight(&self) -> Option<f64> {
        None
    }
}

/// By which numbers memories are kept; the defaults of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRules {
    /// Weight that a medium memory loses in a day.
    pub decay_per_day: f64,
    /// Accesses that slow the decay; more do not count.
    pub access_cap: u32,
    /// Memories of a topic above which it is said to need consolidation.
    pub consolidate_hint: u64,
    /// Least cosine of near duplicates.
    pub dedup_cosine: f64,
    /// Least share of common words of near duplicates.
    pub dedup_jaccard: f64,
    /// Least cosine of memories that are linked when one is stored.
    pub link_cosine: f64,
    /// Most links that a new memory gets.
    pub max_links: usize,
    /// Weight below which medium and low memories are pruned.
    pub prune_threshold: f64,
    /// A memory below this weight can be stale.
    pub stale_weight: f64,
    /// Days without access after which it is.
    pub stale_days: u32,
    /// Share of vectors in recall, the rest being that of words, where the user set it; else what is known of the model, or
    /// [`MemoryRules::EMBEDDING_SHARE`].
    pub embedding_share: Option<f64>,
}

impl MemoryRules {
    /// Share of the vectors of a model of which nothing is known: .7 beside .3 of BM25.
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

/// How a database is opened.
#[derive(Clone, Default)]
pub struct MemoryOptions {
    /// By which numbers memories are kept.
    pub rules: MemoryRules,
    /// What memories are found by besides words.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
}

impl fmt::Debug for MemoryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.embedder.as_ref().map(|embedder| embedder.space());
        f.debug_struct("MemoryOptions").field("rules", &self.rules).field("space", &space).finish()
    }
}

/// The database of memories and memoirs, for one thread at a time. Several processes may have it open and write; each write waits for
/// the others.
#[derive(Debug)]
pub struct MemoryDatabase {
    pub(crate) connection: Connection,
    pub(crate) options: MemoryOptions,
    pub(crate) vectors: VectorCache,
    path: PathBuf,
    access: Access,
}

impl MemoryDatabase {
    /// The database at `path`, which is made where there is none (0600, in a directory of 0700). One of an older version is moved forward,
    /// after a copy of it was put beside it.
    ///
    /// # Errors
    ///
    /// [`Error::Newer`], [`Error::Damaged`], [`Error::ReadOnly`], [`Error::Full`], [`Error::Busy`]; what is there is not touched then.
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

    /// The database at `path`; `None` where there is none. With [`Access::Read`] not a byte is changed, and a database in a directory that
    /// cannot be written is read all the same.
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

    /// As [`MemoryDatabase::existing`] with [`Access::Read`], for a question that goes without memories where they cannot be had soon: it waits
    /// no longer than `wait` for who has locked the database.
    ///
    /// # Errors
    ///
    /// As [`MemoryDatabase::existing`].
    pub fn existing_within(path: &Path, options: MemoryOptions, wait: Duration) -> Result<Option<Self>, Error> {
        if is_there(path)? { Self::readable(path, options, wait) } else { Ok(None) }
    }

    /// A database that is there, to be read.
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
                // Without its shared memory a log that holds commits cannot be read; without commits in it the file is all there is.
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

    /// A database in memory that nobody else sees.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`].
    pub fn in_memory(options: MemoryOptions) -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory();
        let connection = connection.map_err(|source| from_sqlite("opening the memory database", &path, source))?;
        let mut database = Self { connection, options, vectors: VectorCache::default(), path, access: Access::Write };
        database.move_forward()?;
        database.prepare()?;
        Ok(database)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// By which numbers memories are kept.
    pub fn rules(&self) -> &MemoryRules {
        &self.options.rules
    }

    /// What memories are found by besides words.
    pub fn embedder(&self) -> Option<&dyn TextEmbedder> {
        self.options.embedder.as_deref()
    }

    /// What may be done to it.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Looks at all pages, and, where the database may be written, that the indexes of words hold what the rows say.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] with what was found first.
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
        // The rank asks for a comparison with the rows (SQLite, "The 'integrity-check' Command").
        for index in ["memories_fts", "concepts_fts"] {
            let sql = format!("INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)");
            self.connection.execute(&sql, []).map_err(|source| damaged(format!("`{index}`: {source}")))?;
        }
        Ok(())
    }

    /// What `question` reads at one moment.
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

    /// Commits what `work` did, if it did it without an error. The lock is taken at the beginning: two that read first and wrote then could
    /// not wait for each other.
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

    /// As [`MemoryDatabase::write`], and waits no longer than `wait` for who has locked the database.
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

    /// From now on waits no longer than `wait` for who has locked the database, and never longer than usual: ten seconds.
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
        Ok(Self { connection, options, vectors: VectorCache::default(), path: path.to_owned(), access })
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

    /// Takes the steps that the database has not had, after a copy of it was put beside it; none on a damaged one.
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

/// Why a database's version could not be read.
enum Unreadable {
    /// The file that readers of a write-ahead log share cannot be made.
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

/// The write-ahead log of a database.
fn log_of(path: &Path) -> PathBuf {
    let mut log: OsString = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Whether there is a database. A file with nothing in it is one that was being made.
fn is_there(path: &Path) -> Result<bool, Error> {
    check_kind(path)?;
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.len() > 0),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(from_io("looking for the memory database", path, source)),
    }
}

fn check_kind(path: &Path) -> Result<(), Error> {
    let damaged =
        |reason: &str| Error::Damaged { kind: DatabaseKind::Memory, path: path.to_owned(), reason: reason.to_owned() };
    check_ordinary_file(path).map_err(damaged)
}

pub(crate) fn from_sqlite(doing: &'static str, path: &Path, source: rusqlite::Error) -> Error {
    Error::from_sqlite(DatabaseKind::Memory, doing, path, source)
}

fn from_io(doing: &'static str, path: &Path, source: std::io::Error) -> Error {
    Error::from_io(DatabaseKind::Memory, doing, path, source)
}

#[cfg(test)]
mod tests;
