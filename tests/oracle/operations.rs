//! What can happen to a repository and its store.

use icr_engine::WriteStep;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::texts::{PATHS, TEXTS};

/// One step of a history. Numbers choose among what there is at that moment; a step that git refuses changes nothing.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Writes text `text` to a path, uncommitted.
    Write { path: usize, text: usize },
    /// Deletes a file.
    Delete { file: Index },
    /// Moves a file.
    Rename { file: Index, path: usize },
    /// Copies a file.
    Copy { file: Index, path: usize },
    /// Makes a file executable, or no longer so.
    Chmod { file: Index },
    /// Replaces a path by a symbolic link.
    Link { path: usize },
    /// Stages everything.
    Stage,
    /// Writes `.icrignore`.
    Ignore { rules: usize },
    /// Commits everything.
    Commit,
    /// Amends the last commit with everything.
    Amend,
    /// Makes a branch and switches to it.
    Branch,
    /// Makes an orphan branch and switches to it.
    Orphan,
    /// Switches to a branch.
    Switch { to: Index },
    /// Checks out a commit.
    Detach { to: Index },
    /// Merges a branch; conflicts stay in the worktree.
    Merge { from: Index },
    /// Rebases onto a branch; a conflict ends it.
    Rebase { onto: Index },
    /// `git reset --hard` to an earlier commit.
    Reset { to: Index },
    /// Stashes everything.
    Stash,
    /// Pops the stash.
    Pop,
    /// Tags HEAD.
    Tag,
    /// Writes in the linked worktree and perhaps commits there.
    InWorktree { path: usize, text: usize, commit: bool },
    /// Writes in a clone and perhaps commits there.
    InClone { path: usize, text: usize, commit: bool },
    /// The clone fetches and merges what is new.
    Pull,
    /// `icr gc`.
    Collect,
    /// Sets all last uses to long ago, lets git drop unreachable objects, then runs `icr gc`.
    CollectAged,
    /// `git gc`, which packs refs and objects.
    GitCollect,
    /// A sync that fails at a step.
    Fail { step: WriteStep },
    /// Merges all segments of the postings into one.
    MergePostings,
    /// Syncs HEAD, as a hook does.
    Sync,
    /// Syncs HEAD with vectors switched off.
    SyncWithoutVectors,
}

/// Histories that begin with some files.
pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let writes = prop::collection::vec(write(), 2..5);
    let rest = prop::collection::vec(operation(), 6..12);
    (writes, rest).prop_map(|(writes, rest)| writes.into_iter().chain([Operation::Commit]).chain(rest).collect())
}

fn write() -> impl Strategy<Value = Operation> {
    (0..PATHS.len(), 0..TEXTS).prop_map(|(path, text)| Operation::Write { path, text })
}

fn operation() -> impl Strategy<Value = Operation> {
    let (path, text) = (0..PATHS.len(), 0..TEXTS);
    let index = any::<Index>;
    prop_oneof![
        8 => write(),
        2 => index().prop_map(|file| Operation::Delete { file }),
        2 => (index(), path.clone()).prop_map(|(file, path)| Operation::Rename { file, path }),
        2 => (index(), path.clone()).prop_map(|(file, path)| Operation::Copy { file, path }),
        1 => index().prop_map(|file| Operation::Chmod { file }),
        1 => path.clone().prop_map(|path| Operation::Link { path }),
        1 => Just(Operation::Stage),
        2 => (0..3_usize).prop_map(|rules| Operation::Ignore { rules }),
        8 => Just(Operation::Commit),
        2 => Just(Operation::Amend),
        3 => Just(Operation::Branch),
        1 => Just(Operation::Orphan),
        3 => index().prop_map(|to| Operation::Switch { to }),
        2 => index().prop_map(|to| Operation::Detach { to }),
        2 => index().prop_map(|from| Operation::Merge { from }),
        2 => index().prop_map(|onto| Operation::Rebase { onto }),
        1 => index().prop_map(|to| Operation::Reset { to }),
        1 => Just(Operation::Stash),
        2 => Just(Operation::Pop),
        1 => Just(Operation::Tag),
        3 => (path.clone(), text.clone(), any::<bool>())
            .prop_map(|(path, text, commit)| Operation::InWorktree { path, text, commit }),
        3 => (path, text, any::<bool>()).prop_map(|(path, text, commit)| Operation::InClone { path, text, commit }),
        1 => Just(Operation::Pull),
        1 => Just(Operation::Collect),
        2 => Just(Operation::CollectAged),
        1 => Just(Operation::GitCollect),
        3 => (0..7_usize).prop_map(|at| Operation::Fail { step: WriteStep::ALL[at] }),
        1 => Just(Operation::MergePostings),
        1 => Just(Operation::Sync),
        2 => Just(Operation::SyncWithoutVectors),
    ]
}
