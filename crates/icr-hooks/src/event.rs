//! The git hooks that icr uses: those after HEAD or the worktree has changed, and the one before a push.

/// A hook event of git, and the script for it.
#[derive(Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Name of the hook and of its file.
    pub name: &'static str,
    /// What has happened when git runs the hook; for pre-push, what is about to happen.
    pub doc: &'static str,
    /// The script template, before the path of icr is inserted.
    pub(crate) script: &'static [u8],
}

/// Every event that icr has a script for.
///
/// Found by testing which git operations run which hooks. The following hooks are left out, or not installed by
/// default. They cost more than they bring, since every query follows HEAD in any case:
///
/// - `post-index-change` is the only hook that `git reset --hard` and `git stash` run in a worktree, but it also runs
///   in `git status` and `git add`, which would start a shell each time.
/// - `reference-transaction` also sees `git reset` and `git update-ref`, but runs two or three times for each commit
///   and fetch, with a shell each.
/// - `post-applypatch` is supported but not installed by default: git runs it for each patch, also of
///   `git rebase --apply`, which starts a shell each time.
/// - `pre-push` is supported but not installed by default: it moves nothing, and git waits for its output.
/// - `post-update` passes less information than `post-receive`, and `push-to-checkout` replaces what git does itself.
/// - An interactive rebase that only drops commits, and `git rebase --abort`, run no hook at their end.
// One row, one line: a table is read by its columns.
#[rustfmt::skip]
pub const EVENTS: &[HookEvent] = &[
    // tidy: sorted
    row("post-applypatch", "the last patch of `git am` is committed", include_bytes!("../../../hooks/git/post-applypatch")),
    row("post-checkout", "HEAD was moved: checkout, switch, clone, worktree add", include_bytes!("../../../hooks/git/post-checkout")),
    row("post-commit", "a commit was made: commit, cherry-pick, revert", include_bytes!("../../../hooks/git/post-commit")),
    row("post-merge", "something was merged: merge, pull", include_bytes!("../../../hooks/git/post-merge")),
    row("post-receive", "a push was received, as in a bare repository", include_bytes!("../../../hooks/git/post-receive")),
    row("post-rewrite", "a rebase has ended", include_bytes!("../../../hooks/git/post-rewrite")),
    row("pre-push", "refs are about to be pushed", include_bytes!("../../../hooks/git/pre-push")),
    // tidy: end
];

/// The event called `name`, if icr has a script for it.
pub fn event(name: &str) -> Option<&'static HookEvent> {
    EVENTS.iter().find(|event| event.name == name)
}

const fn row(name: &'static str, doc: &'static str, script: &'static [u8]) -> HookEvent {
    HookEvent { name, doc, script }
}
