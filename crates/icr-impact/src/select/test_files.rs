//! Which files a test runner runs, by the conventions of each language.

use icr_model::RepoPath;
use icr_rank::is_test_path;

use super::names::{stem, words};
use crate::symbols::language::contract_rules;

/// Whether a test runner runs the file at `path`, by its name and place. `language` is its name in the table of languages.
///
/// Files that tests only use (fixtures, mocks, shared set-up) are no test files. Tests inside a source file cannot be
/// recognised by its path. For a language without a row here, [`icr_rank::is_test_path`] decides, which also accepts
/// files that tests use.
pub fn is_test_file(path: &RepoPath, language: &str) -> bool {
    let Ok(row) = CONVENTIONS.binary_search_by(|row| row.language.cmp(language)) else { return is_test_path(path) };
    let row = &CONVENTIONS[row];
    let text = String::from_utf8_lossy(path.as_bytes());
    let mut directories: Vec<&str> = text.split('/').collect();
    let name = directories.pop().unwrap_or_default();
    if directories.iter().any(|directory| NEVER_RUN.contains(&directory.to_ascii_lowercase().as_str())) {
        return false;
    }
    if NOT_RUN.iter().any(|pattern| fits(pattern, name)) {
        return false;
    }
    if row.names.iter().any(|pattern| fits(pattern, name)) {
        return true;
    }
    let clear = |directories: &[&str]| !directories.iter().any(|directory| is_shared(directory));
    let fits_above = |levels: usize, trees: &[&str]| {
        directories.iter().rev().nth(levels).is_some_and(|part| trees.iter().any(|tree| fits(tree, part)))
    };
    let lies_in_tree = match row.trees {
        Trees::Nowhere => false,
        Trees::Within(trees) => !is_shared(name) && below(trees, &directories).is_some_and(clear),
        Trees::Loaded(trees) => below(trees, &directories).is_some_and(clear),
        Trees::Targets(trees) => fits_above(0, trees) && !is_shared(name) || fits_above(1, trees) && name == "main.rs",
        Trees::Sources(trees) => {
            let is_inside = fits_above(0, trees) || fits_above(0, &["src", "unit"]) && fits_above(1, trees);
            is_inside && !is_shared(name)
        }
    };
    lies_in_tree && row.endings.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file of this name may be production code although the name says that it is a test: only its bare name says
/// so, as in `src/test.py` for a test client or in `src/tests.py` for tests of a template language. If a file that is no
/// test imports it, it is code. `language` is its name in the table of languages.
pub fn may_be_code(path: &RepoPath, language: &str) -> bool {
    let name = path.file_name();
    let stem = name.rsplitn(2, |byte| *byte == b'.').last().unwrap_or_default();
    let directory = &path.as_bytes()[..path.as_bytes().len() - name.len()];
    BARE_NAMES.iter().any(|bare| stem.eq_ignore_ascii_case(bare.as_bytes()))
        && !contract_rules(language).imports_tests
        && !is_test_path(&RepoPath::new(directory))
}

/// File names, without extension, of tests and of code that serves tests.
const BARE_NAMES: [&str; 2] = ["test", "tests"];

/// What files of a language are tests.
struct Convention {
    language: &'static str,
    /// Patterns of file names that are tests wherever they lie: `*` stands for any text, `%` for one capital.
    names: &'static [&'static str],
    /// Where every file with one of `endings` is a test.
    trees: Trees,
    endings: &'static [&'static str],
}

/// Directories whose files are tests, as patterns like those of names.
#[derive(Clone, Copy)]
enum Trees {
    /// The name alone decides.
    Nowhere,
    /// At any depth, unless the name of the file or of a directory on the way says that tests share it.
    Within(&'static [&'static str]),
    /// The same, but the runner loads every file whatever its name.
    Loaded(&'static [&'static str]),
    /// In the directory itself, or as `main.rs` of a directory in it: other files are modules of those.
    Targets(&'static [&'static str]),
    /// In the directory itself, or in a directory `src` or `unit` in it.
    Sources(&'static [&'static str]),
}

/// Directories whose files nothing runs, in lower case.
const NEVER_RUN: [&str; 18] = [
    // tidy: sorted
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "assets",
    "fixture",
    "fixtures",
    "mocks",
    "node_modules",
    "resources",
    "snapshots",
    "test-data",
    "test_data",
    "testdata",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
    // tidy: end
];

/// Words of names of what tests share; they count only where the place alone says that a file is a test.
const SHARED: [&str; 34] = [
    // tidy: sorted
    "abstract",
    "assemblyinfo",
    "base",
    "builder",
    "builders",
    "common",
    "config",
    "data",
    "dummy",
    "env",
    "factories",
    "factory",
    "fake",
    "fakes",
    "fixture",
    "fixtures",
    "globals",
    "globalusings",
    "helper",
    "helpers",
    "mock",
    "mocks",
    "setup",
    "shared",
    "shim",
    "stub",
    "stubs",
    "support",
    "teardown",
    "types",
    "usings",
    "util",
    "utilities",
    "utils",
    // tidy: end
];

/// Names like those of tests, of files that only prepare or start them.
const NOT_RUN: [&str; 12] = [
    // tidy: sorted
    "*.d.ts",
    "mod.rs",
    "spec_helper.rb",
    "test-helper*.*",
    "test-setup.*",
    "test-util*.*",
    "test_helper.dart",
    "test_helper.exs",
    "test_helper.rb",
    "test_helper.sh",
    "testthat.R",
    "vitest.setup.*",
    // tidy: end
];

/// Other deeper directories hold what tests read as often as tests.
const C_TREES: Trees = Trees::Sources(&["test", "tests", "unittests", "*Tests"]);

const CPP_TESTS: &[&str] = &[
    "*_test.c*",
    "*_tests.c*",
    "*-test.c*",
    "*.test.c*",
    "*.tests.c*",
    "*_unittest.c*",
    "test_*.c*",
    "test-*.c*",
    "*Test.c*",
    "*Tests.c*",
];

/// A project of tests; everything in it is one.
const CSHARP_TREES: Trees = Trees::Within(&["*.Test", "*.Tests", "*.UnitTests", "*.IntegrationTests"]);

/// Default patterns of Surefire and Failsafe, for every language of the JVM.
const JVM_TESTS: &[&str] = &["*Test.*", "*Tests.*", "*TestCase.*", "*IT.*", "*ITCase.*", "Test%*.*"];

/// Source sets of tests: `src/test`, `src/integrationTest`, `src/commonTest`.
const JVM_TREES: Trees = Trees::Within(&["test", "*Test"]);

/// Names that production code has, too.
const JVM_ENDINGS: &[&str] = &[
    "Check.scala",
    "Properties.scala",
    "Spec.java",
    "Spec.kt",
    "Spec.scala",
    "Specification.scala",
    "Specs.scala",
    "Suite.java",
    "Suite.kt",
    "Suite.scala",
];

const SCRIPTS: &[&str] = &[".cjs", ".js", ".jsx", ".mjs", ".cts", ".mts", ".ts", ".tsx"];

/// Default patterns of jest, vitest, mocha, ava, jasmine, Cypress and node's own runner.
const SCRIPT_TESTS: &[&str] = &[
    "*.test.*",
    "*.spec.*",
    "*.cy.*",
    "*.e2e.*",
    "*.test-d.*",
    "*.e2e-spec.*",
    "*-test.*",
    "*-spec.*",
    "*_test.*",
    "*Spec.js",
    "test-*.*",
    "test.js",
    "test.mjs",
    "test.cjs",
    "test.ts",
];

/// Tests in languages without a grammar here, each recognised by its full ending.
const WITHOUT_GRAMMAR: &[&str] = &[
    "*.bats",
    "*.phpt",
    "*.t",
    "*Spec.groovy",
    "*Test.groovy",
    "*Tests.groovy",
    "*Test.fs",
    "*Tests.fs",
    "*Tests.vb",
    "*_test.clj",
    "*_test.cljc",
    "*_test.cljs",
    "*_SUITE.erl",
    "*_tests.erl",
    "*_spec.cr",
    "runtests.jl",
    "test_*.jl",
    "test_*.nim",
];

/// One row per language of the table of languages; those that hold no tests have an empty one.
// One row, one line where it fits: a table is read by its columns.
#[rustfmt::skip]
static CONVENTIONS: [Convention; 37] = [
    // tidy: sorted
    row("bash", &["*.bats", "*_test.sh", "*-test.sh", "test_*.sh", "test-*.sh"], Trees::Targets(&["test", "tests"]), &[".sh"]),
    row("c", &["*_test.c", "*_tests.c", "*-test.c", "*_unittest.c", "test_*.c", "test-*.c"], C_TREES, &[".c"]),
    row("cpp", CPP_TESTS, C_TREES, &[".cc", ".cpp", ".cxx"]),
    row("csharp", &["*Test.cs", "*Tests.cs", "*Spec.cs", "*Specs.cs", "*Facts.cs"], CSHARP_TREES, &[".cs"]),
    row("css", &[], Trees::Nowhere, &[]),
    row("dart", &["*_test.dart"], Trees::Nowhere, &[]),
    row("dockerfile", &[], Trees::Nowhere, &[]),
    row("elixir", &["*_test.exs"], Trees::Nowhere, &[]),
    row("go", &["*_test.go"], Trees::Nowhere, &[]),
    row("graphql", &[], Trees::Nowhere, &[]),
    row("haskell", &["*Spec.hs", "*Test.hs", "*Tests.hs"], Trees::Targets(&["test", "tests"]), &[".hs"]),
    row("hcl", &["*.tftest.hcl"], Trees::Nowhere, &[]),
    row("html", &[], Trees::Nowhere, &[]),
    row("java", JVM_TESTS, JVM_TREES, JVM_ENDINGS),
    row("javascript", SCRIPT_TESTS, Trees::Loaded(&["__tests__", "test"]), SCRIPTS),
    row("json", &[], Trees::Nowhere, &[]),
    row("kotlin", JVM_TESTS, JVM_TREES, JVM_ENDINGS),
    row("lua", &["*_spec.lua", "*_test.lua", "test_*.lua"], Trees::Nowhere, &[]),
    row("make", &[], Trees::Nowhere, &[]),
    row("markdown", &[], Trees::Nowhere, &[]),
    row("ocaml", &["test_*.ml", "*_test.ml", "*_tests.ml", "test.ml"], Trees::Within(&["test", "tests"]), &[".ml"]),
    row("ocaml_interface", &[], Trees::Nowhere, &[]),
    row("php", &["*Test.php", "*Cest.php", "*.phpt"], Trees::Nowhere, &[]),
    row("protobuf", &[], Trees::Nowhere, &[]),
    row("python", &["test_*.py", "*_test.py", "test.py", "tests.py"], Trees::Nowhere, &[]),
    row("r", &["test-*.R", "test-*.r", "test_*.R", "test_*.r"], Trees::Nowhere, &[]),
    row("ruby", &["*_spec.rb", "*_test.rb", "test_*.rb", "spec_*.rb", "tc_*.rb"], Trees::Nowhere, &[]),
    row("rust", &["*_test.rs", "*_tests.rs", "tests.rs"], Trees::Targets(&["tests"]), &[".rs"]),
    row("scala", JVM_TESTS, JVM_TREES, JVM_ENDINGS),
    row("sql", &[], Trees::Nowhere, &[]),
    row("swift", &["*Test.swift", "*Tests.swift", "*Spec.swift", "*Specs.swift"], Trees::Nowhere, &[]),
    row("text", WITHOUT_GRAMMAR, Trees::Nowhere, &[]),
    row("toml", &[], Trees::Nowhere, &[]),
    row("tsx", SCRIPT_TESTS, Trees::Loaded(&["__tests__"]), SCRIPTS),
    row("typescript", SCRIPT_TESTS, Trees::Loaded(&["__tests__"]), SCRIPTS),
    row("yaml", &[], Trees::Nowhere, &[]),
    row("zig", &["*_test.zig", "test_*.zig", "test.zig", "tests.zig"], Trees::Within(&["test", "tests"]), &[".zig"]),
    // tidy: end
];

const fn row(
    language: &'static str,
    names: &'static [&'static str],
    trees: Trees,
    endings: &'static [&'static str],
) -> Convention {
    Convention { language, names, trees, endings }
}

/// The directories below the outermost one that fits one of `trees`.
fn below<'a, 'b>(trees: &[&str], directories: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let outermost = directories.iter().position(|directory| trees.iter().any(|tree| fits(tree, directory)))?;
    Some(&directories[outermost + 1..])
}

fn is_shared(name: &str) -> bool {
    words(stem(name)).iter().any(|word| SHARED.contains(&word.as_str()))
}

/// Whether `pattern`, in which `*` stands for any text and `%` for a capital, describes all of `name`.
fn fits(pattern: &str, name: &str) -> bool {
    let Some(token) = pattern.chars().next() else { return name.is_empty() };
    let rest = &pattern[token.len_utf8()..];
    match token {
        '*' => name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| fits(rest, &name[at..])),
        '%' => name.strip_prefix(char::is_uppercase).is_some_and(|name| fits(rest, name)),
        letter => name.strip_prefix(letter).is_some_and(|name| fits(rest, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, tests: &[&str], others: &[&str]) {
        for path in tests {
            assert!(is_test_file(&(*path).into(), language), "{path} is a test");
        }
        for path in others {
            assert!(!is_test_file(&(*path).into(), language), "{path} is no test");
        }
    }

    #[test]
    fn python_tests_are_told_by_their_names() {
        check(
            "python",
            &[
                "tests/test_a.py",
                "a_test.py",
                "tests/test_utils/test_echo.py",
                "shop/tests.py",
                "tests/test_helpers.py",
            ],
            &[
                "tests/conftest.py",
                "tests/__init__.py",
                "src/click/testing.py",
                "tests/fixtures/test_a.py",
                "latest.py",
            ],
        );
    }

    #[test]
    fn scripts_are_told_by_name_or_by_the_directory_that_a_runner_loads() {
        let tests = [
            "src/a.test.ts",
            "src/a.spec.js",
            "__tests__/a.js",
            "test/acceptance/auth.js",
            "test/utils.js",
            "packages/a/src/tests/b.test.tsx",
        ];
        check("javascript", &tests, &["test/support/env.js", "src/a.js", "test/fixtures/a.test.js", "tests/a.js"]);
        check(
            "typescript",
            &["a.e2e-spec.ts", "a.test-d.ts"],
            &["vitest.setup.ts", "src/latest.ts", "test/server.ts", "src/test-utils.ts", "a.test.d.ts"],
        );
        check("tsx", &["a.test.tsx"], &["a.stories.tsx"]);
    }

    #[test]
    fn rust_targets_are_tests_and_their_modules_are_not() {
        check(
            "rust",
            &["tests/a.rs", "crates/a/tests/b/main.rs", "src/a/tests.rs", "src/a_tests.rs"],
            &[
                "tests/b/operations.rs",
                "tests/common/mod.rs",
                "tests/common.rs",
                "tests/mod.rs",
                "src/lib.rs",
                "src/main.rs",
            ],
        );
    }

    #[test]
    fn classes_are_told_by_the_names_that_their_runners_look_for() {
        check(
            "java",
            &[
                "src/test/java/a/FooTest.java",
                "a/FooTests.java",
                "a/FooIT.java",
                "a/TestFoo.java",
                "src/test/java/a/FooSpec.java",
            ],
            &[
                "src/test/java/a/MoreAsserts.java",
                "src/main/java/a/Latest.java",
                "src/main/java/a/Testing.java",
                "src/main/java/a/KeySpec.java",
            ],
        );
        check("kotlin", &["src/test/kotlin/FooTest.kt"], &["src/test/kotlin/Fakes.kt"]);
        check(
            "scala",
            &["src/test/scala/FooSuite.scala", "a/src/it/scala/FooIT.scala"],
            &["src/test/scala/Generators.scala"],
        );
        check("swift", &["Tests/AppTests/FooTests.swift"], &["Sources/App/Foo.swift"]);
        check("php", &["tests/Monolog/Handler/XTest.php", "tests/a.phpt"], &["tests/Monolog/TestCase.php"]);
        check(
            "csharp",
            &["test/App.Tests/Parsing/Json.cs", "src/FooTests.cs"],
            &["test/App.Tests/Builders/Order.cs", "test/App.Tests/GlobalUsings.cs", "src/Foo.cs"],
        );
    }

    #[test]
    fn other_languages_follow_their_runners() {
        check("go", &["a/b_test.go"], &["a/testdata/b_test.go", "a/test.go"]);
        check(
            "ruby",
            &["spec/a_spec.rb", "test/test_a.rb", "test/a_test.rb", "test/spec_a.rb"],
            &["spec/spec_helper.rb", "test/test_helper.rb", "lib/a.rb"],
        );
        check(
            "c",
            &["tests/a.c", "src/test_a.c", "a_unittest.c"],
            &["tests/source/C/b.c", "tests/util.c", "tests/a.h", "src/a.c"],
        );
        check(
            "cpp",
            &[
                "a_test.cc",
                "tests/SelfTest/a.tests.cpp",
                "tests/a.cpp",
                "tests/src/unit-a.cpp",
                "test/unit/a.cpp",
                "FooTest.cpp",
            ],
            &["tests/helpers/a.cpp", "tests/src/test_utils.hpp", "tests/src/utils.cpp", "src/unit/a.cpp", "a.hpp"],
        );
        check("dart", &["test/a_test.dart"], &["test/a.dart"]);
        check("elixir", &["test/a_test.exs"], &["test/test_helper.exs", "test/support/case.exs"]);
        check("haskell", &["test/A/BSpec.hs", "test/Main.hs"], &["src/A.hs", "test/A/Gen.hs"]);
        check("lua", &["spec/a_spec.lua"], &["a.lua"]);
        check("ocaml", &["test/test_a.ml", "test/a.ml"], &["src/a.ml"]);
        check("r", &["tests/testthat/test-a.R"], &["tests/testthat.R", "tests/testthat/helper-a.R", "R/a.R"]);
        check("zig", &["test/a.zig", "src/a_test.zig"], &["src/a.zig"]);
        check("bash", &["test/a.bats", "tests/a.sh"], &["tests/setup.sh", "tests/source/b.sh", "a.sh"]);
        check("hcl", &["tests/a.tftest.hcl"], &["main.tf"]);
        check("text", &["t/a.t", "test/a.bats", "src/test/groovy/ASpec.groovy"], &["tests/a.txt", "tests/data.bin"]);
    }

    #[test]
    fn data_is_no_test_and_languages_without_a_row_are_judged_by_their_path() {
        check("json", &[], &["tests/a.json", "a.test.json"]);
        check("a language of tomorrow", &["tests/a.tmrw"], &["src/a.tmrw"]);
    }

    #[test]
    fn a_bare_name_does_not_prove_that_a_file_is_a_test() {
        for (path, language, expected) in [
            ("src/werkzeug/test.py", "python", true),
            ("tests.py", "python", true),
            ("src/main/java/a/Test.java", "java", true),
            ("lib/test.js", "javascript", true),
            ("tests/tests.py", "python", false),
            ("src/test_a.py", "python", false),
            ("src/test.spec.ts", "typescript", false),
            ("src/tests.rs", "rust", false),
            ("src/latest.py", "python", false),
        ] {
            assert_eq!(may_be_code(&path.into(), language), expected, "{path}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_paths_need_not_be_text() {
        assert!(CONVENTIONS.is_sorted_by(|a, b| a.language < b.language));
        assert!(is_test_file(&RepoPath::new(*b"a/\xff_test.go"), "go"));
    }
}
