//! Finding repositories, and what HEAD and other names stand for.

use std::path::Path;

use icr_fixture::{COMMIT_INTERVAL, FIRST_COMMIT_TIME, Fixture};
use icr_git::{Error, HashKind, Repository, Root};

use crate::show::open;

#[test]
fn a_directory_outside_of_repositories_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let error = Repository::discover(directory.path()).unwrap_err();
    assert!(matches!(error, Error::NotARepository { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("`{}` is not inside a git repository", directory.path().display()));
    let error = Repository::discover(&directory.path().join("gone")).unwrap_err();
    assert!(matches!(error, Error::NotARepository { .. }), "{error:?}");
}

#[test]
fn a_repository_is_found_from_any_place_in_it() {
    let fixture = Fixture::new("//- a/b/c.rs\nfn c() {}\n");
    let git_dir = fixture.root().join(".git");
    for start in ["", "a/b", "a/b/c.rs", ".git", ".git/refs"] {
        let repository = open(&fixture.root().join(start));
        assert_eq!(repository.git_dir(), git_dir, "{start}");
        assert_eq!(repository.worktree_root(), Some(fixture.root()), "{start}");
        assert!(!repository.is_bare() && !repository.is_shallow());
    }
}

#[test]
fn a_bare_repository_has_no_worktree() {
    let fixture = Fixture::generated_bare(3);
    let repository = open(&fixture.root().join("refs"));
    assert_eq!((repository.git_dir(), repository.worktree_root()), (fixture.root(), None));
    assert!(repository.is_bare());
    let head = repository.head().unwrap();
    assert!(repository.overlay(&Default::default(), head.tree).unwrap().entries.is_empty());
    assert!(matches!(repository.worktree_reader().unwrap_err(), Error::NoWorktree { .. }));
}

#[test]
fn linked_worktrees_share_the_common_directory() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    let worktree = fixture.worktree("linked", "HEAD");
    let (main, linked) = (open(fixture.root()), open(&worktree));
    assert_eq!(linked.common_dir(), main.common_dir());
    assert_eq!(linked.git_dir(), fixture.root().join(".git/worktrees/linked"));
    assert_eq!(linked.worktree_root(), Some(worktree.as_path()));
}

#[test]
fn paths_are_free_of_symbolic_links() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    let link = fixture.home().join("link");
    std::os::unix::fs::symlink(fixture.root(), &link).unwrap();
    let repository = open(&link);
    assert_eq!(repository.worktree_root(), Some(fixture.root()));
    assert_eq!(repository.git_dir(), fixture.root().join(".git"));
}

#[test]
fn head_names_commit_tree_time_and_branch() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    let id = fixture.commit("second");
    let head = open(fixture.root()).head().unwrap();
    assert_eq!(head.commit.unwrap().to_string(), id);
    assert_eq!(head.tree.to_string(), fixture.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(head.committer_time, Some((FIRST_COMMIT_TIME + COMMIT_INTERVAL) as i64));
    assert_eq!(head.name.as_deref(), Some("main"));
    fixture.git(&["checkout", "-q", "--detach"]);
    let head = open(fixture.root()).head().unwrap();
    assert_eq!((head.commit.unwrap().to_string(), head.name), (id, None));
}

#[test]
fn an_unborn_branch_is_the_empty_tree() {
    let fixture = Fixture::empty();
    let repository = open(fixture.root());
    let head = repository.head().unwrap();
    assert_eq!((head.commit, head.committer_time, head.name.as_deref()), (None, None, Some("main")));
    assert_eq!(head.tree.to_string(), fixture.git(&["hash-object", "-t", "tree", "/dev/null"]));
    assert_eq!(repository.root().unwrap(), Root::Unborn);
    assert_eq!(repository.tips().unwrap(), []);
    repository.files(head.tree, &mut |file| panic!("{file:?} in the empty tree")).unwrap();
}

#[test]
fn an_open_repository_sees_new_commits() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    let repository = open(fixture.root());
    for message in ["second", "third"] {
        let id = fixture.commit(message);
        assert_eq!(repository.head().unwrap().commit.unwrap().to_string(), id);
    }
    fixture.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(repository.head().unwrap().commit.unwrap().to_string(), fixture.git(&["rev-parse", "main"]));
}

#[test]
fn revisions_resolve_as_in_git() {
    let fixture = Fixture::new("//- src/a.rs\nfn a() {}\n");
    fixture.write("//- src/a.rs\nfn b() {}\n");
    let second = fixture.commit("second");
    fixture.git(&["tag", "light", "HEAD~1"]);
    fixture.git(&["tag", "-a", "-m", "note", "annotated"]);
    fixture.git(&["tag", "-a", "-m", "note on a note", "nested", "annotated"]);
    let repository = open(fixture.root());
    for revision in [
        "HEAD",
        "main",
        "refs/heads/main",
        "HEAD~1",
        "HEAD^",
        "light",
        "annotated",
        "nested",
        &second,
        &second[..7],
        "main@{1}",
    ] {
        let found = repository.resolve(revision).unwrap();
        assert_eq!(found.commit.unwrap().to_string(), fixture.git(&["rev-parse", &format!("{revision}^{{commit}}")]));
        assert_eq!(found.tree.to_string(), fixture.git(&["rev-parse", &format!("{revision}^{{tree}}")]));
        assert_eq!(found.name.as_deref(), Some(revision));
    }
    for revision in [":/seco", "HEAD^{/seco}"] {
        assert_eq!(repository.resolve(revision).unwrap().commit.unwrap().to_string(), second, "{revision}");
    }
}

/// The ids of `revisions` as git and as icr resolves them, each with the revision; empty for an unknown one.
fn resolved(fixture: &Fixture, directory: &Path, revisions: &[&str]) -> [Vec<String>; 2] {
    let repository = open(directory);
    let directory = directory.display().to_string();
    let of_git = |revision: &str| fixture.try_git(&["-C", &directory, "rev-parse", "--verify", "-q", revision]);
    let of_icr = |revision: &str| match repository.resolve(revision) {
        Ok(found) => found.commit.unwrap().to_string(),
        Err(Error::UnknownRevision { .. }) => String::new(),
        Err(error) => panic!("{revision}: {error:?}"),
    };
    let of_git = revisions.iter().map(|revision| format!("{revision} {}", of_git(revision).unwrap_or_default()));
    let of_icr = revisions.iter().map(|revision| format!("{revision} {}", of_icr(revision)));
    [of_git.collect(), of_icr.collect()]
}

#[test]
fn a_reflog_goes_back_to_what_its_oldest_entry_replaced_and_an_empty_one_is_its_ref() {
    let fixture = Fixture::new("//- a\n1\n");
    let revisions = [
        "HEAD@{0}",
        "HEAD@{1}",
        "HEAD@{2}",
        "HEAD@{3}",
        "@{0}",
        "@{1}",
        "@{2}",
        "main@{0}",
        "main@{1}",
        "main@{2}",
        "main@{1}~1",
        "@{1}^",
        "refs/heads/main@{0}",
        "stash@{0}",
        "stash@{1}",
        "stash@{0}^2",
        "stash@{0}~1",
        "origin@{0}",
        "none@{0}",
    ];
    #[track_caller]
    fn check(fixture: &Fixture, revisions: &[&str], known: usize) {
        let [of_git, of_icr] = resolved(fixture, fixture.root(), revisions);
        assert_eq!(of_icr, of_git);
        assert_eq!(of_icr.iter().filter(|line| !line.ends_with(' ')).count(), known, "{of_icr:?}");
    }
    for n in 2..4 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    fixture.write("//- a\nstashed\n");
    fixture.git(&["stash", "-q"]);
    fixture.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    check(&fixture, &revisions, 17);
    fixture.git(&["reflog", "expire", "--expire=now", "--all"]);
    check(&fixture, &revisions, 8);
    fixture.write("//- a\n4\n");
    fixture.commit("4");
    check(&fixture, &revisions, 13);
    fixture.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    check(&fixture, &revisions, 15);
    fixture.delete(".git/logs");
    check(&fixture, &revisions, 1);
}

#[test]
fn entries_of_a_reflog_are_found_by_their_times() {
    let fixture = Fixture::new("//- a\n1\n");
    for n in 2..5 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    let times = fixture.git(&["log", "-g", "--format=%cI", "main"]);
    // On an entry, between two of them, before all and after all.
    let mut revisions: Vec<String> = times.lines().map(|time| format!("main@{{{time}}}")).collect();
    revisions.extend(
        ["now", "yesterday", "1.hour.ago", "2 days ago", "1990-01-01", "2001-01-01 10:00:00 +0000"]
            .map(|time| format!("main@{{{time}}}")),
    );
    revisions.extend(["HEAD@{now}~1".to_owned(), "@{1990-01-01}".to_owned(), "none@{yesterday}".to_owned()]);
    let revisions: Vec<&str> = revisions.iter().map(String::as_str).collect();
    let [of_git, of_icr] = resolved(&fixture, fixture.root(), &revisions);
    assert_eq!(of_icr, of_git);
    assert!(of_icr.iter().filter(|line| !line.ends_with(' ')).count() >= revisions.len() - 1, "{of_icr:?}");
    match open(fixture.root()).resolve("main@{the other day}").unwrap_err() {
        Error::ReflogTime { time } => assert_eq!(time, "the other day"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_commit_at_the_cut_has_no_parents_even_if_they_are_there() {
    let fixture = Fixture::new("//- a\n1\n");
    for n in 2..5 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    fixture.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "merge", "main"]);
    let clone = fixture.clone_to("clone", &[]);
    // The objects before the cut stay, as those that another branch reaches do.
    std::fs::write(clone.join(".git/shallow"), fixture.git(&["rev-parse", "main~1"]) + "\n").unwrap();
    let revisions = [
        "origin/main",
        "origin/main^",
        "origin/main~1",
        "origin/main~1^0",
        "origin/main^^",
        "origin/main~2",
        "origin/main~1^2",
        "origin/main~1~0",
        "origin/main^^{commit}",
        "origin/main^{commit}^^",
        "@^2",
        "@^1^1",
        "@^2~1",
        "@^2^^",
        "HEAD@{0}^2^",
        "HEAD@{0}~2",
        "HEAD^3",
        "HEAD^{/merge}^2~1",
        "HEAD^2^{/3}",
        "HEAD^2^{/2}",
    ];
    let [of_git, of_icr] = resolved(&fixture, &clone, &revisions);
    assert_eq!(of_icr, of_git);
    let unknown: Vec<&str> = of_icr.iter().filter_map(|line| line.strip_suffix(' ')).collect();
    let beyond = [
        "origin/main^^",
        "origin/main~2",
        "origin/main~1^2",
        "origin/main^{commit}^^",
        "@^1^1",
        "@^2^^",
        "HEAD@{0}~2",
        "HEAD^3",
        "HEAD^2^{/2}",
    ];
    assert_eq!(unknown, beyond);
    let many = format!("HEAD{}", "^0".repeat(100));
    assert!(open(&clone).resolve(&many).is_ok());
}

#[test]
fn a_revision_is_a_commit_and_no_part_of_one() {
    let fixture = Fixture::new("//- src/a.rs\nfn a() {}\n//- .aws/credentials\nkey\n");
    fixture.git(&["tag", "-a", "-m", "note", "of-a-tree", "HEAD:src"]);
    fixture.git(&["tag", "of-a-file", "HEAD:src/a.rs"]);
    let repository = open(fixture.root());
    let id = |name: &str| fixture.git(&["rev-parse", name]);
    let (tree, blob) = (id("HEAD:.aws"), id("HEAD:.aws/credentials"));
    for (object, revisions) in [
        ("directory", ["HEAD:src", "HEAD:.aws", "HEAD:", "HEAD^{tree}", &tree, &tree[..9], "of-a-tree", "main^{tree}"]),
        (
            "file",
            [
                "HEAD:src/a.rs",
                ":src/a.rs",
                ":0:src/a.rs",
                "@:src/a.rs",
                &blob,
                &blob[..9],
                "of-a-file",
                "main:src/a.rs",
            ],
        ),
    ] {
        for revision in revisions {
            let error = repository.resolve(revision).unwrap_err().to_string();
            assert_eq!(error, format!("revision `{revision}` names a {object}, not a commit"));
            for range in [format!("{revision}..HEAD"), format!("HEAD...{revision}"), format!("HEAD..{revision}")] {
                let error = repository.resolve_range(&range).unwrap_err();
                assert!(matches!(error.source, Error::NotACommit { .. }), "{range}: {error}");
            }
        }
    }
}

#[test]
fn an_unknown_revision_is_named_with_similar_ones() {
    let fixture = Fixture::new("//- a\n1\n");
    for branch in ["topic", "topics", "feature/parser"] {
        fixture.git(&["branch", branch]);
    }
    let repository = open(fixture.root());
    #[track_caller]
    fn check(repository: &Repository, revision: &str, similar: &[&str]) {
        match repository.resolve(revision).unwrap_err() {
            Error::UnknownRevision { revision: named, similar: found } => {
                assert_eq!(
                    (named.as_str(), found),
                    (revision, similar.iter().map(|name| (*name).to_owned()).collect())
                );
            }
            other => panic!("{other:?}"),
        }
    }
    check(&repository, "topik", &["topic"]);
    check(&repository, "topicz~2", &["topic", "topics"]);
    check(&repository, "feature/praser", &["feature/parser"]);
    for revision in ["", "HEAD~9", "deadbeef", "main..topic", "@{u}", "../x", "a b", "\0"] {
        assert!(matches!(repository.resolve(revision), Err(Error::UnknownRevision { .. })), "{revision:?}");
    }
}

#[test]
fn the_beginning_of_several_ids_is_ambiguous() {
    // Some thirty pairs among so many ids share four digits; fixed contents have fixed ids.
    let fixture = Fixture::empty();
    let blobs: String = (0..2_000).map(|n| format!("blob\ndata {}\n{n}\n", n.to_string().len())).collect();
    fixture.import(blobs.as_bytes());
    let ids = fixture.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    let ids: Vec<&str> = ids.lines().collect();
    let twice = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).map(|pair| &pair[0][..4]);
    let error = open(fixture.root()).resolve(twice.expect("ids of fixed contents are fixed")).unwrap_err();
    assert!(matches!(error, Error::AmbiguousRevision { .. }), "{error:?}");
}

#[test]
fn the_root_is_the_oldest_commit_without_parents() {
    let fixture = Fixture::new("//- a\n1\n");
    let first = fixture.git(&["rev-parse", "HEAD"]);
    fixture.git(&["checkout", "-q", "--orphan", "other"]);
    let second_root = fixture.commit("unrelated");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.commit("second");
    assert_eq!(root(&fixture), first);
    fixture.git(&["checkout", "-q", "other"]);
    assert_eq!(root(&fixture), second_root);
    fixture.git(&["merge", "-q", "--allow-unrelated-histories", "-m", "merge", "main"]);
    assert_eq!(root(&fixture), first);
    fixture.git(&["gc", "-q"]);
    fixture.git(&["commit-graph", "write", "--reachable"]);
    assert_eq!(root(&fixture), first);
}

fn root(fixture: &Fixture) -> String {
    match open(fixture.root()).root().unwrap() {
        Root::Commit(id) => id.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn tips_are_what_keeps_commits_alive() {
    let fixture = Fixture::new("//- a\n1\n");
    let mut expected = vec![fixture.git(&["rev-parse", "HEAD"])];
    fixture.write("//- a\n2\n");
    expected.push(fixture.commit("amended away"));
    fixture.git(&["commit", "-q", "--amend", "-m", "second"]);
    expected.push(fixture.git(&["rev-parse", "HEAD"]));
    let worktree = fixture.worktree("linked", "HEAD~1");
    fixture.git_in(&worktree, &["commit", "-q", "--allow-empty", "-m", "detached"]);
    expected.push(fixture.git_in(&worktree, &["rev-parse", "HEAD"]));
    for content in ["3", "4"] {
        fixture.write(&format!("//- a\n{content}\n"));
        fixture.git(&["stash", "-q"]);
        expected.push(fixture.git(&["rev-parse", "stash"]));
    }
    fixture.git(&["tag", "-a", "-m", "a blob", "on-a-blob", "HEAD:a"]);
    expected.sort();
    for directory in [fixture.root(), &worktree] {
        let tips: Vec<String> = open(directory).tips().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(tips, expected);
    }
    // Packing the refs changes no tip.
    fixture.git(&["pack-refs", "--all"]);
    assert_eq!(open(fixture.root()).tips().unwrap().len(), expected.len());
}

#[test]
fn a_repository_id_is_recorded_once_for_all_worktrees() {
    let fixture = Fixture::new("//- a\n1\n");
    let (main, linked) = (open(fixture.root()), open(&fixture.worktree("linked", "HEAD")));
    assert_eq!(main.recorded_repo_id(), None);
    main.record_repo_id("0123456789abcdef").unwrap();
    linked.record_repo_id("fedcba9876543210").unwrap();
    for repository in [&main, &linked] {
        assert_eq!(repository.recorded_repo_id().as_deref(), Some("0123456789abcdef"));
    }
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    for bad in ["", "0123456789ABCDEF", "0123456789abcde", "../../../etc/pwd"] {
        assert_eq!(main.record_repo_id(bad).unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{bad}");
    }
}

#[test]
fn a_recorded_id_that_is_none_counts_as_nothing_and_is_not_replaced() {
    let fixture = Fixture::new("//- a\n1\n");
    let repository = open(fixture.root());
    let directory = fixture.root().join(".git/icr");
    std::fs::create_dir(&directory).unwrap();
    for text in ["", "0123", "0123456789abcdef0", "0123456789abcdeg\n", "../../home/x"] {
        std::fs::write(directory.join("repo-id"), text).unwrap();
        assert_eq!(repository.recorded_repo_id(), None, "{text}");
        let error = repository.record_repo_id("0123456789abcdef").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{text}");
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "a temporary file was left behind");
    }
    std::fs::remove_dir_all(&directory).unwrap();
    let outside = fixture.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, &directory).unwrap();
    repository.record_repo_id("0123456789abcdef").unwrap_err();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn ids_have_the_length_of_the_hash_kind() {
    assert_eq!(open(Fixture::empty().root()).hash_kind(), HashKind::Sha1);
    assert_eq!(open(Fixture::with_object_format("sha256").root()).hash_kind(), HashKind::Sha256);
}

#[test]
fn a_bad_line_among_packed_refs_is_named_and_loses_no_history() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["branch", "topic"]);
    fixture.git(&["pack-refs", "--all"]);
    let path = fixture.root().join(".git/packed-refs");
    let sound = std::fs::read_to_string(&path).unwrap();
    for bad in ["garbage line\n", "zzzz refs/heads/bad\n", "^notanid\n", "1111"] {
        std::fs::write(&path, format!("{sound}{bad}")).unwrap();
        fixture.try_git(&["for-each-ref"]).unwrap_err();
        let error = open(fixture.root()).tips().unwrap_err();
        let expected = format!(
            "`{}` cannot be read: line 4 is not a ref with an id of the repository's hash function",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
        // Whether a single ref is found depends on where the line is, as in git; it is never said to be unknown.
        for revision in ["topic", "main", "nothing"] {
            match open(fixture.root()).resolve(revision) {
                Ok(found) => assert!(found.commit.is_some()),
                Err(error) => assert!(matches!(error, Error::PackedRefs { .. }), "{revision}: {error:?}"),
            }
        }
        if let Err(error) = open(fixture.root()).head() {
            assert!(matches!(error, Error::PackedRefs { .. }), "{error:?}");
        }
    }
    std::fs::write(&path, &sound).unwrap();
    assert_eq!(open(fixture.root()).tips().unwrap().len(), 1);
}

/// A line of `commits` commits `c0`, `c1`, … on `main`, with the branch `side` from the hundredth, which is newer than all.
fn long_history(commits: usize) -> Fixture {
    let fixture = Fixture::empty();
    let mut stream = String::new();
    let mut commit = |branch: &str, mark: usize, message: &str, from: &str| {
        let length = message.len();
        stream += &format!(
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter F <f@x> {mark} +0000\ndata {length}\n{message}\n{from}\n"
        );
    };
    for at in 0..commits {
        commit("main", at + 1, &format!("c{at} of the line"), "");
    }
    commit("side", commits + 1, "Aside, !really", "from :100\n");
    fixture.import(stream.as_bytes());
    fixture
}

#[test]
fn walks_over_history_lead_where_they_do_in_git() {
    let fixture = long_history(400);
    let repository = open(fixture.root());
    for revision in [
        "main~101",
        "main~399",
        "main~150~150",
        "main~0101^{/c2}~2",
        ":/c2",
        ":/of the line",
        ":/Aside",
        ":/!-Aside",
        ":/!!really",
        ":/^c2",
        ":/c3?7 .*line$",
        "main^{/c(11|12) }",
        "main^{/^[^1-9]*3[[:digit:]] }",
        "main^{/c7 }",
        "side^{/of the line}",
        "main~200^{/c1 of}^{/c}",
        "main^{/!-c3}^{commit}",
    ] {
        let found = repository.resolve(revision).unwrap();
        assert_eq!(found.commit.unwrap().to_string(), fixture.git(&["rev-parse", revision]), "{revision}");
        assert_eq!(found.name.as_deref(), Some(revision));
    }
    let (long, many) = ("x".repeat(5_000), format!("main{}", "^{/c}".repeat(17)));
    assert!(repository.resolve(&many[..many.len() - 5]).is_ok());
    for revision in [&long, &many] {
        let error = repository.resolve(revision).unwrap_err();
        assert!(matches!(&error, Error::UnknownRevision { revision: named, .. } if named == revision), "{error:?}");
    }
    for revision in [
        "main~400",
        "main~4000000000",
        ":/nowhere",
        "main^{/Aside}",
        "gone~200",
        "main^{/c7 }~9000",
        ":/!x",
        "main^!",
        "main^@",
        "main^-",
    ] {
        assert!(fixture.try_git(&["rev-parse", "--verify", revision]).is_err(), "{revision}");
        let error = repository.resolve(revision).unwrap_err();
        assert!(matches!(&error, Error::UnknownRevision { revision: named, .. } if named == revision), "{error:?}");
    }
}

#[test]
fn walks_over_history_end_when_nobody_waits_for_them() {
    let fixture = long_history(400);
    let repository = open(fixture.root());
    let commit = |revision: &str| repository.resolve(revision).unwrap().commit.unwrap();
    let (main, first) = (commit("main"), commit("main~399"));
    let is_interrupted = |result: Result<(), Error>| matches!(result, Err(Error::Interrupted));
    type Work<'a> = &'a dyn Fn() -> Result<(), Error>;
    let works: [(&str, Work<'_>); 6] = [
        ("text", &|| repository.resolve(":/nowhere").map(drop)),
        ("text before", &|| repository.resolve("main^{/nowhere}").map(drop)),
        ("generations", &|| repository.resolve("main~399").map(drop)),
        ("merge base", &|| repository.merge_base(main, first).map(drop)),
        ("first parents", &|| repository.first_parents(main, 400).map(drop)),
        ("range", &|| repository.resolve_range(":/nowhere..main").map(drop).map_err(|error| error.source)),
    ];
    for (name, work) in works {
        // After so many looks nobody waits any more.
        let looks = std::cell::Cell::new(0);
        let is_over = move || looks.replace(looks.get() + 1) >= 50;
        assert!(is_interrupted(icr_git::interruptible(is_over, work)), "{name}");
        assert!(!is_interrupted(work()), "{name}: it goes on where nobody says otherwise");
    }
}
