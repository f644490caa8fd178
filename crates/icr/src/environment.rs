//! What surrounds the process: its variables, the directory it was started in, and the clock on the wall. Nothing else of
//! the binary asks for them, and no library is asked but those that git or a runtime speak to.
#![expect(clippy::disallowed_methods, reason = "this is the one place of the binary that asks")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

/// The variable `name`, which may be empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The variables that are text.
pub(crate) fn variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// All variables.
pub(crate) fn all() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// What the process was started with, its own name first.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The directory that the process works in.
///
/// # Errors
///
/// Those of the system, such as when the directory is gone.
pub(crate) fn current_directory() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Starts `command`, a line for a shell that the user chose, to read what is written to its standard input; `variable` is set besides the
/// others.
///
/// # Errors
///
/// Those of starting a program.
pub(crate) fn start_reader(command: &str, variable: Option<(&str, &str)>) -> std::io::Result<std::process::Child> {
    let is_plain = command.chars().all(|letter| letter.is_alphanumeric() || "-_./ ".contains(letter));
    let mut words = command.split_whitespace();
    let mut started = match (is_plain, words.next()) {
        // A program and its flags need no shell.
        (true, Some(program)) => {
            let mut started = std::process::Command::new(program);
            started.args(words);
            started
        }
        _ => {
            let mut started = std::process::Command::new("sh");
            started.args(["-c", command]);
            started
        }
    };
    started.envs(variable).stdin(std::process::Stdio::piped()).spawn()
}

/// What time it is.
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}
