//! Recognises paths of tests, in a wide sense.

use icr_model::RepoPath;

/// Directories of tests and of what tests use.
static DIRECTORIES: [&str; 11] = [
    // tidy: sorted
    "__mocks__",
    "__tests__",
    "e2e",
    "fixtures",
    "mocks",
    "spec",
    "specs",
    "test",
    "testdata",
    "testing",
    "tests",
    // tidy: end
];

/// Words in file names of tests and of what tests use.
static NAME_WORDS: [&str; 6] = [
    // tidy: sorted
    "conftest", "mock", "spec", "test", "tests", "testutil",
    // tidy: end
];

/// Whether a path is that of a test or of what tests use, by its directories and the words of its name.
///
/// Recognises more than [`crate::FileKind::Test`]: the choice of tests to run must not miss one, while ranking must not
/// lower a file that runs tests (`test-run.ts`).
pub fn is_test_path(path: &RepoPath) -> bool {
    let lower = path.as_bytes().to_ascii_lowercase();
    let name_start = lower.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let (directories, name) = lower.split_at(name_start);
    let is_one_of = |names: &[&str], part: &[u8]| names.iter().any(|name| name.as_bytes() == part);
    directories.split(|byte| *byte == b'/').any(|part| is_one_of(&DIRECTORIES, part))
        || name.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| is_one_of(&NAME_WORDS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_names_say_what_is_a_test() {
        for path in ["tests/parser.rs", "src/parser_test.go", "a/Spec/b.rb", "src/__mocks__/fs.ts", "conftest.py"] {
            assert!(is_test_path(&path.into()), "{path}");
        }
        for path in ["src/parser.rs", "src/latest.rs", "test", "contest/a.rs"] {
            assert_eq!(is_test_path(&path.into()), path == "test", "{path}");
        }
    }
}
