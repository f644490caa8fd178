//! `icr forget`

use clap::Args;
use icr_memory::{Author, ListScope, RecordId};
use serde_json::json;

use super::naming::{memory_to_change, no_such_topic};
use super::{memory_error, record_id};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text};
use crate::problem::{self, Usage};

/// Forget a memory, or all of a topic
///
/// `icr undo` restores them.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Id of the memory, or the beginning of it
    #[arg(value_parser = record_id, conflicts_with = "topic")]
    id: Option<RecordId>,
    /// Delete all memories of this project under this topic; if it has none there, those that belong to no project
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Delete the memory even if it is of another project
    #[arg(long, conflicts_with = "topic")]
    all_projects: bool,
}

impl Forget {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let mut database = context.for_changes()?;
        let ids = match (&self.id, &self.topic) {
            (Some(id), _) => {
                let id = memory_to_change(&context, &database, (id, self.all_projects), now)?.id;
                icr_memory::forget(&mut database, &id, Author::Person, now).map_err(memory_error)?;
                vec![id]
            }
            (None, Some(topic)) => {
                match icr_memory::forget_topic(&mut database, (&context.project, topic), Author::Person, now) {
                    Err(icr_memory::Error::NotFound { .. }) => {
                        let own = ListScope::Project(context.project.clone());
                        return Err(no_such_topic(&database, &own, topic, now));
                    }
                    forgotten => forgotten.map_err(memory_error)?,
                }
            }
            (None, None) => {
                let hint =
                    Some("name one by its id, or all of a topic by `-t TOPIC`; `icr list` shows both".to_owned());
                return Err(Usage { message: "no memory is named".to_owned(), hint }.into());
            }
        };
        if output.is_json() {
            output.json(&json!({ "forgotten": ids }))?;
        } else if let Some(topic) = &self.topic {
            let count = count_text(ids.len() as u64, "memory", "memories");
            output.line(format_args!("Deleted {count} from topic: {topic}"))?;
        } else {
            output.line(format_args!("Deleted: {}", ids[0]))?;
        }
        Ok(problem::OK)
    }
}
