//! `icr prune`

use clap::Args;
use icr_memory::{Author, MemoryItem};
use serde_json::json;

use super::memory_error;
use super::naming::reminder;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem;

/// Remove memories whose weight has become low
///
/// Only memories of low and medium importance, of this project and of no project. `icr undo` restores them.
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Weight below which memories are removed [default: `memory.prune_threshold`]
    #[arg(short, long, value_name = "WEIGHT", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Only show which memories would be removed
    #[arg(long)]
    dry_run: bool,
    /// Memories of all projects
    #[arg(long)]
    all_projects: bool,
}

impl Prune {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let threshold = self.threshold.unwrap_or(context.rules().prune_threshold);
        let scope = context.scope(self.all_projects);
        let mut database = if self.dry_run { context.readable()? } else { context.for_changes()? };
        let pruning = icr_memory::prune(&mut database, &scope, threshold, self.dry_run, Author::Person, now_ms());
        let pruning = pruning.map_err(memory_error)?;
        if output.is_json() {
            let memories: Vec<MemoryItem> =
                pruning.memories.iter().map(|(memory, weight)| MemoryItem::new(memory, *weight, None)).collect();
            let mut value = serde_json::to_value(&pruning)?;
            value["memories"] = json!(memories);
            output.json(&value)?;
            return Ok(problem::OK);
        }
        for (memory, weight) in pruning.memories.iter().filter(|_| self.dry_run) {
            output.line(format_args!("  [dry-run] would prune: {} (weight={weight:.3})", memory.id))?;
            output.line(format_args!("    {}", reminder(&memory.topic, &memory.summary)))?;
        }
        let count = count_text(pruning.count as u64, "memory", "memories");
        let verb = if self.dry_run { "Would prune" } else { "Pruned" };
        output.line(format_args!("{verb} {count} (threshold={threshold})."))?;
        Ok(problem::OK)
    }
}
