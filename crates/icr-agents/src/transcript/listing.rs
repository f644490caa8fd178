//! Lists session files.

use std::cmp::Reverse;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::host::{PathStep, TranscriptHost, TranscriptPlaces};
use super::roots::RepositoryRoots;
use super::session_file::read_small;

/// Most directory entries that are examined per host: enough for years of sessions.
const ENTRIES_MOST: usize = 20_000;

/// File in which Gemini CLI notes the project directory of the sessions beside it.
const PROJECT_ROOT: &str = ".project_root";

/// A file that may hold a session of the repository.
#[derive(Debug)]
pub(super) struct SessionFile {
    pub(super) host: &'static TranscriptHost,
    pub(super) path: PathBuf,
    /// Name of the file, for people.
    pub(super) name: String,
    /// The directory that the host notes for all sessions beside this file. It is not sufficient evidence by itself.
    pub(super) project_root: Option<String>,
    written: SystemTime,
}

/// Session files of all hosts, most recently written first. Symbolic links are not followed, except for the host's
/// directory itself.
pub(super) fn list_sessions(places: &TranscriptPlaces, roots: &RepositoryRoots) -> Vec<SessionFile> {
    let mut files = Vec::new();
    for (host, directory) in &places.directories {
        let mut walk = SessionFileWalk { host, roots, entries_left: ENTRIES_MOST, files: &mut files };
        walk.steps(directory, host.steps);
    }
    files.sort_by(|a, b| Reverse(a.written).cmp(&Reverse(b.written)).then_with(|| a.path.cmp(&b.path)));
    files
}

struct SessionFileWalk<'a> {
    host: &'static TranscriptHost,
    roots: &'a RepositoryRoots,
    entries_left: usize,
    files: &'a mut Vec<SessionFile>,
}

impl SessionFileWalk<'_> {
    fn steps(&mut self, directory: &Path, steps: &[PathStep]) {
        let Some((step, rest)) = steps.split_first() else { return };
        match *step {
            PathStep::Named(name) => {
                let next = directory.join(name);
                if next.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                    self.steps(&next, rest);
                }
            }
            PathStep::Any | PathStep::MayBeInRepository => {
                for entry in self.entries(directory) {
                    let is_wanted = *step == PathStep::Any || self.roots.may_be_named(&entry.file_name());
                    if is_wanted && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        self.steps(&entry.path(), rest);
                    }
                }
            }
            PathStep::FileOfSession(name) => {
                let of_session = directory.file_name().map(|name| name.to_string_lossy().into_owned());
                let named = self.entries(directory).into_iter().find(|entry| entry.file_name() == name);
                if let (Some(entry), Some(session)) = (named, of_session) {
                    self.add(&entry, format!("{session}/{name}"), None);
                }
            }
            PathStep::File(start, ends) => {
                let project_root = directory.parent().and_then(|parent| read_small(&parent.join(PROJECT_ROOT)));
                for entry in self.entries(directory) {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if name.starts_with(start) && ends.iter().any(|end| name.ends_with(end)) {
                        self.add(&entry, name, project_root.clone());
                    }
                }
            }
        }
    }

    fn add(&mut self, entry: &DirEntry, name: String, project_root: Option<String>) {
        // Metadata of the entry itself, not of a link's target.
        let Ok(metadata) = entry.metadata() else { return };
        if metadata.is_file() {
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            self.files.push(SessionFile { host: self.host, path: entry.path(), name, project_root, written });
        }
    }

    /// The entries of a directory, in descending order of name: where names are dates, the newest come first.
    fn entries(&mut self, directory: &Path) -> Vec<DirEntry> {
        let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
        let mut entries: Vec<DirEntry> = entries.flatten().take(self.entries_left).collect();
        self.entries_left -= entries.len();
        entries.sort_by_key(|entry| Reverse(entry.file_name()));
        entries
    }
}
