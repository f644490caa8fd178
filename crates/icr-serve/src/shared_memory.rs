//! The database of memories, open for all calls of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use icr_engine::{Deadline, MemoryPlace};
use icr_memory::{Access, MemoryAccess, MemoryDatabase, RecordId};
use icr_model::{UnixMillis, even_after_panic};

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

/// Most accesses that wait to be counted. A process that holds the lock for ever must not cost memory for ever.
const UNCOUNTED_MOST: usize = 4_096;

/// Two connections for all calls: one for questions, one for changes. A change may wait for another process that writes;
/// a question must not wait for that change. Each is opened at its first use, and again when another file is at the path.
#[derive(Debug)]
pub struct SharedMemory {
    place: MemoryPlace,
    questions: Mutex<Option<OpenDatabase>>,
    changes: Mutex<Option<OpenDatabase>>,
    /// Accesses that are counted with the next change, because another process was writing.
    uncounted: Mutex<Vec<MemoryAccess>>,
    /// The file after the latest call, and its log; `None` before the first one. Held while the log of a file that was
    /// replaced is moved away: both connections may find that at once.
    latest: Mutex<Option<FileWithLog>>,
}

#[derive(Debug)]
struct OpenDatabase {
    database: MemoryDatabase,
    file: Option<FileIdentity>,
}

/// A database file and the write-ahead log that belongs to it.
#[derive(Debug)]
struct FileWithLog {
    file: Option<FileIdentity>,
    log: Option<FileIdentity>,
}

impl SharedMemory {
    /// Opens nothing yet.
    pub fn new(place: MemoryPlace) -> Self {
        let (questions, changes, uncounted, latest) = Default::default();
        Self { place, questions, changes, uncounted, latest }
    }

    /// What `work` gets from the database. A question waits for other questions only. A change also waits for other
    /// changes and for other processes, as long as `deadline` allows; without one, for `limit`.
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
        let connection = if purpose == Purpose::Question { &self.questions } else { &self.changes };
        let mut open = even_after_panic(connection.lock());
        self.with_open(&mut open, purpose, |database| {
            // The call may have been cancelled while it waited for other calls.
            if deadline.is_over() {
                return Err(CallFailure::new(
                    Code::Timeout,
                    "the memories were in use until the time of the call was over; nothing was done",
                ));
            }
            // A write that is not done within the call's time must not happen after it.
            database.wait_at_most(deadline.remaining_time().unwrap_or(limit).mul_f64(WAITING_SHARE))?;
            let value = work(database)?;
            if purpose != Purpose::Question {
                self.count_uncounted(database);
            }
            Ok(value)
        })
    }

    /// Counts an access of each memory: at once if nobody else writes, otherwise with the next change or the next count.
    /// Never waits and never fails, because an answer is not worth less if its accesses are not counted.
    pub fn count_accesses(&self, ids: impl IntoIterator<Item = RecordId>, at: UnixMillis) {
        if self.place.access() == Access::Read {
            return;
        }
        let mut uncounted = even_after_panic(self.uncounted.lock());
        uncounted.extend(ids.into_iter().map(|id| MemoryAccess { id, at }));
        let over = uncounted.len().saturating_sub(UNCOUNTED_MOST);
        if over > 0 {
            tracing::info!(over, "the oldest accesses of memories are not counted, because another process is writing");
            uncounted.drain(..over);
        }
        drop(uncounted);
        let mut open = match self.changes.try_lock() {
            Ok(open) => open,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => {
                tracing::info!("accesses of memories are counted later, because a change is under way");
                return;
            }
        };
        let counted = self.with_open(&mut open, Purpose::Change, |database| {
            self.count_uncounted(database);
            Ok(())
        });
        if let Err(failure) = counted {
            tracing::info!(message = failure.message, "accesses of memories are not counted now");
        }
    }

    /// Counts what waits to be counted, unless another process is writing.
    fn count_uncounted(&self, database: &mut MemoryDatabase) {
        let mut uncounted = even_after_panic(self.uncounted.lock());
        match icr_memory::count_accesses(database, &uncounted, Duration::ZERO) {
            Ok(()) => uncounted.clear(),
            Err(icr_memory::Error::Busy { .. }) => {
                tracing::info!("accesses of memories are counted later, because another process is writing");
            }
            Err(error) => {
                tracing::info!(%error, "accesses of memories are not counted");
                uncounted.clear();
            }
        }
    }

    fn with_open<T>(
        &self,
        open: &mut Option<OpenDatabase>,
        purpose: Purpose,
        work: impl FnOnce(&mut MemoryDatabase) -> Result<T, CallFailure>,
    ) -> Result<T, CallFailure> {
        let file = FileIdentity::of(self.place.path());
        let is_usable = open.as_ref().is_some_and(|open| {
            // A database that was read-only may be writable now.
            open.file == file
                && file.is_some()
                && (purpose == Purpose::Question || open.database.access() == Access::Write)
        });
        if !is_usable {
            // Closed before it is opened again: SQLite shares state between all connections to a file.
            *open = None;
            self.put_log_aside(file.as_ref());
            *open = self.open_database(purpose)?;
        }
        let worked = match open.as_mut() {
            Some(open) => {
                let worked = work(&mut open.database);
                self.note_log(open.file.as_ref());
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

    /// Notes which log belongs to `file`, unless another file is at the path by now.
    fn note_log(&self, file: Option<&FileIdentity>) {
        let mut latest = even_after_panic(self.latest.lock());
        // The log is looked at before the file: a file that is replaced meanwhile gets another log.
        let log = FileIdentity::of(&self.beside("-wal"));
        if FileIdentity::of(self.place.path()).as_ref() == file {
            *latest = Some(FileWithLog { file: file.cloned(), log });
        }
    }

    /// Moves away the log of a database that was replaced by `file`. SQLite would take the log's content as part of the
    /// new file and damage it. A connection to the database that was replaced may stay open: it finds neither file at its
    /// path any more, and leaves both alone.
    fn put_log_aside(&self, file: Option<&FileIdentity>) {
        let mut latest = even_after_panic(self.latest.lock());
        let Some(before) = latest.take_if(|before| file.is_some() && before.file.as_ref() != file) else { return };
        if before.log.is_none() || FileIdentity::of(&self.beside("-wal")) != before.log {
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
        Ok(database.map(|database| OpenDatabase { database, file: FileIdentity::of(path) }))
    }
}

/// Identity of the file at a path. It differs after the file was deleted, replaced, or restored from a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::thread;

    use icr_memory::{ListRequest, MemoryOptions, MemoryRules, NewMemory, StoreOutcome, TextEmbedder};

    use super::*;

    /// A model that another process waits for while it writes: it holds the lock until the gate is opened.
    struct Gate {
        reached: SyncSender<()>,
        opened: Mutex<Receiver<()>>,
    }

    impl TextEmbedder for Gate {
        fn space(&self) -> &str {
            "gate"
        }

        fn dimensions(&self) -> usize {
            1
        }

        fn embed(&self, _: &str) -> Vec<f32> {
            let _ = self.reached.send(());
            let _ = even_after_panic(self.opened.lock()).recv();
            vec![1.0]
        }
    }

    const LIMIT: Duration = Duration::from_secs(60);

    fn note(summary: &str) -> NewMemory {
        NewMemory { topic: "ships".to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
    }

    fn add(memory: &SharedMemory, summary: &str) -> StoreOutcome {
        let stored = memory.with(Purpose::Addition, &Deadline::after(LIMIT), LIMIT, |database| {
            icr_memory::store(database, &note(summary), UnixMillis(1))
        });
        stored.expect("it can be written")
    }

    fn accesses(memory: &SharedMemory) -> Vec<(String, u32)> {
        let listed = memory.with(Purpose::Question, &Deadline::after(LIMIT), LIMIT, |database| {
            icr_memory::list(database, &ListRequest::default(), UnixMillis(9))
        });
        let counts = listed.expect("it can be read").into_iter().map(|memory| (memory.summary, memory.access_count));
        let mut counts: Vec<_> = counts.collect();
        counts.sort();
        counts
    }

    #[test]
    fn questions_and_counts_do_not_wait_for_a_change_that_waits_for_another_process() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("memory.db");
        let memory = Arc::new(SharedMemory::new(MemoryPlace::new(path.clone(), MemoryRules::default(), false, false)));
        let first = add(&memory, "the anchor is aboard").id;
        let (reached, at_gate) = sync_channel(1);
        let (gate, opened) = sync_channel::<()>(0);
        let embedder = Arc::new(Gate { reached, opened: Mutex::new(opened) });
        let other = thread::spawn(move || {
            let options = MemoryOptions { embedder: Some(embedder), ..MemoryOptions::default() };
            let mut database = MemoryDatabase::create(&path, options).expect("it can be opened");
            icr_memory::store(&mut database, &note("the buoy is green"), UnixMillis(2)).expect("it can be written");
        });
        at_gate.recv().expect("the other process writes");
        let change = thread::spawn({
            let memory = Arc::clone(&memory);
            move || add(&memory, "sails were mended")
        });
        while memory.changes.try_lock().is_ok() {
            thread::yield_now();
        }
        memory.count_accesses([first], UnixMillis(3));
        assert_eq!(accesses(&memory), [("the anchor is aboard".to_owned(), 0)]);
        assert!(!change.is_finished() && !other.is_finished(), "the lock is still held");
        drop(gate);
        other.join().expect("the other process has written");
        change.join().expect("the change is made");
        let expected = [("sails were mended", 0), ("the anchor is aboard", 1), ("the buoy is green", 0)];
        assert_eq!(accesses(&memory), expected.map(|(summary, count)| (summary.to_owned(), count)));
    }
}
