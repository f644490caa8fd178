//! The environment of the process: its variables, its start directory and the wall clock. Nothing else in the binary
//! reads them, and of the libraries only those that work with git or a runtime.
#![expect(clippy::disallowed_methods, reason = "this is the one place of the binary that asks")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

/// The variable `name`, which may be empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The environment variables that are valid UTF-8.
pub(crate) fn variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// All environment variables.
pub(crate) fn all() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// Arguments of the process; the first is its own name.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The current directory of the process.
///
/// # Errors
///
/// Errors of the system, for example if the directory is gone.
pub(crate) fn current_directory() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

/// Starts `command`, a shell command line that the user chose, as a reader of what is written to its standard input.
/// `variable` is added to its environment.
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
