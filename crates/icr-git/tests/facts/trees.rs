//! Files of trees and what differs between them.

use std::collections::BTreeMap;

use icr_fixture::Fixture;
use icr_git::{BlobReader, FileKind, Repository, TreeChange};
use icr_model::{BlobId, RepoPath, TreeId};

use crate::show::{mode, open};

/// A fixture with every kind of entry, names around the order of `/`, and deep directories.
fn varied() -> Fixture {
    let fixture = Fixture::new("//- a\n1\n//- a.b\n2\n//- a-b/c\n3\n//- ab/c/d/e/f.rs\nfn f() {}\n//- run.sh\necho\n");
    fixture.symlink("a", "link");
    fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", "1".repeat(40))]);
    fixture.git(&["update-index", "--chmod=+x", "run.sh"]);
    fixture.git(&["add", "link"]);
    fixture.git(&["commit", "-q", "-m", "varied"]);
    fixture
}

#[test]
fn files_are_those_of_git_in_its_order() {
    let fixture = varied();
    let repository = open(fixture.root());
    let mut listed = Vec::new();
    repository
        .files(repository.head().unwrap().tree, &mut |file| {
            listed.push(format!("{} {}\t{}", mode(file.kind), file.blob, file.path));
        })
        .unwrap();
    let expected = fixture.git(&["ls-tree", "-r", "--format=%(objectmode) %(objectname)%x09%(path)", "HEAD"]);
    assert_eq!(listed, expected.lines().collect::<Vec<_>>());
}

#[test]
fn differences_are_those_of_git() {
    let fixture = varied();
    fixture.write("//- a.b\nother\n//- new/deep/x.rs\nfn x() {}\n");
    fixture.delete("ab");
    fixture.write("//- ab\nnow a file\n");
    fixture.delete("link");
    fixture.write("//- link\nnow a file\n");
    fixture.delete("a");
    fixture.write("//- a/now/a/directory\n1\n");
    fixture.commit("changes");
    let repository = open(fixture.root());
    let tree = |revision: &str| repository.resolve(revision).unwrap().tree;
    for (old, new) in [("HEAD~1", "HEAD"), ("HEAD", "HEAD~1"), ("HEAD~2", "HEAD"), ("HEAD", "HEAD")] {
        let expected = fixture.git(&["diff-tree", "-r", "--no-renames", "--no-commit-id", old, new]);
        let found: Vec<String> = repository.tree_diff(tree(old), tree(new)).unwrap().iter().map(raw).collect();
        assert_eq!(found, expected.lines().map(without_letter).collect::<Vec<_>>(), "{old} {new}");
    }
}

#[test]
fn a_tree_against_the_empty_one_is_all_its_files() {
    let fixture = varied();
    let repository = open(fixture.root());
    let empty: TreeId = fixture.git(&["hash-object", "-t", "tree", "/dev/null"]).parse().unwrap();
    let changes = repository.tree_diff(empty, repository.head().unwrap().tree).unwrap();
    assert!(changes.iter().all(|change| change.old.is_none()));
    let paths: Vec<String> = changes.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths.join("\n"), fixture.git(&["ls-tree", "-r", "--name-only", "HEAD"]));
}

#[test]
fn names_that_are_not_utf_8_keep_their_bytes() {
    let fixture = Fixture::empty();
    fixture.import(b"commit refs/heads/main\ncommitter F <f@x> 1704067200 +0000\ndata 1\nm\nM 100644 inline \"d\\377/\\001\"\ndata 1\nx\n");
    let repository = open(fixture.root());
    let mut paths = Vec::new();
    repository.files(repository.head().unwrap().tree, &mut |file| paths.push(file.path)).unwrap();
    assert_eq!(paths.len(), 1);
    assert_eq!(paths[0].as_bytes(), b"d\xff/\x01");
}

#[test]
fn deep_directories_are_walked_to_their_end() {
    let fixture = Fixture::new("//- f\n1\n");
    let mut tree = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    for _ in 0..200 {
        tree = fixture.git_with_input(&["mktree"], format!("040000 tree {tree}\td\n").as_bytes());
    }
    let mut deepest = 0;
    let mut sink = |file: icr_git::TreeFile| deepest = file.path.as_bytes().len();
    open(fixture.root()).files(tree.parse().unwrap(), &mut sink).unwrap();
    assert_eq!(deepest, 200 * 2 + 1);
}

/// A tree with `entries`, each a mode, a name and an id, in this order. Git's own commands would sort or refuse them.
fn literal_tree(fixture: &Fixture, entries: &[(&str, &str, &str)]) -> TreeId {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend(format!("{mode} {name}\0").into_bytes());
        bytes.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    fixture.git_with_input(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes).parse().unwrap()
}

/// The files of `tree`. Checks that no path occurs twice and that each is found by its path.
#[track_caller]
fn files_by_path(repository: &Repository, tree: TreeId) -> BTreeMap<RepoPath, (BlobId, FileKind)> {
    let mut files = BTreeMap::new();
    let mut sink = |file: icr_git::TreeFile| {
        let again = files.insert(file.path.clone(), (file.blob, file.kind));
        assert!(again.is_none(), "{} occurs twice", file.path);
    };
    repository.files(tree, &mut sink).unwrap();
    for (path, file) in &files {
        assert_eq!(repository.file_at(tree, path).unwrap(), Some(*file), "{path}");
    }
    files
}

#[test]
fn of_entries_with_one_name_the_first_counts() {
    const FILE: &str = "100644";
    const DIRECTORY: &str = "40000";
    let fixture = Fixture::new("//- a\n1\n//- b\n2\n//- d/x\n3\n//- e/x\n4\n//- e/y\n5\n");
    let [one, two, d, e] = ["a", "b", "d", "e"].map(|path| fixture.git(&["rev-parse", &format!("HEAD:{path}")]));
    let (one, two, d, e) = (one.as_str(), two.as_str(), d.as_str(), e.as_str());
    let tree = |entries: &[(&str, &str, &str)]| literal_tree(&fixture, entries);
    let twice = tree(&[(FILE, "x", one), (FILE, "x", two)]).to_string();
    let trees = [
        (tree(&[(FILE, "ok", one)]), "ok=1"),
        (tree(&[(FILE, "ok", one), (FILE, "ok", two)]), "ok=1"),
        (tree(&[(FILE, "ok", two), (FILE, "ok", one), (FILE, "ok", two)]), "ok=2"),
        (tree(&[(FILE, "z", one), (FILE, "ok", two), (FILE, "z", two), (FILE, "a", one)]), "a=1 ok=2 z=1"),
        (tree(&[(DIRECTORY, "d", e), (DIRECTORY, "d", d)]), "d/x=4 d/y=5"),
        (tree(&[(DIRECTORY, "d", d), (DIRECTORY, "d", e)]), "d/x=3"),
        (tree(&[(FILE, "d", one), (FILE, "d-", two), (DIRECTORY, "d", e)]), "d=1 d-=2"),
        (tree(&[(DIRECTORY, "d", e), (FILE, "d", one)]), "d/x=4 d/y=5"),
        (tree(&[(FILE, "d/x", one), (DIRECTORY, "d", d)]), "d/x=3"),
        (tree(&[(DIRECTORY, "d", &twice), (FILE, "d.rs", one)]), "d.rs=1 d/x=1"),
    ];
    let repository = open(fixture.root());
    let reader = repository.reader();
    let files: Vec<_> = trees.iter().map(|(tree, _)| files_by_path(&repository, *tree)).collect();
    for (files, (_, expected)) in files.iter().zip(&trees) {
        let shown = files.iter().map(|(path, (blob, _))| {
            let mut content = Vec::new();
            reader.read(*blob, &mut content).unwrap();
            format!("{path}={}", String::from_utf8(content).unwrap().trim_end())
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), *expected);
    }
    // The differences lead from the files of any tree to those of any other.
    for (old_files, (old, before)) in files.iter().zip(&trees) {
        for (new_files, (new, after)) in files.iter().zip(&trees) {
            let mut changed = old_files.clone();
            let changes = repository.tree_diff(*old, *new).unwrap();
            assert!(changes.is_sorted_by(|one, next| one.path < next.path), "{before} -> {after}: {changes:?}");
            for change in changes {
                let was = match change.new {
                    Some(file) => changed.insert(change.path, file),
                    None => changed.remove(&change.path),
                };
                assert_eq!(was, change.old, "{before} -> {after}");
            }
            assert_eq!(changed, *new_files, "{before} -> {after}");
        }
    }
}

#[test]
fn handles_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    fn sent<T: Send>() {}
    shared::<Repository>();
    sent::<BlobReader>();
}

/// `:100644 100644 id id`, a tab and the path, as git's raw format without the letter.
fn raw(change: &TreeChange) -> String {
    let null = "0".repeat(40);
    let side = |side: Option<(icr_model::BlobId, icr_git::FileKind)>| match side {
        Some((blob, kind)) => (mode(kind).to_owned(), blob.to_string()),
        None => ("000000".to_owned(), null.clone()),
    };
    let ((old_mode, old), (new_mode, new)) = (side(change.old), side(change.new));
    format!(":{old_mode} {new_mode} {old} {new}\t{}", change.path)
}

fn without_letter(line: &str) -> String {
    let (left, path) = line.split_once('\t').unwrap();
    format!("{}\t{path}", &left[..left.len() - 2])
}
