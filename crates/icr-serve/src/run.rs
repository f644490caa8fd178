//! Running a command of a project, as the user's configuration allows it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use icr_engine::{Deadline, Engine, ProjectCommands};
use icr_run::{AllowList, CommandOutcome, Environment, Refusal, SandboxedCommand};

use crate::{CallFailure, Code};

/// The user's configuration of running commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunRules {
    /// Whether any may be run.
    pub is_enabled: bool,
    /// Programs that may be run besides those of the project's own commands.
    pub allow: Vec<String>,
    /// Time limit of a command that names none.
    pub timeout: Duration,
    /// Longest time limit that a call may ask for.
    pub timeout_most: Duration,
    /// Bytes of output kept of each stream.
    pub output_bytes: usize,
    /// Whether a command is refused where the kernel cannot hold it.
    pub requires_sandbox: bool,
    /// Whether commands may use the network.
    pub has_network: bool,
    /// More places that commands may read.
    pub readable: Vec<PathBuf>,
    /// More places that commands may write.
    pub writable: Vec<PathBuf>,
}

/// A command that somebody wants to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunRequest {
    /// The program and its arguments, as they are; no shell reads them.
    pub argv: Vec<String>,
    /// Directory to start it in, relative to the root; `None` for the root.
    pub directory: Option<String>,
    /// Time limit.
    pub timeout: Option<Duration>,
}

impl RunRules {
    /// The time limit of `request`.
    ///
    /// # Errors
    ///
    /// The setting that is out of bounds.
    pub fn timeout_of(&self, request: &RunRequest) -> Result<Duration, CallFailure> {
        let timeout = request.timeout.unwrap_or(self.timeout.min(self.timeout_most));
        match timeout <= self.timeout_most && !timeout.is_zero() {
            true => Ok(timeout),
            false => {
                let message = format!(
                    "`timeout_seconds` is {}; allowed: 1 to {} (`run.max_timeout_seconds`)",
                    timeout.as_secs(),
                    self.timeout_most.as_secs()
                );
                Err(CallFailure::new(Code::ValidationError, message).with("field", "timeout_seconds"))
            }
        }
    }

    /// The programs that may be run: those that the project's own `commands` begin with, and those of the configuration.
    pub fn allow_list(&self, commands: &ProjectCommands) -> AllowList {
        let of_project = commands.commands.iter().filter_map(|command| command.command.split(' ').next());
        let programs: Vec<&str> = of_project.chain(self.allow.iter().map(String::as_str)).collect();
        AllowList::new("the commands of the project (`icr commands`) and `run.allow` of your configuration", programs)
    }

    /// Runs `request` in the worktree of `engine`, until its time or `deadline` is over. `variables` is the environment to choose from.
    ///
    /// # Errors
    ///
    /// If running is switched off, a setting is out of bounds, or the command may not or cannot be run.
    pub fn run(
        &self,
        engine: &Engine,
        commands: &ProjectCommands,
        request: &RunRequest,
        variables: Vec<(OsString, OsString)>,
        deadline: &Deadline,
    ) -> Result<CommandOutcome, CallFailure> {
        if !self.is_enabled {
            return Err(CallFailure::new(Code::ValidationError, "running commands is switched off")
                .with("engine_code", "RUN_DISABLED")
                .hinting(["a person can switch it on: `icr config set run.enabled true`"]));
        }
        let timeout = self.timeout_of(request)?;
        let allowed = self.allow_list(commands);
        let environment = Environment { variables, ..Environment::default() };
        let mut command = SandboxedCommand::new(request.argv.clone(), engine.root(), &allowed, environment);
        if let Some(directory) = &request.directory {
            command.directory = PathBuf::from(directory);
        }
        command.git_directories = vec![engine.git().git_dir().to_owned(), engine.git().common_dir().to_owned()];
        command.timeout = timeout;
        command.output_bytes = self.output_bytes;
        command.require_sandbox = self.requires_sandbox;
        command.network = self.has_network;
        command.readable.clone_from(&self.readable);
        command.writable.clone_from(&self.writable);
        icr_run::run(&command, || deadline.is_over()).map_err(|refusal| refusal_failure(&refusal, request))
    }
}

fn refusal_failure(refusal: &Refusal, request: &RunRequest) -> CallFailure {
    let field = match refusal {
        Refusal::Outside { .. } => Some("directory"),
        Refusal::Nul { .. } if !request.argv.iter().any(|argument| argument.contains('\0')) => Some("directory"),
        Refusal::Empty
        | Refusal::Nul { .. }
        | Refusal::NotAllowed { .. }
        | Refusal::NoSuchProgram { .. }
        | Refusal::NoProgramFile { .. }
        | Refusal::Arguments { .. } => Some("argv"),
        // No argument of the caller can change these.
        _ => None,
    };
    let failure = CallFailure::new(Code::ValidationError, refusal.to_string()).with("engine_code", "RUN_REFUSED");
    field.into_iter().fold(failure, |failure, field| failure.with("field", field))
}
