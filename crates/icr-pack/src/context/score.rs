//! How much a file matters for a goal, from words alone.

use std::collections::HashSet;

use crate::terms::{distinct_terms, terms};

use super::FileFacts;

/// What a word of the goal in the path counts; exports and doc comments are longer, and their words count less.
const PATH: f64 = 3.0;
const EXPORTS: f64 = 2.0;
const DOCSTRING: f64 = 1.0;

/// What each recent commit adds to a file that matches, up to five commits.
const RECENT_COMMIT: f64 = 0.5;
const RECENT_COMMITS_MOST: u32 = 5;

/// What files that are no code count.
const NOT_CODE: f64 = 0.3;

/// What files count that only pass on what others define: whoever follows them ends elsewhere.
const BARREL: f64 = 0.5;

/// What each doubling of the number of importers adds.
const IMPORTERS: f64 = 0.05;

/// What all words of the goal in one file add to it, against none of them.
const COVERAGE: f64 = 0.5;

/// Bounds of the weight of a word, so that one rare word does not decide everything and a common one still counts.
const RARITY: (f64, f64) = (1.0, 10.0);

/// The words of a goal, and how rare each is among the files.
pub(super) struct Goal {
    words: Vec<(String, f64)>,
}

impl Goal {
    pub(super) fn of(goal: &str, files: &[FileFacts]) -> Self {
        let words = distinct_terms(goal);
        let held: Vec<HashSet<String>> = files.iter().map(|file| Words::of(file).all()).collect();
        let rarity = |word: &String| {
            let with = held.iter().filter(|words| words.contains(word)).count().max(1);
            (files.len().max(1) as f64 / with as f64).ln().clamp(RARITY.0, RARITY.1)
        };
        let words = words.into_iter().map(|word| (rarity(&word), word)).map(|(rarity, word)| (word, rarity)).collect();
        Self { words }
    }

    /// 0 when nothing speaks for the file; else above.
    pub(super) fn score(&self, file: &FileFacts) -> f64 {
        let words = Words::of(file);
        let matches = |word: &String| {
            let field = |words: &HashSet<String>, weight: f64| if words.contains(word) { weight } else { 0.0 };
            field(&words.path, PATH) + field(&words.exports, EXPORTS) + field(&words.docstring, DOCSTRING)
        };
        let matched = self.words.iter().filter(|(word, _)| matches(word) > 0.0).count();
        let by_words: f64 = self.words.iter().map(|(word, rarity)| matches(word) * rarity).sum();
        let coverage = matched as f64 / self.words.len().max(1) as f64;
        let search_score = if file.search_score.is_finite() { file.search_score.clamp(0.0, 1.0) } else { 0.0 };
        // A search has weighed rarity and coverage already.
        let found = by_words * (1.0 + COVERAGE * coverage) + search_score * (PATH + EXPORTS + DOCSTRING);
        if found <= 0.0 {
            return 0.0;
        }
        let activity = RECENT_COMMIT * f64::from(file.recent_commits.min(RECENT_COMMITS_MOST));
        let importers = file.importers_total.max(file.importers.len());
        let boost = 1.0 + IMPORTERS * (1.0 + importers as f64).log2();
        let kind = if file.is_code { 1.0 } else { NOT_CODE };
        let barrel = if file.is_barrel { BARREL } else { 1.0 };
        (found + activity) * boost * kind * barrel
    }
}

/// Words of the fields of a file.
struct Words {
    path: HashSet<String>,
    exports: HashSet<String>,
    docstring: HashSet<String>,
}

impl Words {
    fn of(file: &FileFacts) -> Self {
        Self {
            path: terms(&file.path).into_iter().collect(),
            exports: file.exports.iter().flat_map(|name| terms(name)).collect(),
            docstring: terms(file.docstring.as_deref().unwrap_or_default()).into_iter().collect(),
        }
    }

    fn all(self) -> HashSet<String> {
        self.path.into_iter().chain(self.exports).chain(self.docstring).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> FileFacts {
        FileFacts { path: path.into(), is_code: true, ..FileFacts::default() }
    }

    /// `better` counts more than `worse` for `goal`.
    #[track_caller]
    fn check(goal: &str, better: FileFacts, worse: FileFacts) {
        let files = [better, worse];
        let goal = Goal::of(goal, &files);
        assert!(goal.score(&files[0]) > goal.score(&files[1]), "{} {}", goal.score(&files[0]), goal.score(&files[1]));
    }

    #[test]
    fn words_count_most_in_the_path_and_least_in_the_comment() {
        let exports = FileFacts { exports: vec!["SessionStore".into()], ..file("a.rs") };
        let docstring = FileFacts { docstring: Some("Keeps sessions.".into()), ..file("b.rs") };
        check("fix session", file("session.rs"), exports.clone());
        check("fix sessions", exports, docstring.clone());
        check("fix sessions", docstring, file("c.rs"));
    }

    #[test]
    fn what_is_rare_counts_more() {
        let files: Vec<FileFacts> =
            ["session/a.rs", "session/b.rs", "session/c.rs", "session/d.rs", "expiry.rs"].map(file).to_vec();
        let goal = Goal::of("session expiry", &files);
        assert!(goal.score(&files[4]) > goal.score(&files[0]));
    }

    #[test]
    fn activity_and_importers_raise_what_matches_and_nothing_else() {
        let active = FileFacts { recent_commits: 3, ..file("session.rs") };
        check("session", active.clone(), file("session.rs"));
        check("session", FileFacts { importers_total: 9, ..file("session.rs") }, file("session.rs"));
        let other = FileFacts { recent_commits: 99, importers_total: 99, ..file("other.rs") };
        assert_eq!(Goal::of("session", &[]).score(&other), 0.0);
        assert_eq!(Goal::of("", &[]).score(&other), 0.0);
        let most = FileFacts { recent_commits: 5, ..file("session.rs") };
        let more = FileFacts { recent_commits: 500, ..file("session.rs") };
        assert_eq!(Goal::of("session", &[]).score(&most), Goal::of("session", &[]).score(&more));
    }

    #[test]
    fn documents_and_barrels_count_less() {
        check("session", file("session.rs"), FileFacts { is_code: false, ..file("session.rs") });
        check("session", file("session.rs"), FileFacts { is_barrel: true, ..file("session.rs") });
    }

    #[test]
    fn what_a_search_found_needs_no_words() {
        check("log in", FileFacts { search_score: 0.8, ..file("session.rs") }, file("other.rs"));
        check(
            "log in",
            FileFacts { search_score: 0.1, ..file("a.rs") },
            FileFacts { search_score: f64::NAN, ..file("b.rs") },
        );
    }
}
