//! Bytes of blobs, objects that are missing or damaged, and what is still reachable.

use std::collections::HashSet;
use std::fs;

use icr_fixture::Fixture;
use icr_git::Error;
use icr_model::BlobId;

use crate::show::open;

/// A loose object with the header `blob 18446744073709551615` and nothing behind it, as zlib stores it.
const ENDLESS: &[u8] = b"x\x01\x01\x1a\0\xe5\xffblob 18446744073709551615\0Y\xb1\x05\xd7";

#[test]
fn blobs_are_read_loose_and_packed() {
    let fixture = Fixture::new("//- a\nfirst\n//- empty\n//- b\nsecond file\n");
    for _ in 0..2 {
        let reader = open(fixture.root()).reader();
        let mut out = b"what was there before".to_vec();
        for (path, content) in [("a", "first\n"), ("empty", ""), ("b", "second file\n")] {
            let id: BlobId = fixture.git(&["rev-parse", &format!("HEAD:{path}")]).parse().unwrap();
            assert_eq!(reader.size(id).unwrap(), content.len() as u64);
            reader.read(id, &mut out).unwrap();
            assert_eq!(out, content.as_bytes());
        }
        fixture.git(&["gc", "-q", "--prune=now"]);
    }
}

#[test]
fn a_commit_that_git_deleted_is_unknown_from_the_first_question_on() {
    let fixture = Fixture::new("//- a\nfirst\n");
    fixture.write("//- a\nsecond\n");
    let lost = fixture.commit("lost").to_string();
    fixture.git(&["gc", "-q", "--prune=now"]);
    let repository = open(fixture.root());
    repository.resolve(&lost).unwrap();
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fixture.git(&["reflog", "expire", "--expire=now", "--all"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    for revision in [lost.clone(), format!("{lost}~1"), lost[..12].to_owned()] {
        let error = repository.resolve(&revision).unwrap_err();
        assert!(matches!(error, icr_git::Error::UnknownRevision { .. }), "{revision}: {error}");
    }
    repository.resolve("HEAD").unwrap();
}

#[test]
fn missing_and_corrupt_objects_are_told_apart() {
    let fixture = Fixture::new("//- a\nfirst\n//- b\nsecond\n");
    let reader = open(fixture.root()).reader();
    let mut out = Vec::new();
    let id = |path: &str| fixture.git(&["rev-parse", &format!("HEAD:{path}")]);
    let place = |id: &str| fixture.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    let (a, b) = (id("a"), id("b"));
    fs::remove_file(place(&a)).unwrap();
    let error = reader.read(a.parse().unwrap(), &mut out).unwrap_err();
    assert_eq!(error.to_string(), format!("object `{a}` is missing from the repository"));
    assert!(reader.size(a.parse().unwrap()).unwrap_err().is_missing_object());
    for damage in [&b""[..], b"not zlib", &fs::read(place(&b)).unwrap()[..12]] {
        fs::remove_file(place(&b)).unwrap();
        fs::write(place(&b), damage).unwrap();
        let error = reader.read(b.parse().unwrap(), &mut out).unwrap_err();
        assert!(matches!(&error, Error::CorruptObject { id, .. } if *id == b), "{damage:?}: {error:?}");
    }
}

#[test]
fn an_object_that_says_it_is_larger_than_any_is_corrupt() {
    let fixture = Fixture::new("//- a\nfirst\n");
    let id = fixture.git(&["rev-parse", "HEAD:a"]);
    let place = fixture.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::remove_file(&place).unwrap();
    fs::write(&place, ENDLESS).unwrap();
    let reader = open(fixture.root()).reader();
    let errors = [reader.size(id.parse().unwrap()).map(drop), reader.read(id.parse().unwrap(), &mut Vec::new())];
    for error in errors.map(Result::unwrap_err) {
        assert!(matches!(&error, Error::CorruptObject { id: named, .. } if *named == id), "{error:?}");
    }
}

#[test]
fn contents_have_the_ids_that_git_gives_them() {
    for format in ["sha1", "sha256"] {
        let fixture = Fixture::with_object_format(format);
        let repository = open(fixture.root());
        for content in [&b""[..], b"text\n", b"\r\n\0\xff"] {
            let expected = fixture.git_with_input(&["hash-object", "--stdin"], content);
            assert_eq!(repository.blob_id_of(content).unwrap().to_string(), expected);
        }
        assert_eq!(fixture.object_count(), 0);
    }
}

#[test]
fn an_id_of_another_object_is_no_blob() {
    let fixture = Fixture::new("//- a\nfirst\n");
    let reader = open(fixture.root()).reader();
    let mut out = Vec::new();
    for revision in ["HEAD", "HEAD^{tree}"] {
        let id: BlobId = fixture.git(&["rev-parse", revision]).parse().unwrap();
        assert!(matches!(reader.read(id, &mut out), Err(Error::CorruptObject { .. })));
        assert!(matches!(reader.size(id), Err(Error::CorruptObject { .. })));
    }
    let of_another_kind: BlobId = "0".repeat(64).parse().unwrap();
    assert!(reader.read(of_another_kind, &mut out).unwrap_err().is_missing_object());
}

#[test]
fn damaged_trees_and_commits_are_named() {
    let fixture = Fixture::new("//- d/a\nfirst\n");
    let (commit, tree) = (fixture.git(&["rev-parse", "HEAD"]), fixture.git(&["rev-parse", "HEAD:d"]));
    let place = |id: &str| fixture.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    let repository = open(fixture.root());
    let root = repository.head().unwrap().tree;
    fs::remove_file(place(&tree)).unwrap();
    let error = repository.files(root, &mut |_| ()).unwrap_err();
    assert!(matches!(&error, Error::MissingObject { id } if *id == tree), "{error:?}");
    fs::remove_file(place(&commit)).unwrap();
    let error = open(fixture.root()).head().unwrap_err();
    assert!(matches!(&error, Error::MissingObject { id } if *id == commit), "{error:?}");
    fs::write(place(&commit), "damage").unwrap();
    let error = open(fixture.root()).head().unwrap_err();
    assert!(matches!(&error, Error::CorruptObject { id, .. } if *id == commit), "{error:?}");
}

#[test]
fn replacements_of_one_clone_do_not_change_what_an_id_means() {
    let fixture = Fixture::new("//- a\nfirst\n//- b\nsecond\n");
    let a = fixture.git(&["rev-parse", "HEAD:a"]);
    fixture.git(&["replace", &a, "HEAD:b"]);
    let mut out = Vec::new();
    open(fixture.root()).reader().read(a.parse().unwrap(), &mut out).unwrap();
    assert_eq!(out, b"first\n");
}

#[test]
fn blobs_that_any_tip_reaches_are_kept() {
    let fixture = Fixture::new("//- a\nold\n");
    let blob = |revision: &str| -> BlobId { fixture.git(&["rev-parse", revision]).parse().unwrap() };
    let old = blob("HEAD:a");
    fixture.write("//- a\nnew\n//- d/b\nother\n");
    fixture.commit("second");
    let (new, other) = (blob("HEAD:a"), blob("HEAD:d/b"));
    fixture.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    fixture.write("//- c\nside\n");
    fixture.commit("side");
    let side = blob("HEAD:c");
    let unknown: BlobId = "1".repeat(40).parse().unwrap();
    let all = HashSet::from([old, new, other, side, unknown]);
    let repository = open(fixture.root());
    let left_by = |revisions: &[&str]| {
        let mut left = all.clone();
        let tips: Vec<_> =
            revisions.iter().map(|revision| repository.resolve(revision).unwrap().commit.unwrap()).collect();
        repository.prune_reachable(&tips, &mut left).unwrap();
        left
    };
    assert_eq!(left_by(&[]), all);
    assert_eq!(left_by(&["main"]), HashSet::from([side, unknown]));
    assert_eq!(left_by(&["side"]), HashSet::from([new, other, unknown]));
    assert_eq!(left_by(&["side", "main"]), HashSet::from([unknown]));
}
