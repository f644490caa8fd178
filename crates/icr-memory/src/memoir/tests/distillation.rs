//! Concepts made from memories.

use super::*;
use crate::{Access, NewMemory, ProjectKey, forget, store};

fn remember(database: &mut MemoryDatabase, topic: &str, texts: &[&str]) -> Vec<crate::RecordId> {
    let stored = texts.iter().map(|text| {
        let memory = NewMemory { topic: topic.into(), summary: (*text).into(), ..NewMemory::default() };
        store(database, &memory, UnixMillis(100)).unwrap().id
    });
    stored.collect()
}

fn request() -> DistillationRequest {
    DistillationRequest { topic: "choices".into(), memoir: "system".into(), ..DistillationRequest::default() }
}

const CHOICES: [&str; 4] = [
    "We use WAL mode because readers must not wait.",
    "The retry queue has a bound of 100 jobs.",
    "Retry queues are emptied on shutdown.",
    "`parse_config` fails on an empty file.",
];

fn shown(database: &MemoryDatabase) -> String {
    let mut text = String::new();
    for concept in graph(database, "system").unwrap().concepts {
        let labels: Vec<&str> = concept.labels.iter().map(Label::as_str).collect();
        let line = format!("{} {:?} {} from {}\n", concept.name, labels, concept.revision, concept.sources.len());
        text.push_str(&line);
        for line in concept.definition.lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

#[test]
fn memories_of_a_topic_become_concepts_by_what_they_are_about() {
    let mut database = memoir_of(&[]);
    let ids = remember(&mut database, "choices", &CHOICES);
    let preview = distill_preview(&database, &request(), UnixMillis(200)).unwrap();
    assert!(graph(&database, "system").unwrap().concepts.is_empty());
    let done = distill(&mut database, &request(), Author::Agent, UnixMillis(200)).unwrap();
    assert_eq!(Distillation { operation: None, ..done.clone() }, preview);
    assert_eq!(done.concepts[1].sources, [ids[1].clone(), ids[2].clone()]);
    insta::assert_snapshot!(shown(&database), @r#"
WAL mode ["topic:choices"] 1 from 1
  We use WAL mode because readers must not wait.
parse_config ["topic:choices"] 1 from 1
  `parse_config` fails on an empty file.
retry queue ["topic:choices"] 1 from 2
  The retry queue has a bound of 100 jobs.
  Retry queues are emptied on shutdown.
"#);
    undo(&mut database, done.operation, Author::Person, UnixMillis(201)).unwrap();
    assert!(graph(&database, "system").unwrap().concepts.is_empty());
}

#[test]
fn distilling_again_adds_what_is_new_only() {
    let mut database = memoir_of(&[]);
    remember(&mut database, "choices", &CHOICES);
    distill(&mut database, &request(), Author::Agent, UnixMillis(200)).unwrap();
    let before = graph(&database, "system").unwrap();
    let again = distill(&mut database, &request(), Author::Agent, UnixMillis(300)).unwrap();
    assert_eq!((again.concepts.len(), again.known, again.operation), (0, 4, None));
    assert_eq!(graph(&database, "system").unwrap(), before);
    remember(&mut database, "choices", &["The retry queue drops jobs after a day."]);
    let more = distill(&mut database, &request(), Author::Agent, UnixMillis(400)).unwrap();
    let changes: Vec<_> = more.concepts.iter().map(|concept| (concept.name.as_str(), concept.action)).collect();
    assert_eq!(changes, [("retry queue", DistillationAction::Refined)]);
}

#[test]
fn a_concept_that_is_there_keeps_what_it_says() {
    let mut database = memoir_of(&[]);
    add(&mut database, "Retry Queue", "Where failed jobs wait.", "mine").unwrap();
    remember(&mut database, "choices", &CHOICES[1..3]);
    let done = distill(&mut database, &request(), Author::Agent, UnixMillis(200)).unwrap();
    assert_eq!(done.concepts[0].action, DistillationAction::Refined);
    insta::assert_snapshot!(shown(&database), @r#"
Retry Queue ["mine"] 2 from 2
  Where failed jobs wait.
  The retry queue has a bound of 100 jobs.
  Retry queues are emptied on shutdown.
"#);
    undo(&mut database, None, Author::Person, UnixMillis(201)).unwrap();
    assert_eq!(shown(&database), "Retry Queue [\"mine\"] 1 from 0\n  Where failed jobs wait.\n");
}

#[test]
fn a_memoir_is_made_on_request_only() {
    let mut database = database();
    remember(&mut database, "choices", &CHOICES[..1]);
    let refused = distill(&mut database, &request(), Author::Agent, UnixMillis(200)).unwrap_err();
    assert_eq!(advice(refused), "there is no memoir `system`: ");
    let create = DistillationRequest { create: true, ..request() };
    assert_eq!(distill_preview(&database, &create, UnixMillis(200)).unwrap().memoir, "system");
    assert!(list(&database).unwrap().is_empty());
    distill(&mut database, &create, Author::Agent, UnixMillis(200)).unwrap();
    assert_eq!(list(&database).unwrap()[0].concepts, 1);
    undo(&mut database, None, Author::Person, UnixMillis(300)).unwrap();
    assert!(list(&database).unwrap().is_empty());
}

#[test]
fn a_topic_without_memories_is_an_error() {
    let mut database = memoir_of(&[]);
    let ids = remember(&mut database, "choices", &CHOICES[..1]);
    let wrong = DistillationRequest { topic: "choises".into(), ..request() };
    assert_eq!(
        advice(distill(&mut database, &wrong, Author::Agent, UnixMillis(200)).unwrap_err()),
        "there is no topic `choises`: choices"
    );
    let project = ProjectKey::of_repository("0123456789abcdef");
    distill(&mut database, &DistillationRequest { project, ..request() }, Author::Agent, UnixMillis(200)).unwrap_err();
    forget(&mut database, &ids[0], Author::Person, UnixMillis(150)).unwrap();
    distill_preview(&database, &request(), UnixMillis(200)).unwrap_err();
}

#[test]
fn any_texts_can_be_distilled_and_the_same_texts_give_the_same_concepts() {
    let texts = ["?!", "🦀🦀", "\u{202e}abc", "a\u{0}b", "- [ ] # x", "`", "``", "x".repeat(5_000).as_str(), "it is"]
        .map(str::to_owned);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let names = || {
        let mut database = memoir_of(&[]);
        remember(&mut database, "choices", &texts);
        let done = distill(&mut database, &request(), Author::Agent, UnixMillis(200)).unwrap();
        // What has no letter at all is named by its id.
        done.concepts.into_iter().map(|concept| concept.name).filter(|name| name.len() != 26).collect::<Vec<_>>()
    };
    assert_eq!(names(), names());
    assert!(names().len() >= 6);
}

#[test]
fn previews_read_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.sqlite");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    remember(&mut database, "choices", &CHOICES);
    create(&mut database, "system", "", Author::Person, UnixMillis(1)).unwrap();
    drop(database);
    let mut database = MemoryDatabase::existing(&path, Access::Read, MemoryOptions::default()).unwrap().unwrap();
    assert_eq!(distill_preview(&database, &request(), UnixMillis(200)).unwrap().concepts.len(), 3);
    assert!(matches!(distill(&mut database, &request(), Author::Agent, UnixMillis(200)), Err(Error::ReadOnly { .. })));
    assert!(matches!(create(&mut database, "x", "", Author::Agent, UnixMillis(200)), Err(Error::ReadOnly { .. })));
}
