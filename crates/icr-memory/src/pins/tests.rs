use icr_sqlite::Migrations;
use tempfile::TempDir;

use super::*;

const NOW: i64 = 1_704_067_200;

/// What the first released version makes, with two pins in it. Never changed: databases like it are out there.
const VERSION_1: &str = "
    PRAGMA application_id = 0x69637270;
    CREATE TABLE pins (
        clone BLOB NOT NULL, source_id TEXT NOT NULL, path BLOB NOT NULL, label TEXT, blob_id BLOB NOT NULL,
        pinned_at INTEGER NOT NULL, expires_at INTEGER, PRIMARY KEY (clone, source_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO pins VALUES (CAST('/c/.git' AS BLOB), 'core-types', CAST('src/types.ts' AS BLOB), 'Core types',
        X'0101010101010101010101010101010101010101', 1704067100, NULL);
    INSERT INTO pins VALUES (CAST('/c/.git' AS BLOB), 'short', CAST('src/a.ts' AS BLOB), NULL,
        X'0202020202020202020202020202020202020202020202020202020202020202', 1704067000, 1704067300);
    PRAGMA user_version = 1;
";

struct World {
    home: TempDir,
}

impl World {
    fn new() -> Self {
        Self { home: TempDir::new().unwrap() }
    }

    /// With a database that another program made.
    fn with(sql: &str) -> Self {
        let world = Self::new();
        fs::create_dir_all(world.path().parent().unwrap()).unwrap();
        Connection::open(world.path()).unwrap().execute_batch(sql).unwrap();
        world
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("repos/0123456789abcdef/pins.db")
    }

    fn create(&self) -> Pins {
        Pins::create(&self.path()).unwrap()
    }

    #[track_caller]
    fn live(&self, clone: &str, now: i64) -> Vec<Pin> {
        let pins = Pins::existing(&self.path(), Access::Read).unwrap();
        pins.map_or_else(Vec::new, |pins| pins.live(Path::new(clone), Moment(now)).unwrap())
    }

    /// Ids of the live pins.
    #[track_caller]
    fn ids(&self, clone: &str, now: i64) -> Vec<String> {
        self.live(clone, now).into_iter().map(|pin| pin.source_id).collect()
    }
}

fn pin(source_id: &str, pinned_at: i64, expires_at: Option<i64>) -> Pin {
    Pin {
        source_id: source_id.to_owned(),
        path: RepoPath::new(*b"src/\xff \n.rs"),
        label: Some("what it is".to_owned()),
        blob_id: BlobId::from_bytes(&[7; 20]).unwrap(),
        pinned_at: Moment(pinned_at),
        expires_at: expires_at.map(Moment),
        priority: PinPriority::default(),
    }
}

fn with_priority(number: u8, pin: Pin) -> Pin {
    Pin { priority: PinPriority::new(number).unwrap(), ..pin }
}

#[test]
fn what_is_pinned_is_read_back_by_another_process() {
    let world = World::new();
    let sha256 = Pin { blob_id: BlobId::from_bytes(&[9; 32]).unwrap(), label: None, ..pin("b", NOW, Some(NOW + 60)) };
    world.create().pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    world.create().pin(Path::new("/c"), &sha256, Moment(NOW)).unwrap();
    assert_eq!(world.live("/c", NOW), [pin("a", NOW, None), sha256.clone()]);
    let pins = Pins::existing(&world.path(), Access::Read).unwrap().unwrap();
    assert_eq!(pins.get(Path::new("/c"), "b", Moment(NOW)).unwrap(), Some(sha256));
    assert_eq!(pins.get(Path::new("/c"), "c", Moment(NOW)).unwrap(), None);
}

#[test]
fn newest_pins_come_first_and_those_of_one_second_by_their_ids() {
    let world = World::new();
    for (id, at) in [("old", 1), ("b", 3), ("a", 3), ("new", 5)] {
        world.create().pin(Path::new("/c"), &pin(id, NOW + at, None), Moment(NOW)).unwrap();
    }
    assert_eq!(world.ids("/c", NOW), ["new", "a", "b", "old"]);
}

#[test]
fn pins_of_high_priority_come_first() {
    let world = World::new();
    for (id, priority, at) in [("usual", 5, 9), ("low", 1, 99), ("high", 10, 1), ("newer", 10, 2)] {
        world.create().pin(Path::new("/c"), &with_priority(priority, pin(id, NOW + at, None)), Moment(NOW)).unwrap();
    }
    assert_eq!(world.ids("/c", NOW), ["newer", "high", "usual", "low"]);
    let pins = Pins::existing(&world.path(), Access::Read).unwrap().unwrap();
    assert_eq!(pins.get(Path::new("/c"), "low", Moment(NOW)).unwrap().unwrap().priority.number(), 1);
}

#[test]
fn a_priority_out_of_bounds_is_damage() {
    let world = World::new();
    world.create().pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    let raw = Connection::open(world.path()).unwrap();
    assert!(raw.execute("UPDATE pins SET priority = 11", []).is_err(), "the table takes none");
    raw.execute_batch("PRAGMA ignore_check_constraints = 1; UPDATE pins SET priority = 11").unwrap();
    let pins = Pins::existing(&world.path(), Access::Read);
    let error = pins.and_then(|pins| pins.expect("there is a file").live(Path::new("/c"), Moment(NOW))).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}

#[test]
fn pinning_again_replaces() {
    let world = World::new();
    let mut pins = world.create();
    let later = Pin { path: RepoPath::from("b.rs"), label: None, ..pin("a", NOW + 5, Some(NOW + 90)) };
    let later = with_priority(9, later);
    for pin in [&pin("a", NOW, None), &later, &later] {
        pins.pin(Path::new("/c"), pin, Moment(NOW)).unwrap();
    }
    assert_eq!(world.live("/c", NOW), [later]);
}

#[test]
fn unpinning_says_whether_there_was_one() {
    let world = World::new();
    let mut pins = world.create();
    pins.pin(Path::new("/c"), &pin("a", NOW, Some(NOW + 60)), Moment(NOW)).unwrap();
    let mut unpin = |clone: &str, id, now| pins.unpin(Path::new(clone), id, Moment(now)).unwrap();
    assert!(!unpin("/c", "b", NOW) && !unpin("/d", "a", NOW), "another id, another clone");
    assert!(unpin("/c", "a", NOW + 59) && !unpin("/c", "a", NOW + 59));
}

#[test]
fn an_expired_pin_is_not_there_and_the_next_write_forgets_it() {
    let world = World::new();
    let mut pins = world.create();
    let rows = || -> i64 {
        let raw = Connection::open(world.path()).unwrap();
        raw.query_row("SELECT count(*) FROM pins", [], |row| row.get(0)).unwrap()
    };
    pins.pin(Path::new("/c"), &pin("short", NOW, Some(NOW + 60)), Moment(NOW)).unwrap();
    pins.pin(Path::new("/d"), &pin("short", NOW, Some(NOW + 60)), Moment(NOW)).unwrap();
    assert_eq!(world.ids("/c", NOW + 59), ["short"]);
    assert!(world.ids("/c", NOW + 60).is_empty());
    assert_eq!(pins.get(Path::new("/c"), "short", Moment(NOW + 60)).unwrap(), None);
    assert!(!pins.unpin(Path::new("/c"), "short", Moment(NOW + 60)).unwrap());
    assert_eq!(rows(), 2, "reading forgets nothing, and nothing was written");
    pins.pin(Path::new("/c"), &pin("a", NOW + 60, None), Moment(NOW + 60)).unwrap();
    assert_eq!(rows(), 1);
    assert_eq!(world.ids("/c", NOW), ["a"], "what was forgotten does not come back with the clock");
}

#[test]
fn clones_do_not_see_each_others_pins() {
    let world = World::new();
    world.create().pin(Path::new("/c/.git"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    world.create().pin(Path::new("/d/.git"), &pin("a", NOW + 1, None), Moment(NOW)).unwrap();
    assert_eq!(world.live("/c/.git", NOW), [pin("a", NOW, None)]);
    assert_eq!(world.live("/d/.git", NOW), [pin("a", NOW + 1, None)]);
    assert!(world.ids("/c", NOW).is_empty());
}

#[test]
fn a_clone_has_so_many_pins_and_no_more() {
    let world = World::new();
    world.create();
    let raw = Connection::open(world.path()).unwrap();
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
                INSERT INTO pins SELECT CAST('/c' AS BLOB), 'n' || i, CAST('a' AS BLOB), NULL, zeroblob(20), ?2, \
                CASE WHEN i > 1 THEN NULL ELSE ?2 + 60 END, 5 FROM n";
    raw.execute(fill, (PINS_MOST, NOW)).unwrap();
    let mut pins = world.create();
    let error = pins.pin(Path::new("/c"), &pin("more", NOW, None), Moment(NOW)).unwrap_err();
    assert!(matches!(error, Error::TooMany { most: PINS_MOST }), "{error:?}");
    pins.pin(Path::new("/c"), &pin("n7", NOW + 1, None), Moment(NOW)).expect("it takes the place of another");
    pins.pin(Path::new("/d"), &pin("more", NOW, None), Moment(NOW)).expect("another clone has its own");
    assert_eq!(world.ids("/c", NOW).len(), PINS_MOST as usize);
    pins.pin(Path::new("/c"), &pin("more", NOW, None), Moment(NOW + 60)).expect("one has expired");
}

#[test]
fn reading_makes_nothing() {
    let world = World::new();
    for access in [Access::Read, Access::Write] {
        assert!(Pins::existing(&world.path(), access).unwrap().is_none());
    }
    assert_eq!(fs::read_dir(world.home.path()).unwrap().count(), 0);
}

#[test]
fn a_database_that_was_being_made_has_no_pins_and_can_be_finished() {
    let world = World::new();
    create_private(&world.path()).unwrap();
    assert!(Pins::existing(&world.path(), Access::Write).unwrap().is_none());
    // Half way further: a database, and nothing in it.
    Connection::open(world.path()).unwrap().execute_batch("PRAGMA journal_mode = DELETE; VACUUM").unwrap();
    assert!(Pins::existing(&world.path(), Access::Read).unwrap().is_none());
    world.create().pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    assert_eq!(world.ids("/c", NOW), ["a"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.create().pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.path()), 0o600);
    assert_eq!(mode(world.path().parent().unwrap()), 0o700);
    assert_eq!(mode(&world.home.path().join("repos")), 0o700);
}

#[test]
fn pins_of_version_1_are_there_after_every_step_since() {
    let expected = [
        Pin {
            source_id: "core-types".to_owned(),
            path: RepoPath::from("src/types.ts"),
            label: Some("Core types".to_owned()),
            blob_id: BlobId::from_bytes(&[1; 20]).unwrap(),
            pinned_at: Moment(NOW - 100),
            expires_at: None,
            priority: PinPriority::default(),
        },
        Pin {
            source_id: "short".to_owned(),
            path: RepoPath::from("src/a.ts"),
            label: None,
            blob_id: BlobId::from_bytes(&[2; 32]).unwrap(),
            pinned_at: Moment(NOW - 200),
            expires_at: Some(Moment(NOW + 100)),
            priority: PinPriority::default(),
        },
    ];
    let world = World::with(VERSION_1);
    let before = fs::read(world.path()).unwrap();
    assert_eq!(world.live("/c/.git", NOW), expected, "as they are, by who may only read");
    assert!(before == fs::read(world.path()).unwrap(), "it was written");
    let mut pins = Pins::existing(&world.path(), Access::Write).unwrap().unwrap();
    assert_eq!(pins.live(Path::new("/c/.git"), Moment(NOW)).unwrap(), expected);
    pins.pin(Path::new("/c/.git"), &pin("more", NOW, None), Moment(NOW)).unwrap();
    assert_eq!(world.ids("/c/.git", NOW), ["more", "core-types", "short"]);
    assert_eq!(pins.version().unwrap(), SchemaVersion::Present);
}

#[test]
fn pins_of_version_3_have_the_usual_priority_and_so_has_what_their_log_puts_back() {
    const LOG: &str = "
        CREATE TABLE pin_operations (
            no INTEGER PRIMARY KEY, clone BLOB NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, source_id TEXT NOT NULL,
            path BLOB, label TEXT, blob_id BLOB, pinned_at INTEGER, expires_at INTEGER, undone_by INTEGER
        ) STRICT;
        CREATE INDEX pin_operations_by_pin ON pin_operations (clone, source_id);
        INSERT INTO pin_operations VALUES (1, CAST('/c/.git' AS BLOB), 1704067150, 'unpin', 'gone', CAST('src/b.ts' AS BLOB), NULL,
            X'0303030303030303030303030303030303030303', 1704067100, NULL, NULL);
        PRAGMA user_version = 3;
    ";
    let world = World::with(&format!("{VERSION_1}{LOG}"));
    let usual = |pins: &Pins, id| {
        let pin = pins.get(Path::new("/c/.git"), id, Moment(NOW)).unwrap();
        pin.map(|pin| pin.priority.number())
    };
    let before = Pins::existing(&world.path(), Access::Read).unwrap().unwrap();
    assert_eq!(usual(&before, "core-types"), Some(5), "as they are, by who may only read");
    assert_eq!(before.operations(Path::new("/c/.git"), 9).unwrap().len(), 1);
    drop(before);
    let mut pins = world.create();
    assert_eq!(pins.undo(Path::new("/c/.git"), None, Moment(NOW)).unwrap().source_id, "gone");
    assert_eq!((usual(&pins, "core-types"), usual(&pins, "gone")), (Some(5), Some(5)));
    assert_eq!(world.ids("/c/.git", NOW), ["core-types", "gone", "short"]);
}

#[test]
fn a_program_that_knows_no_clone_ids_leaves_their_pins_alone() {
    let world = World::new();
    world.create().pin(CloneKey::of_id("0123456789abcdef"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    let raw = Connection::open(world.path()).unwrap();
    let before = Migrations { steps: &MIGRATIONS.steps[..1], ..MIGRATIONS };
    let seen = before.version(&raw).map_err(|error| Error::from_migration(DatabaseKind::Pins, &world.path(), error));
    assert!(matches!(seen, Err(Error::Newer { found: 4, known: 1, .. })), "{seen:?}");
}

/// That nothing can be done with what is in the file, that the error is this, and that not a byte is changed.
#[track_caller]
fn check_untouched(world: &World, is_expected: impl Fn(&Error) -> bool) {
    let before = fs::read(world.path()).unwrap();
    for access in [Access::Read, Access::Write] {
        let found = Pins::existing(&world.path(), access);
        let error =
            found.and_then(|pins| pins.expect("there is a file").live(Path::new("/c"), Moment(NOW))).unwrap_err();
        assert!(is_expected(&error), "{error:?}");
    }
    let pinned =
        Pins::create(&world.path()).and_then(|mut pins| pins.pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)));
    let error = pinned.unwrap_err();
    assert!(is_expected(&error), "{error:?}");
    assert!(before == fs::read(world.path()).unwrap(), "it was written");
    let beside = fs::read_dir(world.path().parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "it was moved, or something was made beside it");
}

#[test]
fn a_newer_version_is_not_touched() {
    let world = World::with(&VERSION_1.replace("user_version = 1", "user_version = 9"));
    check_untouched(&world, |error| matches!(error, Error::Newer { found: 9, known: 4, .. }));
}

#[test]
fn other_databases_and_other_files_are_not_touched() {
    let is_damage = |error: &Error| matches!(error, Error::Damaged { .. });
    check_untouched(&World::with("CREATE TABLE notes (text)"), is_damage);
    check_untouched(&World::with("CREATE TABLE pins (text); PRAGMA user_version = 1"), is_damage);
    check_untouched(&World::with(&VERSION_1.replace("user_version = 1", "user_version = -1")), is_damage);
    check_untouched(&World::with("PRAGMA application_id = 0x69637270; PRAGMA user_version = 1"), is_damage);
    let world = World::with("");
    fs::write(world.path(), "not a database, whatever its name says").unwrap();
    check_untouched(&world, is_damage);
}

#[test]
fn a_directory_in_its_place_is_damage() {
    let world = World::new();
    fs::create_dir_all(world.path()).unwrap();
    for found in [Pins::create(&world.path()).map(Some), Pins::existing(&world.path(), Access::Write)] {
        let error = found.unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_device_in_its_place_is_damage_and_a_link_to_a_database_is_followed() {
    let world = World::with("");
    fs::remove_file(world.path()).unwrap();
    std::os::unix::fs::symlink("/dev/zero", world.path()).unwrap();
    let error = Pins::create(&world.path()).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    fs::remove_file(world.path()).unwrap();
    std::os::unix::fs::symlink(world.home.path().join("elsewhere.db"), world.path()).unwrap();
    world.create().pin(Path::new("/c"), &pin("a", NOW, None), Moment(NOW)).unwrap();
    assert_eq!(world.ids("/c", NOW), ["a"]);
}

#[test]
fn damaged_pages_and_rows_are_damage() {
    let world = World::with(VERSION_1);
    let whole = fs::read(world.path()).unwrap();
    let page = 4096;
    assert!(whole.len() > page);
    let mut overwritten = whole.clone();
    overwritten[page..page + 64].fill(0xff);
    let cut = whole[..page + 10].to_vec();
    for damaged in [overwritten, cut] {
        fs::write(world.path(), &damaged).unwrap();
        check_untouched(&world, |error| matches!(error, Error::Damaged { .. }));
    }
    let world = World::with(&VERSION_1.replace("X'0101", "X'01"));
    let pins = Pins::existing(&world.path(), Access::Read).unwrap().unwrap();
    let error = pins.live(Path::new("/c/.git"), Moment(NOW)).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}

#[test]
fn a_write_that_was_cut_off_is_undone_by_who_may_write() {
    let world = World::with(VERSION_1);
    let after_crash = World::with("");
    {
        let raw = Connection::open(world.path()).unwrap();
        // A cache of one page: what is changed goes to the file before the end of the transaction.
        let fill = "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM pins;
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
             INSERT INTO pins SELECT zeroblob(200), i, zeroblob(200), NULL, zeroblob(20), 0, NULL FROM n;";
        raw.execute_batch(fill).unwrap();
        for name in ["pins.db", "pins.db-journal"] {
            let [from, to] = [&world, &after_crash].map(|world| world.path().with_file_name(name));
            fs::copy(from, to).unwrap();
        }
    }
    let read = Pins::existing(&after_crash.path(), Access::Read).unwrap_err();
    assert!(matches!(read, Error::CutOff { .. }), "{read:?}");
    let pins = Pins::existing(&after_crash.path(), Access::Write).unwrap().unwrap();
    assert_eq!(pins.live(Path::new("/c/.git"), Moment(NOW)).unwrap().len(), 2);
    assert_eq!(after_crash.ids("/c/.git", NOW), ["core-types", "short"]);
}

#[test]
fn many_writers_at_once_lose_nothing() {
    const WRITERS: usize = 20;
    let world = World::new();
    let path = world.path();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = &path;
            // Each makes the database if it is the first, and replaces what another one set.
            scope.spawn(move || {
                let own = pin(&format!("of-{writer:02}"), NOW, None);
                for pin in [&own, &pin("of-all", NOW + 1, None)] {
                    Pins::create(path).unwrap().pin(Path::new("/c"), pin, Moment(NOW)).unwrap();
                }
                let pins = Pins::existing(path, Access::Read).unwrap().unwrap();
                assert!(pins.live(Path::new("/c"), Moment(NOW)).unwrap().contains(&own));
            });
        }
    });
    let expected: Vec<String> =
        std::iter::once("of-all".to_owned()).chain((0..WRITERS).map(|writer| format!("of-{writer:02}"))).collect();
    assert_eq!(world.ids("/c", NOW), expected);
}

#[test]
fn what_was_done_to_a_pin_can_be_undone_and_done_again() {
    let world = World::new();
    let mut pins = world.create();
    let clone = || CloneKey::of_id("0123456789abcdef");
    pins.pin(clone(), &pin("a", NOW, None), Moment(NOW)).unwrap();
    pins.pin(clone(), &pin("a", NOW + 5, Some(NOW + 500)), Moment(NOW + 5)).unwrap();
    pins.unpin(clone(), "a", Moment(NOW + 6)).unwrap();
    assert!(!pins.unpin(clone(), "b", Moment(NOW + 6)).unwrap(), "what was not there is no operation");
    let kinds = |pins: &Pins| {
        let operations = pins.operations(clone(), 9).unwrap();
        operations.into_iter().map(|operation| (operation.kind, operation.undone_by)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&pins), [("unpin".into(), None), ("pin".into(), None), ("pin".into(), None)]);
    let refused = pins.undo(clone(), Some(1), Moment(NOW + 7)).unwrap_err();
    assert_eq!(refused.to_string(), "operation 1 cannot be undone: the pin `a` was changed after it");
    let live = |pins: &Pins| pins.live(clone(), Moment(NOW + 9)).unwrap();
    assert_eq!(pins.undo(clone(), None, Moment(NOW + 7)).unwrap().kind, "unpin");
    assert_eq!(live(&pins), [pin("a", NOW + 5, Some(NOW + 500))]);
    pins.undo(clone(), None, Moment(NOW + 8)).unwrap();
    assert_eq!(live(&pins), [pin("a", NOW, None)]);
    let undoing = pins.undo(clone(), None, Moment(NOW + 9)).unwrap().undone_by;
    assert_eq!(live(&pins), []);
    pins.undo(clone(), undoing, Moment(NOW + 9)).unwrap();
    assert_eq!(live(&pins), [pin("a", NOW, None)], "an undoing is undone");
    assert!(matches!(pins.undo(CloneKey::of_id("0000000000000000"), None, Moment(NOW)), Err(Error::NothingToUndo)));
}

#[test]
fn undoing_gives_a_pin_its_priority_back() {
    let world = World::new();
    let mut pins = world.create();
    let clone = || CloneKey::of_id("0123456789abcdef");
    let first = with_priority(9, pin("a", NOW, None));
    pins.pin(clone(), &first, Moment(NOW)).unwrap();
    pins.pin(clone(), &with_priority(2, pin("a", NOW + 1, None)), Moment(NOW + 1)).unwrap();
    let undoing = pins.undo(clone(), None, Moment(NOW + 2)).unwrap().undone_by;
    assert_eq!(pins.live(clone(), Moment(NOW + 2)).unwrap(), [first]);
    pins.undo(clone(), undoing, Moment(NOW + 3)).unwrap();
    assert_eq!(pins.live(clone(), Moment(NOW + 3)).unwrap(), [with_priority(2, pin("a", NOW + 1, None))]);
    pins.copy_clone(clone(), CloneKey::of_id("fedcba9876543210"), Moment(NOW + 3)).unwrap();
    let copied = pins.live(CloneKey::of_id("fedcba9876543210"), Moment(NOW + 3)).unwrap();
    assert_eq!(copied, pins.live(clone(), Moment(NOW + 3)).unwrap());
}

#[test]
fn a_pin_that_would_be_over_is_not_put_back() {
    let world = World::new();
    let mut pins = world.create();
    let clone = || CloneKey::of_id("0123456789abcdef");
    pins.pin(clone(), &pin("a", NOW, Some(NOW + 60)), Moment(NOW)).unwrap();
    pins.unpin(clone(), "a", Moment(NOW + 1)).unwrap();
    pins.undo(clone(), None, Moment(NOW + 60)).unwrap();
    assert_eq!(pins.live(clone(), Moment(NOW + 60)).unwrap(), []);
}
