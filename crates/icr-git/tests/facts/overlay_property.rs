//! An overlay put on its base is the tree that `git add -A` would commit, and what is staged the tree that git would.

use std::collections::BTreeMap;
use std::fs;

use icr_fixture::Fixture;
use icr_git::{Overlay, OverlayState, Policy, Repository};
use icr_model::{RepoPath, TreeId};
use proptest::prelude::*;

use crate::show::open;

/// Something that a person does to a worktree.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8),
    WriteCrlf(usize, u8),
    Delete(usize),
    Link(usize),
    Rename(usize, usize),
    Stage,
    StageOne(usize),
    Unstage,
    Commit,
    Stash,
    Intend(usize),
    AutoCrlf(bool),
    Attributes(&'static str),
    Ignore(&'static str),
}

/// Some are in the way of others: `a` is a file or a directory.
const PATHS: [&str; 9] = ["a", "a/b.rs", "a/c/d.rs", "e.rs", "f.txt", "a.b/x", "g/h.txt", "g/i.log", "z"];

const ATTRIBUTES: [&str; 3] = ["", "*.txt text\n", "*.rs -text\n"];

const IGNORED: [&str; 3] = ["", "*.log\na/\n", "/g/*\n!/g/h.txt\n"];

fn step() -> impl Strategy<Value = Step> {
    let path = || 0..PATHS.len();
    prop_oneof![
        6 => (path(), 0..4_u8).prop_map(|(path, content)| Step::Write(path, content)),
        2 => (path(), 0..4_u8).prop_map(|(path, content)| Step::WriteCrlf(path, content)),
        3 => path().prop_map(Step::Delete),
        1 => path().prop_map(Step::Link),
        2 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => Just(Step::Stage),
        2 => path().prop_map(Step::StageOne),
        1 => Just(Step::Unstage),
        2 => Just(Step::Commit),
        1 => Just(Step::Stash),
        1 => path().prop_map(Step::Intend),
        1 => any::<bool>().prop_map(Step::AutoCrlf),
        1 => prop::sample::select(&ATTRIBUTES[..]).prop_map(Step::Attributes),
        1 => prop::sample::select(&IGNORED[..]).prop_map(Step::Ignore),
    ]
}

fn apply(fixture: &Fixture, step: &Step) {
    let place = |path: usize| fixture.root().join(PATHS[path]);
    let write = |path: usize, content: String| {
        // A file in place of a directory, or below another file, is no step.
        if place(path).parent().is_none_or(|parent| fs::create_dir_all(parent).is_ok()) && !place(path).is_dir() {
            let _ = fs::remove_file(place(path));
            let _ = fs::write(place(path), content);
        }
    };
    // Steps that cannot be done here (nothing to delete, nothing to stash) are no steps.
    let git = |args: &[&str]| drop(fixture.try_git(args));
    match step {
        Step::Write(path, content) => write(*path, format!("line {content}\n")),
        Step::WriteCrlf(path, content) => write(*path, format!("line {content}\r\n")),
        Step::Delete(path) => drop(fs::remove_file(place(*path)).or_else(|_| fs::remove_dir_all(place(*path)))),
        Step::Link(path) => drop(std::os::unix::fs::symlink("e.rs", place(*path))),
        Step::Rename(from, to) => drop(fs::rename(place(*from), place(*to))),
        Step::Stage => git(&["add", "-A"]),
        Step::StageOne(path) => git(&["add", PATHS[*path]]),
        Step::Unstage => git(&["reset", "-q"]),
        Step::Commit => git(&["commit", "-q", "--allow-empty", "-m", "step"]),
        Step::Stash => git(&["stash", "-q"]),
        Step::Intend(path) => git(&["add", "-N", PATHS[*path]]),
        Step::AutoCrlf(on) => git(&["config", "core.autocrlf", &on.to_string()]),
        Step::Attributes(lines) => fixture.write_bytes(".gitattributes", lines.as_bytes()),
        Step::Ignore(lines) => fixture.write_bytes(".gitignore", lines.as_bytes()),
    }
}

/// Blobs of the ordinary files of `tree`.
fn files(repository: &Repository, tree: TreeId) -> BTreeMap<RepoPath, String> {
    let mut files = BTreeMap::new();
    let mut sink = |file: icr_git::TreeFile| {
        if file.kind.is_file() {
            files.insert(file.path, file.blob.to_string());
        }
    };
    repository.files(tree, &mut sink).unwrap();
    files
}

/// The files after `overlay`, which must not list one that it does not change.
fn put_on(
    mut files: BTreeMap<RepoPath, String>,
    overlay: Overlay,
) -> Result<BTreeMap<RepoPath, String>, TestCaseError> {
    for entry in overlay.entries {
        match entry.state {
            OverlayState::Present { blob, .. } => {
                let before = files.insert(entry.path, blob.to_string());
                prop_assert_ne!(before, Some(blob.to_string()), "an unchanged file is listed");
            }
            OverlayState::Deleted => prop_assert!(files.remove(&entry.path).is_some(), "nothing to delete"),
        }
    }
    Ok(files)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_overlay_on_its_base_is_what_git_would_commit(steps in prop::collection::vec(step(), 1..14)) {
        let fixture = Fixture::new("//- a/b.rs\nline 0\n//- e.rs\nline 1\n//- g/h.txt\nline 2\n");
        let head_tree = || -> TreeId { fixture.git(&["rev-parse", "HEAD^{tree}"]).parse().unwrap() };
        let first = head_tree();
        steps.iter().for_each(|step| apply(&fixture, step));
        let repository = open(fixture.root());
        let bases = [head_tree(), first];
        let overlays = bases.map(|base| repository.overlay(&Policy::default(), base).unwrap());
        let staged = bases.map(|base| repository.staged(&Policy::default(), base).unwrap());
        let next_commit = files(&repository, fixture.git(&["write-tree"]).parse().unwrap());
        for (base, staged) in bases.into_iter().zip(staged) {
            prop_assert_eq!(put_on(files(&repository, base), staged)?, next_commit.clone());
        }
        // What git makes of the same worktree and the same index.
        fixture.git(&["-c", "core.safecrlf=false", "add", "-A"]);
        let expected = files(&repository, fixture.git(&["write-tree"]).parse().unwrap());
        for (base, overlay) in bases.into_iter().zip(overlays) {
            prop_assert_eq!(&put_on(files(&repository, base), overlay)?, &expected);
        }
    }
}
