//! The LMDB environment of a directory: opened once in a process, shared by all who ask, grown when it is full.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use arroy::distances::Cosine;
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, MdbError, RoTxn, RwTxn, WithoutTls};
use icr_model::even_after_panic;

use crate::error::{Error, StorageFailure};
use crate::pages;
use crate::sum::CheckedValues;
use crate::table::{CONTENTS, FORMAT, ROWS, TREES};

/// Readers of all processes together; LMDB's default of 126 is less than fifty worktrees with a few agents each need.
const MOST_READERS: u32 = 512;

/// How long growing waits for readers of this process. A question takes milliseconds.
const GROWING_WAITS: Duration = Duration::from_secs(10);

/// Least map to try: 64 MiB hold the static vectors of 200,000 chunks.
const LEAST_MAP: usize = 64 << 20;

/// One part in so many of the address space, where a process may have only so much (`ulimit -v`), is for the map. What is not
/// left for everything else ends the process at its next allocation.
#[cfg(target_os = "linux")]
const PARTS_OF_ADDRESSES: u64 = 8;

/// File that LMDB keeps everything in.
const FILE: &str = "data.mdb";

/// File of the table of readers, which every reader has to write.
const LOCKS: &str = "lock.mdb";

/// Environments that are open in this process, by canonical directory. LMDB forbids a second, since closing either would
/// drop the locks of both.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Environment>>>> = LazyLock::new(Mutex::default);

/// Environments that stay open although nobody asks, used last, last.
static KEPT: Mutex<Vec<Arc<Environment>>> = Mutex::new(Vec::new());

/// How many stay open; a server has as many repositories.
const MOST_KEPT: usize = 16;

/// Closes what was kept open, once nobody else has it.
pub(crate) fn close_kept() {
    let kept = std::mem::take(&mut *even_after_panic(KEPT.lock()));
    drop(kept);
}

/// Keeps the environment of `path` open no longer; returns whether it was.
fn let_go(path: &Path) -> bool {
    let mut kept = even_after_panic(KEPT.lock());
    let at = kept.iter().position(|environment| environment.path == path);
    let environment = at.map(|at| kept.remove(at));
    // Closing takes time, which others need not wait for.
    drop(kept);
    environment.is_some()
}

/// An open environment.
#[derive(Debug)]
pub(crate) struct Environment {
    path: PathBuf,
    env: Env<WithoutTls>,
    /// The file that is mapped, and the most bytes that it was seen to have.
    mapped: File,
    longest: AtomicU64,
    is_read_only: bool,
    /// Whether readers have no place in the table of readers, since nobody lets this process write it.
    is_unlocked: bool,
    databases: OnceLock<Databases>,
    checked: CheckedValues,
    gate: Gate,
    /// Set when the map was taken down to grow and the address space had no room for the larger one.
    is_unmapped: AtomicBool,
}

/// Handles of the databases in an environment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Databases {
    pub(crate) rows: Database<'static, Bytes, Bytes>,
    pub(crate) contents: Database<'static, Bytes, Bytes>,
    pub(crate) trees: arroy::Database<'static, Cosine>,
}

/// A read transaction: one state of the environment for as long as it lives.
pub(crate) struct ReadTransaction {
    // Fields are dropped in this order: the environment closes, or grows, only after the transaction has ended.
    pub(crate) txn: RoTxn<'static, WithoutTls>,
    _ticket: Ticket,
    pub(crate) environment: Arc<Environment>,
}

impl ReadTransaction {
    /// That no page of this state can have been written over. Only where readers have no place in the table of readers does
    /// a writer not know of them.
    ///
    /// # Errors
    ///
    /// [`Error::Rewritten`] when one may have been: what was read since this was last asked is then of no single state.
    pub(crate) fn check_unwritten(&self) -> Result<(), StorageFailure> {
        // A writer takes pages that were freed two commits before its own (LMDB's `mdb_find_oldest`), and those of this
        // state are freed by the next commit at the earliest. So the third commit from here may write over them.
        let environment = &self.environment;
        if environment.is_unlocked && environment.env.info().last_txn_id > self.txn.id() + 1 {
            return Err(Error::Rewritten { path: environment.path.clone() }.into());
        }
        Ok(())
    }
}

impl Environment {
    /// The environment in `path`; made there if need be, unless it is to be read only.
    ///
    /// `map_bytes` is the address space that is reserved, as far as the process may.
    pub(crate) fn open(path: &Path, map_bytes: u64, is_read_only: bool) -> Result<Arc<Self>, Error> {
        let doing = "opening the vectors";
        let internal = |error: io::Error| Error::Internal { doing, source: Box::new(error) };
        if !is_read_only {
            create_directory(path).map_err(internal)?;
        }
        let canonical = match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::Missing { path: path.into() }),
            canonical => canonical.map_err(internal)?,
        };
        let file = canonical.join(FILE);
        if is_read_only && !file.exists() {
            return Err(Error::Missing { path: path.into() });
        }
        let deadline = Instant::now() + GROWING_WAITS;
        loop {
            let mut open = even_after_panic(OPEN.lock());
            if let Some(environment) = open.get(&canonical).and_then(Weak::upgrade) {
                drop(open);
                match environment.shared(&file, is_read_only) {
                    // Another file, or more than reading, is asked for than what may be kept for nobody's sake.
                    Err(_) if let_go(&canonical) => continue,
                    shared => return shared,
                }
            }
            match Self::open_new(&canonical, &file, map_bytes, is_read_only) {
                // The last handle is gone, but its environment is still being closed, on another thread.
                Err(StorageFailure::Lmdb(heed::Error::EnvAlreadyOpened)) if Instant::now() < deadline => {
                    drop(open);
                    if let Some(closing) = heed::env_closing_event(&canonical) {
                        closing.wait_timeout(deadline.saturating_duration_since(Instant::now()));
                    }
                }
                Err(failure) => return Err(failure.into_error(path, doing)),
                Ok(environment) => {
                    let environment = Arc::new(environment);
                    open.retain(|_, other| other.strong_count() > 0);
                    open.insert(canonical, Arc::downgrade(&environment));
                    return Ok(environment);
                }
            }
        }
    }

    fn open_new(path: &Path, file: &Path, map_bytes: u64, is_read_only: bool) -> Result<Self, StorageFailure> {
        pages::check_header(file)?;
        if path.join(LOCKS).is_dir() {
            return Err(StorageFailure::Damaged("a directory is in the place of the table of readers".to_owned()));
        }
        let is_unlocked = is_read_only && is_refused(&path.join(LOCKS));
        let env = map(path, map_bytes, is_read_only, is_unlocked)?;
        let environment = Self {
            path: path.into(),
            mapped: env.try_clone_inner_file()?,
            longest: AtomicU64::new(0),
            env,
            is_read_only,
            is_unlocked,
            databases: OnceLock::new(),
            checked: CheckedValues::default(),
            gate: Gate::default(),
            is_unmapped: AtomicBool::new(false),
        };
        if !is_read_only {
            environment.env.clear_stale_readers()?;
        }
        environment.check()?;
        if !is_read_only && environment.databases.get().is_none() {
            environment.create_databases()?;
        }
        Ok(environment)
    }

    /// This environment for one who opens it again.
    fn shared(self: Arc<Self>, file: &Path, is_read_only: bool) -> Result<Arc<Self>, Error> {
        if !self.is_of(file) {
            return Err(Error::Replaced { path: self.path.clone() });
        }
        if self.is_read_only && !is_read_only {
            return Err(Error::ReadOnly { path: self.path.clone() });
        }
        Ok(self)
    }

    /// Stays open until [`close_kept`], or until its directory is opened in a way that it cannot serve, or sixteen others were kept since.
    pub(crate) fn keep_open(self: &Arc<Self>) {
        let mut kept = even_after_panic(KEPT.lock());
        kept.retain(|other| other.path != self.path);
        kept.push(Arc::clone(self));
        let oldest = (kept.len() > MOST_KEPT).then(|| kept.remove(0));
        drop(kept);
        drop(oldest);
    }

    /// Directory of the environment.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Values that this process has found to be what was written.
    pub(crate) fn checked_values(&self) -> &CheckedValues {
        &self.checked
    }

    /// Whether nothing may be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The databases; `None` as long as nobody has made them.
    pub(crate) fn databases(&self) -> Result<Option<Databases>, StorageFailure> {
        if let Some(databases) = self.databases.get() {
            return Ok(Some(*databases));
        }
        let _ticket = self.ticket()?;
        let txn = self.env.read_txn()?;
        let opened = self.env.open_databases_and_commit(txn, |opener, txn| -> Result<_, StorageFailure> {
            let rows = opener.open_database::<Bytes, Bytes>(txn, Some(ROWS))?;
            let contents = opener.open_database::<Bytes, Bytes>(txn, Some(CONTENTS))?;
            let trees = opener.open_database(txn, Some(TREES))?;
            // What is not published here is closed again with the transaction.
            Ok(match (rows, contents, trees) {
                (Some(rows), Some(contents), Some(trees)) => CommitOrAbort::Commit((rows, contents, trees)),
                _ => CommitOrAbort::Abort(()),
            })
        })?;
        let CommitOrAbort::Commit((rows, contents, trees)) = opened else { return Ok(None) };
        Ok(Some(*self.databases.get_or_init(|| Databases { rows, contents, trees })))
    }

    /// Begins a read transaction. Waits for no writer; costs a microsecond.
    pub(crate) fn read(self: &Arc<Self>) -> Result<ReadTransaction, StorageFailure> {
        let begin = || -> Result<ReadTransaction, StorageFailure> {
            let ticket = self.ticket()?;
            let txn = self.env.clone().static_read_txn()?;
            Ok(ReadTransaction { txn, _ticket: ticket, environment: Arc::clone(self) })
        };
        match begin() {
            Err(failure) if failure.is_map_outgrown() => {
                self.resize(|_| 0)?;
                begin()
            }
            Err(failure) if failure.is_readers_full() => {
                self.env.clear_stale_readers()?;
                begin()
            }
            begun => begun,
        }
    }

    /// Runs `write` in a write transaction and commits it; again with a larger map when the map was full. Waits for other
    /// writers.
    pub(crate) fn write<T>(
        &self,
        mut write: impl FnMut(&Env<WithoutTls>, &mut RwTxn<'_>, &Databases) -> Result<T, StorageFailure>,
    ) -> Result<T, StorageFailure> {
        if self.is_read_only {
            return Err(Error::ReadOnly { path: self.path.clone() }.into());
        }
        self.env.clear_stale_readers()?;
        let databases = match self.databases()? {
            Some(databases) => databases,
            None => self.create_databases()?,
        };
        loop {
            let mut attempt = || -> Result<T, StorageFailure> {
                let _ticket = self.ticket()?;
                let mut txn = self.env.write_txn()?;
                let value = write(&self.env, &mut txn, &databases)?;
                txn.commit()?;
                Ok(value)
            };
            match attempt() {
                Err(failure) if failure.is_map_full() => self.resize(|bytes| bytes.saturating_mul(2))?,
                Err(failure) if failure.is_map_outgrown() => self.resize(|_| 0)?,
                done => return done,
            }
        }
    }

    /// Bytes of the map.
    pub(crate) fn map_bytes(&self) -> u64 {
        self.env.info().map_size as u64
    }

    /// That the file is not shorter than it was: LMDB never shortens it, and reading behind the end of a mapped file ends the
    /// process.
    fn check_length(&self) -> Result<(), StorageFailure> {
        // What was seen first, then what is there: another thread may see the file grow in between.
        let longest = self.longest.load(Ordering::Acquire);
        let bytes = self.mapped.metadata()?.len();
        if bytes < longest {
            return Err(StorageFailure::Damaged("the file was cut short while it was in use".to_owned()));
        }
        self.longest.fetch_max(bytes, Ordering::AcqRel);
        Ok(())
    }

    /// What every transaction holds while it is open.
    fn ticket(&self) -> Result<Ticket, StorageFailure> {
        let ticket = self.gate.enter();
        if self.is_unmapped.load(Ordering::Acquire) {
            return Err(Error::Full { path: self.path.clone() }.into());
        }
        self.check_length()?;
        Ok(ticket)
    }

    /// Moves the map to the size that `size` makes of its own, 0 for what the file asks for.
    fn resize(&self, size: impl Fn(usize) -> usize) -> Result<(), StorageFailure> {
        let resized = self.gate.run_exclusively(GROWING_WAITS, || {
            let bytes = size(self.env.info().map_size);
            // SAFETY: no transaction of this process is open: each holds a ticket of the gate, and there is none.
            let resized = unsafe { self.env.resize(bytes) };
            self.is_unmapped.store(resized.is_err(), Ordering::Release);
            resized
        });
        match resized {
            Some(resized) => Ok(resized?),
            None => Err(Error::Busy { path: self.path.clone() }.into()),
        }
    }

    /// Makes the databases, and says in which format.
    fn create_databases(&self) -> Result<Databases, StorageFailure> {
        let _ticket = self.ticket()?;
        let txn = self.env.write_txn()?;
        let created = self.env.create_databases_and_commit(txn, |opener, txn| -> Result<_, StorageFailure> {
            let rows = opener.create_database::<Bytes, Bytes>(txn, Some(ROWS))?;
            let contents = opener.create_database::<Bytes, Bytes>(txn, Some(CONTENTS))?;
            let trees = opener.create_database(txn, Some(TREES))?;
            if rows.get(txn, FORMAT)?.is_none() {
                rows.put(txn, FORMAT, crate::format().as_bytes())?;
            }
            Ok(CommitOrAbort::<_, ()>::Commit((rows, contents, trees)))
        })?;
        let (rows, contents, trees) = created.unwrap_commit();
        Ok(*self.databases.get_or_init(|| Databases { rows, contents, trees }))
    }

    /// That the pages of the databases `names` lead where pages are, so that LMDB, which trusts them, does not read
    /// beyond the file.
    pub(crate) fn check_pages(&self, names: &[&str]) -> Result<(), StorageFailure> {
        let _ticket = self.ticket()?;
        // Keeps what is looked at from being written over.
        let _txn = self.env.read_txn()?;
        pages::check_trees(&self.env.try_clone_inner_file()?, names)
    }

    /// That the file is one of this format, as far as a look at its upper pages tells.
    fn check(&self) -> Result<(), StorageFailure> {
        self.check_pages(&[ROWS])?;
        let Some(databases) = self.databases()? else { return Ok(()) };
        let _ticket = self.ticket()?;
        let txn = self.env.read_txn()?;
        let format = databases.rows.get(&txn, FORMAT)?.unwrap_or_default();
        if format != crate::format().as_bytes() {
            let format: String = String::from_utf8_lossy(format).chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(StorageFailure::Damaged(format!("their format is `{format}`, not `{}`", crate::format())));
        }
        Ok(())
    }

    /// Whether `file` is the file that is mapped, and not one that has taken its name.
    fn is_of(&self, file: &Path) -> bool {
        let mapped = self.env.try_clone_inner_file().ok().and_then(|file| identity(&file));
        let named = File::open(file).ok().and_then(|file| identity(&file));
        mapped.is_some() && mapped == named
    }
}

/// Opens LMDB with the largest map up to `map_bytes` that the process may have.
fn map(path: &Path, map_bytes: u64, is_read_only: bool, is_unlocked: bool) -> Result<Env<WithoutTls>, StorageFailure> {
    if !is_unlocked {
        reserve_locks(&path.join(LOCKS))?;
    }
    let page = 1 << 16;
    let mut bytes = usize::try_from(map_bytes.min(most_map_bytes())).unwrap_or(usize::MAX / 4).next_multiple_of(page);
    loop {
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(bytes).max_readers(MOST_READERS).max_dbs(3);
        if is_read_only {
            let locks = if is_unlocked { EnvFlags::NO_LOCK } else { EnvFlags::empty() };
            // SAFETY: one flag takes away the right to write and nothing else. The other takes away the place in the table of
            // readers: what is read without one is told from what a writer made of it by `Reading::check_unwritten`.
            unsafe { options.flags(EnvFlags::READ_ONLY | locks) };
        }
        // SAFETY: the map is a file that other processes change through LMDB alone, whose locks keep what a transaction
        // reads as it is. The directory is the user's own, and its files were looked through before.
        match unsafe { options.open(path) } {
            Err(heed::Error::Io(error)) if error.kind() == io::ErrorKind::OutOfMemory && bytes / 2 >= LEAST_MAP => {
                bytes = (bytes / 2).next_multiple_of(page);
            }
            Err(heed::Error::Mdb(MdbError::Invalid)) => {
                return Err(StorageFailure::Damaged(format!("`{FILE}` is no file of LMDB")));
            }
            opened => return Ok(opened?),
        }
    }
}

/// Bytes of address space for a map. LMDB itself takes more where the file is larger.
#[cfg(target_os = "linux")]
fn most_map_bytes() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    limit.map_or(u64::MAX, |limit| (limit / PARTS_OF_ADDRESSES).max(LEAST_MAP as u64))
}

/// Bytes of address space for a map; [`map`] finds out what the process may have.
#[cfg(not(target_os = "linux"))]
fn most_map_bytes() -> u64 {
    u64::MAX
}

/// Takes the room that the table of readers needs: LMDB makes it longer without asking for room, and writes into it as memory, which ends
/// the process where the disk is full.
#[cfg(target_os = "linux")]
fn reserve_locks(locks: &Path) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    /// Of a reader, and of what stands before them (`MDB_reader` and `MDB_txninfo` in LMDB's mdb.c).
    const LINE_BYTES: u64 = 64;
    let file = table_of_readers().open(locks)?;
    let bytes = LINE_BYTES * (u64::from(MOST_READERS) + 2);
    match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
        // The file system has no such call.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        reserved => Ok(reserved?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve_locks(_: &Path) -> io::Result<()> {
    Ok(())
}

/// How the table of readers is opened, which is made where there is none.
fn table_of_readers() -> fs::OpenOptions {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether this process may not write the table of readers, which is made where there is none.
fn is_refused(locks: &Path) -> bool {
    let refusals = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
    table_of_readers().open(locks).is_err_and(|error| refusals.contains(&error.kind()))
}

#[cfg(unix)]
fn create_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn identity(file: &File) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Elsewhere a file that is mapped cannot be replaced.
#[cfg(not(unix))]
fn identity(_file: &File) -> Option<(u64, u64)> {
    Some((0, 0))
}

/// How many transactions this process has open, and a way to be alone: a map moves only when there are none.
#[derive(Debug, Default)]
struct Gate {
    shared: Arc<(Mutex<usize>, Condvar)>,
}

/// One open transaction.
struct Ticket {
    shared: Arc<(Mutex<usize>, Condvar)>,
}

impl Gate {
    fn enter(&self) -> Ticket {
        *even_after_panic(self.shared.0.lock()) += 1;
        Ticket { shared: Arc::clone(&self.shared) }
    }

    /// Runs `alone` when no transaction is open, and lets none begin meanwhile; `None` when some was open for `patience`.
    fn run_exclusively<T>(&self, patience: Duration, alone: impl FnOnce() -> T) -> Option<T> {
        let (open, closed) = &*self.shared;
        let waited = closed.wait_timeout_while(even_after_panic(open.lock()), patience, |open| *open > 0);
        let (open, _) = even_after_panic(waited);
        (*open == 0).then(alone)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        *even_after_panic(self.shared.0.lock()) -= 1;
        self.shared.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_moves_only_when_no_transaction_is_open() {
        let gate = Gate::default();
        let (first, second) = (gate.enter(), gate.enter());
        assert_eq!(gate.run_exclusively(Duration::ZERO, || "moved"), None);
        drop(first);
        assert_eq!(gate.run_exclusively(Duration::ZERO, || "moved"), None);
        drop(second);
        assert_eq!(gate.run_exclusively(Duration::ZERO, || "moved"), Some("moved"));
    }
}
