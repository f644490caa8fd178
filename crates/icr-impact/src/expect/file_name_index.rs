//! Names and directories of a view: which files belong together by how they are called and where they lie.

use std::collections::{HashMap, HashSet};

use icr_model::RepoPath;

/// Words in file names that mark a test and do not tell what it tests.
const TEST_WORDS: [&[u8]; 5] = [b"it", b"spec", b"specs", b"test", b"tests"];

/// Most files with a word that still makes them neighbours; a more common word is weak evidence.
const FILES_OF_A_WORD: usize = 400;

/// What a word weighs that no file of the view has: about as much as one in three thousand files has.
const NEW_WORD: f64 = 8.0;

/// The files of a view, by the words of their names and by directory.
#[derive(Debug, Clone, Default)]
pub struct FileNameIndex {
    /// In order.
    files: Vec<RepoPath>,
    /// Indices in `files`, ascending.
    by_directory: HashMap<RepoPath, Vec<u32>>,
    /// As above, by directory.
    by_word: HashMap<Box<[u8]>, Vec<u32>>,
    /// Files by all words of their names together, for names that have any.
    by_words: HashMap<Vec<Box<[u8]>>, u32>,
}

impl FileNameIndex {
    /// Reads the files of a view, in any order, none twice. Cost: linear in the bytes of the paths, besides sorting them.
    pub fn new<'a>(files: impl IntoIterator<Item = &'a RepoPath>) -> Self {
        let mut places = Self { files: files.into_iter().cloned().collect(), ..Self::default() };
        places.files.sort_unstable();
        for (number, file) in (0..).zip(&places.files) {
            places.by_directory.entry(file.directory()).or_default().push(number);
            let words = words(file);
            for word in &words {
                places.by_word.entry(word.clone()).or_default().push(number);
            }
            if !words.is_empty() {
                *places.by_words.entry(words).or_default() += 1;
            }
        }
        places
    }

    /// Files that may belong to `files` by name or place, in order: at most `limit` with the most telling words in common, and at
    /// most `limit` of the same directories, those of small directories first.
    ///
    /// Cost: the files with a word in common, at most 400 for each word, and those of the directories, each word and each directory
    /// once however many of the files have it.
    pub fn neighbours(&self, files: &[&RepoPath], limit: usize) -> Vec<RepoPath> {
        let mut likeness_by: HashMap<Box<[u8]>, f64> = HashMap::new();
        let mut directories: HashSet<RepoPath> = HashSet::new();
        for file in files {
            let name = self.name(file);
            for (word, weight) in name.words.into_iter().zip(name.weights) {
                let best = likeness_by.entry(word).or_default();
                *best = best.max(weight * weight / name.length);
            }
            directories.insert(file.directory());
        }
        let given: HashSet<&RepoPath> = files.iter().copied().collect();
        let is_given = |number: &u32| given.contains(&self.files[*number as usize]);
        let mut by_name: HashMap<u32, f64> = HashMap::new();
        for (word, likeness) in &likeness_by {
            let with_word = self.by_word.get(word).filter(|with_word| with_word.len() <= FILES_OF_A_WORD);
            for other in with_word.into_iter().flatten().filter(|other| !is_given(other)) {
                let best = by_name.entry(*other).or_default();
                *best = best.max(*likeness);
            }
        }
        let mut by_name: Vec<(u32, f64)> = by_name.into_iter().collect();
        by_name.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut by_place: Vec<(u32, usize)> = Vec::new();
        for beside in directories.iter().filter_map(|directory| self.by_directory.get(directory)) {
            by_place.extend(beside.iter().filter(|other| !is_given(other)).map(|other| (*other, beside.len())));
        }
        by_place.sort_by_key(|(number, beside)| (*beside, *number));
        let by_name = by_name.into_iter().take(limit).map(|(number, _)| number);
        let mut found: Vec<u32> = by_name.chain(by_place.into_iter().take(limit).map(|(number, _)| number)).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|number| self.files[number as usize].clone()).collect()
    }

    /// Files of the view in the directory of `path`.
    pub(super) fn beside(&self, path: &RepoPath) -> usize {
        self.by_directory.get(&path.directory()).map_or(0, Vec::len)
    }

    /// The name of `path`, with what its words weigh in this view.
    pub(super) fn name(&self, path: &RepoPath) -> FileNameWords {
        let words = words(path);
        let total = self.files.len() as f64 + 1.0;
        let weight = |word: &[u8]| self.by_word.get(word).map_or(NEW_WORD, |files| (total / files.len() as f64).ln());
        let weights: Vec<f64> = words.iter().map(|word| weight(word)).collect();
        let length = weights.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
        let namesakes = if words.is_empty() { 0 } else { self.by_words.get(&words).copied().unwrap_or_default() };
        FileNameWords { words, weights, length, namesakes }
    }
}

/// The words of a name: a word weighs more the fewer files have it.
#[derive(Debug, Clone)]
pub(super) struct FileNameWords {
    /// In order.
    words: Vec<Box<[u8]>>,
    /// Logarithm of the view's files for each that has the word.
    weights: Vec<f64>,
    /// Root of the sum of the weights' squares.
    length: f64,
    /// Files of the view with the same words, this one counted.
    pub(super) namesakes: u32,
}

impl FileNameWords {
    /// Cosine of the two names' words, in `0.0..=1.0`.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let common = self.words.iter().zip(&self.weights).filter(|(word, _)| other.words.binary_search(word).is_ok());
        let common: f64 = common.map(|(_, weight)| weight * weight).sum();
        if common > 0.0 { (common / (self.length * other.length)).min(1.0) } else { 0.0 }
    }

    /// Whether both consist of the same words, and have any.
    pub(super) fn is(&self, other: &Self) -> bool {
        !self.words.is_empty() && self.words == other.words
    }

    /// The heaviest word of both, as text.
    pub(super) fn heaviest_common(&self, other: &Self) -> Option<String> {
        let words = self.words.iter().zip(&self.weights);
        let common = words.filter(|(word, _)| other.words.binary_search(word).is_ok());
        let heaviest = common.max_by(|one, other| one.1.total_cmp(other.1).then_with(|| other.0.cmp(one.0)))?;
        Some(String::from_utf8_lossy(heaviest.0).into_owned())
    }
}

/// The words of a file name up to its first dot, in lower case, sorted, each once: `HTTPServer_v2.rs` has `http`,
/// `server` and `v2`. Words that only mark a test are left out. A dot at the beginning of a name is ignored.
fn words(path: &RepoPath) -> Vec<Box<[u8]>> {
    let name = path.file_name();
    let name = name.strip_prefix(b".").unwrap_or(name);
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let mut words: Vec<Box<[u8]>> = Vec::new();
    for part in stem.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
        let mut start = 0;
        for at in 1..part.len() {
            let upper = part[at].is_ascii_uppercase();
            let behind_lower = upper && !part[at - 1].is_ascii_uppercase();
            let before_lower = upper && part.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if behind_lower || before_lower {
                words.push(part[start..at].to_ascii_lowercase().into());
                start = at;
            }
        }
        words.push(part[start..].to_ascii_lowercase().into());
    }
    words.retain(|word| !word.is_empty() && !TEST_WORDS.contains(&&**word));
    words.sort_unstable();
    words.dedup();
    words
}

/// Directories of a path, from the root.
pub(super) fn directories(path: &RepoPath) -> Vec<&[u8]> {
    let mut parts: Vec<&[u8]> = path.as_bytes().split(|byte| *byte == b'/').collect();
    parts.pop();
    parts
}

/// Twice the directories that both paths begin with, of all that they have, in `0.0..=1.0`; 1 for two files of the root.
pub(super) fn common_prefix(one: &[&[u8]], other: &[&[u8]]) -> f64 {
    let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let all = one.len() + other.len();
    if all == 0 { 1.0 } else { 2.0 * common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_words(path: &str, expected: &str) {
        let words = words(&path.into());
        let words: Vec<&str> = words.iter().map(|word| std::str::from_utf8(word).unwrap()).collect();
        assert_eq!(words.join(" "), expected, "{path}");
    }

    #[test]
    fn names_are_cut_into_words() {
        check_words("src/HTTPServer_v2.rs", "http server v2");
        check_words("src/test_parser.py", "parser");
        check_words("a/ParserTest.java", "parser");
        check_words("a/parser.test.ts", "parser");
        check_words("a/fooBar-baz.d.ts", "bar baz foo");
        check_words("a/foo_foo.rs", "foo");
        check_words(".eslintrc.json", "eslintrc");
        check_words("tests/test.rs", "");
        check_words("src/größe.rs", "größe");
        check_words("", "");
    }

    fn places(paths: &str) -> FileNameIndex {
        let paths: Vec<RepoPath> = paths.split_whitespace().map(RepoPath::from).collect();
        FileNameIndex::new(&paths)
    }

    #[track_caller]
    fn check_neighbours(paths: &str, of: &str, limit: usize, expected: &str) {
        let of: Vec<RepoPath> = of.split_whitespace().map(RepoPath::from).collect();
        let found = places(paths).neighbours(&of.iter().collect::<Vec<_>>(), limit);
        assert_eq!(found.iter().map(RepoPath::to_string).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn neighbours_have_a_word_or_a_directory_in_common() {
        let paths = "a/parser.rs a/lexer.rs b/test_parser.rs b/other.rs c/fast_parser.rs";
        check_neighbours(paths, "a/parser.rs", 9, "a/lexer.rs b/test_parser.rs c/fast_parser.rs");
        check_neighbours(paths, "a/parser.rs a/lexer.rs", 9, "b/test_parser.rs c/fast_parser.rs");
        check_neighbours(paths, "new/parser.rs", 1, "a/parser.rs");
        check_neighbours(paths, "a/parser.rs", 0, "");
        check_neighbours(paths, "", 9, "");
    }

    #[test]
    fn neighbours_of_many_files_are_those_of_any_of_them() {
        let paths = "a/x_one.rs a/y_two.rs a/z.rs b/one.rs b/w.rs c/two_one.rs";
        check_neighbours(paths, "a/x_one.rs a/y_two.rs", 9, "a/z.rs b/one.rs c/two_one.rs");
        check_neighbours(paths, "a/x_one.rs a/y_two.rs b/w.rs", 1, "b/one.rs c/two_one.rs");
        check_neighbours(paths, "a/x_one.rs a/y_two.rs a/z.rs b/one.rs b/w.rs c/two_one.rs", 9, "");
    }

    #[test]
    fn a_word_that_few_files_have_makes_names_more_alike() {
        let places = places("a/user_model.rs a/order_model.rs b/user_view.rs c/item_model.rs");
        let alike = |one: &str, other: &str| places.name(&one.into()).likeness(&places.name(&other.into()));
        assert!(alike("a/user_model.rs", "b/user_view.rs") > alike("a/user_model.rs", "a/order_model.rs"));
        assert!(alike("a/order_model.rs", "c/item_model.rs") > 0.0);
        assert_eq!(alike("a/order_model.rs", "b/user_view.rs"), 0.0);
        assert!((alike("a/user_model.rs", "z/UserModel.java") - 1.0).abs() < 1e-9);
        assert_eq!(alike("tests/test.rs", "tests/test.rs"), 0.0);
    }

    #[test]
    fn leading_directories_are_compared_in_whole() {
        let prefix = |one: &str, other: &str| {
            let (one, other) = (RepoPath::from(one), RepoPath::from(other));
            common_prefix(&directories(&one), &directories(&other))
        };
        assert_eq!(prefix("a/b/x.rs", "a/b/y.rs"), 1.0);
        assert_eq!(prefix("a/b/x.rs", "a/c/y.rs"), 0.5);
        assert_eq!(prefix("ab/x.rs", "a/y.rs"), 0.0);
        assert_eq!(prefix("x.rs", "y.rs"), 1.0);
        assert_eq!(prefix("x.rs", "a/y.rs"), 0.0);
    }
}
