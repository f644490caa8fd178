//! Linux: namespaces, Landlock, seccomp, and a supervisor.

mod attempt;
mod disk;
mod freeze;
mod landlock;
mod layers;
mod namespace;
mod places;
mod plan;
mod process_tree;
mod pump;
mod report;
mod seccomp;
mod supervisor;
mod sweep;
mod sys;
mod tasks;
mod view;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use attempt::Attempt;
use layers::SandboxLayers;
use places::SandboxPlaces;

use crate::private::PrivateDirectory;
use crate::program::Program;
use crate::{CommandOutcome, Refusal, SandboxedCommand, environment};

/// Runs `program` with all sandbox means that the kernel has. If the kernel refuses one, the sandbox is built again
/// without it.
pub(crate) fn run(
    program: &Program,
    command: &SandboxedCommand<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<CommandOutcome, Refusal> {
    let places = SandboxPlaces::of(command, program);
    let private = private_directory(command, program)?;
    let mut layers = SandboxLayers::for_command(command);
    loop {
        let sandbox = layers.sandbox();
        if command.require_sandbox {
            let lacks = layers::lacks(&sandbox, command.network);
            if !lacks.is_empty() {
                return Err(Refusal::NoSandbox { lacks });
            }
        }
        let started = Instant::now();
        match attempt::attempt(program, command, &places, private.path(), &layers, cancelled)? {
            Attempt::Ended { status, stdout, stderr } => {
                let mut sandbox = sandbox;
                sandbox.files.notes.extend(places.notes);
                return Ok(CommandOutcome { status, stdout, stderr, elapsed: started.elapsed(), sandbox });
            }
            Attempt::NoNamespaces(why) => {
                if !layers.refuse_namespaces(&why) {
                    return Err(system("starting a process", io::Error::other(why)));
                }
            }
            Attempt::NoLandlock(why) => layers.refuse_landlock(&why),
            Attempt::Failed(failure, doing) => {
                let error = io::Error::from_raw_os_error(failure.errno);
                if !layers.refuse(failure, &format!("{doing}: {error}")) {
                    return Err(system(&doing, error));
                }
            }
        }
    }
}

/// A refusal of the system while `doing` something.
fn system(doing: &str, source: io::Error) -> Refusal {
    Refusal::System { doing: doing.to_owned(), source }
}

/// Makes a private directory in the caller's own directory for temporary files, unless that is in the worktree.
fn private_directory(command: &SandboxedCommand<'_>, program: &Program) -> Result<PrivateDirectory, Refusal> {
    let named = environment::absolute(&command.environment, "TMPDIR");
    let is_outside = |base: &PathBuf| fs::canonicalize(base).is_ok_and(|real| !real.starts_with(&program.root));
    let base = named.filter(is_outside).unwrap_or_else(|| PathBuf::from("/tmp"));
    let made = PrivateDirectory::new(&base, &plan::PRIVATE_DIRECTORIES).and_then(|private| {
        fs::write(private.path().join(plan::EMPTY_FILE), "")?;
        Ok(private)
    });
    made.map_err(|error| system(&format!("making a directory in `{}`", Path::display(&base)), error))
}
