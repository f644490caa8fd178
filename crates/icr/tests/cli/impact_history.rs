//! What `icr impact` concludes from a repository's past, and what it does not.

use std::fmt::Write;

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

/// Commits of [`with_past`]: enough for a threshold, which is worked out for the one that has 100 before it.
const COMMITS: u32 = 150;

/// A repository in which `src/parse.py` changes with `docs/parse.md`, and `src/draw.py` with `src/shape.py`, in turn.
fn with_past() -> Fixture {
    let mut stream = String::new();
    for number in 1..=COMMITS {
        let pair = if number % 2 == 0 { ["docs/parse.md", "src/parse.py"] } else { ["src/draw.py", "src/shape.py"] };
        let time = 1_700_000_000 + number * 3_600;
        let _ = write!(stream, "commit refs/heads/main\nmark :{number}\n");
        let _ = write!(stream, "author A <a@example.org> {time} +0000\ncommitter A <a@example.org> {time} +0000\n");
        let _ = write!(stream, "data 1\nm\n");
        if number > 1 {
            let _ = writeln!(stream, "from :{}", number - 1);
        }
        for path in pair {
            let text = format!("def change():\n    return {number}\n");
            let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
        }
    }
    let fixture = Fixture::empty();
    fixture.import(stream.as_bytes());
    fixture.git(&["checkout", "-q", "-f", "main"]);
    fixture
}

fn paths(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().filter_map(|row| row["path"].as_str()).collect()
}

fn edited(path: &str) -> String {
    format!("//- {path}\ndef change():\n    return \"edited\"\n")
}

#[test]
fn the_partner_that_is_missing_is_named_with_its_evidence() {
    let fixture = with_past();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    fixture.write(&edited("src/parse.py"));
    let answer = icr.json(&["impact"]);
    assert_eq!(paths(&answer["missing"]), ["docs/parse.md"]);
    let expected = &answer["expected"][0];
    assert_eq!(expected["path"], "docs/parse.md");
    let text = expected["evidence"][0]["text"].as_str().unwrap();
    assert!(text.contains("of the") && text.contains("commits") && text.contains("src/parse.py"), "{text}");
    let rule = &answer["warning"];
    assert_eq!(rule["anchor"], fixture.git(&["rev-parse", "HEAD~49"]).trim());
    assert!(rule["false_alarms"].as_f64().unwrap() <= 0.05, "{rule}");
}

#[test]
fn a_complete_change_warns_about_nothing() {
    let fixture = with_past();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    fixture.write(&edited("src/parse.py"));
    fixture.write(&edited("docs/parse.md"));
    assert_eq!(paths(&icr.json(&["impact"])["missing"]), [""; 0]);
}

#[test]
fn the_threshold_is_worked_out_by_index_and_kept() {
    let fixture = with_past();
    let icr = Icr::new(&fixture);
    fixture.write(&edited("src/parse.py"));
    let lacks = |answer: &Value| answer["provenance"]["gaps"].to_string().contains("uncalibrated");
    let before = icr.json(&["impact"]);
    assert!(lacks(&before) && before["warning"]["anchor"].is_null(), "a question works out no threshold");
    icr.prints(&["index"]);
    let after = icr.json(&["impact"]);
    assert!(!lacks(&after) && after["warning"]["commits"].as_u64() > Some(0), "{}", after["warning"]);
    assert_eq!(icr.json(&["impact"]), after);
}

#[test]
fn the_past_of_a_change_ends_where_it_was_made() {
    let fixture = with_past();
    let answer = Icr::new(&fixture).json(&["impact", "HEAD~1"]);
    // The commit itself is the only one that would have shown its own files together one more time.
    let shared = answer["graph"]["edges"].as_array().unwrap().iter().filter(|edge| edge["kind"] == "cochange");
    assert!(shared.clone().all(|edge| edge["count"].as_u64() < Some(75)), "{:?}", shared.collect::<Vec<_>>());
}

#[test]
fn a_history_that_is_cut_off_says_nothing_and_that() {
    let fixture = with_past();
    let clone = fixture.clone_to("shallow", &["--depth=1"]);
    std::fs::write(clone.join("src/parse.py"), "def change():\n    return \"edited\"\n").unwrap();
    let answer = Icr::new(&fixture).json(&["impact", "--repo", clone.to_str().unwrap()]);
    assert_eq!((paths(&answer["missing"]), &answer["warning"]), (Vec::new(), &Value::Null));
    assert_eq!(answer["risk"]["level"], "unknown");
    assert!(answer["risk"]["unknown"].to_string().contains("shallow"), "{}", answer["risk"]);
    assert_eq!(paths(&answer["cochange"]), [""; 0]);
}

#[test]
fn bench_impact_refuses_a_view() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let said = Icr::new(&fixture).fails(2, &["bench-impact", "--at", "HEAD"]);
    assert!(said.starts_with("error: `--at` names one view, and `icr bench-impact` replays the commits"), "{said}");
    assert!(said.contains("\nhint: leave out `--at`"), "{said}");
}

#[test]
fn the_past_is_asked_again_by_bench_impact() {
    let fixture = with_past();
    let answer = Icr::new(&fixture).json(&["bench-impact", "--commits", "20"]);
    assert_eq!((answer["commits"].as_u64(), answer["questions"].as_u64()), (Some(20), Some(20 * 5)));
    let methods: Vec<&str> =
        answer["methods"].as_array().unwrap().iter().filter_map(|method| method["method"].as_str()).collect();
    assert_eq!(methods, ["icr", "import_neighbours", "rose", "same_directory", "tarmaq"]);
    let own = &answer["methods"][0]["one_known"];
    assert_eq!(own["map"].as_f64(), Some(1.0), "each file has one partner: {own}");
    assert_eq!(answer["impact_miss_rate"].as_f64(), Some(0.0));
}

#[test]
fn a_revert_says_what_it_takes_back() {
    let fixture = Fixture::new("//- a.py\ndef one():\n    return 1\n");
    fixture.write("//- a.py\ndef one():\n    return 2\n");
    fixture.commit("One");
    fixture.git(&["revert", "--no-edit", "HEAD"]);
    let icr = Icr::new(&fixture);
    let reverted = fixture.git(&["rev-parse", "HEAD~1"]);
    let expected = format!("Reverts {} \"One\"", &reverted[..10]);
    for format in ["text", "markdown", "html"] {
        let report = icr.prints(&["impact", "HEAD", "--format", format]);
        let report = report.replace("&quot;", "\"").replace("&#34;", "\"");
        assert!(report.contains(&expected), "{format}: {report}");
    }
    let answer = icr.json(&["impact", "HEAD"]);
    let sides = &answer["sides"];
    assert_eq!(sides["reverts"], serde_json::json!({ "id": reverted.trim(), "subject": "One" }));
    assert_eq!(sides["notes"], serde_json::json!([]));
    let more = icr.prints(&["impact", "HEAD~2..HEAD"]);
    assert!(!more.contains("Reverts"), "{more}");
    assert!(icr.json(&["impact", "HEAD~2..HEAD"])["sides"].get("reverts").is_none());
}
