//! Patterns of revisions, `:/text` and `main^{/text}`: extended regular expressions of POSIX with the additions of glibc,
//! in the syntax of the crate `regex`.
//!
//! Both syntaxes give some texts another meaning, as `\d` and `(?i)`. Such a text is refused, because it would find
//! another commit than in git.

use regex::bytes::{Regex, RegexBuilder};

use crate::Error;

/// Most bytes of a compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;

/// What a text is as a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Translation {
    /// The same pattern in the syntax of `regex`.
    Same(String),
    /// No pattern, to git neither.
    Invalid,
    /// A pattern that means something else, or nothing that is known here.
    Other,
}

/// The pattern `text`, in which `^` and `$` match the ends of the message and `.` a line end too. If it is not a valid one,
/// which git refuses, it is searched literally. Matching takes time linear in the message.
///
/// # Errors
///
/// [`Error::MessagePattern`] if git may read it in another way.
pub(crate) fn message_pattern(text: &str) -> Result<Regex, Error> {
    let build = |text: &str| {
        RegexBuilder::new(text).unicode(false).dot_matches_new_line(true).size_limit(PATTERN_BYTES).build()
    };
    let refused = || Error::MessagePattern { pattern: text.to_owned() };
    match translation(text) {
        Translation::Same(pattern) => build(&pattern).map_err(|_| refused()),
        Translation::Invalid => build(&regex::escape(text)).map_err(|_| refused()),
        Translation::Other => Err(refused()),
    }
}

fn translation(text: &str) -> Translation {
    let mut pattern = String::with_capacity(text.len());
    let mut rest = text;
    let mut groups = 0_usize;
    // Whether something stands before that can be repeated, and whether that is a place, which glibc takes as it likes.
    let (mut has_atom, mut is_place) = (false, false);
    while let Some(next) = rest.chars().next() {
        rest = &rest[next.len_utf8()..];
        if is_place && matches!(next, '*' | '+' | '?' | '{') {
            return Translation::Other;
        }
        is_place = matches!(next, '^' | '$') || (next == '\\' && rest.starts_with(['b', 'B']));
        match next {
            '\\' => {
                let Some(escaped) = rest.chars().next() else { return Translation::Invalid };
                rest = &rest[escaped.len_utf8()..];
                match escaped {
                    // Additions of glibc, which the crate has too.
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' => pattern.extend(['\\', escaped]),
                    '<' | '>' | '`' | '\'' => return Translation::Other,
                    _ if escaped.is_ascii_punctuation() => pattern.extend(['\\', escaped]),
                    _ => return Translation::Other,
                }
                has_atom = true;
            }
            '[' => match bracket(rest) {
                Ok((class, behind)) => {
                    pattern.push_str(&class);
                    (rest, has_atom) = (behind, true);
                }
                Err(translation) => return translation,
            },
            '(' => {
                pattern.push('(');
                (groups, has_atom) = (groups + 1, false);
            }
            // Without an opening one, it stands for itself.
            ')' if groups > 0 => {
                pattern.push(')');
                (groups, has_atom) = (groups - 1, true);
            }
            '*' | '+' | '?' if !has_atom => return Translation::Invalid,
            '*' | '+' => pattern.push(next),
            // A `?` after another sign of repetition would make that lazy.
            '?' => pattern.push_str("{0,1}"),
            '{' if !has_atom => return Translation::Invalid,
            '{' => match repetition(rest) {
                Some((counts, behind)) => {
                    pattern.push_str(&counts);
                    rest = behind;
                }
                None => return Translation::Other,
            },
            '|' | '^' | '$' => {
                pattern.push(next);
                has_atom = false;
            }
            '.' => {
                pattern.push('.');
                has_atom = true;
            }
            _ => {
                pattern.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
                has_atom = true;
            }
        }
    }
    if groups > 0 { Translation::Invalid } else { Translation::Same(pattern) }
}

/// The counts `{2}`, `{2,}` or `{2,5}`, whose text after the brace is `text`, and the text after them.
fn repetition(text: &str) -> Option<(String, &str)> {
    let (counts, behind) = text.split_once('}')?;
    let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
    let is_number = |digits: &str| digits.len() <= 3 && digits.bytes().all(|digit| digit.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then(|| (format!("{{{counts}}}"), behind))
}

/// The class whose text after the bracket is `text`, and the text after it.
fn bracket(text: &str) -> Result<(String, &str), Translation> {
    const NAMES: [&str; 12] =
        ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"];
    let mut class = String::from("[");
    let mut rest = text;
    if let Some(behind) = rest.strip_prefix('^') {
        class.push('^');
        rest = behind;
    }
    let mut is_first = true;
    while let Some(next) = rest.chars().next() {
        match next {
            ']' if !is_first => {
                class.push(']');
                return Ok((class, &rest[1..]));
            }
            '[' if rest.starts_with("[:") => {
                let (name, behind) = rest[2..].split_once(":]").ok_or(Translation::Invalid)?;
                if !NAMES.contains(&name) {
                    return Err(Translation::Invalid);
                }
                class.push_str(&format!("[:{name}:]"));
                rest = behind;
            }
            '[' if rest.starts_with("[.") || rest.starts_with("[=") => return Err(Translation::Other),
            // What a byte beyond ASCII stands for depends on the locale.
            _ if !next.is_ascii() => return Err(Translation::Other),
            // A dash between two characters makes a range of them; here it stays one.
            '-' if !is_first && !rest[1..].starts_with(']') => {
                class.push('-');
                rest = &rest[1..];
            }
            _ => {
                if next.is_ascii_punctuation() {
                    class.push('\\');
                }
                class.push(next);
                rest = &rest[1..];
            }
        }
        is_first = false;
    }
    Err(Translation::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, message: &str, expected: bool) {
        assert_eq!(message_pattern(text).unwrap().is_match(message.as_bytes()), expected, "{text} in {message}");
    }

    #[test]
    fn a_pattern_matches_what_it_matches_in_git() {
        for (text, message, expected) in [
            ("fix.*it", "fix\nit", true),
            ("^fix", "a\nfix", false),
            ("it$", "fix it\n", false),
            ("a+?b", "b", true),
            ("C++", "the C of it", true),
            ("(one|two)+", "two", true),
            ("v2)", "(v2)", true),
            ("x{2}", "axxa", true),
            ("x{2,}y", "xy", false),
            ("[[:digit:]]+", "step 4", true),
            ("[]x]", "a]", true),
            ("[^]x]", "]x", false),
            ("[a\\]", "\\", true),
            ("[a&&b]", "&", true),
            ("[+-]", "a-b", true),
            ("[a-c]z", "bz", true),
            ("a\\.b", "a-b", false),
            ("\\bstep", "a step", true),
            ("ü+", "üü", true),
        ] {
            check(text, message, expected);
        }
    }

    #[test]
    fn what_git_refuses_is_searched_literally() {
        for text in ["fix(", "[a", "*x", "+", "(?i)x", "a\\", "{x}", "a|*b"] {
            assert_eq!(translation(text), Translation::Invalid, "{text}");
            check(text, &format!("the {text} of it"), true);
            check(text, "another", false);
        }
    }

    #[test]
    fn what_git_may_read_in_another_way_is_refused() {
        for text in [
            "\\d", "\\x41", "(a)\\1", "\\<a", "[ü]", "[[.a.]]", "[[=a=]]", "x{a}", "x{,3}", "x{1000}", "\\pL",
            "x{9,1}", "^*", "\\b+",
        ] {
            let error = message_pattern(text).unwrap_err();
            assert!(matches!(error, Error::MessagePattern { .. }), "{text}: {error}");
        }
    }
}
