use super::*;
use crate::{ListRequest, MemoryDatabase, MemoryOptions, ProjectKey, list, memory_of, undo};

fn database() -> MemoryDatabase {
    MemoryDatabase::in_memory(MemoryOptions::default()).unwrap()
}

fn note(topic: &str, summary: &str) -> NewMemory {
    NewMemory { topic: topic.to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
}

fn count(database: &MemoryDatabase) -> usize {
    list(database, &ListRequest::default(), UnixMillis(0)).unwrap().len()
}

#[test]
fn the_same_text_is_one_memory_with_all_of_its_details() {
    let mut database = database();
    let first = NewMemory { keywords: vec!["a".into()], ..note("choices", "We use WAL mode.") };
    let second = NewMemory {
        keywords: vec!["b".into(), "a".into()],
        importance: Importance::High,
        raw_excerpt: Some("the whole of it".into()),
        ..note("choices", "we use  WAL\nmode")
    };
    let first = store(&mut database, &first, UnixMillis(1)).unwrap();
    let second = store(&mut database, &second, UnixMillis(2)).unwrap();
    assert_eq!((first.action, second.action), (StoreAction::Added, StoreAction::SameText));
    let memory = memory_of(&database, &first.id).unwrap();
    assert_eq!((count(&database), second.id), (1, first.id));
    assert_eq!(memory.keywords, ["a", "b"]);
    assert_eq!((memory.importance, memory.access_count, memory.accessed_at.0), (Importance::High, 1, 2));
    assert_eq!(memory.summary, "We use WAL mode.");
    let low = NewMemory { importance: Importance::Low, ..note("choices", "We use WAL mode.") };
    store(&mut database, &low, UnixMillis(3)).unwrap();
    assert_eq!(memory_of(&database, &memory.id).unwrap().importance, Importance::High, "importance never drops");
}

#[test]
fn other_topics_and_other_projects_have_their_own() {
    let mut database = database();
    store(&mut database, &note("a", "the same"), UnixMillis(1)).unwrap();
    store(&mut database, &note("b", "the same"), UnixMillis(1)).unwrap();
    let project = ProjectKey::of_repository("0123456789abcdef");
    store(&mut database, &NewMemory { project, ..note("a", "the same") }, UnixMillis(1)).unwrap();
    assert_eq!(count(&database), 3);
}

#[test]
fn the_eighth_memory_of_a_topic_says_that_it_needs_consolidation() {
    let mut database = database();
    let hints: Vec<bool> = (1..=8)
        .map(|at| {
            store(&mut database, &note("a", &format!("fact number {at}")), UnixMillis(at)).unwrap().needs_consolidation
        })
        .collect();
    assert_eq!(hints, [false, false, false, false, false, false, false, true]);
}

#[test]
fn what_no_memory_may_be_is_refused_with_a_reason() {
    let mut database = database();
    let long = "é".repeat(128);
    for (topic, summary, expected) in [
        ("", "a", "`topic` is empty"),
        (" \t", "a", "`topic` is empty"),
        ("a\nb", "a", "`topic` has a line break, a NUL or another control character"),
        ("a\0", "a", "`topic` has a line break, a NUL or another control character"),
        (&long, "a", "`topic` has 256 bytes"),
        ("a", " \n ", "`content` is empty"),
        ("a", &"x".repeat(500_000), "`content` has 500000 bytes"),
    ] {
        assert_eq!(store(&mut database, &note(topic, summary), UnixMillis(1)).unwrap_err().to_string(), expected);
    }
    let keywords = NewMemory { keywords: vec![" ".into()], ..note("a", "b") };
    assert_eq!(
        store(&mut database, &keywords, UnixMillis(1)).unwrap_err().to_string(),
        "`keywords` holds an empty word"
    );
    assert_eq!(count(&database), 0);
    store(&mut database, &note(&long[..254], &"x".repeat(65_536)), UnixMillis(1)).unwrap();
}

#[test]
fn texts_are_kept_byte_for_byte() {
    let mut database = database();
    let text = "'; DROP TABLE memories; --\0 <script>alert(1)</script> \u{202e}🎉 e\u{301} \"NEAR\" * ^";
    let stored = NewMemory { raw_excerpt: Some(text.into()), keywords: vec![text.into()], ..note("a", text) };
    let id = store(&mut database, &stored, UnixMillis(1)).unwrap().id;
    let memory = memory_of(&database, &id).unwrap();
    assert_eq!(
        (memory.summary.as_str(), memory.raw_excerpt.as_deref(), memory.keywords[0].as_str()),
        (text, Some(text), text)
    );
}

#[test]
fn an_update_changes_what_it_names_and_can_be_undone() {
    let mut database = database();
    let new = NewMemory { keywords: vec!["k".into()], ..note("a", "before") };
    let id = store(&mut database, &new, UnixMillis(1)).unwrap().id;
    let before = memory_of(&database, &id).unwrap();
    let change =
        MemoryUpdate { summary: Some("after".into()), importance: Some(Importance::Low), ..Default::default() };
    let after = update(&mut database, &id, &change, Author::Agent, UnixMillis(5)).unwrap();
    assert_eq!((after.summary.as_str(), after.importance, after.updated_at.0), ("after", Importance::Low, 5));
    assert_eq!(after.keywords, ["k"]);
    assert_eq!(memory_of(&database, &id).unwrap(), after);
    undo(&mut database, None, Author::Person, UnixMillis(6)).unwrap();
    assert_eq!(memory_of(&database, &id).unwrap(), before);
    let unknown = RecordId::ulid(UnixMillis(7), 7);
    let refused = update(&mut database, &unknown, &change, Author::Agent, UnixMillis(5)).unwrap_err();
    assert_eq!(refused.to_string(), format!("there is no memory `{unknown}`"));
}

#[test]
fn a_change_is_later_than_what_it_replaces_whatever_the_clock_says() {
    let mut database = database();
    let id = store(&mut database, &note("a", "before"), UnixMillis(3_600_000)).unwrap().id;
    let change = MemoryUpdate { summary: Some("after".into()), ..Default::default() };
    let after = update(&mut database, &id, &change, Author::Person, UnixMillis(5)).unwrap();
    assert_eq!(after.updated_at, UnixMillis(3_600_001));
}

#[test]
fn an_update_makes_no_second_memory_with_the_same_text() {
    let mut database = database();
    let first = store(&mut database, &note("a", "one fact"), UnixMillis(1)).unwrap().id;
    let second = store(&mut database, &note("a", "quite another"), UnixMillis(1)).unwrap().id;
    let to = |text: &str| MemoryUpdate { summary: Some(text.into()), ..Default::default() };
    let refused = update(&mut database, &second, &to("one fact"), Author::Agent, UnixMillis(5)).unwrap_err();
    assert_eq!(refused.to_string(), format!("`content` is the text of the memory {first} in the topic `a`"));
    assert_eq!(memory_of(&database, &second).unwrap().summary, "quite another");
    let kept = MemoryUpdate { importance: Some(Importance::High), ..to("one fact") };
    assert_eq!(
        update(&mut database, &first, &kept, Author::Agent, UnixMillis(6)).unwrap().importance,
        Importance::High
    );
    // The same text in another layout is still its own.
    assert_eq!(
        update(&mut database, &first, &to("one  fact\n"), Author::Agent, UnixMillis(6)).unwrap().summary,
        "one  fact\n"
    );
    forget(&mut database, &first, Author::Person, UnixMillis(7)).unwrap();
    assert_eq!(
        update(&mut database, &second, &to("one fact"), Author::Agent, UnixMillis(8)).unwrap().summary,
        "one fact"
    );
}

#[test]
fn what_is_forgotten_can_be_brought_back() {
    let mut database = database();
    let id = store(&mut database, &note("a", "b"), UnixMillis(1)).unwrap().id;
    let before = memory_of(&database, &id).unwrap();
    assert_eq!(forget(&mut database, &id, Author::Person, UnixMillis(2)).unwrap(), before);
    assert!(matches!(memory_of(&database, &id), Err(Error::NotFound { .. })));
    assert!(matches!(forget(&mut database, &id, Author::Person, UnixMillis(2)), Err(Error::NotFound { .. })));
    undo(&mut database, None, Author::Person, UnixMillis(3)).unwrap();
    assert_eq!(memory_of(&database, &id).unwrap(), before);
}

#[test]
fn an_access_counts_and_weighs() {
    const DAY: i64 = 86_400_000;
    let mut database = database();
    let id = store(&mut database, &note("a", "b"), UnixMillis(0)).unwrap().id;
    touch(&mut database, std::slice::from_ref(&id), UnixMillis(7 * DAY)).unwrap();
    let memory = memory_of(&database, &id).unwrap();
    assert_eq!((memory.access_count, memory.accessed_at.0, memory.weight_at.0), (1, 7 * DAY, 7 * DAY));
    assert!((memory.weight - 0.698).abs() < 1e-3);
    touch(&mut database, std::slice::from_ref(&id), UnixMillis(7 * DAY - DAY / 2)).unwrap();
    let again = memory_of(&database, &id).unwrap();
    assert_eq!(
        (again.access_count, again.accessed_at.0, again.weight_at.0),
        (2, 7 * DAY, 7 * DAY),
        "a clock went backwards"
    );
    assert_eq!(again.weight, memory.weight);
    touch(&mut database, std::slice::from_ref(&id), UnixMillis(DAY)).unwrap();
    let again = memory_of(&database, &id).unwrap();
    assert_eq!((again.weight, again.weight_at.0, again.accessed_at.0), (1.0, DAY, DAY), "the clock was ahead before");
    touch(&mut database, std::slice::from_ref(&id), UnixMillis(-400 * DAY)).unwrap();
    let later = memory_of(&database, &id).unwrap();
    assert_eq!((later.weight, later.weight_at, later.accessed_at), (1.0, again.weight_at, again.accessed_at));
}

#[test]
fn ids_follow_the_order_of_storing_within_one_moment() {
    let mut database = database();
    let ids: Vec<RecordId> = (0..20)
        .map(|at| store(&mut database, &note("a", &format!("fact number {at}")), UnixMillis(1)).unwrap().id)
        .collect();
    assert!(ids.is_sorted());
}

#[test]
fn a_near_duplicate_that_adds_detail_is_merged_and_loses_nothing() {
    let mut database = database();
    let first = "The importer retries failed downloads three times before it gives up on the whole batch of files.";
    let second = "The importer retries failed downloads three times before it gives up on the whole batch of files. It waits a second between them.";
    let id = store(&mut database, &note("a", first), UnixMillis(1)).unwrap().id;
    let outcome = store(&mut database, &note("a", second), UnixMillis(2)).unwrap();
    assert_eq!((outcome.action, &outcome.id), (StoreAction::Merged, &id));
    let text = memory_of(&database, &id).unwrap().summary;
    assert!(text.contains(first) && text.contains("It waits a second between them."), "{text}");
    undo(&mut database, None, Author::Person, UnixMillis(3)).unwrap();
    assert_eq!(memory_of(&database, &id).unwrap().summary, first);
}

#[test]
fn facts_that_share_a_sentence_are_kept_apart_and_named() {
    let mut database = database();
    let services = ["orders", "billing", "search", "mail"];
    let stores = ["PostgreSQL", "SQLite", "Redis", "MySQL"];
    let mut stored = Vec::new();
    for service in services {
        for kept_in in stores {
            for years in 1..=20 {
                let text = format!(
                    "The {service} service keeps its records in {kept_in} for {years} years because of the audit rules."
                );
                let outcome = store(&mut database, &note("retention", &text), UnixMillis(years)).unwrap();
                assert_eq!(outcome.action, StoreAction::Added, "{text}");
                stored.push(text);
            }
        }
    }
    let kept: Vec<String> = list(&database, &ListRequest::default(), UnixMillis(100))
        .unwrap()
        .into_iter()
        .map(|memory| memory.summary)
        .collect();
    assert_eq!(kept.len(), 320);
    assert!(stored.iter().all(|text| kept.contains(text)));
    let last = store(
        &mut database,
        &note("retention", "The mail service keeps its records in MySQL for 21 years because of the audit rules."),
        UnixMillis(30),
    )
    .unwrap();
    assert!(!last.similar.is_empty(), "what is near is named");
}

#[test]
fn what_expired_does_not_swallow_what_is_stored_again() {
    let mut database = database();
    let for_a_second = NewMemory { expires_at: Some(UnixMillis(1_000)), ..note("a", "The build is red.") };
    let first = store(&mut database, &for_a_second, UnixMillis(1)).unwrap();
    let again = store(&mut database, &note("a", "The build is red."), UnixMillis(2_000)).unwrap();
    assert_eq!(again.action, StoreAction::Added);
    assert_ne!(again.id, first.id);
}

#[test]
fn who_says_that_it_holds_for_good_is_right_about_who_said_for_a_time() {
    let mut database = database();
    let until = |at: Option<i64>| NewMemory { expires_at: at.map(UnixMillis), ..note("a", "The build is red.") };
    let id = store(&mut database, &until(Some(1_000)), UnixMillis(1)).unwrap().id;
    for (said, expected) in [(Some(500), Some(1_000)), (Some(2_000), Some(2_000)), (None, None), (Some(9), None)] {
        store(&mut database, &until(said), UnixMillis(5)).unwrap();
        assert_eq!(memory_of(&database, &id).unwrap().expires_at, expected.map(UnixMillis));
    }
}

#[test]
fn topics_in_another_case_are_other_topics() {
    let mut database = database();
    store(&mut database, &note("Choices", "the same"), UnixMillis(1)).unwrap();
    let other = store(&mut database, &note("choices", "the same"), UnixMillis(1)).unwrap();
    assert_eq!((other.action, other.topic_count), (StoreAction::Added, 1));
}

#[test]
fn excerpts_of_the_same_text_are_all_kept() {
    let mut database = database();
    let with = |excerpt: &str| NewMemory { raw_excerpt: Some(excerpt.into()), ..note("a", "Retry uploads.") };
    let id = store(&mut database, &with("first"), UnixMillis(1)).unwrap().id;
    for excerpt in ["second", "first", &"x".repeat(crate::TEXT_BYTES_MOST)] {
        store(&mut database, &with(excerpt), UnixMillis(2)).unwrap();
    }
    assert_eq!(memory_of(&database, &id).unwrap().raw_excerpt.as_deref(), Some("first\n\nsecond"));
}

#[test]
fn case_blanks_and_operators_that_mean_something_keep_texts_apart() {
    let mut database = database();
    let texts = [
        "Numbers match `\\d`.",
        "Numbers match `\\D`.",
        "Pass -s to it.",
        "Pass -S to it.",
        "It is in src/a.rs.",
        "It is in src/A.rs.",
        "Join them by ' '.",
        "Join them by '  '.",
        "The score is a - b.",
        "The score is a * b.",
        "The score is b - a.",
        "The range is [0, 1).",
        "The range is [0, 1].",
        "Masse",
        "Maße",
    ];
    for text in texts {
        assert_eq!(store(&mut database, &note("a", text), UnixMillis(1)).unwrap().action, StoreAction::Added, "{text}");
    }
    for text in texts {
        assert_eq!(
            store(&mut database, &note("a", text), UnixMillis(1)).unwrap().action,
            StoreAction::SameText,
            "{text}"
        );
    }
}

#[test]
fn a_topic_is_forgotten_as_one_operation_and_only_in_its_project() {
    let mut database = database();
    let project = ProjectKey::of_repository("0123456789abcdef");
    for text in ["one", "two"] {
        store(&mut database, &NewMemory { project: project.clone(), ..note("a", text) }, UnixMillis(1)).unwrap();
    }
    store(&mut database, &note("a", "of no project"), UnixMillis(1)).unwrap();
    assert_eq!(forget_topic(&mut database, (&project, "a"), Author::Person, UnixMillis(2)).unwrap().len(), 2);
    assert_eq!(count(&database), 1);
    undo(&mut database, None, Author::Person, UnixMillis(3)).unwrap();
    assert_eq!(count(&database), 3);
    for expected in [2, 1] {
        let forgotten = forget_topic(&mut database, (&project, "a"), Author::Person, UnixMillis(4)).unwrap();
        assert_eq!(forgotten.len(), expected, "where the project has none, those of no project are meant");
    }
    let again = forget_topic(&mut database, (&project, "a"), Author::Person, UnixMillis(5));
    assert!(matches!(again, Err(Error::NotFound { entity: "topic", .. })));
}

#[test]
fn memories_that_are_stored_together_are_taken_back_together() {
    let mut database = database();
    store(&mut database, &note("a", "The port is 8443."), UnixMillis(1)).unwrap();
    let together = [note("a", "Retry uploads."), note("a", "The port is 8443."), note("b", "Use tabs.")];
    let outcomes = store_all(&mut database, &together, UnixMillis(2)).unwrap();
    let actions: Vec<StoreAction> = outcomes.iter().map(|outcome| outcome.action).collect();
    assert_eq!(actions, [StoreAction::Added, StoreAction::SameText, StoreAction::Added]);
    undo(&mut database, None, Author::Person, UnixMillis(3)).unwrap();
    assert_eq!(count(&database), 1);
    let refused = [note("a", "Fine."), note("", "Not fine.")];
    store_all(&mut database, &refused, UnixMillis(4)).unwrap_err();
    assert_eq!(count(&database), 1, "all or none");
}
