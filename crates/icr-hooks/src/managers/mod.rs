//! Programs that write hooks themselves (hook managers), and how icr works with each.

mod husky;
mod lefthook;
mod overcommit;
mod pre_commit;
mod simple_git_hooks;

use std::path::Path;

/// A hook manager.
#[derive(Debug)]
pub(crate) struct HookProgram {
    pub(crate) name: &'static str,
    /// Whether a hook with these bytes was written by this manager, which will write it again.
    pub(crate) wrote: fn(&[u8]) -> bool,
    /// Whether this manager owns every hook of the repository with this root and this hooks directory, even if the file
    /// does not exist: it would overwrite or delete scripts of icr.
    pub(crate) rules: fn(&Path, &Path) -> bool,
    pub(crate) way: HookIntegration,
}

/// How a script of icr is run if there is a manager.
#[derive(Debug)]
pub(crate) enum HookIntegration {
    /// The manager runs a hook with this suffix beside its own, and keeps it.
    Beside(&'static str),
    /// By a line in the manager's own configuration, which the user must write.
    Line {
        /// The file for an event, relative to the root.
        file: fn(&str) -> String,
        /// The line for an event.
        line: fn(&str) -> String,
    },
}

/// A row and a file for each manager.
const MANAGERS: &[&HookProgram] = &[
    // tidy: sorted
    &husky::MANAGER,
    &lefthook::MANAGER,
    &overcommit::MANAGER,
    &pre_commit::MANAGER,
    &simple_git_hooks::MANAGER,
    // tidy: end
];

/// The manager that owns all hooks of a repository.
pub(crate) fn manager_of(root: &Path, directory: &Path) -> Option<&'static HookProgram> {
    MANAGERS.iter().find(|manager| (manager.rules)(root, directory)).copied()
}

/// The manager that wrote a hook.
pub(crate) fn writer_of(text: &[u8]) -> Option<&'static HookProgram> {
    MANAGERS.iter().find(|manager| (manager.wrote)(text)).copied()
}

/// Whether `text` contains `words`.
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
