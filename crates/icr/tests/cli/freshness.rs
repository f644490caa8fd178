//! An answer is about what lies there now, and about nothing else.

use icr_fixture::Fixture;
use serde_json::json;

use crate::run::Icr;

fn project() -> Fixture {
    Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n")
}

#[test]
fn an_edit_is_found_at_once_and_only_in_its_worktree() {
    let fixture = project();
    let other = fixture.worktree("other", "HEAD");
    let icr = Icr::new(&fixture);
    let beside = icr.standing_in(&other);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    assert_eq!(beside.finds(&["anchor"]), ["a.rs"]);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    assert_eq!(icr.finds(&["capstan"]), ["a.rs"]);
    assert!(icr.finds(&["anchor"]).is_empty());
    assert_eq!(icr.greps(&["capstan"]), ["a.rs:1"]);
    assert_eq!(icr.prints(&["read", "a.rs"]), "1  fn capstan() {}\n");
    assert_eq!(icr.json(&["symbols", "capstan"])["total_count"], 1);
    assert_eq!(icr.json(&["status"])["provenance"]["dirty"], 1);
    for asked in [&beside.finds(&["capstan"]), &beside.greps(&["capstan"]), &icr.finds(&["capstan", "--at", "HEAD"])] {
        assert!(asked.is_empty(), "{asked:?}");
    }
    assert_eq!(beside.finds(&["anchor"]), ["a.rs"]);
    assert_eq!(beside.json(&["status"])["provenance"]["dirty"], 0);
}

#[test]
fn uncommitted_text_is_never_written_to_the_store() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    fixture.write("//- quarterdeckxyzzy.rs\nfn quarterdeckxyzzy() {}\n");
    assert_eq!(icr.finds(&["quarterdeckxyzzy"]), ["quarterdeckxyzzy.rs"]);
    icr.prints(&["index"]);
    // A trace says what was asked, which is what the user typed.
    let look = "grep -rlc --exclude='traces.db*' quarterdeckxyzzy";
    let written = icr.shell(&format!("{look} {}", icr.home().display()));
    assert_eq!((written.code, written.stdout.as_str()), (1, ""));
    // The same look finds the path once it is committed (what a file says is compressed), so it would have found it.
    fixture.commit("second");
    icr.prints(&["index"]);
    assert_eq!(icr.shell(&format!("{look} {}", icr.home().display())).code, 0);
}

#[test]
fn hundreds_of_uncommitted_files_are_part_of_every_answer() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let many: String = (0..300).map(|no| format!("//- many/f{no}.rs\nfn windlass{no}() {{}}\n")).collect();
    fixture.write(&many);
    for no in [0, 150, 299] {
        let name = format!("windlass{no}");
        assert_eq!(icr.json(&["symbols", &name, "--type", "function"])["symbols"][0]["name"], json!(name));
        assert_eq!(icr.greps(&[&format!("{name}()")]), [format!("many/f{no}.rs:1")]);
        icr.prints(&["read", &format!("many/f{no}.rs")]);
    }
    assert_eq!(icr.json(&["status"])["provenance"]["gaps"], json!([]));
}

#[test]
fn a_change_that_is_too_large_for_the_time_is_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let many: String = (0..300).map(|no| format!("//- many/f{no}.rs\nfn windlass{no}() {{}}\n")).collect();
    fixture.write(&many);
    let answer = icr.run(&["symbols", "windlass", "--set", "git.catch_up=600ms"]);
    assert!(answer.stderr.contains("44 uncommitted files are too many to index for this answer"), "{}", answer.stderr);
    let refused = icr.fails(1, &["refs", "nothing_of_the_kind", "--set", "git.catch_up=600ms"]);
    assert!(refused.contains("(without 44 uncommitted files) defines `nothing_of_the_kind`"), "{refused}");
}

#[test]
fn staged_deleted_renamed_and_untracked_files_count_as_they_lie_there() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    fixture.write("//- staged.rs\nfn stanchion() {}\n//- loose.rs\nfn lanyard() {}\n");
    fixture.git(&["add", "staged.rs"]);
    assert_eq!(icr.finds(&["stanchion"]), ["staged.rs"]);
    assert_eq!(icr.finds(&["lanyard"]), ["loose.rs"]);
    fixture.delete("b.rs");
    assert!(icr.finds(&["buoy"]).is_empty());
    assert_eq!(icr.finds(&["buoy", "--at", "HEAD"]), ["b.rs"]);
    fixture.git(&["mv", "a.rs", "moved.rs"]);
    assert_eq!(icr.finds(&["anchor"]), ["moved.rs"]);
    assert_eq!(icr.files(&[]), ["loose.rs", "moved.rs", "staged.rs"]);
    // Staged, then edited again: what lies there counts.
    fixture.write("//- staged.rs\nfn mizzen() {}\n");
    assert_eq!((icr.finds(&["stanchion"]), icr.finds(&["mizzen"])), (vec![], vec!["staged.rs".to_owned()]));
}

#[test]
fn a_branch_switch_is_seen_and_reads_nothing_twice() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    fixture.git(&["checkout", "-qb", "topic"]);
    fixture.write("//- a.rs\nfn topsail() {}\n");
    fixture.commit("second");
    assert_eq!(icr.finds(&["topsail"]), ["a.rs"]);
    fixture.git(&["checkout", "-q", "main"]);
    assert!(icr.finds(&["topsail"]).is_empty());
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    let report = icr.json(&["index"]);
    assert_eq!((&report["blobs_read"], &report["parsed"]), (&0.into(), &0.into()));
}

#[test]
fn ignored_files_are_not_found() {
    let fixture = project();
    fixture.write("//- .gitignore\n*.log\n/build/\n");
    fixture.commit("second");
    fixture.write("//- trace.log\nkeelhaul\n//- build/out.rs\nfn keelhaul() {}\n//- notes/trace.log\nkeelhaul\n");
    let icr = Icr::new(&fixture);
    assert!(icr.finds(&["keelhaul"]).is_empty());
    assert!(icr.greps(&["keelhaul"]).is_empty());
    assert!(icr.fails(1, &["read", "trace.log"]).starts_with("error: `trace.log` is not in the view"));
    // Git's own rule: what is tracked is not ignored.
    fixture.git(&["add", "-f", "trace.log"]);
    assert_eq!(icr.finds(&["keelhaul"]), ["trace.log"]);
    assert_eq!(icr.finds(&["keelhaul", "--set", "watcher.respect_gitignore=false", "-n", "9"]).len(), 3);
}

#[test]
fn what_icrignore_names_is_in_no_view() {
    let fixture = Fixture::new(
        "//- a.rs\nfn anchor() {}\n//- vendor/v.rs\nfn windlass() {}\n//- data/d.rs\nfn windlass_d() {}\n",
    );
    let icr = Icr::new(&fixture);
    assert_eq!(icr.finds(&["windlass", "-n", "9"]).len(), 2);
    fixture.write("//- .icrignore\nvendor/\n//- .icr/ignore\ndata/\n");
    assert!(icr.finds(&["windlass"]).is_empty());
    assert!(icr.finds(&["windlass", "--at", "HEAD"]).is_empty());
    assert!(icr.greps(&["windlass"]).is_empty());
    assert!(icr.fails(1, &["read", "vendor/v.rs"]).contains("is not in the view"));
    fixture.delete(".icrignore");
    assert_eq!(icr.finds(&["windlass"]), ["vendor/v.rs"]);
}

#[test]
fn nothing_is_written_into_the_repository() {
    let fixture = project();
    let objects = fixture.object_count();
    let icr = Icr::new(&fixture);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    let before = fixture.git(&["status", "--porcelain"]);
    for args in [&["index"][..], &["search", "capstan"], &["gc"], &["doctor"], &["commands"]] {
        icr.run(args);
    }
    assert_eq!(fixture.git(&["status", "--porcelain", "--ignored"]), before);
    assert_eq!(fixture.object_count(), objects);
}

#[test]
fn the_impact_of_many_files_opens_the_index_and_reads_trees_as_that_of_few() {
    let files: String = (0..40).map(|number| format!("//- d/f{number}.rs\npub fn f{number}() {{}}\n")).collect();
    let fixture = Fixture::new(&files);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let counts_of = |changed: usize| {
        for number in 0..changed {
            fixture.write(&format!("//- d/f{number}.rs\npub fn f{number}(a: u32) {{}}\n"));
        }
        fixture.delete(&format!("d/f{}.rs", 40 - changed));
        ["", "--staged"].map(|which| {
            if which == "--staged" {
                fixture.git(&["add", "-A"]);
            }
            let args: Vec<&str> = ["impact", which, "-vvv"].into_iter().filter(|word| !word.is_empty()).collect();
            let ran = icr.run(&args);
            assert!(ran.code <= 1 && ran.stdout.contains(&format!("{} files changed", changed + 1)), "{}", ran.stdout);
            fixture.git(&["reset", "-q"]);
            ["opened the index", "read a tree"].map(|event| ran.stderr.matches(event).count())
        })
    };
    let few = counts_of(2);
    fixture.git(&["checkout", "-q", "."]);
    assert_eq!(counts_of(20), few);
}

#[test]
fn a_question_with_nothing_to_do_opens_the_ledger_once_and_compares_trees_at_most_once() {
    let fixture = Fixture::new("//- a.py\ndef one():\n    pass\n//- b.py\nfrom a import one\n");
    fixture.commit("first");
    fixture.write("//- a.py\ndef one():\n    return 1\n");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let questions: [(&[&str], usize); 8] = [
        (&["search", "one"], 0),
        (&["search", "one", "--mode", "grep"], 0),
        (&["symbols", "one"], 0),
        (&["refs", "one"], 0),
        (&["map"], 0),
        (&["read", "a.py"], 0),
        (&["read", "a.py", "--at", "HEAD~1"], 1),
        (&["pack", "one", "--at", "HEAD~1"], 1),
    ];
    for (question, trees_compared) in questions {
        let ran = icr.run(&[question, ["-vvv"].as_slice()].concat());
        assert_eq!(ran.code, 0, "{question:?}: {}", ran.stderr);
        let count = |event| ran.stderr.matches(event).count();
        assert_eq!(count("opened the ledger"), 1, "{question:?}: {}", ran.stderr);
        assert_eq!(count("compared trees"), trees_compared, "{question:?}: {}", ran.stderr);
    }
}

#[test]
fn a_path_from_a_directory_is_that_of_the_view_that_is_asked() {
    let fixture = Fixture::new("//- a.py\n# root\n//- sub/a.py\n# sub\n//- sub/b.py\nx = 1\n");
    fixture.delete("sub/a.py");
    fixture.commit("less");
    let icr = Icr::new(&fixture).standing_in(&fixture.root().join("sub"));
    let reads = |args: &[&str]| icr.prints(&[&["read", "--json"], args].concat());
    assert!(reads(&["a.py", "--at", "HEAD~1"]).contains("# sub"));
    assert!(reads(&["a.py", "--at", "HEAD"]).contains("# root"));
    assert!(reads(&["a.py"]).contains("# root"));
    assert!(reads(&["sub/b.py", "--at", "HEAD~1"]).contains("x = 1"), "from the root where nothing is meant from here");
    assert!(icr.run(&["read", "./a.py", "--at", "HEAD~1"]).stdout.contains("# sub"));
    assert_eq!(icr.run(&["read", "./a.py", "--at", "HEAD"]).code, 1);
}
