//! A lock that allows one watcher per store.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::Error;

/// Held by the process that watches. It is an advisory lock, which the kernel releases when the process ends, even
/// after a crash.
#[derive(Debug)]
pub struct WatchLock {
    _file: File,
}

impl WatchLock {
    /// Takes the lock on the file at `path`, whose directory exists, for the worktree at `root`.
    ///
    /// # Errors
    ///
    /// [`Error::Taken`] when another process has it; [`Error::Io`] when the file cannot be made.
    pub fn take(path: &Path, root: &Path) -> Result<Self, Error> {
        let failed = |doing| move |source| Error::Io { doing, path: path.to_owned(), source };
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed("opening the lock"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Taken { lock: path.to_owned(), who: holder(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(failed("locking")(source)),
        }
        let text = format!("process {} in `{}`", std::process::id(), root.display());
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed("writing"))?;
        file.write_all(text.as_bytes()).map_err(failed("writing"))?;
        Ok(Self { _file: file })
    }
}

/// The text that the holder wrote, in one line of bounded length.
fn holder(file: &mut File) -> String {
    const MOST_BYTES: u64 = 1024;
    let mut text = Vec::new();
    // The text is only informative, so errors are ignored.
    let _ = file.take(MOST_BYTES).read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).replace(|character: char| character.is_control(), " ");
    if text.is_empty() { "another process".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_was_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("watch.lock");
        let first = WatchLock::take(&path, Path::new("/repository")).unwrap();
        let message = WatchLock::take(&path, Path::new("/other")).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("process {} in `/repository` is watching already", std::process::id())),
            "{message}"
        );
        assert!(message.contains(&path.display().to_string()), "{message}");
        drop(first);
        WatchLock::take(&path, Path::new("/a")).unwrap();
    }
}
