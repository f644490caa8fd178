//! What can go wrong with postings, and what tantivy's errors mean here.

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
        /// Directory that was asked for.
        path: PathBuf,
    },
    /// There is an index already where one was to be created.
    #[error("postings exist already at `{}`", .path.display())]
    Exists {
        /// Directory that was asked for.
        path: PathBuf,
    },
    /// Another writer, of this process or another, has the index.
    #[error("another process is writing the postings")]
    Busy,
    /// The files are not what this program wrote. Postings are derived: remove the directory and index again.
    #[error("the postings at `{}` are damaged: {reason}", .path.display())]
    Damaged {
        /// Directory of the index; `(memory)` for one in memory.
        path: PathBuf,
        /// What was found, for a person.
        reason: String,
    },
    /// The file system takes no more bytes.
    #[error("no space is left for the postings at `{}`", .path.display())]
    Full {
        /// Directory of the index.
        path: PathBuf,
    },
    /// The file system or the machine refused.
    #[error("{doing}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What refused.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// What `error` means for the index at `path`, when it came up while `doing`.
    pub(crate) fn from_tantivy(error: TantivyError, path: &Path, doing: &'static str) -> Self {
        match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => Self::Busy,
            TantivyError::IndexAlreadyExists => Self::Exists { path: path.into() },
            TantivyError::OpenDirectoryError(
                OpenDirectoryError::DoesNotExist(_) | OpenDirectoryError::NotADirectory(_),
            ) => Self::Missing { path: path.into() },
            error if is_full(&error) => Self::Full { path: path.into() },
            error if is_damage(&error) => Self::Damaged { path: path.into(), reason: shown(&error.to_string()) },
            error => Self::Internal { doing, source: Box::new(error) },
        }
    }
}

/// Runs `read`, which reads files of the index at `path`.
///
/// tantivy checks sums only when asked to and asserts or indexes out of bounds on some damage that lies inside a file.
/// Such a panic becomes [`Error::Damaged`], after the panic hook has reported it; the parts that such a read may leave
/// half done are none: it changes nothing but caches that are filled whole.
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

/// A reason for a person: without the control characters and the length of what a damaged file may hold.
fn shown(reason: &str) -> String {
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
        _ => None,
    };
    let is_full =
        |kind| matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge);
    direct.is_some_and(is_full) || kinds.any(|kind| kind.is_some_and(is_full))
}

/// The kind of what the system said, also where tantivy wraps that in an error of no kind.
fn kind_of(error: &io::Error) -> io::ErrorKind {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    // Some of it comes as a text alone.
    let is_full = |text: &str| text.contains("(os error 28)");
    match inner {
        Some(inner) => kind_of(inner),
        None if error.kind() == io::ErrorKind::Other && is_full(&error.to_string()) => io::ErrorKind::StorageFull,
        None => error.kind(),
    }
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

/// Kinds that readers of the footer, the dictionary and the columns give for bytes that make no sense, and what the operating
/// system says of a directory in the place of a file. Its errors never have the kind `Other`.
fn is_damaged_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, IsADirectory, NotADirectory, Other, UnexpectedEof};
    matches!(error.kind(), InvalidData | UnexpectedEof | Other | IsADirectory | NotADirectory)
}
