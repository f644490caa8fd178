//! Questions from histories: a commit message, asked of a tree from before the commit. Its answers are the changed
//! files.

use std::collections::BTreeSet;

use serde_json::json;

use crate::git::{Git, GitError};
use crate::train_static::language_of;

/// A question, and the files that answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankingQuestion {
    pub(super) query: String,
    pub(super) files: Vec<String>,
    pub(super) category: &'static str,
}

/// Questions for one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QuestionSet {
    pub(super) revision: String,
    pub(super) questions: Vec<RankingQuestion>,
}

impl QuestionSet {
    /// The questions in the format of `icr bench-retrieval`.
    pub(super) fn lines(&self) -> String {
        let line = |question: &RankingQuestion| {
            let expected: Vec<_> = question.files.iter().map(|path| json!({ "path": path })).collect();
            format!("{}\n", json!({"query": question.query, "expected": expected, "category": question.category}))
        };
        self.questions.iter().map(line).collect()
    }
}

/// Revisions of a repository that are asked, and commits after each whose messages ask.
const WINDOWS: usize = 8;
const OF_WINDOW: usize = 20;

/// Most first parents that are walked back.
const DEPTH: usize = 2_000;

/// Most files that a commit changes, and most code files among them. The message of a larger commit says little about
/// each file.
const CHANGED: usize = 10;
const CHANGED_CODE: usize = 5;

/// Fewest words with letters in a message.
const WORDS: usize = 3;

/// Bytes of a message that are asked.
const LONGEST: usize = 3_000;

/// Beginnings of messages that say nothing about files.
const SILENT: [&str; 10] = [
    // tidy: sorted
    "bump",
    "changelog",
    "chore(deps",
    "cut",
    "merge",
    "prepare",
    "release",
    "revert",
    "update changelog",
    "version",
    // tidy: end
];

/// Prefixes of lines that are not prose: trailers and tickets.
const TRAILERS: [&str; 14] = [
    // tidy: sorted
    "cc:",
    "close #",
    "closes #",
    "closes:",
    "co-authored-by:",
    "fix #",
    "fixes #",
    "fixes:",
    "ref #",
    "refs #",
    "reported-by:",
    "reviewed-by:",
    "signed-off-by:",
    "tested-by:",
    // tidy: end
];

/// Marks between and inside the commits of a log.
const RECORD: char = '\u{1e}';
const FIELD: char = '\u{1f}';

/// The questions of the last commits below `commit`, by the revisions that they are asked of, newest first.
pub(super) fn messages(git: &Git<'_>, commit: &str) -> Result<Vec<QuestionSet>, GitError> {
    let limit = (DEPTH + DEPTH / WINDOWS).to_string();
    let line = git.line(&["rev-list", "--first-parent", "-n", &limit, commit], &[])?;
    let line: Vec<&str> = line.lines().collect();
    let step = (line.len().saturating_sub(1).min(DEPTH) / WINDOWS).max(1);
    let mut asked = Vec::new();
    for (tip, base) in line.iter().step_by(step).zip(line.iter().skip(step).step_by(step)).take(WINDOWS) {
        let questions = of_window(git, base, tip)?;
        if !questions.is_empty() {
            asked.push(QuestionSet { revision: (*base).to_owned(), questions });
        }
    }
    Ok(asked)
}

fn of_window(git: &Git<'_>, base: &str, tip: &str) -> Result<Vec<RankingQuestion>, GitError> {
    let there = git.output(&["ls-tree", "-r", "-z", "--name-only", base])?;
    let there: BTreeSet<String> = String::from_utf8_lossy(&there).split('\0').map(str::to_owned).collect();
    let format = format!("--format={RECORD}%s{FIELD}%b{FIELD}");
    let range = format!("{base}..{tip}");
    let log = git.output(&[
        "-c",
        "core.quotePath=false",
        "log",
        "--no-merges",
        "--reverse",
        "--no-renames",
        "--name-status",
        &format,
        &range,
    ])?;
    let (mut questions, mut commits) = (Vec::new(), 0);
    for record in String::from_utf8_lossy(&log).split(RECORD).skip(1) {
        if let Some(of_commit) = of_commit(record, &there) {
            questions.extend(of_commit);
            commits += 1;
        }
        if commits == OF_WINDOW {
            break;
        }
    }
    Ok(questions)
}

/// The questions of a commit: its first line and, if it has more, the whole message.
fn of_commit(record: &str, there: &BTreeSet<String>) -> Option<Vec<RankingQuestion>> {
    let (subject, rest) = record.split_once(FIELD)?;
    let (body, changed) = rest.split_once(FIELD)?;
    let is_word = |word: &&str| word.chars().filter(char::is_ascii_alphabetic).count() > 1;
    let lower = subject.to_lowercase();
    if subject.split_whitespace().filter(is_word).count() < WORDS || SILENT.iter().any(|said| lower.starts_with(said)) {
        return None;
    }
    let changed: Vec<(&str, &str)> = changed.lines().filter_map(|line| line.split_once('\t')).collect();
    let is_code = |path: &str| language_of(path).is_some() && !icr_rank::is_test_path(&path.into());
    let files: Vec<String> = changed
        .iter()
        .filter(|(status, path)| *status == "M" && is_code(path))
        .map(|(_, path)| (*path).to_owned())
        .collect();
    let is_asked = (1..=CHANGED_CODE).contains(&files.len())
        && changed.len() <= CHANGED
        && files.iter().all(|path| there.contains(path));
    if !is_asked {
        return None;
    }
    let subject = without_number(subject);
    let is_said = |line: &&str| {
        let line = line.trim().to_lowercase();
        !TRAILERS.iter().any(|trailer| line.starts_with(trailer))
    };
    let body = body.lines().filter(is_said).collect::<Vec<_>>().join("\n");
    let body = &body.trim()[..body.trim().floor_char_boundary(LONGEST)];
    let mut questions = vec![RankingQuestion { query: subject.to_owned(), files: files.clone(), category: "message" }];
    if !body.is_empty() {
        questions.push(RankingQuestion { query: format!("{subject}\n\n{body}"), files, category: "report" });
    }
    Some(questions)
}

/// `subject` without the pull request number that a forge appends.
fn without_number(subject: &str) -> &str {
    let stripped = subject.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once("(#"));
    match stripped {
        Some((rest, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest.trim_end(),
        _ => subject,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions_of_commit(subject: &str, body: &str, changed: &str) -> Vec<(&'static str, String)> {
        let there = ["a.rs", "b.rs", "tests/a.rs", "README.md"].map(str::to_owned).into();
        let record = format!("{subject}{FIELD}{body}{FIELD}\n\n{changed}\n");
        let questions = of_commit(&record, &there).unwrap_or_default();
        questions
            .into_iter()
            .map(|question| (question.category, format!("{} -> {}", question.query, question.files.join(" "))))
            .collect()
    }

    #[test]
    fn a_message_asks_for_the_code_that_its_commit_changed() {
        assert_eq!(
            questions_of_commit(
                "Open files once (#12)",
                "It was slow.\nSigned-off-by: x\nFixes #3\n",
                "M\ta.rs\nM\ttests/a.rs\nM\tREADME.md"
            ),
            [
                ("message", "Open files once -> a.rs".to_owned()),
                ("report", "Open files once\n\nIt was slow. -> a.rs".to_owned())
            ]
        );
        assert_eq!(questions_of_commit("Close the socket first", "Fixes a crash.", "M\tb.rs").len(), 2);
    }

    #[test]
    fn what_says_nothing_of_its_files_asks_nothing() {
        for (subject, changed) in [
            ("Fix it", "M\ta.rs"),
            ("Bump all the dependencies", "M\ta.rs"),
            ("Open files only once", "M\tREADME.md"),
            ("Open files only once", "A\tc.rs"),
            ("Open files only once", "M\tgone.rs"),
        ] {
            assert_eq!(questions_of_commit(subject, "", changed), [], "{subject} {changed}");
        }
    }

    #[test]
    fn numbers_of_requests_are_no_words() {
        assert_eq!(without_number("Open files (#12)"), "Open files");
        assert_eq!(without_number("Open files (#a)"), "Open files (#a)");
        assert_eq!(without_number("Open (once)"), "Open (once)");
    }
}
