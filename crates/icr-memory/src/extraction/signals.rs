//! The words that a fact is known by.

use crate::near::{bases, code_spans};

/// What a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// How parts of the system hang together.
    Architecture,
    /// What is set where, and what it is by default.
    Config,
    /// What was decided, is preferred or must hold.
    Decision,
    /// How the system is built and changed.
    Development,
    /// What failed, why, and how it was fixed.
    Error,
}

impl Signal {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::Architecture, Self::Config, Self::Decision, Self::Development, Self::Error];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["architecture", "config", "decision", "development", "error"][self as usize]
    }

    /// Points that it adds to a sentence's score, once however often it is seen.
    pub fn points(self) -> f64 {
        [3.0, 2.0, 4.0, 2.0, 3.0][self as usize]
    }
}

use Signal::{Architecture, Config, Decision, Development, Error};

/// Words and phrases with what they are a sign of, sorted. The first word of a row stands for all its forms.
const SIGNALS: &[(&str, Signal)] = &[
    ("abstraction", Architecture),
    ("add", Development),
    ("adopt", Decision),
    ("agree", Decision),
    ("always", Decision),
    ("api", Development),
    ("architectural", Architecture),
    ("architecture", Architecture),
    ("avoid", Decision),
    ("because", Development),
    ("benchmark", Development),
    ("bottleneck", Error),
    ("boundary", Architecture),
    ("break", Error),
    ("breaking change", Decision),
    ("broke", Error),
    ("broken", Error),
    ("bug", Error),
    ("build", Development),
    ("by design", Architecture),
    ("cause", Error),
    ("choose", Decision),
    ("commit", Development),
    ("communicate", Architecture),
    ("compile", Development),
    ("config", Config),
    ("configuration", Config),
    ("configure", Config),
    ("consist", Architecture),
    ("convention", Decision),
    ("corrupt", Error),
    ("crash", Error),
    ("credential", Config),
    ("database", Development),
    ("deadlock", Error),
    ("decide", Decision),
    ("decision", Decision),
    ("decouple", Architecture),
    ("default", Config),
    ("depend on", Architecture),
    ("dependency", Development),
    ("deploy", Development),
    ("deployment", Development),
    ("deprecate", Decision),
    ("design", Architecture),
    ("disable", Config),
    ("drop", Development),
    ("due to", Error),
    ("enable", Config),
    ("endpoint", Development),
    ("env", Config),
    ("environment", Config),
    ("error", Error),
    ("event-driven", Architecture),
    ("exception", Error),
    ("fail", Error),
    ("failure", Error),
    ("fix", Error),
    ("flag", Config),
    ("forbid", Decision),
    ("from now on", Decision),
    ("handler", Development),
    ("hang", Error),
    ("has to", Decision),
    ("have to", Decision),
    ("idempotent", Architecture),
    ("implement", Development),
    ("in favor of", Decision),
    ("in favour of", Decision),
    ("index", Development),
    ("install", Development),
    ("instead of", Decision),
    ("invariant", Decision),
    ("layer", Architecture),
    ("leak", Error),
    ("library", Development),
    ("limit", Config),
    ("lock", Development),
    ("mandatory", Decision),
    ("merge", Development),
    ("microservice", Architecture),
    ("migrate", Development),
    ("migration", Development),
    ("module", Development),
    ("monolith", Architecture),
    ("must", Decision),
    ("never", Decision),
    ("opt", Decision),
    ("outage", Error),
    ("override", Development),
    ("package", Development),
    ("panic", Error),
    ("pattern", Architecture),
    ("pick", Decision),
    ("pin", Config),
    ("policy", Decision),
    ("port", Config),
    ("prefer", Decision),
    ("prefix", Config),
    ("protocol", Architecture),
    ("race condition", Error),
    ("rather than", Decision),
    ("refactor", Development),
    ("regression", Error),
    ("reject", Decision),
    ("release", Development),
    ("remove", Development),
    ("rename", Development),
    ("replace", Development),
    ("require", Decision),
    ("requirement", Decision),
    ("resolve", Error),
    ("responsible for", Architecture),
    ("return", Development),
    ("root cause", Error),
    ("rule out", Decision),
    ("schema", Architecture),
    ("secret", Config),
    ("separate", Architecture),
    ("setting", Config),
    ("settle on", Decision),
    ("single place", Architecture),
    ("source of truth", Architecture),
    ("standardise", Decision),
    ("standardize", Decision),
    ("store", Development),
    ("switch", Development),
    ("test", Development),
    ("threshold", Config),
    ("timeout", Config),
    ("trade-off", Decision),
    ("tradeoff", Decision),
    ("turn out", Error),
    ("update", Development),
    ("upgrade", Development),
    ("use", Development),
    ("variable", Config),
    ("version", Development),
    ("vulnerability", Error),
    ("workaround", Error),
    ("worker", Development),
];

/// The words of a sentence in lower case, in order, without code between backticks, paths, identifiers and numbers.
///
/// What is left out is an empty word, so that no phrase reaches over it.
pub(super) fn words(sentence: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut from = 0;
    for code in code_spans(sentence) {
        add_words(&sentence[from..code.start], &mut words);
        words.push(String::new());
        from = code.end;
    }
    add_words(&sentence[from..], &mut words);
    words
}

fn add_words(text: &str, words: &mut Vec<String>) {
    let is_between = |character: char| {
        character.is_whitespace() || matches!(character, '(' | ')' | ',' | ';' | '"' | '“' | '”' | '—')
    };
    for piece in text.split(is_between).filter(|piece| !piece.is_empty()) {
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric());
        let is_word = word.chars().all(|character| character.is_alphabetic() || matches!(character, '-' | '\'' | '’'));
        // `--force`, `.env` and `@app` are names, whatever word they hold.
        let is_name = piece.starts_with(['-', '.', '@', '/', '$', '_', '#']) && !word.is_empty();
        words.push(if is_word && !is_name { word.to_lowercase().replace('’', "'") } else { String::new() });
    }
}

/// What the words are signs of, each once, in order.
pub(super) fn signals(words: &[String]) -> Vec<Signal> {
    let mut seen = [false; Signal::ALL.len()];
    for (at, word) in words.iter().enumerate() {
        if word.is_empty() {
            continue;
        }
        let parts = word.contains('-').then(|| word.split('-')).into_iter().flatten();
        for part in parts.chain([word.as_str()]) {
            for base in bases(part) {
                for (_, signal) in rows(&base).filter(|(row, _)| is_at(row, &words[at + 1..])) {
                    seen[*signal as usize] = true;
                }
            }
        }
    }
    Signal::ALL.into_iter().filter(|signal| seen[*signal as usize]).collect()
}

/// The rows that begin with a word.
fn rows(word: &str) -> impl Iterator<Item = &'static (&'static str, Signal)> {
    let from = SIGNALS.partition_point(|(row, _)| *row < word);
    SIGNALS[from..]
        .iter()
        .take_while(move |(row, _)| row.starts_with(word))
        .filter(move |(row, _)| row.len() == word.len() || row.as_bytes().get(word.len()) == Some(&b' '))
}

/// Whether the words behind the first of a row follow.
fn is_at(row: &str, behind: &[String]) -> bool {
    row.split(' ').skip(1).enumerate().all(|(at, word)| behind.get(at).is_some_and(|next| next == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: &[Signal]) {
        assert_eq!(signals(&words(sentence)), expected, "{sentence}");
    }

    #[test]
    fn all_forms_of_a_word_are_signs() {
        for sentence in ["We decide", "We decided", "Deciding it", "He decides", "It was Decided."] {
            check(sentence, &[Decision]);
        }
        for sentence in ["fix it", "fixes it", "(fixed)", "bug-fixing", "The bug's gone"] {
            check(sentence, &[Error]);
        }
        for sentence in ["use", "uses", "using", "used"] {
            check(sentence, &[Development]);
        }
    }

    #[test]
    fn signs_are_whole_words() {
        check("The prefixture, a terror, my designation, buggy, portal", &[]);
        check("It is in error.rs, fix_error, `fix`, --fix, src/bug/a and fix::error", &[]);
        check("An event-driven one", &[Architecture]);
    }

    #[test]
    fn phrases_are_words_in_a_row() {
        check("A depends on B", &[Architecture]);
        check("It depends. On Monday", &[Architecture]);
        check("It depends `a` on", &[]);
        check("instead of that", &[Decision]);
        check("instead", &[]);
    }

    #[test]
    fn each_kind_counts_once() {
        check("The error: it failed to fix the bug", &[Error]);
        check("Decided to fix the default", &[Config, Decision, Error]);
    }

    #[test]
    fn signals_have_names_and_points() {
        let told: Vec<String> =
            Signal::ALL.iter().map(|signal| format!("{} {}", signal.name(), signal.points())).collect();
        assert_eq!(told, ["architecture 3", "config 2", "decision 4", "development 2", "error 3"]);
    }

    #[test]
    fn the_table_is_sorted() {
        let unsorted = SIGNALS.windows(2).find(|pair| pair[0].0 >= pair[1].0);
        assert_eq!(unsorted, None);
    }
}
