//! Errors of postings, and how tantivy's errors map to them.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

/// Why postings could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no index at the path; [`crate::Lexical::create`] makes one.
    #[error("no postings at `{}`", .path.display())]
    Missing {
        /// The directory that was to be opened.
        path: PathBuf,
    },
    /// There is an index already where one was to be created.
    #[error("postings exist already at `{}`", .path.display())]
    Exists {
        /// The directory that was to be created.
        path: PathBuf,
    },
    /// Another writer, in this process or another, has locked the index.
    #[error("another process is writing the postings")]
    Busy,
    /// The files are not as this program wrote them. Postings are derived: remove the directory and index again.
    #[error("the postings at `{}` are damaged: {reason}", .path.display())]
    Damaged {
        /// Directory of the index; `(memory)` for one in memory.
        path: PathBuf,
        /// What is wrong, as a message for users.
        reason: String,
    },
    /// The disk or quota is full, or the file may not grow further.
    #[error("nothing more can be written to the postings at `{}`", .path.display())]
    Full {
        /// Directory of the index.
        path: PathBuf,
    },
    /// A call of the file system or of the machine failed.
    #[error("{doing}")]
    Internal {
        /// The operation that failed.
        doing: &'static str,
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Maps `error` to a variant for the index at `path`; it occurred while `doing`.
    pub(crate) fn from_tantivy(error: TantivyError, path: &Path, doing: &'static str) -> Self {
        match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => Self::Busy,
            TantivyError::IndexAlreadyExists => Self::Exists { path: path.into() },
            TantivyError::OpenDirectoryError(
                OpenDirectoryError::DoesNotExist(_) | OpenDirectoryError::NotADirectory(_),
            ) => Self::Missing { path: path.into() },
            error if is_full(&error) => Self::Full { path: path.into() },
            error if is_damage(&error) => {
                Self::Damaged { path: path.into(), reason: reason_excerpt(&error.to_string()) }
            }
            error => Self::Internal { doing, source: reason(error) },
        }
    }
}

/// The cause as a message for users: tantivy shows wrapped errors in a form for programmers.
fn reason(error: TantivyError) -> Box<dyn std::error::Error + Send + Sync> {
    let number = match &error {
        TantivyError::IoError(error) => number_of(error),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. })
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => number_of(io_error),
        TantivyError::InternalError(text) | TantivyError::ErrorInThread(text) => number_in(text),
        _ => None,
    };
    match (number, error) {
        (Some(number), _) => io::Error::from_raw_os_error(number).into(),
        // The thread ended without passing on the cause.
        (None, TantivyError::ErrorInThread(_)) => {
            "a thread that writes them has ended, which it does when the system refuses it something".into()
        }
        (None, error) => error.into(),
    }
}

/// The system's error number, also from a wrapped error.
fn number_of(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| number_in(&error.to_string()))
}

/// Runs `read`, which reads files of the index at `path`.
///
/// tantivy verifies checksums only on request, and some damage inside a file makes it assert or index out of bounds.
/// Such a panic becomes [`Error::Damaged`], after the panic hook has reported it. It leaves nothing half done: a read
/// changes only caches, and a cache entry is either complete or absent.
pub(crate) fn reading<T>(
    path: &Path,
    doing: &'static str,
    read: impl FnOnce() -> Result<T, TantivyError>,
) -> Result<T, Error> {
    match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| Error::from_tantivy(error, path, doing)),
        Err(_) => Err(Error::Damaged { path: path.into(), reason: format!("the reader gave up while {doing}") }),
    }
}

/// A reason for users, without control characters and of limited length, since a damaged file may contain anything.
fn reason_excerpt(reason: &str) -> String {
    const CHARACTERS: usize = 200;
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARACTERS).collect()
}

fn is_full(error: &TantivyError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut kinds = std::iter::from_fn(|| {
        let this = cause?;
        cause = this.source();
        Some(this.downcast_ref::<io::Error>().map(kind_of))
    });
    let direct = match error {
        TantivyError::IoError(error) => Some(kind_of(error)),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => Some(kind_of(io_error)),
        TantivyError::InternalError(text) | TantivyError::ErrorInThread(text) => kind_in(text),
        _ => None,
    };
    let is_full =
        |kind| matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge);
    direct.is_some_and(is_full) || kinds.any(|kind| kind.is_some_and(is_full))
}

/// The kind of the system's error, also if tantivy wraps it in an error without a kind.
fn kind_of(error: &io::Error) -> io::ErrorKind {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    match inner {
        Some(inner) => kind_of(inner),
        // Some errors are passed on only as text.
        None if error.kind() == io::ErrorKind::Other => kind_in(&error.to_string()).unwrap_or(io::ErrorKind::Other),
        None => error.kind(),
    }
}

/// The kind of the system's error that a text quotes, as in `No space left on device (os error 28)`.
fn kind_in(text: &str) -> Option<io::ErrorKind> {
    number_in(text).map(|number| io::Error::from_raw_os_error(number).kind())
}

/// The error number that a text quotes.
fn number_in(text: &str) -> Option<i32> {
    let (_, number) = text.rsplit_once("(os error ")?;
    number.split_once(')')?.0.parse().ok()
}

fn is_damage(error: &TantivyError) -> bool {
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::FieldNotFound(_)
        | TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_)) => true,
        TantivyError::IoError(error) => is_damaged_content(error),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => is_damaged_content(io_error),
        _ => false,
    }
}

/// Error kinds that mean damage: those that the readers of the footer, the dictionary and the columns return for
/// invalid bytes, and that of the system for a directory in place of a file. Errors of the system never have the kind
/// `Other`.
fn is_damaged_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, IsADirectory, NotADirectory, Other, UnexpectedEof};
    // A library may wrap the system's error; then only the text contains its number.
    let kind = number_of(error).map_or(error.kind(), |number| io::Error::from_raw_os_error(number).kind());
    matches!(kind, InvalidData | UnexpectedEof | Other | IsADirectory | NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::io::{BufWriter, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use icr_model::{BlobNo, ChunkNo};
    use tantivy::Index;
    use tantivy::directory::error::DeleteError;
    use tantivy::directory::{
        AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, RamDirectory, TerminatingWrite, WatchCallback,
        WatchHandle, WritePtr,
    };

    use super::*;
    use crate::document::ChunkDocument;
    use crate::index::{HighWaterMark, settings};
    use crate::schema::{schema, tokenizers};
    use crate::writer::{LexicalWriter, Merging, WriterOptions};

    /// A disk that takes so many bytes more, and then says what the system says under a number.
    #[derive(Debug, Clone)]
    struct Disk {
        files: RamDirectory,
        left: Arc<AtomicUsize>,
        number: i32,
    }

    impl Disk {
        fn take(&self, bytes: usize) -> io::Result<()> {
            let left = self.left.load(Ordering::Relaxed).checked_sub(bytes);
            let left = left.ok_or_else(|| io::Error::from_raw_os_error(self.number))?;
            self.left.store(left, Ordering::Relaxed);
            Ok(())
        }
    }

    impl Directory for Disk {
        fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
            self.files.get_file_handle(path)
        }

        fn delete(&self, path: &Path) -> Result<(), DeleteError> {
            self.files.delete(path)
        }

        fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
            self.files.exists(path)
        }

        fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
            let file = DiskFile { file: self.files.open_write(path)?, disk: self.clone() };
            Ok(BufWriter::new(Box::new(file)))
        }

        fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
            self.files.atomic_read(path)
        }

        fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
            self.take(data.len())?;
            self.files.atomic_write(path, data)
        }

        fn sync_directory(&self) -> io::Result<()> {
            self.files.sync_directory()
        }

        fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
            self.files.acquire_lock(lock)
        }

        fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
            self.files.watch(callback)
        }
    }

    struct DiskFile {
        file: WritePtr,
        disk: Disk,
    }

    impl Write for DiskFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.disk.take(bytes.len())?;
            self.file.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.file.flush()
        }
    }

    impl TerminatingWrite for DiskFile {
        fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
            self.file.terminate_ref(token)
        }
    }

    /// What a commit of a chunk comes to on a disk that takes `left` bytes, and then refuses with `number`.
    fn commit(left: usize, number: i32) -> Result<(), Error> {
        let disk = Disk { files: RamDirectory::create(), left: Arc::new(AtomicUsize::new(usize::MAX)), number };
        let (schema, fields) = schema();
        let index = Index::builder().schema(schema).settings(settings()).tokenizers(tokenizers());
        let index = index.open_or_create(disk.clone()).expect("there is room for an index");
        let options = WriterOptions { memory_bytes: 0, threads: 1, merging: Merging::Never };
        let mut writer = LexicalWriter::open(Path::new("postings"), &index, fields, options)?;
        disk.left.store(left, Ordering::Relaxed);
        let body = b"open file and close file";
        writer.add_chunk(&ChunkDocument { body, ..ChunkDocument::new(ChunkNo(0), BlobNo(0)) })?;
        writer.commit(HighWaterMark::default())
    }

    #[test]
    fn what_the_system_refuses_at_any_step_is_told_in_its_words() {
        /// Number of Linux for a process that has too many files open (`EMFILE` of errno.h).
        const TOO_MANY_FILES: i32 = 24;
        let mut refused = 0;
        while let Err(error) = commit(refused, TOO_MANY_FILES) {
            let Error::Internal { source, .. } = &error else { panic!("after {refused} bytes: {error:?}") };
            let said = source.to_string();
            assert!(said.contains("(os error 24)") || said.contains("refuses it something"), "{refused}: {said}");
            refused += 61;
        }
        assert!(refused > 1_000, "{refused}");
    }

    #[test]
    fn a_disk_that_is_full_at_any_step_is_no_damage() {
        /// Numbers of Linux for a full disk and for a file that may not grow (`ENOSPC`, `EFBIG` of errno.h).
        const REFUSALS: [i32; 2] = [28, 27];
        for number in REFUSALS {
            let mut refused = 0;
            while let Err(error) = commit(refused, number) {
                assert!(matches!(error, Error::Full { .. }), "{number}, after {refused} bytes: {error:?}");
                refused += 61;
            }
            assert!(refused > 1_000, "{refused}");
        }
    }
}
