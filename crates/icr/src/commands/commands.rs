//! `icr commands`

use clap::{Args, ValueEnum};
use icr_engine::{CommandKind, ProjectCommand};
use serde_json::{Map, Value, json};

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style};
use crate::problem;

/// Show the commands that build, test, lint, format and run the project, read from its manifests
#[derive(Debug, Args)]
pub(crate) struct Commands {
    /// Only commands of this kind
    #[arg(long = "type", value_enum, default_value_t = CommandKindFilter::All)]
    kind: CommandKindFilter,
}

/// Kinds of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CommandKindFilter {
    Build,
    Test,
    Lint,
    Format,
    Run,
    All,
}

impl CommandKindFilter {
    fn includes(self, kind: CommandKind) -> bool {
        match self {
            Self::All => true,
            Self::Build => kind == CommandKind::Build,
            Self::Test => kind == CommandKind::Test,
            Self::Lint => kind == CommandKind::Lint,
            Self::Format => kind == CommandKind::Format,
            Self::Run => kind == CommandKind::Run,
        }
    }
}

impl Commands {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let (found, provenance) = Context::open(global)?.ask(icr_engine::project_commands)?;
        let shown: Vec<&ProjectCommand> =
            found.commands.iter().filter(|command| self.kind.includes(command.kind)).collect();
        let code = if shown.is_empty() { problem::FINDING } else { problem::OK };
        let answer = json!({
            "detected_tools": found.detected_tools,
            "commands": by_kind(&shown),
            "warnings": found.warnings,
        });
        output.answer(&answer, &provenance, code, |output| {
            for command in &shown {
                let kind = output.styled(Style::Name, format_args!("{:<6}", command.kind.name()));
                let place =
                    if command.directory.is_empty() { String::new() } else { format!(" (in {})", command.directory) };
                let source = output.styled(Style::Faint, format_args!("{}: {}", command.tool, command.source));
                output.line(format_args!("{kind} {}{place}  {source}", command.command))?;
            }
            found.warnings.iter().try_for_each(|warning| output.line(format_args!("warning: {warning}")))
        })
    }
}

/// Per kind the command to use, and the others under `alternatives`.
fn by_kind(commands: &[&ProjectCommand]) -> Map<String, Value> {
    let entry = |command: &ProjectCommand| {
        json!({
            "command": command.command,
            "source": command.source,
            "directory": command.directory,
            "tool": command.tool,
            "declared": command.declared,
        })
    };
    let mut kinds = Map::new();
    for kind in CommandKind::ALL {
        let mut of_kind = commands.iter().filter(|command| command.kind == kind);
        if let Some(first) = of_kind.next() {
            let mut value = entry(first);
            value["alternatives"] = of_kind.map(|command| entry(command)).collect();
            kinds.insert(kind.name().to_owned(), value);
        }
    }
    kinds
}
