use super::*;
use crate::list;
use crate::{Importance, MemoryOptions, NewMemory, memory_of, store, undo};

const DAY: i64 = 86_400_000;

fn database() -> MemoryDatabase {
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    for importance in Importance::ALL {
        let new = NewMemory {
            topic: "a".into(),
            summary: format!("{} fact", importance.name()),
            importance,
            ..NewMemory::default()
        };
        store(&mut database, &new, UnixMillis(0)).unwrap();
    }
    database
}

fn names(database: &MemoryDatabase) -> String {
    let memories = list(database, &ListRequest::default(), UnixMillis(0)).unwrap();
    memories.iter().map(|memory| memory.importance.name()).collect::<Vec<_>>().join(" ")
}

#[test]
fn only_what_is_light_and_may_be_pruned_is_pruned() {
    let mut database = database();
    let now = 30 * DAY;
    let dry = prune(&mut database, &ListScope::All, 0.1, true, Author::Person, UnixMillis(now)).unwrap();
    assert_eq!((dry.count, dry.operation), (1, None));
    assert_eq!(names(&database), "critical high medium low");
    let pruned = prune(&mut database, &ListScope::All, 0.1, false, Author::Person, UnixMillis(now)).unwrap();
    assert_eq!((pruned.count, names(&database).as_str()), (1, "critical high medium"));
    prune(&mut database, &ListScope::All, 1.0, false, Author::Person, UnixMillis(10_000 * DAY)).unwrap();
    assert_eq!(names(&database), "critical high", "high and critical ones stay whatever they weigh");
    undo(&mut database, pruned.operation, Author::Person, UnixMillis(now)).unwrap();
    assert_eq!(names(&database), "critical high low");
    let refused = prune(&mut database, &ListScope::All, 1.5, false, Author::Person, UnixMillis(now)).unwrap_err();
    assert_eq!(refused.to_string(), "`threshold` is 1.5");
}

#[test]
fn decay_writes_what_time_did_and_a_factor_takes_more() {
    let mut database = database();
    let medium = |database: &MemoryDatabase| {
        let memories = list(database, &ListRequest::default(), UnixMillis(0)).unwrap();
        let id = memories.iter().find(|memory| memory.importance == Importance::Medium).unwrap().id.clone();
        memory_of(database, &id).unwrap()
    };
    assert_eq!(
        decay(&mut database, &ListScope::All, None, UnixMillis(7 * DAY)).unwrap(),
        3,
        "critical ones do not decay"
    );
    let after = medium(&database);
    assert!((after.weight - 0.698).abs() < 1e-3);
    assert_eq!(after.weight_at, UnixMillis(7 * DAY));
    assert_eq!(
        decay(&mut database, &ListScope::All, None, UnixMillis(7 * DAY)).unwrap(),
        0,
        "the same moment changes nothing more"
    );
    decay(&mut database, &ListScope::All, Some(0.95), UnixMillis(7 * DAY)).unwrap();
    assert!((medium(&database).weight - 0.698 * 0.95).abs() < 1e-3);
    for factor in [0.0, 1.0] {
        decay(&mut database, &ListScope::All, Some(factor), UnixMillis(7 * DAY)).unwrap();
        let weights = list(&database, &ListRequest::default(), UnixMillis(0)).unwrap();
        assert!(weights.iter().all(|memory| memory.weight > 0.0 && memory.weight <= 1.0));
    }
    let [one, other] = ["one", "other"].map(ProjectKey::of_repository);
    let new = NewMemory { project: one, topic: "a".into(), summary: "of one".into(), ..NewMemory::default() };
    let id = store(&mut database, &new, UnixMillis(7 * DAY)).unwrap().id;
    decay(&mut database, &ListScope::Project(other), Some(0.5), UnixMillis(7 * DAY)).unwrap();
    assert!((memory_of(&database, &id).unwrap().weight - 1.0).abs() < 1e-9, "another project's memory stays");
    assert_eq!(
        decay(&mut database, &ListScope::All, Some(2.0), UnixMillis(0)).unwrap_err().to_string(),
        "`factor` is 2"
    );
}
