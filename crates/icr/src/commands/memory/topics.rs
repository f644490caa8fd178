//! `icr topics`

use clap::Args;
use serde_json::json;

use super::naming::TOPIC_COLUMNS;
use super::{ListForm, memory_error};
use crate::arguments::Global;
use crate::columns::{columns, padding, shortened};
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, Style};
use crate::problem;

/// List topics with the number of their memories
#[derive(Debug, Args)]
pub(crate) struct Topics {
    /// Include topics of all projects
    #[arg(long)]
    all_projects: bool,
    #[command(flatten)]
    form: ListForm,
}

impl Topics {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open_for_questions(global)?;
        let database = context.readable()?;
        let topics =
            icr_memory::topics(&database, &context.scope(self.all_projects), now_ms()).map_err(memory_error)?;
        if output.is_json() {
            output.json(&json!({ "topics": topics }))?;
            return Ok(problem::OK);
        }
        if topics.is_empty() && !global.quiet {
            output.line("No topics yet.")?;
        }
        let names: Vec<String> = topics.iter().map(|topic| shortened(&topic.topic, TOPIC_COLUMNS)).collect();
        let project_name = context.project_names();
        let width = names.iter().map(|name| columns(name)).max().unwrap_or_default();
        for (topic, name) in topics.iter().zip(&names) {
            let gap = padding(name, width);
            let project = if self.all_projects && !topic.project.is_empty() {
                output.styled(Style::Faint, format_args!("  {}", project_name(&topic.project)))
            } else {
                String::new()
            };
            let name = output.styled(Style::Name, name);
            output.line(format_args!("{name}{gap}  {:>6}{project}", topic.count))?;
        }
        Ok(problem::OK)
    }
}
