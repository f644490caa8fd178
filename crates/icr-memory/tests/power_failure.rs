//! What is there after the machine lost power: some of the commits, from the first on, and nothing torn.
//!
//! Commits are appended to a write-ahead log that is forced to disk only when it is written back to the database. Whatever of the log was not
//! forced may be on disk or not, sector by sector. These tests lose sectors of it at random.

use std::fs;
use std::path::{Path, PathBuf};

use icr_memory::{Access, ListOrder, ListRequest, MemoryDatabase, MemoryOptions, MemoryUpdate, NewMemory};
use icr_model::UnixMillis;
use proptest::prelude::*;

/// What disks write whole.
const SECTOR: usize = 512;

/// Bytes at the start of the log that say what it is (SQLite, "WAL file format"); they are written with the first frame.
const LOG_HEADER: usize = 32;

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

/// Stores so many memories, changes one of them, and leaves the log as a machine leaves it that stops: `copy` gets the files as they are while
/// the database is open.
fn write_and_stop(count: usize, copy: &Path) -> PathBuf {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("memory.db");
    let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
    for at in 0..count {
        let summary = format!("fact number {at}: {}", "and what it is about ".repeat(at % 7));
        let new = NewMemory { topic: "facts".into(), summary, ..NewMemory::default() };
        let id = icr_memory::store(&mut database, &new, UnixMillis(at as i64)).unwrap().id;
        let change = MemoryUpdate { keywords: Some(vec![format!("keyword {at}")]), ..MemoryUpdate::default() };
        icr_memory::update(&mut database, &id, &change, icr_memory::Author::Person, UnixMillis(at as i64)).unwrap();
    }
    let stopped = copy.join("memory.db");
    fs::copy(&path, &stopped).unwrap();
    fs::copy(log_of(&path), log_of(&stopped)).unwrap();
    stopped
}

/// How many memories there are; they are the first ones, each with its whole text, the last one perhaps not changed yet.
fn check_prefix(path: &Path) -> usize {
    let database = MemoryDatabase::existing(path, Access::Write, MemoryOptions::default()).unwrap();
    let Some(database) = database else { return 0 };
    database.check().unwrap();
    let request = ListRequest { order: ListOrder::Created, ..ListRequest::default() };
    let mut memories = icr_memory::list(&database, &request, UnixMillis(0)).unwrap();
    memories.reverse();
    for (at, memory) in memories.iter().enumerate() {
        assert!(memory.summary.starts_with(&format!("fact number {at}: ")), "{} is not number {at}", memory.summary);
        assert!(memory.keywords.len() == 1 || at + 1 == memories.len(), "{} was changed", memory.summary);
    }
    memories.len()
}

#[test]
fn a_whole_log_holds_every_commit() {
    let copy = tempfile::tempdir().unwrap();
    let path = write_and_stop(40, copy.path());
    assert_eq!(check_prefix(&path), 40);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lost_sectors_take_the_newest_commits_and_tear_none(
        lost in proptest::collection::vec(any::<prop::sample::Index>(), 1..6),
        cut in any::<prop::sample::Index>(),
        garbage in any::<bool>(),
    ) {
        let copy = tempfile::tempdir().unwrap();
        let path = write_and_stop(25, copy.path());
        let mut log = fs::read(log_of(&path)).unwrap();
        let sectors = (log.len() - LOG_HEADER) / SECTOR;
        let end = LOG_HEADER + (cut.index(sectors) + 1) * SECTOR;
        log.truncate(end.max(log.len() / 2));
        let sectors = (log.len() - LOG_HEADER) / SECTOR;
        for index in lost {
            let start = LOG_HEADER + index.index(sectors) * SECTOR;
            log[start..start + SECTOR].fill(if garbage { 0x5a } else { 0 });
        }
        fs::write(log_of(&path), log).unwrap();
        let count = check_prefix(&path);
        prop_assert!(count <= 25);
        // It goes on from there.
        let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
        let new = NewMemory { topic: "later".into(), summary: "goes on".into(), ..NewMemory::default() };
        icr_memory::store(&mut database, &new, UnixMillis(100)).unwrap();
        prop_assert_eq!(icr_memory::list(&database, &ListRequest::default(), UnixMillis(0)).unwrap().len(), count + 1);
    }
}
