//! The pieces of the table: the words that code and its comments are made of, and pieces for all others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_embed::{Splitting, words};

/// Number of pieces. At 256 bytes each they take the 8 MB that a program can carry.
const PIECES: usize = 30_500;

/// Number of those that continue a word.
const CONTINUATIONS: usize = 4_500;

/// Longest piece; longer words are identifiers that nobody else uses.
const LONGEST: usize = 20;

/// Fewest packages that use a word, so that it means something outside of a single one.
const MIN_PACKAGES: usize = 2;

/// Count of a word, and number of packages that use it.
#[derive(Debug, Default)]
struct WordFrequency {
    count: u64,
    packages: usize,
    last_package: usize,
}

/// Pieces for `texts`, each text with the number of its package. Sorted by bytes.
///
/// Whole words are chosen by the number of packages that use them, then by count; such pieces also serve as beginnings
/// of longer words. Pieces that continue a word are those that most often follow a beginning in words that are not
/// pieces. All single letters and digits are pieces, so that every ASCII word can be made up.
pub(crate) fn vocabulary<'a>(texts: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    let mut seen: HashMap<String, WordFrequency> = HashMap::new();
    for (package, text) in texts {
        words(text, Splitting::Code, |word| {
            let seen = match seen.get_mut(word) {
                Some(seen) => seen,
                None => seen.entry(word.to_owned()).or_default(),
            };
            seen.count += 1;
            if seen.packages == 0 || seen.last_package != package {
                seen.packages += 1;
                seen.last_package = package;
            }
        });
    }
    let signs = (b'!'..=b'~').map(|byte| char::from(byte).to_ascii_lowercase().to_string());
    let mut pieces: BTreeSet<String> = signs.collect();
    pieces.extend((b'0'..=b'9').chain(b'a'..=b'z').map(|byte| format!("##{}", char::from(byte))));
    let mut common: Vec<(&String, &WordFrequency)> = seen
        .iter()
        .filter(|(word, seen)| seen.packages >= MIN_PACKAGES && word.len() <= LONGEST && is_word(word))
        .collect();
    common.sort_by(|(a, seen), (b, other)| (other.packages, other.count, a).cmp(&(seen.packages, seen.count, b)));
    for (word, _) in &common {
        if pieces.len() >= PIECES - CONTINUATIONS {
            break;
        }
        pieces.insert((*word).clone());
    }
    let rare = seen.iter().filter(|(word, _)| word.is_ascii() && !pieces.contains(*word) && is_word(word));
    let mut follows: BTreeMap<&str, u64> = BTreeMap::new();
    for (word, seen) in rare {
        let beginning = (2..word.len()).rev().find(|end| pieces.contains(&word[..*end])).unwrap_or(1);
        let rest = &word[beginning.min(word.len())..];
        for end in 2..=rest.len().min(LONGEST) {
            // By packages, since a rare word may stand a thousand times in one.
            *follows.entry(&rest[..end]).or_default() += seen.packages as u64;
        }
    }
    let mut follows: Vec<(&str, u64)> = follows.into_iter().collect();
    // A longer piece saves more of them.
    follows.sort_by(|(a, count), (b, other)| (other * b.len() as u64, a).cmp(&(count * a.len() as u64, b)));
    for (piece, _) in follows {
        if pieces.len() >= PIECES {
            break;
        }
        pieces.insert(format!("##{piece}"));
    }
    pieces.into_iter().collect()
}

/// Whether `word` is made of letters, or is a number of few digits. Large numbers carry no meaning.
fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphanumeric)
        && (!word.starts_with(|first: char| first.is_ascii_digit()) || word.len() <= 3)
}

#[cfg(test)]
mod tests {
    use icr_embed::WordPiece;

    use super::*;

    #[test]
    fn words_of_several_packages_are_pieces_and_others_are_made_up() {
        let texts = [(0, "openFile(path)"), (1, "open the file"), (1, "openness"), (2, "openness")];
        let pieces = vocabulary(texts.into_iter());
        let has = |piece: &str| pieces.iter().any(|other| other == piece);
        assert!(has("open") && has("file") && has("openness") && !has("path"));
        assert!(pieces.windows(2).all(|pair| pair[0] < pair[1]), "the order of a table");
        let vocabulary = WordPiece::from_vocabulary(pieces.iter().map(String::as_str)).unwrap();
        let cut = |text: &str| vocabulary.encode(text).into_iter().map(|id| vocabulary.piece(id)).collect::<Vec<_>>();
        assert_eq!(cut("path openly"), ["p", "##ath", "open", "##l", "##y"]);
    }
}
