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

use crate::arguments::{Arguments, TopLevelCommand};
use crate::environment;
use crate::output::Output;
use crate::recording::{trace_command, traced_as};

/// Runs the command and returns its exit code. Commands that explore code are traced, unless tracing is switched off.
pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<u8> {
    let Some(traced) = traced_as(&arguments.command) else { return run_untraced(arguments, output) };
    let began = (environment::now(), Instant::now());
    output.begin_trace();
    let ran = run_untraced(arguments, output);
    // The user should not wait for the trace.
    let _ = output.flush();
    trace_command(arguments, traced, began, output.end_trace(), ran.as_ref().err());
    ran
}

/// Whether the answer of a command is text to read, which may be longer than a screen.
pub(crate) fn is_paged(command: &TopLevelCommand) -> bool {
    matches!(
        command,
        TopLevelCommand::Search(_)
            | TopLevelCommand::Symbols(_)
            | TopLevelCommand::Map(_)
            | TopLevelCommand::Read(_)
            | TopLevelCommand::Slice(_)
            | TopLevelCommand::Refs(_)
            | TopLevelCommand::Neighbors(_)
            | TopLevelCommand::Graph(_)
            | TopLevelCommand::Cochange(_)
            | TopLevelCommand::Pack(_)
            | TopLevelCommand::Context(_)
            | TopLevelCommand::MapReduce(_)
            | TopLevelCommand::Impact(_)
            | TopLevelCommand::Traces(_)
            | TopLevelCommand::Pins(_)
            | TopLevelCommand::Ledger(_)
    )
}

fn run_untraced(arguments: &Arguments, output: &mut Output) -> anyhow::Result<u8> {
    let global = &arguments.global;
    if is_shown_as_it_is(&arguments.command) {
        output.mask_nothing();
    }
    match &arguments.command {
        TopLevelCommand::Index(command) => command.run(global, output),
        TopLevelCommand::Sync(command) => command.run(global, output),
        TopLevelCommand::Status(command) => command.run(global, output),
        TopLevelCommand::Search(command) => command.run(global, output),
        TopLevelCommand::Symbols(command) => command.run(global, output),
        TopLevelCommand::Map(command) => command.run(global, output),
        TopLevelCommand::Read(command) => command.run(global, output),
        TopLevelCommand::Slice(command) => command.run(global, output),
        TopLevelCommand::Refs(command) => command.run(global, output),
        TopLevelCommand::Neighbors(command) => command.run(global, output),
        TopLevelCommand::Graph(command) => command.run(global, output),
        TopLevelCommand::Cochange(command) => command.run(global, output),
        TopLevelCommand::Pack(command) => command.run(global, output),
        TopLevelCommand::Context(command) => command.run(global, output),
        TopLevelCommand::Plan(command) => command.run(global, output),
        TopLevelCommand::MapReduce(command) => command.run(global, output),
        TopLevelCommand::Aggregate(command) => command.run(global, output),
        TopLevelCommand::Pin(command) => command.run(global, output),
        TopLevelCommand::Unpin(command) => command.run(global, output),
        TopLevelCommand::Pins(command) => command.run(global, output),
        TopLevelCommand::Ledger(command) => command.run(global, output),
        TopLevelCommand::Compact(command) => command.run(global, output),
        TopLevelCommand::Clear(command) => command.run(global, output),
        TopLevelCommand::Remembered(command) => command.run(global, output),
        TopLevelCommand::Memory(command) => command.run(global, output),
        TopLevelCommand::Memoir(command) => command.run(global, output),
        TopLevelCommand::Calibrate(command) => command.run(global, output),
        TopLevelCommand::Impact(command) => command.run(global, output),
        TopLevelCommand::Ci(command) => command.run(global, output),
        TopLevelCommand::Bench(command) => command.run(global, output),
        TopLevelCommand::BenchAgent(command) => command.run(global, output),
        TopLevelCommand::BenchImpact(command) => command.run(global, output),
        TopLevelCommand::BenchPack(command) => command.run(global, output),
        TopLevelCommand::BenchRecall(command) => command.run(global, output),
        TopLevelCommand::BenchRetrieval(command) => command.run(global, output),
        TopLevelCommand::Commands(command) => command.run(global, output),
        TopLevelCommand::Mcp(command) => command.run(global, output),
        TopLevelCommand::Metrics(command) => command.run(global, output),
        TopLevelCommand::Traces(command) => command.run(global, output),
        TopLevelCommand::Model(command) => command.run(global, output),
        TopLevelCommand::Repo(command) => command.run(global, output),
        TopLevelCommand::Run(command) => command.run(global, output),
        TopLevelCommand::Init(command) => command.run(global, output),
        TopLevelCommand::Uninstall(command) => command.run(global, output),
        TopLevelCommand::Hooks(command) => command.run(global, output),
        TopLevelCommand::Hook(command) => Ok(command.run(global)),
        TopLevelCommand::Watch(command) => command.run(global, output),
        TopLevelCommand::Gc(command) => command.run(global, output),
        TopLevelCommand::Doctor(command) => command.run(global, output),
        TopLevelCommand::Config(command) => command.run(global, output),
        TopLevelCommand::Completions(command) => command.run(output),
        TopLevelCommand::Man(command) => command.run(output),
    }
}

/// Whether credentials are not masked in the answer, because it is the user's own text or a file that was asked for.
fn is_shown_as_it_is(command: &TopLevelCommand) -> bool {
    matches!(
        command,
        TopLevelCommand::Read(_)
            | TopLevelCommand::Slice(_)
            | TopLevelCommand::Remembered(_)
            | TopLevelCommand::Memory(_)
            | TopLevelCommand::Memoir(_)
            | TopLevelCommand::Config(_)
    )
}
