//! From a task to at most ten sub-queries.

use crate::gate::asks_for_uses;
use crate::terms::{says_something, whole_words};

use super::entities::{entities, named_in};

/// Most sub-queries of a task.
const SUB_QUERIES_MOST: usize = 10;

/// Most words that serve as names in a task that names nothing.
const TOPIC_WORDS: usize = 6;

/// Longest query, in characters; the bound of a search.
const QUERY_CHARACTERS: usize = 2_000;

/// A way to ask about something that has a name.
#[derive(Debug, PartialEq, Eq)]
pub struct Template {
    /// Name, as shown to callers.
    pub name: &'static str,
    /// What it finds, for the rationale of a step.
    pub finds: &'static str,
    /// Words that are added to the name in the query.
    words: &'static str,
    /// Searches contracts only.
    pub is_contract: bool,
    /// Words of a task, in lower case, that ask for this first.
    asked_by: &'static [&'static str],
}

/// All templates, in the order in which they are asked unless the task asks for one first.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "definition",
        finds: "where it is defined",
        words: "",
        is_contract: false,
        asked_by: &["declared", "define", "defined", "definition", "definitions"],
    },
    Template {
        name: "usage",
        finds: "where it is used",
        words: "call import",
        is_contract: false,
        asked_by: &[
            "audit",
            "call",
            "called",
            "callers",
            "calls",
            "references",
            "usage",
            "usages",
            "use",
            "used",
            "users",
            "uses",
        ],
    },
    Template {
        name: "implementation",
        finds: "how it works",
        words: "impl implements extends",
        is_contract: false,
        asked_by: &["how", "implement", "implementation", "implemented", "implements", "work", "works"],
    },
    Template {
        name: "test",
        finds: "what its tests expect",
        words: "test",
        is_contract: false,
        asked_by: &["spec", "specs", "test", "tested", "testing", "tests"],
    },
    Template {
        name: "contract",
        finds: "what it promises",
        words: "",
        is_contract: true,
        asked_by: &["api", "contract", "contracts", "interface", "interfaces", "schema", "schemas", "type", "types"],
    },
    Template { name: "related", finds: "what else the task speaks of", words: "", is_contract: false, asked_by: &[] },
];

/// One search of an expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubQuery {
    /// What to search for, 1 to 2,000 characters.
    pub query: String,
    /// The row of [`TEMPLATES`] it comes from.
    pub template: &'static Template,
    /// The name it asks about; the words of the task where it names nothing.
    pub about: String,
    /// Whether the words of the task ask for its template.
    pub is_asked: bool,
}

impl Template {
    /// Whether it asks who uses something, where it is defined or how it is tested. No single place in the code answers
    /// these.
    pub(super) fn is_about_uses(&self) -> bool {
        matches!(self.name, "usage" | "definition" | "test" | "related")
    }
}

/// At most ten sub-queries of `task`, different from each other, the most telling first. None for a task without words.
///
/// The names in the task (paths, identifiers, quotations) are combined with one template after another, first the
/// templates that the words of the task ask for; then follows the rest of the task. In a task that asks for uses, such as
/// `all usages of Timeout`, a word can be a name by its position. Deterministic, and no model is asked.
pub fn decompose(task: &str) -> Vec<SubQuery> {
    let words: Vec<&str> = task.split_whitespace().collect();
    let topic = topic(task);
    let mut names = entities(task);
    if names.is_empty() && asks_for_uses(task) {
        names = named_in(task);
    }
    let has_names = !names.is_empty();
    if !has_names && !topic.is_empty() {
        names.push(topic.join(" "));
    }
    let mut templates: Vec<&'static Template> = TEMPLATES.iter().collect();
    let lower: Vec<String> =
        words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect();
    let is_asked = |template: &Template| lower.iter().any(|word| template.asked_by.contains(&word.as_str()));
    templates.sort_by_key(|template| !is_asked(template));
    let mut queries: Vec<SubQuery> = Vec::new();
    for template in templates {
        if template.name == "related" {
            for pair in related_words(&names, &topic, has_names) {
                add(&mut queries, pair, template, &topic.join(" "));
            }
            continue;
        }
        for name in &names {
            add(&mut queries, format!("{name} {}", template.words), template, name);
        }
    }
    queries.iter_mut().for_each(|query| query.is_asked = is_asked(query.template));
    queries
}

/// The task itself as a sub-query, for one that [`decompose`] finds no words in: `x`, `is it?`. `None` for one without
/// a letter or a digit, which no search finds.
pub(super) fn verbatim(task: &str) -> Option<SubQuery> {
    if !task.contains(char::is_alphanumeric) {
        return None;
    }
    let text = task.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut queries = Vec::new();
    add(&mut queries, text.clone(), &TEMPLATES[0], &text);
    queries.pop()
}

/// The task's other words, and where it names nothing, each two neighbours among its words.
fn related_words(names: &[String], topic: &[&str], has_names: bool) -> Vec<String> {
    if !has_names {
        return topic.windows(2).map(|pair| pair.join(" ")).collect();
    }
    let others: Vec<&str> =
        topic.iter().copied().filter(|word| !names.iter().any(|name| name.contains(word))).collect();
    vec![others.join(" ")]
}

/// The first meaningful words, each once.
fn topic(task: &str) -> Vec<&str> {
    let mut topic: Vec<&str> = Vec::new();
    for range in whole_words(task) {
        let word = &task[range];
        if says_something(&word.to_lowercase()) && !topic.contains(&word) && topic.len() < TOPIC_WORDS {
            topic.push(word);
        }
    }
    topic
}

fn add(queries: &mut Vec<SubQuery>, query: String, template: &'static Template, about: &str) {
    let query: String = query.trim().chars().take(QUERY_CHARACTERS).collect();
    let is_known = |known: &SubQuery| known.query == query && known.template.is_contract == template.is_contract;
    if !query.is_empty() && queries.len() < SUB_QUERIES_MOST && !queries.iter().any(is_known) {
        queries.push(SubQuery { query, template, about: about.to_owned(), is_asked: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(task: &str, expected: &[&str]) {
        let found: Vec<String> =
            decompose(task).iter().map(|query| format!("{}: {}", query.template.name, query.query)).collect();
        assert_eq!(found, expected, "{task}");
    }

    #[test]
    fn a_name_is_asked_about_in_each_way() {
        check(
            "Where does AuthService check expiry",
            &[
                "definition: AuthService",
                "usage: AuthService call import",
                "implementation: AuthService impl implements extends",
                "test: AuthService test",
                "contract: AuthService",
                "related: check expiry",
            ],
        );
    }

    #[test]
    fn what_the_task_asks_for_comes_first() {
        let first = |task: &str| decompose(task)[0].template.name;
        assert_eq!(first("Audit all usages of parse_token"), "usage");
        assert_eq!(first("which tests cover parse_token"), "test");
        assert_eq!(first("the interface of parse_token"), "contract");
        assert_eq!(first("how does parse_token"), "implementation");
    }

    #[test]
    fn who_asks_for_uses_names_by_position() {
        let about = |task: &str| decompose(task)[0].about.clone();
        assert_eq!(about("audit all usages of Timeout"), "Timeout");
        assert_eq!(about("where is timeout called"), "timeout");
        assert_eq!(about("add a limit to requests"), "add limit requests", "asks for no uses");
    }

    #[test]
    fn names_take_turns() {
        let queries = decompose("`a1` `b2` `c3` and the rest");
        let about: Vec<&str> = queries.iter().take(6).map(|query| query.about.as_str()).collect();
        assert_eq!(about, ["a1", "b2", "c3", "a1", "b2", "c3"]);
        assert_eq!(queries.len(), 10);
    }

    #[test]
    fn a_task_that_names_nothing_is_asked_about_by_its_words() {
        check(
            "find places where login is bypassed",
            &[
                "definition: find places login bypassed",
                "usage: find places login bypassed call import",
                "implementation: find places login bypassed impl implements extends",
                "test: find places login bypassed test",
                "contract: find places login bypassed",
                "related: find places",
                "related: places login",
                "related: login bypassed",
            ],
        );
        check("", &[]);
        check("is it? 🙂", &[]);
    }

    proptest! {
        #[test]
        fn any_task_has_at_most_ten_different_queries(task in "([a-zA-Z_./`'\"é🙂]{0,12} ?){0,30}") {
            let queries = decompose(&task);
            prop_assert!(queries.len() <= 10);
            for (at, query) in queries.iter().enumerate() {
                prop_assert!((1..=2_000).contains(&query.query.chars().count()));
                prop_assert!(!queries[..at].contains(query));
            }
            prop_assert_eq!(decompose(&task), queries);
        }
    }
}
