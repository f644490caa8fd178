use super::*;
use crate::{MemoryOptions, NewMemory, ProjectKey, store};

fn database(memories: &[(&str, &str)]) -> MemoryDatabase {
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    for (topic, summary) in memories {
        let keywords = vec![topic.to_uppercase()];
        let new = NewMemory { topic: (*topic).into(), summary: (*summary).into(), keywords, ..NewMemory::default() };
        store(&mut database, &new, UnixMillis(1)).unwrap();
    }
    database
}

fn ask(query: &str) -> RecallRequest {
    RecallRequest { query: query.to_owned(), limit: 10, ..RecallRequest::default() }
}

fn texts(database: &MemoryDatabase, request: &RecallRequest) -> Vec<String> {
    let answer = recall(database, request, UnixMillis(1)).unwrap();
    answer.memories.into_iter().map(|recalled| recalled.memory.summary).collect()
}

#[test]
fn a_question_in_many_words_finds_what_has_few_of_them() {
    let database =
        database(&[("db", "SQLite runs in WAL mode"), ("ui", "Buttons are blue"), ("db", "Backups run at night")]);
    assert_eq!(
        texts(&database, &ask("why did we choose the WAL mode for the database?"))[0],
        "SQLite runs in WAL mode"
    );
}

#[test]
fn the_rare_word_of_a_long_memory_outweighs_its_length() {
    let things = ["cache", "parser", "index", "queue", "worker", "router", "logger", "scheduler"];
    let facts = ["restore was slower than a rebuild", "reads its settings at the start", "is locked by one thread"];
    let short: Vec<String> =
        facts.iter().flat_map(|fact| things.iter().map(move |thing| format!("The {thing} {fact}."))).collect();
    for sentences in [0, 20, 80, 800] {
        let other = " Meetings about colours of the site take place on Mondays.".repeat(sentences);
        let long = format!("Design note about the quokka cache.{other}");
        let mut memories: Vec<(&str, &str)> = short.iter().map(|text| ("ci", text.as_str())).collect();
        memories.insert(12, ("design", &long));
        let database = database(&memories);
        assert!(texts(&database, &ask("quokka cache"))[0].starts_with("Design note"), "{sentences}");
        assert_eq!(texts(&database, &ask("was the cache restore slower?"))[0], short[0], "{sentences}");
    }
}

#[test]
fn words_far_apart_in_a_long_memory_are_less_than_words_together() {
    let other = " Meetings about colours of the site take place on Mondays.".repeat(40);
    let long = format!("The parser is new. Nothing retries.{other} Uploads are slow.{other} The cache is full.");
    let database = database(&[
        ("a", &long),
        (
            "b",
            "Who changes the parser of uploads tells the team about the cache that depends on it, and waits for a day.",
        ),
    ]);
    assert!(texts(&database, &ask("parser uploads cache"))[0].starts_with("Who changes"));
}

#[test]
fn a_version_is_a_word() {
    let database = database(&[
        ("release", "Release 1.6 makes the parser strict."),
        ("release", "Release 6.1 of the library needs 16 files."),
        ("api", "Always use the v1 endpoint for uploads."),
        ("ios", "The minimum supported iOS version is 16."),
        ("node", "Version 1 and version 6 of Node are not supported."),
    ]);
    for query in ["v1.6", "1.6", "1.6?", "release-1.6"] {
        assert_eq!(texts(&database, &ask(query))[0], "Release 1.6 makes the parser strict.", "{query}");
    }
    assert_eq!(texts(&database, &ask("v1.6")).len(), 1);
    assert_eq!(texts(&database, &ask("version 1.6"))[0], "Release 1.6 makes the parser strict.");
    assert!(texts(&database, &ask("1.16")).is_empty());
}

#[test]
fn topic_and_keyword_are_looked_at_before_the_limit() {
    let many: Vec<(String, String)> = (0..50).map(|at| ("noise".to_owned(), format!("wal {at} wal wal"))).collect();
    let mut memories: Vec<(&str, &str)> = many.iter().map(|(topic, text)| (topic.as_str(), text.as_str())).collect();
    memories.push(("db", "the wal is synced once a second by a thread of its own, long text"));
    let database = database(&memories);
    let topic = RecallRequest { topic: Some("db".into()), limit: 1, ..ask("wal") };
    let keyword = RecallRequest { keyword: Some("dB".into()), limit: 1, ..ask("wal") };
    for request in [topic, keyword] {
        assert_eq!(texts(&database, &request), ["the wal is synced once a second by a thread of its own, long text"]);
    }
}

#[test]
fn a_project_recalls_its_own_and_what_belongs_to_none() {
    let mut database = database(&[("a", "global wal")]);
    for project in ["1111111111111111", "2222222222222222"] {
        let new = NewMemory {
            project: ProjectKey::of_repository(project),
            topic: "a".into(),
            summary: format!("wal of {project}"),
            ..NewMemory::default()
        };
        store(&mut database, &new, UnixMillis(1)).unwrap();
    }
    let scope = ListScope::Project(ProjectKey::of_repository("1111111111111111"));
    let mut found = texts(&database, &RecallRequest { scope, ..ask("wal") });
    found.sort();
    assert_eq!(found, ["global wal", "wal of 1111111111111111"]);
}

#[test]
fn what_is_no_question_is_refused() {
    let database = database(&[]);
    let refused = |request: RecallRequest| recall(&database, &request, UnixMillis(1)).unwrap_err().to_string();
    assert_eq!(refused(ask("  ")), "`query` is empty");
    assert_eq!(refused(ask(&"x".repeat(10_001))), "`query` has 10001 characters");
    assert_eq!(refused(RecallRequest { limit: 0, ..ask("a") }), "`limit` is 0");
    assert!(texts(&database, &ask("\" OR NEAR( * ^ -")).is_empty());
}

#[test]
fn who_asks_with_the_very_text_gets_that_memory_first() {
    let mut database = MemoryDatabase::in_memory(crate::MemoryOptions::default()).unwrap();
    let text = |word: &str| format!("We {word} use tabs in this repository, whatever the editor says.");
    for (at, word) in ["do not", "should not", "may not", "would not", "should"].iter().enumerate() {
        let new = crate::NewMemory { topic: "style".into(), summary: text(word), ..crate::NewMemory::default() };
        crate::store(&mut database, &new, UnixMillis(at as i64)).unwrap();
    }
    for word in ["do not", "should not", "may not", "would not", "should"] {
        let request = RecallRequest { query: text(word), limit: 1, ..RecallRequest::default() };
        let answer = recall(&database, &request, UnixMillis(10)).unwrap();
        assert_eq!(answer.memories[0].memory.summary, text(word));
    }
}

#[test]
fn what_the_best_memory_is_linked_to_comes_along() {
    let mut database = MemoryDatabase::in_memory(crate::MemoryOptions::default()).unwrap();
    let mut remember = |topic: &str, text: &str| {
        let new = crate::NewMemory { topic: topic.into(), summary: text.into(), ..crate::NewMemory::default() };
        crate::store(&mut database, &new, UnixMillis(1)).unwrap().id
    };
    let port = remember("net", "The gateway listens on port 8443.");
    let firewall = remember("net", "Firewalls only let that one through.");
    remember("net", "Colours are blue.");
    let concept = crate::memoir::NewConcept {
        name: "gateway".into(),
        definition: "Lets requests in.".into(),
        sources: vec![port, firewall.clone()],
        ..crate::memoir::NewConcept::default()
    };
    crate::memoir::create(&mut database, "design", "", crate::Author::Person, UnixMillis(2)).unwrap();
    crate::memoir::add_concept(&mut database, "design", &concept, crate::Author::Person, UnixMillis(2)).unwrap();
    let texts = |request: &RecallRequest| -> Vec<String> {
        let answer = recall(&database, request, UnixMillis(3)).unwrap();
        answer.memories.into_iter().map(|recalled| recalled.memory.summary).collect()
    };
    let request = RecallRequest { query: "which port has the gateway?".into(), limit: 5, ..RecallRequest::default() };
    assert_eq!(texts(&request), ["The gateway listens on port 8443.", "Firewalls only let that one through."]);
    let elsewhere = RecallRequest { topic: Some("other".into()), ..request };
    assert!(texts(&elsewhere).is_empty());
}
