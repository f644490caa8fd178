//! Clones with wrong bytes under an object's name, as an archive from somebody else may have them.

use std::fs;
use std::path::{Path, PathBuf};

use icr_engine::{Gap, ReadRequest, SearchRequest, Severity, SilentObserver, Snapshot, SyncOptions, ViewSelector};
use icr_fixture::Fixture;
use icr_tests::{answers, assert_equals_fresh, empty_home, engine};

const FILES: &str =
    "//- src/lib.rs\npub fn open_file() {\n    parse_token();\n}\n//- src/token.rs\npub fn parse_token() {}\n";

const FORGED: &str = "pub fn send_secrets() {}\n";

/// A clone of `fixture` in whose object database the name of `src/token.rs` has the content `FORGED`.
fn forged_clone(fixture: &Fixture) -> PathBuf {
    forged_clone_with(fixture, "HEAD:src/token.rs", |clone, git| {
        fs::write(clone.join("forged.rs"), FORGED).unwrap();
        let other = git(&["hash-object", "-w", "forged.rs"]);
        fs::remove_file(clone.join("forged.rs")).unwrap();
        fs::read(object_file(clone, &other)).unwrap()
    })
}

/// The file of a loose object.
fn object_file(clone: &Path, id: &str) -> PathBuf {
    clone.join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// A clone of `fixture` in which the file of the object that `named` leads to has the bytes that `forge` gives.
fn forged_clone_with(
    fixture: &Fixture,
    named: &str,
    forge: impl FnOnce(&Path, &dyn Fn(&[&str]) -> String) -> Vec<u8>,
) -> PathBuf {
    let clone = fixture.clone_to("forged", &[]);
    let git = |args: &[&str]| fixture.git_in(&clone, args).trim().to_owned();
    // Packed objects are preferred over loose ones, so there must be no pack.
    let pack = fs::read_dir(clone.join(".git/objects/pack")).unwrap().flatten().map(|entry| entry.path());
    for path in pack.collect::<Vec<_>>() {
        let aside = fixture.home().join(path.file_name().unwrap());
        fs::rename(&path, &aside).unwrap();
        if aside.extension().is_some_and(|extension| extension == "pack") {
            let unpack = format!("git unpack-objects -q < '{}'", aside.display());
            git(&["-c", &format!("alias.unpack=!{unpack}"), "unpack"]);
        }
    }
    let named = object_file(&clone, &git(&["rev-parse", named]));
    let forged = forge(&clone, &git);
    fs::remove_file(&named).unwrap();
    fs::write(&named, forged).unwrap();
    clone
}

/// Reading the forged file reports what is wrong with it. A path that is not a file of the tree is not in the view.
#[track_caller]
fn assert_names_object(snapshot: &Snapshot, fixture: &Fixture) {
    let read = |path: &str| {
        let path = path.to_owned();
        icr_engine::read(snapshot, &ReadRequest { path, start_line: None, end_line: None, max_lines: 9 }).unwrap_err()
    };
    let (error, id) = (read("src/token.rs"), fixture.git(&["rev-parse", "HEAD:src/token.rs"]));
    let expected = format!("`src/token.rs` cannot be read: object `{}` is corrupt", id.trim());
    assert_eq!((error.to_string(), error.code()), (expected, "CORRUPT_OBJECT"));
    assert_eq!(read("src/other.rs").code(), "NOT_FOUND");
}

fn sync(start: &Path, home: &Path) {
    engine(start, home).sync(&SyncOptions::default(), &SilentObserver).unwrap();
}

#[test]
fn bytes_of_another_id_are_left_out_of_a_store_that_honest_clones_share() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let forged = forged_clone(&fixture);
    assert_eq!(engine(&forged, home.path()).repo_id(), engine(fixture.root(), home.path()).repo_id());
    sync(&forged, home.path());
    let snapshot = engine(&forged, home.path()).snapshot(&ViewSelector::Head).unwrap();
    assert_eq!(snapshot.provenance().gaps, [Gap::MissingObject { objects: 1 }]);
    assert!(!format!("{:?}", answers(&snapshot).unwrap()).contains("send_secrets"));
    assert_names_object(&snapshot, &fixture);
    drop(snapshot);
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Head, "after a forged clone");
}

#[test]
fn bytes_of_another_id_are_not_shown_for_facts_of_an_honest_clone() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let forged = forged_clone(&fixture);
    sync(fixture.root(), home.path());
    let snapshot = engine(&forged, home.path()).snapshot(&ViewSelector::Head).unwrap();
    let search = SearchRequest { query: "parse_token".to_owned(), limit: 5, ..SearchRequest::default() };
    let found = icr_engine::search(&snapshot, &search).unwrap();
    assert!(found.results.iter().any(|hit| hit.path == "src/token.rs"), "{found:?}");
    assert_eq!(found.gaps, [Gap::MissingObject { objects: 1 }]);
    assert!(!format!("{found:?}").contains("send_secrets"));
    assert_names_object(&snapshot, &fixture);
}

#[test]
fn trees_and_commits_of_another_id_are_not_believed() {
    for (named, other) in [("HEAD^{tree}", "HEAD:src"), ("HEAD:src", "HEAD^{tree}"), ("HEAD", "")] {
        let (fixture, home) = (Fixture::new(FILES), empty_home());
        let forged = forged_clone_with(&fixture, named, |clone, git| {
            let other = match other {
                "" => git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "HEAD:src", "-m", "other"]),
                other => git(&["rev-parse", other]),
            };
            fs::read(object_file(clone, &other)).unwrap()
        });
        let synced = icr_engine::Engine::open(icr_engine::OpenOptions::new(&forged, home.path()))
            .and_then(|engine| engine.sync(&SyncOptions::default(), &SilentObserver));
        assert_eq!(synced.unwrap_err().code(), "CORRUPT_OBJECT", "{named}");
        assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Head, named);
    }
}

#[test]
fn a_size_that_is_not_that_of_the_blob_is_not_believed() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    let forged = forged_clone_with(&fixture, "HEAD:src/token.rs", |clone, git| {
        // The object says that it has 600,000 bytes, and has them.
        fs::write(clone.join("large"), "a".repeat(600_000)).unwrap();
        let large = git(&["hash-object", "-w", "large"]);
        fs::remove_file(clone.join("large")).unwrap();
        fs::read(object_file(clone, &large)).unwrap()
    });
    sync(&forged, home.path());
    let snapshot = engine(&forged, home.path()).snapshot(&ViewSelector::Head).unwrap();
    assert_eq!(snapshot.provenance().gaps, [Gap::MissingObject { objects: 1 }]);
    drop(snapshot);
    assert_equals_fresh(fixture.root(), home.path(), &ViewSelector::Head, "after a forged size");
}

#[test]
fn facts_that_are_not_those_of_their_blob_are_found_by_doctor() {
    let (fixture, home) = (Fixture::new(FILES), empty_home());
    sync(fixture.root(), home.path());
    let looked_at = |subject: &str| {
        let findings = icr_engine::examine(&engine(fixture.root(), home.path()));
        findings.into_iter().find(|finding| finding.subject == subject).unwrap()
    };
    let sound = looked_at("facts");
    assert_eq!(sound.severity, Severity::Good);
    assert_eq!(sound.found, "those of 2 blobs decode; those of 2 were made again and are the same");
    let ledger = engine(fixture.root(), home.path()).store().directory().join("ledger.db");
    let swap = "UPDATE facts SET bytes = (SELECT bytes FROM facts AS other WHERE other.blob_no <> facts.blob_no)";
    icr_tests::change_ledger(&ledger, swap);
    let bad = looked_at("facts");
    assert_eq!(bad.severity, Severity::Bad, "{bad:?}");
    assert!(bad.hint.unwrap().contains("icr index --rebuild"));
}
