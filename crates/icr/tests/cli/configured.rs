//! What keys of the configuration change in answers and in the log.

use std::fmt::Write;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::impact_changes::{PROJECT, RENAMED};
use crate::run::Icr;

/// A function, 14 files that call it, and one that calls one of these; the function is uncommitted otherwise.
fn chain() -> Fixture {
    let mut files = "//- base.py\ndef base():\n    return 1\n".to_owned();
    for number in 0..14 {
        let _ = write!(files, "//- use{number}.py\nfrom base import base\n\ndef use{number}():\n    return base()\n");
    }
    let _ = write!(files, "//- top.py\nfrom use0 import use0\n\ndef top():\n    return use0()\n");
    let fixture = Fixture::new(&files);
    fixture.write("//- base.py\ndef base():\n    return 2\n");
    fixture
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// The answer of `icr impact` with one key set.
#[track_caller]
fn impact(icr: &Icr, set: &str, further: &[&str]) -> Value {
    icr.json(&[&["impact", "--set", set][..], further].concat())
}

#[test]
fn how_far_an_impact_is_followed() {
    let fixture = chain();
    let icr = Icr::new(&fixture);
    let reached = |answer: &Value| {
        let rows = answer["transitive_dependents"].as_array().expect("a list");
        let top = rows.iter().find(|row| row["path"] == "top.py");
        top.map(|row| row["probability"].as_f64().expect("a number"))
    };
    let usual = reached(&icr.json(&["impact"])).expect("two steps");
    assert_eq!(reached(&impact(&icr, "impact.depth=1", &[])), None);
    assert_eq!(reached(&impact(&icr, "impact.depth=1", &["--depth", "2"])), Some(usual), "what is asked for counts");
    assert_eq!(reached(&impact(&icr, "impact.hop_decay=0", &[])), Some(0.0));
    let whole = reached(&impact(&icr, "impact.hop_decay=1", &[])).expect("two steps");
    assert!((whole - 2.0 * usual).abs() < 1e-9, "half is the usual: {whole} {usual}");
    let said = icr.fails(2, &["impact", "--set", "impact.depth=6"]);
    assert!(said.contains("expected a whole number from 1 to 5"), "{said}");
}

#[test]
fn how_much_of_an_impact_is_told() {
    let fixture = chain();
    let icr = Icr::new(&fixture);
    let usual = icr.json(&["impact"]);
    let lengths = |answer: &Value| {
        let graph = &answer["graph"];
        [&answer["direct_dependents"], &graph["nodes"], &graph["edges"], &answer["suggested_review"]].map(length)
    };
    let [direct, nodes, edges, review] = lengths(&usual);
    assert!(direct == 14 && nodes > 14 && edges > 14 && review > 10, "{direct} {nodes} {edges} {review}");
    assert_eq!(lengths(&impact(&icr, "impact.max_nodes=10", &[]))[..2], [10, 10]);
    assert_eq!(lengths(&impact(&icr, "impact.max_nodes=10", &["--max-nodes", "100"]))[..2], [direct, nodes]);
    assert_eq!(lengths(&impact(&icr, "impact.max_edges=10", &[]))[2], 10);
    assert_eq!(lengths(&impact(&icr, "impact.max_edges=10", &["--max-edges", "500"]))[2], edges);
    assert_eq!(lengths(&impact(&icr, "impact.max_review=3", &[]))[3], 3);
    assert!(length(&usual["expected"]) > 1);
    assert_eq!(length(&impact(&icr, "impact.max_expected=1", &[])["expected"]), 1);
}

#[test]
fn when_an_impact_fails_a_run() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    let icr = Icr::new(&fixture);
    assert_eq!(icr.run(&["impact"]).code, 0);
    icr.prints(&["config", "set", "impact.fail_on", "breaking"]);
    let ran = icr.run(&["impact"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.ends_with("(`impact.fail_on = breaking`)\n"), "{}", ran.stderr);
    assert_eq!(icr.json(&["impact"])["fail_on"]["conditions"], "breaking");
    assert_eq!(icr.run(&["impact", "--fail-on", "none"]).code, 0, "what is asked for counts");
    let said = icr.fails(2, &["config", "set", "impact.fail_on", "braking"]);
    assert!(said.contains("`impact.fail_on` is `braking`, expected conditions as `--fail-on` takes them: "), "{said}");
    std::fs::write(icr.home().join("config.toml"), "[impact]\nfail_on = \"missing, braking\"\n").unwrap();
    let said = icr.filtered(&icr.fails(2, &["impact"]));
    assert!(said.starts_with("error: `$HOME/config.toml` line 2: `impact.fail_on` is "), "{said}");
    assert!(said.contains("`braking` (at 10)") && said.contains("`breaking`"), "{said}");
    std::fs::remove_file(icr.home().join("config.toml")).unwrap();
    fixture.write_bytes(".icr.toml", b"[impact]\nfail_on = \"braking\"\n");
    let ran = icr.run(&["impact"]);
    assert_eq!(ran.code, 0, "a cloned repository stops no command: {}", ran.stderr);
    assert!(ran.stderr.contains("ignored: "), "{}", ran.stderr);
}

/// Commits from the oldest to the newest, each with the files that it changes; a day lies between two.
fn past(commits: &[&[&str]]) -> Fixture {
    let mut stream = String::new();
    for (number, files) in (1_u32..).zip(commits) {
        let time = 1_700_000_000 + number * 24 * 60 * 60;
        let _ = write!(stream, "commit refs/heads/main\nmark :{number}\n");
        let _ = write!(stream, "author A <a@example.org> {time} +0000\ncommitter A <a@example.org> {time} +0000\n");
        let _ = write!(stream, "data 1\nm\n");
        if number > 1 {
            let _ = writeln!(stream, "from :{}", number - 1);
        }
        for path in *files {
            let text = format!("def change():\n    return {number}\n");
            let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
        }
    }
    let fixture = Fixture::empty();
    fixture.import(stream.as_bytes());
    fixture.git(&["checkout", "-q", "-f", "main"]);
    fixture
}

#[test]
fn which_commits_count_for_files_changed_together() {
    let fixture = past(&[&["a.py", "b.py"], &["a.py", "b.py"], &["a.py", "b.py", "c.py"], &["a.py", "c.py"]]);
    let icr = Icr::new(&fixture);
    let pairs = |set: &str| {
        let answer = icr.json(&["cochange", "--set", set]);
        let rows = answer["pairs"].as_array().expect("a list").iter();
        let rows = rows.map(|row| format!("{}+{} {}", row["a"], row["b"], row["count"]).replace('"', ""));
        (answer["commits_analyzed"].as_u64().expect("a number"), rows.collect::<Vec<_>>().join(", "))
    };
    let count = |commits, pairs: &str| (commits, pairs.to_owned());
    assert_eq!(pairs("git.cochange_commits=2000"), count(4, "a.py+b.py 3, a.py+c.py 2"));
    assert_eq!(pairs("git.cochange_commits=2"), count(2, "a.py+c.py 2"));
    assert_eq!(pairs("git.cochange_max_files=2"), count(4, "a.py+b.py 2"));
    let of_a = |set: &str| icr.json(&["cochange", "a.py", "--set", set]);
    assert_eq!(of_a("git.cochange_commits=3")["commits_followed"], 3);
    let small = of_a("git.cochange_max_files=2");
    assert_eq!((&small["commits_followed"], &small["max_files_per_commit"]), (&json!(3), &json!(2)));
    for path in [&[][..], &["a.py"]] {
        let text = icr.prints(&[&["cochange", "--set", "git.cochange_max_files=2"], path].concat());
        assert!(text.ends_with("; commits of more than 2 files are not counted\n"), "{text}");
    }
    assert_eq!(of_a("git.recent_days=90")["recent_count"], 4);
    assert_eq!(of_a("git.recent_days=2")["recent_count"], 3, "the window holds its first second");
    let partners = |set: &str| {
        let answer = impact(&icr, set, &["--paths", "a.py"]);
        let rows = answer["cochange"].as_array().expect("a list").iter();
        let mut rows: Vec<String> = rows.map(|row| format!("{} {}", row["path"], row["commits"])).collect();
        rows.sort();
        rows.join(", ").replace('"', "")
    };
    assert_eq!(partners("git.cochange_commits=2000"), "b.py 3, c.py 2");
    assert_eq!(partners("git.cochange_max_files=2"), "b.py 2, c.py 1");
    assert_eq!(partners("git.cochange_commits=1"), "c.py 1");
}

#[test]
fn what_is_concluded_from_the_past() {
    let pairs: [&[&str]; 2] = [&["docs/parse.md", "src/parse.py"], &["src/draw.py", "src/shape.py"]];
    let fixture = past(&(0..150).map(|number| pairs[number % 2]).collect::<Vec<_>>());
    fixture.write("//- src/parse.py\ndef change():\n    return \"edited\"\n");
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let lacks = |answer: &Value| answer["provenance"]["gaps"].to_string().contains("uncalibrated");
    let own = icr.json(&["impact"]);
    assert!(own["warning"]["anchor"].is_string() && !lacks(&own), "{}", own["warning"]);
    assert_eq!(length(&own["missing"]), 1);
    assert_eq!(length(&impact(&icr, "impact.max_missing=0", &[])["missing"]), 0);
    assert_eq!(length(&impact(&icr, "impact.max_expected=1", &[])["missing"]), 1, "a short list silences no warning");

    let shipped = impact(&icr, "impact.calibrate=false", &[]);
    assert!(shipped["warning"]["anchor"].is_null() && !lacks(&shipped), "{}", shipped["warning"]);
    assert_eq!(shipped["warning"]["commits"], 0);

    let other = impact(&icr, "impact.false_alarm_rate=0.035", &[]);
    assert!(lacks(&other) && other["warning"].is_null(), "what ships blames more: {}", other["warning"]);
    icr.prints(&["index", "--set", "impact.false_alarm_rate=0.035"]);
    let other = impact(&icr, "impact.false_alarm_rate=0.035", &[]);
    assert!(!lacks(&other) && other["warning"]["anchor"].is_string(), "{}", other["warning"]);
    assert!(other["warning"]["false_alarms"].as_f64() <= Some(0.01), "{}", other["warning"]);
    assert_eq!(icr.json(&["impact"]), own, "each rate has its own threshold");
}

#[test]
fn the_threshold_of_an_older_history_is_worked_out_where_that_is_indexed() {
    let fixture = past(&(0..200).map(|_| &["a.py", "b.py"][..]).collect::<Vec<_>>());
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let lacks = |commit: &str| icr.json(&["impact", commit])["provenance"]["gaps"].to_string().contains("uncalibrated");
    assert_eq!((lacks("HEAD"), lacks("HEAD~100")), (false, true));
    icr.prints(&["index", "--at", "HEAD~100"]);
    assert_eq!((lacks("HEAD"), lacks("HEAD~100")), (false, false));
}

#[test]
fn no_threshold_is_worked_out_where_nobody_wants_one() {
    let fixture = past(&(0..120).map(|_| &["a.py", "b.py"][..]).collect::<Vec<_>>());
    let icr = Icr::new(&fixture);
    icr.prints(&["index", "--set", "impact.calibrate=false"]);
    assert!(icr.json(&["impact", "--paths", "a.py"])["provenance"]["gaps"].to_string().contains("uncalibrated"));
    icr.prints(&["index"]);
    assert!(!icr.json(&["impact", "--paths", "a.py"])["provenance"]["gaps"].to_string().contains("uncalibrated"));
}

#[test]
fn a_log_line_is_an_object_where_that_is_wanted() {
    let fixture = Fixture::new("//- a.rs\nfn lamp() {}\n//- .icr.toml\n[network]\nenabled = true\n");
    let icr = Icr::new(&fixture);
    let text = icr.run(&["map"]).stderr;
    assert!(text.contains("ignored: ") && !text.contains('{'), "{text}");
    let lines = icr.run(&["map", "--set", "logging.format=json"]).stderr;
    assert_eq!(lines.lines().count(), text.lines().count(), "{lines}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(line["level"], "WARN", "{line}");
        assert!(line["message"].as_str().is_some_and(|message| message.contains("network.enabled")), "{line}");
    }
}

#[test]
fn what_is_not_built_yet_says_so() {
    let fixture = Fixture::new("//- a.rs\nfn lamp() {}\n");
    let icr = Icr::new(&fixture);
    let said = "`extraction.enabled` is accepted and not used yet: the extraction of memories by hooks is not built";
    let set = icr.prints(&["config", "set", "extraction.enabled", "true"]);
    assert!(set.ends_with(&format!("\nwarning: command line: {said}\n")), "{set}");
    assert!(icr.prints(&["config", "show"]).contains(said));
    let ran = icr.run(&["map"]);
    assert!(ran.code == 0 && ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(icr.run(&["map", "--quiet"]).stderr, "");
    let reference = icr.prints(&["config", "reference"]);
    assert!(
        reference.contains(" It is accepted and not used yet: the extraction of memories by hooks is not built."),
        "{reference}"
    );
    let usual = icr.prints(&["config", "set", "extraction.enabled", "false"]);
    assert!(!usual.contains("warning"), "what is set as it would be anyway: {usual}");
    assert_eq!(icr.run(&["map"]).stderr, "");
}
