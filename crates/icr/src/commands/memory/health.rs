//! `icr health`

use clap::Args;
use serde_json::json;

use super::memory_text::age;
use super::naming::TOPIC_COLUMNS;
use super::{ListForm, memory_error};
use crate::arguments::Global;
use crate::columns::{columns, padding, shortened};
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, Style};
use crate::problem;

/// Show which topics are stale or have too much to read
#[derive(Debug, Args)]
pub(crate) struct Health {
    /// Only this topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Topics of all projects
    #[arg(long)]
    all_projects: bool,
    #[command(flatten)]
    form: ListForm,
}

impl Health {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        let database = context.readable()?;
        let scope = context.scope(self.all_projects);
        let topics = icr_memory::health(&database, &scope, self.topic.as_deref(), now).map_err(memory_error)?;
        if output.is_json() {
            output.json(&json!({ "topics": topics }))?;
            return Ok(problem::OK);
        }
        if topics.is_empty() && !global.quiet {
            output.line("No topics yet.")?;
        }
        let names: Vec<String> = topics.iter().map(|topic| shortened(&topic.topic, TOPIC_COLUMNS)).collect();
        let width = names.iter().map(|name| columns(name)).max().unwrap_or_default();
        for (topic, name) in topics.iter().zip(&names) {
            let gap = padding(name, width);
            let name = output.styled(Style::Name, name);
            let mut state = Vec::new();
            if topic.needs_consolidation {
                state.push("consolidate".to_owned());
            }
            if topic.stale > 0 {
                state.push(format!("{} stale", topic.stale));
            }
            let state = if state.is_empty() { "ok".to_owned() } else { state.join(", ") };
            let (count, weight, last) = (topic.count, topic.average_weight, age(topic.last_accessed, now));
            output.line(format_args!("{name}{gap}  {count:>5}  weight {weight:.2}  used {last}  {state}"))?;
        }
        Ok(problem::OK)
    }
}
