//! Texts cut into what a model reads at once, without its tokeniser.

use std::ops::Range;

/// Bytes of text that stand for a model token when texts are cut. Code has three to four bytes to a token of the usual
/// vocabularies; what is dense with signs has less, so that two keeps nearly every window within the model's.
pub(super) const BYTES_PER_MODEL_TOKEN: usize = 2;

/// The windows of `text`, in order, none of them empty or blank: each at most `model_tokens` long, and one beginning a
/// fifth of that before the end of the one before, so that nothing is seen only in halves. All of it as one window for
/// `None`; none for a blank text.
pub(super) fn windows(text: &str, model_tokens: Option<u32>) -> Vec<&str> {
    let bytes_max = model_tokens.map_or(usize::MAX, |tokens| tokens as usize * BYTES_PER_MODEL_TOKEN);
    let mut windows = Vec::new();
    let mut begin = 0;
    while begin < text.len() {
        let end = end_of_window(text, begin, bytes_max);
        windows.push(&text[begin..end]);
        if end == text.len() {
            break;
        }
        begin = begin_of_next(text, begin..end);
    }
    windows.retain(|window| !window.trim().is_empty());
    windows
}

/// Where a window that begins at `begin` ends: behind the last line that it holds, or the last word, if that leaves it
/// more than half as long as it may be.
fn end_of_window(text: &str, begin: usize, bytes_max: usize) -> usize {
    if text.len() - begin <= bytes_max {
        return text.len();
    }
    let end = floor_boundary(text, begin + bytes_max);
    // A window shorter than a character has that character.
    let end = if end > begin { end } else { ceil_boundary(text, begin + 1) };
    let least = begin + (end - begin) / 2;
    let behind = |is_end: fn(char) -> bool| {
        let found = text[begin..end].rfind(is_end)?;
        Some(ceil_boundary(text, begin + found + 1)).filter(|end| *end > least)
    };
    behind(|character| character == '\n').or_else(|| behind(char::is_whitespace)).unwrap_or(end)
}

/// Where the window after one begins: a fifth before its end, at the beginning of a line if one begins there.
fn begin_of_next(text: &str, window: Range<usize>) -> usize {
    let begin = ceil_boundary(text, window.end - (window.end - window.start) / 5);
    match text[begin..window.end].find('\n') {
        Some(line_end) => begin + line_end + 1,
        None => begin,
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, model_tokens: Option<u32>, expected: &[&str]) {
        assert_eq!(windows(text, model_tokens), expected, "{text:?}");
    }

    #[test]
    fn what_fits_is_one_window() {
        check("fn a() {}", None, &["fn a() {}"]);
        check("fn a() {}", Some(5), &["fn a() {}"]);
    }

    #[test]
    fn windows_end_with_lines_or_words_and_overlap() {
        check("aaaa\nbbbb\ncc\ndddd\n", Some(7), &["aaaa\nbbbb\ncc\n", "dddd\n"]);
        check("aaaa bbbb cccc", Some(5), &["aaaa bbbb ", "b cccc"]);
        check("abcdefghijkl", Some(5), &["abcdefghij", "ijkl"]);
    }

    #[test]
    fn blank_texts_have_no_window() {
        check("", Some(5), &[]);
        check(" \n\t ", None, &[]);
    }

    proptest! {
        #[test]
        fn windows_hold_all_of_a_text(text in "[a-z \n€😀]{0,120}", model_tokens in 1..20_u32) {
            let found = windows(&text, Some(model_tokens));
            let mut seen = 0;
            for window in &found {
                // Where it lies in the text: it is a part of it.
                let begin = window.as_ptr() as usize - text.as_ptr() as usize;
                prop_assert!(text.get(seen..begin).is_none_or(|gap| gap.trim().is_empty()), "a gap before {}", begin);
                prop_assert!(begin + window.len() > seen, "nothing new at {}", begin);
                prop_assert!(window.len() <= (model_tokens as usize * BYTES_PER_MODEL_TOKEN).max('😀'.len_utf8()));
                seen = begin + window.len();
            }
            prop_assert!(text[seen..].trim().is_empty());
        }
    }
}
