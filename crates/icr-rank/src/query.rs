//! The shape of a query, which decides what counts as evidence.

use crate::passage::headline;
use crate::versions::version_of;
use crate::words::{holds, words as words_of};

/// What the text of a query shows by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryShape {
    /// Words of the query that can only be identifiers, with their case: the whole query if it is one word, words with
    /// an inner capital, an underscore or a scope separator, and the identifiers that code uses for the command-line
    /// flags in the query. Treating every capitalised word of a sentence as a symbol costs more than it finds.
    pub identifiers: Vec<String>,
    /// Whether the first line of the query mentions tests. The other `about_` fields also look at the first line only.
    pub about_tests: bool,
    /// Whether the query mentions examples, demos or benchmarks.
    pub about_examples: bool,
    /// Whether the query mentions documentation.
    pub about_docs: bool,
    /// Whether the query mentions vendored or generated code.
    pub about_foreign_code: bool,
    /// Whether the query mentions data files or settings.
    pub about_data: bool,
    /// Major versions that the query names, as `v3`.
    pub versions: Vec<u32>,
}

impl QueryShape {
    /// The shape of `query`.
    pub fn of(query: &str) -> Self {
        let words: Vec<&str> = query.split_whitespace().map(trim_punctuation).filter(|word| !word.is_empty()).collect();
        let mut identifiers: Vec<String> = Vec::new();
        for word in &words {
            for name in names_of_flag(word) {
                if !identifiers.contains(&name) {
                    identifiers.push(name);
                }
            }
            if is_path(word) || !(words.len() == 1 || looks_like_identifier(word)) {
                continue;
            }
            let last = word.rsplit([':', '.', '#']).find(|part| !part.is_empty()).unwrap_or(word);
            let plain = last.trim_end_matches("()").trim_end_matches('!');
            let known = identifiers.iter().any(|identifier| identifier == plain);
            if !known && plain.chars().all(|c| c.is_alphanumeric() || c == '_') && !plain.is_empty() {
                identifiers.push(plain.to_owned());
            }
        }
        // The lines below the first one seldom say what is wanted: reports contain tests and examples of their own, and
        // issue forms ask for the configuration (0.05 NDCG@10 on 251 public issue texts).
        let speaks_of = |names: &[&str]| words_of(headline(query).as_bytes()).any(|word| holds(names, word));
        Self {
            identifiers,
            about_tests: speaks_of(&TESTS),
            about_examples: speaks_of(&EXAMPLES),
            about_docs: speaks_of(&DOCUMENTATION),
            about_foreign_code: speaks_of(&FOREIGN_CODE),
            about_data: speaks_of(&DATA),
            versions: words.iter().filter_map(|word| version_of(word.as_bytes())).collect(),
        }
    }
}

/// The terms with content: `terms` without stop words, or all of them if nothing else is left.
///
/// Without this, a comment that says "how does this work" would match every question that begins so. Only words of
/// grammar are left out. Words such as `handle`, `used` or `function` often tell files apart: leaving them out too
/// ranks 0.007 NDCG@10 lower without vectors.
pub fn content_terms(terms: &[String]) -> Vec<String> {
    let content: Vec<String> = terms.iter().filter(|term| !is_stop_word(term)).cloned().collect();
    if content.is_empty() { terms.to_vec() } else { content }
}

/// Whether `term` is a word of grammar, which does not tell one file from another.
pub fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.binary_search(&term).is_ok()
}

static TESTS: [&str; 14] = [
    // tidy: sorted
    "fixture", "fixtures", "mock", "mocking", "mocks", "spec", "specs", "stub", "stubs", "test", "tested", "tester",
    "testing", "tests",
    // tidy: end
];

static EXAMPLES: [&str; 12] = [
    // tidy: sorted
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "example",
    "examples",
    "sample",
    "samples",
    "tutorial",
    "tutorials",
    // tidy: end
];

static DOCUMENTATION: [&str; 8] = [
    // tidy: sorted
    "changelog",
    "doc",
    "docs",
    "documentation",
    "guide",
    "guides",
    "license",
    "readme",
    // tidy: end
];

static FOREIGN_CODE: [&str; 3] = [
    // tidy: sorted
    "generated",
    "vendor",
    "vendored",
    // tidy: end
];

static DATA: [&str; 21] = [
    // tidy: sorted
    "config",
    "configuration",
    "css",
    "csv",
    "html",
    "ini",
    "json",
    "locale",
    "manifest",
    "plist",
    "properties",
    "schema",
    "settings",
    "stylesheet",
    "svg",
    "template",
    "templates",
    "toml",
    "xml",
    "yaml",
    "yml",
    // tidy: end
];

/// Words of grammar in English questions, and what the index makes of them.
static STOP_WORDS: [&str; 65] = [
    // tidy: sorted
    "a", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could", "did", "do", "doe", "does",
    "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or",
    "our", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your",
    // tidy: end
];

fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | '?' | '.')).trim_end_matches(':')
}

/// Names that code uses for the command-line flag `word`: `no_color` and `noColor` for `--no-color`. Empty if `word` is
/// no flag.
fn names_of_flag(word: &str) -> Vec<String> {
    let name = word.strip_prefix("--").and_then(|flag| flag.split('=').next()).unwrap_or_default();
    let is_name = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.split('-').all(is_name) {
        return Vec::new();
    }
    let snake = name.replace('-', "_");
    let camel = name.split('-').enumerate().map(|(at, part)| match at {
        0 => part.to_owned(),
        _ => part[..1].to_ascii_uppercase() + &part[1..],
    });
    let mut names = vec![snake, camel.collect()];
    names.dedup();
    names
}

fn is_path(word: &str) -> bool {
    word.contains('/')
}

fn looks_like_identifier(word: &str) -> bool {
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let underscore = word.contains('_') && word.chars().any(char::is_alphanumeric);
    inner_capital || underscore || word.contains("::") || word.ends_with("()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, identifiers: &[&str]) {
        assert_eq!(QueryShape::of(query).identifiers, identifiers, "{query}");
    }

    #[test]
    fn only_what_can_be_nothing_else_is_an_identifier() {
        check("open", &["open"]);
        check("how does the Client open files?", &[]);
        check("where is openFile called", &["openFile"]);
        check("read_line and read_line", &["read_line"]);
        check("std::fs::read_dir", &["read_dir"]);
        check("Server.handle()", &["handle"]);
        check("fix src/my_file.rs", &[]);
        check("what does --no-color=always do", &["no_color", "noColor"]);
        check("the --golden flag", &["golden"]);
        check("a -- b --- c --=x", &[]);
        check("", &[]);
        check("???", &[]);
        check("ünïcode_wörd here", &["ünïcode_wörd"]);
    }

    #[test]
    fn a_query_says_when_it_wants_tests() {
        assert!(QueryShape::of("unit tests of the parser").about_tests);
        assert!(!QueryShape::of("latest parser").about_tests);
        assert!(!QueryShape::of("parser crashes\nwith this test").about_tests);
        assert!(QueryShape::of("\ntest crashes\nwith this parser").about_tests);
    }

    #[test]
    fn words_of_grammar_are_no_terms() {
        let terms = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(content_terms(&terms("how does the router match")), ["router", "match"]);
        assert_eq!(content_terms(&terms("how does it")), ["how", "does", "it"]);
        assert_eq!(content_terms(&[]), [] as [String; 0]);
    }

    #[test]
    fn lists_are_sorted_as_the_look_up_needs() {
        for list in [&TESTS[..], &EXAMPLES, &DOCUMENTATION, &FOREIGN_CODE, &DATA, &STOP_WORDS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
