//! Decides whether the index must follow an event, from the arguments and from files of the git directory.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Whether the index must follow HEAD after `event`; git ran it with `arguments`, and `git_dir` is the git directory of
/// the worktree.
///
/// The scripts check the same before they start a process, so that a rebase starts none for each of its commits; this
/// function is for calls from other programs. For each rebase and each `git am` it returns true once: at the end. It
/// also returns true for an event without a script of icr, since the caller asks for it explicitly. Reads at most two
/// small files.
pub fn is_due(event: &str, arguments: &[&OsStr], git_dir: &Path) -> bool {
    let argument = |no: usize| arguments.get(no).and_then(|argument| argument.to_str());
    let (merging, applying) = (git_dir.join("rebase-merge"), git_dir.join("rebase-apply"));
    match event {
        // tidy: sorted
        "post-applypatch" => !applying.join("rebasing").exists() && !is_before_last_patch(&applying),
        "post-checkout" => argument(2) != Some("0") && !is_filled(&merging.join("git-rebase-todo")),
        "post-commit" => !merging.is_dir() && !applying.is_dir(),
        "post-merge" => argument(0) != Some("1"),
        "post-rewrite" => argument(0) != Some("amend"),
        // tidy: end
        _ => true,
    }
}

/// Whether `git am` has more patches to apply, by its own count. git does not wait for this call: it may have gone on
/// and be about to delete the files, so missing files mean that it has ended.
fn is_before_last_patch(applying: &Path) -> bool {
    let count =
        |name: &str| fs::read_to_string(applying.join(name)).ok().and_then(|text| text.trim().parse::<u64>().ok());
    matches!((count("next"), count("last")), (Some(next), Some(last)) if next < last)
}

/// Whether a rebase still has work to do. git writes the todo list before it moves HEAD; the list is empty for a
/// fast-forward.
fn is_filled(todo: &Path) -> bool {
    fs::metadata(todo).is_ok_and(|file| file.len() > 0)
}
