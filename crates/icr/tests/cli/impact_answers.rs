//! What `icr impact` finds, in which formats it says so, and with which exit code it ends.

use std::collections::BTreeSet;

use icr_fixture::Fixture;
use serde_json::Value;

use crate::impact_changes::{PROJECT, RENAMED, changed, dependents, said};
use crate::run::Icr;

/// The project with the rename uncommitted.
fn renamed() -> Fixture {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    fixture
}

#[test]
fn an_impact_is_traced_like_any_answer() {
    let fixture = Fixture::new("//- a.py\ndef moor(ship):\n    return ship\n");
    let icr = Icr::new(&fixture);
    fixture.write("//- a.py\ndef moor(ship, berth):\n    return ship\n");
    let printed = [icr.prints(&["impact"]), icr.prints(&["pack", "moor"])];
    // The newest first, and only those of this repository.
    let traces = icr.json(&["traces"])["traces"].as_array().expect("a list").clone();
    let rows: Vec<_> = traces.iter().map(|call| (call["tool"].as_str(), call["output_bytes"].as_u64())).collect();
    let bytes = printed.map(|text| Some(text.len() as u64));
    assert_eq!(rows, [(Some("pack"), bytes[1]), (Some("impact"), bytes[0])]);
}

#[test]
fn every_path_of_an_answer_is_written_in_one_form() {
    let fixture = Fixture::new(
        "//- red\u{1b}[31m.py\ndef moor(ship):\n    return ship\n//- old\u{1}/dock.py\ndef dock(ship):\n    return ship\n//- .icr.toml\n[[impact.accept]]\npath = \"new????/dock.py\"\nreason = \"nobody docks\"\n",
    );
    fixture.git(&["mv", "old\u{1}", "new\u{2}"]);
    fixture.write(
        "//- red\u{1b}[31m.py\ndef moor(ship, berth):\n    return ship\n//- new\u{2}/dock.py\ndef dock(ship):\n    return ship\n\n\ndef leave():\n    pass\n",
    );
    fixture.commit("Ships have berths");
    let answer = Icr::new(&fixture).json(&["impact", "HEAD~1..HEAD"]);
    for list in [&answer["changed"], &answer["changed_symbols"], &answer["contract_impact"]["changes"]] {
        let rows = list.as_array().expect("a list").iter();
        let paths: BTreeSet<&str> = rows.map(|row| row["path"].as_str().expect("a path")).collect();
        assert_eq!(paths, BTreeSet::from([r"new\002/dock.py", r"red\033[31m.py"]), "{list:#}");
    }
    // A glob is matched against that form too: `\002` is four characters.
    for change in answer["contract_impact"]["changes"].as_array().expect("a list") {
        assert_eq!(change["accepted"].is_string(), change["path"] == r"new\002/dock.py", "{change:#}");
    }
    let text = answer.to_string();
    assert!(text.contains(r"it moved from `old\\001/dock.py`"), "{text}");
    assert!(!text.contains("\\u00"), "no control character is left: {text}");
}

#[test]
fn a_broken_promise_names_everybody_who_relies_on_it() {
    let fixture = renamed();
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(answer["verdict"], "breaking");
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let area: Vec<&Value> = changes.iter().filter(|change| change["symbol"] == "area").collect();
    assert!(
        area.iter().any(|change| change["severity"] == "breaking" && change["consumers_untouched"] == 3),
        "{changes:#?}"
    );
    assert_eq!(answer["contract_impact"]["breaking_change_risk"], "high");
    assert_eq!(dependents(&answer), ["src/floors/houses.py", "src/floors/rooms.py", "tests/test_shapes.py"]);
}

#[test]
fn a_break_is_shown_with_the_lines_that_prove_it() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let area = changes.iter().find(|change| change["symbol"] == "surface" || change["symbol"] == "area").unwrap();
    assert_eq!(area["effect"], "breaks", "{area:#}");
    let first = &area["uses"][0];
    let (place, text) =
        (format!("{}:{}", first["path"], first["line"]).replace('"', ""), first["text"].as_str().unwrap());
    for format in ["text", "markdown", "github", "gitlab", "sarif", "junit"] {
        let report = icr.prints(&["impact", "--format", format]);
        assert!(report.contains(&place) && report.contains(text), "`{place}` or `{text}` is not in {format}: {report}");
    }
    let sarif: Value = serde_json::from_str(&icr.prints(&["impact", "--format", "sarif"])).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let error = results.iter().find(|result| result["level"] == "error").unwrap();
    assert_eq!(error["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], first["line"]);
}

#[test]
fn only_what_fail_on_names_is_an_error() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let errors = |conditions: &str| {
        let report = icr.run(&["impact", "--format", "github", "--fail-on", conditions]).stdout;
        report.lines().filter(|line| line.starts_with("::error ")).count()
    };
    assert_eq!(["none", "missing"].map(errors), [0, 0]);
    assert!(errors("breaking") > 0);
}

#[test]
fn who_was_updated_is_not_named_again() {
    let fixture = renamed();
    fixture
        .write("//- src/floors/rooms.py\nfrom floors.shapes import surface\n\ndef room():\n    return surface(2, 3)\n");
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact"]);
    assert_eq!(changed(&answer), ["src/floors/rooms.py", "src/floors/shapes.py"]);
    let rows = answer["direct_dependents"].as_array().unwrap();
    let mut left: Vec<&str> =
        rows.iter().filter(|row| row["in_change"] == false).filter_map(|row| row["path"].as_str()).collect();
    left.sort_unstable();
    assert_eq!(left, ["src/floors/houses.py", "tests/test_shapes.py"]);
    let text = icr.prints(&["impact"]);
    assert!(text.contains("houses.py") && !text.contains("rooms.py:"), "{text}");
}

#[test]
fn a_change_of_comments_scores_0_and_says_so() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- src/floors/shapes.py\n\"\"\"Sizes.\"\"\"\n\ndef area(width, height):\n    # Breadth times length.\n\n    return width * height\n");
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact"]);
    assert_eq!((&answer["verdict"], &answer["impact_score"]), (&Value::from("cosmetic"), &Value::from(0.0)));
    assert!(icr.prints(&["impact"]).starts_with("Cosmetic: only comments and layout changed, in 1 file\n"));
}

/// How a report in each format begins, and whether it is JSON.
const FORMATS: [(&str, &str, bool); 11] = [
    ("dot", "digraph", false),
    ("github", "::", false),
    ("gitlab", "[", true),
    ("html", "<!DOCTYPE html>", false),
    ("json", "{", true),
    ("junit", "<?xml", false),
    ("markdown", "<!-- icr-impact -->\n**Breaking**", false),
    ("mermaid", "flowchart LR", false),
    ("sarif", "{", true),
    ("summary", "<!-- icr-impact -->\n**Breaking**", false),
    ("text", "Breaking: ", false),
];

#[test]
fn every_format_is_what_it_says_and_the_same_in_every_run() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let help = icr.prints(&["impact", "--help"]);
    for (format, start, is_json) in FORMATS {
        let report = icr.prints(&["impact", "--format", format]);
        assert!(report.to_lowercase().starts_with(&start.to_lowercase()), "{format}: {report}");
        assert_eq!(serde_json::from_str::<Value>(&report).is_ok(), is_json, "{format}: {report}");
        assert!(report.ends_with('\n') && report.contains("shapes.py"), "{format}: {report}");
        assert!(!report.contains(fixture.root().to_str().unwrap()), "{format} names a place of this machine");
        assert_eq!(report, icr.prints(&["impact", "--format", format]), "{format}");
        assert!(help.contains(&format!("- {format}:")), "{format} is not in the help: {help}");
    }
    assert_eq!(
        help.matches("\n          - ").count(),
        FORMATS.len() + 6,
        "the formats, three colours and three categories: {help}"
    );
}

#[test]
fn json_has_two_spellings_and_its_provenance() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let by_flag = icr.prints(&["impact", "--json"]);
    assert_eq!(by_flag, icr.prints(&["impact", "--format", "json"]));
    assert_eq!(by_flag, icr.prints(&["impact", "--format", "json", "--json"]));
    let answer: Value = serde_json::from_str(&by_flag).unwrap();
    assert_eq!(answer["provenance"]["dirty"], 1);
    assert_eq!(answer["provenance"]["commit"].as_str(), Some(fixture.git(&["rev-parse", "HEAD"]).as_str()));
    let said = icr.fails(2, &["impact", "--json", "--format", "sarif"]);
    assert!(said.contains("`--json` does not go with the format `sarif`"), "{said}");
}

#[test]
fn what_is_known_of_an_answer_stands_beside_the_text_and_inside_of_other_formats() {
    let fixture = renamed();
    fixture.commit("rename");
    fixture.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    fixture.write("//- src/floors/stairs.py\ndef stairs():\n    return 12\n");
    fixture.commit("stairs");
    let icr = Icr::new(&fixture);
    let note = "`main` is no ancestor of `topic`; compared from their merge base";
    let text = icr.run(&["impact", "main..topic"]);
    assert_eq!(said(&text), format!("note: {note}\n"));
    assert!(!text.stdout.contains("no ancestor"), "{}", text.stdout);
    assert_eq!(icr.run(&["impact", "main..topic", "--quiet"]).stderr, "");
    let json = icr.run(&["impact", "main..topic", "--json"]);
    assert_eq!(json.stderr, "");
    let answer: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(answer["sides"]["notes"][0], note);
}

#[test]
fn the_change_of_going_back_is_that_between_the_two_trees() {
    let fixture = renamed();
    fixture.commit("rename");
    fixture.git(&["tag", "v2"]);
    fixture.git(&["tag", "v1", "HEAD~1"]);
    let icr = Icr::new(&fixture);
    let back = icr.json(&["impact", "v2..v1"]);
    let numstat = fixture.git(&["diff", "--name-only", "v2..v1"]);
    let changed: Vec<&str> =
        back["changed"].as_array().unwrap().iter().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(changed, numstat.lines().collect::<Vec<_>>());
    assert!(!changed.is_empty());
    let note = "`v1` is an ancestor of `v2`; this is the change of going back to it";
    assert_eq!(back["sides"]["notes"][0], note);
    assert_eq!(icr.json(&["impact", "v2...v1"])["verdict"], "empty");
}

#[test]
fn tests_are_listed_for_other_programs() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    assert_eq!(icr.prints(&["impact", "--tests"]), "tests/test_shapes.py\n");
    assert_eq!(icr.prints(&["impact", "--tests", "--print0"]), "tests/test_shapes.py\0");
    assert_eq!(icr.prints(&["impact", "--tests", "--format", "text"]), "tests/test_shapes.py\n");
    fixture.write_bytes("tests/test_two\nlines.py", b"from shapes import *\n\n\ndef test_area():\n    pass\n");
    let names = icr.prints(&["impact", "--tests", "--print0"]);
    assert!(names.split('\0').any(|name| name == "tests/test_two\nlines.py"), "{names:?}");
    fixture.delete("tests/test_two\nlines.py");
    let answer = icr.json(&["impact", "--tests"]);
    assert_eq!(answer["tests"][0]["path"], "tests/test_shapes.py");
    assert_eq!(answer["tests"][0]["selected"], true);
    assert_eq!(answer["test_plan"]["selected"], 1);
    assert!(answer["provenance"]["tree"].is_string());
    for args in [
        &["--tests", "--format", "markdown"][..],
        &["--tests", "--print0", "--json"],
        &["--tests", "--print0", "--format", "json"],
    ] {
        let said = icr.fails(2, &[&["impact"], args].concat());
        assert!(said.contains("does not go with the format"), "{args:?}: {said}");
    }
}

#[test]
fn code_that_is_only_called_test_is_no_test() {
    let files = |text: &str| format!("//- shop/wire.py\ndef send(text):\n    return {text}\n");
    let client = "//- shop/__init__.py\nfrom .test import Client\n//- shop/test.py\nfrom .wire import send\n\n\nclass Client:\n    def get(self):\n        return send(\"get\")\n";
    let tests = "//- tests/test_client.py\nfrom shop.test import Client\n\n\ndef test_get():\n    assert Client().get()\n//- till/tests.py\nfrom shop.wire import send\n\n\ndef test_send():\n    assert send(\"a\")\n";
    let fixture = Fixture::new(&[&files("text"), client, tests].concat());
    fixture.write(&files("text.strip()"));
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact"]);
    let mut selected: Vec<&str> =
        answer["tests"].as_array().unwrap().iter().filter_map(|test| test["path"].as_str()).collect();
    selected.sort_unstable();
    assert_eq!(selected, ["tests/test_client.py", "till/tests.py"], "{answer:#}");
    let is_test = |row: &Value| (row["path"].as_str().unwrap().to_owned(), row["test"].as_bool().unwrap());
    let of = |list: &Value| list.as_array().unwrap().iter().map(is_test).collect::<Vec<_>>();
    let expected = [("shop/test.py".to_owned(), false), ("till/tests.py".to_owned(), true)];
    assert_eq!(of(&answer["direct_dependents"]), expected);
    assert_eq!(of(&icr.json(&["neighbors", "shop/wire.py"])["importers"]), expected);
}

#[test]
fn tests_are_found_through_a_statement_for_a_directory_and_below_a_directory_of_sources() {
    for (before, changed, expected) in [
        (
            "//- Cargo.toml\n[package]\nname = \"mini\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n//- tests/auto/main.rs\nautomod::dir!(\"tests/auto\");\n//- tests/auto/calc.rs\nuse mini::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            "//- src/lib.rs\npub fn add(a: u32, b: u32) -> u32 {\n    b + a\n}\n",
            "tests/auto/main.rs\n",
        ),
        (
            "//- include/calc.hpp\nTEMPLATE_OF_CALC\nclass calc {\n  public:\n    int add(int a, int b) { return a + b; }\n};\n//- tests/src/unit-calc.cpp\n#include \"../../include/calc.hpp\"\n\nTEST_CASE(\"adds\") {\n    calc one;\n    CHECK(one.add(1, 2) == 3);\n}\n",
            "//- include/calc.hpp\nTEMPLATE_OF_CALC\nclass calc {\n  public:\n    int add(int a, int b) { return b + a; }\n};\n",
            "tests/src/unit-calc.cpp\n",
        ),
    ] {
        let fixture = Fixture::new(before);
        fixture.write(changed);
        assert_eq!(Icr::new(&fixture).prints(&["impact", "--tests"]), expected);
    }
}

#[test]
fn a_report_can_go_into_a_file() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let file = fixture.home().join("report");
    let path = file.to_str().unwrap();
    for (args, expected) in [
        (&["--format", "markdown"][..], icr.prints(&["impact", "--format", "markdown"])),
        (&["--json"], icr.prints(&["impact", "--json"])),
        (&["--color", "always"], icr.prints(&["impact"])),
        (&["--tests"], "tests/test_shapes.py\n".to_owned()),
    ] {
        let ran = icr.run(&[&["impact", "-o", path], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str(), said(&ran).as_str()), (0, "", ""), "{args:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected, "{args:?}");
    }
    assert_eq!(icr.prints(&["impact", "-o", "-"]), icr.prints(&["impact"]));
    let said = icr.fails(2, &["impact", "-o", "no/such/directory/report.md"]);
    assert!(said.starts_with("error: `no/such/directory/report.md` cannot be written: "), "{said}");
}

#[test]
fn only_a_condition_that_is_met_ends_with_1() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    assert_eq!(icr.run(&["impact"]).code, 0);
    for (condition, met) in [
        ("none", false),
        ("cosmetic", false),
        ("dependents>3", false),
        ("breaking and cosmetic", false),
        ("breaking", true),
        ("cosmetic, dependents>=3", true),
        ("contract:removed", true),
        ("risk>=low and breaking", true),
    ] {
        let ran = icr.run(&["impact", "--fail-on", condition]);
        assert_eq!(ran.code, i32::from(met), "{condition}: {}", ran.stderr);
        assert_eq!(said(&ran).starts_with("failed: "), met, "{condition}: {}", ran.stderr);
        assert!(ran.stdout.starts_with("Breaking: "), "the report is printed all the same");
        let ran = icr.run(&["impact", "--json", "--fail-on", condition]);
        assert_eq!((ran.code, ran.stderr.as_str()), (i32::from(met), ""), "{condition}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (&answer["fail_on"]["conditions"], answer["fail_on"]["met"].is_string()),
            (&Value::from(condition), met)
        );
    }
    assert_eq!(icr.run(&["impact", "--tests", "--fail-on", "breaking"]).code, 1);
}

#[test]
fn unknown_formats_and_conditions_are_named_with_what_was_meant() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for (args, said) in [
        (&["--format", "sarfi"][..], &["'sarfi'", "'sarif'"][..]),
        (&["--format", "yaml"], &["'yaml'", "markdown"]),
        (&["--fail-on", "missing, braking"], &["`braking` (at 10)", "`breaking`"]),
        (&["--fail-on", "risk>=hihg"], &["`hihg` (at 7)", "`high`"]),
        (&["--fail-on", "contract:parameter_remove"], &["(at 10)", "`parameter_removed`"]),
        (&["--fail-on", "breaking and"], &["at 13"]),
        (&["--fail-on", ""], &["at 1"]),
    ] {
        let ran = icr.fails(2, &[&["impact"], args].concat());
        for words in said {
            assert!(ran.contains(words), "`{words}` is not in: {ran}");
        }
    }
}

#[test]
fn an_answer_that_lacks_something_ends_with_4_where_that_matters() {
    let fixture = Fixture::new(PROJECT);
    fixture.write_bytes(".gitattributes", b"src/floors/shapes.py filter=secret\n");
    fixture.commit("attributes");
    fixture.write(RENAMED);
    let icr = Icr::new(&fixture);
    let ran = icr.run(&["impact", "--strict", "--fail-on", "breaking"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(said(&ran).starts_with("note: 1 changed file is shown as committed"), "{}", ran.stderr);
    assert_eq!(icr.run(&["impact"]).code, 0);
}

#[test]
fn a_terminal_gets_colours() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let text = icr.prints(&["impact", "--color", "always"]);
    assert!(text.starts_with("\x1b[1;31mBreaking\x1b[0m: "), "{text:?}");
    for format in ["markdown", "json", "github"] {
        assert!(!icr.prints(&["impact", "--color", "always", "--format", format]).contains('\x1b'), "{format}");
    }
}

#[test]
fn the_repository_is_left_as_it_was() {
    let fixture = renamed();
    let icr = Icr::new(&fixture);
    let patch = format!("{}\n", fixture.git(&["diff"]));
    let (objects, status) = (fixture.object_count(), fixture.git(&["status", "--porcelain"]));
    icr.prints(&["impact"]);
    icr.prints(&["impact", "HEAD"]);
    assert_eq!(icr.reads(patch.as_bytes(), &["impact", "-"]).code, 0);
    assert_eq!((fixture.object_count(), fixture.git(&["status", "--porcelain"])), (objects, status));
}
