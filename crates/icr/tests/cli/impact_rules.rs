//! A change that alters the rules by which it is judged: the rules of its base count, and the change of them is named.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::impact_changes::{PROJECT, RENAMED};
use crate::run::Icr;

/// Rules of a repository, by their file: those of the base, and those that come with a change which they would silence.
const SILENCING: [(&str, &str, &str); 7] = [
    (".icr.toml", "", "[impact]\nfail_on = \"none\"\n"),
    (".icr.toml", "[impact]\nfail_on = \"breaking\"\n", "[impact]\nfail_on = \"none\"\n"),
    (".icr.toml", "", "[watcher]\nmax_file_size_kb = 10\n"),
    (".icr.toml", "", "[watcher]\nignore_patterns = [\"src/\"]\n"),
    (".icr.toml", "", "[watcher]\nwatch_extensions = [\"md\"]\n"),
    (".icrignore", "", "src/\n"),
    (".icr/ignore", "", "src/\n"),
];

/// A repository whose last commit breaks a contract and alters a rule.
fn silenced(path: &str, before: &str, after: &str) -> Fixture {
    let fixture = Fixture::new(PROJECT);
    // Larger than the limit that a rule sets.
    let padding = "# Length times breadth.\n".repeat(500);
    let large = |text: &str| format!("{text}{padding}");
    if !before.is_empty() {
        fixture.write_bytes(path, before.as_bytes());
    }
    fixture.write(&large(
        PROJECT.split_at(PROJECT.find("//- src/floors/shapes.py").unwrap()).1.split("//- tests").next().unwrap(),
    ));
    fixture.commit("before");
    fixture.write_bytes(path, after.as_bytes());
    fixture.write(&large(RENAMED));
    fixture.commit("rename");
    fixture
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["incomplete"].as_array().unwrap().iter().filter_map(|row| row["path"].as_str()).collect()
}

#[test]
fn commits_are_judged_by_the_rules_of_their_base() {
    for (path, before, after) in SILENCING {
        let fixture = silenced(path, before, after);
        let icr = Icr::new(&fixture);
        let what = format!("{path}: {before:?} becomes {after:?}");
        for change in ["HEAD", "HEAD~1..HEAD", "HEAD~1...HEAD"] {
            let answer = icr.json(&["impact", change]);
            assert_eq!(answer["verdict"], "breaking", "{what}: {answer:#}");
            assert_eq!(paths(&answer), [path], "{what}");
            let notes = answer["sides"]["notes"].to_string();
            assert!(notes.contains("as they were before the change"), "{what}: {notes}");
        }
        let fails = i32::from(before.contains("fail_on"));
        assert_eq!(icr.run(&["impact", "HEAD"]).code, fails, "{what}");
        let ran = icr.run(&["ci", "--base", "HEAD~1"]);
        assert_eq!(ran.code, 1, "{what}: {}", ran.stderr);
    }
}

#[test]
fn every_format_names_a_rule_that_the_change_alters() {
    let fixture = silenced(".icr.toml", "", "[watcher]\nmax_file_size_kb = 10\n");
    let icr = Icr::new(&fixture);
    for format in
        ["dot", "github", "gitlab", "html", "json", "junit", "markdown", "mermaid", "sarif", "summary", "text"]
    {
        let report = icr.prints(&["impact", "HEAD", "--format", format]);
        assert!(report.contains(".icr.toml") && report.contains("the change alters it"), "{format}: {report}");
    }
}

#[test]
fn rules_that_are_no_part_of_the_change_count_as_they_are() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    fixture.commit("rename");
    // Not committed: whoever asks wrote it.
    fixture.write("//- .icr.toml\n[impact]\nfail_on = \"breaking\"\n");
    let ran = Icr::new(&fixture).run(&["impact", "HEAD"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("before the change"), "{}", ran.stderr);
}

#[test]
fn what_an_uncommitted_rule_leaves_out_is_listed_and_not_known() {
    for (path, rule) in [(".icrignore", "src/\n"), (".icr/ignore", "src/floors/shapes.py\n")] {
        let fixture = Fixture::new(PROJECT);
        fixture.write(RENAMED);
        fixture.write_bytes(path, rule.as_bytes());
        let answer = Icr::new(&fixture).json(&["impact"]);
        assert_eq!(answer["verdict"], "unknown", "{path}: {answer:#}");
        let row = json!({
            "path": "src/floors/shapes.py",
            "reason": "left out of the index by a rule that the change may have added",
            "code": true,
        });
        assert!(answer["incomplete"].as_array().unwrap().contains(&row), "{path}: {answer:#}");
    }
}

#[test]
fn a_rule_that_is_not_committed_is_named_with_the_side_that_it_counts_for() {
    for (path, rule) in [
        (".icr/ignore", "docs/\n"),
        (".icrignore", "docs/\n"),
        (".icrignore", "*\n"),
        (".icr.toml", "[watcher]\nwatch_extensions = [\"py\"]\n"),
    ] {
        let fixture = Fixture::new(PROJECT);
        fixture.write_bytes(path, rule.as_bytes());
        let icr = Icr::new(&fixture);
        let row = json!({
            "path": path,
            "reason": "it holds rules that icr judges by, and the change alters it: read it",
            "code": false,
        });
        let is_named = |answer: &Value| {
            assert!(answer["incomplete"].as_array().unwrap().contains(&row), "{path}: {answer:#}");
            let notes = answer["sides"]["notes"].to_string();
            let expected = format!("the change alters `{path}`; configuration and ignore files count for both sides");
            assert!(notes.contains(&expected), "{path}: {notes}");
        };
        is_named(&icr.json(&["impact"]));
        for format in ["markdown", "text", "github"] {
            let report = icr.prints(&["impact", "--format", format]);
            assert!(report.contains(path), "{path}, {format}: {report}");
        }
        assert_eq!(icr.json(&["impact", "--staged"])["incomplete"], json!([]), "{path} is not staged");
        fixture.git(&["add", "-Af"]);
        is_named(&icr.json(&["impact", "--staged"]));
        fixture.git(&["diff", "--cached", "--output=../rules.patch"]);
        let ran = icr.shell("exec \"$0\" impact - --json < ../rules.patch");
        is_named(&serde_json::from_str(&ran.stdout).unwrap());
        fixture.git(&["commit", "-q", "-m", "rules"]);
        fixture.delete(path);
        is_named(&icr.json(&["impact"]));
    }
}

#[test]
fn a_rule_that_git_ignores_is_no_part_of_the_change_and_one_of_git_is() {
    let fixture = Fixture::new("//- a.py\na = 1\n//- .gitignore\n.icr/\n");
    fixture.write_bytes(".icr/ignore", b"docs/\n");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.json(&["impact"])["incomplete"], json!([]));
    fixture.write("//- .gitignore\n.icr/\nb.py\n//- b.py\nb = 1\n");
    let answer = icr.json(&["impact"]);
    assert_eq!(paths(&answer), [".gitignore"]);
    assert!(answer["incomplete"].to_string().contains("rules that leave out untracked files"), "{answer:#}");
    fixture.commit("rules of git");
    assert!(!icr.json(&["impact", "HEAD"])["incomplete"].to_string().contains("the change alters it"));
}

#[test]
fn what_was_left_out_before_the_change_makes_nothing_unknown() {
    let fixture = Fixture::new("//- a.py\na = 1\n//- vendor/b.py\nb = 1\n//- .icrignore\nvendor/\n");
    fixture.write("//- vendor/b.py\nb = 2\n");
    fixture.commit("vendor");
    let answer = Icr::new(&fixture).json(&["impact", "HEAD"]);
    assert_eq!((&answer["verdict"], paths(&answer)), (&json!("clean"), vec!["vendor/b.py"]));
}

const USED: &str = "//- src/a.py\ndef area(x):\n    return x\n//- src/b.py\nfrom src.a import area\n\n\ndef room():\n    return area(1)\n";

#[test]
fn a_file_that_is_moved_out_of_sight_is_gone_for_those_who_use_it() {
    for (to, reason) in [("node_modules/x/a.py", "left out of the index"), ("src/a.pem", "secret")] {
        let fixture = Fixture::new(USED);
        std::fs::create_dir_all(fixture.root().join(to).parent().unwrap()).unwrap();
        fixture.git(&["mv", "src/a.py", to]);
        fixture.git(&["add", "-Af"]);
        fixture.git(&["commit", "-q", "-m", "move"]);
        let icr = Icr::new(&fixture);
        let answer = icr.json(&["impact", "HEAD"]);
        assert_eq!(answer["verdict"], "breaking", "{to}: {answer:#}");
        assert_eq!(paths(&answer), [to]);
        assert!(answer["incomplete"][0]["reason"].as_str().unwrap().contains(reason), "{answer:#}");
        fixture.git(&["diff", "-M", "HEAD~1", "HEAD", "--output=../move.patch"]);
        fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
        let ran = icr.shell("exec \"$0\" impact - --json < ../move.patch");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["verdict"], "unknown", "{to}: {answer:#}");
    }
}

#[test]
fn what_is_staged_cannot_leave_itself_out() {
    let fixture = Fixture::new(USED);
    fixture.git(&["rm", "-q", "src/a.py"]);
    fixture.write("//- .icrignore\nsrc/a.py\n");
    fixture.git(&["add", "-A"]);
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact", "--staged"]);
    assert_eq!(answer["verdict"], "unknown", "{answer:#}");
    assert_eq!(paths(&answer), [".icrignore", "src/a.py"]);
    assert_eq!(icr.run(&["impact", "--staged", "--fail-on", "unknown"]).code, 1);
}

#[test]
fn a_configuration_that_hides_what_changed_hides_nothing() {
    let code =
        "//- pkg/core.py\ndef load(path):\n    return path\n//- pkg/app.py\nfrom pkg.core import load\n\nload(1)\n";
    for rules in
        ["[watcher]\nignore_patterns = [\"pkg/core.py\"]\n", "[security]\nsecret_patterns = [\"pkg/core.py\"]\n"]
    {
        let fixture = Fixture::new(code);
        fixture.write(&format!("//- pkg/core.py\ndef read(path):\n    return path\n//- .icr.toml\n{rules}"));
        let icr = Icr::new(&fixture);
        let worktree = icr.json(&["impact"]);
        fixture.git(&["add", "-A"]);
        let staged = icr.json(&["impact", "--staged"]);
        for answer in [worktree, staged] {
            assert_eq!(answer["verdict"], "unknown", "{rules}: {answer:#}");
            let incomplete = answer["incomplete"].to_string();
            assert!(incomplete.contains("pkg/core.py"), "{rules}: {incomplete}");
        }
    }
}

#[test]
fn one_long_line_takes_nothing_away() {
    let code = "//- core.py\ndef load(path):\n    return path\n//- app.py\nfrom core import load\n\nload(1)\n";
    let with_line = |length: usize, name: &str| {
        format!("//- core.py\ndef {name}(path):\n    return path\n# {}\n", "x".repeat(length))
    };
    for (length, name, verdict) in [
        (15_000, "load", "cosmetic"),
        (15_000, "read", "breaking"),
        (25_000, "load", "unknown"),
        (25_000, "read", "unknown"),
    ] {
        let fixture = Fixture::new(code);
        fixture.write(&with_line(length, name));
        let answer = Icr::new(&fixture).json(&["impact"]);
        assert_eq!(answer["verdict"], verdict, "{length} {name}: {answer:#}");
    }
}

#[test]
fn a_bare_repository_judges_a_change_by_the_configuration_of_its_base() {
    let fixture = Fixture::new(
        "//- .icr.toml\n[impact]\nbreak_categories = [\"wire\"]\n//- shapes.py\ndef area(a):\n    return a\n//- room.py\nfrom shapes import area\n\narea(1)\n",
    );
    fixture.write("//- shapes.py\ndef surface(a):\n    return a\n");
    fixture.commit("another name");
    let bare = Icr::new(&fixture).standing_in(&fixture.clone_to("bare.git", &["--bare"]));
    for icr in [Icr::new(&fixture), bare] {
        assert_eq!(icr.json(&["impact", "HEAD"])["verdict"], "review");
        let of_user = icr.json(&["impact", "HEAD", "--break", "api"]);
        assert_eq!(of_user["verdict"], "breaking", "the change itself breaks a user");
    }
}
