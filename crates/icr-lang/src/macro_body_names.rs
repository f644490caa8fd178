//! Names in text for which the grammar has no nodes: the bodies of C macros.

use icr_model::Span;

/// Types and values of C that are nodes but not tokens of the grammar, sorted. Those of one to three letters are left
/// out, because all names that short are skipped.
const OF_THE_LANGUAGE: [&[u8]; 25] = [
    b"bool",
    b"char",
    b"char16_t",
    b"char32_t",
    b"char8_t",
    b"double",
    b"false",
    b"float",
    b"int16_t",
    b"int32_t",
    b"int64_t",
    b"int8_t",
    b"intptr_t",
    b"max_align_t",
    b"nullptr_t",
    b"ptrdiff_t",
    b"size_t",
    b"ssize_t",
    b"true",
    b"uint16_t",
    b"uint32_t",
    b"uint64_t",
    b"uint8_t",
    b"uintptr_t",
    b"void",
];

/// A name in raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawTextName {
    /// Where it stands in the text.
    pub(crate) span: Span,
    pub(crate) is: WordIs,
}

/// How a name is used in the surrounding text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordIs {
    /// Before an opening bracket.
    Called,
    /// After `.` or `->`.
    Member,
    Plain,
}

/// The names in `text`, in order. Comments, numbers and quoted text are skipped, and so are names beside `#` and `##`.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = RawTextName> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = text.get(at) {
            let start = at;
            at = match byte {
                b'"' | b'\'' => end_of_quoted(text, start),
                b'/' if text[start..].starts_with(b"//") => text.len(),
                b'/' if text[start..].starts_with(b"/*") => {
                    memchr::memmem::find(&text[start + 2..], b"*/").map_or(text.len(), |end| start + 2 + end + 2)
                }
                b'0'..=b'9' => end_of_number(text, start),
                byte if is_of_name(byte) => start + text[start..].iter().take_while(|byte| is_of_name(**byte)).count(),
                _ => start + 1,
            };
            let is_name = is_of_name(byte) && !byte.is_ascii_digit();
            if is_name && !is_pasted(text, start, at) && OF_THE_LANGUAGE.binary_search(&&text[start..at]).is_err() {
                let span = Span::new(start as u32, at as u32);
                return Some(RawTextName { span, is: what_is(text, start, at) });
            }
        }
        None
    })
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The end of the number that begins at `start`. Numbers in C++ may have quotes between digits.
fn end_of_number(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        let is_separator = byte == b'\'' && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_of_name(byte) || byte == b'.' || is_separator) {
            break;
        }
        at += 1;
    }
    at
}

/// The end of the quoted text that begins at `start`.
fn end_of_quoted(text: &[u8], start: usize) -> usize {
    let quote = text[start];
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Whether `#` or `##` is beside a name. The preprocessor then makes another name of it, or no name.
fn is_pasted(text: &[u8], start: usize, end: usize) -> bool {
    text_before(text, start).ends_with(b"#") || behind(text, end).starts_with(b"##")
}

/// The text before `start`, without blanks and joined lines.
fn text_before(text: &[u8], start: usize) -> &[u8] {
    let blanks = text[..start].iter().rev().take_while(|byte| is_blank(**byte)).count();
    &text[..start - blanks]
}

/// The text after `end`, without blanks and joined lines.
fn behind(text: &[u8], end: usize) -> &[u8] {
    let blanks = text[end..].iter().take_while(|byte| is_blank(**byte)).count();
    &text[end + blanks..]
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\\'
}

fn what_is(text: &[u8], start: usize, end: usize) -> WordIs {
    let before = text_before(text, start);
    // Three dots do not join a member.
    if before.ends_with(b"->") || before.ends_with(b".") && !before.ends_with(b"..") {
        WordIs::Member
    } else if behind(text, end).starts_with(b"(") {
        WordIs::Called
    } else {
        WordIs::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let shown = words(text.as_bytes()).map(|RawTextName { span, is }| {
            let name = String::from_utf8_lossy(span.of(text.as_bytes())).into_owned();
            match is {
                WordIs::Called => name + "()",
                WordIs::Member => format!(".{name}"),
                WordIs::Plain => name,
            }
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn names_are_told_by_what_stands_around_them() {
        check(
            "do { lock(x); (y)->count += MASK; } while (0)",
            &["do", "lock()", "x", "y", ".count", "MASK", "while()"],
        );
        check("a . b, c -> d (e), ...f", &["a", ".b", "c", ".d", "e", "f"]);
        check("wait \\\n    (1)", &["wait()"]);
        check("größe(1)", &["größe()"]);
    }

    #[test]
    fn what_the_language_names_is_no_name() {
        check("((void)(x) ? true : (size_t)y)", &["x", "y"]);
        assert!(OF_THE_LANGUAGE.is_sorted());
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).unwrap();
        for word in OF_THE_LANGUAGE {
            let tree = parser.parse([word, b" x;"].concat(), None).unwrap();
            let first = tree.root_node().descendant_for_byte_range(0, word.len()).unwrap();
            assert!(
                matches!(first.kind(), "primitive_type" | "true" | "false"),
                "{} is {}",
                word.escape_ascii(),
                first.kind()
            );
        }
    }

    #[test]
    fn numbers_comments_and_what_is_quoted_hold_no_names() {
        check("0x1fUL + 1e5 /* old(x) */ + b // c", &["b"]);
        check(r#"log("no(\"x\")", 'a') L'x' "#, &["log()", "L"]);
        check("f(1'000'000, limit_of(0xFFull), 1.5e3f)", &["f()", "limit_of()"]);
        check("\"never ends", &[]);
        check("/* never ends", &[]);
        check("'\\", &[]);
    }

    #[test]
    fn names_that_are_put_together_are_passed_over() {
        check("name ## _init(a) + # b + pre##name + c \\\n ##d", &["a"]);
    }
}
