//! Nothing is written and nothing is run.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use icr_fixture::Fixture;
use icr_git::{Policy, Repository};

use crate::show::open;

/// Every file below `directory` with its content.
fn contents(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            contents(&entry.path(), found);
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap_or_default());
        }
    }
}

/// Calls everything that reads.
fn ask_everything(repository: &Repository) {
    let head = repository.head().unwrap();
    let _ = (repository.is_shallow(), repository.hash_kind(), repository.recorded_repo_id());
    repository.root().unwrap();
    repository.resolve("HEAD~1").unwrap();
    repository.resolve("no-such-name").unwrap_err();
    let first = repository.resolve("HEAD~1").unwrap().tree;
    let reader = repository.reader();
    let (mut content, mut blobs) = (Vec::new(), HashSet::new());
    repository
        .files(head.tree, &mut |file| {
            reader.size(file.blob).unwrap();
            reader.read(file.blob, &mut content).unwrap();
            blobs.insert(file.blob);
        })
        .unwrap();
    repository.tree_diff(first, head.tree).unwrap();
    let tips = repository.tips().unwrap();
    repository.history(&tips, usize::MAX, |_| Ok::<_, icr_git::Error>(None)).unwrap();
    repository.prune_ancestors(&tips, &mut tips.iter().copied().collect()).unwrap();
    repository.prune_reachable(&tips, &mut blobs).unwrap();
    let overlay = repository.overlay(&Policy::default(), head.tree).unwrap();
    assert_eq!(overlay.entries.len(), 3);
    repository.staged(&Policy::default(), first).unwrap();
    repository.changes_between(Some(first), head.tree).unwrap();
    repository.resolve_range("HEAD~1...HEAD").unwrap();
    let commit = head.commit.unwrap();
    let parent = repository.parents(commit).unwrap()[0];
    repository.merge_base(parent, commit).unwrap();
    repository.is_ancestor(parent, commit).unwrap();
    repository.first_parents(commit, usize::MAX).unwrap();
    repository.anchor(commit, 1).unwrap();
    repository.blob_id_of(b"not there").unwrap();
    let mut worktree = repository.worktree_reader().unwrap();
    worktree.read(&"a.rs".into(), 1_000, &mut content).unwrap();
}

/// A repository whose configuration names a program wherever git takes one; each would leave the file `ran`.
fn booby_trapped() -> (Fixture, PathBuf) {
    let fixture = Fixture::new(
        "//- .gitattributes\n*.x filter=trap diff=trap merge=trap\n//- a.rs\nfn a() {}\n//- b.rs\nfn b() {}\n//- c.x\n1\n",
    );
    fixture.git(&["mv", "b.rs", "renamed.rs"]);
    fixture.write("//- renamed.rs\nfn b() { 1 }\n//- d.x\n1\n2\n");
    fixture.commit("second");
    fixture.write("//- a.rs\nfn changed() {}\n//- new.rs\nfn new() {}\n//- c.x\nchanged\n");
    fixture.delete("renamed.rs");
    let ran = fixture.home().join("ran");
    let trap = format!("touch '{}'", ran.display());
    for key in [
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "diff.trap.textconv",
        "diff.trap.command",
        "diff.external",
        "merge.trap.driver",
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "credential.helper",
        "core.askPass",
        "core.alternateRefsCommand",
        "gpg.program",
        "core.gitProxy",
    ] {
        fixture.git(&["config", key, &trap]);
    }
    fixture.git(&["config", "filter.trap.required", "true"]);
    let hooks = fixture.root().join(".git/hooks");
    let _ = fs::create_dir(&hooks);
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"] {
        fs::write(hooks.join(hook), format!("#!/bin/sh\n{trap}\n")).unwrap();
        let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        fs::set_permissions(hooks.join(hook), mode).unwrap();
    }
    let _ = fs::remove_file(&ran);
    (fixture, ran)
}

#[test]
fn asking_writes_nothing() {
    let (fixture, ran) = booby_trapped();
    let mut before = BTreeMap::new();
    contents(fixture.home(), &mut before);
    ask_everything(&open(fixture.root()));
    let mut after = BTreeMap::new();
    contents(fixture.home(), &mut after);
    let changed: Vec<&PathBuf> =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert!(!ran.exists(), "a configured program was run");
}

#[test]
fn a_read_only_repository_can_be_asked() {
    let (fixture, _) = booby_trapped();
    let objects = fixture.object_count();
    fixture.git(&["config", "--unset-all", "core.fsmonitor"]);
    let mode = |mode| {
        for directory in [".git", ".git/objects", "."] {
            let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode);
            fs::set_permissions(fixture.root().join(directory), mode).unwrap();
        }
    };
    mode(0o555);
    ask_everything(&open(fixture.root()));
    mode(0o755);
    assert_eq!(fixture.object_count(), objects);
}

/// Name of the variable that tells the test below that it is the child of itself.
const CHILD: &str = "ICR_GIT_TEST_REPOSITORY";

#[test]
fn no_program_is_run_not_even_git() {
    if let Some(directory) = std::env::var_os(CHILD) {
        ask_everything(&open(Path::new(&directory)));
        return;
    }
    let (fixture, ran) = booby_trapped();
    let programs = fixture.home().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in ["git", "sh", "bash", "git-lfs", "ssh", "env"] {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n/usr/bin/touch '{}' || /bin/touch '{}'\n", ran.display(), ran.display()))
            .unwrap();
        let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    // The trap works when it is stepped on.
    assert!(Command::new(programs.join("git")).status().unwrap().success() && ran.exists());
    fs::remove_file(&ran).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "outside_world::no_program_is_run_not_even_git"])
        .env(CHILD, fixture.root())
        .env("PATH", &programs)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!ran.exists(), "a program was run");
}

/// Name of the variable that holds what the child below is to find.
const EXPECTED: &str = "ICR_GIT_TEST_EXPECTED";

#[test]
fn the_environment_counts_only_for_the_current_directory() {
    if let (Some(start), Some(expected)) = (std::env::var_os(CHILD), std::env::var_os(EXPECTED)) {
        let repository = open(Path::new(&start));
        let overlay = repository.overlay(&Policy::default(), repository.head().unwrap().tree).unwrap();
        let found = format!("{} {}", repository.git_dir().display(), overlay.entries.len());
        assert_eq!(Some(found.as_str()), expected.to_str());
        return;
    }
    let (here, other) = (Fixture::new("//- a\n1\n"), Fixture::new("//- b\n1\n"));
    let index = other.home().join("index");
    fs::copy(other.root().join(".git/index"), &index).unwrap();
    let check = |start: &str, expected: String| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "outside_world::the_environment_counts_only_for_the_current_directory"])
            .current_dir(here.root())
            .env(CHILD, start)
            .env(EXPECTED, expected)
            .env("GIT_DIR", other.root().join(".git"))
            .env("GIT_WORK_TREE", other.root())
            .env("GIT_INDEX_FILE", &index)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    check(".", format!("{} 0", other.root().join(".git").display()));
    check(here.root().to_str().unwrap(), format!("{} 0", other.root().join(".git").display()));
    let third = Fixture::new("//- c\n1\n//- d\n1\n");
    third.write("//- d\n2\n");
    check(third.root().to_str().unwrap(), format!("{} 1", third.root().join(".git").display()));
}
