//! `icr memory log`

use clap::Args;
use icr_model::{Moment, UnixMillis};
use serde_json::json;

use super::memory_error;
use super::memory_text::age;
use super::naming::record_line;
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, Style, count_text};
use crate::problem;

/// List changes to memories of this project and to memoirs, newest first
#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Most operations shown
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Show changes to the pins of this clone
    #[arg(long)]
    pins: bool,
    /// Operations of all projects
    #[arg(long, conflicts_with = "pins")]
    all_projects: bool,
}

impl Log {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let now = now_ms();
        if self.pins {
            let operations = Context::open(global)?.engine.pins().operations(self.limit)?;
            if output.is_json() {
                output.json(&json!({ "operations": operations }))?;
                return Ok(problem::OK);
            }
            for operation in &operations {
                let what = format!("{} {}", operation.kind, operation.source_id);
                line(output, operation.number, &what, operation.at, now, operation.undone_by)?;
            }
            return Ok(problem::OK);
        }
        let context = MemoryContext::open_for_questions(global)?;
        let database = context.readable()?;
        let operations =
            icr_memory::operations(&database, &context.scope(self.all_projects), self.limit).map_err(memory_error)?;
        if output.is_json() {
            output.json(&json!({ "operations": operations }))?;
            return Ok(problem::OK);
        }
        for operation in &operations {
            let records = match &operation.records[..] {
                [record] => format!("{} {}", record.entity, record.id),
                records => count_text(records.len() as u64, "record", "records"),
            };
            let what = format!("{} {records} by {}", operation.kind, operation.author.name());
            line(output, operation.number, &what, operation.at, now, operation.undone_by)?;
            for record in operation.records.iter().take(RECORDS_SHOWN) {
                if let Some(record) = record_line(&database, &record.entity, &record.id)? {
                    output.line(format_args!("       {record}"))?;
                }
            }
            if let more @ 1.. = operation.records.len().saturating_sub(RECORDS_SHOWN) {
                output.line(output.styled(Style::Faint, format_args!("       and {more} more")))?;
            }
        }
        Ok(problem::OK)
    }
}

/// Records of one operation that are shown: an import may have thousands.
pub(super) const RECORDS_SHOWN: usize = 3;

fn line(
    output: &mut Output,
    number: i64,
    what: &str,
    at: Moment,
    now: UnixMillis,
    undone_by: Option<i64>,
) -> std::io::Result<()> {
    let number = output.styled(Style::Number, format_args!("{number:>5}"));
    let undone = undone_by.map(|by| format!(", undone by {by}")).unwrap_or_default();
    let when = output.styled(Style::Faint, format_args!("{}{undone}", age(at, now)));
    output.line(format_args!("{number}  {what}  {when}"))
}
