//! The ledger: the complete blobs, their numbers and their facts.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use icr_model::{
    BlobId, BlobNo, ChunkNo, ContentKind, FACTS_ENCODING, Facts, FieldCounts, PathNo, Recipe, RecipeBuilder, RepoPath,
};
use icr_sqlite::{Opening, connect, create_private_file};
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

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

macro_rules! blob_columns {
    () => {
        "SELECT blob_no, blob_id, recipe_no, content, bytes_total, lines_total, chunk_first, chunk_count, tokens_body, \
         tokens_def, tokens_doc FROM blobs"
    };
}

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

/// Number of a [`Recipes`] row; valid in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecipeNo(pub u32);

/// The recipes of one language, for facts and for postings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipes {
    /// Language, as in the language table.
    pub language: String,
    /// Recipe of the facts.
    pub facts: Recipe,
    /// Recipe of the postings.
    pub postings: Recipe,
}

impl Recipes {
    /// One digest of both layers.
    pub fn digest(&self) -> Recipe {
        RecipeBuilder::default()
            .with("language", self.language.as_bytes())
            .with("facts", &self.facts.to_bytes())
            .with("postings", &self.postings.to_bytes())
            .build()
    }
}

/// A blob that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobRow {
    /// Number of the blob.
    pub blob_no: BlobNo,
    /// Object id of the blob.
    pub blob_id: BlobId,
    /// Recipe number that the blob was made with.
    pub recipe_no: RecipeNo,
    /// Whether the blob is text.
    pub content: ContentKind,
    /// Size in bytes.
    pub bytes_total: u64,
    /// Number of lines; 0 if the blob is no text.
    pub lines_total: u32,
    /// Number of its first chunk.
    pub chunk_first: ChunkNo,
    /// Number of its chunks; their numbers are consecutive.
    pub chunk_count: u32,
    /// Number of tokens in its chunks.
    pub tokens: FieldCounts,
}

/// A blob to be listed as complete, with its facts.
#[derive(Debug)]
pub struct CompleteBlob<'a> {
    /// The row.
    pub row: BlobRow,
    /// Encoded facts.
    pub facts: &'a [u8],
}

/// The next free numbers, in the ledger or in another store that hands out numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Next blob number.
    pub blob: u32,
    /// Next chunk number.
    pub chunk: u32,
    /// Next path number.
    pub path: u32,
}

impl Numbers {
    /// The maximum of both, for each kind.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { blob: self.blob.max(other.blob), chunk: self.chunk.max(other.chunk), path: self.path.max(other.path) }
    }
}

/// Numbers from [`Ledger::reserve`]: for each kind the first one; as many as requested follow from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedNumbers {
    /// First blob number.
    pub blob: BlobNo,
    /// First chunk number.
    pub chunk: ChunkNo,
    /// First path number.
    pub path: PathNo,
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

    /// Reserves numbers. A number is never reserved twice, even after a crash: the new marks are on disk before this
    /// returns. `floor` holds the marks of the postings, which may be newer than a ledger that was restored from a
    /// copy.
    ///
    /// # Errors
    ///
    /// [`Error::NumbersExhausted`] past 2^31 numbers of a kind.
    pub fn reserve(&mut self, wanted: Numbers, floor: Numbers) -> Result<ReservedNumbers, Error> {
        let mut first = [0; 3];
        let rows = [
            ("next_blob", wanted.blob, floor.blob),
            ("next_chunk", wanted.chunk, floor.chunk),
            ("next_path", wanted.path, floor.path),
        ];
        self.write(|write| {
            for (at, (name, count, floor)) in rows.into_iter().enumerate() {
                let next = write.number(name)?.max(floor);
                let end = next.checked_add(count).filter(|end| *end <= BlobNo::FIRST_IN_MEMORY);
                write.set_number(name, end.ok_or(Error::NumbersExhausted)?)?;
                first[at] = next;
            }
            Ok(())
        })?;
        Ok(ReservedNumbers { blob: BlobNo(first[0]), chunk: ChunkNo(first[1]), path: PathNo(first[2]) })
    }

    /// The marks below which all numbers are reserved.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn numbers(&self) -> Result<Numbers, Error> {
        Ok(Numbers {
            blob: self.number("next_blob")?,
            chunk: self.number("next_chunk")?,
            path: self.number("next_path")?,
        })
    }

    /// One past the greatest number listed, for each kind. Postings must have been committed up to those of chunks and
    /// paths; a blob without chunks has no postings.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn listed_numbers(&self) -> Result<Numbers, Error> {
        let next = |sql: &str| {
            self.connection
                .query_row(sql, [], |row| row.get::<_, Option<u32>>(0))
                .optional()
                .map(|number| number.flatten().unwrap_or_default())
                .map_err(self.failed("reading the greatest numbers"))
        };
        Ok(Numbers {
            blob: next("SELECT max(blob_no) + 1 FROM blobs")?,
            chunk: next(
                "SELECT chunk_first + chunk_count FROM blobs WHERE chunk_count > 0 ORDER BY chunk_first DESC LIMIT 1",
            )?,
            path: next("SELECT max(path_no) + 1 FROM paths")?,
        })
    }

    /// The number of `recipes`; `None` if no blob was ever made with them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn recipe_no(&self, recipes: &Recipes) -> Result<Option<RecipeNo>, Error> {
        let mut statement =
            self.prepare("SELECT recipe_no FROM recipes WHERE language = ?1 AND facts = ?2 AND postings = ?3")?;
        statement
            .query_row((&recipes.language, recipes.facts.to_bytes(), recipes.postings.to_bytes()), |row| row.get(0))
            .optional()
            .map(|number| number.map(RecipeNo))
            .map_err(self.failed("looking up a recipe"))
    }

    /// Languages by recipe number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn languages(&self) -> Result<Vec<(RecipeNo, String)>, Error> {
        let mut statement = self.prepare("SELECT recipe_no, language FROM recipes ORDER BY recipe_no")?;
        let rows = statement.query_map([], |row| Ok((RecipeNo(row.get(0)?), row.get(1)?)));
        rows.and_then(Iterator::collect).map_err(self.failed("reading the recipes"))
    }

    /// The row of a blob that was made with a recipe; `None` if it is not complete.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob(&self, blob_id: &BlobId, recipe_no: RecipeNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " WHERE blob_id = ?1 AND recipe_no = ?2"))?;
        statement
            .query_row((blob_id.as_bytes(), recipe_no.0), blob_row)
            .optional()
            .map_err(self.failed("looking up a blob"))
    }

    /// The row of a blob number; `None` if it is not listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_row(&self, blob_no: BlobNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " WHERE blob_no = ?1"))?;
        statement.query_row([blob_no.0], blob_row).optional().map_err(self.failed("reading a blob row"))
    }

    /// The row of the blob that contains a chunk; `None` if no listed blob does.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_of_chunk(&self, chunk_no: ChunkNo) -> Result<Option<BlobRow>, Error> {
        let mut statement = self.prepare(concat!(
            blob_columns!(),
            " WHERE chunk_first <= ?1 AND chunk_count > 0 ORDER BY chunk_first DESC LIMIT 1"
        ))?;
        let row = statement.query_row([chunk_no.0], blob_row).optional();
        let row = row.map_err(self.failed("looking up the blob of a chunk"))?;
        Ok(row.filter(|row: &BlobRow| chunk_no.0 - row.chunk_first.0 < row.chunk_count))
    }

    /// Calls `sink` with every row, in order of the number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn blob_rows(&self, mut sink: impl FnMut(BlobRow)) -> Result<(), Error> {
        let mut statement = self.prepare(concat!(blob_columns!(), " ORDER BY blob_no"))?;
        let rows = statement.query_map([], blob_row);
        rows.and_then(|mut rows| rows.try_for_each(|row| row.map(&mut sink)))
            .map_err(self.failed("reading the blob rows"))
    }

    /// The facts of a blob; `None` if it is not listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] also when the bytes do not decode.
    pub fn facts(&self, blob_no: BlobNo) -> Result<Option<Facts>, Error> {
        let bytes = self.encoded_facts(blob_no)?;
        bytes.map(|bytes| Facts::decode(&bytes).map_err(|error| self.damage_error(error))).transpose()
    }

    /// The number of a path; `None` if no view ever contained it.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn path_no(&self, path: &RepoPath) -> Result<Option<PathNo>, Error> {
        let mut statement = self.prepare("SELECT path_no FROM paths WHERE path = ?1")?;
        let number = statement.query_row([path.as_bytes()], |row| row.get(0)).optional();
        number.map(|number| number.map(PathNo)).map_err(self.failed("looking up a path"))
    }

    /// A path and its number of tokens; `None` if the number was never listed.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn path(&self, path_no: PathNo) -> Result<Option<(RepoPath, u32)>, Error> {
        let mut statement = self.prepare("SELECT path, tokens FROM paths WHERE path_no = ?1")?;
        statement
            .query_row([path_no.0], |row| Ok((RepoPath::new(row.get::<_, Vec<u8>>(0)?), row.get(1)?)))
            .optional()
            .map_err(self.failed("reading a path"))
    }

    /// Calls `sink` with every path ever seen, in order of the number.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn paths(&self, mut sink: impl FnMut(PathNo, RepoPath)) -> Result<(), Error> {
        let mut statement = self.prepare("SELECT path_no, path FROM paths ORDER BY path_no")?;
        let rows = statement.query_map([], |row| Ok((PathNo(row.get(0)?), RepoPath::new(row.get::<_, Vec<u8>>(1)?))));
        rows.and_then(|mut rows| rows.try_for_each(|row| row.map(|(number, path)| sink(number, path))))
            .map_err(self.failed("reading the paths"))
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

    fn number(&self, name: &str) -> Result<u32, Error> {
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
    /// The number of `recipes`; a new one if they are new. Marks them as in use.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn recipe(&self, recipes: &Recipes) -> Result<RecipeNo, Error> {
        let sql = "INSERT INTO recipes (language, facts, postings, used_at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET used_at = excluded.used_at RETURNING recipe_no";
        let key = (&recipes.language, recipes.facts.to_bytes(), recipes.postings.to_bytes(), now());
        let number = self.transaction.query_row(sql, key, |row| row.get(0));
        number.map(RecipeNo).map_err(self.failed("recording a recipe"))
    }

    /// Lists a blob as complete. A row with the same blob and recipe is replaced, since it lists the same content.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn complete(&self, blob: &CompleteBlob<'_>) -> Result<(), Error> {
        let row = &blob.row;
        let content = match row.content {
            ContentKind::Text => 0,
            ContentKind::Binary => 1,
            ContentKind::Oversize => 2,
        };
        let sql = "INSERT OR REPLACE INTO blobs (blob_no, blob_id, recipe_no, content, bytes_total, lines_total,
                   chunk_first, chunk_count, tokens_body, tokens_def, tokens_doc)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.execute(
            sql,
            (
                row.blob_no.0,
                row.blob_id.as_bytes(),
                row.recipe_no.0,
                content,
                row.bytes_total,
                row.lines_total,
                row.chunk_first.0,
                row.chunk_count,
                row.tokens.body,
                row.tokens.definitions,
                row.tokens.comments,
            ),
        )?;
        self.execute("INSERT OR REPLACE INTO facts (blob_no, bytes) VALUES (?1, ?2)", (row.blob_no.0, blob.facts))
    }

    /// Lists a path under a reserved number.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn add_path(&self, path_no: PathNo, path: &RepoPath, tokens: u32) -> Result<(), Error> {
        let sql = "INSERT INTO paths (path_no, path, tokens) VALUES (?1, ?2, ?3)";
        self.execute(sql, (path_no.0, path.as_bytes(), tokens))
    }

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

/// A reader of a store that may be written beside it; without locks, where nothing can be written beside the ledger.
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

fn blob_row(row: &Row<'_>) -> rusqlite::Result<BlobRow> {
    let id: Vec<u8> = row.get(1)?;
    let blob_id = BlobId::from_bytes(&id).ok_or(rusqlite::Error::IntegralValueOutOfRange(1, id.len() as i64))?;
    Ok(BlobRow {
        blob_no: BlobNo(row.get(0)?),
        blob_id,
        recipe_no: RecipeNo(row.get(2)?),
        content: match row.get::<_, i64>(3)? {
            0 => ContentKind::Text,
            1 => ContentKind::Binary,
            _ => ContentKind::Oversize,
        },
        bytes_total: row.get(4)?,
        lines_total: row.get(5)?,
        chunk_first: ChunkNo(row.get(6)?),
        chunk_count: row.get(7)?,
        tokens: FieldCounts { body: row.get(8)?, definitions: row.get(9)?, comments: row.get(10)? },
    })
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::{ManifestEntry, PublishedView, RepositoryPlace, Totals, ViewKey, ViewManifest};

    fn place() -> (TempDir, StorePlace) {
        let home = tempfile::tempdir().unwrap();
        let place = RepositoryPlace::new(home.path(), "0123456789abcdef").store(Recipe(7));
        place.create().unwrap();
        (home, place)
    }

    fn recipes() -> Recipes {
        Recipes { language: "rust".to_owned(), facts: Recipe(1), postings: Recipe(2) }
    }

    fn blob_id(text: char) -> BlobId {
        text.to_string().repeat(40).parse().unwrap()
    }

    fn row(blob_no: u32, recipe_no: RecipeNo) -> BlobRow {
        BlobRow {
            blob_no: BlobNo(blob_no),
            blob_id: blob_id('a'),
            recipe_no,
            content: ContentKind::Text,
            bytes_total: 12,
            lines_total: 2,
            chunk_first: ChunkNo(5),
            chunk_count: 3,
            tokens: FieldCounts { body: 7, definitions: 1, comments: 0 },
        }
    }

    #[cfg(unix)]
    #[test]
    fn its_files_are_for_their_owner_and_one_that_others_may_read_stays_so() {
        use std::os::unix::fs::PermissionsExt;
        let (_home, place) = place();
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
    fn a_listed_blob_is_found_by_id_and_recipe_and_by_number() {
        let (_home, place) = place();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let facts = Facts { language: "rust".to_owned(), ..Facts::default() };
        let recipe_no = ledger
            .write(|write| {
                let recipe_no = write.recipe(&recipes())?;
                write.complete(&CompleteBlob { row: row(4, recipe_no), facts: &facts.encode() })?;
                Ok(recipe_no)
            })
            .unwrap();
        let reader = Ledger::open(&place, Access::Read).unwrap();
        assert_eq!(reader.recipe_no(&recipes()).unwrap(), Some(recipe_no));
        assert_eq!(reader.blob(&blob_id('a'), recipe_no).unwrap(), Some(row(4, recipe_no)));
        assert_eq!(reader.blob(&blob_id('b'), recipe_no).unwrap(), None);
        assert_eq!(reader.blob_row(BlobNo(4)).unwrap(), Some(row(4, recipe_no)));
        assert_eq!(reader.facts(BlobNo(4)).unwrap(), Some(facts));
        assert_eq!(reader.listed_numbers().unwrap(), Numbers { blob: 5, chunk: 8, path: 0 });
    }

    #[test]
    fn the_page_cache_has_the_size_that_the_place_says() {
        let (_home, place) = place();
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
        let (_home, place) = place();
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
        // What is written while a snapshot is read is told by the next one.
        reader.begin_snapshot().unwrap();
        writer.reserve(wanted, Numbers::default()).unwrap();
        assert_eq!(reader.data_version().unwrap(), Some(after));
        reader.end_snapshot().unwrap();
        assert_ne!(version(), after);
    }

    #[test]
    fn numbers_are_never_given_out_twice() {
        let (_home, place) = place();
        let wanted = Numbers { blob: 2, chunk: 10, path: 1 };
        let first = Ledger::open(&place, Access::Write).unwrap().reserve(wanted, Numbers::default()).unwrap();
        assert_eq!((first.blob, first.chunk, first.path), (BlobNo(0), ChunkNo(0), PathNo(0)));
        let floor = Numbers { blob: 1, chunk: 500, path: 0 };
        let second = Ledger::open(&place, Access::Write).unwrap().reserve(wanted, floor).unwrap();
        assert_eq!((second.blob, second.chunk, second.path), (BlobNo(2), ChunkNo(500), PathNo(1)));
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let too_many = Numbers { chunk: u32::MAX - 600, ..Numbers::default() };
        assert!(matches!(ledger.reserve(too_many, Numbers::default()), Err(Error::NumbersExhausted)));
        assert_eq!(
            ledger.numbers().unwrap(),
            Numbers { blob: 4, chunk: 510, path: 2 },
            "a refused reservation takes none"
        );
    }

    #[test]
    fn a_ledger_made_again_has_another_generation() {
        let (_home, place) = place();
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
        let (_home, place) = place();
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
        let (_home, place) = place();
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
    fn a_view_reads_back_as_published_and_old_ones_are_dropped() {
        let (_home, place) = place();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let view = |tree: u32| PublishedView {
            key: ViewKey { tree: format!("{tree:040x}").parse().unwrap(), shape: Recipe(3) },
            commit: None,
            committer_time: Some(-5),
            manifest: ViewManifest::new(vec![ManifestEntry { path_no: PathNo(0), blob_no: BlobNo(4) }]),
            live_chunks: icr_model::LiveSet::from_numbers([5, 6, 7]),
            totals: Totals {
                tokens: FieldCounts { body: 7, definitions: 1, comments: 0 },
                path_tokens: 2,
                text_bytes: 12,
                ..Totals::default()
            },
        };
        for tree in 0..40 {
            ledger.write(|write| write.publish(&view(tree))).unwrap();
        }
        assert_eq!(ledger.view(&view(39).key).unwrap(), Some(view(39)));
        assert_eq!(ledger.view(&view(0).key).unwrap(), None);
        assert_eq!(ledger.views().unwrap().len(), 32);
    }

    #[test]
    fn other_files_are_damage_and_no_file_is_absence() {
        let (_home, place) = place();
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

    #[test]
    fn facts_that_do_not_decode_are_damage() {
        let (_home, place) = place();
        let mut ledger = Ledger::open(&place, Access::Write).unwrap();
        let blob = CompleteBlob { row: row(4, RecipeNo(1)), facts: b"\xff\xff\xff\xffrest" };
        ledger.write(|write| write.complete(&blob)).unwrap();
        assert!(matches!(ledger.facts(BlobNo(4)), Err(Error::Damaged { .. })));
    }
}
