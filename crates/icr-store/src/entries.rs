//! Checks of the files in a store's directory. Others who can write there may replace a file by a link, which would
//! redirect a write, or by a pipe, which would block whoever opens it.

use std::fs::{self, File, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, StorePlace};

/// Subdirectories of a store.
const DIRECTORIES: [&str; 4] = ["filling", "lexical", "queue", "vectors.lmdb"];

/// Files that SQLite opens for the ledger.
const LEDGER_FILES: [&str; 4] = ["ledger.db", "ledger.db-journal", "ledger.db-shm", "ledger.db-wal"];

/// Files that tantivy reads into memory whole.
const FILES_READ_WHOLE: [&str; 2] = [".managed.json", "meta.json"];

/// Largest size of such a file, in bytes: some hundred segments take a kilobyte each.
const FILE_BYTES: u64 = 16 << 20;

impl StorePlace {
    /// Checks that the paths where SQLite opens the ledger are ordinary files. The directory of the store may be a
    /// link.
    ///
    /// Cost: the metadata of four files.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the offending entry.
    pub(crate) fn check_ledger_files(&self) -> Result<(), Error> {
        for name in LEDGER_FILES {
            let path = self.directory().join(name);
            if let Ok(metadata) = fs::symlink_metadata(&path)
                && !metadata.is_file()
            {
                return Err(self.misplaced_entry_error(&path, metadata.file_type()));
            }
        }
        Ok(())
    }

    /// Checks that `name` in the store is a directory or does not exist, and that it contains no link, pipe, socket or
    /// device, and no file that is too large to be read whole. Call it before anything in it is opened.
    ///
    /// Cost: one listing of the directory.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the offending entry.
    pub fn check_entries(&self, name: &str) -> Result<(), Error> {
        let directory = self.directory().join(name);
        match fs::symlink_metadata(&directory) {
            Ok(metadata) if !metadata.is_dir() => {
                return Err(self.misplaced_entry_error(&directory, metadata.file_type()));
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
        if let Some((path, kind)) = misplaced_in(&directory, &[]).into_iter().next() {
            return Err(self.misplaced_entry_error(&path, kind));
        }
        for file in FILES_READ_WHOLE.map(|file| directory.join(file)) {
            if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.len() > FILE_BYTES) {
                return Err(self.damage_error(format!("`{}` is larger than {} MiB", file.display(), FILE_BYTES >> 20)));
            }
        }
        Ok(())
    }

    fn misplaced_entry_error(&self, path: &Path, kind: FileType) -> Error {
        self.damage_error(format!("`{}` is {}", path.display(), name_of(kind)))
    }
}

/// Deletes all entries that do not belong into the `directory` of a store: links, pipes, sockets and devices, and
/// anything but a directory in place of a subdirectory. Targets of links are not touched.
///
/// Cost: one listing of each of five directories.
///
/// # Errors
///
/// [`Error::ReadOnly`] or [`Error::Io`] when something cannot be deleted.
pub(crate) fn remove_misplaced(directory: &Path) -> Result<(), Error> {
    if misplaced_below(directory).is_empty() {
        return Ok(());
    }
    // Only one process at a time may do this: an entry that another process has just made in place of a link must stay.
    // If the directory cannot be locked, the worst result is that the store is derived again.
    let alone = File::open(directory).and_then(|directory| directory.lock().map(|()| directory));
    for path in misplaced_below(directory) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::from_io("deleting", &path, source));
            }
            _ => {}
        }
    }
    drop(alone);
    Ok(())
}

fn misplaced_below(directory: &Path) -> Vec<PathBuf> {
    let mut misplaced = misplaced_in(directory, &DIRECTORIES);
    for directory in DIRECTORIES.map(|name| directory.join(name)) {
        // A link to a directory is found in the listing above; it is not followed.
        if fs::symlink_metadata(&directory).is_ok_and(|metadata| metadata.is_dir()) {
            misplaced.extend(misplaced_in(&directory, &[]));
        }
    }
    misplaced.into_iter().map(|(path, _)| path).collect()
}

/// Entries of `directory` that are neither files nor directories, and entries named as one of `directories` that are no
/// directories.
fn misplaced_in(directory: &Path, directories: &[&str]) -> Vec<(PathBuf, FileType)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let kinds = entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)));
    let is_misplaced = |(path, kind): &(PathBuf, FileType)| {
        let is_directory = directories.iter().any(|name| path.ends_with(name));
        !kind.is_dir() && (is_directory || !kind.is_file())
    };
    kinds.filter(is_misplaced).collect()
}

/// The kind of file, as error messages name it.
fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    match kind {
        _ if kind.is_symlink() => "a link",
        _ if kind.is_dir() => "a directory",
        _ if kind.is_file() => "a file",
        _ => "a device",
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use tempfile::TempDir;

    use super::*;
    use crate::{Access, Ledger, WriterLock};

    /// A store, and a directory with a file of somebody in it.
    struct World {
        home: TempDir,
        place: StorePlace,
    }

    impl World {
        fn new() -> Self {
            let (home, place) = crate::testing::store();
            drop(Ledger::open(&place, Access::Write).unwrap());
            fs::create_dir(home.path().join("other")).unwrap();
            fs::write(home.path().join("other/file"), "of somebody").unwrap();
            Self { home, place }
        }

        /// Puts what `kind` says in the place of the entry `name`.
        fn plant(&self, name: &str, kind: &str) {
            let path = self.place.directory().join(name);
            let _ = fs::remove_file(&path);
            let _ = fs::remove_dir_all(&path);
            match kind {
                "a pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                "a socket" => mknodat(CWD, &path, FileType::Socket, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                target => symlink(self.home.path().join(target), &path).unwrap(),
            }
        }

        #[track_caller]
        fn assert_others_untouched(&self, when: &str) {
            let other = self.home.path().join("other");
            assert_eq!(fs::read(other.join("file")).unwrap(), b"of somebody", "{when}");
            assert_eq!(fs::read_dir(other).unwrap().count(), 1, "{when}");
        }
    }

    #[test]
    fn a_ledger_is_opened_where_ordinary_files_lie() {
        for name in LEDGER_FILES {
            for (kind, expected) in
                [("a pipe", "a pipe"), ("a socket", "a socket"), ("other/file", "a link"), ("/dev/zero", "a link")]
            {
                let world = World::new();
                world.plant(name, kind);
                let path = world.place.directory().join(name);
                let expected = format!("`{}` is {expected}", path.display());
                for access in [Access::Read, Access::Write] {
                    let error = Ledger::open(&world.place, access).unwrap_err();
                    assert!(matches!(&error, Error::Damaged { reason, .. } if *reason == expected), "{error}");
                }
                world.assert_others_untouched(name);
                world.place.create().unwrap();
                Ledger::open(&world.place, Access::Write).unwrap();
                world.assert_others_untouched(name);
            }
        }
    }

    #[test]
    fn a_store_behind_a_link_of_the_user_is_opened() {
        let world = World::new();
        let elsewhere = world.home.path().join("elsewhere");
        fs::rename(world.place.directory(), &elsewhere).unwrap();
        symlink(&elsewhere, world.place.directory()).unwrap();
        world.place.create().unwrap();
        Ledger::open(&world.place, Access::Write).unwrap();
    }

    #[test]
    fn links_in_a_directory_and_files_too_large_to_be_read_whole_are_named() {
        let said = |prepare: &dyn Fn(&World)| {
            let world = World::new();
            prepare(&world);
            let checked = world.place.check_entries("lexical");
            let said = checked.err().map(|error| error.to_string()).unwrap_or_default();
            said.replace(&world.place.directory().display().to_string(), "$STORE")
        };
        assert_eq!(said(&|_| ()), "");
        assert_eq!(said(&|world| fs::write(world.place.lexical().join("meta.json"), "{}").unwrap()), "");
        assert_eq!(said(&|world| fs::remove_dir(world.place.lexical()).unwrap()), "");
        let damaged = |reason: &str| format!("the store in `$STORE` is damaged: {reason}");
        assert_eq!(said(&|world| world.plant("lexical", "other")), damaged("`$STORE/lexical` is a link"));
        let meta = "lexical/meta.json";
        assert_eq!(said(&|world| world.plant(meta, "/dev/zero")), damaged("`$STORE/lexical/meta.json` is a link"));
        assert_eq!(said(&|world| world.plant(meta, "a pipe")), damaged("`$STORE/lexical/meta.json` is a pipe"));
        let large = |world: &World| {
            File::create(world.place.directory().join(meta)).and_then(|file| file.set_len(FILE_BYTES + 1)).unwrap();
        };
        assert_eq!(said(&large), damaged("`$STORE/lexical/meta.json` is larger than 16 MiB"));
    }

    #[test]
    fn what_no_store_has_is_taken_out_and_nothing_behind_it() {
        let names = [
            "lexical",
            "lexical/meta.json",
            "queue",
            "queue/0123456789abcdef",
            "filling",
            "vectors.lmdb",
            "verified-vectors",
        ];
        for name in names {
            for kind in ["other", "other/file", "nowhere", "/dev/zero", "a pipe", "a socket"] {
                let world = World::new();
                world.plant(name, kind);
                world.place.create().unwrap();
                let entry = fs::symlink_metadata(world.place.directory().join(name));
                assert!(entry.is_err() || entry.is_ok_and(|entry| entry.is_dir()), "{name}: {kind}");
                world.assert_others_untouched(name);
            }
        }
    }

    #[test]
    fn requests_are_files_of_the_queue() {
        let world = World::new();
        world.plant("queue", "other");
        assert!(world.place.queue().is_empty() && world.place.queue().take().is_empty());
        world.assert_others_untouched("a link to a directory");
        world.place.create().unwrap();
        world.place.queue().request(Path::new("/worktree")).unwrap();
        for (name, kind) in [("1", "other/file"), ("2", "/dev/zero"), ("3", "a pipe")] {
            world.plant(&format!("queue/{name}"), kind);
        }
        assert_eq!(world.place.queue().take(), [PathBuf::from("/worktree")]);
        assert!(world.place.queue().is_empty(), "what is no request is taken out as well");
        world.assert_others_untouched("links to files");
    }

    #[test]
    fn the_lock_is_never_taken_on_what_a_link_leads_to() {
        for kind in ["other/file", "other/new", "/dev/zero", "a pipe", "a socket"] {
            let world = World::new();
            world.plant("lock", kind);
            let lock = WriterLock::try_acquire(world.place.directory()).unwrap();
            assert!(fs::symlink_metadata(world.place.directory().join("lock")).unwrap().is_file(), "{kind}");
            assert!(matches!(WriterLock::try_acquire(world.place.directory()), Err(Error::Busy)), "{kind}");
            world.assert_others_untouched(kind);
            drop(lock);
        }
    }
}
