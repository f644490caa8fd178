//! When two texts say the same.
//!
//! Two texts of one topic are one memory when they are [`normalised`] to the same text; [`exact_key`] is what an index holds of
//! that. Two texts are near when they share most of their words: [`sketch`] finds candidates, and [`jaccard`] of their
//! [`token_set`]s measures them. Near texts may still state two different facts, as two fillings of one template do. So they
//! become one memory only without a [`conflict`], and by [`merged`], which drops no sentence of either.
//!
//! These are functions of texts alone; nothing here knows how memories are stored.

mod facts;
mod inflection;
mod merging;
mod sentences;
mod sketch;
mod words;

use std::cmp::Ordering;

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

pub use facts::conflict;
pub(crate) use facts::turn_alike;
pub(crate) use inflection::stem;
pub use merging::merged;
pub use sketch::{SKETCH_KEYS, sketch};

pub(crate) use inflection::bases;
pub(crate) use sentences::{code_spans, sentences};

/// Bytes of a key of equal texts: enough that no two texts of one database share one by chance.
pub const EXACT_KEY_BYTES: usize = 16;

/// `text` as it is compared for being the same: composed (NFC), without blanks around it and without the full stop at its end. Runs of blanks
/// are one, unless blanks can mean something there: in quotes, in code, and at the beginning of a line.
///
/// Case, marks and compatibility forms stay, because they tell flags, units and names apart: `-s` and `-S`, `kb` and `KB`, `10³` and `103`. The
/// normalised text of a normalised text is itself.
pub fn normalised(text: &str) -> String {
    let composed: String = if text.is_ascii() { text.to_owned() } else { text.nfc().collect() };
    let mut normal = if has_meant_blanks(&composed) { composed.trim().to_owned() } else { single_spaced(&composed) };
    normal.truncate(without_full_stop(&normal).len());
    normal
}

/// Whether blanks can mean something in `text`: something is quoted or code in it, a line begins with blanks, or its lines are items or keys.
pub(crate) fn has_meant_blanks(text: &str) -> bool {
    let text = text.trim();
    let is_entry = |line: &str| line.contains(": ") || line.ends_with(':') || line.starts_with("- ");
    text.contains(['`', '"', '\'', '\t', '“', '„', '«'])
        || text.contains("\n ")
        || (text.contains('\n') && text.lines().any(is_entry))
}

/// `text` with one space for each run of blanks, and none around it.
pub(crate) fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` without the full stop that ends its last sentence. A full stop that stands for itself, as in `git add .`, stays.
fn without_full_stop(text: &str) -> &str {
    match text.strip_suffix(['.', '。']) {
        Some(sentence)
            if sentence.ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | '`' | '"')) =>
        {
            sentence
        }
        _ => text,
    }
}

/// The key that texts of one topic share when they are [`normalised`] to the same: the first 16 bytes of a SHA-256.
///
/// Topics that differ in case are two.
pub fn exact_key(topic: &str, text: &str) -> [u8; EXACT_KEY_BYTES] {
    let mut digest = Sha256::new();
    // The length keeps a topic's end from being read as a text's beginning.
    digest.update(topic.len().to_le_bytes());
    digest.update(topic);
    digest.update(normalised(text));
    let mut key = [0; EXACT_KEY_BYTES];
    key.copy_from_slice(&digest.finalize()[..EXACT_KEY_BYTES]);
    key
}

/// The distinct words of `text`, folded and sorted.
///
/// Identifiers, paths, versions and numbers with their separators are one word each; a text in a script without spaces gives pairs
/// of characters. Cost grows with the bytes of the text.
pub fn token_set(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = words::words(text).into_iter().map(|word| word.folded).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// What two sorted sets share: the size of their intersection by that of their union, in `0.0..=1.0`; 0 when both are empty.
pub fn jaccard<T: Ord>(one: &[T], other: &[T]) -> f64 {
    let (mut left, mut right, mut both) = (0, 0, 0_usize);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            Ordering::Less => left += 1,
            Ordering::Greater => right += 1,
            Ordering::Equal => (left, right, both) = (left + 1, right + 1, both + 1),
        }
    }
    let either = one.len() + other.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

/// `text` with compatibility forms unified and upper case folded; numbers such as `²` stay.
pub(crate) fn folded(text: &str) -> String {
    // Folding can compose and decompose again, so it runs until nothing changes; twice is the most that any text was seen to need.
    let mut folded = folded_once(text);
    for _ in 0..4 {
        let again = folded_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

fn folded_once(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    let is_number = |character: &char| character.general_category() == GeneralCategory::OtherNumber;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|character| is_number(&character)).unwrap_or(rest.len());
        // Upper case first, then lower case: this unifies `ß` with `SS` and the two small sigmas.
        let upper: String = rest[..end].nfkc().flat_map(char::to_uppercase).collect();
        folded.extend(upper.chars().flat_map(char::to_lowercase).nfkc());
        let number = rest[end..].chars().next();
        folded.extend(number);
        rest = &rest[end + number.map_or(0, char::len_utf8)..];
    }
    folded
}

#[cfg(test)]
mod tests;
