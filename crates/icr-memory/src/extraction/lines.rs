//! Classifies the lines of a text.

use crate::near_duplicates::code_spans;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextLineKind<'a> {
    /// An empty line.
    Blank,
    /// An item of a list, without its bullet or number.
    Item(&'a str),
    /// A heading with a statement behind a label, without its `#` marks.
    Heading(&'a str),
    /// A line of prose.
    Prose,
    /// Code, a log, a table, data, a command, a heading, or output of icr.
    Other {
        /// Whether the next line belongs to the same output.
        announces_one: bool,
    },
    /// The first line of a diff.
    Diff,
    /// The first line of a stack trace.
    Trace,
}

/// A line that is skipped by itself.
const OTHER: TextLineKind<'_> = TextLineKind::Other { announces_one: false };

/// How lines begin that programs print, sorted. (`error: ` comes from a compiler; people begin with a capital letter.)
const PROGRAM_BEGINNINGS: &[&str] = &[
    "#!",
    "$ ",
    "% ",
    "*Cut: lines",
    "--> ",
    "/*",
    "//",
    "<!--",
    "=== ",
    "==> ",
    "Also in ",
    "Author: ",
    "Caused by:",
    "Date: ",
    "ERROR in ",
    "FAILED ",
    "File \"",
    "PASSED ",
    "PS C:\\",
    "called `Result::unwrap",
    "cargo:",
    "commit ",
    "debug: ",
    "error: ",
    "error[",
    "fatal: ",
    "goroutine ",
    "help: ",
    "hint: ",
    "icr: ",
    "info: ",
    "left: ",
    "make: ",
    "make[",
    "note: ",
    "npm ERR!",
    "npm WARN",
    "npm error",
    "npm warn",
    "ok ",
    "panic: ",
    "pip ",
    "right: ",
    "running ",
    "stack backtrace",
    "test result:",
    "trace: ",
    "warn: ",
    "warning: ",
    "warning[",
    "yarn ",
    "❯ ",
    "➜ ",
];

/// Words that cargo and similar tools print before the name of a crate.
const BUILD_STEPS: &[&str] = &[
    "Blocking",
    "Building",
    "Checking",
    "Compiling",
    "Documenting",
    "Downloaded",
    "Downloading",
    "Finished",
    "Fresh",
    "Installing",
    "Locking",
    "Removing",
    "Running",
    "Unpacking",
    "Updating",
];

/// Log levels.
const LEVELS: &[&str] =
    &["CRITICAL", "DEBUG", "ERR", "ERROR", "FATAL", "INFO", "NOTICE", "SEVERE", "TRACE", "VERBOSE", "WARN", "WARNING"];

/// Month names in system logs.
const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Importances that can begin the parentheses of a line of recalled memories.
const IMPORTANCES: &[&str] = &["critical", "high", "low", "medium"];

/// The kind of `line`, which must be trimmed.
pub(super) fn line(line: &str) -> TextLineKind<'_> {
    if line.is_empty() {
        return TextLineKind::Blank;
    }
    if line.starts_with("diff --git ")
        || line.starts_with("@@ ")
        || line.starts_with("--- a/")
        || line.starts_with("+++ b/")
    {
        return TextLineKind::Diff;
    }
    if line.starts_with("Traceback (most recent call last)") || line.starts_with("stack backtrace") {
        return TextLineKind::Trace;
    }
    if line.starts_with("thread '") && line.contains("panicked at") {
        return TextLineKind::Other { announces_one: true };
    }
    if let Some(heading) = heading(line) {
        return if heading.contains(": ") { TextLineKind::Heading(heading) } else { OTHER };
    }
    if is_recalled(line) {
        return OTHER;
    }
    let (item, is_item) = match item(line) {
        Some(item) => (item, true),
        None => (line, false),
    };
    // An unchecked task is a plan.
    let item = match item.strip_prefix("[ ]") {
        Some(_) => return OTHER,
        None => item.strip_prefix("[x] ").or_else(|| item.strip_prefix("[X] ")).unwrap_or(item),
    };
    // A quotation is another person's words, unless it is a labelled remark.
    let item = match item.strip_prefix('>') {
        Some(quoted) if quoted.trim_start().starts_with("**") => quoted.trim_start(),
        Some(_) => return OTHER,
        None => item,
    };
    if is_printed(item) || is_logged(item) || is_tabular(item) || is_data(item) || is_code(item) {
        return OTHER;
    }
    if is_item { TextLineKind::Item(item) } else { TextLineKind::Prose }
}

/// The text of a heading; `None` if the line is none.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

/// The text of a list item; `None` if the line is none.
pub(super) fn item(line: &str) -> Option<&str> {
    if let Some(text) = line.strip_prefix(['-', '*', '+', '•', '–']) {
        return text.starts_with(' ').then(|| text.trim_start());
    }
    let unnumbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let text = unnumbered.strip_prefix(['.', ')'])?;
    ((1..=3).contains(&(line.len() - unnumbered.len())) && text.starts_with(' ')).then(|| text.trim_start())
}

/// Whether a line is a memory as recall prints it: a bullet with an importance in parentheses, or with a topic in
/// brackets.
fn is_recalled(line: &str) -> bool {
    let text = item(line).unwrap_or(line);
    let has_importance = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).is_some_and(|(_, inner)| {
        IMPORTANCES
            .iter()
            .any(|word| inner.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(';')))
    });
    let label = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    let has_topic = label.is_some_and(|(topic, rest)| {
        let is_task = matches!(topic, "" | " " | "x" | "X");
        !is_task && (rest.is_empty() || rest.starts_with(' '))
    });
    has_importance || has_topic
}

/// Whether the line is output of a program, or a command.
fn is_printed(line: &str) -> bool {
    let from = PROGRAM_BEGINNINGS.partition_point(|begin| *begin <= line);
    // The entry that sorts just before the line need not be a prefix of it, so shorter entries are tried too.
    let is_known =
        PROGRAM_BEGINNINGS[..from].iter().rev().take_while(|begin| begin.as_bytes()[0] == line.as_bytes()[0]);
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    let second = words.get(1).copied().unwrap_or_default();
    let is_step = BUILD_STEPS.contains(&words[0])
        && (words.len() == 1 || words.iter().any(|word| is_version(word)) || second.starts_with('`'));
    let is_test =
        words[0] == "test" && (line.ends_with(" ok") || line.ends_with(" FAILED") || line.ends_with(" ignored"));
    let is_frame =
        words[0] == "at" && (line.ends_with(')') || second.contains(['/', '\\'])) && second.contains(['.', '/', '\\']);
    let is_prompt = words[0].contains('@') && (words[0].ends_with('$') || words[0].ends_with('#'));
    let is_exception = words[0].strip_suffix(':').is_some_and(|name| {
        let name = name.rsplit('.').next().unwrap_or(name);
        let is_kind =
            ["Error", "Exception", "Warning"].iter().any(|kind| name.len() > kind.len() && name.ends_with(kind));
        is_kind && name.chars().all(char::is_alphanumeric)
    });
    is_known.into_iter().any(|begin| line.starts_with(begin))
        || is_step
        || is_test
        || is_frame
        || is_prompt
        || is_exception
        || line.contains(" commits/90d")
        || line.contains(" <- ")
}

fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether a line is from a log: it has a time of day, a level in capital letters, or begins with a month, a day and a
/// time.
fn is_logged(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    let bare = |word: &str| word.trim_matches(|character: char| !character.is_alphanumeric()).to_owned();
    let is_time = |word: &str| {
        let digits: Vec<&str> = word.split(':').collect();
        digits.len() >= 2 && digits.iter().all(|part| part.starts_with(|first: char| first.is_ascii_digit()))
    };
    let first = bare(words[0]);
    let second = words.get(1).copied().map(bare).unwrap_or_default();
    let third = words.get(2).copied().map(bare).unwrap_or_default();
    let is_date = first.len() >= 8
        && first.chars().all(|character| character.is_ascii_digit() || matches!(character, '-' | '/' | '.'));
    is_time(&first)
        || (is_date && (is_time(&second) || LEVELS.contains(&second.as_str())))
        || (MONTHS.contains(&first.as_str()) && is_time(&third))
        || (LEVELS.contains(&first.as_str()) && !words[0].starts_with('*'))
}

/// Whether a line is a row or a rule of a table, or a horizontal rule.
fn is_tabular(line: &str) -> bool {
    if line.starts_with('|') || line.starts_with('+') && line.ends_with('+') {
        return true;
    }
    if line
        .chars()
        .all(|character| matches!(character, '-' | '=' | '*' | '_' | '|' | ':' | ' ' | '+' | '─' | '━' | '│' | '┼'))
    {
        return true;
    }
    line.contains(" | ") && outside_code(line).any(|part| part.contains(" | ")) || line.contains(['│', '├', '└', '─'])
}

/// Whether a line is data or configuration: JSON, YAML, TOML, an assignment, measured numbers.
fn is_data(line: &str) -> bool {
    let numbers = line.split_whitespace().filter(|word| starts_with_digit(word)).count();
    if numbers >= 3 && numbers * 3 >= line.split_whitespace().count() {
        return true;
    }
    if line.starts_with(['{', '}', '"']) && (line.contains("\":") || line.ends_with(['{', '}', ',']))
        || line.starts_with("[{")
    {
        return true;
    }
    let statement = line.strip_prefix("export ").or_else(|| line.strip_prefix("set ")).unwrap_or(line);
    let name_end =
        statement.find(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '.' | '-'));
    let Some((name, rest)) = name_end.map(|end| statement.split_at(end)) else { return false };
    if name.is_empty() {
        return false;
    }
    let value = rest.trim_start();
    if let Some(value) = value.strip_prefix('=').or_else(|| value.strip_prefix(":=")) {
        return rest.starts_with('=')
            || value.trim_start().starts_with(['"', '\'', '[', '{', '-'])
            || starts_with_digit(value.trim_start())
            || matches!(value.trim(), "true" | "false");
    }
    let is_key = name.chars().all(|character| !character.is_uppercase());
    // A sentence behind a label has several words. A value with a comment has its words only behind the comment mark.
    let value = rest.strip_prefix(':').map(|value| value.split(" #").next().unwrap_or(value));
    is_key
        && value
            .is_some_and(|value| value.is_empty() || (value.starts_with(' ') && value.split_whitespace().count() < 3))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
}

/// Keywords that begin statements of programs, sorted.
const KEYWORDS: &[&str] = &[
    "ALTER", "CREATE", "DELETE", "DROP", "INSERT", "SELECT", "UPDATE", "async", "await", "class", "const", "def",
    "else", "enum", "export", "fn", "for", "from", "func", "function", "if", "impl", "import", "let", "match", "mod",
    "package", "private", "pub", "public", "return", "static", "struct", "switch", "throw", "try", "type", "use",
    "var", "while", "with",
];

/// Number of prose words that outweigh one sign of code.
const WORDS_PER_SIGN: usize = 6;

/// Whether a line is code: it has at least one sign of code for every few words.
fn is_code(line: &str) -> bool {
    if line.starts_with(['}', ')', '@', '<'])
        || (line.starts_with(['+', '-']) && !line.starts_with("--") && !line.starts_with("- "))
    {
        return true;
    }
    let text: String = outside_code(line).collect();
    // Words in a comment do not count for or against code.
    let text = text.split(" // ").next().unwrap_or(&text);
    let words = text.split_whitespace().filter(|word| {
        word.starts_with(char::is_alphabetic)
            && word.chars().all(|character| character.is_alphabetic() || ",.'’:-()".contains(character))
    });
    let words = words.count();
    let mut signs = ["=>", "==", "!=", "&&", "||", "::", "->", " = ", "+=", "</", "/>", "();", "){"]
        .iter()
        .map(|sign| text.matches(sign).count())
        .sum::<usize>();
    signs += text.matches(['{', '}']).count() + calls(text);
    signs += usize::from(signs > 0 && text.trim_end().ends_with(';')) * 2;
    let first = text.split_whitespace().next().unwrap_or_default();
    if KEYWORDS.binary_search(&first).is_ok() {
        let is_block = text.trim_end().ends_with(':') && !text.contains(". ");
        let is_query = first.starts_with(char::is_uppercase);
        let is_python_import = first == "from" && text.contains(" import ");
        signs += usize::from(signs > 0 || is_block || is_query || is_python_import) * 2;
    }
    signs > 0 && words < signs * WORDS_PER_SIGN
}

/// Number of brackets that open directly behind a name.
fn calls(text: &str) -> usize {
    let mut before = ' ';
    text.chars()
        .filter(|character| {
            let is_call = matches!(character, '(' | '[') && (before.is_alphanumeric() || matches!(before, '_' | '!'));
            before = *character;
            is_call
        })
        .count()
}

/// The parts of a line outside backticks.
fn outside_code(line: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let spans = code_spans(line).into_iter().chain(std::iter::once(line.len()..line.len()));
    spans.map(move |span| {
        let part = &line[from..span.start];
        from = span.end;
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_other(text: &str) {
        assert!(
            matches!(line(text), TextLineKind::Other { .. } | TextLineKind::Diff | TextLineKind::Trace),
            "{text:?} is {:?}",
            line(text)
        );
    }

    #[track_caller]
    fn is_prose(text: &str) {
        assert!(
            matches!(line(text), TextLineKind::Prose | TextLineKind::Item(_) | TextLineKind::Heading(_)),
            "{text:?} is {:?}",
            line(text)
        );
    }

    #[test]
    fn code_is_not_prose() {
        for text in [
            "let config = Config::default();",
            "if (error.code === \"E\") throw new ConfigError(\"decided to fail\");",
            "export default function fixError(error) { return error.fixed; }",
            "const retries = config.get(\"retries\") || 3; // must never be zero, because it is the default",
            "def fix_error(self, config):",
            "for error in config.errors:",
            "from config import default_error as fixed",
            "SELECT * FROM errors WHERE fixed = 1",
            "// We decided to fix the error here",
            "+    assert!(fixed);",
            "@decorated",
            "</div>",
            "return Err(ParseError::Empty);",
        ] {
            is_other(text);
        }
    }

    #[test]
    fn logs_commands_and_traces_are_not_prose() {
        for text in [
            "2026-03-02T09:14:07.112Z INFO worker: default configuration",
            "2026-03-02 09:14:07 the error was fixed",
            "[09:14:12] WARN pool: fixed",
            "ERROR: the build failed because of the configuration",
            "Mar  2 09:14:19 build-7 kernel: error",
            "thread 'main' panicked at src/main.rs:42:10:",
            "Traceback (most recent call last):",
            "ConfigError: the design must be fixed",
            "at Worker.run (/srv/worker.js:120:15)",
            "error[E0382]: borrow of moved value",
            "error: the configuration must be fixed",
            "$ cargo test fix_error",
            "user@host:~$ make fix",
            "Compiling config v0.14.0",
            "test config::tests::fix ... FAILED",
            "test result: ok. 3 passed",
        ] {
            is_other(text);
        }
    }

    #[test]
    fn tables_and_data_are_not_prose() {
        for text in [
            "| Engine | Decision |",
            "|---|---|",
            "LMDB | chosen because it must never fail",
            "----",
            "{\"fixed\": true}",
            "\"error\": \"must be fixed\",",
            "pool: 10",
            "url: postgres://localhost # we decided to use the default",
            "export SECRET=\"fixed default\"",
            "retries = 3",
            "step 3900 loss 2.31 lr 0.0003",
        ] {
            is_other(text);
        }
    }

    #[test]
    fn what_icr_prints_is_not_prose() {
        for text in [
            "[decisions] We decided to use SQLite.",
            "- [decisions] We decided to use SQLite. (high; 01JD)",
            "- We decided to use SQLite. (high; 2026-03-01; 01JD)",
            "# Context Pack",
            "Also in src/a.rs: fix_error (3-9)",
            "*Cut: lines 3-9 are left out.*",
            "src/a.rs: 3 commits/90d, co-changes: src/b.rs (2x)",
            "index.ts <- main.ts, error.ts",
            "icr: the push changes the default configuration",
        ] {
            is_other(text);
        }
    }

    #[test]
    fn prose_is_prose() {
        for text in [
            "We decided to use SQLite, because it is simple.",
            "- [x] Fixed the race in the store.",
            "1. First we build it.",
            "## Decision: we use SQLite",
            "The parser now returns `Result<Ast, ParseError>` instead of panicking on a bad token.",
            "Note: SessionStore::refresh() compares the expiry of the token before it takes the lock.",
            "> **Warning:** never delete the index.",
            "use of the old API is deprecated",
            "Decision: we use SQLite.",
            "[See the docs](https://a.b) for the reason.",
            "2026-03-02: we decided to use SQLite for memories.",
            "If the cache is cold, the first request fails.",
            "fix: the cache must be cleared on deploy",
        ] {
            is_prose(text);
        }
        assert_eq!(line("- [ ] Fix the error"), OTHER);
        assert_eq!(line("> it was fixed"), OTHER);
    }

    #[test]
    fn tables_are_sorted() {
        for table in [PROGRAM_BEGINNINGS, BUILD_STEPS, LEVELS, IMPORTANCES, KEYWORDS] {
            let unsorted = table.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(unsorted, None);
        }
    }
}
