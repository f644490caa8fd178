//! Disables the post-commit hook during a rebase.
//!
//! git runs post-commit for each commit of a rebase. Starting a shell that finds nothing to do takes a quarter of the
//! time of such a commit, so during a rebase the hook is renamed and git does not find it. Whatever goes wrong
//! meanwhile, the worst effect is that a commit is not followed before the next query.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::script::{HookFileKind, recognise};
use crate::slot::{BEFORE, with_ending};
use crate::{HookEvent, event};

/// Suffix of the hook's name while it is disabled.
pub(crate) const PAUSED: &str = ".paused-by-icr";

/// The hook that a rebase runs for each commit.
const PAUSED_EVENT: &str = "post-commit";

/// Longest pause: longer than a rebase of thousands of commits, and still short if the end of the rebase is missed.
const LONGEST: Duration = Duration::from_secs(600);

/// Interval at which a rebase is checked. A check takes two system calls.
const LOOK: Duration = Duration::from_millis(100);

/// Whether a rebase with commits to make is beginning: git runs post-checkout then.
pub fn begins_rebase(event: &str, git_dir: &Path) -> bool {
    event == "post-checkout" && is_rebasing(git_dir)
}

/// Renames the post-commit hook in the directory `hooks`; returns whether it did. A hook that runs another one first,
/// and one that is not an unmodified script of icr, is left alone.
///
/// # Errors
///
/// The error of the system when the file cannot be read or renamed.
pub fn pause(hooks: &Path) -> io::Result<bool> {
    let file = hooks.join(PAUSED_EVENT);
    if fs::symlink_metadata(with_ending(&file, BEFORE)).is_ok() || !is_ours(&file) {
        return Ok(false);
    }
    fs::rename(&file, paused(&file)).map(|()| true)
}

/// Restores the hook's name, unless another file has it now; returns whether it did.
///
/// # Errors
///
/// The error of the system when the file cannot be renamed.
pub fn resume(hooks: &Path) -> io::Result<bool> {
    let file = hooks.join(PAUSED_EVENT);
    let paused = paused(&file);
    if !is_ours(&paused) {
        return Ok(false);
    }
    // A hard link first: that fails if a file has this name, and a hook of somebody else must not be overwritten.
    match fs::hard_link(&paused, &file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(&paused).map(|()| false),
        Err(_) if file.exists() => Ok(false),
        Err(_) => fs::rename(&paused, &file).map(|()| true),
        Ok(()) => fs::remove_file(&paused).map(|()| true),
    }
}

/// Waits until the rebase ends or stops for the user, at most ten minutes, then calls [`resume`].
///
/// # Errors
///
/// Those of [`resume`].
pub fn resume_after_rebase(hooks: &Path, git_dir: &Path) -> io::Result<bool> {
    let began = Instant::now();
    while is_rebasing(git_dir) && began.elapsed() < LONGEST {
        std::thread::park_timeout(LOOK);
    }
    resume(hooks)
}

/// Whether git is making commits of a rebase. The file `stopped-sha` exists while a rebase has stopped at a commit.
fn is_rebasing(git_dir: &Path) -> bool {
    let rebase = git_dir.join("rebase-merge");
    fs::metadata(rebase.join("git-rebase-todo")).is_ok_and(|todo| todo.len() > 0)
        && !rebase.join("stopped-sha").exists()
}

fn paused(file: &Path) -> PathBuf {
    with_ending(file, PAUSED)
}

fn is_ours(file: &Path) -> bool {
    let post_commit: &HookEvent = event(PAUSED_EVENT).expect("the table has post-commit");
    let is_file = fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file());
    is_file && fs::read(file).is_ok_and(|text| matches!(recognise(post_commit, &text), HookFileKind::Ours { .. }))
}
