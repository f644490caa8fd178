//! What a patch makes of which content.

use super::{Direction, apply, parse};

/// `result` is the content that the patch of `a/f` and `b/f` with `hunks` makes of `content`, or the error.
#[track_caller]
fn check(hunks: &str, content: &str, result: &str) {
    check_text(&format!("--- a/f\n+++ b/f\n{hunks}"), content, Direction::Forward, result);
}

#[track_caller]
fn check_text(text: &str, content: &str, direction: Direction, result: &str) {
    let patches = parse(text.as_bytes()).expect("the diff is one");
    assert_eq!(patches.len(), 1);
    let answer = match apply(&patches[0], content.as_bytes(), direction) {
        Ok(content) => String::from_utf8(content).expect("the texts are UTF-8"),
        Err(error) => error.to_string(),
    };
    assert_eq!(answer, result);
}

const INSIDE: &str = "@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n";

#[test]
fn a_hunk_fits_at_its_line() {
    check(INSIDE, "c\nd\nc\nd\ne\nc\nd\ne\n", "c\nd\nc\nD\ne\nc\nd\ne\n");
    check(INSIDE, "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n");
}

#[test]
fn a_hunk_fits_at_the_nearest_line_where_all_of_it_is() {
    check(INSIDE, "c\nd\ne\nf\n", "c\nD\ne\nf\n");
    check(INSIDE, "1\n2\n3\n4\nc\nd\ne\nf\n", "1\n2\n3\n4\nc\nD\ne\nf\n");
    check(INSIDE, "c\nd\ne\nc\nd\ne\nf\n", "c\nd\ne\nc\nD\ne\nf\n");
}

#[test]
fn of_two_places_equally_near_the_later_is_taken_as_by_git() {
    check("@@ -4,3 +4,3 @@\n c\n-d\n+D\n e\n", "1\nc\nd\ne\n2\nc\nd\ne\nf\n", "1\nc\nd\ne\n2\nc\nD\ne\nf\n");
}

#[test]
fn what_the_file_has_instead_is_said() {
    let right = "`f` line 4: the patch expects `d`, the file has `x` (hunk 1 of 1)";
    check(INSIDE, "a\nb\nc\nx\ne\nf\n", right);
    check(INSIDE, "a\nb\nc\n", "`f` line 4: the patch expects `d`, the file has only 3 lines (hunk 1 of 1)");
    check(INSIDE, "", "`f` line 1: the patch expects `c`, the file has only 0 lines (hunk 1 of 1)");
    let long = format!("a\nb\nc\n{}\ne\n", "ö".repeat(100));
    let right = format!("`f` line 4: the patch expects `d`, the file has `{}…` (hunk 1 of 1)", "ö".repeat(80));
    check(INSIDE, &long, &right);
    check(
        INSIDE,
        "a\nb\nc\n\x1b[31m\ne\n",
        "`f` line 4: the patch expects `d`, the file has `\\u{1b}[31m` (hunk 1 of 1)",
    );
}

#[test]
fn a_mismatch_is_looked_for_as_far_away_as_the_hunk_before_was() {
    let hunks = format!("{INSIDE}@@ -7,3 +7,3 @@\n g\n-h\n+H\n i\n");
    let content = "1\n2\na\nb\nc\nd\ne\nf\ng\nx\ni\nj\n";
    check(&hunks, content, "`f` line 10: the patch expects `h`, the file has `x` (hunk 2 of 2)");
}

#[test]
fn hunks_go_from_top_to_bottom() {
    let hunks = format!("{INSIDE}@@ -2,3 +2,3 @@\n b\n-c\n+C\n D\n");
    let right = "`f` line 2: hunk 2 of 2 overlaps the one before it; hunks have to go from top to bottom";
    check(&hunks, "a\nb\nc\nd\ne\nf\n", right);
}

#[test]
fn the_beginning_and_the_end_of_the_file_are_context() {
    let first = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n";
    check(first, "a\nb\nc\n", "A\nb\nc\n");
    check(first, "x\na\nb\nc\n", "`f` line 1: the patch expects `a`, the file has `x` (hunk 1 of 1)");
    let last = "@@ -2,2 +2,2 @@\n b\n-c\n+C\n";
    check(last, "a\nb\nc\n", "a\nb\nC\n");
    check(last, "a\nb\nc\nx\n", "`f` line 4: the patch expects no more lines, the file has `x` (hunk 1 of 1)");
    check(last, "x\ny\na\nb\nc\n", "x\ny\na\nb\nC\n");
}

#[test]
fn a_hunk_without_context_fits_at_its_line_alone() {
    check("@@ -2 +2 @@\n-b\n+B\n", "a\nb\nc\n", "a\nB\nc\n");
    check("@@ -2 +2 @@\n-b\n+B\n", "a\nx\nb\n", "`f` line 2: the patch expects `b`, the file has `x` (hunk 1 of 1)");
    check("@@ -1,0 +2 @@\n+x\n", "a\nb\n", "a\nx\nb\n");
    check("@@ -0,0 +1 @@\n+x\n", "a\nb\n", "x\na\nb\n");
    check("@@ -2,0 +3 @@\n+x\n", "a\nb\n", "a\nb\nx\n");
    let right =
        "`f` line 3: the patch expects at least 3 lines before the new ones, the file has only 2 lines (hunk 1 of 1)";
    check("@@ -3,0 +4 @@\n+x\n", "a\nb\n", right);
    let right = "`f` line 2: the patch expects a line end before the new lines, the file has `b` without a line end (hunk 1 of 1)";
    check("@@ -2,0 +3 @@\n+x\n", "a\nb", right);
}

#[test]
fn the_end_of_the_last_line_is_as_the_patch_says() {
    let no_end = "\\ No newline at end of file\n";
    check(&format!("@@ -1,2 +1,2 @@\n a\n-b\n{no_end}+b\n"), "a\nb", "a\nb\n");
    check(&format!("@@ -1,2 +1,2 @@\n a\n-b\n+b\n{no_end}"), "a\nb\n", "a\nb");
    check(&format!("@@ -1,2 +1,2 @@\n-a\n+A\n b\n{no_end}"), "a\nb", "A\nb");
    let right = "`f` line 2: the patch expects `b` without a line end, the file has `b` (hunk 1 of 1)";
    check(&format!("@@ -1,2 +1,2 @@\n-a\n+A\n b\n{no_end}"), "a\nb\n", right);
    let right = "`f` line 2: the patch expects `b`, the file has `b` without a line end (hunk 1 of 1)";
    check("@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "a\nb", right);
    // A line without an end is the last, also where only the new one has none.
    let right = "`f` line 2: the patch expects no more lines, the file has `b` (hunk 1 of 1)";
    check(&format!("@@ -1 +1 @@\n-a\n+A\n{no_end}"), "a\nb\n", right);
}

#[test]
fn other_line_ends_fit_and_stay() {
    check(INSIDE, "a\r\nb\r\nc\r\nd\r\ne\r\n", "a\r\nb\r\nc\r\nD\r\ne\r\n");
    let returns =
        INSIDE.replace("D\n", "D\r\n").replace("d\n", "d\r\n").replace("c\n", "c\r\n").replace("e\n", "e\r\n");
    check(&returns, "a\nb\nc\nd\ne\n", "a\nb\nc\nD\ne\n");
    // Where the lines are equal with their ends, the patch may change these.
    check("@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n", "a\nb\n", "a\r\nb\n");
    check("@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n", "a\r\nb\r\n", "a\nb\r\n");
    let right = "`f` line 4: the patch expects `d`, the file has `x\\r` (hunk 1 of 1)";
    check(INSIDE, "a\r\nb\r\nc\r\nx\r\ne\r\n", right);
}

#[test]
fn new_and_deleted_files_are_all_or_nothing() {
    let new = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    check_text(new, "", Direction::Forward, "a\nb\n");
    check_text(new, "a\nb\n", Direction::Reverse, "");
    check_text(new, "x\n", Direction::Forward, "`f`: the patch creates this file, but it exists already, with 1 line");
    check_text(
        new,
        "a\nb\nc\nd\n",
        Direction::Reverse,
        "`f`: the patch deletes this file, but 2 lines of it would be left",
    );
    let empty = "diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n";
    check_text(empty, "", Direction::Forward, "");
    check_text(empty, "", Direction::Reverse, "");
    check_text(empty, "a\n", Direction::Forward, "`f`: the patch deletes this file, but 1 line of it would be left");
    let left_out = "diff --git a/f b/f\ndeleted file mode 100644\nindex 1111111..0000000\n";
    check_text(left_out, "a\n", Direction::Forward, "");
    let right = "`f`: the diff leaves out what the deleted file held; make it without `--irreversible-delete`";
    check_text(left_out, "", Direction::Reverse, right);
}

#[test]
fn a_patch_without_hunks_changes_no_content() {
    let renamed = "diff --git a/e b/f\nsimilarity index 100%\nrename from e\nrename to f\n";
    check_text(renamed, "a\n", Direction::Forward, "a\n");
    check_text(renamed, "a\n", Direction::Reverse, "a\n");
}

#[test]
fn binary_files_cannot_be_made() {
    let binary = "diff --git a/i b/i\nindex 1111..2222 100644\nBinary files a/i and b/i differ\n";
    let right = "`i` is binary; its content cannot be made from a diff";
    check_text(binary, "a\n", Direction::Forward, right);
}

#[test]
fn a_file_that_repeats_itself_without_end_is_given_up() {
    // Every line of the file is a candidate for every line of the hunk; all but the last are equal.
    let lines = 20_000;
    let hunk = format!("@@ -9,{0} +9,{0} @@\n{1}-b\n+B\n a\n", lines / 2 + 2, " a\n".repeat(lines / 2));
    let content = format!("{}{}", "a\n".repeat(lines * 4), "b\n".repeat(lines * 5));
    let right = "`f`: hunk 1 of 1 is not at its line, and the file repeats itself too much to find where it is";
    check(&hunk, &content, right);
}
