//! Ranks against the golden files.

use std::fs;

use icr_engine::{Freshness, Golden, RetrievalBench, SearchMode, SilentObserver, ViewSelector};

use crate::repository::{Repository, directory, questions};

/// Set to 1, it makes the tests of this file write the golden files instead of comparing with them.
const UPDATE: &str = "ICR_UPDATE_GOLDENS";

#[track_caller]
fn check(mode: SearchMode) {
    let now = Golden::of(&Repository::new().bench(questions(), mode));
    let path = directory().join(format!("{}.golden", mode.name()));
    if std::env::var(UPDATE).is_ok_and(|value| value == "1") {
        fs::write(&path, now.to_string()).expect("the fixture can be written");
        return;
    }
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), accept()));
    let recorded = Golden::parse(&text).unwrap_or_else(|error| panic!("{}, {error}", path.display()));
    let changes: Vec<String> = recorded.changes(&now).iter().map(ToString::to_string).collect();
    assert!(changes.is_empty(), "\nranking changed:\n{}\n\n{}\n", changes.join("\n"), accept());
    assert_eq!(text, now.to_string(), "the ranks are as recorded, their text is not; {}", accept());
}

fn accept() -> String {
    format!(
        "when that is meant: `{UPDATE}=1 cargo test -p icr-tests --test ranking goldens`, and look at the difference"
    )
}

#[test]
fn ranks_by_words_are_as_recorded() {
    check(SearchMode::Lexical);
}

#[test]
fn ranks_by_everything_are_as_recorded() {
    check(SearchMode::Hybrid);
}

/// Without the times, the only fields that may differ.
fn timeless(mut bench: RetrievalBench) -> RetrievalBench {
    bench.total.p50_ms = 0.0;
    bench.categories.iter_mut().for_each(|row| row.scores.p50_ms = 0.0);
    bench
}

#[test]
fn the_same_questions_get_the_same_answers_from_any_store() {
    let repository = Repository::new();
    let first = timeless(repository.bench(questions(), SearchMode::Lexical));
    assert_eq!(first, timeless(repository.bench(questions(), SearchMode::Lexical)), "asked twice");
    assert_eq!(first, timeless(Repository::new().bench(questions(), SearchMode::Lexical)), "in a store of its own");
}

#[test]
fn the_fixture_has_what_its_questions_expect_and_is_neither_too_hard_nor_too_easy() {
    let bench = Repository::new().bench(questions(), SearchMode::Lexical);
    assert_eq!(bench.absent, []);
    let categories: Vec<(&str, u32)> =
        bench.categories.iter().map(|row| (row.category.as_str(), row.scores.queries)).collect();
    assert_eq!(
        categories,
        [
            ("architecture", 10),
            ("behaviour", 14),
            ("configuration", 6),
            ("error message", 10),
            ("symbol", 10),
            ("usage", 10)
        ]
    );
    let bad = bench.answers.iter().filter(|answer| !answer.good).count();
    assert!((6..=30).contains(&bad), "{bad} of {} are answered badly", bench.answers.len());
}

#[test]
fn a_question_may_be_asked_of_any_revision() {
    let repository = Repository::new();
    let home = icr_tests::empty_home();
    let engine = icr_tests::engine(repository.fixture.root(), home.path());
    let mut questions = questions();
    questions.retain(|question| question.query == "maximum texts sent to one person each day");
    let request = icr_engine::RetrievalRequest { questions, mode: SearchMode::Lexical, hits: 10, keep_features: false };
    let absent = |at: &str| {
        let at = ViewSelector::Revision(at.to_owned());
        let bench = engine.answer(&at, &Freshness::default(), &SilentObserver, |snapshot| {
            icr_engine::bench_retrieval(snapshot, &request, &())
        });
        bench.expect("the revision is there").absent.len()
    };
    assert_eq!((absent("HEAD"), absent("HEAD~7")), (0, 2), "settings came with the tenth commit");
}
