//! `icr update`

use clap::Args;
use icr_memory::{Author, Importance, MemoryItem, MemoryUpdate, RecordId};

use super::naming::memory_to_change;
use super::{importance, memory_error, record_id};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms, text_or_input};
use crate::output::Output;
use crate::problem::{self, Usage};

/// Change a memory
///
/// Fields that are not given stay as they are. The former state is kept: `icr undo` reverts the change.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Id of the memory, or the beginning of it
    #[arg(value_parser = record_id)]
    id: RecordId,
    /// New text; `-` reads standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// New importance: low, medium, high or critical
    #[arg(short, long, value_name = "LEVEL", value_parser = importance)]
    importance: Option<Importance>,
    /// New words to find it by, separated by commas
    #[arg(short, long, value_name = "WORDS", value_delimiter = ',')]
    keywords: Option<Vec<String>>,
    /// New topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Change the memory even if it is of another project
    #[arg(long)]
    all_projects: bool,
}

impl Update {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let is_empty = self.importance.is_none() && self.keywords.is_none() && self.topic.is_none();
        if self.content.is_none() && is_empty {
            return Err(Usage {
                message: "nothing to change is named".to_owned(),
                hint: Some("give `--content`, `--topic`, `--importance` or `--keywords`".to_owned()),
            }
            .into());
        }
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let summary = self.content.as_deref().map(text_or_input).transpose()?;
        let code = summary.as_deref().map(|text| context.code_of(text, &[], &[])).transpose()?.flatten();
        let keywords =
            self.keywords.clone().map(|words| words.into_iter().filter(|word| !word.trim().is_empty()).collect());
        let change = MemoryUpdate {
            summary,
            topic: self.topic.clone(),
            importance: self.importance,
            keywords,
            raw_excerpt: None,
            code,
        };
        let mut database = context.for_changes()?;
        let id = memory_to_change(&context, &database, (&self.id, self.all_projects), now)?.id;
        let memory = icr_memory::update(&mut database, &id, &change, Author::Person, now).map_err(memory_error)?;
        if output.is_json() {
            output.json(&serde_json::to_value(MemoryItem::new(&memory, context.weight_of(&memory, now), None))?)?;
        } else {
            output.line(format_args!("Updated: {}", memory.id))?;
        }
        Ok(problem::OK)
    }
}
