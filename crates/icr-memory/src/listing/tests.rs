use super::*;
use crate::{Importance, MemoryOptions, NewMemory, store, touch};

const DAY: i64 = 86_400_000;

fn database(memories: &[(&str, &str, Importance, i64)]) -> MemoryDatabase {
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    for (topic, summary, importance, at) in memories {
        let new = NewMemory {
            topic: (*topic).to_owned(),
            summary: (*summary).to_owned(),
            importance: *importance,
            ..NewMemory::default()
        };
        store(&mut database, &new, UnixMillis(*at)).unwrap();
    }
    database
}

fn texts(database: &MemoryDatabase, request: &ListRequest, now: i64) -> String {
    let memories = list(database, request, UnixMillis(now)).unwrap();
    memories.iter().map(|memory| memory.summary.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn memories_are_listed_in_the_order_asked_for() {
    use Importance::{Critical, Low, Medium};
    let mut database = database(&[("a", "old", Critical, 0), ("a", "new", Low, DAY), ("b", "middle", Medium, DAY / 2)]);
    let old = list(&database, &ListRequest { topic: Some("a".into()), ..Default::default() }, UnixMillis(0)).unwrap()
        [1]
    .id
    .clone();
    touch(&mut database, &[old], UnixMillis(2 * DAY)).unwrap();
    let by = |order| texts(&database, &ListRequest { order, ..Default::default() }, 10 * DAY);
    assert_eq!(by(ListOrder::Created), "new middle old");
    assert_eq!(by(ListOrder::Weight), "old middle new");
    assert_eq!(by(ListOrder::Accessed), "old new middle");
    assert_eq!(by(ListOrder::Importance), "old middle new");
    let page = ListRequest { offset: 1, limit: Some(1), ..Default::default() };
    assert_eq!(texts(&database, &page, 0), "middle");
}

#[test]
fn what_is_over_is_not_listed_and_not_counted() {
    let mut database = database(&[("a", "stays", Importance::Low, 0)]);
    let new = NewMemory {
        topic: "a".into(),
        summary: "ends".into(),
        expires_at: Some(UnixMillis(5)),
        ..NewMemory::default()
    };
    store(&mut database, &new, UnixMillis(1)).unwrap();
    assert_eq!(texts(&database, &ListRequest::default(), 4), "ends stays");
    assert_eq!(texts(&database, &ListRequest::default(), 5), "stays");
    assert_eq!(texts(&database, &ListRequest { archived: true, ..Default::default() }, 5), "ends stays");
    assert_eq!(topics(&database, &ListScope::All, UnixMillis(5)).unwrap()[0].count, 1);
    assert_eq!(statistics(&database, &ListScope::All, UnixMillis(5)).unwrap().memories, 1);
}

#[test]
fn a_project_sees_its_own_memories_and_those_of_none() {
    let mut database = database(&[("a", "global", Importance::Low, 0)]);
    for (project, at) in [("1111111111111111", 1), ("2222222222222222", 2)] {
        let project = ProjectKey::of_repository(project);
        let summary = format!("of {}", project.as_str());
        store(
            &mut database,
            &NewMemory { project, topic: "a".into(), summary, ..NewMemory::default() },
            UnixMillis(at),
        )
        .unwrap();
    }
    let scope = ListScope::Project(ProjectKey::of_repository("1111111111111111"));
    assert_eq!(
        texts(&database, &ListRequest { scope: scope.clone(), ..Default::default() }, 3),
        "of 1111111111111111 global"
    );
    assert_eq!(topics(&database, &scope, UnixMillis(3)).unwrap().len(), 2);
    assert_eq!(topics(&database, &ListScope::All, UnixMillis(3)).unwrap().len(), 3);
}

#[test]
fn health_says_what_is_stale_and_what_is_too_much() {
    let mut memories = vec![("quiet", "one fact", Importance::Low, 0)];
    let texts: Vec<String> = (0..8).map(|at| format!("fact number {at}")).collect();
    memories.extend(texts.iter().map(|text| ("busy", text.as_str(), Importance::Critical, 20 * DAY)));
    let database = database(&memories);
    let found = health(&database, &ListScope::All, None, UnixMillis(20 * DAY)).unwrap();
    let of = |at: usize| (found[at].topic.as_str(), found[at].count, found[at].stale, found[at].needs_consolidation);
    assert_eq!([of(0), of(1)], [("busy", 8, 0, true), ("quiet", 1, 1, false)]);
    assert_eq!(found[0].last_accessed.to_string(), "1970-01-21T00:00:00Z");
    let refused = health(&database, &ListScope::All, Some("bus"), UnixMillis(0)).unwrap_err();
    assert!(matches!(&refused, Error::NotFound { similar, .. } if similar == &["busy"]), "{refused:?}");
}

#[test]
fn numbers_of_an_empty_database_are_zero() {
    let statistics = statistics(&database(&[]), &ListScope::All, UnixMillis(0)).unwrap();
    assert_eq!((statistics.memories, statistics.average_weight, statistics.oldest), (0, 0.0, None));
}

#[test]
fn a_value_that_makes_no_sense_is_named_and_the_memory_shown_and_mended() {
    for (damage, columns) in [
        ("created_at = 9223372036854775807", &["created_at"][..]),
        ("updated_at = 'yesterday'", &["updated_at"]),
        ("weight = 9e999, importance = 12", &["importance", "weight"]),
        ("keywords = '[', access_count = -1", &["keywords", "access_count"]),
        ("expires_at = 'never', superseded_by = NULL", &["expires_at"]),
    ] {
        let mut database = database(&[("t", "fine", Importance::High, 1), ("t", "damaged", Importance::High, 2)]);
        let sql = format!("UPDATE memories SET {damage} WHERE no = 2");
        database.write("damaging", |transaction, _| Ok(transaction.execute(&sql, [])?)).unwrap();
        let memories = list(&database, &ListRequest::default(), UnixMillis(3)).unwrap();
        let senseless = |summary: &str| {
            let memory = memories.iter().find(|memory| memory.summary == summary);
            memory.unwrap_or_else(|| panic!("{damage}: {memories:?}")).senseless.clone()
        };
        assert_eq!((senseless("fine").as_slice(), senseless("damaged").as_slice()), (&[][..], columns), "{damage}");
        let id = memories.iter().find(|memory| memory.summary == "damaged").unwrap().id.clone();
        let change = crate::MemoryUpdate { summary: Some("mended".to_owned()), ..crate::MemoryUpdate::default() };
        crate::update(&mut database, &id, &change, Author::Person, UnixMillis(4)).unwrap();
        assert_eq!(memory_of(&database, &id).unwrap().senseless, [""; 0], "{damage}");
    }
}

#[test]
fn a_row_without_an_id_is_counted_and_keeps_nothing_from_being_listed() {
    let mut database = database(&[("t", "fine", Importance::High, 1), ("t", "damaged", Importance::High, 2)]);
    let sql = "UPDATE memories SET id = 'no id' WHERE no = 2";
    database.write("damaging", |transaction, _| Ok(transaction.execute(sql, [])?)).unwrap();
    let listed = list(&database, &ListRequest::default(), UnixMillis(3)).unwrap();
    assert_eq!(listed.iter().map(|memory| memory.summary.as_str()).collect::<Vec<_>>(), ["fine"]);
    assert_eq!(nameless_rows(&database).unwrap(), [2]);
    assert_eq!(statistics(&database, &ListScope::All, UnixMillis(3)).unwrap().nameless, 1);
}
