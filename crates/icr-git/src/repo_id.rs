//! Ids of icr that are recorded in the git directory. All clones of a repository have the same repository id; the id of
//! a clone moves with its directory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use icr_model::is_lower_hexadecimal;

use crate::{Repository, read_clone_file};

/// Length of an id in hexadecimal digits.
const DIGITS: usize = 16;

/// The id of a clone, and where the clone was when the id was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedClone {
    /// 16 lower-case hexadecimal digits.
    pub id: String,
    /// The common git directory at that time. It differs from the current one if the clone was moved or copied.
    pub directory: PathBuf,
}

/// The recorded id of the clone whose git directory is `common_dir`, if there is one.
pub fn clone_id_at(common_dir: &Path) -> Option<String> {
    recorded_clone(common_dir).map(|clone| clone.id)
}

impl Repository {
    /// The recorded repository id: 16 lower-case hexadecimal digits. Any other content counts as no id, since a git
    /// directory may come from an archive that somebody else made.
    pub fn recorded_repo_id(&self) -> Option<String> {
        recorded_repo_id(self.common_dir())
    }

    /// The recorded id of this clone. As for [`Repository::recorded_repo_id`], any other content counts as no id.
    pub fn recorded_clone(&self) -> Option<RecordedClone> {
        recorded_clone(self.common_dir())
    }

    /// Records `id` for all worktrees, and the place of the clone, in `icr/clone-id` of the common directory. An id
    /// that is already recorded is kept unless `replaces`, so read the id back.
    ///
    /// # Errors
    ///
    /// As [`Repository::record_repo_id`].
    pub fn record_clone(&self, id: &str, replaces: bool) -> io::Result<()> {
        let mut record = format!("{id}\n").into_bytes();
        record.extend_from_slice(self.common_dir().as_os_str().as_encoded_bytes());
        self.record("clone-id", id, &record, replaces)
    }

    /// Records `id` for all worktrees, in `icr/repo-id` of the common directory. An id that is already recorded is
    /// kept, so read the id back.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when `id` is not 16 lower-case hexadecimal digits; `AlreadyExists` when the file exists and
    /// contains no id; other errors of the system when the directory cannot be written.
    pub fn record_repo_id(&self, id: &str) -> io::Result<()> {
        self.record("repo-id", id, format!("{id}\n").as_bytes(), false)
    }

    fn record(&self, name: &str, id: &str, record: &[u8], replaces: bool) -> io::Result<()> {
        if !is_id(id) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{id}` is not an id")));
        }
        let directory = self.directory();
        match std::fs::create_dir(&directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Through a link, the author of the repository could choose which file is written.
        if !std::fs::symlink_metadata(&directory)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "`icr` in the git directory is not a directory"));
        }
        let mut file = tempfile::NamedTempFile::new_in(&directory)?;
        file.write_all(record)?;
        let path = directory.join(name);
        if replaces {
            return file.persist(&path).map(drop).map_err(|error| error.error);
        }
        match file.persist_noclobber(&path) {
            Err(error) if record_at(self.common_dir(), name).and_then(|record| id_in(&record)).is_none() => {
                Err(error.error)
            }
            _ => Ok(()),
        }
    }

    fn directory(&self) -> PathBuf {
        self.common_dir().join("icr")
    }
}

fn recorded_repo_id(common_dir: &Path) -> Option<String> {
    let record = record_at(common_dir, "repo-id")?;
    let is_alone = record.len() <= DIGITS + 2;
    id_in(&record).filter(|_| is_alone)
}

fn recorded_clone(common_dir: &Path) -> Option<RecordedClone> {
    let record = record_at(common_dir, "clone-id")?;
    let id = id_in(&record)?;
    let directory = path_from_bytes(record.get(DIGITS + 1..)?.to_vec())?;
    directory.is_absolute().then_some(RecordedClone { id, directory })
}

/// The record `name` in the git directory, if it is an ordinary file.
fn record_at(common_dir: &Path, name: &str) -> Option<Vec<u8>> {
    read_clone_file(common_dir, &format!("icr/{name}")).ok()?
}

/// The id in the first line of a record.
fn id_in(record: &[u8]) -> Option<String> {
    let line = record.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let id = std::str::from_utf8(line).ok()?.trim_end();
    is_id(id).then(|| id.to_owned())
}

#[cfg(unix)]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes)).map(|text: std::ffi::OsString| text.into())
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn is_id(text: &str) -> bool {
    text.len() == DIGITS && is_lower_hexadecimal(text)
}
