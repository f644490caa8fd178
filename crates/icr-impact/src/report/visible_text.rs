//! Makes hidden characters in text visible.

use std::borrow::Cow;

/// `text` on one line. Every character that is invisible, or changes the order or direction of others, is shown as a
/// picture or by its number, because a name that looks like another one would mislead a reviewer.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hiding) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character) {
            _ if !is_hiding(character) => shown.push(character),
            // The block of control pictures is in the order of the control characters.
            code @ 0..=0x1f => shown.extend(char::from_u32(0x2400 + code)),
            0x7f => shown.push('\u{2421}'),
            code => shown.push_str(&format!("\u{27e8}U+{code:04X}\u{27e9}")),
        }
    }
    Cow::Owned(shown)
}

/// Characters of a quotation, or of a word, that a message repeats: enough to know it again.
const QUOTED_MOST: usize = 200;

/// Most characters of a whole message, for text that is neither quoted nor one word. No meaningful message is longer.
const MESSAGE_MOST: usize = 4_000;

/// A message with its long parts shortened. A long text between backticks, a long word and a long message keep their
/// beginning and end, with `…` between them, followed by the length.
pub fn shortened(message: &str) -> Cow<'_, str> {
    if message.chars().nth(QUOTED_MOST).is_none() {
        return Cow::Borrowed(message);
    }
    let parts = message.split('`').enumerate();
    let parts: Vec<_> = parts
        .map(|(number, part)| if number % 2 == 1 { elide_with_count(part, QUOTED_MOST) } else { part.into() })
        .collect();
    let quoted = parts.join("`");
    let words = quoted.split_inclusive(char::is_whitespace).map(|word| {
        // The space after the word stays; the part that was cut before it is a little longer.
        let bare = word.trim_end();
        elide_with_count(bare, 2 * QUOTED_MOST) + &word[bare.len()..]
    });
    Cow::Owned(elide_with_count(&words.collect::<String>(), MESSAGE_MOST).into_owned())
}

/// `text` with its middle left out when it has more than `limit` characters, and then with their number.
fn elide_with_count(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let total = text.chars().count();
    let (start, end) = (text.chars().take(limit * 3 / 4), text.chars().skip(total - limit / 4));
    Cow::Owned(start.chain(['…']).chain(end).chain(format!(" ({total} characters)").chars()).collect())
}

/// [`visible`] and not longer than an error message needs.
pub(super) fn clip_visible(text: &str) -> String {
    clipped(&visible(text), 60).into_owned()
}

/// The first `limit` characters of `text`, the last of them `…` when there are more.
pub(super) fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(limit.saturating_sub(1)).chain(['…']).collect())
}

/// `text` with its middle left out when it has more than `limit` characters. The end keeps more than the start, as
/// paths differ at the end.
pub(super) fn elide_middle(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let kept = limit.saturating_sub(1);
    let total = text.chars().count();
    let start = text.chars().take(kept * 2 / 5);
    let end = text.chars().skip(total - (kept - kept * 2 / 5));
    Cow::Owned(start.chain(['…']).chain(end).collect())
}

fn is_hiding(character: char) -> bool {
    let is_format = matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    let is_no_character = matches!(character, '\u{fdd0}'..='\u{fdef}') || u32::from(character) & 0xfffe == 0xfffe;
    character.is_control() || is_format || is_no_character
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_hide_are_shown() {
        assert_eq!(visible("src/é 漢.rs"), "src/é 漢.rs");
        assert_eq!(visible("a\nb\t\0\u{1b}[31m\u{7f}"), "a␊b␉␀␛[31m␡");
        assert_eq!(visible("a\u{202e}b\u{85}\u{ffff}\u{200b}"), "a⟨U+202E⟩b⟨U+0085⟩⟨U+FFFF⟩⟨U+200B⟩");
    }

    #[test]
    fn what_a_message_repeats_is_short() {
        for short in ["", "`a` is no file", &"`a` ".repeat(50), &format!("`{}` is no file", "a".repeat(200))] {
            assert_eq!(shortened(short), short);
        }
        let (start, end) = ("a".repeat(150), "a".repeat(50));
        let cut = format!("`{start}…{end} (1000 characters)` is no file");
        assert_eq!(shortened(&format!("`{}` is no file", "a".repeat(1000))), cut);
        let long = "a".repeat(100_000);
        for message in [
            format!("`{long}..HEAD`: revision `{long}` not found"),
            format!("error: unrecognized subcommand '{long}'\n\nUsage: icr"),
            format!("`{}` is no file", "`".repeat(100_000)),
            format!("`{}` is no file", "a b ".repeat(100_000)),
            "a b ".repeat(100_000),
        ] {
            let shown = shortened(&message);
            assert!(shown.chars().count() < 4_100, "{} characters of {}", shown.chars().count(), &message[..100]);
            assert!(shown.contains('…') && shown.contains("characters)"), "{shown}");
        }
        let usage = format!("a '{long}' b\n\nUsage: icr");
        assert!(shortened(&usage).ends_with(" b\n\nUsage: icr"));
    }

    #[test]
    fn cut_text_says_so() {
        assert_eq!(clipped("abc", 3), "abc");
        assert_eq!(clipped("abcd", 3), "ab…");
        assert_eq!(elide_middle("crates/engine/answer.rs", 23), "crates/engine/answer.rs");
        assert_eq!(elide_middle("crates/engine/src/answer.rs", 16), "crates…answer.rs");
        assert_eq!(elide_middle("abc", 1), "…");
    }
}
