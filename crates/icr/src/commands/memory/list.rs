//! `icr list`

use clap::{Args, ValueEnum};
use icr_memory::{ListOrder, ListRequest, MemoryItem};
use serde_json::json;

use super::memory_text::write_items;
use super::{MemoryForm, memory_error, write_nameless_note};
use crate::arguments::Global;
use crate::commands::pins::write_pins;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text, note};
use crate::problem;

/// List memories
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Show only memories of this topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Show all memories without a limit, and the pins of the repository
    #[arg(short, long)]
    all: bool,
    /// Order of the list
    #[arg(short, long, value_enum, default_value_t = Sort::Weight)]
    sort: Sort,
    /// Most memories shown
    #[arg(short, long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Also show memories that were consolidated into others or have expired
    #[arg(long)]
    archived: bool,
    /// Memories of all projects
    #[arg(long)]
    all_projects: bool,
    #[command(flatten)]
    form: MemoryForm,
}

/// Orders of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Largest weight first
    Weight,
    /// The newest first.
    Created,
    /// Most recently recalled first
    Accessed,
    /// The most important first.
    Importance,
}

impl List {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        let request = ListRequest {
            scope: context.scope(self.all_projects),
            topic: self.topic.clone(),
            archived: self.archived,
            order: match self.sort {
                Sort::Weight => ListOrder::Weight,
                Sort::Created => ListOrder::Created,
                Sort::Accessed => ListOrder::Accessed,
                Sort::Importance => ListOrder::Importance,
            },
            ..ListRequest::default()
        };
        let database = context.readable()?;
        let mut memories = icr_memory::list(&database, &request, now).map_err(memory_error)?;
        let total = memories.len();
        memories.truncate(if self.all { total } else { self.limit });
        let items: Vec<MemoryItem> = context.memory_items(memories, now);
        write_nameless_note(&database, global)?;
        // A pin has no topic, and belongs to the repository that it was set in.
        let pins = if self.all && self.topic.is_none() { context.pins()? } else { Vec::new() };
        if output.is_json() {
            let mut answer = json!({ "memories": items, "total_count": total });
            if self.all {
                answer["pins"] = json!(pins);
            }
            output.json(&answer)?;
            return Ok(problem::OK);
        }
        if let Some(rows) = self.form.rows(&items)? {
            output.line(rows.trim_end())?;
            return Ok(problem::OK);
        }
        write_items(output, &items, now, global.verbose > 0)?;
        if !pins.is_empty() {
            output.line(if items.is_empty() { "Pins:" } else { "\nPins:" })?;
            write_pins(output, &pins)?;
        }
        output.flush()?;
        if total > items.len() && !global.quiet {
            let count = count_text(total as u64, "memory", "memories");
            note(&mut std::io::stderr().lock(), &format!("{} of {count}; `--all` shows the rest", items.len()));
        }
        if total == 0 && pins.is_empty() && !global.quiet {
            output.line("No memories found.")?;
        }
        Ok(problem::OK)
    }
}
