//! Reading the contents of files in the worktree.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icr_model::{BlobId, RepoPath};

use crate::contained_file::Root;
use crate::convert::Converter;
use crate::index::{self, Directories, on_disk};
use crate::policy::refusal;
use crate::rule_file::RuleProblem;
use crate::{Error, Repository};

impl Repository {
    /// A reader of worktree files for one thread, with the current index and attributes.
    ///
    /// # Errors
    ///
    /// [`Error::NoWorktree`], [`Error::Index`], [`Error::Internal`] when the conversion settings cannot be read.
    pub fn worktree_reader(&self) -> Result<WorktreeReader, Error> {
        let repo = self.local();
        let index = index::open(&repo)?.unwrap_or_else(|| index::empty(&repo));
        self.worktree_reader_with(Arc::new(index))
    }

    pub(crate) fn worktree_reader_with(&self, index: Arc<gix::index::File>) -> Result<WorktreeReader, Error> {
        let root = self.worktree_root().ok_or_else(|| Error::NoWorktree { git_dir: self.git_dir().to_owned() })?;
        Ok(WorktreeReader {
            root: root.to_owned(),
            opened: None,
            converter: Converter::new(self.local(), index)?,
            on_disk: Vec::new(),
            readable_rules: HashSet::new(),
        })
    }
}

/// Reads files of the worktree as git would store them: it converts line ends, `$Id$` and encodings, and nothing else.
/// It runs no filter driver and follows no link.
///
/// It does not check whether paths are secret; [`crate::Policy::decide`] does.
pub struct WorktreeReader {
    root: PathBuf,
    /// The open root directory, once a file below it was read.
    opened: Option<Root>,
    converter: Converter,
    on_disk: Vec<u8>,
    /// Directories whose `.gitattributes` is missing or safe to read.
    readable_rules: HashSet<PathBuf>,
}

impl WorktreeReader {
    /// Replaces the content of `out` by the content of `path`, and returns its id. Files of more than `max_bytes` bytes
    /// on disk are not read.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for paths that leave the worktree, lie in a git directory or behind a link, and for anything
    /// but an ordinary file; [`Error::ExternalFilter`]; [`Error::Oversize`]; [`Error::Unconvertible`]; [`Error::Io`].
    pub fn read(&mut self, path: &RepoPath, max_bytes: u64, out: &mut Vec<u8>) -> Result<BlobId, Error> {
        let refused = |reason| Err(Error::Refused { path: path.clone(), reason });
        if let Some(reason) = refusal(path.as_bytes()) {
            return refused(reason);
        }
        let Some(place) = on_disk(&self.root, path.as_bytes()) else {
            return refused("this system cannot name it");
        };
        let Some(found) = Directories::new(&self.root).file(path.as_bytes()) else {
            return match std::fs::symlink_metadata(&place) {
                Err(source) => Err(Error::Io { path: place, source }),
                Ok(_) => refused("it is not an ordinary file, or lies behind a link"),
            };
        };
        self.check_attributes(&place)?;
        if let Some(driver) = self.converter.external_filter(path)? {
            return Err(Error::ExternalFilter { path: path.clone(), driver });
        }
        if found.len() > max_bytes {
            return Err(Error::Oversize { path: path.clone(), max_bytes });
        }
        self.on_disk.clear();
        self.read_at_most(&place, max_bytes).map_err(|source| Error::Io { path: place, source })?;
        if self.on_disk.len() as u64 > max_bytes {
            return Err(Error::Oversize { path: path.clone(), max_bytes });
        }
        self.converter.convert(path, &self.on_disk, out)
    }

    /// Reads one byte more than `limit` if there is one, to detect a file that grows meanwhile.
    fn read_at_most(&mut self, place: &Path, limit: u64) -> std::io::Result<()> {
        let root = match self.opened.take() {
            Some(root) => root,
            None => Root::open(&self.root)?,
        };
        let file = self.opened.insert(root).file(place.strip_prefix(&self.root).unwrap_or(place))?;
        file.take(limit.saturating_add(1)).read_to_end(&mut self.on_disk).map(|_| ())
    }

    /// Refuses a file if one of its `.gitattributes` has no end, or would block when read.
    fn check_attributes(&mut self, place: &Path) -> Result<(), Error> {
        for directory in place.ancestors().skip(1).take_while(|directory| directory.starts_with(&self.root)) {
            if self.readable_rules.contains(directory) {
                // The directories above were checked at the same time.
                return Ok(());
            }
            let rules = directory.join(".gitattributes");
            if let Some(RuleProblem::Unreadable(reason)) = RuleProblem::at(&rules) {
                let path = rules.strip_prefix(&self.root).unwrap_or(&rules).as_os_str().as_encoded_bytes();
                return Err(Error::Refused { path: RepoPath::new(path), reason });
            }
        }
        self.readable_rules.extend(place.parent().map(Path::to_owned));
        Ok(())
    }
}

impl std::fmt::Debug for WorktreeReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorktreeReader").field("root", &self.root).finish_non_exhaustive()
    }
}
