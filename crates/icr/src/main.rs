//! The command line of icr: arguments, configuration, environment, output and exit codes. What is asked is answered by
//! the engine.

mod arguments;
mod commands;
mod config;
mod context;
mod log;
mod output;
mod problem;
mod progress;
mod project_commands;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::output::Output;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A pipe that is closed early is no failure, here as everywhere.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { problem::USAGE } else { problem::OK });
        }
    };
    log::start(&arguments.global);
    let mut output = Output::new(&arguments.global);
    let result = commands::run(&arguments, &mut output);
    let result = result.and_then(|code| output.flush().map(|()| code).map_err(Into::into));
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) if problem::is_broken_pipe(&error) => ExitCode::from(problem::OK),
        Err(error) => problem::report(&error, &arguments.global),
    }
}
