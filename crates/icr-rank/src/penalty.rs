//! Files that are seldom the answer, told by their path; never applied when the query asks for such files.

use icr_model::RepoPath;

use crate::QueryShape;

/// Why a file is ranked lower, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// What the path says the file is.
    pub reason: &'static str,
    /// The score is multiplied by this, in `0.0..1.0`.
    pub factor: f64,
}

/// Parts of a path (whole components, or words of the file name) that say what a file is.
struct Kind {
    reason: &'static str,
    factor: f64,
    directories: &'static [&'static str],
    name_words: &'static [&'static str],
    names: &'static [&'static str],
}

/// In order of precedence. The factors were found on public code-search queries: stronger ones lose the queries whose
/// answer is such a file, weaker ones leave tests above what they test.
static KINDS: [Kind; 5] = [
    Kind {
        reason: "test",
        factor: 0.6,
        directories: &[
            "test",
            "tests",
            "testing",
            "__tests__",
            "spec",
            "specs",
            "testdata",
            "fixtures",
            "e2e",
            "mocks",
            "__mocks__",
        ],
        name_words: &["test", "tests", "spec", "mock", "conftest", "testutil"],
        names: &[],
    },
    Kind {
        reason: "example",
        factor: 0.6,
        directories: &[
            "example",
            "examples",
            "demo",
            "demos",
            "sample",
            "samples",
            "bench",
            "benches",
            "benchmark",
            "benchmarks",
            "playground",
        ],
        name_words: &["example", "examples", "demo", "benchmark"],
        names: &[],
    },
    Kind {
        reason: "documentation",
        factor: 0.6,
        directories: &["doc", "docs", "documentation", "website", "changelog", "changelogs"],
        name_words: &["changelog", "changes", "history"],
        names: &[],
    },
    Kind {
        reason: "vendored or generated",
        factor: 0.5,
        directories: &["vendor", "vendored", "third_party", "third-party", "node_modules", "dist", "generated", "deps"],
        name_words: &["generated", "pb", "min", "lock"],
        names: &["package-lock.json", "pnpm-lock.yaml", "go.sum"],
    },
    Kind {
        reason: "re-exports",
        factor: 0.85,
        directories: &[],
        name_words: &[],
        names: &["__init__.py", "index.ts", "index.js", "index.tsx", "mod.rs"],
    },
];

/// Whether a path is that of a test or of what tests use, by its directories and the words of its name.
pub fn is_test_path(path: &RepoPath) -> bool {
    kind_of(path).is_some_and(|kind| kind.reason == "test")
}

/// Extensions of prose, which answer questions about documentation.
const PROSE: [&[u8]; 5] = [b"md", b"rst", b"txt", b"adoc", b"org"];

/// The penalty of a path for a query; `None` when the path says nothing, or the query asks for what it is.
pub fn penalty_of(path: &RepoPath, query: &QueryShape) -> Option<Penalty> {
    let wanted = |reason: &str| match reason {
        "test" => query.about_tests,
        "example" => query.about_examples,
        "documentation" => query.about_docs,
        _ => false,
    };
    if let Some(kind) = kind_of(path) {
        return (!wanted(kind.reason)).then_some(Penalty { reason: kind.reason, factor: kind.factor });
    }
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let prose = PROSE.contains(&extension.as_slice()) && !query.about_docs;
    prose.then_some(Penalty { reason: "documentation", factor: 0.6 })
}

fn kind_of(path: &RepoPath) -> Option<&'static Kind> {
    let lower = path.as_bytes().to_ascii_lowercase();
    let name_start = lower.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let (directories, name) = lower.split_at(name_start);
    let named = |kind: &&Kind| {
        let within =
            directories.split(|byte| *byte == b'/').any(|part| kind.directories.iter().any(|d| d.as_bytes() == part));
        let words = name
            .split(|byte| !byte.is_ascii_alphanumeric())
            .any(|word| kind.name_words.iter().any(|w| w.as_bytes() == word));
        within || words || kind.names.iter().any(|whole| whole.as_bytes() == name)
    };
    KINDS.iter().find(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, query: &str, reason: Option<&str>) {
        let penalty = penalty_of(&path.into(), &QueryShape::of(query));
        assert_eq!(penalty.map(|penalty| penalty.reason), reason, "{path} for {query}");
    }

    #[test]
    fn the_path_says_what_a_file_is() {
        check("src/parser.rs", "parser", None);
        check("tests/parser.rs", "parser", Some("test"));
        check("src/parser_test.go", "parser", Some("test"));
        check("src/latest.rs", "parser", None);
        check("docs/parser.md", "parser", Some("documentation"));
        check("README.md", "parser", Some("documentation"));
        check("vendor/a/b.go", "parser", Some("vendored or generated"));
        check("pkg/__init__.py", "parser", Some("re-exports"));
    }

    #[test]
    fn nothing_is_penalised_when_the_query_asks_for_it() {
        check("tests/parser.rs", "tests of the parser", None);
        check("README.md", "readme of the parser", None);
        check("examples/a.rs", "example of a parser", None);
    }
}
