//! Comparing and showing words that people typed.

/// The candidate with the fewest edits to `word`, the first of equals; `None` when more than a third of the letters of
/// `word` would have to change.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed: String = word.to_ascii_lowercase().chars().take(LONGEST_COMPARED).collect();
    let allowed_edits = (typed.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (strsim::osa_distance(&typed, candidate), candidate))
        .filter(|(edits, _)| *edits <= allowed_edits)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// A value as an error message shows it: on one line, without control characters, cut after 60 characters. Files that
/// come with a clone could otherwise send escape sequences to the terminal.
pub(super) fn shown(value: &str) -> String {
    let mut text: String = value.chars().take(LONGEST_SHOWN).map(printable).collect();
    if value.chars().nth(LONGEST_SHOWN).is_some() {
        text.push('…');
    }
    text
}

/// No key is longer than this; it bounds the cost of comparing.
const LONGEST_COMPARED: usize = 64;

/// Enough to recognise a value in a file.
const LONGEST_SHOWN: usize = 60;

fn printable(character: char) -> char {
    // Bidirectional marks reorder what a terminal shows, so a message could be made to say something else.
    let reorders = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || reorders { '\u{fffd}' } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        let candidates = ["enabled", "debounce_ms", "max_tokens", "min_tokens"];
        assert_eq!(nearest(word, candidates.into_iter()), expected);
    }

    #[test]
    fn the_nearest_word_is_the_one_with_the_fewest_edits() {
        check("enabeld", Some("enabled"));
        check("debouncems", Some("debounce_ms"));
        check("mix_tokens", Some("max_tokens"));
        check("MIN_TOKENS", Some("min_tokens"));
    }

    #[test]
    fn a_word_that_is_like_nothing_has_no_neighbour() {
        check("colour", None);
        check("", None);
        check(&"x".repeat(100_000), None);
    }

    #[test]
    fn shown_values_are_short_and_printable() {
        assert_eq!(shown("a\u{1b}[31mb\n\u{202e}c"), "a\u{fffd}[31mb\u{fffd}\u{fffd}c");
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
    }
}
