//! Rule files of a repository, which say what icr examines and how it judges. A change must not use them to hide: one
//! that ignores its own files, or raises its own threshold, would pass silently.

use icr_compute::Shape;
use icr_git::{Membership, Policy, PolicyOptions, Repository};
use icr_impact::Incomplete;
use icr_model::{BlobId, RepoPath, TreeId};
use icr_view::Foundation;

use crate::Error;
use crate::change::incomplete::Opaque;
use crate::change::sides::{ChangePlanner, ChangeSource, FilePair, ViewChange};
use crate::engine::{committed, in_worktree, policy, policy_of};
use crate::options::{OpenOptions, RulesBefore};
use crate::snapshot_context::SnapshotContext;

/// Files of a repository that shape answers about it.
pub(crate) const RULE_FILES: [&str; 3] = [".icr.toml", ".icrignore", ".icr/ignore"];

/// A row for each of the [`RULE_FILES`] that the change alters.
pub(crate) fn altered_rule_files(change: &ViewChange<'_>) -> Vec<Incomplete> {
    let is_changed = |name: &&&str| {
        let path = RepoPath::from(**name);
        let sides = |file: &FilePair| file.old.as_ref() == Some(&path) || file.new.as_ref() == Some(&path);
        change.files.iter().any(sides)
    };
    let row = |name: &&str| Incomplete {
        path: (*name).to_owned(),
        reason: "it holds rules that icr judges by, and the change alters it: read it".to_owned(),
        code: false,
    };
    RULE_FILES.iter().filter(is_changed).map(row).collect()
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
