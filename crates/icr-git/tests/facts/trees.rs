//! Files of trees and what differs between them.

use icr_fixture::Fixture;
use icr_git::{BlobReader, Repository, TreeChange};
use icr_model::TreeId;

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
