//! Finds out whether two texts say the same.
//!
//! Two texts of one topic become one memory if they are [`normalised`] to the same text; an index holds the
//! [`exact_key`] of that text. Two texts are near duplicates if they share most of their words: [`sketch`] finds
//! candidates, and [`jaccard`] measures the similarity of their [`token_set`]s. Near duplicates can still state two
//! different facts, as two fillings of one template do. So they become one memory only without a [`conflict`], by
//! [`merged`], which drops no sentence of either.
//!
//! All functions here work on texts alone, and know nothing of how memories are stored.

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

/// Bytes of a key of equal texts: enough that no two different texts of a database share a key by chance.
pub const EXACT_KEY_BYTES: usize = 16;

/// The form of `text` in which texts are compared for equality: composed (NFC), without blanks around it and without
/// the full stop at its end. A run of blanks becomes one, unless blanks can have a meaning: in quotes, in code, and at
/// the beginning of a line.
///
/// Case, marks and compatibility forms stay, because they distinguish flags, units and names: `-s` and `-S`, `kb` and
/// `KB`, `10³` and `103`. Normalising a second time changes nothing.
pub fn normalised(text: &str) -> String {
    let composed: String = if text.is_ascii() { text.to_owned() } else { text.nfc().collect() };
    let mut normal = if has_meant_blanks(&composed) { composed.trim().to_owned() } else { single_spaced(&composed) };
    normal.truncate(without_full_stop(&normal).len());
    normal
}

/// Whether blanks can have a meaning in `text`: it has a quotation or code, a line begins with blanks, or its lines are
/// items or keys.
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

/// `text` without the full stop that ends its last sentence. A separate full stop, as in `git add .`, stays.
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

/// The key of all texts of a topic that are [`normalised`] to the same text: the first 16 bytes of a SHA-256.
///
/// Topics that differ only in case are different topics.
pub fn exact_key(topic: &str, text: &str) -> [u8; EXACT_KEY_BYTES] {
    let mut digest = Sha256::new();
    // The length separates the topic from the text.
    digest.update(topic.len().to_le_bytes());
    digest.update(topic);
    digest.update(normalised(text));
    let mut key = [0; EXACT_KEY_BYTES];
    key.copy_from_slice(&digest.finalize()[..EXACT_KEY_BYTES]);
    key
}

/// The distinct words of `text`, case-folded and sorted.
///
/// Identifiers, paths, versions and numbers are one word each, including their separators. A text in a script without
/// spaces gives pairs of characters. Cost grows with the bytes of the text.
pub fn token_set(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = words::words(text).into_iter().map(|word| word.folded).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The Jaccard similarity of two sorted sets: the size of their intersection divided by the size of their union, in
/// `0.0..=1.0`; 0 if both are empty.
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
    // Folding can compose and decompose again, so it is repeated until nothing changes. No known text needs more than
    // two rounds.
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
        // Converting to upper case and then to lower case unifies `ß` with `SS`, and the two small sigmas.
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
