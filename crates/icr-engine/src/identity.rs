//! Which store a repository uses.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use icr_git::{Repository, Root};
use icr_model::Digest64;
use sha2::{Digest, Sha256};

use crate::Error;

/// The id under which `repository` keeps its store: `given` when there is one, else what was recorded, else the first 16
/// hexadecimal digits of the SHA-256 of its oldest root commit's id, random where there is none to speak of (no commit,
/// or a shallow clone, whose roots are not roots). Recorded at once and kept for good: beside the repository, or below
/// `home` where its git directory cannot be written.
///
/// # Errors
///
/// [`Error::Bounds`] for a given id that is not 16 hexadecimal digits; those of reading history.
pub(crate) fn repo_id(repository: &Repository, home: &Path, given: Option<&str>) -> Result<String, Error> {
    if let Some(given) = given {
        return match is_repo_id(given) {
            true => Ok(given.to_owned()),
            false => Err(Error::Bounds {
                field: "the repository id",
                allowed: "16 hexadecimal digits in lower case".to_owned(),
                value: given.to_owned(),
            }),
        };
    }
    if let Some(recorded) = repository.recorded_repo_id() {
        return Ok(recorded);
    }
    let common_dir = repository.common_dir().as_os_str().as_encoded_bytes();
    let elsewhere = home.join("repo-ids").join(format!("{:016x}", Digest64::default().with(common_dir).finish()));
    if let Ok(recorded) = fs::read_to_string(&elsewhere)
        && is_repo_id(recorded.trim())
    {
        return Ok(recorded.trim().to_owned());
    }
    let id = match repository.root()? {
        Root::Commit(root) => {
            let digest = Sha256::digest(root.to_string().as_bytes());
            digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
        }
        Root::Unborn | Root::Shallow => format!("{:016x}", RandomState::new().hash_one(common_dir)),
    };
    if repository.record_repo_id(&id).is_err() {
        // Where neither can be written, an id made of the root is found again; a random one names a store that cannot
        // be made either.
        let recorded = fs::create_dir_all(home.join("repo-ids")).and_then(|()| fs::write(&elsewhere, &id));
        recorded.unwrap_or_else(|error| tracing::debug!(%error, "the repository id is not recorded"));
    }
    // Another process may have recorded its own in the meantime; the first one stays.
    Ok(repository.recorded_repo_id().unwrap_or(id))
}

fn is_repo_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
