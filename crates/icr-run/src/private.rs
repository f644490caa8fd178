//! A private directory for one run, removed afterwards.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

/// Private directory of one run. Only its owner may enter it. Dropping it removes it with everything in it.
#[derive(Debug)]
pub(crate) struct PrivateDirectory {
    path: PathBuf,
    /// Held while the caller is alive.
    #[cfg(unix)]
    _lock: std::os::fd::OwnedFd,
}

/// Prefix of the names of private directories.
pub(crate) const PREFIX: &str = "icr-run-";

/// Names that are tried before the system's answer that a name exists is returned as the error.
const MOST_ATTEMPTS: usize = 16;

impl PrivateDirectory {
    /// A new one in `base`, with empty directories of the `names` in it.
    ///
    /// # Errors
    ///
    /// The system's error if it cannot be made.
    pub(crate) fn new(base: &Path, names: &[&str]) -> io::Result<Self> {
        let base = fs::canonicalize(base)?;
        #[cfg(unix)]
        crate::leftovers::remove_from(&base);
        for _ in 0..MOST_ATTEMPTS {
            let path = base.join(format!("{PREFIX}{:016x}", random()));
            match make(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            #[cfg(unix)]
            let Some(lock) = crate::leftovers::lock(&path) else {
                continue;
            };
            let made = Self {
                path,
                #[cfg(unix)]
                _lock: lock,
            };
            names.iter().try_for_each(|name| make(&made.path.join(name)))?;
            return Ok(made);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes the private directory `path`. No process of its run may be left.
pub(crate) fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_err() {
        flatten(path);
        if let Err(error) = fs::remove_dir_all(path) {
            tracing::warn!(path = %path.display(), %error, "a private directory of a command could not be removed");
        }
    }
}

/// A number that nobody else guesses: the standard library's hash keys are random for each process and map.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(unix)]
fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn make(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Makes everything below `top` removable. The owner gets the rights to all directories. Directories that are too deep
/// for one path or for a process's descriptors are moved up. Every process that could interfere must be gone.
fn flatten(top: &Path) {
    /// Deeper directories are moved up: removing takes a descriptor for each level.
    const MOST_DEPTH: usize = 64;
    /// Longer paths are moved up: systems take 4,096 bytes, and a name has 255 of them.
    const MOST_BYTES: usize = 2_000;
    let mut directories = vec![(top.to_path_buf(), 0)];
    while let Some((directory, depth)) = directories.pop() {
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        // A link to a directory does not count as one.
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let mut path = entry.path();
            open_up(&path);
            let mut path_depth = depth + 1;
            if depth >= MOST_DEPTH || path.as_os_str().len() > MOST_BYTES {
                let moved = top.join(format!("moved-{:016x}", random()));
                if fs::rename(&path, &moved).is_ok() {
                    (path, path_depth) = (moved, 1);
                }
            }
            directories.push((path, path_depth));
        }
    }
}

/// Restores the owner's rights to a directory; a command may have removed them.
#[cfg(unix)]
fn open_up(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::PrivateDirectory;

    #[test]
    fn it_is_gone_whatever_is_in_it() {
        let base = tempfile::tempdir().expect("a directory");
        let outside = base.path().join("outside");
        fs::write(&outside, "stays").expect("a file");
        let private = PrivateDirectory::new(base.path(), &["a", "b"]).expect("a private directory");
        let path = private.path().to_path_buf();
        fs::create_dir_all(path.join("a/deep/er")).expect("directories");
        fs::write(path.join("a/deep/er/file"), "x").expect("a file");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::os::unix::fs::symlink(&outside, path.join("b/link")).expect("a link");
            fs::set_permissions(path.join("a/deep"), fs::Permissions::from_mode(0o000)).expect("rights");
            assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o700);
        }
        drop(private);
        assert!(!path.exists());
        assert_eq!(fs::read_to_string(outside).expect("it is there"), "stays");
    }

    #[cfg(unix)]
    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let base = tempfile::tempdir().expect("a directory");
        let private = PrivateDirectory::new(base.path(), &["a"]).expect("a private directory");
        let path = private.path().to_path_buf();
        // A chain of 64 pieces, each moved into the last one of the one before: longer than a path can be.
        let piece = vec!["d".repeat(200); 10].join("/");
        let mut inner = path.join("a");
        for number in 0..64 {
            let outer = path.join(format!("piece-{number}"));
            fs::create_dir_all(outer.join(&piece)).expect("directories");
            fs::rename(&inner, outer.join(&piece).join("e")).expect("moved");
            inner = outer;
        }
        drop(private);
        assert!(!path.exists());
    }
}
