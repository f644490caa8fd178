//! Which file or definition a test is named after.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use icr_model::RepoPath;

use super::names::{stem, subject, words};

/// Directories that belong to the layout of a project and tell nothing about their content.
const LAYOUT: [&str; 25] = [
    // tidy: sorted
    "__tests__",
    "app",
    "cpp",
    "csharp",
    "groovy",
    "include",
    "java",
    "kotlin",
    "lib",
    "main",
    "php",
    "python",
    "ruby",
    "scala",
    "source",
    "sources",
    "spec",
    "specs",
    "src",
    "swift",
    "test",
    "testing",
    "tests",
    "unit",
    "unittests",
    // tidy: end
];

/// Names of files that stand for their directory.
const FOR_DIRECTORY: [&str; 6] = [
    // tidy: sorted
    "index", "init", "lib", "main", "mod", "package",
    // tidy: end
];

/// What a shared name is worth when no directory agrees.
const NAME_ALONE: f64 = 0.5;

/// Agreement of directories if one of the two files is in no meaningful directory: `tests/test_a.py`.
const FLAT: f64 = 0.8;

/// What a directory of tests named after the source is worth: `test_utils/test_echo.py` for `utils.py`.
const TEST_DIRECTORY: f64 = 0.5;

/// What names that share words are worth at least and at most, where the words of one are all in the other.
const CONTAINED: (f64, f64) = (0.3, 0.3);

/// What names that share words are worth at most, where each has words of its own.
const OVERLAPPING: f64 = 0.3;

/// The path of a test, parsed once for comparison with many files and definitions.
#[derive(Debug)]
pub struct TestName {
    place: Option<PathParts>,
    /// Words of its name without those for tests.
    subject: Vec<String>,
}

/// What is read off the path of a changed file once.
#[derive(Debug)]
pub struct SourceName(Option<PathParts>);

/// The words of a definition's name and of the definitions around it, from the inside out, split once.
#[derive(Debug)]
pub struct SymbolName(Vec<Vec<String>>);

impl SourceName {
    /// The name of the file at `path`.
    pub fn of(path: &RepoPath) -> Self {
        Self(PathParts::of(path, words))
    }
}

impl SymbolName {
    /// The parts of `symbol`, a name or a qualified one.
    pub fn of(symbol: &str) -> Self {
        let parts = symbol.split(['.', ':', '#', '/']).filter(|part| !part.is_empty());
        Self(parts.map(words).rev().collect())
    }
}

impl TestName {
    /// The name of the test at `path`.
    pub fn of(path: &RepoPath) -> Self {
        let subject = path.as_str().map(|path| subject(stem(file_name(path)))).unwrap_or_default();
        Self { place: PathParts::of(path, super::names::subject), subject }
    }

    /// How much the names and places of the two say that this is the test of `source`, in `0.0..=1.0`.
    ///
    /// From 0.5: the names agree except for words that mark a test and the extension; 1 if the directories agree too.
    /// Below 0.5: a directory of tests named after the source, or names that share words. 0 for a path that is not
    /// UTF-8.
    pub fn pair_strength(&self, source: &SourceName) -> f64 {
        let (Some(source), Some(test)) = (&source.0, &self.place) else { return 0.0 };
        if source.name.is_empty() || test.name.is_empty() {
            return 0.0;
        }
        if source.name == test.name {
            return NAME_ALONE + (1.0 - NAME_ALONE) * agreement(&source.directories, &test.directories);
        }
        let named_directory = test.last_directory == source.name;
        let shared = overlap(&source.name, &test.name);
        if named_directory { shared.max(TEST_DIRECTORY) } else { shared }
    }

    /// How much the name says that this tests the definition `symbol`, in `0.0..=1.0`.
    ///
    /// 1: it is named after the definition. 0.9: it is named after a definition around it. 0.4: the name contains all
    /// words of a definition's name that has several words. 0 for a path that is not UTF-8.
    pub fn symbol_strength(&self, symbol: &SymbolName) -> f64 {
        if self.subject.is_empty() {
            return 0.0;
        }
        let strength = |(outwards, part): (usize, &Vec<String>)| match *part == self.subject {
            true if outwards == 0 => 1.0,
            true => 0.9,
            false if part.len() > 1 && part.iter().all(|word| self.subject.contains(word)) => 0.4,
            false => 0.0,
        };
        symbol.0.iter().enumerate().map(strength).fold(0.0, f64::max)
    }
}

/// The parts of a path that pairs are told by.
#[derive(Debug)]
struct PathParts {
    name: Vec<String>,
    /// Words of the innermost directory, without those for tests.
    last_directory: Vec<String>,
    /// Meaningful directories, without the one that gave `name`.
    directories: Vec<String>,
}

impl PathParts {
    fn of(path: &RepoPath, name_of: fn(&str) -> Vec<String>) -> Option<Self> {
        let path = path.as_str()?;
        let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let mut name = name_of(stem(parts.pop()?));
        let last_directory = parts.last().map(|last| subject(last)).unwrap_or_default();
        let tells = |part: &&str| !LAYOUT.contains(&part.to_ascii_lowercase().as_str());
        let mut directories: Vec<&str> = parts.into_iter().filter(tells).collect();
        if name.len() == 1 && FOR_DIRECTORY.contains(&name[0].as_str()) && !directories.is_empty() {
            name = name_of(directories.pop()?);
        }
        let directories = directories.into_iter().map(str::to_ascii_lowercase).collect();
        Some(Self { name, last_directory, directories })
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// How well two chains of directories agree, in `0.0..=1.0`. The share they have in order is squared: two packages of one
/// repository agree in the outer half of their directories, and are not each other's tests.
fn agreement(a: &[String], b: &[String]) -> f64 {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => 1.0,
        (true, false) | (false, true) => FLAT,
        (false, false) => (longest_common(a, b) as f64 / a.len().max(b.len()) as f64).powi(2),
    }
}

/// Length of the longest sequence that both hold in order; quadratic, and paths are short.
fn longest_common(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0_usize; b.len() + 1];
    for one in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if one == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

fn distinct(words: &[String]) -> BTreeSet<&str> {
    words.iter().map(String::as_str).collect()
}

/// Strength of different names that share words.
fn overlap(a: &[String], b: &[String]) -> f64 {
    let (a, b) = (distinct(a), distinct(b));
    let both = a.intersection(&b).count();
    let share = both as f64 / a.union(&b).count().max(1) as f64;
    let contained = match a.len().cmp(&b.len()) {
        Ordering::Less => a.is_subset(&b),
        _ => b.is_subset(&a),
    };
    match both {
        0 => 0.0,
        _ if contained => CONTAINED.0 + CONTAINED.1 * share,
        _ => OVERLAPPING * share,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair_strength(source: &RepoPath, test: &RepoPath) -> f64 {
        TestName::of(test).pair_strength(&SourceName::of(source))
    }

    fn symbol_pair_strength(symbol: &str, test: &RepoPath) -> f64 {
        TestName::of(test).symbol_strength(&SymbolName::of(symbol))
    }

    #[track_caller]
    fn check(source: &str, test: &str, expected: f64) {
        let strength = pair_strength(&source.into(), &test.into());
        assert!((strength - expected).abs() < 0.005, "{source} and {test}: {strength}, not {expected}");
    }

    #[test]
    fn names_that_agree_are_pairs_and_directories_that_agree_raise_them() {
        check("src/click/termui.py", "tests/test_termui.py", 0.9);
        check("src/a/b.rs", "tests/b.rs", 0.9);
        check("lib/rack/foo.rb", "spec/foo_spec.rb", 0.9);
        check("lib/rack/foo.rb", "test/spec_foo.rb", 0.9);
        check("src/Monolog/Handler/X.php", "tests/Monolog/Handler/XTest.php", 1.0);
        check("src/main/java/com/a/Foo.java", "src/test/java/com/a/FooTest.java", 1.0);
        check("src/main/java/com/a/Foo.java", "src/test/java/com/a/FooIT.java", 1.0);
        check("src/button.tsx", "src/__tests__/button.test.tsx", 1.0);
        check("pkg/a/parse.go", "pkg/a/parse_test.go", 1.0);
        check("src/Http/Client.cs", "tests/Http/ClientTests.cs", 1.0);
    }

    #[test]
    fn the_same_name_elsewhere_is_half_a_pair() {
        check("src/a/convert.py", "tests/b/test_convert.py", 0.5);
        check("packages/a/src/convert.ts", "packages/b/test/convert.test.ts", 0.625);
        check("packages/a/src/convert.ts", "packages/a/test/convert.test.ts", 1.0);
    }

    #[test]
    fn a_file_that_stands_for_its_directory_pairs_by_it() {
        check("src/click/__init__.py", "tests/test_click.py", 1.0);
        check("packages/store/index.ts", "packages/store/index.test.ts", 1.0);
        check("src/store/mod.rs", "tests/store.rs", 1.0);
        check("src/a/index.js", "test/b.js", 0.0);
    }

    #[test]
    fn parts_of_names_are_worth_less() {
        check("src/click/_termui_impl.py", "tests/test_termui.py", 0.45);
        check("src/a/json_reader.c", "tests/test_json_writer.c", 0.1);
        check("src/click/utils.py", "tests/test_utils/test_echo.py", 0.5);
        check("src/click/core.py", "tests/test_termui.py", 0.0);
    }

    #[test]
    fn names_of_tests_alone_and_paths_that_are_no_text_say_nothing() {
        check("src/test.py", "tests/test.py", 0.0);
        assert_eq!(pair_strength(&RepoPath::new(*b"a\xff.py"), &"tests/test_a.py".into()), 0.0);
        check("", "", 0.0);
    }

    #[test]
    fn a_test_may_be_named_after_a_definition() {
        let check = |symbol: &str, test: &str, expected: f64| {
            assert_eq!(symbol_pair_strength(symbol, &test.into()), expected, "{symbol} and {test}");
        };
        check("echo", "tests/test_utils/test_echo.py", 1.0);
        check("_detect_program_name", "tests/test_utils/test__detect_program_name.py", 1.0);
        check("KeepOpenFile.__exit__", "tests/test_utils/test_KeepOpenFile.py", 0.9);
        check("Server::openFile", "spec/open_file_slowly_spec.rb", 0.4);
        check("echo", "tests/test_echo_via_pager.py", 0.0);
        check("", "tests/test_echo.py", 0.0);
        check("test", "tests/test.py", 0.0);
    }

    proptest! {
        #[test]
        fn strengths_stay_within_bounds(source in "[a-zA-Z_./-]{0,30}", test in "[a-zA-Z_./-]{0,30}") {
            let (source_path, test) = (RepoPath::from(source.as_str()), RepoPath::from(test.as_str()));
            prop_assert!((0.0..=1.0).contains(&pair_strength(&source_path, &test)));
            prop_assert!((0.0..=1.0).contains(&symbol_pair_strength(&source, &test)));
        }
    }
}
