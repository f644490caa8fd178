//! Tasks that ask for everything, whatever one search finds.

use crate::terms::whole_words;

/// A class of tasks and how they are worded.
#[derive(Debug)]
pub struct TaskClass {
    /// Name, as shown to callers.
    pub name: &'static str,
    /// Why one search is not enough.
    pub about: &'static str,
    /// Phrases by which it is recognised, in lower case. A bare `audit` or `trace` is not enough, because logs and
    /// stacks have these too.
    phrases: &'static [&'static str],
}

/// The class of tasks that ask for every place; they ask for uses too.
const AUDIT: &str = "audit";

/// All classes.
pub const TASK_CLASSES: &[TaskClass] = &[
    // tidy: sorted
    TaskClass {
        name: AUDIT,
        about: "asks for every place, and a search shows the best",
        phrases: &[
            "all call sites",
            "all callers",
            "all instances of",
            "all occurrences",
            "all of the places",
            "all places",
            "all references to",
            "all the places",
            "all usages",
            "all uses of",
            "audit all",
            "audit each",
            "audit every",
            "audit for",
            "audit how",
            "audit of",
            "audit our",
            "audit that",
            "audit the",
            "audit this",
            "audit usage",
            "audit usages",
            "audit uses",
            "audit whether",
            "every call site",
            "every caller",
            "every occurrence",
            "every place",
            "every usage",
            "every use of",
            "everywhere that",
            "everywhere we",
            "find all",
            "find every",
            "list all",
            "list every",
        ],
    },
    TaskClass {
        name: "consistency",
        about: "compares places with one another",
        phrases: &[
            "are consistent",
            "be consistent",
            "check consistency",
            "consistency across",
            "consistency between",
            "consistency check",
            "consistency of",
            "consistent across",
            "consistent with",
            "consistently",
            "inconsistencies",
            "inconsistency",
            "inconsistent",
            "out of sync",
        ],
    },
    TaskClass {
        name: "refactor",
        about: "changes places that do not resemble one another",
        phrases: &[
            "across all",
            "across the code",
            "across the codebase",
            "across the project",
            "across the repo",
            "across the repository",
            "entire codebase",
            "in the whole repository",
            "repo wide",
            "repository wide",
            "throughout the",
            "whole codebase",
        ],
    },
    TaskClass {
        name: "trace",
        about: "follows what passes through several places",
        phrases: &[
            "end to end",
            "trace all",
            "trace each",
            "trace every",
            "trace from",
            "trace how",
            "trace the flow",
            "trace the path",
            "trace through",
            "trace where",
        ],
    },
    // tidy: end
];

/// Phrases of tasks that ask who uses something, besides those of [`AUDIT`]; in lower case.
const USES: &[&str] = &[
    // tidy: sorted
    "call sites of",
    "callers of",
    "gets called",
    "is called from",
    "is called in",
    "references to",
    "usage of",
    "usages of",
    "uses of",
    "what calls",
    "what uses",
    "where do we call",
    "where do we use",
    "who calls",
    "who references",
    "who refers to",
    "who uses",
    // tidy: end
];

/// Beginnings of questions that ask where something is used.
const USED_BEGINNINGS: [&str; 2] = ["where are", "where is"];

/// Words that appear shortly after such a beginning.
const USED_ENDS: [&str; 3] = ["called", "referenced", "used"];

/// Number of words among which these are looked for.
const USED_WORDS: usize = 5;

/// The class of `task`, if it has one. Case and punctuation do not matter; cost: one pass for each phrase.
pub fn task_class(task: &str) -> Option<&'static TaskClass> {
    let lower = task.to_lowercase();
    let words = words_of(&lower);
    TASK_CLASSES.iter().find(|class| class.phrases.iter().any(|phrase| says(&words, phrase).is_some()))
}

/// Whether `task` asks who uses what it names. Case and punctuation do not matter; cost: one pass for each phrase.
pub fn asks_for_uses(task: &str) -> bool {
    let lower = task.to_lowercase();
    let words = words_of(&lower);
    let asks_where_used = |beginning: &&str| {
        let behind = says(&words, beginning).map(|at| words[at..].iter().skip(2).take(USED_WORDS));
        behind.is_some_and(|mut behind| behind.any(|word| USED_ENDS.contains(word)))
    };
    task_class(task).is_some_and(|class| class.name == AUDIT)
        || USES.iter().any(|phrase| says(&words, phrase).is_some())
        || USED_BEGINNINGS.iter().any(asks_where_used)
}

fn words_of(lower: &str) -> Vec<&str> {
    whole_words(lower).map(|range| &lower[range]).collect()
}

/// Index of the first occurrence of `phrase` in `words`.
fn says(words: &[&str], phrase: &str) -> Option<usize> {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).position(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, class: Option<&str>) {
        assert_eq!(task_class(task).map(|class| class.name), class, "{task}");
    }

    #[test]
    fn tasks_that_ask_who_uses_something() {
        for task in [
            "Who calls `load_config`?",
            "where is Server.handle used",
            "Where are `flags` and `modes` referenced in the tests?",
            "list every caller of `open`",
            "show the callers of parse_args",
        ] {
            assert!(asks_for_uses(task), "{task}");
        }
        for task in
            ["where is the parser", "add a flag to `open`", "where is the parser that reads all of the flags used"]
        {
            assert!(!asks_for_uses(task), "{task}");
        }
    }

    #[test]
    fn tasks_that_ask_for_everything() {
        check("Audit all usages of endpoint X", Some("audit"));
        check("Find all places where user authentication is bypassed", Some("audit"));
        check("list every caller of `open`", Some("audit"));
        check("Are error codes used consistently?", Some("consistency"));
        check("Check consistency between schema and handlers", Some("consistency"));
        check("rename User to Account across the codebase", Some("refactor"));
        check("a repo-wide rename", Some("refactor"));
        check("Trace how a request reaches the database", Some("trace"));
    }

    #[test]
    fn tasks_that_ask_for_one_thing() {
        check("where is the audit log written", None);
        check("print a stack trace", None);
        check("how is eventual consistency reached", None);
        check("How does the authentication system validate JWT tokens?", None);
        check("", None);
    }

    #[test]
    fn phrases_are_words_in_lower_case() {
        for class in TASK_CLASSES {
            for phrase in class.phrases {
                assert!(
                    phrase.split(' ').all(|word| word.chars().all(|letter| letter.is_ascii_lowercase())),
                    "{phrase}"
                );
                assert!(task_class(phrase).is_some(), "{phrase}");
            }
            assert!(class.phrases.is_sorted(), "{}", class.name);
        }
    }
}
