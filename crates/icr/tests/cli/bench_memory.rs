//! What the benches of long-term memory print: all rows, right counts, figures that are the same in every run.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

/// Standing in an empty directory that is no repository.
fn nowhere() -> (Fixture, Icr) {
    let fixture = Fixture::empty();
    let directory = fixture.home().join("nowhere");
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let icr = Icr::new(&fixture).standing_in(&directory);
    (fixture, icr)
}

fn rows<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn every_operation_of_memory_is_timed_as_often_as_it_was_asked() {
    let (_fixture, icr) = nowhere();
    let answer = icr.json(&["bench", "-c", "20"]);
    let counts = |answer: &Value| -> Vec<String> {
        let row = |row: &Value| {
            assert!(row["median_us"].as_f64() > Some(0.0) && row["mean_us"].as_f64() > Some(0.0), "{row}");
            let vectors = if row["vectors"] == true { " with vectors" } else { "" };
            format!("{}{vectors}: {}", row["operation"].as_str().unwrap_or_default(), row["count"])
        };
        rows(answer, "rows").iter().map(row).collect()
    };
    insta::assert_snapshot!(counts(&answer).join("\n"), @r"
    store: 20
    store with vectors: 20
    store the same text: 20
    store the same text with vectors: 20
    recall: 20
    recall with vectors: 20
    get: 20
    touch: 20
    decay of all: 5
    add a concept: 20
    search a memoir: 20
    ");
    assert_eq!(answer["unit"], "microseconds of wall time");
    assert!(answer["database_bytes"].as_u64() > Some(0));
    assert_eq!(counts(&icr.json(&["bench", "-c", "20", "--no-embeddings"])).len(), 8);
    assert_eq!(icr.prints(&["bench", "-c", "20"]).lines().count(), 1 + 11 + 2);
    assert!(!icr.home().join("memory.db").exists(), "nobody's memory is touched");
}

#[test]
fn recall_of_the_dialogues_is_high_and_of_shifted_evidence_low() {
    let (_fixture, icr) = nowhere();
    let answer = icr.json(&["bench-recall"]);
    assert_eq!(answer, icr.json(&["bench-recall"]), "the figures are the same in every run");
    let names: Vec<&str> = rows(&answer, "dialogues").iter().filter_map(|row| row["dialogue"].as_str()).collect();
    assert_eq!(names, ["parser", "sign-in", "storage"]);
    for dialogue in rows(&answer, "dialogues") {
        assert_eq!(dialogue["turns"], dialogue["memories"], "no turn is lost");
        let questions = rows(dialogue, "questions").len();
        assert!(rows(dialogue, "ways").iter().all(|way| way["questions"] == questions), "{dialogue}");
    }
    let total = rows(&answer, "total");
    let ways: Vec<&str> = total.iter().filter_map(|row| row["way"].as_str()).collect();
    assert_eq!(ways, ["bm25", "words", "both"]);
    let at_5 = |row: &Value| row["recall_at_5"].as_f64().unwrap_or_default();
    for row in &total[1..] {
        assert!(at_5(row) > at_5(&total[0]), "recall beats single turns: {row}");
        assert!(at_5(row) > 0.6 && at_5(&row["shifted"]) < 0.1, "{row}");
        let strong = |whose: &str| row["strength"][whose]["strong"].as_f64().unwrap_or_default();
        let asked: usize = row["questions"].as_u64().unwrap_or_default() as usize;
        assert!(strong("other") < 0.1 * (2 * asked) as f64, "{row}");
        assert!(row["strength"]["own"]["none"].as_f64() < Some(0.1 * asked as f64), "{row}");
    }
    let without = icr.json(&["bench-recall", "--no-embeddings"]);
    assert_eq!(rows(&without, "total"), &total[..2]);
}

#[test]
fn the_table_of_recall_fits_a_terminal_and_shows_each_question_where_that_is_asked() {
    let (_fixture, icr) = nowhere();
    let printed = icr.prints(&["bench-recall"]);
    assert!(printed.lines().all(|line| line.chars().count() <= 90), "{printed}");
    assert!(!printed.contains("Which setting keeps empty lines?"), "{printed}");
    assert!(icr.prints(&["bench-recall", "-v"]).contains("Which setting keeps empty lines?"));
}

#[test]
fn sessions_of_the_task_are_replayed_and_counted() {
    let (_fixture, icr) = nowhere();
    let answer = icr.json(&["bench-agent"]);
    assert_eq!(answer, icr.json(&["bench-agent"]), "the figures are the same in every run");
    let sessions = rows(&answer, "sessions");
    assert_eq!((sessions.len(), &sessions[0]["questions"]), (10, &Value::from(0)));
    let total = &answer["total"];
    let number = |way: &str, what: &str| total[way][what].as_u64().unwrap_or_default();
    assert_eq!(total["reread"]["facts"], total["questions"], "all earlier text has every answer");
    assert!(number("memory", "facts") * 10 >= total["questions"].as_u64().unwrap_or_default() * 8, "{total}");
    assert!(number("memory", "tokens") > 0 && number("reread", "tokens") > number("newest", "tokens"), "{total}");
    let few = icr.json(&["bench-agent", "-s", "3"]);
    assert_eq!(rows(&few, "sessions"), &sessions[..3]);
    let printed = icr.prints(&["bench-agent"]);
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

#[test]
fn options_about_a_provider_need_one() {
    let (_fixture, icr) = nowhere();
    for bench in ["bench-recall", "bench-agent"] {
        let said = icr.fails(2, &[bench, "-m", "small"]);
        assert!(said.starts_with("error: `--model` is for a provider, and there is none\nhint: "), "{said}");
        let said = icr.fails(2, &[bench, "-r", "2"]);
        assert!(said.starts_with("error: `--runs` is for a provider"), "{said}");
    }
    icr.fails(2, &["bench-agent", "-s", "11"]);
    icr.fails(2, &["bench-recall", "--limit", "0"]);
    icr.fails(2, &["bench", "-c", "9"]);
}

#[cfg(unix)]
#[test]
fn a_provider_that_repeats_its_prompt_knows_what_memory_tells_it() {
    let (_fixture, icr) = nowhere();
    let ran = icr.run(&["--json", "bench-recall", "--provider", "cat", "-r", "2"]);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let answers = &answer["answers"];
    let questions: usize = rows(&answer, "dialogues").iter().map(|row| rows(row, "questions").len()).sum();
    assert_eq!(answers["total"]["questions"], 2 * questions);
    assert_eq!(answers["provider"]["command"], serde_json::json!(["cat"]));
    assert_eq!(answers["provider"]["answered"], 4 * questions);
    let share = |name: &str| answers["total"][name].as_f64().unwrap_or_default();
    assert!(share("without_memory") < 0.05 && share("with_memory") > 0.7, "{answers}");
    assert_eq!(ran.stderr, format!("note: runs `cat`, {} times, without a shell\n", 4 * questions));

    let icr = icr.with_variable("ICR_BENCH_PROVIDER", "sh -c 'cat; echo {model} >&2'");
    let answer = icr.json(&["bench-agent", "-s", "3", "-m", "small"]);
    let answers = &answer["answers"];
    assert_eq!(answers["alone"]["right"], 0, "{answers}");
    assert_eq!(answers["reread"]["right"], answers["questions"], "{answers}");
    assert_eq!(answers["memory"]["right"], answer["total"]["memory"]["facts"], "{answers}");
}

#[cfg(unix)]
#[test]
fn a_provider_that_fails_at_once_ends_the_bench() {
    let (_fixture, icr) = nowhere();
    let said = icr.fails(5, &["-q", "bench-recall", "--provider", "sh -c 'echo no key >&2; exit 3'"]);
    assert_eq!(said, "error: the provider `sh -c 'echo no key >&2; exit 3'` failed (exit status: 3): no key\n");
    let said = icr.fails(5, &["-q", "bench-agent", "--provider", "/no/such/program"]);
    assert!(said.starts_with("error: the provider `/no/such/program` cannot be started: "), "{said}");
    // Once there was an answer, a failure is counted.
    let once = "sh -c 'if test -e asked; then exit 1; fi; touch asked; cat'";
    let answer = icr.json(&["-q", "bench-agent", "-s", "2", "--provider", once]);
    let provider = &answer["answers"]["provider"];
    let asked = 3 * answer["total"]["questions"].as_u64().unwrap_or_default();
    assert_eq!((&provider["answered"], &provider["failed"]), (&Value::from(1), &Value::from(asked - 1)), "{answer}");
}
