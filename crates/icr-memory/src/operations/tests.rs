use proptest::prelude::*;

use super::*;
use crate::{
    ConsolidationRequest, Importance, ListRequest, ListScope, MemoryOptions, MemoryUpdate, NewMemory, RecordId,
    consolidate, forget, list, prune, store, update,
};

fn database() -> MemoryDatabase {
    MemoryDatabase::in_memory(MemoryOptions::default()).unwrap()
}

fn note(topic: &str, summary: &str) -> NewMemory {
    NewMemory { topic: topic.to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
}

/// All memories but for what accesses change.
fn contents(database: &MemoryDatabase) -> Vec<crate::Memory> {
    let all = ListRequest { archived: true, ..ListRequest::default() };
    let mut memories = list(database, &all, UnixMillis(0)).unwrap();
    for memory in &mut memories {
        (memory.access_count, memory.accessed_at, memory.weight, memory.weight_at) =
            (0, UnixMillis(0), 1.0, UnixMillis(0));
        // Storing a text again states it anew, which is no operation.
        memory.updated_at = UnixMillis(0);
    }
    memories
}

#[test]
fn undoing_an_undoing_does_it_again() {
    let mut database = database();
    let id = store(&mut database, &note("a", "b"), UnixMillis(1)).unwrap().id;
    let stored = contents(&database);
    let undone = undo(&mut database, None, Author::Person, UnixMillis(2)).unwrap();
    assert_eq!((undone.operation, undone.kind.as_str(), undone.records[0].change), (1, "store", "removed"));
    assert!(contents(&database).is_empty());
    let again = undo(&mut database, Some(undone.undone_by), Author::Person, UnixMillis(3)).unwrap();
    assert_eq!((again.kind.as_str(), again.records[0].id.as_str()), ("undo", id.as_str()));
    assert_eq!(contents(&database), stored);
    let log = operations(&database, &crate::ListScope::All, 10).unwrap();
    let kinds: Vec<_> = log.iter().map(|entry| (entry.number, entry.kind.as_str(), entry.undone_by)).collect();
    assert_eq!(kinds, [(3, "undo", None), (2, "undo", Some(3)), (1, "store", None)]);
}

#[test]
fn what_was_changed_later_is_not_undone_before_that_is() {
    let mut database = database();
    let id = store(&mut database, &note("a", "b"), UnixMillis(1)).unwrap().id;
    let change = MemoryUpdate { summary: Some("c".into()), ..Default::default() };
    update(&mut database, &id, &change, Author::Person, UnixMillis(2)).unwrap();
    let refused = undo(&mut database, Some(1), Author::Person, UnixMillis(3)).unwrap_err();
    assert_eq!(refused.to_string(), format!("operation 1 cannot be undone: the memory `{id}` was changed after it"));
    assert!(matches!(refused, Error::ChangedSince { by: Some(2), .. }));
    undo(&mut database, Some(2), Author::Person, UnixMillis(4)).unwrap();
    let refused = undo(&mut database, Some(2), Author::Person, UnixMillis(5)).unwrap_err();
    assert_eq!(refused.to_string(), "`operation` 2 was undone already");
    let refused = undo(&mut database, Some(77), Author::Person, UnixMillis(5)).unwrap_err();
    assert_eq!(refused.to_string(), "there is no operation `77`");
}

#[test]
fn nothing_to_undo_is_said() {
    let refused = undo(&mut database(), None, Author::Person, UnixMillis(5)).unwrap_err();
    assert_eq!(refused.to_string(), "there is nothing to undo");
}

#[test]
fn the_history_of_a_memory_says_what_it_was() {
    let mut database = database();
    let id = store(&mut database, &note("a", "first"), UnixMillis(1)).unwrap().id;
    for (at, text) in [(2, "second"), (3, "third")] {
        let change = MemoryUpdate { summary: Some(text.into()), ..Default::default() };
        update(&mut database, &id, &change, Author::Agent, UnixMillis(at)).unwrap();
    }
    let history = history(&database, Entity::Memory, id.as_str()).unwrap();
    let texts: Vec<_> = history.iter().map(|(_, before)| before["summary"].as_str()).collect();
    assert_eq!(texts, [Some("second"), Some("first"), None]);
}

#[test]
fn operations_of_one_project_are_listed_apart() {
    let mut database = database();
    let project = ProjectKey::of_repository("0123456789abcdef");
    store(&mut database, &note("a", "b"), UnixMillis(1)).unwrap();
    store(&mut database, &NewMemory { project: project.clone(), ..note("a", "c") }, UnixMillis(1)).unwrap();
    assert_eq!(operations(&database, &crate::ListScope::All, 10).unwrap().len(), 2);
    let own = operations(&database, &crate::ListScope::Project(project.clone()), 10).unwrap();
    assert_eq!(
        own.iter().map(|operation| operation.number).collect::<Vec<_>>(),
        [2, 1],
        "what is of no project is of each"
    );
    assert_eq!(own.iter().map(|operation| operation.project.as_str()).collect::<Vec<_>>(), [project.as_str(), ""]);
}

#[derive(Debug, Clone)]
enum Step {
    Store(u8, u8),
    Update(u8, u8),
    Forget(u8),
    Consolidate(u8),
    Prune,
    Undo,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_u8, 0..12_u8).prop_map(|(topic, text)| Step::Store(topic, text)),
        2 => (any::<u8>(), 0..12_u8).prop_map(|(which, text)| Step::Update(which, text)),
        2 => any::<u8>().prop_map(Step::Forget),
        1 => (0..3_u8).prop_map(Step::Consolidate),
        1 => Just(Step::Prune),
        2 => Just(Step::Undo),
    ]
}

fn take(database: &mut MemoryDatabase, step: &Step, now: i64) {
    let text = |text: &u8| format!("fact {text} of many");
    let which = |database: &MemoryDatabase, which: &u8| -> Option<RecordId> {
        let memories = contents(database);
        (!memories.is_empty()).then(|| memories[usize::from(*which) % memories.len()].id.clone())
    };
    match step {
        Step::Store(topic, number) => {
            let importance = if number % 2 == 0 { Importance::Low } else { Importance::High };
            store(
                database,
                &NewMemory { importance, ..note(&format!("topic {topic}"), &text(number)) },
                UnixMillis(now),
            )
            .unwrap();
        }
        Step::Update(at, number) => {
            let change = MemoryUpdate { summary: Some(text(number)), ..Default::default() };
            if let Some(id) = which(database, at) {
                match update(database, &id, &change, Author::Person, UnixMillis(now)) {
                    // The topic has this text already.
                    Err(Error::Invalid { field: "content", .. }) => {}
                    updated => drop(updated.unwrap()),
                }
            }
        }
        Step::Forget(at) => {
            if let Some(id) = which(database, at) {
                forget(database, &id, Author::Person, UnixMillis(now)).unwrap();
            }
        }
        Step::Consolidate(topic) => {
            let request = ConsolidationRequest { topic: format!("topic {topic}"), ..Default::default() };
            let _ = consolidate(database, &request, UnixMillis(now));
        }
        Step::Prune => {
            prune(database, &ListScope::All, 0.5, false, Author::Person, UnixMillis(now + 86_400_000 * 30)).unwrap();
        }
        Step::Undo => {
            let _ = undo(database, None, Author::Person, UnixMillis(now));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Undoing all that was done, the newest first, goes through all earlier states.
    #[test]
    fn any_history_can_be_undone_step_by_step(steps in proptest::collection::vec(step(), 1..20)) {
        let mut database = database();
        // What each operation that is not undone found when it began.
        let mut found: Vec<(i64, Vec<crate::Memory>)> = Vec::new();
        for (now, step) in steps.iter().enumerate() {
            let before = contents(&database);
            let newest = operations(&database, &crate::ListScope::All, 1).unwrap().first().map_or(0, |operation| operation.number);
            take(&mut database, step, now as i64);
            let log = operations(&database, &crate::ListScope::All, 1).unwrap();
            let Some(operation) = log.first().filter(|operation| operation.number > newest) else { continue };
            if operation.kind == "undo" {
                let (_, expected) = found.pop().unwrap();
                prop_assert_eq!(contents(&database), expected);
            } else {
                found.push((operation.number, before));
            }
        }
        while let Some((number, expected)) = found.pop() {
            let undone = undo(&mut database, None, Author::Person, UnixMillis(1_000)).unwrap();
            prop_assert_eq!(undone.operation, number);
            prop_assert_eq!(contents(&database), expected);
        }
        prop_assert!(contents(&database).is_empty());
        database.check().unwrap();
    }
}

#[test]
fn the_newest_operation_is_that_of_the_project_and_of_none() {
    let mut database = MemoryDatabase::in_memory(crate::MemoryOptions::default()).unwrap();
    let [one, other] = ["1111111111111111", "2222222222222222"].map(ProjectKey::of_repository);
    for (project, text) in [(&one, "first"), (&other, "second")] {
        let new = crate::NewMemory {
            project: project.clone(),
            topic: "t".into(),
            summary: text.into(),
            ..crate::NewMemory::default()
        };
        crate::store(&mut database, &new, UnixMillis(1)).unwrap();
    }
    let newest = |project: &ProjectKey| UndoTarget::Newest(ListScope::Project(project.clone()));
    let undone = undo(&mut database, newest(&one), Author::Person, UnixMillis(2)).unwrap();
    assert_eq!(undone.operation, 1);
    let nothing = undo(&mut database, newest(&one), Author::Person, UnixMillis(3)).unwrap_err();
    assert_eq!(nothing.to_string(), "there is nothing to undo");
    assert_eq!(undo(&mut database, newest(&other), Author::Person, UnixMillis(3)).unwrap().operation, 2);
}
