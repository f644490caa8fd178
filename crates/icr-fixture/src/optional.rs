//! Optional requirements of tests that a machine may lack: a model, a browser, third-party clients, a network of its
//! own.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Set by continuous integration: there everything is tested.
const CI: &str = "CI";

/// Skips `test` and prints why: the machine lacks something. The caller must return. `lack` is a sentence about the
/// missing thing.
///
/// # Panics
///
/// Under continuous integration, where `CI` is set: a test that does not run must not look like one that passes.
#[track_caller]
pub fn skip(test: &str, lack: &str) {
    match notice(variable(CI).as_deref(), test, lack) {
        Ok(notice) => eprintln!("{notice}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// The path in the environment variable `variable`. If it is unset or empty, skips `test` and returns `None`.
///
/// # Panics
///
/// As [`skip`].
#[track_caller]
pub fn path_from(variable: &str, test: &str) -> Option<PathBuf> {
    let path = self::variable(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    if path.is_none() {
        skip(test, &format!("{variable} is not set"));
    }
    path
}

#[expect(clippy::disallowed_methods, reason = "the environment says what a machine has to test with")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// What is said about a test that cannot run, or, as an error, why that is a failure.
fn notice(ci: Option<&OsStr>, test: &str, lack: &str) -> Result<String, String> {
    match is_set(ci) {
        false => Ok(format!("{test} was skipped: {lack}; `.ci/provision` installs what tests need")),
        true => Err(format!("{test} cannot run: {lack}; {CI} is set, so that what tests need has to be there")),
    }
}

/// Whether a variable switches something on.
fn is_set(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| !["", "0", "false"].iter().any(|off| value.eq_ignore_ascii_case(off)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_laptop_skips_and_continuous_integration_fails() {
        for off in [None, Some(""), Some("false"), Some("0")] {
            let notice = notice(off.map(OsStr::new), "reads_a_page", "there is no browser");
            let expected = "reads_a_page was skipped: there is no browser; `.ci/provision` installs what tests need";
            assert_eq!(notice.as_deref(), Ok(expected), "{off:?}");
        }
        for on in ["true", "1", "yes"] {
            let notice = notice(Some(OsStr::new(on)), "reads_a_page", "there is no browser");
            let expected =
                "reads_a_page cannot run: there is no browser; CI is set, so that what tests need has to be there";
            assert_eq!(notice.as_ref().map_err(String::as_str), Err(expected), "{on}");
        }
    }
}
