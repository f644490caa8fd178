//! The manifest: what `icr init` wrote to which file, so that it can be removed byte for byte.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::entry::{EntryState, Insertion};
use super::files;
use super::refusal::Refusal;

/// Version of the manifest's format.
const VERSION: u32 = 1;

/// Errors that stop `icr init` and `icr uninstall` before they look at any file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The manifest cannot be read.
    #[error("`{}`, the record of what `icr init` wrote, cannot be read: {reason}; restore it from a copy, or move it away and remove entries named icr by hand", .path.display())]
    Manifest {
        /// Path of the manifest.
        path: PathBuf,
        /// Reason, in words.
        reason: String,
    },
    /// A newer icr wrote the manifest.
    #[error("`{}` was written by a newer icr (its format is {found}, this icr knows {known}); use that one", .path.display(), known = VERSION)]
    Newer {
        /// Path of the manifest.
        path: PathBuf,
        /// Format version of the manifest.
        found: u64,
    },
    /// The directory of the manifest cannot be written.
    #[error("`{}` cannot be written", .path.display())]
    Directory {
        /// Path of the directory.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A file of the manifest cannot be written.
    #[error("`{}`: {refusal}", .path.display())]
    Written {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        refusal: Refusal,
    },
}

/// Record of one file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) path: PathBuf,
    /// The root of the repository whose file it is; none for a file of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<PathBuf>,
    /// State in which icr last left the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<FileState>,
    /// State that icr is writing; set only during a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<FileState>,
}

/// State of a file, and its text without icr.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    /// Digest of the text without icr, whose backup is kept; `None` if the file would not exist.
    pub(crate) base: Option<String>,
    /// Digest of the text as written; none where the file was removed.
    pub(crate) written: Option<String>,
    /// icr's entries in the file, in the order in which they were added.
    pub(crate) insertions: Vec<Insertion>,
    /// Directories that were made for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) directories: Vec<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ManifestFile {
    version: u32,
    files: Vec<FileRecord>,
}

/// The manifest and its directory, read and perhaps locked.
#[derive(Debug)]
pub(crate) struct InstallationManifest {
    directory: PathBuf,
    pub(crate) files: Vec<FileRecord>,
    /// Holds the lock until the manifest is dropped.
    _lock: Option<File>,
}

impl InstallationManifest {
    /// Reads the manifest without a lock; it must not be changed.
    pub(crate) fn read(directory: &Path) -> Result<Self, Error> {
        let mut manifest = Self { directory: directory.to_owned(), files: load_records(directory)?, _lock: None };
        for record in &mut manifest.files {
            settle(record);
        }
        manifest.files.retain(|record| record.state.is_some());
        Ok(manifest)
    }

    /// Waits for the lock, then reads the manifest. First settles changes that a killed run left half done.
    pub(crate) fn lock(directory: &Path) -> Result<Self, Error> {
        let cannot = |source| Error::Directory { path: directory.to_owned(), source };
        for missing in files::missing_directories(&directory.join("lock")) {
            match files::make_directory(&missing) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(cannot(error)),
                _ => {}
            }
        }
        let lock =
            File::options().create(true).truncate(false).write(true).open(directory.join("lock")).map_err(cannot)?;
        lock.lock().map_err(cannot)?;
        let mut manifest = Self { directory: directory.to_owned(), files: load_records(directory)?, _lock: Some(lock) };
        let is_half = manifest.files.iter().any(|record| record.pending.is_some());
        let mut given_up = Vec::new();
        for record in &mut manifest.files {
            if record.pending.is_some() {
                files::remove_temporary(&record.path);
                given_up.extend(settle(record));
            }
        }
        manifest.give_up(&given_up);
        manifest.files.retain(|record| record.state.is_some());
        if is_half {
            manifest.save()?;
        }
        files::remove_temporary(&manifest.path());
        manifest.drop_backups();
        Ok(manifest)
    }

    /// The record of the file at `path`.
    pub(crate) fn record(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|record| record.path == path)
    }

    /// The backup text with this digest; `None` if the backup is missing or was changed.
    pub(crate) fn backup(&self, digest: &str) -> Option<String> {
        let text = fs::read_to_string(self.backup_path(digest)).ok()?;
        (files::digest(&text) == digest).then_some(text)
    }

    /// Changes the file of `record` from the text `before` to `text`, and its record to `next`. If the process is
    /// killed at any moment, the file is in one of the two states and is recognised later.
    pub(crate) fn change(
        &mut self,
        record: FileRecord,
        base: Option<&str>,
        before: Option<&str>,
        text: Option<&str>,
        next: FileState,
    ) -> Result<Result<(), Refusal>, Error> {
        let path = record.path.clone();
        let made: Vec<PathBuf> = match text {
            Some(_) => files::missing_directories(&path),
            None => Vec::new(),
        };
        let mut next = next;
        next.directories.extend(made.iter().cloned());
        if let Some(base) = base {
            self.write_backup(base)?;
        }
        let state = record.state.clone();
        self.upsert_record(FileRecord { pending: Some(next.clone()), ..record.clone() });
        self.save()?;
        let outcome = files::make_directories(&made).and_then(|()| match text {
            Some(text) if before == Some(text) => Ok(()),
            Some(text) => files::write(&path, before, text),
            None => files::remove(&path, before),
        });
        match &outcome {
            Ok(()) => {
                let directories = if text.is_none() { next.directories.clone() } else { Vec::new() };
                self.upsert_record(FileRecord { state: Some(next), pending: None, ..record });
                self.give_up(&directories);
            }
            Err(_) => {
                files::remove_directories(&made);
                self.upsert_record(FileRecord { state, pending: None, ..record });
            }
        }
        self.files.retain(|record| record.state.as_ref().is_some_and(|state| !state.insertions.is_empty()));
        self.save()?;
        self.drop_backups();
        Ok(outcome)
    }

    /// Removes the directories in `directories` that are empty now. A directory with another file of the manifest is
    /// passed to that file's record.
    fn give_up(&mut self, directories: &[PathBuf]) {
        files::remove_directories(directories);
        for directory in directories.iter().filter(|directory| directory.is_dir()) {
            let other = self.files.iter_mut().find_map(|record| {
                let state = record.state.as_mut().filter(|state| !state.insertions.is_empty())?;
                (record.path.starts_with(directory) && state.written.is_some()).then_some(state)
            });
            if let Some(state) = other.filter(|state| !state.directories.contains(directory)) {
                state.directories.push(directory.clone());
                state.directories.sort_by_key(|directory| directory.components().count());
            }
        }
    }

    fn upsert_record(&mut self, record: FileRecord) {
        match self.files.iter_mut().find(|known| known.path == record.path) {
            Some(known) => *known = record,
            None => self.files.push(record),
        }
    }

    fn save(&self) -> Result<(), Error> {
        let path = self.path();
        let written = |refusal| Error::Written { path: path.clone(), refusal };
        if self.files.is_empty() {
            return files::discard(&path).map_err(written);
        }
        let stored = ManifestFile { version: VERSION, files: self.files.clone() };
        let text = serde_json::to_string_pretty(&stored).map_err(|error| Error::Manifest {
            path: path.clone(),
            reason: format!("it cannot be made ({error}); paths must be UTF-8"),
        })?;
        let before = fs::read_to_string(&path).ok();
        files::write(&path, before.as_deref(), &format!("{text}\n")).map_err(written)
    }

    fn write_backup(&self, text: &str) -> Result<(), Error> {
        let path = self.backup_path(&files::digest(text));
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        let before = fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        files::make_directories(&files::missing_directories(&path))
            .and_then(|()| files::write(&path, before.as_deref(), text))
            .map_err(|refusal| Error::Written { path, refusal })
    }

    /// Removes backups that no file needs.
    fn drop_backups(&self) {
        let states = self.files.iter().flat_map(|record| [&record.state, &record.pending]).flatten();
        let needed: Vec<&str> = states.filter_map(|state| state.base.as_deref()).collect();
        let Ok(entries) = fs::read_dir(self.directory.join("backups")) else { return };
        for entry in entries.flatten() {
            if !needed.iter().any(|digest| entry.file_name() == *digest) {
                // A backup that cannot be removed is tried again next time.
                let _ = fs::remove_file(entry.path());
            }
        }
        if needed.is_empty() {
            let _ = fs::remove_dir(self.directory.join("backups"));
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.join("manifest.json")
    }

    fn backup_path(&self, digest: &str) -> PathBuf {
        self.directory.join("backups").join(digest)
    }
}

fn load_records(directory: &Path) -> Result<Vec<FileRecord>, Error> {
    let path = directory.join("manifest.json");
    let unreadable = |reason: String| Error::Manifest { path: path.clone(), reason };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    match value["version"].as_u64() {
        Some(found) if found > u64::from(VERSION) => Err(Error::Newer { path, found }),
        _ => serde_json::from_value(value)
            .map(|stored: ManifestFile| stored.files)
            .map_err(|error| unreadable(error.to_string())),
    }
}

/// Decides whether a change that was begun has been done. Returns the directories to remove.
fn settle(record: &mut FileRecord) -> Vec<PathBuf> {
    let Some(pending) = record.pending.take() else { return Vec::new() };
    let text = files::read(&record.path, None).ok().flatten();
    let now = text.as_deref().map(files::digest);
    let is_in = |insertion: &Insertion| {
        text.as_deref()
            .is_some_and(|text| insertion.entry.state_in(text).is_ok_and(|state| state != EntryState::Absent))
    };
    let is_as_before = record.state.as_ref().is_some_and(|state| state.written == now);
    let is_done = pending.written == now || (!is_as_before && pending.insertions.iter().any(is_in));
    if is_done {
        let directories = if now.is_none() { pending.directories.clone() } else { Vec::new() };
        record.state = Some(pending).filter(|state| !state.insertions.is_empty());
        return directories;
    }
    // Directories that were created but are not needed.
    let known = record.state.as_ref().map(|state| state.directories.clone()).unwrap_or_default();
    pending.directories.into_iter().filter(|directory| !known.contains(directory)).collect()
}
