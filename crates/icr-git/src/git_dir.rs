//! Decides which git directories are trusted. A commit can contain files that look like a git directory, and such files
//! may name any directory of the machine as their worktree or as their repository.

use std::path::{Path, PathBuf};

use gix::discover::repository::Path as Met;
use gix::sec::Trust;

use crate::Error;

const DOT_GIT: &str = ".git";

/// Most linked worktrees that are checked: people have dozens at most; a clone that came with more is suspicious.
const LINKED_MOST: usize = 1_000;

/// A git directory that a search upwards found, and how it was found.
pub(crate) struct GitDirectory {
    /// Absolute, without symbolic links.
    path: PathBuf,
    /// The `.git` of a worktree that is this directory or names it; `None` if the search started inside of the git
    /// directory.
    entry: Option<PathBuf>,
}

impl GitDirectory {
    /// The git directory `met` by a search that began at `start`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when its paths cannot be resolved.
    pub(crate) fn of_search(start: &Path, met: Met) -> Result<Self, Error> {
        let (path, worktree) = met.into_repository_and_work_tree_directories();
        let path = canonical(&path)?;
        let is_within = canonical(start)?.starts_with(&path);
        let entry = match worktree {
            _ if is_git_named(&path) => path.parent().map(|worktree| worktree.join(DOT_GIT)),
            Some(worktree) if !is_within => std::fs::canonicalize(worktree).ok().map(|it| it.join(DOT_GIT)),
            _ => None,
        };
        Ok(Self { path, entry })
    }

    /// Path of the git directory, absolute, without symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a git directory that lies among the files of a worktree, unless the user named it (`is_named`). Refuses
    /// that of a linked worktree unless both name each other.
    ///
    /// # Errors
    ///
    /// [`Error::GitDirectoryAmongFiles`] and [`Error::UnlinkedGitDirectory`].
    pub(crate) fn check(&self, is_named: bool) -> Result<(), Error> {
        let link = check_link(&self.path, self.entry.as_deref());
        let is_linked = self.path.join("commondir").exists();
        if self.entry.is_some() || is_named || (is_linked && link.is_ok()) {
            return link;
        }
        match worktree_with(&self.path) {
            Some(worktree) => Err(Error::GitDirectoryAmongFiles { git_dir: self.path.clone(), worktree }),
            None => link,
        }
    }

    /// Whether the current user owns all paths that git checks: the git directory, its worktree and the `.git` file
    /// that names it.
    pub(crate) fn trust(&self) -> Trust {
        let is_owned = |path: &Path| gix::sec::identity::is_path_owned_by_current_user(path).unwrap_or(false);
        let entry = self.entry.as_deref();
        let mut paths = std::iter::once(self.path.as_path()).chain(entry).chain(entry.and_then(Path::parent));
        if paths.all(is_owned) { Trust::Full } else { Trust::Reduced }
    }
}

/// Refuses the git directory of a linked worktree if it is not where git puts it, or if the worktree does not name it.
///
/// # Errors
///
/// [`Error::UnlinkedGitDirectory`].
pub(crate) fn check_link(git_dir: &Path, entry: Option<&Path>) -> Result<(), Error> {
    let Some(common_dir) = common_dir(git_dir) else { return Ok(()) };
    let is_in_place = common_dir.is_some_and(|common_dir| git_dir.parent() == Some(&common_dir.join("worktrees")));
    let named = named_entry(git_dir);
    let names_back = named.as_deref().is_some_and(|named| git_dir_of(named).as_deref() == Some(git_dir));
    let is_same = entry.is_none_or(|entry| named.as_deref() == Some(entry));
    match is_in_place && names_back && is_same {
        true => Ok(()),
        false => Err(Error::UnlinkedGitDirectory { git_dir: git_dir.to_owned(), worktree: named }),
    }
}

/// The `.git` of the worktree that the git directory of a linked worktree names.
fn named_entry(git_dir: &Path) -> Option<PathBuf> {
    let named = gix::discover::path::from_plain_file_relative_to_file(&git_dir.join("gitdir"))?.ok()?;
    // Only the directory is resolved: the `.git` file itself may be a link.
    Some(std::fs::canonicalize(named.parent()?).ok()?.join(DOT_GIT))
}

/// Roots of the existing worktrees that share `common_dir`, sorted: the main worktree around it, and each linked
/// worktree whose `.git` and git directory name each other. Checks at most [`LINKED_MOST`] linked ones.
pub(crate) fn worktree_roots(common_dir: &Path) -> Vec<PathBuf> {
    let own = common_dir.parent().filter(|_| is_git_named(common_dir)).map(Path::to_owned);
    let linked = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let linked = linked.take(LINKED_MOST).map(|entry| entry.path()).filter_map(|git_dir| {
        check_link(&git_dir, None).ok()?;
        named_entry(&git_dir)?.parent().map(Path::to_owned)
    });
    let mut roots: Vec<PathBuf> = own.into_iter().chain(linked).collect();
    roots.sort();
    roots
}

/// Refuses a worktree that does not belong to the git directory, that is, one that neither names it nor lies in the
/// directory that contains it. Both paths are absolute and without symbolic links.
///
/// # Errors
///
/// [`Error::ForeignWorktree`].
pub(crate) fn check_worktree(git_dir: &Path, worktree: &Path) -> Result<(), Error> {
    let names_it = || git_dir_of(&worktree.join(DOT_GIT)).as_deref() == Some(git_dir);
    let own = git_dir.ancestors().filter(|path| is_git_named(path)).filter_map(Path::parent).last();
    if worktree.starts_with(own.unwrap_or(git_dir)) || names_it() {
        return Ok(());
    }
    Err(Error::ForeignWorktree { git_dir: git_dir.to_owned(), worktree: worktree.to_owned() })
}

/// The root of the worktree whose files include `git_dir`.
fn worktree_with(git_dir: &Path) -> Option<PathBuf> {
    for directory in git_dir.ancestors().skip(1) {
        if is_git_named(directory) && gix::discover::is_git(directory).is_ok() {
            return None;
        }
        let Some(found) = git_dir_of(&directory.join(DOT_GIT)) else { continue };
        let shared = common_dir(&found).flatten();
        let is_within = [Some(found), shared].into_iter().flatten().any(|own| git_dir.starts_with(own));
        return (!is_within).then(|| directory.to_owned());
    }
    None
}

/// The git directory that `entry`, the `.git` of a worktree, is or points to.
fn git_dir_of(entry: &Path) -> Option<PathBuf> {
    gix::discover::is_git(entry).ok()?;
    let named = if entry.is_file() { gix::discover::path::from_gitdir_file(entry).ok()? } else { entry.to_owned() };
    std::fs::canonicalize(named).ok()
}

/// The common directory that the git directory of a linked worktree names; `Some(None)` if that directory does not
/// exist, and `None` if this is no linked worktree.
fn common_dir(git_dir: &Path) -> Option<Option<PathBuf>> {
    let named = gix::discover::path::from_plain_file(&git_dir.join("commondir"))?;
    Some(named.ok().and_then(|named| std::fs::canonicalize(git_dir.join(named)).ok()))
}

fn is_git_named(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DOT_GIT)
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    std::fs::canonicalize(path).map_err(|source| Error::Io { path: path.to_owned(), source })
}
