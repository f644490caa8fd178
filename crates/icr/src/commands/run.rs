//! `icr run`

use std::time::Duration;

use clap::Args;
use icr_engine::Deadline;
use icr_run::{CommandOutcome, CommandStatus, Protection};
use icr_serve::{RunRequest, RunRules};

use crate::arguments::Global;
use crate::config::ResolvedConfig;
use crate::context::Context;
use crate::environment;
use crate::output::{Output, note};
use crate::problem::{self, Usage};

/// Exit code of a command that timed out, the same as that of `timeout`.
const TIMED_OUT: u8 = 124;

/// Added to the number of the signal that ended a command, as in shells.
const SIGNALLED: i32 = 128;

/// Exit code of a command that was killed, as in shells: 128 and the number of `SIGKILL`.
const KILLED: u8 = 137;

/// Run one of the project's own commands: without a shell, with limits on time and output, in a sandbox if the system
/// has one
///
/// Needs `run.enabled` in your own configuration. May run what `icr commands` lists and what `run.allow` names. A
/// command may write the worktree except `.git`, and has no network. The exit code is that of the command; 124 if its
/// time was over, 137 if it was killed for writing too much or starting too many processes.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Time limit in seconds [default: `run.timeout_seconds`]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    timeout: Option<u32>,
    /// Directory to start it in, relative to the root
    #[arg(long, value_name = "PATH")]
    directory: Option<String>,
    /// Program and arguments
    #[arg(required = true, last = true)]
    argv: Vec<String>,
}

impl Run {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let (commands, provenance) = context.ask(icr_engine::project_commands)?;
        let request = RunRequest {
            argv: self.argv.clone(),
            directory: self.directory.clone(),
            timeout: self.timeout.map(|seconds| Duration::from_secs(u64::from(seconds))),
        };
        let variables = environment::all();
        let ran = rules(&context.config).run(&context.engine, &commands, &request, variables, &Deadline::never());
        let outcome = ran.map_err(|failure| {
            let hints = failure.details.get("hints").and_then(|hints| hints.as_array());
            let hint = hints.and_then(|hints| hints.first()?.as_str()).map(str::to_owned);
            Usage { message: failure.message, hint }
        })?;
        if output.is_json() {
            output.answer(&outcome, &provenance, problem::OK, |_| Ok(()))?;
        } else {
            show(&outcome, global, output)?;
        }
        Ok(exit_code_of(outcome.status))
    }
}

fn show(outcome: &CommandOutcome, global: &Global, output: &mut Output) -> anyhow::Result<()> {
    let said = outcome.stdout.text();
    if !said.is_empty() {
        output.line(said.trim_end_matches('\n'))?;
        output.flush()?;
    }
    let mut stderr = std::io::stderr().lock();
    for line in outcome.stderr.text().lines() {
        // If stderr is closed, nobody can be told.
        let _ = std::io::Write::write_all(&mut stderr, format!("{}\n", icr_impact::report::visible(line)).as_bytes());
    }
    if global.quiet {
        return Ok(());
    }
    match outcome.status {
        CommandStatus::Exited(_) => {}
        CommandStatus::Signalled(signal) => note(&mut stderr, &format!("ended by signal {signal}")),
        CommandStatus::TimedOut => {
            note(&mut stderr, &format!("killed when its time was over, after {} s", outcome.elapsed.as_secs()))
        }
        CommandStatus::Cancelled => note(&mut stderr, "cancelled"),
        CommandStatus::TooManyProcesses => note(&mut stderr, "killed because it started more processes than it may"),
        CommandStatus::TooMuchWritten => note(&mut stderr, "killed because it wrote more than it may"),
    }
    let sandbox = &outcome.sandbox;
    for (what, guard) in [("files", &sandbox.files), ("network", &sandbox.network), ("processes", &sandbox.processes)] {
        if !guard.is_held {
            note(&mut stderr, &format!("not held: {what}{}", why(guard)));
        }
    }
    Ok(())
}

/// Which protections of the sandbox are missing.
fn why(guard: &Protection) -> String {
    let missing = guard.missing.iter().map(|missing| format!("{}: {}", missing.means.name(), missing.why));
    let reasons: Vec<String> = missing.chain(guard.notes.iter().cloned()).collect();
    if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) }
}

fn exit_code_of(status: CommandStatus) -> u8 {
    let code = |code: i32| u8::try_from(code & 0xff).unwrap_or(problem::INTERNAL);
    match status {
        CommandStatus::Exited(exited) => code(exited),
        CommandStatus::Signalled(signal) => code(SIGNALLED + signal),
        CommandStatus::TimedOut => TIMED_OUT,
        CommandStatus::Cancelled | CommandStatus::TooMuchWritten | CommandStatus::TooManyProcesses => KILLED,
    }
}

/// Rules for running commands, from the configuration.
pub(super) fn rules(config: &ResolvedConfig) -> RunRules {
    let seconds = |key| Duration::from_secs(config.get_integer(key).unsigned_abs());
    let paths = |key| config.get_list(key).iter().map(Into::into).collect();
    RunRules {
        is_enabled: config.get_bool("run.enabled"),
        allow: config.get_list("run.allow").to_vec(),
        timeout: seconds("run.timeout_seconds"),
        timeout_most: seconds("run.max_timeout_seconds"),
        output_bytes: usize::try_from(config.get_integer("run.max_output_kb")).unwrap_or(usize::MAX / 1024) * 1024,
        requires_sandbox: config.get_bool("run.require_sandbox"),
        has_network: config.get_bool("run.network"),
        readable: paths("run.readable"),
        writable: paths("run.writable"),
    }
}
