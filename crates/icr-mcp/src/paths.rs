//! Paths in arguments: inside of the repository, and relative to its root.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use icr_serve::{CallFailure, Violation};

/// `given` relative to `root`, with `/` between its parts; empty for the root itself.
///
/// `root` must be canonical. An absolute path below it is made relative; `.` and `..` are resolved. Symbolic links of
/// existing paths are followed, so that no link leads out. No file is read.
///
/// # Errors
///
/// A validation error for what is outside of the repository, inside of its git directory, or no path.
pub(crate) fn relative(root: &Path, field: &str, given: &str) -> Result<String, CallFailure> {
    let refused = |rule: &str, problem: &str| {
        CallFailure::validation(Violation {
            field,
            constraint: rule,
            value: &Value::String(given.to_owned()),
            allowed: json!("a path inside of the repository, relative to its root"),
            problem: problem.to_owned(),
        })
    };
    if given.contains('\0') {
        return Err(refused("path", "holds a NUL, which no path does"));
    }
    let outside = || refused("inside_repository", "is outside of the repository");
    let inside = components_below(root, Path::new(given)).ok_or_else(outside)?;
    if inside.iter().any(|part| is_git(part)) {
        return Err(refused("git_directory", "is inside of the git directory, which is not read as files"));
    }
    let path: PathBuf = inside.iter().collect();
    // A path of another revision may not exist here. Reading it touches no file, so no link is followed.
    if std::fs::canonicalize(root.join(&path)).is_ok_and(|real| !real.starts_with(root)) {
        return Err(refused("inside_repository", "is a link out of the repository"));
    }
    let trailing = if given.ends_with('/') && !inside.is_empty() { "/" } else { "" };
    Ok(format!("{}{trailing}", inside.join("/")))
}

/// As [`relative`], for several paths; error messages name `field` and the position.
pub(crate) fn all_relative(root: &Path, field: &str, given: &[String]) -> Result<Vec<String>, CallFailure> {
    let paths = given.iter().enumerate();
    paths.map(|(at, path)| relative(root, &format!("{field}[{at}]"), path)).collect()
}

/// The components of a path below `root`; `None` if it leaves the root.
fn components_below(root: &Path, given: &Path) -> Option<Vec<String>> {
    let below = match given.is_absolute() {
        false => given.to_owned(),
        true => match given.strip_prefix(root) {
            Ok(below) => below.to_owned(),
            // The root under another name: a symbolic link above it.
            Err(_) => canonical_ancestor(given)?.strip_prefix(root).ok()?.to_owned(),
        },
    };
    let mut parts = Vec::new();
    for component in below.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?.to_owned()),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

/// `path` with its existing part made canonical.
fn canonical_ancestor(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|ancestor| {
        let real = std::fs::canonicalize(ancestor).ok()?;
        Some(real.join(path.strip_prefix(ancestor).ok()?))
    })
}

/// Whether a component is a git directory on some file system: in any case, with trailing dots and spaces, which some
/// systems drop, or under its short name.
fn is_git(part: &str) -> bool {
    let part = part.trim_end_matches(['.', ' ']);
    part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TemporaryRepository {
        _directory: tempfile::TempDir,
        root: PathBuf,
    }

    fn place() -> TemporaryRepository {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let home = std::fs::canonicalize(directory.path()).expect("it exists");
        let root = home.join("repo");
        for path in ["repo/src", "repo2"] {
            std::fs::create_dir_all(home.join(path)).expect("directories can be made");
        }
        for path in ["repo/src/a.rs", "repo2/b.rs"] {
            std::fs::write(home.join(path), "").expect("files can be written");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(home.join("repo2"), root.join("out")).expect("links can be made");
            std::os::unix::fs::symlink(root.join("src"), root.join("in")).expect("links can be made");
            std::os::unix::fs::symlink(&root, home.join("other")).expect("links can be made");
        }
        TemporaryRepository { _directory: directory, root }
    }

    #[track_caller]
    fn check(given: &str, expected: Result<&str, &str>) {
        let place = place();
        let given = given.replace("$REPO", place.root.to_str().expect("text"));
        let given = given.replace("$HOME", place.root.parent().and_then(Path::to_str).expect("text"));
        let found = relative(&place.root, "path", &given);
        let found = found.map_err(|failure| failure.details["constraint"].as_str().unwrap_or_default().to_owned());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{given}");
    }

    #[test]
    fn paths_inside_are_made_relative() {
        check("src/a.rs", Ok("src/a.rs"));
        check("./src//a.rs", Ok("src/a.rs"));
        check("src/../src/a.rs", Ok("src/a.rs"));
        check("$REPO/src/a.rs", Ok("src/a.rs"));
        check("$REPO", Ok(""));
        check("src/", Ok("src/"));
        check("gone/b.rs", Ok("gone/b.rs"));
        check(".github/x", Ok(".github/x"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_where_they_lead() {
        check("$HOME/other/src/a.rs", Ok("src/a.rs"));
        check("in/a.rs", Ok("in/a.rs"));
        check("out/b.rs", Err("inside_repository"));
        check("out", Err("inside_repository"));
    }

    #[test]
    fn paths_outside_are_refused() {
        for given in
            ["../repo2/b.rs", "..", "src/../../repo2/b.rs", "$HOME/repo2/b.rs", "$REPO/../repo2", "/etc/passwd", "/"]
        {
            check(given, Err("inside_repository"));
        }
    }

    #[test]
    fn the_git_directory_is_refused_in_every_spelling() {
        for given in [".git/config", "$REPO/.git", ".GIT/config", "src/.Git./x", "git~1/config", "sub/.git /x"] {
            check(given, Err("git_directory"));
        }
        check("a\0b", Err("path"));
    }
}
