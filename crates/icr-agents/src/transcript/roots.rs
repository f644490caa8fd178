//! Whether a session took place in a repository.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

/// Characters that a host uses of a path for a directory's name. Claude Code cuts longer names and adds a hash.
const NAME_CHARS: usize = 200;

/// The worktrees of one repository.
#[derive(Debug, Clone)]
pub struct RepositoryRoots {
    /// BaseDirectory directories without symbolic links.
    roots: Vec<PathBuf>,
    /// Directory names that hosts derive from the roots, as given and without symbolic links.
    names: Vec<String>,
    /// SHA-256 of the paths of the roots, as given and without symbolic links.
    hashes: Vec<String>,
}

impl RepositoryRoots {
    /// From the roots of worktrees. A root that does not exist is used as given.
    pub fn new(worktrees: impl IntoIterator<Item = PathBuf>) -> Self {
        let given: Vec<PathBuf> = worktrees.into_iter().filter(|root| root.is_absolute()).collect();
        let roots: Vec<PathBuf> = given.iter().map(|root| real_path(root).unwrap_or_else(|| root.clone())).collect();
        let all = || given.iter().chain(&roots);
        let names = all().map(|root| directory_name(root.as_os_str())).collect();
        let hashes = all().map(|root| hash(root.as_os_str().as_encoded_bytes())).collect();
        Self { roots, names, hashes }
    }

    /// Whether `directory` is in one of the worktrees but not in another repository inside it. Paths are compared
    /// component by component, with symbolic links resolved. If the directory is gone, the existing part of its path is
    /// resolved.
    pub fn hold_directory(&self, directory: &Path) -> bool {
        let Some(real) = real_path(directory) else { return false };
        // The innermost worktree, because worktrees may contain each other.
        let holding =
            self.roots.iter().filter(|root| real.starts_with(root)).max_by_key(|root| root.components().count());
        holding.is_some_and(|root| {
            let below = real.ancestors().take_while(|path| path != root);
            below.into_iter().all(|path| path.join(".git").symlink_metadata().is_err())
        })
    }

    /// Whether a session that gives only a hash of its directory took place in one of the worktrees. The hash may be
    /// that of a root, or of `told` if that is a directory in a worktree.
    pub(super) fn hold_hash(&self, directory_hash: &str, told: Option<&str>) -> bool {
        let is_told = |told: &str| hash(told.as_bytes()) == directory_hash && self.hold_directory(Path::new(told));
        self.hashes.iter().any(|hash| hash == directory_hash) || told.is_some_and(is_told)
    }

    /// Whether a directory of that name may stand for one in the repository.
    pub(super) fn may_be_named(&self, name: &OsStr) -> bool {
        let name = directory_name(name);
        self.names.iter().any(|root| name.starts_with(cut_name(root)))
    }
}

/// The path with symbolic links resolved as far as it exists, and the rest unchanged; `None` if the result would be
/// meaningless.
fn real_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let is_plain = |component: Component<'_>| !matches!(component, Component::ParentDir);
    if !path.components().all(is_plain) {
        return None;
    }
    let existing = path.ancestors().skip(1).find_map(|path| Some((path, path.canonicalize().ok()?)));
    existing.and_then(|(existing, real)| Some(real.join(path.strip_prefix(existing).ok()?)))
}

/// Name of Claude Code's directory for sessions in `path`: each character that is not an ASCII letter or digit becomes
/// `-`, one for each UTF-16 unit. Older versions kept more characters, so names are converted in the same way before
/// they are compared.
fn directory_name(path: &OsStr) -> String {
    let mut name = String::new();
    for character in path.to_string_lossy().chars() {
        match character.is_ascii_alphanumeric() {
            true => name.push(character),
            false => name.extend(std::iter::repeat_n('-', character.len_utf16())),
        }
    }
    name
}

/// The part of a long name that is certain to be in the directory's name. Names are ASCII.
fn cut_name(name: &str) -> &str {
    name.get(..NAME_CHARS).unwrap_or(name)
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_whole_components_count() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |path: &str| place.path().join(path);
        for directory in ["repo/src", "repo2", "repo/vendor/other/.git", "repo/vendor/other/src"] {
            fs::create_dir_all(at(directory)).expect("a directory can be made");
        }
        std::os::unix::fs::symlink(at("repo"), at("link")).expect("a link can be made");
        std::os::unix::fs::symlink(at("repo2"), at("repo/out")).expect("a link can be made");
        let roots = RepositoryRoots::new([at("link")]);
        for inside in ["repo", "repo/src", "link/src", "repo/gone/deep", "repo/src/../src"] {
            assert!(roots.hold_directory(&at(inside)), "{inside}");
        }
        for outside in [
            "repo2",
            "repo2/src",
            "gone",
            "repo/vendor/other",
            "repo/vendor/other/src",
            "repo/out",
            "repo/gone/../../repo2",
        ] {
            assert!(!roots.hold_directory(&at(outside)), "{outside}");
        }
        assert!(!roots.hold_directory(Path::new("repo/src")), "a relative path means nothing");
    }

    #[test]
    fn names_rule_out_and_prove_nothing() {
        let roots = RepositoryRoots::new([PathBuf::from("/no/such.repo")]);
        for may in ["-no-such-repo", "-no-such.repo", "-no-such-repo-src", "-no-such-repo2"] {
            assert!(roots.may_be_named(OsStr::new(may)), "{may}");
        }
        for not in ["-no-such", "-no-other-repo", ""] {
            assert!(!roots.may_be_named(OsStr::new(not)), "{not}");
        }
        let long = PathBuf::from(format!("/{}", "d/".repeat(200)));
        let cut = format!("{}-1a2b3c", &directory_name(long.as_os_str())[..NAME_CHARS]);
        assert!(RepositoryRoots::new([long]).may_be_named(OsStr::new(&cut)));
    }

    #[test]
    fn a_hash_is_that_of_a_root_or_of_what_is_told() {
        let roots = RepositoryRoots::new([PathBuf::from("/no/such/repo")]);
        assert!(roots.hold_hash(&hash(b"/no/such/repo"), None));
        assert!(!roots.hold_hash(&hash(b"/no/such/repo/src"), None));
        assert!(roots.hold_hash(&hash(b"/no/such/repo/src"), Some("/no/such/repo/src")));
        assert!(
            !roots.hold_hash(&hash(b"/no/such/repo/src"), Some("/no/such/repo/lib")),
            "what is told must be what was hashed"
        );
        assert!(!roots.hold_hash(&hash(b"/other"), Some("/other")));
    }
}
