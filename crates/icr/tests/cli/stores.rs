//! Stores that cannot be written, are broken, are somebody else's, or are written by two at once. Nothing is lost.

use std::fs;

use icr_fixture::{Fixture, skip};

use crate::run::{Icr, Writer};

fn project() -> Fixture {
    Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n")
}

#[test]
fn a_home_that_cannot_be_written_is_named() {
    let fixture = project();
    let file = fixture.home().join("file");
    fs::write(&file, "").unwrap();
    let homes = [(file.clone(), 2), (file.join("below"), 2), ("/proc/nothing/here".into(), 5), ("/dev/null".into(), 2)];
    for (home, code) in homes {
        let icr = Icr::new(&fixture).with_home(&home);
        for args in [&["index"][..], &["search", "anchor"], &["repo", "add"]] {
            let said = icr.fails(code, args);
            assert!(said.starts_with("error: ") && said.contains(home.to_str().unwrap()), "{home:?} {args:?}: {said}");
            assert!(said.contains("hint: ") && said.contains("ICR_HOME"), "{home:?} {args:?}: {said}");
            assert_eq!(said.contains("is not a directory"), code == 2, "{home:?} {args:?}: {said}");
        }
        let code = if code == 2 { "CONFIG_ERROR" } else { "INTERNAL_ERROR" };
        assert!(icr.run(&["index", "--json"]).stderr.contains(code), "{home:?}");
    }
}

#[test]
fn a_home_that_is_no_absolute_path_is_refused() {
    let fixture = project();
    for home in ["home", "./home", "../home", "~/home"] {
        let icr = Icr::new(&fixture).with_home(home);
        for args in [&["index"][..], &["search", "anchor"], &["repo", "list"], &["config", "path"], &["mcp"]] {
            let said = icr.fails(2, args);
            let expected = format!("error: ICR_HOME is `{home}`; it must be an absolute path\nhint: set ICR_HOME to ");
            assert!(said.starts_with(&expected), "{home} {args:?}: {said}");
        }
        assert!(icr.run(&["index", "--json"]).stderr.contains("VALIDATION_ERROR"), "{home}");
    }
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn limits_of_the_process_are_told_as_such() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for (limit, code) in [("-f 8", "STORE_FULL"), ("-n 12", "INTERNAL_ERROR"), ("-n 16", "INTERNAL_ERROR")] {
        let ran = icr.shell(&format!("ulimit {limit} && \"$0\" index --json"));
        // With a few files more or less it may be enough.
        if ran.code == 0 && limit != "-f 8" {
            continue;
        }
        let name = format!("`ulimit {}`", &limit[..2]);
        assert!(ran.code == 5 && ran.stderr.contains(code) && ran.stderr.contains(&name), "{limit}: {}", ran.stderr);
        assert!(!ran.stderr.contains("free some space"), "{limit}: {}", ran.stderr);
    }
    assert_eq!(icr.run(&["index"]).code, 0, "nothing is lost");
}

#[test]
fn a_store_that_is_only_read_still_answers() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let store = icr.store();
    fixture.write("//- c.rs\nfn capstan() {}\n");
    fixture.commit("second");
    let before = fs::read(store.join("ledger.db")).unwrap();
    for args in [&["search", "capstan", "--read-only"][..], &["search", "anchor", "--read-only"]] {
        assert_eq!(icr.run(args).code, 0, "{args:?}");
    }
    fixture.write("//- d.rs\nfn dinghy() {}\n");
    fixture.commit("third");
    assert_eq!(icr.finds(&["dinghy", "--read-only"]), ["d.rs"]);
    for args in [&["index"][..], &["gc"], &["repo", "add"], &["repo", "remove", ".", "--yes"]] {
        let said = icr.fails(2, &[args, &["--read-only"]].concat());
        assert!(said.contains("writes the store, which `--read-only` forbids\nhint: "), "{said}");
    }
    assert!(fs::read(store.join("ledger.db")).unwrap() == before, "the ledger was written");
}

#[test]
fn a_repository_that_is_only_read_gets_no_id() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for args in [&["search", "anchor"][..], &["status"], &["recall", "anchor"], &["doctor"]] {
        let ran = icr.run(&[args, &["--read-only"]].concat());
        assert!(ran.code != 5, "{args:?}: {}", ran.stderr);
        assert!(!fixture.root().join(".git/icr").exists(), "{args:?}");
    }
    // These never write.
    for args in [&["doctor"][..], &["config", "show"]] {
        icr.run(args);
        assert!(!fixture.root().join(".git/icr").exists(), "{args:?}");
    }
    icr.prints(&["index"]);
    assert!(fixture.root().join(".git/icr/repo-id").exists());
}

#[test]
fn a_full_disk_is_named_and_the_old_store_still_answers() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let many: String =
        (0..300).map(|at| format!("//- m{at}.rs\nfn mast{at}() {{ spar{at}(); boom{at}(); gaff{at}(); }}\n")).collect();
    fixture.write(&many);
    fixture.commit("second");
    // A file may grow to so many blocks of 512 bytes and no further, which fails at one step after the other. SIGXFSZ is
    // ignored so that the write itself fails, as it does when a disk is full.
    for blocks in [1, 8, 40, 80, 120] {
        let ran = icr.shell(&format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" index"));
        assert_eq!(ran.code, 5, "{blocks}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("hint: "), "{blocks}: {}", ran.stderr);
        assert_eq!(icr.finds(&["anchor", "--read-only", "--at", "HEAD~1"]), ["a.rs"]);
        assert_eq!(icr.finds(&["anchor", "--at", "HEAD~1"]), ["a.rs"]);
        // A question is answered from what is published and what fits into memory, and says what it lacks.
        let asked = icr.shell(&format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" search anchor --json --set git.catch_up=500ms"
        ));
        assert_eq!(asked.code, 0, "{blocks}: {}", asked.stderr);
        for gap in ["read_only_store", "unindexed"] {
            assert!(asked.stdout.contains(gap), "{blocks}: {gap} in {}", asked.stdout);
        }
    }
    icr.prints(&["index"]);
    assert_eq!(icr.finds(&["mast7", "-n", "1"]), ["m7.rs"]);
    assert!(icr.prints(&["doctor"]).contains("good  views"));
}

#[test]
fn a_disk_without_room_for_a_store_is_named() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let home = icr.home().to_str().expect("it has a plain name").to_owned();
    std::fs::create_dir_all(&home).expect("a directory can be made");
    let inside = "mount -t tmpfs -o size=400k none \"$1\" && dd if=/dev/zero of=\"$1/fill\" bs=4k count=$2 2>/dev/null; shift 2; \"$0\" \"$@\"";
    let run = |blocks: u32, command: &str| {
        icr.shell(&format!(
            "unshare --user --map-root-user --mount sh -c '{inside}' \"$0\" '{home}' {blocks} {command}"
        ))
    };
    let alone = run(0, "--version");
    if alone.code != 0 {
        let lack = format!("there is no namespace with a disk of its own: {}", alone.stderr.trim());
        return skip("a_disk_without_room_for_a_store_is_named", &lack);
    }
    for blocks in [100, 99, 98, 96, 92, 84] {
        let ran = run(blocks, "index");
        assert_eq!(ran.code, 5, "{blocks}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("hint: "), "{blocks}: {}", ran.stderr);
        // A question is answered from memory, or says what is wrong.
        let asked = run(blocks, "search anchor");
        assert!(asked.code == 0 || asked.code == 5, "{blocks}: {} {}", asked.code, asked.stderr);
    }
}

#[test]
fn a_damaged_store_is_derived_again() {
    let fixture = project();
    for (name, damage) in [
        ("ledger.db", &b"not a database, by any means, and long enough to be looked at as one"[..]),
        ("ledger.db", b""),
        ("lexical/meta.json", b"{"),
        ("lexical/meta.json", b""),
    ] {
        let icr = Icr::new(&fixture);
        icr.prints(&["index", "--rebuild"]);
        let store = icr.store();
        fs::write(store.join(name), damage).unwrap();
        let _ = fs::remove_file(store.join("ledger.db-wal"));
        let examined = icr.run(&["doctor"]);
        assert_eq!(examined.code, 1, "{name}: {}", examined.stdout);
        assert!(examined.stdout.contains("BAD"), "{name}: {}", examined.stdout);
        let only_read = icr.run(&["search", "anchor", "--read-only"]);
        assert!(
            only_read.code == 3 && only_read.stderr.contains("hint: "),
            "{name}: {} {}",
            only_read.code,
            only_read.stderr
        );
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"], "{name}");
        assert_eq!(icr.run(&["doctor"]).code, 0, "{name}");
    }
}

#[test]
fn files_of_the_store_that_are_gone_are_derived_again() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let store = icr.store();
    for gone in ["lexical", "ledger.db", "queue"] {
        let path = store.join(gone);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"], "{gone}");
        icr.prints(&["index"]);
        assert_eq!(icr.run(&["doctor"]).code, 0, "{gone}");
    }
}

#[test]
fn bytes_that_changed_in_the_postings_are_seen_and_cured() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for extension in ["term", "idx", "fast", "fieldnorm"] {
        icr.prints(&["index", "--rebuild"]);
        let mut changed = 0;
        for entry in fs::read_dir(icr.store().join("lexical")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|found| found == extension) {
                // The footer stays, so that the damage lies where no reader looks for it.
                let mut bytes = fs::read(&path).unwrap();
                let inner = bytes.len().saturating_sub(120);
                bytes[..inner].iter_mut().for_each(|byte| *byte ^= 0x5a);
                fs::remove_file(&path).unwrap();
                fs::write(&path, bytes).unwrap();
                changed += inner;
            }
        }
        assert!(changed > 0, "{extension}");
        let examined = icr.run(&["doctor"]);
        assert!(examined.code == 1 && examined.stdout.contains("BAD"), "{extension}: {}", examined.stdout);
        assert_eq!(icr.finds(&["anchor"]), ["a.rs"], "{extension}");
        // What a question does not touch it does not see; deriving it again always helps.
        icr.prints(&["index", "--rebuild"]);
        assert_eq!(icr.run(&["doctor"]).code, 0, "{extension}");
    }
}

#[test]
fn a_store_of_another_format_lies_beside_and_is_left_alone() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let store = icr.store();
    let other = store.parent().unwrap().join("ffffffffffffffff");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("ledger.db"), "a ledger of the future").unwrap();
    fs::write(store.parent().unwrap().join("pins.db"), "what was asked to be kept").unwrap();
    icr.prints(&["index", "--rebuild"]);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    icr.prints(&["repo", "remove", ".", "--yes"]);
    assert_eq!(fs::read(other.join("ledger.db")).unwrap(), b"a ledger of the future");
    assert!(store.parent().unwrap().join("pins.db").exists() && !store.exists());
    assert_eq!(icr.prints(&["repo", "list"]), "");
}

#[test]
fn the_store_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let store = icr.store();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for directory in [icr.home(), store.parent().unwrap(), &store, &store.join("lexical")] {
        assert_eq!(format!("{:o}", mode(directory)), "700", "{directory:?}");
    }
    for file in ["lock", "ledger.db", "lexical/meta.json"] {
        assert_eq!(format!("{:o}", mode(&store.join(file))), "600", "{file}");
    }
}

#[test]
fn many_at_once_agree() {
    let fixture = Fixture::generated(150);
    let icr = Icr::new(&fixture);
    let mut children: Vec<_> = (0..4)
        .map(|at| {
            let args: &[&str] = if at % 2 == 0 { &["index", "--json"] } else { &["map", "--json"] };
            let mut command = icr.command(args);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children.drain(..) {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(icr.json(&["index"])["blobs_read"], 0);
    assert_eq!(icr.run(&["doctor"]).code, 0);
}

#[test]
fn a_request_that_was_left_is_served_by_the_next_writer() {
    let fixture = project();
    let other = fixture.worktree("other", "HEAD");
    let (icr, beside) = (Icr::new(&fixture), Icr::new(&fixture).standing_in(&other));
    icr.prints(&["index"]);
    let store = icr.store();
    let writer = Writer::in_store(&store);
    fs::write(other.join("c.rs"), "fn capstan() {}\n").unwrap();
    fixture.git_in(&other, &["add", "-A"]);
    fixture.git_in(&other, &["commit", "-qm", "second"]);
    assert_eq!(beside.run(&["index", "--no-wait"]).code, 75);
    assert_eq!(fs::read_dir(store.join("queue")).unwrap().count(), 1);
    drop(writer);
    fixture.write("//- d.rs\nfn dinghy() {}\n");
    fixture.commit("third");
    icr.prints(&["index"]);
    assert_eq!(fs::read_dir(store.join("queue")).unwrap().count(), 0);
    assert_eq!(beside.json(&["index"])["blobs_read"], 0);
}

#[test]
fn a_removed_repository_can_be_indexed_again() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    icr.prints(&["repo", "add"]);
    let id = icr.json(&["status"])["provenance"]["repo_id"].as_str().unwrap().to_owned();
    assert_eq!(icr.run(&["repo", "remove", &id, "--yes"]).code, 0);
    assert_eq!(icr.run(&["repo", "remove", &id, "--yes", "--repo", "/"]).code, 3);
    assert_eq!(icr.run(&["repo", "remove", ".", "--yes"]).code, 1);
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
}
