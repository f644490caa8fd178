//! What the real git and the real diff print is read, and leads from one side to the other.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use icr_fixture::Fixture;

use super::testing::summary;
use super::{Direction, FilePatch, apply, changed_lines, parse};
use crate::FileStatus;

/// A path and its contents before and after; `None` where there is no file.
type Case = (&'static str, Option<&'static [u8]>, Option<&'static [u8]>);

const TEN: &[u8] = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

const CASES: &[Case] = &[
    ("a b/c d.txt", Some(TEN), Some(b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n")),
    ("added", None, Some(b"a\nb\n")),
    ("binary", Some(b"\0\x01\x02"), Some(b"\0\x01\x03")),
    ("crlf", Some(b"a\r\nb\r\nc\r\n"), Some(b"a\r\nB\r\nc\r\nd\r\n")),
    ("crlf to lf", Some(b"a\r\nb\r\n"), Some(b"a\nb\n")),
    ("deleted", Some(b"-- a\n++ b\n"), None),
    ("empty added", None, Some(b"")),
    ("empty deleted", Some(b""), None),
    ("escapes", Some(b"a\nb\n"), Some(b"a\n\t b  \n")),
    ("filled", Some(b""), Some(b"a\n")),
    ("headers", Some(b"-- a/x\n++ b/x\n@@ -1 +1 @@\n"), Some(b"-- a/y\n++ b/y\n\\ x\ndiff --git a/x b/x\n")),
    ("emptied", Some(b"a\n"), Some(b"")),
    ("no end", Some(b"a\nb"), Some(b"a\nb\n")),
    ("no end any more", Some(b"a\nb\n"), Some(b"a\nc")),
    ("no end on both", Some(b"a\nb"), Some(b"A\nb")),
    ("sp\u{e4}t\t\"q\".rs", Some(b"fn f() {\n    1\n}\n"), Some(b"fn f() {\n    2\n}\n")),
    ("two hunks", Some(TWO), Some(TWO_AFTER)),
    ("old/name", Some(TEN), None),
    ("new/name", None, Some(b"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")),
];

const TWO: &[u8] = b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\n";
const TWO_AFTER: &[u8] = b"a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\nO\np\n";

/// Two commits with the sides of [`CASES`].
fn fixture() -> Fixture {
    let fixture = Fixture::empty();
    for (path, old, _) in CASES {
        if let Some(old) = old {
            fixture.write_bytes(path, old);
        }
    }
    fixture.commit("old");
    for (path, old, new) in CASES {
        match (old, new) {
            (_, Some(new)) => fixture.write_bytes(path, new),
            (Some(_), None) => fixture.delete(path),
            (None, None) => {}
        }
    }
    fixture.commit("new");
    fixture
}

/// What `git ARGS --output=FILE` writes, byte for byte.
fn written(fixture: &Fixture, args: &[&str]) -> Vec<u8> {
    let path = fixture.home().join("diff");
    let output = format!("--output={}", path.display());
    fixture.git(&[args, &[output.as_str()]].concat());
    fs::read(path).expect("git wrote it")
}

/// Every side that is text can be made from the other, and no file is missing.
#[track_caller]
fn check_sides(text: &[u8], cases: &[Case]) {
    let patches = parse(text).unwrap_or_else(|error| panic!("{error} in\n{}", String::from_utf8_lossy(text)));
    let before: BTreeMap<&str, &[u8]> = cases.iter().filter_map(|(path, old, _)| Some((*path, (*old)?))).collect();
    let after: BTreeMap<&str, &[u8]> = cases.iter().filter_map(|(path, _, new)| Some((*path, (*new)?))).collect();
    let mut seen: Vec<&str> = Vec::new();
    for patch in &patches {
        let side = |path: &Option<icr_model::RepoPath>, files: &BTreeMap<&str, &'static [u8]>| {
            let path = path.as_ref().map(|path| path.as_str().expect("paths are UTF-8").to_owned());
            path.map_or(&b""[..], |path| {
                files.get(path.as_str()).copied().unwrap_or_else(|| panic!("no side of `{path}`"))
            })
        };
        let (old, new) = (side(&patch.old_path, &before), side(&patch.new_path, &after));
        seen.extend(patch.old_path.iter().chain(&patch.new_path).filter_map(|path| path.as_str()));
        if patch.binary {
            assert_eq!(patch.path().as_str(), Some("binary"));
            continue;
        }
        assert_eq!(apply(patch, old, Direction::Forward).as_deref(), Ok(new), "{}", patch.path());
        assert_eq!(apply(patch, new, Direction::Reverse).as_deref(), Ok(old), "{}", patch.path());
    }
    seen.sort_unstable();
    seen.dedup();
    let mut all: Vec<&str> = cases.iter().filter(|(_, old, new)| old != new).map(|(path, ..)| *path).collect();
    all.sort_unstable();
    assert_eq!(seen, all);
}

#[test]
fn every_form_of_git_is_read() {
    let fixture = fixture();
    for options in [
        &["diff", "HEAD~", "HEAD"][..],
        &["diff", "-R", "HEAD", "HEAD~"],
        &["diff", "--no-prefix", "HEAD~", "HEAD"],
        &["diff", "--src-prefix=before/", "--dst-prefix=after/", "HEAD~", "HEAD"],
        &["-c", "diff.mnemonicPrefix=true", "diff", "HEAD~"],
        &["-c", "core.quotePath=false", "diff", "HEAD~", "HEAD"],
        &["diff", "-U0", "HEAD~", "HEAD"],
        &["diff", "-U1", "HEAD~", "HEAD"],
        &["diff", "-W", "HEAD~", "HEAD"],
        &["diff", "-B", "-M", "-C", "--find-copies-harder", "HEAD~", "HEAD"],
        &["diff", "--no-renames", "--full-index", "HEAD~", "HEAD"],
        &["diff", "--binary", "HEAD~", "HEAD"],
        &["diff", "--stat", "--summary", "--patch", "HEAD~", "HEAD"],
        &["diff", "--patience", "--inter-hunk-context=20", "HEAD~", "HEAD"],
        &["diff", "--color=always", "HEAD~", "HEAD"],
        &["diff", "--color=always", "--ws-error-highlight=all", "--color-moved", "HEAD~", "HEAD"],
        &["show", "--format=fuller", "HEAD"],
        &["log", "-1", "-p", "--stat", "HEAD"],
        &["format-patch", "-1", "--binary", "HEAD"],
    ] {
        let text = written(&fixture, options);
        check_sides(&text, CASES);
    }
}

#[test]
fn a_log_has_one_patch_for_each_file_of_each_commit() {
    let fixture = fixture();
    let text = written(&fixture, &["log", "-p", "--no-renames", "HEAD"]);
    let patches = parse(&text).expect("a log has diffs");
    let changed = CASES.len();
    let first = CASES.iter().filter(|(_, old, _)| old.is_some()).count();
    assert_eq!(patches.len(), changed + first);
}

#[test]
fn counts_are_those_of_numstat() {
    let fixture = fixture();
    let counted = fixture.git(&["diff", "-z", "--no-renames", "--numstat", "HEAD~", "HEAD"]);
    let mut lines: Vec<&str> = counted.split_terminator('\0').collect();
    lines.sort_unstable();
    let of_case = |(path, old, new): &Case| {
        let changes = changed_lines(old.unwrap_or_default(), new.unwrap_or_default());
        format!("{}\t{}\t{path}", changes.added, changes.removed)
    };
    let mut expected: Vec<String> = CASES.iter().filter(|(path, ..)| *path != "binary").map(of_case).collect();
    expected.push("-\t-\tbinary".to_owned());
    expected.sort_unstable();
    assert_eq!(lines, expected);
    let text = written(&fixture, &["diff", "--no-renames", "HEAD~", "HEAD"]);
    for patch in parse(&text).expect("git writes diffs").iter().filter(|patch| !patch.binary) {
        let line = format!("{}\t{}\t", patch.lines_added(), patch.lines_removed());
        let path = patch.path().as_str().expect("paths are UTF-8");
        assert!(lines.contains(&format!("{line}{path}").as_str()), "{path}: {line}");
    }
}

#[test]
fn modes_links_and_submodules_are_told() {
    let fixture = Fixture::new("//- lib/x\n1\n//- link\na\nb\n//- script\n1\n//- tool\n1\n");
    let old = fixture.git(&["rev-parse", "HEAD"]);
    fixture.git(&["update-index", "--chmod=+x", "script"]);
    fixture.git(&["rm", "-q", "--cached", "-r", "lib"]);
    fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{old},lib")]);
    fixture.delete("link");
    #[cfg(unix)]
    fixture.symlink("tool", "link");
    fixture.git(&["add", "link"]);
    fixture.git(&["commit", "-q", "-m", "second"]);
    fixture.git(&["update-index", "--cacheinfo", &format!("160000,{},lib", "1".repeat(40))]);
    fixture.git(&["commit", "-q", "-m", "third"]);
    let text = |args: &[&str]| String::from_utf8(written(&fixture, args)).expect("the diff is UTF-8");
    let first = text(&["diff", "--no-renames", "--abbrev=7", "HEAD~2", "HEAD~"]);
    let short = &old[..7];
    let expected = format!(
        "Added lib -..160000 -..{short} submodule @0,0 1,1@ +1 -0\n\
         Deleted lib/x 100644..- d00491f..- @1,1 0,0@ +0 -1\n\
         TypeChanged link 100644..120000 422c2b7..719b620 @1,2 1,1@ +1 -2\n\
         ModeChanged script 100644..100755 +0 -0\n"
    );
    assert_eq!(summary(&parse(first.as_bytes()).unwrap()), expected);
    let link = parse(first.as_bytes()).unwrap().into_iter().find(|patch| patch.path().as_bytes() == b"link").unwrap();
    assert_eq!(apply(&link, b"a\nb\n", Direction::Forward).as_deref(), Ok(&b"tool"[..]));
    assert_eq!(apply(&link, b"tool", Direction::Reverse).as_deref(), Ok(&b"a\nb\n"[..]));
    for format in ["short", "log"] {
        let second = text(&["diff", &format!("--submodule={format}"), "--abbrev=7", "HEAD~", "HEAD"]);
        let patches = parse(second.as_bytes()).unwrap();
        let told: Vec<(FileStatus, bool, Option<&str>)> = patches.iter().map(told_of_submodule).collect();
        assert_eq!(told, [(FileStatus::Modified, true, Some("1111111"))], "{second}");
    }
}

fn told_of_submodule<'p>(patch: &'p FilePatch<'_>) -> (FileStatus, bool, Option<&'p str>) {
    (patch.status, patch.submodule, patch.new_blob.as_deref())
}

#[test]
fn the_diff_of_a_merge_is_combined() {
    let fixture = Fixture::new("//- f\n1\n2\n3\n");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- f\none\n2\n3\n");
    fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- f\neins\n2\n3\n");
    fixture.commit("main");
    fixture.try_git(&["merge", "-q", "side"]).expect_err("both changed the line");
    fixture.write("//- f\nuno\n2\n3\n");
    fixture.commit("merge");
    let error = parse(fixture.git(&["show", "HEAD"]).as_bytes()).expect_err("it is combined");
    assert!(error.to_string().contains("git show --first-parent MERGE"), "{error}");
    let text = written(&fixture, &["show", "--first-parent", "HEAD"]);
    let patches = parse(&text).expect("this has two sides");
    assert_eq!(apply(&patches[0], b"eins\n2\n3\n", Direction::Forward).as_deref(), Ok(&b"uno\n2\n3\n"[..]));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "diff prints what is read")]
fn every_form_of_diff_is_read() {
    let fixture = Fixture::empty();
    for (path, old, new) in CASES {
        // Directories have other names here, and diff has no renames.
        for (side, content) in [("old", old), ("new", new)] {
            if let Some(content) = content {
                fixture.write_bytes(&format!("{side}/{path}"), content);
            }
        }
    }
    // It does not print files that are empty or not there without a hunk.
    let cases: Vec<Case> = CASES.iter().filter(|(path, ..)| !path.starts_with("empty ")).copied().collect();
    for options in [&["-ruN"][..], &["-rupN"], &["-U0", "-rN"], &["-ruN", "--color=always"]] {
        let output = Command::new("diff")
            .args(options)
            .args(["old", "new"])
            .current_dir(fixture.root())
            .env("LC_ALL", "C")
            .env("TZ", "Asia/Kolkata")
            .output();
        let Ok(output) = output else {
            // Not every machine has diff; what it prints is recorded in the tests of reading too.
            return;
        };
        check_sides(&output.stdout, &cases);
    }
}

/// Patches as other programs write them, or as they look when they have come a long way. Each is about files that
/// `git apply --numstat` does not need to have.
const FOREIGN: &[(&str, &[u8])] = &[
    ("plain", b"--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+b\n c\n"),
    ("plain with times", b"--- a/f\t2026-01-01 10:00:00.000000000 +0100\n+++ b/f\t2026-01-02 10:00:00 +0100\n@@ -1 +1,2 @@\n a\n+b\n"),
    ("new by time", b"--- /dev/null\t1970-01-01 01:00:00 +0100\n+++ b/f\t2026-01-02 10:00:00 +0100\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
    ("no prefix", b"--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("git without prefix", b"diff --git f f\nindex 7898192..6178079 100644\n--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("mnemonic prefix", b"diff --git i/d/f w/d/f\nindex 7898192..6178079 100644\n--- i/d/f\n+++ w/d/f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("subversion", b"Index: d/f\n===================================================================\n--- d/f\t(revision 12)\n+++ d/f\t(working copy)\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
    ("subversion, new", b"Index: d/f\n===================================================================\n--- d/f\t(nonexistent)\n+++ d/f\t(working copy)\n@@ -0,0 +1 @@\n+a\n\nProperty changes on: d/f\n___________________________________________________________________\nAdded: svn:eol-style\n## -0,0 +1 ##\n+native\n"),
    ("mercurial", b"diff -r 0123456789ab d/f\n--- a/d/f\tThu Jan 01 00:00:00 2026 +0000\n+++ b/d/f\tFri Jan 02 00:00:00 2026 +0000\n@@ -1,1 +1,2 @@\n a\n+b\n"),
    ("mercurial export", b"# HG changeset patch\n# User a <a@b>\n# Date 0 0\n# Node ID 0123\nSubject\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n"),
    ("mail", b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH 1/2] f: b\n\nWhy.\n\n--- a note\n+++ another\n---\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47.3\n\n"),
    ("signature of removed dashes", b"diff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\n-- \n-- \n2.47.3\n"),
    ("two mails", b"From 0 Mon Sep 17 00:00:00 2001\nSubject: 1\n\n---\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47\n\nFrom 1 Mon Sep 17 00:00:00 2001\nSubject: 2\n\n---\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47\n"),
    ("rename", b"diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n"),
    ("rename with a change", b"diff --git a/f b/g\nsimilarity index 60%\nrename from f\nrename to g\nindex 7898192..6178079 100644\n--- a/f\n+++ b/g\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
    ("rename without similarity", b"diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"),
    ("copy", b"diff --git a/f b/g\nsimilarity index 90%\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@ -1 +1,2 @@\n a\n+b\n"),
    ("mode", b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"),
    ("mode and content", b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 7898192..6178079\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"),
    ("binary", b"diff --git a/f b/f\nindex 7898192..6178079 100644\nBinary files a/f and b/f differ\n"),
    ("submodule", b"diff --git a/lib b/lib\nindex 7898192..6178079 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 7898192000000000000000000000000000000000\n+Subproject commit 6178079000000000000000000000000000000000\n"),
    ("link", b"diff --git a/f b/f\nnew file mode 120000\nindex 0000000..6178079\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n"),
    ("file becomes a link", b"diff --git a/f b/f\ndeleted file mode 100644\nindex 7898192..0000000\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\ndiff --git a/f b/f\nnew file mode 120000\nindex 0000000..6178079\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n"),
    ("no newline on both", b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
    ("no newline in German", b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n"),
    ("line ends of DOS", b"diff --git a/f b/f\r\nindex 7898192..6178079 100644\r\n--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n"),
    ("content of DOS", b"diff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
    ("quoted", b"diff --git \"a/\\303\\244\\t.rs\" \"b/\\303\\244\\t.rs\"\nindex 7898192..6178079 100644\n--- \"a/\\303\\244\\t.rs\"\n+++ \"b/\\303\\244\\t.rs\"\n@@ -1 +1 @@\n-a\n+b\n"),
    ("blanks in a name", b"diff --git a/d e/f g b/d e/f g\nindex 7898192..6178079 100644\n--- a/d e/f g\t\n+++ b/d e/f g\t\n@@ -1 +1 @@\n-a\n+b\n"),
    ("blank lost on empty lines", b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"),
    ("last line end lost", b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c"),
    ("cut off in a hunk", b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n"),
    ("cut off before a hunk", b"diff --git a/f b/f\nindex 7898192..6178079 100644\n--- a/f\n+++ b/f\n"),
    ("too many lines", b"--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n+c\n"),
    ("two hunks", b"--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -10,2 +11 @@ fn f()\n x\n-y\n"),
    ("no context", b"--- a/f\n+++ b/f\n@@ -3,0 +4,2 @@\n+a\n+b\n@@ -9 +11,0 @@\n-c\n"),
    ("lines like headers", b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n+@@ -1 +1 @@\n diff --git a/x b/x\n"),
    ("new and empty", b"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n"),
    ("deleted", b"diff --git a/f b/f\ndeleted file mode 100644\nindex 7898192..0000000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
    ("combined", b"diff --cc f\nindex 7898192,6178079..0123456\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n"),
    ("context format", b"*** a/f\t2026-01-01\n--- b/f\t2026-01-02\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n"),
    ("commands of ed", b"1c\nb\n.\n"),
    ("nothing but words", b"Please have a look.\n"),
];

#[test]
fn every_foreign_patch_has_the_lines_that_git_counts_or_is_refused() {
    let fixture = Fixture::empty();
    let mut refused = Vec::new();
    for (kind, text) in FOREIGN {
        let path = fixture.home().join("patch");
        fs::write(&path, text).expect("the directory is there");
        let path = path.display().to_string();
        let counted =
            ["-p1", "-p0"].iter().find_map(|level| fixture.try_git(&["apply", "--numstat", level, &path]).ok());
        let patches = match parse(text) {
            Ok(patches) => patches,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused.push(*kind);
                continue;
            }
        };
        let Some(counted) = counted else {
            assert_eq!(*kind, "last line end lost", "git reads no patch, icr {}", summary(&patches));
            continue;
        };
        let sum = |column: usize| -> u32 {
            counted.lines().filter_map(|line| line.split('\t').nth(column)?.parse::<u32>().ok()).sum()
        };
        let added: u32 = patches.iter().map(FilePatch::lines_added).sum();
        let removed: u32 = patches.iter().map(FilePatch::lines_removed).sum();
        assert_eq!((added, removed), (sum(0), sum(1)), "{kind}: {}", summary(&patches));
    }
    let expected = [
        "cut off in a hunk",
        "cut off before a hunk",
        "too many lines",
        "combined",
        "context format",
        "commands of ed",
        "nothing but words",
    ];
    assert_eq!(refused, expected);
}
