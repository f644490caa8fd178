//! Splits a text into analysed words.

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::folded;
use super::sentences::code_spans;

/// A word of a text, with the context that shows how important it is.
#[derive(Debug)]
pub(super) struct AnalysedWord<'a> {
    /// The word as written, without the punctuation around it.
    pub(super) written: &'a str,
    /// The case-folded word, for comparison.
    pub(super) folded: String,
    /// Whether it is between backticks.
    pub(super) is_code: bool,
    /// What is before it.
    pub(super) opening: Opening,
    /// Whether a question mark follows it.
    pub(super) is_asked: bool,
}

/// What can be before a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opening {
    /// Another word.
    #[default]
    Word,
    /// A comma or a dash.
    Comma,
    /// A colon, a semicolon or a bracket.
    Clause,
    /// The end of a sentence, or the beginning of the text.
    Sentence,
}

impl AnalysedWord<'_> {
    /// The word as written, but without capitals that depend on its position or on habit: at the beginning of a
    /// sentence, and of a longer name. The remaining case distinguishes `userId` from `userID`, `kb` from `KB` and `a`
    /// from `A`.
    pub(super) fn case_form(&self) -> Cow<'_, str> {
        case_form(self.written, self.is_code, self.opening >= Opening::Clause)
    }
}

/// Fewest letters of a word whose initial capital is ignored.
const LONG_WORD: usize = 5;

/// See [`AnalysedWord::case_form`].
pub(super) fn case_form(written: &str, is_code: bool, begins: bool) -> Cow<'_, str> {
    let mut letters = written.chars();
    let Some(first) = letters.next() else { return Cow::Borrowed(written) };
    let is_plain = first.is_uppercase() && letters.all(|letter| letter.is_lowercase() || matches!(letter, '\'' | '’'));
    let length = written.chars().count();
    let says_nothing = !is_code && is_plain && (length >= LONG_WORD || (begins && length > 1));
    if says_nothing { Cow::Owned(written.to_lowercase()) } else { Cow::Borrowed(written) }
}

/// The words of `text` in order. Anything but words, numbers, operators and symbols is left out.
pub(super) fn words(text: &str) -> Vec<AnalysedWord<'_>> {
    let codes = code_spans(text);
    let mut code = 0;
    let mut words = Vec::new();
    let mut opening = Opening::Sentence;
    for (at, piece) in pieces(text) {
        let Some(first) = piece.chars().next() else { continue };
        if is_separator(first) {
            opening = opening.max(match first {
                ',' | '—' | '–' | '、' | '，' => Opening::Comma,
                ';' | '(' | '[' | '{' | '；' | '：' | '（' => Opening::Clause,
                '。' | '！' | '？' => Opening::Sentence,
                '\n' if begins_block(&text[at + 1..]) => Opening::Sentence,
                _ => Opening::Word,
            });
            if matches!(first, '？') {
                mark_asked(&mut words);
            }
            continue;
        }
        while codes.get(code).is_some_and(|span| span.end <= at) {
            code += 1;
        }
        let is_code = codes.get(code).is_some_and(|span| span.contains(&at));
        let (written, ending) = trimmed(piece);
        if written.is_empty() {
            opening = opening.max(if ending.is_empty() { Opening::Comma } else { opening_after(ending) });
            if ending.contains('?') {
                mark_asked(&mut words);
            }
            continue;
        }
        for part in script_runs(written) {
            for written in tokens_of(part) {
                words.push(AnalysedWord { written, folded: folded(written), is_code, opening, is_asked: false });
                opening = Opening::Word;
            }
        }
        opening = opening_after(ending);
        if ending.contains('?') {
            mark_asked(&mut words);
        }
    }
    words
}

fn mark_asked(words: &mut [AnalysedWord<'_>]) {
    if let Some(word) = words.last_mut() {
        word.is_asked = true;
    }
}

fn opening_after(ending: &str) -> Opening {
    if ending.contains(['.', '!', '?', '…']) {
        Opening::Sentence
    } else if ending.contains(':') {
        Opening::Clause
    } else {
        Opening::Word
    }
}

/// Whether a new paragraph or item begins behind a line break.
fn begins_block(text: &str) -> bool {
    let line = text.trim_start_matches([' ', '\t']);
    line.starts_with(['\n', '-', '*', '+', '#', '•', '>', '|'])
        || line.starts_with(|first: char| first.is_ascii_digit())
}

/// The runs of characters between separators, and each separator by itself, with their byte offsets.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let mut end = first.len_utf8();
        if !is_separator(first) {
            let mut before = first;
            let mut characters = rest.char_indices().skip(1).peekable();
            while let Some((next_at, next)) = characters.next() {
                let joins_digits = matches!(next, ',' | '–')
                    && before.is_ascii_digit()
                    && characters.peek().is_some_and(|(_, after)| after.is_ascii_digit());
                if is_separator(next) && !joins_digits {
                    break;
                }
                end = next_at + next.len_utf8();
                before = next;
            }
        }
        let piece = (at, &rest[..end]);
        at += end;
        Some(piece)
    })
}

fn is_separator(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '(' | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '"'
                | '“'
                | '”'
                | '„'
                | '«'
                | '»'
                | '‹'
                | '›'
                | '`'
                | '|'
                | ','
                | ';'
                | '—'
                | '–'
                | '、'
                | '。'
                | '，'
                | '；'
                | '：'
                | '！'
                | '？'
                | '（'
                | '）'
                | '「'
                | '」'
                | '『'
                | '』'
        )
}

/// A piece without the punctuation around it, and the punctuation behind it. A piece of only punctuation gives an empty
/// word.
fn trimmed(piece: &str) -> (&str, &str) {
    if !piece.contains(char::is_alphanumeric) {
        let is_token = piece.chars().any(|character| {
            matches!(character, '<' | '>' | '=' | '≠' | '≤' | '≥' | '≈' | '+' | '%' | '^' | '→' | '←' | '⇒')
                || character.general_category() == GeneralCategory::OtherSymbol
        });
        return if is_token { (piece, "") } else { ("", piece.trim_start_matches('-')) };
    }
    let word = piece.trim_start_matches(['\'', '’', '‘', '*', '…', ':', '?', '¿', '¡', '~', '•', '·']);
    let end = word.trim_end_matches(['.', '!', '?', ':', '…', '\'', '’', '*', '~']).len();
    word.split_at(end)
}

/// The word split into parts whose scripts all use spaces or all do not.
fn script_runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let is_spaceless = is_spaceless(rest.chars().next()?);
        let other = |character: char| self::is_spaceless(character) != is_spaceless;
        let end = if rest.is_ascii() { rest.len() } else { rest.find(other).unwrap_or(rest.len()) };
        let (run, behind) = rest.split_at(end);
        rest = behind;
        Some(run)
    })
}

/// Pairs of adjacent characters for a run of a script without spaces; otherwise the run itself.
fn tokens_of(run: &str) -> Vec<&str> {
    if !run.starts_with(is_spaceless) {
        return vec![run];
    }
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    match starts.as_slice() {
        [_, _] => vec![run],
        starts => starts.windows(3).map(|window| &run[window[0]..window[2]]).collect(),
    }
}

/// Whether a character is of a script that is written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
pub(super) fn is_spaceless(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}
