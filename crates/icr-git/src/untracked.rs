//! Files and links on disk that are not in the index and that git does not ignore.

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

/// Paths that are not in the index and that git does not ignore, each list ordered by path.
#[derive(Default)]
pub(crate) struct UntrackedPaths {
    /// Ordinary files.
    pub(crate) files: Vec<Vec<u8>>,
    /// Symbolic links.
    pub(crate) links: Vec<Vec<u8>>,
}

/// The untracked files and links. Links are not followed, and neither nested repositories nor directories that the
/// policy leaves out are read. Anything in place of a rule file that is not a file is ignored, with a warning.
///
/// Each directory is passed to `followed` before it is read.
///
/// Cost: one listing for each directory; `.gitignore` files are read only in directories that contain, at any depth, an
/// untracked name.
pub(crate) fn untracked(
    repo: &gix::Repository,
    root: &Path,
    index: &gix::index::File,
    tracked: &[TrackedPath<'_>],
    policy: &Policy,
    followed: Option<DirectoryFollower<'_>>,
) -> Result<UntrackedPaths, Error> {
    let excludes = match policy.respects_gitignore() {
        true => Some(excludes(repo, index, Source::WorktreeThenIdMappingIfNotSkipped)?),
        false => None,
    };
    // On a case-insensitive file system, a tracked file may have been renamed by case only; it is still tracked.
    let folds_case = repo.config_snapshot().boolean("core.ignoreCase").unwrap_or(false);
    let folded = match folds_case {
        true => tracked.iter().map(|file| file.path.to_ascii_lowercase()).collect(),
        false => HashSet::new(),
    };
    let found = UntrackedPaths::default();
    let mut walk = UntrackedWalk { repo, index, root, tracked, folded, policy, excludes, followed, found };
    let mut pending = vec![(Vec::new(), 0..tracked.len())];
    while let Some((directory, range)) = pending.pop() {
        walk.directory(&directory, range, &mut pending)?;
    }
    let mut found = walk.found;
    found.files.sort();
    found.links.sort();
    Ok(found)
}

/// The rules of `.gitignore` files; `source` says where they are read from.
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
    found: UntrackedPaths,
}

impl UntrackedWalk<'_> {
    /// Collects the files and links of one directory and adds its subdirectories to `pending`. `prefix` is empty or
    /// ends in `/`. As in git, a directory that cannot be listed counts as empty.
    fn directory(&mut self, prefix: &[u8], range: Range, pending: &mut Vec<(Vec<u8>, Range)>) -> Result<(), Error> {
        let Some(path) = on_disk(self.root, prefix) else { return Ok(()) };
        if let Some(DirectoryFollower { follow, walks_first }) = self.followed {
            follow.follow(&path, Names::All, !range.is_empty() && !walks_first);
        }
        let Ok(entries) = std::fs::read_dir(path) else { return Ok(()) };
        let entries: Vec<_> = entries.filter_map(Result::ok).collect();
        // Checked before the first query for a name in this directory, since that query reads the rule file.
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
                continue;
            }
            let mode = match () {
                () if kind.is_file() => Mode::FILE,
                () if kind.is_symlink() => Mode::SYMLINK,
                () => continue,
            };
            if self.is_tracked(&path, range.clone()) || self.is_excluded(&path, mode) {
                continue;
            }
            match mode {
                Mode::SYMLINK => self.found.links.push(path),
                _ => self.found.files.push(path),
            }
        }
        Ok(())
    }

    /// Warns if `entry` has the name of a rule file but is not a file. If even reading it would do harm, only rules in
    /// the index count from then on.
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

    /// The tracked paths below `directory`; `None` if it must not be entered.
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
        // If the rules cannot be checked for a path, it is left out rather than shown against the user's will.
        excludes.at_entry(gix::bstr::BStr::new(path), Some(mode)).map_or(true, |platform| platform.is_excluded())
    }

    /// Whether a nested repository begins here: a clone, or a linked worktree of this repository.
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
