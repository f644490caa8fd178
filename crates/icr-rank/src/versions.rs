//! Directories named after a major version, such as `v3` beside `v4`. A query usually asks for the newest version.

use std::collections::HashMap;

use icr_model::RepoPath;

/// The newest version in each group of version directories side by side; the key is the path before the version.
#[derive(Debug, Default)]
pub(crate) struct Versions<'a>(HashMap<&'a [u8], u32>);

impl<'a> Versions<'a> {
    /// Collects the versions in `paths`.
    pub(crate) fn of(paths: impl Iterator<Item = &'a RepoPath>) -> Self {
        let mut newest = HashMap::new();
        for (before, version) in paths.filter_map(version_in) {
            let known = newest.entry(before).or_insert(version);
            *known = version.max(*known);
        }
        Self(newest)
    }

    /// Whether a directory of a newer version is beside that of `path`, and `path` is of none of the versions
    /// `asked_for`.
    pub(crate) fn is_older(&self, path: &RepoPath, asked_for: &[u32]) -> bool {
        version_in(path).is_some_and(|(before, version)| {
            self.0.get(before).is_some_and(|newest| version < *newest) && !asked_for.contains(&version)
        })
    }
}

/// The outermost directory of `path` that is named after a version: the path before its name, and the version.
fn version_in(path: &RepoPath) -> Option<(&[u8], u32)> {
    let bytes = path.as_bytes();
    let directories = &bytes[..bytes.len() - path.file_name().len()];
    let mut start = 0;
    for part in directories.split(|byte| *byte == b'/') {
        if let Some(version) = version_of(part) {
            return Some((&bytes[..start], version));
        }
        start += part.len() + 1;
    }
    None
}

/// The number of a major version, as `v3` in any case.
pub(crate) fn version_of(word: &[u8]) -> Option<u32> {
    let digits = word.strip_prefix(b"v").or_else(|| word.strip_prefix(b"V"))?;
    let is_number = (1..=4).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], asked_for: &[u32], older: &[&str]) {
        let paths: Vec<RepoPath> = paths.iter().map(|path| (*path).into()).collect();
        let versions = Versions::of(paths.iter());
        let found = paths.iter().filter(|path| versions.is_older(path, asked_for));
        assert_eq!(found.map(ToString::to_string).collect::<Vec<_>>(), older);
    }

    #[test]
    fn a_version_is_older_than_the_newest_beside_it() {
        check(&["src/v3/a.ts", "src/v4/core/a.ts", "src/a.ts"], &[], &["src/v3/a.ts"]);
        check(&["v9/a.go", "v10/a.go"], &[], &["v9/a.go"]);
        check(&["src/v3/a.ts", "lib/v4/a.ts"], &[], &[]);
        check(&["org/v1/jdbc/a.kt", "org/v1/core/a.kt"], &[], &[]);
        check(&["api/v1/v2/a.go", "api/v1/v1/a.go"], &[], &[]);
    }

    #[test]
    fn what_was_asked_for_is_not_older() {
        check(&["src/v3/a.ts", "src/v4/a.ts"], &[3], &[]);
        check(&["src/v2/a.ts", "src/v3/a.ts", "src/v4/a.ts"], &[3], &["src/v2/a.ts"]);
    }

    #[test]
    fn other_names_are_no_versions() {
        for name in ["v", "v1beta1", "v12345", "1", "version1", "av1", "v-1", ""] {
            assert_eq!(version_of(name.as_bytes()), None, "{name}");
        }
        check(&["src/v3.ts", "src/v4.ts"], &[], &[]);
    }
}
