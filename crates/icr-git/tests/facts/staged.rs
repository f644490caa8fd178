//! What the index says that a tree does not, against `git diff --cached`.

use icr_fixture::Fixture;
use icr_git::{Error, Overlay, Policy, PolicyOptions};

use crate::show::{head_tree, open, show};

fn staged(fixture: &Fixture) -> Overlay {
    let repository = open(fixture.root());
    repository.staged(&Policy::default(), head_tree(&repository)).unwrap()
}

/// Checks what is staged over HEAD against git, and that it is `expected`: a path a line, with ` deleted` or the size.
#[track_caller]
fn check(fixture: &Fixture, expected: &str) {
    let objects = fixture.object_count();
    let overlay = staged(fixture);
    let text = show(&overlay);
    let (entries, gaps): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !line.contains('{'));
    assert_eq!(entries, of_git(fixture));
    let blobs_left_out = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [path, _, size] => format!("{path} {size}\n"),
        _ => format!("{line}\n"),
    };
    let shown: String =
        entries.into_iter().map(blobs_left_out).chain(gaps.iter().map(|gap| format!("{gap}\n"))).collect();
    assert_eq!(shown, expected);
    assert_eq!((overlay.files_read, fixture.object_count()), (0, objects));
}

/// The ordinary files of `git diff --cached`, in the form of [`show`].
fn of_git(fixture: &Fixture) -> Vec<String> {
    let head = fixture.try_git(&["rev-parse", "--verify", "-q", "HEAD"]);
    let base = head.unwrap_or_else(|_| fixture.git(&["hash-object", "-t", "tree", "/dev/null"]));
    let raw = fixture.git(&["diff", "--cached", "--raw", "--no-renames", "--no-abbrev", &base]);
    let entry = |line: &str| {
        let (left, path) = line.split_once('\t').unwrap();
        let [old_mode, new_mode, old, new, letter] = left.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (was_file, is_file) = (old_mode.starts_with(":100"), new_mode.starts_with("100"));
        if letter == "U" || (was_file && is_file && old == new) {
            return None;
        }
        let present = || format!("{path} {new} {}", fixture.git(&["cat-file", "-s", new]));
        if is_file { Some(present()) } else { was_file.then(|| format!("{path} deleted")) }
    };
    raw.lines().filter_map(entry).collect()
}

#[test]
fn only_what_is_staged_counts() {
    let fixture = Fixture::new("//- a.rs\n1\n//- b.rs\n1\n//- c.rs\n1\n//- d/e.rs\n1\n//- kept.rs\n1\n");
    check(&fixture, "");
    fixture.write("//- a.rs\nstaged\n//- new/n.rs\nnew\n//- gone.rs\ngone\n");
    fixture.git(&["add", "a.rs", "new", "gone.rs"]);
    fixture.git(&["rm", "-q", "--cached", "b.rs"]);
    fixture.git(&["rm", "-q", "d/e.rs"]);
    // None of this is staged.
    fixture.write("//- a.rs\non disk only\n//- kept.rs\nchanged\n//- untracked.rs\nx\n");
    fixture.delete("c.rs");
    fixture.delete("gone.rs");
    check(&fixture, "a.rs 7\nb.rs deleted\nd/e.rs deleted\ngone.rs 5\nnew/n.rs 4\n");
    fixture.git(&["commit", "-q", "-m", "staged"]);
    check(&fixture, "");
}

#[test]
fn staged_contents_can_be_read_back() {
    let fixture = Fixture::new("//- a.txt\n1\n");
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.write("//- a.txt\nline\r\n");
    fixture.git(&["add", "-A"]);
    fixture.write("//- a.txt\nother\n");
    let repository = open(fixture.root());
    let overlay = repository.staged(&Policy::default(), head_tree(&repository)).unwrap();
    let icr_git::OverlayState::Present { blob, bytes_total } = overlay.entries[0].state else { panic!("{overlay:?}") };
    let mut content = Vec::new();
    repository.reader().read(blob, &mut content).unwrap();
    assert_eq!((content.as_slice(), bytes_total), (&b"line\n"[..], 5));
}

#[test]
fn links_submodules_and_modes_are_no_contents() {
    let fixture = Fixture::new("//- becomes-link\nx\n//- becomes-sub\nx\n//- run.sh\necho\n");
    fixture.symlink("run.sh", "link");
    fixture.symlink("run.sh", "becomes-file");
    fixture.commit("links");
    for path in ["becomes-link", "link", "becomes-file", "becomes-sub"] {
        fixture.delete(path);
    }
    fixture.symlink("run.sh", "becomes-link");
    fixture.symlink("elsewhere", "link");
    fixture.write("//- becomes-file\nfile\n");
    fixture.git(&["add", "-A"]);
    fixture.git(&["update-index", "--chmod=+x", "run.sh"]);
    for path in ["sub", "becomes-sub"] {
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{path}", "1".repeat(40))]);
    }
    check(&fixture, "becomes-file 5\nbecomes-link deleted\nbecomes-sub deleted\n");
}

#[test]
fn conflicts_make_a_gap_and_keep_the_version_of_the_base() {
    let fixture = Fixture::new("//- a.rs\nbase\n//- b.rs\nbase\n//- c.rs\nbase\n");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- a.rs\nside\n//- b.rs\nside\n//- merged.rs\nside\n");
    fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- a.rs\nmain\n");
    fixture.delete("b.rs");
    fixture.commit("main");
    fixture.try_git(&["merge", "side"]).unwrap_err();
    check(&fixture, "merged.rs 5\nConflicted { files: 2 }\n");
    fixture.write("//- a.rs\nresolved\n");
    fixture.git(&["add", "a.rs"]);
    check(&fixture, "a.rs 9\nmerged.rs 5\nConflicted { files: 1 }\n");
}

#[test]
fn an_intention_to_add_is_not_staged() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.write("//- new.rs\nnew\n//- staged.rs\nstaged\n");
    fixture.git(&["add", "-N", "new.rs"]);
    fixture.git(&["add", "staged.rs"]);
    fixture.git(&["rm", "-q", "--cached", "a.rs"]);
    fixture.git(&["add", "-N", "a.rs"]);
    check(&fixture, "a.rs deleted\nstaged.rs 7\n");
}

#[test]
fn on_an_unborn_branch_all_that_is_staged_is_new() {
    let fixture = Fixture::empty();
    check(&fixture, "");
    fixture.write("//- a.rs\n1\n//- b.rs\n22\n");
    fixture.git(&["add", "b.rs"]);
    check(&fixture, "b.rs 3\n");
}

#[test]
fn outside_of_a_sparse_checkout_the_index_counts() {
    let fixture = Fixture::new("//- in/a.rs\n1\n//- out/b.rs\n1\n//- out/deep/c.rs\n1\n");
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        fixture.git(&["sparse-checkout", "set", "--cone", sparse_index, "in"]);
        check(&fixture, "");
        fixture.write("//- in/a.rs\nchanged\n");
        fixture.git(&["add", "in"]);
        check(&fixture, "in/a.rs 8\n");
        fixture.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn the_policy_decides_what_is_shown_and_the_size_does_not() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.write("//- a.rs\n0123456789\n//- .env\nSECRET=1\n//- node_modules/x.js\nx\n//- b.txt\nx\n");
    fixture.git(&["add", "-A"]);
    let repository = open(fixture.root());
    let options = PolicyOptions { max_file_bytes: 5, extensions: vec!["rs".to_owned()], ..Default::default() };
    let overlay = repository.staged(&Policy::new(options), head_tree(&repository)).unwrap();
    let paths: Vec<String> = overlay.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!((paths, overlay.gaps), (vec!["a.rs".to_owned()], Vec::new()));
}

#[test]
fn an_index_that_cannot_be_read_is_named_and_a_missing_content_is_a_gap() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let repository = open(fixture.root());
    let staged = || repository.staged(&Policy::default(), head_tree(&repository));
    fixture.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},b.rs", "1".repeat(40))]);
    assert_eq!(show(&staged().unwrap()), format!("b.rs {} 0\nMissingObject {{ objects: 1 }}\n", "1".repeat(40)));
    let index = fixture.root().join(".git/index");
    std::fs::write(&index, "DIRC").unwrap();
    assert!(matches!(staged(), Err(Error::Index { path, .. }) if path == index));
    std::fs::remove_file(&index).unwrap();
    assert!(matches!(staged(), Err(Error::IndexMissing { path }) if path == index));
    let bare = Fixture::generated_bare(3);
    let repository = open(bare.root());
    assert_eq!(repository.staged(&Policy::default(), head_tree(&repository)).unwrap(), Overlay::default());
}
