//! Splits a text into pieces as the vocabulary does before it merges bytes: the matches of one regular expression.
//!
//! The pattern of o200k_base (tiktoken's `openai_public.py`), its alternatives in their order:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! Every character matches one of them, so the pieces cover the whole text. The class of the first character and one
//! look over the run behind it decide what a backtracking matcher would try. Each character is read a few times at
//! most.

use crate::characters::{LINE_BREAK, LOWER, MARK, NUMBER, OTHER, SPACE, UNCASED, UPPER, class_at};

/// What the first part of a word may have: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
const HEAD: u8 = UPPER | UNCASED | MARK;
/// What the second part of a word may have: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
const TAIL: u8 = LOWER | UNCASED | MARK;

/// End of the piece of `text` that begins at `start`, which is before the end of `text`.
///
/// `text` is UTF-8, and `start` is 0 or the end of a piece.
#[inline]
pub(crate) fn piece_end(text: &[u8], start: usize) -> usize {
    let (class, width) = class_at(text, start);
    let next = start + width;
    match class {
        LOWER => contraction_end(text, run_end(text, next, TAIL)),
        UPPER | UNCASED => word_end(text, start).unwrap_or(next),
        NUMBER => number_end(text, next),
        // The character may begin the word behind it. A mark can also be a word by itself.
        MARK => match word_behind(text, next) {
            Some(end) => end,
            None => contraction_end(text, next),
        },
        OTHER => word_end(text, next).unwrap_or_else(|| symbols_end(text, next)),
        LINE_BREAK => blank_end(text, start),
        _ => space_end(text, start, next),
    }
}

/// End of a match of the first or second alternative without its optional first character, from `start`.
#[inline]
fn word_end(text: &[u8], start: usize) -> Option<usize> {
    let head = head(text, start);
    // The second alternative gets only what is upper case.
    let end = head.word_end.or((head.end > start).then_some(head.end))?;
    Some(contraction_end(text, end))
}

/// Like [`word_end`], but for the first alternative only.
fn word_behind(text: &[u8], start: usize) -> Option<usize> {
    let end = head(text, start).word_end?;
    Some(contraction_end(text, end))
}

/// The longest run of [`HEAD`], and where the first alternative ends.
struct Head {
    end: usize,
    /// End of the first alternative: the end of a run of [`TAIL`] behind the head. If there is none, it is behind the
    /// last character of the head that may also be in the tail, to which a backtracking matcher would go back.
    word_end: Option<usize>,
}

#[inline]
fn head(text: &[u8], start: usize) -> Head {
    let mut end = start;
    let mut shared_end = None;
    loop {
        let (class, width) = class_at(text, end);
        if class & HEAD == 0 {
            let tail_end = (class == LOWER).then(|| run_end(text, end + width, TAIL));
            return Head { end, word_end: tail_end.or(shared_end) };
        }
        end += width;
        if class != UPPER {
            shared_end = Some(end);
        }
    }
}

/// End of the run of characters of `classes` from `start`.
#[inline]
fn run_end(text: &[u8], start: usize, classes: u8) -> usize {
    let mut end = start;
    loop {
        let (class, width) = class_at(text, end);
        if class & classes == 0 {
            return end;
        }
        end += width;
    }
}

/// End of `(?i:'s|'t|'re|'ve|'m|'ll|'d)?` from `start`.
#[inline]
fn contraction_end(text: &[u8], start: usize) -> usize {
    match text.get(start..) {
        Some([b'\'', rest @ ..]) => start + contraction_bytes(rest),
        _ => start,
    }
}

fn contraction_bytes(behind_apostrophe: &[u8]) -> usize {
    match behind_apostrophe {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 3,
        // U+017F, the long s, equals `s` when case is ignored.
        [0xc5, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// End of `\p{N}{1,3}`, whose first character ends at `next`.
fn number_end(text: &[u8], next: usize) -> usize {
    let mut end = next;
    for _ in 0..2 {
        let (class, width) = class_at(text, end);
        if class != NUMBER {
            break;
        }
        end += width;
    }
    end
}

/// End of `[^\s\p{L}\p{N}]*[\r\n/]*` from `start`.
#[inline]
fn symbols_end(text: &[u8], start: usize) -> usize {
    let end = run_end(text, start, OTHER | MARK);
    let breaks = text[end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
    end + breaks
}

/// End of the piece that begins with a space that ends at `next`.
#[inline]
fn space_end(text: &[u8], start: usize, next: usize) -> usize {
    let (class, width) = class_at(text, next);
    if class & (SPACE | LINE_BREAK) != 0 {
        return blank_end(text, start);
    }
    if let Some(end) = word_end(text, next) {
        return end;
    }
    // A mark behind the space would have been a word.
    if class == OTHER && text[start] == b' ' { symbols_end(text, next + width) } else { next }
}

/// End of white space from `start`: behind its last line break; else before its last character if other text follows;
/// else its end.
fn blank_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut last = start;
    let mut breaks_end = None;
    loop {
        let (class, width) = class_at(text, end);
        match class {
            SPACE => last = end,
            LINE_BREAK => breaks_end = Some(end + width),
            _ => break,
        }
        end += width;
    }
    match breaks_end {
        Some(breaks_end) => breaks_end,
        None if end < text.len() && last > start => last,
        None => end,
    }
}
