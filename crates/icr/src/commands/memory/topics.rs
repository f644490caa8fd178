//! `icr topics`

use clap::Args;
use serde_json::json;

use super::{ListForm, told};
use crate::arguments::Global;
use crate::memory_place::{MemoryContext, now_ms};
use crate::output::{Output, Style};
use crate::problem;

/// List topics with how many memories each has
#[derive(Debug, Args)]
pub(crate) struct Topics {
    /// Those of all projects
    #[arg(long)]
    all_projects: bool,
    #[command(flatten)]
    form: ListForm,
}

impl Topics {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open(global)?;
        let database = context.readable()?;
        let topics = icr_memory::topics(&database, &context.scope(self.all_projects), now_ms()).map_err(told)?;
        if output.is_json() {
            output.json(&json!({ "topics": topics }))?;
            return Ok(problem::OK);
        }
        if topics.is_empty() && !global.quiet {
            output.line("No topics yet.")?;
        }
        let width = topics.iter().map(|topic| topic.topic.chars().count()).max().unwrap_or_default();
        for topic in &topics {
            let gap = " ".repeat(width - topic.topic.chars().count());
            let project = if self.all_projects && !topic.project.is_empty() {
                output.styled(Style::Faint, format_args!("  {}", topic.project))
            } else {
                String::new()
            };
            let name = output.styled(Style::Name, &topic.topic);
            output.line(format_args!("{name}{gap}  {:>6}{project}", topic.count))?;
        }
        Ok(problem::OK)
    }
}
