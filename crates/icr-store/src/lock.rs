//! One writer per store, across processes.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::Error;
use crate::entries::remove_misplaced;
use crate::small_file::open_ordinary;

/// Held while a store is written. It is an advisory lock on the file `lock`; the kernel releases it when the process
/// ends, even after a crash.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock of the store in `directory` if nobody holds it.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] when somebody does; [`Error::ReadOnly`] when the lock file cannot be made.
    pub fn try_acquire(directory: &Path) -> Result<Self, Error> {
        let file = open(directory)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy),
            Err(TryLockError::Error(source)) => Err(Error::from_io("locking", directory, source)),
        }
    }

    /// Takes the lock; waits until it is free.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`] when the lock file cannot be made.
    pub fn acquire(directory: &Path) -> Result<Self, Error> {
        let file = open(directory)?;
        file.lock().map_err(|source| Error::from_io("locking", directory, source))?;
        Ok(Self { file })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closing the file may not release the lock at once: a process that another thread is just starting holds a
        // copy of the file until it executes its own program. If unlocking fails here, the kernel unlocks then.
        let _ = self.file.unlock();
    }
}

/// Whether [`open`] would succeed. Creates no file.
pub(crate) fn can_open(directory: &Path) -> bool {
    let path = directory.join("lock");
    match std::fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => open_ordinary(File::options().write(true), &path).is_ok(),
        // The file must be created, or something in its place removed first.
        _ => is_writable_directory(directory),
    }
}

#[cfg(unix)]
fn is_writable_directory(directory: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, directory, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
fn is_writable_directory(directory: &Path) -> bool {
    std::fs::metadata(directory).is_ok_and(|metadata| metadata.is_dir() && !metadata.permissions().readonly())
}

/// The lock file, created if necessary, not locked yet. Anything in its place that is not a file is removed, since
/// nobody can hold the lock on it.
pub(crate) fn open(directory: &Path) -> Result<File, Error> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let path = directory.join("lock");
    let opened = match open_ordinary(&mut options, &path) {
        Err(error) => match std::fs::symlink_metadata(&path) {
            // A directory is removed only if it is empty.
            Ok(metadata) if metadata.is_dir() => {
                std::fs::remove_dir(&path).and_then(|()| open_ordinary(&mut options, &path)).map_err(|_| error)
            }
            Ok(metadata) if !metadata.is_file() => {
                remove_misplaced(directory)?;
                open_ordinary(&mut options, &path)
            }
            _ => Err(error),
        },
        opened => opened,
    };
    opened.map_err(|source| Error::from_io("opening the lock", &path, source))
}
