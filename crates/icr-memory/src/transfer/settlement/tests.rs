use proptest::prelude::*;

use super::*;
use crate::transfer::archive::{ConceptText, LinkRecord, MemoryRecord, Tombstone};
use crate::transfer::testing::{archives, id, plain_memory};

proptest! {
    #[test]
    fn what_is_settled_stays_as_it_is(archive in archives()) {
        let settled = settle(archive).archive;
        let again = settle(settled.clone());
        prop_assert_eq!(&again.archive, &settled);
        prop_assert!(again.same.is_empty() && again.forgotten.is_empty() && again.incomplete.is_empty());
    }
}

fn memories(records: &[(&str, MemoryRecord)]) -> Archive {
    let memories = records.iter().map(|(name, record)| (id(name), Arc::new(record.clone()))).collect();
    Archive { memories, ..Archive::default() }
}

fn ids<T>(records: &BTreeMap<RecordId, T>) -> Vec<&str> {
    records.keys().map(RecordId::as_str).collect()
}

fn bury(archive: &mut Archive, entity: Entity, name: &str, at: i64) {
    archive.tombstones.insert((entity, id(name)), Tombstone { at: UnixMillis(at), revoked: false, seen: None });
}

#[test]
fn what_was_forgotten_after_its_last_change_is_gone() {
    let mut archive = memories(&[("m1", plain_memory("a", 5)), ("m2", plain_memory("b", 5))]);
    bury(&mut archive, Entity::Memory, "m1", 5);
    bury(&mut archive, Entity::Memory, "m2", 4);
    let settlement = settle(archive);
    assert_eq!(ids(&settlement.archive.memories), ["m2"]);
    assert_eq!(settlement.forgotten, [(Entity::Memory, id("m1"))].into());
}

#[test]
fn a_forgetting_that_was_taken_back_takes_nothing() {
    let mut archive = memories(&[("m1", plain_memory("a", 5))]);
    archive.tombstones.insert((Entity::Memory, id("m1")), Tombstone { at: UnixMillis(7), revoked: true, seen: None });
    assert_eq!(ids(&settle(archive).archive.memories), ["m1"]);
}

#[test]
fn one_of_two_memories_with_the_same_text_stays_and_gets_what_the_other_has() {
    let mut second = plain_memory("use  postgres", 2);
    second.related = OrderedWords::of_ids(&[id("m3")]);
    let mut third = plain_memory("c", 3);
    third.related = OrderedWords::of_ids(&[id("m2"), id("m1")]);
    let archive = memories(&[("m1", plain_memory("use postgres.", 1)), ("m2", second), ("m3", third)]);
    let settlement = settle(archive);
    assert_eq!(ids(&settlement.archive.memories), ["m1", "m3"]);
    assert_eq!(settlement.same, [((Entity::Memory, id("m2")), id("m1"))].into());
    let first = &settlement.archive.memories[&id("m1")];
    assert_eq!((first.latest().0.as_str(), first.related.0.as_slice()), ("use  postgres", &["m3".to_owned()][..]));
    assert_eq!(
        settlement.archive.memories[&id("m3")].related.0,
        ["m1"],
        "who referred to it refers to the one that stays"
    );
}

#[test]
fn other_projects_and_topics_keep_the_same_text_for_themselves() {
    let mut other = plain_memory("a", 1);
    other.texts.values_mut().for_each(|text| Arc::make_mut(text).project = ProjectKey::of_repository("x"));
    let mut topic = plain_memory("a", 1);
    topic.texts.values_mut().for_each(|text| Arc::make_mut(text).topic = "v".to_owned());
    let archive = memories(&[("m1", plain_memory("a", 1)), ("m2", other), ("m3", topic)]);
    assert_eq!(ids(&settle(archive).archive.memories), ["m1", "m2", "m3"]);
}

fn superseded(record: MemoryRecord, by: &[Option<&str>]) -> MemoryRecord {
    let mut record = record;
    let by: BTreeSet<Option<RecordId>> = by.iter().map(|by| by.map(id)).collect();
    record.texts.values_mut().for_each(|text| Arc::make_mut(text).superseded_by = by.clone());
    record
}

#[track_caller]
fn check_successor(by: &[Option<&str>], expected: Option<&str>) {
    let mut archive = memories(&[("m1", superseded(plain_memory("a", 1), by)), ("s1", plain_memory("b", 1))]);
    bury(&mut archive, Entity::Memory, "s2", 9);
    let settled = settle(archive).archive;
    let successor = settled.memories[&id("m1")].latest().1.superseded_by.clone();
    assert_eq!(successor, [expected.map(id)].into());
}

#[test]
fn a_consolidation_on_one_side_holds_on_both_until_it_is_undone() {
    check_successor(&[None, Some("s1")], Some("s1"));
    check_successor(&[None, Some("s2")], None);
    check_successor(&[Some("s1"), Some("s2")], Some("s1"));
    check_successor(&[Some("s2")], Some("s2"));
}

fn concept(memoir: &str, name: &str, definition: &str, updated_at: i64) -> ConceptRecord {
    let text = ConceptText {
        updated_at: UnixMillis(updated_at),
        memoir_id: id(memoir),
        name: name.to_owned(),
        labels: OrderedWords::default(),
        confidence: 0.5,
        revision: 1,
    };
    ConceptRecord {
        created_at: UnixMillis(0),
        texts: BTreeMap::from([(definition.to_owned(), Arc::new(text))]),
        sources: OrderedWords::default(),
    }
}

fn memoir(name: &str) -> MemoirRecord {
    MemoirRecord {
        created_at: UnixMillis(0),
        updated_at: UnixMillis(0),
        name: name.to_owned(),
        description: String::new(),
        consolidation_threshold: 50,
    }
}

fn link(source: &str, target: &str) -> LinkRecord {
    let ends = LinkEnds { source_id: id(source), target_id: id(target), relation: "part_of".to_owned() };
    LinkRecord { created_at: UnixMillis(0), ends, weight: 1.0 }
}

fn graph() -> Archive {
    Archive {
        memoirs: [(id("r1"), memoir("design")), (id("r2"), memoir("design"))].into(),
        concepts: [
            (id("c1"), concept("r1", "cache", "an old thought", 1)),
            (id("c2"), concept("r2", "cache", "a new thought", 2)),
            (id("c3"), concept("r2", "index", "c", 1)),
        ]
        .into(),
        links: [(id("l1"), link("c3", "c2")), (id("l2"), link("c3", "c1"))].into(),
        ..Archive::default()
    }
}

#[test]
fn memoirs_and_concepts_of_one_name_become_one() {
    let settlement = settle(graph());
    let settled = &settlement.archive;
    assert_eq!(ids(&settled.memoirs), ["r1"]);
    assert_eq!(ids(&settled.concepts), ["c1", "c3"]);
    assert_eq!(settled.concepts[&id("c1")].latest().0, "a new thought");
    assert_eq!(settled.concepts[&id("c1")].texts.len(), 2, "the other definition is known");
    assert_eq!(settled.concepts[&id("c3")].latest().1.memoir_id, id("r1"));
    assert_eq!(ids(&settled.links), ["l1"], "two links that say the same are one");
    assert_eq!(settled.links[&id("l1")].ends.target_id, id("c1"));
}

#[test]
fn a_memoir_takes_along_what_is_in_it_unless_that_was_changed_later() {
    let mut archive = graph();
    archive.memoirs.remove(&id("r1"));
    archive.concepts.remove(&id("c1"));
    bury(&mut archive, Entity::Memoir, "r2", 2);
    let settlement = settle(archive.clone());
    assert!(settlement.archive.memoirs.is_empty() && settlement.archive.concepts.is_empty());
    assert!(settlement.archive.links.is_empty());
    assert_eq!(settlement.forgotten.len(), 5);

    bury(&mut archive, Entity::Memoir, "r2", 1);
    assert_eq!(ids(&settle(archive).archive.memoirs), ["r2"]);
}

#[test]
fn what_lacks_what_it_belongs_to_is_named() {
    let archive = Archive {
        memoirs: [(id("r1"), memoir("design"))].into(),
        concepts: [(id("c1"), concept("r1", "cache", "a", 1)), (id("c2"), concept("r9", "index", "b", 1))].into(),
        links: [(id("l1"), link("c1", "c2"))].into(),
        ..Archive::default()
    };
    let settlement = settle(archive);
    let said: Vec<String> = settlement.incomplete.iter().map(|((_, id), why)| format!("{id}: {why}")).collect();
    assert_eq!(said, ["c2: there is no memoir `r9`", "l1: there is no concept `c2`"]);
}
