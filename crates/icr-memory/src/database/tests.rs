use std::path::Path;

use icr_model::UnixMillis;

use super::*;
use crate::{NewMemory, list, store};

fn note(summary: &str) -> NewMemory {
    NewMemory { topic: "notes".to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
}

fn summaries(database: &MemoryDatabase) -> Vec<String> {
    let memories = list(database, &crate::ListRequest::default(), UnixMillis(0)).unwrap();
    memories.into_iter().map(|memory| memory.summary).collect()
}

fn read(path: &Path) -> Result<Option<MemoryDatabase>, Error> {
    MemoryDatabase::existing(path, Access::Read, MemoryOptions::default())
}

#[test]
fn what_was_stored_is_there_after_opening_again() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a/memory.db");
    assert!(read(&path).unwrap().is_none(), "reading makes nothing");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    store(&mut database, &note("first"), UnixMillis(1)).unwrap();
    let open = read(&path).unwrap().unwrap();
    assert_eq!(summaries(&open), ["first"]);
    store(&mut database, &note("second"), UnixMillis(2)).unwrap();
    assert_eq!(summaries(&open), ["second", "first"], "a reader sees what others commit");
    drop((database, open));
    assert_eq!(summaries(&MemoryDatabase::create(&path, MemoryOptions::default()).unwrap()), ["second", "first"]);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a/memory.db");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    store(&mut database, &note("first"), UnixMillis(1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&path), mode(&log_of(&path)), mode(path.parent().unwrap())], [0o600, 0o600, 0o700]);
}

#[test]
fn a_database_that_can_only_be_read_is_not_written() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    store(&mut database, &note("first"), UnixMillis(1)).unwrap();
    drop(database);
    let before = fs::read(&path).unwrap();
    let mut database = read(&path).unwrap().unwrap();
    assert!(matches!(store(&mut database, &note("second"), UnixMillis(2)), Err(Error::ReadOnly { .. })));
    crate::touch(&mut database, &[crate::RecordId::ulid(UnixMillis(1), 1)], UnixMillis(2)).unwrap();
    drop(database);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_older_database_is_moved_forward_beside_a_copy_and_never_by_reading() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut connection = Connection::open(&path).unwrap();
    let first = Migrations { steps: &MIGRATIONS.steps[..1], ..MIGRATIONS };
    first.run(&mut connection).unwrap();
    let fields = "id, project, topic, summary, keywords, importance, source, author, kind, created_at, updated_at, accessed_at, \
         access_count, weight, weight_at, related, exact_key, terms, version";
    let key = [0_u8; 16];
    let insert = format!(
        "INSERT INTO memories ({fields}) VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', '', 'notes', 'first', '[]', 1, '\"manual\"', 'person', \
         'episodic', 1, 1, 1, 0, 1.0, 1, '[]', ?1, 'first note', 1)"
    );
    connection.execute(&insert, [&key[..]]).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    assert!(matches!(read(&path), Err(Error::Older { found: 1, .. })));
    assert_eq!(fs::read(&path).unwrap(), before);

    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    let stored = store(&mut database, &note("first"), UnixMillis(2)).unwrap();
    assert_eq!((stored.action, stored.topic_count), (crate::StoreAction::SameText, 1));
    assert_eq!(fs::read(home.path().join("memory.db.v1")).unwrap()[..16], before[..16]);
}

#[test]
fn a_newer_database_is_refused_and_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    drop(MemoryDatabase::create(&path, MemoryOptions::default()).unwrap());
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let before = fs::read(&path).unwrap();
    for access in [Access::Read, Access::Write] {
        let refused = MemoryDatabase::existing(&path, access, MemoryOptions::default());
        assert!(matches!(refused, Err(Error::Newer { found: 99, .. })), "{refused:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_memory_database_is_named_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    fs::write(
        &path,
        "not a database, but long enough to be looked at as one by SQLite, which reads a header of 100 bytes first",
    )
    .unwrap();
    let before = fs::read(&path).unwrap();
    let refused = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap_err();
    assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let refused = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("it is a directory"), "{refused}");
    let pins = home.path().join("pins.db");
    drop(crate::Pins::create(&pins).unwrap());
    let refused = MemoryDatabase::create(&pins, MemoryOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("something else"), "{refused}");
}

#[test]
fn an_emptied_database_is_named_and_its_log_stays() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    store(&mut database, &note("first"), UnixMillis(1)).unwrap();
    // What a process leaves that was killed: a database beside its log.
    let emptied = home.path().join("emptied.db");
    fs::copy(log_of(&path), log_of(&emptied)).unwrap();
    fs::write(&emptied, "").unwrap();
    let log = fs::read(log_of(&emptied)).unwrap();
    for access in [Access::Read, Access::Write] {
        let refused = MemoryDatabase::existing(&emptied, access, MemoryOptions::default()).unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
    }
    let refused = MemoryDatabase::create(&emptied, MemoryOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("emptied.db-wal` still has content"), "{refused}");
    assert_eq!(fs::read(log_of(&emptied)).unwrap(), log);
    // A creation that was killed leaves an empty file without a log.
    fs::remove_file(log_of(&emptied)).unwrap();
    assert!(read(&emptied).unwrap().is_none());
    drop(MemoryDatabase::create(&emptied, MemoryOptions::default()).unwrap());
}

#[test]
fn two_that_write_at_once_lose_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    drop(MemoryDatabase::create(&path, MemoryOptions::default()).unwrap());
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut database = MemoryDatabase::create(path, MemoryOptions::default()).unwrap();
                for at in 0..50 {
                    store(&mut database, &note(&format!("writer {writer} says {at}")), UnixMillis(at)).unwrap();
                }
            });
        }
    });
    assert_eq!(summaries(&read(&path).unwrap().unwrap()).len(), 200);
}

#[test]
fn who_only_quotes_memories_does_not_wait_for_who_has_locked_them() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let read = || MemoryDatabase::existing_within(&path, MemoryOptions::default(), Duration::ZERO);
    assert!(read().unwrap().is_none() && !path.exists());
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    store(&mut database, &note("first"), UnixMillis(1)).unwrap();
    assert_eq!(summaries(&read().unwrap().unwrap()), ["first"]);
    drop(database);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let locked = read().and_then(|database| list(&database.unwrap(), &crate::ListRequest::default(), UnixMillis(0)));
    assert!(matches!(locked, Err(Error::Busy { .. })), "{locked:?}");
}

#[test]
fn what_cannot_be_written_in_time_is_not_written_later() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    database.wait_at_most(Duration::ZERO).unwrap();
    assert!(matches!(store(&mut database, &note("late"), UnixMillis(1)), Err(Error::Busy { .. })));
    let counted = crate::touch(&mut database, &[crate::RecordId::ulid(UnixMillis(1), 1)], UnixMillis(2));
    assert!(matches!(counted, Err(Error::Busy { .. })), "{counted:?}");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(summaries(&database).is_empty());
    database.wait_at_most(Duration::from_secs(99)).unwrap();
    store(&mut database, &note("in time"), UnixMillis(1)).unwrap();
    assert_eq!(summaries(&database), ["in time"]);
}
