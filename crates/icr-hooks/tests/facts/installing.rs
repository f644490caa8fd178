//! What is put in, kept and put back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use icr_hooks::{EVENTS, HookState, InstallRequest, install, uninstall};

use crate::repository::{ICR, changed, installs, listing, place, repository, state, uninstalls, write_hook};

#[test]
fn hooks_are_put_in_once_and_taken_out_again() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    let before = listing(&hooks);
    let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
    assert_eq!(changed(&installs(fixture.root(), false).unwrap()), names);
    for name in &names {
        assert_eq!(state(fixture.root(), name), HookState::Installed);
        assert_eq!(fs::metadata(hooks.join(name)).unwrap().permissions().mode() & 0o777, 0o755);
    }
    let once = listing(&hooks);
    assert!(changed(&installs(fixture.root(), false).unwrap()).is_empty());
    assert_eq!(listing(&hooks), once, "twice is once");
    assert_eq!(changed(&uninstalls(fixture.root())), names);
    assert_eq!(listing(&hooks), before);
    assert!(changed(&uninstalls(fixture.root())).is_empty());
}

/// Hooks of others come back as they were: `text` with `mode`, whatever it is.
#[track_caller]
fn check_kept(text: &[u8], mode: u32) {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    write_hook(&hooks, "post-commit", text, mode);
    let before = listing(&hooks);
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Foreign);
    for _ in 0..2 {
        installs(fixture.root(), false).unwrap();
        assert_eq!(state(fixture.root(), "post-commit"), HookState::Chained);
        let kept = hooks.join("post-commit.before-icr");
        assert_eq!(
            (fs::read(&kept).unwrap(), fs::metadata(&kept).unwrap().permissions().mode() & 0o777),
            (text.to_vec(), mode)
        );
    }
    uninstalls(fixture.root());
    assert_eq!(listing(&hooks), before);
}

#[test]
fn hooks_of_others_come_back_byte_for_byte_with_their_modes() {
    check_kept(b"#!/bin/sh\necho mine\n", 0o755);
    check_kept(b"#!/usr/bin/env python3\r\nprint('mine')\r\n", 0o700);
    check_kept(b"#!/bin/sh\n# icr\n", 0o644);
    check_kept(b"", 0o755);
    check_kept(&[0x7f, b'E', b'L', b'F', 0, 0xff, b'\n', b'#'].repeat(20_000), 0o555);
}

#[test]
fn links_stay_links() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    let script = write_hook(&fixture.root().join("scripts"), "hook", b"#!/bin/sh\n", 0o755);
    fs::create_dir_all(&hooks).unwrap();
    symlink("../../scripts/hook", hooks.join("post-commit")).unwrap();
    symlink("nowhere", hooks.join("post-merge")).unwrap();
    let before = listing(&hooks);
    installs(fixture.root(), false).unwrap();
    assert_eq!(hooks.join("post-commit.before-icr").canonicalize().unwrap(), script.canonicalize().unwrap());
    assert!(fs::symlink_metadata(hooks.join("post-commit")).unwrap().is_file());
    uninstalls(fixture.root());
    assert_eq!(listing(&hooks), before);
    assert_eq!(fs::read(&script).unwrap(), b"#!/bin/sh\n", "what a link leads to is not written");
}

#[test]
fn a_link_to_a_script_of_ours_is_somebody_elses() {
    let fixture = repository();
    installs(fixture.root(), false).unwrap();
    let hooks = fixture.root().join(".git/hooks");
    fs::rename(hooks.join("post-commit"), hooks.join("shared")).unwrap();
    symlink("shared", hooks.join("post-commit")).unwrap();
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Foreign);
}

#[test]
fn what_somebody_wrote_into_a_script_is_never_lost() {
    let fixture = repository();
    installs(fixture.root(), false).unwrap();
    let file = fixture.root().join(".git/hooks/post-commit");
    let edited = [&fs::read(&file).unwrap()[..], b"echo more\n"].concat();
    fs::write(&file, &edited).unwrap();
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Changed);
    assert!(changed(&installs(fixture.root(), true).unwrap()).is_empty());
    let report = uninstalls(fixture.root());
    assert_eq!(changed(&report).len(), EVENTS.len() - 1);
    assert_eq!(report.events.iter().find(|event| event.event == "post-commit").unwrap().state, HookState::Changed);
    assert_eq!(fs::read(&file).unwrap(), edited);
}

#[test]
fn a_script_of_another_icr_is_written_anew_and_keeps_what_it_runs_first() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    write_hook(&hooks, "post-commit", b"#!/bin/sh\necho mine\n", 0o755);
    let events: Vec<_> = EVENTS.iter().collect();
    let older = InstallRequest { events: &events, icr: Path::new("/older/icr"), force: false, dry_run: false };
    install(&place(fixture.root()), &older).unwrap();
    assert_eq!(changed(&installs(fixture.root(), false).unwrap()).len(), EVENTS.len());
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Chained);
    let text = fs::read_to_string(hooks.join("post-commit")).unwrap();
    assert!(text.contains(&ICR.replace('\'', r"'\''")) && !text.contains("/older/icr"), "{text}");
    assert_eq!(fs::read(hooks.join("post-commit.before-icr")).unwrap(), b"#!/bin/sh\necho mine\n");
}

#[test]
fn a_hook_that_was_put_over_ours_is_left_alone() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    write_hook(&hooks, "post-commit", b"#!/bin/sh\necho first\n", 0o755);
    installs(fixture.root(), false).unwrap();
    write_hook(&hooks, "post-commit", b"#!/bin/sh\necho second\n", 0o755);
    let found = listing(&hooks);
    assert_eq!(state(fixture.root(), "post-commit"), HookState::Replaced);
    assert!(changed(&installs(fixture.root(), true).unwrap()).is_empty());
    assert_eq!(listing(&hooks), found);
    uninstalls(fixture.root());
    for (name, text) in
        [("post-commit", "#!/bin/sh\necho second\n"), ("post-commit.before-icr", "#!/bin/sh\necho first\n")]
    {
        assert_eq!(fs::read_to_string(hooks.join(name)).unwrap(), text);
    }
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    write_hook(&hooks, "post-merge", b"#!/bin/sh\n", 0o755);
    let before = listing(&hooks);
    let events: Vec<_> = EVENTS.iter().collect();
    let planned = InstallRequest { events: &events, icr: Path::new(ICR), force: false, dry_run: true };
    let report = install(&place(fixture.root()), &planned).unwrap();
    assert_eq!((changed(&report).len(), listing(&hooks)), (EVENTS.len(), before));
    installs(fixture.root(), false).unwrap();
    let after = listing(&hooks);
    let report = uninstall(&place(fixture.root()), true).unwrap();
    assert_eq!((changed(&report).len(), listing(&hooks)), (EVENTS.len(), after));
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_that_names_it() {
    let fixture = repository();
    let hooks = fixture.root().join(".git/hooks");
    fs::remove_dir_all(&hooks).unwrap();
    fs::write(fixture.root().join(".git/elsewhere"), "").unwrap();
    symlink("elsewhere/hooks", &hooks).unwrap();
    let message = installs(fixture.root(), false).unwrap_err().to_string();
    assert!(message.contains("hooks"), "{message}");
}
