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

/// What time it is.
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}
