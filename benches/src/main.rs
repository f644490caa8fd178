//! Measures icr: workloads over real and generated repositories, and micro benches of its hot loops, each beside the
//! budget that holds for it. `benches/README.md` says how to run and read it.

mod arguments;
mod budget;
mod clock;
mod commits;
mod corpus;
mod error;
mod generated;
mod load;
mod micro;
mod quality;
mod queries;
mod report;
mod stage;
mod temporary_clone;
mod workloads;

use std::io::Write;
use std::process::ExitCode;

use crate::arguments::BenchCommand;
use crate::error::Error;

/// Exit code for arguments that make no sense; `sysexits.h` calls it EX_USAGE.
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let done = arguments::parse(arguments).and_then(|command| match command {
        BenchCommand::Generated(request) => generated::run(&request),
        BenchCommand::Help => {
            write_stdout(arguments::USAGE);
            Ok(())
        }
        BenchCommand::Load(request) => load::run(&request),
        BenchCommand::Micro(request) => micro::run(&request),
        BenchCommand::Quality(request) => quality::run(&request),
        BenchCommand::Stage(stage, place) => stage::run(stage, &place),
        BenchCommand::Workloads(request) => workloads::run(&request),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(if matches!(error, Error::Usage { .. }) { EXIT_USAGE } else { 1 })
        }
    }
}

/// Writes to standard output; a reader who went away is no failure.
pub(crate) fn write_stdout(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
