//! Text in terminal columns; a Chinese or Japanese character takes two columns.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that lines are broken at.
pub(crate) const LINE_COLUMNS: usize = 80;

/// Closing punctuation of Chinese and Japanese, which must not begin a line.
const CLOSING: &str = "、。，．：；？！）］｝」』】》〉";

/// Width of `text` in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// `text` with spaces behind it up to `width` columns.
pub(crate) fn padding(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text)))
}

/// `text` on one line of at most `most` columns; a `…` marks where it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if columns(&line) <= most {
        return line;
    }
    let mut taken = 0;
    let fits = |letter: &char| {
        taken += letter.width().unwrap_or(0);
        taken < most
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

/// `line` in parts of at most `width` columns, broken at spaces and between two-column characters. A word longer than
/// `width` is a part of its own.
pub(crate) fn wrapped(line: &str, width: usize) -> Vec<&str> {
    wrapped_ranges(line, width).into_iter().map(|range| &line[range]).collect()
}

/// Byte ranges of the parts of `line`, broken as in [`wrapped`].
pub(crate) fn wrapped_ranges(line: &str, width: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    // From where to where the part reaches so far, and where it may be broken: where it ends and where the next one begins.
    let (mut start, mut used, mut used_after) = (0, 0, 0);
    let mut break_at: Option<(usize, usize)> = None;
    let (mut before, mut has_text) = (' ', false);
    for (at, letter) in line.char_indices() {
        let columns = letter.width().unwrap_or(0);
        let is_between = before != ' ' && (columns == 2 || before.width() == Some(2)) && !CLOSING.contains(letter);
        if has_text && (letter == ' ' || is_between) {
            let next = if letter == ' ' { at + 1 } else { at };
            let end = break_at.filter(|(_, next)| before == ' ' && *next == at).map_or(at, |(end, _)| end);
            (break_at, used_after) = (Some((end, next)), 0);
        }
        if letter != ' '
            && used + columns > width
            && let Some((end, next)) = break_at.take()
        {
            parts.push(start..end);
            (start, used) = (next, used_after);
        }
        has_text |= letter != ' ';
        used += columns;
        if break_at.is_none_or(|(_, next)| at >= next) {
            used_after += columns;
        }
        before = letter;
    }
    parts.push(start..line.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("abcdefgh ij", 5), ["abcdefgh", "ij"]);
        assert_eq!(wrapped("ij abcdefgh", 5), ["ij", "abcdefgh"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("  ab  cd", 5), ["  ab", "cd"]);
        assert_eq!(wrapped("   abcd ef", 5), ["   abcd", "ef"]);
    }

    #[test]
    fn letters_of_two_columns_are_counted_as_two_and_broken_between() {
        assert_eq!(wrapped("漢字 漢字", 4), ["漢字", "漢字"]);
        assert_eq!(wrapped("漢字漢字漢", 4), ["漢字", "漢字", "漢"]);
        assert_eq!(wrapped("a漢字漢字。", 5), ["a漢字", "漢", "字。"]);
        assert_eq!((columns("漢a"), padding("漢a", 5)), (3, "  ".to_owned()));
    }

    #[test]
    fn what_is_too_long_is_cut_and_shows_it() {
        assert_eq!(shortened("one\ntwo  three", 13), "one two three");
        assert_eq!(shortened("one two three", 12), "one two thr…");
        assert_eq!(shortened("漢字漢字", 5), "漢字…");
    }
}
