//! `icr memory show`

use clap::Args;
use icr_memory::{Entity, RecordId};
use serde_json::json;

use super::memory_text::{Detail, age, write_faint, write_item};
use super::naming::own_memory;
use super::{memory_error, record_id};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::Output;
use crate::problem;

/// Show a memory and its earlier texts
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Id of the memory, or the beginning of it
    #[arg(value_parser = record_id)]
    id: RecordId,
    /// Show the memory even if it is of another project
    #[arg(long)]
    all_projects: bool,
}

impl Show {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        let database = context.readable()?;
        let memory = own_memory(&context, &database, (&self.id, self.all_projects), now)?;
        let history = icr_memory::history(&database, Entity::Memory, memory.id.as_str()).map_err(memory_error)?;
        let item = context.memory_items(vec![memory], now).pop().expect("one was listed");
        if output.is_json() {
            let history: Vec<_> = history
                .iter()
                .map(|(operation, before)| json!({ "operation": operation.number, "kind": operation.kind, "at": operation.at, "before": before }))
                .collect();
            output.json(&json!({ "memory": item, "history": history }))?;
            return Ok(problem::OK);
        }
        write_item(output, &item, now, Detail { all: true })?;
        for (operation, before) in &history {
            let (kind, number, when) = (&operation.kind, operation.number, age(operation.at, now));
            let line = match before["summary"].as_str() {
                Some(text) => format!("before {kind} (operation {number}, {when}): {}", one_line(text)),
                None => format!("{kind} (operation {number}, {when})"),
            };
            write_faint(output, "  ", &line)?;
        }
        Ok(problem::OK)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
