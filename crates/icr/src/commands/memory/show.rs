//! `icr memory show`

use clap::Args;
use icr_memory::{Entity, MemoryItem, RecordId, effective_weight};
use serde_json::json;

use super::shown::{Detail, age, write_item};
use super::{record_id, told};
use crate::arguments::Global;
use crate::memory_place::{MemoryContext, now_ms};
use crate::output::{Output, Style};
use crate::problem;

/// Show a memory, and what it said before
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Its id
    #[arg(value_parser = record_id)]
    id: RecordId,
}

impl Show {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let database = context.readable()?;
        let memory = icr_memory::memory_of(&database, &self.id).map_err(told)?;
        let weight = (memory.weight, memory.weight_at);
        let weight = effective_weight(weight, memory.importance, memory.access_count, context.rules(), now);
        let recalled = icr_memory::RecalledMemory { memory, score: 1.0, weight };
        let items = context.items(std::slice::from_ref(&recalled)).0;
        let item = items.into_iter().next().unwrap_or_else(|| MemoryItem::new(&recalled.memory, weight, None));
        let item = MemoryItem { score: None, ..item };
        let history = icr_memory::history(&database, Entity::Memory, self.id.as_str()).map_err(told)?;
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
            let said = before["summary"].as_str().map_or_else(String::new, |text| format!(": {}", one_line(text)));
            let when = age(operation.at.0, now);
            let line = format!("  {} ({}, operation {}){said}", operation.kind, when, operation.number);
            output.line(output.styled(Style::Faint, line))?;
        }
        Ok(problem::OK)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
