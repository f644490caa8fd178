//! Whether an event has to be followed, told from its arguments and from files of the git directory.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Whether `event`, run by git with `arguments` while `git_dir` is the git directory of the worktree, leaves HEAD where
/// the index has to follow it.
///
/// The scripts ask the same before they start anything, so that a rebase starts no process for each of its commits; this is for those
/// that other programs call. One answer is yes for each rebase and each `git am`: at the end. An event that icr has no
/// script for is followed too, since whoever calls it means it. Reads at most two small files.
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

/// Whether `git am` has more patches to apply, by its own count. Nobody waits for this: git may have counted on, and be about to
/// delete the files, so what is not there says that it has ended.
fn is_before_last_patch(applying: &Path) -> bool {
    let count =
        |name: &str| fs::read_to_string(applying.join(name)).ok().and_then(|text| text.trim().parse::<u64>().ok());
    matches!((count("next"), count("last")), (Some(next), Some(last)) if next < last)
}

/// Whether a rebase has anything left to do. It writes its plan, empty where HEAD only moves forward, before it moves HEAD.
fn is_filled(todo: &Path) -> bool {
    fs::metadata(todo).is_ok_and(|file| file.len() > 0)
}
