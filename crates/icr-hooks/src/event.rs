//! The events of git that move HEAD or the worktree, the one before a push, and what is run at each.

/// An event of git, and the hook script for it.
#[derive(Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Name of the hook, which is the name of its file.
    pub name: &'static str,
    /// What has happened when git runs it; of pre-push, what is about to.
    pub doc: &'static str,
    /// The script as it lies in the repository of icr, before it is told where icr is.
    pub(crate) script: &'static [u8],
}

/// Every event that icr has a script for.
///
/// Found by trying which operations of git run which hooks. What is left out costs more than it brings, since a question
/// follows HEAD in any case:
///
/// - `post-index-change` is the only hook of `git reset --hard` and `git stash` that a worktree has, but also runs in `git status`
///   and `git add`, which would start a shell each.
/// - `reference-transaction` also sees `git reset` and `git update-ref`, but runs two or three times for each commit
///   and fetch, with a shell each.
/// - `post-applypatch` is there and not among those that are put in unasked: git runs it for each patch, also of `git rebase --apply`, at a shell each.
/// - `pre-push` is there and not among them either: it moves nothing, and git waits for what it tells.
/// - `post-update` says less than `post-receive`, and `push-to-checkout` takes the place of what git does itself.
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
