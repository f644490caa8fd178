//! Text to word pieces as BERT cuts it: basic tokenisation, then the longest pieces of a vocabulary.

use std::hash::BuildHasherDefault;
use std::ops::Range;

use rustc_hash::FxHasher;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Characters of a word above which it is unknown as a whole; 100 is `max_input_chars_per_word` of BERT's tokeniser.
const LONGEST_WORD_CHARS: usize = 100;

/// Piece for a word that no pieces make up; every BERT vocabulary has it.
const UNKNOWN: &str = "[UNK]";

/// Prefix of pieces that continue a word.
const CONTINUES: &str = "##";

/// Most words that a [`WordCache`] keeps, so that random text cannot grow it without end; source code of a large repository has
/// about as many that matter. 16 MB at worst.
const CACHED_WORDS: usize = 1 << 17;

/// A vocabulary and the algorithm that cuts text by it.
///
/// Text is cleaned of control characters, split at white space, punctuation and around each CJK ideograph, stripped of
/// accents and lower-cased. Each word is then cut from the left into the longest pieces of the vocabulary. A word that
/// no pieces make up, or with more than 100 characters, becomes `[UNK]`, or is skipped if the vocabulary has no
/// `[UNK]`.
///
/// Compared with the `tokenizers` crate (0.22, uncased BERT) over every character, 100,000 generated texts and 700
/// files of code: the ids are the same, with two exceptions. 950 characters are missing in its older Unicode version,
/// and its added tokens (`[MASK]` inside a text) are ordinary text here.
#[derive(Debug)]
pub struct WordPiece {
    /// All pieces, concatenated.
    text: String,
    /// Offset of each piece; one more for the end.
    starts: Vec<u32>,
    /// Ids, sorted by the bytes of their pieces.
    sorted: Vec<u32>,
    /// For each first byte, the range of `sorted` whose pieces begin with it.
    by_byte: Vec<Range<u32>>,
    /// The same for the byte after `##`.
    continued_by_byte: Vec<Range<u32>>,
    /// Bytes of the longest piece.
    longest: usize,
    unknown: Option<u32>,
}

/// Additional word boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitting {
    /// None, as in BERT.
    Prose,
    /// Boundaries inside compound identifiers: `parseHTTPHeader` is three words.
    Code,
}

/// Pieces of the words that were seen, for one [`WordPiece`] and one [`Splitting`]. One for each thread.
#[derive(Debug, Default)]
pub struct WordCache {
    /// Word as it stands in the text, to a range of `ids`.
    words: std::collections::HashMap<Box<str>, (u32, u32), BuildHasherDefault<FxHasher>>,
    ids: Vec<u32>,
    clean: String,
}

/// Why a list of pieces is no vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// It is empty.
    #[error("the vocabulary is empty")]
    Empty,
    /// A piece occurs twice, so its id is ambiguous.
    #[error("the vocabulary has the piece `{0}` twice; each has one id")]
    Twice(String),
    /// It has more bytes than a `u32` can count.
    #[error("the vocabulary has {0} bytes; at most 4 GB can be read")]
    Large(usize),
}

impl WordPiece {
    /// The vocabulary of `pieces`; the id of a piece is its position in the list.
    ///
    /// # Errors
    ///
    /// [`VocabularyError`] if the list is empty or has a piece twice.
    pub fn from_vocabulary<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Result<Self, VocabularyError> {
        let mut text = String::new();
        let mut starts = vec![0];
        for piece in pieces {
            text.push_str(piece);
            starts.push(u32::try_from(text.len()).map_err(|_| VocabularyError::Large(text.len()))?);
        }
        let mut sorted: Vec<u32> = (0..starts.len() as u32 - 1).collect();
        let mut vocabulary = Self {
            text,
            starts,
            sorted: Vec::new(),
            by_byte: Vec::new(),
            continued_by_byte: Vec::new(),
            longest: 0,
            unknown: None,
        };
        // The built-in table is already sorted, and every process that asks one question opens it.
        if !sorted.is_sorted_by(|&a, &b| vocabulary.piece(a) < vocabulary.piece(b)) {
            sorted.sort_by_key(|&id| vocabulary.piece(id));
            let twice = sorted.windows(2).find(|pair| vocabulary.piece(pair[0]) == vocabulary.piece(pair[1]));
            if let Some(pair) = twice {
                return Err(VocabularyError::Twice(vocabulary.piece(pair[0]).to_owned()));
            }
        }
        vocabulary.longest = vocabulary
            .starts
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as usize)
            .max()
            .ok_or(VocabularyError::Empty)?;
        vocabulary.sorted = sorted;
        vocabulary.by_byte = vocabulary.ranges("");
        vocabulary.continued_by_byte = vocabulary.ranges(CONTINUES);
        vocabulary.unknown = vocabulary.id(UNKNOWN);
        Ok(vocabulary)
    }

    /// Number of pieces; ids are below it.
    pub fn pieces_total(&self) -> usize {
        self.sorted.len()
    }

    /// The piece of an id.
    ///
    /// # Panics
    ///
    /// When `id` is not below [`WordPiece::pieces_total`].
    pub fn piece(&self, id: u32) -> &str {
        &self.text[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    /// The id of a piece. A piece that continues a word begins with `##`.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.sorted.binary_search_by_key(&piece, |&id| self.piece(id)).ok().map(|at| self.sorted[at])
    }

    /// Ids of the pieces of `text` as BERT cuts it, without `[CLS]` and `[SEP]`.
    ///
    /// For single texts such as questions: the word cache is dropped after the call.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.encode_into(text, Splitting::Prose, &mut WordCache::default(), &mut ids);
        ids
    }

    /// Appends the ids of the pieces of `text` to `ids`. `cache` has been used with this vocabulary and `splitting` only.
    /// Cost: reads the text once; 60 MB a second when most words were seen.
    pub fn encode_into(&self, text: &str, splitting: Splitting, cache: &mut WordCache, ids: &mut Vec<u32>) {
        runs(text, |run, is_plain| match (is_plain, splitting) {
            (true, Splitting::Prose) => self.word(run, cache, ids),
            (true, Splitting::Code) => parts(run, |part| self.word(part, cache, ids)),
            (false, _) => self.foreign(run, splitting, cache, ids),
        });
    }

    /// Appends the pieces of an ASCII word.
    fn word(&self, word: &str, cache: &mut WordCache, ids: &mut Vec<u32>) {
        if let Some(&(start, end)) = cache.words.get(word) {
            ids.extend_from_slice(&cache.ids[start as usize..end as usize]);
            return;
        }
        cache.make_room();
        let start = cache.ids.len();
        let mut lower = std::mem::take(&mut cache.clean);
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        self.pieces(&lower, &mut cache.ids);
        cache.clean = lower;
        cache.keep(word, start, ids);
    }

    /// Appends the pieces of a run with other characters than ASCII letters and digits, which can be several words.
    fn foreign(&self, run: &str, splitting: Splitting, cache: &mut WordCache, ids: &mut Vec<u32>) {
        if let Some(&(start, end)) = cache.words.get(run) {
            ids.extend_from_slice(&cache.ids[start as usize..end as usize]);
            return;
        }
        cache.make_room();
        let start = cache.ids.len();
        let mut clean = std::mem::take(&mut cache.clean);
        clean.clear();
        normalise(run, splitting, &mut clean);
        clean
            .split(char::is_whitespace)
            .filter(|word| !word.is_empty())
            .for_each(|word| self.pieces(word, &mut cache.ids));
        cache.clean = clean;
        cache.keep(run, start, ids);
    }

    /// Cuts `word` into the longest pieces from its left and appends them, or the unknown piece.
    fn pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let is_short = word.len() <= LONGEST_WORD_CHARS || word.chars().count() <= LONGEST_WORD_CHARS;
        let mut rest = word;
        while is_short && !rest.is_empty() {
            let ranges = if rest.len() == word.len() { &self.by_byte } else { &self.continued_by_byte };
            let prefix = if rest.len() == word.len() { "" } else { CONTINUES };
            let Some((id, length)) = self.longest_piece(rest, prefix, &ranges[rest.as_bytes()[0] as usize]) else {
                break;
            };
            ids.push(id);
            rest = &rest[length..];
        }
        if !rest.is_empty() {
            ids.truncate(before);
            ids.extend(self.unknown);
        }
    }

    /// The longest piece that is `prefix` and a beginning of `rest`, and the bytes it takes of `rest`.
    fn longest_piece(&self, rest: &str, prefix: &str, range: &Range<u32>) -> Option<(u32, usize)> {
        let candidates = &self.sorted[range.start as usize..range.end as usize];
        let mut end = rest.len().min(self.longest.saturating_sub(prefix.len()));
        while end > 0 {
            let wanted = rest.as_bytes().get(..end)?;
            let piece = |id: u32| &self.piece(id).as_bytes()[prefix.len()..];
            match candidates.binary_search_by_key(&wanted, |&id| piece(id)) {
                // A piece is valid UTF-8, so its end is a character boundary.
                Ok(at) => return Some((candidates[at], end)),
                // Every piece that is a beginning of `rest` sorts before it. The closest piece before it bounds the
                // length of the match.
                Err(0) => return None,
                Err(at) => end = shared(piece(candidates[at - 1]), wanted).min(end - 1),
            }
        }
        None
    }

    /// For each byte, the range of sorted ids whose pieces have that byte after `prefix`.
    fn ranges(&self, prefix: &str) -> Vec<Range<u32>> {
        let first = |byte: u8| {
            let beginning = [prefix.as_bytes(), &[byte]].concat();
            self.sorted.partition_point(|&id| self.piece(id).as_bytes() < beginning.as_slice()) as u32
        };
        let firsts: Vec<u32> = (0..=u8::MAX).map(first).collect();
        // UTF-8 text has no byte 255, so the last range is empty.
        let ends = firsts.iter().skip(1).chain(firsts.last());
        firsts.iter().zip(ends).map(|(&start, &end)| start..end).collect()
    }
}

impl WordCache {
    /// Clears the cache before it grows too large. This only costs time.
    fn make_room(&mut self) {
        if self.words.len() >= CACHED_WORDS {
            self.words.clear();
            self.ids.clear();
        }
    }

    /// Caches the pieces that were appended since `start` as those of `word`, and appends them to `ids`.
    fn keep(&mut self, word: &str, start: usize, ids: &mut Vec<u32>) {
        ids.extend_from_slice(&self.ids[start..]);
        // A long word hardly ever repeats. Cached, it would make the bound on the number of words useless as a bound on
        // memory.
        if word.len() > LONGEST_WORD_CHARS {
            self.ids.truncate(start);
            return;
        }
        self.words.insert(word.into(), (start as u32, self.ids.len() as u32));
    }
}

/// Calls `each` with the words of `text` that are looked up in a vocabulary: punctuation characters alone, everything
/// else in lower case. Vocabularies are built from these words.
pub fn words(text: &str, splitting: Splitting, mut each: impl FnMut(&str)) {
    let mut clean = String::new();
    runs(text, |run, is_plain| {
        let mut lower = |word: &str| {
            clean.clear();
            clean.push_str(word);
            clean.make_ascii_lowercase();
            each(&clean);
        };
        match (is_plain, splitting) {
            (true, Splitting::Prose) => lower(run),
            (true, Splitting::Code) => parts(run, lower),
            (false, _) => {
                let mut clean = String::new();
                normalise(run, splitting, &mut clean);
                clean.split_whitespace().for_each(&mut each);
            }
        }
    });
}

/// Calls `each` with every ASCII punctuation character of `text`, and with the longest runs without white space and
/// ASCII punctuation. The flag says whether a run has only ASCII letters, digits and punctuation.
fn runs<'a>(text: &'a str, mut each: impl FnMut(&'a str, bool)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut is_plain = true;
        loop {
            match CLASSES.get(bytes.get(at).map_or(usize::from(b' '), |&byte| usize::from(byte))) {
                Some(ByteClass::Letter) => {}
                Some(ByteClass::Foreign) => is_plain = false,
                _ => break,
            }
            at += 1;
        }
        if at > start {
            each(&text[start..at], is_plain);
        } else {
            if CLASSES[usize::from(bytes[at])] == ByteClass::Punctuation {
                each(&text[at..=at], true);
            }
            at += 1;
        }
    }
}

/// Classes of bytes for cutting text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Space,
    Punctuation,
    Letter,
    /// Needs to be handled as a character: not ASCII, or removed.
    Foreign,
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Foreign; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => ByteClass::Space,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Letter,
            b'!'..=b'~' => ByteClass::Punctuation,
            _ => ByteClass::Foreign,
        };
        byte += 1;
    }
    classes
};

/// Calls `each` with the words of a compound of ASCII letters and digits: `parse`, `HTTP`, `Header`.
fn parts<'a>(run: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = run.as_bytes();
    let mut start = 0;
    for at in 1..bytes.len() {
        let begins = bytes[at].is_ascii_uppercase()
            && (!bytes[at - 1].is_ascii_uppercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase));
        if begins {
            each(&run[start..at]);
            start = at;
        }
    }
    each(&run[start..]);
}

/// Appends `run` to `clean`: without control characters and accents, in lower case, with spaces where words end.
fn normalise(run: &str, splitting: Splitting, clean: &mut String) {
    let mut before = ' ';
    for character in run.chars() {
        if is_removed(character) {
            continue;
        }
        if splitting == Splitting::Code && before.is_lowercase() && character.is_uppercase() {
            clean.push(' ');
        }
        before = character;
        let stands_alone = is_ideograph(character);
        if stands_alone {
            clean.push(' ');
        }
        for part in std::iter::once(character).nfd() {
            match part.general_category() {
                GeneralCategory::NonspacingMark => {}
                _ if is_punctuation(part) => {
                    clean.push(' ');
                    clean.push(part);
                    clean.push(' ');
                }
                _ if part.is_whitespace() => clean.push(' '),
                _ => clean.extend(part.to_lowercase()),
            }
        }
        if stands_alone {
            clean.push(' ');
        }
    }
}

/// Whether a character is removed: control, format and private-use characters, and U+FFFD, which stands for text that
/// did not decode. Unassigned characters stay, as programs with an older Unicode keep characters that a newer one
/// defines.
fn is_removed(character: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    let is_space = matches!(character, '\t' | '\n' | '\r');
    character == char::REPLACEMENT_CHARACTER
        || (!is_space && matches!(character.general_category(), Control | Format | PrivateUse))
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || character.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks of CJK ideographs that BERT's tokeniser takes apart (`_is_chinese_char`).
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B820..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}

/// Length of the common prefix of two byte strings.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of a small vocabulary of BERT's kind.
    const PIECES: [&str; 22] = [
        "[UNK]", "open", "##er", "##s", "file", "parse", "http", "header", "cafe", "un", "##aff", "##able", ".", "_",
        "(", ")", "世", "界", "a", "##a", "2", "##b",
    ];

    fn vocabulary() -> WordPiece {
        WordPiece::from_vocabulary(PIECES).unwrap()
    }

    #[track_caller]
    fn check(splitting: Splitting, text: &str, expected: &str) {
        let vocabulary = vocabulary();
        let (mut cache, mut ids) = (WordCache::default(), Vec::new());
        // The second time, the words come from the cache.
        for _ in 0..2 {
            ids.clear();
            vocabulary.encode_into(text, splitting, &mut cache, &mut ids);
            let pieces: Vec<&str> = ids.iter().map(|&id| vocabulary.piece(id)).collect();
            assert_eq!(pieces.join(" "), expected);
        }
    }

    #[test]
    fn the_longest_piece_wins_from_the_left() {
        check(Splitting::Prose, "opener opens unaffable", "open ##er open ##s un ##aff ##able");
        check(Splitting::Prose, "aa2b", "[UNK]");
        check(Splitting::Prose, "aab", "a ##a ##b");
    }

    #[test]
    fn a_word_with_no_pieces_is_unknown_whole() {
        check(Splitting::Prose, "openxyz file", "[UNK] file");
        check(Splitting::Prose, &"a".repeat(100), &["a"].into_iter().chain([" ##a"; 99]).collect::<String>());
        check(Splitting::Prose, &"a".repeat(101), "[UNK]");
        let bare = WordPiece::from_vocabulary(["a"]).unwrap();
        assert_eq!(bare.encode("b a b"), [0]);
    }

    #[test]
    fn case_and_accents_do_not_count() {
        check(Splitting::Prose, "OPEN Café CAFÉ cafe\u{301}", "open cafe cafe cafe");
    }

    #[test]
    fn punctuation_and_ideographs_stand_alone() {
        check(Splitting::Prose, "open(file).open_file世界", "open ( file ) . open _ file 世 界");
        check(Splitting::Prose, "open\u{a0}file\u{3000}open\u{2014}file", "open file open [UNK] file");
    }

    #[test]
    fn control_characters_vanish() {
        check(Splitting::Prose, "op\u{0}en\u{200b} f\u{ad}ile\u{fffd}", "open file");
        check(Splitting::Prose, "\u{1}\u{2} \u{7f}", "");
    }

    #[test]
    fn compounds_are_cut_in_code_only() {
        check(Splitting::Code, "parseHTTPHeader openFile_file", "parse http header open file _ file");
        check(Splitting::Code, "openÉ openÉfile", "open [UNK] open [UNK]");
        check(Splitting::Prose, "openFile", "[UNK]");
    }

    #[test]
    fn words_are_what_pieces_are_looked_up_for() {
        let mut found = Vec::new();
        words("parseHTTP(Café—x)\u{0}", Splitting::Code, |word| found.push(word.to_owned()));
        assert_eq!(found, ["parse", "http", "(", "cafe", "—", "x", ")"]);
    }

    #[test]
    fn ids_are_places_in_the_list() {
        let vocabulary = vocabulary();
        assert_eq!(vocabulary.pieces_total(), 22);
        for (id, piece) in (0..).zip(PIECES) {
            assert_eq!((vocabulary.id(piece), vocabulary.piece(id)), (Some(id), piece));
        }
        assert_eq!(vocabulary.id("absent"), None);
    }

    #[test]
    fn a_list_with_a_piece_twice_is_no_vocabulary() {
        assert_eq!(WordPiece::from_vocabulary(["b", "a", "b"]).unwrap_err(), VocabularyError::Twice("b".to_owned()));
        assert_eq!(WordPiece::from_vocabulary([]).unwrap_err(), VocabularyError::Empty);
    }

    /// The same by the definition: tries every length from the longest.
    fn by_definition(vocabulary: &WordPiece, word: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut start = 0;
        while start < word.len() {
            let prefix = if start == 0 { "" } else { CONTINUES };
            let longest = (start + 1..=word.len()).rev().find_map(|end| {
                let piece = format!("{prefix}{}", word.get(start..end)?);
                vocabulary.id(&piece).map(|id| (id, end))
            });
            let Some((id, end)) = longest else { return vec![0] };
            ids.push(id);
            start = end;
        }
        ids
    }

    proptest! {
        #[test]
        fn look_up_agrees_with_its_definition(
            pieces in prop::collection::btree_set("(##)?[abé]{1,4}", 1..30),
            word in "[abé]{1,12}",
        ) {
            let vocabulary = WordPiece::from_vocabulary(["[UNK]"].into_iter().chain(pieces.iter().map(String::as_str))).unwrap();
            let mut ids = Vec::new();
            vocabulary.pieces(&word, &mut ids);
            prop_assert_eq!(ids, by_definition(&vocabulary, &word));
        }

        #[test]
        fn any_text_is_cut_the_same_with_a_used_cache(texts in prop::collection::vec("\\PC{0,30}|[a-zA-Z_. ]{0,30}", 1..8)) {
            let vocabulary = vocabulary();
            let mut cache = WordCache::default();
            for text in &texts {
                let mut ids = Vec::new();
                vocabulary.encode_into(text, Splitting::Prose, &mut cache, &mut ids);
                prop_assert_eq!(ids, vocabulary.encode(text));
            }
        }
    }
}
