//! One file per command: its arguments, and what it prints.

pub(crate) mod aggregate;
pub(crate) mod bench;
pub(crate) mod bench_agent;
pub(crate) mod bench_impact;
pub(crate) mod bench_pack;
pub(crate) mod bench_recall;
pub(crate) mod bench_retrieval;
pub(crate) mod calibrate;
pub(crate) mod ci;
pub(crate) mod clear;
pub(crate) mod cochange;
#[expect(clippy::module_inception, reason = "the command is called `commands`")]
pub(crate) mod commands;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod gc;
pub(crate) mod graph;
pub(crate) mod hook;
pub(crate) mod hooks;
pub(crate) mod impact;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod ledger;
pub(crate) mod map;
pub(crate) mod map_reduce;
pub(crate) mod mcp;
pub(crate) mod memoir;
pub(crate) mod memory;
pub(crate) mod metrics;
pub(crate) mod model;
pub(crate) mod neighbors;
pub(crate) mod pack;
pub(crate) mod pictures;
pub(crate) mod pin;
pub(crate) mod pins;
pub(crate) mod plan;
pub(crate) mod read;
pub(crate) mod refs;
pub(crate) mod repo;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod serve_http;
pub(crate) mod slice;
pub(crate) mod status;
pub(crate) mod symbols;
pub(crate) mod sync;
pub(crate) mod traces;
pub(crate) mod uninstall;
pub(crate) mod unpin;
pub(crate) mod watch;

use std::time::Instant;

use crate::arguments::{Arguments, Command};
use crate::environment;
use crate::output::Output;
use crate::recording::{trace_command, traced_as};

/// Runs the command and gives its exit code. What explores code is traced, where that is not switched off.
pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<u8> {
    let Some(traced) = traced_as(&arguments.command) else { return run_untraced(arguments, output) };
    let began = (environment::now(), Instant::now());
    output.begin_trace();
    let ran = run_untraced(arguments, output);
    // Whoever reads the answer does not wait for its trace.
    let _ = output.flush();
    trace_command(arguments, traced, began, output.end_trace(), ran.as_ref().err());
    ran
}

/// Whether what a command answers is read rather than acted on, and may be longer than a screen.
pub(crate) fn is_paged(command: &Command) -> bool {
    matches!(
        command,
        Command::Search(_)
            | Command::Symbols(_)
            | Command::Map(_)
            | Command::Read(_)
            | Command::Slice(_)
            | Command::Refs(_)
            | Command::Neighbors(_)
            | Command::Graph(_)
            | Command::Cochange(_)
            | Command::Pack(_)
            | Command::Context(_)
            | Command::MapReduce(_)
            | Command::Impact(_)
            | Command::Traces(_)
            | Command::Pins(_)
            | Command::Ledger(_)
    )
}

fn run_untraced(arguments: &Arguments, output: &mut Output) -> anyhow::Result<u8> {
    let global = &arguments.global;
    if is_shown_as_it_is(&arguments.command) {
        output.mask_nothing();
    }
    match &arguments.command {
        Command::Index(command) => command.run(global, output),
        Command::Sync(command) => command.run(global, output),
        Command::Status(command) => command.run(global, output),
        Command::Search(command) => command.run(global, output),
        Command::Symbols(command) => command.run(global, output),
        Command::Map(command) => command.run(global, output),
        Command::Read(command) => command.run(global, output),
        Command::Slice(command) => command.run(global, output),
        Command::Refs(command) => command.run(global, output),
        Command::Neighbors(command) => command.run(global, output),
        Command::Graph(command) => command.run(global, output),
        Command::Cochange(command) => command.run(global, output),
        Command::Pack(command) => command.run(global, output),
        Command::Context(command) => command.run(global, output),
        Command::Plan(command) => command.run(global, output),
        Command::MapReduce(command) => command.run(global, output),
        Command::Aggregate(command) => command.run(global, output),
        Command::Pin(command) => command.run(global, output),
        Command::Unpin(command) => command.run(global, output),
        Command::Pins(command) => command.run(global, output),
        Command::Ledger(command) => command.run(global, output),
        Command::Compact(command) => command.run(global, output),
        Command::Clear(command) => command.run(global, output),
        Command::Remembered(command) => command.run(global, output),
        Command::Memory(command) => command.run(global, output),
        Command::Memoir(command) => command.run(global, output),
        Command::Calibrate(command) => command.run(global, output),
        Command::Impact(command) => command.run(global, output),
        Command::Ci(command) => command.run(global, output),
        Command::Bench(command) => command.run(global, output),
        Command::BenchAgent(command) => command.run(global, output),
        Command::BenchImpact(command) => command.run(global, output),
        Command::BenchPack(command) => command.run(global, output),
        Command::BenchRecall(command) => command.run(global, output),
        Command::BenchRetrieval(command) => command.run(global, output),
        Command::Commands(command) => command.run(global, output),
        Command::Mcp(command) => command.run(global, output),
        Command::Metrics(command) => command.run(global, output),
        Command::Traces(command) => command.run(global, output),
        Command::Model(command) => command.run(global, output),
        Command::Repo(command) => command.run(global, output),
        Command::Run(command) => command.run(global, output),
        Command::Init(command) => command.run(global, output),
        Command::Uninstall(command) => command.run(global, output),
        Command::Hooks(command) => command.run(global, output),
        Command::Hook(command) => Ok(command.run(global)),
        Command::Watch(command) => command.run(global, output),
        Command::Gc(command) => command.run(global, output),
        Command::Doctor(command) => command.run(global, output),
        Command::Config(command) => command.run(global, output),
        Command::Completions(command) => command.run(output),
        Command::Man(command) => command.run(output),
    }
}

/// Whether what a command shows is the user's own, or asked for as it is.
fn is_shown_as_it_is(command: &Command) -> bool {
    matches!(
        command,
        Command::Read(_)
            | Command::Slice(_)
            | Command::Remembered(_)
            | Command::Memory(_)
            | Command::Memoir(_)
            | Command::Config(_)
    )
}
