//! Which programs may be run.

use std::collections::BTreeSet;

/// Largest edit distance between two names for one to count as a misspelling of the other.
const SIMILAR_DISTANCE: usize = 2;

/// Names that a message shows at most.
const MOST_SHOWN: usize = 5;

/// Programs that may be run: names that are looked up in `PATH` (`cargo`), and paths from the root (`./gradlew`).
///
/// The list is the user's own: nothing in a clone may add to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList {
    source: String,
    entries: BTreeSet<String>,
}

impl AllowList {
    /// A list of `entries`. `source` names its place in messages (``run.allow of the user's configuration``).
    ///
    /// An entry with a slash is a path relative to the root, with or without `./` before it. Entries that can name no
    /// program (empty, absolute, with `..`) match nothing.
    pub fn new<I>(source: impl Into<String>, entries: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let entries = entries.into_iter().filter_map(|entry| normal_form(entry.as_ref())).collect();
        Self { source: source.into(), entries }
    }

    /// Name of the list's place, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names and paths on it, in order.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(String::as_str)
    }

    /// Whether `program`, as somebody typed it, may be run.
    pub fn allows(&self, program: &str) -> bool {
        normal_form(program).is_some_and(|program| self.entries.contains(&program))
    }

    /// Entries that are similar to `program`, the nearest first; at most five.
    pub(crate) fn similar(&self, program: &str) -> Vec<String> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let near = |entry: &String| {
            let distance = distance(entry.rsplit('/').next().unwrap_or(entry), name);
            (distance <= SIMILAR_DISTANCE.min(name.chars().count().div_ceil(2))).then(|| (distance, entry.clone()))
        };
        let mut similar: Vec<_> = self.entries.iter().filter_map(near).collect();
        similar.sort();
        similar.truncate(MOST_SHOWN);
        similar.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// Normal form of `entry` for comparing: a bare name unchanged, a path as `./a/b`. `None` for an entry that cannot name
/// a program.
fn normal_form(entry: &str) -> Option<String> {
    if entry.is_empty() || entry.starts_with('/') || entry.contains(['\0', '\\']) {
        return None;
    }
    if !entry.contains('/') {
        return (entry != "." && entry != "..").then(|| entry.to_owned());
    }
    let parts: Vec<_> = entry.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_inside = !parts.is_empty() && !parts.contains(&"..") && !entry.ends_with('/');
    is_inside.then(|| format!("./{}", parts.join("/")))
}

/// Letters to insert, remove or replace to make `one` the `other` (Levenshtein). Names are short, so cost is no matter.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other_letter) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other_letter);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::AllowList;

    fn list() -> AllowList {
        AllowList::new("the test", ["cargo", "npm", "./gradlew", "scripts/test.sh", "", "/bin/sh", "../up", "."])
    }

    #[test]
    fn names_and_paths_match_as_they_are_meant() {
        let list = list();
        assert_eq!(list.entries().collect::<Vec<_>>(), ["./gradlew", "./scripts/test.sh", "cargo", "npm"]);
        for allowed in ["cargo", "npm", "./gradlew", ".//gradlew", "scripts/test.sh", "./scripts/./test.sh"] {
            assert!(list.allows(allowed), "{allowed}");
        }
        let others =
            ["", ".", "Cargo", "cargo ", "gradlew", "./cargo", "/bin/sh", "../up", "scripts/../gradlew", "cargo/"];
        for other in others {
            assert!(!list.allows(other), "{other}");
        }
    }

    #[test]
    fn misspelled_names_find_what_was_meant() {
        let list = list();
        assert_eq!(list.similar("crago"), ["cargo"]);
        assert_eq!(list.similar("gradlew"), ["./gradlew"]);
        assert_eq!(list.similar("/usr/bin/npm"), ["npm"]);
        assert!(list.similar("python3").is_empty());
        assert!(list.similar("").is_empty());
    }
}
