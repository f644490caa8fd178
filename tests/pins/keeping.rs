//! What pins survive, and who sees them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_engine::{
    Error, Moment, OpenOptions, PinFilter, PinPriority, PinRequest, SilentObserver, SyncOptions, remove_repository,
};

use crate::asking::{FILES, NOW, World, ids_in, pin, request};

/// The database of the pins of a world's only repository.
fn database(world: &World) -> PathBuf {
    world.home.path().join("repos").join(world.engine().repo_id()).join("pins.db")
}

#[test]
fn pins_survive_the_process_and_everything_that_is_done_to_the_index() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let before = fs::read(database(&world)).unwrap();
    let sync = SyncOptions { rebuild: true, ..SyncOptions::default() };
    world.engine().sync(&sync, &SilentObserver).unwrap();
    world.engine().collect_garbage(Duration::ZERO, &SilentObserver).unwrap();
    fs::remove_dir_all(world.engine().store().directory()).unwrap();
    assert_eq!(world.ids(PinFilter::All, NOW + 1), ["src/tide.rs"]);
    assert!(remove_repository(world.home.path(), world.engine().repo_id()).unwrap());
    assert_eq!(world.ids(PinFilter::All, NOW + 1), ["src/tide.rs"]);
    assert!(before == fs::read(database(&world)).unwrap(), "not a byte of it changed");
}

#[test]
fn an_older_database_is_moved_forward_with_its_pins() {
    let world = World::new(FILES);
    let git = world.engine().root().join(".git");
    assert_eq!(world.ids(PinFilter::All, NOW), [""; 0], "asking makes the directory of the repository");
    // The format of the first released version.
    let old = rusqlite::Connection::open(database(&world)).unwrap();
    old.execute_batch(&format!(
        "PRAGMA application_id = 0x69637270;
         CREATE TABLE pins (
             clone BLOB NOT NULL, source_id TEXT NOT NULL, path BLOB NOT NULL, label TEXT, blob_id BLOB NOT NULL,
             pinned_at INTEGER NOT NULL, expires_at INTEGER, PRIMARY KEY (clone, source_id)
         ) STRICT, WITHOUT ROWID;
         INSERT INTO pins VALUES (CAST('{}' AS BLOB), 'old', CAST('src/tide.rs' AS BLOB), NULL, zeroblob(20), {NOW}, NULL);
         PRAGMA user_version = 1;",
        git.display()
    ))
    .unwrap();
    drop(old);
    assert_eq!(world.ids(PinFilter::All, NOW), ["old"]);
    let high = PinRequest { priority: PinPriority::MOST, ..request("high", "src/harbour.rs") };
    pin(&world.engine(), &high, NOW - 1).unwrap();
    world.pin("src/harbour.rs", NOW - 1);
    assert_eq!(world.ids(PinFilter::All, NOW), ["high", "old", "src/harbour.rs"]);
    let ranks: Vec<u8> =
        icr_engine::pins(&world.snapshot(), Moment(NOW)).unwrap().iter().map(|pin| pin.rank.priority).collect();
    assert_eq!(ranks, [10, 5, 5]);
}

#[test]
fn a_pin_that_is_set_again_is_replaced() {
    let world = World::new(FILES);
    let first = PinRequest { label: Some("first".to_owned()), ttl_seconds: Some(60), ..request("core", "src/tide.rs") };
    pin(&world.engine(), &first, NOW).unwrap();
    let again = pin(&world.engine(), &request("core", "./src/harbour.rs"), NOW + 1).unwrap();
    assert_eq!(
        serde_json::to_string(&again).unwrap(),
        r#"{"source_id":"core","path":"src/harbour.rs","label":null,"pinned_at":"2024-01-15T10:30:01Z","expires_at":null,"priority":5}"#
    );
    assert_eq!(world.ids(PinFilter::All, NOW + 100), ["core"]);
}

#[test]
fn a_pin_lives_as_long_as_was_asked_for() {
    let world = World::new(FILES);
    let short = PinRequest { ttl_seconds: Some(60), ..request("short", "src/tide.rs") };
    let pinned = pin(&world.engine(), &short, NOW).unwrap();
    assert_eq!(pinned.expires_at.map(|moment| moment.to_string()).as_deref(), Some("2024-01-15T10:31:00Z"));
    world.pin("src/harbour.rs", NOW);
    assert_eq!(world.ids(PinFilter::All, NOW + 59), ["short", "src/harbour.rs"]);
    assert_eq!(world.ids(PinFilter::All, NOW + 60), ["src/harbour.rs"]);
    let gone =
        icr_engine::pin_content(&world.snapshot(), &crate::asking::whole("short"), Moment(NOW + 60)).unwrap_err();
    assert!(matches!(gone, Error::NoSuchPin { .. }), "{gone}");
    assert_eq!(icr_engine::pins(&world.snapshot(), Moment(NOW + 60)).unwrap().len(), 1);
    assert!(!world.engine().pins().remove("short", Moment(NOW + 60)).unwrap().unpinned);
}

#[test]
fn what_is_unpinned_is_gone_and_what_is_not_there_has_neighbours() {
    let world = World::new(FILES);
    let nothing = world.engine().pins().remove("src/tide.rs", Moment(NOW)).unwrap();
    assert!(!nothing.unpinned && nothing.similar.is_empty() && !database(&world).exists(), "{nothing:?}");
    world.pin("src/tide.rs", NOW);
    let mistyped = world.engine().pins().remove("src/tyde.rs", Moment(NOW)).unwrap();
    assert_eq!((mistyped.unpinned, mistyped.similar), (false, vec!["src/tide.rs".to_owned()]));
    assert!(world.engine().pins().remove("src/tide.rs", Moment(NOW)).unwrap().unpinned);
    assert!(world.ids(PinFilter::All, NOW).is_empty());
}

#[test]
fn clones_have_pins_of_their_own_and_worktrees_of_a_clone_the_same() {
    let world = World::new(FILES);
    let [clone, worktree] = [world.fixture.clone_to("clone", &[]), world.fixture.worktree("beside", "HEAD")];
    let home = world.home.path();
    world.pin("src/tide.rs", NOW);
    let in_worktree = pin(&icr_tests::engine(&worktree, home), &request("beside", "src/harbour.rs"), NOW + 1);
    in_worktree.unwrap();
    pin(&icr_tests::engine(&clone, home), &request("far", "docs/mooring.md"), NOW).unwrap();
    assert_eq!(icr_tests::engine(&clone, home).repo_id(), world.engine().repo_id(), "they share a store");
    assert_eq!(ids_in(world.fixture.root(), home, NOW + 1), ["beside", "src/tide.rs"]);
    assert_eq!(ids_in(&worktree, home, NOW + 1), ["beside", "src/tide.rs"]);
    assert_eq!(ids_in(&clone, home, NOW + 1), ["far"]);
    assert!(!icr_tests::engine(&clone, home).pins().remove("beside", Moment(NOW + 1)).unwrap().unpinned);
    assert!(icr_tests::engine(&worktree, home).pins().remove("src/tide.rs", Moment(NOW + 1)).unwrap().unpinned);
    assert_eq!(ids_in(world.fixture.root(), home, NOW + 1), ["beside"]);
}

#[test]
fn a_clone_keeps_its_pins_where_it_is_moved() {
    let world = World::new(FILES);
    let home = world.home.path();
    let [clone, moved] = ["clone", "moved"].map(|name| world.fixture.home().join(name));
    world.fixture.clone_to("clone", &[]);
    pin(&icr_tests::engine(&clone, home), &request("own", "src/tide.rs"), NOW).unwrap();
    std::fs::rename(&clone, &moved).unwrap();
    assert_eq!(ids_in(&moved, home, NOW), ["own"]);
    // Another clone at the same path does not see the first one's pins.
    world.fixture.clone_to("clone", &[]);
    assert!(ids_in(&clone, home, NOW).is_empty());
    pin(&icr_tests::engine(&clone, home), &request("other", "src/tide.rs"), NOW).unwrap();
    pin(&icr_tests::engine(&moved, home), &request("second", "src/harbour.rs"), NOW).unwrap();
    assert_eq!(ids_in(&clone, home, NOW), ["other"]);
    assert_eq!(ids_in(&moved, home, NOW), ["own", "second"]);
}

#[test]
fn a_clone_that_is_copied_has_pins_of_its_own_from_then_on() {
    let world = World::new(FILES);
    let home = world.home.path();
    let [clone, copy] = ["clone", "copy"].map(|name| world.fixture.home().join(name));
    world.fixture.clone_to("clone", &[]);
    pin(&icr_tests::engine(&clone, home), &request("own", "src/tide.rs"), NOW).unwrap();
    copy_all(&clone, &copy);
    assert_eq!(ids_in(&copy, home, NOW), ["own"]);
    pin(&icr_tests::engine(&copy, home), &request("of-copy", "src/harbour.rs"), NOW + 1).unwrap();
    assert!(icr_tests::engine(&copy, home).pins().remove("own", Moment(NOW + 1)).unwrap().unpinned);
    assert_eq!(ids_in(&copy, home, NOW + 1), ["of-copy"]);
    assert_eq!(ids_in(&clone, home, NOW + 1), ["own"]);
}

#[test]
fn pins_of_a_directory_are_given_to_the_clone_that_is_there() {
    let world = World::new(FILES);
    let home = world.home.path();
    let [clone, moved] = ["clone", "moved"].map(|name| world.fixture.home().join(name));
    world.fixture.clone_to("clone", &[]);
    pin(&icr_tests::engine(&clone, home), &request("own", "src/tide.rs"), NOW).unwrap();
    // The format before clones had ids.
    std::fs::remove_file(clone.join(".git/icr/clone-id")).unwrap();
    let directory = clone.join(".git");
    rusqlite::Connection::open(database(&world))
        .unwrap()
        .execute("UPDATE pins SET clone = ?1", [directory.as_os_str().as_encoded_bytes()])
        .unwrap();
    let snapshot = crate::asking::snapshot(&icr_tests::engine(&clone, home), &icr_engine::ViewSelector::Worktree);
    assert_eq!(crate::asking::ids_at(&snapshot, PinFilter::All, NOW), ["own"]);
    assert!(!clone.join(".git/icr/clone-id").exists(), "a question writes nothing, the engine does after the answer");
    assert_eq!(ids_in(&clone, home, NOW), ["own"]);
    std::fs::rename(&clone, &moved).unwrap();
    assert_eq!(ids_in(&moved, home, NOW), ["own"]);
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn repositories_of_one_home_do_not_see_each_others_pins() {
    let world = World::new(FILES);
    let other = World::new("//- src/tide.rs\nfn other() {}\n");
    let home = world.home.path();
    world.pin("src/tide.rs", NOW);
    assert!(ids_in(other.fixture.root(), home, NOW).is_empty());
    pin(&icr_tests::engine(other.fixture.root(), home), &request("of-other", "src/tide.rs"), NOW).unwrap();
    assert_eq!(ids_in(other.fixture.root(), home, NOW), ["of-other"]);
    assert_eq!(world.ids(PinFilter::All, NOW), ["src/tide.rs"]);
}

#[test]
fn a_bare_repository_pins_what_is_committed() {
    let world = World::new(FILES);
    let bare = world.fixture.clone_to("bare.git", &["--bare"]);
    pin(&icr_tests::engine(&bare, world.home.path()), &request("core", "src/tide.rs"), NOW).unwrap();
    assert_eq!(ids_in(&bare, world.home.path(), NOW), ["core"]);
}

#[test]
fn who_must_not_write_reads_pins_and_sets_none() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let before = fs::read(database(&world)).unwrap();
    let reader = icr_tests::read_only_engine(world.fixture.root(), world.home.path());
    let snapshot = crate::asking::snapshot(&reader, &icr_engine::ViewSelector::Worktree);
    assert_eq!(crate::asking::ids_at(&snapshot, PinFilter::All, NOW), ["src/tide.rs"]);
    let refused = pin(&reader, &request("a", "src/harbour.rs"), NOW).unwrap_err();
    assert_eq!(refused.code(), "READ_ONLY", "{refused}");
    assert_eq!(reader.pins().remove("src/tide.rs", Moment(NOW)).unwrap_err().code(), "READ_ONLY");
    assert!(before == fs::read(database(&world)).unwrap());
}

#[test]
fn many_writers_at_once_lose_no_pin() {
    let world = World::new(FILES);
    world.snapshot();
    let new_pin = |id: &str| {
        let path = "src/tide.rs";
        icr_engine::new_pin(&world.snapshot(), &request(id, path), Moment(NOW)).unwrap()
    };
    let pins: Vec<_> = (0..20).map(|at| new_pin(&format!("pin-{at:02}"))).collect();
    std::thread::scope(|scope| {
        for pin in &pins {
            let options = OpenOptions::new(world.fixture.root(), world.home.path());
            scope.spawn(move || icr_engine::Engine::open(options).unwrap().pins().set(pin).unwrap());
        }
    });
    let expected: Vec<String> = (0..20).map(|at| format!("pin-{at:02}")).collect();
    assert_eq!(world.ids(PinFilter::All, NOW), expected);
}

#[test]
fn a_database_that_cannot_be_read_is_named_and_left_alone() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    fs::write(database(&world), "something else").unwrap();
    let engine = world.engine();
    let snapshot = world.snapshot();
    let errors = [
        pin(&engine, &request("a", "src/tide.rs"), NOW).unwrap_err(),
        engine.pins().remove("src/tide.rs", Moment(NOW)).unwrap_err(),
        icr_engine::list_pins(&snapshot, &icr_engine::PinListRequest::default(), Moment(NOW)).unwrap_err(),
        icr_engine::pin_content(&snapshot, &crate::asking::whole("src/tide.rs"), Moment(NOW)).unwrap_err(),
        icr_engine::memory_stats(&snapshot, false, Moment(NOW)).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), "PINS_DAMAGED", "{error}");
        assert!(!error.hints().is_empty());
    }
    world.engine().sync(&SyncOptions { rebuild: true, ..SyncOptions::default() }, &SilentObserver).unwrap();
    assert_eq!(fs::read(database(&world)).unwrap(), b"something else");
}
