//! JSON as it is written in settings files: with comments, trailing commas, and a byte order mark.

use serde_json::Value;

/// Parses `text`.
///
/// # Errors
///
/// What is wrong with it and where, lines and columns as in `text`.
pub(crate) fn parse(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(&plain(text)).map_err(|error| error.to_string())
}

/// `text` as plain JSON of the same length: spaces replace what was removed, so that error positions stay the same.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut plain = text.to_vec();
    if plain.starts_with(b"\xef\xbb\xbf") {
        plain[..3].fill(b' ');
    }
    // Place of a comma that was followed only by white space and comments so far.
    let mut last_comma = None;
    let mut at = 0;
    while at < plain.len() {
        match plain[at] {
            b'"' => {
                last_comma = None;
                at = string_end(&plain, at);
                continue;
            }
            b'/' if matches!(plain.get(at + 1), Some(b'/' | b'*')) => {
                let end = comment_end(&plain, at);
                plain[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                at = end;
                continue;
            }
            b',' => last_comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = last_comma.take() {
                    plain[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => last_comma = None,
        }
        at += 1;
    }
    plain
}

/// One past the string that begins at `start`; the end of the text when the string is not closed.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// One past the comment that begins at `start`; the end of the text when the comment is not closed.
fn comment_end(text: &[u8], start: usize) -> usize {
    let rest = &text[start + 2..];
    let length = match text[start + 1] {
        b'/' => rest.iter().position(|byte| *byte == b'\n'),
        _ => rest.windows(2).position(|two| two == b"*/").map(|at| at + 2),
    };
    length.map_or(text.len(), |length| start + 2 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out() {
        for (text, expected) in [
            ("{}", "{}"),
            ("\u{feff}{\"a\": 1}", "{\"a\":1}"),
            ("{ // why\n \"a\": [1, /* two */ 2,], }", "{\"a\":[1,2]}"),
            ("{\"a\": \"// no comment, }\"}", "{\"a\":\"// no comment, }\"}"),
            ("{\"a\": \"\\\"/*\", /* , */ \"b\": \"*/\"}", "{\"a\":\"\\\"/*\",\"b\":\"*/\"}"),
            ("[1, // last\n]", "[1]"),
            ("{\"paths\": {\"@/*\": [\"src/*\"], /**/}}", "{\"paths\":{\"@/*\":[\"src/*\"]}}"),
        ] {
            assert_eq!(parse(text.as_bytes()).map(|value| value.to_string()).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\n/* \n */ \"a\" 1}", "expected `:` at line 3 column 9"),
            ("{\"a\": /* open", "EOF while parsing a value at line 1 column 13"),
            ("[1,,]", "trailing comma at line 1 column 5"),
            ("\"\\", "EOF while parsing a string at line 1 column 2"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), expected, "{text}");
        }
    }
}
