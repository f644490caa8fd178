use super::*;
use crate::{Importance, ListRequest, MemoryOptions, NewMemory, list, memory_of, store, undo};

fn database() -> MemoryDatabase {
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    for (at, (summary, importance)) in
        [("small", Importance::Low), ("large\nthing", Importance::High), ("other", Importance::Medium)]
            .into_iter()
            .enumerate()
    {
        let keywords = vec![format!("k{at}"), "all".to_owned()];
        let new =
            NewMemory { topic: "a".into(), summary: summary.into(), importance, keywords, ..NewMemory::default() };
        store(&mut database, &new, UnixMillis(at as i64)).unwrap();
    }
    database
}

fn listed(database: &MemoryDatabase, archived: bool) -> Vec<Memory> {
    list(database, &ListRequest { archived, ..ListRequest::default() }, UnixMillis(10)).unwrap()
}

fn request(summary: Option<&str>, keep_originals: bool) -> ConsolidationRequest {
    let summary = summary.map(str::to_owned);
    ConsolidationRequest { topic: "a".into(), summary, keep_originals, ..ConsolidationRequest::default() }
}

#[test]
fn one_memory_stands_in_place_of_a_topic_and_nothing_is_lost() {
    let mut database = database();
    let before = listed(&database, true);
    let consolidation = consolidate(&mut database, &request(Some("all of it"), false), UnixMillis(9)).unwrap();
    let memory = memory_of(&database, &consolidation.id).unwrap();
    assert_eq!((memory.summary.as_str(), memory.importance), ("all of it", Importance::High));
    assert_eq!(memory.related, consolidation.sources);
    assert_eq!(memory.keywords.len(), 4);
    assert_eq!(listed(&database, false), [memory]);
    assert_eq!(listed(&database, true).len(), 4);
    undo(&mut database, consolidation.operation, Author::Person, UnixMillis(10)).unwrap();
    assert_eq!(listed(&database, true), before);
}

#[test]
fn without_a_summary_the_texts_stand_there_most_important_first() {
    let mut database = database();
    let consolidation = consolidate(&mut database, &request(None, false), UnixMillis(9)).unwrap();
    assert_eq!(memory_of(&database, &consolidation.id).unwrap().summary, "- large thing\n- other\n- small");
}

#[test]
fn originals_may_be_kept() {
    let mut database = database();
    consolidate(&mut database, &request(Some("all of it"), true), UnixMillis(9)).unwrap();
    assert_eq!(listed(&database, false).len(), 4);
}

#[test]
fn a_topic_without_memories_and_an_empty_summary_are_refused() {
    let mut database = database();
    let unknown = ConsolidationRequest { topic: "b".into(), ..ConsolidationRequest::default() };
    assert_eq!(consolidate(&mut database, &unknown, UnixMillis(9)).unwrap_err().to_string(), "there is no topic `b`");
    assert_eq!(
        consolidate(&mut database, &request(Some(" "), false), UnixMillis(9)).unwrap_err().to_string(),
        "`summary` is empty"
    );
    assert_eq!(listed(&database, true).len(), 3);
}

#[test]
fn the_code_of_all_memories_and_of_the_summary_is_kept() {
    let place = |path: &str, blob: &str| crate::CodePlace {
        path: path.into(),
        symbol: None,
        blob: Some(blob.into()),
        definition: None,
        found_in_text: false,
    };
    let bound = |places: Vec<crate::CodePlace>| Some(CodeBinding { places, ..CodeBinding::default() });
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    for (at, (summary, places)) in
        [("one", vec![place("a", "1"), place("b", "1")]), ("two", vec![place("b", "2")]), ("three", Vec::new())]
            .into_iter()
            .enumerate()
    {
        let new = NewMemory { topic: "a".into(), summary: summary.into(), code: bound(places), ..NewMemory::default() };
        store(&mut database, &new, UnixMillis(at as i64)).unwrap();
    }
    let request = ConsolidationRequest { code: bound(vec![place("c", "3")]), ..request(None, false) };
    let id = consolidate(&mut database, &request, UnixMillis(9)).unwrap().id;
    let places = memory_of(&database, &id).unwrap().code.unwrap().places;
    assert_eq!(places, [place("c", "3"), place("b", "2"), place("a", "1")]);
}

#[test]
fn a_single_memory_needs_a_summary_and_a_list_stays_a_list() {
    let mut database = database();
    consolidate(&mut database, &request(None, false), UnixMillis(9)).unwrap();
    let single = consolidate(&mut database, &request(None, false), UnixMillis(10)).unwrap_err();
    assert_eq!(single.to_string(), "`topic` has a single memory");
    let new = NewMemory { topic: "a".into(), summary: "- newer".into(), ..NewMemory::default() };
    store(&mut database, &new, UnixMillis(11)).unwrap();
    let id = consolidate(&mut database, &request(None, false), UnixMillis(12)).unwrap().id;
    let text = memory_of(&database, &id).unwrap().summary;
    assert!(!text.contains("- -"), "{text}");
}

#[test]
fn what_expires_and_what_does_not_fit_is_not_consolidated() {
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    let note = |summary: &str, expires_at| NewMemory {
        topic: "a".into(),
        summary: summary.into(),
        expires_at,
        ..NewMemory::default()
    };
    for new in [note("one", None), note("two", None), note("for now", Some(UnixMillis(100)))] {
        store(&mut database, &new, UnixMillis(1)).unwrap();
    }
    let consolidation = consolidate(&mut database, &request(None, false), UnixMillis(9)).unwrap();
    assert_eq!(consolidation.sources.len(), 2);
    assert_eq!(listed(&database, false).len(), 2, "what expires is left as it is");
    store(&mut database, &note(&"x".repeat(crate::TEXT_BYTES_MOST), None), UnixMillis(10)).unwrap();
    let refused = consolidate(&mut database, &request(None, false), UnixMillis(11)).unwrap_err();
    assert!(refused.to_string().ends_with("which is more than a memory holds"), "{refused}");
}
