//! Breaks that a repository accepts, and kinds of breaks that count.

use std::collections::BTreeSet;

use icr_fixture::Fixture;
use serde_json::Value;

use crate::impact_changes::{PROJECT, RENAMED};
use crate::run::Icr;

/// Accepts whatever happens to the function of [`PROJECT`].
const ACCEPTED: &str = "[[impact.accept]]\npath = \"src/floors/shapes.py\"\nreason = \"the release notes say so\"\n";

/// A repository with `before` as its project file, and a commit that breaks a contract and leaves `after` there.
fn renamed(before: Option<&str>, after: Option<&str>) -> Fixture {
    let fixture = Fixture::new(PROJECT);
    for (text, message) in [(before, "before"), (after, "rename")] {
        if message == "rename" {
            fixture.write(RENAMED);
        }
        match text {
            Some(text) => fixture.write_bytes(".icr.toml", text.as_bytes()),
            None if fixture.root().join(".icr.toml").exists() => fixture.delete(".icr.toml"),
            None => {}
        }
        fixture.commit(message);
    }
    fixture
}

/// The reasons that changes of contracts were accepted for, each once; an empty one for a change that was not.
fn reasons(answer: &Value) -> String {
    let changes = answer["contract_impact"]["changes"].as_array().expect("an answer has the list");
    assert!(!changes.is_empty(), "{answer:#}");
    let reasons: BTreeSet<&str> =
        changes.iter().map(|change| change["accepted"].as_str().unwrap_or_default()).collect();
    reasons.into_iter().collect::<Vec<_>>().join(", ")
}

fn notes(answer: &Value) -> String {
    answer["sides"]["notes"].to_string()
}

#[test]
fn a_change_cannot_accept_what_it_breaks() {
    let fixture = renamed(None, Some(ACCEPTED));
    let icr = Icr::new(&fixture);
    for change in ["HEAD", "HEAD~1..HEAD", "HEAD~1...HEAD"] {
        let answer = icr.json(&["impact", change]);
        assert_eq!(answer["verdict"], "breaking", "{change}: {answer:#}");
        assert_eq!(reasons(&answer), "", "{change}");
        let expected = "`.icr.toml` of this change accepts `src/floors/shapes.py`: that holds from the next change on";
        assert!(notes(&answer).contains(expected), "{change}: {}", notes(&answer));
    }
    assert_eq!(icr.run(&["ci", "--base", "HEAD~1"]).code, 1);
}

#[test]
fn what_the_base_accepts_is_shown_and_breaks_nothing() {
    for after in [Some(ACCEPTED), None] {
        let fixture = renamed(Some(ACCEPTED), after);
        let answer = Icr::new(&fixture).json(&["impact", "HEAD", "--fail-on", "breaking"]);
        assert_ne!(answer["verdict"], "breaking", "{answer:#}");
        assert_ne!(answer["verdict"], "may_break", "{answer:#}");
        assert_eq!(reasons(&answer), "the release notes say so");
        assert!(!notes(&answer).contains("accepts"), "{}", notes(&answer));
    }
}

#[test]
fn what_the_base_accepts_fails_no_run() {
    for (before, code) in [(None, 1), (Some(ACCEPTED), 0)] {
        let fixture = renamed(before, before);
        let icr = Icr::new(&fixture);
        for conditions in ["may_break", "severity>=breaking", "contracts>0", "severity>=breaking or contracts>0"] {
            let ran = icr.run(&["impact", "HEAD", "--fail-on", conditions]);
            assert_eq!(ran.code, code, "{before:?}, {conditions}: {}", ran.stderr);
        }
    }
}

#[test]
fn uncommitted_work_and_patches_are_judged_by_what_they_are_made_on() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    fixture.write(RENAMED);
    fixture.write_bytes(".icr.toml", ACCEPTED.as_bytes());
    fixture.git(&["add", "-A"]);
    fixture.git(&["diff", "--cached", "--output=../change.patch"]);
    let patch = |icr: &Icr| -> Value {
        let ran = icr.shell("exec \"$0\" impact - --json < ../change.patch");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
    };
    for answer in [icr.json(&["impact"]), icr.json(&["impact", "--staged"]), patch(&icr)] {
        assert_eq!(answer["verdict"], "breaking", "{answer:#}");
        assert!(notes(&answer).contains("that holds from the next change on"), "{}", notes(&answer));
    }
    fixture.git(&["reset", "-q", "--hard"]);
    fixture.write_bytes(".icr.toml", ACCEPTED.as_bytes());
    fixture.commit("accept");
    fixture.write(RENAMED);
    for answer in [icr.json(&["impact"]), icr.json(&["impact", "--worktree"])] {
        assert_eq!(reasons(&answer), "the release notes say so", "{answer:#}");
    }
}

#[test]
fn an_entry_covers_what_its_fields_name_up_to_its_last_day() {
    for (fields, is_accepted) in [
        ("symbol = \"area\"", true),
        ("symbol = \"*\"\npath = \"src/**\"", true),
        ("symbol = \"volume\"", false),
        ("path = \"tests/**\"", false),
        ("path = \"src/**\"\nclass = \"parameter_removed\"", false),
        ("path = \"src/**\"\nuntil = 2999-12-31", true),
        ("path = \"src/**\"\nuntil = \"1970-01-02\"", false),
    ] {
        let text = format!("[[impact.accept]]\nreason = \"planned\"\n{fields}\n");
        let fixture = renamed(Some(&text), Some(&text));
        let answer = Icr::new(&fixture).json(&["impact", "HEAD"]);
        assert_eq!(answer["verdict"] != "breaking", is_accepted, "{fields}: {answer:#}");
        assert_eq!(notes(&answer).contains("until 1970-01-02, which is over"), fields.contains("1970"), "{fields}");
    }
}

#[test]
fn entries_that_are_wrong_accept_nothing_and_are_named() {
    let wrong = "[[impact.accept]]\npath = \"src/**\"\n";
    let fixture = renamed(Some(wrong), Some(wrong));
    let icr = Icr::new(&fixture);
    let problem = "entry 1 of `impact.accept`: `reason` is missing, expected why the change is accepted, in words";
    let answer = icr.json(&["impact", "HEAD"]);
    assert_eq!(answer["verdict"], "breaking", "{answer:#}");
    assert!(notes(&answer).contains(&format!("`.icr.toml` before this change: {problem}")), "{}", notes(&answer));
    let shown = icr.prints(&["config", "show"]);
    assert!(shown.contains(problem) && !shown.contains("not a configuration key"), "{shown}");
}

#[test]
fn kinds_of_breaks_that_do_not_count_have_no_effect_on_the_verdict() {
    let fixture = renamed(None, None);
    let icr = Icr::new(&fixture);
    let verdict = |args: &[&str]| icr.json(&[&["impact", "HEAD"], args].concat())["verdict"].clone();
    assert_eq!(verdict(&["--break", "api,wire"]), "breaking");
    for args in [&["--break", "wire"][..], &["--break", "file", "--break", "wire"]] {
        assert_ne!(verdict(args), "breaking", "{args:?}");
    }
    assert_ne!(verdict(&["--set", "impact.break_categories=wire"]), "breaking");
    assert_eq!(
        verdict(&["--set", "impact.break_categories=wire", "--break", "api"]),
        "breaking",
        "what is asked for counts"
    );
    let said = icr.fails(2, &["impact", "HEAD", "--break", "abi"]);
    assert!(said.contains("`abi`") || said.contains("'abi'"), "{said}");
    assert_eq!(icr.run(&["ci", "--base", "HEAD~1", "--break", "wire"]).code, 0);
}
