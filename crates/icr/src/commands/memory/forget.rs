//! `icr forget`

use clap::Args;
use icr_memory::{Author, ListRequest, RecordId};
use serde_json::json;

use super::{record_id, told};
use crate::arguments::Global;
use crate::memory_place::{MemoryContext, now_ms};
use crate::output::{Output, counted};
use crate::problem::{self, Usage};

/// Forget a memory, or all of a topic
///
/// `icr undo` brings them back.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Its id
    #[arg(value_parser = record_id, required_unless_present = "topic", conflicts_with = "topic")]
    id: Option<RecordId>,
    /// Forget all memories of this project that are filed under the topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
}

impl Forget {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let mut database = context.for_changes()?;
        let ids = match (&self.id, &self.topic) {
            (Some(id), _) => vec![id.clone()],
            (None, Some(topic)) => {
                let scope = context.scope(false);
                let request = ListRequest { scope, topic: Some(topic.clone()), ..ListRequest::default() };
                let memories = icr_memory::list(&database, &request, now).map_err(told)?;
                memories.into_iter().map(|memory| memory.id).collect()
            }
            (None, None) => return Err(Usage { message: "no memory is named".to_owned(), hint: None }.into()),
        };
        if ids.is_empty() {
            let name = self.topic.clone().unwrap_or_default();
            return Err(told(icr_memory::Error::NotFound { entity: "topic", name, similar: Vec::new() }));
        }
        for id in &ids {
            icr_memory::forget(&mut database, id, Author::Person, now).map_err(told)?;
        }
        if output.is_json() {
            output.json(&json!({ "forgotten": ids }))?;
        } else if let Some(topic) = &self.topic {
            let count = counted(ids.len() as u64, "memory", "memories");
            output.line(format_args!("Deleted {count} from topic: {topic}"))?;
        } else {
            output.line(format_args!("Deleted: {}", ids[0]))?;
        }
        Ok(problem::OK)
    }
}
