//! The signal words that identify facts.

use crate::near_duplicates::{bases, code_spans};

/// The topic of a sentence, as its signal words show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// How parts of the system are connected, and why.
    Architecture,
    /// Settings and default values.
    Config,
    /// Decisions, preferences and requirements.
    Decision,
    /// How the system is built and changed.
    Development,
    /// Failures, their causes and their fixes.
    Error,
}

impl Signal {
    /// All signals, in the order of their declaration.
    pub const ALL: [Self; 5] = [Self::Architecture, Self::Config, Self::Decision, Self::Development, Self::Error];

    /// The name of the signal.
    pub fn name(self) -> &'static str {
        ["architecture", "config", "decision", "development", "error"][self as usize]
    }

    /// Points that the signal adds to a sentence's score, once, however often it occurs.
    pub fn points(self) -> f64 {
        [3.0, 2.0, 4.0, 2.0, 3.0][self as usize]
    }
}

use Signal::{Architecture, Config, Decision, Development, Error};

/// Words and phrases with their signal, sorted. The first word of a row stands for all its forms.
const SIGNALS: &[(&str, Signal)] = &[
    (", since a", Architecture),
    (", since all", Architecture),
    (", since it", Architecture),
    (", since its", Architecture),
    (", since no", Architecture),
    (", since nothing", Architecture),
    (", since that", Architecture),
    (", since the", Architecture),
    (", since there", Architecture),
    (", since they", Architecture),
    (", since this", Architecture),
    (", so a", Architecture),
    (", so all", Architecture),
    (", so any", Architecture),
    (", so each", Architecture),
    (", so every", Architecture),
    (", so it", Architecture),
    (", so its", Architecture),
    (", so no", Architecture),
    (", so nothing", Architecture),
    (", so only", Architecture),
    (", so that", Architecture),
    (", so the", Architecture),
    (", so there", Architecture),
    (", so they", Architecture),
    (", so this", Architecture),
    (", so users", Architecture),
    (", so we", Architecture),
    ("abstraction", Architecture),
    ("add", Development),
    ("adopt", Decision),
    ("agree", Decision),
    ("always", Decision),
    ("api", Development),
    ("architectural", Architecture),
    ("architecture", Architecture),
    ("at least", Decision),
    ("at most", Decision),
    ("avoid", Decision),
    ("batch size", Config),
    ("because", Architecture),
    ("benchmark", Development),
    ("beware", Error),
    ("bottleneck", Error),
    ("boundary", Architecture),
    ("break", Error),
    ("breaking change", Decision),
    ("broke", Error),
    ("broken", Error),
    ("browser", Development),
    ("bug", Error),
    ("build", Development),
    ("by design", Architecture),
    ("bypass", Error),
    ("cache", Config),
    ("came from", Architecture),
    ("cascade", Architecture),
    ("cause is", Error),
    ("cause of", Error),
    ("cause was", Error),
    ("caused", Error),
    ("causes", Error),
    ("caveat", Error),
    ("certificate", Config),
    ("choose", Decision),
    ("client", Development),
    ("come from", Architecture),
    ("commit", Development),
    ("communicate", Architecture),
    ("compile", Development),
    ("component", Development),
    ("config", Config),
    ("configuration", Config),
    ("configure", Config),
    ("conflict", Error),
    ("consist", Architecture),
    ("convention", Decision),
    ("cookie", Development),
    ("corrupt", Error),
    ("crash", Error),
    ("crate", Development),
    ("credential", Config),
    ("cure", Error),
    ("database", Development),
    ("deadlock", Error),
    ("decide", Decision),
    ("decision", Decision),
    ("decouple", Architecture),
    ("default", Config),
    ("define in", Architecture),
    ("depend on", Architecture),
    ("dependency", Development),
    ("deploy", Development),
    ("deployment", Development),
    ("deprecate", Decision),
    ("derive from", Architecture),
    ("design", Architecture),
    ("disable", Config),
    ("diverge", Error),
    ("do not", Decision),
    ("does not work", Error),
    ("drop", Development),
    ("due to", Error),
    ("duplicate", Error),
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
    ("freeze", Error),
    ("from now on", Decision),
    ("froze", Error),
    ("go with", Decision),
    ("gotcha", Error),
    ("guideline", Decision),
    ("handle by", Architecture),
    ("handler", Development),
    ("hang", Error),
    ("hard-coded", Architecture),
    ("has to", Decision),
    ("hash with", Architecture),
    ("have agreed", Decision),
    ("have to", Decision),
    ("header", Development),
    ("idempotent", Architecture),
    ("ignore", Error),
    ("image", Development),
    ("implement", Development),
    ("in favor of", Decision),
    ("in favour of", Decision),
    ("incorrect", Error),
    ("index", Development),
    ("infinite loop", Error),
    ("insecure", Error),
    ("install", Development),
    ("instead of", Decision),
    ("invariant", Decision),
    ("job", Development),
    ("keep in", Architecture),
    ("layer", Architecture),
    ("leak", Error),
    ("learning rate", Config),
    ("legacy", Architecture),
    ("library", Development),
    ("limit", Config),
    ("live in", Architecture),
    ("lock", Development),
    ("mandatory", Decision),
    ("merge", Development),
    ("microservice", Architecture),
    ("middleware", Development),
    ("migrate", Development),
    ("migration", Development),
    ("mismatch", Error),
    ("missing", Error),
    ("module", Development),
    ("monolith", Architecture),
    ("move to", Architecture),
    ("must", Decision),
    ("nan", Error),
    ("never", Decision),
    ("no longer", Architecture),
    ("no more than", Decision),
    ("only in", Architecture),
    ("only on", Architecture),
    ("only use", Decision),
    ("only work", Error),
    ("opt", Decision),
    ("otherwise", Architecture),
    ("out of disk", Error),
    ("out of memory", Error),
    ("outage", Error),
    ("outbox", Architecture),
    ("overflow", Error),
    ("override", Development),
    ("own by", Architecture),
    ("owner of", Architecture),
    ("package", Development),
    ("panic", Error),
    ("pattern", Architecture),
    ("permission", Config),
    ("pick", Decision),
    ("pin", Config),
    ("pipeline", Development),
    ("pitfall", Error),
    ("plain text", Error),
    ("please don't", Decision),
    ("please use", Decision),
    ("policy", Decision),
    ("port", Config),
    ("prefer", Decision),
    ("prefix", Config),
    ("protocol", Architecture),
    ("publish", Architecture),
    ("query", Development),
    ("queue", Development),
    ("quota", Config),
    ("race condition", Error),
    ("rate limit", Config),
    ("rather than", Decision),
    ("read from", Architecture),
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
    ("retry", Config),
    ("return", Development),
    ("root cause", Error),
    ("rule out", Decision),
    ("run as", Architecture),
    ("run in", Architecture),
    ("schedule", Config),
    ("schema", Architecture),
    ("script", Development),
    ("secret", Config),
    ("send to", Architecture),
    ("separate", Architecture),
    ("serialise", Architecture),
    ("serialize", Architecture),
    ("server", Development),
    ("session", Development),
    ("setting", Config),
    ("settle on", Decision),
    ("since it", Architecture),
    ("since nothing", Architecture),
    ("since there", Architecture),
    ("since they", Architecture),
    ("single place", Architecture),
    ("so don't", Decision),
    ("solve", Error),
    ("source of truth", Architecture),
    ("stale", Error),
    ("standardise", Decision),
    ("standardize", Decision),
    ("stick to", Decision),
    ("stick with", Decision),
    ("store", Development),
    ("store in", Architecture),
    ("subscribe", Architecture),
    ("swallow", Error),
    ("switch", Development),
    ("table", Development),
    ("test", Development),
    ("the way to go", Decision),
    ("therefore", Architecture),
    ("threshold", Config),
    ("time zone", Config),
    ("timeout", Config),
    ("timezone", Config),
    ("token", Development),
    ("toolchain", Config),
    ("trade-off", Decision),
    ("tradeoff", Decision),
    ("truncate", Error),
    ("ttl", Config),
    ("turn out", Error),
    ("unless", Decision),
    ("update", Development),
    ("upgrade", Development),
    ("use", Development),
    ("utc", Config),
    ("variable", Config),
    ("version", Development),
    ("vulnerability", Error),
    ("went with", Decision),
    ("which is why", Architecture),
    ("workaround", Error),
    ("worker", Development),
    ("write to", Architecture),
    ("wrong", Error),
    ("wrongly", Error),
];

/// The words of a sentence in lower case, in order, without code in backticks, paths, identifiers and numbers.
///
/// An empty word replaces each left-out part, so that no phrase matches across it. Commas and semicolons become the
/// word `,`: behind `, so` and `, since` there is a reason, but behind the bare words there may be a degree or a time.
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
    let is_between =
        |character: char| character.is_whitespace() || matches!(character, '(' | ')' | '"' | '“' | '”' | '—');
    for piece in text.split(is_between).filter(|piece| !piece.is_empty()) {
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric());
        let is_word = word.chars().all(|character| character.is_alphabetic() || matches!(character, '-' | '\'' | '’'));
        // `--force`, `.env` and `@app` are names, even if they contain a signal word.
        let is_name = piece.starts_with(['-', '.', '@', '/', '$', '_', '#']) && !word.is_empty();
        if piece.starts_with(',') {
            words.push(",".to_owned());
        }
        words.push(if is_word && !is_name { word.to_lowercase().replace('’', "'") } else { String::new() });
        if piece.ends_with([',', ';']) && piece.len() > 1 {
            words.push(",".to_owned());
        }
    }
}

/// The signals of the words, each once, in order.
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

/// The rows whose first word is `word`.
fn rows(word: &str) -> impl Iterator<Item = &'static (&'static str, Signal)> {
    let from = SIGNALS.partition_point(|(row, _)| *row < word);
    SIGNALS[from..]
        .iter()
        .take_while(move |(row, _)| row.starts_with(word))
        .filter(move |(row, _)| row.len() == word.len() || row.as_bytes().get(word.len()) == Some(&b' '))
}

/// Whether the remaining words of a row follow.
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
