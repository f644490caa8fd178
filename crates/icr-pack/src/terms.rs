//! Words of texts and identifiers, made comparable.

use std::ops::Range;

/// Shortest word that says anything, in characters.
const LEAST_CHARACTERS: usize = 3;

/// Words of English that say nothing about code.
const STOP_WORDS: &[&str] = &[
    // tidy: sorted
    "about", "all", "also", "and", "any", "are", "because", "been", "but", "can", "could", "did", "does", "each",
    "every", "for", "from", "get", "had", "has", "have", "how", "into", "its", "make", "may", "not", "our", "out",
    "please", "should", "show", "some", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "use", "used", "uses", "using", "want", "was", "were", "what", "when", "where", "which", "who", "why",
    "will", "with", "would", "you", "your",
    // tidy: end
];

/// Word endings and their replacements. The first ending that leaves a long enough word is replaced.
const ENDINGS: &[(&str, &str)] = &[
    ("ings", ""),
    ("ions", ""),
    ("ing", ""),
    ("ion", ""),
    ("ers", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("er", ""),
    ("ed", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
];

/// Stems of the words in `text` that can say what it is about, in order, repeats kept: identifiers are split at
/// underscores, hyphens and humps, words of one or two letters and stop words are left out.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let words =
        text.split(|character: char| !character.is_alphanumeric()).flat_map(humps).map(|word| word.to_lowercase());
    words.filter(|word| says_something(word)).map(|word| stem(&word)).collect()
}

/// Like [`terms`], each once, in order of first appearance.
pub(crate) fn distinct_terms(text: &str) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for term in terms(text) {
        if !distinct.contains(&term) {
            distinct.push(term);
        }
    }
    distinct
}

/// Whether a lower-case word is meaningful.
pub(crate) fn says_something(word: &str) -> bool {
    word.chars().count() >= LEAST_CHARACTERS && STOP_WORDS.binary_search(&word).is_err()
}

/// Words of a sentence: runs of letters, digits and underscores, with their places in bytes.
pub(crate) fn whole_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        at = text[start..].find(|character| !is_part(character)).map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

/// `handleHTTPError` is `handle`, `HTTP`, `Error`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let mut starts = vec![0];
    for at in 1..characters.len() {
        let (place, character) = characters[at];
        let after_lower = !characters[at - 1].1.is_uppercase();
        let before_lower = characters.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
        if character.is_uppercase() && (after_lower || before_lower) {
            starts.push(place);
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([word.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| &word[start..end])
}

/// The stem of a word, which nearly all its inflections share: `handle`, `handler` and `handling` become `handl`.
fn stem(word: &str) -> String {
    for (ending, instead) in ENDINGS {
        let Some(rest) = word.strip_suffix(ending) else { continue };
        let is_double_s = *ending == "s" && rest.ends_with('s');
        if is_double_s || rest.chars().count() + instead.len() < LEAST_CHARACTERS {
            continue;
        }
        return format!("{}{instead}", without_doubled_end(rest, ending));
    }
    word.to_owned()
}

/// `stopp` of `stopped` is `stop`; `call` of `calls` stays.
fn without_doubled_end<'a>(rest: &'a str, ending: &str) -> &'a str {
    let mut last = rest.chars().rev();
    let (Some(character), before) = (last.next(), last.next()) else { return rest };
    let was_doubled = matches!(ending, "ing" | "ings" | "ed" | "er" | "ers") && before == Some(character);
    if was_doubled && !matches!(character, 'l' | 's' | 'z') { &rest[..rest.len() - character.len_utf8()] } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn inflections_of_a_word_are_one_term() {
        check("handle handler handling handled", &["handl"; 4]);
        check("stop stopped stopping stops", &["stop"; 4]);
        check("process processes class classes", &["process", "process", "class", "class"]);
        check("query queries retried retry", &["query", "query", "retry", "retry"]);
        check("authenticate authentication", &["authenticat"; 2]);
        check("user users", &["user"; 2]);
    }

    #[test]
    fn identifiers_are_split() {
        check("handleHTTPError", &["handl", "http", "error"]);
        check("MAX_RETRY-count", &["max", "retry", "count"]);
        check("sha256Digest", &["sha256", "digest"]);
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        check("how does the X of it do that?", &[]);
        check("🙂 … ()", &[]);
        check("größe Größen", &["größ", "größen"]);
        check("数据库连接", &["数据库连接"]);
    }

    #[test]
    fn words_of_a_sentence_keep_their_places() {
        let text = "a_b (é) c1";
        let words: Vec<&str> = whole_words(text).map(|range| &text[range]).collect();
        assert_eq!(words, ["a_b", "é", "c1"]);
    }
}
