//! Ids for icr that are recorded beside git's own files: that of the repository, which all its clones have, and that of the
//! clone, which moves with its directory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use icr_model::is_lower_hexadecimal;

use crate::{Repository, read_clone_file};

/// Hexadecimal digits of an id.
const DIGITS: usize = 16;

/// Which clone this is, and where it was when that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedClone {
    /// 16 lower-case hexadecimal digits.
    pub id: String,
    /// The git directory that all worktrees of the clone shared then: another one than now when the clone was moved or copied.
    pub directory: PathBuf,
}

/// The id of the clone whose git directory is `common_dir`, where one is recorded.
pub fn clone_id_at(common_dir: &Path) -> Option<String> {
    recorded_clone(common_dir).map(|clone| clone.id)
}

impl Repository {
    /// The recorded id: 16 lower-case hexadecimal digits. Anything else in its place counts as nothing, since a git
    /// directory may have been unpacked from an archive that somebody else made.
    pub fn recorded_repo_id(&self) -> Option<String> {
        recorded_repo_id(self.common_dir())
    }

    /// Which clone this is, where that is recorded. As [`Repository::recorded_repo_id`], anything else in its place counts as
    /// nothing.
    pub fn recorded_clone(&self) -> Option<RecordedClone> {
        recorded_clone(self.common_dir())
    }

    /// Records `id` for all worktrees, and where the clone is, in `icr/clone-id` of the common directory. Where an id is
    /// recorded already, that one stays, unless `replaces`: read it back.
    ///
    /// # Errors
    ///
    /// As [`Repository::record_repo_id`].
    pub fn record_clone(&self, id: &str, replaces: bool) -> io::Result<()> {
        let mut record = format!("{id}\n").into_bytes();
        record.extend_from_slice(self.common_dir().as_os_str().as_encoded_bytes());
        self.record("clone-id", id, &record, replaces)
    }

    /// Records `id` for all worktrees, in `icr/repo-id` of the common directory. Where an id is recorded already, that
    /// one stays: read it back.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when `id` is not 16 lower-case hexadecimal digits; `AlreadyExists` when something that is not an
    /// id lies in its place; whatever the system says when the directory cannot be written.
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
        // A link would have the file written wherever whoever made the repository wants it.
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

/// The record `name` beside git's own files, if it is an ordinary file.
fn record_at(common_dir: &Path, name: &str) -> Option<Vec<u8>> {
    read_clone_file(common_dir, &format!("icr/{name}")).ok()?
}

/// The id that is the first line of a record.
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
