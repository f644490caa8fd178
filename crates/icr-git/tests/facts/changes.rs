//! Files that differ between two trees, against `git diff -M`.

use icr_fixture::Fixture;
use icr_git::{ChangeKind, FileDiff, FileKind, pair_renames};
use icr_model::{BlobId, RepoPath, TreeId};

use crate::show::{letter, mode, open};

/// Checks what differs between two revisions, or between nothing and one, against git.
#[track_caller]
fn check_against_diff(fixture: &Fixture, old: Option<&str>, new: &str) -> Vec<FileDiff> {
    let repository = open(fixture.root());
    let tree = |revision: &str| repository.resolve(revision).unwrap().tree;
    let changes = repository.changes_between(old.map(tree), tree(new)).unwrap();
    let empty = fixture.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let raw = fixture.git(&["-c", "core.quotePath=false", "diff-tree", "-r", "-M", old.unwrap_or(&empty), new]);
    let expected: Vec<String> = raw.lines().map(without_similarity).collect();
    let null = "0".repeat(empty.len());
    assert_eq!(changes.iter().map(|change| raw_line(change, &null)).collect::<Vec<_>>(), expected, "{old:?} {new}");
    changes
}

/// `:100644 100644 id id R`, a tab, the old path, a tab and the new one.
fn raw_line(change: &FileDiff, null: &str) -> String {
    let side = |side: Option<(BlobId, FileKind)>| match side {
        Some((blob, kind)) => (mode(kind), blob.to_string()),
        None => ("000000", null.to_owned()),
    };
    let ((old_mode, old), (new_mode, new)) = (side(change.old), side(change.new));
    let old_path = change.old_path.as_ref().map(|path| format!("{path}\t")).unwrap_or_default();
    format!(":{old_mode} {new_mode} {old} {new} {}\t{old_path}{}", letter(change.kind), change.path)
}

fn without_similarity(line: &str) -> String {
    let (left, paths) = line.split_once('\t').unwrap();
    let (left, letter) = left.rsplit_once(' ').unwrap();
    format!("{left} {}\t{paths}", &letter[..1])
}

fn lines(from: usize, to: usize) -> String {
    (from..to).map(|n| format!("    let value_{n} = compute({n});\n")).collect()
}

#[test]
fn renames_are_found_with_edits_and_with_modes() {
    let fixture =
        Fixture::new(&format!("//- src/a.rs\n{}//- src/b.rs\n{}//- run.sh\necho\n", lines(0, 40), lines(50, 90)));
    fixture.git(&["mv", "src/a.rs", "src/moved.rs"]);
    fixture.git(&["mv", "src/b.rs", "lib.rs"]);
    fixture.git(&["mv", "run.sh", "start.sh"]);
    fixture.write(&format!("//- src/moved.rs\n{}//- lib.rs\n{}", lines(0, 33) + &lines(200, 207), lines(50, 60)));
    fixture.git(&["add", "-A"]);
    fixture.git(&["update-index", "--chmod=+x", "start.sh"]);
    fixture.git(&["commit", "-q", "-m", "moves"]);
    let changes = check_against_diff(&fixture, Some("HEAD~1"), "HEAD");
    let kinds: Vec<String> = changes.iter().map(|change| format!("{} {}", letter(change.kind), change.path)).collect();
    assert_eq!(kinds, ["A lib.rs", "D src/b.rs", "R src/moved.rs", "R start.sh"]);
    assert!(changes.iter().all(|change| !change.is_mode_only()));
    check_against_diff(&fixture, Some("HEAD"), "HEAD~1");
}

#[test]
fn a_change_of_the_mode_alone_is_told() {
    let fixture = Fixture::new("//- run.sh\necho\n//- both.sh\necho\n//- same.sh\necho\n");
    fixture.write("//- both.sh\necho more\n");
    fixture.git(&["add", "-A"]);
    fixture.git(&["update-index", "--chmod=+x", "run.sh", "both.sh"]);
    fixture.git(&["commit", "-q", "-m", "modes"]);
    let changes = check_against_diff(&fixture, Some("HEAD~1"), "HEAD");
    let told: Vec<(String, bool)> = changes.iter().map(|one| (one.path.to_string(), one.is_mode_only())).collect();
    assert_eq!(told, [("both.sh".to_owned(), false), ("run.sh".to_owned(), true)]);
}

#[test]
fn links_submodules_and_changes_of_type_are_those_of_git() {
    let fixture = Fixture::new("//- file\nfile\n//- becomes-link\nx\n//- becomes-directory\nx\n//- directory/x\nx\n");
    fixture.symlink("file", "link");
    fixture.symlink("directory", "becomes-file");
    fixture.symlink("nowhere", "moved-link");
    fixture.git(&["add", "-A"]);
    for (path, digit) in [("moved", "1"), ("updated", "2"), ("gone", "3"), ("sub-becomes-file", "4")] {
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{path}", digit.repeat(40))]);
    }
    fixture.git(&["commit", "-q", "-m", "all kinds"]);
    for path in ["becomes-link", "becomes-directory", "directory", "becomes-file", "link", "moved-link"] {
        fixture.delete(path);
    }
    fixture.symlink("file", "becomes-link");
    fixture.symlink("elsewhere", "link");
    fixture.symlink("nowhere", "to/moved-link");
    fixture
        .write("//- becomes-directory/x\nx\n//- directory\nnow a file\n//- becomes-file\nx\n//- sub-becomes-file\nx\n");
    fixture.git(&["add", "-A", "--", ":!moved", ":!updated", ":!gone"]);
    fixture.git(&["rm", "-q", "--cached", "moved", "gone"]);
    for (path, digit) in [("to/moved", "1"), ("updated", "5"), ("new", "6")] {
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{path}", digit.repeat(40))]);
    }
    fixture.git(&["commit", "-q", "-m", "all changed"]);
    let changes = check_against_diff(&fixture, Some("HEAD~1"), "HEAD");
    let count = |kind: ChangeKind| changes.iter().filter(|change| change.kind == kind).count();
    assert!(count(ChangeKind::TypeChanged) >= 3 && count(ChangeKind::Renamed) >= 2, "{changes:?}");
    check_against_diff(&fixture, Some("HEAD"), "HEAD~1");
}

#[test]
fn without_an_old_tree_all_files_are_added() {
    for format in ["sha1", "sha256"] {
        let fixture = Fixture::with_object_format(format);
        fixture.write("//- a\n1\n//- d/b\n2\n");
        fixture.commit("first");
        let added = check_against_diff(&fixture, None, "HEAD");
        assert_eq!(added.len(), 2);
        assert_eq!(check_against_diff(&fixture, Some("HEAD"), "HEAD"), []);
    }
}

#[test]
fn an_unborn_branch_differs_from_nothing() {
    let fixture = Fixture::empty();
    let repository = open(fixture.root());
    let head = repository.head().unwrap().tree;
    assert_eq!(repository.changes_between(None, head).unwrap(), []);
    assert_eq!(repository.changes_between(Some(head), head).unwrap(), []);
}

#[test]
fn a_missing_tree_is_named() {
    let fixture = Fixture::new("//- a\n1\n");
    let repository = open(fixture.root());
    let missing: TreeId = "1".repeat(40).parse().unwrap();
    let error = repository.changes_between(Some(missing), repository.head().unwrap().tree).unwrap_err();
    assert!(error.is_missing_object(), "{error:?}");
}

#[test]
fn contents_that_are_no_objects_pair_as_git_pairs_them() {
    let deleted =
        [("src/a.rs", lines(0, 40)), ("src/mod.rs", lines(50, 70)), ("x/same", lines(90, 95)), ("z", lines(400, 410))];
    let added = [
        ("to/mod.rs", lines(50, 66) + &lines(300, 304)),
        ("b.rs", lines(0, 25) + &lines(200, 215)),
        ("y/other", lines(90, 95)),
        ("y/same", lines(90, 95)),
        ("new", lines(500, 510)),
        ("half", lines(400, 405) + &lines(600, 605)),
    ];
    let files = |files: &[(&str, String)]| -> String {
        files.iter().map(|(path, content)| format!("//- {path}\n{content}")).collect()
    };
    let fixture = Fixture::new(&files(&deleted));
    deleted.iter().for_each(|(path, _)| fixture.delete(path));
    fixture.write(&files(&added));
    fixture.commit("moves");
    let of_trees = check_against_diff(&fixture, Some("HEAD~1"), "HEAD");
    let bytes = |files: &[(&str, String)]| -> Vec<(RepoPath, Vec<u8>)> {
        files.iter().map(|(path, content)| ((*path).into(), content.clone().into_bytes())).collect()
    };
    let (deleted, added) = (bytes(&deleted), bytes(&added));
    let pairs = pair_renames(&deleted, &added);
    let mut found: Vec<_> =
        pairs.iter().zip(&added).map(|(source, file)| (&file.0, source.map(|at| &deleted[at].0))).collect();
    found.sort();
    let expected: Vec<_> =
        of_trees.iter().filter(|one| one.new.is_some()).map(|one| (&one.path, one.old_path.as_ref())).collect();
    assert_eq!(found, expected);
    assert!(pairs.iter().flatten().count() >= 3, "{found:?}");
}
