//! Rule files of a repository, which say what icr examines and how it judges. A change must not use them to hide: one
//! that ignores its own files, or raises its own threshold, would pass silently.

use icr_compute::Shape;
use icr_git::{Membership, OverlayState, Policy, PolicyOptions, Repository};
use icr_impact::{FileStatus, Incomplete};
use icr_model::{BlobId, RepoPath, TreeId};
use icr_view::Foundation;

use crate::Error;
use crate::change::incomplete::Opaque;
use crate::change::sides::{ChangePlanner, ChangeSide, ChangeSource, FilePair, ViewChange};
use crate::engine::{committed, in_worktree, policy, policy_of};
use crate::options::{OpenOptions, RulesBefore};
use crate::snapshot_context::SnapshotContext;

/// Files of a repository that shape answers about it.
pub(crate) const RULE_FILES: [&str; 3] = [".icr.toml", ".icrignore", ".icr/ignore"];

/// Lines of an ignore file that leave out all files but the [`RULE_FILES`]. A file in `.icr/` is no member of a view
/// otherwise.
const ALL_BUT_RULE_FILES: [&str; 6] = ["/*", "!/.icr.toml", "!/.icrignore", "!/.icr/", "/.icr/*", "!/.icr/ignore"];

/// Name of the files by which git, and icr with it, leaves out untracked files.
const GIT_IGNORE: &[u8] = b".gitignore";

/// A row for each of the [`RULE_FILES`] that the change alters, and for each `.gitignore` of the worktree if untracked
/// files are part of the change.
pub(crate) fn altered_rule_files(change: &ViewChange<'_>) -> Vec<Incomplete> {
    let row = |path: String, rules: &str| Incomplete {
        path,
        reason: format!("it holds rules {rules}, and the change alters it: read it"),
        code: false,
    };
    let mut rows: Vec<Incomplete> =
        altered_names(change).map(|name| row(name.to_owned(), "that icr judges by")).collect();
    let has_untracked = matches!(change.new, ChangeSide::Asked(_)) && !change.is_whole_files;
    if has_untracked && change.new.context.foundation.shape.policy().respects_gitignore() {
        let of_git = change.files.iter().map(FilePair::path).filter(|path| path.file_name() == GIT_IGNORE);
        rows.extend(of_git.map(|path| row(path.to_string(), "that leave out untracked files")));
    }
    rows
}

/// The [`RULE_FILES`] that the change alters.
fn altered_names(change: &ViewChange<'_>) -> impl Iterator<Item = &'static str> {
    let is_changed = move |name: &&str| {
        let path = RepoPath::from(*name);
        let sides = |file: &FilePair| file.old.as_ref() == Some(&path) || file.new.as_ref() == Some(&path);
        change.files.iter().any(sides)
    };
    RULE_FILES.into_iter().filter(is_changed)
}

/// Adds the [`RULE_FILES`] that differ between `tree` and the index, if only what `is_staged` counts, or the worktree,
/// and that `files` does not have, because a rule leaves them out. As for other files, one that git ignores and does not
/// track is no part of the change.
///
/// Cost: a look at each of them; only if one differs in the worktree, or for what is staged, the index and the tree.
///
/// # Errors
///
/// Those of reading the index and the tree.
pub(crate) fn add_rule_files(
    repository: &Repository,
    tree: TreeId,
    is_staged: bool,
    files: &mut Vec<FilePair>,
) -> Result<(), Error> {
    let is_listed = |files: &[FilePair], path: &RepoPath| {
        files.iter().any(|file| [&file.old, &file.new].into_iter().flatten().any(|listed| listed == path))
    };
    // Most have none, and the overlay of a large worktree takes a while.
    let may_differ = |name: &str| -> Result<bool, Error> {
        let is_other = || Ok(committed(repository, tree, name)? != in_worktree(repository, name)?);
        if is_listed(files, &RepoPath::from(name)) { Ok(false) } else { is_other() }
    };
    let mut any_differs = is_staged;
    for name in RULE_FILES {
        any_differs = any_differs || may_differ(name)?;
    }
    if !any_differs {
        return Ok(());
    }
    let ignore_patterns = ALL_BUT_RULE_FILES.map(str::to_owned).to_vec();
    let policy = Policy::new(PolicyOptions { ignore_patterns, ..PolicyOptions::default() });
    let overlay = if is_staged { repository.staged(&policy, tree)? } else { repository.overlay(&policy, tree)? };
    for entry in overlay.entries {
        if is_listed(files, &entry.path) {
            continue;
        }
        let was_there = repository.file_at(tree, &entry.path)?.is_some_and(|(_, kind)| kind.is_file());
        let is_there = matches!(entry.state, OverlayState::Present { .. });
        let status = match (was_there, is_there) {
            (true, true) => FileStatus::Modified,
            (true, false) => FileStatus::Deleted,
            (false, true) => FileStatus::Added,
            (false, false) => continue,
        };
        let old = was_there.then(|| entry.path.clone());
        let new = is_there.then_some(entry.path);
        files.push(FilePair { old, new, status, opaque: Some(Opaque::LeftOut) });
    }
    files.sort_by(|one, other| one.path().cmp(other.path()));
    Ok(())
}

/// Which rules count for which side, if the change alters some. `None` if it alters none, and for commits under the
/// rules of their base, which whoever chose them names.
pub(crate) fn rules_in_force(change: &ViewChange<'_>, source: &ChangeSource) -> Option<String> {
    let names: Vec<String> = altered_names(change).map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        return None;
    }
    let what = format!("the change alters {}", names.join(", "));
    match source {
        ChangeSource::Revisions(_) if change.new.context.options.rules_before.is_some() => None,
        // The worktree has the rules of the base.
        ChangeSource::Revisions(_) => {
            Some(format!("{what}; configuration and ignore files count for both sides as they were before the change"))
        }
        ChangeSource::Worktree | ChangeSource::Staged | ChangeSource::Patch(_) => Some(format!(
            "{what}; configuration and ignore files count for both sides as they are in the worktree, accepted breaks as they were before the change"
        )),
        ChangeSource::Paths(_) => None,
    }
}

/// The membership rules with the ignore files of the tree that a change was made on. If the worktree has another
/// `.icr.toml` than that tree, all exclusions by configuration are dropped, because any of them may have come with the
/// change.
///
/// # Errors
///
/// Those of reading the tree.
pub(crate) fn policy_before(context: &SnapshotContext, tree: TreeId) -> Result<Policy, Error> {
    let (repository, options) = (&context.foundation.repository, &*context.options);
    let before = |name: &str| committed(repository, tree, name);
    let is_same = options.rules_before.is_some() || before(RULE_FILES[0])? == in_worktree(repository, RULE_FILES[0])?;
    if is_same {
        return policy_of(options, before);
    }
    let PolicyOptions { ignore_patterns, extensions, .. } = PolicyOptions::default();
    let built_in = OpenOptions { ignore_patterns, extensions, clone_secret_patterns: Vec::new(), ..options.clone() };
    policy_of(&built_in, before)
}

/// Files of `tree` that are left out only by a rule that the tree does not have, and that differ in the worktree.
///
/// Cost: nothing if the rules are the same, else a walk over the tree and a read of each file that a new rule leaves
/// out.
///
/// # Errors
///
/// Those of reading the tree.
pub(crate) fn newly_left_out(
    context: &SnapshotContext,
    tree: TreeId,
    holds: impl Fn(&RepoPath, BlobId) -> bool,
) -> Result<Vec<RepoPath>, Error> {
    let (before, now) = (policy_before(context, tree)?, context.foundation.shape.policy());
    if before.digest() == now.digest() {
        return Ok(Vec::new());
    }
    let mut left_out = Vec::new();
    context.foundation.repository.files(tree, &mut |file| {
        let is_new = file.kind.is_file()
            && before.decide(&file.path) == Membership::Member
            && now.decide(&file.path) != Membership::Member;
        if is_new {
            left_out.push((file.path, file.blob));
        }
    })?;
    left_out.retain(|(path, blob)| !holds(path, *blob));
    Ok(left_out.into_iter().map(|(path, _)| path).collect())
}

/// Why a file is left out: by rules from before the change, or by one that may have come with it. The old configuration
/// is not known here, so that a change of `.icr.toml` counts as the reason for all exclusions by configuration.
///
/// # Errors
///
/// Those of reading the tree.
pub(crate) fn left_out(change: &ViewChange<'_>, file: &FilePair) -> Result<Opaque, Error> {
    let (context, altered) = (&change.old.context, altered_rule_files(change));
    if altered.is_empty() || context.options.rules_before.is_some() {
        return Ok(Opaque::LeftOut);
    }
    if altered.iter().any(|row| row.path == RULE_FILES[0]) {
        return Ok(Opaque::LeftOutByChange);
    }
    let before = policy_before(context, change.old.view.revision().tree)?;
    let mut paths = [&file.old, &file.new].into_iter().flatten();
    let was_member = paths.all(|path| before.decide(path) == Membership::Member);
    Ok(if was_member { Opaque::LeftOutByChange } else { Opaque::LeftOut })
}

/// The rule files of a repository, and which of them judge a change. Reads trees and the worktree, no store, and writes
/// nothing.
#[derive(Clone, Copy)]
pub struct RuleFiles<'a> {
    repository: &'a Repository,
    /// The rules that the engine was opened with.
    shape: &'a Shape,
    options: &'a OpenOptions,
    planner: ChangePlanner<'a>,
}

impl<'a> RuleFiles<'a> {
    pub(crate) fn of(context: &'a SnapshotContext) -> Self {
        let SnapshotContext { foundation, options, .. } = context;
        let Foundation { repository, shape, .. } = &**foundation;
        Self { repository, shape, options, planner: ChangePlanner::of(context) }
    }

    /// Whether the membership rules are still those that the engine was opened with. Only checked in a bare repository,
    /// which reads them from HEAD's tree. In a worktree, the rules are files that the owner of the engine must watch.
    ///
    /// Cost: in a bare repository, a look at HEAD and two names of its tree; else nothing.
    pub fn are_current(&self) -> bool {
        let now = || policy(self.repository, self.options);
        let is_same = || now().is_ok_and(|policy| policy.digest() == self.shape.policy().digest());
        !self.repository.is_bare() || is_same()
    }

    /// The rules from before the change of `source`, if it is between revisions and the engine was opened with other
    /// rules: the configuration and ignore files of a change must not decide what is reported about it.
    ///
    /// # Errors
    ///
    /// Those of finding both sides, and of reading their trees.
    pub fn before_change(&self, source: &ChangeSource) -> Result<Option<RulesBefore>, Error> {
        let Some((base, head)) = self.planner.plan(source)?.revisions else { return Ok(None) };
        let rules = RulesBefore { base: base.tree, head: head.tree };
        let repository = self.repository;
        for name in RULE_FILES {
            let now = match name {
                // The configuration of a bare repository was made without a project file.
                ".icr.toml" if repository.is_bare() => None,
                _ => in_worktree(repository, name)?,
            };
            if rule_file(repository, &rules, name)? != now {
                return Ok(Some(rules));
            }
        }
        Ok(None)
    }

    /// The effective `.icr.toml`, `.icrignore` or `.icr/ignore` under `rules`: that of the side before the change; none
    /// if the change adds it; and if neither side has it, that of the worktree, which is no part of the change.
    ///
    /// # Errors
    ///
    /// Those of reading the trees and the worktree.
    pub fn file(&self, rules: &RulesBefore, name: &str) -> Result<Option<Vec<u8>>, Error> {
        rule_file(self.repository, rules, name)
    }
}

/// As [`RuleFiles::file`].
pub(crate) fn rule_file(repository: &Repository, rules: &RulesBefore, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match (committed(repository, rules.base, name)?, committed(repository, rules.head, name)?) {
        (Some(before), _) => Ok(Some(before)),
        (None, Some(_)) => Ok(None),
        (None, None) => in_worktree(repository, name),
    }
}
