//! Repositories of unusual form and in unusual states: each works, or says by name why not.

use std::fs;

use icr_fixture::Fixture;

use crate::run::Icr;

const PROJECT: &str = "//- a.rs\nfn anchor() {}\n//- sub/b.rs\nfn buoy() {}\n";

#[test]
fn no_repository() {
    let fixture = Fixture::empty();
    let icr = Icr::new(&fixture).standing_in(fixture.home());
    for args in
        [&["index"][..], &["search", "x"], &["map"], &["status"], &["gc"], &["doctor"], &["commands"], &["repo", "add"]]
    {
        let said = icr.filtered(&icr.fails(3, args));
        assert_eq!(
            said,
            "error: `$REPO` is not inside a git repository\nhint: run icr inside a repository, or name one with `--repo`\n",
            "{args:?}"
        );
    }
    assert_eq!(icr.prints(&["repo", "list"]), "");
    assert!(!icr.home().exists());
}

#[test]
fn a_git_directory_without_content() {
    let fixture = Fixture::empty();
    for (name, files) in [("empty", &[][..]), ("half", &["HEAD"]), ("garbage", &["HEAD", "config"])] {
        let root = fixture.home().join(name);
        fs::create_dir_all(root.join(".git")).unwrap();
        files.iter().for_each(|file| fs::write(root.join(".git").join(file), b"\xff[[[ garbage").unwrap());
        let ran = Icr::new(&fixture).standing_in(&root).run(&["map"]);
        assert_eq!(ran.code, 3, "{name}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{name}: {}", ran.stderr);
    }
}

#[test]
fn unborn_head() {
    let fixture = Fixture::empty();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    assert!(icr.finds(&["anchor"]).is_empty());
    assert!(icr.files(&[]).is_empty());
    assert!(icr.prints(&["doctor"]).contains("good  views"));
    assert!(icr.fails(3, &["map", "--at", "HEAD"]).starts_with("error: revision `HEAD` not found"));
    fixture.write(PROJECT);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    assert_eq!(icr.greps(&["buoy"]), ["sub/b.rs:1"]);
    fixture.git(&["add", "a.rs"]);
    assert_eq!(icr.files(&[]), ["a.rs", "sub/b.rs"]);
    let before = icr.json(&["status"]);
    fixture.commit("first");
    let after = icr.json(&["status"]);
    assert_eq!(before["provenance"]["repo_id"], after["provenance"]["repo_id"]);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
}

#[test]
fn bare() {
    let fixture = Fixture::new(PROJECT);
    let clone = fixture.clone_to("bare.git", &["--bare"]);
    let icr = Icr::new(&fixture).standing_in(&clone);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    assert_eq!(icr.prints(&["read", "sub/b.rs"]), "1  fn buoy() {}\n");
    assert_eq!(icr.files(&["--at", "main"]), ["a.rs", "sub/b.rs"]);
    insta::assert_snapshot!(icr.fails(1, &["refs", "nobody"]), @"error: no file in the view of `main` defines `nobody`");
    for args in [&["impact"][..], &["impact", "--staged"]] {
        insta::allow_duplicates! { insta::assert_snapshot!(icr.fails(3, args), @"
        error: cannot compare: a bare repository has no worktree
        hint: name a revision or a range of them, as in `HEAD~3..HEAD`
        ") }
    }
    assert!(Icr::new(&Fixture::bare()).finds(&["anchor"]).is_empty());
    let beside = Icr::new(&fixture).standing_in(&fixture.clone_to("beside", &[]));
    assert_eq!(beside.prints(&["--repo", "../bare.git", "read", "sub/b.rs"]), "1  fn buoy() {}\n");
}

#[test]
fn shallow() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    fixture.commit("second");
    let clone = fixture.clone_to("shallow", &["--depth=1"]);
    let icr = Icr::new(&fixture).standing_in(&clone);
    assert_eq!(icr.finds(&["capstan"]), ["a.rs"]);
    assert_eq!(icr.gaps(&["status"]), ["shallow_history"]);
    assert_eq!(icr.run(&["status", "--strict"]).code, 4);
    assert!(icr.prints(&["doctor"]).contains("the clone is shallow"));
    let said = icr.fails(3, &["map", "--at", "HEAD~1"]);
    assert!(said.starts_with("error: ") && said.contains("hint: "), "{said}");
    let before = icr.json(&["status"])["provenance"]["repo_id"].clone();
    fixture.git_in(&clone, &["fetch", "-q", "--unshallow"]);
    assert_eq!(icr.json(&["status"])["provenance"]["repo_id"], before);
    assert!(icr.gaps(&["status"]).is_empty());
    assert_eq!(icr.finds(&["anchor", "--at", "HEAD~1"]), ["a.rs"]);
}

#[test]
fn a_partial_clone_says_what_it_lacks_and_fetches_nothing() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    fixture.commit("second");
    let clone = fixture.clone_to("partial", &["--filter=blob:none"]);
    let icr = Icr::new(&fixture).standing_in(&clone).with_home(fixture.home().join("partial-home"));
    assert_eq!(icr.finds(&["capstan"]), ["a.rs"]);
    assert!(icr.gaps(&["status"]).is_empty());
    let objects = fixture.object_count_in(&clone);
    assert_eq!(icr.files(&["--at", "HEAD~1"]), ["sub/b.rs"]);
    assert_eq!(icr.gaps(&["search", "buoy", "--at", "HEAD~1"]), ["missing_object"]);
    assert_eq!(icr.run(&["search", "buoy", "--at", "HEAD~1", "--strict"]).code, 4);
    let ran = icr.run(&["read", "a.rs", "--at", "HEAD~1"]);
    assert!([1, 3].contains(&ran.code), "{}", ran.stderr);
    assert_eq!(fixture.object_count_in(&clone), objects);
    // Somebody fetches it: the next question has it.
    fixture.git_in(&clone, &["show", "HEAD~1:a.rs"]);
    assert_eq!(icr.finds(&["anchor", "--at", "HEAD~1"]), ["a.rs"]);
    assert!(icr.gaps(&["search", "anchor", "--at", "HEAD~1"]).is_empty());
}

#[test]
fn a_partial_clone_beside_a_whole_one_answers_without_the_texts_it_lacks() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    fixture.commit("second");
    let whole = Icr::new(&fixture);
    assert_eq!(whole.finds(&["anchor", "--at", "HEAD~1"]), ["a.rs"]);
    let clone = fixture.clone_to("partial", &["--filter=blob:none"]);
    let partial = whole.standing_in(&clone);
    assert_eq!(partial.finds(&["capstan"]), ["a.rs"]);
    // The store knows the file; its text is not here.
    let found = partial.json(&["search", "anchor", "--at", "HEAD~1"]);
    assert_eq!((&found["results"][0]["path"], &found["results"][0]["preview"]), (&"a.rs".into(), &"".into()));
    assert_eq!(found["provenance"]["gaps"][0]["gap"], "missing_object");
    let found = partial.json(&["symbols", "anchor", "--at", "HEAD~1"]);
    assert_eq!(found["symbols"][0]["path"], "a.rs");
    assert_eq!(found["provenance"]["gaps"][0]["gap"], "missing_object");
    let found = partial.json(&["search", "--mode", "grep", "n", "--at", "HEAD~1"]);
    assert_eq!((&found["total_count"], &found["results"][0]["path"]), (&1.into(), &"sub/b.rs".into()));
    assert_eq!(found["provenance"]["gaps"][0]["gap"], "missing_object");
    let said = partial.fails(3, &["read", "a.rs", "--at", "HEAD~1"]);
    assert!(said.contains("is missing from the repository\nhint: a partial clone"), "{said}");
}

#[test]
fn sparse_checkout() {
    let fixture =
        Fixture::new("//- a.rs\nfn anchor() {}\n//- far/b.rs\nfn buoy() {}\n//- near/c.rs\nfn capstan() {}\n");
    fixture.git(&["sparse-checkout", "set", "near"]);
    assert!(!fixture.root().join("far").exists());
    let icr = Icr::new(&fixture);
    assert_eq!(icr.files(&[]), ["a.rs", "far/b.rs", "near/c.rs"]);
    assert_eq!(icr.prints(&["read", "far/b.rs"]), "1  fn buoy() {}\n");
    assert_eq!(icr.json(&["status"])["provenance"]["dirty"], 0);
}

#[test]
fn submodules_and_repositories_inside() {
    let inner = Fixture::new("//- deep.rs\nfn dinghy() {}\n");
    let fixture = Fixture::new(PROJECT);
    let url = format!("file://{}", inner.root().display());
    fixture.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "boats"]);
    fixture.commit("submodule");
    fixture.git(&["clone", "-q", &url, "loose"]);
    let icr = Icr::new(&fixture);
    assert_eq!(icr.files(&[]), [".gitmodules", "a.rs", "sub/b.rs"]);
    assert!(icr.finds(&["dinghy"]).is_empty());
    for inside in ["boats", "loose"] {
        let inside = icr.standing_in(&fixture.root().join(inside));
        assert_eq!(inside.files(&[]), ["deep.rs"]);
        assert_eq!(inside.finds(&["dinghy"]), ["deep.rs"]);
    }
    fixture.write_bytes("boats/deep.rs", b"fn changed() {}\n");
    assert!(icr.finds(&["changed"]).is_empty());
    assert_eq!(icr.standing_in(&fixture.root().join("boats")).finds(&["changed"]), ["deep.rs"]);
}

#[test]
fn object_ids_of_sha256() {
    let fixture = Fixture::with_object_format("sha256");
    fixture.write(PROJECT);
    let commit = fixture.commit("first");
    let icr = Icr::new(&fixture);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    let status = icr.json(&["status", "--at", &commit]);
    assert_eq!(status["provenance"]["commit"], commit.as_str());
    fixture.write("//- a.rs\nfn capstan() {}\n");
    assert_eq!(icr.greps(&["capstan"]), ["a.rs:1"]);
}

#[test]
fn references_in_another_format_work_or_are_refused_by_name() {
    let fixture = Fixture::with_format(&["--ref-format=reftable"]);
    fixture.write(PROJECT);
    fixture.commit("first");
    let ran = Icr::new(&fixture).run(&["search", "anchor"]);
    match ran.code {
        0 => assert!(ran.stdout.starts_with("a.rs:"), "{}", ran.stdout),
        _ => assert!(ran.code == 3 && ran.stderr.contains("reftable"), "{}", ran.stderr),
    }
}

#[test]
fn a_merge_in_conflict() {
    let fixture = Fixture::new(PROJECT);
    fixture.git(&["checkout", "-qb", "topic"]);
    fixture.write("//- a.rs\nfn theirs() {}\n");
    fixture.commit("theirs");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- a.rs\nfn ours() {}\n");
    fixture.commit("ours");
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    assert!(fixture.try_git(&["merge", "topic"]).is_err());
    assert_eq!(icr.gaps(&["search", "theirs"]), ["conflicted"]);
    assert_eq!(icr.greps(&["theirs"]), ["a.rs:4"]);
    assert_eq!(icr.finds(&["buoy"]), ["sub/b.rs"]);
    assert_eq!(icr.greps(&["theirs", "--at", "topic"]), ["a.rs:1"]);
    assert!(icr.greps(&["theirs", "--at", "HEAD"]).is_empty());
    assert_eq!(icr.run(&["search", "theirs", "--strict"]).code, 4);
}

#[test]
fn detached_head() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- a.rs\nfn capstan() {}\n");
    fixture.commit("second");
    fixture.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    let icr = Icr::new(&fixture);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    assert_eq!(icr.json(&["status"])["view"], "the worktree");
    assert_eq!(icr.finds(&["capstan", "--at", "main"]), ["a.rs"]);
}

#[test]
fn head_that_names_what_is_not_there() {
    let fixture = Fixture::new(PROJECT);
    for head in ["ref: refs/heads/gone\n", "1234567890123456789012345678901234567890\n", "what is this\n", ""] {
        fs::write(fixture.root().join(".git/HEAD"), head).unwrap();
        let ran = Icr::new(&fixture).run(&["map"]);
        assert!([0, 3].contains(&ran.code), "{head:?} {}: {}", ran.code, ran.stderr);
        assert!(ran.code == 0 || ran.stderr.starts_with("error: "), "{head:?}: {}", ran.stderr);
    }
}

#[test]
fn a_missing_or_broken_index() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let index = fixture.root().join(".git/index");
    let sound = fs::read(&index).unwrap();
    for broken in [&b"garbage"[..], b"", &sound[..sound.len() / 2]] {
        fs::write(&index, broken).unwrap();
        let said = icr.fails(3, &["search", "anchor"]);
        assert!(said.contains(".git/index` cannot be read: it is damaged; delete the file"), "{said}");
        assert_eq!(icr.finds(&["anchor", "--at", "HEAD"]), ["a.rs"]);
    }
    fs::remove_file(&index).unwrap();
    let said = icr.fails(3, &["search", "anchor"]);
    assert!(said.contains("is missing") && said.contains("hint: `git reset`"), "{said}");
    fixture.git(&["reset", "-q"]);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
}

/// A loose object with the header `blob 18446744073709551615` and nothing behind it, as zlib stores it.
const ENDLESS: &[u8] = b"x\x01\x01\x1a\0\xe5\xffblob 18446744073709551615\0Y\xb1\x05\xd7";

#[test]
fn missing_and_corrupt_objects() {
    for (what, code) in [("HEAD:a.rs", 0), ("HEAD:sub", 3), ("HEAD^{tree}", 3), ("HEAD", 3)] {
        for broken in [None, Some(&b"no zlib stream"[..]), Some(b""), Some(ENDLESS)] {
            let fixture = Fixture::new(PROJECT);
            let id = fixture.git(&["rev-parse", what]);
            let object = fixture.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
            fs::remove_file(&object).unwrap();
            if let Some(bytes) = broken {
                fs::write(&object, bytes).unwrap();
            }
            let icr = Icr::new(&fixture);
            let ran = icr.run(&["search", "buoy", "--at", "HEAD"]);
            assert_eq!(ran.code, code, "{what} {broken:?}: {}", ran.stderr);
            if code == 0 {
                assert!(ran.stdout.starts_with("sub/b.rs:1-1"), "{}", ran.stdout);
                assert!(ran.stderr.contains("1 object is not in this repository"), "{what} {broken:?}: {}", ran.stderr);
            } else {
                assert!(ran.stderr.contains(&id) && ran.stderr.contains("hint: "), "{what} {broken:?}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn an_object_that_is_lost_after_it_was_indexed() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let id = fixture.git(&["rev-parse", "HEAD:a.rs"]);
    let object = fixture.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    for broken in [Some(&b"no zlib stream"[..]), Some(ENDLESS), None] {
        fs::remove_file(&object).unwrap();
        if let Some(bytes) = broken {
            fs::write(&object, bytes).unwrap();
        }
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
        assert_eq!(icr.gaps(&["search", "anchor"]), ["missing_object"]);
        assert_eq!(icr.greps(&["buoy"]), ["sub/b.rs:1"]);
        let said = icr.fails(3, &["read", "a.rs"]);
        assert!(said.contains(&id) && said.contains("hint: "), "{said}");
    }
}

#[test]
fn a_path_that_is_a_file_at_one_revision_and_a_directory_at_another() {
    let fixture = Fixture::new("//- thing\nanchor text\n");
    fixture.delete("thing");
    fixture.write("//- thing/inside\nbuoy text\n");
    fixture.commit("second");
    let icr = Icr::new(&fixture);
    for _ in 0..2 {
        assert_eq!(icr.files(&[]), ["thing/inside"]);
        assert_eq!(icr.files(&["--at", "HEAD~1"]), ["thing"]);
        assert_eq!(icr.finds(&["anchor", "--at", "HEAD~1"]), ["thing"]);
        assert!(icr.finds(&["anchor"]).is_empty());
    }
    fixture.delete("thing");
    fixture.write_bytes("thing", b"anchor again\n");
    assert_eq!(icr.files(&[]), ["thing"]);
    assert!(icr.finds(&["buoy"]).is_empty());
}

#[test]
fn a_tree_that_names_git_directories_and_parents() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let blob = fixture.git(&["rev-parse", "HEAD:a.rs"]);
    // `git mktree` checks no names, so that it can write what only an attacker would.
    let tree = fixture.git_with_input(
        &["mktree", "--missing"],
        format!(
            "100644 blob {blob}\t.GIT\n100644 blob {blob}\t..\n100644 blob {blob}\t.git\n100644 blob {blob}\tok.rs\n"
        )
        .as_bytes(),
    );
    let commit = fixture.git(&["commit-tree", "-m", "evil", &tree]);
    let icr = Icr::new(&fixture);
    assert_eq!(icr.files(&["--at", &commit]), ["ok.rs"]);
    assert_eq!(icr.finds(&["anchor", "--at", &commit]), ["ok.rs"]);
    for path in [".GIT", ".git", ".."] {
        assert!(icr.run(&["read", path, "--at", &commit]).code >= 1, "{path}");
    }
}

#[test]
fn a_tree_that_names_files_twice() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n//- d/c.rs\nfn capstan() {}\n");
    let id = |path: &str| -> Vec<u8> {
        let id = fixture.git(&["rev-parse", &format!("HEAD:{path}")]);
        (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect()
    };
    let (anchor, buoy, capstan) = (id("a.rs"), id("b.rs"), id("d"));
    let entries = [
        ("100644 ok.rs", &anchor),
        ("100644 ok.rs", &buoy),
        ("100644 d/c.rs", &anchor),
        ("40000 d", &capstan),
        ("100644 d", &buoy),
        ("100644 ok.rs", &anchor),
    ];
    let tree: Vec<u8> =
        entries.iter().flat_map(|(entry, id)| [entry.as_bytes(), b"\0", id.as_slice()].concat()).collect();
    // Only the plumbing writes such a tree; a push or a clone without checks brings it.
    let tree = fixture.git_with_input(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &tree);
    let commit = fixture.git(&["commit-tree", "-m", "evil", "-p", "HEAD", &tree]);
    fixture.git(&["update-ref", "HEAD", &commit]);
    let icr = Icr::new(&fixture);
    for prepare in [&["status"][..], &["index"], &["index", "--rebuild"]] {
        // The store meets this tree first.
        icr.prints(prepare);
        assert_eq!(icr.files(&["--at", "HEAD"]), ["d/c.rs", "ok.rs"], "{prepare:?}");
        assert_eq!(icr.finds(&["anchor", "--at", "HEAD"]), ["ok.rs"], "{prepare:?}");
        assert!(icr.finds(&["buoy", "--at", "HEAD"]).is_empty(), "{prepare:?}");
        assert_eq!(icr.finds(&["buoy"]), ["b.rs"], "{prepare:?}");
        assert_eq!(icr.finds(&["buoy", "--at", "HEAD~1"]), ["b.rs"], "{prepare:?}");
    }
    assert_eq!(icr.run(&["doctor"]).code, 0);
}

#[test]
fn a_repository_id_that_was_written_by_an_enemy() {
    let fixture = Fixture::new(PROJECT);
    fs::create_dir_all(fixture.root().join(".git/icr")).unwrap();
    for id in ["../../../../tmp/evil", "0123456789ABCDEF", "", "0123456789abcdef0"] {
        fs::write(fixture.root().join(".git/icr/repo-id"), id).unwrap();
        let icr = Icr::new(&fixture);
        let used = icr.json(&["status"])["provenance"]["repo_id"].as_str().unwrap().to_owned();
        assert!(used.len() == 16 && used.bytes().all(|byte| byte.is_ascii_hexdigit()) && used != id, "{used}");
    }
}

#[test]
fn a_git_directory_that_was_committed() {
    let fixture = Fixture::new(PROJECT);
    let victim = fixture.home().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("notes.rs"), "fn victim() {}\n").unwrap();
    let gitdir = format!("{}/.git\n", victim.display());
    let worktree = format!("[core]\n\tbare = false\n\tworktree = {}\n", victim.display());
    for (path, content) in [
        ("linked/HEAD", "ref: refs/heads/main\n"),
        ("linked/commondir", "../.git\n"),
        ("linked/gitdir", &gitdir),
        ("bare/HEAD", "ref: refs/heads/main\n"),
        ("bare/config", &worktree),
        ("bare/objects/x", ""),
        ("bare/refs/x", ""),
    ] {
        fixture.write_bytes(path, content.as_bytes());
    }
    fixture.commit("innocent");
    let icr = Icr::new(&fixture);
    for indexed in [false, true] {
        for directory in ["linked", "bare"] {
            let icr = icr.standing_in(&fixture.root().join(directory));
            for args in
                [&["search", "victim"][..], &["index"], &["map"], &["status"], &["impact"], &["hooks", "status"]]
            {
                let said = icr.fails(3, args);
                assert!(said.contains("git directory") && said.contains("\nhint: "), "{args:?}: {said}");
            }
        }
        let said = icr.fails(3, &["search", "victim", "--repo", fixture.root().join("bare").to_str().unwrap()]);
        assert!(said.contains("names `") && said.contains("GIT_WORK_TREE"), "{said}");
        assert!(!icr.finds(&["victim"]).contains(&"notes.rs".to_owned()));
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
        if !indexed {
            icr.prints(&["index"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn rules_of_a_clone_that_are_no_files() {
    let fixture = Fixture::new(PROJECT);
    for rules in [".icr.toml", ".icrignore", ".icr/ignore", ".gitignore", "sub/.gitignore", ".gitattributes"] {
        fixture.symlink("/dev/zero", rules);
    }
    let _ = fixture.commit("innocent");
    let icr = Icr::new(&fixture);
    let ran = icr.run(&["search", "anchor"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for rules in [".icr.toml", ".icrignore", ".icr/ignore", ".gitignore", "sub/.gitignore", ".gitattributes"] {
        assert!(
            ran.stderr.contains(&format!("`{rules}` cannot be read from the worktree: it is a link")),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    fixture.delete(".icr.toml");
    icr.shell("mkfifo .icr.toml");
    assert!(icr.run(&["search", "anchor"]).stderr.contains("`.icr.toml` cannot be read"));
    fixture.delete(".icr.toml");
    fixture.write_bytes(".icr.toml", &vec![b'#'; (1 << 20) + 1]);
    assert!(icr.run(&["search", "anchor"]).stderr.contains("`.icr.toml` has more than 1048576 bytes"));
}

#[cfg(unix)]
#[test]
fn rules_of_git_that_nobody_should_read() {
    let fixture = Fixture::new(
        "//- .gitignore\n*.log\n//- a.rs\nfn anchor() {}\n//- sub/.gitignore\nout/\n//- sub/b.rs\nfn buoy() {}\n",
    );
    let icr = Icr::new(&fixture);
    fixture.write("//- x.log\nfn log() {}\n//- sub/out/x\nfn out() {}\n//- sub/new.rs\nfn new() {}\n");
    let bounded = |args: &str| icr.shell(&format!("timeout 60 \"$0\" {args}"));
    for make in ["rm -f sub/.gitignore && mkfifo sub/.gitignore", "rm sub/.gitignore && truncate -s 1T sub/.gitignore"]
    {
        assert_eq!(icr.shell(make).code, 0);
        let ran = bounded("search new");
        let reason = if make.contains("mkfifo") { "it is not an ordinary file" } else { "it is larger than 1 MiB" };
        let said =
            format!("`sub/.gitignore` does not count: `sub/.gitignore` cannot be read from the worktree: {reason}");
        assert!(ran.code == 0 && ran.stderr.contains(&said), "{make}: {} {}", ran.code, ran.stderr);
        // The rules of the index count.
        assert_eq!(icr.files(&[]), [".gitignore", "a.rs", "sub/b.rs", "sub/new.rs"]);
    }
    icr.shell("rm sub/.gitignore && git checkout -q sub/.gitignore && mkfifo sub/.gitattributes");
    let ran = bounded("search new");
    assert!(ran.code <= 1 && ran.stderr.contains("`sub/.gitattributes` does not count"), "{} {}", ran.code, ran.stderr);
    assert!(icr.gaps(&["status"]).contains(&"unreadable".to_owned()));
    assert!(bounded("read sub/new.rs").code > 0);
}

#[test]
fn a_branch_whose_tree_stands_for_ten_billion_files() {
    let fixture = Fixture::new(PROJECT);
    let mut tree = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    for _ in 0..10 {
        let lines: String = (0..10).map(|name| format!("040000 tree {tree}\td{name}\n")).collect();
        tree = fixture.git_with_input(&["mktree"], lines.as_bytes());
    }
    let commit = fixture.git(&["commit-tree", "-p", "HEAD", "-m", "bomb", &tree]);
    fixture.git(&["update-ref", "refs/heads/bomb", &commit]);
    let icr = Icr::new(&fixture);
    for indexed in [false, true] {
        for args in [&["search", "anchor", "--at", "bomb"][..], &["graph", "--at", "bomb"], &["impact", "bomb"]] {
            let said = icr.fails(3, args);
            assert!(
                said.starts_with("error: the tree `") && said.contains("10,000,000 entries\nhint: "),
                "{args:?}: {said}"
            );
        }
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
        if !indexed {
            icr.prints(&["index"]);
        }
    }
    icr.prints(&["gc"]);
    icr.prints(&["status"]);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    // In the past of HEAD it hides what two commits changed.
    fixture.git(&["reset", "-q", "--soft", "bomb"]);
    fixture.git(&["commit", "-q", "-m", "none of it"]);
    let ran = icr.run(&["cochange"]);
    let said = "note: the changes of 2 commits are not known: trees are missing from this repository (partial clone) or too large";
    assert!(ran.code <= 1 && ran.stderr.contains(said), "{}: {}", ran.code, ran.stderr);
    assert_eq!(icr.gaps(&["cochange"]), ["unknown_changes"]);
}

#[cfg(unix)]
#[test]
fn rules_of_the_user_that_cannot_be_read_stop_nothing() {
    let fixture = Fixture::new(PROJECT);
    let rules = fixture.home().join("git");
    fs::create_dir(&rules).unwrap();
    for name in ["ignore", "attributes"] {
        // A link to itself, which no user can read, the administrator neither.
        std::os::unix::fs::symlink(name, rules.join(name)).unwrap();
    }
    for key in ["core.excludesFile", "core.attributesFile"] {
        fixture.git(&["config", "--unset", key]);
    }
    fixture.write("//- a.rs\nfn changed() {}\n//- new.rs\nfn new() {}\n");
    let ran = Icr::new(&fixture).run(&["search", "changed"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("git/ignore` cannot be read, so its rules do not count"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git/attributes` cannot be read"), "{}", ran.stderr);
}
