//! Questions that nobody should ask, and paths that lead elsewhere.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use icr_fixture::Fixture;

use crate::run::Icr;

fn project() -> Fixture {
    Fixture::new("//- src/a.rs\n/// Häfen und 港口.\npub fn anchor() {}\n//- src/the.rs\npub fn of_the() {}\n")
}

#[test]
fn a_query_without_a_word_is_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for query in ["", "!!!???", "🦀🚢⚓"] {
        let ran = icr.run(&["search", "--", query]);
        let said = "note: the query has no word to search for; use letters or digits\n";
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", said), "{query}");
        let ran = icr.run(&["search", "--json", "--", query]);
        let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["provenance"]["gaps"][0]["gap"], "no_words", "{query}");
    }
}

#[test]
fn a_query_of_words_of_grammar_is_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let said = "note: the query has only words such as `the` and `is`; add one that says what you search for\n";
    for (query, expected) in [("the of and", said), ("when", said), ("The", said), ("the anchor", ""), ("of_the", "")] {
        let ran = icr.run(&["search", query]);
        assert_eq!(ran.stderr, expected, "{query}: {}", ran.stdout);
    }
}

#[test]
fn a_query_of_any_shape_is_answered() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let long_words = "anchor ".repeat(10_000 / 7);
    let many_words: String = (0..2_000).map(|at| format!("w{at} ")).collect();
    let one_word = "a".repeat(10_000);
    let wide = "港".repeat(10_000);
    for query in [
        "",
        " ",
        "\n",
        "\t\r\n",
        "!!!???",
        "()[]{}*+?^$|\\",
        "\"",
        "'",
        "🦀🚢⚓",
        "the of a",
        "AND OR NOT",
        "body:anchor",
        "anchor*",
        "a^2~3",
        "-- anchor",
        "港口",
        "\u{202e}rohcna",
        "e\u{301}",
        "\u{0}x".trim_start_matches('\0'),
        &long_words,
        &many_words,
        &one_word,
        &wide,
    ] {
        for mode in ["hybrid", "lexical", "grep"] {
            let ran = icr.run(&["search", "--mode", mode, "--json", "--", query]);
            let shown: String = query.chars().take(20).collect();
            assert!(ran.code <= 2, "{mode} {shown:?}: {}", ran.stderr);
            let output = if ran.code == 2 { &ran.stderr } else { &ran.stdout };
            assert!(serde_json::from_str::<serde_json::Value>(output).is_ok(), "{mode} {shown:?}: {output}");
        }
        assert!(icr.run(&["symbols", "--", query]).code <= 2);
    }
    assert_eq!(icr.finds(&["港口"]), ["src/a.rs"]);
    assert_eq!(icr.finds(&["häfen"]), ["src/a.rs"]);
    assert_eq!(icr.greps(&["港口"]), ["src/a.rs:1"]);
    assert_eq!(icr.finds(&[&long_words]), ["src/a.rs"]);
    assert_eq!(icr.finds(&["--", "-anchor"]), ["src/a.rs"]);
}

#[test]
fn patterns_that_are_none_are_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for pattern in ["(", "[a", "*", "a{2,1}", "\\p{Nope}", "(?P<n", "\\"] {
        let said = icr.fails(2, &["search", "--mode", "grep", "-e", "--", pattern]);
        assert!(said.starts_with(&format!("error: `{pattern}` is not a regular expression: ")), "{said}");
        // Without -e the same text is looked for as it stands.
        assert!(icr.run(&["search", "--mode", "grep", "--", pattern]).code <= 1);
    }
    let said = icr.fails(2, &["search", "--mode", "grep", "-e", "(\\w{1,1000}){1,1000}"]);
    assert!(said.contains("is not a regular expression"), "{said}");
    // Time is linear in the text, whatever the pattern.
    fixture.write_bytes("long.txt", "a".repeat(400_000).as_bytes());
    assert!(icr.greps(&["-e", "(a|a)*$b|(a+)+b"]).is_empty());
}

#[test]
fn nothing_outside_of_the_view_can_be_read() {
    let fixture = Fixture::new("//- src/a.rs\nfn anchor() {}\n");
    std::fs::write(fixture.home().join("outside.txt"), "hidden treasure\n").unwrap();
    std::fs::create_dir(fixture.home().join("repo2")).unwrap();
    std::fs::write(fixture.home().join("repo2/x.txt"), "hidden treasure\n").unwrap();
    fixture.symlink("../outside.txt", "link.txt");
    fixture.symlink("/etc", "etc");
    let absolute = fixture.root().parent().expect("the fixture lies in a directory").join("outside.txt");
    let icr = Icr::new(&fixture);
    for path in [
        "../outside.txt",
        "../repo2/x.txt",
        "src/../../outside.txt",
        "/etc/passwd",
        "etc/passwd",
        "link.txt",
        ".git/config",
        ".GIT/config",
        ".git/HEAD",
        "src/.git/x",
        "",
        ".",
        "..",
        "/",
        "src",
        "src/",
        "src/a.rs/x",
        "~/x",
        "\\000",
        absolute.to_str().unwrap(),
    ] {
        for args in [&["read", "--", path][..], &["slice", "--", path, "anchor"]] {
            let ran = icr.run(args);
            assert!([1, 3].contains(&ran.code) && ran.stdout.is_empty(), "{args:?}: {} {}", ran.stdout, ran.stderr);
            assert!(
                ran.stderr.starts_with(&format!("error: `{path}`")) || path.contains('\\'),
                "{args:?}: {}",
                ran.stderr
            );
        }
        let ran = icr.run(&["map", "--", path]);
        assert!(!ran.stdout.contains("treasure") && !ran.stdout.contains("passwd"), "{path}: {}", ran.stdout);
    }
    let inside = icr.run(&["read", "./src/a.rs"]);
    assert_eq!((inside.code, inside.stdout.as_str()), (0, "1  fn anchor() {}\n"));
    assert!(icr.run(&[OsStr::new("read"), OsStr::from_bytes(b"\xff\xfe")]).code >= 1);
    assert!(icr.fails(1, &["search", "anchor", "--path", "../"]).starts_with("error: `..` is not in "));
}

#[test]
fn revisions_that_are_none_are_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for revision in [
        "",
        " ",
        "--flag",
        "-n",
        "HEAD:nowhere",
        "HEAD~99",
        "HEAD^9",
        "HEAD@{9999}",
        "HEAD..HEAD",
        "^HEAD",
        ":/nothing like this",
        ":src/none.rs",
        "refs/heads/none",
        "0000000000000000000000000000000000000000",
        "deadbeef",
        "a..b...c",
        "HEAD^{blob}",
        "HEAD\n",
        "@{-1}",
        "@{u}",
        "ü",
        "\\",
        "*",
    ] {
        let said = icr.fails(3, &["map", &format!("--at={revision}")]);
        assert!(said.starts_with("error: ") && said.contains(revision.trim_end()), "{revision:?}: {said}");
    }
    let said = icr.fails(3, &["map", "--at=HEAD:src/a.rs"]);
    assert_eq!(
        said,
        "error: revision `HEAD:src/a.rs` names a file, not a commit\nhint: name the commit and the file: `icr read 'src/a.rs' --at 'HEAD'`\n"
    );
    let said = icr.fails(3, &["map", "--at=HEAD:src"]);
    assert_eq!(
        said,
        "error: revision `HEAD:src` names a directory, not a commit\nhint: name the commit as the revision, `HEAD`, and the directory as a path, `src`\n"
    );
}

#[test]
fn the_beginning_of_several_ids_is_named() {
    let fixture = project();
    // Among a few thousand objects some share their first four digits.
    let content: String = (0..1_500).map(|at| format!("blob\nmark :{}\ndata {}\n{at:08}\n\n", at + 1, 9)).collect();
    fixture.import(content.as_bytes());
    let ids = fixture.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    let mut ids: Vec<&str> = ids.lines().collect();
    ids.sort_unstable();
    let shared = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).expect("some share four digits");
    let said = Icr::new(&fixture).fails(3, &["map", "--at", &shared[0][..4]]);
    assert!(said.contains("is the beginning of several object ids\nhint: give more digits"), "{said}");
}

#[test]
fn a_part_of_the_tree_that_is_not_there_is_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for part in ["src", "src/", "./src", "./src/", ".", "src/a.rs"] {
        assert_eq!(icr.finds(&["anchor", "--path", part]), ["src/a.rs"], "{part}");
        assert_eq!(icr.greps(&["anchor", "--path", part]), ["src/a.rs:2"], "{part}");
        assert_eq!(icr.json(&["symbols", "anchor", "--path", part])["total_count"], 1, "{part}");
    }
    assert!(icr.finds(&["absent", "--path", "src"]).is_empty());
    for command in [&["search"][..], &["search", "--mode", "grep"], &["symbols"]] {
        let said = icr.fails(1, &[command, &["anchor", "--path", "scr"]].concat());
        assert!(said.starts_with("error: `scr` is not in "), "{said}");
    }
    assert!(icr.fails(1, &["search", "anchor", "--path", "A.RS"]).contains("did you mean `src/a.rs`?"));
}

#[test]
fn options_about_lines_are_refused_where_words_are_searched() {
    let fixture = project();
    for option in ["-e", "-i"] {
        let said = Icr::new(&fixture).fails(2, &["search", option, "anchor"]);
        assert!(said.contains(&format!("`{option}` is about lines")) && said.contains("--mode grep"), "{said}");
    }
}

#[test]
fn a_path_in_the_place_of_a_change_is_known_as_one() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let said = icr.fails(2, &["impact", "src/a.rs"]);
    assert!(said.contains("icr impact --paths 'src/a.rs'"), "{said}");
    let said = icr.fails(3, &["impact", "nothing..HEAD"]);
    assert_eq!(said.matches("not found").count(), 1, "{said}");
    let ran = icr.reads(b"", &["impact", "-"]);
    assert!(ran.code == 0 && ran.stderr.contains("the diff on standard input is empty"), "{}", ran.stderr);
}

#[test]
fn a_question_that_is_cut_says_so() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let query = "anchor ".repeat(2_000);
    assert_eq!(icr.gaps(&["search", &query]), ["cut_question"]);
    assert_eq!(icr.gaps(&["search", "anchor"]), [""; 0]);
}

#[test]
fn nothing_below_a_path_is_no_strong_answer() {
    let fixture = project();
    fixture.write("//- docs/b.md\nNothing of that.\n");
    let icr = Icr::new(&fixture);
    let ran = icr.run(&["search", "--json", "--mode", "lexical", "--path", "docs", "anchor"]);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &answer["strength"]), (1, &serde_json::Value::from("none")));
}

#[test]
fn a_long_list_begins_with_the_shorter_one() {
    let fixture = Fixture::empty();
    for at in 0..420 {
        let text = format!("pub fn anchor_{at}() {{\n    rope({});\n}}\n{}", at % 7, "// A rope.\n".repeat(at % 11));
        fixture.write_bytes(&format!("src/f{at}.rs"), text.as_bytes());
    }
    fixture.commit("all");
    let icr = Icr::new(&fixture);
    let files = |limit: &str| {
        let answer = icr.json(&["search", "rope of the anchor", "-n", limit]);
        let hits = answer["results"].as_array().unwrap().clone();
        hits.iter().map(|hit| (hit["path"].to_string(), hit["score"].to_string())).collect::<Vec<_>>()
    };
    let (some, more, all) = (files("250"), files("350"), files("1000"));
    assert_eq!((some.len(), more.len()), (250, 350));
    let differ = |one: &[(String, String)]| one.iter().zip(&all).position(|(one, other)| one != other);
    assert_eq!((differ(&some), differ(&more)), (None, None));
}
