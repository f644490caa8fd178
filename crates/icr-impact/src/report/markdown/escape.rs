//! Escapes text for Markdown on GitHub and GitLab: it is shown literally, formats nothing, links to nothing and
//! notifies nobody, also inside a table.

use std::fmt::Write;

use super::super::visible_text::{clipped, elide_middle, visible};

/// Longest sentence, in characters.
const MAX_PROSE: usize = 500;

/// Longest name, in characters. Paths longer than this are nobody's.
const MAX_CODE: usize = 1_000;

/// A name or a path as code. Hosts look for no mention and no reference in code.
pub(super) fn code(text: &str) -> String {
    let text = visible(text);
    let text = elide_middle(&text, MAX_CODE);
    let is_plain = !text.is_empty() && !text.contains(['|', '`', '\\']) && text.trim() == text;
    if is_plain {
        return format!("`{text}`");
    }
    // In a cell a pipe ends it even in backticks, and a backslash in front of it is counted differently by every host.
    let mut html = "<code>".to_owned();
    for character in text.chars() {
        match character {
            '/' | '-' => html.push(character),
            character if character.is_ascii_punctuation() => push_entity(&mut html, character),
            ' ' => html.push_str("&#160;"),
            character => html.push(character),
        }
    }
    html + "</code>"
}

/// A sentence, with names in backticks as [`code`].
pub(super) fn prose(text: &str) -> String {
    let text = visible(text);
    let text = clipped(&text, MAX_PROSE);
    let parts: Vec<&str> = text.split('`').collect();
    let mut prose = String::with_capacity(text.len() + text.len() / 4);
    for (at, part) in parts.iter().enumerate() {
        let is_closed = at + 1 < parts.len();
        match at % 2 {
            0 => prose.push_str(&plain(part)),
            _ if is_closed && !part.is_empty() => prose.push_str(&code(part)),
            _ => {
                push_entity(&mut prose, '`');
                prose.push_str(&plain(part));
                if is_closed {
                    push_entity(&mut prose, '`');
                }
            }
        }
    }
    prose
}

/// Words outside of code.
fn plain(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut plain = String::with_capacity(text.len() + text.len() / 4);
    for (at, character) in characters.iter().copied().enumerate() {
        let next = characters.get(at + 1).copied().unwrap_or(' ');
        let is_tight = next.is_alphanumeric() || "\"'_/+-".contains(next);
        match character {
            '&' | '<' | '>' | '|' | '\\' | '*' | '_' | '~' | '[' | ']' | '#' | '@' | '!' | '$' | '^' | '{' => {
                push_entity(&mut plain, character);
            }
            // A short name of an emoji, or the scheme of an address.
            ':' if next != ' ' => push_entity(&mut plain, character),
            character => plain.push(character),
        }
        // Hosts look for references after they resolved entities, so those need something in between: `@name`, `#1`,
        // `!1`, `~label`, `&1`, `%1`, `$1`, `^1`, and addresses.
        let begins_reference = "@#!~&%$^*:".contains(character) && is_tight;
        if begins_reference || (next == '.' && ends_in_www(&plain)) || (next.is_ascii_digit() && ends_in_gh(&plain)) {
            plain.push_str(BREAK);
        }
    }
    plain
}

/// A zero-width space: neither seen nor part of any reference.
const BREAK: &str = "&#8203;";

/// `www.host` is an address.
fn ends_in_www(text: &str) -> bool {
    ends_in(text, "www")
}

/// `GH-1` is an issue of GitHub.
fn ends_in_gh(text: &str) -> bool {
    ends_in(text, "gh-")
}

fn ends_in(text: &str, end: &str) -> bool {
    let start = text.len().checked_sub(end.len()).filter(|start| text.is_char_boundary(*start));
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(end))
}

/// Numeric entities never mark anything up (CommonMark 0.31, 2.5).
fn push_entity(text: &mut String, character: char) {
    write!(text, "&#{};", u32::from(character)).expect("a string takes any text");
}

/// Lines as a code block of `language`, with a fence that no line ends.
pub(super) fn fenced<'a>(language: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<_> = lines.map(visible).collect();
    let longest_run = |line: &str| line.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let run = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat(3.max(run + 1));
    let mut block = format!("{fence}{language}\n");
    for line in lines {
        block.push_str(&line);
        block.push('\n');
    }
    block + &fence + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code() {
        assert_eq!(code("src/a_b*.rs"), "`src/a_b*.rs`");
        assert_eq!(code("@user/#123.md"), "`@user/#123.md`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("a`b\\"), "<code>a&#96;b&#92;</code>");
        assert_eq!(code(" a"), "<code>&#160;a</code>");
        assert_eq!(code("a\n</details>"), "`a␊</details>`");
        assert_eq!(code(""), "<code></code>");
    }

    #[test]
    fn sentences_keep_their_code_and_nothing_else() {
        assert_eq!(prose("calls `a_b` and c_d"), "calls `a_b` and c&#95;d");
        assert_eq!(prose("one ` only"), "one &#96; only");
        assert_eq!(prose("empty `` code"), "empty &#96;&#96; code");
        assert_eq!(prose("<b>|[x](y)"), "&#60;b&#62;&#124;&#91;x&#93;(y)");
        assert_eq!(prose("82 %: 11 of 13"), "82 %: 11 of 13");
    }

    #[test]
    fn nobody_is_notified_and_nothing_is_referred_to() {
        assert_eq!(prose("@user"), "&#64;&#8203;user");
        assert_eq!(prose("fixes o/n#123, !7 GH-12"), "fixes o/n&#35;&#8203;123, &#33;&#8203;7 GH-&#8203;12");
        assert_eq!(prose("https://x.y www.x"), "https&#58;&#8203;//x.y www&#8203;.x");
        assert_eq!(prose(":tada:"), "&#58;&#8203;tada:");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("sh", ["a ``` b", "c"].into_iter()), "````sh\na ``` b\nc\n````\n");
        assert_eq!(fenced("sh", ["a"].into_iter()), "```sh\na\n```\n");
    }
}
