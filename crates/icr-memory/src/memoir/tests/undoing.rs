//! Undoing is complete, and refuses what would lose or break something.

use proptest::prelude::*;

use super::*;

fn undone(database: &mut MemoryDatabase, number: i64) -> String {
    undo(database, Some(number), Author::Person, UnixMillis(99))
        .map_or_else(advice, |undone| format!("undone {}", undone.kind))
}

#[test]
fn what_was_added_to_later_is_not_taken_away() {
    let mut database = memoir_of(&["a", "b"]);
    connect(&mut database, "a part_of b").unwrap();
    let refused = undo(&mut database, Some(1), Author::Person, UnixMillis(9)).unwrap_err();
    assert!(matches!(refused, Error::ChangedSince { entity: "memoir", by: Some(2), .. }), "{refused:?}");
    let refused = undo(&mut database, Some(2), Author::Person, UnixMillis(9)).unwrap_err();
    assert!(matches!(refused, Error::ChangedSince { entity: "concept", by: Some(4), .. }), "{refused:?}");
    assert_eq!(links(&database), ["a part_of b"]);
    assert_eq!(undone(&mut database, 4), "undone concept-link");
    assert_eq!(undone(&mut database, 2), "undone concept-add");
    assert_eq!(undone(&mut database, 3), "undone concept-add");
    assert_eq!(undone(&mut database, 1), "undone memoir-create");
}

#[test]
fn names_that_were_given_again_are_not_given_twice() {
    let mut database = memoir_of(&["a"]);
    remove_concept(&mut database, "system", "a", Author::Person, UnixMillis(9)).unwrap();
    add(&mut database, "a", "another", "").unwrap();
    insta::assert_snapshot!(undone(&mut database, 3), @"`operation` 3 cannot be undone: another concept is called `a` now: rename that one first");
    rename_concept(&mut database, "system", "a", "b", Author::Person, UnixMillis(9)).unwrap();
    assert_eq!(undone(&mut database, 3), "undone concept-remove");
    rename_concept(&mut database, "system", "a", "c", Author::Person, UnixMillis(9)).unwrap();
    rename(&mut database, "system", "old", Author::Person, UnixMillis(9)).unwrap();
    create(&mut database, "system", "", Author::Person, UnixMillis(9)).unwrap();
    let renaming = operations(&database, &crate::ListScope::All, 2).unwrap()[1].number;
    insta::assert_snapshot!(undone(&mut database, renaming), @"`operation` 8 cannot be undone: another memoir is called `system` now: rename that one first");
}

#[test]
fn what_has_no_place_any_more_is_not_put_back() {
    let mut database = memoir_of(&["a", "b"]);
    connect(&mut database, "a part_of b").unwrap();
    unlink(&mut database, "system", &ends("a part_of b"), Author::Person, UnixMillis(9)).unwrap();
    connect(&mut database, "a part_of b").unwrap();
    insta::assert_snapshot!(undone(&mut database, 5), @"`operation` 5 cannot be undone: the link `part_of` between the same concepts was added again: there is nothing left to do");
    unlink(&mut database, "system", &ends("a part_of b"), Author::Person, UnixMillis(9)).unwrap();
    connect(&mut database, "b part_of a").unwrap();
    insta::assert_snapshot!(undone(&mut database, 5), @"`operation` 5 cannot be undone: it would close a cycle: `a` part_of `b` part_of `a`: remove one of these links first");
    remove_concept(&mut database, "system", "b", Author::Person, UnixMillis(9)).unwrap();
    insta::assert_snapshot!(undone(&mut database, 5), @"`operation` 5 cannot be undone: a concept of a link is gone: bring the concept back first");
    let removal = operations(&database, &crate::ListScope::All, 1).unwrap()[0].number;
    delete(&mut database, "system", Author::Person, UnixMillis(9)).unwrap();
    insta::assert_snapshot!(undone(&mut database, removal), @"`operation` 9 cannot be undone: the memoir of `b` is gone: bring the memoir back first");
}

#[derive(Debug, Clone)]
enum Step {
    Create(u8),
    Delete(u8),
    Rename(u8, u8),
    Add(u8, u8),
    Refine(u8, u8),
    RenameConcept(u8, u8, u8),
    Remove(u8, u8),
    Link(u8, u8, u8, u8),
    Unlink(u8, u8, u8, u8),
    Undo,
    UndoAny(u8),
    Vacuum,
}

fn step() -> impl Strategy<Value = Step> {
    let (memoir, concept, relation) = (0..2_u8, 0..5_u8, 0..9_u8);
    prop_oneof![
        3 => memoir.clone().prop_map(Step::Create),
        1 => memoir.clone().prop_map(Step::Delete),
        1 => (memoir.clone(), memoir.clone()).prop_map(|(a, b)| Step::Rename(a, b)),
        8 => (memoir.clone(), concept.clone()).prop_map(|(a, b)| Step::Add(a, b)),
        3 => (memoir.clone(), concept.clone()).prop_map(|(a, b)| Step::Refine(a, b)),
        2 => (memoir.clone(), concept.clone(), concept.clone()).prop_map(|(a, b, c)| Step::RenameConcept(a, b, c)),
        2 => (memoir.clone(), concept.clone()).prop_map(|(a, b)| Step::Remove(a, b)),
        8 => (memoir.clone(), concept.clone(), concept.clone(), relation.clone()).prop_map(|(a, b, c, d)| Step::Link(a, b, c, d)),
        2 => (memoir, concept.clone(), concept, relation).prop_map(|(a, b, c, d)| Step::Unlink(a, b, c, d)),
        3 => Just(Step::Undo),
        2 => any::<u8>().prop_map(Step::UndoAny),
        1 => Just(Step::Vacuum),
    ]
}

/// Takes a step. What makes no sense is refused, and then nothing changes.
fn take(database: &mut MemoryDatabase, step: &Step, now: i64) -> Result<(), Error> {
    let memoir = |at: &u8| format!("memoir {at}");
    let concept = |at: &u8| format!("concept {at}");
    let ends = |from: &u8, to: &u8, relation: &u8| LinkEnds {
        from: concept(from),
        to: concept(to),
        relation: Relation::ALL[usize::from(*relation)],
    };
    let by = Author::Agent;
    match step {
        Step::Create(at) => create(database, &memoir(at), "", by, UnixMillis(now)).map(drop),
        Step::Delete(at) => delete(database, &memoir(at), by, UnixMillis(now)).map(drop),
        Step::Rename(from, to) => rename(database, &memoir(from), &memoir(to), by, UnixMillis(now)).map(drop),
        Step::Add(at, name) => {
            let labels = labels_of(if name % 2 == 0 { "even:yes,wip" } else { "" })?;
            let new =
                NewConcept { name: concept(name), definition: format!("found at {now}"), labels, sources: vec![] };
            add_concept(database, &memoir(at), &new, by, UnixMillis(now)).map(drop)
        }
        Step::Refine(at, name) => {
            refine(database, &memoir(at), &concept(name), &better(&format!("better at {now}")), by, UnixMillis(now))
                .map(drop)
        }
        Step::RenameConcept(at, from, to) => {
            rename_concept(database, &memoir(at), &concept(from), &concept(to), by, UnixMillis(now)).map(drop)
        }
        Step::Remove(at, name) => remove_concept(database, &memoir(at), &concept(name), by, UnixMillis(now)).map(drop),
        Step::Link(at, from, to, relation) => {
            link(database, &memoir(at), &ends(from, to, relation), by, UnixMillis(now)).map(drop)
        }
        Step::Unlink(at, from, to, relation) => {
            unlink(database, &memoir(at), &ends(from, to, relation), by, UnixMillis(now)).map(drop)
        }
        Step::Undo => undo(database, None, by, UnixMillis(now)).map(drop),
        Step::UndoAny(at) => {
            let newest =
                operations(database, &crate::ListScope::All, 1)?.first().map_or(0, |operation| operation.number);
            undo(database, Some(i64::from(*at) % (newest + 1)), by, UnixMillis(now)).map(drop)
        }
        Step::Vacuum => {
            database.connection.execute_batch("VACUUM").unwrap();
            Ok(())
        }
    }
}

fn contents(database: &MemoryDatabase) -> Vec<MemoirGraph> {
    let memoirs = list(database).unwrap();
    memoirs.iter().map(|memoir| graph(database, &memoir.name).unwrap()).collect()
}

fn check_index(database: &MemoryDatabase) {
    // With rank 1 the index is compared with the table as well.
    for sql in [
        "INSERT INTO concepts_fts(concepts_fts) VALUES('integrity-check')",
        "INSERT INTO concepts_fts(concepts_fts, rank) VALUES('integrity-check', 1)",
    ] {
        database.connection.execute(sql, []).unwrap();
    }
    database.check().unwrap();
}

fn newest(database: &MemoryDatabase) -> i64 {
    operations(database, &crate::ListScope::All, 1).unwrap().first().map_or(0, |operation| operation.number)
}

/// Relations that lead upwards have no cycle: what has nothing above it can be taken away until nothing is left.
fn check_no_cycles(graph: &MemoirGraph) {
    for relation in Relation::ALL.into_iter().filter(|relation| relation.is_hierarchical()) {
        let mut links: Vec<_> = graph.links.iter().filter(|link| link.relation == relation).collect();
        loop {
            let sources: Vec<&str> = links.iter().map(|link| link.from.as_str()).collect();
            let before = links.len();
            links.retain(|link| sources.contains(&link.to.as_str()));
            if links.len() == before {
                break;
            }
        }
        assert!(links.is_empty(), "{links:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Each operation, whatever it is, can be undone right after it; a step that is refused changes nothing.
    #[test]
    fn any_step_is_refused_without_a_trace_or_can_be_undone(steps in proptest::collection::vec(step(), 1..40)) {
        let mut database = database();
        for (now, step) in steps.iter().enumerate() {
            let (before, number) = (contents(&database), newest(&database));
            let outcome = take(&mut database, step, now as i64);
            let is_operation = newest(&database) > number;
            prop_assert!(outcome.is_ok() || !is_operation);
            if let Err(Error::Sqlite(_) | Error::Internal { .. } | Error::Damaged { .. }) = &outcome {
                prop_assert!(false, "{step:?}: {outcome:?}");
            }
            let after = contents(&database);
            if is_operation {
                let last = newest(&database);
                let again = undo(&mut database, Some(last), Author::Person, UnixMillis(0)).unwrap();
                prop_assert_eq!(&contents(&database), &before);
                undo(&mut database, Some(again.undone_by), Author::Person, UnixMillis(0)).unwrap();
                prop_assert_eq!(&contents(&database), &after);
            } else {
                prop_assert_eq!(&before, &after);
            }
            after.iter().for_each(check_no_cycles);
        }
        check_index(&database);
        database.connection.execute_batch("VACUUM").unwrap();
        check_index(&database);
    }

    /// Undoing all that was done, the newest first, goes through all earlier states.
    #[test]
    fn any_history_can_be_undone_step_by_step(steps in proptest::collection::vec(step(), 1..40)) {
        let mut database = database();
        let mut states: Vec<Vec<MemoirGraph>> = Vec::new();
        for (now, step) in steps.iter().filter(|step| !matches!(step, Step::UndoAny(_))).enumerate() {
            let (before, number) = (contents(&database), newest(&database));
            let _ = take(&mut database, step, now as i64);
            match (newest(&database) > number, step) {
                (false, _) => {}
                (true, Step::Undo) => prop_assert_eq!(contents(&database), states.pop().unwrap()),
                (true, _) => states.push(before),
            }
        }
        while let Some(expected) = states.pop() {
            undo(&mut database, None, Author::Person, UnixMillis(1_000)).unwrap();
            prop_assert_eq!(contents(&database), expected);
        }
        prop_assert!(contents(&database).is_empty());
        check_index(&database);
    }
}
