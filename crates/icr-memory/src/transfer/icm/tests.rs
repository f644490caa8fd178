use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use proptest::prelude::*;
use rusqlite::params;
use tempfile::TempDir;

use super::*;
use crate::transfer::testing::{database, text_of};
use crate::{Author, MemoryUpdate, RecordId, forget, list, memory_of, update};

/// When the tests take over: 2026-03-01.
const NOW: i64 = 1_772_323_200_000;

/// The newest version of ICM's schema.
const NEWEST: u32 = 11;

/// A database of ICM in a directory of its own.
struct Icm {
    directory: TempDir,
    connection: Connection,
}

impl Icm {
    /// One that ICM of that version of the schema made, or that a first version was moved to it.
    fn new(version: u32, is_moved: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let connection = Connection::open(directory.path().join("memories.db")).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").unwrap();
        connection.execute_batch(&schema(version, is_moved)).unwrap();
        Self { directory, connection }
    }

    fn newest() -> Self {
        Self::new(NEWEST, false)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("memories.db")
    }

    fn run(&self, sql: &str) -> &Self {
        self.connection.execute_batch(sql).unwrap();
        self
    }

    /// A memory with an ordinary row.
    fn remember(&self, id: &str, topic: &str, summary: &str) -> &Self {
        let sql = "INSERT INTO memories (id, created_at, last_accessed, topic, summary, importance, source_type, weight) \
             VALUES (?1, '2026-02-02T10:00:00.5+00:00', '2026-02-03T10:00:00Z', ?2, ?3, 'medium', 'manual', 0.5)";
        self.connection.execute(sql, params![id, topic, summary]).unwrap();
        self
    }

    fn import(&self, database: &mut MemoryDatabase) -> IcmReport {
        import_icm(database, &self.path(), &IcmRequest::default(), UnixMillis(NOW)).unwrap()
    }
}

/// The tables of a version: what is added by each, as its migrations do for older files.
fn schema(version: u32, is_moved: bool) -> String {
    let fresh = |since: u32, column: &'static str| if version >= since && !is_moved { column } else { "" };
    let moved = |since: u32, sql: &'static str| if version >= since && is_moved { sql } else { "" };
    let since = |since: u32, sql: &'static str| if version >= since { sql } else { "" };
    [
        "CREATE TABLE memories (id TEXT PRIMARY KEY, created_at TEXT NOT NULL,",
        fresh(4, "updated_at TEXT NOT NULL DEFAULT '',"),
        "last_accessed TEXT NOT NULL, access_count INTEGER DEFAULT 0, weight REAL DEFAULT 1.0, topic TEXT NOT NULL, \
         summary TEXT NOT NULL, raw_excerpt TEXT, keywords TEXT, importance TEXT NOT NULL, source_type TEXT NOT NULL, \
         source_data TEXT, related_ids TEXT",
        fresh(8, ", summary_hash TEXT"),
        ");",
        since(2, "ALTER TABLE memories ADD COLUMN embedding BLOB;"),
        moved(4, "ALTER TABLE memories ADD COLUMN updated_at TEXT;"),
        moved(8, "ALTER TABLE memories ADD COLUMN summary_hash TEXT;"),
        "CREATE TABLE memoirs (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL DEFAULT '', \
         created_at TEXT NOT NULL, updated_at TEXT NOT NULL, consolidation_threshold INTEGER NOT NULL DEFAULT 50);",
        "CREATE TABLE concepts (id TEXT PRIMARY KEY, memoir_id TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, \
         labels TEXT NOT NULL DEFAULT '[]', confidence REAL NOT NULL DEFAULT 0.5, revision INTEGER NOT NULL DEFAULT 1, \
         created_at TEXT NOT NULL, updated_at TEXT NOT NULL, source_memory_ids TEXT NOT NULL DEFAULT '[]');",
        "CREATE TABLE concept_links (id TEXT PRIMARY KEY, source_id TEXT NOT NULL, target_id TEXT NOT NULL, \
         relation TEXT NOT NULL, weight REAL NOT NULL DEFAULT 1.0, created_at TEXT NOT NULL);",
        "CREATE VIRTUAL TABLE memories_fts USING fts5 (id, topic, summary, keywords, content='memories', content_rowid='rowid');",
        since(3, "CREATE TABLE icm_metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);"),
        since(3, "INSERT INTO icm_metadata VALUES ('last_decay_at', '2026-02-10T00:00:00+00:00');"),
        since(5, "CREATE TABLE feedback (id TEXT PRIMARY KEY, topic TEXT);"),
        since(7, "CREATE TABLE messages (id TEXT PRIMARY KEY, content TEXT);"),
        since(9, "CREATE TABLE pending_extractions (id TEXT PRIMARY KEY, raw_output TEXT);"),
        since(11, "CREATE TABLE facts (id TEXT PRIMARY KEY, entity TEXT);"),
        // A table of an extension that is not there, as a file of ICM has it for others.
        since(2, "PRAGMA writable_schema = ON; INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES \
             ('table', 'vec_memories', 'vec_memories', 0, 'CREATE VIRTUAL TABLE vec_memories USING vec0(memory_id TEXT PRIMARY KEY, \
             embedding float[384])'); PRAGMA writable_schema = OFF;"),
    ]
    .concat()
}

/// What is in every version.
fn fill(icm: &Icm) {
    icm.run(
        r#"INSERT INTO memories (id, created_at, last_accessed, access_count, weight, topic, summary, raw_excerpt, keywords, importance,
             source_type, source_data, related_ids) VALUES
             ('01KGF00000000000000000000A', '2026-02-02T10:00:00.123456789+00:00', '2026-02-12T10:00:00+00:00', 3, 0.75,
              'decisions-shop', 'We use Postgres.', 'chosen over MySQL', '["db", "postgres"]', 'high', 'claude_code',
              '{"type":"claude_code","session_id":"s-1","file_path":null}', '["01KGF00000000000000000000B", "01KGF00000000000000GONE00"]'),
             ('01KGF00000000000000000000B', '2026-02-03T10:00:00Z', '2026-02-03T10:00:00Z', 0, 1.0,
              'preferences', 'Write short sentences.', NULL, NULL, 'critical', 'manual', NULL, NULL);
           INSERT INTO memoirs VALUES ('01KGF00000000000000000000M', 'design', 'how it is built', '2026-02-02T10:00:00+00:00',
             '2026-02-02T10:00:00+00:00', 40);
           INSERT INTO concepts VALUES ('01KGF00000000000000000000C', '01KGF00000000000000000000M', 'store', 'keeps orders',
             '[{"namespace":"layer","value":"data"},{"namespace":"tag","value":"db"}]', 0.7, 3, '2026-02-02T10:00:00+00:00',
             '2026-02-05T10:00:00+00:00', '["01KGF00000000000000000000A"]'),
             ('01KGF00000000000000000000D', '01KGF00000000000000000000M', 'cart', 'holds items', '[]', 0.5, 1,
             '2026-02-02T10:00:00+00:00', '2026-02-02T10:00:00+00:00', '[]');
           INSERT INTO concept_links VALUES ('01KGF00000000000000000000L', '01KGF00000000000000000000D',
             '01KGF00000000000000000000C', 'depends_on', 0.5, '2026-02-02T10:00:00+00:00');"#,
    );
}

#[test]
fn a_database_of_the_newest_version_is_taken_over() {
    let icm = Icm::newest();
    fill(&icm);
    let mut database = database();
    let report = icm.import(&mut database);
    assert_snapshot!(text_of(&database), @r#"
    {"record":"icr-memory","version":1}
    {"record":"memory","id":"01KGF00000000000000000000A","topic":"decisions-shop","summary":"We use Postgres.","raw_excerpt":"chosen over MySQL","keywords":["db","postgres"],"importance":"high","source":"claude-code:s-1","author":"agent","kind":"episodic","created_at":1770026400123,"updated_at":1770026400123,"related":["01KGF00000000000000000000B"]}
    {"record":"memory","id":"01KGF00000000000000000000B","topic":"preferences","summary":"Write short sentences.","importance":"critical","source":"manual","author":"person","kind":"episodic","created_at":1770112800000,"updated_at":1770112800000}
    {"record":"usage","id":"01KGF00000000000000000000A","access_count":3,"accessed_at":1770890400000,"weight":0.75,"weight_at":1770681600000}
    {"record":"usage","id":"01KGF00000000000000000000B","access_count":0,"accessed_at":1770112800000,"weight":1.0,"weight_at":1770681600000}
    {"record":"memoir","id":"01KGF00000000000000000000M","name":"design","description":"how it is built","consolidation_threshold":40,"created_at":1770026400000,"updated_at":1770026400000}
    {"record":"concept","id":"01KGF00000000000000000000C","memoir_id":"01KGF00000000000000000000M","name":"store","definition":"keeps orders","labels":["layer:data","db"],"confidence":0.7,"revision":3,"sources":["01KGF00000000000000000000A"],"created_at":1770026400000,"updated_at":1770285600000}
    {"record":"concept","id":"01KGF00000000000000000000D","memoir_id":"01KGF00000000000000000000M","name":"cart","definition":"holds items","confidence":0.5,"revision":1,"created_at":1770026400000,"updated_at":1770026400000}
    {"record":"link","id":"01KGF00000000000000000000L","source_id":"01KGF00000000000000000000D","target_id":"01KGF00000000000000000000C","relation":"depends_on","weight":0.5,"created_at":1770026400000}
    "#);
    let added = [report.transfer.memories, report.transfer.memoirs, report.transfer.concepts, report.transfer.links];
    assert_eq!(added.map(|kind| kind.added), [2, 1, 2, 1]);
    let adjusted: Vec<(&str, u64)> = report.adjusted.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    assert_eq!(adjusted, [("references to memories that are not there any more were left out", 1)]);
}

#[test]
fn every_version_gives_the_same() {
    let newest = Icm::newest();
    fill(&newest);
    let mut expected = database();
    newest.import(&mut expected);
    for version in 1..=NEWEST {
        for is_moved in [false, true] {
            let icm = Icm::new(version, is_moved);
            fill(&icm);
            let mut taken = database();
            icm.import(&mut taken);
            // Before the third version nothing said when weights were lowered.
            let lines = |database: &MemoryDatabase| -> Vec<String> {
                let text = text_of(database);
                text.lines().filter(|line| version > 2 || !line.contains("\"usage\"")).map(str::to_owned).collect()
            };
            assert_eq!(lines(&taken), lines(&expected), "version {version}");
        }
    }
}

#[test]
fn taking_over_again_brings_what_is_new() {
    let icm = Icm::newest();
    icm.remember("m1", "a", "one").remember("m2", "a", "two").remember("m3", "a", "three");
    let mut database = database();
    icm.import(&mut database);
    let taken = text_of(&database);
    assert_eq!(icm.import(&mut database).transfer.operation, None);
    assert_eq!(text_of(&database), taken);

    let id = |id: &str| RecordId::try_from(id).unwrap();
    forget(&mut database, &id("m1"), Author::Person, UnixMillis(NOW)).unwrap();
    let change = MemoryUpdate { summary: Some("two, changed here".to_owned()), ..MemoryUpdate::default() };
    update(&mut database, &id("m2"), &change, Author::Person, UnixMillis(NOW)).unwrap();
    icm.run("UPDATE memories SET summary = 'three, changed there', updated_at = '2026-02-20T00:00:00+00:00' WHERE id = 'm3'");
    icm.remember("m4", "a", "four");
    let report = icm.import(&mut database).transfer.memories;
    assert_eq!((report.added, report.merged, report.unchanged, report.forgotten), (1, 1, 1, 1));
    let memories = list(&database, &crate::ListRequest::default(), UnixMillis(NOW)).unwrap();
    let mut texts: Vec<String> = memories.into_iter().map(|memory| memory.summary).collect();
    texts.sort();
    assert_eq!(texts, ["four", "three, changed there", "two, changed here"]);
}

#[test]
fn what_icm_writes_meanwhile_is_read_and_its_files_stay_as_they_are() {
    let icm = Icm::newest();
    icm.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0");
    icm.remember("m1", "a", "only in the log");
    let bytes = || [icm.path(), icm.directory.path().join("memories.db-wal")].map(|path| fs::read(path).unwrap());
    let before = bytes();
    assert!(!before[1].is_empty());
    icm.run("BEGIN IMMEDIATE").remember("m2", "a", "not committed");
    let mut database = database();
    assert_eq!(icm.import(&mut database).transfer.memories.added, 1);
    icm.run("ROLLBACK");
    assert_eq!(bytes()[0], before[0]);
}

#[cfg(unix)]
/// A copy of the files of a database in a place where the file that readers of its log share cannot be made.
fn without_shared_memory(icm: &Icm, has_log: bool) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memories.db");
    fs::copy(icm.path(), &path).unwrap();
    if has_log {
        fs::copy(icm.directory.path().join("memories.db-wal"), directory.path().join("memories.db-wal")).unwrap();
    }
    std::os::unix::fs::symlink("nowhere/at/all", directory.path().join("memories.db-shm")).unwrap();
    (directory, path)
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_read_in_its_place_is_read_in_another() {
    let icm = Icm::newest();
    icm.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0");
    icm.remember("m1", "a", "only in the log");
    let (_directory, path) = without_shared_memory(&icm, true);
    let mut database = database();
    let refused = import_icm(&mut database, &path, &IcmRequest::default(), UnixMillis(NOW)).unwrap_err().to_string();
    assert!(
        refused.ends_with("copy the database together with the file `-wal` beside it, and import the copy"),
        "{refused}"
    );
    let scratch = tempfile::tempdir().unwrap();
    let request = IcmRequest { scratch: Some(scratch.path().to_owned()), ..IcmRequest::default() };
    assert_eq!(import_icm(&mut database, &path, &request, UnixMillis(NOW)).unwrap().transfer.memories.added, 1);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "the copy is deleted");
}

#[cfg(unix)]
#[test]
fn without_a_log_the_file_is_all_there_is() {
    let icm = Icm::newest();
    icm.remember("m1", "a", "one").run("PRAGMA wal_checkpoint(TRUNCATE)");
    let (_directory, path) = without_shared_memory(&icm, false);
    let mut database = database();
    let report = import_icm(&mut database, &path, &IcmRequest::default(), UnixMillis(NOW)).unwrap();
    assert_eq!(report.transfer.memories.added, 1);
}

#[test]
fn rows_around_a_damaged_page_are_taken() {
    let icm = Icm::newest();
    for number in 0..200 {
        icm.remember(&format!("m{number:03}"), "a", &format!("{number} {}", "long ".repeat(60)));
    }
    icm.run("PRAGMA wal_checkpoint(TRUNCATE)");
    let page = "SELECT pageno FROM dbstat WHERE name = 'memories' AND pagetype = 'leaf' LIMIT 1 OFFSET 5";
    let page: Result<usize, _> = icm.connection.query_row(page, [], |row| row.get(0));
    let path = icm.path();
    let mut bytes = fs::read(&path).unwrap();
    // A leaf of the table holds about ten of these rows.
    let page = page.unwrap_or_else(|_| {
        let found = bytes.windows(8).position(|window| window == b"60 long ").unwrap();
        found / 4_096 + 1
    });
    bytes[(page - 1) * 4_096..page * 4_096].fill(0xee);
    let damaged = icm.directory.path().join("damaged.db");
    fs::write(&damaged, bytes).unwrap();

    let mut database = database();
    let report = import_icm(&mut database, &damaged, &IcmRequest::default(), UnixMillis(NOW)).unwrap();
    let (taken, lost) = (report.transfer.memories.added, report.unreadable["memories"]);
    assert!(lost > 0 && lost < 30, "{lost}");
    assert_eq!(taken + lost, 200);
    assert!(report.is_damaged);
    let whole = import_icm(&mut database, &path, &IcmRequest::default(), UnixMillis(NOW)).unwrap();
    assert!(!whole.is_damaged && whole.unreadable.is_empty(), "{whole:?}");
}

#[test]
fn values_that_icr_does_not_take_become_what_is_nearest() {
    let icm = Icm::newest();
    icm.run(
        r#"PRAGMA ignore_check_constraints = ON;
           INSERT INTO memories (id, created_at, updated_at, last_accessed, access_count, weight, topic, summary, keywords, importance,
             source_type, source_data, related_ids) VALUES
             (NULL, 'yesterday', '', 'never', -3, -0.5, 'a' || char(10) || 'b', 'no id', 'null', 'urgent', 'manual', NULL, '[7]'),
             ('01KGF00000000000000000000A', '', 'soon', '', NULL, 2.5, '', 'no times', '["", " x ", "x"]', 'HIGH', 'conversation',
               '{"type":"conversation","thread_id":"t"}', 'none'),
             ('bad id', '2026-02-02 10:00:00', '2026-02-02T10:00:00+02:00', '2026-02-02', 1, NULL, 't', 'a' || char(0) || 'b', '[1]',
               'low', 'telepathy', 'x', NULL),
             ('m3', '2026-02-02T10:00:00Z', '', '2026-02-02T10:00:00Z', 0, 1.0, 't', '  ', NULL, 'low', 'manual', NULL, NULL),
             ('m4', '2026-02-02T10:00:00Z', '', '2026-02-02T10:00:00Z', 0, 1.0, 't', CAST(x'61ff62' AS TEXT), NULL, 'low', 'manual', NULL, NULL);
           INSERT INTO concepts VALUES ('c1', 'm9', 'x', 'y', '[]', 5.0, 0, '', '', '[]'), ('c2', '', 'x', 'y', '{', 0.5, 1, '', '', '[]');
           INSERT INTO concept_links VALUES ('l1', 'c1', 'c1', 'part_of', 1.0, ''), ('l2', 'c1', 'c2', 'likes', 1.0, '');"#,
    );
    icm.connection
        .execute(
            "INSERT INTO memories (id, created_at, last_accessed, topic, summary, importance, source_type) \
             VALUES ('m5', '2026-02-02T10:00:00Z', '2026-02-02T10:00:00Z', ?1, ?2, 'low', 'manual')",
            params!["é".repeat(200), "ü".repeat(40_000)],
        )
        .unwrap();
    let mut database = database();
    let report = icm.import(&mut database);
    let later = import_icm(&mut database, &icm.path(), &IcmRequest::default(), UnixMillis(NOW + 1)).unwrap();
    assert_eq!(later.transfer.operation, None, "the same is taken the same way");
    let long = memory_of(&database, &RecordId::try_from("m5").unwrap()).unwrap();
    assert_eq!(
        (long.summary.len(), long.raw_excerpt.map(|rest| rest.len()), long.topic.len()),
        (65_536, Some(14_464), 255)
    );
    let said = |report: &IcmReport| {
        let adjusted = report.adjusted.iter().map(|(what, count)| format!("{count} {what}"));
        let notes = report.transfer.notes.iter().map(|note| format!("{} {}: {}", note.record, note.id, note.reason));
        adjusted.chain(notes).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(said(&report), @r#"
    1 importances that are not known became `medium`
    1 lists that cannot be read were left out
    1 relations that are not known became `related_to`
    1 rows with bytes that are no UTF-8 have a mark in place of these
    2 rows without an id got one of their number
    1 texts of more than 64 KiB go on in the excerpt, or were cut
    4 times that cannot be read are another time of the row, or that of its id
    3 topics and names that are empty, too long or of several lines were made one short line
    3 weights outside of 0 to 1 are the nearest one inside
    concept c1: there is no memoir `m9`
    link l2: there is no concept `c1`
    memory m3: it has no text
    concept c2: it belongs to no memoir
    link l1: it links a concept to itself
    "#);
    forget(&mut database, &RecordId::try_from("m5").unwrap(), Author::Person, UnixMillis(NOW)).unwrap();
    assert_snapshot!(text_of(&database), @r#"
    {"record":"icr-memory","version":1}
    {"record":"memory","id":"01KGF00000000000000000000A","topic":"icm","summary":"no times","keywords":["x"],"importance":"high","source":"conversation:t","author":"agent","kind":"episodic","created_at":1770029842432,"updated_at":1770029842432}
    {"record":"memory","id":"icm-memory-1","topic":"a b","summary":"no id","importance":"medium","source":"manual","author":"person","kind":"episodic","created_at":1770681600000,"updated_at":1770681600000}
    {"record":"memory","id":"icm-memory-3","topic":"t","summary":"a\u0000b","importance":"low","source":"telepathy","author":"agent","kind":"episodic","created_at":1770026400000,"updated_at":1770026400000}
    {"record":"memory","id":"m4","topic":"t","summary":"a�b","importance":"low","source":"manual","author":"person","kind":"episodic","created_at":1770026400000,"updated_at":1770026400000}
    {"record":"usage","id":"01KGF00000000000000000000A","access_count":0,"accessed_at":1770029842432,"weight":1.0,"weight_at":1770681600000}
    {"record":"usage","id":"icm-memory-1","access_count":0,"accessed_at":1770681600000,"weight":1e-9,"weight_at":1770681600000}
    {"record":"usage","id":"icm-memory-3","access_count":1,"accessed_at":1770026400000,"weight":1.0,"weight_at":1770681600000}
    {"record":"usage","id":"m4","access_count":0,"accessed_at":1770026400000,"weight":1.0,"weight_at":1770681600000}
    {"record":"forgotten","id":"m5","entity":"memory","at":1772323200000,"seen":1770026400000}
    "#);
}

#[test]
fn what_is_no_memory_is_counted_and_left() {
    let icm = Icm::newest();
    icm.run("INSERT INTO facts VALUES ('a', 'b'), ('c', 'd'); INSERT INTO feedback VALUES ('e', 'f')");
    let report = icm.import(&mut database());
    let left: Vec<_> = report.left.into_iter().collect();
    assert_eq!(left, [("facts".to_owned(), 2), ("feedback".to_owned(), 1)]);
}

#[test]
fn a_memory_belongs_to_the_project_that_its_topic_names() {
    let icm = Icm::newest();
    let topics =
        ["decisions-shop", "context-shop-api", "shopping", "preferences-shop", "errors-resolved", "Shop:notes"];
    for (number, topic) in topics.iter().enumerate() {
        icm.remember(&format!("m{number}"), topic, &format!("text {number}"));
    }
    let project = |name: &str, repository: &str| (name.to_owned(), ProjectKey::of_repository(repository));
    let projects = vec![project("shop", "r1"), project("shop-api", "r2")];
    let request = IcmRequest { projects, ..IcmRequest::default() };
    let mut database = database();
    import_icm(&mut database, &icm.path(), &request, UnixMillis(NOW)).unwrap();
    let of = |number: usize| {
        let id = RecordId::try_from(format!("m{number}")).unwrap();
        memory_of(&database, &id).unwrap().project.as_str().to_owned()
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(of), ["r1", "r2", "", "", "", "r1"]);
}

#[test]
fn other_files_are_refused_with_what_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let mut database = database();
    let mut refusal = |name: &str| {
        let path = directory.path().join(name);
        let error = import_icm(&mut database, &path, &IcmRequest::default(), UnixMillis(NOW)).unwrap_err().to_string();
        error.replace(&path.display().to_string(), name)
    };
    fs::write(directory.path().join("empty.db"), "").unwrap();
    fs::write(directory.path().join("notes.txt"), "These are my notes, and no database.").unwrap();
    fs::create_dir(directory.path().join("folder")).unwrap();
    fs::write(directory.path().join("torn.db"), b"SQLite format 3\0and no more").unwrap();
    Connection::open(directory.path().join("other.db")).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    drop(MemoryDatabase::create(&directory.path().join("icr.db"), crate::MemoryOptions::default()).unwrap());
    let refusals = ["absent.db", "empty.db", "notes.txt", "folder", "torn.db", "other.db", "icr.db"].map(&mut refusal);
    assert_snapshot!(refusals.join("\n"), @r#"
    `absent.db` is not a memory database of ICM: No such file or directory (os error 2)
    `empty.db` is not a memory database of ICM: it is empty
    `notes.txt` is not a memory database of ICM: it is no SQLite database
    `folder` is not a memory database of ICM: it is a directory
    `torn.db` is not a memory database of ICM: file is not a database
    `other.db` is not a memory database of ICM: it has no table `memories`
    `icr.db` is not a memory database of ICM: its table `memories` has no column `source_type`
    "#);
}

#[test]
fn a_dry_run_reads_all_and_writes_nothing() {
    let icm = Icm::newest();
    fill(&icm);
    let request =
        IcmRequest { import: ImportRequest { dry_run: true, ..ImportRequest::default() }, ..IcmRequest::default() };
    let mut database = database();
    let report = import_icm(&mut database, &icm.path(), &request, UnixMillis(NOW)).unwrap();
    assert_eq!((report.transfer.memories.added, report.transfer.concepts.added), (2, 2));
    assert_eq!(text_of(&database).lines().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_damage_makes_taking_over_panic(places in proptest::collection::vec((100_usize..40_000, any::<u8>()), 1..40)) {
        let icm = Icm::newest();
        fill(&icm);
        for number in 0..20 {
            icm.remember(&format!("m{number}"), "a", &format!("{number} {}", "long ".repeat(40)));
        }
        icm.run("PRAGMA wal_checkpoint(TRUNCATE)");
        let mut bytes = fs::read(icm.path()).unwrap();
        for (place, byte) in places {
            let place = place % bytes.len();
            bytes[place.max(100)] = byte;
        }
        let damaged = icm.directory.path().join("damaged.db");
        fs::write(&damaged, bytes).unwrap();
        let mut database = database();
        let _ = import_icm(&mut database, &damaged, &IcmRequest::default(), UnixMillis(NOW));
        let text = text_of(&database);
        let mut copy = crate::transfer::testing::database();
        crate::transfer::testing::import_text(&mut copy, &text);
        prop_assert_eq!(text_of(&copy), text);
    }
}
