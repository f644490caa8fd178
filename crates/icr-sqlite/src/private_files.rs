//! Files and directories that only their owner may read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Creates the directory and its missing parents with mode 0700.
///
/// # Errors
///
/// The error of the operating system.
pub fn create_private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Creates an empty file with mode 0600 if there is none. SQLite itself would follow the umask; the files that it puts
/// beside a database get the permissions of the database. An empty file is an empty database.
///
/// An existing file is left as it is, and not even opened: closing it would release the locks that this process holds
/// on it.
///
/// # Errors
///
/// The error of the operating system.
pub fn create_private_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // A symbolic link whose target does not exist yet is followed.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !path.exists() => {
            options.create_new(false).create(true).open(path).map(drop)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// Checks that there is an ordinary file at `path`, directly or behind a link, or nothing: opening a pipe would block
/// forever.
///
/// # Errors
///
/// What there is instead, as a sentence.
pub fn check_ordinary_file(path: &Path) -> Result<(), &'static str> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err("it is a directory"),
        Ok(metadata) if !metadata.is_file() => Err("it is not an ordinary file"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_made_is_for_its_owner_and_what_is_there_stays() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("a/b");
        let path = directory.join("c.db");
        create_private_directory(&directory).unwrap();
        create_private_file(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&home.path().join("a")), mode(&directory), mode(&path)], [0o700, 0o700, 0o600]);
        fs::write(&path, "kept").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        create_private_file(&path).unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), mode(&path)), (&b"kept"[..], 0o444));
    }

    #[test]
    fn a_directory_is_no_ordinary_file_and_nothing_is_in_nobodys_way() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(check_ordinary_file(home.path()), Err("it is a directory"));
        assert_eq!(check_ordinary_file(&home.path().join("absent")), Ok(()));
        #[cfg(unix)]
        assert_eq!(check_ordinary_file(Path::new("/dev/null")), Err("it is not an ordinary file"));
    }
}
