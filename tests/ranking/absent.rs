//! Expected files that do not exist, and questions that cannot be asked.

use icr_engine::{Error, RetrievalRequest, SearchMode, SilentObserver, read_questions};
use icr_fixture::Fixture;

const FILES: &str = "//- a.rs\n/// Lowers the anchor.\nfn moor() {}\n\nfn sail() {}\n//- b.rs\nfn buoy() {}\n";

fn bench(questions: &str, hits: usize, mode: SearchMode) -> Result<icr_engine::RetrievalBench, Error> {
    let fixture = Fixture::new(FILES);
    let home = icr_tests::empty_home();
    let questions = read_questions("q.jsonl", questions).expect("the lines are questions");
    let request = RetrievalRequest { questions, mode, hits, keep_features: false };
    let engine = icr_tests::engine(fixture.root(), home.path());
    engine.answer(&icr_engine::ViewSelector::Worktree, &icr_engine::Freshness::default(), &SilentObserver, |snapshot| {
        icr_engine::bench_retrieval(snapshot, &request, &())
    })
}

/// Rank, verdict, right lines, and what is absent, for the one question of `line`.
#[track_caller]
fn check(line: &str, expected: &str) {
    let bench = bench(line, 10, SearchMode::Lexical).expect("the fixture is in order");
    let [answer] = bench.answers.as_slice() else { panic!("one question has one answer: {bench:?}") };
    let rank = answer.rank.map_or("-".to_owned(), |rank| rank.to_string());
    let lines = answer.right_lines.map_or("-", |right| if right { "right" } else { "wrong" });
    let absent: Vec<&str> = bench.absent.iter().map(|absent| absent.reason.as_str()).collect();
    assert_eq!(format!("{rank} good={} lines={lines} {}", answer.good, absent.join("; ")), expected);
}

#[test]
fn a_file_with_the_right_lines_is_good() {
    check(r#"{"query": "anchor", "expected": [{"path": "a.rs", "symbol": "moor"}]}"#, "1 good=true lines=right ");
    check(r#"{"query": "anchor", "expected": [{"path": "./a.rs"}]}"#, "1 good=true lines=- ");
}

#[test]
fn a_file_with_other_lines_is_not() {
    check(
        r#"{"query": "anchor", "expected": [{"path": "a.rs", "start_line": 5, "end_line": 5}]}"#,
        "1 good=false lines=wrong ",
    );
}

#[test]
fn a_file_that_is_not_there_is_named_and_never_found() {
    check(
        r#"{"query": "anchor", "expected": [{"path": "gone.rs"}]}"#,
        "- good=false lines=- `gone.rs` is not in the view of the worktree on `main`",
    );
}

#[test]
fn a_symbol_that_is_not_there_is_named_and_its_lines_never_right() {
    check(
        r#"{"query": "anchor", "expected": [{"path": "a.rs", "symbol": "dock"}]}"#,
        "1 good=false lines=wrong `a.rs` defines no `dock`",
    );
}

#[test]
fn figures_are_those_of_the_formulas() {
    let questions = concat!(
        "{\"query\": \"moor\", \"expected\": [{\"path\": \"a.rs\", \"grade\": 1}, {\"path\": \"b.rs\", \"grade\": 3}]}\n",
        "{\"query\": \"buoy\", \"expected\": [{\"path\": \"b.rs\"}], \"category\": \"float\"}\n",
    );
    let bench = bench(questions, 10, SearchMode::Lexical).expect("the fixture is in order");
    // Grade 1 at rank 1 of 3 + 1 / log2(3); the other question is answered in full.
    let ndcg = f64::midpoint(1.0 / (3.0 + 1.0 / 3.0_f64.log2()), 1.0);
    assert!((bench.total.ndcg_at_10 - ndcg).abs() < 1e-12, "{} {ndcg}", bench.total.ndcg_at_10);
    let figures =
        |scores: &icr_engine::RetrievalScores| (scores.queries, scores.mrr, scores.recall_at_1, scores.right_lines);
    assert_eq!(figures(&bench.total), (2, 1.0, 1.0, None));
    let categories: Vec<&str> = bench.categories.iter().map(|row| row.category.as_str()).collect();
    assert_eq!(categories, ["float", "other"]);
}

#[test]
fn hits_out_of_bounds_are_refused() {
    let question = r#"{"query": "q", "expected": [{"path": "a.rs"}]}"#;
    let refused = |hits, mode| bench(question, hits, mode).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused(0, SearchMode::Lexical), Err("the number of hits must be 1 to 1000, not `0`".to_owned()));
    assert_eq!(refused(1001, SearchMode::Lexical), Err("the number of hits must be 1 to 1000, not `1001`".to_owned()));
    assert_eq!(refused(10, SearchMode::Semantic), Ok(()));
}
