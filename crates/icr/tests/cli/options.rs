//! Options of every command, and how a run ends.

use std::io::Read;
use std::process::Stdio;

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::{Icr, Writer};

/// Commands that ask a view, as they are typed.
const QUESTIONS: [&[&str]; 8] = [
    &["search", "lamp"],
    &["search", "--mode", "grep", "lamp"],
    &["symbols", "lamp"],
    &["map"],
    &["read", "a.rs"],
    &["slice", "a.rs", "lamp"],
    &["commands"],
    &["status"],
];

fn project() -> Fixture {
    Fixture::new("//- a.rs\npub fn lamp() {}\n//- package.json\n{\"scripts\": {\"test\": \"node --test\"}}\n")
}

#[test]
fn what_controls_a_terminal_is_shown_and_not_sent() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let icr = Icr::new(&fixture);
    let name = "x\u{1b}[31m\u{202e}y\u{7}";
    for args in [
        &["search", "anchor", "--at", name][..],
        &["read", name],
        &["map", "--repo", name],
        &["search", "anchor", "--mode", name],
        &["search", "anchor", &format!("--{name}")],
        &["config", "get", name],
        &["impact", &format!("{name}..HEAD")],
        &["impact", "HEAD", "--format", "html", "--output", &format!("none/{name}")],
    ] {
        let ran = icr.run(args);
        assert!(ran.code > 0 && ran.stderr.starts_with("error: "), "{args:?}: {:?}", ran.stderr);
        let hides = |character: char| (character.is_control() && character != '\n') || character == '\u{202e}';
        assert!(!ran.stderr.contains(hides), "{args:?}: {:?}", ran.stderr);
    }
    let said = icr.fails(3, &["search", "anchor", "--at", name]);
    assert!(said.starts_with("error: revision `x␛[31m⟨U+202E⟩y␇` not found\n"), "{said}");
}

#[test]
fn what_controls_a_terminal_is_left_as_it_is_for_programs() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let line = "// \u{1b}[2J\u{9b}31m\u{8}\u{7f}\u{202e}\u{2066}";
    fixture.write_bytes("b.rs", format!("{line}\n").as_bytes());
    let icr = Icr::new(&fixture);
    assert_eq!(icr.prints(&["read", "b.rs"]), format!("1  {line}\n"));
    assert_eq!(icr.json(&["read", "b.rs"])["content"], format!("{line}\n"));
}

#[test]
fn every_question_can_be_asked_of_every_revision() {
    let fixture = project();
    let first = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    fixture.delete("a.rs");
    fixture.delete("package.json");
    fixture.write("//- b.rs\nfn other() {}\n");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    for args in QUESTIONS {
        let answer = icr.json(&[args, &["--at", "HEAD~1"]].concat());
        assert_eq!(answer["provenance"]["tree"], first.as_str(), "{args:?}");
        assert_eq!(answer["provenance"]["dirty"], 0, "{args:?}");
        assert_eq!(icr.run(&[args, &["--at", "HEAD~1"]].concat()).code, 0, "{args:?}");
    }
    assert!(icr.finds(&["lamp"]).is_empty());
    assert_eq!(icr.files(&["--at", "HEAD~1"]), ["a.rs", "package.json"]);
    assert_eq!(icr.files(&[]), ["b.rs"]);
}

#[test]
fn a_revision_of_any_size_can_be_indexed() {
    let fixture = Fixture::generated(300);
    fixture.git(&["rm", "-rq", "."]);
    fixture.write("//- a.rs\nfn lamp() {}\n");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let in_short_time = ["status", "--at", "HEAD~1", "--read-only", "--set", "git.catch_up=500ms"];
    assert_eq!(icr.gaps(&in_short_time), ["unindexed"]);
    icr.prints(&["index", "--at", "HEAD~1"]);
    assert!(icr.gaps(&in_short_time).is_empty());
    assert_eq!(icr.files(&["--at", "HEAD~1", "--read-only"]).len(), 300);
}

#[test]
fn a_revision_can_be_named_as_git_does() {
    let fixture = project();
    let commit = fixture.git(&["rev-parse", "HEAD"]);
    fixture.git(&["tag", "-a", "v1", "-m", "one"]);
    fixture.git(&["branch", "topic/lamp"]);
    let icr = Icr::new(&fixture);
    for name in ["HEAD", "@", "main", "topic/lamp", "v1", "v1^{commit}", &commit, &commit[..7], "HEAD^0", "HEAD~0"] {
        assert_eq!(icr.finds(&["lamp", "--at", name]), ["a.rs"], "{name}");
    }
}

#[test]
fn no_question_takes_a_part_of_a_commit_for_a_revision() {
    let fixture = Fixture::new("//- src/lamp.rs\npub fn lamp() {}\n//- .aws/credentials.rs\nfn hunter2() {}\n");
    let icr = Icr::new(&fixture);
    let more: [&[&str]; 15] = [
        &["index"],
        &["search", "--mode", "grep", "-e", "."],
        &["search", "--scope", "all", "hunter2"],
        &["read", "credentials.rs"],
        &["read", "lamp.rs"],
        &["symbols", "hunter2"],
        &["graph"],
        &["neighbors", "lamp.rs"],
        &["refs", "lamp"],
        &["cochange"],
        &["pack", "hunter2"],
        &["context", "hunter2"],
        &["map-reduce", "--map", "m", "--reduce", "r", "hunter2", "lamp.rs"],
        &["commands"],
        &["status"],
    ];
    let tree = fixture.git(&["rev-parse", "HEAD:.aws"]);
    for indexed in [false, true] {
        for args in QUESTIONS.iter().chain(&more) {
            for part in ["HEAD:.aws", "HEAD:src", "HEAD:src/lamp.rs", "HEAD^{tree}", "main:", &tree] {
                let ran = icr.run(&[*args, &["--at", part]].concat());
                assert_eq!(ran.code, 3, "{args:?} {part}: {} {}", ran.stdout, ran.stderr);
                assert!(ran.stderr.contains(", not a commit\nhint: name "), "{args:?} {part}: {}", ran.stderr);
                assert!(!(ran.stdout + &ran.stderr).contains("hunter2"), "{args:?} {part}");
            }
        }
        for part in ["HEAD:.aws", "HEAD^{tree}", &tree] {
            for range in [part.to_owned(), format!("{part}..HEAD"), format!("HEAD..{part}"), format!("{part}...HEAD")] {
                let said = icr.fails(3, &["impact", &range]);
                assert!(said.contains(", not a commit\nhint: name "), "{range}: {said}");
            }
            let said = icr.fails(3, &["ci", "--base", part]);
            assert!(said.contains("not a commit"), "{part}: {said}");
        }
        if !indexed {
            icr.prints(&["index"]);
        }
    }
}

#[test]
fn an_unknown_revision_is_named_with_what_was_meant() {
    let fixture = project();
    fixture.git(&["branch", "topic"]);
    let icr = Icr::new(&fixture);
    for args in QUESTIONS {
        let said = icr.fails(3, &[args, &["--at", "topik"]].concat());
        assert_eq!(said, "error: revision `topik` not found\nhint: did you mean `topic`?\n", "{args:?}");
    }
    let said = icr.fails(3, &["impact", "topik..HEAD"]);
    assert_eq!(said, "error: `topik..HEAD`: revision `topik` not found\nhint: did you mean `topic`?\n", "said once");
}

#[test]
fn another_repository_is_asked_by_its_path() {
    let (here, there) = (project(), Fixture::new("//- c.rs\nfn lantern() {}\n"));
    let icr = Icr::new(&here);
    let path = there.root().to_str().unwrap();
    assert_eq!(icr.finds(&["lantern", "--repo", path]), ["c.rs"]);
    assert_eq!(icr.files(&["--repo", path]), ["c.rs"]);
    let said = icr.fails(3, &["map", "--repo", "/nowhere/at/all"]);
    assert!(said.starts_with("error: `/nowhere/at/all` is not inside a git repository\nhint: "), "{said}");
}

#[test]
fn a_directory_inside_the_repository_is_the_repository() {
    let fixture = Fixture::new("//- deep/down/a.rs\nfn lamp() {}\n");
    let icr = Icr::new(&fixture).standing_in(&fixture.root().join("deep/down"));
    assert_eq!(icr.finds(&["lamp"]), ["deep/down/a.rs"]);
    let root = fixture.root().join("deep/down/a.rs");
    for path in ["a.rs", "./a.rs", "../down/a.rs", "deep/down/a.rs", root.to_str().expect("a path of text")] {
        assert_eq!(icr.run(&["read", path]).stdout, "1  fn lamp() {}\n", "{path}");
    }
    for (path, meant) in
        [("other/a.rs", "deep/down/a.rs"), ("deep/donw/a.rs", "deep/down/a.rs"), ("b.rs", "deep/down/a.rs")]
    {
        let said = icr.fails(1, &["read", path]);
        assert!(said.ends_with(&format!("hint: did you mean `{meant}`?\n")), "{said}");
    }
}

#[test]
fn strict_answers_with_4_when_something_is_missing() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    assert_eq!(icr.run(&["search", "lamp", "--strict"]).code, 0);
    fixture.write_bytes(".gitattributes", b"*.rs filter=secret\n");
    fixture.commit("attributes");
    fixture.write("//- a.rs\npub fn lamp() { changed }\n");
    let ran = icr.run(&["search", "lamp", "--strict"]);
    assert_eq!(ran.code, 4);
    assert_eq!(
        ran.stderr,
        "note: 1 changed file is shown as committed: an external filter is configured, and icr runs none\n"
    );
    assert!(ran.stdout.starts_with("a.rs:1-1  lamp"), "{}", ran.stdout);
    assert_eq!(icr.run(&["search", "lamp"]).code, 0);
}

/// A command line for each answer that is computed from a view.
const ANSWERS: [&[&str]; 20] = [
    &["cochange"],
    &["cochange", "src/lamp.py"],
    &["commands"],
    &["context", "lamp"],
    &["graph"],
    &["graph", "--refs"],
    &["impact"],
    &["impact", "--paths", "src/lamp.py"],
    &["impact", "--tests"],
    &["index"],
    &["map"],
    &["neighbors", "src/lamp.py"],
    &["pack", "lamp"],
    &["pins"],
    &["read", "src/lamp.py"],
    &["refs", "lamp"],
    &["search", "lamp"],
    &["search", "lamp", "--mode", "grep"],
    &["status"],
    &["symbols", "lamp"],
];

/// How every answer ends under `--strict`, as text and as JSON.
#[track_caller]
fn check_strict(icr: &Icr, expected: impl Fn(&str, i32) -> bool) {
    for args in ANSWERS {
        for form in [&[][..], &["--json"]] {
            let ran = icr.run(&[args, form, &["--strict"]].concat());
            assert!(expected(args[0], ran.code), "{args:?} {form:?} ends with {}: {}", ran.code, ran.stderr);
        }
    }
}

/// A function and who calls it.
const LAMPS: &str = "//- src/lamp.py\ndef lamp():\n    return 1\n//- src/room.py\nfrom lamp import lamp\n\nlamp()\n";

#[test]
fn strict_changes_nothing_where_nothing_is_missing() {
    let fixture = Fixture::new(LAMPS);
    check_strict(&Icr::new(&fixture), |_, code| [0, 1].contains(&code));
}

#[test]
fn strict_counts_files_that_are_too_large_where_the_answer_could_have_shown_them() {
    let is_without_contents = |command: &str| ["cochange", "commands", "map", "pins", "read"].contains(&command);
    let is_about_code = |command: &str| ["graph", "neighbors", "refs", "symbols"].contains(&command);
    for (path, line) in [("table.csv", "1,2,3\n"), ("table.py", "a = 1\n")] {
        let fixture = Fixture::new(LAMPS);
        fixture.write_bytes(path, &line.as_bytes().repeat(100_000));
        fixture.commit("table");
        check_strict(&Icr::new(&fixture), |command, code| {
            let is_complete = is_without_contents(command) || path.ends_with(".csv") && is_about_code(command);
            if is_complete { [0, 1].contains(&code) } else { code == 4 }
        });
    }
}

#[test]
fn strict_counts_a_history_that_is_cut_off_in_every_answer() {
    let fixture = Fixture::new(LAMPS);
    fixture.write("//- src/lamp.py\ndef lamp():\n    return 2\n");
    fixture.commit("second");
    let clone = fixture.clone_to("shallow", &["--depth=1"]);
    check_strict(&Icr::new(&fixture).standing_in(&clone), |_, code| code == 4);
}

#[test]
fn quiet_says_nothing_but_answers() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for args in [&["index"][..], &["gc"], &["config", "set", "pack.default_budget_tokens", "9000"]] {
        let ran = icr.run(&[args, &["--quiet"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{args:?}");
    }
    assert_eq!(icr.prints(&["read", "a.rs", "--quiet"]), "1  pub fn lamp() {}\n");
    fixture.write_bytes("big.txt", &vec![b'a'; 600 * 1024]);
    assert_eq!(icr.run(&["search", "lamp", "-q"]).stderr, "");
    let noisy = icr.run(&["search", "lamp"]);
    assert_eq!(noisy.stderr, "note: 1 file is above `watcher.max_file_size_kb` and not read\n");
}

#[test]
fn a_file_above_the_size_limit_is_noted_once_where_the_answer_could_have_shown_it() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let said = |args: &[&'static str]| icr.run(args).stderr;
    fixture.write_bytes("big.png", &vec![b'a'; 600 * 1024]);
    for args in [&["search", "lamp"][..], &["refs", "lamp"], &["read", "a.rs"], &["map"]] {
        assert!(!said(args).contains("watcher.max_file_size_kb"), "{args:?}");
    }
    assert_eq!(icr.run(&["search", "lamp", "--strict"]).code, 0);
    assert!(said(&["read", "a.rs", "-v"]).contains("1 file is above"));
    fixture.write_bytes("big.txt", &vec![b'a'; 600 * 1024]);
    assert!(!said(&["symbols", "lamp"]).contains("watcher.max_file_size_kb"));
    fixture.write_bytes("big.rs", "// lamp\n".repeat(80_000).as_bytes());
    assert!(said(&["symbols", "lamp"]).contains("1 file is above"));
    assert!(!said(&["symbols", "lamp"]).contains("is above"), "it was said today");
    assert!(said(&["search", "lamp"]).contains("2 files are above"));
    assert_eq!(icr.json(&["status"])["oversize_files"], 3);
}

#[test]
fn colours_are_used_when_asked_for() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for args in QUESTIONS {
        assert!(!icr.prints(args).contains('\x1b'), "{args:?}");
        assert!(!icr.prints(&[args, &["--color", "never"]].concat()).contains('\x1b'), "{args:?}");
        assert!(!icr.prints(&[args, &["--color", "always", "--json"]].concat()).contains('\x1b'), "{args:?}");
    }
    let coloured = icr.prints(&["search", "lamp", "--color", "always"]);
    assert!(coloured.starts_with("\x1b[1;34ma.rs\x1b[0m:\x1b[33m1-1\x1b[0m  lamp"), "{coloured:?}");
}

#[test]
fn the_log_goes_to_stderr() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let quiet = icr.run(&["search", "lamp"]);
    let loud = icr.run(&["search", "lamp", "-vvv"]);
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &loud.stdout));
    let first = icr.run(&["index", "--rebuild", "-vv", "--json"]);
    assert!(first.stderr.contains("reached step=\"published\""), "{}", first.stderr);
    assert!(serde_json::from_str::<Value>(&first.stdout).is_ok());
    let by_variable = icr.with_variable("ICR_LOG_LEVEL", "debug").run(&["index", "--rebuild"]);
    assert!(by_variable.stderr.contains("published"), "{}", by_variable.stderr);
    assert!(icr.with_variable("ICR_LOG_LEVEL", "=,;x").fails(2, &["search", "lamp"]).contains("ICR_LOG_LEVEL"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let fixture = Fixture::generated(400);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    for args in [
        &["map", "--depth", "10"][..],
        &["map", "--depth", "10", "--json"],
        &["search", "--mode", "grep", "e", "-n", "1000"],
    ] {
        let mut child = icr.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
    assert_eq!(icr.shell("\"$0\" --help | true; \"$0\" map >&-; true").code, 0);
}

#[test]
fn nothing_typed_shows_all_there_is_to_type() {
    let said = Icr::new(&project()).fails(2, &[] as &[&str]);
    assert!(said.contains("\n  index ") && said.contains("\n  completions ") && said.contains("--no-pager"), "{said}");
}

#[test]
fn the_nearest_commands_are_suggested_for_a_mistyped_one() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for (typed, meant) in [("serach", "search"), ("symbosl", "symbols"), ("impcat", "impact")] {
        let said = icr.fails(2, &[typed, "x"]);
        let tip = said.lines().find(|line| line.contains("tip: ")).unwrap_or_else(|| panic!("{said}"));
        let (_, names) = tip.split_once('\'').expect("names in quotes");
        assert!(names.starts_with(&format!("{meant}'")), "{tip}");
        assert!(tip.matches('\'').count() <= 2 * 3, "{tip}");
    }
}

#[test]
fn what_is_typed_wrong_is_named_and_ends_with_2() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for (args, named) in [
        (&["index", "--bogus"][..], "--bogus"),
        (&["serach", "x"], "serach"),
        (&["search"], "<QUERY>"),
        (&["search", "x", "-n", "0"], "--limit"),
        (&["search", "x", "-n", "99999999999999999999"], "--limit"),
        (&["search", "x", "-n", "many"], "--limit"),
        (&["search", "x", "--mode", "psychic"], "--mode"),
        (&["search", "x", "--mode", "semantic", "--no-embeddings"], "mode `semantic`"),
        (&["search", "x", "--mode", "grep", "--scope", "diffs"], "--scope"),
        (&["search", "x", "--scope", "moon"], "--scope"),
        (&["search", "x", "--since", "0"], "--since"),
        (&["search", "x", "--lang", "klingon"], "klingon"),
        (&["search", "x", "--at"], "--at"),
        (&["symbols", "x", "--type", "verb"], "--type"),
        (&["symbols", ""], "symbol query"),
        (&["map", "--depth", "0"], "--depth"),
        (&["map", "--depth", "11"], "--depth"),
        (&["read", "a.rs", "--start", "-1"], "-1"),
        (&["read", "a.rs", "--start", "0"], "not from 0"),
        (&["read", "a.rs", "--start", "3", "--end", "2"], "lines 3 to 2"),
        (&["read", "a.rs", "--start", "99"], "no line 99"),
        (&["read", "a.rs", "--max-lines", "0"], "--max-lines"),
        (&["slice", "a.rs", "lamp", "--context", "21"], "--context"),
        (&["index", "--status", "--rebuild"], "--status"),
        (&["repo", "remove", "."], "was not confirmed"),
        (&["map", "--color", "sometimes"], "--color"),
        (&["map", "--set", "novalue"], "--set novalue"),
    ] {
        let said = icr.fails(2, args);
        assert!(said.starts_with("error: ") && said.contains(named), "`icr {}`: {said}", args.join(" "));
        let said = icr.fails(2, &[args, &["--json"]].concat());
        let value: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("`icr {}`: {said}", args.join(" ")));
        assert_eq!(value["error"]["code"], "VALIDATION_ERROR", "{args:?}");
        assert!(value["error"]["message"].as_str().unwrap().contains(named), "{args:?}: {value}");
        assert!(value["error"]["hints"].is_array(), "{args:?}");
    }
}

#[test]
fn what_is_typed_at_length_is_not_repeated_at_length() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let long = "x".repeat(100_000);
    for args in [
        &["read", &long][..],
        &["search", "lamp", "--at", &long],
        &["--repo", &long, "status"],
        &["slice", "a.rs", &long],
        &["search", "lamp", "--mode", &long],
        &["search", "lamp", "--set", &long],
        &["search", "lamp", "--config", &long],
        &["search", "--mode", "grep", "-e", &format!("(({long}")],
        &["impact", &format!("{long}..HEAD")],
        &["unpin", &long],
        &[&long],
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = icr.run(&[json, args].concat());
            let said = ran.stderr;
            let flags: Vec<_> = args.iter().filter(|word| word.len() < 100).collect();
            assert!(ran.code > 0 && ran.stdout.is_empty(), "{flags:?}: {}", ran.code);
            assert!(said.len() < 2_000 && said.contains("…"), "{flags:?}: {} bytes", said.len());
            assert!(said.contains("characters)"), "{flags:?}: {said}");
        }
    }
}

#[test]
fn errors_of_each_kind_have_a_name_and_an_exit_code() {
    let fixture = project();
    fixture.write_bytes("photo.bin", b"\0\x01\x02");
    fixture.write_bytes(".env", b"TOKEN=1\n");
    let icr = Icr::new(&fixture);
    for (code, name, args) in [
        (3, "NOT_A_REPOSITORY", &["map", "--repo", "/"][..]),
        (3, "UNKNOWN_REVISION", &["map", "--at", "nope"]),
        (3, "NOT_A_COMMIT", &["map", "--at", "HEAD:a.rs"]),
        (1, "NOT_FOUND", &["read", "b.rs"]),
        (1, "NOT_FOUND", &["slice", "a.rs", "lantern"]),
        (1, "NOT_FOUND", &["map", "nowhere"]),
        (3, "SECRET", &["read", ".env"]),
        (3, "NOT_TEXT", &["read", "photo.bin"]),
        (2, "VALIDATION_ERROR", &["search", "--mode", "grep", "-e", "("]),
        (2, "CONFIG_ERROR", &["config", "get", "pack.nope"]),
        (3, "NOT_INDEXED", &["map", "--read-only", "--set", "watcher.max_file_size_kb=400"]),
    ] {
        let icr = if name == "NOT_INDEXED" { icr.with_home(fixture.home().join("other-home")) } else { icr.clone() };
        let said = icr.fails(code, &[args, &["--json"]].concat());
        let value: Value = serde_json::from_str(&said).expect("errors are JSON under --json");
        assert_eq!(value["error"]["code"], name, "{args:?}");
        assert_eq!(value.as_object().map(|fields| fields.len()), Some(1));
        assert_eq!(value["error"].as_object().map(|fields| fields.len()), Some(3));
    }
}

#[test]
fn whoever_does_not_wait_for_a_writer_ends_with_75() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    fixture.write("//- b.rs\nfn beacon() {}\n");
    let commit = fixture.commit("second");
    let store = icr.store();
    icr.prints(&["repo", "list"]);
    fixture.write("//- c.rs\nfn candle() {}\n");
    fixture.commit("third");
    let writer = Writer::in_store(&store);
    let said = icr.fails(75, &["index", "--no-wait"]);
    assert!(said.starts_with("error: another process is writing the store\nhint: "), "{said}");
    assert_eq!(icr.run(&["gc"]).code, 75);
    assert_eq!(icr.run(&["repo", "remove", ".", "--yes"]).code, 75);
    // Questions do not wait: what is not published is indexed in memory.
    assert_eq!(icr.finds(&["candle"]), ["c.rs"]);
    assert_eq!(icr.finds(&["beacon", "--at", &commit]), ["b.rs"]);
    assert!(icr.prints(&["doctor"]).contains("note  writer: another process is writing the store"));
    drop(writer);
    icr.prints(&["index", "--no-wait"]);
}

#[test]
fn help_and_version_end_well() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    assert_eq!(icr.prints(&["--version"]), format!("icr {}\n", env!("CARGO_PKG_VERSION")));
    assert!(icr.prints(&["--help"]).contains("Usage: icr [OPTIONS] <COMMAND>"));
    assert!(icr.prints(&["search", "--help"]).contains("--mode <MODE>"));
    assert_eq!(icr.run::<&str>(&[]).code, 2);
}
