//! Opens files below a directory without following a link in any component, even if somebody changes the path
//! meanwhile.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// An open directory. Files below it are opened relative to it and nowhere else.
#[derive(Debug)]
pub(crate) struct Root(system::Directory);

impl Root {
    /// Opens the directory `path`. Links in `path` are followed.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        system::directory(path).map(Self)
    }

    /// Opens the ordinary file `path` below the directory. No link is followed, and anything but an ordinary file is
    /// refused, so that reading neither blocks nor runs forever.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for anything but an ordinary file, and for a path that is not relative. For a link
    /// `FilesystemLoop` or `NotADirectory`. Other errors of the system.
    pub(crate) fn file(&self, path: &Path) -> std::io::Result<File> {
        let file = system::file(&self.0, &names(path)?)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(Error::new(ErrorKind::InvalidInput, "not an ordinary file")),
        }
    }
}

/// The components of `path`.
fn names(path: &Path) -> std::io::Result<PathBuf> {
    use std::path::Component;
    let mut names = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(Error::new(ErrorKind::InvalidInput, "not a relative path")),
        }
    }
    Ok(names)
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};

    /// Flags with which a directory on the path is opened.
    const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::RDONLY);
    /// Flags with which the file is opened; without `NONBLOCK` a pipe or a device would block.
    const FILE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);

    pub(super) type Directory = OwnedFd;

    pub(super) fn directory(path: &Path) -> std::io::Result<Directory> {
        Ok(openat(CWD, path, DIRECTORY, Mode::empty())?)
    }

    /// Opens the file at `path`, whose components are all plain names.
    pub(super) fn file(root: &Directory, path: &Path) -> std::io::Result<File> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = at_once(root, path) {
            return opened;
        }
        name_by_name(root, path)
    }

    /// Lets the kernel refuse links; `None` where it cannot, or where a directory on the path has just been moved.
    #[cfg(target_os = "linux")]
    fn at_once(root: &OwnedFd, path: &Path) -> Option<std::io::Result<File>> {
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;
        let no_links = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(root, path, FILE, Mode::empty(), no_links) {
            // A sandbox that does not know the call answers `PERM` or `NOSYS`.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            opened => Some(opened.map(File::from).map_err(Into::into)),
        }
    }

    /// Opens each directory relative to the one before.
    pub(super) fn name_by_name(root: &Directory, path: &Path) -> std::io::Result<File> {
        let mut deepest = None;
        for name in path.parent().into_iter().flatten() {
            let before = deepest.as_ref().unwrap_or(root);
            deepest = Some(openat(before, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?);
        }
        let name = path.file_name().unwrap_or_default();
        Ok(File::from(openat(deepest.as_ref().unwrap_or(root), name, FILE, Mode::empty())?))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;
    use std::path::{Path, PathBuf};

    pub(super) type Directory = PathBuf;

    pub(super) fn directory(path: &Path) -> std::io::Result<Directory> {
        Ok(path.to_owned())
    }

    pub(super) fn file(root: &Directory, path: &Path) -> std::io::Result<File> {
        File::open(root.join(path))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// What is read at `path` in both ways to open it, which agree.
    #[track_caller]
    fn check(root: &Path, path: &str, expected: Result<&str, ()>) {
        let opened = Root::open(root).unwrap();
        let by_name = names(Path::new(path)).and_then(|names| system::name_by_name(&opened.0, &names));
        for opened in [opened.file(Path::new(path)), by_name] {
            let read = opened.and_then(|mut file| {
                let mut text = String::new();
                file.read_to_string(&mut text).map(|_| text)
            });
            assert_eq!(read.as_deref().map_err(|_| ()), expected, "{path}");
        }
    }

    #[test]
    fn files_are_read_and_links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::write(outside.path().join("f"), "secret").unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("d/f"), "text").unwrap();
        symlink("f", root.join("d/link")).unwrap();
        symlink("d", root.join("inner")).unwrap();
        symlink(outside.path(), root.join("outer")).unwrap();
        symlink(root, outside.path().join("root")).unwrap();
        check(root, "d/f", Ok("text"));
        check(root, "./d/f", Ok("text"));
        check(&outside.path().join("root"), "d/f", Ok("text"));
        let up = format!("../{}/f", outside.path().file_name().unwrap().display());
        for path in ["d/link", "inner/f", "outer/f", "d", "absent", "d/f/g", "", "/etc/passwd", &up, "d/../d/f"] {
            check(root, path, Err(()));
        }
    }

    #[test]
    fn a_directory_that_becomes_a_link_meanwhile_leads_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::write(outside.path().join("f"), "secret").unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/f"), "text").unwrap();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    std::fs::rename(root.join("real"), root.join("d")).unwrap();
                    std::fs::rename(root.join("d"), root.join("real")).unwrap();
                    symlink(outside.path(), root.join("d")).unwrap();
                    std::fs::remove_file(root.join("d")).unwrap();
                }
            });
            let mut read = 0;
            let opened = Root::open(root).unwrap();
            let mut tried = 0;
            // On a busy machine the other thread may rest for long where there is no file.
            while tried < 20_000 || read == 0 && tried < 5_000_000 {
                tried += 1;
                let Ok(mut file) = opened.file(Path::new("d/f")) else { continue };
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                assert_eq!(text, "text");
                read += 1;
            }
            ended.store(true, Ordering::Relaxed);
            assert!(read > 0, "the file was never there");
        });
    }
}
