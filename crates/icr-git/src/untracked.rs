//! Files on disk that the index does not have and git does not ignore.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::Path;

use gix::index::entry::Mode;
use gix::worktree::stack::state::ignore::Source;
use icr_model::RepoPath;

use crate::error::internal;
use crate::index::{Look, TrackedPath, on_disk};
use crate::overlay::{DirectoryFollower, Names};
use crate::policy::refusal;
use crate::rule_file::RuleProblem;
use crate::{Error, Policy};

/// The untracked files that are members of a view under `policy`, ordered by path. Links are not
/// followed; repositories inside the worktree are not entered; of directories that the policy leaves out nothing is
/// read. Rules that are no file of rules do not count, which is logged.
///
/// `followed` is told of each directory before it is looked into.
///
/// Cost: one listing for each directory; `.gitignore` files are read only on the way to a name that is not tracked.
pub(crate) fn untracked(
    repo: &gix::Repository,
    root: &Path,
    index: &gix::index::File,
    tracked: &[TrackedPath<'_>],
    policy: &Policy,
    followed: Option<DirectoryFollower<'_>>,
) -> Result<Vec<Vec<u8>>, Error> {
    let excludes = match policy.respects_gitignore() {
        true => Some(excludes(repo, index, Source::WorktreeThenIdMappingIfNotSkipped)?),
        false => None,
    };
    // On such file systems a file that was renamed by case only is still the tracked one.
    let folds_case = repo.config_snapshot().boolean("core.ignoreCase").unwrap_or(false);
    let folded = match folds_case {
        true => tracked.iter().map(|file| file.path.to_ascii_lowercase()).collect(),
        false => HashSet::new(),
    };
    let mut walk = UntrackedWalk { repo, index, root, tracked, folded, policy, excludes, followed, found: Vec::new() };
    let mut pending = vec![(Vec::new(), 0..tracked.len())];
    while let Some((directory, range)) = pending.pop() {
        walk.directory(&directory, range, &mut pending)?;
    }
    walk.found.sort();
    Ok(walk.found)
}

/// The rules of `.gitignore` files, from where `source` says.
fn excludes<'a>(
    repo: &'a gix::Repository,
    index: &gix::index::File,
    source: Source,
) -> Result<gix::AttributeStack<'a>, Error> {
    repo.excludes(index, None, source).map_err(internal("reading the ignore files of git"))
}

/// Tracked paths below one directory, as indexes.
type Range = std::ops::Range<usize>;

struct UntrackedWalk<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::File,
    root: &'a Path,
    tracked: &'a [TrackedPath<'a>],
    folded: HashSet<Vec<u8>>,
    policy: &'a Policy,
    excludes: Option<gix::AttributeStack<'a>>,
    followed: Option<DirectoryFollower<'a>>,
    found: Vec<Vec<u8>>,
}

impl UntrackedWalk<'_> {
    /// Takes the files of one directory and adds its directories to `pending`. `prefix` is empty or ends in `/`. A
    /// directory that cannot be listed holds nothing, as for git.
    fn directory(&mut self, prefix: &[u8], range: Range, pending: &mut Vec<(Vec<u8>, Range)>) -> Result<(), Error> {
        let Some(path) = on_disk(self.root, prefix) else { return Ok(()) };
        if let Some(DirectoryFollower { follow, walks_first }) = self.followed {
            follow.follow(&path, Names::All, !range.is_empty() && !walks_first);
        }
        let Ok(entries) = std::fs::read_dir(path) else { return Ok(()) };
        let entries: Vec<_> = entries.filter_map(Result::ok).collect();
        // Before the first question about a name beside it, which reads it.
        for entry in &entries {
            self.look_at_rules(prefix, entry)?;
        }
        for entry in entries {
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
        Ok(())
    }

    /// Says so when `entry` is in the place of a file of rules and is none. Where even trying to read it would do harm, only rules
    /// of the index count from then on.
    fn look_at_rules(&mut self, prefix: &[u8], entry: &DirEntry) -> Result<(), Error> {
        let name = entry.file_name();
        let says_what_is_ignored = name == ".gitignore" && self.excludes.is_some();
        if !says_what_is_ignored && name != ".gitattributes" {
            return Ok(());
        }
        let Some(problem) = RuleProblem::at(&entry.path()) else { return Ok(()) };
        let path = RepoPath::new([prefix, name.as_encoded_bytes()].concat());
        let refused = Error::Refused { path: path.clone(), reason: problem.reason() };
        tracing::warn!("`{path}` does not count: {refused}");
        if says_what_is_ignored && matches!(problem, RuleProblem::Unreadable(_)) {
            self.excludes = Some(excludes(self.repo, self.index, Source::IdMapping)?);
        }
        Ok(())
    }

    /// The tracked paths below `directory`, if it is to be entered.
    fn enters(&mut self, directory: &[u8], range: Range) -> Option<Range> {
        if self.policy.prunes(directory) {
            return None;
        }
        let start = range.start + self.tracked[range.clone()].partition_point(|file| *file.path < *directory);
        let is_submodule = |file: &&TrackedPath<'_>| *file.path == *directory && file.look == Look::Nowhere;
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
        if let Some(DirectoryFollower { follow, .. }) = self.followed {
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
