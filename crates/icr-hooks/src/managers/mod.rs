//! Programs that write hooks themselves, and how icr lives with each.

mod husky;
mod lefthook;
mod overcommit;
mod pre_commit;
mod simple_git_hooks;

use std::path::Path;

/// A program that writes hooks.
#[derive(Debug)]
pub(crate) struct HookKeeper {
    pub(crate) name: &'static str,
    /// Whether a hook with these bytes is one of those it writes, and writes again.
    pub(crate) wrote: fn(&[u8]) -> bool,
    /// Whether every hook of the repository with this root and this directory of hooks is its own, there or not: it would write
    /// over or delete ours.
    pub(crate) rules: fn(&Path, &Path) -> bool,
    pub(crate) way: HookIntegration,
}

/// How a hook of ours is run where a manager is.
#[derive(Debug)]
pub(crate) enum HookIntegration {
    /// The manager runs a hook with this ending beside its own, and keeps it.
    Beside(&'static str),
    /// By a line in the manager's own configuration, which is the user's to write.
    Line {
        /// The file, given the event, relative to the root.
        file: fn(&str) -> String,
        /// What to write into it, given the event.
        line: fn(&str) -> String,
    },
}

/// A row and a file for each manager.
const MANAGERS: &[&HookKeeper] = &[
    // tidy: sorted
    &husky::MANAGER,
    &lefthook::MANAGER,
    &overcommit::MANAGER,
    &pre_commit::MANAGER,
    &simple_git_hooks::MANAGER,
    // tidy: end
];

/// The manager to which all hooks of a repository belong.
pub(crate) fn manager_of(root: &Path, directory: &Path) -> Option<&'static HookKeeper> {
    MANAGERS.iter().find(|manager| (manager.rules)(root, directory)).copied()
}

/// The manager that wrote a hook.
pub(crate) fn writer_of(text: &[u8]) -> Option<&'static HookKeeper> {
    MANAGERS.iter().find(|manager| (manager.wrote)(text)).copied()
}

/// Whether `text` has `words`, in any place.
fn has(text: &[u8], words: &str) -> bool {
    text.windows(words.len()).any(|window| window == words.as_bytes())
}

/// `post-commit` as `PostCommit`.
fn camel_case(event: &str) -> String {
    let words = event.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_uppercase())
    });
    words.collect()
}
