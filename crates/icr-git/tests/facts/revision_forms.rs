//! Forms of revisions, each as `git rev-parse` reads it. Git 2.47 finds the oldest match of `:/text`, so that only patterns
//! with one match are compared.

use std::path::Path;

use icr_fixture::Fixture;
use icr_git::Error;

use crate::show::open;

/// A repository with the things that revisions name: merges, tags of all kinds of objects, odd names of refs, an
/// upstream, a stash, a second worktree, a conflict-free index.
fn named() -> Fixture {
    let fixture = Fixture::new("//- src/a.rs\nfn a() {}\n//- b\n1\n");
    fixture.commit("Second: the gate (v2) {x}");
    fixture.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    fixture.write("//- c\n1\n");
    fixture.commit("side: a+b [c] a..b");
    fixture.git(&["checkout", "-q", "-b", "third"]);
    fixture.commit("third\n\nThe body says harbour.");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "Merge side", "side"]);
    for n in 0..6 {
        fixture.write(&format!("//- b\n{n}\n"));
        fixture.commit(&format!("step {n}"));
    }
    for (name, of) in [
        ("light", "HEAD~2"),
        ("of-tree", "HEAD^{tree}"),
        ("of-file", "HEAD:b"),
        ("v1.0", "HEAD~4"),
        ("side-tag", "side"),
        ("both", "HEAD~3"),
        ("HEAD", "HEAD~5"),
    ] {
        fixture.git(&["update-ref", &format!("refs/tags/{name}"), &fixture.git(&["rev-parse", of])]);
    }
    fixture.git(&["tag", "-a", "-m", "note", "annotated", "HEAD~1"]);
    fixture.git(&["tag", "-a", "-m", "note of a note", "nested", "annotated"]);
    fixture.git(&["tag", "-a", "-m", "note", "of-tree-annotated", "HEAD:src"]);
    for branch in ["both", "feature/x", "a-b.c", "ünï", "deadbee", "1234567", "v1.0-3-gabc", "at@x", "side^0x"] {
        let _ = fixture.try_git(&["branch", branch, "HEAD~1"]);
    }
    fixture.git(&["update-ref", "refs/remotes/origin/main", "HEAD~2"]);
    fixture.git(&["update-ref", "refs/remotes/origin/topic", "HEAD~3"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    fixture.git(&["update-ref", "refs/other/place", "HEAD~4"]);
    fixture.git(&["config", "remote.origin.url", "../nowhere"]);
    fixture.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    fixture.git(&["config", "branch.main.remote", "origin"]);
    fixture.git(&["config", "branch.main.merge", "refs/heads/main"]);
    fixture.git(&["config", "branch.side.remote", "."]);
    fixture.git(&["config", "branch.side.merge", "refs/heads/main"]);
    fixture.git(&["config", "push.default", "upstream"]);
    fixture.write("//- b\nstashed\n");
    fixture.git(&["stash", "-q"]);
    fixture.git(&["worktree", "add", "-q", "../beside", "third"]);
    fixture.git(&["update-ref", "ORIG_HEAD", "HEAD~3"]);
    fixture
}

/// Forms that name a commit of [`named`], to git and to icr.
const COMMITS: &str = "HEAD @ main heads/main refs/heads/main HEAD^ HEAD^1 HEAD^0 HEAD~ HEAD~0 HEAD~1 HEAD~3 HEAD~6 HEAD^^^ HEAD~6^2 \
    HEAD~6^2~1 HEAD~6^1~1 HEAD~2~3 HEAD^~^~ HEAD~6^2^0 light tags/light refs/tags/light annotated annotated^{} annotated^0 \
    annotated^{commit} annotated~1 annotated^ nested nested^{} nested^{commit} nested~2 v1.0 v1.0^{} side third side-tag \
    feature/x heads/feature/x a-b.c ünï at@x origin origin/HEAD origin/main remotes/origin/main refs/remotes/origin/main \
    origin/topic origin/topic~1 other/place refs/other/place refs/other/place^ ORIG_HEAD ORIG_HEAD^ HEAD^{commit} HEAD^{} \
    HEAD^{object} HEAD~1^{commit}~1 @{0} @{1} @~1 @^ @{0}~1 main@{0} main@{1} main@{2}^ HEAD@{0} HEAD@{1} HEAD@{1}~1 \
    @{u} @{upstream} @{U} @{UPSTREAM} main@{u} main@{upstream}~1 main@{u}^{commit} @{push} main@{push} @{PUSH} \
    @{-1} @{-1}~1 @{-2} refs/stash stash stash^ stash^2 stash~1 stash@{0} stash@{0}^2 refs/stash@{0} refs/heads/main@{0} \
    :/Second :/Merge :/harbour :/^third HEAD^{/step} HEAD^{/Merge} HEAD^{/Merge}^2 HEAD^{/step.3} HEAD~2^{/step} \
    main^{/side:} main^{/Second}~0 HEAD^{/!-step} HEAD^{/!-step}~1 main-worktree/HEAD worktrees/beside/HEAD \
    main-worktree/ORIG_HEAD worktrees/beside/HEAD~1 refs/heads/both tags/both heads/both refs/tags/HEAD heads/deadbee";

/// What git says that a revision names: a commit's id, or nothing.
fn commit_of_git(fixture: &Fixture, directory: &Path, revision: &str) -> Option<String> {
    let directory = directory.display().to_string();
    // As icr has it, a tag stands for its commit. `^{commit}` would be part of a message or path.
    // Among several objects, the commit is meant.
    let is_beginning = revision.bytes().all(|digit| digit.is_ascii_hexdigit());
    let typed = if is_beginning { format!("{revision}^{{commit}}") } else { revision.to_owned() };
    let id = fixture.try_git(&["-C", &directory, "rev-parse", "--verify", "-q", "--end-of-options", &typed]).ok()?;
    let id = id.lines().last()?.to_owned();
    fixture.try_git(&["-C", &directory, "rev-parse", "--verify", "-q", &format!("{id}^{{commit}}")]).ok()
}

/// Where icr differs from git; `must` also counts what icr refuses.
fn differences(fixture: &Fixture, directory: &Path, revisions: &[String], must: bool) -> Vec<String> {
    let repository = open(directory);
    let mut differing = Vec::new();
    for revision in revisions {
        let of_git = commit_of_git(fixture, directory, revision);
        let of_icr = repository.resolve(revision);
        let is_same = match &of_icr {
            Ok(found) => found.commit.map(|commit| commit.to_string()) == of_git,
            Err(Error::Internal { .. }) => false,
            Err(_) => !must,
        };
        if !is_same || (must && of_git.is_none()) {
            differing.push(format!("{revision}: {:?}, git {of_git:?}", of_icr.map(|found| found.commit)));
        }
    }
    differing
}

#[test]
fn every_form_names_the_commit_that_git_names() {
    let fixture = named();
    let mut commits: Vec<String> = COMMITS.split_whitespace().map(str::to_owned).collect();
    let id = fixture.git(&["rev-parse", "HEAD~1"]);
    for digits in [40, 12, 7, 5] {
        commits.push(id[..digits].to_owned());
    }
    commits.push(format!("v1.0-4-g{}", &id[..9]));
    commits.push(format!("{}~1", &id[..9]));
    commits.push(id.to_uppercase());
    commits.extend([":/the gate", "HEAD^{/Merge side}", "main^{/step 3}~1"].map(str::to_owned));
    assert_eq!(differences(&fixture, fixture.root(), &commits, true), [""; 0]);
}

#[test]
fn the_beginning_of_several_ids_is_the_commit_among_them_or_refused() {
    let fixture = Fixture::new("//- a\n1\n");
    for n in 0..40 {
        fixture.write(&format!("//- a\n{n} again\n"));
        fixture.commit(&n.to_string());
    }
    let ids = fixture.git(&["rev-list", "--objects", "--no-object-names", "HEAD"]);
    let mut beginnings: Vec<String> = ids.lines().flat_map(|id| [id[..4].to_owned(), id[..5].to_owned()]).collect();
    beginnings.sort();
    beginnings.dedup();
    assert_eq!(differences(&fixture, fixture.root(), &beginnings, false), [""; 0]);
}

#[test]
fn of_commits_of_one_second_the_one_is_found_that_git_finds() {
    let fixture = Fixture::empty();
    let mut stream = String::new();
    for (branch, parents) in
        [("b", ""), ("d", ""), ("a", ""), ("c", "from refs/heads/a\nmerge refs/heads/d\nmerge refs/heads/b\n")]
    {
        stream.push_str(&format!(
            "commit refs/heads/{branch}\ncommitter A <a@b> 1000000000 +0000\ndata 6\nsame {branch}\n{parents}\n"
        ));
    }
    fixture.import(stream.as_bytes());
    let check = |head: &str| {
        fixture.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{head}")]);
        let revisions = ["c^{/same}", "c^{/same [abd]}", "c^{/same [bd]}", "c^{/!-same [ac]}"];
        let revisions: Vec<String> = revisions.map(str::to_owned).to_vec();
        assert_eq!(differences(&fixture, fixture.root(), &revisions, true), [""; 0], "{head}");
    };
    ["a", "b", "c", "d"].into_iter().for_each(check);
}
