use std::slice;

use proptest::prelude::*;

use super::testing::{LATER, archives, compatible_archives, database, database_of, import_text, text_of};
use super::*;
use crate::{
    ConsolidationRequest, Entity, MemoryUpdate, NewMemory, ProjectKey, RecordId, consolidate, forget, history, list,
    memory_of, operations, store, touch, undo, update,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_export_that_was_imported_is_the_same_export(archive in archives()) {
        let text = text_of(&database_of(archive));
        let mut copy = database();
        import_text(&mut copy, &text);
        prop_assert_eq!(text_of(&copy), text.clone());
        let again = import_text(&mut copy, &text);
        prop_assert_eq!(again.operation, None, "{:?}", again);
        prop_assert_eq!(text_of(&copy), text);
    }

    #[test]
    fn both_sides_of_a_merge_come_to_the_same(a in archives(), b in archives()) {
        let (mut left, mut right) = (database_of(a), database_of(b));
        let (of_left, of_right) = (text_of(&left), text_of(&right));
        import_text(&mut left, &of_right);
        import_text(&mut right, &of_left);
        prop_assert_eq!(text_of(&left), text_of(&right));
        let merged = text_of(&left);
        let again = import_text(&mut left, &merged);
        prop_assert_eq!(again.operation, None, "{:?}", again);
        prop_assert_eq!(text_of(&left), merged);
        for text in [&of_left, &of_right] {
            import_text(&mut left, text);
            let again = import_text(&mut left, text);
            prop_assert_eq!(again.operation, None, "{:?}", again);
        }
        left.check().unwrap();
    }

    #[test]
    fn three_sides_come_to_the_same_whoever_merges_first(
        a in compatible_archives(), b in compatible_archives(), c in compatible_archives(),
    ) {
        let [a, b, c] = [a, b, c].map(|archive| text_of(&database_of(archive)));
        let merged = |order: [&str; 3]| {
            let mut database = database();
            for text in order {
                import_text(&mut database, text);
            }
            text_of(&database)
        };
        let first = merged([&a, &b, &c]);
        for order in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
            prop_assert_eq!(merged(order.map(String::as_str)), first.clone());
        }
    }
}

fn note(topic: &str, summary: &str) -> NewMemory {
    NewMemory { topic: topic.to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
}

fn remember(database: &mut MemoryDatabase, summary: &str, now: i64) -> RecordId {
    store(database, &note("t", summary), UnixMillis(now)).unwrap().id
}

fn rewrite(database: &mut MemoryDatabase, id: &RecordId, summary: &str, now: i64) {
    let change = MemoryUpdate { summary: Some(summary.to_owned()), ..MemoryUpdate::default() };
    update(database, id, &change, Author::Person, UnixMillis(now)).unwrap();
}

/// Two databases with one memory in common.
fn laptops() -> (MemoryDatabase, MemoryDatabase, RecordId) {
    let (mut first, mut second) = (database(), database());
    let id = remember(&mut first, "use postgres", 1);
    sync(&mut second, &first);
    (first, second, id)
}

fn sync(database: &mut MemoryDatabase, other: &MemoryDatabase) -> TransferReport {
    merge(database, other, &ImportRequest::default(), UnixMillis(100)).unwrap()
}

fn summaries(database: &MemoryDatabase) -> Vec<String> {
    let memories = list(database, &crate::ListRequest::default(), LATER).unwrap();
    let mut texts: Vec<String> = memories.into_iter().map(|memory| memory.summary).collect();
    texts.sort();
    texts
}

#[test]
fn the_text_that_was_changed_last_holds_and_the_other_is_in_the_history() {
    let (mut first, mut second, id) = laptops();
    rewrite(&mut first, &id, "use mysql", 20);
    rewrite(&mut second, &id, "use sqlite", 30);
    let report = sync(&mut second, &first);
    assert_eq!((report.memories.merged, report.earlier_texts), (1, 1));
    sync(&mut first, &second);
    for database in [&first, &second] {
        assert_eq!(summaries(database), ["use sqlite"]);
        let texts = history(database, Entity::Memory, id.as_str()).unwrap();
        let texts: Vec<&str> = texts.iter().filter_map(|(_, before)| before.get("summary")?.as_str()).collect();
        assert!(texts.contains(&"use mysql") && texts.contains(&"use postgres"), "{texts:?}");
    }
    assert_eq!(sync(&mut first, &second).operation, None);
    assert_eq!(text_of(&first), text_of(&second));
}

#[test]
fn the_same_text_of_two_kinds_stays_two_memories_and_keeps_what_each_says() {
    let mut first = database();
    remember(&mut first, "refunds take nine days", 1);
    let decision = NewMemory {
        kind: crate::MemoryKind::Decision,
        raw_excerpt: Some("a mail says so".to_owned()),
        ..note("t", "refunds take nine days")
    };
    store(&mut first, &decision, UnixMillis(2)).unwrap();
    remember(&mut first, "refunds take nine days", 3);
    let mut second = database();
    import_text(&mut second, &text_of(&first));
    assert_eq!(text_of(&second), text_of(&first));
    // Of one kind they are one memory, with both excerpts.
    let mut third = database();
    store(&mut third, &NewMemory { raw_excerpt: Some("a call said so".to_owned()), ..decision }, UnixMillis(9))
        .unwrap();
    sync(&mut third, &first);
    let kept = list(&third, &crate::ListRequest::default(), LATER).unwrap();
    let excerpts: Vec<&str> = kept.iter().filter_map(|memory| memory.raw_excerpt.as_deref()).collect();
    assert_eq!((kept.len(), excerpts), (2, vec!["a mail says so\n\na call said so"]));
    // What both have is there once.
    let mut fourth = database();
    let both = "a call said so\n\nnobody minds";
    let new = NewMemory {
        kind: crate::MemoryKind::Decision,
        raw_excerpt: Some(both.to_owned()),
        ..note("t", &kept[0].summary)
    };
    store(&mut fourth, &new, UnixMillis(9)).unwrap();
    sync(&mut third, &fourth);
    let kept = list(&third, &crate::ListRequest::default(), LATER).unwrap();
    let mut paragraphs: Vec<&str> =
        kept.iter().filter_map(|memory| memory.raw_excerpt.as_deref()).flat_map(|text| text.split("\n\n")).collect();
    paragraphs.sort_unstable();
    assert_eq!(paragraphs, ["a call said so", "a mail says so", "nobody minds"]);
}

#[test]
fn what_was_forgotten_on_one_side_does_not_come_back_from_the_other() {
    let (mut first, mut second, id) = laptops();
    let before = text_of(&second);
    forget(&mut first, &id, Author::Person, UnixMillis(20)).unwrap();
    assert_eq!(sync(&mut first, &second).memories.forgotten, 1);
    assert_eq!(sync(&mut second, &first).memories, RecordReport { removed: 1, ..RecordReport::default() });
    for database in [&mut first, &mut second] {
        assert!(summaries(database).is_empty());
        import_text(database, &before);
        assert!(summaries(database).is_empty());
    }
    let request = ImportRequest { revive: true, ..ImportRequest::default() };
    import(&mut first, &mut before.as_bytes(), &request, UnixMillis(200)).unwrap();
    assert_eq!(summaries(&first), ["use postgres"], "an old export can be restored");
    sync(&mut first, &second);
    sync(&mut second, &first);
    assert_eq!([summaries(&first), summaries(&second)], [["use postgres"], ["use postgres"]]);
}

#[test]
fn what_was_changed_after_it_was_forgotten_elsewhere_stays() {
    let (mut first, mut second, id) = laptops();
    forget(&mut first, &id, Author::Person, UnixMillis(20)).unwrap();
    rewrite(&mut second, &id, "use sqlite", 30);
    sync(&mut first, &second);
    sync(&mut second, &first);
    assert_eq!([summaries(&first), summaries(&second)], [["use sqlite"], ["use sqlite"]]);
}

#[test]
fn a_forgetting_that_was_undone_is_undone_on_both_sides() {
    let (mut first, mut second, id) = laptops();
    forget(&mut first, &id, Author::Person, UnixMillis(20)).unwrap();
    let told = text_of(&first);
    sync(&mut second, &first);
    undo(&mut first, None, Author::Person, UnixMillis(40)).unwrap();
    import_text(&mut first, &told);
    assert_eq!(summaries(&first), ["use postgres"], "its own old export does not take it away again");
    sync(&mut first, &second);
    sync(&mut second, &first);
    import_text(&mut second, &told);
    assert_eq!([summaries(&first), summaries(&second)], [["use postgres"], ["use postgres"]]);
}

#[test]
fn an_import_is_one_operation_that_can_be_undone_and_done_again() {
    let (first, _, _) = laptops();
    let mut other = database();
    remember(&mut other, "b", 5);
    let text = text_of(&first);
    let before = text_of(&other);
    let report = import_text(&mut other, &text);
    let log = operations(&other, &crate::ListScope::All, 10).unwrap();
    assert_eq!((log[0].kind.as_str(), Some(log[0].number)), ("import", report.operation));
    undo(&mut other, None, Author::Person, UnixMillis(200)).unwrap();
    assert_eq!(text_of(&other), before);
    import_text(&mut other, &text);
    assert_eq!(summaries(&other), ["b", "use postgres"]);
}

#[test]
fn a_dry_run_says_what_would_be_and_writes_nothing() {
    let (first, mut second, _) = laptops();
    remember(&mut second, "b", 5);
    let mut third = database();
    let request = ImportRequest { dry_run: true, ..ImportRequest::default() };
    let report = merge(&mut third, &second, &request, UnixMillis(100)).unwrap();
    assert_eq!((report.memories.added, report.operation), (2, None));
    assert!(summaries(&third).is_empty() && operations(&third, &crate::ListScope::All, 1).unwrap().is_empty());
    drop(first);
}

#[test]
fn accesses_and_weights_are_united_and_an_undo_leaves_them_and_what_was_before() {
    let (mut first, mut second, id) = laptops();
    touch(&mut first, slice::from_ref(&id), UnixMillis(50)).unwrap();
    for now in [60, 70] {
        touch(&mut second, slice::from_ref(&id), UnixMillis(now)).unwrap();
    }
    let report = sync(&mut first, &second);
    assert_eq!(report.memories.merged, 1);
    let usage = |database: &MemoryDatabase| {
        let memory = memory_of(database, &id).unwrap();
        (memory.access_count, memory.accessed_at.0, memory.weight_at.0)
    };
    assert_eq!(usage(&first), (2, 70, 70));
    let undone = undo(&mut first, None, Author::Person, UnixMillis(80)).unwrap();
    assert_eq!((undone.kind.as_str(), Some(undone.operation), undone.records.len()), ("import", report.operation, 0));
    assert_eq!(usage(&first), (2, 70, 70));
    assert_eq!(summaries(&first), ["use postgres"]);
    assert_eq!(sync(&mut first, &second).operation, None, "nothing changed");
}

#[test]
fn the_same_text_that_both_stored_is_one_memory_with_what_both_said() {
    let (mut first, mut second) = (database(), database());
    let mut new = note("t", "use Postgres.");
    new.keywords = vec!["db".to_owned()];
    let kept = store(&mut first, &new, UnixMillis(10)).unwrap().id;
    new = NewMemory { importance: crate::Importance::High, ..note("t", "use  Postgres") };
    let other = store(&mut second, &new, UnixMillis(20)).unwrap().id;
    assert_eq!(sync(&mut first, &second).memories.same_as_another, 1);
    sync(&mut second, &first);
    assert_eq!(text_of(&first), text_of(&second));
    let memory = memory_of(&first, &kept).unwrap();
    assert_eq!((memory.summary.as_str(), memory.importance), ("use  Postgres", crate::Importance::High));
    memory_of(&second, &other).unwrap_err();
    rewrite(&mut second, &kept, "use sqlite", 400);
    sync(&mut first, &second);
    assert_eq!(summaries(&first), ["use sqlite"]);
}

#[test]
fn a_consolidation_reaches_the_other_side_and_so_does_its_undoing() {
    let (mut first, mut second, _) = laptops();
    remember(&mut first, "b", 5);
    sync(&mut second, &first);
    let request =
        ConsolidationRequest { topic: "t".to_owned(), summary: Some("both".to_owned()), ..Default::default() };
    consolidate(&mut first, &request, UnixMillis(20)).unwrap();
    sync(&mut second, &first);
    assert_eq!(summaries(&second), ["both"]);
    undo(&mut first, None, Author::Person, UnixMillis(30)).unwrap();
    sync(&mut first, &second);
    sync(&mut second, &first);
    assert_eq!([summaries(&first), summaries(&second)], [["b", "use postgres"], ["b", "use postgres"]]);
}

#[test]
fn one_wrong_line_is_left_out_and_takes_nothing_if_all_was_asked_for() {
    let (first, _, _) = laptops();
    let text = format!("{}{{\"record\":\"memory\",\"id\":\"m\"}}\n", text_of(&first));
    let mut other = database();
    let strict = ImportRequest { strict: true, ..ImportRequest::default() };
    let error = import(&mut other, &mut text.as_bytes(), &strict, UnixMillis(100)).unwrap_err();
    assert_eq!(error.to_string(), "line 4: `summary` is missing; it is a text");
    assert!(summaries(&other).is_empty());
    let report = import(&mut other, &mut text.as_bytes(), &ImportRequest::default(), UnixMillis(100)).unwrap();
    assert_eq!((report.memories.added, report.refused.count), (1, 1));
    assert_eq!(report.refused.first[0].to_string(), "line 4: `summary` is missing; it is a text");
    assert_eq!(summaries(&other), ["use postgres"]);
}

#[test]
fn an_export_holds_what_is_asked_for() {
    let mut database = database();
    let mine = NewMemory { project: ProjectKey::of_repository("p"), ..note("t", "of p") };
    let id = store(&mut database, &mine, UnixMillis(1)).unwrap().id;
    store(&mut database, &NewMemory { project: ProjectKey::of_repository("q"), ..note("t", "of q") }, UnixMillis(2))
        .unwrap();
    store(&mut database, &NewMemory { expires_at: Some(UnixMillis(50)), ..note("t", "over") }, UnixMillis(3)).unwrap();
    remember(&mut database, "of all", 4);
    rewrite(&mut database, &id, "of p, anew", 9);
    let text = |request: ExportRequest| {
        let mut output = Vec::new();
        export(&database, &request, &mut output, UnixMillis(60)).unwrap();
        let text = String::from_utf8(output).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let said = lines.filter_map(|line| {
            Some(
                format!("{} {}", line["record"].as_str()?, line["summary"].as_str().unwrap_or_default())
                    .trim()
                    .to_owned(),
            )
        });
        let mut said: Vec<String> = said.collect();
        said.remove(0);
        said.sort();
        said.join(", ")
    };
    let plain = ExportRequest { without_usage: true, ..ExportRequest::default() };
    assert_eq!(text(plain.clone()), "memory of all, memory of p, anew, memory of q");
    let scope = ListScope::Project(ProjectKey::of_repository("p"));
    assert_eq!(text(ExportRequest { scope, ..plain.clone() }), "memory of all, memory of p, anew");
    assert!(text(ExportRequest { archived: true, ..plain.clone() }).contains("memory over"));
    assert!(text(ExportRequest { earlier_texts: true, ..plain }).contains("earlier_memory of p"));
    assert!(text(ExportRequest::default()).ends_with("usage, usage, usage"));
}

#[test]
fn memoirs_of_one_name_are_united_and_the_words_of_their_concepts_found() {
    let graph = |memoir: &str, concept: &str, definition: &str, at: i64| {
        format!(
            "{{\"record\":\"icr-memory\",\"version\":1}}\n\
             {{\"record\":\"memoir\",\"id\":\"{memoir}\",\"name\":\"design\",\"description\":\"\",\"consolidation_threshold\":50,\
             \"created_at\":{at},\"updated_at\":{at}}}\n\
             {{\"record\":\"concept\",\"id\":\"{concept}\",\"memoir_id\":\"{memoir}\",\"name\":\"cache\",\"definition\":\"{definition}\",\
             \"confidence\":0.5,\"revision\":1,\"created_at\":{at},\"updated_at\":{at}}}\n"
        )
    };
    let (older, newer) = (graph("r1", "c1", "keeps answers", 1), graph("r2", "c2", "keeps blobs", 2));
    let mut first = database();
    let mut second = database();
    import_text(&mut first, &older);
    import_text(&mut second, &newer);
    let of_second = text_of(&second);
    sync(&mut second, &first);
    import_text(&mut first, &of_second);
    assert_eq!(text_of(&first), text_of(&second));
    for database in [&first, &second] {
        let sql =
            "SELECT concepts.id FROM concepts_fts JOIN concepts ON no = concepts_fts.rowid WHERE concepts_fts MATCH ?1";
        let found = |word: &str| -> Vec<String> {
            let mut statement = database.connection.prepare(sql).unwrap();
            statement.query_map([word], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        };
        assert_eq!((found("blobs"), found("answers")), (vec!["c1".to_owned()], vec![]));
        let texts = history(database, Entity::Concept, "c1").unwrap();
        assert!(texts.iter().any(|(_, before)| before["definition"] == "keeps answers"));
    }
}

#[test]
fn another_database_is_merged_without_a_file() {
    let (first, _, _) = laptops();
    let mut other = database();
    assert_eq!(sync(&mut other, &first).memories.added, 1);
    assert_eq!(text_of(&other), text_of(&first));
}

#[test]
fn what_was_stored_again_after_it_was_forgotten_elsewhere_stays() {
    let (mut first, mut second) = (database(), database());
    let id = store(&mut first, &note("t", "the fact"), UnixMillis(10)).unwrap().id;
    sync(&mut second, &first);
    forget(&mut first, &id, Author::Person, UnixMillis(20)).unwrap();
    store(&mut second, &note("t", "the fact"), UnixMillis(30)).unwrap();
    sync(&mut second, &first);
    sync(&mut first, &second);
    assert_eq!((summaries(&first), summaries(&second)), (vec!["the fact".to_owned()], vec!["the fact".to_owned()]));
}

#[test]
fn one_text_of_two_sides_has_what_both_said_of_it() {
    let (mut first, mut second) = (database(), database());
    let of_first = NewMemory {
        keywords: vec!["a".to_owned()],
        importance: crate::Importance::Critical,
        ..note("t", "the rota holds")
    };
    let of_second = NewMemory {
        keywords: vec!["b".to_owned()],
        importance: crate::Importance::Low,
        expires_at: Some(UnixMillis(1_000)),
        ..note("t", "the rota holds")
    };
    let id = store(&mut first, &of_first, UnixMillis(10)).unwrap().id;
    store(&mut second, &of_second, UnixMillis(20)).unwrap();
    sync(&mut first, &second);
    sync(&mut second, &first);
    assert_eq!(text_of(&first), text_of(&second));
    let memory = memory_of(&first, &id).unwrap();
    assert_eq!(
        (memory.keywords, memory.importance),
        (vec!["a".to_owned(), "b".to_owned()], crate::Importance::Critical)
    );
    assert_eq!(memory.expires_at, None);
}

#[test]
fn an_export_of_a_project_says_nothing_of_what_others_forgot() {
    let mut database = database();
    let [one, other] = ["1111111111111111", "2222222222222222"].map(crate::ProjectKey::of_repository);
    for project in [&one, &other] {
        let new = NewMemory { project: project.clone(), ..note("t", "a fact") };
        let id = store(&mut database, &new, UnixMillis(10)).unwrap().id;
        forget(&mut database, &id, Author::Person, UnixMillis(20)).unwrap();
    }
    let mut text = Vec::new();
    let request = ExportRequest { scope: crate::ListScope::Project(one), ..ExportRequest::default() };
    assert_eq!(export(&database, &request, &mut text, UnixMillis(30)).unwrap().forgotten, 1);
}

#[test]
fn what_no_database_may_hold_is_not_merged_into_another() {
    let (mut first, mut second) = (database(), database());
    store(&mut second, &note("t", "fine"), UnixMillis(1)).unwrap();
    let id = store(&mut second, &note("u", "not fine"), UnixMillis(1)).unwrap().id;
    let forged = "UPDATE memories SET topic = 'a' || char(10) || 'b' WHERE id = ?1";
    second.connection.execute(forged, [id.as_str()]).unwrap();
    let strict = ImportRequest { strict: true, ..ImportRequest::default() };
    let refused = merge(&mut first, &second, &strict, UnixMillis(2)).unwrap_err();
    assert!(refused.to_string().contains(id.as_str()), "{refused}");
    assert!(summaries(&first).is_empty());
    let refused = sync(&mut first, &second).refused;
    assert_eq!((refused.count, refused.first[0].id.as_deref()), (1, Some(id.as_str())));
    assert_eq!(summaries(&first), ["fine"]);
}

#[test]
fn one_damaged_text_keeps_no_other_from_being_exported() {
    let mut database = database();
    store(&mut database, &note("t", "fine"), UnixMillis(1)).unwrap();
    let id = store(&mut database, &note("t", "damaged later"), UnixMillis(1)).unwrap().id;
    let damage = "UPDATE memories SET raw_excerpt = CAST(x'61ff62' AS TEXT) WHERE id = ?1";
    database.connection.execute(damage, [id.as_str()]).unwrap();
    assert_eq!(memory_of(&database, &id).unwrap().raw_excerpt.as_deref(), Some("a\u{fffd}b"));
    let text = text_of(&database);
    assert!(text.contains("\"fine\"") && text.contains("damaged later"), "{text}");
}

#[test]
fn who_forgets_a_memory_does_not_forget_what_was_changed_elsewhere_unseen() {
    let (mut first, mut second) = (database(), database());
    let id = store(&mut first, &note("t", "the fact"), UnixMillis(10)).unwrap().id;
    sync(&mut second, &first);
    rewrite(&mut second, &id, "the corrected fact", 20);
    forget(&mut first, &id, Author::Person, UnixMillis(30)).unwrap();
    sync(&mut second, &first);
    sync(&mut first, &second);
    assert_eq!((summaries(&first), summaries(&second)), (vec!["the corrected fact".to_owned()], summaries(&first)));
    forget(&mut first, &id, Author::Person, UnixMillis(40)).unwrap();
    sync(&mut second, &first);
    assert!(summaries(&second).is_empty(), "now it was seen");
}

#[test]
fn more_than_is_held_at_once_is_refused_before_anything_is_written() {
    let mut database = database();
    let (header, records) = ("{\"record\":\"icr-memory\",\"version\":1}\n", IMPORT_MOST / RECORD_COST);
    let text = header.repeat(usize::try_from(records).unwrap() + 2);
    let error = import(&mut database, &mut text.as_bytes(), &ImportRequest::default(), LATER).unwrap_err();
    insta::assert_snapshot!(error, @"the export holds more than is imported at once: 320 MiB, where each record counts 1024 bytes besides its text");
    assert!(text_of(&database).lines().eq([header.trim_end()]), "nothing was taken");
}

#[test]
fn the_size_of_a_database_is_that_of_what_an_import_reads_of_it() {
    let mut database = database();
    let size = |database: &MemoryDatabase| database.read("counting all memories", rows::size).unwrap();
    assert_eq!(size(&database), 0);
    remember(&mut database, "twelve bytes", 1);
    let once = size(&database);
    assert!((RECORD_COST + 12..2 * RECORD_COST).contains(&once), "{once}");
}

#[test]
fn what_can_be_read_of_a_damaged_database_is_exported() {
    const PAGE_BYTES: usize = 4096;
    const MEMORIES: usize = 200;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = crate::MemoryDatabase::create(&path, crate::MemoryOptions::default()).unwrap();
    for number in 0..MEMORIES {
        let summary = format!("memory number {number} is about {}", "something long ".repeat(20));
        let new = NewMemory { topic: format!("topic {number}"), summary, ..NewMemory::default() };
        store(&mut database, &new, UnixMillis(1)).unwrap();
    }
    // Closing moves the log into the database.
    drop(database);
    let mut bytes = std::fs::read(&path).unwrap();
    let text = b"memory number 100 is about";
    let at = bytes.windows(text.len()).position(|window| window == text).unwrap();
    let page = at / PAGE_BYTES * PAGE_BYTES;
    bytes[page..page + PAGE_BYTES].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let database =
        crate::MemoryDatabase::existing(&path, crate::Access::Read, crate::MemoryOptions::default()).unwrap().unwrap();
    let mut output = Vec::new();
    let counts = export(&database, &ExportRequest::of_all_records(), &mut output, LATER).unwrap();
    assert!(counts.unreadable > 0, "{counts:?}");
    assert!(counts.memories as usize > MEMORIES * 9 / 10 && (counts.memories as usize) < MEMORIES, "{counts:?}");
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("memory number 0 ") && text.contains("memory number 199 "));
    // What was saved can be imported.
    let mut copy = super::testing::database();
    import_text(&mut copy, &text);
    assert_eq!(list(&copy, &crate::ListRequest::default(), LATER).unwrap().len() as u64, counts.memories);
}

#[test]
fn a_row_that_makes_no_sense_does_not_keep_the_others_from_an_export() {
    for (damage, expected) in [
        ("id = cast(x'3031ff' AS TEXT)", (4, 1, 0)),
        ("access_count = -1", (5, 0, 1)),
        ("updated_at = 'abc'", (5, 0, 1)),
    ] {
        let mut database = super::testing::database();
        for number in 0..5 {
            let new =
                NewMemory { topic: format!("topic {number}"), summary: "text".to_owned(), ..NewMemory::default() };
            store(&mut database, &new, UnixMillis(1)).unwrap();
        }
        let sql = format!("UPDATE memories SET {damage} WHERE no = 3");
        database.write("damaging", |transaction, _| Ok(transaction.execute(&sql, [])?)).unwrap();
        let mut output = Vec::new();
        let counts = export(&database, &ExportRequest::of_all_records(), &mut output, LATER).unwrap();
        assert_eq!((counts.memories, counts.unreadable, counts.senseless), expected, "{damage}");
    }
}

#[test]
fn a_database_that_was_cut_short_anywhere_gives_what_is_left_of_it() {
    const PAGE_BYTES: u64 = 4096;
    const MEMORIES: u64 = 120;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = crate::MemoryDatabase::create(&path, crate::MemoryOptions::default()).unwrap();
    let new = |number| NewMemory {
        topic: format!("topic {number}"),
        summary: format!("memory number {number} is about {}", "something long ".repeat(20)),
        ..NewMemory::default()
    };
    crate::store_verbatim(&mut database, &(0..MEMORIES).map(new).collect::<Vec<_>>(), UnixMillis(1)).unwrap();
    drop(database);
    let whole = std::fs::read(&path).unwrap();
    let (mut most, mut least) = (0, MEMORIES);
    for pages in (1..whole.len() as u64 / PAGE_BYTES).rev() {
        std::fs::write(&path, &whole[..(pages * PAGE_BYTES) as usize]).unwrap();
        let open = crate::MemoryDatabase::open_damaged(&path, home.path(), crate::MemoryOptions::default());
        let database = open.unwrap_or_else(|error| panic!("{pages} pages: {error}"));
        let mut output = Vec::new();
        let counts = export(&database, &ExportRequest::of_all_records(), &mut output, LATER).unwrap();
        // Where even the page that says how many there were is lost, they cannot be counted.
        assert!(pages < 4 || counts.memories + counts.unreadable >= MEMORIES, "{pages}: {counts:?}");
        let mut copy = super::testing::database();
        import_text(&mut copy, &String::from_utf8(output).unwrap());
        assert_eq!(summaries(&copy).len() as u64, counts.memories, "{pages}");
        (most, least) = (most.max(counts.memories), least.min(counts.memories));
    }
    assert!(most > MEMORIES / 2 && least < MEMORIES / 10, "{most} {least}");
}

/// A value of any type, as it may stand in a damaged row.
fn any_value() -> impl Strategy<Value = rusqlite::types::Value> {
    use rusqlite::types::Value;
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::Integer),
        (-3_i64..9).prop_map(Value::Integer),
        any::<f64>().prop_map(Value::Real),
        any::<String>().prop_map(Value::Text),
        any::<Vec<u8>>().prop_map(Value::Blob),
    ]
}

proptest! {
    #[test]
    fn no_value_in_any_row_keeps_questions_and_exports_from_the_other_rows(
        place in any::<prop::sample::Index>(), row in 0_i64..4, value in any_value(),
    ) {
        let mut database = database();
        for number in 0..4 {
            let new = NewMemory { keywords: vec!["ship".to_owned()], ..note(&format!("t{number}"), "the anchor of a ship") };
            store(&mut database, &new, UnixMillis(number)).unwrap();
        }
        let columns: Vec<(String, String)> = database
            .read("listing columns", |connection| {
                let sql = "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
                     WHERE m.name IN ('memories', 'operations', 'changes', 'near_keys', 'properties')";
                let mut statement = connection.prepare(sql)?;
                let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                rows.collect()
            })
            .unwrap();
        let (table, column) = &columns[place.index(columns.len())];
        // Some values are refused by the table itself.
        let sql = format!(
            "UPDATE OR IGNORE {table} SET {column} = ?1 WHERE ({0}) IN (SELECT {0} FROM {table} LIMIT 1 OFFSET {row})",
            if table == "changes" { "operation, entity, id" } else { &columns.iter().find(|(of, _)| of == table).unwrap().1 },
        );
        let _ = database.write("damaging", |transaction, _| Ok(transaction.execute(&sql, [&value])?));
        let listed = list(&database, &crate::ListRequest::default(), LATER).unwrap();
        prop_assert!(listed.len() >= 3, "{table}.{column}: {listed:?}");
        let request = crate::RecallRequest { query: "anchor".to_owned(), limit: 9, ..crate::RecallRequest::default() };
        prop_assert!(crate::recall(&database, &request, LATER).unwrap().memories.len() >= 3, "{table}.{column}");
        crate::statistics(&database, &crate::ListScope::All, LATER).unwrap();
        crate::topics(&database, &crate::ListScope::All, LATER).unwrap();
        crate::health(&database, &crate::ListScope::All, None, LATER).unwrap();
        let mut output = Vec::new();
        let counts = export(&database, &ExportRequest::of_all_records(), &mut output, LATER).unwrap();
        prop_assert!(counts.memories >= 3, "{table}.{column}: {counts:?}");
        for memory in &listed {
            serde_json::to_string(&crate::MemoryItem::new(memory, 1.0, None)).unwrap();
        }
    }
}

#[test]
fn rows_are_saved_without_the_definitions_of_their_tables() {
    const PAGE_BYTES: usize = 4096;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = crate::MemoryDatabase::create(&path, crate::MemoryOptions::default()).unwrap();
    let ids: Vec<RecordId> = ["one", "two"].map(|summary| remember(&mut database, summary, 1)).into();
    drop(database);
    let whole = std::fs::read(&path).unwrap();
    for pages in [2, 4, 12] {
        std::fs::write(&path, &whole[..pages * PAGE_BYTES]).unwrap();
        let database =
            crate::MemoryDatabase::open_damaged(&path, home.path(), crate::MemoryOptions::default()).unwrap();
        let memories = list(&database, &crate::ListRequest::default(), LATER).unwrap();
        assert_eq!(memories.iter().rev().map(|memory| &memory.id).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
        assert_eq!(export(&database, &ExportRequest::of_all_records(), &mut Vec::new(), LATER).unwrap().memories, 2);
    }
    let copies = std::fs::read_dir(home.path()).unwrap().flatten().filter(|entry| entry.path().is_dir());
    assert_eq!(copies.count(), 0, "the copies are deleted");
}
