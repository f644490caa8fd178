//! Private directories of runs whose caller was killed: the next run removes them.
//!
//! The owner of a private directory holds a lock on it. The system releases the lock when the owner dies.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, fstat};

use crate::private::{self, PREFIX};

/// Most directories that one run removes, so that a run does not wait for the leftovers of many others.
const MOST_REMOVED: usize = 4;

/// Entries that are looked at: a directory for temporary files may have very many.
const MOST_LOOKED_AT: usize = 10_000;

/// The lock on this user's directory `path`; `None` if another process holds it, or if `path` is no longer that
/// directory.
pub(crate) fn lock(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let directory = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    rustix::fs::flock(&directory, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Another run may have removed it as a leftover before it was locked.
    let (locked, there) = (fstat(&directory).ok()?, fs::symlink_metadata(path).ok()?);
    let is_same = (locked.st_dev, locked.st_ino) == (there.dev(), there.ino());
    (is_same && locked.st_uid == rustix::process::geteuid().as_raw()).then_some(directory)
}

/// Removes some of this user's private directories in `base` whose owners are dead.
pub(crate) fn remove_from(base: &Path) {
    let entries = fs::read_dir(base).into_iter().flatten().flatten().take(MOST_LOOKED_AT);
    let ours = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let leftovers = ours.filter_map(|entry| Some((lock(&entry.path())?, entry.path())));
    for (_lock, path) in leftovers.take(MOST_REMOVED) {
        private::remove(&path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::private::PrivateDirectory;

    #[test]
    fn what_a_dead_caller_left_is_removed_and_nothing_else() {
        let base = tempfile::tempdir().expect("a directory");
        let base = base.path();
        let alive = PrivateDirectory::new(base, &["a"]).expect("a private directory");
        fs::create_dir_all(base.join("icr-run-dead/a/b")).expect("a directory");
        fs::create_dir_all(base.join("other/a")).expect("a directory");
        symlink(base.join("other"), base.join("icr-run-link")).expect("a link");
        fs::write(base.join("icr-run-file"), "").expect("a file");
        let second = PrivateDirectory::new(base, &[]).expect("a private directory");
        assert!(!base.join("icr-run-dead").exists());
        assert!(base.join("other/a").exists() && base.join("icr-run-link").is_symlink());
        assert!(base.join("icr-run-file").exists());
        assert!(alive.path().join("a").exists() && second.path().exists());
    }
}
