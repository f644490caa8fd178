//! Files with unusual names and contents.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use icr_fixture::Fixture;

use crate::run::Icr;

#[test]
fn paths_that_are_not_utf_8_are_shown_and_read_with_escapes() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let place = fixture.root().join(OsStr::from_bytes(b"caf\xe9.rs"));
    fs::write(&place, "fn espresso() {}\n").unwrap();
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        let found = icr.finds(&["espresso"]);
        assert_eq!(found, ["caf\\351.rs"]);
        assert_eq!(icr.prints(&["read", &found[0]]), "1  fn espresso() {}\n");
        assert_eq!(icr.greps(&["espresso"]), ["caf\\351.rs:1"]);
        assert_eq!(icr.json(&["symbols", "espresso"])["symbols"][0]["signature"], "fn espresso()");
        fixture.commit("second");
    }
}

#[test]
fn names_with_line_ends_blanks_and_signs() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let names = [
        "new\nline.rs",
        " blank .rs",
        "tab\t.rs",
        "-dash.rs",
        "quote\".rs",
        "star*?.rs",
        "ünï.rs",
        "\u{1b}[31mred.rs",
        "back\\slash.rs",
    ];
    let words = ["anise", "basil", "caper", "dill", "endive", "fennel", "ginger", "hyssop", "iris"];
    for (name, word) in names.iter().zip(words) {
        fixture.write_bytes(name, format!("fn {word}() {{}}\n").as_bytes());
    }
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        for (name, word) in names.iter().zip(words) {
            let found = icr.finds(&[word]);
            assert_eq!(found.len(), 1, "{name:?}");
            assert_eq!(icr.prints(&["read", "--", &found[0]]), format!("1  fn {word}() {{}}\n"), "{name:?}");
            assert_eq!(icr.prints(&["read", "--", name]), format!("1  fn {word}() {{}}\n"), "{name:?}");
            // A line of the answer is a line, and no file name moves the cursor.
            let printed = icr.prints(&["search", "--mode", "grep", word]);
            assert!(printed.lines().count() == 1 && !printed.contains('\x1b'), "{printed:?}");
        }
        fixture.commit("second");
    }
}

#[test]
fn contents_that_are_not_utf_8() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    fixture.write_bytes("latin.rs", b"// caf\xe9 espresso\nfn macchiato() {}\n");
    fixture.write_bytes("cut.py", b"def ristretto(): pass\n# \xf0\x9f\xa6");
    fixture.write_bytes("wide.txt", b"\xff\xfeh\0i\0");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.finds(&["macchiato"]), ["latin.rs"]);
    assert_eq!(icr.finds(&["ristretto"]), ["cut.py"]);
    assert_eq!(icr.greps(&["espresso"]), ["latin.rs:1"]);
    assert_eq!(icr.prints(&["read", "latin.rs", "--end", "1"]), "1  // caf\u{fffd} espresso\n");
    assert_eq!(icr.greps(&["-e", "(?-u:\\xE9)"]), ["latin.rs:1"]);
    assert!(icr.fails(3, &["read", "wide.txt"]).contains("has no text"));
}

#[test]
fn line_ends_of_every_kind() {
    let fixture = Fixture::empty();
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.write_bytes("a.rs", b"fn anchor() {}\r\nfn buoy() {}\r\n");
    fixture.commit("first");
    let icr = Icr::new(&fixture);
    assert_eq!(fixture.git(&["cat-file", "-s", "HEAD:a.rs"]), "28");
    assert_eq!(icr.json(&["status"])["provenance"]["dirty"], 0);
    // Touched, but the same content after git's conversion.
    fixture.write_bytes("a.rs", b"fn anchor() {}\nfn buoy() {}\n");
    assert_eq!(icr.json(&["status"])["provenance"]["dirty"], 0);
    fixture.write_bytes("a.rs", b"fn anchor() {}\r\nfn capstan() {}\r\n");
    let excerpt = icr.json(&["read", "a.rs"]);
    assert_eq!(excerpt["content"], "fn anchor() {}\nfn capstan() {}\n");
    fixture.git(&["config", "core.autocrlf", "false"]);
    fixture.write_bytes("mac.txt", b"one\rtwo\rthree\r");
    fixture.write_bytes("dos.txt", b"one\r\ntwo\r\n");
    assert_eq!(icr.greps(&["-e", "two$", "--path", "dos.txt"]), ["dos.txt:2"]);
    assert_eq!(icr.json(&["read", "dos.txt"])["content"], "one\r\ntwo\r\n");
    assert_eq!(icr.run(&["read", "mac.txt"]).code, 0);
}

#[test]
fn empty_files_and_files_of_nothing_but_line_ends() {
    let fixture = Fixture::new("//- empty.rs\n//- b.rs\nfn b() {}\n");
    fixture.write_bytes("blank.rs", b"\n\n\n");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.prints(&["read", "empty.rs"]), "");
    assert_eq!(icr.json(&["read", "empty.rs"])["total_file_lines"], 0);
    assert_eq!(icr.json(&["read", "blank.rs"])["total_file_lines"], 3);
    assert_eq!(icr.finds(&["empty"]), ["empty.rs"]);
    assert_eq!(icr.run(&["slice", "empty.rs", "x"]).code, 1);
}

#[test]
fn nul_bytes_and_pointers_to_large_files_are_binary() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    fixture.write_bytes("nul.rs", b"fn espresso() {}\0\n");
    fixture.write_bytes(
        "model.bin",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
    );
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        assert_eq!(icr.json(&["status"])["binary_files"], 2);
        assert!(icr.finds(&["espresso"]).is_empty() && icr.greps(&["oid"]).is_empty());
        for path in ["nul.rs", "model.bin"] {
            let said = icr.fails(3, &["read", path]);
            assert!(said.starts_with(&format!("error: `{path}` has no text: ")), "{said}");
        }
        fixture.commit("second");
    }
}

#[test]
fn symbolic_links_are_not_followed() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- dir/b.rs\nfn buoy() {}\n");
    fs::write(fixture.home().join("outside.rs"), "fn smuggled() {}\n").unwrap();
    fs::create_dir(fixture.home().join("far")).unwrap();
    fs::write(fixture.home().join("far/c.rs"), "fn smuggled() {}\n").unwrap();
    fixture.symlink("nowhere", "dangling");
    fixture.symlink("../outside.rs", "out.rs");
    fixture.symlink("../far", "far");
    fixture.symlink("dir", "alias");
    fixture.symlink("loop", "loop");
    fixture.symlink("a.rs", "same.rs");
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        assert_eq!(icr.files(&[]), ["a.rs", "dir/b.rs"]);
        assert!(icr.finds(&["smuggled"]).is_empty() && icr.greps(&["smuggled"]).is_empty());
        for path in ["out.rs", "far/c.rs", "alias/b.rs", "dangling", "loop", "same.rs"] {
            assert_eq!(icr.run(&["read", path]).code, 1, "{path}");
        }
        fixture.commit("second");
    }
    // A file that becomes a link, and a directory that becomes one, are gone.
    fixture.delete("a.rs");
    fixture.symlink("../outside.rs", "a.rs");
    fixture.delete("dir");
    fixture.symlink("../far", "dir");
    assert!(icr.files(&[]).is_empty());
    assert!(icr.greps(&["smuggled"]).is_empty());
}

#[test]
fn what_is_no_file_at_all() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let icr = Icr::new(&fixture);
    let made = icr.shell("mkfifo pipe.rs && rm a.rs && mkfifo a.rs");
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(icr.files(&[]).is_empty());
    assert!(icr.greps(&["anchor"]).is_empty());
    assert_eq!(icr.run(&["read", "a.rs"]).code, 1);
}

#[test]
fn a_blob_of_100_megabytes_is_counted_and_not_read() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    fixture.git(&["config", "core.compression", "1"]);
    fixture.write_bytes("huge.txt", &b"anchor line of text\n".repeat(5 << 20));
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    let report = icr.json(&["index"]);
    assert_eq!((&report["blobs_read"], &report["parsed"]), (&1.into(), &1.into()));
    assert_eq!(report["provenance"]["gaps"][0], serde_json::json!({"gap": "oversize", "files": 1}));
    let status = icr.json(&["status"]);
    assert_eq!((&status["oversize_files"], &status["files_indexed"]), (&1.into(), &2.into()));
    assert_eq!(icr.greps(&["anchor"]), ["a.rs:1"]);
    assert_eq!(icr.run(&["search", "anchor", "--strict"]).code, 4);
    let said = icr.fails(3, &["read", "huge.txt"]);
    assert!(said.contains("`watcher.max_file_size_kb`"), "{said}");
}

#[test]
fn files_that_no_grammar_can_read_are_found_by_their_words_and_counted() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    fixture.write(&format!("//- b.lua\nfunction capstan() end\n\n{}", "((((\n".repeat(10_000)));
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.finds(&["capstan"]), ["b.lua"]);
    assert_eq!(icr.json(&["symbols", "capstan"])["symbols"][0]["path"], "b.lua");
    assert_eq!(icr.json(&["status"])["unparsed_files"], 1);
    let status = icr.run(&["status"]).stdout;
    assert!(status.contains("2, 0 of them contracts; 1 file does not parse\n"), "{status}");
}

#[test]
fn a_line_of_5_megabytes_is_indexed_when_it_may_be() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let mut line = "var a=1;".repeat((5 << 20) / 8);
    line.push_str("var capstan=2;");
    fixture.write_bytes("min.js", line.as_bytes());
    fixture.commit("second");
    let icr = Icr::new(&fixture).with_variable("ICR_WATCHER__MAX_FILE_SIZE_KB", "10000");
    assert_eq!(icr.finds(&["capstan"]), ["min.js"]);
    for args in [&["search", "capstan"][..], &["search", "--mode", "grep", "capstan"]] {
        let printed = icr.prints(args);
        assert!(printed.len() < 2_000, "{} bytes", printed.len());
    }
}

#[test]
fn a_file_that_is_too_large_says_so_before_and_after_it_is_committed() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    fixture.write_bytes("large.rs", "// line\n".repeat(3_000).as_bytes());
    let icr = Icr::new(&fixture);
    for uncommitted in [1, 0] {
        let limited = |args: &[&'static str]| [&["--set", "watcher.max_file_size_kb=10"], args].concat();
        let said = icr.fails(3, &limited(&["read", "large.rs"]));
        assert!(said.contains("too large for `watcher.max_file_size_kb`"), "{said}");
        let status = icr.json(&limited(&["status"]));
        assert_eq!((&status["oversize_files"], &status["provenance"]["dirty"]), (&1.into(), &uncommitted.into()));
        fixture.commit("second");
    }
    // Written again, but not changed; changed; and one that was small before.
    for (path, text, uncommitted) in [("large.rs", "// line\n", 0), ("large.rs", "// lane\n", 1), ("a.rs", "// a\n", 2)]
    {
        fixture.write_bytes(path, text.repeat(3_000).as_bytes());
        let status = icr.json(&["--set", "watcher.max_file_size_kb=10", "status"]);
        assert_eq!(status["provenance"]["dirty"], uncommitted, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_with_a_backslash_and_digits_is_not_taken_for_an_escape() {
    let fixture = Fixture::new("//- docsAb.py\ndef other(): pass\n");
    fixture.write_bytes("docs\\101b.py", b"def win(): pass\n");
    fixture.write_bytes("a\\012b.py", b"def literal(): pass\n");
    fixture.write_bytes("a\nb.py", b"def line(): pass\n");
    let icr = Icr::new(&fixture);
    let reads = |path: &str| icr.prints(&["read", path]);
    assert!(reads("docs\\101b.py").contains("win"));
    assert!(reads("docsAb.py").contains("other"));
    assert!(reads("a\nb.py").contains("line"));
    let files = icr.files(&[]);
    assert_eq!(files, ["a\\012b.py", "a\\134012b.py", "docsAb.py", "docs\\134101b.py"]);
    // Of two files that a text may mean, it is the one that icr shows by it.
    for (path, holds) in files.iter().zip(["line", "literal", "other", "win"]) {
        assert!(reads(path).contains(holds), "{path}");
    }
}
