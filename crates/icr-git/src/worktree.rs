//! Contents of files as they lie in the worktree.

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
    /// A reader of worktree files for one thread, with the index and attributes of now.
    ///
    /// # Errors
    ///
    /// [`Error::NoWorktree`], [`Error::Index`], [`Error::Internal`] when the settings of conversions cannot be read.
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

/// Reads files of the worktree as git would store them: line ends, `$Id$` and encodings converted, nothing else. Runs no
/// filter driver and follows no link.
///
/// It does not know which paths are secret; [`crate::Policy::decide`] does.
pub struct WorktreeReader {
    root: PathBuf,
    /// The root, once something was read below it.
    opened: Option<Root>,
    converter: Converter,
    on_disk: Vec<u8>,
    /// Directories whose `.gitattributes` may be read, or is not there.
    readable_rules: HashSet<PathBuf>,
}

impl WorktreeReader {
    /// Puts the content of `path` into `out`, in place of what it holds, and names it. Files of more than `max_bytes`
    /// bytes on disk are not read.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for paths that leave the worktree, lie in a git directory or behind a link, and for what is not
    /// an ordinary file; [`Error::ExternalFilter`]; [`Error::Oversize`]; [`Error::Unconvertible`]; [`Error::Io`].
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

    /// Reads one byte more than `limit` where there is one, so that a file which grows meanwhile is noticed.
    fn read_at_most(&mut self, place: &Path, limit: u64) -> std::io::Result<()> {
        let root = match self.opened.take() {
            Some(root) => root,
            None => Root::open(&self.root)?,
        };
        let file = self.opened.insert(root).file(place.strip_prefix(&self.root).unwrap_or(place))?;
        file.take(limit.saturating_add(1)).read_to_end(&mut self.on_disk).map(|_| ())
    }

    /// Refuses a file for which a `.gitattributes` would be read that has no end, or whose reading would block.
    fn check_attributes(&mut self, place: &Path) -> Result<(), Error> {
        for directory in place.ancestors().skip(1).take_while(|directory| directory.starts_with(&self.root)) {
            if self.readable_rules.contains(directory) {
                // And so are those above it, which were looked at together.
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
