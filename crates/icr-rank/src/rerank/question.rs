//! The words of a question, for comparing them with those of the first candidates.

use crate::passage::headline;
use crate::rerank::forms::WordForms;
use crate::words::words;

/// Most words of a question that are compared; each costs a comparison with every word of every name.
const WORDS: usize = 24;

/// Words that commit messages begin with.
static VERBS: [&str; 43] = [
    // tidy: sorted
    "add",
    "added",
    "adds",
    "allow",
    "allows",
    "avoid",
    "bump",
    "change",
    "clean",
    "correct",
    "deprecate",
    "disable",
    "drop",
    "enable",
    "enforce",
    "ensure",
    "extend",
    "fix",
    "fixed",
    "fixes",
    "handle",
    "implement",
    "improve",
    "include",
    "introduce",
    "keep",
    "make",
    "makes",
    "move",
    "optimize",
    "prevent",
    "reduce",
    "refactor",
    "reject",
    "remove",
    "removed",
    "removes",
    "rename",
    "replace",
    "revert",
    "simplify",
    "support",
    "update",
    // tidy: end
];

/// The kind of a question, which decides which features count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Somebody asks where something is.
    Question,
    /// The message of a commit, or a report.
    Message,
}

/// The words of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankQuestion {
    pub(super) words: Vec<WordForms>,
    /// How rare each is, above 0.
    pub(super) rarity: Vec<f64>,
    pub(super) kind: QuestionKind,
}

impl RerankQuestion {
    /// The question `query`; `rarity` gives the rarity of a word, or of its stem, in the files of the view.
    pub fn of(query: &str, rarity: impl Fn(&str) -> f64) -> Self {
        let line = headline(query);
        let said = |grammar: bool| {
            let mut distinct: Vec<WordForms> = Vec::new();
            for word in words(line.as_bytes()).map(WordForms::of) {
                let says = word.written.len() > 1 && (grammar || !crate::is_stop_word(&word.written));
                if says && distinct.len() < WORDS && !distinct.contains(&word) {
                    distinct.push(word);
                }
            }
            distinct
        };
        let words = match said(false) {
            none if none.is_empty() => said(true),
            some => some,
        };
        let rarity = words.iter().map(|word| rarity(&word.stem).max(rarity(&word.written)).max(LEAST_RARITY));
        let kind = if reads_like_message(query) { QuestionKind::Message } else { QuestionKind::Question };
        Self { rarity: rarity.collect(), words, kind }
    }

    /// The words as written, in lower case. [`crate::WordVectors`] compares these.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(|word| word.written.as_str())
    }
}

/// Rarity of a word that every chunk has.
const LEAST_RARITY: f64 = 0.05;

/// Whether the query has several lines, begins like a commit message, or names a ticket.
fn reads_like_message(query: &str) -> bool {
    let line = headline(query);
    let first = words(line.as_bytes()).next().map(|word| String::from_utf8_lossy(word).to_ascii_lowercase());
    let begins_with_verb = first.is_some_and(|word| VERBS.binary_search(&word.as_str()).is_ok());
    let has_scope = line.split_once(": ").is_some_and(|(scope, _)| scope.len() <= 40 && !scope.contains(' '));
    let has_ticket = line.split('#').skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    query.trim().contains('\n') || begins_with_verb || has_scope || has_ticket
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_questions() {
        for message in [
            "fix(previewer): improve line splitting",
            "Add separate response hooks",
            "Crash\nwhen it opens",
            "[Fix] avoid it",
            "Escape keys (#123)",
            "python: rewrite the loader",
        ] {
            assert!(reads_like_message(message), "{message}");
        }
        for question in [
            "how are routes registered",
            "connection pooling",
            "HTTPServer",
            "build system",
            "where is the configuration read: YAML or TOML",
            "",
        ] {
            assert!(!reads_like_message(question), "{question}");
        }
        assert!(VERBS.is_sorted());
    }

    #[test]
    fn words_of_grammar_count_where_there_are_no_others() {
        let words = |query: &str| RerankQuestion::of(query, |_| 1.0).words().collect::<Vec<_>>().join(" ");
        assert_eq!(words("how does the HTTPServer serve"), "http server serve");
        assert_eq!(words("how does it"), "how does it");
        assert_eq!(words("???"), "");
    }
}
