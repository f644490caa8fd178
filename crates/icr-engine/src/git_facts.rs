//! What git says about a repository.

use std::path::{Path, PathBuf};

use icr_git::Repository;

use crate::Error;
use crate::snapshot_context::SnapshotContext;

/// What git says about a repository. Reads no store, and writes nothing.
#[derive(Debug, Clone, Copy)]
pub struct GitFacts<'a> {
    repository: &'a Repository,
}

impl<'a> GitFacts<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        Self { repository: &context.foundation.repository }
    }

    /// The git directory of this worktree.
    pub fn git_dir(&self) -> &'a Path {
        self.repository.git_dir()
    }

    /// The git directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &'a Path {
        self.repository.common_dir()
    }

    /// Roots of all worktrees of the repository that are there, sorted; see [`icr_git::Repository::worktree_roots`].
    pub fn worktree_roots(&self) -> Vec<PathBuf> {
        self.repository.worktree_roots()
    }

    /// Files outside of the repository that define what git ignores and how it converts, even if they do not exist. A
    /// monitor does not watch them; the owner of an engine must reopen it when one changes.
    pub fn rule_files(&self) -> Vec<PathBuf> {
        self.repository.rule_files()
    }

    /// The commit that HEAD stands at, in hexadecimal digits; `None` on a branch without one.
    ///
    /// # Errors
    ///
    /// Those of reading the repository.
    pub fn head_commit(&self) -> Result<Option<String>, Error> {
        Ok(self.repository.head()?.commit.map(|commit| commit.to_string()))
    }
}
