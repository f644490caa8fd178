//! Trees that stand for more than anybody has: they are named, and nothing else suffers.

use std::collections::HashSet;
use std::fmt::Write;

use icr_fixture::Fixture;
use icr_git::{Error, Policy, Repository};
use icr_model::{BlobId, TreeId};

use crate::show::{head_tree, open};

/// A commit on the branch `bomb`, from HEAD, of ten directories in each of ten, `levels` deep, with `leaf` at the end.
fn bomb(fixture: &Fixture, leaf: &str, levels: usize) -> TreeId {
    let mut tree = leaf.to_owned();
    for _ in 0..levels {
        let lines = (0..10).fold(String::new(), |mut lines, name| {
            let _ = writeln!(lines, "040000 tree {tree}\td{name}");
            lines
        });
        tree = fixture.git_with_input(&["mktree"], lines.as_bytes());
    }
    let commit = fixture.git(&["commit-tree", "-p", "HEAD", "-m", "bomb", &tree]);
    fixture.git(&["update-ref", "refs/heads/bomb", &commit]);
    tree.parse().unwrap()
}

#[track_caller]
fn is_too_large<T: std::fmt::Debug>(result: Result<T, Error>, bound: &str) {
    let error = result.unwrap_err();
    assert!(matches!(&error, Error::TreeTooLarge { bound: named, .. } if *named == bound), "{error:?}");
}

/// All that walks over a tree.
#[track_caller]
fn check(repository: &Repository, tree: TreeId, bound: &str) {
    let head = head_tree(repository);
    is_too_large(repository.files(tree, &mut |_| ()), bound);
    is_too_large(repository.tree_diff(head, tree), bound);
    is_too_large(repository.changes_between(None, tree), bound);
    is_too_large(repository.staged(&Policy::default(), tree), bound);
    let tip = repository.resolve("bomb").unwrap().commit.unwrap();
    let history = repository.history(&[tip], usize::MAX, |_| Ok::<_, Error>(None)).unwrap();
    let known: Vec<bool> = history.into_read().map(|facts| facts.changes.is_some()).collect();
    assert_eq!(known, [false, true]);
    let mut candidates = HashSet::from(["1".repeat(40).parse::<BlobId>().unwrap()]);
    repository.prune_reachable(&repository.tips().unwrap(), &mut candidates).unwrap();
    assert_eq!(candidates.len(), 1);
    repository.files(head, &mut |_| ()).unwrap();
}

#[test]
fn ten_billion_files_of_a_few_objects() {
    let fixture = Fixture::new("//- f\n1\n");
    let tree = bomb(&fixture, &fixture.git(&["rev-parse", "HEAD^{tree}"]), 10);
    let repository = open(fixture.root());
    check(&repository, tree, "10,000,000 entries");
    let path = format!("{}f", "d7/".repeat(10));
    assert!(repository.file_at(tree, &path.as_str().into()).unwrap().is_some());
    let error = repository.files(tree, &mut |_| ()).unwrap_err();
    assert_eq!(error.to_string(), format!("the tree `{tree}` has more than 10,000,000 entries"));
}

#[test]
fn ten_billion_directories_without_a_file() {
    let fixture = Fixture::new("//- f\n1\n");
    let empty = fixture.git_with_input(&["mktree"], b"");
    let tree = bomb(&fixture, &empty, 10);
    check(&open(fixture.root()), tree, "10,000,000 entries");
}

#[test]
fn directories_deeper_than_any_path() {
    let fixture = Fixture::new("//- f\n1\n");
    let path = format!("{}f", "d/".repeat(4_200));
    let parent = fixture.git(&["rev-parse", "HEAD"]);
    fixture.import(
        format!("commit refs/heads/bomb\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\nfrom {parent}\nM 100644 inline {path}\ndata 1\nx\n")
            .as_bytes(),
    );
    let repository = open(fixture.root());
    let tree = repository.resolve("bomb").unwrap().tree;
    check(&repository, tree, "4,096 levels of directories");
}

#[test]
fn a_large_tree_of_which_there_is_one_is_walked() {
    let fixture = Fixture::new("//- f\n1\n");
    let tree = bomb(&fixture, &fixture.git(&["rev-parse", "HEAD^{tree}"]), 4);
    let mut files = 0;
    open(fixture.root()).files(tree, &mut |_| files += 1).unwrap();
    assert_eq!(files, 10_000);
}

#[test]
fn what_a_few_objects_stand_for_is_bounded_below_what_many_hold() {
    let fixture = Fixture::new("//- f\n1\n");
    let head = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    let tree = bomb(&fixture, &head, 6);
    check(&open(fixture.root()), tree, "500,000 entries that a few objects stand for");
    // Fewer places, each with a long path.
    let blob = fixture.git(&["rev-parse", "HEAD:f"]);
    let mut files = String::new();
    for name in 0..1_000 {
        let _ = writeln!(files, "100644 blob {blob}\t{name:0250}");
    }
    let files = fixture.git_with_input(&["mktree"], files.as_bytes());
    let tree = bomb(&fixture, &files, 2);
    open(fixture.root()).files(tree, &mut |_| ()).unwrap();
    let tree = bomb(&fixture, &files, 3);
    assert!(matches!(open(fixture.root()).files(tree, &mut |_| ()), Err(Error::TreeTooLarge { .. })));
    let mut directories = String::new();
    for name in 0..300 {
        let _ = writeln!(directories, "040000 tree {files}\t{name:0250}");
    }
    let tree: TreeId = fixture.git_with_input(&["mktree"], directories.as_bytes()).parse().unwrap();
    is_too_large(open(fixture.root()).files(tree, &mut |_| ()), "64 MiB of paths that a few objects stand for");
}
