//! `icr undo`

use clap::Args;
use icr_memory::{Author, UndoTarget};
use serde_json::json;

use super::log::RECORDS_SHOWN;
use super::memory_error;
use super::naming::record_line;
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem;

/// Undo a change to memories, memoirs or pins
///
/// Without a number, undoes the newest operation of this project (or of no project) that was not undone; `icr memory
/// log` lists them. Undoing an undo does the operation again. Recalls, decay and new vectors are not operations.
#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Number of the operation
    operation: Option<i64>,
    /// Undo a change to the pins of this clone
    #[arg(long)]
    pins: bool,
    /// Undo the newest operation of all projects
    #[arg(long, conflicts_with_all = ["operation", "pins"])]
    all_projects: bool,
}

impl Undo {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if self.pins {
            let context = Context::open(global)?;
            let undone = context.engine.pins().undo(self.operation, now_ms().to_moment())?;
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
        let target = match self.operation {
            Some(number) => UndoTarget::Number(number),
            None => UndoTarget::Newest(context.scope(self.all_projects)),
        };
        let undone = icr_memory::undo(&mut database, target, Author::Person, now_ms()).map_err(memory_error)?;
        if output.is_json() {
            output.json(&json!(undone))?;
        } else {
            let shown = undone.records.iter().take(RECORDS_SHOWN);
            let lines = shown.map(|record| record_line(&database, &record.entity, &record.id));
            let lines: Vec<String> = lines.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
            let (what, below) = match (&undone.records[..], &lines[..]) {
                ([_], [line]) => (line.clone(), &[][..]),
                (records, lines) => (count_text(records.len() as u64, "record", "records"), lines),
            };
            let (kind, number) = (&undone.kind, undone.operation);
            if undone.records.is_empty() {
                output.line(format_args!(
                    "Undone: {kind} (operation {number}), which had changed no text; what it told of recalls stays"
                ))?;
                return Ok(problem::OK);
            }
            output.line(format_args!(
                "Undone: {kind} of {what} (operation {number}; `icr undo {}` does it again)",
                undone.undone_by
            ))?;
            below.iter().try_for_each(|line| output.line(format_args!("  {line}")))?;
            if let more @ 1.. = undone.records.len().saturating_sub(RECORDS_SHOWN) {
                output.line(format_args!("  and {more} more"))?;
            }
        }
        Ok(problem::OK)
    }
}
