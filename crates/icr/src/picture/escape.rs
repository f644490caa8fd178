//! Text made safe for HTML and Graphviz, and cut to fit a box.

use std::fmt::Write;

/// `text` as content of an HTML element or of an attribute in double quotes.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().map(visible) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A path may look like a URL, and the page must not contain URLs.
            ':' => escaped.push_str("&#58;"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// A sentence, in which names stand between backticks, as content of an HTML element.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    let part = |(at, part): (usize, &&str)| match at % 2 {
        1 if at < last => format!("<code>{}</code>", html(part)),
        // An unpaired backtick is kept.
        1 => format!("`{}", html(part)),
        _ => html(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// `text` as a quoted Graphviz id or label, without the escape sequences of labels.
pub(super) fn dot(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars().map(visible) {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // Graphviz reads HTML entities in labels.
            '&' => quoted.push_str("&amp;"),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// `json` as content of a `script` element; no text in it can end the element.
pub(super) fn script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        // In JSON, these characters occur only in strings. All characters that hide text are in the basic plane.
        let hides = visible(character) != character && u32::from(character) <= 0xffff;
        match character {
            _ if hides || "<>&".contains(character) => {
                write!(escaped, "\\u{:04x}", u32::from(character)).expect("a string takes any text");
            }
            '/' if escaped.ends_with('/') => escaped.push_str("\\u002f"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// `text` shortened in the middle if it is wider than `columns` in a fixed-width font.
///
/// More of the end is kept than of the start, because paths and names differ at the end. Never wider than `columns`,
/// which must be at least 1.
pub(super) fn elide_middle(text: &str, columns: usize) -> String {
    let text: Vec<char> = text.chars().map(visible).collect();
    let width: usize = text.iter().map(|character| columns_of(*character)).sum();
    if width <= columns {
        return text.into_iter().collect();
    }
    let kept = columns.saturating_sub(1);
    let fits = |characters: &mut dyn Iterator<Item = &char>, columns: usize| {
        let mut width = 0;
        characters
            .take_while(|character| {
                width += columns_of(**character);
                width <= columns
            })
            .count()
    };
    let start = fits(&mut text.iter(), kept * 2 / 5);
    let end = fits(&mut text.iter().rev(), kept - kept * 2 / 5);
    text[..start].iter().chain(&['…']).chain(&text[text.len() - end..]).collect()
}

/// Width of `text` in columns of a fixed-width font.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// 2 for what East Asian fonts and emoji draw twice as wide, else 1. Too wide for combining marks, never too narrow.
fn columns_of(character: char) -> usize {
    let wide = matches!(u32::from(character), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xa960..=0xa97f | 0xac00..=0xd7ff
        | 0xf900..=0xfaff | 0xfe10..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1_0000..=0x3_ffff);
    1 + usize::from(wide)
}

/// The replacement character for control characters and for characters that change the direction of text, which could
/// make one name look like another.
fn visible(character: char) -> char {
    let hides = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fdd0}'..='\u{fdef}')
        || u32::from(character) & 0xfffe == 0xfffe;
    if character.is_control() || hides { char::REPLACEMENT_CHARACTER } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_paths_stays_text() {
        assert_eq!(html("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
        assert_eq!(html("http://x"), "http&#58;//x");
        assert_eq!(script("[\"</script><!--\"]"), "[\"\\u003c/script\\u003e\\u003c!--\"]");
        assert_eq!(script("[\"\u{202e}\"]"), "[\"\\u202e\"]");
        assert_eq!(script("[\"http://x\"]"), "[\"http:/\\u002fx\"]");
    }

    #[test]
    fn quotes_and_backslashes_do_not_end_a_graphviz_id() {
        assert_eq!(dot("a\"b\\n\\"), r#""a\"b\\n\\""#);
        assert_eq!(dot("<b>&lt;"), "\"<b>&amp;lt;\"");
    }

    #[test]
    fn characters_that_hide_a_name_are_replaced() {
        assert_eq!(html("a\u{202e}b\nc\0\u{1b}"), "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}");
        assert_eq!(dot("a\nb"), "\"a\u{fffd}b\"");
    }

    #[test]
    fn long_text_loses_its_middle() {
        assert_eq!(elide_middle("src/a.rs", 8), "src/a.rs");
        assert_eq!(elide_middle("crates/engine/src/answer.rs", 16), "crates…answer.rs");
        assert_eq!(elide_middle("abc", 1), "…");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("漢字.rs"), 7);
        assert_eq!(elide_middle("漢字漢字漢字", 7), "漢…漢字");
    }

    proptest::proptest! {
        #[test]
        fn elided_text_fits(text in "\\PC{0,40}", limit in 1usize..30) {
            let cut = elide_middle(&text, limit);
            proptest::prop_assert!(columns(&cut) <= limit);
            proptest::prop_assert_eq!(cut.contains('…') || text.contains('…'), columns(&text) > limit || text.contains('…'));
        }
    }
}
