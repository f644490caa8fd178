//! Hooks that were there before run as they did: same arguments, same input, same exit code, same place.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use icr_fixture::Fixture;

use crate::world::{World, write_program};

#[test]
fn arguments_input_and_exit_code_are_those_of_git() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let hooks = world.root().join(".git/hooks");
    let said = world.fixture.home().join("said");
    let script = format!("#!/bin/sh\n{{ echo \"$# $1 $3\"; pwd; cat; }} > '{}'\necho shown\nexit 7\n", said.display());
    for event in ["post-checkout", "post-rewrite"] {
        write_program(&hooks.join(event), &script);
    }
    let without = world.run(world.root(), "git", &["checkout", "-qb", "topic"]);
    let said_without = fs::read_to_string(&said).unwrap();
    world.installs(world.root());
    world.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    world.git(&["branch", "-qD", "topic"]);
    let with = world.run(world.root(), "git", &["checkout", "-qb", "topic"]);
    assert_eq!(
        (with.status.code(), &with.stdout, &with.stderr),
        (without.status.code(), &without.stdout, &without.stderr)
    );
    assert_ne!(with.status.code(), Some(0), "git passes on what this hook says");
    assert_eq!(fs::read_to_string(&said).unwrap(), said_without);
    // The rewritten commits come on standard input.
    let before = world.git(&["rev-parse", "HEAD"]);
    world.run(world.root(), "git", &["commit", "-q", "--amend", "--allow-empty", "-m", "other"]);
    let after = world.git(&["rev-parse", "HEAD"]);
    assert!(fs::read_to_string(&said).unwrap().ends_with(&format!("{before} {after}\n")));
    world.follows(world.root());
}

#[test]
fn a_hook_that_git_would_not_run_is_not_run() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let hook = world.root().join(".git/hooks/post-commit");
    let said = world.fixture.home().join("said");
    write_program(&hook, &format!("#!/bin/sh\ntouch '{}'\n", said.display()));
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    let status = || world.icr(world.root(), &["hooks", "status"]);
    let before = status();
    assert!(before.contains("  another hook, which is not executable, so git does not run it; an install keeps it\n"));
    let told = "installed; `post-commit.before-icr` is not executable, so it is not run\n";
    let installed = world.icr(world.root(), &["hooks", "install"]);
    assert!(installed.contains(&format!("written: {told}")) && status().contains(told), "{installed}");
    world.commits("//- b.rs\nfn buoy() {}\n");
    world.follows(world.root());
    assert!(!said.exists());
    world.icr(world.root(), &["hooks", "uninstall"]);
    assert_eq!(fs::metadata(&hook).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn status_says_what_is_there() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    write_program(&world.root().join(".git/hooks/post-merge"), "#!/bin/sh\n");
    world.git(&["config", "core.hooksPath", ".git/hooks"]);
    let said = |arguments: &[&str]| {
        let text = world.icr(world.root(), arguments);
        text.replace(&world.root().display().to_string(), "$REPO")
            .replace(&world.fixture.home().display().to_string(), "$HOME")
    };
    assert_eq!(
        said(&["hooks", "install", "--set", "git.hooks=post-commit,post-merge"]),
        "$REPO/.git/hooks\n  post-commit      written: installed\n  post-merge       written: installed, runs `post-merge.before-icr` first\n\
         hooks run $HOME/programs/icr\n"
    );
    assert_eq!(
        said(&["hooks", "status"]),
        "$REPO/.git/hooks\n  post-applypatch  absent\n  post-checkout    absent\n  post-commit      installed\n  \
         post-merge       installed, runs `post-merge.before-icr` first\n  post-receive     absent\n  post-rewrite     absent\n  \
         pre-push         absent\n\
         hooks run $HOME/programs/icr\n"
    );
    let json = said(&["hooks", "status", "--json"]);
    for part in
        [r#""state": "chained""#, r#""icr_on_path": "$HOME/programs/icr""#, r#""log": "$HOME/icr-home/logs/hooks.log""#]
    {
        assert!(json.contains(part), "{json}");
    }
}

#[test]
fn a_refusal_says_what_to_do_instead() {
    let world = World::of(Fixture::new("//- .hooks/post-commit\n#!/bin/sh\n"));
    world.git(&["config", "core.hooksPath", ".hooks"]);
    let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), &["hooks", "install"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("hint: add `icr hook git EVENT \"$@\"` to the hooks there, or `--force`"), "{stderr}");
    assert!(world.icr(world.root(), &["hooks", "status"]).contains("/.hooks, which is part of the project\n"));
    world.git(&["config", "core.hooksPath", ".husky/_"]);
    let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), &["hooks", "install"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout.contains("    into `.husky/post-commit`: icr hook git post-commit \"$@\" || :\n"), "{stdout}");
}

#[test]
fn hooks_of_all_repositories_are_not_written_unasked() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let (settings, shared) = (world.fixture.home().join("gitconfig"), world.fixture.home().join("shared"));
    fs::write(&settings, format!("[core]\n\thooksPath = {}\n", shared.display())).unwrap();
    let world = world.with_variable("GIT_CONFIG_GLOBAL", settings.to_str().unwrap());
    let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), &["hooks", "install"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("`core.hooksPath` is set for more repositories than this one") && !shared.exists(),
        "{stderr}"
    );
    world.icr(world.root(), &["hooks", "install", "--force"]);
    world.fixture.write("//- b.rs\nfn buoy() {}\n");
    world.git(&["add", "-A"]);
    world.git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "more"]);
    world.follows(world.root());
}

#[test]
fn a_former_hook_comes_back_even_if_the_script_of_icr_was_edited_or_deleted() {
    let world = World::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let hook = world.root().join(".git/hooks/post-commit");
    write_program(&hook, "#!/bin/sh\necho theirs\n");
    let former = fs::read(&hook).unwrap();
    world.installs(world.root());
    let edited = [fs::read(&hook).unwrap(), b"echo more\n".to_vec()].concat();
    fs::write(&hook, &edited).unwrap();
    let output = world.run(world.root(), env!("CARGO_BIN_EXE_icr"), &["hooks", "uninstall"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "it still runs icr");
    assert!(stdout.contains("delete it, and the same again puts back what was there before"), "{stdout}");
    assert_eq!(fs::read(&hook).unwrap(), edited);
    fs::remove_file(&hook).unwrap();
    let status = world.icr(world.root(), &["hooks", "status"]);
    assert!(status.contains("absent, but `post-commit.before-icr` still lies there and is not run"), "{status}");
    assert!(world.icr(world.root(), &["hooks", "uninstall", "--dry-run"]).contains("would be taken out"));
    world.icr(world.root(), &["hooks", "uninstall"]);
    assert_eq!(fs::read(&hook).unwrap(), former);
}
