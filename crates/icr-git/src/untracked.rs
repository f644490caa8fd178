//! Files on disk that the index does not have and git does not ignore.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use gix::index::entry::Mode;

use crate::error::internal;
use crate::index::{Look, Tracked, on_disk};
use crate::overlay::{Followed, Names};
use crate::policy::refusal;
use crate::{Error, Policy};

/// The untracked files that are members of a view under `policy`, ordered by path. Links are not
/// followed; repositories inside the worktree are not entered; of directories that the policy leaves out nothing is
/// read.
///
/// `followed` is told of each directory before it is looked into.
///
/// Cost: one listing for each directory; `.gitignore` files are read only on the way to a name that is not tracked.
pub(crate) fn untracked(
    repo: &gix::Repository,
    root: &Path,
    index: &gix::index::File,
    tracked: &[Tracked<'_>],
    policy: &Policy,
    followed: Option<Followed<'_>>,
) -> Result<Vec<Vec<u8>>, Error> {
    let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
    let excludes = match policy.respects_gitignore() {
        true => Some(repo.excludes(index, None, source).map_err(internal("reading the ignore files of git"))?),
        false => None,
    };
    // On such file systems a file that was renamed by case only is still the tracked one.
    let folds_case = repo.config_snapshot().boolean("core.ignoreCase").unwrap_or(false);
    let folded = match folds_case {
        true => tracked.iter().map(|file| file.path.to_ascii_lowercase()).collect(),
        false => HashSet::new(),
    };
    let mut walk = Walk { root, tracked, folded, policy, excludes, followed, found: Vec::new() };
    let mut pending = vec![(Vec::new(), 0..tracked.len())];
    while let Some((directory, range)) = pending.pop() {
        walk.directory(&directory, range, &mut pending);
    }
    walk.found.sort();
    Ok(walk.found)
}

/// Tracked paths below one directory, as indexes.
type Range = std::ops::Range<usize>;

struct Walk<'a> {
    root: &'a Path,
    tracked: &'a [Tracked<'a>],
    folded: HashSet<Vec<u8>>,
    policy: &'a Policy,
    excludes: Option<gix::AttributeStack<'a>>,
    followed: Option<Followed<'a>>,
    found: Vec<Vec<u8>>,
}

impl Walk<'_> {
    /// Takes the files of one directory and adds its directories to `pending`. `prefix` is empty or ends in `/`. A
    /// directory that cannot be listed holds nothing, as for git.
    fn directory(&mut self, prefix: &[u8], range: Range, pending: &mut Vec<(Vec<u8>, Range)>) {
        let Some(path) = on_disk(self.root, prefix) else { return };
        if let Some(Followed { follow, walks_first }) = self.followed {
            follow.follow(&path, Names::All, !range.is_empty() && !walks_first);
        }
        let Ok(entries) = std::fs::read_dir(path) else { return };
        for entry in entries.filter_map(Result::ok) {
            let Some(name) = as_bytes(&entry.file_name()) else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = [prefix, name.as_slice()].concat();
            if refusal(&name).is_some() {
                continue;
            }
            if kind.is_dir() {
                if let Some(below) = self.enters(&path, range.clone()) {
                    pending.push(([path.as_slice(), b"/"].concat(), below));
                }
            } else if kind.is_file() && !self.is_tracked(&path, range.clone()) && !self.is_excluded(&path, Mode::FILE) {
                self.found.push(path);
            }
        }
    }

    /// The tracked paths below `directory`, if it is to be entered.
    fn enters(&mut self, directory: &[u8], range: Range) -> Option<Range> {
        if self.policy.prunes(directory) {
            return None;
        }
        let start = range.start + self.tracked[range.clone()].partition_point(|file| *file.path < *directory);
        let is_submodule = |file: &&Tracked<'_>| *file.path == *directory && file.look == Look::Nowhere;
        if self.tracked[start..range.end].first().filter(is_submodule).is_some() {
            return None;
        }
        let prefix = [directory, b"/"].concat();
        let rest = &self.tracked[range.clone()];
        let first = range.start + rest.partition_point(|file| *file.path < *prefix);
        let after = range.start + rest.partition_point(|file| *file.path < *prefix || file.path.starts_with(&prefix));
        let has_tracked = first < after;
        if !has_tracked && (self.is_excluded(directory, Mode::DIR) || self.is_repository(directory)) {
            return None;
        }
        Some(first..after)
    }

    fn is_tracked(&self, path: &[u8], range: Range) -> bool {
        self.tracked[range].binary_search_by(|file| (*file.path).cmp(path)).is_ok()
            || (!self.folded.is_empty() && self.folded.contains(&path.to_ascii_lowercase()))
    }

    fn is_excluded(&mut self, path: &[u8], mode: Mode) -> bool {
        let Some(excludes) = &mut self.excludes else { return false };
        // A path that cannot be asked about is left out rather than shown against the user's will.
        excludes.at_entry(gix::bstr::BStr::new(path), Some(mode)).map_or(true, |platform| platform.is_excluded())
    }

    /// Whether another repository begins here: a clone, or a linked worktree of this one.
    fn is_repository(&self, directory: &[u8]) -> bool {
        let Some(path) = on_disk(self.root, directory) else { return false };
        let git = path.join(".git");
        if let Some(Followed { follow, .. }) = self.followed {
            follow.follow(&path, Names::Only(&[".git"]), false);
            if git.is_dir() {
                follow.follow(&git, Names::Only(&["HEAD"]), false);
            }
        }
        git.is_file() || git.join("HEAD").exists()
    }
}

fn as_bytes(name: &OsStr) -> Option<Vec<u8>> {
    gix::path::os_str_into_bstr(name).ok().map(|name| name.to_vec())
}
