//! Stores with files that are missing, truncated, or from another point in time.

use std::fs;
use std::path::Path;

use icr_engine::{Freshness, Moment, PinRequest, SilentObserver, SyncOptions, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{assert_equals_fresh, assert_sound, empty_home, engine};

use crate::children::KEEP_UNUSED;

const FILES: &str = "//- src/lib.rs\n/// Opens.\npub fn open_file() {\n    parse_token();\n}\n//- src/token.py\ndef parse_token():\n    return 1\n";

/// Damages a store with two commits and asks, once where it stands and once after a third commit.
#[track_caller]
fn check(when: &str, damage: impl Fn(&Path)) {
    for commits in [false, true] {
        let (fixture, home) = (Fixture::new(FILES), empty_home());
        let sync = || engine(fixture.root(), home.path()).sync(&SyncOptions::default(), &SilentObserver).unwrap();
        sync();
        fixture.write("//- src/more.rs\nfn open_stream() {}\n");
        fixture.commit("second");
        sync();
        let store = engine(fixture.root(), home.path()).store().directory().to_owned();
        let pins = store.parent().expect("the store lies in the directory of its repository").join("pins.db");
        let pin = PinRequest {
            source_id: "kept".to_owned(),
            path: "src/lib.rs".to_owned(),
            label: None,
            ttl_seconds: None,
            priority: icr_engine::PinPriority::default(),
        };
        let engine = engine(fixture.root(), home.path());
        let new = engine
            .answer(&ViewSelector::Head, &Freshness::default(), &SilentObserver, |snapshot| {
                icr_engine::new_pin(snapshot, &pin, Moment(0))
            })
            .unwrap();
        engine.pins().set(&new).unwrap();
        let kept = fs::read(&pins).unwrap();
        damage(&store);
        if commits {
            fixture.write("//- src/lib.rs\nfn read_token() {}\n");
            fixture.commit("third");
        }
        let when = if commits { format!("{when}, then a commit") } else { when.to_owned() };
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, &when);
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Revision("HEAD~1".to_owned()), &when);
        assert_sound(fixture.root(), home.path(), &when);
        assert!(kept == fs::read(pins).unwrap(), "{when}: not a byte of what a user asked to keep changed");
    }
}

fn ledger_files(store: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    ["ledger.db", "ledger.db-wal", "ledger.db-shm"].into_iter().map(|name| store.join(name))
}

/// Files of the postings with an extension, in order of their names.
fn postings(store: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(store.join("lexical")).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    assert!(!files.is_empty(), "there are files with `.{extension}`");
    files
}

fn cut(path: &Path, keep: impl Fn(u64) -> u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let bytes = file.metadata().unwrap().len();
    file.set_len(keep(bytes)).unwrap();
}

#[test]
fn the_postings_are_gone() {
    check("no directory of postings", |store| fs::remove_dir_all(store.join("lexical")).unwrap());
    check("an empty directory of postings", |store| {
        fs::remove_dir_all(store.join("lexical")).unwrap();
        fs::create_dir(store.join("lexical")).unwrap();
    });
}

#[test]
fn the_ledger_is_gone() {
    check("no ledger", |store| ledger_files(store).for_each(|path| drop(fs::remove_file(path))));
}

#[test]
fn the_ledger_is_empty_or_cut_short() {
    for share in [0, 1, 2, 3] {
        check(&format!("{share} quarters of the ledger"), |store| {
            cut(&store.join("ledger.db"), |bytes| bytes * share / 4)
        });
    }
}

#[test]
fn the_ledger_is_garbage() {
    check("garbage for a ledger", |store| {
        fs::write(store.join("ledger.db"), "no database at all ".repeat(900)).unwrap()
    });
    check("garbage inside the ledger", |store| {
        let path = store.join("ledger.db");
        let mut bytes = fs::read(&path).unwrap();
        let from = 4_096;
        bytes[from..].fill(0x5a);
        fs::write(&path, bytes).unwrap();
    });
    check("another database for a ledger", |store| {
        ledger_files(store).for_each(|path| drop(fs::remove_file(path)));
        let connection = rusqlite::Connection::open(store.join("ledger.db")).unwrap();
        connection.execute_batch("CREATE TABLE other (a)").unwrap();
    });
}

#[test]
fn facts_do_not_decode() {
    check("facts that do not decode", |store| {
        let connection = icr_tests::ledger(&store.join("ledger.db"));
        assert!(connection.execute("UPDATE facts SET bytes = x'ffffffff01'", ()).unwrap() > 0);
    });
    check("no facts", |store| {
        let connection = icr_tests::ledger(&store.join("ledger.db"));
        assert!(connection.execute("DELETE FROM facts WHERE blob_no = 0", ()).unwrap() > 0);
    });
}

#[test]
fn a_view_does_not_decode() {
    check("a manifest that does not decode", |store| {
        let connection = icr_tests::ledger(&store.join("ledger.db"));
        assert!(connection.execute("UPDATE views SET manifest = x'00'", ()).unwrap() > 0);
    });
    check("blobs that are not listed", |store| {
        let connection = icr_tests::ledger(&store.join("ledger.db"));
        assert!(connection.execute("DELETE FROM blobs", ()).unwrap() > 0);
    });
}

#[test]
fn postings_are_cut_short_or_gone() {
    for extension in ["idx", "term", "fast", "fieldnorm"] {
        check(&format!("half of a `.{extension}` file"), |store| {
            cut(&postings(store, extension)[0], |bytes| bytes / 2)
        });
        check(&format!("no `.{extension}` file"), |store| fs::remove_file(&postings(store, extension)[0]).unwrap());
    }
    check("half of the list of segments", |store| cut(&store.join("lexical/meta.json"), |bytes| bytes / 2));
    check("an empty list of segments", |store| cut(&store.join("lexical/meta.json"), |_| 0));
}

fn vectors(store: &Path) -> std::path::PathBuf {
    store.join("vectors.lmdb/data.mdb")
}

#[test]
fn the_vectors_are_cut_short_or_empty() {
    for share in [0, 1, 2, 3] {
        check(&format!("{share} quarters of the vectors"), |store| {
            // Truncated by whole pages, as a file system that lost the end would leave them, and by parts of pages.
            cut(&vectors(store), |bytes| bytes * share / 4)
        });
    }
}

#[test]
fn the_vectors_are_garbage() {
    let overwrite = |store: &Path, pages: std::ops::Range<usize>| {
        let mut bytes = fs::read(vectors(store)).unwrap();
        let end = bytes.len();
        bytes[(pages.start * 4_096).min(end)..pages.end.saturating_mul(4_096).min(end)].fill(0x5a);
        fs::write(vectors(store), bytes).unwrap();
    };
    check("garbage for vectors", |store| overwrite(store, 0..usize::MAX / 4_096));
    check("garbage for the first pages", |store| overwrite(store, 0..2));
    check("garbage behind the first pages", |store| overwrite(store, 2..usize::MAX / 4_096));
    check("no vectors, but a text", |store| fs::write(vectors(store), "no vectors at all ".repeat(900)).unwrap());
}

#[test]
fn the_vectors_are_gone_or_something_else() {
    let directory = |store: &Path| store.join("vectors.lmdb");
    check("no directory of vectors", |store| fs::remove_dir_all(directory(store)).unwrap());
    check("an empty directory of vectors", |store| {
        fs::remove_dir_all(directory(store)).unwrap();
        fs::create_dir(directory(store)).unwrap();
    });
    check("a file for the directory of vectors", |store| {
        fs::remove_dir_all(directory(store)).unwrap();
        fs::write(directory(store), "no directory").unwrap();
    });
}

#[test]
fn a_directory_lies_in_the_place_of_a_file() {
    let names = [
        "ledger.db",
        "ledger.db-wal",
        "ledger.db-shm",
        "lexical/meta.json",
        "lexical/.managed.json",
        "vectors.lmdb/data.mdb",
        "vectors.lmdb/lock.mdb",
        "lock",
        "verified-postings",
        "verified-vectors",
        "embed-first",
    ];
    let replace = |path: &Path| {
        let _ = fs::remove_file(path);
        fs::create_dir(path).unwrap();
    };
    for name in names {
        check(&format!("a directory for `{name}`"), |store| replace(&store.join(name)));
    }
    for extension in ["idx", "term", "fast", "fieldnorm"] {
        check(&format!("a directory for a `.{extension}` file"), |store| replace(&postings(store, extension)[0]));
    }
}

#[test]
fn a_file_lies_in_the_place_of_a_directory() {
    for name in ["lexical", "queue", "filling"] {
        check(&format!("a file for `{name}`"), |store| {
            let _ = fs::remove_dir_all(store.join(name));
            fs::write(store.join(name), "no directory").unwrap();
        });
    }
}

/// Links, pipes and devices that another user with write access puts into the store.
#[cfg(unix)]
#[test]
fn what_others_plant_in_a_store_is_taken_out_and_nothing_behind_it_is_touched() {
    let outside = tempfile::tempdir().unwrap();
    let theirs = outside.path().join("theirs");
    fs::write(&theirs, "of somebody else").unwrap();
    let plant = |path: &Path, target: Option<&Path>| {
        let _ = fs::remove_file(path);
        let _ = fs::remove_dir_all(path);
        match target {
            Some(target) => std::os::unix::fs::symlink(target, path).unwrap(),
            None => assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()),
        }
    };
    for name in ["ledger.db", "lexical/meta.json", "vectors.lmdb/data.mdb", "vectors.lmdb/lock.mdb", "lock"] {
        check(&format!("a pipe for `{name}`"), |store| plant(&store.join(name), None));
    }
    for name in ["ledger.db-wal", "lexical/.managed.json", "vectors.lmdb/lock.mdb"] {
        check(&format!("a link for `{name}`"), |store| plant(&store.join(name), Some(&theirs)));
    }
    for name in ["lexical/meta.json", "embed-first"] {
        check(&format!("a device for `{name}`"), |store| plant(&store.join(name), Some(Path::new("/dev/zero"))));
    }
    for name in ["queue", "lexical", "vectors.lmdb"] {
        check(&format!("a link for `{name}`"), |store| plant(&store.join(name), Some(outside.path())));
    }
    check("a link for a `.term` file", |store| plant(&postings(store, "term")[0], Some(&theirs)));
    assert_eq!(fs::read(&theirs).unwrap(), b"of somebody else");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing is written where a link leads to");
}

#[test]
fn an_older_ledger_beside_newer_postings_gives_no_number_out_twice() {
    for collects in [false, true] {
        let (fixture, home) = (Fixture::new(FILES), empty_home());
        let engine = || engine(fixture.root(), home.path());
        engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
        let store = engine().store().directory().to_owned();
        let backup = home.path().join("backup.db");
        icr_tests::ledger(&store.join("ledger.db"))
            .execute_batch(&format!("VACUUM INTO '{}'", backup.display()))
            .unwrap();
        fixture.write("//- src/stream/open.rs\nfn open_stream() {}\n//- src/stream/close.rs\nfn close_stream() {}\n");
        fixture.commit("second");
        engine().sync(&SyncOptions::default(), &SilentObserver).unwrap();
        ledger_files(&store).for_each(|path| drop(fs::remove_file(path)));
        fs::copy(&backup, store.join("ledger.db")).unwrap();
        if collects {
            let report = engine().collect_garbage(KEEP_UNUSED, &SilentObserver).unwrap();
            assert_eq!(report.unlisted_deleted, 2, "the postings that the older ledger does not list");
        }
        // Paths and blobs that differ from those with existing postings.
        fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
        fixture.write("//- lib/tool.py\ndef use_tool():\n    pass\n//- lib/notes.py\ndef note_token():\n    pass\n");
        fixture.commit("another second");
        let when = format!("an older ledger, collected: {collects}");
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Worktree, &when);
        assert_sound(fixture.root(), home.path(), &when);
        let connection = icr_tests::ledger(&store.join("ledger.db"));
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
        assert_eq!(
            count("SELECT min(blob_no) FROM blobs WHERE blob_no > 1"),
            4,
            "two numbers are under the lost blobs"
        );
        assert_eq!(
            count("SELECT min(path_no) FROM paths WHERE path_no > 1"),
            4,
            "two numbers are under the lost paths"
        );
    }
}
