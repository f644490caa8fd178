//! Small files of a store, read whole and replaced whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// The bytes of the file at `path`, which must be an ordinary file of at most `most_bytes`. Links are not followed, and
/// a pipe does not block.
///
/// # Errors
///
/// `InvalidInput` for anything but an ordinary file, `FileTooLarge` for a larger one; other errors of the system.
pub fn read_small_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_ordinary(File::options().read(true), path)?.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Atomically replaces the file at `path` by one with `bytes`; a directory is not replaced. A link is replaced, not
/// followed.
///
/// # Errors
///
/// Errors of the system; the old file then still exists.
pub fn replace_small_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
    // Left by an earlier process with the same id that ended before it was done.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Fails if anything exists there, also a link.
    let written = File::create_new(&beside).and_then(|mut file| file.write_all(bytes));
    let replaced = written.and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&beside);
    }
    replaced
}

/// Opens the ordinary file at `path` with `options`. Links are not followed, and a pipe does not block.
///
/// # Errors
///
/// `InvalidInput` for anything but an ordinary file; other errors of the system.
pub(crate) fn open_ordinary(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags);
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not an ordinary file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list");
        assert_eq!(read_small_file(&path, 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        replace_small_file(&path, b"one").unwrap();
        assert_eq!(read_small_file(&path, 3).unwrap(), b"one");
        replace_small_file(&path, b"four").unwrap();
        assert_eq!(read_small_file(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_read_nor_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let [path, target] = ["list", "target"].map(|name| directory.path().join(name));
        fs::write(&target, "of somebody").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(read_small_file(&path, 99).is_err());
        assert!(read_small_file(Path::new("/dev/zero"), 99).is_err());
        let beside = path.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
        std::os::unix::fs::symlink(&target, beside).unwrap();
        replace_small_file(&path, b"new").unwrap();
        assert_eq!(read_small_file(&path, 99).unwrap(), b"new");
        assert_eq!(fs::read(&target).unwrap(), b"of somebody");
    }
}
