//! Commands about memories, at the top level and below `icr memory`: one file each.

mod consolidate;
mod decay;
mod embed;
mod export;
mod extract;
mod forget;
mod health;
mod import;
mod list;
mod log;
mod memory_text;
mod naming;
mod prune;
mod recall;
mod recall_context;
mod show;
mod stats;
mod store;
mod topics;
mod undo;
mod update;

pub(crate) use memory_text::write_items;
pub(crate) use recall_context::{PROMPT_SHARE, Preamble, preamble_of};

use clap::{Args, Subcommand, ValueEnum};
use icr_memory::Error;

use crate::arguments::Global;
use crate::output::{Output, note};

/// Commands about memories.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    Store(store::Store),
    Recall(recall::Recall),
    RecallContext(recall_context::RecallContext),
    Update(update::Update),
    Forget(forget::Forget),
    Topics(topics::Topics),
    Stats(stats::Stats),
    Health(health::Health),
    Decay(decay::Decay),
    Prune(prune::Prune),
    Consolidate(consolidate::Consolidate),
    Embed(embed::Embed),
    Extract(extract::Extract),
    Export(export::ExportCommand),
    Import(import::Import),
    List(list::List),
    Undo(undo::Undo),
}

/// Store, find and maintain memories
///
/// The same commands are available at the top level, except `log` and `show`.
#[derive(Debug, Args)]
pub(crate) struct Memory {
    #[command(subcommand)]
    command: AnyMemoryCommand,
}

/// All commands below `icr memory`.
#[derive(Debug, Subcommand)]
enum AnyMemoryCommand {
    #[command(flatten)]
    Usual(MemoryCommand),
    Log(log::Log),
    Show(show::Show),
}

impl Memory {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match &self.command {
            AnyMemoryCommand::Usual(command) => command.run(global, output),
            AnyMemoryCommand::Log(command) => command.run(global, output),
            AnyMemoryCommand::Show(command) => command.run(global, output),
        }
    }
}

impl MemoryCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match self {
            Self::Store(command) => command.run(global, output),
            Self::Recall(command) => command.run(global, output),
            Self::RecallContext(command) => command.run(global, output),
            Self::Update(command) => command.run(global, output),
            Self::Forget(command) => command.run(global, output),
            Self::Topics(command) => command.run(global, output),
            Self::Stats(command) => command.run(global, output),
            Self::Health(command) => command.run(global, output),
            Self::Decay(command) => command.run(global, output),
            Self::Prune(command) => command.run(global, output),
            Self::Consolidate(command) => command.run(global, output),
            Self::Embed(command) => command.run(global, output),
            Self::Extract(command) => command.run(global, output),
            Self::Export(command) => command.run(global, output),
            Self::Import(command) => command.run(global, output),
            Self::List(command) => command.run(global, output),
            Self::Undo(command) => command.run(global, output),
        }
    }
}

/// Output format of a list.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ListForm {
    /// Output format: text or JSON (the same as `--json`)
    #[arg(short, long, value_enum)]
    format: Option<ListFormat>,
}

/// Forms of a list; `human` and `detail` are other programs' words for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// For people.
    #[value(aliases = ["human", "detail"])]
    Text,
    /// For programs.
    Json,
}

impl ListForm {
    pub(crate) fn choose(self, output: &mut Output) {
        if self.format == Some(ListFormat::Json) {
            output.use_json();
        }
    }
}

/// Output format of memories.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct MemoryForm {
    /// Output format: text, JSON (the same as `--json`), TOML, or TOON, one row per memory, for prompts
    #[arg(short, long, value_enum)]
    format: Option<MemoryFormat>,
}

/// Forms of memories; `human` and `detail` are other programs' words for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MemoryFormat {
    /// For people.
    #[value(aliases = ["human", "detail"])]
    Text,
    /// For programs.
    Json,
    /// One row per memory
    Toon,
    /// One table per memory
    Toml,
}

impl MemoryForm {
    pub(crate) fn choose(self, output: &mut Output) {
        if self.format == Some(MemoryFormat::Json) {
            output.use_json();
        }
    }

    /// `items` in a format that contains only the memories; `None` for text and JSON.
    fn rows(self, items: &[icr_memory::MemoryItem]) -> anyhow::Result<Option<String>> {
        match self.format {
            Some(MemoryFormat::Toon) => Ok(Some(memory_text::toon(items))),
            Some(MemoryFormat::Toml) => Ok(Some(memory_text::toml(items)?)),
            Some(MemoryFormat::Text | MemoryFormat::Json) | None => Ok(None),
        }
    }
}

/// Converts a memory error into an error that the program reports.
pub(crate) fn memory_error(error: Error) -> anyhow::Error {
    icr_engine::Error::from(error).into()
}

/// Says on standard error which rows no answer has, because their ids make no sense.
fn write_nameless_note(database: &icr_memory::MemoryDatabase, global: &Global) -> anyhow::Result<()> {
    let rows = icr_memory::nameless_rows(database).map_err(memory_error)?;
    if rows.is_empty() || global.quiet {
        return Ok(());
    }
    let numbers: Vec<String> = rows.iter().take(20).map(i64::to_string).collect();
    let more = if rows.len() > numbers.len() { " and more" } else { "" };
    let said = format!(
        "left out, because the id makes no sense: row {}{more} of the memories; `icr export` saves all others, to import \
         them into a new database",
        numbers.join(", ")
    );
    note(&mut std::io::stderr().lock(), &said);
    Ok(())
}

/// Parses an importance by its name.
fn importance(name: &str) -> Result<icr_memory::Importance, String> {
    icr_memory::Importance::from_name(name).ok_or_else(|| {
        let names = icr_memory::Importance::ALL.map(icr_memory::Importance::name);
        format!("expected one of {}", names.join(", "))
    })
}

/// Parses the id of a memory.
fn record_id(text: &str) -> Result<icr_memory::RecordId, icr_memory::NoRecordId> {
    icr_memory::RecordId::try_from(text)
}
