//! `icr ci` in pipelines: what it compares, what it leaves for later steps, and that it never says clean for what it did not
//! see.

use std::fs;
use std::path::{Path, PathBuf};

use icr_fixture::Fixture;
use regex::Regex;
use serde_json::{Value, json};

use crate::impact_changes::{PROJECT, RENAMED, said};
use crate::run::{Icr, RunOutput};

const FILES: [&str; 7] =
    ["codequality.json", "junit.xml", "report.html", "report.json", "report.md", "report.sarif", "tests.txt"];

/// A repository with a request: `topic` renames a function of `main`, which moved on, and `merged` is both.
fn request() -> Fixture {
    let fixture = Fixture::new(PROJECT);
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.write(RENAMED);
    fixture.commit("rename");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- src/floors/stairs.py\ndef stairs():\n    return 12\n");
    fixture.commit("stairs");
    fixture.git(&["checkout", "-q", "-b", "merged"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    fixture
}

/// A pipeline of GitHub with its files.
struct Github {
    icr: Icr,
    clone: PathBuf,
    place: PathBuf,
}

impl Github {
    /// A checkout of `merged` for the request of `topic` into `main`.
    fn request(fixture: &Fixture, clone: &[&str]) -> Self {
        let commit = |name: &str| fixture.git(&["rev-parse", name]);
        let payload = json!({"pull_request": {"base": {"sha": commit("main~1"), "ref": "main"}, "head": {"sha": commit("topic")}}});
        let variables =
            [("GITHUB_BASE_REF", "main"), ("GITHUB_REF", "refs/pull/7/merge"), ("GITHUB_SHA", &commit("merged"))];
        Self::new(fixture, &[clone, &["--branch=merged"]].concat(), &payload, &variables)
    }

    fn new(fixture: &Fixture, clone: &[&str], payload: &Value, variables: &[(&str, &str)]) -> Self {
        let clone = fixture.clone_to("clone", clone);
        let place = fixture.home().to_owned();
        fs::write(place.join("event.json"), payload.to_string()).unwrap();
        let mut icr = Icr::new(fixture).standing_in(&clone);
        for (name, file) in
            [("GITHUB_EVENT_PATH", "event.json"), ("GITHUB_OUTPUT", "output"), ("GITHUB_STEP_SUMMARY", "summary")]
        {
            icr = icr.with_variable(name, place.join(file).to_str().unwrap());
        }
        icr = icr.with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_REPOSITORY", "ada/floors");
        icr = icr.with_variable("GITHUB_SERVER_URL", "https://host.example");
        for (name, value) in variables {
            icr = icr.with_variable(name, value);
        }
        Self { icr, clone, place }
    }

    /// A file that the run wrote into; empty when it did not.
    fn written(&self, name: &str) -> String {
        fs::read_to_string(self.place.join(name)).unwrap_or_default()
    }

    /// An output of the step.
    fn output(&self, name: &str) -> Option<String> {
        let outputs = self.written("output");
        outputs.lines().find_map(|line| line.strip_prefix(&format!("{name}=")).map(str::to_owned))
    }

    fn report(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.clone.join("icr-impact/report.json")).unwrap()).unwrap()
    }
}

/// A pipeline of GitLab about the request of `topic` into `main`.
fn gitlab(fixture: &Fixture, clone: &[&str]) -> (Icr, PathBuf) {
    let clone = fixture.clone_to("clone", &[clone, &["--branch=topic"]].concat());
    let icr = Icr::new(fixture)
        .standing_in(&clone)
        .with_variable("GITLAB_CI", "true")
        .with_variable("CI_PROJECT_URL", "https://host.example/ada/floors")
        .with_variable("CI_PROJECT_PATH", "ada/floors")
        .with_variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
        .with_variable("CI_MERGE_REQUEST_DIFF_BASE_SHA", &fixture.git(&["merge-base", "main", "topic"]))
        .with_variable("CI_COMMIT_BEFORE_SHA", &"0".repeat(40))
        .with_variable("CI_DEFAULT_BRANCH", "main");
    (icr, clone)
}

/// A run that could not compare, and left nothing that says otherwise.
#[track_caller]
fn check_not_analysed(ran: &RunOutput, directory: &Path) {
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.starts_with("error: cannot compare: "), "{}", ran.stderr);
    assert_eq!(FILES.map(|name| directory.join(name).exists()), [false; 7]);
}

/// Runs the command that a hint gives, as a person would paste it.
#[track_caller]
fn follow_hint(fixture: &Fixture, clone: &Path, ran: &RunOutput) {
    let command = Regex::new("run `git ([^`]+)` first").unwrap();
    let found = command.captures(&ran.stderr).unwrap_or_else(|| panic!("no command in {}", ran.stderr));
    fixture.git_in(clone, &found[1].split(' ').collect::<Vec<_>>());
}

#[test]
fn a_request_on_github_is_compared_with_what_it_was_merged_into() {
    let fixture = request();
    let github = Github::request(&fixture, &[]);
    let ran = github.icr.run(&["ci"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(said(&ran).starts_with("failed: ") && ran.stderr.ends_with("(`--fail-on breaking`)\n"), "{}", ran.stderr);
    let report = github.report();
    assert_eq!(report["sides"]["base"], "main");
    assert_eq!(
        report["sides"]["base_commit"],
        fixture.git(&["rev-parse", "main"]).as_str(),
        "not the older one of the payload"
    );
    assert_eq!(report["changed"].as_array().map(Vec::len), Some(1), "what `main` has since is no part of the change");
}

#[test]
fn github_gets_annotations_a_summary_and_outputs() {
    let fixture = request();
    let github = Github::request(&fixture, &[]);
    let ran = github.icr.run(&["ci"]);
    assert!(ran.stdout.starts_with("Breaking: "), "{}", ran.stdout);
    assert!(ran.stdout.lines().any(|line| line.starts_with("::error file=src/floors/houses.py,")), "{}", ran.stdout);
    let summary = github.written("summary");
    assert!(summary.starts_with("<!-- icr-impact -->\n**Breaking**") && summary.contains("houses.py"), "{summary}");
    let comment = fs::read_to_string(github.clone.join("icr-impact/report.md")).unwrap();
    let link = format!("https://host.example/ada/floors/blob/{}/src/floors/", fixture.git(&["rev-parse", "merged"]));
    assert!(comment.contains("breaks [`src/floors/houses.py:") && comment.contains(&link), "{comment}");
    for (name, expected) in [
        ("breaking", "true"),
        ("comment_file", "icr-impact/report.md"),
        ("may_break", "true"),
        ("missing", "0"),
        ("tests", "tests/test_shapes.py"),
        ("tests_file", "icr-impact/tests.txt"),
        ("tests_json", "[\"tests/test_shapes.py\"]"),
        ("verdict", "breaking"),
    ] {
        assert_eq!(github.output(name).as_deref(), Some(expected), "{name}");
    }
    let score: f64 = github.output("impact_score").unwrap().parse().unwrap();
    assert!(score > 0.0 && score <= 1.0);
    assert!(["low", "medium", "high"].contains(&github.output("risk").unwrap().as_str()));
}

#[test]
fn every_report_is_left_in_the_directory_and_is_the_same_in_every_run() {
    let fixture = request();
    let github = Github::request(&fixture, &[]);
    let reports = || FILES.map(|name| fs::read(github.clone.join("icr-impact").join(name)).unwrap());
    let first = github.icr.run(&["ci"]);
    let before = reports();
    let second = github.icr.run(&["ci"]);
    assert_eq!((first.stdout, before), (second.stdout, reports()));
    assert_eq!(fixture.git_in(&github.clone, &["status", "--porcelain"]), "", "the directory is hidden from git");
    let sarif: Value = serde_json::from_slice(&reports()[5]).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
}

#[test]
fn a_clean_change_is_silent() {
    let fixture = Fixture::new(PROJECT);
    fixture
        .write("//- src/floors/shapes.py\n\"\"\"Sizes.\"\"\"\n\ndef area(width, height):\n    return width * height\n");
    fixture.commit("comment");
    let payload = json!({"before": fixture.git(&["rev-parse", "HEAD~1"])});
    let github = Github::new(&fixture, &[], &payload, &[]);
    let ran = github.icr.run(&["ci"]);
    assert_eq!((ran.code, ran.stdout.as_str(), said(&ran).as_str()), (0, "", ""));
    assert_eq!(github.written("summary"), "");
    assert_eq!(github.output("verdict").as_deref(), Some("cosmetic"));
    assert!(fs::read_to_string(github.clone.join("icr-impact/report.md")).unwrap().contains("**Cosmetic**"));
}

#[test]
fn a_push_is_compared_with_what_was_there_before() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- src/floors/stairs.py\ndef stairs():\n    return 12\n");
    let before = fixture.commit("stairs");
    fixture.write(RENAMED);
    fixture.commit("rename");
    let github = Github::new(&fixture, &[], &json!({ "before": before }), &[]);
    assert_eq!(github.icr.run(&["ci"]).code, 1);
    assert_eq!(github.report()["sides"]["base_commit"], before.as_str());
}

#[test]
fn a_new_branch_is_compared_with_the_default_one() {
    let fixture = request();
    let payload = json!({"before": "0".repeat(40), "repository": {"default_branch": "main"}});
    let github = Github::new(&fixture, &["--branch=topic"], &payload, &[("GITHUB_REF", "refs/heads/topic")]);
    assert_eq!(github.icr.run(&["ci"]).code, 1);
    assert_eq!(github.report()["sides"]["base_commit"], fixture.git(&["merge-base", "main", "topic"]).as_str());
}

#[test]
fn a_shallow_checkout_on_github_is_told_what_to_fetch() {
    let fixture = request();
    let github = Github::request(&fixture, &["--depth=1"]);
    let directory = github.clone.join("icr-impact");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("report.md"), "of an earlier run").unwrap();
    let ran = github.icr.run(&["ci"]);
    check_not_analysed(&ran, &directory);
    assert!(ran.stderr.contains("`main`, the target of the request, is not in this clone"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`fetch-depth: 0` of `actions/checkout`"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("::error title=icr impact::cannot compare: "), "{}", ran.stdout);
    assert_eq!((github.written("output"), github.written("summary")), (String::new(), String::new()));
    follow_hint(&fixture, &github.clone, &ran);
    assert_eq!(github.icr.run(&["ci"]).code, 1);
    assert_eq!(github.report()["sides"]["base_commit"], fixture.git(&["rev-parse", "main"]).as_str());
}

#[test]
fn a_merge_commit_with_its_parents_is_history_enough() {
    let fixture = request();
    let github = Github::request(&fixture, &["--depth=2"]);
    let ran = github.icr.run(&["ci"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(github.report()["sides"]["base_commit"], fixture.git(&["rev-parse", "main"]).as_str());
    assert!(ran.stderr.contains("note: the clone is shallow"), "{}", ran.stderr);
}

#[test]
fn a_push_into_a_shallow_checkout_is_told_what_to_fetch() {
    let fixture = Fixture::new(PROJECT);
    let before = fixture.git(&["rev-parse", "HEAD"]);
    fixture.write(RENAMED);
    fixture.commit("rename");
    let github = Github::new(&fixture, &["--depth=1"], &json!({ "before": before }), &[]);
    let ran = github.icr.run(&["ci"]);
    check_not_analysed(&ran, &github.clone.join("icr-impact"));
    follow_hint(&fixture, &github.clone, &ran);
    assert_eq!(github.icr.run(&["ci"]).code, 1);
}

#[test]
fn the_target_checked_out_in_place_of_the_request_is_no_clean_change() {
    let fixture = request();
    let payload = json!({"pull_request": {"base": {"sha": fixture.git(&["rev-parse", "main"]), "ref": "main"}}});
    let github = Github::new(&fixture, &["--branch=main"], &payload, &[("GITHUB_REF", "refs/heads/main")]);
    let ran = github.icr.run(&["ci"]);
    check_not_analysed(&ran, &github.clone.join("icr-impact"));
    assert!(ran.stderr.contains("HEAD has nothing that `main`"), "{}", ran.stderr);
}

#[test]
fn gitlab_gets_reports_and_variables() {
    let fixture = request();
    let (icr, clone) = gitlab(&fixture, &[]);
    let ran = icr.run(&["ci"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Breaking: ") && !ran.stdout.contains("::"), "{}", ran.stdout);
    let variables = fs::read_to_string(clone.join("icr-impact/icr.env")).unwrap();
    let line = Regex::new("^ICR_[A-Z_]+=.*$").unwrap();
    assert!(variables.lines().all(|variable| line.is_match(variable)), "{variables}");
    for variable in [
        "ICR_VERDICT=breaking",
        "ICR_BREAKING=true",
        "ICR_MAY_BREAK=true",
        "ICR_TESTS=tests/test_shapes.py",
        "ICR_MISSING=0",
    ] {
        assert!(variables.lines().any(|line| line == variable), "{variable} is not in:\n{variables}");
    }
    let quality: Value = serde_json::from_slice(&fs::read(clone.join("icr-impact/codequality.json")).unwrap()).unwrap();
    assert!(
        quality.as_array().unwrap().iter().any(|row| row["location"]["path"] == "src/floors/houses.py"),
        "{quality:#}"
    );
    let comment = fs::read_to_string(clone.join("icr-impact/report.md")).unwrap();
    assert!(comment.contains("https://host.example/ada/floors/-/blob/"), "{comment}");
}

#[test]
fn later_jobs_can_run_icr_with_the_variables_of_this_one() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture).with_variable("ICR_VERDICT", "breaking").with_variable("ICR_TESTS_JSON", "[]");
    assert_eq!(said(&icr.run(&["impact"])), "");
}

#[test]
fn a_shallow_checkout_on_gitlab_is_told_what_to_fetch() {
    let fixture = request();
    let (icr, clone) = gitlab(&fixture, &["--depth=1"]);
    let ran = icr.run(&["ci"]);
    check_not_analysed(&ran, &clone.join("icr-impact"));
    assert!(ran.stderr.contains("`GIT_DEPTH: \"0\"`") && !clone.join("icr-impact/icr.env").exists(), "{}", ran.stderr);
    follow_hint(&fixture, &clone, &ran);
    assert_eq!(icr.run(&["ci"]).code, 1);
}

#[test]
fn a_base_that_is_given_is_taken() {
    let fixture = request();
    let github = Github::request(&fixture, &[]);
    // A checkout of one branch has the others under the name of the remote only.
    for base in ["origin/topic~1", "topic~1", &fixture.git(&["rev-parse", "topic~1"])] {
        let ran = github.icr.run(&["ci", "--base", base, "--fail-on", "none"]);
        assert_eq!(ran.code, 0, "{base}: {}", ran.stderr);
        let report = github.report();
        assert_eq!(report["sides"]["base_commit"], fixture.git(&["rev-parse", "main~1"]).as_str());
        assert_eq!(report["sides"]["base"], base);
    }
    let ran = github.icr.run(&["ci", "--base", "nope"]);
    check_not_analysed(&ran, &github.clone.join("icr-impact"));
    assert!(ran.stderr.contains("`nope` is not in this clone"), "{}", ran.stderr);
    let ran = github.icr.run(&["ci", "--base", "topic:src"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
}

#[test]
fn elsewhere_the_remote_says_where_the_branch_began() {
    let fixture = request();
    fixture.git(&["checkout", "-q", "main"]);
    let clone = fixture.clone_to("clone", &[]);
    let icr = Icr::new(&fixture).standing_in(&clone);
    fixture.git_in(&clone, &["checkout", "-q", "topic"]);
    let answer = icr.json(&["ci"]);
    assert_eq!(answer["sides"]["base_commit"], fixture.git(&["merge-base", "main", "topic"]).as_str());
    assert_eq!(answer["fail_on"]["conditions"], "breaking");
    // On the default branch there is its last commit to look at.
    fixture.git_in(&clone, &["checkout", "-q", "main"]);
    let ran = icr.run(&["ci"]);
    assert_eq!(said(&ran), "note: nothing says what HEAD was made on; compared with its parent\n");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.json(&["ci"])["sides"]["base_commit"], fixture.git(&["rev-parse", "main~1"]).as_str());
}

#[test]
fn what_a_longer_history_says_is_worked_out() {
    let fixture = Fixture::new(PROJECT);
    for step in 0..60 {
        fixture.write(&format!("//- src/floors/stairs.py\ndef stairs():\n    return {step}\n"));
        fixture.commit("step");
    }
    let icr = Icr::new(&fixture);
    assert_eq!(icr.gaps(&["impact", "HEAD"]), ["uncalibrated"]);
    assert_eq!(icr.gaps(&["ci", "--read-only"]), ["uncalibrated"]);
    assert!(icr.gaps(&["ci"]).is_empty());
    assert!(icr.gaps(&["impact", "HEAD"]).is_empty(), "it is kept for later questions");
}

#[test]
fn names_of_files_stay_names() {
    let fixture = Fixture::new(PROJECT);
    fixture.git(&["mv", "tests/test_shapes.py", "tests/test_$(touch sprung) a.py"]);
    fixture.commit("hostile");
    fixture.write(RENAMED);
    fixture.commit("rename");
    let github = Github::new(&fixture, &[], &json!({"before": fixture.git(&["rev-parse", "HEAD~1"])}), &[]);
    assert_eq!(github.icr.run(&["ci"]).code, 1);
    assert_eq!(github.output("tests").as_deref(), Some("'tests/test_$(touch sprung) a.py'"));
    assert_eq!(github.output("tests_json").as_deref(), Some("[\"tests/test_$(touch sprung) a.py\"]"));
}

#[test]
fn what_is_typed_wrong_ends_with_2() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for (args, named) in [
        (&["--fail-on", "braking"][..], "`breaking`"),
        (&["--at", "HEAD"], "--at"),
        (&["--out", "pyproject.toml/reports"], "pyproject.toml/reports"),
        (&["--depth", "9"], "--depth"),
    ] {
        let said = icr.fails(2, &[&["ci"], args].concat());
        assert!(said.contains(named), "{args:?}: {said}");
    }
}
