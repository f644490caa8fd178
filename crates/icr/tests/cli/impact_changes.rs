//! What `icr impact` takes for a change, and what it says when there is none to compare.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::{Icr, RunOutput};

/// A function, two files that call it and its test.
pub(crate) const PROJECT: &str = "//- pyproject.toml
[project]
name = \"floors\"
//- src/floors/__init__.py
//- src/floors/houses.py
from floors.shapes import area

def house():
    return area(4, 5)
//- src/floors/rooms.py
from floors.shapes import area

def room():
    return area(2, 3)
//- src/floors/shapes.py
\"\"\"Sizes.\"\"\"

def area(width, height):
    # Length times breadth.
    return width * height
//- tests/test_shapes.py
from floors.shapes import area

def test_area():
    assert area(1, 2) == 2
";

/// The function under another name, which breaks everybody who calls it.
pub(crate) const RENAMED: &str = "//- src/floors/shapes.py
\"\"\"Sizes.\"\"\"

def surface(width, height):
    # Length times breadth.
    return width * height
";

/// Files that an answer says were changed.
pub(crate) fn changed(answer: &Value) -> Vec<&str> {
    paths(&answer["changed"])
}

/// Files that an answer says refer to what was changed.
pub(crate) fn dependents(answer: &Value) -> Vec<&str> {
    let mut paths = paths(&answer["direct_dependents"]);
    paths.sort_unstable();
    paths
}

/// What a run says besides its answer. That there is no threshold of its own goes for every history as short as a fixture's.
pub(crate) fn said(ran: &RunOutput) -> String {
    let lines = ran.stderr.lines().filter(|line| !line.starts_with("note: warnings use a threshold"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn paths(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().expect("an answer has the list");
    rows.iter().map(|row| row["path"].as_str().expect("a row has a path")).collect()
}

fn answer(ran: &RunOutput) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", ran.stdout))
}

#[track_caller]
fn check_renamed(answer: &Value) {
    assert_eq!(answer["verdict"], "breaking", "{answer:#}");
    assert_eq!(changed(answer), ["src/floors/shapes.py"]);
    assert_eq!(dependents(answer), ["src/floors/houses.py", "src/floors/rooms.py", "tests/test_shapes.py"]);
}

#[test]
fn what_is_uncommitted_is_the_change_when_nothing_else_is_named() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    fixture.write(RENAMED);
    check_renamed(&icr.json(&["impact"]));
    check_renamed(&icr.json(&["impact", "--worktree"]));
    assert_eq!(icr.json(&["impact", "--staged"])["verdict"], "empty");
}

#[test]
fn what_is_staged_is_a_change_of_its_own() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    fixture.write(RENAMED);
    fixture.git(&["add", "-A"]);
    fixture
        .write("//- src/floors/rooms.py\nfrom floors.shapes import surface\n\ndef room():\n    return surface(2, 3)\n");
    let staged = icr.json(&["impact", "--staged"]);
    check_renamed(&staged);
    assert_eq!(changed(&icr.json(&["impact"])), ["src/floors/rooms.py", "src/floors/shapes.py"]);
}

#[test]
fn what_is_staged_is_read_where_the_file_is_gone() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    fixture.write(RENAMED);
    fixture.write("//- src/floors/new.py\ndef new():\n    pass\n");
    fixture.git(&["add", "-A"]);
    let staged = icr.json(&["impact", "--staged"]);
    for path in changed(&staged) {
        std::fs::remove_file(fixture.root().join(path)).unwrap();
    }
    assert_eq!(icr.json(&["impact", "--staged"])["changed"], staged["changed"]);
}

#[test]
fn commits_are_named_as_git_does() {
    let fixture = Fixture::new(PROJECT);
    fixture.git(&["branch", "before"]);
    fixture.write(RENAMED);
    let commit = fixture.commit("rename");
    let icr = Icr::new(&fixture);
    for change in [
        "HEAD",
        "HEAD~1..HEAD",
        "HEAD~1..",
        "before...",
        "before...main",
        &commit,
        &format!("before..{}", &commit[..8]),
    ] {
        check_renamed(&icr.json(&["impact", change]));
    }
    assert_eq!(icr.json(&["impact", "HEAD..HEAD"])["verdict"], "empty");
    let first = icr.json(&["impact", "before"]);
    assert_eq!(first["changed"].as_array().map(Vec::len), Some(6), "the first commit adds every file");
}

#[test]
fn a_branch_is_compared_from_where_it_began() {
    let fixture = Fixture::new(PROJECT);
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.write(RENAMED);
    fixture.commit("rename");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- src/floors/stairs.py\ndef stairs():\n    return 12\n");
    fixture.commit("stairs");
    let icr = Icr::new(&fixture);
    check_renamed(&icr.json(&["impact", "main...topic"]));
    let ran = icr.run(&["impact", "main..topic"]);
    assert_eq!(said(&ran), "note: `main` is no ancestor of `topic`; compared from their merge base\n");
}

#[test]
fn a_patch_is_read_wherever_it_stands() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    fixture.write(RENAMED);
    let patch = format!("{}\n", fixture.git(&["diff"]));
    let mail = {
        fixture.commit("rename");
        let mail = format!("{}\n", fixture.git(&["format-patch", "-1", "--stdout"]));
        check_renamed(&answer(&icr.reads(patch.as_bytes(), &["impact", "-", "--json"])));
        mail
    };
    fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    for patch in [&patch, &mail] {
        check_renamed(&answer(&icr.reads(patch.as_bytes(), &["impact", "-", "--json"])));
    }
}

#[test]
fn line_ends_of_a_patch_and_its_file_may_differ() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let (old, new) = ("def area(a):\n    return a\n", "def surface(a):\n    return a\n");
    let user = "from shapes import area\n\nprint(area(1))\n";
    let fixture = Fixture::empty();
    fixture.write_bytes("shapes.py", crlf(old).as_bytes());
    fixture.write_bytes("user.py", crlf(user).as_bytes());
    fixture.commit("crlf");
    fixture.write_bytes("shapes.py", crlf(new).as_bytes());
    let as_made = format!("{}\n", fixture.git(&["diff"]));
    fixture.git(&["checkout", "-q", "."]);
    let icr = Icr::new(&fixture);
    let mailed = crlf(&as_made.replace("\r\n", "\n"));
    for patch in [as_made, mailed] {
        let answer = answer(&icr.reads(patch.as_bytes(), &["impact", "-", "--json"]));
        assert_eq!((changed(&answer), dependents(&answer)), (vec!["shapes.py"], vec!["user.py"]), "{patch:?}");
    }
}

#[test]
fn files_can_be_named_as_if_all_of_them_changed() {
    let fixture = Fixture::new(PROJECT);
    let answer = Icr::new(&fixture).json(&["impact", "--paths", "src/floors/shapes.py"]);
    assert_eq!(changed(&answer), ["src/floors/shapes.py"]);
    assert_eq!(dependents(&answer), ["src/floors/houses.py", "src/floors/rooms.py", "tests/test_shapes.py"]);
}

#[test]
fn no_change_is_said_clearly_and_is_no_failure() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for args in [&["impact"][..], &["impact", "--staged"], &["impact", "HEAD..HEAD"], &["impact", "HEAD..."]] {
        let ran = icr.run(args);
        let expected = (0, "Empty: nothing changed\n", "");
        assert_eq!((ran.code, ran.stdout.as_str(), said(&ran).as_str()), expected, "{args:?}");
    }
    let ran = icr.reads(b"", &["impact", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Empty: nothing changed\n"));
    assert!(ran.stderr.contains("the diff on standard input is empty"), "{}", ran.stderr);
}

/// A run that looked at nothing: its exit code is 3, and its error has this name and says all of these.
#[track_caller]
fn check_not_analysed(ran: &RunOutput, name: &str, said: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
    let error: Value = serde_json::from_str(&ran.stderr).expect("errors are JSON under --json");
    assert_eq!(error["error"]["code"], name, "{error:#}");
    for words in said {
        assert!(ran.stderr.contains(words), "`{words}` is not in {error:#}");
    }
}

#[test]
fn what_cannot_be_compared_is_an_error_and_not_clean() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for (args, name, said) in [
        (&["nope..HEAD"][..], "UNKNOWN_REVISION", &["nope"][..]),
        (&["HEAD...nope"], "UNKNOWN_REVISION", &["nope"]),
        (&["HEAD~1..HEAD"], "UNKNOWN_REVISION", &["HEAD~1"]),
        (&["HEAD:src"], "NOT_A_COMMIT", &["names a directory"]),
        (&["--repo", "/"], "NOT_A_REPOSITORY", &["git repository"]),
        (&["--paths", "shapes.py"], "NOT_FOUND", &["src/floors/shapes.py"]),
    ] {
        check_not_analysed(&icr.run(&[&["impact", "--json"], args].concat()), name, said);
    }
}

#[test]
fn a_patch_that_fits_nothing_here_is_an_error() {
    let fixture = Fixture::new(PROJECT);
    let other = Fixture::new("//- lib/tide.rb\ndef tide\n  1\nend\n");
    other.write("//- lib/tide.rb\ndef tide\n  2\nend\n");
    let elsewhere = format!("{}\n", other.git(&["diff"]));
    let stale =
        "--- a/src/floors/rooms.py\n+++ b/src/floors/rooms.py\n@@ -1,2 +1,2 @@\n-no such line\n+another\n context\n";
    let icr = Icr::new(&fixture);
    for (patch, said) in [
        (elsewhere.as_str(), "another repository"),
        (stale, "src/floors/rooms.py"),
        ("Hello,\nhere it is.\n", "git diff"),
    ] {
        let ran = icr.reads(patch.as_bytes(), &["impact", "-", "--json"]);
        check_not_analysed(&ran, "PATCH_DOES_NOT_APPLY", &[said]);
    }
}

#[test]
fn history_that_is_cut_off_is_an_error_that_says_what_helps() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    fixture.commit("rename");
    let clone = fixture.clone_to("clone", &["--depth=1"]);
    let icr = Icr::new(&fixture).standing_in(&clone);
    let parent = fixture.git(&["rev-parse", "HEAD~1"]);
    let ranges = ["HEAD", "HEAD~1", "HEAD~1..HEAD", "HEAD~1...HEAD", &parent, &format!("{parent}..HEAD")];
    for range in ranges {
        let ran = icr.run(&["impact", range, "--json"]);
        check_not_analysed(&ran, "NO_BASE", &["git fetch --", "fetch-depth: 0", "GIT_DEPTH: 0"]);
    }
    fixture.git_in(&clone, &["fetch", "-q", "--unshallow"]);
    check_renamed(&icr.json(&["impact", "HEAD"]));
}

#[test]
fn two_changes_at_once_are_refused() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for (args, named) in [
        (&["HEAD", "--staged"][..], "--staged"),
        (&["--staged", "--worktree"], "--staged"),
        (&["HEAD", "--paths", "a"], "--paths"),
        (&["--at", "HEAD"], "--at"),
        (&["--depth", "0"], "--depth"),
        (&["--depth", "6"], "--depth"),
        (&["--max-nodes", "501"], "--max-nodes"),
        (&["--max-edges", "9"], "--max-edges"),
        (&["--print0"], "--tests"),
    ] {
        let said = icr.fails(2, &[&["impact"], args].concat());
        assert!(said.contains(named), "{args:?}: {said}");
    }
}

#[test]
fn a_patch_names_only_contents_of_its_own_paths() {
    let fixture = Fixture::new("//- .env\nTOKEN=hunter2\n//- src/a.py\ndef a():\n    return 1\n");
    fixture.git(&["checkout", "-q", "-b", "other"]);
    fixture.write("//- src/private.py\ndef private():\n    return \"hunter2\"\n");
    fixture.commit("private");
    let private = fixture.git(&["rev-parse", "HEAD:src/private.py"]);
    fixture.git(&["checkout", "-q", "main"]);
    let secret = fixture.git(&["rev-parse", "HEAD:.env"]);
    let icr = Icr::new(&fixture);
    for id in [&secret, &private, &secret[..9]] {
        for path in ["src/a.py", "src/b.py"] {
            // A change that no line of the content contradicts.
            let patch = format!(
                "diff --git a/{path} b/{path}\nindex {id}..1111111111 100644\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+x = 1\n"
            );
            let ran = icr.reads(patch.as_bytes(), &["impact", "-", "--json"]);
            assert!(!(ran.stdout + &ran.stderr).contains("hunter2"), "{id} {path}");
            if path == "src/b.py" {
                assert_eq!(ran.code, 3, "{id} {path}");
            }
        }
    }
}

#[test]
fn a_patch_on_an_older_commit_is_looked_into_with_what_that_had() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    let patch = format!("{}\n", fixture.git(&["diff"]));
    fixture.git(&["checkout", "-q", "--", "."]);
    fixture.write("//- src/floors/rooms.py\nROOMS = {}\n");
    fixture.commit("all of it is other");
    let icr = Icr::new(&fixture);
    let answer = icr.reads(patch.as_bytes(), &["impact", "-", "--json"]);
    assert!(answer.code <= 1, "{}", answer.stderr);
}

#[cfg(unix)]
#[test]
fn a_report_goes_to_a_device_or_a_pipe_only_where_somebody_reads_it() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let to = |place: &str| icr.shell(&format!("timeout 60 \"$0\" impact HEAD --format markdown --output {place}"));
    icr.shell("mkfifo pipe");
    let said = to("pipe");
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert!(said.stderr.contains("`pipe` cannot be written: it is a pipe that nobody reads"), "{}", said.stderr);
    for place in ["/dev/null", "/dev/stdout", "/dev/stdout | cat"] {
        let said = to(place);
        assert_eq!(
            (said.code, said.stdout.contains("icr-impact")),
            (0, place != "/dev/null"),
            "{place}: {}",
            said.stderr
        );
    }
    let said = icr.shell(
        "cat pipe > read & sleep 0.2; timeout 60 \"$0\" impact HEAD --format markdown --output pipe; wait; cat read",
    );
    assert!(said.code == 0 && said.stdout.contains("icr-impact"), "{} {}", said.stdout, said.stderr);
}

#[cfg(unix)]
#[test]
fn no_report_is_written_through_a_link_of_the_clone() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    let outside = fixture.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("precious"), "precious").unwrap();
    fixture.symlink(outside.join("precious"), "report.md");
    fixture.symlink(&outside, "icr-impact");
    fixture.commit("rename");
    let icr = Icr::new(&fixture);
    let summary = fixture.root().join("report.md");
    let hosted =
        icr.with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", summary.to_str().unwrap());
    for (icr, args) in [
        (&icr, &["impact", "HEAD", "--format", "markdown", "--output", "report.md"][..]),
        (&icr, &["impact", "HEAD", "--format", "html", "--output", "icr-impact/precious"]),
        (&icr, &["impact", "HEAD", "--format", "markdown", "--output", "./src/../icr-impact/new.md"]),
        (&icr, &["ci", "--base", "HEAD~1"]),
        (&icr, &["ci", "--base", "HEAD~1", "--out", "icr-impact/below"]),
        (&hosted, &["ci", "--base", "HEAD~1", "--out", "reports"]),
    ] {
        let ran = icr.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("is a link in a worktree"), "{args:?}: {}", ran.stderr);
    }
    let left: Vec<_> = std::fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["precious"]);
    assert_eq!(std::fs::read_to_string(outside.join("precious")).unwrap(), "precious");
    // A link of the user's own, outside of every worktree, is as good as any name.
    let own = fixture.home().join("own.md");
    std::os::unix::fs::symlink(outside.join("mine.md"), &own).unwrap();
    icr.run(&["impact", "HEAD", "--format", "markdown", "--output", own.to_str().unwrap()]);
    assert!(outside.join("mine.md").exists());
}

#[test]
fn files_without_text_are_renamed_only_to_the_same_bytes() {
    let fixture = Fixture::new("//- a.py\na = 1\n");
    let write = |path: &str, bytes: &[u8]| std::fs::write(fixture.root().join(path), bytes).unwrap();
    write("one.bin", b"\0one");
    write("two.bin", b"\0two");
    write("large.txt", "a line of text\n".repeat(60_000).as_bytes());
    fixture.commit("files without text");
    for path in ["one.bin", "two.bin", "large.txt"] {
        std::fs::remove_file(fixture.root().join(path)).unwrap();
    }
    write("moved.bin", b"\0two");
    write("other.bin", b"\0other");
    write("empty.txt", b"");
    let icr = Icr::new(&fixture);
    let changes = |answer: &Value| -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let row = |row: &Value| format!("{} {} {}", text(&row["status"]), text(&row["path"]), text(&row["old_path"]));
        answer["changed"].as_array().unwrap().iter().map(|file| row(file).trim_end().to_owned()).collect()
    };
    let expected =
        ["added empty.txt", "deleted large.txt", "renamed moved.bin two.bin", "deleted one.bin", "added other.bin"];
    assert_eq!(changes(&icr.json(&["impact"])), expected);
    fixture.git(&["add", "-A"]);
    assert_eq!(changes(&icr.json(&["impact", "--staged"])), expected);
    fixture.commit("moved");
    assert_eq!(changes(&icr.json(&["impact", "HEAD"])), expected);
}
