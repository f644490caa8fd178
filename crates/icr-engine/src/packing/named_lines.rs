//! Finds references to lines of files in a text.

use std::sync::LazyLock;

use regex::Regex;

/// Ways to write a line of a file: as compilers and links do, as Python's tracebacks do, and as people do.
const FORMS: [&str; 4] = [
    r#"File "(?<path>[^"\n]+)", line (?<line>\d{1,7})"#,
    r#"(?<path>[^\s"'`()<>\[\],;:#]*[^\s"'`()<>\[\],;:#.])(?::|#L?|\()(?<line>\d{1,7})"#,
    r#"(?<path>[^\s"'`()<>\[\],;:#]*[^\s"'`()<>\[\],;:#.])["'`)]?,? (?:at |on |in )?(?:lines? |L)(?<line>\d{1,7})"#,
    r#"lines? (?<line>\d{1,7})(?: ?(?:-|–|to) ?\d{1,7})? (?:of|in) ["'`]?(?<path>[^\s"'`()<>\[\],;:#]*[^\s"'`()<>\[\],;:#.])"#,
];

/// Index in [`FORMS`] of the form of Python tracebacks.
const TRACEBACK: usize = 0;

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| FORMS.iter().map(|form| Regex::new(form).expect("a test compiles every form")).collect());

/// Lines that are looked for in one text: a log has many.
const LINES_MOST: usize = 100;

/// A line of a file as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedLine {
    /// Any text that may be a path, or an address that ends with one.
    pub(super) path: String,
    /// 1-based; of a range the first.
    pub(super) line: u32,
}

/// The lines of files that `text` names, each once, at most 100, in order. Lines of Python tracebacks are in reverse
/// order, because the error is in the last one. Does not check whether the files exist.
pub(super) fn named_lines(text: &str) -> Vec<NamedLine> {
    // Most prompts name no number, and the patterns take milliseconds to compile.
    if !text.contains(|character: char| character.is_ascii_digit()) {
        return Vec::new();
    }
    let mut found: Vec<(usize, NamedLine)> = Vec::new();
    for captures in PATTERNS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let path = captures["path"].replace('\\', "/");
        let path = path.trim_start_matches('@');
        let path = path.strip_prefix("./").unwrap_or(path).to_owned();
        let Ok(line) = captures["line"].parse() else { continue };
        let named = NamedLine { path, line };
        // A word without a slash and a dot is prose or a time of day.
        if named.path.contains(['/', '.']) || named.path.chars().next().is_some_and(char::is_uppercase) {
            let at = captures.get(0).map_or(0, |whole| whole.start());
            if found.iter().all(|(_, known)| *known != named) {
                found.push((at, named));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    if PATTERNS[TRACEBACK].is_match(text) {
        found.reverse();
    }
    found.into_iter().map(|(_, named)| named).take(LINES_MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let named: Vec<String> =
            named_lines(text).iter().map(|named| format!("{}:{}", named.path, named.line)).collect();
        assert_eq!(named, expected, "{text}");
    }

    #[test]
    fn lines_are_named_in_many_ways() {
        check("why does src/a.py:12 fail?", &["src/a.py:12"]);
        check("see `src/a.py:12:5` and ./b.rs#L7-L9.", &["src/a.py:12", "b.rs:7"]);
        check("https://example.org/o/r/blob/main/src/a.py#L1500", &["//example.org/o/r/blob/main/src/a.py:1500"]);
        check("  File \"/srv/r/src/a.py\", line 20, in main", &["/srv/r/src/a.py:20"]);
        check("File \"/lib/a.py\", line 1\nFile \"/lib/b.py\", line 2", &["/lib/b.py:2", "/lib/a.py:1"]);
        check("a.py(20): error", &["a.py:20"]);
        check("core.py lines 15-20, and line 4 of `mux.go`", &["core.py:15", "mux.go:4"]);
        check("b.rs, line 3", &["b.rs:3"]);
        check("src/a.py L1500 and @src/b.py#70", &["src/a.py:1500", "src/b.py:70"]);
        check("src\\a.py:12", &["src/a.py:12"]);
        check("Makefile:4", &["Makefile:4"]);
    }

    #[test]
    fn what_is_no_line_of_a_file_is_none() {
        for text in ["at 12:30 o'clock", "f(12)", "step 3: do it", "the line 5 is long", "", "a.py"] {
            check(text, &[]);
        }
    }
}
