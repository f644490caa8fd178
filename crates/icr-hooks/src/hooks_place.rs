//! Where git looks for hooks, and whom the hooks there affect.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde::Serialize;
use wait_timeout::ChildExt;

use crate::Error;
use crate::managers::{HookProgram, manager_of};

/// Time limit for a git query about its configuration, which normally takes a few milliseconds. A configuration that
/// includes a pipe or a device would make git wait forever.
const PATIENCE_WITH_GIT: Duration = Duration::from_secs(10);

/// Where git looks for the hooks of a repository.
#[derive(Debug, Clone)]
pub struct HooksPlace {
    /// Root of the worktree, or the directory of a bare repository.
    pub root: PathBuf,
    /// The hooks directory, absolute; it may not exist.
    pub directory: PathBuf,
    /// The default hooks directory; it may still contain hooks that were installed before `core.hooksPath` was set.
    pub usual: PathBuf,
    /// Whom hooks there affect.
    pub reach: HooksReach,
    pub(crate) manager: Option<&'static HookProgram>,
}

/// Whom the hooks of a directory affect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HooksReach {
    /// This clone and its worktrees.
    Clone,
    /// Everybody who works on the project: the directory is part of the worktree.
    Project,
    /// Other repositories too: the user's or the system's configuration names the directory.
    Others,
    /// Unknown: the configuration of the clone, which somebody else may have written, names a directory outside of it.
    Outside,
}

impl HooksPlace {
    /// The hooks directory for the worktree or bare repository at `root`. Asks git, so that `core.hooksPath`, a `~` in
    /// it and linked worktrees have git's meaning; environment variables of a running hook are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Git`] when git cannot be run or refuses the repository; [`Error::NotADirectory`] when the hooks path is
    /// not a directory, which disables hooks.
    pub fn find(root: &Path) -> Result<Self, Error> {
        let named = path(&git(root, &["rev-parse", "--git-path", "hooks"])?);
        let common = path(&git(root, &["rev-parse", "--git-common-dir"])?);
        let directory = root.join(named);
        if directory.exists() && !directory.is_dir() {
            return Err(Error::NotADirectory { path: directory });
        }
        let usual = root.join(common).join("hooks");
        let manager = manager_of(root, &directory);
        let reach = reach(root, &directory, &usual);
        Ok(Self { root: root.to_owned(), directory, usual, reach, manager })
    }

    /// Refuses a hooks directory that a link in the repository leads to and that is outside of the repository. The link
    /// may have been committed, and its author would choose which files of the user become hooks.
    pub(crate) fn refuse_link(&self) -> Result<(), Error> {
        let git_dir = self.usual.parent().unwrap_or(&self.usual);
        let own = [resolve_path(&self.root), resolve_path(git_dir)];
        let is_own = |path: &Path| own.iter().any(|own| path.starts_with(own));
        let place = resolve_path(&self.directory);
        let is_link = |path: &&Path| {
            let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            is_link && path.parent().is_some_and(|parent| is_own(&resolve_path(parent)))
        };
        match self.directory.ancestors().find(is_link) {
            Some(link) if !is_own(&place) => Err(Error::LinkOut { link: link.to_owned(), place }),
            _ => Ok(()),
        }
    }

    /// Refuses a directory whose hooks affect others than this clone.
    pub(crate) fn refuse_others(&self) -> Result<(), Error> {
        let reason = match self.reach {
            HooksReach::Clone => return Ok(()),
            HooksReach::Project => "the directory of hooks is part of the project, so a hook there is everybody's",
            HooksReach::Others => {
                "`core.hooksPath` is set for more repositories than this one, and hooks there run in all"
            }
            HooksReach::Outside => {
                "the clone's own `core.hooksPath` leads out of it, and whoever made the clone may have set it"
            }
        };
        let hint = "add `icr hook git EVENT \"$@\"` to the hooks there, or `--force` to put files there all the same";
        Err(Error::NotOurs { directory: self.directory.clone(), reason, hint: hint.to_owned() })
    }
}

fn reach(root: &Path, directory: &Path, usual: &Path) -> HooksReach {
    let (directory, usual) = (resolve_path(directory), resolve_path(usual));
    if directory == usual {
        return HooksReach::Clone;
    }
    let scope = git(root, &["config", "--show-scope", "--get", "core.hooksPath"]).unwrap_or_default();
    let scope = scope.to_string_lossy();
    if ["global\t", "system\t"].iter().any(|shared| scope.starts_with(shared)) {
        return HooksReach::Others;
    }
    let git_dir = usual.parent().unwrap_or(&usual);
    if directory.starts_with(git_dir) {
        return HooksReach::Clone;
    }
    if !directory.starts_with(resolve_path(root)) {
        return HooksReach::Outside;
    }
    // Files that git ignores stay on this machine. `check-ignore` fails for a path that is not ignored.
    let probe = directory.join("post-commit");
    let is_ignored = git(root, &[OsStr::new("check-ignore"), OsStr::new("-q"), probe.as_os_str()]).is_ok();
    if is_ignored { HooksReach::Clone } else { HooksReach::Project }
}

/// `path` without links and `..`, even if its last components do not exist.
fn resolve_path(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => resolve_path(parent).join(name),
        (Some(parent), Some(Component::ParentDir)) => {
            resolve_path(parent).parent().map_or_else(PathBuf::new, Path::to_owned)
        }
        _ => path.to_owned(),
    }
}

/// The output of git, without the line end.
fn git<S: AsRef<OsStr>>(root: &Path, arguments: &[S]) -> Result<OsString, Error> {
    #[expect(clippy::disallowed_methods, reason = "git alone knows all of its configuration")]
    let mut command = Command::new("git");
    // Prevents git from starting a program that the repository's own configuration names.
    command.args(["-c", "core.fsmonitor=false"]);
    command.args(arguments).current_dir(root).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    leave_repository(&mut command);
    let output =
        output_within(&mut command, PATIENCE_WITH_GIT).map_err(|error| Error::Git { reason: error.to_string() })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().lines().collect::<Vec<_>>().join("; ");
        return Err(Error::Git { reason });
    }
    let mut text = output.stdout;
    text.truncate(text.strip_suffix(b"\n").map_or(text.len(), <[u8]>::len));
    Ok(text_of(text))
}

/// The output of `command`, read from pipes after it has ended; the pipes are large enough for the expected output. A
/// program that takes longer than `patience`, or fills a pipe, is killed.
fn output_within(command: &mut Command, patience: Duration) -> std::io::Result<Output> {
    let mut child = command.spawn()?;
    if child.wait_timeout(patience)?.is_none() {
        child.kill()?;
        child.wait()?;
        let program = command.get_program().to_string_lossy();
        let reason = format!(
            "`{program}` gave no answer within {} s; is a file of its configuration a pipe or a device?",
            patience.as_secs()
        );
        return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, reason));
    }
    child.wait_with_output()
}

/// Removes from the environment of `command` the variables that describe the repository of the running hook.
#[expect(clippy::disallowed_methods, reason = "only names are looked at, and what git may add to them is not known")]
pub(crate) fn leave_repository(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_a_repository(name)) {
        command.env_remove(name);
    }
}

/// Whether a variable tells git which repository it is in, not how to behave.
fn is_of_a_repository(name: &OsStr) -> bool {
    let kept = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSH_COMMAND"];
    name.to_str().is_some_and(|name| name.starts_with("GIT_") && !kept.contains(&name))
}

fn path(text: &OsStr) -> PathBuf {
    PathBuf::from(text)
}

#[cfg(unix)]
fn text_of(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn text_of(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "programs that every system has")]
    fn a_program_that_never_answers_is_ended() {
        let mut endless = Command::new("sleep");
        endless.arg("1000000").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let error = output_within(&mut endless, Duration::from_millis(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sleep` gave no answer within 0 s; is a file of its configuration a pipe or a device?"
        );
        let mut quick = Command::new("echo");
        quick.arg("a").stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_eq!(output_within(&mut quick, PATIENCE_WITH_GIT).unwrap().stdout, b"a\n");
    }
}
