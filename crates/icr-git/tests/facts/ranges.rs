//! From what a person types to the sides of a comparison.

use icr_fixture::Fixture;
use icr_git::{Dots, RangeSide, Revision, RevisionOrRange};

use crate::show::open;

/// Three commits: `first` (tag `v1.2`), `second` (branch `release/1.x`, tag `v1.3`), `third` (HEAD, branch `main`).
fn three() -> Fixture {
    let fixture = Fixture::new("//- a\n1\n//- d..e/f\n1\n");
    fixture.git(&["tag", "v1.2"]);
    fixture.write("//- a\n2\n");
    fixture.commit("second");
    fixture.git(&["tag", "-a", "-m", "tag", "v1.3"]);
    fixture.git(&["branch", "release/1.x"]);
    fixture.write("//- a\n3\n");
    fixture.commit("third");
    fixture
}

/// `base-title..head-title`, a title alone, or the error; `typed` names are in parentheses.
#[track_caller]
fn check(fixture: &Fixture, text: &str, expected: &str) {
    let side = |revision: &Revision| {
        let commit = revision.commit.expect("a revision names a commit");
        let title = fixture.git(&["log", "-1", "--format=%s", &commit.to_string()]);
        format!("{title}({})", revision.name.as_deref().unwrap_or_default())
    };
    let found = match open(fixture.root()).resolve_range(text) {
        Ok(RevisionOrRange::Revision(revision)) => side(&revision),
        Ok(RevisionOrRange::Range(range)) => {
            let dots = if range.dots == Dots::Two { ".." } else { "..." };
            format!("{}{dots}{}", side(&range.base), side(&range.head))
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn sides_are_parted_by_two_or_three_dots() {
    let fixture = three();
    for (text, expected) in [
        ("main", "third(main)"),
        ("v1.2", "first(v1.2)"),
        ("release/1.x", "second(release/1.x)"),
        ("v1.2..main", "first(v1.2)..third(main)"),
        ("v1.2...main", "first(v1.2)...third(main)"),
        ("v1.2..v1.3", "first(v1.2)..second(v1.3)"),
        ("release/1.x...v1.2", "second(release/1.x)...first(v1.2)"),
        ("HEAD~2..HEAD^", "first(HEAD~2)..second(HEAD^)"),
    ] {
        check(&fixture, text, expected);
    }
}

#[test]
fn a_side_that_is_left_out_is_head() {
    let fixture = three();
    for (text, expected) in [
        ("v1.2..", "first(v1.2)..third(HEAD)"),
        ("..v1.2", "third(HEAD)..first(v1.2)"),
        ("v1.2...", "first(v1.2)...third(HEAD)"),
        ("...v1.2", "third(HEAD)...first(v1.2)"),
        ("..", "third(HEAD)..third(HEAD)"),
        ("...", "third(HEAD)...third(HEAD)"),
    ] {
        check(&fixture, text, expected);
    }
}

#[test]
fn a_tree_is_no_side() {
    let fixture = three();
    check(&fixture, "HEAD^{tree}", "revision `HEAD^{tree}` names a directory, not a commit");
    check(
        &fixture,
        "v1.2^{tree}..HEAD",
        "the left side of `v1.2^{tree}..HEAD` is wrong: revision `v1.2^{tree}` names a directory, not a commit",
    );
    check(
        &fixture,
        "HEAD...HEAD^{tree}",
        "the right side of `HEAD...HEAD^{tree}` is wrong: revision `HEAD^{tree}` names a directory, not a commit",
    );
}

#[test]
fn dots_may_be_part_of_a_name() {
    let fixture = three();
    check(&fixture, "HEAD:d..e", "revision `HEAD:d..e` names a directory, not a commit");
    check(&fixture, "HEAD:d..e/f", "revision `HEAD:d..e/f` names a file, not a commit");
    fixture.commit("from a..b");
    check(&fixture, ":/from a..b", "from a..b(:/from a..b)");
}

#[test]
fn errors_name_the_side_that_is_wrong() {
    let fixture = three();
    for (text, expected) in [
        ("topik", "revision `topik` not found"),
        ("topik..main", "the left side of `topik..main` is wrong: revision `topik` not found"),
        ("main..topik", "the right side of `main..topik` is wrong: revision `topik` not found"),
        ("a..b", "the left side of `a..b` is wrong: revision `a` not found"),
        ("a....b", "the left side of `a....b` is wrong: revision `a` not found"),
        ("main....main", "the right side of `main....main` is wrong: revision `.main` not found"),
        ("main..v1.2..v1.3", "the right side of `main..v1.2..v1.3` is wrong: revision `v1.2..v1.3` not found"),
        ("HEAD:a..main", "the left side of `HEAD:a..main` is wrong: revision `HEAD:a` names a file, not a commit"),
        ("", "revision `` not found"),
        ("^main", "revision `^main` not found"),
    ] {
        check(&fixture, text, expected);
    }
    let error = open(fixture.root()).resolve_range("v1.2..mian").unwrap_err();
    assert_eq!((error.side, error.range.as_str()), (Some(RangeSide::Head), "v1.2..mian"));
    let icr_git::Error::UnknownRevision { revision, similar } = error.into() else { panic!("another error") };
    assert_eq!((revision.as_str(), similar), ("mian", vec!["main".to_owned()]));
}

#[test]
fn an_unborn_branch_has_no_sides() {
    let fixture = Fixture::empty();
    check(&fixture, "..", "the left side of `..` is wrong: revision `HEAD` not found");
    check(&fixture, "HEAD", "revision `HEAD` not found");
}
