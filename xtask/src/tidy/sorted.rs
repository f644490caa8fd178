//! Lists that must stay sorted: rows between `tidy: sorted` and the next `tidy: end`, and the dependency tables of
//! manifests.

use super::{TidyFinding, Tree};

/// Marks around sorted rows. Each is put together from parts, so that this file does not contain one by accident.
const BEGIN: &str = concat!("tidy: ", "sorted");
const END: &str = concat!("tidy: ", "end");

/// Every marked list is sorted.
pub(crate) fn sorted(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        let is_manifest = path == "Cargo.toml" || path.ends_with("/Cargo.toml");
        if is_manifest {
            findings.extend(dependencies(path, text));
        }
        if is_manifest || path.ends_with(".rs") || path.starts_with(".ci/") {
            findings.extend(marked(path, text));
        }
    }
    findings
}

fn marked(path: &str, text: &str) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let mut block: Option<(usize, Vec<SortedBlockRow<'_>>)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (is_mark(line, BEGIN), is_mark(line, END), &mut block) {
            (true, _, None) => block = Some((number, Vec::new())),
            (true, _, Some((begin, _))) => {
                findings.push(TidyFinding::at(path, number, format!("end the rows that begin in line {begin} first")));
            }
            (_, true, None) => findings.push(TidyFinding::at(path, number, "there are no rows to end here")),
            (_, true, Some((_, rows))) => {
                findings.extend(out_of_order(path, rows));
                block = None;
            }
            (false, false, Some((_, rows))) => rows.extend(SortedBlockRow::of(number, line)),
            (false, false, None) => {}
        }
    }
    findings
        .extend(block.map(|(begin, _)| TidyFinding::at(path, begin, format!("say where the rows end with `{END}`"))));
    findings
}

/// A blank line begins a new group, so that a workspace's own crates can stand before the others.
fn dependencies(path: &str, text: &str) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let mut rows = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let is_header = line.starts_with('[');
        if is_header || line.trim().is_empty() {
            findings.extend(out_of_order(path, &rows));
            rows.clear();
        }
        if is_header {
            inside = line.trim_end().ends_with("dependencies]");
        } else if inside {
            rows.extend(SortedBlockRow::of(number, line));
        }
    }
    findings.extend(out_of_order(path, &rows));
    findings
}

/// Whether the line is a comment that says `mark`, and nothing else.
fn is_mark(line: &str, mark: &str) -> bool {
    line.trim().trim_start_matches(['/', '#']).trim() == mark
}

struct SortedBlockRow<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

impl<'a> SortedBlockRow<'a> {
    /// `None` for what belongs to the row before or after: comments, attributes, closing brackets.
    fn of(number: usize, line: &'a str) -> Option<Self> {
        let text = line.trim_start();
        let is_row = !text.is_empty() && !text.starts_with(['/', '#', ')', ']', '}']);
        is_row.then_some(Self { number, indent: line.len() - text.len(), text: text.trim_end() })
    }
}

/// Rows that sort before the row above them. Lines with more indentation than the first belong to the row above.
fn out_of_order(path: &str, lines: &[SortedBlockRow<'_>]) -> Vec<TidyFinding> {
    let Some(indent) = lines.first().map(|line| line.indent) else { return Vec::new() };
    // The first line of a row that spans several lines may be only a bracket, which has no key.
    let starts = lines.iter().enumerate().filter(|(_, line)| line.indent <= indent);
    let rows: Vec<&SortedBlockRow<'_>> = starts
        .map(|(at, line)| if key(line.text).is_empty() { lines.get(at + 1).unwrap_or(line) } else { line })
        .collect();
    let pairs = rows.windows(2).filter(|pair| key(pair[0].text) > key(pair[1].text));
    let right =
        |pair: &[&SortedBlockRow<'_>]| format!("`{}` belongs before `{}`", key(pair[1].text), key(pair[0].text));
    pairs.map(|pair| TidyFinding::at(path, pair[1].number, right(pair))).collect()
}

/// The sort key of a row: its name only, so that `icr` comes before `icr-git`.
fn key(text: &str) -> &str {
    text.split([' ', '.', '=', ',']).next().unwrap_or(text).trim_matches(['"', '(', '[', '{', '&'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let text = text.replace("BEGIN", BEGIN).replace("END", END);
        let findings = sorted(&Tree::of_texts(&[(path, &text)]));
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_between_marks_are_compared() {
        check("a.rs", "z\n// BEGIN\n(\"a\", 2),\n(\"a-b\", 1),\n// END\na\n", &[]);
        check("a.rs", "// BEGIN\n  (\"b\", 1),\n  (\"a\", 2),\n// END\n", &["a.rs:3: `a` belongs before `b`"]);
    }

    #[test]
    fn a_row_may_have_comments_and_several_lines() {
        check("a.rs", "// BEGIN\n// z\n(\n    \"b\",\n    \"a\",\n),\n#[x]\n(\n    \"c\",\n),\n// END\n", &[]);
        check("a.rs", "// BEGIN\n(\n    \"b\",\n),\n(\"a\", 1),\n// END\n", &["a.rs:5: `a` belongs before `b`"]);
    }

    #[test]
    fn marks_come_in_pairs() {
        check("a.rs", "// BEGIN\na\n", &[&format!("a.rs:1: say where the rows end with `{END}`")]);
        check("a.rs", "// END\n", &["a.rs:1: there are no rows to end here"]);
        check("a.rs", "// BEGIN\n// BEGIN\n// END\n", &["a.rs:2: end the rows that begin in line 1 first"]);
    }

    #[test]
    fn dependencies_are_compared_in_groups() {
        check("Cargo.toml", "[workspace.dependencies]\nicr-b = 1\n\na = 1\nb = 2\n[lints]\nz = 1\na = 2\n", &[]);
        check(
            "x/Cargo.toml",
            "[dev-dependencies]\nb.workspace = true\n# why\na.workspace = true\n",
            &["x/Cargo.toml:4: `a` belongs before `b`"],
        );
    }
}
