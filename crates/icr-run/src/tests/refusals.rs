//! What is not run at all.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use super::worktree::{Worktree, run};
use crate::Refusal;

#[test]
fn an_empty_command_is_refused() {
    let worktree = Worktree::new();
    assert_eq!(worktree.refusal(&[]), "the command is empty: name a program, then its arguments");
    assert_eq!(worktree.refusal(&["", "x"]), "the command is empty: name a program, then its arguments");
}

#[test]
fn a_program_that_is_not_on_the_list_is_refused_and_similar_ones_are_named() {
    let worktree = Worktree::new();
    let said = worktree.refusal(&["gti", "status"]);
    assert_eq!(said, "`gti` may not be run: it is not in the list of the tests; `git` is");
    for program in
        ["rm", "/bin/sh", "../sh", "src/../../sh", "sh ", "sh; rm", "./sh", "planted", "./src/planted", "$(sh)"]
    {
        assert!(worktree.refusal(&[program]).contains("may not be run"), "{program}");
    }
}

#[test]
fn nul_bytes_are_refused() {
    let worktree = Worktree::new();
    assert_eq!(worktree.refusal(&["sh\0x"]), "the name of the program has a NUL byte, which no program can be given");
    assert_eq!(worktree.refusal(&["sh", "-c", "a\0b"]), "argument 2 has a NUL byte, which no program can be given");
    let mut command = worktree.command(&["true"]);
    command.environment.set.push(("A".to_owned(), "\0".to_owned()));
    assert!(matches!(run(&command), Err(Refusal::Nul { .. })));
    let mut command = worktree.command(&["true"]);
    command.directory = PathBuf::from("src\0");
    assert!(matches!(run(&command), Err(Refusal::Nul { .. })));
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    let worktree = Worktree::new();
    for timeout in [Duration::ZERO, Duration::from_secs(3_601)] {
        let mut command = worktree.command(&["true"]);
        command.timeout = timeout;
        assert!(matches!(run(&command), Err(Refusal::Timeout { .. })), "{timeout:?}");
    }
    let mut command = worktree.command(&["true"]);
    command.output_bytes = usize::MAX;
    assert!(matches!(run(&command), Err(Refusal::OutputBytes { .. })));
    let mut command = worktree.command(&["true"]);
    command.written_bytes_most = 0;
    assert!(matches!(run(&command), Err(Refusal::WrittenBytes)));
    let long = "x".repeat(2_000_000);
    assert!(worktree.refusal(&["true", &long]).contains("the limit is 1048576"));
}

#[test]
fn a_directory_outside_of_the_root_is_refused() {
    let worktree = Worktree::new();
    symlink("/etc", worktree.root.join("link")).expect("a link");
    for directory in ["..", "/etc", "link", "src/../..", "missing", "src/file"] {
        let mut command = worktree.command(&["true"]);
        command.directory = PathBuf::from(directory);
        assert!(matches!(run(&command), Err(Refusal::Outside { .. })), "{directory}");
    }
    let mut command = worktree.command(&["pwd"]);
    command.directory = PathBuf::from("src");
    let outcome = run(&command).expect("it was run");
    assert_eq!(outcome.stdout.text(), format!("{}\n", worktree.root.join("src").display()));
}

#[test]
fn a_root_that_is_none_or_holds_the_home_is_refused() {
    let worktree = Worktree::new();
    let roots = [PathBuf::from("relative"), worktree.root.join("missing"), worktree.root.join("src/file"), "/".into()];
    for root in roots.into_iter().chain([worktree.home.clone(), worktree.beside("")]) {
        let mut command = worktree.command(&["true"]);
        command.root.clone_from(&root);
        assert!(matches!(run(&command), Err(Refusal::Root { .. })), "{}", root.display());
    }
}

#[test]
fn a_program_that_is_nowhere_is_named() {
    let worktree = Worktree::new();
    let said = worktree.refusal(&["no-such-program-anywhere"]);
    assert!(said.starts_with("there is no program `no-such-program-anywhere` in PATH"), "{said}");
}

#[test]
fn a_program_that_the_clone_planted_is_not_found() {
    let worktree = Worktree::new();
    worktree.write_program(&worktree.root.join("env"), "#!/bin/sh\necho PLANTED\n");
    symlink(worktree.root.join("env"), worktree.beside("env")).expect("a link");
    symlink(&worktree.root, worktree.beside("way-in")).expect("a link");
    let mut command = worktree.command(&["env"]);
    let root = worktree.root.display();
    let beside = worktree.beside("");
    let path = format!(".:{root}:{}:{}/way-in::/usr/bin:/bin", beside.display(), beside.display());
    command.environment.variables[0].1 = path.into();
    let outcome = run(&command).expect("it was run");
    assert!(outcome.status.is_success() && !outcome.stdout.text().contains("PLANTED"), "{outcome:?}");
}

#[test]
fn a_program_of_the_worktree_is_run_where_the_list_has_its_path() {
    let worktree = Worktree::new();
    let said = worktree.refusal(&["./planted"]);
    assert_eq!(said, "`./planted` is not a program that can be run: there is no such file in the worktree");
    worktree.write_program(&worktree.root.join("planted"), "#!/bin/sh\necho \"ran $1 in $(basename \"$PWD\")\"\n");
    let mut command = worktree.command(&["./planted", "$x"]);
    command.directory = PathBuf::from("src");
    assert_eq!(run(&command).expect("it was run").stdout.text(), "ran $x in src\n");
    symlink("/bin/sh", worktree.root.join("link")).expect("a link");
    let said = worktree.refusal(&["./link"]);
    assert_eq!(said, "`./link` is not a program that can be run: it is a link out of the worktree");
}

#[test]
fn a_file_that_is_no_program_is_said_to_be_none() {
    let worktree = Worktree::new();
    std::fs::write(worktree.root.join("planted"), "text").expect("a file");
    assert!(worktree.refusal(&["./planted"]).contains("not a file that may be executed"));
    worktree.write_program(&worktree.root.join("planted"), "#!/no/such/interpreter\n");
    assert!(worktree.refusal(&["./planted"]).starts_with("executing `./planted`: "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_sandbox_that_is_required_is_there_or_nothing_is_run() {
    use super::worktree::NAMESPACES;
    use crate::{CommandStatus, SandboxMeans};
    let worktree = Worktree::new();
    let mut command = worktree.command(&["sh", "-c", "echo ran > src/file"]);
    command.require_sandbox = true;
    command.without = [&NAMESPACES[..], &[SandboxMeans::Landlock, SandboxMeans::Seccomp]].concat();
    let said = run(&command).expect_err("it was refused").to_string();
    assert!(said.starts_with("a sandbox is required and this system cannot hold its files ("), "{said}");
    assert_eq!(std::fs::read_to_string(worktree.root.join("src/file")).expect("it is there"), "content\n");
    command.without.clear();
    match run(&command) {
        Ok(outcome) => {
            assert_eq!(outcome.status, CommandStatus::Exited(0));
            assert!(outcome.sandbox.files.is_held && outcome.sandbox.network.is_held);
        }
        Err(refusal) => assert!(matches!(refusal, Refusal::NoSandbox { .. }), "{refusal}"),
    }
}
