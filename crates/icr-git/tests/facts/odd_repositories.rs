//! Repositories that are not as most are: each works, or says what it lacks.

use std::collections::HashSet;
use std::path::Path;

use icr_fixture::Fixture;
use icr_git::{Error, FileKind, KnownCommit, Policy, Repository, Root};
use icr_model::CommitId;

use crate::show::{check_overlay, head_tree, open, overlay_at, show};

#[test]
fn a_shallow_clone_says_so_and_its_cut_hides_only_changes() {
    let fixture = Fixture::new("//- a\n1\n");
    for n in 2..5 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    let repository = open(&fixture.clone_to("shallow", &["--depth=2"]));
    assert!(repository.is_shallow());
    assert_eq!(repository.root().unwrap(), Root::Shallow);
    let head = repository.head().unwrap().commit.unwrap();
    let parent = open(fixture.root()).resolve("HEAD~1").unwrap().commit.unwrap();
    let known = |id: CommitId| {
        // Another clone may know the commit at the cut and what comes before it.
        let parents = vec!["1".repeat(40).parse().unwrap()];
        let known = KnownCommit { parents, committer_time: 0, with_history: true };
        Ok::<_, Error>((id == parent).then_some(known))
    };
    let history = repository.history(&[head], usize::MAX, known).unwrap();
    assert!(history.meets_cut && !history.is_whole());
    let found: Vec<_> = history
        .into_read()
        .map(|facts| (facts.message.trim_end().to_owned(), facts.parents.len(), facts.changes.map(|all| all.len())))
        .collect();
    assert_eq!(found, [("4".to_owned(), 1, Some(1)), ("3".to_owned(), 1, None)]);
    let tips = repository.tips().unwrap();
    repository.prune_reachable(&tips, &mut HashSet::from(["1".repeat(40).parse().unwrap()])).unwrap();
    assert_eq!(overlay_at(repository.worktree_root().unwrap()), "");
}

#[test]
fn blobs_that_a_partial_clone_lacks_are_named() {
    let fixture = Fixture::new("//- a.rs\nold\n//- moved.rs\n1\n2\n3\n4\n");
    let old = fixture.git(&["rev-parse", "HEAD:a.rs"]);
    fixture.write("//- a.rs\nnew\n//- to.rs\n1\n2\n3\n5\n");
    fixture.delete("moved.rs");
    fixture.commit("second");
    let clone = fixture.clone_to("partial", &["--filter=blob:none"]);
    let objects = fixture.object_count_in(&clone);
    let repository = open(&clone);
    let error = repository.reader().read(old.parse().unwrap(), &mut Vec::new()).unwrap_err();
    assert!(matches!(&error, Error::MissingObject { id } if *id == old), "{error:?}");
    // Trees are there, so that history is known but for renames with edits, whose contents are not.
    let head = repository.head().unwrap().commit.unwrap();
    let history = repository.history(&[head], usize::MAX, |_| Ok::<_, Error>(None)).unwrap();
    assert!(history.is_whole());
    let changed: Vec<usize> = history.into_read().map(|facts| facts.changes.unwrap().len()).collect();
    assert_eq!(changed, [3, 2]);
    assert_eq!(overlay_at(&clone), "");
    assert_eq!(fixture.object_count_in(&clone), objects, "something was fetched");
}

#[test]
fn trees_that_a_partial_clone_lacks_hide_changes() {
    let fixture = Fixture::new("//- d/a.rs\nold\n");
    fixture.write("//- d/a.rs\nnew\n");
    fixture.commit("second");
    let repository = open(&fixture.clone_to("treeless", &["--filter=tree:0"]));
    let head = repository.head().unwrap().commit.unwrap();
    let history = repository.history(&[head], usize::MAX, |_| Ok::<_, Error>(None)).unwrap();
    assert!(!history.is_whole());
    let known: Vec<bool> = history.into_read().map(|facts| facts.changes.is_some()).collect();
    assert_eq!(known, [false, false]);
}

#[test]
fn outside_of_a_sparse_checkout_the_index_counts() {
    let fixture = Fixture::new("//- in/a.rs\n1\n//- out/b.rs\n1\n//- out/deep/c.rs\n1\n//- top.rs\n1\n");
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        fixture.git(&["sparse-checkout", "set", "--cone", sparse_index, "in"]);
        assert!(!fixture.root().join("out").exists());
        check_overlay(&fixture, "");
        fixture.write("//- in/a.rs\nchanged\n//- out/b.rs\nthere again\n//- out/new.rs\nnew\n");
        check_overlay(&fixture, "in/a.rs = changed\\n\nout/b.rs = there again\\n\nout/new.rs = new\\n");
        let repository = open(fixture.root());
        let empty = fixture.git(&["hash-object", "-t", "tree", "/dev/null"]).parse().unwrap();
        let all = show(&repository.overlay(&Policy::default(), empty).unwrap());
        let paths: Vec<&str> = all.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(paths, ["in/a.rs", "out/b.rs", "out/deep/c.rs", "out/new.rs", "top.rs"], "{sparse_index}");
        fixture.delete("out");
        fixture.git(&["checkout", "-q", "--", "in"]);
    }
}

#[test]
fn submodules_are_entries_of_trees_and_nothing_else() {
    let library = Fixture::new("//- lib.rs\nfn lib() {}\n");
    let fixture = Fixture::new("//- a.rs\n1\n");
    let url = format!("file://{}", library.root().display());
    fixture.git(&["submodule", "--quiet", "add", &url, "lib"]);
    fixture.commit("submodule");
    let repository = open(fixture.root());
    let mut found = Vec::new();
    repository.files(head_tree(&repository), &mut |file| found.push((file.path.to_string(), file.kind))).unwrap();
    assert_eq!(
        found,
        [
            (".gitmodules".to_owned(), FileKind::Regular),
            ("a.rs".to_owned(), FileKind::Regular),
            ("lib".to_owned(), FileKind::Submodule)
        ]
    );
    fixture.write("//- lib/lib.rs\nchanged\n//- lib/new.rs\nnew\n");
    check_overlay(&fixture, "");
    assert_eq!(open(&fixture.root().join("lib")).worktree_root(), Some(fixture.root().join("lib").as_path()));
    fixture.delete("lib");
    check_overlay(&fixture, "");
}

#[test]
fn sha_256_works_throughout() {
    let fixture = Fixture::with_object_format("sha256");
    fixture.write("//- a.rs\nold\n//- d/b.rs\n1\n");
    fixture.commit("first");
    fixture.write("//- a.rs\nnew\n");
    fixture.commit("second");
    fixture.git(&["gc", "-q"]);
    let repository = open(fixture.root());
    let diff = |old: &str, new: &str| {
        let tree = |revision: &str| repository.resolve(revision).unwrap().tree;
        repository.tree_diff(tree(old), tree(new)).unwrap().len()
    };
    assert_eq!((diff("HEAD~1", "HEAD"), diff("HEAD", "HEAD")), (1, 0));
    let id = fixture.git(&["rev-parse", "HEAD"]);
    for digits in [7, 12, 40, 63, 64] {
        assert_eq!(diff(&id[..digits], "HEAD"), 0, "{digits} digits");
    }
    assert!(
        matches!(repository.root().unwrap(), Root::Commit(id) if id.to_string() == fixture.git(&["rev-parse", "HEAD~1"]))
    );
    assert_eq!(repository.tips().unwrap().len(), 2);
    let mut out = Vec::new();
    repository.reader().read(fixture.git(&["rev-parse", "HEAD:a.rs"]).parse().unwrap(), &mut out).unwrap();
    assert_eq!(out, b"new\n");
    check_overlay(&fixture, "");
    fixture.write("//- d/b.rs\nchanged\n");
    check_overlay(&fixture, "d/b.rs = changed\\n");
}

#[test]
fn formats_that_icr_cannot_read_are_named() {
    let reftable = Fixture::with_format(&["--ref-format=reftable"]);
    let fixture = Fixture::new("//- a\n1\n");
    let linked = fixture.worktree("linked", "HEAD");
    #[track_caller]
    fn check(directory: &Path, feature: &str) {
        let error = Repository::discover(directory).unwrap_err();
        assert!(matches!(&error, Error::Unsupported { feature: named, .. } if named == feature), "{error:?}");
    }
    check(reftable.root(), "extensions.refstorage=reftable");
    fixture.git(&["config", "core.repositoryFormatVersion", "1"]);
    open(fixture.root());
    fixture.git(&["config", "extensions.futureThing", "yes"]);
    check(fixture.root(), "extensions.futureThing=yes");
    std::fs::write(fixture.root().join(".git/config"), "[core]\n\trepositoryFormatVersion = 9\n").unwrap();
    check(fixture.root(), "core.repositoryFormatVersion=9");
    check(&linked, "core.repositoryFormatVersion=9");
}

#[test]
fn a_damaged_configuration_is_no_panic() {
    let fixture = Fixture::new("//- a\n1\n");
    for damage in
        ["[core", "[core]\n\tbare = maybe\n\tworktree =\n", "\0\u{feff}[[[", "[core]\n\trepositoryFormatVersion = x\n"]
    {
        std::fs::write(fixture.root().join(".git/config"), damage).unwrap();
        if let Err(error) = Repository::discover(fixture.root()) {
            assert!(matches!(error, Error::Open { .. }), "{damage:?}: {error:?}");
        }
    }
}

#[test]
fn a_packed_repository_with_a_detached_head_works() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["tag", "v1"]);
    fixture.write("//- a\n2\n");
    fixture.commit("second");
    fixture.git(&["checkout", "-q", "--detach"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    fixture.git(&["pack-refs", "--all"]);
    let repository = open(fixture.root());
    assert_eq!(repository.resolve("v1").unwrap().commit, repository.resolve("HEAD~1").unwrap().commit);
    assert_eq!(repository.tips().unwrap().len(), 2);
    assert_eq!(repository.head().unwrap().name, None);
}

#[test]
fn objects_of_another_repository_are_read_through_alternates() {
    let fixture = Fixture::new("//- a\n1\n");
    let clone = fixture.home().join("shared");
    fixture.git(&["clone", "-q", "--shared", fixture.root().to_str().unwrap(), clone.to_str().unwrap()]);
    let mut out = Vec::new();
    open(&clone).reader().read(fixture.git(&["rev-parse", "HEAD:a"]).parse().unwrap(), &mut out).unwrap();
    assert_eq!(out, b"1\n");
}

/// The list of directories of objects that the repository at `root` reads besides its own.
fn alternates(root: &Path) -> std::path::PathBuf {
    root.join(".git/objects/info/alternates")
}

#[test]
fn lists_of_objects_that_name_each_other_are_read_as_git_reads_them() {
    let fixture = Fixture::new("//- a\n1\n");
    let clone = fixture.home().join("shared");
    fixture.git(&["clone", "-q", "--shared", fixture.root().to_str().unwrap(), clone.to_str().unwrap()]);
    let own = fixture.root().join(".git/objects");
    let others = clone.join(".git/objects");
    let lists = ["../objects".to_owned(), own.display().to_string(), others.display().to_string()];
    let blob = fixture.git(&["rev-parse", "HEAD:a"]).parse().unwrap();
    for list in lists {
        std::fs::write(alternates(fixture.root()), list + "\n").unwrap();
        for root in [fixture.root(), &clone] {
            let repository = open(root);
            let mut out = Vec::new();
            repository.reader().read(blob, &mut out).unwrap();
            assert_eq!((out.as_slice(), repository.head().unwrap().commit.is_some()), (&b"1\n"[..], true));
            // What is added and packed later is there as well.
            fixture.write("//- a\n2\n");
            let second = fixture.commit("second");
            assert_eq!(repository.resolve(&second).unwrap().commit.unwrap().to_string(), second);
            fixture.git(&["repack", "-q", "-a", "-d", "-l"]);
            assert_eq!(repository.resolve(&second).unwrap().commit.unwrap().to_string(), second);
            fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
        }
    }
}

#[test]
fn a_list_of_very_many_objects_is_refused_by_name() {
    let fixture = Fixture::new("//- a\n1\n");
    std::fs::write(alternates(fixture.root()), "/nowhere/objects\n".repeat(10_000)).unwrap();
    let error = Repository::discover(fixture.root()).unwrap_err().to_string();
    let list = alternates(fixture.root());
    let expected = format!("`{}` names more than 256 directories, with those that these name", list.display());
    assert_eq!(error, expected);
}

#[test]
fn a_configuration_that_includes_very_many_files_is_refused_by_name() {
    let fixture = Fixture::new("//- a\n1\n");
    let config = fixture.root().join(".git/config");
    let many = |level: usize| format!("[include]\n{}", format!("\tpath = level-{level}\n").repeat(10));
    for level in 0..6 {
        std::fs::write(fixture.root().join(format!(".git/level-{level}")), many(level + 1)).unwrap();
    }
    let before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, before + &many(0)).unwrap();
    let error = Repository::discover(fixture.root()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{}` includes more than 1,000 files", config.display())), "{error}");
}

#[test]
fn a_configuration_that_would_take_a_gigabyte_of_memory_is_refused_by_name() {
    let fixture = Fixture::new("//- a\n1\n");
    let config = fixture.root().join(".git/config");
    let before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, before + "[a]\n" + &"b=c\n".repeat(3_900_000)).unwrap();
    let bytes = std::fs::metadata(&config).unwrap().len();
    let error = Repository::discover(fixture.root()).unwrap_err().to_string();
    let path = config.display();
    assert_eq!(error, format!("`{path}` has {bytes} bytes, and icr reads such a file only up to 1 MiB"));
}

#[test]
fn refs_of_another_hash_function_than_the_configuration_names_are_named() {
    let fixture = Fixture::new("//- a\n1\n");
    let config = fixture.root().join(".git/config");
    let before = std::fs::read_to_string(&config).unwrap();
    let as_sha256 = before.clone() + "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n";
    std::fs::write(&config, &as_sha256).unwrap();
    let said = || open(fixture.root()).head().unwrap_err().to_string();
    let of_branch = fixture.root().join(".git/refs/heads/main");
    assert!(said().starts_with(&format!("`{}` holds no id of SHA-256", of_branch.display())), "{}", said());
    std::fs::write(&config, &before).unwrap();
    fixture.git(&["pack-refs", "--all"]);
    std::fs::write(&config, &as_sha256).unwrap();
    let packed = fixture.root().join(".git/packed-refs");
    assert_eq!(
        said(),
        format!(
            "`{}` cannot be read: line 2 is not a ref with an id of the repository's hash function",
            packed.display()
        )
    );
}
