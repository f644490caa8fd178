//! The starting points of all histories: everything that keeps a commit alive.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use gix::objs::Kind;
use icr_model::CommitId;

use crate::error::internal;
use crate::object::{commit_id, header};
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
        let repo = self.local_for_all_refs()?;
        let mut ids = BTreeSet::new();
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
            // A log that cannot be read to its end keeps alive what was read of it.
            let _ = each_line_start(&entry.path(), |line| {
                let words = line.splitn(3, |byte| *byte == b' ').take(2);
                ids.extend(words.filter_map(|word| gix::ObjectId::from_hex(word.trim_ascii_end()).ok()));
            });
        }
    }
}

/// Calls `with` for the beginning of each line of `file`, long enough for two ids. Cost: the file is read once; no more
/// than a buffer of it is in memory.
fn each_line_start(file: &Path, mut with: impl FnMut(&[u8])) -> std::io::Result<()> {
    /// Two ids of SHA-256, each with a space behind it.
    const START_BYTES: u64 = 130;
    let mut log = BufReader::new(File::open(file)?);
    let mut line = Vec::new();
    while (&mut log).take(START_BYTES).read_until(b'\n', &mut line)? > 0 {
        with(&line);
        if !line.ends_with(b"\n") {
            log.skip_until(b'\n')?;
        }
        line.clear();
    }
    Ok(())
}
