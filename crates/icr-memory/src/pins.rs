//! Pins: files that a user or an agent wants in every pack.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use icr_model::{BlobId, Moment, RepoPath};
use icr_sqlite::{Opening, SchemaVersion, check_ordinary_file, create_private_directory, create_private_file};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior};

use crate::{DatabaseKind, Error};

mod log;
mod migrations;
mod priority;

pub use log::PinOperation;
use migrations::{MIGRATIONS, READABLE_FROM};
pub use priority::PinPriority;

/// Most live pins of one clone. Each pin is read for every pack; even at a few milliseconds a file that stays fast.
pub const PINS_MOST: u32 = 1_000;

/// How an existing database may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read; not a byte is changed.
    Read,
    /// Read and write. Interrupted transactions are rolled back, and older versions are migrated.
    Write,
}

/// The clone that a pin belongs to: identified by its id, wherever it is, or by its git directory if it has no id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneKey(Vec<u8>);

impl CloneKey {
    /// The clone with an id of hexadecimal digits, which cannot be an absolute path.
    pub fn of_id(id: &str) -> Self {
        Self(id.as_bytes().to_vec())
    }
}

impl From<&Path> for CloneKey {
    /// The clone whose worktrees share the git directory.
    fn from(directory: &Path) -> Self {
        Self(directory.as_os_str().as_encoded_bytes().to_vec())
    }
}

impl From<&Self> for CloneKey {
    fn from(key: &Self) -> Self {
        key.clone()
    }
}

/// A file that is pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The name that the user gave it; unique within a clone.
    pub source_id: String,
    /// The file, relative to the root.
    pub path: RepoPath,
    /// A label for people.
    pub label: Option<String>,
    /// The blob of the file when it was pinned.
    pub blob_id: BlobId,
    /// When it was pinned.
    pub pinned_at: Moment,
    /// When the pin expires; `None` if it does not.
    pub expires_at: Option<Moment>,
    /// Its priority among other pins.
    pub priority: PinPriority,
}

/// The database of pins of a repository. Each clone sees only its own pins.
///
/// A clone is known by its [`CloneKey`].
#[derive(Debug)]
pub struct Pins {
    connection: Connection,
    path: PathBuf,
}

impl Pins {
    /// Opens the database at `path`, or creates it (0600, in a directory of 0700).
    ///
    /// # Errors
    ///
    /// [`Error::Newer`], [`Error::Damaged`], [`Error::ReadOnly`], [`Error::Full`]; an existing file is not changed
    /// then.
    pub fn create(path: &Path) -> Result<Self, Error> {
        check_kind(path)?;
        create_private(path)?;
        let mut pins = Self::connect(path, Opening::Write)?;
        pins.move_forward()?;
        pins.check()?;
        Ok(pins)
    }

    /// Opens the database at `path`; `None` if there is none. With [`Access::Write`] a database that cannot be written
    /// is opened for reading.
    ///
    /// # Errors
    ///
    /// As [`Pins::create`]; with [`Access::Read`] also [`Error::Older`] and [`Error::CutOff`].
    pub fn existing(path: &Path, access: Access) -> Result<Option<Self>, Error> {
        match fs::metadata(path) {
            // An empty file is a database whose creation was not finished.
            Ok(metadata) if metadata.len() == 0 => return Ok(None),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(source) => return Err(Error::from_io(DatabaseKind::Pins, "looking for the pins in", path, source)),
        }
        let opening = match access {
            Access::Read => Opening::Read,
            Access::Write => Opening::Write,
        };
        let mut pins = Self::connect(path, opening)?;
        match (pins.version()?, access) {
            (SchemaVersion::Empty, _) => return Ok(None),
            (SchemaVersion::Present, _) => {}
            (SchemaVersion::Older(found), Access::Write) => match pins.move_forward() {
                Err(error) if found < READABLE_FROM || matches!(error, Error::Damaged { .. }) => return Err(error),
                _ => {}
            },
            (SchemaVersion::Older(found), Access::Read) if found >= READABLE_FROM => {}
            (SchemaVersion::Older(found), Access::Read) => {
                return Err(Error::Older {
                    kind: DatabaseKind::Pins,
                    path: path.to_owned(),
                    found,
                    known: MIGRATIONS.latest(),
                });
            }
        }
        pins.check()?;
        Ok(Some(pins))
    }

    fn connect(path: &Path, opening: Opening) -> Result<Self, Error> {
        check_kind(path)?;
        let connection = icr_sqlite::connect(path, opening, None);
        let connection =
            connection.map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "opening the pins", path, source))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    fn version(&self) -> Result<SchemaVersion, Error> {
        MIGRATIONS
            .version(&self.connection)
            .map_err(|error| Error::from_migration(DatabaseKind::Pins, &self.path, error))
    }

    /// Applies the missing migration steps. A damaged database gets none.
    fn move_forward(&mut self) -> Result<(), Error> {
        if let SchemaVersion::Older(_) = self.version()? {
            self.check()?;
        }
        MIGRATIONS
            .run(&mut self.connection)
            .map_err(|error| Error::from_migration(DatabaseKind::Pins, &self.path, error))
    }

    /// Checks all pages; most people have only a few. Reading alone can mistake damage for other pins, or for none.
    fn check(&self) -> Result<(), Error> {
        let finding = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        match finding
            .map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "checking the pins", &self.path, source))?
        {
            sound if sound == "ok" => Ok(()),
            finding => Err(Error::Damaged {
                kind: DatabaseKind::Pins,
                path: self.path.clone(),
                reason: finding.replace('\n', " "),
            }),
        }
    }

    /// Stores `pin` for `clone` at `now`. It replaces the pin with the same id, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] for a new one beyond [`PINS_MOST`]; those of writing.
    pub fn pin(&mut self, clone: impl Into<CloneKey>, pin: &Pin, now: Moment) -> Result<(), Error> {
        const KEEP: &str = "INSERT INTO pins (clone, source_id, path, label, blob_id, pinned_at, expires_at, priority) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
             ON CONFLICT (clone, source_id) DO UPDATE SET path = excluded.path, label = excluded.label, \
             blob_id = excluded.blob_id, pinned_at = excluded.pinned_at, expires_at = excluded.expires_at, \
             priority = excluded.priority";
        let CloneKey(clone) = &clone.into();
        let (path, blob_id) = (pin.path.as_bytes(), pin.blob_id.as_bytes());
        let values = (
            clone,
            &pin.source_id,
            path,
            &pin.label,
            blob_id,
            pin.pinned_at.0,
            pin.expires_at.map(|at| at.0),
            pin.priority,
        );
        let kept = self.write("keeping a pin", now, |transaction| {
            log::note(transaction, "pin", clone, &pin.source_id, now)?;
            transaction.execute(KEEP, values)?;
            let count = "SELECT count(*) FROM pins WHERE clone = ?1";
            let count: u32 = transaction.query_row(count, [clone], |row| row.get(0))?;
            Ok((count <= PINS_MOST).then_some(()))
        })?;
        kept.ok_or(Error::TooMany { most: PINS_MOST })
    }

    /// Deletes the pin of `clone` with this `source_id`; returns whether there was one.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn unpin(&mut self, clone: impl Into<CloneKey>, source_id: &str, now: Moment) -> Result<bool, Error> {
        let CloneKey(clone) = &clone.into();
        let forgotten = self.write("forgetting a pin", now, |transaction| {
            log::note(transaction, "unpin", clone, source_id, now)?;
            let forget = "DELETE FROM pins WHERE clone = ?1 AND source_id = ?2";
            Ok((transaction.execute(forget, (clone, source_id))? > 0).then_some(()))
        })?;
        Ok(forgotten.is_some())
    }

    /// Whether `clone` has any pin, expired or not.
    ///
    /// # Errors
    ///
    /// As [`Pins::live`].
    pub fn has_any(&self, clone: impl Into<CloneKey>) -> Result<bool, Error> {
        let CloneKey(clone) = &clone.into();
        let has = "SELECT EXISTS (SELECT 1 FROM pins WHERE clone = ?1)";
        let has = self.connection.query_row(has, [clone], |row| row.get(0));
        has.map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "looking for pins", &self.path, source))
    }

    /// Moves the pins of the clone `from` to the clone `to`. Pins that `to` has under the same ids stay.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn move_clone(&mut self, from: impl Into<CloneKey>, to: impl Into<CloneKey>, now: Moment) -> Result<(), Error> {
        let (CloneKey(from), CloneKey(to)) = (&from.into(), &to.into());
        let moved = self.write("moving pins", now, |transaction| {
            transaction.execute("UPDATE OR IGNORE pins SET clone = ?2 WHERE clone = ?1", (from, to))?;
            transaction.execute("DELETE FROM pins WHERE clone = ?1", [from])?;
            transaction.execute("UPDATE pin_operations SET clone = ?2 WHERE clone = ?1", (from, to))?;
            Ok(Some(()))
        });
        moved.map(drop)
    }

    /// Copies the pins of the clone `from` to the clone `to`. Pins that `to` has under the same ids stay.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn copy_clone(&mut self, from: impl Into<CloneKey>, to: impl Into<CloneKey>, now: Moment) -> Result<(), Error> {
        const COPY: &str = "INSERT OR IGNORE INTO pins \
             (clone, source_id, path, label, blob_id, pinned_at, expires_at, priority) \
             SELECT ?2, source_id, path, label, blob_id, pinned_at, expires_at, priority FROM pins WHERE clone = ?1";
        let (CloneKey(from), CloneKey(to)) = (&from.into(), &to.into());
        let copied = self.write("copying pins", now, |transaction| transaction.execute(COPY, (from, to)).map(Some));
        copied.map(drop)
    }

    /// The live pins of `clone`: highest priority first, then the newest, and those of the same second by their ids.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], [`Error::Busy`].
    pub fn live(&self, clone: impl Into<CloneKey>, now: Moment) -> Result<Vec<Pin>, Error> {
        let CloneKey(clone) = &clone.into();
        let read = || {
            let sql = format!("{} ORDER BY priority DESC, pinned_at DESC, source_id", self.select_live()?);
            let mut statement = self.connection.prepare(&sql)?;
            let rows = statement.query_map((clone, now.0), pin_of)?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "reading the pins", &self.path, source))
    }

    /// The live pin of `clone` with this `source_id`.
    ///
    /// # Errors
    ///
    /// As [`Pins::live`].
    pub fn get(&self, clone: impl Into<CloneKey>, source_id: &str, now: Moment) -> Result<Option<Pin>, Error> {
        let CloneKey(clone) = &clone.into();
        let read = || {
            let sql = format!("{} AND source_id = ?3", self.select_live()?);
            self.connection.query_row(&sql, (clone, now.0, source_id), pin_of).optional()
        };
        read().map_err(|source| Error::from_sqlite(DatabaseKind::Pins, "reading a pin", &self.path, source))
    }

    /// The query for the live pins of the clone `?1` at the time `?2`, with the columns of [`pin_of`].
    fn select_live(&self) -> rusqlite::Result<String> {
        let has = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('pins') WHERE name = 'priority')";
        // A database of an earlier version that may only be read has no such column.
        let has_priority = self.connection.query_row(has, [], |row| row.get(0))?;
        let priority = if has_priority { String::new() } else { format!("{} AS ", PinPriority::default().number()) };
        Ok(format!(
            "SELECT source_id, path, label, blob_id, pinned_at, expires_at, {priority}priority FROM pins \
             WHERE clone = ?1 AND (expires_at IS NULL OR expires_at > ?2)"
        ))
    }

    /// Deletes the pins of every clone that have expired by `now`, and commits that and what `work` did, if `work`
    /// returns a value. The lock is taken at the beginning: two transactions that first read and then want to write
    /// could not wait for each other.
    fn write<T>(
        &mut self,
        doing: &'static str,
        now: Moment,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Option<T>, Error> {
        let path = &self.path;
        let connection = &mut self.connection;
        let written = || -> rusqlite::Result<Option<T>> {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM pins WHERE expires_at <= ?1", [now.0])?;
            let value = work(&transaction)?;
            if value.is_some() {
                transaction.commit()?;
            }
            Ok(value)
        };
        written().map_err(|source| Error::from_sqlite(DatabaseKind::Pins, doing, path, source))
    }
}

fn pin_of(row: &Row<'_>) -> rusqlite::Result<Pin> {
    let blob_id: Vec<u8> = row.get(3)?;
    let no_id = || rusqlite::Error::FromSqlConversionFailure(3, Type::Blob, "it is not an object id".into());
    Ok(Pin {
        source_id: row.get(0)?,
        path: RepoPath::new(row.get::<_, Vec<u8>>(1)?),
        label: row.get(2)?,
        blob_id: BlobId::from_bytes(&blob_id).ok_or_else(no_id)?,
        pinned_at: Moment(row.get(4)?),
        expires_at: row.get::<_, Option<i64>>(5)?.map(Moment),
        priority: row.get(6)?,
    })
}

fn check_kind(path: &Path) -> Result<(), Error> {
    check_ordinary_file(path).map_err(|reason| Error::Damaged {
        kind: DatabaseKind::Pins,
        path: path.to_owned(),
        reason: reason.to_owned(),
    })
}

/// Creates the file with mode 0600 if there is none.
fn create_private(path: &Path) -> Result<(), Error> {
    if let Some(directory) = path.parent() {
        let created = create_private_directory(directory);
        created.map_err(|source| Error::from_io(DatabaseKind::Pins, "creating the directory", directory, source))?;
    }
    create_private_file(path).map_err(|source| Error::from_io(DatabaseKind::Pins, "making the pins in", path, source))
}

#[cfg(test)]
mod tests;
