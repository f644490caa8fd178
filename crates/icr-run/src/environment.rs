//! What of the caller's environment a command gets.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::Environment;

/// Variables that are passed on. According to their tools' documentation, none of them holds a secret.
const KEPT: &[&str] = &[
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CGO_ENABLED",
    "CI",
    "CONDA_PREFIX",
    "DENO_DIR",
    "DENO_INSTALL",
    "DOTNET_ROOT",
    "GEM_HOME",
    "GOBIN",
    "GOFLAGS",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GOTOOLCHAIN",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "MIX_ENV",
    "NODE_ENV",
    "NVM_DIR",
    "PATH",
    "PATHEXT",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RAILS_ENV",
    "RBENV_ROOT",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SYSTEMROOT",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// The value of `name`, unless it is unset or empty.
pub(crate) fn value<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsStr> {
    let mut of_name = environment.variables.iter().filter(|(key, _)| key == name);
    of_name.next().map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
}

/// The value of `name`, if it is an absolute path.
pub(crate) fn absolute(environment: &Environment, name: &str) -> Option<PathBuf> {
    value(environment, name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The home directory.
pub(crate) fn home(environment: &Environment) -> Option<PathBuf> {
    absolute(environment, if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

/// The absolute directories of `PATH`, in its order.
pub(crate) fn path_directories(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let path = value(environment, "PATH").unwrap_or(OsStr::new(if cfg!(windows) { "" } else { "/usr/bin:/bin" }));
    std::env::split_paths(path).filter(|directory| directory.is_absolute()).collect::<Vec<_>>().into_iter()
}

/// The variables of a command, sorted by name, each once. `temporary` is its private directory, `directory` the one
/// where it starts.
pub(crate) fn command_variables(
    environment: &Environment,
    temporary: &Path,
    directory: &Path,
) -> Vec<(OsString, OsString)> {
    let mut kept = std::collections::BTreeMap::new();
    for (name, value) in &environment.variables {
        if is_kept(environment, name) && !has_nul(name) && !has_nul(value) {
            kept.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let path = std::env::join_paths(path_directories(environment)).unwrap_or_default();
    kept.insert("PATH".into(), path);
    // Nobody answers a pager or an editor, and git is not to refresh an index that it cannot write.
    kept.insert("TERM".into(), "dumb".into());
    kept.insert("GIT_OPTIONAL_LOCKS".into(), "0".into());
    kept.insert("PWD".into(), directory.into());
    for name in if cfg!(windows) { &["TMP", "TEMP"][..] } else { &["TMPDIR"][..] } {
        kept.insert(name.into(), temporary.into());
    }
    kept.extend(environment.set.iter().map(|(name, value)| (name.into(), value.into())));
    kept.retain(|name, _| !name.is_empty() && !name.as_encoded_bytes().contains(&b'='));
    kept.into_iter().collect()
}

fn is_kept(environment: &Environment, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let usual = name.starts_with("LC_") || KEPT.iter().any(|kept| same_name(kept, name));
    usual || environment.keep.iter().any(|kept| same_name(kept, name))
}

/// Whether two names are the same variable: on Windows, case does not matter.
fn same_name(one: &str, other: &str) -> bool {
    if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other }
}

fn has_nul(text: &OsStr) -> bool {
    text.as_encoded_bytes().contains(&0)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{KEPT, command_variables, path_directories};
    use crate::Environment;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        Environment { variables, ..Environment::default() }
    }

    fn scrubbed_text(environment: &Environment) -> Vec<String> {
        let variables = command_variables(environment, Path::new("/tmp/private"), Path::new("/work"));
        variables.into_iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_known_to_be_harmless_stays_away() {
        let mut environment = environment(&[
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("BASH_ENV", "/evil"),
            ("DBUS_SESSION_BUS_ADDRESS", "x"),
            ("GIT_DIR", "x"),
            ("GITHUB_TOKEN", "x"),
            ("HOME", "/homes/somebody"),
            ("LC_ALL", "C.UTF-8"),
            ("LD_PRELOAD", "/evil.so"),
            ("PATH", "/usr/bin:.:bin::/bin"),
            ("SSH_AUTH_SOCK", "x"),
            ("TERM", "xterm"),
            ("TMPDIR", "/tmp/of-all"),
            ("HOME", "/second"),
            ("MINE", "mine"),
        ]);
        let mut expected = vec![
            "GIT_OPTIONAL_LOCKS=0",
            "HOME=/homes/somebody",
            "LC_ALL=C.UTF-8",
            "PATH=/usr/bin:/bin",
            "PWD=/work",
            "TERM=dumb",
            "TMPDIR=/tmp/private",
        ];
        assert_eq!(scrubbed_text(&environment), expected);
        environment.keep.push("MINE".to_owned());
        environment.set.push(("TERM".to_owned(), "ansi".to_owned()));
        expected.insert(3, "MINE=mine");
        expected[6] = "TERM=ansi";
        assert_eq!(scrubbed_text(&environment), expected);
    }

    #[cfg(unix)]
    #[test]
    fn only_absolute_directories_are_looked_in() {
        let found: Vec<_> = path_directories(&environment(&[("PATH", ":.:a:./b:/usr/bin:../c:/bin")])).collect();
        assert_eq!(found, [Path::new("/usr/bin"), Path::new("/bin")]);
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(KEPT.is_sorted());
    }
}
