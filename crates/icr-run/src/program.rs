//! Finds the file that a command executes, and its directory.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Refusal, SandboxedCommand, directory, environment, limits};

/// The file to execute and its directory; all paths are absolute.
#[derive(Debug)]
pub(crate) struct Program {
    /// The file to execute.
    pub(crate) file: PathBuf,
    /// The root, with symbolic links resolved.
    pub(crate) root: PathBuf,
    /// Directory where the program starts, with symbolic links resolved; the root or below it.
    pub(crate) directory: PathBuf,
}

/// Checks `command` and finds its program.
///
/// # Errors
///
/// Any [`Refusal`] but those that the system gives later.
pub(crate) fn find(command: &SandboxedCommand<'_>) -> Result<Program, Refusal> {
    let name = command.argv.first().filter(|name| !name.is_empty()).ok_or(Refusal::Empty)?;
    refuse_nul(command)?;
    limits::check(command)?;
    if !command.allowed.allows(name) {
        return Err(Refusal::NotAllowed {
            program: name.clone(),
            source_of_list: command.allowed.source().to_owned(),
            similar: command.allowed.similar(name),
        });
    }
    let root = directory::root(command)?;
    let directory = directory::start(command, &root)?;
    let file = if name.contains('/') { below_root(name, &root)? } else { in_path(name, command, &root)? };
    Ok(Program { file, root, directory })
}

/// # Errors
///
/// [`Refusal::Nul`].
fn refuse_nul(command: &SandboxedCommand<'_>) -> Result<(), Refusal> {
    let has_nul = |bytes: &OsStr| bytes.as_encoded_bytes().contains(&0);
    let refuse = |what: String| Err(Refusal::Nul { what });
    if let Some(at) = command.argv.iter().position(|argument| argument.contains('\0')) {
        return refuse(if at == 0 { "the name of the program".to_owned() } else { format!("argument {at}") });
    }
    if let Some((name, _)) = command.environment.set.iter().find(|(name, value)| (name.clone() + value).contains('\0'))
    {
        return refuse(format!("the variable {}", name.escape_debug()));
    }
    let places = [&command.root, &command.directory].into_iter();
    let places = places.chain(&command.git_directories).chain(&command.readable).chain(&command.writable);
    match places.into_iter().find(|place| has_nul(place.as_os_str())) {
        Some(place) => refuse(format!("the path {:?}", place.display().to_string())),
        None => Ok(()),
    }
}

/// The program at the path `name` below `root`, whatever links lead to it.
fn below_root(name: &str, root: &Path) -> Result<PathBuf, Refusal> {
    let refuse = |why: &str| Err(Refusal::NoProgramFile { program: name.to_owned(), why: why.to_owned() });
    let file = root.join(name.strip_prefix("./").unwrap_or(name));
    let Ok(real) = fs::canonicalize(&file) else {
        return refuse("there is no such file in the worktree");
    };
    if !real.starts_with(root) {
        return refuse("it is a link out of the worktree");
    }
    if !is_program(&real) {
        return refuse("it is not a file that may be executed");
    }
    Ok(real)
}

/// The program that `name` means in `PATH`. Directories and programs inside of the worktree are skipped, since a clone
/// could have put them there.
fn in_path(name: &str, command: &SandboxedCommand<'_>, root: &Path) -> Result<PathBuf, Refusal> {
    let is_outside = |path: &Path| fs::canonicalize(path).is_ok_and(|real| !real.starts_with(root));
    environment::path_directories(&command.environment)
        .filter(|directory| is_outside(directory))
        .map(|directory| directory.join(name))
        .find(|file| is_program(file) && is_outside(file))
        .ok_or_else(|| Refusal::NoSuchProgram { program: name.to_owned() })
}

/// Whether any user may execute `file`.
#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0)
}

/// Whether `file` is one that can be executed.
#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
