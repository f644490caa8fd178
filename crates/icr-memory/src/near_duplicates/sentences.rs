//! Splits paragraphs into sentences.

use std::collections::HashMap;
use std::ops::Range;

/// Abbreviations that never end a sentence, without their last full stop, sorted.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "ch", "dr", "e.g", "eg", "esp", "fig", "i.e", "ie", "incl", "max", "min", "mr", "mrs",
    "ms", "nr", "p", "pp", "resp", "sec", "viz", "vs",
];

/// Abbreviations that end a sentence if a capital letter follows, sorted.
const LAST_ABBREVIATIONS: &[&str] = &["a.m", "co", "corp", "etc", "inc", "jr", "ltd", "no", "p.m", "st"];

/// The sentences of one paragraph in order, without blanks around them.
///
/// A sentence ends at a full stop, a question mark or an exclamation mark with a blank behind it, so `main.rs`,
/// `v1.2.3` and URLs stay whole. It does not end in code between backticks, nor behind `e.g.` and similar
/// abbreviations. Line breaks count as blanks. Cost grows with the bytes of the paragraph.
pub(crate) fn sentences(paragraph: &str) -> Vec<&str> {
    sentence_places(paragraph).into_iter().map(|place| &paragraph[place]).collect()
}

/// The byte ranges of the [`sentences`] of a paragraph.
pub(super) fn sentence_places(paragraph: &str) -> Vec<Range<usize>> {
    let codes = code_spans(paragraph);
    let mut codes = codes.iter().peekable();
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = paragraph.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        while codes.peek().is_some_and(|code| code.end <= at) {
            codes.next();
        }
        if !is_end_mark(character) || codes.peek().is_some_and(|code| code.contains(&at)) {
            continue;
        }
        let mut end = at + character.len_utf8();
        while let Some((next_at, next)) = characters.next_if(|(_, next)| {
            is_end_mark(*next) || matches!(next, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '*' | '_')
        }) {
            end = next_at + next.len_utf8();
        }
        if ends_sentence(&paragraph[start..], at - start, end - start) {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..paragraph.len());
    let trimmed = found.into_iter().map(|place| {
        let sentence = &paragraph[place.clone()];
        let start = place.start + (sentence.len() - sentence.trim_start().len());
        start..start + sentence.trim().len()
    });
    trimmed.filter(|place| !place.is_empty()).collect()
}

fn is_end_mark(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '．')
}

/// Whether the mark at `at`, with its closing characters up to `end`, ends the sentence at the start of `text`.
fn ends_sentence(text: &str, at: usize, end: usize) -> bool {
    let mark = &text[at..end];
    let behind = &text[end..];
    if mark.contains(['。', '！', '？', '．']) {
        return true;
    }
    if !behind.is_empty() && !behind.starts_with(char::is_whitespace) {
        return false;
    }
    let next = behind.trim_start().chars().next();
    if mark.starts_with(['!', '?']) {
        // A lower-case word continues the sentence: `vec! is a macro`, or the words behind a quoted question.
        return !next.is_some_and(char::is_lowercase);
    }
    if mark != "." {
        return true;
    }
    let word = last_word(&text[..at]);
    let is_list_number =
        !word.is_empty() && word == text[..at].trim_start() && word.bytes().all(|byte| byte.is_ascii_digit());
    let lower = word.trim_start_matches(['(', '[', '"', '*']).to_lowercase();
    let goes_on = is_list_number
        || ABBREVIATIONS.binary_search(&lower.as_str()).is_ok()
        || (LAST_ABBREVIATIONS.binary_search(&lower.as_str()).is_ok() && !next.is_some_and(char::is_uppercase));
    !goes_on
}

/// The text behind the last blank; at most as long as an abbreviation with a bracket before it.
fn last_word(text: &str) -> &str {
    let longest = 12;
    let from = text.char_indices().rev().take(longest).find(|(_, character)| character.is_whitespace());
    match from {
        Some((at, blank)) => &text[at + blank.len_utf8()..],
        None if text.len() <= longest => text,
        None => "",
    }
}

/// The code spans: text between equally long runs of backticks, including the runs, in order. A run without a partner
/// is ordinary text.
///
/// Runs are paired from left to right as Markdown does it; each looks up the next run of its length, so the cost is linear.
pub(crate) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    let mut partners = vec![None; runs.len()];
    let mut last_of_length: HashMap<usize, usize> = HashMap::new();
    for (number, run) in runs.iter().enumerate().rev() {
        partners[number] = last_of_length.insert(run.len(), number);
    }
    let mut spans = Vec::new();
    let mut number = 0;
    while number < runs.len() {
        match partners[number] {
            Some(partner) => {
                spans.push(runs[number].start..runs[partner].end);
                number = partner + 1;
            }
            None => number += 1,
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(paragraph: &str, expected: &[&str]) {
        assert_eq!(sentences(paragraph), expected);
    }

    #[test]
    fn a_sentence_ends_at_a_mark_with_a_blank_behind_it() {
        check("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]);
        check("one on sqlite. two is simpler.", &["one on sqlite.", "two is simpler."]);
        check(
            "He said \"no.\" Then (really!) he went...  So what?!",
            &["He said \"no.\"", "Then (really!) he went...", "So what?!"],
        );
        check("一。二！三", &["一。", "二！", "三"]);
        check("  ", &[]);
    }

    #[test]
    fn names_versions_and_addresses_stay_whole() {
        check(
            "See main.rs and v1.2.3, e.g. https://a.b/c.html?d=1! It works.",
            &["See main.rs and v1.2.3, e.g. https://a.b/c.html?d=1!", "It works."],
        );
        check("Set it to 0.5. Then run.", &["Set it to 0.5.", "Then run."]);
        check("The vec! macro, println! too.", &["The vec! macro, println! too."]);
    }

    #[test]
    fn abbreviations_and_list_numbers_end_nothing() {
        check(
            "Use a queue, i.e. Redis, cf. Smith et al. for more. Done.",
            &["Use a queue, i.e. Redis, cf. Smith et al. for more.", "Done."],
        );
        check(
            "Logs, dumps, etc. are kept. Logs, dumps, etc. They are kept.",
            &["Logs, dumps, etc. are kept.", "Logs, dumps, etc.", "They are kept."],
        );
        check("1. First we build. 2", &["1. First we build.", "2"]);
    }

    #[test]
    fn code_between_backticks_is_one_word() {
        check("Call `a. B. c` first. Then `` x ` y. Z `` too.", &["Call `a. B. c` first.", "Then `` x ` y. Z `` too."]);
        check("A lone ` ends. Nothing.", &["A lone ` ends.", "Nothing."]);
    }

    #[test]
    fn tables_are_sorted() {
        assert!(ABBREVIATIONS.is_sorted() && LAST_ABBREVIATIONS.is_sorted());
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_is_lost(paragraph in "([a-zA-Z]{1,5}|[.!?…。]|[ \n]|`{1,3}|\\)|é){0,40}") {
            let black = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
            prop_assert_eq!(black(&sentences(&paragraph).concat()), black(&paragraph));
        }

        #[test]
        fn any_text_is_split(paragraph in any::<String>()) {
            sentences(&paragraph);
        }
    }
}
