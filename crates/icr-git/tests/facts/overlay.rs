//! What a worktree says that a tree does not.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use icr_fixture::Fixture;
use icr_git::{Error, Overlay, Policy, PolicyOptions};
use icr_model::Gap;

use crate::show::{check_overlay, head_tree, open, overlay_at, show};

fn overlay_with(fixture: &Fixture, policy: &Policy) -> Overlay {
    let repository = open(fixture.root());
    repository.overlay(policy, head_tree(&repository)).unwrap()
}

/// Makes all tracked files older than the index, so that it vouches for them.
fn settle(fixture: &Fixture) {
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for path in fixture.git(&["ls-files"]).lines() {
        fs::File::options().write(true).open(fixture.root().join(path)).unwrap().set_modified(past).unwrap();
    }
    fixture.git(&["update-index", "-q", "--refresh"]);
}

#[test]
fn a_clean_worktree_has_an_empty_overlay_and_no_file_is_read() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n//- d/b.rs\nfn b() {}\n");
    check_overlay(&fixture, "");
    settle(&fixture);
    assert_eq!(overlay_with(&fixture, &Policy::default()), Overlay::default());
    fixture.write("//- a.rs\nfn b() {}\n//- new.rs\nfn n() {}\n");
    assert_eq!(overlay_with(&fixture, &Policy::default()).files_read, 2);
}

#[test]
fn what_there_is_no_time_to_read_stays_as_committed_and_is_counted() {
    let fixture = Fixture::new("//- a.rs\n1\n//- b.rs\n2\n//- c.rs\n3\n");
    settle(&fixture);
    fixture.write("//- a.rs\nchanged\n");
    for number in 10..42 {
        fixture.write(&format!("//- new{number}.rs\nnew\n"));
    }
    fixture.delete("b.rs");
    let repository = open(fixture.root());
    let overlay = repository.overlay_until(&Policy::default(), head_tree(&repository), Some(Instant::now())).unwrap();
    let paths: Vec<String> = overlay.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(paths[..3], ["a.rs", "b.rs", "new10.rs"], "a few files are read whatever the time");
    assert_eq!(unread(&overlay), ["new41.rs NoTime"]);
    assert_eq!((overlay.files_read, overlay.gaps), (32, vec![Gap::UncommittedLeftOut { files: 1 }]));
}

#[test]
fn edits_additions_and_deletions_are_listed_by_path() {
    let fixture = Fixture::new("//- a.rs\n1\n//- b.rs\n2\n//- d/c.rs\n3\n//- e.rs\n4\n");
    fixture.write("//- a.rs\nchanged\n//- d/new.rs\nnew\n//- z/deep/er.rs\nnew\n");
    fixture.delete("b.rs");
    fixture.delete("d/c.rs");
    check_overlay(
        &fixture,
        "a.rs = changed\\n\nb.rs deleted\nd/c.rs deleted\nd/new.rs = new\\n\nz/deep/er.rs = new\\n",
    );
}

#[test]
fn a_file_changed_within_the_second_of_the_index_is_noticed() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    // Same size, and most likely the same second.
    fixture.write("//- a.rs\nfn b() {}\n");
    check_overlay(&fixture, "a.rs = fn b() {}\\n");
    let repository = open(fixture.root());
    for n in 0..20 {
        fixture.write(&format!("//- a.rs\nfn {}() {{}}\n", char::from(b'c' + n)));
        fixture.git(&["add", "a.rs"]);
        fixture.git(&["commit", "-q", "-m", "next"]);
        fixture.write("//- a.rs\nfn b() {}\n");
        let overlay = repository.overlay(&Policy::default(), head_tree(&repository)).unwrap();
        assert_eq!(overlay.entries.len(), 1, "round {n}");
    }
}

#[test]
fn touching_a_file_changes_nothing() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    settle(&fixture);
    fixture.write("//- a.rs\nfn a() {}\n");
    let overlay = overlay_with(&fixture, &Policy::default());
    assert_eq!((overlay.entries.len(), overlay.files_read), (0, 1));
}

#[test]
fn the_disk_wins_over_the_index() {
    let fixture = Fixture::new("//- a.rs\n1\n//- b.rs\n1\n//- c.rs\n1\n//- d.rs\n1\n");
    fixture.write("//- a.rs\nstaged\n//- b.rs\nstaged\n//- new.rs\nstaged\n//- gone.rs\nstaged\n//- c.rs\nstaged\n");
    fixture.git(&["add", "-A"]);
    fixture.write("//- b.rs\non disk\n//- c.rs\n1\n");
    fixture.delete("gone.rs");
    fixture.git(&["rm", "-q", "--cached", "d.rs"]);
    // `c.rs` is on disk as in HEAD; `d.rs` is untracked now, with the content of HEAD.
    check_overlay(&fixture, "a.rs = staged\\n\nb.rs = on disk\\n\nnew.rs = staged\\n");
    settle_staged(&fixture);
    check_overlay(&fixture, "a.rs = staged\\n\nb.rs = on disk\\n\nnew.rs = staged\\n");
}

/// Like [`settle`] where some tracked files are not there.
fn settle_staged(fixture: &Fixture) {
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for path in ["a.rs", "new.rs"] {
        fs::File::options().write(true).open(fixture.root().join(path)).unwrap().set_modified(past).unwrap();
    }
    let _ = fixture.try_git(&["update-index", "-q", "--refresh"]);
}

#[test]
fn any_tree_can_be_the_base() {
    let fixture = Fixture::new("//- a.rs\n1\n//- gone.rs\n1\n");
    fixture.write("//- a.rs\n2\n//- b.rs\n2\n");
    fixture.delete("gone.rs");
    fixture.commit("second");
    fixture.write("//- c.rs\n3\n");
    let repository = open(fixture.root());
    let overlay = repository.overlay(&Policy::default(), repository.resolve("HEAD~1").unwrap().tree).unwrap();
    let paths: Vec<String> = show(&overlay).lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(paths, ["a.rs", "b.rs", "c.rs", "gone.rs"]);
}

#[test]
fn ignored_and_secret_files_are_left_out() {
    let fixture = Fixture::new(
        "//- .gitignore\n*.log\n/out/\n//- tracked.log\n1\n//- .env\nKEY=1\n//- sub/.gitignore\n!keep.log\n",
    );
    fixture.git(&["add", "-f", "tracked.log"]);
    fixture.git(&["commit", "-q", "-m", "forced"]);
    fixture.write(
        "//- a.log\nx\n//- out/x.rs\nx\n//- sub/keep.log\nx\n//- tracked.log\nchanged\n//- .env\nKEY=2\n//- id_rsa\nx\n//- node_modules/m.js\nx\n",
    );
    check_overlay(&fixture, "sub/keep.log = x\\n\ntracked.log = changed\\n");
    let all = Policy::new(PolicyOptions { respect_gitignore: false, ..Default::default() });
    let paths: Vec<String> = overlay_with(&fixture, &all).entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(paths, ["a.log", "out/x.rs", "sub/keep.log", "tracked.log"]);
    let only_rust = Policy::new(PolicyOptions { extensions: vec!["rs".to_owned()], ..Default::default() });
    assert!(overlay_with(&fixture, &only_rust).entries.is_empty());
}

#[test]
fn repositories_inside_the_worktree_are_not_entered() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.clone_to("repo/inner", &[]);
    fixture.worktree("repo/linked", "HEAD");
    fixture.write("//- not-a-repository/.git/config\nx\n//- not-a-repository/b.rs\nx\n");
    check_overlay(&fixture, "not-a-repository/b.rs = x\\n");
}

#[test]
fn links_are_not_followed() {
    let fixture = Fixture::new("//- a.rs\n1\n//- d/b.rs\n1\n//- was-file.rs\n1\n");
    let outside = fixture.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b.rs"), "secret\n").unwrap();
    fixture.symlink("a.rs", "was-link.rs");
    fixture.commit("link");
    fixture.symlink("nowhere", "dangling.rs");
    fixture.symlink("/etc/passwd", "absolute.rs");
    fixture.symlink(&outside, "directory");
    check_overlay(&fixture, "");
    fixture.delete("d");
    fixture.symlink(&outside, "d");
    fixture.delete("was-file.rs");
    fixture.symlink("a.rs", "was-file.rs");
    fixture.delete("was-link.rs");
    fixture.write("//- was-link.rs\nnow a file\n");
    check_overlay(&fixture, "d/b.rs deleted\nwas-file.rs deleted\nwas-link.rs = now a file\\n");
}

#[test]
fn a_file_may_become_a_directory_and_back() {
    let fixture = Fixture::new("//- a\n1\n//- d/b\n1\n//- d/c\n1\n");
    fixture.delete("a");
    fixture.write("//- a/x\nnew\n");
    fixture.delete("d");
    fixture.write("//- d\nnow a file\n");
    check_overlay(&fixture, "a deleted\na/x = new\\n\nd = now a file\\n\nd/b deleted\nd/c deleted\n");
}

/// Files that may differ and were not read.
fn unread(overlay: &Overlay) -> Vec<String> {
    overlay.unread.iter().map(|file| format!("{} {:?}", file.path, file.reason)).collect()
}

#[test]
fn a_file_that_is_too_large_in_both_versions_is_listed_as_unread() {
    let fixture = Fixture::new("//- large.rs\n0123456789\n");
    let policy = Policy::new(PolicyOptions { max_file_bytes: 10, ..Default::default() });
    fixture.write("//- large.rs\n0123456789, and more\n");
    let overlay = overlay_with(&fixture, &policy);
    assert_eq!((show(&overlay).as_str(), unread(&overlay)), ("", vec!["large.rs Oversize".to_owned()]));
}

#[test]
fn large_files_are_not_read() {
    let fixture = Fixture::new("//- grows.rs\n1\n//- exact.rs\n1\n");
    let policy = Policy::new(PolicyOptions { max_file_bytes: 10, ..Default::default() });
    fixture.write("//- grows.rs\n0123456789\n//- exact.rs\n012345678\n//- new.rs\n0123456789\n");
    let overlay = overlay_with(&fixture, &policy);
    let lines = show(&overlay);
    let lines: Vec<&str> = lines.lines().collect();
    assert!(lines[0].starts_with("exact.rs ") && lines[0].ends_with(" 10"), "{lines:?}");
    assert_eq!(lines[1..], ["grows.rs deleted", "Oversize { files: 2 }"]);
    assert_eq!(unread(&overlay), ["grows.rs Oversize", "new.rs Oversize"]);
    assert_eq!(overlay.files_read, 1);
}

#[test]
fn a_conflict_is_what_lies_on_disk_and_a_gap() {
    let fixture = Fixture::new("//- a.rs\nbase\n//- b.rs\nbase\n");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("//- a.rs\nside\n//- b.rs\nside\n");
    fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("//- a.rs\nmain\n");
    fixture.delete("b.rs");
    fixture.commit("main");
    fixture.try_git(&["merge", "side"]).unwrap_err();
    check_overlay(
        &fixture,
        "a.rs = <<<<<<< HEAD\\nmain\\n=======\\nside\\n>>>>>>> side\\n\nb.rs = side\\n\nConflicted { files: 2 }\n",
    );
    fixture.write("//- a.rs\nmain\n");
    fixture.delete("b.rs");
    check_overlay(&fixture, "Conflicted { files: 2 }\n");
}

#[test]
fn files_intended_to_be_added_are_what_lies_on_disk() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.write("//- new.rs\nnew\n//- empty.rs\n//- gone.rs\nx\n");
    fixture.git(&["add", "-N", "new.rs", "empty.rs", "gone.rs"]);
    fixture.delete("gone.rs");
    check_overlay(&fixture, "empty.rs = \nnew.rs = new\\n\n");
}

#[test]
fn files_the_user_told_git_to_leave_alone_are_not_looked_at() {
    let fixture = Fixture::new("//- assumed.rs\n1\n//- skipped.rs\n1\n");
    fixture.git(&["update-index", "--assume-unchanged", "assumed.rs"]);
    fixture.git(&["update-index", "--skip-worktree", "skipped.rs"]);
    fixture.write("//- assumed.rs\npassword\n//- skipped.rs\npassword\n");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    check_overlay(&fixture, "");
}

#[test]
fn the_mode_of_a_file_is_no_content() {
    let fixture = Fixture::new("//- run.sh\necho\n");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(fixture.root().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    check_overlay(&fixture, "");
    fixture.git(&["add", "run.sh"]);
    check_overlay(&fixture, "");
}

#[test]
fn an_unborn_branch_is_all_overlay() {
    let fixture = Fixture::empty();
    check_overlay(&fixture, "");
    fixture.write("//- a.rs\n1\n//- d/b.rs\n2\n");
    fixture.git(&["add", "a.rs"]);
    check_overlay(&fixture, "a.rs = 1\\n\nd/b.rs = 2\\n");
}

#[test]
fn each_worktree_has_its_own_overlay() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let linked = fixture.worktree("linked", "HEAD");
    fs::write(linked.join("b.rs"), "only there\n").unwrap();
    fixture.write("//- a.rs\nonly here\n");
    check_overlay(&fixture, "a.rs = only here\\n");
    assert!(overlay_at(&linked).starts_with("b.rs "));
    assert_eq!(overlay_at(&linked).lines().count(), 1);
}

#[test]
fn files_with_the_names_of_a_git_directory_are_not_read() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.write("//- .GIT/config\nx\n//- d/.Git/x\nx\n//- .gitx/y.rs\ny\n");
    check_overlay(&fixture, ".gitx/y.rs = y\\n");
}

#[test]
fn names_that_are_not_utf_8_are_listed_with_their_bytes() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"x\xff.rs");
    fs::write(fixture.root().join(Path::new(name)), "x\n").unwrap();
    check_overlay(&fixture, "x\\377.rs = x\\n".replace("\\377", "\\\\377").replace("\\\\", "\\").as_str());
    fixture.commit("odd name");
    check_overlay(&fixture, "");
    fs::write(fixture.root().join(Path::new(name)), "y\n").unwrap();
    assert!(overlay_at(fixture.root()).starts_with("x\\377.rs "));
}

#[test]
fn a_missing_or_damaged_index_is_named() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let index = fixture.root().join(".git/index");
    let whole = fs::read(&index).unwrap();
    let repository = open(fixture.root());
    let overlay = || repository.overlay(&Policy::default(), head_tree(&repository)).unwrap_err();
    let mut flipped = whole.clone();
    flipped[40] ^= 0xff;
    for damage in [&b""[..], b"DIRC", &whole[..whole.len() / 2], &vec![0xff; 500], &flipped] {
        fs::write(&index, damage).unwrap();
        let error = overlay();
        assert!(matches!(&error, Error::Index { path, .. } if *path == index), "{} bytes: {error:?}", damage.len());
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.starts_with("it is damaged; delete the file, and `git reset`"), "{cause}");
    }
    fs::write(fixture.root().join(".git/sharedindex.1"), "").unwrap();
    let cause = std::error::Error::source(&overlay()).unwrap().to_string();
    assert!(cause.starts_with("it or its `sharedindex` file is damaged; delete the index"), "{cause}");
    // What the message recommends.
    fs::remove_file(&index).unwrap();
    assert!(matches!(overlay(), Error::IndexMissing { path } if path == index));
    fixture.git(&["reset", "-q"]);
    assert_eq!(overlay_at(fixture.root()), "");
}

#[test]
fn an_unreadable_file_keeps_the_committed_version() {
    let fixture = Fixture::new("//- .gitattributes\n*.txt working-tree-encoding=UTF-16\n//- a.rs\n1\n");
    // Half a character of UTF-16: `git add` refuses it too.
    fixture.write_bytes("bad.txt", b"\xff\xfea\0b");
    fixture.try_git(&["add", "bad.txt"]).unwrap_err();
    check_overlay(&fixture, "Unreadable { files: 1 }\n");
}

/// Links of an overlay, one path a line: what was there and what is there, or where it was.
fn links(overlay: &Overlay) -> String {
    let line = |link: &icr_git::LinkChange| {
        if let Some(old) = &link.old_path {
            return format!("{} from {old}\n", link.path);
        }
        let said = match (link.was_there, link.is_there) {
            (true, true) if link.is_other_kind => "another kind",
            (true, true) => "led elsewhere",
            (true, false) => "gone",
            (false, _) => "new",
        };
        format!("{} {said}\n", link.path)
    };
    overlay.links.iter().map(line).collect()
}

#[test]
fn links_that_differ_are_named_apart_from_files() {
    let fixture = Fixture::new("//- a\n1\n//- b\n1\n//- d/c\n1\n");
    for (target, path) in [("a", "kept"), ("a", "moved"), ("c", "gone"), ("a", "becomes-file"), ("../a", "d/inner")] {
        fixture.symlink(target, path);
    }
    fixture.symlink("old", "renamed");
    fixture.commit("links");
    let overlay = || overlay_with(&fixture, &Policy::default());
    assert_eq!(links(&overlay()), "");
    for path in ["moved", "gone", "becomes-file", "a", "renamed"] {
        fixture.delete(path);
    }
    fixture.symlink("b", "moved");
    fixture.symlink("b", "a");
    fixture.write("//- becomes-file\n1\n");
    // What lies behind a linked directory is not there, though the same link can be read through it.
    std::fs::rename(fixture.root().join("d"), fixture.root().join("e")).unwrap();
    fixture.symlink("e", "d");
    fixture.symlink("a", "untracked");
    fixture.symlink("old", "to");
    let expected = "a another kind\nbecomes-file another kind\nd new\ne/inner from d/inner\ngone gone\n\
                    moved led elsewhere\nto from renamed\nuntracked new\n";
    assert_eq!(links(&overlay()), expected);
    let repository = open(fixture.root());
    let staged = || links(&repository.staged(&Policy::default(), head_tree(&repository)).unwrap());
    assert_eq!(staged(), "");
    fixture.git(&["add", "-A"]);
    assert_eq!(staged(), expected);
    assert_eq!(links(&overlay()), expected);
}

#[test]
fn untracked_links_are_left_out_like_untracked_files() {
    let fixture = Fixture::new("//- .gitignore\nignored.rs\n/out/\n//- a.rs\n1\n");
    for path in ["ignored.rs", "out/b.rs", ".env", "id_rsa", "node_modules/m.rs", "new.rs", "d/deep.rs"] {
        fixture.write_bytes(&format!("{path}.txt"), b"so that the directory is there\n");
        fixture.symlink("nowhere", path);
    }
    fixture.clone_to("repo/inner", &[]);
    std::os::unix::fs::symlink("a.rs", fixture.root().join("inner/link.rs")).unwrap();
    assert_eq!(links(&overlay_with(&fixture, &Policy::default())), "d/deep.rs new\nnew.rs new\n");
    let only_python = Policy::new(PolicyOptions { extensions: vec!["py".to_owned()], ..Default::default() });
    assert_eq!(links(&overlay_with(&fixture, &only_python)), "");
}

#[test]
fn submodules_lead_where_the_index_says() {
    let fixture = Fixture::new("//- a.rs\n1\n//- becomes-sub\n1\n");
    let record = |commit: char, path: &str| {
        let commit = commit.to_string().repeat(40);
        fixture.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{path}")]);
    };
    let submodules = ["becomes-file", "becomes-link", "directory-gone", "gone", "moved", "removed", "same"];
    for path in submodules {
        std::fs::create_dir(fixture.root().join(path)).unwrap();
        record('1', path);
    }
    fixture.git(&["commit", "-q", "-m", "with submodules"]);
    let repository = open(fixture.root());
    let staged = || links(&repository.staged(&Policy::default(), head_tree(&repository)).unwrap());
    let overlay = || links(&overlay_with(&fixture, &Policy::default()));
    assert_eq!((overlay(), staged()), (String::new(), String::new()));
    for path in ["becomes-file", "becomes-link", "becomes-sub", "directory-gone"] {
        fixture.delete(path);
    }
    fixture.write("//- becomes-file\n1\n");
    fixture.symlink("a.rs", "becomes-link");
    std::fs::create_dir(fixture.root().join("becomes-sub")).unwrap();
    let on_disk = "becomes-file another kind\nbecomes-link another kind\ndirectory-gone gone\n";
    assert_eq!((overlay().as_str(), staged().as_str()), (on_disk, ""));
    record('2', "moved");
    record('1', "becomes-sub");
    std::fs::create_dir(fixture.root().join("new")).unwrap();
    record('3', "new");
    fixture.git(&["rm", "-q", "--cached", "removed"]);
    fixture.git(&["rm", "-q", "gone"]);
    let in_index = "becomes-sub another kind\ngone gone\nmoved led elsewhere\nnew new\nremoved gone\n";
    assert_eq!(staged(), in_index);
    let both =
        on_disk.replace("directory", "becomes-sub another kind\ndirectory") + in_index.split_once('\n').unwrap().1;
    assert_eq!(overlay(), both);
    let kinds = overlay_with(&fixture, &Policy::default()).links;
    assert!(kinds.iter().all(|link| link.kind == icr_git::LinkKind::Submodule), "{kinds:?}");
    std::fs::create_dir(fixture.root().join("renamed")).unwrap();
    record('1', "renamed");
    assert!(staged().contains("renamed from gone\n"), "{}", staged());
}

#[test]
fn links_outside_of_a_sparse_checkout_do_not_differ() {
    let fixture = Fixture::new("//- in/a\n1\n//- out/b\n1\n");
    fixture.symlink("b", "out/link");
    fixture.commit("link");
    fixture.git(&["sparse-checkout", "set", "--cone", "in"]);
    assert!(!fixture.root().join("out").exists());
    assert_eq!(links(&overlay_with(&fixture, &Policy::default())), "");
}
