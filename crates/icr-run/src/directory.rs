//! The root of a command, and the directory that it starts in.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Refusal, SandboxedCommand, environment};

/// The root of `command`, with symbolic links resolved.
///
/// # Errors
///
/// [`Refusal::Root`] if it is relative, is not a directory, or contains the home directory: a command may write below
/// its root, and the home directory holds the user's keys.
pub(crate) fn root(command: &SandboxedCommand<'_>) -> Result<PathBuf, Refusal> {
    let refuse = |why: &str| Err(Refusal::Root { root: command.root.clone(), why: why.to_owned() });
    if !command.root.is_absolute() {
        return refuse("it is no absolute path");
    }
    let Some(root) = fs::canonicalize(&command.root).ok().filter(|root| root.is_dir()) else {
        return refuse("it is no directory");
    };
    let home = environment::home(&command.environment).and_then(|home| fs::canonicalize(home).ok());
    if root.parent().is_none() || home.is_some_and(|home| home.starts_with(&root)) {
        return refuse("the home directory is in it, and a command may read and write everything below its root");
    }
    Ok(root)
}

/// The directory where `command` starts, with symbolic links resolved.
///
/// # Errors
///
/// [`Refusal::Outside`].
pub(crate) fn start(command: &SandboxedCommand<'_>, root: &Path) -> Result<PathBuf, Refusal> {
    let real = fs::canonicalize(root.join(&command.directory)).ok();
    real.filter(|real| real.starts_with(root) && real.is_dir())
        .ok_or_else(|| Refusal::Outside { directory: command.directory.clone(), root: command.root.clone() })
}
