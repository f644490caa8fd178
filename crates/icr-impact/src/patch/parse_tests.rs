//! What is read from which text.

use super::testing::summary;
use super::{FilePatch, LineKind, parse};

#[track_caller]
fn check(text: &str, expected: &str) {
    check_bytes(text.as_bytes(), expected);
}

#[track_caller]
fn check_bytes(text: &[u8], expected: &str) {
    let answer = match parse(text) {
        Ok(patches) => summary(&patches),
        Err(error) => format!("{error}\n"),
    };
    assert_eq!(answer, expected);
}

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn nothing_is_no_patch_and_text_without_a_diff_is_an_error() {
    check("", "");
    check("\n \n", "");
    check("hello\n", "no diff in 1 line of input\n");
    check(&"x\n".repeat(120), "no diff in 120 lines of input\n");
    let right = "the diff is UTF-16; write it with `git diff --output=FILE`, which changes no byte\n";
    check_bytes(b"\xff\xfed\0i\0f\0f\0", right);
    check(&format!("\u{feff}--- a/x\n+++ b/x\n{HUNK}"), "Modified x @1,1 1,1@ +1 -1\n");
}

#[test]
fn headers_of_git_say_what_happened() {
    check(
        "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@ fn f() {\n a\n-b\n",
        "Modified x 100644..100644 1111111..2222222 @1,2 1,1@fn f() { +0 -1\n",
    );
    check("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", "Added x -..100644 -..e69de29 +0 -0\n");
    check(
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        "Deleted x 100644..- 1111111..- @1,1 0,0@ +0 -1\n",
    );
    check("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "ModeChanged x 100644..100755 +0 -0\n");
    check(
        &format!("diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1111..2222\n--- a/x\n+++ b/x\n{HUNK}"),
        "Modified x 100644..100755 1111..2222 @1,1 1,1@ +1 -1\n",
    );
    check("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "Renamed x -> y +0 -0\n");
    check("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "Copied x -> y +0 -0\n");
    check(
        &format!("diff --git a/x b/x\ndissimilarity index 90%\nindex 1111..2222 100644\n--- a/x\n+++ b/x\n{HUNK}"),
        "Modified x 100644..100644 1111..2222 @1,1 1,1@ +1 -1\n",
    );
}

#[test]
fn ids_have_either_length_and_worktree_content_has_none() {
    let (sha1, sha256) = ("12".repeat(20), "ab".repeat(32));
    check(
        &format!("diff --git a/x b/x\nindex {sha1}..{sha256} 100644\nBinary files a/x and b/x differ\n"),
        &format!("Modified x 100644..100644 {sha1}..{sha256} binary +0 -0\n"),
    );
    let zeros = "0".repeat(40);
    check(
        &format!("diff --git a/x b/x\nindex {sha1}..{zeros} 100644\n--- a/x\n+++ b/x\n{HUNK}"),
        &format!("Modified x 100644..100644 {sha1}..- @1,1 1,1@ +1 -1\n"),
    );
}

#[test]
fn paths_lose_quotes_and_prefixes() {
    for (old, new, path) in [
        ("a/x", "b/x", "x"),
        ("i/x", "w/x", "x"),
        ("c/src/x", "o/src/x", "src/x"),
        ("a/p q", "b/p q", "p q"),
        ("a/a/x b/x", "b/a/x b/x", "a/x b/x"),
        ("a/ b/x", "b/ b/x", " b/x"),
        ("before/p q", "after/p q", "p q"),
        ("src/x", "src/x", "src/x"),
        ("x", "x", "x"),
        ("p q/r s", "p q/r s", "p q/r s"),
        ("\"a/\\303\\244 b\"", "\"b/\\303\\244 b\"", "ä b"),
        ("\"a/\\\"\\\\\\t\"", "\"b/\\\"\\\\\\t\"", "\"\\\\011"),
        ("\"src/\\a\\b\\v\\f\\r\\n\"", "\"src/\\a\\b\\v\\f\\r\\n\"", "src/\\007\\010\\013\\014\\015\\012"),
    ] {
        // Without `---` and `+++` the first line alone says the path.
        let text = format!("diff --git {old} {new}\nold mode 100644\nnew mode 100755\n");
        check(&text, &format!("ModeChanged {path} 100644..100755 +0 -0\n"));
        let text = format!("diff --git {old} {new}\nindex 1111..2222\n--- {old}\t\n+++ {new}\t\n{HUNK}");
        check(&text, &format!("Modified {path} 1111..2222 @1,1 1,1@ +1 -1\n"));
        let text =
            format!("diff --git {old} {new}\nnew file mode 100644\n--- /dev/null\n+++ {new}\n@@ -0,0 +1 @@\n+a\n");
        check(&text, &format!("Added {path} -..100644 @0,0 1,1@ +1 -0\n"));
    }
    check("diff --git \"a/\\303\\244\" b/a\nrename from \"\\303\\244\"\nrename to a\n", "Renamed ä -> a +0 -0\n");
    check(
        &format!("diff --git v/1/src/x w/src/x\n--- v/1/src/x\n+++ w/src/x\n{HUNK}"),
        "Modified src/x @1,1 1,1@ +1 -1\n",
    );
}

#[test]
fn plain_diffs_have_times_and_directories() {
    let time = "2024-01-01 00:00:00.000000000 +0000";
    for (old, new, expected) in [
        ("a/x", "b/x", "Modified x"),
        ("x", "x", "Modified x"),
        ("x.orig", "x", "Modified x"),
        ("x", "x~", "Modified x"),
        ("src/x", "b/src/x", "Modified src/x"),
        ("./old/src/x", "./new/src/x", "Modified src/x"),
        ("a/x", "b/y", "Renamed x -> y"),
        ("src/x", "src/y", "Renamed src/x -> src/y"),
        ("\"old/p q\"", "\"new/p q\"", "Modified p q"),
    ] {
        let hunk = " @1,1 1,1@ +1 -1\n";
        check(&format!("--- {old}\t{time}\n+++ {new}\t{time}\n{HUNK}"), &format!("{expected}{hunk}"));
        check(&format!("diff -ru {old} {new}\n--- {old}\n+++ {new}\n{HUNK}"), &format!("{expected}{hunk}"));
    }
    let added = "@@ -0,0 +1 @@\n+a\n";
    check(&format!("--- /dev/null\n+++ b/src/x\n{added}"), "Added src/x @0,0 1,1@ +1 -0\n");
    check(&format!("--- /dev/null\n+++ src/x\n{added}"), "Added src/x @0,0 1,1@ +1 -0\n");
    for epoch in
        ["1970-01-01 00:00:00.000000000 +0000", "1970-01-01 05:30:00 +0530", "1969-12-31 19:00:00.000000000 -0500"]
    {
        check(&format!("--- old/x\t{epoch}\n+++ new/x\t{time}\n{added}"), "Added x @0,0 1,1@ +1 -0\n");
    }
    for no_epoch in ["1970-01-01 00:00:01 +0000", "1970-01-01 00:00:00 +0100", "1969-12-31 19:00:00 +0500", time] {
        check(&format!("--- old/x\t{no_epoch}\n+++ new/x\t{time}\n{added}"), "Modified x @0,0 1,1@ +1 -0\n");
    }
    check("Only in old: x\nBinary files old/i and new/i differ\n", "Modified i binary +0 -0\n");
}

#[test]
fn paths_that_no_repository_has_are_errors() {
    for (path, reason) in [
        ("/etc/passwd", "is absolute; paths of a diff are relative to the root of the repository"),
        ("a/../../x", "leads out of the repository by `..`"),
        ("a/.git/config", "names `.git`, which is no content of the repository"),
        ("a/.GIT", "names `.git`, which is no content of the repository"),
        ("a//x", "has an empty component"),
        ("a/./x", "has a component `.`"),
    ] {
        let text = format!("diff --git a/x b/y\nrename from {path}\nrename to y\n");
        check(&text, &format!("line 1: path `{path}` {reason}\n"));
        check(&format!("x\n--- {path}\n+++ {path}\n{HUNK}"), &format!("line 2: path `{path}` {reason}\n"));
    }
    check(
        "diff --git \"a\\000b\" \"a\\000b\"\nnew file mode 100644\n",
        "line 1: path `a\\u{0}b` contains NUL, which no path does\n",
    );
    let unsplit = "cannot be split into an old and a new path; a diff with `--- OLD` and `+++ NEW` can be read";
    check("diff --git a/x b/y\nnew file mode 100644\n", &format!("line 1: path `a/x b/y` {unsplit}\n"));
    check(
        "diff --git \"a/x b/x\nrename from \"x\nrename to y\n",
        "line 2: path `\"x` is quoted, but not as git quotes; `\"a\\tb\"` is right\n",
    );
    check(
        &format!("--- /dev/null\n+++ /dev/null\n{HUNK}"),
        "line 1: path `/dev/null` stands on both sides; one has to be a file\n",
    );
}

#[test]
fn binary_files_have_no_hunks() {
    check(
        "diff --git a/i b/i\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/i differ\n",
        "Added i -..100644 -..1111111 binary +0 -0\n",
    );
    let payload =
        "GIT binary patch\nliteral 10\nRcmZQzU|?imU|?VX000010RR91\nRcmZQz@@-1\n\ndelta 7\nOcmZQ%U}BJh000Z902u%P\n\n";
    let next = format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}");
    check(
        &format!("diff --git a/i b/i\nindex 1111..2222 100644\n{payload}{next}"),
        "Modified i 100644..100644 1111..2222 binary +0 -0\nModified x @1,1 1,1@ +1 -1\n",
    );
    // A payload that was cut does not take the next file with it.
    check(
        &format!("diff --git a/i b/i\nindex 1111..2222 100644\n{}{next}", &payload[..40]),
        "Modified i 100644..100644 1111..2222 binary +0 -0\nModified x @1,1 1,1@ +1 -1\n",
    );
}

#[test]
fn submodules_are_told_in_both_formats() {
    check(
        "diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n\
         @@ -1 +1 @@\n-Subproject commit 1111111\n+Subproject commit 2222222\n",
        "Modified lib 160000..160000 1111111..2222222 submodule @1,1 1,1@ +1 -1\n",
    );
    check(
        "Submodule my lib 1111111..2222222:\n  > more\n  < less\nSubmodule b 1111111...2222222 (rewind):\n\
         Submodule c 0000000...1111111 (new submodule)\nSubmodule d 1111111...0000000 (submodule deleted)\n\
         Submodule e contains modified content\n",
        "Modified my lib 160000..160000 1111111..2222222 submodule +0 -0\n\
         Modified b 160000..160000 1111111..2222222 submodule +0 -0\n\
         Added c -..160000 -..1111111 submodule +0 -0\n\
         Deleted d 160000..- 1111111..- submodule +0 -0\n",
    );
}

#[test]
fn a_change_of_type_is_one_patch() {
    let deletion = "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n\
                    @@ -1,2 +0,0 @@\n-a\n-b\n";
    let addition = "diff --git a/x b/x\nnew file mode 120000\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n\
                    @@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n";
    check(&format!("{deletion}{addition}"), "TypeChanged x 100644..120000 1111111..2222222 @1,2 1,1@ +1 -2\n");
    let other = addition.replace("/x", "/z");
    check(
        &format!("{deletion}{other}"),
        "Deleted x 100644..- 1111111..- @1,2 0,0@ +0 -2\nAdded z -..120000 -..2222222 @0,0 1,1@ +1 -0\n",
    );
}

#[test]
fn beside_a_link_the_text_of_the_file_is_whole() {
    let deletion = "diff --git a/x b/x\ndeleted file mode 120000\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n\
                    @@ -1 +0,0 @@\n-y\n\\ No newline at end of file\n";
    let addition = "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n\
                    @@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n";
    let text = format!("{deletion}{addition}");
    let patches = parse(text.as_bytes()).unwrap();
    let [patch] = patches.as_slice() else { panic!("{patches:?}") };
    assert!(patch.symlink() && !patch.only_dirties_submodule());
    assert_eq!(patch.file_texts(), [None, Some(b"a\nb".to_vec())]);
}

#[test]
fn uncommitted_files_of_a_submodule_are_told_from_another_commit() {
    let header = "diff --git a/lib b/lib\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1111111\n";
    for (line, expected) in
        [("+Subproject commit 1111111-dirty\n", true), ("+Subproject commit 2222222-dirty\n", false)]
    {
        let text = format!("{header}{line}");
        assert_eq!(parse(text.as_bytes()).unwrap()[0].only_dirties_submodule(), expected, "{line}");
    }
}

#[test]
fn messages_and_signatures_are_passed_over() {
    let mail = format!(
        "From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\n\
         Subject: [PATCH] x\n\n--- not a path\n+++ neither\n- a point\ndiff --git a/quoted b/quoted\nbehind it\n---\n \
         x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/x b/x\nindex 1111..2222 100644\n\
         --- a/x\n+++ b/x\n{HUNK}-- \n2.47.3\n\n"
    );
    let expected = "Modified x 100644..100644 1111..2222 @1,1 1,1@ +1 -1\n";
    check(&mail, expected);
    check(&format!("{mail}{mail}"), &format!("{expected}{expected}"));
}

#[test]
fn lines_of_a_hunk_may_look_like_headers() {
    check(
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n--- a/y\n+++ b/y\n-- \n diff --git a/z b/z\n+@@ -1 +1 @@\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
        "Modified x @1,3 1,3@ +2 -2\nModified z @1,1 1,1@ +1 -1\n",
    );
}

#[test]
fn combined_diffs_are_refused() {
    let right = "a combined diff has no single old side; use a two-sided diff, such as `git diff OLD NEW` or \
                 `git show --first-parent MERGE`";
    check("commit 1\n\ndiff --cc x\nindex 1,2..3\n", &format!("line 3: {right}\n"));
    check("diff --combined x\n", &format!("line 1: {right}\n"));
    check("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n- a\n", &format!("line 3: {right}\n"));
}

#[test]
fn hunks_that_are_not_what_they_say_are_errors() {
    for (hunk, expected) in [
        (
            "@@ -1,2 +1,2 @@\n a\n",
            "line 5: the diff ends inside the hunk `@@ -1,2 +1,2 @@`; 1 old line and 1 new line are missing",
        ),
        ("@@ -1,2 +1 @@\n a\n", "line 5: the diff ends inside the hunk `@@ -1,2 +1 @@`; 1 old line is missing"),
        (
            "@@ -1,2 +1,2 @@\n a\ndiff --git a/y b/y\n",
            "line 5: `diff --git a/y b/y` begins with none of ` `, `+`, `-`, but in the hunk `@@ -1,2 +1,2 @@` 1 old line and \
             1 new line are missing",
        ),
        ("@@ -1 +1 @@\n-a\n+b\n+c\n", "line 6: the hunk `@@ -1 +1 @@` has more lines than it says"),
        ("@@ -1 +1,2 @@\n-a\n-b\n+c\n", "line 5: the hunk `@@ -1 +1,2 @@` has more lines than it says"),
        ("@@ -1,99999999999 +1 @@\n-a\n", "line 3: `@@ -1,99999999999 +1 @@` is not of the form `@@ -1,2 +1,2 @@`"),
        ("@@ -1 1 @@\n-a\n", "line 3: `@@ -1 1 @@` is not of the form `@@ -1,2 +1,2 @@`"),
        ("@@ -1 +1 @@\n\\ x\n", "line 4: `\\` has to follow a line of the hunk, which has no line end then"),
        (
            "@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n",
            "line 5: only the last line can have no line end, but 1 old line and 1 new line are missing",
        ),
    ] {
        check(&format!("--- a/x\n+++ b/x\n{hunk}"), &format!("{expected}\n"));
    }
    check(
        &format!("--- a/x\n+++ b/x\n{HUNK}\n{HUNK}"),
        "line 7: the hunk belongs to no file; `--- OLD` and `+++ NEW` have to stand before it\n",
    );
    check("diff --git a/x b/x\n--- a/x\n+++ b/x\n", "line 4: a hunk has to follow `+++`, and begins with `@@ -`\n");
}

#[test]
fn headers_that_git_does_not_write_are_errors() {
    for (header, expected) in [
        ("old mode 10064x", "`10064x` is not a mode such as `100644`"),
        ("new file mode -1", "`-1` is not a mode such as `100644`"),
        ("index 1111111", "`1111111` is not of the form `0123456..89abcde 100644`"),
        ("index xyz..1111", "`xyz..1111` is not of the form `0123456..89abcde 100644`"),
    ] {
        check(&format!("diff --git a/x b/x\n{header}\n"), &format!("line 2: {expected}\n"));
    }
}

#[test]
fn colours_are_taken_away_where_headers_have_some() {
    check(
        "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1mindex 1111..2222 100644\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\
         \x1b[36m@@ -1,2 +1,2 @@\x1b[m \x1b[33mfn f()\x1b[m\n a\x1b[m\n\x1b[31m-b\x1b[m\n\x1b[32m+\x1b[m\x1b[32mc\x1b[m\x1b[41m \x1b[m\n",
        "Modified x 100644..100644 1111..2222 @1,2 1,2@fn f() +1 -1\n",
    );
    let text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\x1b[31ma\n+\x1b[32ma\n";
    assert_eq!(texts(&parse(text.as_bytes()).unwrap()), ["\x1b[31ma", "\x1b[32ma"]);
}

#[test]
fn line_ends_of_a_diff_are_not_those_of_its_lines() {
    let text = format!("diff --git a/x b/x\nnew mode 100755\nold mode 100644\n--- a/x\n+++ b/x\n{HUNK}");
    let returns = text.replace('\n', "\r\n");
    assert_eq!(summary(&parse(returns.as_bytes()).unwrap()), summary(&parse(text.as_bytes()).unwrap()));
    assert_eq!(texts(&parse(returns.as_bytes()).unwrap()), ["a", "b"]);
    let content = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n+b\r\n\r\n";
    assert_eq!(texts(&parse(content.as_bytes()).unwrap()), ["a\r", "b\r", "\r"]);
}

#[test]
fn lines_say_their_kind_and_whether_they_end() {
    let text = b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n\\ No newline at end of file\n+c";
    let patches = parse(text).unwrap();
    let lines: Vec<_> = patches[0].hunks[0].lines().map(|line| (line.kind, line.text, line.ended)).collect();
    assert_eq!(
        lines,
        [
            (LineKind::Context, &b"a"[..], true),
            (LineKind::Context, b"", true),
            (LineKind::Removed, b"b", false),
            (LineKind::Added, b"c", true),
        ]
    );
}

#[test]
fn many_files_are_read_in_place() {
    let file = |number: usize| format!("diff --git a/{number} b/{number}\n--- a/{number}\n+++ b/{number}\n{HUNK}");
    let text: String = (0..10_000).map(file).collect();
    let patches = parse(text.as_bytes()).unwrap();
    assert_eq!(patches.len(), 10_000);
    let range = text.as_bytes().as_ptr_range();
    let lines = patches.iter().flat_map(|patch| &patch.hunks).flat_map(|hunk| hunk.lines());
    assert_eq!(lines.filter(|line| range.contains(&line.text.as_ptr())).count(), 20_000);
}

fn texts(patches: &[FilePatch<'_>]) -> Vec<String> {
    let lines = patches.iter().flat_map(|patch| &patch.hunks).flat_map(|hunk| hunk.lines());
    lines.map(|line| String::from_utf8_lossy(line.text).into_owned()).collect()
}

#[test]
fn a_diff_that_ends_before_its_first_hunk_is_refused() {
    let begin = "diff --git a/a.py b/a.py\nindex 1111111..2222222 100644\n";
    for text in [begin.to_owned(), format!("{begin}diff --git a/b.py b/b.py\nold mode 100644\nnew mode 100755\n")] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3: the diff ends before what changed: `index` names two contents, and no hunk follows"
        );
    }
    assert!(parse(b"diff --git a/a.py b/a.py\nnew file mode 100644\nindex 0000000..e69de29\n").is_ok());
}

#[test]
fn a_patch_of_files_without_end_is_refused() {
    let file = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
    let error = parse(file.repeat(100_001).as_bytes()).unwrap_err();
    insta::assert_snapshot!(error, @"the diff is about more than 100000 files; name the commits instead: `icr impact BASE..HEAD`");
    assert_eq!(parse(file.repeat(100_000).as_bytes()).unwrap().len(), 100_000);
}
