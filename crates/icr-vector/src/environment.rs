//! The LMDB environment of a directory: opened once per process, shared by all its users, and enlarged when it is full.

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

/// Most readers of all processes together. LMDB's default of 126 is too small for fifty worktrees with a few agents
/// each.
const MOST_READERS: u32 = 512;

/// How long enlarging the map waits for readers of this process. A query takes milliseconds.
const GROWING_WAITS: Duration = Duration::from_secs(10);

/// Smallest map to try, in bytes: 64 MiB hold the static vectors of 200,000 chunks.
const LEAST_MAP: usize = 64 << 20;

/// If the address space of a process is limited (`ulimit -v`), the map gets one part in this many. If it leaves too
/// little for everything else, the process ends at its next allocation.
#[cfg(target_os = "linux")]
const PARTS_OF_ADDRESSES: u64 = 8;

/// File with all of LMDB's data.
const FILE: &str = "data.mdb";

/// File of LMDB's reader table, which every reader must write.
const LOCKS: &str = "lock.mdb";

/// The open environments of this process, by canonical directory. LMDB forbids opening one twice, since closing either
/// would release the locks of both.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Environment>>>> = LazyLock::new(Mutex::default);

/// Environments that stay open without users, ordered by last use, the most recent last.
static KEPT: Mutex<Vec<Arc<Environment>>> = Mutex::new(Vec::new());

/// Most environments that stay open; a server has about as many repositories.
const MOST_KEPT: usize = 16;

/// Releases the environments that were kept open; each closes when its last user is gone.
pub(crate) fn close_kept() {
    let kept = std::mem::take(&mut *even_after_panic(KEPT.lock()));
    drop(kept);
}

/// Stops keeping the environment of `path` open; returns whether it was kept.
fn let_go(path: &Path) -> bool {
    let mut kept = even_after_panic(KEPT.lock());
    let at = kept.iter().position(|environment| environment.path == path);
    let environment = at.map(|at| kept.remove(at));
    // Closing takes time, so the lock is released first.
    drop(kept);
    environment.is_some()
}

/// An open environment.
#[derive(Debug)]
pub(crate) struct Environment {
    path: PathBuf,
    env: Env<WithoutTls>,
    /// The mapped file, and the largest size in bytes that it was seen to have.
    mapped: File,
    longest: AtomicU64,
    is_read_only: bool,
    /// Whether readers have no entry in the reader table, since this process may not write it.
    is_unlocked: bool,
    databases: OnceLock<Databases>,
    checked: CheckedValues,
    gate: Gate,
    /// Set if the map was closed in order to enlarge it, and there was no address space for the larger one.
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
    // Fields are dropped in this order: the environment closes, or is enlarged, only after the transaction has ended.
    pub(crate) txn: RoTxn<'static, WithoutTls>,
    _ticket: Ticket,
    pub(crate) environment: Arc<Environment>,
}

impl ReadTransaction {
    /// Checks that no page of this state can have been overwritten. A writer may do that only if it does not know the
    /// reader, that is, if readers have no entry in the reader table.
    ///
    /// # Errors
    ///
    /// [`Error::Rewritten`] when a page may have been overwritten. What was read since the previous check then may mix
    /// several states.
    pub(crate) fn check_unwritten(&self) -> Result<(), StorageFailure> {
        // A writer reuses pages that were freed at least two commits before its own (LMDB's `mdb_find_oldest`). Pages
        // of this state are freed by the next commit at the earliest, so the third commit from here may overwrite them.
        let environment = &self.environment;
        if environment.is_unlocked && environment.env.info().last_txn_id > self.txn.id() + 1 {
            return Err(Error::Rewritten { path: environment.path.clone() }.into());
        }
        Ok(())
    }
}

impl Environment {
    /// The environment in `path`; it is created if necessary, unless it is opened for reading only.
    ///
    /// `map_bytes` is the address space to reserve, in bytes; less is reserved if the process may not have as much.
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
                match environment.share_with(&file, is_read_only) {
                    // The kept environment is of another file, or is read-only and writing is requested.
                    Err(_) if let_go(&canonical) => continue,
                    shared => return shared,
                }
            }
            match Self::open_new(&canonical, &file, map_bytes, is_read_only) {
                // The last handle is gone, but another thread is still closing the environment.
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

    /// Returns this environment to another user that opens it.
    fn share_with(self: Arc<Self>, file: &Path, is_read_only: bool) -> Result<Arc<Self>, Error> {
        if !self.is_of(file) {
            return Err(Error::Replaced { path: self.path.clone() });
        }
        if self.is_read_only && !is_read_only {
            return Err(Error::ReadOnly { path: self.path.clone() });
        }
        Ok(self)
    }

    /// Keeps it open until [`close_kept`] is called, until its directory is opened in a way that it does not support,
    /// or until sixteen others were kept after it.
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

    /// Values that this process has already verified.
    pub(crate) fn checked_values(&self) -> &CheckedValues {
        &self.checked
    }

    /// Whether it was opened for reading only.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The databases; `None` if nobody has created them yet.
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
            // Handles that are not stored here are closed with the transaction.
            Ok(match (rows, contents, trees) {
                (Some(rows), Some(contents), Some(trees)) => CommitOrAbort::Commit((rows, contents, trees)),
                _ => CommitOrAbort::Abort(()),
            })
        })?;
        let CommitOrAbort::Commit((rows, contents, trees)) = opened else { return Ok(None) };
        Ok(Some(*self.databases.get_or_init(|| Databases { rows, contents, trees })))
    }

    /// Begins a read transaction. Does not wait for writers; takes a microsecond.
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

    /// Runs `write` in a write transaction and commits it. If the map is full, enlarges it and runs `write` again.
    /// Waits for other writers.
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

    /// Size of the map in bytes.
    pub(crate) fn map_bytes(&self) -> u64 {
        self.env.info().map_size as u64
    }

    /// Checks that the file has not become shorter: LMDB never shortens it, and reading beyond the end of a mapped file
    /// kills the process.
    fn check_length(&self) -> Result<(), StorageFailure> {
        // The known length is read before the current one, since another thread may see the file grow in between.
        let longest = self.longest.load(Ordering::Acquire);
        let bytes = self.mapped.metadata()?.len();
        if bytes < longest {
            return Err(StorageFailure::Damaged("the file was cut short while it was in use".to_owned()));
        }
        self.longest.fetch_max(bytes, Ordering::AcqRel);
        Ok(())
    }

    /// A ticket that every transaction holds while it is open.
    fn ticket(&self) -> Result<Ticket, StorageFailure> {
        let ticket = self.gate.enter();
        if self.is_unmapped.load(Ordering::Acquire) {
            return Err(Error::Full { path: self.path.clone() }.into());
        }
        self.check_length()?;
        Ok(ticket)
    }

    /// Changes the size of the map to `size` of its current size; 0 means the size that the file needs.
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

    /// Creates the databases and records their format.
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

    /// Checks that the pages of the databases `names` point to pages within the file. LMDB does not check that, and
    /// would read beyond the file.
    pub(crate) fn check_pages(&self, names: &[&str]) -> Result<(), StorageFailure> {
        let _ticket = self.ticket()?;
        // The transaction keeps writers from overwriting the pages that are checked.
        let _txn = self.env.read_txn()?;
        pages::check_trees(&self.env.try_clone_inner_file()?, names)
    }

    /// Checks that the file has this format, as far as its upper pages show.
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

    /// Whether `file` is the mapped file, and not another file that has taken its name.
    fn is_of(&self, file: &Path) -> bool {
        let mapped = self.env.try_clone_inner_file().ok().and_then(|file| identity(&file));
        let named = File::open(file).ok().and_then(|file| identity(&file));
        mapped.is_some() && mapped == named
    }
}

/// Opens LMDB with the largest map up to `map_bytes` that the process can get.
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
            // SAFETY: one flag only removes the right to write. The other one removes the entry in the reader table:
            // `ReadTransaction::check_unwritten` then detects pages that a writer has overwritten.
            unsafe { options.flags(EnvFlags::READ_ONLY | locks) };
        }
        // SAFETY: the map is a file that other processes change through LMDB alone, whose locks keep what a transaction
        // reads as it is. The directory is the user's own, and its files were looked through before.
        match unsafe { options.open(path) } {
            Err(heed::Error::Io(error)) if error.kind() == io::ErrorKind::OutOfMemory && bytes / 2 >= LEAST_MAP => {
                bytes = (bytes / 2).next_multiple_of(page);
            }
            Err(heed::Error::Mdb(MdbError::Invalid)) => {
                return Err(StorageFailure::Damaged(format!("`{FILE}` is not a file of LMDB")));
            }
            opened => return Ok(opened?),
        }
    }
}

/// Address space for a map, in bytes. LMDB itself takes more if the file is larger.
#[cfg(target_os = "linux")]
fn most_map_bytes() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    limit.map_or(u64::MAX, |limit| (limit / PARTS_OF_ADDRESSES).max(LEAST_MAP as u64))
}

/// Address space for a map, in bytes; [`map`] tries how much the process can get.
#[cfg(not(target_os = "linux"))]
fn most_map_bytes() -> u64 {
    u64::MAX
}

/// Allocates disk space for the reader table. LMDB extends that file without allocating space and writes to it through
/// memory, which kills the process if the disk is full.
#[cfg(target_os = "linux")]
fn reserve_locks(locks: &Path) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    /// Sizes of one reader, and of the header before the readers (`MDB_reader` and `MDB_txninfo` in LMDB's mdb.c).
    const LINE_BYTES: u64 = 64;
    let file = table_of_readers().open(locks)?;
    let bytes = LINE_BYTES * (u64::from(MOST_READERS) + 2);
    match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
        // The file system does not support the call.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        reserved => Ok(reserved?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve_locks(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Options to open the reader table; it is created if there is none.
fn table_of_readers() -> fs::OpenOptions {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether this process may not write the reader table; it is created if there is none.
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

/// On other systems a mapped file cannot be replaced.
#[cfg(not(unix))]
fn identity(_file: &File) -> Option<(u64, u64)> {
    Some((0, 0))
}

/// Counts the open transactions of this process and offers exclusive access: a map may be resized only while there are
/// none.
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

    /// Runs `alone` while no transaction is open, and prevents new ones meanwhile; `None` if one was still open after
    /// `patience`.
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
