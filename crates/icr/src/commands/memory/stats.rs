//! `icr stats`

use clap::Args;
use icr_model::Moment;

use super::{ListForm, memory_error};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::Output;
use crate::problem;

/// Show how much is remembered
#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Count memories of all projects
    #[arg(long)]
    all_projects: bool,
    #[command(flatten)]
    form: ListForm,
}

impl Stats {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open_for_questions(global)?;
        let database = context.readable()?;
        let found =
            icr_memory::statistics(&database, &context.scope(self.all_projects), now_ms()).map_err(memory_error)?;
        if output.is_json() {
            let mut value = serde_json::to_value(&found)?;
            value["database"] = context.path().display().to_string().into();
            output.json(&value)?;
            return Ok(problem::OK);
        }
        let moment = |moment: Option<Moment>| moment.map_or_else(|| "-".to_owned(), |moment| moment.to_string());
        for (name, value) in [
            ("Memories:", found.memories.to_string()),
            ("Archived:", found.archived.to_string()),
            ("Topics:", found.topics.to_string()),
            ("Avg weight:", format!("{:.3}", found.average_weight)),
            ("Oldest:", moment(found.oldest)),
            ("Newest:", moment(found.newest)),
            ("Memoirs:", found.memoirs.to_string()),
            ("Concepts:", found.concepts.to_string()),
            ("Links:", found.links.to_string()),
            ("Database:", context.path().display().to_string()),
        ] {
            output.line(format_args!("{name:<11} {value}"))?;
        }
        Ok(problem::OK)
    }
}
