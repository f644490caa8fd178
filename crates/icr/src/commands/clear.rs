//! `icr clear`

use std::collections::BTreeSet;

use anyhow::Context as _;
use clap::Args;
use icr_agents::{Prior, Session};
use serde_json::json;

use super::hook::agent::{ledger_memories, prior_path, sessions_directory};
use super::memory::memory_error;
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, Style, count_text};
use crate::problem::{self, Usage};

/// Forget what hooks recorded of agents' sessions in this repository
///
/// This is what was shown, which tools were used, and how often context helped. Memories and pins are kept.
#[derive(Debug, Args)]
pub(crate) struct Clear {
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
}

impl Clear {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if global.read_only && !self.dry_run {
            let message = "`icr clear` removes records, which `--read-only` forbids".to_owned();
            return Err(Usage { message, hint: Some("`--dry-run` says what would be forgotten".to_owned()) }.into());
        }
        let context = Context::open(global)?;
        let directory = sessions_directory(&context.home, context.engine.repo_id());
        let prior = prior_path(&directory);
        let (sessions, has_prior) = match self.dry_run {
            true => (Session::count(&directory), prior.is_file()),
            false => {
                let sessions = Session::clear_all(&directory).context("removing the records of sessions")?;
                (sessions, Prior::clear(&prior).context("removing what was learned from sessions")?)
            }
        };
        if output.is_json() {
            output.json(&json!({ "sessions": sessions, "prior": has_prior, "dry_run": self.dry_run }))?;
            return Ok(problem::OK);
        }
        if global.quiet {
            return Ok(problem::OK);
        }
        let counted = count_text(sessions as u64, "session", "sessions");
        let what = match (sessions, has_prior) {
            (0, false) => None,
            (0, true) => Some("how often context helped".to_owned()),
            (_, false) => Some(counted),
            (_, true) => Some(format!("{counted}, and how often context helped")),
        };
        match what {
            None => output.line("nothing is recorded of sessions here")?,
            Some(what) => {
                let done = if self.dry_run { "would forget" } else { "forgot" };
                output.line(format_args!("{done} {what}"))?;
            }
        }
        output.line(output.styled(Style::Faint, "memories and pins stay; `icr unpin ID` forgets a pin"))?;
        let memory = MemoryContext::open(global)?;
        let entries = ledger_memories(&memory, &memory.readable()?, now_ms()).map_err(memory_error)?;
        let topics: BTreeSet<String> = entries.into_iter().map(|memory| memory.topic).collect();
        for topic in topics {
            let stated = format!("`icr forget --topic '{topic}'` forgets what ledgers stated");
            output.line(output.styled(Style::Faint, stated))?;
        }
        Ok(problem::OK)
    }
}
