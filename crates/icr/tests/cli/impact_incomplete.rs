//! Changes that `icr impact` could not look into: named in every format, and never clean where they are code.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::run::Icr;

/// Contents of a file; more bytes than the usual limit of 500 KiB where it says so.
#[derive(Clone, Copy)]
enum Text {
    Absent,
    Short(&'static str),
    /// This line over and over.
    Large(&'static str),
}

use Text::{Absent, Large, Short};

/// A change of one file, and what is said of it.
struct Row {
    path: &'static str,
    before: Text,
    after: Text,
    verdict: &'static str,
    /// Why it was not looked into, and whether it is code; nothing where it was.
    incomplete: Option<(&'static str, bool)>,
}

const ROWS: [Row; 18] = [
    Row {
        path: "src/table.py",
        before: Short("a = 1\n"),
        after: Large("a = 1\n"),
        verdict: "unknown",
        incomplete: Some(("too large", true)),
    },
    Row {
        path: "src/table.py",
        before: Large("a = 1\n"),
        after: Large("a = 2\n"),
        verdict: "unknown",
        incomplete: Some(("too large", true)),
    },
    Row {
        path: "src/table.py",
        before: Large("a = 1\n"),
        after: Short("a = 1\n"),
        verdict: "unknown",
        incomplete: Some(("too large", true)),
    },
    Row {
        path: "src/table.py",
        before: Absent,
        after: Large("a = 1\n"),
        verdict: "unknown",
        incomplete: Some(("too large", true)),
    },
    Row {
        path: "src/alone.py",
        before: Short("def alone():\n    return 1\n"),
        after: Short("def alone(:\n    return 2\n"),
        verdict: "unknown",
        incomplete: Some(("syntax error at line 1", true)),
    },
    Row {
        path: "src/alone.rs",
        before: Short("fn alone() {\n    let a = 1;\n}\n"),
        after: Short("fn alone() {\n    let a = 1\n}\n"),
        verdict: "unknown",
        incomplete: Some(("syntax error at line 2", true)),
    },
    Row {
        path: "src/alone.py",
        before: Absent,
        after: Short("def alone(:\n    return 2\n"),
        verdict: "unknown",
        incomplete: Some(("syntax error at line 1", true)),
    },
    Row {
        path: "src/alone.py",
        before: Short("def alone(:\n    return 2\n\ndef other():\n    return 1\n"),
        after: Short("def alone(:\n    return 2\n\ndef other():\n    return 3\n"),
        verdict: "clean",
        incomplete: None,
    },
    Row {
        path: "tool.pl",
        before: Short("print 1;\n"),
        after: Short("print 2;\n"),
        verdict: "unknown",
        incomplete: Some(("no grammar", true)),
    },
    Row {
        path: "bin/tool",
        before: Short("#!/usr/bin/env tclsh\nputs 1\n"),
        after: Short("#!/usr/bin/env tclsh\nputs 2\n"),
        verdict: "unknown",
        incomplete: Some(("no grammar", true)),
    },
    Row {
        path: "src/wide.js",
        before: Short("a\0b\n"),
        after: Short("a\0c\n"),
        verdict: "unknown",
        incomplete: Some(("binary", true)),
    },
    Row {
        path: "Cargo.lock",
        before: Large("name = \"a\"\n"),
        after: Large("name = \"b\"\n"),
        verdict: "clean",
        incomplete: Some(("too large", false)),
    },
    Row {
        path: "data/table.csv",
        before: Short("1,2\n"),
        after: Short("1,3\n"),
        verdict: "clean",
        incomplete: Some(("no grammar", false)),
    },
    Row {
        path: "data/table.json",
        before: Short("{\"a\": 1}\n"),
        after: Short("{\"a\": }\n"),
        verdict: "clean",
        incomplete: Some(("syntax error at line 1", false)),
    },
    Row {
        path: "NOTES.txt",
        before: Short("a\n"),
        after: Short("b\n"),
        verdict: "clean",
        incomplete: Some(("no grammar", false)),
    },
    Row {
        path: "api/a.pb.go",
        before: Large("var A = 1\n"),
        after: Large("var A = 2\n"),
        verdict: "clean",
        incomplete: Some(("too large", false)),
    },
    Row {
        path: "logo.png",
        before: Short("\0a"),
        after: Short("\0b"),
        verdict: "clean",
        incomplete: Some(("binary", false)),
    },
    Row {
        path: "src/alone.py",
        before: Short("def alone():\n    return 1\n"),
        after: Short("def alone():\n    return 2\n"),
        verdict: "clean",
        incomplete: None,
    },
];

fn write(fixture: &Fixture, path: &str, text: Text) {
    match text {
        Absent => {}
        Short(text) => fixture.write_bytes(path, text.as_bytes()),
        Large(line) => fixture.write_bytes(path, line.repeat(600_000 / line.len()).as_bytes()),
    }
}

/// A repository in which the change of `row` is the uncommitted one.
fn changed(row: &Row) -> Fixture {
    let fixture = Fixture::new("//- README.md\n# Tables\n");
    write(&fixture, row.path, row.before);
    fixture.commit("before");
    write(&fixture, row.path, row.after);
    fixture
}

#[track_caller]
fn check(icr: &Icr, row: &Row, way: &[&str]) {
    let what = format!("{} ({}) by {way:?}", row.path, row.verdict);
    let answer = icr.json(&[&["impact"], way].concat());
    assert_eq!(answer["verdict"], row.verdict, "{what}: {answer:#}");
    let status = if matches!(row.before, Absent) { "added" } else { "modified" };
    let files = answer["changed"].as_array().unwrap();
    let files: Vec<(&Value, &Value)> = files.iter().map(|file| (&file["path"], &file["status"])).collect();
    assert_eq!(files, [(&json!(row.path), &json!(status))], "{what}");
    let rows = answer["incomplete"].as_array().unwrap();
    match row.incomplete {
        None => assert!(rows.is_empty(), "{what}: {rows:?}"),
        Some((reason, code)) => {
            assert_eq!((rows.len(), &rows[0]["path"], &rows[0]["code"]), (1, &json!(row.path), &json!(code)), "{what}");
            assert!(rows[0]["reason"].as_str().unwrap().contains(reason), "{what}: {rows:?}");
        }
    }
    let ran = icr.run(&[&["impact", "--fail-on", "unknown"], way].concat());
    assert_eq!(ran.code, i32::from(row.verdict == "unknown"), "{what}: {}", ran.stderr);
}

#[test]
fn code_that_was_not_looked_into_is_unknown_and_data_is_listed_however_the_change_is_named() {
    for row in &ROWS {
        let fixture = changed(row);
        let icr = Icr::new(&fixture);
        check(&icr, row, &[]);
        fixture.git(&["add", "-A"]);
        check(&icr, row, &["--staged"]);
        fixture.commit("after");
        check(&icr, row, &["HEAD"]);
        check(&icr, row, &["HEAD~1..HEAD"]);
    }
}

#[test]
fn every_format_names_what_was_not_looked_into() {
    for (row, heading) in [(&ROWS[0], "Unknown: "), (&ROWS[11], "Clean: ")] {
        let fixture = changed(row);
        let icr = Icr::new(&fixture);
        assert!(icr.prints(&["impact"]).starts_with(heading));
        for format in
            ["dot", "github", "gitlab", "html", "json", "junit", "markdown", "mermaid", "sarif", "summary", "text"]
        {
            let report = icr.prints(&["impact", "--format", format]);
            assert!(report.contains(row.path) && report.contains("too large"), "{format}: {report}");
        }
    }
}

#[test]
fn a_large_file_that_was_only_touched_is_no_change() {
    let fixture = Fixture::empty();
    write(&fixture, "src/table.py", Large("a = 1\n"));
    fixture.commit("table");
    write(&fixture, "src/table.py", Large("a = 1\n"));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!((&answer["verdict"], &answer["incomplete"]), (&json!("empty"), &json!([])));
}

#[test]
fn what_an_external_filter_keeps_from_being_read_is_not_known() {
    let fixture = Fixture::new("//- a.py\na = 1\n//- .gitattributes\na.py filter=secret\n");
    fixture.write("//- a.py\na = 22\n");
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!((&answer["verdict"], &answer["changed"]), (&json!("unknown"), &json!([])));
    assert_eq!(answer["incomplete"][0]["path"], "a.py");
    assert!(answer["incomplete"][0]["reason"].to_string().contains("external filter"), "{answer:#}");
}

#[test]
fn what_is_broken_is_worse_than_what_is_not_known() {
    let fixture =
        Fixture::new("//- shapes.py\ndef area(a):\n    return a\n//- room.py\nfrom shapes import area\n\narea(1)\n");
    fixture.write("//- shapes.py\ndef surface(a):\n    return a\n//- tool.pl\nprint 1;\n");
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["impact"]);
    assert_eq!((&answer["verdict"], &answer["incomplete"][0]["path"]), (&json!("breaking"), &json!("tool.pl")));
    assert_eq!(icr.run(&["impact", "--fail-on", "unknown"]).code, 1, "the gate asks what was seen, not the word");
}

#[cfg(unix)]
#[test]
fn a_committed_change_of_the_mode_is_named_as_one() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new("//- run.sh\necho a\n//- a.py\ndef one():\n    pass\n");
    let script = fixture.root().join("run.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    fixture.git(&["add", "--chmod=+x", "run.sh"]);
    fixture.commit("run it");
    let answer = Icr::new(&fixture).json(&["impact", "HEAD"]);
    let rows = answer["changed"].as_array().unwrap().iter().map(|row| (&row["path"], &row["status"]));
    assert_eq!(rows.collect::<Vec<_>>(), [(&json!("run.sh"), &json!("mode_changed"))], "{answer:#}");
}

#[cfg(unix)]
#[test]
fn a_link_says_the_same_before_it_is_staged_staged_and_committed() {
    use std::fs::remove_file;
    use std::os::unix::fs::symlink;
    type Make = fn(&std::path::Path);
    let make: [(&str, &str, Make); 5] = [
        ("new.py", "added", |root| symlink("a.py", root.join("new.py")).unwrap()),
        ("b.py", "type_changed", |root| {
            remove_file(root.join("b.py")).unwrap();
            symlink("a.py", root.join("b.py")).unwrap();
        }),
        ("link", "modified", |root| {
            remove_file(root.join("link")).unwrap();
            symlink("b.py", root.join("link")).unwrap();
        }),
        ("link", "deleted", |root| remove_file(root.join("link")).unwrap()),
        ("link", "type_changed", |root| {
            remove_file(root.join("link")).unwrap();
            std::fs::write(root.join("link"), "text\n").unwrap();
        }),
    ];
    for (path, status, change) in make {
        let fixture = Fixture::new("//- a.py\ndef one():\n    pass\n//- b.py\nfrom a import one\n\none()\n");
        symlink("a.py", fixture.root().join("link")).unwrap();
        fixture.commit("with a link");
        let icr = Icr::new(&fixture);
        assert_eq!(icr.json(&["impact"])["verdict"], "empty");
        change(fixture.root());
        let said = |arguments: &[&str]| {
            let answer = icr.json(arguments);
            let row = &answer["changed"].as_array().unwrap()[0];
            assert_eq!((&row["path"], &row["status"]), (&json!(path), &json!(status)), "{arguments:?}: {answer:#}");
            assert_eq!(answer["incomplete"][0]["reason"], "a symbolic link", "{arguments:?}: {answer:#}");
            answer["verdict"].clone()
        };
        let verdict = said(&["impact"]);
        fixture.git(&["add", "-A"]);
        assert_eq!(said(&["impact"]), verdict, "{status}");
        assert_eq!(said(&["impact", "--staged"]), verdict, "{status}");
        fixture.commit("change");
        assert_eq!(said(&["impact", "HEAD"]), verdict, "{status}");
    }
}

#[test]
fn a_submodule_says_the_same_staged_and_committed() {
    let record = |commit: char, path: &str| format!("160000,{},{path}", commit.to_string().repeat(40));
    let (moved, new) = (record('2', "sub"), record('1', "new"));
    let changes: [(&str, &str, &[&str]); 3] = [
        ("sub", "modified", &["update-index", "--cacheinfo", &moved]),
        ("sub", "deleted", &["rm", "-q", "sub"]),
        ("new", "added", &["update-index", "--add", "--cacheinfo", &new]),
    ];
    for (path, status, git) in changes {
        let fixture = Fixture::new("//- a.py\ndef one():\n    pass\n");
        for directory in ["sub", "new"] {
            std::fs::create_dir(fixture.root().join(directory)).unwrap();
        }
        fixture.git(&["update-index", "--add", "--cacheinfo", &record('1', "sub")]);
        fixture.git(&["commit", "-q", "-m", "with a submodule"]);
        let icr = Icr::new(&fixture);
        assert_eq!(icr.json(&["impact"])["verdict"], "empty");
        fixture.git(git);
        let check = |arguments: &[&str]| {
            let answer = icr.json(arguments);
            let row = &answer["changed"].as_array().unwrap()[0];
            assert_eq!((&row["path"], &row["status"]), (&json!(path), &json!(status)), "{arguments:?}: {answer:#}");
            assert_eq!(answer["incomplete"][0]["reason"], "a submodule", "{arguments:?}: {answer:#}");
            assert_eq!(answer["verdict"], "unknown", "{arguments:?}");
            assert_eq!(icr.run(&[arguments, &["--fail-on", "unknown"]].concat()).code, 1, "{arguments:?}");
        };
        check(&["impact"]);
        check(&["impact", "--staged"]);
        fixture.git(&["commit", "-q", "-m", "change"]);
        check(&["impact", "HEAD"]);
    }
}

#[cfg(unix)]
#[test]
fn links_and_submodules_say_the_same_in_a_patch() {
    use std::fs::{create_dir, remove_dir, remove_file, write};
    use std::os::unix::fs::symlink;
    fn record(fixture: &Fixture, commit: char, path: &str) {
        let entry = format!("160000,{},{path}", commit.to_string().repeat(40));
        let _ = create_dir(fixture.root().join(path));
        fixture.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    fn forget(fixture: &Fixture, path: &str) {
        fixture.git(&["update-index", "--force-remove", path]);
        remove_dir(fixture.root().join(path)).unwrap();
    }
    fn link(fixture: &Fixture, target: &str, path: &str) {
        let _ = remove_file(fixture.root().join(path));
        symlink(target, fixture.root().join(path)).unwrap();
        fixture.git(&["add", path]);
    }
    type Edit = fn(&Fixture);
    let changes: [(&str, Edit); 11] = [
        ("new.py added", |fixture| link(fixture, "a.py", "new.py")),
        ("link.py modified", |fixture| link(fixture, "b.py", "link.py")),
        ("link.py deleted", |fixture| drop(fixture.git(&["rm", "-q", "link.py"]))),
        ("moved.py renamed", |fixture| drop(fixture.git(&["mv", "link.py", "moved.py"]))),
        ("a.py type_changed", |fixture| link(fixture, "b.py", "a.py")),
        ("link.py type_changed", |fixture| {
            remove_file(fixture.root().join("link.py")).unwrap();
            write(fixture.root().join("link.py"), "def two():\n    pass\n").unwrap();
            fixture.git(&["add", "link.py"]);
        }),
        ("sub modified", |fixture| record(fixture, '2', "sub")),
        ("sub deleted", |fixture| forget(fixture, "sub")),
        ("new added", |fixture| record(fixture, '3', "new")),
        ("to renamed", |fixture| {
            forget(fixture, "sub");
            record(fixture, '1', "to");
        }),
        ("sub type_changed", |fixture| {
            forget(fixture, "sub");
            write(fixture.root().join("sub"), "text\n").unwrap();
            fixture.git(&["add", "sub"]);
        }),
    ];
    for (expected, change) in changes {
        let fixture = Fixture::new("//- a.py\ndef one():\n    pass\n//- b.py\nfrom a import one\n\none()\n");
        link(&fixture, "a.py", "link.py");
        record(&fixture, '1', "sub");
        fixture.git(&["commit", "-q", "-m", "with links"]);
        let icr = Icr::new(&fixture);
        change(&fixture);
        let said = |answer: &Value| json!([answer["verdict"], answer["changed"], answer["incomplete"]]);
        let staged = icr.json(&["impact", "--staged"]);
        let row = &staged["changed"].as_array().unwrap()[0];
        let (path, status) = (row["path"].as_str().unwrap(), row["status"].as_str().unwrap());
        assert_eq!(format!("{path} {status}"), expected, "{staged:#}");
        let staged = said(&staged);
        assert_eq!(said(&icr.json(&["impact"])), staged, "{expected}: the worktree");
        let patches = [&["diff", "--cached"][..], &["diff", "--cached", "--no-renames"]];
        let patches = patches.map(|arguments| fixture.git(arguments) + "\n");
        let of_patch = |patch: &str| {
            let ran = icr.reads(patch.as_bytes(), &["--json", "impact", "-"]);
            assert!(ran.code <= 1, "{expected}: {}\n{patch}", ran.stderr);
            said(&serde_json::from_str(&ran.stdout).unwrap())
        };
        fixture.git(&["commit", "-q", "-m", "change"]);
        assert_eq!(said(&icr.json(&["impact", "HEAD"])), staged, "{expected}: the commit");
        for patch in &patches {
            assert_eq!(of_patch(patch), staged, "{expected}: the patch after it\n{patch}");
        }
        fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
        for patch in &patches {
            assert_eq!(of_patch(patch), staged, "{expected}: the patch before it\n{patch}");
        }
    }
}

#[test]
fn uncommitted_files_of_a_submodule_are_no_change_in_a_patch_either() {
    let fixture = Fixture::new("//- a.py\ndef one():\n    pass\n");
    let commit = "1".repeat(40);
    std::fs::create_dir(fixture.root().join("sub")).unwrap();
    fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
    fixture.git(&["commit", "-q", "-m", "with a submodule"]);
    let patch = format!(
        "diff --git a/sub b/sub\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit {commit}\n\
         +Subproject commit {commit}-dirty\n"
    );
    let ran = Icr::new(&fixture).reads(patch.as_bytes(), &["--json", "impact", "-"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["verdict"], "empty", "{answer:#}");
}

#[test]
fn of_a_change_without_bounds_so_much_is_compared_and_told_and_the_rest_is_named() {
    /// Files, and definitions of each: with both sides of a file, one file more than are compared.
    const FILES: usize = 32;
    const DEFINITIONS: usize = 2_000;
    let text = |file: usize, parameter: char| -> String {
        (0..DEFINITIONS).map(|at| format!("def f{file}_{at}({parameter}): 0\n")).collect()
    };
    let fixture = Fixture::empty();
    let write = |parameter| {
        (0..FILES).for_each(|file| fixture.write(&format!("//- m{file:02}.py\n{}", text(file, parameter))));
    };
    write('a');
    fixture.commit("before");
    write('b');
    fixture.commit("after");
    let answer = Icr::new(&fixture).json(&["impact", "HEAD"]);
    let incomplete = answer["incomplete"].as_array().unwrap();
    assert_eq!(incomplete.len(), 1, "{incomplete:#?}");
    assert_eq!(incomplete[0]["path"], "m31.py");
    assert_eq!(incomplete[0]["reason"], "only the first 120000 definitions, or 64 MiB, of a change are compared");
    let told = |list: &Value| list.as_array().unwrap().len();
    assert_eq!([told(&answer["changed"]), told(&answer["changed_symbols"])], [FILES, 20_000]);
    let total = ((FILES - 1) * DEFINITIONS) as u64;
    let lists = ["changed_symbols", "contract_impact.changes", "contract_impact.modified_contracts"];
    let cuts = lists.map(|list| json!({ "list": list, "shown": 20_000, "total": total }));
    for cut in cuts {
        assert!(answer["cuts"].as_array().unwrap().contains(&cut), "{:#}", answer["cuts"]);
    }
    assert!(answer["summary"].to_string().contains(&total.to_string()), "{}", answer["summary"]);
}
