//! Single files of the worktree.

use std::fs;

use icr_fixture::Fixture;
use icr_git::Error;
use icr_model::RepoPath;

use crate::show::open;

#[test]
fn a_file_is_read_as_git_would_store_it() {
    let fixture = Fixture::new("//- .gitattributes\n*.rs text\n//- d/a.rs\nfn a() {}\n");
    fixture.write_bytes("d/a.rs", b"fn b() {}\r\n");
    let mut reader = open(fixture.root()).worktree_reader().unwrap();
    let mut out = b"what was there before".to_vec();
    let id = reader.read(&"d/a.rs".into(), 1_000, &mut out).unwrap();
    assert_eq!(out, b"fn b() {}\n");
    assert_eq!(id.to_string(), fixture.git(&["hash-object", "d/a.rs"]));
}

#[test]
fn paths_that_leave_the_worktree_are_refused() {
    let fixture = Fixture::new("//- d/a.rs\nfn a() {}\n");
    let outside = fixture.home().join("repo2");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    fixture.symlink(&outside, "link");
    fixture.symlink("d/a.rs", "file-link");
    fixture.symlink("nowhere", "dangling");
    let mut reader = open(fixture.root()).worktree_reader().unwrap();
    let absolute = outside.join("secret").to_str().unwrap().to_owned();
    for path in [
        "../repo2/secret",
        "d/../../repo2/secret",
        "d/../d/a.rs",
        &absolute,
        "link/secret",
        "file-link",
        "dangling",
        "",
        ".git/config",
        ".GIT/config",
        "d/.git/x",
        "d",
        "d/",
        "d/a.rs/",
        "./d/a.rs",
        "d//a.rs",
        "d/a.rs\0",
    ] {
        let mut out = Vec::new();
        let error = reader.read(&RepoPath::from(path), 1_000, &mut out).unwrap_err();
        assert!(matches!(error, Error::Refused { .. }), "{path:?}: {error:?}");
        assert!(out.is_empty(), "{path:?} was read");
    }
}

#[test]
fn missing_and_large_files_are_named() {
    let fixture = Fixture::new("//- a.rs\n0123456789\n");
    let mut reader = open(fixture.root()).worktree_reader().unwrap();
    let mut out = Vec::new();
    let error = reader.read(&"gone.rs".into(), 1_000, &mut out).unwrap_err();
    assert!(matches!(&error, Error::Io { path, .. } if *path == fixture.root().join("gone.rs")), "{error:?}");
    let error = reader.read(&"a.rs".into(), 10, &mut out).unwrap_err();
    assert_eq!(error.to_string(), "`a.rs` has more than 10 bytes");
    reader.read(&"a.rs".into(), 11, &mut out).unwrap();
    reader.read(&"a.rs".into(), u64::MAX, &mut out).unwrap();
}
