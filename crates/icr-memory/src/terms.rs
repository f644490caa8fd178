//! Search terms: the words of memories in the index, and the words of questions.

use icr_words::{lower_case, question_words, tokens};
use rust_stemmers::{Algorithm, Stemmer};

use crate::near_duplicates::{exact_key, folded, single_spaced};

/// Stop words: the function words of English, and the fragments of their contractions.
const STOP_WORDS: &[&str] = &[
    // tidy: sorted
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "between", "both", "but", "by", "can", "could", "d", "did", "didn", "do", "does", "doesn",
    "don", "during", "each", "few", "for", "from", "get", "got", "had", "has", "have", "he", "her", "him", "his",
    "how", "i", "if", "in", "into", "is", "isn", "it", "its", "just", "like", "ll", "m", "may", "me", "might", "more",
    "most", "my", "no", "not", "now", "of", "on", "only", "or", "other", "our", "ours", "out", "over", "own", "re",
    "s", "same", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "ve", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you",
    "your", "yours",
    // tidy: end
];

/// Marks a term that stands for a whole keyword. No word of a text begins with it: it is a private-use character.
const KEYWORD_MARK: char = '\u{e000}';

/// Most terms of a question that count, so that the terms of a row fit into the bits of a `u64`.
pub(crate) const QUESTION_TERMS_MOST: usize = 64;

/// The terms of a memory in order, separated by spaces; the terms for whole keywords come last.
pub(crate) fn memory_terms(topic: &str, keywords: &[String], summary: &str, excerpt: Option<&str>) -> String {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms = String::with_capacity(summary.len() + topic.len());
    let texts = [summary, topic].into_iter().chain(keywords.iter().map(String::as_str)).chain(excerpt);
    for text in texts {
        each_term(&stemmer, text, &mut |term| push(&mut terms, term));
    }
    for keyword in keywords {
        push(&mut terms, &keyword_term(keyword));
    }
    terms
}

/// The distinct terms of a question in order, at most 64. Stop words are left out, unless there are no other words. Of
/// a version only the version as a whole is a term: its numbers are in texts about anything.
pub(crate) fn question_terms(question: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = question_words(question);
    let terms_of = |words: &mut dyn Iterator<Item = &str>| {
        let mut terms: Vec<String> = Vec::new();
        for word in words {
            let is_version = word.contains('.');
            each_term(&stemmer, word, &mut |term| {
                let is_part = is_version && !is_version_term(term);
                if !is_part && terms.len() < QUESTION_TERMS_MOST && !terms.iter().any(|known| known == term) {
                    terms.push(term.to_owned());
                }
            });
        }
        terms
    };
    let mut terms = terms_of(&mut words.iter().copied().filter(|word| !is_stop_word(word)));
    for digit in lone_digits(question).map(|at| &question[at..=at]) {
        if terms.len() < QUESTION_TERMS_MOST && !terms.iter().any(|known| known == digit) {
            terms.push(digit.to_owned());
        }
    }
    if terms.is_empty() { terms_of(&mut words.iter().copied()) } else { terms }
}

/// Where digits stand alone in `text`: the 6 of `step 6`, but not of `1.6`, `16` or `a6`. In code such a digit says
/// nothing; in what people write it says which one of several is meant.
fn lone_digits(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let before = move |at: usize, back: usize| at.checked_sub(back).map_or(b' ', |at| bytes[at]);
    let after = move |at: usize, ahead: usize| bytes.get(at + ahead).copied().unwrap_or(b' ');
    let joins = |sign: u8, beyond: u8| matches!(sign, b'.' | b',' | b':') && beyond.is_ascii_digit();
    let digits = bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|(at, _)| at);
    digits.filter(move |at| {
        let (at, one, other) = (*at, before(*at, 1), after(*at, 1));
        !is_word(one) && !is_word(other) && !joins(one, before(at, 2)) && !joins(other, after(at, 2))
    })
}

/// Whether a term stands for a version (`1.6`): no other term has a dot.
pub(crate) fn is_version_term(term: &str) -> bool {
    term.contains('.')
}

/// The term for a whole keyword; upper and lower case give the same term.
pub(crate) fn keyword_term(keyword: &str) -> String {
    let keyword = folded(&single_spaced(keyword));
    let digits: String = exact_key("keyword", &keyword).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{KEYWORD_MARK}{digits}")
}

/// Whether a term stands for a whole keyword.
pub(crate) fn is_keyword_term(term: &str) -> bool {
    term.starts_with(KEYWORD_MARK)
}

/// Whether a word is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&lower_case(word).as_str()).is_ok()
}

/// Identifiers, their parts and stems as in code, each also stemmed as an English word; and digits that stand alone.
fn each_term(stemmer: &Stemmer, text: &str, each: &mut impl FnMut(&str)) {
    let mut start = 0;
    for at in lone_digits(text) {
        each_word(stemmer, &text[start..at], each);
        each(&text[at..=at]);
        start = at + 1;
    }
    each_word(stemmer, &text[start..], each);
}

fn each_word(stemmer: &Stemmer, text: &str, each: &mut impl FnMut(&str)) {
    let mut before = String::new();
    tokens(text.as_bytes(), &mut |token| {
        let is_plain = token.bytes().all(|byte| byte.is_ascii_lowercase());
        let stem = if is_plain { stemmer.stem(token) } else { token.into() };
        // A word and its light stem mostly have the same English stem.
        if *stem != before {
            each(&stem);
            before.clear();
            before.push_str(&stem);
        }
    });
}

fn push(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn a_digit_that_stands_alone_is_a_term() {
        let found = |text: &str| lone_digits(text).map(|at| text[at..=at].to_owned()).collect::<Vec<_>>();
        assert_eq!(found("Step 6 of 7. (8), 9"), ["6", "7", "8", "9"]);
        assert_eq!(found("1.6 v2 16 a_3 1,000 at 3:4 5ä ä5 x6"), [""; 0]);
        assert!(memory_terms("plan", &[], "Step 6 of the release", None).split(' ').any(|term| term == "6"));
        assert!(question_terms("what is step 6 of the release").contains(&"6".to_owned()));
        assert!(!question_terms("what changed in 1.6").contains(&"6".to_owned()));
        assert_eq!(question_terms("6"), ["6"]);
    }

    #[test]
    fn a_memory_has_the_words_of_all_its_texts() {
        let terms = memory_terms("choices", &["Write ahead".into()], "We parsed parseConfig twice", Some("line 12"));
        let (words, keyword) = terms.rsplit_once(' ').unwrap();
        assert_eq!(words, "we pars parseconfig pars config twice choic write ahead line 12");
        assert_eq!(keyword, keyword_term(" write AHEAD "));
        assert!(is_keyword_term(keyword));
    }

    #[test]
    fn a_question_leaves_out_what_says_nothing_unless_nothing_is_left() {
        assert_eq!(question_terms("Why did we choose the WAL mode? The modes!"), ["choos", "wal", "mode"]);
        assert_eq!(question_terms("who am I?"), ["who", "am"]);
        assert!(question_terms("?!").is_empty());
        assert_eq!(question_terms(&"w1 w2 w3 ".repeat(100)).len(), 3);
        let many: String = (0..200).map(|at| format!("word{at} ")).collect();
        assert_eq!(question_terms(&many).len(), QUESTION_TERMS_MOST);
    }

    #[test]
    fn a_version_is_one_term_of_a_question() {
        assert_eq!(question_terms("v1.6"), ["1.6"]);
        assert_eq!(question_terms("what changed in version 1.10.0, not in v2?"), ["chang", "version", "1.10.0", "v2"]);
        for term in question_terms("1.10.0 V2.0") {
            assert!(memory_terms("a", &[], "since v1.10.0 and 2.0.", None).split(' ').any(|known| known == term));
        }
    }

    #[test]
    fn questions_and_memories_meet_in_other_scripts() {
        let terms = memory_terms("a", &[], "数据库 Zürich naïve", None);
        for term in question_terms("数据 zürich naïve") {
            assert!(terms.split(' ').any(|known| known == term), "{term} is not in {terms}");
        }
    }
}
