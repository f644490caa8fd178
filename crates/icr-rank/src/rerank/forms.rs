//! Forms of words: abbreviations in names, and words that are derived from the same root.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::words::words;

/// Endings of derived words; an ending precedes those that are the end of it.
static ENDINGS: [&str; 35] = [
    "ifications",
    "ification",
    "ization",
    "izers",
    "izer",
    "isation",
    "ations",
    "ates",
    "ators",
    "itions",
    "ation",
    "ator",
    "ate",
    "ition",
    "ments",
    "ment",
    "able",
    "ible",
    "ance",
    "ence",
    "ions",
    "ives",
    "ness",
    "ers",
    "ors",
    "ion",
    "ive",
    "ize",
    "ise",
    "ify",
    "ity",
    "er",
    "or",
    "al",
    "e",
];

/// Shortest root, in bytes, that remains when an ending is removed.
const SHORTEST_ROOT: usize = 4;

/// Abbreviations in names of code, each with the stem of the full word.
static ABBREVIATIONS: [(&str, &str); 62] = [
    // tidy: sorted
    ("addr", "address"),
    ("admin", "administrator"),
    ("alloc", "allocate"),
    ("app", "application"),
    ("arg", "argument"),
    ("args", "argument"),
    ("async", "asynchronous"),
    ("attr", "attribute"),
    ("auth", "authentication"),
    ("buf", "buffer"),
    ("cert", "certificate"),
    ("cfg", "configuration"),
    ("cmd", "command"),
    ("conf", "configuration"),
    ("config", "configuration"),
    ("conn", "connection"),
    ("ctx", "context"),
    ("db", "database"),
    ("desc", "description"),
    ("diff", "difference"),
    ("dir", "directory"),
    ("doc", "documentation"),
    ("dst", "destination"),
    ("env", "environment"),
    ("err", "error"),
    ("eval", "evaluate"),
    ("exec", "execute"),
    ("ext", "extension"),
    ("fmt", "format"),
    ("fn", "function"),
    ("func", "function"),
    ("gen", "generate"),
    ("hdr", "header"),
    ("idx", "index"),
    ("img", "image"),
    ("impl", "implementation"),
    ("info", "information"),
    ("init", "initialize"),
    ("iter", "iterator"),
    ("lang", "language"),
    ("len", "length"),
    ("lib", "library"),
    ("mgr", "manager"),
    ("msg", "message"),
    ("net", "network"),
    ("obj", "object"),
    ("param", "parameter"),
    ("params", "parameter"),
    ("pkg", "package"),
    ("pos", "position"),
    ("prev", "previous"),
    ("proc", "process"),
    ("prop", "property"),
    ("ptr", "pointer"),
    ("repo", "repository"),
    ("req", "request"),
    ("resp", "response"),
    ("spec", "specification"),
    ("sys", "system"),
    ("txn", "transaction"),
    ("util", "utility"),
    ("var", "variable"),
    // tidy: end
];

/// A word with its stem and root, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordForms {
    /// As it is written.
    pub(super) written: String,
    /// Without the endings of plurals and inflections.
    pub(super) stem: String,
    /// Without the endings of derived words, too.
    root: String,
    /// Root of the full word, if this is an abbreviation.
    meant: Option<String>,
}

impl WordForms {
    pub(super) fn of(written: &[u8]) -> Self {
        let written = String::from_utf8_lossy(written).to_ascii_lowercase();
        let stem = icr_words::stemmed(&written);
        let shortens = |word: &str| ABBREVIATIONS.binary_search_by(|(short, _)| short.cmp(&word)).ok();
        let meant = shortens(&written).or_else(|| shortens(&stem)).map(|at| root(ABBREVIATIONS[at].1).to_owned());
        Self { root: root(&stem).to_owned(), written, stem, meant }
    }

    /// Whether both are derived from one word, or one is an abbreviation of the other.
    pub(super) fn is_akin(&self, other: &Self) -> bool {
        self.stem == other.stem
            || self.root == other.root
            || self.meant.as_ref().is_some_and(|meant| *meant == other.root)
            || other.meant.as_ref().is_some_and(|meant| *meant == self.root)
    }
}

/// A cache of words by their spelling, because the names of one file repeat the same words.
#[derive(Debug, Default)]
pub(super) struct MetWords(FxHashMap<Box<[u8]>, Rc<WordForms>>);

impl MetWords {
    /// The first words of a name in order, at most `most`.
    pub(super) fn first_of(&mut self, name: &[u8], most: usize) -> Vec<Rc<WordForms>> {
        words(name).take(most).map(|written| self.word(written)).collect()
    }

    fn word(&mut self, written: &[u8]) -> Rc<WordForms> {
        if let Some(word) = self.0.get(written) {
            return Rc::clone(word);
        }
        let word = Rc::new(WordForms::of(written));
        self.0.insert(written.into(), Rc::clone(&word));
        word
    }
}

/// `word` without the endings of derived words, and without a letter that was doubled before such an ending.
fn root(word: &str) -> &str {
    let shorter = |word: &'_ str| -> Option<usize> {
        let left = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
        left.map(str::len).find(|left| *left >= SHORTEST_ROOT)
    };
    let mut left = word;
    while let Some(length) = shorter(left) {
        left = &left[..length];
    }
    if left.len() == word.len() {
        return word;
    }
    match left.as_bytes() {
        [.., last, end] if last == end && !matches!(end, b'a' | b'e' | b'i' | b'l' | b'o' | b's' | b'u' | b'z') => {
            &left[..left.len() - 1]
        }
        _ => left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_and_shortened_words_are_akin() {
        let akin = |one: &str, other: &str| WordForms::of(one.as_bytes()).is_akin(&WordForms::of(other.as_bytes()));
        for (one, other) in [
            ("serializer", "serialization"),
            ("routers", "routes"),
            ("config", "configuration"),
            ("auth", "authentication"),
            ("Parsing", "parser"),
            ("formatters", "format"),
            ("validator", "validate"),
            ("generator", "generate"),
            ("migration", "migrate"),
            ("creation", "create"),
            ("doc", "document"),
            ("impl", "implement"),
            ("auth", "authenticate"),
        ] {
            assert!(akin(one, other) && akin(other, one), "{one} {other}");
        }
        for (one, other) in
            [("user", "use"), ("error", "err0"), ("table", "tab"), ("ion", "e"), ("form", "format"), ("late", "lation")]
        {
            assert!(!akin(one, other), "{one} {other}");
        }
    }

    #[test]
    fn lists_are_as_the_look_up_needs() {
        assert!(ABBREVIATIONS.is_sorted_by(|one, other| one.0 < other.0));
        for (at, ending) in ENDINGS.iter().enumerate() {
            assert!(!ENDINGS[..at].iter().any(|earlier| ending.ends_with(earlier)), "{ending} is never reached");
        }
    }
}
