//! Makes text safe for other file formats, and cuts it to a width.

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
            character => escaped.push(character),
        }
    }
    escaped
}

/// `text` as a quoted label of Graphviz, without escape sequences.
pub(super) fn dot(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars().map(visible) {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // Graphviz reads the entities of HTML in labels.
            '&' => quoted.push_str("&amp;"),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// `text` in one line, with each white space replaced by a space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().map(visible).collect()
}

/// The beginning of `text` with an ellipsis if it is wider than `columns` of a fixed-width font. `columns` is at least
/// 1.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if self::columns(text) <= columns {
        return text.chars().map(visible).collect();
    }
    let mut kept = String::new();
    let mut width = 1;
    for character in text.chars().map(visible) {
        width += columns_of(character);
        if width > columns {
            break;
        }
        kept.push(character);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// `text` in lines of at most `columns`, broken between words, and inside words that are longer.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in text.split_whitespace() {
        let word_width = self::columns(word);
        if width > 0 && width + 1 + word_width > columns {
            lines.push(String::new());
            width = 0;
        }
        let Some(line) = lines.last_mut() else { continue };
        if width > 0 {
            line.push(' ');
            width += 1;
        }
        if width + word_width <= columns {
            line.extend(word.chars().map(visible));
            width += word_width;
            continue;
        }
        for character in word.chars().map(visible) {
            if width + columns_of(character) > columns {
                lines.push(String::new());
                width = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push(character);
            }
            width += columns_of(character);
        }
    }
    lines
}

/// Width of `text` in a fixed-width font, in columns.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// 2 for characters that East Asian fonts and emoji draw at double width, else 1. Too wide for combining marks, never
/// too narrow.
fn columns_of(character: char) -> usize {
    let wide = matches!(u32::from(character), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7ff | 0xf900..=0xfaff
        | 0xfe10..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1_0000..=0x3_ffff);
    1 + usize::from(wide)
}

/// Maps white space to a space, and characters that are no text or change its direction to the replacement character.
fn visible(character: char) -> char {
    let hides = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fdd0}'..='\u{fdef}')
        || u32::from(character) & 0xfffe == 0xfffe;
    match character {
        '\n' | '\t' => ' ',
        character if character.is_control() || hides => char::REPLACEMENT_CHARACTER,
        character => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_quotes_stay_text() {
        assert_eq!(html("<a href='x'>&\"</a>\n\u{202e}"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt; \u{fffd}");
        assert_eq!(dot("a\"b\\n\\ <&\n"), r#""a\"b\\n\\ <&amp; ""#);
        assert_eq!(one_line(" a\n\tb\u{1b} "), "a b\u{fffd}");
    }

    #[test]
    fn text_is_cut_and_wrapped_by_columns() {
        assert_eq!(cut("session store", 13), "session store");
        assert_eq!(cut("session store", 9), "session…");
        assert_eq!(cut("漢字漢字", 6), "漢字…");
        assert_eq!(wrapped("one two  three\nfour", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 9), [""]);
        assert_eq!(wrapped("漢字漢", 4), ["漢字", "漢"]);
    }

    proptest::proptest! {
        #[test]
        fn cut_and_wrapped_text_fits(text in "[a-c漢é \n]{0,60}", width in 2usize..20) {
            proptest::prop_assert!(columns(&cut(&text, width)) <= width);
            let lines = wrapped(&text, width);
            proptest::prop_assert!(lines.iter().all(|line| columns(line) <= width));
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            proptest::prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
