//! Which store a repository uses.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use icr_git::{Repository, Root};
use icr_model::{Digest64, hexadecimal, is_lower_hexadecimal};
use sha2::{Digest, Sha256};

use crate::Error;

/// Whether an id that is new may be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdRecording {
    /// It is recorded at once and kept for good: beside the repository, or below the home if the git directory cannot
    /// be written.
    Allowed,
    /// Nothing is written.
    Forbidden,
}

impl IdRecording {
    /// [`IdRecording::Forbidden`] if `read_only`.
    pub fn unless(read_only: bool) -> Self {
        if read_only { Self::Forbidden } else { Self::Allowed }
    }
}

/// The id of the store of `repository`: `given` if there is one, else the recorded id, else an id that its oldest root
/// commit determines. If there is no such commit (no commits, or a shallow clone, whose first commits are not real
/// roots), the id is random. If it may not be recorded, it is a digest of the git directory's path instead, under which
/// callers must not write a store.
///
/// # Errors
///
/// [`Error::Bounds`] for a given id that is not 16 hexadecimal digits; those of reading history.
pub(crate) fn repo_id(
    repository: &Repository,
    home: &Path,
    given: Option<&str>,
    recording: IdRecording,
) -> Result<String, Error> {
    if let Some(determined) = determined_repo_id(repository, home, given, recording)? {
        return Ok(determined);
    }
    if recording == IdRecording::Forbidden {
        return Ok(digest_of_git_directory(repository));
    }
    let git_directory = repository.common_dir().as_os_str().as_encoded_bytes();
    Ok(record(repository, home, format!("{:016x}", RandomState::new().hash_one(git_directory))))
}

/// As [`repo_id`], but `None` instead of a random id or a digest of a path. So a question about a repository without
/// commits leaves it to the first commit to determine the id, which all clones then share.
pub(crate) fn determined_repo_id(
    repository: &Repository,
    home: &Path,
    given: Option<&str>,
    recording: IdRecording,
) -> Result<Option<String>, Error> {
    if let Some(known) = known_repo_id(repository, home, given)? {
        return Ok(Some(known));
    }
    let of_root = id_of_root(repository)?;
    Ok(match recording {
        IdRecording::Allowed => of_root.map(|id| record(repository, home, id)),
        IdRecording::Forbidden => of_root,
    })
}

/// Records an id, and returns the one that is recorded then.
fn record(repository: &Repository, home: &Path, id: String) -> String {
    if repository.record_repo_id(&id).is_err() {
        // If neither place can be written, an id derived from the root is found again; for a random one, the store
        // cannot be written either.
        let recorded = fs::create_dir_all(home.join("repo-ids"))
            .and_then(|()| fs::write(recorded_elsewhere(repository, home), &id));
        recorded.unwrap_or_else(|error| tracing::debug!(%error, "the repository id is not recorded"));
    }
    // Another process may have recorded its own in the meantime; the first one stays.
    repository.recorded_repo_id().unwrap_or(id)
}

/// The first 16 hexadecimal digits of the SHA-256 of the id of the oldest root commit, if that is known.
fn id_of_root(repository: &Repository) -> Result<Option<String>, Error> {
    Ok(match repository.root()? {
        Root::Commit(root) => Some(hexadecimal(&Sha256::digest(root.to_string().as_bytes())[..8])),
        Root::Unborn | Root::Shallow => None,
    })
}

/// The id of [`repo_id`] where it was given or recorded. Reads no history and writes nothing.
///
/// # Errors
///
/// [`Error::Bounds`] for a given id that is not 16 hexadecimal digits.
pub(crate) fn known_repo_id(
    repository: &Repository,
    home: &Path,
    given: Option<&str>,
) -> Result<Option<String>, Error> {
    match given {
        Some(given) if is_repo_id(given) => return Ok(Some(given.to_owned())),
        Some(given) => {
            return Err(Error::Bounds {
                field: "the repository id",
                allowed: "16 hexadecimal digits in lower case".to_owned(),
                value: given.to_owned(),
            });
        }
        None => {}
    }
    if let Some(recorded) = repository.recorded_repo_id() {
        return Ok(Some(recorded));
    }
    let recorded = fs::read_to_string(recorded_elsewhere(repository, home)).unwrap_or_default();
    Ok(Some(recorded.trim().to_owned()).filter(|recorded| is_repo_id(recorded)))
}

/// Where the id of a repository is recorded if its git directory cannot be written.
fn recorded_elsewhere(repository: &Repository, home: &Path) -> PathBuf {
    home.join("repo-ids").join(digest_of_git_directory(repository))
}

/// Digest of the path of the git directory, as 16 hexadecimal digits.
fn digest_of_git_directory(repository: &Repository) -> String {
    let common_dir = repository.common_dir().as_os_str().as_encoded_bytes();
    format!("{:016x}", Digest64::default().with(common_dir).finish())
}

fn is_repo_id(text: &str) -> bool {
    text.len() == 16 && is_lower_hexadecimal(text)
}
