//! What pipelines include of icr: it says nothing that the program does not know, and does what it says.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use icr_fixture::Fixture;
use regex::Regex;
use serde_json::json;

use crate::impact_changes::{PROJECT, RENAMED};
use crate::run::Icr;

const ACTION: &str = "github/action.yml";
const TEMPLATE: &str = "gitlab/icr.gitlab-ci.yml";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks/ci")
}

fn text(name: &str) -> String {
    fs::read_to_string(directory().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All scripts, and both files that hosts read.
fn texts() -> Vec<(String, String)> {
    let scripts = fs::read_dir(directory().join("github")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = scripts.map(|name| format!("github/{}", name.to_str().unwrap())).collect();
    names.push(TEMPLATE.to_owned());
    names.sort();
    names.into_iter().map(|name| (name.clone(), text(&name))).collect()
}

/// What the pattern's first group finds, each once.
fn found(pattern: &str, text: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("the pattern is a constant");
    let mut found: Vec<String> = pattern.captures_iter(text).map(|found| found[1].to_owned()).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn they_say_nothing_that_the_program_does_not_know() {
    let fixture = Fixture::new(PROJECT);
    let help = Icr::new(&fixture).prints(&["ci", "--help"]);
    let mut flags = Vec::new();
    for (name, text) in texts() {
        for line in text.lines().filter(|line| line.contains("arguments") || line.contains("icr ci")) {
            flags.extend(found(r"(--[a-z-]+)=", line));
        }
        for variable in found(r"\b(ICR_(?:HOME|REPO_ID)\b)", &text) {
            assert!(help.contains(&format!("`{variable}`")), "{name} sets `{variable}`, which the help does not name");
        }
        for output in found(r"ICR_(VERDICT|[A-Z]*TESTS[A-Z_]*)\b", &text) {
            assert!(help.contains(&format!("\n  {} ", output.to_lowercase())), "{name} names `ICR_{output}`");
        }
        for file in found(r"icr-impact/([a-z.]+\.[a-z]+)", &text) {
            assert!(help.contains(&file), "{name} takes `{file}`, which the program does not write");
        }
    }
    flags.sort();
    flags.dedup();
    assert_eq!(flags, ["--base", "--fail-on", "--out"]);
    assert!(flags.iter().all(|flag| help.contains(&format!("{flag} <"))), "{help}");
}

#[test]
fn every_output_of_the_action_is_one_of_the_program() {
    let fixture = Fixture::new(PROJECT);
    let help = Icr::new(&fixture).prints(&["ci", "--help"]);
    let listed = found(r"(?m)^  ([a-z_]+) +\S", help.split("Outputs, as").nth(1).expect("the help lists outputs"));
    let action = text(ACTION);
    let taken = found(r"steps\.report\.outputs\.([a-z_]+)", &action);
    let by_scripts = ["code".to_owned()];
    assert_eq!(
        [&listed[..], &by_scripts].concat().iter().collect::<std::collections::BTreeSet<_>>(),
        taken.iter().collect()
    );
}

#[test]
fn inputs_are_used_and_reach_the_shell_through_the_environment_only() {
    let action = text(ACTION);
    let (declared, rest) = action.split_once("\noutputs:\n").unwrap();
    let inputs = found(r"(?m)^  ([a-z]+(?:-[a-z]+)*):$", declared.split_once("\ninputs:\n").unwrap().1);
    assert_eq!(inputs, found(r"inputs\.([a-z-]+)", rest), "declared and used");
    let runs: Vec<&str> = action.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(runs.len(), 5);
    assert!(runs.iter().all(|run| !run.contains("${{")), "{runs:?}");
    assert!(texts().iter().filter(|(name, _)| name.ends_with(".sh")).all(|(_, script)| !script.contains("${{")));
}

#[test]
fn actions_are_pinned_by_their_full_version() {
    let uses = found(r"(?m)^\s+uses: (.+)$", &text(ACTION));
    let pinned = Regex::new(r"^[a-z-]+/[a-z-]+(/[a-z-]+)?@v\d+\.\d+\.\d+$").unwrap();
    assert_eq!(uses.len(), 3);
    assert!(uses.iter().all(|action| pinned.is_match(action)), "{uses:?}");
}

/// Indentation of two spaces in steps, no tabs, no key twice in one block: what a reader of YAML would refuse.
#[test]
fn both_files_are_plain_yaml() {
    for name in [ACTION, TEMPLATE] {
        let mut open: Vec<(usize, Vec<String>)> = Vec::new();
        let mut is_text_deeper_than = None;
        for (number, line) in (1..).zip(text(name).lines().map(str::to_owned)) {
            let indent = line.len() - line.trim_start().len();
            if line.trim().is_empty()
                || line.trim_start().starts_with('#')
                || is_text_deeper_than.is_some_and(|at| indent > at)
            {
                continue;
            }
            is_text_deeper_than = line.ends_with(": |").then_some(indent);
            assert!(!line.contains('\t') && indent % 2 == 0, "{name}:{number}");
            let item = line.trim_start().strip_prefix("- ");
            let (indent, entry) = item.map_or((indent, line.trim_start()), |item| (indent + 2, item));
            let Some((key, _)) =
                entry.split_once(':').filter(|(key, _)| key.chars().all(|c| c.is_alphanumeric() || "-_".contains(c)))
            else {
                assert!(item.is_some(), "{name}:{number} has no key: {line}");
                continue;
            };
            open.retain(|(depth, _)| *depth < indent || (*depth == indent && item.is_none()));
            match open.iter_mut().find(|(depth, _)| *depth == indent) {
                Some((_, keys)) => {
                    assert!(!keys.iter().any(|other| other == key), "{name}:{number} has `{key}` twice");
                    keys.push(key.to_owned());
                }
                None => open.push((indent, vec![key.to_owned()])),
            }
        }
    }
}

/// A repository, the program on the path as `icr`, and what the runner sets.
struct Runner {
    fixture: Fixture,
    icr: Icr,
}

impl Runner {
    fn new() -> Self {
        let fixture = Fixture::new(PROJECT);
        let before = fixture.git(&["rev-parse", "HEAD"]);
        fixture.write(RENAMED);
        fixture.commit("rename");
        let place = |name: &str| fixture.home().join(name).to_str().unwrap().to_owned();
        fs::write(place("event.json"), json!({ "before": before }).to_string()).unwrap();
        let icr = Icr::new(&fixture)
            .with_variable("ACTION_PATH", directory().join("github").to_str().unwrap())
            .with_variable("GITHUB_ACTIONS", "true")
            .with_variable("GITHUB_REPOSITORY_ID", "1234567")
            .with_variable("GITHUB_REPOSITORY", "ada/floors")
            .with_variable("GITHUB_SERVER_URL", "https://host.example")
            .with_variable("GITHUB_EVENT_PATH", &place("event.json"))
            .with_variable("GITHUB_OUTPUT", &place("output"))
            .with_variable("GITHUB_STEP_SUMMARY", &place("summary"));
        Self { fixture, icr }
    }

    fn written(&self, name: &str) -> String {
        fs::read_to_string(self.fixture.home().join(name)).unwrap_or_default()
    }

    /// Puts a program that prints `says` and writes its arguments into a file on the path, as `gh`.
    fn with_gh(&self, says: &str, code: i32) -> Icr {
        let programs = self.fixture.home().join("programs");
        fs::create_dir_all(&programs).unwrap();
        let script = format!(
            "#!/bin/sh\nfor argument in \"$@\"; do printf '[%s]' \"$argument\"; done >> \"$ASKED\"\necho >> \"$ASKED\"\n\
             if [ \"$2\" = graphql ]; then printf '{says}'; fi\nexit {code}\n"
        );
        fs::write(programs.join("gh"), script).unwrap();
        fs::set_permissions(programs.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
        self.icr
            .with_variable("PATH", &format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()))
            .with_variable("ASKED", self.fixture.home().join("asked").to_str().unwrap())
            .with_variable("NUMBER", "7")
            .with_variable("COMMENT_FILE", "icr-impact/report.md")
    }
}

#[test]
fn the_report_leaves_its_exit_code_to_a_later_step() {
    let runner = Runner::new();
    let programs = runner.fixture.home().join("programs");
    fs::create_dir_all(&programs).unwrap();
    symlink(env!("CARGO_BIN_EXE_icr"), programs.join("icr")).unwrap();
    let icr = runner
        .icr
        .with_variable("PATH", &format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()))
        .with_variable("FAIL_ON", "breaking, missing")
        .with_variable("OUT", "a b/out")
        .with_variable("BASE", "");
    let ran = icr.shell("bash \"$ACTION_PATH/report.sh\"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outputs = runner.written("output");
    assert!(outputs.ends_with("verdict=breaking\ncode=1\n"), "{outputs}");
    assert!(runner.fixture.root().join("a b/out/report.sarif").is_file());
    assert!(runner.icr.home().join("repos/000000000012d687").is_dir(), "the store has the id of the repository");
}

#[test]
fn a_comment_is_written_once_and_then_kept_up_to_date() {
    let runner = Runner::new();
    let asked = |says: &str, code: i32, quiet: &str| {
        let _ = fs::remove_file(runner.fixture.home().join("asked"));
        let icr = runner.with_gh(says, code).with_variable("QUIET", quiet);
        let ran = icr.shell("bash \"$ACTION_PATH/comment.sh\"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let asked = runner.written("asked");
        assert!(asked.contains("[owner=ada][-f][name=floors][-F][number=7]"), "{asked}");
        (asked.lines().filter(|line| line.contains("[--method]")).collect::<Vec<_>>().join("\n"), ran.stdout)
    };
    let body = "[-F][body=@icr-impact/report.md]";
    let none = String::new();
    assert_eq!(
        asked("", 0, "false"),
        (format!("[api][--silent][--method][POST][repos/ada/floors/issues/7/comments]{body}"), none.clone())
    );
    assert_eq!(asked("", 0, "true"), (none.clone(), none.clone()));
    for quiet in ["false", "true"] {
        let expected = format!("[api][--silent][--method][PATCH][repos/ada/floors/issues/comments/42]{body}");
        assert_eq!(asked("42\\n43\\n", 0, quiet), (expected, none.clone()));
    }
    let (written, said) = asked("", 1, "false");
    assert_eq!((written.as_str(), said.starts_with("::warning ")), ("", true), "a token that may not is no failure");
}

#[test]
fn what_a_build_would_be_made_of_is_told() {
    let runner = Runner::new();
    let ran = runner.icr.shell("bash \"$ACTION_PATH/find.sh\"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = Regex::new("^found=(true|false)\nsource=[0-9a-f]{40}\n$").unwrap();
    assert!(told.is_match(&runner.written("output")), "{}", runner.written("output"));
}
