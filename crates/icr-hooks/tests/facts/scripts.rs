//! What scripts decide, and that whoever is called without a script decides the same.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use icr_fixture::Fixture;
use icr_hooks::{begins_rebase, is_due};

use crate::repository::{installs, repository, write_hook};

/// Runs the installed hook in a shell with an icr that says what it was called with; empty when it was not called. What the script starts
/// in the background is waited for.
fn called(fixture: &Fixture, event: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    installs(fixture.root(), false).unwrap();
    let programs = fixture.home().join("programs");
    let said = fixture.home().join("said");
    let _ = fs::remove_file(&said);
    write_hook(&programs, "icr", format!("#!/bin/sh\necho \"$@\" > '{}'\n", said.display()).as_bytes(), 0o755);
    let script = fs::read_to_string(fixture.root().join(".git/hooks").join(event)).unwrap();
    let waiting = script.replacen(" &\nfi\n", "\nfi\n", 1);
    assert_ne!(waiting, script, "the script works in the background");
    let file = write_hook(fixture.home(), event, waiting.as_bytes(), 0o755);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(file);
    command.args(arguments).current_dir(fixture.root()).env("PATH", path).stdin(Stdio::null());
    for name in ["GIT_DIR", "ICR_DISABLE_HOOKS"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    fs::read_to_string(said).unwrap_or_default()
}

/// Whether `event` is followed with these arguments while the git directory holds `files`, by the script and without one.
#[track_caller]
fn check(files: &[(&str, &str)], event: &str, arguments: &[&str], expected: bool) {
    let fixture = repository();
    let git_dir = fixture.root().join(".git");
    for (path, text) in files {
        let path = git_dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let by_script = called(&fixture, event, arguments, &[]);
    let said = if expected { format!("hook git {event} {}", arguments.join(" ")) } else { String::new() };
    assert_eq!(by_script.trim_end(), said.trim_end(), "the script of {event}");
    let words: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    assert_eq!(is_due(event, &words, &git_dir), expected, "{event} without a script");
}

const REBASE: (&str, &str) = ("rebase-merge/git-rebase-todo", "pick 1234567 x\n");
const REBASE_FORWARD: (&str, &str) = ("rebase-merge/git-rebase-todo", "");
const REBASE_BY_PATCHES: (&str, &str) = ("rebase-apply/rebasing", "");
const AM: (&str, &str) = ("rebase-apply/applying", "");

#[test]
fn commits_count_outside_of_a_rebase() {
    check(&[], "post-commit", &[], true);
    check(&[REBASE], "post-commit", &[], false);
    check(&[REBASE_FORWARD], "post-commit", &[], false);
    check(&[REBASE_BY_PATCHES], "post-commit", &[], false);
}

#[test]
fn checkouts_count_when_they_move_head_and_no_rebase_goes_on_from_there() {
    check(&[], "post-checkout", &["a", "b", "1"], true);
    check(&[], "post-checkout", &["a", "b", "0"], false);
    check(&[REBASE_FORWARD], "post-checkout", &["a", "b", "1"], true);
}

/// A rebase that has commits to make does not count where it begins; icr is called to take post-commit out of its way.
#[test]
fn a_rebase_waits_until_post_commit_is_out_of_its_way() {
    let fixture = repository();
    fixture.write(&format!("//- .git/{}\n{}", REBASE.0, REBASE.1));
    let (git_dir, hooks) = (fixture.root().join(".git"), fixture.root().join(".git/hooks"));
    assert_eq!(called(&fixture, "post-checkout", &["a", "b", "1"], &[]), "hook git post-checkout a b 1\n");
    assert!(fs::read_to_string(hooks.join("post-checkout")).unwrap().contains("git-rebase-todo\" ] || wait\n"));
    assert!(!is_due("post-checkout", &["a", "b", "1"].map(OsStr::new), &git_dir));
    assert!(begins_rebase("post-checkout", &git_dir) && !begins_rebase("post-commit", &git_dir));
    fixture.write(&format!("//- .git/{}\n", REBASE.0));
    assert!(!begins_rebase("post-checkout", &git_dir), "HEAD only moves forward");
}

#[test]
fn merges_count_unless_they_are_squashed() {
    check(&[], "post-merge", &["0"], true);
    check(&[], "post-merge", &["1"], false);
}

#[test]
fn rewrites_count_at_the_end_of_a_rebase_and_not_for_an_amended_commit() {
    check(&[REBASE_FORWARD], "post-rewrite", &["rebase"], true);
    check(&[], "post-rewrite", &["amend"], false);
}

#[test]
fn patches_count_when_the_last_is_applied() {
    let at = |next| ("rebase-apply/next", next);
    let last = ("rebase-apply/last", "3\n");
    check(&[AM, at("1\n"), last], "post-applypatch", &[], false);
    check(&[AM, at("3\n"), last], "post-applypatch", &[], true);
    check(&[REBASE_BY_PATCHES, at("3\n"), last], "post-applypatch", &[], false);
    // Whoever is called without a script may be called when git has ended.
    let fixture = repository();
    assert!(is_due("post-applypatch", &[], fixture.root()));
    fixture.write("//- rebase-apply/last\n3\n");
    assert!(is_due("post-applypatch", &[], fixture.root()));
    fixture.write("//- rebase-apply/applying\n\n//- rebase-apply/next\n4\n//- rebase-apply/last\n3\n");
    assert!(is_due("post-applypatch", &[], fixture.root()));
}

#[test]
fn pushes_always_count() {
    check(&[], "post-receive", &[], true);
}

#[test]
fn the_git_directory_that_git_names_counts() {
    let fixture = repository();
    let other = fixture.home().join("other git's");
    fs::create_dir_all(other.join("rebase-merge")).unwrap();
    let variables = [("GIT_DIR", other.to_str().unwrap())];
    assert_eq!(called(&fixture, "post-commit", &[], &variables), "");
    assert_eq!(called(&fixture, "post-commit", &[], &[("GIT_DIR", ".git")]), "hook git post-commit\n");
}

#[test]
fn nothing_is_started_when_hooks_are_disabled() {
    let fixture = repository();
    for (value, said) in [
        ("1", ""),
        ("please", ""),
        ("0", "hook git post-commit\n"),
        ("", "hook git post-commit\n"),
        ("no", "hook git post-commit\n"),
    ] {
        assert_eq!(called(&fixture, "post-commit", &[], &[("ICR_DISABLE_HOOKS", value)]), said, "{value:?}");
    }
}

/// Runs the installed pre-push, with `input` from git and an icr that repeats what it gets on standard error and fails. Returns the exit
/// code, standard output and standard error.
fn pushed(fixture: &Fixture, input: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let programs = fixture.home().join("programs");
    write_hook(&programs, "icr", b"#!/bin/sh\necho noise; echo \"$@\" >&2; cat >&2; exit 9\n", 0o755);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("/bin/sh");
    command.args([".git/hooks/pre-push", "origin", "url"]).current_dir(fixture.root()).env("PATH", path);
    command.env_remove("ICR_DISABLE_HOOKS").envs(variables.iter().copied());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("there is a shell");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn before_a_push_icr_and_the_hook_that_was_there_get_the_input_of_git() {
    let fixture = repository();
    installs(fixture.root(), false).unwrap();
    for input in ["a b c d\ne f g h\n", ""] {
        let icr = format!("hook git pre-push origin url\n{input}");
        assert_eq!(pushed(&fixture, input, &[]), (Some(0), String::new(), icr));
    }
    assert_eq!(pushed(&fixture, "", &[("ICR_DISABLE_HOOKS", "1")]), (Some(0), String::new(), String::new()));
    let before = b"#!/bin/sh\necho \"before $*\"; cat; exit \"$CODE\"\n";
    write_hook(&fixture.root().join(".git/hooks"), "pre-push.before-icr", before, 0o755);
    for input in ["a b c d\ne f g h\n", ""] {
        let first = format!("before origin url\n{input}");
        let icr = format!("hook git pre-push origin url\n{input}");
        assert_eq!(pushed(&fixture, input, &[("CODE", "0")]), (Some(0), first.clone(), icr));
        assert_eq!(pushed(&fixture, input, &[("CODE", "7")]), (Some(7), first, String::new()), "nothing is pushed");
    }
}

/// Hooks that find by their own name what to do, each of which refuses the push with code 3.
#[test]
fn the_hook_that_was_there_runs_under_its_own_name() {
    let by_directory = "#!/bin/sh\nd=\"$(dirname \"$0\")/$(basename \"$0\").d\"\n[ -d \"$d\" ] || exit 0\n\
                        for f in \"$d\"/*; do \"$f\" \"$@\" || exit 3; done\n";
    let by_case = "#!/usr/bin/env bash\ncase ${0##*/} in pre-push) [ \"$1 $2\" = 'origin url' ] && exit 3 ;; esac\n";
    let with_option = "#!/bin/sh -e\n[ \"${0##*/}\" != pre-push ] || (exit 3)\nexit 0\n";
    let with_guard = "#!/bin/bash\nmain() { exit 3; }\nif [ \"$BASH_SOURCE\" = \"$0\" ]; then main \"$@\"; fi\n";
    let by_return = "#!/bin/bash\n(return 0 2>/dev/null) && exit 0\n[ \"$(basename \"$0\")\" = x ] && exit 0\nexit 3\n";
    let with_end = "#!/bin/sh -\n[ \"$(basename \"$0\")\" = x ] && exit 0\nexit 3\n";
    for before in [by_directory, by_case, with_option, with_guard, by_return, with_end] {
        let fixture = repository();
        let hooks = fixture.root().join(".git/hooks");
        write_hook(&hooks, "pre-push", before.as_bytes(), 0o755);
        write_hook(&hooks.join("pre-push.d"), "refuses", b"#!/bin/sh\nexit 1\n", 0o755);
        installs(fixture.root(), false).unwrap();
        assert_eq!(pushed(&fixture, "a b c d\n", &[]), (Some(3), String::new(), String::new()), "{before}");
    }
}

#[test]
fn without_icr_a_script_is_silent_and_succeeds() {
    let fixture = repository();
    installs(fixture.root(), false).unwrap();
    for event in icr_hooks::EVENTS {
        let script = Path::new(".git/hooks").join(event.name);
        let output =
            Command::new("/bin/sh").arg(script).current_dir(fixture.root()).env("PATH", "/nowhere").output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    }
}
