//! Turns any text into one line that can be read only as text.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The mark for the cut rest of a text.
const ELLIPSIS: char = '…';

/// Longest operating system command of a terminal that is removed, in characters; 256 hold a window title or a link.
const ESCAPE_CHARS: usize = 256;

/// When a text is cut, a space is searched in this many characters at its end; longer words are cut.
const WORD_CHARS: usize = 24;

/// Names of roles that begin a turn of a conversation, sorted.
const ROLES: &[&str] =
    &["ai", "assistant", "developer", "human", "instruction", "instructions", "system", "tool", "user"];

/// `text` in one line that a terminal or a model can take only for text.
///
/// Whitespace of any kind becomes one space. Controls, escape sequences and invisible characters are removed. Backticks
/// become apostrophes. `<` and `>` of possible tags become `‹` and `›`. Marks of headings, quotes and fences at the
/// beginning of a line are removed. `Human:` and similar roles lose their colon. Flattening a second time changes
/// nothing.
pub(crate) fn flattened(text: &str) -> String {
    let visible = without_escapes(text);
    let mut line = String::with_capacity(visible.len());
    for part in visible.split(is_line_break) {
        let part = without_marks(&one_spaced(part)).to_owned();
        if !part.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line += &part;
        }
    }
    let line = without_roles(&without_tags(&line));
    // Characters before a mark may have been removed, so that the mark is now at the beginning.
    without_marks(&line).to_owned()
}

/// The beginning of `text` in at most `most` characters, with an ellipsis if it is cut. It is cut between words if a
/// word ends near, and never before a character that modifies the one before it.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    if most == 0 {
        return String::new();
    }
    let mut kept: Vec<char> = text.chars().take(most).collect();
    let mut next = kept.pop();
    while next.is_some_and(joins_the_one_before) {
        next = kept.pop();
    }
    let is_between_words = next.is_some_and(|next| next == ' ');
    let from = kept.len().saturating_sub(WORD_CHARS);
    if !is_between_words && let Some(at) = kept[from..].iter().rposition(|character| *character == ' ') {
        kept.truncate(from + at);
    }
    let cut: String = kept.into_iter().collect();
    format!("{}{ELLIPSIS}", cut.trim_end())
}

/// Whether a character modifies the one before it: a combining mark, a variation selector, a skin tone.
fn joins_the_one_before(character: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    matches!(character.general_category(), EnclosingMark | NonspacingMark | SpacingMark)
        || matches!(character, '\u{1F3FB}'..='\u{1F3FF}')
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// `text` without escape sequences of terminals.
fn without_escapes(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}', '\u{9d}']) {
        visible += &rest[..at];
        let mut characters = rest[at..].chars();
        let introducer = characters.next();
        let kind = if introducer == Some('\u{1b}') { characters.clone().next() } else { introducer };
        rest = match kind {
            Some('[' | '\u{9b}') => after_control_sequence(characters.as_str()),
            Some(']' | '\u{9d}') => after_command(characters.as_str()),
            _ => characters.as_str(),
        };
    }
    visible + rest
}

/// The text behind the parameters and the final letter of a sequence, as in `[1;31m`.
fn after_control_sequence(text: &str) -> &str {
    let parameters =
        text.strip_prefix('[').unwrap_or(text).trim_start_matches(|character| matches!(character, ' '..='?'));
    let mut characters = parameters.chars();
    match characters.next() {
        Some('@'..='~') => characters.as_str(),
        _ => parameters,
    }
}

/// The text behind a bell or a string terminator, as in `]0;title` and a bell.
fn after_command(text: &str) -> &str {
    let end = text
        .char_indices()
        .take(ESCAPE_CHARS)
        .find(|(_, character)| is_line_break(*character) || matches!(character, '\u{7}' | '\u{1b}' | '\u{9c}'));
    match end {
        Some((at, '\u{7}' | '\u{9c}')) => text[at..].trim_start_matches(['\u{7}', '\u{9c}']),
        Some((at, '\u{1b}')) => text[at..].strip_prefix("\u{1b}\\").unwrap_or(&text[at..]),
        _ => text.strip_prefix(']').unwrap_or(text),
    }
}

/// `text` without control and invisible characters, and with one space for each run of blanks.
fn one_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for character in text.chars() {
        if is_blank(character) {
            if !spaced.is_empty() && !spaced.ends_with(' ') {
                spaced.push(' ');
            }
        } else if !is_invisible(character) {
            spaced.push(if character == '`' { '\'' } else { character });
        }
    }
    spaced.truncate(spaced.trim_end().len());
    spaced
}

/// Whether a character is blank but has a width, such as Hangul fillers and the empty Braille cell.
fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// Whether a character is a control, a format character such as a zero-width space or a change of direction, a
/// private-use character, or a mark without a visible effect. The selector of coloured emoji (U+FE0F) is kept.
fn is_invisible(character: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    matches!(character.general_category(), Control | Format | PrivateUse)
        || matches!(character,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0d}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

/// A line without the marks that make it a heading, a quotation, a rule or a fence.
fn without_marks(line: &str) -> &str {
    let mut line = line.trim();
    loop {
        let first = line.chars().next().unwrap_or_default();
        let behind = line.trim_start_matches(first);
        let run = line.len() - behind.len();
        let ends = behind.is_empty() || behind.starts_with(' ');
        let is_mark = match first {
            '#' | '>' | '›' => ends,
            '-' | '=' | '*' | '_' | '+' => ends && run >= 3,
            '~' | '\'' | '"' => run >= 3,
            _ => false,
        };
        if !is_mark {
            return line;
        }
        line = behind.trim_start();
    }
}

/// `line` without characters that could open or close a tag. Arrows, comparisons with a number and type arguments stay.
fn without_tags(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut before = ' ';
    let mut open_arguments = 0_usize;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let rest = characters.as_str();
        plain.push(match character {
            '<' if is_type_argument(before, rest) => {
                open_arguments += 1;
                '<'
            }
            '>' if open_arguments > 0 => {
                open_arguments -= 1;
                '>'
            }
            '<' | '＜' | '﹤' => {
                let next = rest.trim_start().chars().next();
                let is_operator = rest.starts_with(['=', '-']) || next.is_some_and(|next| next.is_ascii_digit());
                if character == '<' && is_operator { '<' } else { '‹' }
            }
            '>' | '＞' | '﹥' => {
                let next = rest.trim_start().chars().next();
                let is_operator = matches!(before, '-' | '=')
                    || rest.starts_with('=')
                    || (before == ' ' && next.is_some_and(|next| next.is_ascii_digit()));
                if character == '>' && is_operator { '>' } else { '›' }
            }
            other => other,
        });
        before = character;
    }
    plain
}

/// Whether a `<` between `before` and `rest` opens type arguments, as in `Vec<u32>`: it follows a name, and contains
/// only names.
fn is_type_argument(before: char, rest: &str) -> bool {
    let Some((inner, _)) = rest.split_once('>') else { return false };
    let is_part = |part: char| {
        part.is_ascii_alphanumeric() || matches!(part, '_' | ':' | ',' | ' ' | '&' | '\'' | '<' | '[' | ']' | '*')
    };
    let words = || inner.split(|part: char| !part.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    (before.is_ascii_alphanumeric() || before == '_')
        && inner.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '&' | '\'' | '['))
        && inner.chars().all(is_part)
        && !words().any(is_role)
}

/// `line` without the colon behind a role, without the `=` of `assistant to=`, and with `[INST]` in round brackets.
fn without_roles(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (role, shown, after) = if let Some((role, after)) = bracketed_role(rest) {
            (role, format!("({role})"), after)
        } else if first.is_ascii_alphabetic() && !ends_in_name(&plain) {
            let end = rest.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(rest.len());
            (&rest[..end], rest[..end].to_owned(), &rest[end..])
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        plain += &shown;
        rest = after;
        if is_role(role)
            && let Some((between, behind)) = turn_mark(role, rest)
        {
            plain += between;
            plain += " -";
            rest = behind;
        }
    }
    plain
}

/// The role of a `[INST]` or `[/system]` at the start of `text`, with its slash, and the text behind it.
fn bracketed_role(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find(|character: char| !character.is_ascii_alphabetic() && !matches!(character, '/' | ' '))?;
    let after = inner[end..].strip_prefix(']')?;
    let role = inner[..end].trim();
    let name = role.trim_start_matches('/').trim_start();
    (is_role(name) || ["inst", "sys"].iter().any(|mark| name.eq_ignore_ascii_case(mark))).then_some((role, after))
}

/// The text between a role and the mark that makes it a turn, and the text behind the mark.
fn turn_mark<'a>(role: &str, text: &'a str) -> Option<(&'a str, &'a str)> {
    let at = text.find(|character| !matches!(character, ' ' | '*' | '_' | '\'' | '"' | ')' | ']' | '›'))?;
    let (between, rest) = text.split_at(at);
    let between = between.trim_end();
    if let Some(behind) = rest.strip_prefix(':') {
        // `system::exit` is a path and `user:password` is a pair, so neither is a turn.
        let is_path = behind.strip_prefix(':').is_some_and(|name| name.starts_with(char::is_alphanumeric));
        let is_pair = between.is_empty()
            && behind.starts_with(char::is_alphanumeric)
            && role.starts_with(|first: char| first.is_ascii_lowercase());
        return (!is_path && !is_pair).then_some((between, behind));
    }
    if let Some(behind) = rest.strip_prefix('：') {
        return Some((between, behind));
    }
    let recipient = rest.strip_prefix("to")?;
    let behind = recipient.trim_start().strip_prefix('=')?;
    Some((&text[..text.len() - recipient.len()], behind))
}

fn is_role(word: &str) -> bool {
    ROLES.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// Whether a word behind `text` is a part of a longer name, such as `db.user` or `file-system`.
fn ends_in_name(text: &str) -> bool {
    let mut before = text.chars().rev();
    match before.next() {
        Some('-') => before.next().is_some_and(char::is_alphanumeric),
        Some(last) => last.is_alphanumeric() || matches!(last, '_' | '.' | '/' | ':' | '=' | '$' | '@'),
        None => false,
    }
}

#[cfg(test)]
mod tests;
