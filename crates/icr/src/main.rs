//! The command line of icr: arguments, configuration, environment, output and exit codes. The engine answers the
//! questions.

mod arguments;
mod called_as;
mod columns;
mod commands;
mod completions;
mod config;
mod context;
mod crash_restart;
mod environment;
mod host_directories;
mod log;
mod memory_context;
mod output;
mod pager;
mod panics;
mod picture;
mod problem;
mod progress;
mod recording;
mod transcripts;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Global, TopLevelCommand};
use crate::output::Output;

fn main() -> ExitCode {
    panics::hold_back();
    crash_restart::install();
    completions::answer();
    // Files that icr writes contain private code, so only the owner may read them.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    #[cfg(unix)]
    let _ = survive_size_limit();
    let typed = match called_as::translated(std::env::args_os().collect()) {
        Ok(typed) => typed,
        Err(error) => {
            return problem::report(&error.into(), &Global { json: problem::asks_for_json(), ..Global::default() });
        }
    };
    let mut arguments = match Arguments::try_parse_from(arguments::with_words_last(typed)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = problem::report_arguments(error);
            // Even with wrong arguments, a hook must not stop its host.
            return if called_as::is_hook(&std::env::args_os().collect::<Vec<_>>()) {
                ExitCode::from(problem::OK)
            } else {
                code
            };
        }
    };
    if arguments.global.verbose == 0 {
        arguments.global.oversize_scope = arguments.command.oversize_scope();
    }
    // A hook must not write log lines to stderr, because some hosts show them.
    if !matches!(arguments.command, TopLevelCommand::Hook(_)) {
        log::start(&arguments.global);
        crash_restart::report_restart();
    }
    let mut output = Output::new(&arguments.global);
    if commands::is_paged(&arguments.command) {
        output.page();
    }
    let result = panics::as_errors(|| commands::run(&arguments, &mut output));
    if matches!(arguments.command, TopLevelCommand::Hook(_)) {
        // Even if the host cannot take the output, a hook succeeds, so that the host goes on.
        return ExitCode::from(result.unwrap_or(problem::OK));
    }
    let result = result.and_then(|code| output.finish().map(|()| code).map_err(Into::into));
    if let Ok(problem::FINDING) = result {
        output.say_finding(&arguments.command);
    }
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) if problem::is_broken_pipe(&error) => ExitCode::from(problem::OK),
        Err(error) => problem::report(&error, &arguments.global),
    }
}

/// Ignores SIGXFSZ, so that a write beyond the file size limit (`ulimit -f`) fails with an error message instead of
/// killing the process silently.
#[cfg(unix)]
fn survive_size_limit() -> std::io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).map(drop)
}
