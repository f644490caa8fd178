//! The repository's id for icr, as recorded once beside git's own files.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::{Repository, read_clone_file};

/// Hexadecimal digits of the id.
const DIGITS: usize = 16;

impl Repository {
    /// The recorded id: 16 lower-case hexadecimal digits. Anything else in its place counts as nothing, since a git
    /// directory may have been unpacked from an archive that somebody else made.
    pub fn recorded_repo_id(&self) -> Option<String> {
        self.repo_id_file()
    }

    /// Records `id` for all worktrees, in `icr/repo-id` of the common directory. Where an id is recorded already, that
    /// one stays: read it back.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when `id` is not 16 lower-case hexadecimal digits; `AlreadyExists` when something that is not an
    /// id lies in its place; whatever the system says when the directory cannot be written.
    pub fn record_repo_id(&self, id: &str) -> io::Result<()> {
        if !is_id(id) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{id}` is not a repository id")));
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
        writeln!(file, "{id}")?;
        let path = directory.join("repo-id");
        match file.persist_noclobber(&path) {
            Err(error) if self.repo_id_file().is_none() => Err(error.error),
            _ => Ok(()),
        }
    }

    fn directory(&self) -> PathBuf {
        self.common_dir().join("icr")
    }

    fn repo_id_file(&self) -> Option<String> {
        let bytes = read_clone_file(self.common_dir(), "icr/repo-id").ok()??;
        let id = std::str::from_utf8(&bytes).ok()?.trim_end();
        is_id(id).then(|| id.to_owned())
    }
}

fn is_id(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
