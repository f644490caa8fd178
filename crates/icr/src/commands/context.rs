//! `icr context`

use clap::Args;
use icr_engine::{ContextRequest, Script};

use crate::arguments::Global;
use crate::context::Context;
use crate::output::Output;
use crate::problem;
use crate::project_commands::{CommandKind, detect, manifests};

/// Kinds of commands that whoever pursues a goal needs, the most needed first.
const SCRIPTS: [CommandKind; 3] = [CommandKind::Test, CommandKind::Build, CommandKind::Lint];

/// Say where to look for a goal: files, who imports them, what changes with them, in about 300 tokens
#[derive(Debug, Args)]
pub(crate) struct ContextMap {
    /// What you want to do, in words
    #[arg(required = true)]
    goal: Vec<String>,
    /// Most model tokens of the text
    #[arg(long, value_name = "TOKENS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(50..=4_000))]
    budget: u32,
}

impl ContextMap {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let (answer, provenance) = Context::open(global)?.ask(|snapshot| {
            let files = snapshot.manifests(manifests())?;
            let files: Vec<(String, Vec<u8>)> = files.into_iter().map(|file| (file.path, file.content)).collect();
            let request =
                ContextRequest { goal: self.goal.join(" "), scripts: scripts(&files), budget_tokens: self.budget };
            snapshot.context(&request)
        })?;
        let code = if answer.map.files.is_empty() { problem::FINDING } else { problem::OK };
        output.answer(&answer, &provenance.lacking(&answer.gaps), code, |output| {
            output.line(answer.map.text.strip_suffix('\n').unwrap_or(&answer.map.text))
        })
    }
}

/// The command to use of each kind.
fn scripts(files: &[(String, Vec<u8>)]) -> Vec<Script> {
    let found = detect(files);
    let first = |kind: &CommandKind| {
        let command = found.commands.iter().find(|command| command.kind == *kind)?;
        let place = if command.directory.is_empty() { String::new() } else { format!(" (in {})", command.directory) };
        Some(Script { kind: kind.name().to_owned(), command: format!("{}{place}", command.command) })
    };
    SCRIPTS.iter().filter_map(first).collect()
}
