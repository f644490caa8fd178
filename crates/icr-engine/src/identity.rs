//! Which store a repository uses.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use icr_git::{Repository, Root};
use icr_model::{Digest64, hexadecimal, is_lower_hexadecimal};
use sha2::{Digest, Sha256};

use crate::Error;

/// The id of the store of `repository`: `given` if there is one, else the recorded id, else an id that its oldest root
/// commit determines. The id is random if there is no such commit (no commits, or a shallow clone, whose first commits
/// are not real roots). It is recorded at once and kept for good: beside the repository, or below `home` if its git
/// directory cannot be written.
///
/// # Errors
///
/// [`Error::Bounds`] for a given id that is not 16 hexadecimal digits; those of reading history.
pub(crate) fn repo_id(repository: &Repository, home: &Path, given: Option<&str>) -> Result<String, Error> {
    if let Some(known) = known_repo_id(repository, home, given)? {
        return Ok(known);
    }
    let elsewhere = recorded_elsewhere(repository, home);
    let random = || {
        let place = repository.common_dir().as_os_str().as_encoded_bytes();
        format!("{:016x}", RandomState::new().hash_one(place))
    };
    let id = id_of_root(repository)?.unwrap_or_else(random);
    if repository.record_repo_id(&id).is_err() {
        // If neither place can be written, an id derived from the root is found again; for a random one, the store
        // cannot be written either.
        let recorded = fs::create_dir_all(home.join("repo-ids")).and_then(|()| fs::write(&elsewhere, &id));
        recorded.unwrap_or_else(|error| tracing::debug!(%error, "the repository id is not recorded"));
    }
    // Another process may have recorded its own in the meantime; the first one stays.
    Ok(repository.recorded_repo_id().unwrap_or(id))
}

/// The id of the store of `repository`: `given` if there is one, else the recorded id, else an id that its oldest root
/// commit determines. Writes nothing. If there is no such commit (no commits, or a shallow clone, whose first commits
/// are not real roots), the id is a digest of the git directory's path. Callers must not write a store under it.
///
/// # Errors
///
/// As [`repo_id`].
pub(crate) fn unrecorded_repo_id(repository: &Repository, home: &Path, given: Option<&str>) -> Result<String, Error> {
    match known_repo_id(repository, home, given)? {
        Some(known) => Ok(known),
        None => Ok(id_of_root(repository)?.unwrap_or_else(|| digest_of_git_directory(repository))),
    }
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
