//! CTest, by the names that `CMakeLists.txt` gives to tests.

use super::project::{is_identifier, stem};
use super::{Runner, TestTarget};

const BUILD_DIRECTORY: &str = "build";

/// If a test has the name of the file, it is run alone. Otherwise the file is a part of a program, and all tests of the
/// project run. The build directory is the usual `build`, beside the outermost `CMakeLists.txt`.
pub(super) const ROW: Runner = Runner {
    endings: &[".c", ".cc", ".cpp", ".cxx"],
    markers: &["CMakeLists.txt"],
    others: &[],
    target: |project, path| {
        let root = project.above(path, &["CMakeLists.txt"]).last()?;
        let texts: Vec<&str> = project.above(path, &["CMakeLists.txt"]).map(|found| found.text).collect();
        let declares = |text: &&str| DECLARATIONS.iter().any(|call| text.contains(call));
        if !texts.iter().any(declares) {
            return None;
        }
        let head = ["ctest", "--test-dir", BUILD_DIRECTORY, "--output-on-failure"];
        let name = stem(path);
        let is_test = |text: &&str| text.lines().any(|line| tests_of(line).any(|test| test == name));
        Some(match is_identifier(name) && texts.iter().any(is_test) {
            true => TestTarget::new("ctest", root.directory, &[head.as_slice(), &["-R"]].concat(), name)
                .with_joint("^(", "|", ")$"),
            false => TestTarget::for_whole_project("ctest", root.directory, &head),
        })
    },
};

/// Calls of CMake and its modules that add tests.
const DECLARATIONS: [&str; 6] = [
    "add_test",
    "enable_testing",
    "include(CTest)",
    "gtest_discover_tests",
    "catch_discover_tests",
    "doctest_discover_tests",
];

/// The name of the test that a line of CMake adds, with or without `NAME`.
fn tests_of(line: &str) -> impl Iterator<Item = &str> {
    let call = line.trim_start().strip_prefix("add_test").and_then(|rest| rest.trim_start().strip_prefix('('));
    let mut words = call.unwrap_or_default().split([' ', '\t', ')']).filter(|word| !word.is_empty());
    let first = words.next();
    first.map(|first| if first == "NAME" { words.next().unwrap_or_default() } else { first }).into_iter()
}
