//! Shows text from users and files in error messages.

/// A value for an error message: on one line, without control characters, cut after 60 characters. Otherwise files of a
/// clone could send escape sequences to the terminal.
pub(super) fn format_for_message(value: &str) -> String {
    let mut text: String = value.chars().take(LONGEST_SHOWN).map(printable).collect();
    if value.chars().nth(LONGEST_SHOWN).is_some() {
        text.push('…');
    }
    text
}

/// Longest value that is shown, in characters: enough to recognise it in a file.
const LONGEST_SHOWN: usize = 60;

fn printable(character: char) -> char {
    // Bidirectional marks reorder text on a terminal, so a message could be made to say something else.
    let reorders = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || reorders { '\u{fffd}' } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_values_are_short_and_printable() {
        assert_eq!(format_for_message("a\u{1b}[31mb\n\u{202e}c"), "a\u{fffd}[31mb\u{fffd}\u{fffd}c");
        assert_eq!(format_for_message(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(format_for_message(&"é".repeat(60)), "é".repeat(60));
    }
}
