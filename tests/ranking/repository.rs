//! The repository that questions are asked of, made from the texts of `fixtures/retrieval`.

use std::fs;
use std::path::{Path, PathBuf};

use icr_engine::{
    Freshness, RetrievalBench, RetrievalQuestion, RetrievalRequest, SearchMode, SilentObserver, ViewSelector,
    read_questions,
};
use icr_fixture::Fixture;
use tempfile::TempDir;

/// The repository with an empty home of icr.
pub(crate) struct Repository {
    pub(crate) fixture: Fixture,
    home: TempDir,
}

impl Repository {
    /// Replays every commit.
    pub(crate) fn new() -> Self {
        let fixture = Fixture::empty();
        for (name, text) in commits() {
            let (message, changes) = parts(&text).unwrap_or_else(|| panic!("{name} changes nothing"));
            for change in changes {
                match change {
                    Change::Write(file) => fixture.write(file),
                    Change::Edit { path, lines } => edit(&fixture, path, lines),
                }
            }
            fixture.commit(message);
        }
        Self { fixture, home: icr_tests::empty_home() }
    }

    /// Asks `questions` of the worktree. Ranks are searched far down, so that progress is visible before a file becomes
    /// an answer.
    pub(crate) fn bench(&self, questions: Vec<RetrievalQuestion>, mode: SearchMode) -> RetrievalBench {
        let request = RetrievalRequest { questions, mode, hits: 50, keep_features: false };
        let engine = icr_tests::engine(self.fixture.root(), self.home.path());
        let answer = engine.answer(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver, |snapshot| {
            icr_engine::bench_retrieval(snapshot, &request, &())
        });
        answer.expect("the fixture is in order")
    }
}

/// The questions of the fixture.
pub(crate) fn questions() -> Vec<RetrievalQuestion> {
    let path = directory().join("queries.jsonl");
    let text = fs::read_to_string(&path).expect("the fixture has questions");
    read_questions("queries.jsonl", &text).expect("each line is a question")
}

/// Directory of the texts.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/retrieval")
}

/// Content of a commit.
enum Change<'a> {
    /// Files, as `Fixture::write` takes them.
    Write(&'a str),
    /// Changed lines of an existing file.
    Edit { path: &'a str, lines: &'a str },
}

/// Name and text of each commit, oldest first.
fn commits() -> Vec<(String, String)> {
    let entries = fs::read_dir(directory().join("history")).expect("the fixture has a history");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.display().to_string(), fs::read_to_string(&path).expect("commits are text"));
    paths.into_iter().map(read).collect()
}

/// The message and the changes of a commit; `None` when there are none.
fn parts(text: &str) -> Option<(&str, Vec<Change<'_>>)> {
    let starts: Vec<usize> =
        text.match_indices("\n//").map(|(at, _)| at + 1).filter(|at| is_head(&text[*at..])).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let change = |(start, end): (usize, usize)| {
        let section = &text[start..end];
        match section.strip_prefix("//~ ").and_then(|rest| rest.split_once('\n')) {
            Some((path, lines)) => Change::Edit { path, lines },
            None => Change::Write(section),
        }
    };
    let message = text[..*starts.first()?].trim();
    Some((message, starts.iter().copied().zip(ends).map(change).collect()))
}

fn is_head(text: &str) -> bool {
    text.starts_with("//- ") || text.starts_with("//~ ")
}

/// Replaces the lines that begin with `-` by those that begin with `+`.
fn edit(fixture: &Fixture, path: &str, lines: &str) {
    let of = |sign: char| lines.lines().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n");
    let (old, new) = (of('-'), of('+'));
    let before = fs::read_to_string(fixture.root().join(path)).expect("what is changed is there");
    assert_eq!(before.matches(&old).count(), 1, "`{path}` has these lines once:\n{old}");
    fixture.write_bytes(path, before.replacen(&old, &new, 1).as_bytes());
}
