//! `icr decay`

use clap::Args;
use serde_json::json;

use super::memory_error;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem;

/// Write the present weights of all memories
///
/// Weights decay with time by themselves, so this is never needed. With a factor, every memory loses weight in
/// addition.
#[derive(Debug, Args)]
pub(crate) struct Decay {
    /// Share of its weight that a memory of medium importance keeps, like 0.95
    #[arg(short, long, value_name = "FACTOR")]
    factor: Option<f64>,
}

impl Decay {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let mut database = context.for_changes()?;
        let changed = icr_memory::decay(&mut database, self.factor, now_ms()).map_err(memory_error)?;
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
