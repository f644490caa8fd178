//! Words of changed lines: which other files mention the rare ones, and how much that says.

use std::collections::BTreeMap;

/// Fewest letters and digits of a word: shorter ones are keywords and names of variables.
const LENGTH_LEAST: usize = 4;

/// Most words of a change that are looked up: a change that has more is not about any of them.
const WORDS_MOST: usize = 300;

/// A word is rare if at most this many files mention it, whatever the size of the repository.
const FILES_LEAST: usize = 12;

/// Of so many files one may mention a rare word.
const FILES_SHARE: usize = 10;

/// The lines in which a word occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSide {
    /// Lines that the change adds.
    Added,
    /// Lines that it removes.
    Removed,
}

/// A word of changed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedWord {
    /// The word in small letters: who mentions it in another case mentions it too.
    pub lower: String,
    /// The word as the change has it first.
    pub written: String,
    /// Whether it stands in an added line.
    pub added: bool,
    /// Whether it stands in a removed line.
    pub removed: bool,
}

/// The words of a change's lines, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedWords {
    by_lower: BTreeMap<String, ChangedWord>,
}

impl ChangedWords {
    /// Adds an identifier as it is written in a changed line; what is shorter than four characters or not ASCII is no word.
    pub fn add(&mut self, identifier: &str, side: LineSide) {
        if !is_looked_up(identifier) {
            return;
        }
        let lower = identifier.to_ascii_lowercase();
        let word = self.by_lower.entry(lower.clone()).or_insert_with(|| ChangedWord {
            lower,
            written: identifier.to_owned(),
            added: false,
            removed: false,
        });
        match side {
            LineSide::Added => word.added = true,
            LineSide::Removed => word.removed = true,
        }
    }

    /// Adds the words of another change.
    pub fn extend(&mut self, other: &Self) {
        for (lower, word) in &other.by_lower {
            let own = self.by_lower.entry(lower.clone()).or_insert_with(|| word.clone());
            own.added |= word.added;
            own.removed |= word.removed;
        }
    }

    /// The words to look up, longest first and then by alphabet, at most 300: how rare a word is costs a look-up, and long ones
    /// mostly are.
    pub fn longest(&self) -> Vec<&ChangedWord> {
        let mut words: Vec<&ChangedWord> = self.by_lower.values().collect();
        words.sort_by(|one, other| other.lower.len().cmp(&one.lower.len()).then_with(|| one.lower.cmp(&other.lower)));
        words.truncate(WORDS_MOST);
        words
    }
}

/// Whether an identifier is a word that is looked up: short ones, and those of other scripts than ASCII, are not.
pub fn is_looked_up(identifier: &str) -> bool {
    identifier.len() >= LENGTH_LEAST && identifier.is_ascii()
}

/// Most files that mention a rare word, of `files_total`.
pub fn rare_at_most(files_total: usize) -> usize {
    FILES_LEAST.max(files_total / FILES_SHARE)
}

/// How rare a word is that `mentioning` of `files_total` files mention: the logarithm of the files for each that mentions it; 0 for one
/// of every file.
pub fn rarity(files_total: usize, mentioning: usize) -> f64 {
    ((files_total as f64 + 1.0) / mentioning.max(1) as f64).ln().max(0.0)
}

/// A rare word of changed lines, and files outside of the change that mention it.
#[derive(Debug, Clone)]
pub struct RareWordMentions<'a, F> {
    /// The word.
    pub word: &'a ChangedWord,
    /// Number of files that mention it, including files of the change; at least 1.
    pub files_total: usize,
    /// The files outside of the change, none twice.
    pub files: Vec<F>,
}

/// The rare words of changed lines that a file mentions. [`rarity`] says how rare a word is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MentionedWords {
    /// Sum of the rarities of those of added lines.
    pub added: f64,
    /// The same for removed lines.
    pub removed: f64,
    /// Sum of all rarities, each word once.
    pub rarity: f64,
    /// `rarity` divided by that of the file outside of the change that has the most, in `0.0..=1.0`.
    pub share: f64,
    /// The largest rarity, divided by that of a word that one file mentions, in `0.0..=1.0`.
    pub rarest: f64,
    /// The word that has it, as the change writes it.
    pub word: String,
    /// Number of words.
    pub words: u32,
}

/// What each file mentions, in a view of `files_total` files. Cost: linear in the files of all mentions.
pub fn mentioned_words<F: Ord + Copy>(
    mentions: &[RareWordMentions<'_, F>],
    files_total: usize,
) -> BTreeMap<F, MentionedWords> {
    let of_one_file = rarity(files_total, 1).max(f64::MIN_POSITIVE);
    let mut found: BTreeMap<F, MentionedWords> = BTreeMap::new();
    for RareWordMentions { word, files_total: mentioning, files } in mentions {
        let rarity = rarity(files_total, *mentioning);
        let rarest = (rarity / of_one_file).min(1.0);
        for file in files {
            let mentioned = found.entry(*file).or_default();
            mentioned.words += 1;
            mentioned.rarity += rarity;
            mentioned.added += if word.added { rarity } else { 0.0 };
            mentioned.removed += if word.removed { rarity } else { 0.0 };
            if mentioned.word.is_empty() || rarest > mentioned.rarest {
                mentioned.rarest = rarest;
                mentioned.word.clone_from(&word.written);
            }
        }
    }
    let most = found.values().map(|mentioned| mentioned.rarity).fold(0.0, f64::max);
    if most > 0.0 {
        found.values_mut().for_each(|mentioned| mentioned.share = mentioned.rarity / most);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(added: &str, removed: &str) -> ChangedWords {
        let mut words = ChangedWords::default();
        added.split_whitespace().for_each(|word| words.add(word, LineSide::Added));
        removed.split_whitespace().for_each(|word| words.add(word, LineSide::Removed));
        words
    }

    fn written(words: &ChangedWords) -> Vec<&str> {
        words.longest().into_iter().map(|word| word.written.as_str()).collect()
    }

    #[test]
    fn short_identifiers_and_those_of_other_scripts_are_no_words() {
        assert_eq!(written(&words("foo fooBar größe x9 zoom", "barf")), ["fooBar", "barf", "zoom"]);
    }

    #[test]
    fn a_word_is_one_in_every_case_and_on_both_sides() {
        let words = words("fooBar", "FOOBAR quux");
        let found: Vec<(&str, bool, bool)> =
            words.longest().into_iter().map(|word| (word.written.as_str(), word.added, word.removed)).collect();
        assert_eq!(found, [("fooBar", true, true), ("quux", false, true)]);
    }

    #[test]
    fn words_of_several_files_are_those_of_any() {
        let mut all = words("fooBar", "");
        all.extend(&words("quux", "foobar"));
        assert_eq!(all, words("fooBar quux", "foobar"));
    }

    #[test]
    fn only_the_longest_words_are_looked_up() {
        let many: Vec<String> = (0..WORDS_MOST).map(|at| format!("longer{at:04}")).collect();
        let words = words(&many.join(" "), "tiny");
        assert!(words.longest().len() == WORDS_MOST && !written(&words).contains(&"tiny"));
    }

    #[test]
    fn a_rare_word_is_in_twelve_files_or_in_a_tenth() {
        assert_eq!([rare_at_most(0), rare_at_most(120), rare_at_most(5_000)], [12, 12, 500]);
    }

    #[test]
    fn a_word_is_rarer_the_fewer_files_mention_it() {
        let rarities = [(99, 1), (99, 10), (99, 0), (9, 10), (9, 20), (0, 1)].map(|(all, some)| rarity(all, some));
        let expected = [100.0_f64.ln(), 10.0_f64.ln(), 100.0_f64.ln(), 0.0, 0.0, 0.0];
        assert!(rarities.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{rarities:?}");
    }

    #[test]
    fn a_word_that_few_files_mention_says_more() {
        let words = words("fooBar", "common");
        let of = |lower: &str| words.longest().into_iter().find(|word| word.lower == lower).unwrap();
        let mentions = [
            RareWordMentions { word: of("common"), files_total: 10, files: vec![1, 2] },
            RareWordMentions { word: of("foobar"), files_total: 1, files: vec![2] },
        ];
        let found = mentioned_words(&mentions, 99);
        let (one, two) = (&found[&1], &found[&2]);
        assert_eq!((one.words, one.word.as_str(), one.added), (1, "common", 0.0));
        assert_eq!((two.words, two.word.as_str(), two.rarest, two.share), (2, "fooBar", 1.0, 1.0));
        assert!((one.removed - 10.0_f64.ln()).abs() < 1e-9 && (two.added - 100.0_f64.ln()).abs() < 1e-9);
        assert!((one.share - 1.0 / 3.0).abs() < 1e-9 && (one.rarest - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_word_of_every_file_says_nothing() {
        let words = words("common", "");
        let mentions = [RareWordMentions { word: words.longest()[0], files_total: 1, files: vec![1] }];
        let found = mentioned_words(&mentions, 0);
        assert_eq!((found[&1].rarity, found[&1].share, found[&1].rarest), (0.0, 0.0, 0.0));
        assert!(mentioned_words::<u32>(&[], 5).is_empty());
    }
}
