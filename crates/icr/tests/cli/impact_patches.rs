//! Patches as git prints them in every form and from every directory, laid on the worktree by `icr impact -`.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::impact_changes::{PROJECT, RENAMED, changed};
use crate::run::{Icr, RunOutput};

/// What git may be asked to print, and whether its paths are relative to the root.
const FORMS: [(&[&str], bool); 9] = [
    (&["diff", "HEAD"], true),
    (&["diff", "HEAD", "--no-prefix"], true),
    (&["-c", "diff.noprefix=true", "diff", "HEAD"], true),
    (&["-c", "diff.mnemonicPrefix=true", "diff", "HEAD"], true),
    (&["diff", "HEAD", "--src-prefix=before/", "--dst-prefix=after/"], true),
    (&["diff", "HEAD", "--relative"], false),
    (&["-c", "diff.relative=true", "diff", "HEAD"], false),
    (&["diff", "HEAD", "--relative", "--no-prefix"], false),
    (&["-c", "diff.mnemonicPrefix=true", "diff", "HEAD", "--relative"], false),
];

/// What git calls a change, what makes it, and the path that it changes.
type NamedChange = (&'static str, fn(&Fixture), &'static str);

/// Changes of files below `src/`.
const CHANGES: [NamedChange; 4] = [
    ("modified", |fixture| fixture.write(RENAMED), "src/floors/shapes.py"),
    ("deleted", |fixture| fixture.delete("src/floors/houses.py"), "src/floors/houses.py"),
    (
        "renamed",
        |fixture| drop(fixture.git(&["mv", "src/floors/rooms.py", "src/floors/chambers.py"])),
        "src/floors/chambers.py",
    ),
    (
        "added",
        |fixture| {
            fixture.write("//- src/floors/stairs.py\ndef stairs():\n    return 12\n");
            fixture.git(&["add", "-A"]);
        },
        "src/floors/stairs.py",
    ),
];

fn asked(icr: &Icr, patch: &str) -> RunOutput {
    icr.reads(patch.as_bytes(), &["impact", "-", "--json"])
}

/// The patch in a form, printed in `directory` of a worktree that has the change; and the fixture.
fn printed(make: fn(&Fixture), form: &[&str], directory: &str) -> (Fixture, String) {
    let fixture = Fixture::new(PROJECT);
    make(&fixture);
    let patch = format!("{}\n", fixture.git_in(&fixture.root().join(directory), form));
    (fixture, patch)
}

/// The patch is taken for a change of `path`, whether the worktree has it already or not.
#[track_caller]
fn check_known(fixture: &Fixture, patch: &str, path: &str, what: &str) {
    let icr = Icr::new(fixture);
    for state in ["with the change", "without it"] {
        let ran = asked(&icr, patch);
        assert_eq!(ran.code, 0, "{what}, {state}: {}\n{patch}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(changed(&answer), [path], "{what}, {state}\n{patch}");
        fixture.git(&["reset", "-q", "--hard"]);
    }
}

/// The patch is refused as one of files that are not here, and the error says what helps.
#[track_caller]
fn check_unknown(fixture: &Fixture, patch: &str, said: &[&str], what: &str) {
    let icr = Icr::new(fixture);
    for state in ["with the change", "without it"] {
        let ran = asked(&icr, patch);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{what}, {state}: {}\n{patch}", ran.stderr);
        let error: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(error["error"]["code"], "PATCH_DOES_NOT_APPLY", "{what}, {state}: {error:#}");
        for words in said {
            assert!(ran.stderr.contains(words), "{what}, {state}: `{words}` is not in {error:#}");
        }
        fixture.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn every_form_with_paths_from_the_root_is_read_in_every_directory() {
    for (form, _) in FORMS.iter().filter(|form| form.1) {
        for directory in ["", "src/floors"] {
            for (name, make, path) in CHANGES {
                let (fixture, patch) = printed(make, form, directory);
                check_known(&fixture, &patch, path, &format!("{name} by {form:?} in `{directory}`"));
            }
        }
    }
}

#[test]
fn paths_relative_to_a_directory_are_refused_with_its_name() {
    for (form, _) in FORMS.iter().filter(|form| !form.1) {
        for directory in ["src", "src/floors"] {
            for (name, make, _) in CHANGES.iter().filter(|change| change.0 != "added") {
                let (fixture, patch) = printed(*make, form, directory);
                let said = [&format!("with `{directory}/` before it"), "--no-relative"];
                check_unknown(&fixture, &patch, &said.map(|words| words as &str), &format!("{name} by {form:?}"));
            }
        }
    }
}

#[test]
fn relative_paths_from_the_root_are_those_of_the_root() {
    let (fixture, patch) = printed(CHANGES[0].1, &["diff", "HEAD", "--relative"], "");
    check_known(&fixture, &patch, CHANGES[0].2, "modified");
}

#[test]
fn a_patch_of_new_files_alone_needs_none_that_is_here() {
    let (_, patch) = printed(CHANGES[3].1, &["diff", "HEAD", "--relative"], "src");
    let elsewhere = Fixture::new("//- a.py\na = 1\n");
    let ran = asked(&Icr::new(&elsewhere), &patch);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(changed(&serde_json::from_str(&ran.stdout).unwrap()), ["floors/stairs.py"]);
}

#[test]
fn one_file_that_is_not_here_refuses_the_whole_patch() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(RENAMED);
    fixture.write("//- pyproject.toml\n[project]\nname = \"storeys\"\n");
    let (of_root, of_directory) = (
        fixture.git(&["diff", "HEAD", "--", "pyproject.toml"]),
        fixture.git_in(&fixture.root().join("src"), &["diff", "HEAD", "--relative"]),
    );
    let said = ["`floors/shapes.py`", "with `src/` before it"];
    check_unknown(&fixture, &format!("{of_root}\n{of_directory}\n"), &said, "both");
}

#[test]
fn a_patch_of_another_repository_is_refused_also_where_its_blobs_are_here() {
    let other = Fixture::new("//- lib/area.py\ndef area(width, height):\n    return width * height\n");
    other.write("//- lib/area.py\ndef area(width):\n    return width * width\n");
    let patch = format!("{}\n", other.git(&["diff"]));
    let fixture =
        Fixture::new("//- first.py\ndef area(width, height):\n    return width * height\n//- second/lib/x.py\nx = 1\n");
    let said = ["`lib/area.py`, which is not in this repository", "another repository"];
    check_unknown(&fixture, &patch, &said, "another repository");
}

#[test]
fn what_a_commit_of_the_past_removed_is_known() {
    let fixture = Fixture::new(PROJECT);
    fixture.delete("src/floors/houses.py");
    fixture.commit("no houses");
    fixture.write(RENAMED);
    fixture.commit("rename");
    let patch = format!("{}\n", fixture.git(&["show", "HEAD~1"]));
    let ran = asked(&Icr::new(&fixture), &patch);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(changed(&serde_json::from_str(&ran.stdout).unwrap()), ["src/floors/houses.py"]);
}

#[test]
fn a_patch_of_a_file_that_has_no_text_here_lists_it_as_not_looked_into() {
    let large = |line: &str| format!("def a():\n    return {line}\n").repeat(25_000);
    let fixture = Fixture::empty();
    fixture.write_bytes("large.py", large("1").as_bytes());
    fixture.write("//- ignored/a.py\na = 1\n//- .icrignore\nignored/\n");
    fixture.commit("first");
    fixture.write_bytes("large.py", large("2").as_bytes());
    fixture.write("//- ignored/a.py\na = 2\n");
    let patch = format!("{}\n", fixture.git(&["diff"]));
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        let ran = asked(&icr, &patch);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(changed(&answer), ["ignored/a.py", "large.py"]);
        let rows = answer["incomplete"].as_array().unwrap();
        let rows: Vec<(&str, bool)> =
            rows.iter().map(|row| (row["path"].as_str().unwrap(), row["code"].as_bool().unwrap())).collect();
        assert_eq!(rows, [("ignored/a.py", false), ("large.py", true)]);
        assert_eq!(answer["verdict"], "unknown");
        fixture.git(&["checkout", "-q", "."]);
    }
}
