//! The command line: one type per command, each with its file in `commands`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use icr_engine::OversizeScope;

use crate::commands;
use crate::completions;

/// A git-native code index for people and coding agents.
///
/// Answers come from git objects: you can ask any revision without checking it out, and content that was seen before is
/// not read again. The first query indexes the repository.
#[derive(Debug, Parser)]
#[command(name = "icr", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: TopLevelCommand,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Repository, or a directory in it [default: the repository around the current directory]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) repo: Option<PathBuf>,
    /// Directory to look in when `repo` is not given; `None` stands for the current directory. Only servers set it.
    #[arg(skip)]
    pub(crate) directory: Option<PathBuf>,
    /// Which files above the size limit an answer of the command can lack; it follows from the command.
    #[arg(skip)]
    pub(crate) oversize_scope: OversizeScope,
    /// Revision to ask, as git names it [default: the worktree, uncommitted changes included]
    #[arg(long, global = true, value_name = "REV", add = ArgValueCompleter::new(completions::revisions))]
    pub(crate) at: Option<String>,
    /// User configuration file [default: config.toml in the home of icr]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Database of memories [default: `memory.db_path`, else memory.db in the home of icr]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Set a configuration key for this command
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print JSON, also for errors
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Never write the store; answer from what is already indexed
    #[arg(long, global = true)]
    pub(crate) read_only: bool,
    /// Do not compute or use vectors: search by words only
    #[arg(long, global = true)]
    pub(crate) no_embeddings: bool,
    /// Exit with 4 when the answer is incomplete
    #[arg(long, global = true)]
    pub(crate) strict: bool,
    /// No progress bar and no notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Write more log lines to stderr; give it again for even more
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print long answers directly instead of showing them in $PAGER
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

impl TopLevelCommand {
    /// Which files above the size limit an answer of the command can lack.
    pub(crate) fn oversize_scope(&self) -> OversizeScope {
        match self {
            Self::Status(_) | Self::Doctor(_) => OversizeScope::Every,
            Self::Index(_)
            | Self::Search(_)
            | Self::Pack(_)
            | Self::Context(_)
            | Self::Plan(_)
            | Self::MapReduce(_)
            | Self::Aggregate(_)
            | Self::Impact(_)
            | Self::Ci(_) => OversizeScope::Text,
            Self::Symbols(_) | Self::Refs(_) | Self::Neighbors(_) | Self::Graph(_) => OversizeScope::Code,
            _ => OversizeScope::Nothing,
        }
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands, one variant each.
#[derive(Debug, Subcommand)]
pub(crate) enum TopLevelCommand {
    Index(commands::index::Index),
    Sync(commands::sync::Sync),
    Status(commands::status::StatusCommand),
    Search(commands::search::SearchCommand),
    Symbols(commands::symbols::Symbols),
    Map(commands::map::Map),
    Read(commands::read::ReadCommand),
    Slice(commands::slice::Slice),
    Refs(commands::refs::Refs),
    Neighbors(commands::neighbors::Neighbors),
    Graph(commands::graph::GraphCommand),
    Cochange(commands::cochange::Cochange),
    Pack(commands::pack::Pack),
    #[command(visible_alias = "task")]
    Context(commands::context::ContextMap),
    Plan(commands::plan::PlanCommand),
    MapReduce(commands::map_reduce::MapReduce),
    Aggregate(commands::aggregate::Aggregate),
    Pin(commands::pin::Pin),
    Unpin(commands::unpin::Unpin),
    Pins(commands::pins::Pins),
    Ledger(commands::ledger::Ledger),
    Compact(commands::compact::Compact),
    Clear(commands::clear::Clear),
    #[command(flatten)]
    Remembered(commands::memory::MemoryCommand),
    Memory(commands::memory::Memory),
    Memoir(commands::memoir::Memoir),
    Calibrate(commands::calibrate::Calibrate),
    Impact(commands::impact::Impact),
    Ci(commands::ci::Ci),
    Bench(commands::bench::Bench),
    BenchAgent(commands::bench_agent::BenchAgent),
    BenchImpact(commands::bench_impact::BenchImpact),
    BenchPack(commands::bench_pack::BenchPack),
    BenchRecall(commands::bench_recall::BenchRecall),
    BenchRetrieval(commands::bench_retrieval::BenchRetrieval),
    Commands(commands::commands::Commands),
    Mcp(commands::mcp::Mcp),
    Metrics(commands::metrics::Metrics),
    Traces(commands::traces::Traces),
    Model(commands::model::Model),
    Repo(commands::repo::Repo),
    Run(commands::run::Run),
    Init(commands::init::Init),
    Uninstall(commands::uninstall::Uninstall),
    Hooks(commands::hooks::Hooks),
    Hook(commands::hook::Hook),
    Watch(commands::watch::Watch),
    Gc(commands::gc::Gc),
    Doctor(commands::doctor::Doctor),
    Config(commands::config::Config),
    Completions(commands::completions::Completions),
    Man(commands::completions::Man),
}

/// `arguments` with every argument that begins with a dash and contains a space moved behind `--`. Such an argument
/// cannot be a flag, because no flag contains a space, but it may be a question.
pub(crate) fn with_words_last(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (mut flags, mut words) = (Vec::new(), Vec::new());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            words.extend(arguments.by_ref());
        } else if is_sentence(&argument) {
            words.push(argument);
        } else {
            flags.push(argument);
        }
    }
    if !words.is_empty() {
        flags.push("--".into());
    }
    flags.extend(words);
    flags
}

/// Whether `argument` begins with a dash and contains a space that is not part of a flag's value.
fn is_sentence(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    let first = text.split(char::is_whitespace).next().unwrap_or_default();
    text.starts_with('-') && first.len() < text.len() && !first.contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &[&str], expected: &[&str]) {
        let found = with_words_last(given.iter().map(OsString::from));
        assert_eq!(found, expected.iter().map(OsString::from).collect::<Vec<_>>(), "{given:?}");
    }

    #[test]
    fn a_question_that_begins_with_a_dash_is_no_flag() {
        check(&["icr", "search", "-X should batch", "-n", "5"], &["icr", "search", "-n", "5", "--", "-X should batch"]);
        check(&["icr", "search", "--help is wrong\nIt says"], &["icr", "search", "--", "--help is wrong\nIt says"]);
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for given in [
            &["icr", "search", "-n", "5", "how is it"] as &[&str],
            &["icr", "search", "-e", "a b", "--path=my files/x", "--", "-x", "y"],
            &["icr", "search", "-", "--set", "a.b=c d"],
            &["icr", "impact", "--", "-a b"],
        ] {
            check(given, given);
        }
    }
}
