//! The starting points of all histories: everything that keeps a commit alive.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::objs::Kind;
use icr_model::CommitId;

use crate::error::internal;
use crate::object::{commit_id, header};
use crate::packed_refs::check_packed_refs;
use crate::{Error, Repository, read_clone_file};

/// Most nested reflog directories that are read; git itself makes one level for each `/` of a branch name.
const DEEPEST_LOG: usize = 32;

impl Repository {
    /// All commits that something points to: all refs, the HEAD of the main and of every linked worktree, and every
    /// entry of every reflog (including the stash, and commits replaced by amending and rebasing). Sorted, each once.
    /// Commits that cannot be read or no longer exist are left out.
    ///
    /// # Errors
    ///
    /// [`Error::GitFile`], [`Error::PackedRefs`], [`Error::Internal`] when the refs cannot be listed.
    pub fn tips(&self) -> Result<Vec<CommitId>, Error> {
        let repo = self.local_for_refs()?;
        let mut ids = BTreeSet::new();
        check_packed_refs(self.common_dir(), repo.object_hash())?;
        let references = repo.references().map_err(internal("listing the refs"))?;
        for reference in references.all().map_err(internal("listing the refs"))?.filter_map(Result::ok) {
            let peeled = reference.into_fully_peeled_id();
            ids.extend(peeled.ok().map(gix::Id::detach));
        }
        for git_dir in self.git_dirs() {
            let head = read_clone_file(&git_dir, "HEAD").ok().flatten().unwrap_or_default();
            ids.extend(gix::ObjectId::from_hex(head.trim_ascii()).ok());
            logged_ids(&git_dir.join("logs"), DEEPEST_LOG, &mut ids);
        }
        ids.retain(|id| matches!(header(&repo, *id), Ok((Kind::Commit, _))));
        Ok(ids.iter().map(|id| commit_id(id)).collect())
    }

    /// The common directory, which is that of the main worktree, and the git directories of the linked ones.
    fn git_dirs(&self) -> Vec<PathBuf> {
        let linked = std::fs::read_dir(self.common_dir().join("worktrees"));
        let linked = linked.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
        std::iter::once(self.common_dir().to_owned()).chain(linked).collect()
    }
}

/// Adds both ids of every line of every file below `directory`. The null id is no object; it is dropped with the other
/// ids of missing objects.
fn logged_ids(directory: &Path, levels: usize, ids: &mut BTreeSet<gix::ObjectId>) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && levels > 0 {
            logged_ids(&entry.path(), levels - 1, ids);
        } else if kind.is_file() {
            let log = std::fs::read(entry.path()).unwrap_or_default();
            for line in log.split(|byte| *byte == b'\n') {
                let words = line.splitn(3, |byte| *byte == b' ').take(2);
                ids.extend(words.filter_map(|word| gix::ObjectId::from_hex(word).ok()));
            }
        }
    }
}
