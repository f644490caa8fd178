//! The database of memories, open for all calls of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use icr_engine::{Deadline, MemoryPlace};
use icr_memory::{Access, MemoryDatabase};
use icr_model::even_after_panic;

use crate::{CallFailure, Code};

/// Share of a call's time that it waits for other writers of memories. The rest is left for reporting the failure.
const WAITING_SHARE: f64 = 0.8;

/// What a call needs the memories for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Reading. If nothing was ever stored, the call gets an empty database.
    Question,
    /// Changing existing ones. If nothing was ever stored, there is nothing to change.
    Change,
    /// To add one. Where nothing was ever stored, the database is made.
    Addition,
}

/// One connection for all calls. It is opened at the first use, and again when another file is at the path.
#[derive(Debug)]
pub struct SharedMemory {
    place: MemoryPlace,
    open: Mutex<Option<OpenDatabase>>,
}

#[derive(Debug)]
struct OpenDatabase {
    database: MemoryDatabase,
    file: Option<FileIdentity>,
    /// Identity of the write-ahead log of `database` after the latest call.
    log: Option<FileIdentity>,
}

impl SharedMemory {
    /// Opens nothing yet.
    pub fn new(place: MemoryPlace) -> Self {
        Self { place, open: Mutex::default() }
    }

    /// What `work` gets from the database. Waits for other calls that use it, and for other processes, as long as
    /// `deadline` allows; without one, for `limit`.
    ///
    /// # Errors
    ///
    /// That time was over before it began; those of opening the database, and of `work`.
    pub fn with<T>(
        &self,
        purpose: Purpose,
        deadline: &Deadline,
        limit: Duration,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, icr_memory::Error>,
    ) -> Result<T, CallFailure> {
        self.with_open(purpose, |database| {
            // The call may have been cancelled while it waited for other writers.
            if deadline.is_over() {
                return Err(CallFailure::new(
                    Code::Timeout,
                    "the memories were in use until the time of the call was over; nothing was done",
                ));
            }
            // A write that is not done within the call's time must not happen after it.
            database.wait_at_most(deadline.remaining_time().unwrap_or(limit).mul_f64(WAITING_SHARE))?;
            Ok(work(database)?)
        })
    }

    fn with_open<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, CallFailure>,
    ) -> Result<T, CallFailure> {
        let mut open = self.open();
        let file = FileIdentity::of(self.place.path());
        let is_usable = open.as_ref().is_some_and(|open| {
            // A database that was read-only may be writable now.
            open.file == file
                && file.is_some()
                && (purpose == Purpose::Question || open.database.access() == Access::Write)
        });
        if !is_usable {
            // Closed before it is opened again: SQLite shares state between all connections to a file.
            if let Some(before) = open.take().filter(|before| before.file != file && file.is_some()) {
                self.put_log_aside(before);
            }
            *open = self.open_database(purpose)?;
        }
        let worked = match open.as_mut() {
            Some(open) => {
                let worked = work(&mut open.database);
                open.log = FileIdentity::of(&self.beside("-wal"));
                worked
            }
            None => work(&mut self.place.empty()?),
        };
        // The failure may come from cached state about the old file.
        if worked.as_ref().is_err_and(|failure| matches!(failure.code, Code::ServiceUnavailable | Code::InternalError))
        {
            *open = None;
        }
        worked
    }

    /// Moves away the log of a database that was replaced by another file. SQLite would take the log's content as part
    /// of the new file and damage it.
    fn put_log_aside(&self, before: OpenDatabase) {
        let OpenDatabase { database, log, .. } = before;
        drop(database);
        if log.is_none() || FileIdentity::of(&self.beside("-wal")) != log {
            return;
        }
        let moved = fs::rename(self.beside("-wal"), self.beside("-wal.replaced"));
        if let Err(error) = moved.and_then(|()| fs::remove_file(self.beside("-shm"))) {
            tracing::warn!(%error, "the log of the memories that were replaced stays beside them");
        }
    }

    /// The path of the database with `ending` appended.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.place.path().as_os_str().to_owned();
        path.push(ending);
        path.into()
    }

    fn open_database(&self, purpose: Purpose) -> Result<Option<OpenDatabase>, CallFailure> {
        let path = self.place.path();
        let database = match purpose {
            Purpose::Question => self.place.for_questions()?,
            Purpose::Change if !path.exists() => None,
            Purpose::Change | Purpose::Addition => Some(self.place.for_changes()?),
        };
        Ok(database.map(|database| OpenDatabase { database, file: FileIdentity::of(path), log: None }))
    }

    fn open(&self) -> MutexGuard<'_, Option<OpenDatabase>> {
        even_after_panic(self.open.lock())
    }
}

/// Identity of the file at a path. It differs after the file was deleted, replaced, or restored from a copy.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    #[cfg(unix)]
    inode: (u64, u64),
    created: Option<std::time::SystemTime>,
}

impl FileIdentity {
    /// `None` where there is no file.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            #[cfg(unix)]
            inode: (std::os::unix::fs::MetadataExt::dev(&metadata), std::os::unix::fs::MetadataExt::ino(&metadata)),
            created: metadata.created().ok(),
        })
    }
}
