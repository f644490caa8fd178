//! What each command prints, for people and for programs.

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::run::Icr;

const PROJECT: &str = r#"//- Cargo.toml
[package]
name = "harbour"
//- docs/mooring.md
# Mooring

How a ship is tied to a berth.
//- src/berth.rs
//! Places for ships.

/// Ties a ship to the berth.
///
/// Twice over.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}

/// Who keeps the harbour.
pub struct Warden;

impl Warden {
    /// Opens the gate.
    pub fn open_gate(&self) -> u8 {
        1
    }
}
"#;

/// Standard output of each command line on the project above; standard error stays empty.
#[track_caller]
fn print(lines: &[&[&str]]) -> String {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let mut printed = String::new();
    for args in lines {
        let ran = icr.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "`icr {}`", args.join(" "));
        printed.push_str(&icr.filtered(&ran.stdout));
    }
    printed
}

#[test]
fn index() {
    insta::assert_snapshot!(print(&[&["index"], &["index"]]), @r"
    indexed $REPO: 3 files, 3 chunks, in [ms]
    read 3 blobs, parsed 3, 3 new chunks, 1 commit; the store has [bytes]
    indexed $REPO: 3 files, 3 chunks, in [ms]
    read 0 blobs, parsed 0, 0 new chunks, 0 commits; the store has [bytes]
    ");
    insta::assert_snapshot!(print(&[&["index", "--json"]]), @r#"
    {
      "blobs_read": 3,
      "parsed": 3,
      "chunks_new": 3,
      "embedded": 3,
      "postings_written": 3,
      "commits_read": 1,
      "live_added": 3,
      "live_removed": 0,
      "blobs_left": 0,
      "elapsed_ms": [ms],
      "fill": {
        "model": null,
        "embedded": 0,
        "copied": 0,
        "left": 0,
        "elapsed_ms": [ms],
        "above_limit": 0,
        "is_busy": false
      },
      "vectors_in_trees": 0,
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn status() {
    insta::assert_snapshot!(print(&[&["status"]]), @r"
    repository    $REPO
    view          the worktree on `main` (tree [id])
    uncommitted   0 files
    files         3, 339 B
    without text  0 binary, 0 above the size limit
    chunks        3
    definitions   7, 1 of them contracts
    store         $HOME/repos/[id]/[id] ([bytes]), id [id]
    static        3 of 3 chunks have vectors, 256 components, [bytes]
    rust                1 files        18 lines       270 B
    markdown            1 files         3 lines        42 B
    toml                1 files         2 lines        27 B
    ");
    insta::assert_snapshot!(print(&[&["index", "--status", "--json"]]), @r#"
    {
      "root": "$REPO",
      "store": "$HOME/repos/[id]/[id]",
      "view": "the worktree on `main`",
      "files_indexed": 3,
      "chunks_stored": 3,
      "contracts_detected": 1,
      "symbols": 7,
      "text_bytes": 339,
      "binary_files": 0,
      "oversize_files": 0,
      "unparsed_files": 0,
      "store_bytes": [bytes],
      "vectors": [
        {
          "space": "[id]",
          "model": "static",
          "dims": 256,
          "in_use": true,
          "chunks_covered": 3,
          "chunks_total": 3,
          "chunks_stored": 3,
          "chunks_indexed": null,
          "bytes": 1588,
          "last_used_s": [seconds]
        }
      ],
      "languages": [
        {
          "language": "rust",
          "files": 1,
          "bytes": 270,
          "lines": 18
        },
        {
          "language": "markdown",
          "files": 1,
          "bytes": 42,
          "lines": 3
        },
        {
          "language": "toml",
          "files": 1,
          "bytes": 27,
          "lines": 2
        }
      ],
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn search() {
    insta::assert_snapshot!(print(&[&["search", "tie", "ship", "berth"]]), @r#"
    src/berth.rs:1-8  moor  [score]
        //! Places for ships.
        /// Ties a ship to the berth.
        …
        pub fn moor(ship: &str) -> bool {
            !ship.is_empty()
    docs/mooring.md:1-3  Mooring  [score]
        # Mooring
        How a ship is tied to a berth.
    Cargo.toml:1-2  [score]
        [package]
        name = "harbour"
    "#);
    insta::assert_snapshot!(print(&[&["search", "open_gate", "-n", "1", "--explain"]]), @r"
    src/berth.rs:14-17  Warden.open_gate  [score]
        +[score]  how near the whole file with its path is in meaning
        +[score]  how well the words of its best chunks match
        +[score]  how long it is; a longer file is likelier to hold the code
        +[score]  whether it defines an identifier of the query
        +[score]  how well the names defined in its best chunks match
        +[score]  the rest: comments, nearest chunk, recency
        /// Opens the gate.
        pub fn open_gate(&self) -> u8 {
            1
    1 place of 3 files; `-n` shows more
    ");
    insta::assert_snapshot!(print(&[&["search", "open_gate", "-n", "1", "--json"]]), @r#"
    {
      "results": [
        {
          "id": "a26b6bbd:0-270:merged",
          "path": "src/berth.rs",
          "symbol": "Warden.open_gate",
          "start_line": 14,
          "end_line": 17,
          "score": [score][id],
          "match_type": "definition",
          "preview": "/// Opens the gate.\npub fn open_gate(&self) -> u8 {\n    1",
          "language": "rust",
          "spans": [
            {
              "symbol": "Warden.open_gate",
              "start_line": 14,
              "end_line": 17,
              "score": [score]
            },
            {
              "symbol": "Warden",
              "start_line": 10,
              "end_line": 11,
              "score": [score][id]
            },
            {
              "symbol": "moor",
              "start_line": 3,
              "end_line": 8,
              "score": [score][id]
            }
          ],
          "explanation": []
        }
      ],
      "total_count": 3,
      "strength": "strong",
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn search_for_lines() {
    insta::assert_snapshot!(print(&[&["search", "--mode", "grep", "ship"], &["search", "--mode", "grep", "ship", "-n", "1"]]), @r"
    docs/mooring.md:3: How a ship is tied to a berth.
    src/berth.rs:1: //! Places for ships.
    src/berth.rs:3: /// Ties a ship to the berth.
    src/berth.rs:6: pub fn moor(ship: &str) -> bool {
    src/berth.rs:7:     !ship.is_empty()
    docs/mooring.md:3: How a ship is tied to a berth.
    1 of 5 lines in 2 files; `-n` shows more
    ");
    insta::assert_snapshot!(print(&[&["search", "--mode", "grep", "-e", "gate.*u8", "--json"]]), @r#"
    {
      "results": [
        {
          "id": "a26b6bbd:15",
          "path": "src/berth.rs",
          "symbol": "Warden.open_gate",
          "start_line": 15,
          "end_line": 15,
          "score": [score],
          "match_type": "grep",
          "preview": "    pub fn open_gate(&self) -> u8 {"
        }
      ],
      "total_count": 1,
      "files_total": 1,
      "strength": "strong",
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn symbols() {
    insta::assert_snapshot!(print(&[&["symbols", "warden"], &["symbols", "--type", "method", "gate"]]), @r"
    src/berth.rs:11  struct Warden
        pub struct Warden
    src/berth.rs:13  implementation Warden
        impl Warden
    src/berth.rs:15  method Warden.open_gate
        pub fn open_gate(&self) -> u8
    ");
    insta::assert_snapshot!(print(&[&["symbols", "moor", "--json"]]), @r##"
    {
      "symbols": [
        {
          "name": "moor",
          "qualified_name": "moor",
          "type": "function",
          "path": "src/berth.rs",
          "start_line": 6,
          "end_line": 8,
          "signature": "pub fn moor(ship: &str) -> bool",
          "docstring": "Ties a ship to the berth.",
          "contract": null,
          "visibility": "public",
          "score": [score]
        },
        {
          "name": "Mooring",
          "qualified_name": "Mooring",
          "type": "section",
          "path": "docs/mooring.md",
          "start_line": 1,
          "end_line": 3,
          "signature": "# Mooring",
          "docstring": null,
          "contract": null,
          "visibility": "unspecified",
          "score": [score]
        }
      ],
      "total_count": 2,
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "##);
}

#[test]
fn map() {
    insta::assert_snapshot!(print(&[&["map"], &["map", "--depth", "1"], &["map", "docs"]]), @r"
    ./  3 files, 339 B, 23 lines, rust
    ├── docs/  1 file, 42 B, 3 lines
    │   └── mooring.md  42 B, 3 lines, markdown
    ├── src/  1 file, 270 B, 18 lines, rust
    │   └── berth.rs  270 B, 18 lines, rust
    └── Cargo.toml  27 B, 2 lines, toml
    3 files in 2 directories: markdown 1, rust 1, toml 1
    ./  3 files, 339 B, 23 lines, rust
    ├── docs/  1 file, 42 B, 3 lines
    ├── src/  1 file, 270 B, 18 lines, rust
    └── Cargo.toml  27 B, 2 lines, toml
    3 files in 2 directories: markdown 1, rust 1, toml 1
    docs/  1 file, 42 B, 3 lines
    └── mooring.md  42 B, 3 lines, markdown
    1 file in 0 directories: markdown 1
    ");
    insta::assert_snapshot!(print(&[&["map", "docs", "--json"]]), @r#"
    {
      "tree": {
        "name": "docs",
        "type": "directory",
        "files": 1,
        "size_bytes": 42,
        "lines": 3,
        "language": null,
        "children": [
          {
            "name": "mooring.md",
            "type": "file",
            "files": 1,
            "size_bytes": 42,
            "lines": 3,
            "language": "markdown",
            "children": []
          }
        ]
      },
      "summary": {
        "total_files": 1,
        "total_directories": 0,
        "languages": {
          "markdown": 1
        }
      },
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn the_language_of_a_directory_is_the_one_with_most_bytes_of_code() {
    let fixture = Fixture::new(
        "//- assets/page.css\na { color: red; }\n//- src/a/berth.rs\npub fn moor() {}\n//- src/b/quay.rs\npub fn tie() {}\n",
    );
    fixture.write_bytes("assets/chart.png", &[0; 10_000]);
    let map = Icr::new(&fixture).json(&["map"]);
    let languages = map["tree"]["children"].as_array().expect("the root has children");
    let languages: Vec<&Value> = languages.iter().map(|child| &child["language"]).collect();
    assert_eq!((&map["tree"]["language"], languages), (&json!("rust"), vec![&json!("css"), &json!("rust")]));
}

#[test]
fn read() {
    insta::assert_snapshot!(print(&[&["read", "src/berth.rs", "--start", "10", "--end", "11"]]), @r"
    10  /// Who keeps the harbour.
    11  pub struct Warden;
    ");
    insta::assert_snapshot!(print(&[&["read", "src/berth.rs", "--start", "2", "--max-lines", "2", "--json"]]), @r#"
    {
      "path": "src/berth.rs",
      "start_line": 2,
      "end_line": 3,
      "truncated": true,
      "total_file_lines": 18,
      "content": "\n/// Ties a ship to the berth.\n",
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn slice() {
    insta::assert_snapshot!(print(&[&["slice", "src/berth.rs", "Warden.open_gate", "--context", "1"]]), @r"
    src/berth.rs:14-17  method Warden.open_gate
    impl Warden {
        /// Opens the gate.
        pub fn open_gate(&self) -> u8 {
            1
        }
    }
    ");
    insta::assert_snapshot!(print(&[&["slice", "src/berth.rs", "moor", "--json"]]), @r#"
    {
      "path": "src/berth.rs",
      "symbol": "moor",
      "symbol_type": "function",
      "start_line": 3,
      "end_line": 8,
      "content": "/// Ties a ship to the berth.\n///\n/// Twice over.\npub fn moor(ship: &str) -> bool {\n    !ship.is_empty()\n}\n",
      "context_before": "//! Places for ships.\n\n",
      "context_after": "\n/// Who keeps the harbour.\npub struct Warden;\n",
      "also_at": [],
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn commands() {
    insta::assert_snapshot!(print(&[&["commands"], &["commands", "--type", "test"]]), @r"
    build  cargo build  cargo: Cargo.toml
    test   cargo test  cargo: Cargo.toml
    lint   cargo clippy --all-targets  cargo: Cargo.toml
    format cargo fmt --all  cargo: Cargo.toml
    test   cargo test  cargo: Cargo.toml
    ");
    insta::assert_snapshot!(print(&[&["commands", "--type", "test", "--json"]]), @r#"
    {
      "detected_tools": [
        "cargo"
      ],
      "commands": {
        "test": {
          "command": "cargo test",
          "source": "Cargo.toml",
          "directory": "",
          "tool": "cargo",
          "declared": false,
          "alternatives": []
        }
      },
      "warnings": [],
      "provenance": {
        "repo_id": "[id]",
        "tree": "[id]",
        "commit": "[id]",
        "dirty": 0,
        "gaps": []
      }
    }
    "#);
}

#[test]
fn repositories() {
    insta::assert_snapshot!(print(&[&["repo", "list"], &["repo", "add"], &["repo", "list"], &["repo", "remove", ".", "--yes"]]), @r"
    $REPO is indexed as [id]
    [id]  [bytes], 1 view
        $REPO
    the store of [id] is removed
    ");
    insta::assert_snapshot!(print(&[&["repo", "add", "--json"], &["repo", "list", "--json"], &["repo", "remove", ".", "--yes", "--json"]]), @r#"
    {
      "repo_id": "[id]",
      "root": "$REPO",
      "sync": {
        "blobs_read": 3,
        "parsed": 3,
        "chunks_new": 3,
        "embedded": 3,
        "postings_written": 3,
        "commits_read": 1,
        "live_added": 3,
        "live_removed": 0,
        "blobs_left": 0,
        "elapsed_ms": [ms]
      }
    }
    {
      "repositories": [
        {
          "repo_id": "[id]",
          "worktrees": [
            "$REPO"
          ],
          "clones": [
            "$REPO/.git"
          ],
          "store_bytes": [bytes],
          "views": 1,
          "problem": null
        }
      ]
    }
    {
      "repo_id": "[id]",
      "removed": true
    }
    "#);
}

#[test]
fn garbage() {
    insta::assert_snapshot!(print(&[&["gc"], &["index", "--quiet"], &["gc"]]), @r"
    forgot 0 of 0 blobs; the store went from 0 B to 0 B
    forgot 0 of 3 blobs; the store went from [bytes] to [bytes]
    ");
    insta::assert_snapshot!(print(&[&["gc", "--json"]]), @r#"
    {
      "blobs_total": 0,
      "blobs_forgotten": 0,
      "commits_forgotten": 0,
      "views_forgotten": 0,
      "unlisted_deleted": 0,
      "clones_forgotten": 0,
      "vectors_deleted": 0,
      "spaces_deleted": 0,
      "stores_deleted": 0,
      "bytes_before": [bytes],
      "bytes_after": [bytes]
    }
    "#);
}

#[test]
fn doctor() {
    insta::assert_snapshot!(print(&[&["index", "--quiet"], &["doctor"]]), @r"
    good  repository: $REPO
    good  writer: nobody is writing the store
    good  pins: there are none
    good  ledger: every page is sound
    good  postings: every file has the bytes that were written
    good  facts: those of 3 blobs decode; those of 3 were made again and are the same
    good  vectors: 3 chunks by static
    good  views: 1 published, each complete
    ");
    insta::assert_snapshot!(print(&[&["index", "--quiet"], &["doctor", "--json"]]), @r#"
    {
      "healthy": true,
      "findings": [
        {
          "severity": "good",
          "subject": "repository",
          "found": "$REPO",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "writer",
          "found": "nobody is writing the store",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "pins",
          "found": "there are none",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "ledger",
          "found": "every page is sound",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "postings",
          "found": "every file has the bytes that were written",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "facts",
          "found": "those of 3 blobs decode; those of 3 were made again and are the same",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "vectors",
          "found": "3 chunks by static",
          "hint": null
        },
        {
          "severity": "good",
          "subject": "views",
          "found": "1 published, each complete",
          "hint": null
        }
      ],
      "agents": []
    }
    "#);
}

#[test]
fn what_is_not_found_is_an_answer_with_code_1() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    for (args, said) in [
        (&["search", "zeppelin"][..], "note: nothing found\n"),
        (&["search", "--mode", "grep", "zeppelin"], "note: nothing found\n"),
        (&["symbols", "zeppelin"], "note: nothing found\n"),
        (&["symbols", "Wardn.open_gate"], "note: nothing found; did you mean `Warden.open_gate`?\n"),
        (&["symbols", "moor", "--type", "class"], "note: no class is called `moor`; it is a function\n"),
        (
            &["symbols", "Warden.open_gate", "--type", "enum", "--type", "trait"],
            "note: no enum or trait is called `Warden.open_gate`; it is a method\n",
        ),
        (&["commands", "--type", "run"], "note: no file says how this project is built, tested or run\n"),
    ] {
        let ran = icr.run(args);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", said), "`icr {}`", args.join(" "));
        for silent in ["--quiet", "--json"] {
            let ran = icr.run(&[args, &[silent]].concat());
            assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "`icr {} {silent}`", args.join(" "));
        }
    }
    assert_eq!(icr.json(&["search", "zeppelin"])["total_count"], 0);
}

#[test]
fn a_header_of_cpp_is_read_as_cpp_and_one_of_c_as_c() {
    let fixture = Fixture::new(
        "//- kit.h\nnamespace kit {\nclass Pump : public Base {\n public:\n  void start(int n);\n};\n}\n//- plain.h\nint start(int n);\n",
    );
    let icr = Icr::new(&fixture);
    let found = icr.json(&["symbols", "Pump", "--type", "class"]);
    assert_eq!(found["symbols"][0]["qualified_name"], "kit.Pump", "{found:#}");
    for (language, path) in [("cpp", "kit.h"), ("c", "plain.h")] {
        let found = icr.json(&["symbols", "start", "--lang", language]);
        let files: Vec<&Value> = found["symbols"].as_array().unwrap().iter().map(|symbol| &symbol["path"]).collect();
        assert_eq!(files, [path], "{found:#}");
        let found = icr.json(&["search", "start", "--lang", language]);
        assert_eq!(found["results"][0]["path"], path, "{found:#}");
        assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found:#}");
        let found = icr.json(&["search", "start", "--mode", "grep", "--lang", language]);
        assert_eq!(found["results"][0]["path"], path, "{found:#}");
    }
    let status = icr.json(&["status"]);
    let languages: Vec<&Value> =
        status["languages"].as_array().unwrap().iter().map(|count| &count["language"]).collect();
    assert_eq!(languages, ["cpp", "c"]);
}

#[test]
fn a_condition_of_the_preprocessor_inside_of_a_definition_hides_no_class() {
    let fixture = Fixture::new(
        "//- ILog.cs\nnamespace Kit;\n\npublic interface ILog\n{\n    ILog With(int level)\n#if DEFAULTS\n        => this\n#endif\n        ;\n\n    void Write(string text)\n#if DEFAULTS\n    {\n    }\n#else\n        ;\n#endif\n}\n",
    );
    let icr = Icr::new(&fixture);
    let found = icr.json(&["symbols", "ILog", "--type", "interface"]);
    assert_eq!(found["symbols"][0]["path"], "ILog.cs", "{found:#}");
    let found = icr.json(&["symbols", "ILog.Write"]);
    assert_eq!(
        found["symbols"][0]["line"].as_u64().or(found["symbols"][0]["start_line"].as_u64()),
        Some(11),
        "{found:#}"
    );
    // Other conditions of the file are read as before, also one with a syntax error inside.
    let fixture_of_c = Fixture::new(
        "//- a.c\n#ifdef _WIN32\nint win_open(void) { return 1; }\n#else\nint posix_open(void) { return 2 }\n#endif\n\nint sum(int a\n#ifdef WIDE\n    , int b\n#endif\n    ) { return a; }\n",
    );
    for name in ["win_open", "posix_open", "sum"] {
        let found = Icr::new(&fixture_of_c).json(&["symbols", name]);
        assert_eq!(found["symbols"][0]["name"], name, "{found:#}");
    }
    // What is written in the other branch is no less a change.
    let text = std::fs::read_to_string(fixture.root().join("ILog.cs")).unwrap();
    fixture.write(&format!("//- ILog.cs\n{}", text.replace("#else\n        ;", "#else\n        ; // none\n        ;")));
    assert_ne!(icr.json(&["impact"])["verdict"], "cosmetic");
}
