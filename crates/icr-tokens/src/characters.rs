//! Character classes, as the vocabulary's pattern distinguishes them.

/// A set of classes. A character's set has one member; the end of a text has the empty set.
pub(crate) type Classes = u8;

/// Characters of no other class: punctuation, symbols, control characters, unassigned code points.
pub(crate) const OTHER: Classes = 1;
/// Upper case and title case: `\p{Lu}`, `\p{Lt}`.
pub(crate) const UPPER: Classes = 1 << 1;
/// Lower case: `\p{Ll}`.
pub(crate) const LOWER: Classes = 1 << 2;
/// Letters without case and modifier letters: `\p{Lo}`, `\p{Lm}`.
pub(crate) const UNCASED: Classes = 1 << 3;
/// Marks: `\p{M}`.
pub(crate) const MARK: Classes = 1 << 4;
/// Numbers: `\p{N}`.
pub(crate) const NUMBER: Classes = 1 << 5;
/// White space except line breaks: `[^\S\r\n]`.
pub(crate) const SPACE: Classes = 1 << 6;
/// Line breaks: `[\r\n]`.
pub(crate) const LINE_BREAK: Classes = 1 << 7;
/// No character: the end of the text.
pub(crate) const END: Classes = 0;

/// The classes of all characters. First comes one byte for each block of [`BLOCK`] code points: the number of the
/// block's row. Then come the rows, half a byte a code point, lower half first: the bit number of its class.
///
/// This is an own table, not a Unicode crate: it has the Unicode version of the regular expressions in tiktoken, so
/// counts agree for every character. A character costs two look-ups instead of a search. The tests write the table.
static TABLE: &[u8] = include_bytes!("../assets/character_classes.table");

/// Code points in one row.
pub(crate) const BLOCK: usize = 256;
/// Number of blocks; the last code point is U+10FFFF.
pub(crate) const BLOCKS_TOTAL: usize = 0x11_0000 / BLOCK;

static ASCII: [Classes; 128] = {
    let mut classes = [OTHER; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => LINE_BREAK,
            b'\t' | 0x0b | 0x0c | b' ' => SPACE,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

/// The class of the character that begins at `at`, and its length in bytes; [`END`] and 0 at the end of `text`.
///
/// `text` is UTF-8, and `at` is a character border.
#[inline]
pub(crate) fn class_at(text: &[u8], at: usize) -> (Classes, usize) {
    match text.get(at) {
        Some(&byte) if byte < 128 => (ASCII[usize::from(byte)], 1),
        Some(&byte) => wide_class(text, at, byte),
        None => (END, 0),
    }
}

fn wide_class(text: &[u8], at: usize, first: u8) -> (Classes, usize) {
    // The lower six bits of the continuation byte that is `further` bytes behind the first byte.
    let bits = |further: usize| text.get(at + further).map_or(0, |byte| u32::from(byte & 0x3f));
    let first = u32::from(first);
    let (code_point, bytes_total) = match first {
        ..0xe0 => ((first & 0x1f) << 6 | bits(1), 2),
        0xe0..0xf0 => ((first & 0x0f) << 12 | bits(1) << 6 | bits(2), 3),
        _ => ((first & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3), 4),
    };
    (class_of(code_point), bytes_total)
}

/// Looks up the class of a code point in the table.
fn class_of(code_point: u32) -> Classes {
    let code_point = code_point as usize;
    let row = usize::from(TABLE[code_point / BLOCK]);
    let pair = TABLE[BLOCKS_TOTAL + (row * BLOCK + code_point % BLOCK) / 2];
    1 << (pair >> (code_point % 2 * 4) & 0x07)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset;

    /// The regular expression of each class, as in the vocabulary's pattern.
    const PATTERNS: [(Classes, &str); 7] = [
        (UPPER, r"[\p{Lu}\p{Lt}]"),
        (LOWER, r"\p{Ll}"),
        (UNCASED, r"[\p{Lm}\p{Lo}]"),
        (MARK, r"\p{M}"),
        (NUMBER, r"\p{N}"),
        (SPACE, r"[\s--\r\n]"),
        (LINE_BREAK, r"[\r\n]"),
    ];

    /// Computes the class of every code point with the regular expressions.
    fn classes() -> Vec<Classes> {
        let all: String = ('\0'..=char::MAX).collect();
        let mut classes = vec![OTHER; BLOCKS_TOTAL * BLOCK];
        for (class, pattern) in PATTERNS {
            for run in regex::Regex::new(&format!("{pattern}+")).unwrap().find_iter(&all) {
                for character in run.as_str().chars() {
                    classes[character as usize] = class;
                }
            }
        }
        classes
    }

    fn table() -> Vec<u8> {
        let mut rows: Vec<Vec<u8>> = Vec::new();
        let mut table = Vec::new();
        for block in classes().chunks(BLOCK) {
            let numbers: Vec<u8> = block.iter().map(|class| class.trailing_zeros() as u8).collect();
            let row: Vec<u8> = numbers.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
            let number = rows.iter().position(|known| *known == row).unwrap_or(rows.len());
            if number == rows.len() {
                rows.push(row);
            }
            table.push(u8::try_from(number).expect("a byte numbers the rows"));
        }
        table.extend(rows.concat());
        table
    }

    #[test]
    fn the_table_says_what_regular_expressions_say() {
        asset::check("character_classes.table", &table(), TABLE);
    }

    #[test]
    fn every_character_has_the_class_that_regular_expressions_give_it() {
        for (code_point, class) in (0..).zip(classes()) {
            let Some(character) = char::from_u32(code_point) else { continue };
            let mut bytes = [0; 4];
            let text = character.encode_utf8(&mut bytes);
            assert_eq!(class_at(text.as_bytes(), 0), (class, text.len()), "{character:?}");
        }
    }
}
