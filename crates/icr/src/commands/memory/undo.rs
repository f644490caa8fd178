//! `icr undo`

use clap::Args;
use icr_memory::Author;
use serde_json::json;

use super::told;
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_place::{MemoryContext, now_ms};
use crate::output::{Output, counted};
use crate::problem;

/// Take back what was done to memories, memoirs or pins
///
/// Without a number, the newest operation of memories and memoirs that was not taken back; `icr memory log` lists them. Undoing an undoing does it again.
#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Number of the operation
    operation: Option<i64>,
    /// Of the pins of this clone
    #[arg(long)]
    pins: bool,
}

impl Undo {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.pins {
            let context = Context::open(global)?;
            let undone = context.engine.undo_pin(self.operation, now_ms().div_euclid(1_000))?;
            if output.is_json() {
                output.json(&serde_json::to_value(&undone)?)?;
            } else {
                let by = undone.undone_by.unwrap_or_default();
                output.line(format_args!(
                    "Undone: {} {} (operation {}; `icr undo --pins {by}` does it again)",
                    undone.kind, undone.source_id, undone.number
                ))?;
            }
            return Ok(problem::OK);
        }
        let context = MemoryContext::open(global)?;
        let mut database = context.for_changes()?;
        let undone = icr_memory::undo(&mut database, self.operation, Author::Person, now_ms()).map_err(told)?;
        if output.is_json() {
            output.json(&json!(undone))?;
        } else {
            let records = counted(undone.records.len() as u64, "record", "records");
            output.line(format_args!(
                "Undone: {} of {records} (operation {}; `icr undo {}` does it again)",
                undone.kind, undone.operation, undone.undone_by
            ))?;
        }
        Ok(problem::OK)
    }
}
