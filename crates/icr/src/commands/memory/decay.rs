//! `icr decay`

use clap::Args;
use serde_json::json;

use super::memory_error;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem;

/// Write the present weights of memories
///
/// Weights decay with time by themselves, so this is never needed. With a factor, each memory of this project and of no
/// project loses weight in addition; `icr undo` does not give it back.
#[derive(Debug, Args)]
pub(crate) struct Decay {
    /// Share of its weight that a memory of medium importance keeps, like 0.95
    #[arg(short, long, value_name = "FACTOR", allow_negative_numbers = true)]
    factor: Option<f64>,
    /// Memories of all projects
    #[arg(long)]
    all_projects: bool,
}

impl Decay {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let mut database = context.for_changes()?;
        let scope = context.scope(self.all_projects);
        let changed = icr_memory::decay(&mut database, &scope, self.factor, now_ms()).map_err(memory_error)?;
        if output.is_json() {
            output.json(&json!({ "changed": changed, "factor": self.factor }))?;
        } else {
            let count = count_text(changed, "memory", "memories");
            let factor = self.factor.map(|factor| format!(" (factor={factor})")).unwrap_or_default();
            output.line(format_args!("Decay applied{factor} to {count}."))?;
        }
        Ok(problem::OK)
    }
}
