//! Searching by words and labels.

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;

fn sample() -> MemoryDatabase {
    let mut database = memoir_of(&[]);
    for (name, definition, labels) in [
        ("session store", "Keeps sessions of users in Redis", "domain:auth,wip"),
        ("token", "A session of a user without a store", "domain:auth"),
        ("billing", "Charges users once a month through a queue", "domain:money"),
        ("AuthService", "Checks passwords; café-friendly", "Domain:Auth"),
    ] {
        add(&mut database, name, definition, labels).unwrap();
    }
    create(&mut database, "other", "", Author::Person, UnixMillis(5)).unwrap();
    let session = NewConcept { name: "session".into(), definition: "An hour of talk".into(), ..NewConcept::default() };
    add_concept(&mut database, "other", &session, Author::Person, UnixMillis(5)).unwrap();
    database
}

fn request(query: &str, label: &str, limit: usize) -> ConceptSearch {
    ConceptSearch { query: query.into(), label: labels_of(label).unwrap().pop(), limit }
}

#[track_caller]
fn check(query: &str, label: &str, expected: &[&str]) {
    let hits = search(&sample(), "system", &request(query, label, 10)).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.concept.name.as_str()).collect::<Vec<_>>(), expected);
    assert!(hits.iter().all(|hit| hit.memoir == "system" && hit.score > 0.0 && hit.score <= 1.0));
}

#[test]
fn names_count_more_than_definitions() {
    check("store", "", &["session store", "token"]);
    check("sessions", "", &["session store", "token"]);
    check("cafe", "", &["AuthService"]);
    check("cafe\u{301}", "", &["AuthService"]);
    check("nothing of this kind", "", &["session store", "token"]);
    check("quux", "", &[]);
}

#[test]
fn concepts_with_all_of_few_words_come_first() {
    check("users queue", "", &["billing", "session store", "token"]);
    let hits = search(&sample(), "system", &request("users queue", "", 10)).unwrap();
    assert!(hits[0].score == 1.0 && hits[1].score <= 0.5);
    check("users charges month redis queue", "", &["billing", "session store", "token"]);
    let one = search(&sample(), "system", &request("users queue", "", 1)).unwrap();
    assert_eq!(one.len(), 1);
}

#[test]
fn longer_words_are_tried_where_no_word_is_known() {
    check("auth", "", &["AuthService", "session store", "token"]);
    check("authserv", "", &["AuthService"]);
    check("au", "", &[]);
}

#[test]
fn labels_are_filtered_before_the_limit() {
    check("users", "domain:money", &["billing"]);
    let mut database = sample();
    for at in 0..30 {
        add(&mut database, &format!("user{at} users"), "users users", "").unwrap();
    }
    let hits = search(&database, "system", &request("users", "domain:auth", 1)).unwrap();
    assert_eq!(hits[0].concept.name, "session store");
    check("", "domain:auth", &["AuthService", "session store", "token"]);
    check("?!", "wip", &["session store"]);
    check("", "no such", &[]);
    check(" ", "", &[]);
}

#[test]
fn all_memoirs_are_searched_and_hits_name_theirs() {
    let hits = search_all(&sample(), &request("session", "", 10)).unwrap();
    let names: Vec<_> = hits.iter().map(|hit| (hit.memoir.as_str(), hit.concept.name.as_str())).collect();
    assert_eq!(names, [("other", "session"), ("system", "session store"), ("system", "token")]);
    let hits = search_all(&sample(), &request("", "wip", 10)).unwrap();
    assert_eq!(hits.len(), 1);
}

#[test]
fn a_limit_is_at_least_one_and_memoirs_must_exist() {
    for limit in [0, HITS_MOST + 1] {
        let refused = search_all(&sample(), &request("a", "", limit)).unwrap_err();
        assert_eq!(advice(refused), format!("`limit` is {limit}: between 1 and 200"));
    }
    insta::assert_snapshot!(advice(search(&sample(), "othre", &request("a", "", 1)).unwrap_err()), @"there is no memoir `othre`: other");
}

/// What FTS5 has a meaning for, with words and letters of all kinds between.
fn any_query() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "AND", "OR", "NOT", "NEAR(", "NEAR/3", "\"", "'", "(", ")", "*", ":", "^", "{", "}", "+", "-", ",", "name:", "col : ", "\\",
            ";", "--", "\0", "%", "?1", "concepts_fts", "session", "us*", "\"\"", "é", "e\u{301}", "漢字", "\u{202e}", "🦀", "ß", "٣", "ª",
            "क्षि", "\u{345}", "ⅷ", " ", "\n",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z0-9 ]{0,12}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn ten_thousand_queries_of_any_kind_are_no_errors() {
    let database = sample();
    let label = labels_of("domain:auth").unwrap().pop();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..10_000 {
        let query = any_query().new_tree(&mut runner).unwrap().current();
        let request = ConceptSearch { query, label: None, limit: 5 };
        search(&database, "system", &request).unwrap();
        search_all(&database, &ConceptSearch { label: label.clone(), ..request }).unwrap();
    }
    let long = "session ".repeat(100_000);
    assert_eq!(search(&database, "system", &request(&long, "", 5)).unwrap().len(), 2);
    let many: String = (0..1_000).map(|at| format!("w{at} ")).collect();
    assert!(search(&database, "system", &request(&many, "", 5)).unwrap().is_empty());
}
