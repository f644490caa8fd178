//! Asking the repository of the questions, and what every pack must be.

use icr_engine::{Engine, Freshness, PackAnswer, PackRequest, SilentObserver, Snapshot, ViewSelector};
use tempfile::TempDir;

use crate::repository::Repository;

/// The repository with a store of its own.
pub(crate) struct World {
    pub(crate) repository: Repository,
    pub(crate) home: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { repository: Repository::new(), home: icr_tests::empty_home() }
    }

    pub(crate) fn engine(&self) -> Engine {
        icr_tests::engine(self.repository.fixture.root(), self.home.path())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.engine())
    }
}

pub(crate) fn snapshot(engine: &Engine) -> Snapshot {
    engine.ask(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver).expect("the fixture is in order")
}

/// The pack for a request, checked against the rules for every pack.
#[track_caller]
pub(crate) fn pack(snapshot: &Snapshot, request: &PackRequest) -> PackAnswer {
    let answer = icr_engine::pack(snapshot, request).unwrap_or_else(|error| panic!("{request:?}: {error}"));
    let metadata = &answer.metadata;
    let counted = tokens(&answer.pack_content);
    assert!(counted <= request.budget_tokens, "{counted} of {} tokens: {request:?}", request.budget_tokens);
    assert_eq!((metadata.tokens_used, metadata.tokens_budget), (counted, request.budget_tokens));
    assert_eq!(metadata.tokens_remaining, request.budget_tokens - counted);
    assert_eq!(answer.sources.len(), answer.citations.len());
    assert!(metadata.sources_considered >= answer.sources.len(), "{metadata:?}");
    for (source, citation) in answer.sources.iter().zip(&answer.citations) {
        assert_eq!((&source.path, source.start_line), (&citation.path, citation.start_line));
        let heading = format!("### [{}] {}", citation.number, source.path);
        let lines = format!("(lines {}-{})", source.start_line, source.end_line);
        let is_cited = |line: &str| line.starts_with(&heading) && line.ends_with(&lines);
        assert!(answer.pack_content.lines().any(is_cited), "{heading} {lines}\n{}", answer.pack_content);
        let text = text(snapshot, &source.path, source.start_line, source.end_line);
        assert!(answer.pack_content.contains(&text), "not verbatim: {heading}\n{}", answer.pack_content);
    }
    answer
}

/// Lines of a file of the view.
#[track_caller]
pub(crate) fn text(snapshot: &Snapshot, path: &str, start_line: u32, end_line: u32) -> String {
    let request = icr_engine::ReadRequest {
        path: path.to_owned(),
        start_line: Some(start_line),
        end_line: Some(end_line),
        max_lines: u32::MAX,
    };
    icr_engine::read(snapshot, &request)
        .unwrap_or_else(|error| panic!("{path}:{start_line}-{end_line}: {error}"))
        .content
}

/// Model tokens, by the counter of the answers.
pub(crate) fn tokens(text: &str) -> u32 {
    icr_tokens::model_tokens(text.as_bytes())
}

/// Without the time, the only field that may differ.
pub(crate) fn timeless(mut answer: PackAnswer) -> PackAnswer {
    answer.metadata.duration_ms = 0;
    answer
}
