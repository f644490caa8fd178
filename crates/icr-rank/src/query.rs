//! What a query looks like, which decides what counts as evidence.

/// What can be told from a query's text alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryShape {
    /// Texts in the query that can only be identifiers, case kept: the whole query when it is one word, and words with
    /// an inner capital, an underscore or a scope separator. Treating every capitalised word of a sentence as a symbol
    /// costs more than it finds.
    pub identifiers: Vec<String>,
    /// The query speaks of tests.
    pub about_tests: bool,
    /// The query speaks of examples, demos or benchmarks.
    pub about_examples: bool,
    /// The query speaks of documentation.
    pub about_docs: bool,
}

impl QueryShape {
    /// The shape of `query`.
    pub fn of(query: &str) -> Self {
        let words: Vec<&str> = query.split_whitespace().map(trim_punctuation).filter(|word| !word.is_empty()).collect();
        let mut identifiers: Vec<String> = Vec::new();
        for word in &words {
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
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let speaks_of = |names: &[&str]| lower.iter().any(|word| names.contains(&word.as_str()));
        Self {
            identifiers,
            about_tests: speaks_of(&[
                "test", "tests", "testing", "tested", "spec", "specs", "fixture", "fixtures", "mock", "mocks",
            ]),
            about_examples: speaks_of(&[
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
                "tutorial",
            ]),
            about_docs: speaks_of(&["doc", "docs", "documentation", "readme", "changelog", "guide"]),
        }
    }
}

fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | '?' | '.')).trim_end_matches(':')
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
        check("", &[]);
        check("???", &[]);
        check("ünïcode_wörd here", &["ünïcode_wörd"]);
    }

    #[test]
    fn a_query_says_when_it_wants_tests() {
        assert!(QueryShape::of("unit tests of the parser").about_tests);
        assert!(!QueryShape::of("latest parser").about_tests);
    }
}
