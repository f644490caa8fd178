//! Taking post-commit out of the way of a rebase.
//!
//! git runs post-commit for each commit that a rebase makes. A shell that only finds out that there is nothing to do takes a quarter
//! of the time of such a commit, so for as long as a rebase runs the hook has another name, under which git does not
//! find it. Whatever goes wrong meanwhile, nothing worse happens than that a commit is not followed before the next question.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::script::{HookFileKind, recognise};
use crate::slot::{BEFORE, with_ending};
use crate::{HookEvent, event};

/// Ending of the hook's name while it is out of the way.
pub(crate) const PAUSED: &str = ".paused-by-icr";

/// The hook that a rebase runs for each commit.
const PAUSED_EVENT: &str = "post-commit";

/// Longest pause: longer than a rebase of thousands of commits takes, and short enough where nobody sees its end.
const LONGEST: Duration = Duration::from_secs(600);

/// Time between two looks at a rebase. A look is two calls of the system.
const LOOK: Duration = Duration::from_millis(100);

/// Whether `arguments` and the git directory say that a rebase begins that has commits to make: git runs post-checkout then.
pub fn begins_rebase(event: &str, git_dir: &Path) -> bool {
    event == "post-checkout" && is_rebasing(git_dir)
}

/// Gives the post-commit hook in the directory `hooks` its other name; says whether it did. A hook that runs another one first, and one
/// that is not ours as it was installed, stays where it is.
///
/// # Errors
///
/// Whatever the system says when the file cannot be read or renamed.
pub fn pause(hooks: &Path) -> io::Result<bool> {
    let file = hooks.join(PAUSED_EVENT);
    if fs::symlink_metadata(with_ending(&file, BEFORE)).is_ok() || !is_ours(&file) {
        return Ok(false);
    }
    fs::rename(&file, paused(&file)).map(|()| true)
}

/// Gives it its name back, unless something else has that meanwhile; says whether it did.
///
/// # Errors
///
/// Whatever the system says when the file cannot be renamed.
pub fn resume(hooks: &Path) -> io::Result<bool> {
    let file = hooks.join(PAUSED_EVENT);
    let paused = paused(&file);
    if !is_ours(&paused) {
        return Ok(false);
    }
    // A second name first: that fails where something has the first one, and such a hook is not ours to write over.
    match fs::hard_link(&paused, &file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(&paused).map(|()| false),
        Err(_) if file.exists() => Ok(false),
        Err(_) => fs::rename(&paused, &file).map(|()| true),
        Ok(()) => fs::remove_file(&paused).map(|()| true),
    }
}

/// Waits until the rebase ends or stops to ask its user something, at most ten minutes, and resumes.
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

/// Whether git is making commits of a rebase. It leaves a file when it stops at one.
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
