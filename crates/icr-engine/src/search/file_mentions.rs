//! Paths that a query names: in a stack trace, a link or a sentence.

use std::collections::BTreeSet;

use icr_model::RepoPath;

/// Most distinct paths of a query that are looked up; a stack trace seldom has more.
const MENTIONS: usize = 32;

/// Longest file name extension, in letters and digits, that makes a word a file name.
const LONGEST_EXTENSION: usize = 6;

/// A word of a query that is a file name, perhaps with directories before it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileMention(Vec<String>);

/// The words of `query` that look like paths of files with an extension, each once: the first 32 in the order of the query.
pub(super) fn mentions(query: &str) -> Vec<FileMention> {
    let mut known = BTreeSet::new();
    query
        .split(|c: char| !(c.is_alphanumeric() || "_-+@./\\".contains(c)))
        .filter_map(mention)
        .filter(|mention| known.insert(mention.clone()))
        .take(MENTIONS)
        .collect()
}

impl FileMention {
    /// The file's own name.
    pub(super) fn name(&self) -> &str {
        self.0.last().expect("a mention has a name")
    }

    /// How many trailing components of `path` match this path as written; 0 when the file name differs.
    pub(super) fn parts_in_common(&self, path: &RepoPath) -> usize {
        let parts = path.as_bytes().rsplit(|byte| *byte == b'/');
        parts.zip(self.0.iter().rev()).take_while(|(part, other)| *part == other.as_bytes()).count()
    }
}

fn mention(word: &str) -> Option<FileMention> {
    let word = word.trim_end_matches(['.', '/', '\\', '-', '+', '@']);
    let parts = word.split(['/', '\\']).filter(|part| !part.is_empty() && part.chars().any(|c| c != '.'));
    let mention = FileMention(parts.map(str::to_owned).collect());
    let (stem, extension) = mention.0.last()?.rsplit_once('.')?;
    let is_extension = extension.len() <= LONGEST_EXTENSION
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    (!stem.is_empty() && is_extension).then_some(mention)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        let found: Vec<String> = mentions(query).iter().map(|mention| mention.0.join("/")).collect();
        assert_eq!(found, expected, "{query}");
    }

    #[test]
    fn words_with_an_extension_may_be_files() {
        check("it is in src/gate.rs.", &["src/gate.rs"]);
        check("  File \"/usr/lib/tide/flood.py\", line 12, in open", &["usr/lib/tide/flood.py"]);
        check("at Object.<anonymous> (./src\\quay\\index.test.ts:12:5)", &["src/quay/index.test.ts"]);
        check("a.rs (a.rs:1) and b.rs", &["a.rs", "b.rs"]);
        check("Server.handle()", &["Server.handle"]);
    }

    #[test]
    fn other_words_are_no_files() {
        for query in
            ["", "...", "../..", "how does routing work", "v1.2.3", "src/quay", ".gitignore", "1.5", "a.verylongword"]
        {
            check(query, &[]);
        }
    }

    #[test]
    fn paths_are_compared_from_their_ends() {
        let in_common = |mention: &str, path: &str| mentions(mention)[0].parts_in_common(&path.into());
        assert_eq!(in_common("/srv/quay/src/gate.rs", "src/gate.rs"), 2);
        assert_eq!(in_common("gate.rs", "src/gate.rs"), 1);
        assert_eq!(in_common("lock/gate.rs", "src/gate.rs"), 1);
        assert_eq!(in_common("gate.rs", "src/investigate.rs"), 0);
        assert_eq!(in_common("Gate.rs", "src/gate.rs"), 0);
    }
}
