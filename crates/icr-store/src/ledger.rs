//! The ledger as a database: opened, read in snapshots, written in transactions, and checked. The modules beside this
//! one read and write its tables.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use icr_model::FACTS_ENCODING;
use icr_sqlite::{Opening, connect, create_private_file};
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::file_state::FileId;
use crate::page_checksums::{self, CHECKSUM_VFS};
use crate::read_only_ledger::{self, UnlockedFiles};
use crate::{Error, StorePlace};

const SCHEMA: &str = include_str!("schema.sql");

/// Everything that determines the bytes of a ledger; part of the store's format digest. The schema enters as a digest
/// of its tokens, so comments and layout do not count.
pub const FORMAT: [(&str, &str); 3] = [
    ("ledger schema", env!("ICR_LEDGER_SCHEMA")),
    ("ledger pages", page_checksums::FORMAT),
    ("facts encoding", FACTS_ENCODING),
];

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read the last published state.
    Read,
    /// Write; the caller holds the [`crate::WriterLock`].
    Write,
}

/// The ledger of one store.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) directory: PathBuf,
    /// Identity of the ledger file, if the system has file numbers.
    file: Option<FileId>,
    /// State of its files, if it is read without locks because nothing can be written beside it.
    unlocked: Option<UnlockedFiles>,
}

impl Ledger {
    /// Opens the ledger of `place`; [`Access::Write`] creates it if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Absent`] when reading and there is no ledger, [`Error::Damaged`] when the file is no ledger,
    /// [`Error::ReadOnly`].
    pub fn open(place: &StorePlace, access: Access) -> Result<Self, Error> {
        // SQLite follows links, blocks on pipes, and reports only "cannot open" for a directory.
        place.check_ledger_files()?;
        let path = place.ledger();
        let directory = place.directory().to_owned();
        let failed = |doing| {
            let path = path.clone();
            move |source| Error::from_sqlite(doing, &path, source)
        };
        if access == Access::Read && !path.exists() {
            return Err(Error::Absent { path: directory });
        }
        page_checksums::register();
        if access == Access::Write {
            let made = create_private_file(&path);
            made.map_err(|source| Error::from_io("making the ledger", &path, source))?;
        }
        // Taken before the file is opened, so that a file which replaces it meanwhile is noticed.
        let before = FileId::of(&path);
        let (connection, unlocked) = match access {
            Access::Write => {
                let opened = connect(&path, Opening::Create, Some(CHECKSUM_VFS));
                (opened.map_err(failed("opening the ledger"))?, None)
            }
            Access::Read => open_for_reading(&path)?,
        };
        connection.set_prepared_statement_cache_capacity(64);
        // SQLite counts a positive cache size in pages, and a negative one in KiB.
        let cache_kib = -1024 * i64::from(place.cache_mb());
        connection.pragma_update(None, "cache_size", cache_kib).map_err(failed("setting the page cache"))?;
        let mut ledger = Self { connection, directory, file: before, unlocked };
        match access {
            Access::Write => ledger.prepare_for_writing()?,
            // Another process has made the file, and its tables are not there yet.
            Access::Read if ledger.tables_total()? == 0 => return Err(Error::Absent { path: ledger.directory }),
            Access::Read => {}
        }
        ledger.generation()?;
        tracing::trace!("opened the ledger");
        Ok(ledger)
    }

    /// Begins a snapshot: all later reads see the same state, whatever is published meanwhile.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn begin_snapshot(&self) -> Result<(), Error> {
        self.connection.execute_batch("BEGIN").map_err(self.failed("beginning a snapshot"))?;
        self.generation().map(drop)
    }

    /// Ends the snapshot of [`Ledger::begin_snapshot`]. A process that stays open between queries must not keep a
    /// snapshot, since it prevents writers from truncating the log.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn end_snapshot(&self) -> Result<(), Error> {
        self.connection.execute_batch("COMMIT").map_err(self.failed("ending a snapshot"))
    }

    /// Replaces the snapshot by a new one. Returns whether both show the same state of the same store, that is, nothing
    /// was published, collected or derived again since the last one began. If `false`, reopen the ledger.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn renew_snapshot(&self) -> Result<bool, Error> {
        if self.is_unlocked() {
            return Ok(!self.was_rewritten());
        }
        let before = self.data_version()?;
        self.end_snapshot()?;
        self.begin_snapshot()?;
        Ok(self.data_version()? == before && self.is_in_place()?)
    }

    /// Whether the opened file is still the one at its path; a store that was derived again has another file.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn is_in_place(&self) -> Result<bool, Error> {
        let place = StorePlace::at(self.directory.clone());
        let Some(file) = self.file else {
            // Without file numbers, the generation distinguishes a ledger that was derived again.
            let there = Self::open(&place, Access::Read).and_then(|there| there.generation());
            return Ok(there.is_ok_and(|there| self.generation().is_ok_and(|generation| generation == there)));
        };
        Ok(FileId::of(&place.ledger()) == Some(file))
    }

    /// Changes with every garbage collection. Starts at a random value, so that a ledger that was derived again has a
    /// different one.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn generation(&self) -> Result<u32, Error> {
        self.number("generation")
    }

    /// Changes, between snapshots of this ledger, whenever another process publishes or deletes. `None` if the file
    /// system offers no way to detect that. It does not detect that the ledger was deleted; [`Ledger::is_in_place`]
    /// does.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn data_version(&self) -> Result<Option<u32>, Error> {
        if self.is_unlocked() {
            return Ok(None);
        }
        let version = self.connection.query_row("PRAGMA data_version", [], |row| row.get(0));
        version.map(Some).map_err(self.failed("reading the version of the data"))
    }

    /// Whether the ledger is read without locks, because nothing can be written beside it. [`Ledger::was_rewritten`]
    /// then tells whether all reads saw one state.
    pub fn is_unlocked(&self) -> bool {
        self.unlocked.is_some()
    }

    /// Whether the files of a ledger without locks were written since it was opened. Earlier results, including errors,
    /// then mix several states.
    pub fn was_rewritten(&self) -> bool {
        self.unlocked.as_ref().is_some_and(UnlockedFiles::were_written)
    }

    /// Runs `work` in one transaction: when this returns, all of it is on disk, or none of it.
    ///
    /// # Errors
    ///
    /// Those of `work`; [`Error::Full`] when there is no space to commit the transaction.
    pub fn write<T>(&mut self, work: impl FnOnce(&LedgerWrite<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let directory = self.directory.clone();
        let failed = |doing| move |source| Error::from_sqlite(doing, &directory, source);
        let transaction = self.connection.transaction().map_err(failed.clone()("beginning a transaction"))?;
        let write = LedgerWrite { transaction, directory: self.directory.clone() };
        let value = work(&write)?;
        write.transaction.commit().map_err(failed("committing a transaction"))?;
        Ok(value)
    }

    /// Checks every page of the database and returns the problems; empty if it is sound. Reads the whole file.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] when the check cannot run at all.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let mut statement = self.prepare("PRAGMA integrity_check(20)")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0));
        let lines: Vec<String> = rows.and_then(Iterator::collect).map_err(self.failed("checking the ledger"))?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// The error for an inconsistent store; `reason` describes the inconsistency.
    pub fn damage_error(&self, reason: impl ToString) -> Error {
        Error::Damaged { path: self.directory.clone(), reason: reason.to_string() }
    }

    pub(crate) fn failed(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error + use<> {
        let directory = self.directory.clone();
        move |source| Error::from_sqlite(doing, &directory, source)
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<rusqlite::CachedStatement<'_>, Error> {
        self.connection.prepare_cached(sql).map_err(self.failed("preparing a query"))
    }

    pub(crate) fn number(&self, name: &str) -> Result<u32, Error> {
        let mut statement = self.prepare("SELECT value FROM numbers WHERE name = ?1")?;
        let value =
            statement.query_row([name], |row| row.get(0)).optional().map_err(self.failed("reading a number"))?;
        Ok(value.unwrap_or_default())
    }

    /// Tables and indexes of the ledger; 0 until its maker has committed them.
    fn tables_total(&self) -> Result<i64, Error> {
        let total = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
        total.map_err(self.failed("reading the schema"))
    }

    fn prepare_for_writing(&mut self) -> Result<(), Error> {
        // FULL, not NORMAL: a reserved number must stay reserved after a power cut.
        page_checksums::reserve(&self.connection).map_err(self.failed("setting up the ledger"))?;
        const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;";
        self.connection.execute_batch(PRAGMAS).map_err(self.failed("setting up the ledger"))?;
        if self.tables_total()? == 0 {
            // A random value, not zero: a reader that still holds a deleted ledger must not mistake this one for it.
            let generation = RandomState::new().hash_one(std::process::id()) as u32;
            self.write(|write| {
                write.execute_batch(SCHEMA)?;
                write.set_number("generation", generation)
            })?;
        }
        Ok(())
    }
}

/// Writes of one transaction; see [`Ledger::write`].
#[derive(Debug)]
pub struct LedgerWrite<'a> {
    pub(crate) transaction: Transaction<'a>,
    directory: PathBuf,
}

impl LedgerWrite<'_> {
    pub(crate) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), Error> {
        let mut statement = self.transaction.prepare_cached(sql).map_err(self.failed("preparing a write"))?;
        statement.execute(values).map(drop).map_err(self.failed("writing the ledger"))
    }

    pub(crate) fn failed(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error + use<> {
        let directory = self.directory.clone();
        move |source| Error::from_sqlite(doing, &directory, source)
    }

    pub(crate) fn number(&self, name: &str) -> Result<u32, Error> {
        let sql = "SELECT value FROM numbers WHERE name = ?1";
        let value = self.transaction.query_row(sql, [name], |row| row.get(0)).optional();
        value.map(Option::unwrap_or_default).map_err(self.failed("reading a number"))
    }

    pub(crate) fn set_number(&self, name: &str, value: u32) -> Result<(), Error> {
        self.execute("INSERT OR REPLACE INTO numbers (name, value) VALUES (?1, ?2)", (name, value))
    }

    fn execute_batch(&self, sql: &str) -> Result<(), Error> {
        self.transaction.execute_batch(sql).map_err(self.failed("writing the schema"))
    }
}

/// Current time in seconds since 1970, for the columns that record the last use.
#[expect(clippy::disallowed_methods, reason = "nothing that is answered depends on it")]
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs() as i64)
}

/// A connection that only reads, while others may write. It reads without locks if nothing can be written beside the
/// ledger.
fn open_for_reading(path: &Path) -> Result<(Connection, Option<UnlockedFiles>), Error> {
    let failed = |source| Error::from_sqlite("opening the ledger", path, source);
    let opened = connect(path, Opening::Read, Some(CHECKSUM_VFS)).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
        Ok(connection)
    });
    match opened {
        Err(error) if read_only_ledger::needs_files_beside(&error) => {
            let (connection, files) = read_only_ledger::open(path).map_err(failed)?;
            Ok((connection, Some(files)))
        }
        opened => Ok((opened.map_err(failed)?, None)),
    }
}

#[cfg(test)]
mod tests {
    use icr_model::PathNo;

    use super::*;
    use crate::Numbers;
    use crate::testing::store;

    #[cfg(unix)]
    #[test]
    fn its_files_are_for_their_owner_and_one_that_others_may_read_stays_so() {
        use std::os::unix::fs::PermissionsExt;
        let (_home, place) = store();
        let mode = |name: &str| {
            let metadata = std::fs::metadata(place.directory().join(name)).unwrap();
            metadata.permissions().mode() & 0o777
        };
        let modes = || ["ledger.db", "ledger.db-wal", "ledger.db-shm"].map(mode);
        let ledger = Ledger::open(&place, Access::Write).unwrap();
        assert_eq!(modes(), [0o600; 3]);
        drop(ledger);
        std::fs::set_permissions(place.ledger(), std::fs::Permissions::from_mode(0o644)).unwrap();
        let _ledger = Ledger::open(&place, Access::Write).unwrap();
        assert_eq!(modes(), [0o644; 3]);
    }

    #[test]
    fn the_page_cache_has_the_size_that_the_place_says() {
        let (_home, place) = store();
        drop(Ledger::open(&place, Access::Write).unwrap());
        let kib = |place: &StorePlace, access| {
            let ledger = Ledger::open(place, access).unwrap();
            -ledger.connection.query_row("PRAGMA cache_size", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!(kib(&place, Access::Read), 64 * 1024);
        let small = place.clone().with_cache(8);
        assert_eq!((kib(&small, Access::Read), kib(&small, Access::Write)), (8 * 1024, 8 * 1024));
        assert_eq!(small, place, "a place is where it is");
    }

    #[test]
    fn the_version_of_the_data_moves_with_what_others_write() {
        let (_home, place) = store();
        let wanted = Numbers { blob: 1, chunk: 1, path: 1 };
        let mut writer = Ledger::open(&place, Access::Write).unwrap();
        let reader = Ledger::open(&place, Access::Read).unwrap();
        let version = || {
            reader.begin_snapshot().unwrap();
            let version = reader.data_version().unwrap().expect("it can be followed");
            reader.end_snapshot().unwrap();
            version
        };
        let before = version();
        assert_eq!(version(), before);
        writer.reserve(wanted, Numbers::default()).unwrap();
        let after = version();
        assert_ne!(after, before);
        assert_eq!(version(), after);
        // What is written during a snapshot shows in the version of the next one.
        reader.begin_snapshot().unwrap();
        writer.reserve(wanted, Numbers::default()).unwrap();
        assert_eq!(reader.data_version().unwrap(), Some(after));
        reader.end_snapshot().unwrap();
        assert_ne!(version(), after);
    }

    #[test]
    fn a_ledger_made_again_has_another_generation() {
        let (_home, place) = store();
        // Four, because two may draw the same number once in four billion times.
        let generations: std::collections::HashSet<u32> = (0..4)
            .map(|_| {
                place.clear().unwrap();
                Ledger::open(&place, Access::Write).unwrap().generation().unwrap()
            })
            .collect();
        assert!(generations.len() > 1, "{generations:?}");
    }

    #[test]
    fn a_failed_transaction_leaves_nothing() {
        let (_home, place) = store();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let result: Result<(), Error> = ledger.write(|write| {
            write.add_path(PathNo(0), &"a.rs".into(), 2)?;
            Err(Error::Busy)
        });
        assert!(matches!(result, Err(Error::Busy)));
        assert_eq!(ledger.path_no(&"a.rs".into()).unwrap(), None);
    }

    #[test]
    fn a_snapshot_does_not_see_what_is_published_later() {
        let (_home, place) = store();
        let mut writer = Ledger::open(&place, Access::Write).unwrap();
        let reader = Ledger::open(&place, Access::Read).unwrap();
        reader.begin_snapshot().unwrap();
        writer.write(|write| write.add_path(PathNo(0), &"a.rs".into(), 2)).unwrap();
        assert_eq!(reader.path_no(&"a.rs".into()).unwrap(), None);
        assert_eq!(Ledger::open(&place, Access::Read).unwrap().path(PathNo(0)).unwrap(), Some(("a.rs".into(), 2)));
        reader.end_snapshot().unwrap();
        assert_eq!(reader.path_no(&"a.rs".into()).unwrap(), Some(PathNo(0)));
    }

    #[test]
    fn other_files_are_damage_and_no_file_is_absence() {
        let (_home, place) = store();
        assert!(matches!(Ledger::open(&place, Access::Read), Err(Error::Absent { .. })));
        // While another process makes it, the file is there before its tables.
        create_private_file(&place.ledger()).unwrap();
        assert!(matches!(Ledger::open(&place, Access::Read), Err(Error::Absent { .. })));
        drop(connect(&place.ledger(), Opening::Create, Some(CHECKSUM_VFS)).unwrap());
        assert!(matches!(Ledger::open(&place, Access::Read), Err(Error::Absent { .. })));
        std::fs::write(place.ledger(), "not a database, and long enough to be looked at as one").unwrap();
        assert!(matches!(Ledger::open(&place, Access::Read), Err(Error::Damaged { .. })));
        assert!(matches!(Ledger::open(&place, Access::Write), Err(Error::Damaged { .. })));
    }
}
