//! `icr embed`

use clap::Args;
use icr_memory::ListScope;

use super::memory_error;
use super::naming::no_such_topic;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem::{self, Usage};

/// Compute the missing vectors of memories
///
/// New memories get vectors when they are stored. This command is for memories that were stored without vectors or with
/// another model. Vectors of other models are kept.
#[derive(Debug, Args)]
pub(crate) struct Embed {
    /// Only memories of this topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Also recompute existing vectors
    #[arg(long)]
    force: bool,
    /// Memories per commit
    #[arg(short, long, value_name = "COUNT", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch_size: u32,
}

impl Embed {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let mut database = context.for_changes()?;
        if database.embedder().is_none() {
            let message = "vectors are switched off".to_owned();
            let hint = Some("leave out `--no-embeddings`, and set `embedding.backend` to `static`".to_owned());
            return Err(Usage { message, hint }.into());
        }
        let report = icr_memory::embed(&mut database, self.topic.as_deref(), self.force, self.batch_size as usize);
        let report = report.map_err(memory_error)?;
        if let Some(topic) = self.topic.as_ref().filter(|_| report.memories == 0) {
            return Err(no_such_topic(&database, &ListScope::All, topic, now_ms()));
        }
        if output.is_json() {
            output.json(&serde_json::to_value(&report)?)?;
        } else if report.embedded == 0 {
            output.line("All memories already have embeddings.")?;
        } else {
            let count = count_text(report.embedded, "memory", "memories");
            output.line(format_args!("Embedded {count} of {}.", report.memories))?;
        }
        Ok(problem::OK)
    }
}
