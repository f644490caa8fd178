//! Finds the key phrase of a note: a few of its own words that say what it is about.
//!
//! A note is split into phrases at punctuation and at words that name nothing. A phrase of several words is worth more
//! than a single word. A phrase is also worth more if it looks like a name, is in backticks, is a keyword of the note
//! or comes first in it. The same notes always give the same phrases.

use std::collections::{HashMap, HashSet};

use crate::near_duplicates::stem;

/// Most words of a phrase.
const PHRASE_WORDS_MOST: usize = 3;

/// Number of words that stand for a longer run of words.
const LONG_RUN_WORDS: usize = 2;

/// Most positions in a run at which phrases are tried, so that the cost of a text without empty words is bounded.
const RUN_WINDOWS_MOST: usize = 32;

/// Longest phrase, in characters.
const PHRASE_CHARS_MOST: usize = 60;

/// Number of words at the beginning of a note that are used if there is no phrase.
const FIRST_WORDS: usize = 5;

/// Worth of a phrase of one, two and three words.
const WORTH_BY_WORDS: [f64; PHRASE_WORDS_MOST] = [1.0, 2.0, 2.5];

/// Additional worth of a phrase: for a known name, a keyword of the note, code in backticks, a word that looks like a
/// name, and a phrase that several notes share.
const KNOWN_WORTH: f64 = 4.0;
const KEYWORD_WORTH: f64 = 3.0;
const CODE_WORTH: f64 = 2.0;
const NAME_WORTH: f64 = 1.5;
const SHARED_WORTH: f64 = 1.0;

/// Additional worth of the first phrase of a note, falling to 0 at its end: the subject of a sentence comes first.
const FIRST_WORTH: f64 = 2.0;

/// Words that name nothing, sorted: pronouns, conjunctions, verbs of notes and the like.
#[rustfmt::skip]
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "above", "across", "add", "added", "adding", "adds", "after", "again", "against", "all", "allow",
    "allowed", "allows", "already", "also", "always", "am", "an", "and", "another", "any", "are", "around", "as",
    "at", "avoid", "avoids", "back", "based", "be", "became", "because", "become", "becomes", "been", "before",
    "being", "below", "better", "between", "both", "break", "breaks", "broke", "but", "by", "call", "called", "calls",
    "came", "can", "cannot", "cause", "caused", "causes", "change", "changed", "changes", "choose", "chose", "chosen",
    "come", "comes", "contain", "contains", "could", "create", "created", "creates", "currently", "decide", "decided",
    "did", "do", "does", "doing", "don't", "done", "down", "during", "each", "either", "else", "enough", "ensure",
    "ensures", "even", "ever", "every", "everything", "exists", "fail", "failed", "fails", "few", "first", "fix",
    "fixed", "fixes", "for", "found", "from", "gave", "get", "gets", "give", "given", "gives", "go", "goes", "good",
    "got", "had", "has", "have", "having", "he", "her", "here", "him", "his", "hold", "holds", "how", "however", "i",
    "if", "in", "include", "includes", "instead", "into", "is", "it", "its", "just", "keep", "keeping", "keeps",
    "kept", "know", "last", "later", "less", "let", "lets", "like", "made", "make", "makes", "many", "may", "me",
    "might", "more", "most", "move", "moved", "moves", "much", "must", "my", "need", "needed", "needs", "neither",
    "never", "new", "next", "no", "nor", "not", "nothing", "now", "of", "off", "often", "old", "on", "once", "one",
    "only", "onto", "or", "other", "others", "our", "out", "over", "own", "per", "please", "prefer", "preferred",
    "prefers", "put", "rather", "really", "remember", "remove", "removed", "removes", "replace", "replaced",
    "replaces", "require", "required", "requires", "return", "returned", "returns", "run", "running", "runs", "said",
    "same", "say", "says", "see", "set", "sets", "several", "she", "should", "show", "shows", "since", "so", "some",
    "something", "sometimes", "still", "store", "stored", "stores", "such", "switch", "switched", "take", "takes",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "those",
    "through", "to", "today", "together", "tomorrow", "too", "took", "turn", "turned", "turns", "two", "under",
    "until", "up", "us", "use", "used", "uses", "using", "usually", "very", "via", "want", "wants", "was", "way",
    "we", "went", "were", "what", "when", "where", "whether", "which", "while", "who", "whole", "why", "will", "with",
    "within", "without", "work", "works", "would", "write", "writes", "written", "yesterday", "yet", "you", "your",
];

/// A note to find a key phrase for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note<'a> {
    pub(super) text: &'a str,
    pub(super) keywords: &'a [String],
}

/// The key phrase of each note; empty for a note without words. If a note is about one of the `known` names, it gets
/// that name.
pub(super) fn key_phrases(notes: &[Note<'_>], known: &[&str]) -> Vec<String> {
    let runs: Vec<Vec<Phrase<'_>>> = notes.iter().map(|note| runs_of(note.text)).collect();
    let known: HashSet<String> = known.iter().map(|name| phrase_key(name)).collect();
    let whole = runs.iter().flatten().filter(|run| run.words.len() <= PHRASE_WORDS_MOST).map(Phrase::key);
    let keywords = notes.iter().flat_map(|note| note.keywords).map(|keyword| phrase_key(keyword));
    let anchors: HashSet<String> = whole.chain(keywords).chain(known.iter().cloned()).collect();
    let phrases: Vec<Vec<RankedPhrase<'_>>> = runs.iter().map(|runs| phrases_of(runs, &anchors)).collect();
    let shared = notes_of_phrases(&phrases);
    let strongest = |(note, phrases): (&Note<'_>, &Vec<RankedPhrase<'_>>)| {
        let keywords: HashSet<String> = note.keywords.iter().map(|keyword| phrase_key(keyword)).collect();
        let value = |ranked: &RankedPhrase<'_>| {
            let words = &ranked.phrase.words;
            let mut value = WORTH_BY_WORDS[words.len().clamp(1, PHRASE_WORDS_MOST) - 1];
            value += FIRST_WORTH * (1.0 - ranked.place);
            value += if known.contains(&ranked.key) { KNOWN_WORTH } else { 0.0 };
            value += if keywords.contains(&ranked.key) { KEYWORD_WORTH } else { 0.0 };
            value += if ranked.phrase.is_code { CODE_WORTH } else { 0.0 };
            value += if words.iter().any(|word| is_like_a_name(word)) { NAME_WORTH } else { 0.0 };
            // A phrase in a few notes groups them; a phrase in most notes distinguishes none.
            let notes_with = shared.get(ranked.key.as_str()).copied().unwrap_or(1);
            value + if notes_with > 1 && notes_with * 2 <= notes.len().max(4) { SHARED_WORTH } else { 0.0 }
        };
        let mut best: Option<(f64, &RankedPhrase<'_>)> = None;
        for ranked in phrases {
            let value = value(ranked);
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, ranked));
            }
        }
        match (best, note.keywords.first()) {
            (Some((_, ranked)), _) => shortened(&ranked.phrase.text()),
            (None, Some(keyword)) => shortened(keyword.trim()),
            (None, None) => shortened(&note.text.split_whitespace().take(FIRST_WORDS).collect::<Vec<_>>().join(" ")),
        }
    };
    notes.iter().zip(&phrases).map(strongest).collect()
}

/// A key that is equal for phrases that name the same thing: the stems of their words in lower case.
pub(super) fn phrase_key(phrase: &str) -> String {
    let words = phrase.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let stems: Vec<String> = words.map(|word| stem(&word.to_lowercase())).collect();
    stems.join(" ")
}

/// Adjacent words that name something.
#[derive(Debug, Clone, PartialEq)]
struct Phrase<'a> {
    words: Vec<&'a str>,
    is_code: bool,
}

impl Phrase<'_> {
    fn text(&self) -> String {
        self.words.join(" ")
    }

    fn key(&self) -> String {
        phrase_key(&self.text())
    }
}

/// A candidate phrase of a note with its key, and where in the note it begins, from 0 to 1.
struct RankedPhrase<'a> {
    phrase: Phrase<'a>,
    key: String,
    place: f64,
}

/// The candidate phrases of a note: its runs of words, the beginnings of long runs, and parts of runs that are anchors.
fn phrases_of<'a>(runs: &[Phrase<'a>], anchors: &HashSet<String>) -> Vec<RankedPhrase<'a>> {
    let mut phrases = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let place = at as f64 / runs.len() as f64;
        let mut add = |words: &[&'a str], is_anchor: bool| {
            let phrase = Phrase { words: words.to_vec(), is_code: run.is_code };
            let key = phrase.key();
            if !is_anchor || anchors.contains(&key) {
                phrases.push(RankedPhrase { phrase, key, place });
            }
        };
        // The run is a candidate; of a long run, its first words, because the subject comes first.
        let whole = if run.words.len() <= PHRASE_WORDS_MOST { run.words.len() } else { LONG_RUN_WORDS };
        add(&run.words[..whole], false);
        for length in 1..=PHRASE_WORDS_MOST {
            for (first, words) in run.words.windows(length).take(RUN_WINDOWS_MOST).enumerate() {
                if (first, length) != (0, whole) {
                    add(words, true);
                }
            }
        }
    }
    phrases
}

/// The runs of adjacent words of a text that may all name something, in order.
fn runs_of(text: &str) -> Vec<Phrase<'_>> {
    let mut runs = Vec::new();
    // Text between two backticks is code; the last one of an odd number of backticks is an ordinary character.
    let parts: Vec<&str> = text.split('`').collect();
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 && at + 1 < parts.len() {
            let words: Vec<&str> = part.split_whitespace().collect();
            if (1..=PHRASE_WORDS_MOST).contains(&words.len()) && has_letter(part) {
                runs.push(Phrase { words, is_code: true });
            }
        } else {
            plain_runs(part, &mut runs);
        }
    }
    runs
}

fn plain_runs<'a>(text: &'a str, runs: &mut Vec<Phrase<'a>>) {
    let mut words: Vec<&str> = Vec::new();
    let mut end = |words: &mut Vec<&'a str>| {
        let words = std::mem::take(words);
        if words.iter().any(|word| has_letter(word)) {
            runs.push(Phrase { words, is_code: false });
        }
    };
    for piece in text.split_whitespace() {
        let word = piece.trim_matches(|letter: char| !letter.is_alphanumeric());
        if !piece.starts_with(char::is_alphanumeric) {
            end(&mut words);
        }
        if word.is_empty() || is_empty_word(word) {
            end(&mut words);
            continue;
        }
        words.push(word);
        if !piece.ends_with(char::is_alphanumeric) {
            end(&mut words);
        }
    }
    end(&mut words);
}

fn is_empty_word(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    EMPTY_WORDS.binary_search(&word.as_str()).is_ok() || word.ends_with("n't")
}

fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// Whether a word looks like a name of a program or of code: it has an upper-case letter behind the first letter, a
/// digit, or a mark inside.
fn is_like_a_name(word: &str) -> bool {
    has_letter(word)
        && word.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_numeric() || "_.:/".contains(letter))
}

/// The phrase cut to the longest allowed length, between words if possible.
fn shortened(phrase: &str) -> String {
    if phrase.chars().count() <= PHRASE_CHARS_MOST {
        return phrase.to_owned();
    }
    let cut: String = phrase.chars().take(PHRASE_CHARS_MOST).collect();
    cut.rsplit_once(' ').map_or(cut.clone(), |(kept, _)| kept.to_owned())
}

/// Number of notes with each phrase, by its key.
fn notes_of_phrases<'a>(phrases: &'a [Vec<RankedPhrase<'_>>]) -> HashMap<&'a str, usize> {
    let mut notes: HashMap<&str, usize> = HashMap::new();
    for phrases in phrases {
        let keys: HashSet<&str> = phrases.iter().map(|ranked| ranked.key.as_str()).collect();
        for key in keys {
            *notes.entry(key).or_default() += 1;
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(notes: &[&str], expected: &[&str]) {
        let notes: Vec<Note<'_>> = notes.iter().map(|text| Note { text, keywords: &[] }).collect();
        assert_eq!(key_phrases(&notes, &[]), expected);
    }

    #[test]
    fn a_note_is_named_by_its_strongest_phrase() {
        check(
            &[
                "We use WAL mode because readers must not wait.",
                "Sessions are kept in Redis, one key per user.",
                "`parse_config` fails on an empty file.",
                "Never deploy on Friday.",
                "The retry queue has a bound of 100 jobs.",
            ],
            &["WAL mode", "Sessions", "parse_config", "deploy", "retry queue"],
        );
    }

    #[test]
    fn a_keyword_that_stands_in_the_text_decides() {
        let keywords = ["backoff".to_owned()];
        let note = Note { text: "The client waits between attempts with backoff.", keywords: &keywords };
        assert_eq!(key_phrases(&[note], &[]), ["backoff"]);
        let note = Note { text: "It is what it is.", keywords: &keywords };
        assert_eq!(key_phrases(&[note], &[]), ["backoff"]);
    }

    #[test]
    fn a_note_about_something_known_has_its_name() {
        let note = Note { text: "Yesterday the slow retry queue dropped jobs.", keywords: &[] };
        assert_eq!(key_phrases(&[note], &["Retry Queues"]), ["retry queue"]);
        assert_eq!(key_phrases(&[note], &[]), ["slow retry"]);
    }

    #[test]
    fn a_note_without_a_name_has_its_first_words() {
        check(&["It is what it is and was.", "", "  ", "?!", "42"], &["It is what it is", "", "", "?!", "42"]);
        check(&["漢字のメモ"], &["漢字のメモ"]);
    }

    #[test]
    fn names_are_short() {
        let long = format!("`{}` is long", "x".repeat(100));
        assert_eq!(key_phrases(&[Note { text: &long, keywords: &[] }], &[])[0].chars().count(), PHRASE_CHARS_MOST);
    }

    #[test]
    fn forms_of_a_word_are_one_key() {
        assert_eq!(phrase_key("Retry queues"), phrase_key("retry-queue"));
        assert_ne!(phrase_key("read queue"), phrase_key("write queue"));
    }

    #[test]
    fn the_words_are_sorted() {
        assert!(EMPTY_WORDS.is_sorted());
    }

    proptest::proptest! {
        #[test]
        fn any_notes_have_phrases_of_bounded_length(texts in proptest::collection::vec(proptest::prelude::any::<String>(), 0..6)) {
            let notes: Vec<Note<'_>> = texts.iter().map(|text| Note { text, keywords: &[] }).collect();
            let phrases = key_phrases(&notes, &[]);
            proptest::prop_assert_eq!(phrases.len(), notes.len());
            proptest::prop_assert!(phrases.iter().all(|phrase| phrase.chars().count() <= PHRASE_CHARS_MOST));
        }
    }
}
