//! `icr consolidate`

use clap::Args;
use icr_memory::{Author, ConsolidationRequest, MemoryOrigin};

use super::memory_error;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms, text_or_input};
use crate::output::{Output, count_text};
use crate::problem;

/// Merge all memories of a topic into one
///
/// The merged memories are archived: they are not recalled any more, `icr list --archived` lists them, and `icr undo`
/// restores them.
#[derive(Debug, Args)]
pub(crate) struct Consolidate {
    /// The topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: String,
    /// Text of the merged memory; `-` reads standard input [default: all texts, one line each]
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    summary: Option<String>,
    /// Keep recalling the merged memories as before
    #[arg(long)]
    keep_originals: bool,
}

impl Consolidate {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let summary = self.summary.as_deref().map(text_or_input).transpose()?;
        let code = summary.as_deref().map(|summary| context.code_of(summary, &[], &[])).transpose()?.flatten();
        let request = ConsolidationRequest {
            project: context.project.clone(),
            topic: self.topic.clone(),
            summary,
            code,
            keep_originals: self.keep_originals,
            author: Author::Person,
            source: MemoryOrigin::default(),
        };
        let mut database = context.for_changes()?;
        let consolidation = icr_memory::consolidate(&mut database, &request, now_ms()).map_err(memory_error)?;
        if output.is_json() {
            output.json(&serde_json::to_value(&consolidation)?)?;
            return Ok(problem::OK);
        }
        let count = count_text(consolidation.sources.len() as u64, "memory", "memories");
        let originals = if self.keep_originals { "kept" } else { "archived" };
        output.line(format_args!(
            "Consolidated {count} from '{}' into {} (originals {originals}).",
            self.topic, consolidation.id
        ))?;
        Ok(problem::OK)
    }
}
