//! Credentials that somebody committed by mistake: what is shown of code and of history has a mask in their place.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::run::Icr;

/// A token of GitHub, put together here so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp_{}", "0123456789abcdefABCD0123456789abcdef")
}

/// A private key, in lines.
fn key() -> String {
    let line = "MIIEpAIBAAKCAQEA0123456789abcdefABCD0123456789abcdefABCD01234567\n";
    format!("-----BEGIN {0}-----\n{1}-----END {0}-----\n", "PRIVATE KEY", line.repeat(6))
}

fn world() -> (Fixture, Icr) {
    let token = token();
    let fixture = Fixture::new(&format!(
        "//- src/harbour.py\ndef moor_ship(token=\"{token}\"):\n    \"\"\"Moor a ship with {token}.\"\"\"\n    return ask_harbour(token)\n\
         //- src/ask.py\nfrom harbour import moor_ship\n\n\ndef ask_captain():\n    return moor_ship()\n\
         //- docs/harbour.md\n# How to moor a ship\n\nThe key of the harbour:\n\n{}\
         //- Makefile\ndeploy:\n\tcurl -H \"Authorization: token {token}\" https://example.com\n",
        key()
    ));
    fixture.write("//- src/ask.py\nfrom harbour import moor_ship\n\n\ndef ask_captain():\n    return moor_ship(1)\n");
    fixture.commit(&format!("Ask with {token}"));
    fixture.write(&format!("//- src/harbour.py\ndef moor_ship(ship, token=\"{token}\"):\n    return ship\n"));
    let icr = Icr::new(&fixture);
    (fixture, icr)
}

fn masked(gaps: &Value) -> bool {
    gaps.as_array().is_some_and(|gaps| gaps.iter().any(|gap| gap["gap"] == "masked" && gap["credentials"] != 0))
}

const QUESTIONS: [&[&str]; 13] = [
    &["search", "moor a ship in the harbour"],
    &["search", "--mode", "grep", "ghp_"],
    &["search", "--mode", "grep", "MIIE"],
    &["search", "--scope", "diffs", "ask"],
    &["symbols", "moor_ship"],
    &["pack", "how to moor a ship"],
    &["pack", "--at", "HEAD", "how to moor a ship", "--focus", "docs/harbour.md"],
    &["plan", "moor a ship"],
    &["context", "moor a ship"],
    &["refs", "moor_ship"],
    &["commands"],
    &["impact"],
    &["impact", "HEAD~1..HEAD"],
];

#[test]
fn no_answer_about_code_shows_a_credential_and_those_that_had_one_say_so() {
    let (_fixture, icr) = world();
    icr.json(&["index"]);
    let (mut told, secrets) = (0, [&token()[4..], "MIIEpAIBAAKCAQEA"]);
    for args in QUESTIONS {
        for form in [&[][..], &["--json"]] {
            let ran = icr.run(&[args, form].concat());
            assert!(ran.code <= 1, "{args:?}: {}", ran.stderr);
            let shown = [ran.stdout.as_str(), &ran.stderr].concat();
            assert!(secrets.iter().all(|secret| !shown.contains(secret)), "{args:?}: {shown}");
            if form.is_empty() && ran.stdout.contains("[masked]") {
                assert!(ran.stderr.contains("masked; `security.mask_credentials = false`"), "{args:?}: {}", ran.stderr);
                told += 1;
            } else if ran.stdout.contains("[masked]") {
                let value: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
                assert!(masked(&value["provenance"]["gaps"]), "{args:?}: {}", ran.stdout);
            }
        }
    }
    assert!(told >= 6, "{told}");
    for format in ["markdown", "html", "sarif", "junit", "mermaid", "dot"] {
        let ran = icr.run(&["impact", "--format", format]);
        assert!(secrets.iter().all(|secret| !ran.stdout.contains(secret)), "{format}: {}", ran.stdout);
    }
    let report = icr.home().join("report.md");
    icr.run(&["impact", "--format", "markdown", "-o", report.to_str().expect("it has a plain name")]);
    let written = std::fs::read_to_string(&report).expect("a report was written");
    assert!(written.contains("moor_ship") && !written.contains(secrets[0]), "{written}");
}

#[test]
fn a_file_that_is_asked_for_is_shown_as_it_is() {
    let (_fixture, icr) = world();
    assert!(icr.run(&["read", "src/harbour.py"]).stdout.contains(&token()));
    assert!(icr.run(&["slice", "src/harbour.py", "moor_ship"]).stdout.contains(&token()));
    assert!(icr.run(&["read", "docs/harbour.md"]).stdout.contains(&key()[30..60]));
}

#[test]
fn only_the_user_switches_the_mask_off() {
    let (fixture, icr) = world();
    fixture.write("//- .icr.toml\n[security]\nmask_credentials = false\n");
    let shows = |icr: &Icr| icr.run(&["search", "moor a ship in the harbour", "--json"]).stdout.contains(&token());
    assert!(!shows(&icr));
    assert!(shows(&icr.with_variable("ICR_SECURITY__MASK_CREDENTIALS", "false")));
    std::fs::write(icr.home().join("config.toml"), "[security]\nmask_credentials = false\n")
        .expect("it can be written");
    assert!(shows(&icr));
}

#[test]
fn lines_of_what_is_shown_are_those_of_the_file() {
    let (_fixture, icr) = world();
    let hits = icr.json(&["search", "--mode", "grep", "-e", "END PRIVATE|BEGIN PRIVATE"]);
    let lines: Vec<_> = hits["results"].as_array().unwrap().iter().map(|hit| hit["start_line"].clone()).collect();
    assert_eq!(lines, [json!(5), json!(12)], "{hits}");
    let pack = icr.run(&["pack", "how to moor a ship", "--focus", "docs/harbour.md"]).stdout;
    assert!(pack.contains("# How to moor a ship"), "{pack}");
}

#[test]
fn no_question_about_lines_reads_a_key_and_what_is_public_is_shown() {
    let line = "MIIEpAIBAAKCAQEA0123456789abcdefABCD0123456789abcdefABCD01234567";
    let lines = format!("{line}\n").repeat(6);
    let certificate = format!("-----BEGIN {0}-----\n{lines}-----END {0}-----\n", "CERTIFICATE");
    let token = token();
    let fixture = Fixture::new(&format!("//- public.txt\n{certificate}//- a.py\nTOKEN = '{token}'\n"));
    fixture.write(&format!("//- key.py\nKEY = \"\"\"{}\"\"\"\n", key()));
    let icr = Icr::new(&fixture);
    for pattern in ["MIIE", "^MIIE", "^M", "[A-Z]IIEpAIBAAKCAQEA", "^[A-Za-z0-9+/]{64}$"] {
        assert_eq!(icr.greps(&["-e", pattern, "--path", "key.py"]), Vec::<String>::new(), "{pattern}");
    }
    assert_eq!(icr.greps(&["-e", "^MIIE", "--path", "public.txt"]).len(), 6);
    let ran = icr.run(&["search", "--mode", "grep", "MIIE", "--path", "public.txt"]);
    assert!(ran.stdout.contains(line) && !ran.stdout.contains("masked"), "{}", ran.stdout);
    // The kind of a token is no secret, and is found; the rest is neither.
    assert_eq!(icr.greps(&["ghp_"]), ["a.py:1"]);
    assert_eq!(icr.greps(&["-e", "ghp_0"]), Vec::<String>::new());
    assert!(icr.prints(&["search", "--mode", "grep", "ghp_"]).contains("TOKEN = 'ghp_[masked]'"));
}

#[test]
fn no_report_of_a_change_shows_the_beginning_of_a_credential() {
    let token = token();
    let values = |first: char| -> String {
        (30..50).map(|length| format!("V{length} = \"{first}{}/{token}\"\n", "p".repeat(length))).collect()
    };
    let key = format!("KEY = \"\"\"{}\"\"\"\n", key());
    let fixture = Fixture::new(&format!("//- a.py\n{}{key}", values('p')));
    let icr = Icr::new(&fixture);
    fixture.write(&format!("//- a.py\n{}{}", values('q'), key.replace("4567\n", "4568\n")));
    for format in ["json", "text", "markdown", "html", "sarif", "github"] {
        let shown = icr.run(&["impact", "--format", format]).stdout;
        assert!(format != "json" || shown.contains("value changed from `\\\"ppp"), "{shown}");
        assert!(!shown.contains(&token[4..12]) && !shown.contains("MIIE"), "{format}: {shown}");
    }
}

#[test]
fn a_commit_that_removes_only_the_begin_of_a_key_shows_no_line_of_it() {
    let key = key();
    let fixture = Fixture::new(&format!("//- key.txt\n{key}//- app.json\n{{\"key\": {}}}\n", json!(key)));
    let rest = key.split_once('\n').expect("a key has lines").1;
    fixture.write(&format!("//- key.txt\n{rest}//- app.json\n{{\"key\": {}}}\n", json!(rest)));
    fixture.commit("Remove the begin");
    let icr = Icr::new(&fixture);
    for format in ["json", "text", "markdown", "html", "sarif", "github"] {
        let shown = icr.run(&["impact", "HEAD~1..HEAD", "--format", format]).stdout;
        assert!(!shown.contains("MIIE"), "{format}: {shown}");
    }
    for pattern in ["MIIE", "^MIIE", "4567"] {
        assert_eq!(icr.greps(&["-e", pattern]), Vec::<String>::new(), "{pattern}");
    }
}

#[test]
fn no_hint_shows_a_credential() {
    let token = token();
    let fixture = Fixture::new(&format!("//- a.md\n# Title {token}\n\nText.\n//- b.py\ndef moor(): pass\n"));
    let icr = Icr::new(&fixture);
    for args in
        [&["refs", "Title"][..], &["refs", "Title", "--json"], &["symbols", "Titel"], &["slice", "a.md", "Title"]]
    {
        let ran = icr.run(args);
        assert!(![ran.stdout, ran.stderr].concat().contains(&token[4..12]), "{args:?}");
    }
}
