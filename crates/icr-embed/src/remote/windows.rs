//! Cuts texts into windows without the model's tokeniser.

use std::ops::Range;

/// Bytes counted as one model token when texts are cut. Code has three to four bytes a token in common vocabularies;
/// text with many symbols has less. With two, nearly every window fits the model's.
pub(super) const BYTES_PER_MODEL_TOKEN: usize = 2;

/// The windows of `text`, in order, none of them empty or blank. Each is at most `model_tokens` long; neighbours
/// overlap by a fifth of that, so that text at a cut is complete in one of them. With `None` the whole text is one
/// window. A blank text has none.
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

/// End of the window that begins at `begin`: after the last complete line, or after the last complete word, if that
/// leaves it more than half of the largest length.
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

/// Begin of the next window: a fifth before the end of this one, at the beginning of a line if there is one.
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
                // Offset of the window in the text: it is a slice of it.
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
