//! Blanks out everything in Rust source that is not code.

/// `text` with comments and the content of literals replaced by blanks. Line numbers, and columns counted in
/// characters, stay the same.
///
/// Reads the lexical grammar of literals and comments only, so it takes any text and never fails.
pub(crate) fn code_of(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        let end = end_of_skipped(&characters, at);
        let skipped = &characters[at..end.unwrap_or(at)];
        code.extend(skipped.iter().map(|character| if *character == '\n' { '\n' } else { ' ' }));
        if let Some(end) = end {
            at = end;
            continue;
        }
        // Words are consumed whole, so that the end of a word is not taken for the prefix of a raw string.
        let rest = &characters[at..];
        let word = rest.iter().take_while(|character| is_word(**character)).count().max(1);
        code.extend(&rest[..word]);
        at += word;
    }
    code
}

/// The plain string literals of `text` without their quotes, each with the number of the line on which it begins,
/// counted from 1. Literals with a prefix, such as byte strings and raw strings, are left out. Escapes are kept as
/// written.
pub(crate) fn strings_of(text: &str) -> Vec<(usize, String)> {
    let characters: Vec<char> = text.chars().collect();
    let mut strings = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < characters.len() {
        let end = end_of_skipped(&characters, at);
        let word = characters[at..].iter().take_while(|character| is_word(**character)).count().max(1);
        let next = end.unwrap_or(at + word).min(characters.len());
        let has_prefix = at > 0 && is_word(characters[at - 1]);
        if end.is_some() && characters[at] == '"' && !has_prefix {
            let inside = &characters[at + 1..next];
            strings.push((line, inside.strip_suffix(&['"']).unwrap_or(inside).iter().collect()));
        }
        line += characters[at..next].iter().filter(|character| **character == '\n').count();
        at = next;
    }
    strings
}

/// Identifiers, keywords and numbers, in order.
pub(crate) fn identifiers_of(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character| !is_word(character)).filter(|word| !word.is_empty())
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// End of the comment or literal that begins at `at`; `None` if there is none. An unclosed one ends with the text.
fn end_of_skipped(text: &[char], at: usize) -> Option<usize> {
    let rest = &text[at..];
    match rest {
        ['/', '/', ..] => Some(at + rest.iter().position(|character| *character == '\n').unwrap_or(rest.len())),
        ['/', '*', ..] => Some(at + length_of_block_comment(rest)),
        ['"', ..] => Some(at + length_of_string(rest)),
        ['\'', ..] => length_of_character(rest).map(|length| at + length),
        ['b' | 'c', 'r', ..] => length_of_raw_string(&rest[2..]).map(|length| at + 2 + length),
        ['r', ..] => length_of_raw_string(&rest[1..]).map(|length| at + 1 + length),
        _ => None,
    }
}

/// Block comments nest.
fn length_of_block_comment(text: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn length_of_string(text: &[char]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            '"' => return at + 1,
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// `text` begins after `r`.
fn length_of_raw_string(text: &[char]) -> Option<usize> {
    let hashes = text.iter().take_while(|character| **character == '#').count();
    if text.get(hashes) != Some(&'"') {
        return None;
    }
    let is_end = |at: usize| text[at] == '"' && text[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
    let end = (hashes + 1..text.len()).find(|at| is_end(*at));
    Some(end.map_or(text.len(), |end| end + 1 + hashes))
}

/// `None` for a lifetime.
fn length_of_character(text: &[char]) -> Option<usize> {
    match text {
        ['\'', '\\', _, rest @ ..] => {
            rest.iter().position(|character| *character == '\'').map(|end| end + 4).or(Some(text.len()))
        }
        ['\'', _, '\'', ..] => Some(3),
        _ => None,
    }
}

/// Whether the source at `path` holds tests alone, by the names that such files have here.
pub(crate) fn is_test_path(path: &str) -> bool {
    path.starts_with("tests/")
        || path.starts_with("fixtures/")
        || path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let code = code_of(text);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        assert_eq!(code.chars().count(), text.chars().count(), "{text}");
        assert_eq!(code.lines().count(), text.lines().count(), "{text}");
    }

    #[test]
    fn comments_are_blanked() {
        check("a // b\nc /* d /* e */ f\n*/ g", "a c g");
        check("/// doc\nfn a() {} /* never closed", "fn a() {}");
    }

    #[test]
    fn literals_are_blanked() {
        check("a(\"// b \\\" c\", d)", "a( , d)");
        check("r\"\\\" + r#\"a\" b\"# + br##\"c\"# \"## + 1", "+ + + 1");
        check("b\"x\" + c\"y\"", "b + c");
        check("\"never closed \\", "");
    }

    #[test]
    fn strings_are_found_outside_of_comments_and_other_literals() {
        let text = "// \"a\"\nf(\"b\", b\"c\", r\"d\", '\"', \"e \\\" f\");\n\"g\nh\" \"i\"";
        let strings = strings_of(text);
        let strings: Vec<(usize, &str)> = strings.iter().map(|(line, string)| (*line, string.as_str())).collect();
        assert_eq!(strings, [(2, "b"), (2, "e \\\" f"), (3, "g\nh"), (4, "i")]);
        assert_eq!(strings_of("\"never closed"), [(1, "never closed".to_owned())]);
    }

    #[test]
    fn characters_are_no_lifetimes() {
        check("f::<'a>('\"', '\\'', '\\u{1F600}', b'x', 'ß') 'b: loop {}", "f::<'a>( , , , b , ) 'b: loop {}");
    }

    #[test]
    fn names_that_end_in_a_prefix_are_names() {
        check("bar + r#type + super", "bar + r#type + super");
    }

    #[test]
    fn identifiers_are_whole_words() {
        assert_eq!(
            identifiers_of("pub(crate) struct A_b1<'x>;").collect::<Vec<_>>(),
            ["pub", "crate", "struct", "A_b1", "x"]
        );
    }
}
