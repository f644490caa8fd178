//! Small files of a clone that configure how icr reads it. A clone is not trusted: in place of such a file it may have
//! a link, a pipe or a device.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use icr_model::RepoPath;

use crate::Error;
use crate::contained_file::Root;

/// Largest such file that is read, in bytes: some ten thousand lines; people write a few dozen.
pub const MAX_CLONE_FILE_BYTES: u64 = 1 << 20;

/// The bytes of the file `path` below `root`, components separated by `/`; `None` if there is none. No link below
/// `root` is followed, and only an ordinary file is read, so that reading neither blocks nor runs forever.
///
/// # Errors
///
/// [`Error::Refused`] for a link and for anything but an ordinary file; [`Error::Oversize`] above
/// [`MAX_CLONE_FILE_BYTES`]; [`Error::Io`] when the system refuses.
pub fn read_clone_file(root: &Path, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let (mut place, mut names) = (PathBuf::from(root), path.split('/').peekable());
    while let Some(name) = names.next() {
        place.push(name);
        let metadata = match std::fs::symlink_metadata(&place) {
            Err(error) if is_absence(&error) => return Ok(None),
            metadata => metadata.map_err(|source| Error::Io { path: place.clone(), source })?,
        };
        let reason = match names.peek() {
            _ if metadata.is_symlink() => "it is a link, or lies behind one",
            Some(_) if metadata.is_dir() => continue,
            Some(_) => return Ok(None),
            None if metadata.is_file() => continue,
            None => "it is not an ordinary file",
        };
        return Err(Error::Refused { path: RepoPath::from(path), reason });
    }
    let failed = |source| Error::Io { path: place.clone(), source };
    let mut bytes = Vec::new();
    let file = Root::open(root).and_then(|root| root.file(Path::new(path))).map_err(failed)?;
    file.take(MAX_CLONE_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_CLONE_FILE_BYTES {
        return Err(Error::Oversize { path: RepoPath::from(path), max_bytes: MAX_CLONE_FILE_BYTES });
    }
    Ok(Some(bytes))
}

/// Opens a path that was an ordinary file a moment ago. It may have been replaced by a link or by a pipe, which would
/// block.
///
/// # Errors
///
/// `InvalidInput` for anything but an ordinary file; other errors of the system.
pub(crate) fn open_ordinary(place: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(place)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::new(ErrorKind::InvalidInput, "not an ordinary file")),
    }
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prepare: impl FnOnce(&Path), path: &str, expected: &str) {
        let directory = tempfile::tempdir().expect("a directory can be made");
        prepare(directory.path());
        let read = match read_clone_file(directory.path(), path) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(bytes)) => format!("{} bytes", bytes.len()),
            Err(error) => error.to_string(),
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn ordinary_files_are_read_and_absent_ones_are_nothing() {
        check(|_| (), "a", "nothing");
        check(|_| (), "d/a", "nothing");
        check(|root| std::fs::write(root.join("d"), "12").unwrap(), "d/a", "nothing");
        check(|root| std::fs::write(root.join("a"), "12").unwrap(), "a", "2 bytes");
    }

    #[test]
    fn a_file_has_a_size_to_which_it_is_read() {
        let most = usize::try_from(MAX_CLONE_FILE_BYTES).unwrap();
        check(|root| std::fs::write(root.join("a"), vec![b'#'; most]).unwrap(), "a", "1048576 bytes");
        check(
            |root| std::fs::write(root.join("a"), vec![b'#'; most + 1]).unwrap(),
            "a",
            "`a` has more than 1048576 bytes",
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_devices_and_directories_are_not_read() {
        use std::os::unix::fs::symlink;
        let link = "`d/a` cannot be read from the worktree: it is a link, or lies behind one";
        for target in ["/dev/zero", "/etc/passwd", "nowhere"] {
            check(
                |root| {
                    std::fs::create_dir(root.join("d")).unwrap();
                    symlink(target, root.join("d/a")).unwrap();
                },
                "d/a",
                link,
            );
        }
        check(|root| symlink("/etc", root.join("d")).unwrap(), "d/a", link);
        let special = "`a` cannot be read from the worktree: it is not an ordinary file";
        check(|root| std::fs::create_dir(root.join("a")).unwrap(), "a", special);
        check(
            |root| {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, root.join("a"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
            },
            "a",
            special,
        );
    }
}
