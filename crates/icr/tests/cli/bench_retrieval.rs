//! `icr bench-retrieval --dump`: what weights are fitted on.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const FILES: &str = "\
//- src/harbour.rs
/// Ties a ship to the berth.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}
//- src/pilot.rs
/// A pilot brings a ship to its berth, and another ship out of the berth.
pub trait Pilot {
    fn bring(&self, ship: &str, berth: u32);
}
";

#[test]
fn features_of_the_first_files_are_dumped_with_what_was_expected() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let question =
        r#"{"query": "ship berth", "expected": [{"path": "src/pilot.rs", "grade": 2}], "category": "message"}"#;
    fixture.write_bytes("questions.jsonl", question.as_bytes());
    let dump = fixture.home().join("dump.jsonl");
    let ask = |mode: &str| {
        let dump = dump.to_str().expect("a path is text");
        icr.run(&["bench-retrieval", "questions.jsonl", "--mode", mode, "--dump", dump])
    };
    assert_eq!(ask("hybrid").code, 0);
    let text = std::fs::read_to_string(&dump).expect("the dump is written");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let features = lines[0]["features"].as_array().expect("names").len();
    assert_eq!(
        (lines.len(), &lines[1]["category"], &lines[1]["expected"]),
        (2, &Value::from("message"), &Value::from(1))
    );
    let mut grades: Vec<u64> =
        lines[1]["grades"].as_array().expect("grades").iter().filter_map(Value::as_u64).collect();
    let values = lines[1]["values"].as_array().expect("values");
    assert_eq!(values.len(), grades.len());
    assert!(values.iter().all(|values| values.as_array().is_some_and(|values| values.len() == features)));
    assert_eq!(values[0][0], 1.0, "the best score, before anything is read again");
    grades.sort_unstable();
    assert_eq!(grades.last(), Some(&2));
    assert_eq!(grades.iter().filter(|grade| **grade > 0).count(), 1);

    let refused = ask("semantic");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`--mode semantic` reads none again"), "{}", refused.stderr);
}

#[test]
fn nothing_else_is_overwritten_and_nothing_without_end_is_read() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let question = r#"{"query": "ship berth", "expected": [{"path": "src/pilot.rs"}]}"#;
    fixture.write_bytes("questions.jsonl", question.as_bytes());
    for option in [&["--dump", "questions.jsonl"][..], &["--update", "--golden", "questions.jsonl"]] {
        let args = [&["bench-retrieval", "questions.jsonl"][..], option].concat();
        let told = icr.fails(2, &args);
        assert!(told.contains("`questions.jsonl` is not overwritten: it holds no "), "{told}");
    }
    let kept = std::fs::read_to_string(fixture.root().join("questions.jsonl")).expect("the file is there");
    assert_eq!(kept, question);
    for _ in 0..2 {
        icr.prints(&[
            "bench-retrieval",
            "questions.jsonl",
            "--dump",
            "dump.jsonl",
            "--update",
            "--golden",
            "ranks.txt",
        ]);
    }
    if cfg!(target_os = "linux") {
        let told = icr.fails(2, &["bench-retrieval", "/dev/zero"]);
        assert!(told.contains("`/dev/zero` cannot be read: it has more than 64 MiB"), "{told}");
    }
}
