//! How commits are related, against `git merge-base`.

use icr_fixture::Fixture;
use icr_git::{Ancestry, Error, LineEnd, MergeBase, Repository};
use icr_model::CommitId;

use crate::show::open;

fn id(repository: &Repository, revision: &str) -> CommitId {
    repository.resolve(revision).unwrap().commit.unwrap()
}

/// Commits as `name parent parent … @time`, one a line, each on a branch of its name; several may have no parents.
fn history(commits: &str) -> Fixture {
    let fixture = Fixture::empty();
    let mut stream = String::new();
    for line in commits.lines() {
        let (names, time) = line.split_once(" @").unwrap();
        let mut names = names.split(' ');
        let name = names.next().unwrap();
        stream += &format!("commit refs/heads/{name}\ncommitter F <f@x> {time} +0000\ndata {}\n{name}\n", name.len());
        for (at, parent) in names.enumerate() {
            stream += &format!("{} refs/heads/{parent}\n", if at == 0 { "from" } else { "merge" });
        }
        stream += &format!("M 100644 inline {name}\ndata 0\n\n");
    }
    fixture.import(stream.as_bytes());
    fixture
}

/// Checks all pairs of branches against git.
#[track_caller]
fn check_all_pairs(fixture: &Fixture) {
    let repository = open(fixture.root());
    let names = fixture.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let names: Vec<&str> = names.lines().collect();
    for a in &names {
        let others: Vec<&str> = names.iter().filter(|name| *name != a).copied().collect();
        let other_ids: Vec<CommitId> = others.iter().map(|other| id(&repository, other)).collect();
        let expected = match fixture.try_git(&[&["merge-base", a], &others[..]].concat()) {
            Ok(base) => MergeBase::Base(base.parse().unwrap()),
            Err(_) => MergeBase::Unrelated,
        };
        let found = repository.merge_base_with_any(id(&repository, a), &other_ids).unwrap();
        assert_eq!(found, expected, "{a} and all others");
        for b in &names {
            let found = repository.merge_base(id(&repository, a), id(&repository, b)).unwrap();
            let expected = match fixture.try_git(&["merge-base", a, b]) {
                Ok(base) => MergeBase::Base(base.parse().unwrap()),
                Err(_) => MergeBase::Unrelated,
            };
            assert_eq!(found, expected, "{a} {b}");
            let found = repository.is_ancestor(id(&repository, a), id(&repository, b)).unwrap();
            let is_ancestor = fixture.try_git(&["merge-base", "--is-ancestor", a, b]).is_ok();
            assert_eq!(found, if is_ancestor { Ancestry::Yes } else { Ancestry::No }, "{a} {b}");
        }
    }
}

#[test]
fn a_base_is_found_along_lines_and_merges() {
    check_all_pairs(&history("r @1\nx r @2\na x @3\nb x @4\nm a b @5\nn b @6\nz m n @7\n"));
}

#[test]
fn of_the_bases_of_criss_cross_merges_the_newest_is_given() {
    let commits = "r @1\na r @2\nb r @3\nx a b @4\ny b a @5\nx2 x y @6\ny2 y x @7\n";
    let fixture = history(commits);
    check_all_pairs(&fixture);
    let repository = open(fixture.root());
    let base = |a: &str, b: &str| repository.merge_base(id(&repository, a), id(&repository, b)).unwrap();
    assert_eq!([base("x", "y"), base("y", "x")], [MergeBase::Base(id(&repository, "b")); 2]);
    assert_eq!(base("x2", "y2"), MergeBase::Base(id(&repository, "y")));
    // The same with one time for all, so that only the order of the visit is left to decide.
    check_all_pairs(&history("r @1\na r @1\nb r @1\nx a b @1\ny b a @1\nx2 x y @1\ny2 y x @1\n"));
}

#[test]
fn a_clock_that_went_backwards_changes_nothing() {
    check_all_pairs(&history("r @9\nx r @3\na x @8\nb x @2\nc a @1\nm c b @5\nn x @7\no n a @4\n"));
    // `x` is visited as a common ancestor before `y`, which comes after it.
    check_all_pairs(&history("r @1\nx r @100\np x @3\ny p @2\na x y @150\nb x y @160\n"));
    // `x` is visited as a common ancestor before `y`, which is newer.
    check_all_pairs(&history("r @1\nx r @50\ny r @90\nu y @10\na x u @100\nb x y @101\n"));
}

#[test]
fn random_histories_are_those_of_git() {
    // A linear congruential generator with the constants of Numerical Recipes: the same histories in every run.
    let mut state = 11_u32;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for round in 0..3 {
        let mut commits = String::new();
        for n in 0..11 {
            let mut parents: Vec<usize> =
                (0..n).filter(|parent| next(n) < 2 || (parent + 1 == n && next(3) > 0)).collect();
            parents.truncate(3);
            let parents: String = parents.iter().map(|parent| format!(" c{parent}")).collect();
            // First clocks that agree, then some that do not, then one time for many.
            let time = [n + 1, next(20) + 1, n / 5 + 1][round];
            commits += &format!("c{n}{parents} @{time}\n");
        }
        check_all_pairs(&history(&commits));
    }
}

#[test]
fn histories_without_a_common_commit_are_unrelated() {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["checkout", "-q", "--orphan", "other"]);
    fixture.commit("another root");
    let repository = open(fixture.root());
    let (main, other) = (id(&repository, "main"), id(&repository, "other"));
    assert_eq!(repository.merge_base(main, other).unwrap(), MergeBase::Unrelated);
    assert_eq!(repository.merge_base(main, main).unwrap(), MergeBase::Base(main));
    assert_eq!(repository.is_ancestor(main, other).unwrap(), Ancestry::No);
    assert_eq!(repository.is_ancestor(main, main).unwrap(), Ancestry::Yes);
}

/// A branch of three commits and one of two that left it at its first.
fn forked() -> Fixture {
    let fixture = Fixture::new("//- a\n1\n");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- b\n1\n");
    fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    for n in 2..4 {
        fixture.write(&format!("//- a\n{n}\n"));
        fixture.commit(&n.to_string());
    }
    fixture
}

#[test]
fn what_lies_beyond_the_cut_of_a_shallow_clone_is_not_unrelated() {
    let fixture = forked();
    let repository = open(&fixture.clone_to("shallow", &["--depth=1", "--no-single-branch"]));
    let (main, side) = (id(&repository, "HEAD"), id(&repository, "origin/side"));
    assert_eq!(repository.merge_base(main, side).unwrap(), MergeBase::CutOff);
    assert_eq!(repository.merge_base(main, main).unwrap(), MergeBase::Base(main));
    assert_eq!(repository.is_ancestor(side, main).unwrap(), Ancestry::CutOff);
    assert_eq!(repository.is_ancestor(main, main).unwrap(), Ancestry::Yes);
    let parent = fixture.git(&["rev-parse", "main~1"]).parse().unwrap();
    assert_eq!(repository.parents(main).unwrap(), [parent]);
    assert!(repository.parents(parent).unwrap_err().is_missing_object());
    assert!(repository.merge_base(main, parent).unwrap_err().is_missing_object());
    let line = repository.first_parents(main, 10).unwrap();
    assert_eq!((line.commits.as_slice(), line.end), (&[main][..], LineEnd::Cut));
    assert_eq!(repository.anchor(main, 1).unwrap(), None);
}

#[test]
fn a_cut_that_no_answer_depends_on_is_not_mentioned() {
    let fixture = forked();
    let repository = open(&fixture.clone_to("shallow", &["--depth=2", "--no-single-branch"]));
    let (main, side) = (id(&repository, "HEAD"), id(&repository, "origin/side"));
    let before = id(&repository, "HEAD~1");
    assert_eq!(repository.merge_base(main, before).unwrap(), MergeBase::Base(before));
    assert_eq!(repository.is_ancestor(before, main).unwrap(), Ancestry::Yes);
    // What comes before `before` is cut off, and still `main` cannot be there.
    assert_eq!(repository.is_ancestor(main, before).unwrap(), Ancestry::No);
    // The side branch is known to its root, which is the first commit, but that of the main branch is cut off.
    assert_eq!(repository.first_parents(side, 10).unwrap().end, LineEnd::Root);
    assert_eq!(repository.merge_base(main, side).unwrap(), MergeBase::CutOff);
    assert_eq!(repository.is_ancestor(main, side).unwrap(), Ancestry::No);
    assert_eq!(repository.is_ancestor(side, main).unwrap(), Ancestry::CutOff);
    assert_eq!(repository.anchor(side, 1).unwrap(), None);
}

#[test]
fn outside_of_a_cut_a_missing_parent_is_an_error() {
    let fixture = forked();
    let parent = fixture.git(&["rev-parse", "main~1"]);
    std::fs::remove_file(fixture.root().join(".git/objects").join(&parent[..2]).join(&parent[2..])).unwrap();
    let repository = open(fixture.root());
    let (main, side) = (id(&repository, "main"), id(&repository, "side"));
    let is_named = |error: Error| matches!(error, Error::MissingObject { id } if id == parent);
    assert!(is_named(repository.merge_base(main, side).unwrap_err()));
    assert!(is_named(repository.is_ancestor(side, main).unwrap_err()));
    assert!(is_named(repository.first_parents(main, 10).unwrap_err()));
    assert!(is_named(repository.anchor(main, 1).unwrap_err()));
    assert_eq!(repository.parents(main).unwrap(), [parent.parse().unwrap()]);
    let of_another_kind: CommitId = "0".repeat(64).parse().unwrap();
    assert!(repository.merge_base(side, of_another_kind).unwrap_err().is_missing_object());
    assert!(repository.parents(of_another_kind).unwrap_err().is_missing_object());
    let tree: CommitId = fixture.git(&["rev-parse", "side^{tree}"]).parse().unwrap();
    assert!(matches!(repository.parents(tree), Err(Error::CorruptObject { .. })));
}

#[test]
fn parents_come_in_order() {
    let fixture = history("a @1\nb @2\nc @3\nm b a c @4\n");
    let repository = open(fixture.root());
    let expected = ["b", "a", "c"].map(|name| id(&repository, name));
    assert_eq!(repository.parents(id(&repository, "m")).unwrap(), expected);
    assert_eq!(repository.parents(expected[0]).unwrap(), []);
}

/// A line of `length` commits named `c1`, `c2` and so on, each of which merges a side branch of its own.
fn line_with_merges(length: usize) -> Fixture {
    let mut commits = String::from("c1 @1\n");
    for n in 2..=length {
        commits += &format!("s{n} c{} @{n}\nc{n} c{} s{n} @{n}\n", n - 1, n - 1);
    }
    history(&commits)
}

#[test]
fn first_parents_are_those_of_git_log() {
    let fixture = line_with_merges(6);
    let repository = open(fixture.root());
    let line = repository.first_parents(id(&repository, "c6"), usize::MAX).unwrap();
    let shown: Vec<String> = line.commits.iter().map(ToString::to_string).collect();
    assert_eq!(shown.join("\n"), fixture.git(&["rev-list", "--first-parent", "c6"]));
    assert_eq!(line.end, LineEnd::Root);
    let end = |limit: usize| {
        let line = repository.first_parents(id(&repository, "c6"), limit).unwrap();
        (line.commits.len(), line.end)
    };
    assert_eq!([end(0), end(5), end(6)], [(0, LineEnd::Limit), (5, LineEnd::Limit), (6, LineEnd::Root)]);
}

#[test]
fn anchors_stand_at_multiples_of_the_spacing() {
    let fixture = line_with_merges(12);
    let repository = open(fixture.root());
    #[track_caller]
    fn check(repository: &Repository, head: &str, spacing: u32, expected: Option<&str>) {
        let found = repository.anchor(id(repository, head), spacing).unwrap();
        assert_eq!(found, expected.map(|name| id(repository, name)), "{head} {spacing}");
    }
    // `c1` is the root, at distance 0, so that `c5` is at distance 4.
    for (head, anchor) in [
        ("c1", None),
        ("c4", None),
        ("c5", Some("c5")),
        ("c6", Some("c5")),
        ("s6", Some("c5")),
        ("c8", Some("c5")),
        ("c9", Some("c9")),
        ("c12", Some("c9")),
    ] {
        check(&repository, head, 4, anchor);
    }
    check(&repository, "c1", 1, None);
    check(&repository, "c7", 1, Some("c7"));
    check(&repository, "c12", 11, Some("c12"));
    check(&repository, "c12", 12, None);
    check(&repository, "c12", u32::MAX, None);
    check(&repository, "c12", 0, None);
}

#[test]
fn a_commit_graph_file_is_not_believed() {
    let fixture = line_with_merges(12);
    fixture.git(&["branch", "-f", "main", "c8"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    let graph = fixture.root().join(".git/objects/info/commit-graph");
    let _ = std::fs::remove_file(&graph);
    let without: Vec<_> = all_bases(&fixture);
    // The file of another history, whose commits have these names but other parents.
    fixture.git(&["commit-graph", "write", "--reachable"]);
    let permissions = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o644);
    std::fs::set_permissions(&graph, permissions).unwrap();
    let whole = std::fs::read(&graph).unwrap();
    let no_parents = without_parents(&whole);
    assert_ne!(whole, no_parents);
    for text in [&no_parents[..], b"", b"CGPH", &whole[..whole.len() / 2]] {
        std::fs::write(&graph, text).unwrap();
        assert_eq!(all_bases(&fixture), without);
        let head = open(fixture.root()).resolve("c12").unwrap().commit.unwrap();
        let line = open(fixture.root()).first_parents(head, usize::MAX).unwrap();
        assert_eq!((line.commits.len(), line.end), (12, LineEnd::Root));
    }
    // Nor is a chain of such files opened.
    std::fs::remove_file(&graph).unwrap();
    let chain = fixture.root().join(".git/objects/info/commit-graphs");
    std::fs::create_dir_all(&chain).unwrap();
    let made = std::process::Command::new("mkfifo").arg(chain.join("commit-graph-chain")).status().unwrap();
    assert!(made.success());
    assert_eq!(all_bases(&fixture), without);
}

/// The commit-graph file `whole` (gitformat-commit-graph(5)) with all commits without parents, and its checksum made again
/// by nobody: gix does not check it.
fn without_parents(whole: &[u8]) -> Vec<u8> {
    let chunks_total = usize::from(whole[6]);
    let row = |number: usize| &whole[8 + 12 * number..20 + 12 * number];
    let offset = |row: &[u8]| u64::from_be_bytes(row[4..12].try_into().unwrap()) as usize;
    let data = (0..chunks_total).find(|number| &row(*number)[..4] == b"CDAT").unwrap();
    let (start, end) = (offset(row(data)), offset(row(data + 1)));
    let mut text = whole.to_vec();
    // Each commit: the tree, both parents, and eight bytes of generation and time.
    for commit in text[start..end].chunks_mut(36) {
        for parent in commit[20..28].chunks_mut(4) {
            parent.copy_from_slice(&0x7000_0000_u32.to_be_bytes());
        }
    }
    text
}

fn all_bases(fixture: &Fixture) -> Vec<MergeBase> {
    let repository = open(fixture.root());
    let names: Vec<String> = (2..=12).flat_map(|n| [format!("c{n}"), format!("s{n}")]).collect();
    let ids: Vec<CommitId> = names.iter().map(|name| id(&repository, name)).collect();
    ids.iter().flat_map(|a| ids.iter().map(|b| repository.merge_base(*a, *b).unwrap())).collect()
}
