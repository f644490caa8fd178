//! The stores below one home, and what uses them.

use std::path::{Path, PathBuf};

use icr_store::{Access, Ledger, RepositoryPlace, WriterLock};
use serde::Serialize;

use crate::Error;
use crate::engine::store_format;

/// A repository that has a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RepositoryEntry {
    /// Its id.
    pub repo_id: String,
    /// Worktrees and bare repositories that published into the store.
    pub worktrees: Vec<String>,
    /// Git directories of the clones that use it.
    pub clones: Vec<String>,
    /// Bytes of the store.
    pub store_bytes: u64,
    /// Published views.
    pub views: u64,
    /// Why the store cannot be read, if it cannot.
    pub problem: Option<String>,
}

/// Repositories with a store of this format below `home`, by id.
///
/// # Errors
///
/// [`Error::Io`] when the directory of stores exists and cannot be read.
pub fn repositories(home: &Path) -> Result<Vec<RepositoryEntry>, Error> {
    let directory = home.join("repos");
    let names = match std::fs::read_dir(&directory) {
        Ok(entries) => entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(Error::Io { doing: "reading the directory", path: directory, source }),
    };
    let mut entries = Vec::new();
    for repo_id in names {
        let place = RepositoryPlace::new(home, &repo_id).store(store_format());
        if !place.ledger().exists() {
            continue;
        }
        let texts = |paths: Vec<PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
        let read = || -> Result<RepositoryEntry, icr_store::Error> {
            let ledger = Ledger::open(&place, Access::Read)?;
            Ok(RepositoryEntry {
                repo_id: repo_id.clone(),
                worktrees: texts(ledger.worktrees()?),
                clones: texts(ledger.clones(std::time::Duration::MAX)?.into_iter().map(|(path, _)| path).collect()),
                store_bytes: place.bytes_total(),
                views: ledger.views()?.len() as u64,
                problem: None,
            })
        };
        entries.push(read().unwrap_or_else(|error| RepositoryEntry {
            repo_id: repo_id.clone(),
            worktrees: Vec::new(),
            clones: Vec::new(),
            store_bytes: place.bytes_total(),
            views: 0,
            problem: Some(error.to_string()),
        }));
    }
    entries.sort_by(|a, b| a.repo_id.cmp(&b.repo_id));
    Ok(entries)
}

/// Deletes the derived data of `repo_id`; pins and memories stay. Returns whether there was anything to delete.
///
/// # Errors
///
/// [`icr_store::Error::Busy`] when a process is writing it; [`icr_store::Error::Io`] when a file cannot be deleted.
pub fn remove_repository(home: &Path, repo_id: &str) -> Result<bool, Error> {
    let place = RepositoryPlace::new(home, repo_id).store(store_format());
    if !place.ledger().exists() {
        return Ok(false);
    }
    let lock = WriterLock::try_acquire(place.directory())?;
    place.remove()?;
    drop(lock);
    Ok(true)
}
