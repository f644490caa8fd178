//! Merges two texts into one.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::has_meant_blanks;
use super::sentences::sentence_places;
use super::words::case_form;

/// Words that refer to an earlier sentence, sorted.
const BACKWARD_WORDS: &[&str] = &[
    "afterwards",
    "also",
    "and",
    "because",
    "both",
    "but",
    "former",
    "he",
    "hence",
    "her",
    "here",
    "his",
    "however",
    "it",
    "its",
    "latter",
    "now",
    "or",
    "otherwise",
    "same",
    "she",
    "so",
    "such",
    "that",
    "their",
    "them",
    "then",
    "there",
    "therefore",
    "these",
    "they",
    "this",
    "those",
    "thus",
    "which",
];

/// Words without which a sentence says the same. A capital "A" is a name.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Appends to `old` the sentences of `new` that it does not contain, in their order; `None` if it contains all of them.
///
/// No sentence of either text is dropped. If a new sentence refers to the one before it, with "it" or "this", that
/// sentence is repeated. Sentences are equal if they differ only in blanks, articles, list marks and final punctuation.
/// Appending the same text again gives `None`.
pub fn merged(old: &str, new: &str) -> Option<String> {
    let old_pieces = pieces(old);
    // A sentence that consists only of marks counts as contained.
    let held: HashSet<String> = old_pieces.iter().map(|piece| key(piece.text)).chain([String::new()]).collect();
    let pieces = pieces(new);
    let is_new: Vec<bool> = pieces.iter().map(|piece| !held.contains(&key(piece.text))).collect();
    let mut first = is_new.iter().position(|is_new| *is_new)?;
    let last_held = old_pieces.last().map(|piece| key(piece.text));
    while first > 0 && leans_backward(pieces[first].text) && Some(key(pieces[first - 1].text)) != last_held {
        first -= 1;
    }
    // Lines of code are not sentences, so a text with code keeps all of its lines.
    let is_whole = new.contains("```") || new.contains("~~~");
    let is_left_out = |at: usize| {
        let is_meant = pieces.get(at + 1).is_some_and(|next| is_new[at + 1] && leans_backward(next.text));
        !is_new[at] && !is_whole && !leans_backward(pieces[at].text) && !is_meant
    };
    let kept: Vec<usize> = (first..pieces.len()).filter(|at| *at == first || !is_left_out(*at)).collect();
    let appended = |is_spaced: bool| {
        let mut text = old.trim_end().to_owned();
        for (number, at) in kept.iter().enumerate() {
            let is_next = number > 0 && kept[number - 1] + 1 == *at;
            text += match (is_next, is_spaced) {
                (true, _) => &new[pieces[at - 1].end..pieces[*at].start],
                (false, true) => joint(&text),
                (false, false) if text.is_empty() => "",
                (false, false) => "\n\n",
            };
            text += pieces[*at].text;
        }
        text
    };
    // The text becomes one paragraph if all sentences stay the same in it. A backtick or a mark can join two of them.
    let text = appended(true);
    let joined: HashSet<String> = self::pieces(&text).iter().map(|piece| key(piece.text)).collect();
    let is_same = pieces
        .iter()
        .chain(&old_pieces)
        .map(|piece| key(piece.text))
        .all(|key| key.is_empty() || joined.contains(&key));
    let has_items = kept.iter().any(|at| pieces[*at].is_item) || is_marked(old.rsplit('\n').next().unwrap_or(old));
    Some(if is_same && !has_items { text } else { appended(false) })
}

/// The separator between `old` and a sentence that is appended to its last paragraph.
fn joint(old: &str) -> &'static str {
    let last_word = old.rsplit(char::is_whitespace).next().unwrap_or(old);
    if last_word.ends_with(['.', '!', '?', '…']) {
        " "
    } else if old.is_empty() {
        ""
    } else if last_word.chars().all(char::is_alphanumeric) {
        ". "
    } else {
        "\n\n"
    }
}

/// A sentence of a text and its byte range.
struct SentenceSpan<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// Whether it begins a list item, a heading or the like.
    is_item: bool,
}

/// The sentences of `text`: those of each paragraph, item and heading.
fn pieces(text: &str) -> Vec<SentenceSpan<'_>> {
    let mut pieces = Vec::new();
    for block in blocks(text) {
        let is_item = is_marked(&text[block.clone()]);
        for (number, place) in sentence_places(&text[block.clone()]).into_iter().enumerate() {
            let (start, end) = (block.start + place.start, block.start + place.end);
            pieces.push(SentenceSpan { text: &text[start..end], start, end, is_item: is_item && number == 0 });
        }
    }
    pieces
}

/// The byte ranges of blocks: runs of lines without a blank line between them, each beginning at an item or heading if
/// there is one.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() || is_marked(line) {
            blocks.push(start..at);
            start = at;
        }
        at += line.len();
    }
    blocks.push(start..text.len());
    blocks
}

/// Whether a line begins with the mark of an item, a heading, a quotation, a table or a fence.
fn is_marked(line: &str) -> bool {
    let line = line.trim();
    let unnumbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    // A number of more than three digits does not begin an item: it can be a year.
    let is_numbered = (1..=3).contains(&(line.len() - unnumbered.len()));
    let behind = if is_numbered { unnumbered.strip_prefix(['.', ')']) } else { line.strip_prefix(['-', '*', '+']) };
    let is_item = behind.is_some_and(|text| text.is_empty() || text.starts_with(char::is_whitespace));
    is_item || line.starts_with(['#', '>', '|', '•']) || line.starts_with("```") || line.starts_with("~~~")
}

/// The key by which sentences are compared. Blanks count if they can have a meaning; case counts if it distinguishes
/// words.
fn key(sentence: &str) -> String {
    let bare = sentence.trim_start_matches(['#', '>', '-', '*', '+', '•', ' ', '\t']);
    let mut key: String = if has_meant_blanks(bare) {
        bare.nfc().collect()
    } else {
        let mut words: Vec<String> = Vec::new();
        let mut left = bare.split_whitespace().enumerate().peekable();
        while let Some((at, word)) = left.next() {
            let form = case_form(word, false, at == 0);
            // The last word is a name, as in "use a".
            if left.peek().is_none() || !ARTICLES.contains(&form.as_ref()) {
                words.push(form.nfc().collect());
            }
        }
        words.join(" ")
    };
    key.truncate(key.trim_end_matches(['.', '!', ',', ';', ':', '…', '。', ' ']).len());
    key
}

/// Whether a sentence refers to an earlier one. A sentence of only marks does.
fn leans_backward(sentence: &str) -> bool {
    let has_words = sentence.contains(char::is_alphanumeric);
    !has_words
        || sentence
            .split(|character: char| !character.is_alphanumeric())
            .any(|word| word.len() <= 10 && BACKWARD_WORDS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<&str>) {
        let text = merged(old, new);
        assert_eq!(text.as_deref(), expected);
        if let Some(text) = text {
            assert_eq!(merged(&text, new), None, "merged again");
        }
    }

    #[test]
    fn new_sentences_are_appended() {
        check("We use A.", "We use A. Deploys need a tag.", Some("We use A. Deploys need a tag."));
        check("We use A", "We use B", Some("We use A. We use B"));
        check("See https://a.b/c", "We use B", Some("See https://a.b/c\n\nWe use B"));
        check("One. Two.", "Three. One. Four.", Some("One. Two. Three. Four."));
        check("", "One.", Some("One."));
    }

    #[test]
    fn nothing_new_is_none() {
        check("We use A. We use B.", "We use  B", None);
        check("- We use A.\n- We use B.", "We use B!", None);
        check("We use A.", "", None);
    }

    #[test]
    fn articles_do_not_tell_sentences_apart() {
        check("The retry limit is three.", "retry limit is three", None);
        check("Set retry limit.", "Set the retry limit. An error ends it.", Some("Set retry limit. An error ends it."));
        check("We use a", "We use the", Some("We use a. We use the"));
    }

    #[test]
    fn case_tells_sentences_apart() {
        check("The key is userId.", "The key is userID.", Some("The key is userId. The key is userID."));
    }

    #[test]
    fn a_sentence_stays_with_the_one_that_it_means() {
        check("A broke. B broke.", "A broke. It was fixed.", Some("A broke. B broke. A broke. It was fixed."));
        check("A broke.", "A broke. It was fixed.", Some("A broke. It was fixed."));
        check("A broke. It hung.", "B broke. It hung.", Some("A broke. It hung. B broke. It hung."));
        check("A. B broke. C.", "X. B broke. It hung.", Some("A. B broke. C. X. B broke. It hung."));
    }

    #[test]
    fn items_and_code_keep_their_lines() {
        check("Rules:\n- one\n- two", "- two\n- three", Some("Rules:\n- one\n- two\n\n- three"));
        check("Run:\n\n```\na\n```", "Run:\n\n```\nb\n```", Some("Run:\n\n```\na\n```\n\n```\nb\n```"));
        check("A lone `.", "B. C `.", Some("A lone `.\n\nB. C `."));
    }

    #[test]
    fn words_are_sorted() {
        assert!(BACKWARD_WORDS.is_sorted());
    }

    fn any_text() -> impl Strategy<Value = String> {
        "(We use A|It broke|Deploys need tags|x\\.rs|`a\\. B`|`|[.!?] |\\. |\n|\n\n|\n- |\n```\n|1\\. | |é){0,14}"
    }

    proptest! {
        #[test]
        fn no_sentence_of_either_is_dropped(old in any_text(), new in any_text()) {
            let black = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
            if let Some(text) = merged(&old, &new) {
                prop_assert!(text.starts_with(old.trim_end()));
                prop_assert_eq!(merged(&text, &new), None);
                let all = black(&text);
                for piece in pieces(&new) {
                    prop_assert!(
                        all.contains(&black(&key(piece.text))),
                        "{:?} of {:?} is not in {:?}", piece.text, new, text
                    );
                }
            } else {
                let held: HashSet<String> = pieces(&old).iter().map(|piece| key(piece.text)).collect();
                let is_held = |piece: &SentenceSpan<'_>| key(piece.text).is_empty() || held.contains(&key(piece.text));
                prop_assert!(pieces(&new).iter().all(is_held));
            }
        }
    }
}
