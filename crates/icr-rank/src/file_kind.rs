//! Files that are seldom the answer, told by their path; never lowered when the query asks for such files.

use icr_model::RepoPath;

use crate::QueryShape;
use crate::words::{holds, words};

/// Why a file is ranked lower, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// What the path says the file is.
    pub reason: &'static str,
    /// The score is multiplied by this, in `0.0..=1.0`.
    pub factor: f64,
}

impl Penalty {
    /// Of a file in a directory of a major version that stands beside one of a newer version. On 20 public queries of a library
    /// that keeps its last version beside the present one.
    pub(crate) const OLDER_VERSION: Self = Self { reason: "older version", factor: 0.7 };
}

/// What a file may be besides the code of the project, as its path says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A test, or what tests use.
    Test,
    /// An example or a benchmark.
    Example,
    /// Text for people.
    Documentation,
    /// Vendored or generated.
    Foreign,
    /// Configuration and other data.
    Data,
}

impl FileKind {
    /// The kind of the file at `path`; `None` when the path says nothing.
    ///
    /// The outermost directory that says something decides, then the file name, then the extension.
    pub fn of(path: &RepoPath) -> Option<Self> {
        let bytes = path.as_bytes();
        let name = path.file_name();
        let directories = bytes[..bytes.len() - name.len()].split(|byte| *byte == b'/').filter(|part| !part.is_empty());
        directories.into_iter().find_map(kind_of_directory).or_else(|| kind_of_name(name))
    }

    /// The penalty of such a file for a query; `None` when the query asks for what it is.
    ///
    /// Of 622 public queries whose answers lie in a whole repository, none had such a file as its answer without
    /// asking for it. Factors 0.1 away from these change NDCG@10 by less than 0.003; these leave a file that says much more
    /// than the others its place.
    pub fn penalty(self, query: &QueryShape) -> Option<Penalty> {
        let (wanted, reason, factor) = match self {
            Self::Test => (query.about_tests, "test", 0.55),
            Self::Example => (query.about_examples, "example", 0.7),
            Self::Documentation => (query.about_docs, "documentation", 0.55),
            Self::Foreign => (query.about_foreign_code, "vendored or generated", 0.65),
            Self::Data => (query.about_data, "data", 0.7),
        };
        (!wanted).then_some(Penalty { reason, factor })
    }
}

/// Names that say what a file is, each list sorted.
struct Vocabulary {
    kind: FileKind,
    /// Directories by their whole name.
    directories: &'static [&'static str],
    /// Directories by the last of several words: `integration-tests`, `commonTest`.
    last_words: &'static [&'static str],
    /// File names without what follows their first dot.
    stems: &'static [&'static str],
    /// Last of several words of such a stem: `parser_test`, `ParserTests`.
    stem_ends: &'static [&'static str],
    /// What stands between two dots of a file name: `parser.test.ts`.
    infixes: &'static [&'static str],
    extensions: &'static [&'static str],
}

/// In order of precedence.
static VOCABULARIES: [Vocabulary; 5] = [
    Vocabulary {
        kind: FileKind::Test,
        directories: &["__fixtures__", "__mocks__", "__snapshots__", "__tests__", "testdata", "testing"],
        last_words: &["fixture", "fixtures", "mock", "mocks", "snapshots", "spec", "specs", "test", "tests"],
        stems: &["conftest", "spec", "test", "tests", "testutil", "testutils"],
        stem_ends: &["mock", "mocks", "spec", "specs", "test", "tests"],
        infixes: &["bench", "spec", "specs", "test", "tests"],
        extensions: &["snap"],
    },
    Vocabulary {
        kind: FileKind::Example,
        directories: &[],
        last_words: &[
            "bench",
            "benches",
            "benchmark",
            "benchmarks",
            "demo",
            "demos",
            "example",
            "examples",
            "playground",
            "playgrounds",
            "sample",
            "samples",
            "tutorial",
            "tutorials",
        ],
        stems: &[],
        stem_ends: &["bench", "benchmark", "benchmarks", "demo", "example", "examples"],
        infixes: &[],
        extensions: &[],
    },
    Vocabulary {
        kind: FileKind::Documentation,
        directories: &["docs_src"],
        last_words: &["changelog", "changelogs", "doc", "docs", "documentation", "guides", "website"],
        stems: &[],
        stem_ends: &[],
        infixes: &[],
        extensions: &["adoc", "markdown", "md", "mdx", "org", "rdoc", "rst", "txt"],
    },
    Vocabulary {
        kind: FileKind::Foreign,
        directories: &["node_modules", "third-party", "third_party"],
        last_words: &["deps", "dist", "gen", "generated", "thirdparty", "vendor", "vendored"],
        stems: &[],
        stem_ends: &["generated", "pb"],
        infixes: &["designer", "g", "generated", "min", "pb"],
        extensions: &["lock"],
    },
    Vocabulary {
        kind: FileKind::Data,
        directories: &[],
        last_words: &[],
        stems: &[],
        stem_ends: &[],
        infixes: &[],
        extensions: &[
            "api",
            "cfg",
            "conf",
            "config",
            "css",
            "csv",
            "golden",
            "htm",
            "html",
            "ini",
            "json",
            "plist",
            "po",
            "pot",
            "properties",
            "resx",
            "scss",
            "sum",
            "svg",
            "toml",
            "tsv",
            "xml",
            "yaml",
            "yml",
        ],
    },
];

/// Second words that make a directory whose name begins with `test` one of tests: `test-resources`, `TestObjects`.
static USED_BY_TESTS: [&str; 12] = [
    // tidy: sorted
    "cases",
    "common",
    "data",
    "files",
    "fixtures",
    "helper",
    "helpers",
    "objects",
    "resources",
    "support",
    "util",
    "utils",
    // tidy: end
];

fn kind_of_directory(name: &[u8]) -> Option<FileKind> {
    let last = words(name).last()?;
    let mut first_words = words(name);
    if first_words.next().is_some_and(|first| holds(&["test", "tests"], first))
        && first_words.next().is_some_and(|second| holds(&USED_BY_TESTS, second))
    {
        return Some(FileKind::Test);
    }
    let named = VOCABULARIES.iter().find(|row| holds(row.directories, name) || holds(row.last_words, last));
    named.map(|row| row.kind)
}

fn kind_of_name(name: &[u8]) -> Option<FileKind> {
    // The prefix that `pytest` looks for.
    if name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"test_")) {
        return Some(FileKind::Test);
    }
    let visible = name.strip_prefix(b".").unwrap_or(name);
    let mut parts = visible.split(|byte| *byte == b'.');
    let stem = parts.next()?;
    let extension = parts.next_back();
    if extension.is_none() && holds(&PAPERS, stem) {
        return Some(FileKind::Documentation);
    }
    let stem_end = words(stem).skip(1).last();
    let named = VOCABULARIES.iter().find(|row| {
        holds(row.stems, stem)
            || stem_end.is_some_and(|word| holds(row.stem_ends, word))
            || parts.clone().any(|infix| holds(row.infixes, infix))
    });
    let by_extension = || extension.and_then(|last| VOCABULARIES.iter().find(|row| holds(row.extensions, last)));
    named.or_else(by_extension).map(|row| row.kind)
}

/// Files without an extension that people read.
static PAPERS: [&str; 11] = [
    // tidy: sorted
    "authors",
    "changelog",
    "changes",
    "contributing",
    "copying",
    "history",
    "license",
    "news",
    "notice",
    "readme",
    "todo",
    // tidy: end
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, query: &str, reason: Option<&str>) {
        let penalty = FileKind::of(&path.into()).and_then(|kind| kind.penalty(&QueryShape::of(query)));
        assert_eq!(penalty.map(|penalty| penalty.reason), reason, "{path} for {query}");
    }

    #[test]
    fn directories_say_what_a_file_is() {
        check("src/parser.rs", "parser", None);
        check("tests/parser.rs", "parser", Some("test"));
        check("Newtonsoft.Json.Tests/Parser.cs", "parser", Some("test"));
        check("src/commonTest/Parser.kt", "parser", Some("test"));
        check("jvm/test-resources/a.kt", "parser", Some("test"));
        check("tester/parser.ts", "parser", None);
        check("generators/test_unit/a.rb", "parser", None);
        check("samples/a.rs", "parser", Some("example"));
        check("docs/conf.py", "parser", Some("documentation"));
        check("vendor/a/b.go", "parser", Some("vendored or generated"));
        check("src/vendors/mysql.kt", "parser", None);
        check("tests/docs/a.md", "parser", Some("test"));
    }

    #[test]
    fn names_say_what_a_file_is() {
        check("src/parser_test.go", "parser", Some("test"));
        check("src/ParserTest.java", "parser", Some("test"));
        check("src/parser.spec.ts", "parser", Some("test"));
        check("src/test_parser.py", "parser", Some("test"));
        check("src/conftest.py", "parser", Some("test"));
        check("src/test-run.ts", "parser", None);
        check("src/latest.rs", "parser", None);
        check("src/history.rs", "parser", None);
        check("api/parser.pb.go", "parser", Some("vendored or generated"));
        check("LICENSE", "parser", Some("documentation"));
        check("README.md", "parser", Some("documentation"));
        check(".github/a.yml", "parser", Some("data"));
        check("Cargo.lock", "parser", Some("vendored or generated"));
        check("package.json", "parser", Some("data"));
        check("Makefile", "parser", None);
        check("", "parser", None);
        check(".", "parser", None);
        check("...", "parser", None);
    }

    #[test]
    fn nothing_is_lowered_when_the_query_asks_for_it() {
        check("tests/parser.rs", "tests of the parser", None);
        check("README.md", "readme of the parser", None);
        check("examples/a.rs", "example of a parser", None);
        check("package.json", "scripts in the json manifest", None);
        check("vendor/a.c", "vendored parser", None);
    }

    #[test]
    fn lists_are_sorted_as_the_look_up_needs() {
        for row in &VOCABULARIES {
            for list in [row.directories, row.last_words, row.stems, row.stem_ends, row.infixes, row.extensions] {
                assert!(list.is_sorted(), "{list:?}");
            }
        }
        assert!(USED_BY_TESTS.is_sorted() && PAPERS.is_sorted());
    }
}
