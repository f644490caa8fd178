//! Splits code into tokens. The index and queries use this one function.

use crate::stem::stem;

/// Longest token in bytes. A longer identifier is cut at a character border. Identifiers of code are shorter; longer
/// ones are mostly encoded data.
const TOKEN_BYTES: usize = 64;

/// Only this many bytes at the start of an identifier are split into parts, so that encoded data gives few parts.
const PARTS_BYTES: usize = 256;

/// Longest number in digits: enough for 53-bit integers, too short for most keys and checksums.
const NUMBER_DIGITS: usize = 16;

/// An identifier with more changes between letters and digits than this is opaque, such as a hash, and is not split.
const OPAQUE_CHANGES: u32 = 4;

/// Calls `emit` with the tokens of `text` in order.
///
/// An identifier is a maximal run of letters, digits and `_` in any script. Its first token is the identifier in lower
/// case. A compound identifier (`snake_case`, `camelCase`, `utf8`) also gives its stemmed parts, and another one its
/// stem if that differs. A single ASCII letter or digit gives no token. A number gives its digits if there are 2 to 16.
/// Scripts written without spaces give single characters and pairs. Bytes that are not UTF-8 separate tokens. A version
/// gives itself, without its `v`, before the tokens of its identifiers: three or four numbers with dots between them,
/// or two if a `v` is before them or both have at most two digits (`1.10.0`, `v2.120`, `2.1`).
///
/// Tokens have 1 to 64 bytes and no white space. An identifier gives the same tokens wherever it stands. Runs at more
/// than 100 MB/s on code and allocates only for identifiers that are not ASCII.
pub fn tokens(text: &[u8], emit: &mut impl FnMut(&str)) {
    each_valid(text, &mut |text| {
        let mut version_ends = 0;
        each_identifier(text, &mut |start, identifier| {
            // The later numbers of a version do not begin another one.
            if start >= version_ends
                && let Some(end) = version_end(text.as_bytes(), start)
            {
                emit(text[start..end].trim_start_matches(['v', 'V']));
                version_ends = end;
            }
            identifier_tokens(identifier, emit);
        });
    });
}

/// Longest number of a version, in digits.
const VERSION_DIGITS: usize = 4;

/// Most numbers of a version.
const VERSION_NUMBERS: usize = 4;

/// The end of the version of [`tokens`] that begins at `start`, where an identifier begins. No letter is beside one of
/// its numbers.
fn version_end(text: &[u8], start: usize) -> Option<usize> {
    let is_marked = matches!(text[start], b'v' | b'V');
    if !is_marked && !text[start].is_ascii_digit() || start > 0 && text[start - 1] == b'.' {
        return None;
    }
    let (mut at, mut numbers, mut longest) = (start + usize::from(is_marked), 0, 0);
    let end = loop {
        let rest = text.get(at..).unwrap_or_default();
        let digits = rest.iter().take(VERSION_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        let after = rest.get(digits).copied().unwrap_or(b' ');
        if digits == 0 || digits > VERSION_DIGITS || after >= 0x80 || after == b'_' || after.is_ascii_alphabetic() {
            return None;
        }
        (at, numbers, longest) = (at + digits, numbers + 1, longest.max(digits));
        match after == b'.' && rest.get(digits + 1).is_some_and(u8::is_ascii_digit) {
            true if numbers == VERSION_NUMBERS => return None,
            true => at += 1,
            false => break at,
        }
    };
    (numbers > 2 || numbers == 2 && (is_marked || longest < 3)).then_some(end)
}

/// Calls `emit` with the identifiers of `text` as written, in order, with repetitions, cut to 64 bytes.
///
/// These are the identifiers of [`tokens`], except those that begin with a digit or have neither letter nor digit.
pub fn identifiers<'a>(text: &'a [u8], emit: &mut impl FnMut(&'a str)) {
    each_valid(text, &mut |text| {
        each_identifier(text, &mut |_, identifier| {
            let first = identifier.as_bytes()[0];
            if !first.is_ascii_digit() && identifier.bytes().any(|byte| byte != b'_') {
                emit(cut(identifier, TOKEN_BYTES));
            }
        });
    });
}

/// The distinct tokens of a query in order of their first appearance, ready for a search.
pub fn query_terms(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    tokens(query.as_bytes(), &mut |token| {
        if !terms.iter().any(|term| term == token) {
            terms.push(token.to_owned());
        }
    });
    terms
}

/// The start of `text`, at most `bytes` long and cut at a character border.
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Lower case of `text`, character by character, so that a part of a text is lowered as in the whole text.
pub fn lower_case(text: &str) -> String {
    // `str::to_lowercase` would treat a sigma at the end of a word differently from one inside it.
    text.chars().flat_map(char::to_lowercase).map(|character| if character == 'ς' { 'σ' } else { character }).collect()
}

/// The words of a question as written, in order: its versions (as in [`tokens`]), and its identifiers outside of them.
pub fn question_words(question: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut version_ends = 0;
    each_identifier(question, &mut |start, identifier| {
        if start < version_ends {
            return;
        }
        let end = version_end(question.as_bytes(), start);
        version_ends = end.unwrap_or_default();
        words.push(end.map_or(identifier, |end| &question[start..end]));
    });
    words
}

fn each_valid<'a>(mut text: &'a [u8], visit: &mut impl FnMut(&'a str)) {
    loop {
        let (valid, invalid) = match std::str::from_utf8(text) {
            Ok(valid) => (valid, None),
            Err(error) => {
                let valid = std::str::from_utf8(&text[..error.valid_up_to()]).expect("checked up to here just now");
                (valid, Some(error.error_len().unwrap_or(usize::MAX)))
            }
        };
        visit(valid);
        let Some(invalid) = invalid else { return };
        text = text.get(valid.len().saturating_add(invalid)..).unwrap_or_default();
        if text.is_empty() {
            return;
        }
    }
}

/// Calls `visit` with the place of each identifier, and the identifier.
fn each_identifier<'a>(text: &'a str, visit: &mut impl FnMut(usize, &'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while let Some(length) = word_character(text, at) {
            at += length;
        }
        if at > start {
            visit(start, &text[start..at]);
        } else {
            at += character_length(bytes[at]);
        }
    }
}

/// Length in bytes of the character at `at`, if it can be in an identifier.
#[inline(always)]
fn word_character(text: &str, at: usize) -> Option<usize> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 0x80 {
        return (CLASS[usize::from(byte)] != CharacterClass::Other).then_some(1);
    }
    let character = text[at..].chars().next()?;
    character.is_alphanumeric().then(|| character.len_utf8())
}

/// Bytes of the UTF-8 character that begins with `first`.
fn character_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// The class of a character in an identifier, for finding the parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Other,
    Underscore,
    Lower,
    Upper,
    Digit,
}

static CLASS: [CharacterClass; 256] = classes();

const fn classes() -> [CharacterClass; 256] {
    let mut table = [CharacterClass::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'_' => CharacterClass::Underscore,
            b'a'..=b'z' => CharacterClass::Lower,
            b'A'..=b'Z' => CharacterClass::Upper,
            b'0'..=b'9' => CharacterClass::Digit,
            _ => CharacterClass::Other,
        };
        byte += 1;
    }
    table
}

impl CharacterClass {
    fn of(character: char) -> Self {
        match character {
            '\0'..='\x7f' => CLASS[character as usize],
            _ if character.is_numeric() => Self::Digit,
            _ if character.is_uppercase() => Self::Upper,
            _ => Self::Lower,
        }
    }

    /// Whether a part ends between characters of the classes `self` and `next`: `open|File`, `HTTP|Server`, `utf|8`.
    /// `lower_follows` says that the character after the next is lower case.
    #[inline(always)]
    fn parts_before(self, next: Self, lower_follows: bool) -> bool {
        match (self, next) {
            (Self::Upper, Self::Upper) => lower_follows,
            (Self::Upper, Self::Lower) => false,
            (before, after) => before != after,
        }
    }
}

fn identifier_tokens(identifier: &str, emit: &mut impl FnMut(&str)) {
    if identifier.is_ascii() {
        ascii_tokens(identifier.as_bytes(), emit);
    } else {
        other_tokens(identifier, emit);
    }
}

fn ascii_tokens(identifier: &[u8], emit: &mut impl FnMut(&str)) {
    if identifier.len() < 2 {
        return;
    }
    let mut lower = [0_u8; PARTS_BYTES];
    let length = identifier.len().min(PARTS_BYTES);
    let mut parts = 1_u32;
    let mut changes = 0_u32;
    let mut digits = 0_usize;
    let mut underscores = 0_usize;
    let mut before = CLASS[usize::from(identifier[0])];
    for (at, byte) in identifier[..length].iter().enumerate() {
        lower[at] = byte.to_ascii_lowercase();
        let class = CLASS[usize::from(*byte)];
        digits += usize::from(class == CharacterClass::Digit);
        underscores += usize::from(class == CharacterClass::Underscore);
        if class != before {
            let digit_beside_letter = class == CharacterClass::Digit || before == CharacterClass::Digit;
            let underscore = class == CharacterClass::Underscore || before == CharacterClass::Underscore;
            changes += u32::from(digit_beside_letter && !underscore);
            parts += u32::from(before.parts_before(class, false));
        } else if class == CharacterClass::Upper && at > 0 {
            let follows = identifier.get(at + 1).is_some_and(|byte| CLASS[usize::from(*byte)] == CharacterClass::Lower);
            parts += u32::from(follows);
        }
        before = class;
    }
    if underscores == length {
        return;
    }
    if CLASS[usize::from(identifier[0])] == CharacterClass::Digit && digits + underscores == length {
        return number_token(&identifier[..length], digits, emit);
    }
    emit(ascii(&lower[..length.min(TOKEN_BYTES)]));
    if parts == 1 {
        if length <= TOKEN_BYTES && digits == 0 {
            stem_token(&mut lower[..length], true, emit);
        }
    } else if changes <= OPAQUE_CHANGES {
        ascii_parts(&identifier[..length], &mut lower[..length], emit);
    }
}

/// Digits of a number without the underscores that group them.
fn number_token(number: &[u8], digits: usize, emit: &mut impl FnMut(&str)) {
    if !(2..=NUMBER_DIGITS).contains(&digits) {
        return;
    }
    let mut kept = [0_u8; NUMBER_DIGITS];
    let only_digits = number.iter().filter(|byte| **byte != b'_');
    kept.iter_mut().zip(only_digits).for_each(|(to, from)| *to = *from);
    emit(ascii(&kept[..digits]));
}

fn ascii_parts(identifier: &[u8], lower: &mut [u8], emit: &mut impl FnMut(&str)) {
    let class = |at: usize| identifier.get(at).map(|byte| CLASS[usize::from(*byte)]);
    let mut start = 0;
    for at in 1..=identifier.len() {
        let ends = match (class(at - 1), class(at)) {
            (Some(before), Some(after)) => before.parts_before(after, class(at + 1) == Some(CharacterClass::Lower)),
            _ => true,
        };
        if ends {
            if at - start > 1 && at - start <= TOKEN_BYTES && class(start) != Some(CharacterClass::Underscore) {
                stem_token(&mut lower[start..at], false, emit);
            }
            start = at;
        }
    }
}

/// The stem of `word`. With `only_if_new`, nothing if the stem is the word itself.
#[inline]
fn stem_token(word: &mut [u8], only_if_new: bool, emit: &mut impl FnMut(&str)) {
    // Digits have no endings to remove.
    let length = if word[0].is_ascii_lowercase() { stem(word) } else { word.len() };
    if length < word.len() || !only_if_new {
        emit(ascii(&word[..length]));
    }
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("identifiers of this branch are ASCII")
}

/// Tokens of an identifier with characters that are not ASCII.
fn other_tokens(identifier: &str, emit: &mut impl FnMut(&str)) {
    let mut rest = identifier;
    while let Some(first) = rest.chars().next() {
        let spaceless = is_spaceless(first);
        let end = rest.find(|character| is_spaceless(character) != spaceless).unwrap_or(rest.len());
        let (piece, remaining) = rest.split_at(end);
        rest = remaining;
        match (spaceless, piece.is_ascii()) {
            (true, _) => spaceless_tokens(piece, emit),
            (false, true) => ascii_tokens(piece.as_bytes(), emit),
            (false, false) => word_tokens(piece, emit),
        }
    }
}

/// Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, Hangul, Kana, Bopomofo, Han. Ranges from
/// the Unicode block list.
fn is_spaceless(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x2e80..=0x2fdf | 0x3005..=0x3007
        | 0x3040..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff
        | 0xff66..=0xffdc | 0x20000..=0x3ffff)
}

/// Emits each character and each pair of neighbours. Without a dictionary there are no words to split at, and a query
/// may be a single character.
fn spaceless_tokens(text: &str, emit: &mut impl FnMut(&str)) {
    let mut before: Option<usize> = None;
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        if let Some(before) = before {
            emit(&text[before..end]);
        }
        emit(&text[start..end]);
        before = Some(start);
    }
}

fn word_tokens(word: &str, emit: &mut impl FnMut(&str)) {
    let head = cut(word, PARTS_BYTES);
    let whole = lower_case(head);
    emit(cut(&whole, TOKEN_BYTES));
    let characters: Vec<(usize, CharacterClass)> =
        head.char_indices().map(|(at, character)| (at, CharacterClass::of(character))).collect();
    let mut start = 0;
    for (index, (_, class)) in characters.iter().enumerate() {
        let lower_follows = characters.get(index + 2).is_some_and(|(_, class)| *class == CharacterClass::Lower);
        let next = characters.get(index + 1);
        if next.is_some_and(|(_, next)| !class.parts_before(*next, lower_follows)) {
            continue;
        }
        let end = next.map_or(head.len(), |(at, _)| *at);
        if (start, end) != (0, head.len()) && *class != CharacterClass::Underscore {
            part_token(&head[start..end], emit);
        }
        start = end;
    }
}

fn part_token(part: &str, emit: &mut impl FnMut(&str)) {
    let mut lower = lower_case(part).into_bytes();
    if lower.is_ascii() {
        if (2..=TOKEN_BYTES).contains(&lower.len()) {
            stem_token(&mut lower, false, emit);
        }
    } else {
        let lower = std::str::from_utf8(&lower).expect("was a string just now");
        emit(cut(lower, TOKEN_BYTES));
    }
}
