//! Globs over paths of a view.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use icr_model::RepoPath;

use crate::Error;

/// Most bytes of all globs of a question together: a byte takes about 160 bytes of memory when compiled.
const MAX_BYTES: usize = 64 << 10;

/// Any of several globs.
pub(crate) struct Globs(GlobSet);

impl Globs {
    /// Compiles `patterns`: `*` and `?` stay within a component, `**` crosses them, `{a,b}` and `[ab]` choose. A pattern without
    /// `/` matches a name at any depth, and one that matches a directory all below it.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] for one that is no glob, and for more than 64 KiB of them.
    pub(crate) fn of(patterns: &[String]) -> Result<Self, Error> {
        let bytes: usize = patterns.iter().map(String::len).sum();
        if bytes > MAX_BYTES {
            let allowed = format!("at most {MAX_BYTES} bytes together");
            return Err(Error::Bounds { field: "the globs", allowed, value: format!("{bytes} bytes") });
        }
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let wrong = |error: &globset::Error| Error::Bounds {
                field: "a glob",
                allowed: format!("a pattern of paths such as `src/**/*.rs` ({})", error.kind()),
                value: pattern.clone(),
            };
            let written = pattern.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            let anywhere = if written.contains('/') { written.to_owned() } else { format!("**/{written}") };
            for pattern in [format!("{anywhere}/**"), anywhere] {
                let glob = GlobBuilder::new(&pattern).literal_separator(true).build().map_err(|error| wrong(&error))?;
                set.add(glob);
            }
        }
        set.build().map(Self).map_err(|error| Error::Bounds {
            field: "the globs",
            allowed: "patterns that are small together".to_owned(),
            value: error.to_string(),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of `path` that are not UTF-8 match by their displayed form.
    pub(crate) fn matches(&self, path: &RepoPath) -> bool {
        self.0.is_match(path.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let paths = ["README.md", "src/a.rs", "src/deep/b.rs", "tests/a.rs"];
        let globs = Globs::of(&[pattern.to_owned()]).expect("a glob");
        let matching: Vec<&str> = paths.into_iter().filter(|path| globs.matches(&(*path).into())).collect();
        assert_eq!(matching, expected, "{pattern}");
    }

    #[test]
    fn globs_match_names_paths_and_all_below_directories() {
        check("*.rs", &["src/a.rs", "src/deep/b.rs", "tests/a.rs"]);
        check("src/*.rs", &["src/a.rs"]);
        check("src/**/*.rs", &["src/a.rs", "src/deep/b.rs"]);
        check("src/", &["src/a.rs", "src/deep/b.rs"]);
        check("deep", &["src/deep/b.rs"]);
        check("./src/{a,z}.rs", &["src/a.rs"]);
    }

    #[test]
    fn what_is_no_glob_is_refused_by_name() {
        let error = Globs::of(&["src/[".to_owned()]).err().expect("an open bracket").to_string();
        assert!(error.starts_with("a glob must be a pattern of paths") && error.ends_with("not `src/[`"), "{error}");
    }

    #[test]
    fn globs_are_bounded_before_they_are_compiled() {
        let globs = |bytes: usize| Globs::of(&["a".repeat(bytes - 1), "b".to_owned()]);
        assert!(globs(MAX_BYTES).is_ok());
        let error = globs(MAX_BYTES + 1).err().unwrap().to_string();
        assert_eq!(error, "the globs must be at most 65536 bytes together, not `65537 bytes`");
    }
}
