//! The purpose of a file, by its path. Code changes together with tests; prose changes with neither.

use icr_model::RepoPath;

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilePurpose {
    /// Source text.
    Code,
    /// A test, or what tests use.
    Test,
    /// Prose for people.
    Prose,
    /// Manifests, settings, and files whose name has no extension.
    Other,
}

/// Extensions of prose.
const PROSE: [&str; 9] = ["adoc", "markdown", "md", "org", "pod", "rdoc", "rst", "textile", "txt"];

/// First words of the names, without an extension, of files that are prose.
const PROSE_NAMES: [&str; 19] = [
    // tidy: sorted
    "authors",
    "changelog",
    "changes",
    "contributing",
    "contributors",
    "copying",
    "history",
    "licence",
    "license",
    "migrating",
    "news",
    "notice",
    "readme",
    "release",
    "releases",
    "security",
    "thanks",
    "todo",
    "upgrading",
    // tidy: end
];

/// Extensions of manifests and settings.
const SETTINGS: [&str; 37] = [
    // tidy: sorted
    "ac",
    "am",
    "bazel",
    "bzl",
    "cabal",
    "cfg",
    "cmake",
    "conf",
    "config",
    "csproj",
    "dockerfile",
    "editorconfig",
    "gemspec",
    "gitattributes",
    "gitignore",
    "gradle",
    "in",
    "ini",
    "json",
    "lock",
    "mk",
    "mod",
    "nix",
    "npmrc",
    "pbxproj",
    "plist",
    "podspec",
    "properties",
    "props",
    "sln",
    "sum",
    "targets",
    "toml",
    "xml",
    "yaml",
    "yml",
    "zon",
    // tidy: end
];

impl FilePurpose {
    /// The kind of the file at `path`.
    pub(super) fn of(path: &RepoPath) -> Self {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_in = |table: &[&str]| table.iter().any(|row| row.as_bytes() == extension);
        let name = path.file_name().to_ascii_lowercase();
        let first_word = name.split(|byte| b"._-".contains(byte)).next().unwrap_or_default();
        match extension.is_empty() {
            _ if icr_rank::is_test_path(path) || has_test_ending(path) => Self::Test,
            true if PROSE_NAMES.iter().any(|row| row.as_bytes() == first_word) => Self::Prose,
            true => Self::Other,
            false if is_in(&PROSE) => Self::Prose,
            false if is_in(&SETTINGS) => Self::Other,
            false => Self::Code,
        }
    }
}

/// Endings of the names of classes that are tests, as Java, C#, PHP, Swift, Scala and Kotlin have them.
const TEST_ENDINGS: [&str; 4] = ["IT", "Spec", "Test", "Tests"];

/// Whether the name without its extensions ends with one of [`TEST_ENDINGS`], behind a small letter or a digit.
fn has_test_ending(path: &RepoPath) -> bool {
    let stem = path.file_name().split(|byte| *byte == b'.').next().unwrap_or_default();
    TEST_ENDINGS.iter().any(|ending| {
        let before = stem.strip_suffix(ending.as_bytes()).and_then(<[u8]>::last);
        before.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: FilePurpose, paths: &[&str]) {
        paths.iter().for_each(|path| assert_eq!(FilePurpose::of(&(*path).into()), kind, "{path}"));
    }

    #[test]
    fn the_path_says_what_a_file_is_for() {
        check(FilePurpose::Code, &["src/a.rs", "a.py", "src/history.rs", "src/contest.c", "IT.java", "web/a.css"]);
        check(
            FilePurpose::Test,
            &["tests/a.rs", "src/FooTest.java", "AppTests.swift", "a_spec.rb", "src/a.test.ts", "ParserIT.kt"],
        );
        check(FilePurpose::Prose, &["README.md", "CHANGES.rst", "CHANGES", "LICENSE-MIT", "docs/a.txt", "a/b.MD"]);
        check(FilePurpose::Other, &["Makefile", "Cargo.toml", ".gitignore", "go.mod", "package.json", ""]);
    }

    #[test]
    fn the_tables_are_sorted_and_hold_nothing_twice() {
        for table in [&PROSE[..], &PROSE_NAMES, &SETTINGS, &TEST_ENDINGS] {
            assert!(table.is_sorted_by(|one, other| one < other));
        }
    }
}
