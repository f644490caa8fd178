//! Programs that a repository names are never run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use icr_fixture::Fixture;

use crate::run::Icr;

/// A program that leaves a file behind when it runs, and that file.
fn trap(fixture: &Fixture) -> (PathBuf, PathBuf) {
    let (program, trace) = (fixture.home().join("trap"), fixture.home().join("sprung"));
    fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, trace)
}

fn ask_everything(icr: &Icr) {
    for args in [
        &["index"][..],
        &["index", "--rebuild"],
        &["status"],
        &["search", "anchor", "ship"],
        &["search", "--mode", "grep", "a"],
        &["symbols", "anchor"],
        &["map"],
        &["read", "a.rs"],
        &["slice", "a.rs", "anchor"],
        &["commands"],
        &["search", "anchor", "--at", "HEAD"],
        &["doctor"],
        &["gc"],
        &["repo", "list"],
    ] {
        let ran = icr.run(args);
        assert!(ran.code <= 1, "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn filters_monitors_drivers_helpers_and_hooks() {
    let fixture = Fixture::new(
        "//- a.rs\nfn anchor() {}\n//- b.txt\nship\n//- package.json\n{\"scripts\": {\"test\": \"touch x\"}}\n",
    );
    let (program, trace) = trap(&fixture);
    let program = program.to_str().unwrap();
    fixture.write("//- .gitattributes\n* filter=x diff=x merge=x\n");
    fixture.commit("attributes");
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "merge.x.driver",
        "gpg.program",
        "uploadpack.packObjectsHook",
    ] {
        fixture.git(&["config", key, program]);
    }
    fixture.git(&["config", "filter.x.required", "true"]);
    for hook in [
        "post-checkout",
        "post-index-change",
        "pre-auto-gc",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-commit",
    ] {
        fs::create_dir_all(fixture.root().join(".git/hooks")).unwrap();
        fs::copy(program, fixture.root().join(".git/hooks").join(hook)).unwrap();
    }
    let icr = Icr::new(&fixture).with_variable("GIT_EXTERNAL_DIFF", program).with_variable("PAGER", program);
    ask_everything(&icr);
    fixture.write_bytes("a.rs", b"fn anchor() { changed() }\n");
    fixture.write_bytes("new.txt", b"ship\n");
    ask_everything(&icr);
    assert!(!trace.exists(), "a program of the repository was run");
    assert_eq!(icr.gaps(&["status"]), ["external_filter"]);
    assert_eq!(icr.prints(&["read", "a.rs", "-q"]), "1  fn anchor() {}\n");
    // The trap works: git itself springs it.
    let _ = fixture.try_git(&["add", "a.rs"]);
    assert!(trace.exists());
}

#[test]
fn included_configuration() {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- .gitattributes\n*.rs filter=y\n");
    let (program, trace) = trap(&fixture);
    fs::write(fixture.home().join("more"), format!("[filter \"y\"]\n\tclean = {}\n", program.display())).unwrap();
    fixture.git(&["config", "include.path", fixture.home().join("more").to_str().unwrap()]);
    fixture.write_bytes("a.rs", b"fn anchor() { changed() }\n");
    let icr = Icr::new(&fixture);
    ask_everything(&icr);
    assert!(!trace.exists());
    assert_eq!(icr.gaps(&["status"]), ["external_filter"]);
}
