//! Paths below the home directory of icr.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use icr_model::{Digest64, Recipe};

use crate::Error;
use crate::entries::remove_misplaced;
use crate::small_file::{read_small_file, replace_small_file};

/// Largest size of a request, in bytes: Linux allows paths of 4,096 bytes, other systems of 32,768.
const REQUEST_BYTES: u64 = 64 << 10;

/// The directory of one repository below `$ICR_HOME/repos`: one store of derived data for each format, and user data
/// beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryPlace {
    directory: PathBuf,
}

impl RepositoryPlace {
    /// The place of `repo_id` (16 hexadecimal digits) below `home`. Does not access the file system.
    pub fn new(home: &Path, repo_id: &str) -> Self {
        Self { directory: home.join("repos").join(repo_id) }
    }

    /// The directory, which may not exist.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Stores of other formats than `present` whose ledger was not written within `unused`. Their programs were
    /// removed, or have not been run since.
    pub fn abandoned(&self, present: &StorePlace, unused: Duration) -> Vec<StorePlace> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        // A link may lead anywhere, so it is not followed.
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let places = directories.map(|entry| StorePlace::at(entry.path()));
        let is_abandoned = |place: &StorePlace| {
            let written = ["ledger.db", "ledger.db-wal"].map(|name| fs::metadata(place.directory.join(name)));
            let ages = written.into_iter().flatten().map(|file| file.modified().ok()?.elapsed().ok());
            let ages: Vec<_> = ages.collect();
            // A directory without a ledger is not a store, and a time in the future does not count as old.
            place != present && !ages.is_empty() && ages.iter().all(|age| age.is_some_and(|age| age >= unused))
        };
        let mut abandoned: Vec<_> = places.filter(is_abandoned).collect();
        abandoned.sort_by(|a, b| a.directory.cmp(&b.directory));
        abandoned
    }

    /// The store of `format`. Does not access the file system.
    pub fn store(&self, format: Recipe) -> StorePlace {
        let digits = format.to_string();
        StorePlace::at(self.directory.join(&digits[..16]))
    }
}

/// The directory of one store; everything in it is derived.
#[derive(Debug, Clone)]
pub struct StorePlace {
    directory: PathBuf,
    cache_mb: u32,
    is_noted: bool,
}

/// Equal if they are the same directory, whatever their options.
impl PartialEq for StorePlace {
    fn eq(&self, other: &Self) -> bool {
        self.directory == other.directory
    }
}

impl Eq for StorePlace {}

impl StorePlace {
    /// Default page cache of a connection, in MB. The cache never takes more memory than the ledger has bytes.
    pub const CACHE_MB: u32 = 64;

    /// The same place with a page cache of at most `cache_mb` MB.
    #[must_use]
    pub fn with_cache(self, cache_mb: u32) -> Self {
        Self { cache_mb, ..self }
    }

    /// The same place; `is_noted` says whether the store records on disk which files were verified.
    #[must_use]
    pub fn with_notes(self, is_noted: bool) -> Self {
        Self { is_noted, ..self }
    }

    /// Whether the store records on disk which files were verified.
    pub(crate) fn is_noted(&self) -> bool {
        self.is_noted
    }

    /// Page cache of a connection to the ledger, in MB.
    pub fn cache_mb(&self) -> u32 {
        self.cache_mb
    }

    pub(crate) fn at(directory: PathBuf) -> Self {
        Self { directory, cache_mb: Self::CACHE_MB, is_noted: true }
    }

    /// The directory, which may not exist.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The SQLite database of the ledger.
    pub fn ledger(&self) -> PathBuf {
        self.directory.join("ledger.db")
    }

    /// Time of the last write to the ledger or its log; `None` if there is no ledger.
    pub fn written(&self) -> Option<SystemTime> {
        let modified = |name| fs::metadata(self.directory.join(name)).and_then(|metadata| metadata.modified()).ok();
        ["ledger.db", "ledger.db-wal"].into_iter().filter_map(modified).max()
    }

    /// The directory of the postings.
    pub fn lexical(&self) -> PathBuf {
        self.directory.join("lexical")
    }

    /// The directory of the vectors.
    pub fn vectors(&self) -> PathBuf {
        self.directory.join("vectors.lmdb")
    }

    /// The sync requests of processes that found the lock taken.
    pub fn queue(&self) -> SyncQueue {
        SyncQueue { directory: self.directory.join("queue") }
    }

    /// Whether this process could write the store if it got the lock. Changes nothing.
    pub fn is_writable(&self) -> bool {
        crate::lock::can_open(&self.directory)
    }

    /// Creates the directories (0700), and deletes all entries that do not belong into a store: links, pipes, sockets
    /// and devices, and anything in place of a subdirectory. Targets of links are not touched; the directory of the
    /// store may itself be a link.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] or [`Error::Full`] when that is the cause.
    pub fn create(&self) -> Result<(), Error> {
        create_private(&self.directory)?;
        remove_misplaced(&self.directory)?;
        create_private(&self.lexical())?;
        create_private(&self.queue().directory)
    }

    /// Deletes all derived data of this store. The lock file stays, so call it with the lock held.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when a file cannot be deleted.
    pub fn clear(&self) -> Result<(), Error> {
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm", "lexical"] {
            remove(&self.directory.join(name))?;
        }
        self.create()
    }

    /// Deletes the whole store, including the lock file; call it with the lock held.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when a file cannot be deleted.
    pub fn remove(&self) -> Result<(), Error> {
        remove(&self.directory)
    }

    /// The error for an inconsistent store; `reason` describes the inconsistency.
    pub fn damage_error(&self, reason: impl Into<String>) -> Error {
        Error::Damaged { path: self.directory.clone(), reason: reason.into() }
    }

    /// Size of all files below the directory, in bytes.
    pub fn bytes_total(&self) -> u64 {
        bytes_below(&self.directory)
    }
}

/// Sync requests of processes that found the lock taken. One file per worktree, so repeated requests coalesce.
#[derive(Debug, Clone)]
pub struct SyncQueue {
    directory: PathBuf,
}

impl SyncQueue {
    /// Asks the process that holds the lock to sync `worktree` before it ends.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] or [`Error::Full`] when the request cannot be written.
    pub fn request(&self, worktree: &Path) -> Result<(), Error> {
        let bytes = worktree.as_os_str().as_encoded_bytes();
        let path = self.directory.join(format!("{:016x}", Digest64::default().with(bytes).finish()));
        // A process that takes the requests at this moment finds this one complete or not at all.
        replace_small_file(&path, bytes).map_err(|source| Error::from_io("writing the request", &path, source))
    }

    /// Whether there are no requests.
    pub fn is_empty(&self) -> bool {
        self.requests().next().is_none()
    }

    /// Removes and returns all requests; the caller must hold the lock. Unreadable requests are dropped.
    pub fn take(&self) -> Vec<PathBuf> {
        let mut requests: Vec<PathBuf> = self
            .requests()
            .filter_map(|path| {
                let bytes = read_small_file(&path, REQUEST_BYTES);
                fs::remove_file(&path).ok()?;
                path_from_bytes(bytes.ok()?)
            })
            .collect();
        requests.sort();
        requests
    }

    /// Files of completely written requests, which have no extension. If the directory is a link, there are none.
    fn requests(&self) -> impl Iterator<Item = PathBuf> {
        let is_directory = fs::symlink_metadata(&self.directory).is_ok_and(|metadata| metadata.is_dir());
        let entries = is_directory.then(|| fs::read_dir(&self.directory));
        let entries = entries.into_iter().flatten().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_none())
    }
}

#[cfg(unix)]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes)).map(|text: std::ffi::OsString| text.into())
}

#[cfg(not(unix))]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn create_private(directory: &Path) -> Result<(), Error> {
    let created = icr_sqlite::create_private_directory(directory);
    created.map_err(|source| Error::from_io("creating the directory", directory, source))
}

/// Deletes the file or directory at `path`.
fn remove(path: &Path) -> Result<(), Error> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    match if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) } {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::from_io("deleting", path, source)),
        _ => Ok(()),
    }
}

fn bytes_below(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::store;

    #[test]
    fn requests_of_one_worktree_coalesce() {
        let (_home, place) = store();
        let queue = place.queue();
        for worktree in ["/b", "/a", "/b"] {
            queue.request(Path::new(worktree)).unwrap();
        }
        fs::write(place.directory().join("queue/0123456789abcdef.9"), "/half").unwrap();
        assert!(!queue.is_empty());
        assert_eq!(queue.take(), [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert!(queue.is_empty() && queue.take().is_empty(), "what is being written is no request yet");
    }

    #[test]
    fn only_stores_of_other_formats_that_nobody_wrote_lately_are_abandoned() {
        let home = tempfile::tempdir().unwrap();
        let repository = RepositoryPlace::new(home.path(), "0123456789abcdef");
        let [present, old, empty] = [7, 8 << 64, 9 << 64].map(|format| repository.store(Recipe(format)));
        for place in [&present, &old, &empty] {
            place.create().unwrap();
        }
        fs::write(repository.directory().join("pins.db"), "kept by the user").unwrap();
        for place in [&present, &old] {
            fs::write(place.ledger(), "").unwrap();
        }
        assert_eq!(repository.abandoned(&present, Duration::from_secs(60)), []);
        assert_eq!(repository.abandoned(&present, Duration::ZERO), std::slice::from_ref(&old));
        old.remove().unwrap();
        assert!(!old.directory().exists() && repository.directory().join("pins.db").exists());
    }

    #[test]
    fn asking_whether_a_store_can_be_written_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let place = RepositoryPlace::new(home.path(), "0123456789abcdef").store(Recipe(7));
        assert!(!place.is_writable() && !place.directory().exists(), "there is none");
        place.create().unwrap();
        let lock = place.directory().join("lock");
        assert!(place.is_writable() && !lock.exists());
        drop(crate::WriterLock::try_acquire(place.directory()).unwrap());
        assert!(place.is_writable() && lock.exists());
        fs::remove_file(&lock).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::os::unix::fs::symlink("/nowhere", &lock).unwrap();
            assert!(place.is_writable() && lock.is_symlink(), "whoever writes takes it out");
            fs::remove_file(&lock).unwrap();
            fs::set_permissions(place.directory(), fs::Permissions::from_mode(0o500)).unwrap();
            let probe = place.directory().join("probe");
            // root may write anywhere.
            assert_eq!(place.is_writable(), fs::write(probe, "").is_ok());
            fs::set_permissions(place.directory(), fs::Permissions::from_mode(0o700)).unwrap();
        }
    }

    #[test]
    fn clearing_keeps_the_lock_file() {
        let (_home, place) = store();
        let _lock = crate::WriterLock::try_acquire(place.directory()).unwrap();
        fs::write(place.ledger(), "x").unwrap();
        place.clear().unwrap();
        assert!(!place.ledger().exists() && place.lexical().is_dir() && place.directory().join("lock").exists());
    }
}
