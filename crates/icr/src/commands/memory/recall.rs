//! `icr recall`

use clap::Args;
use icr_engine::Strength;
use icr_memory::{MemoryItem, RecallAnswer, RecallRequest, touch};
use icr_model::UnixMillis;
use serde_json::json;

use super::extract::project_name;
use super::memory_text::{absent_code_note, write_items};
use super::{MemoryForm, memory_error, write_nameless_note};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, Style, note};
use crate::problem::{self, Usage};

/// Find memories about something
///
/// The question may be in any words. Searches memories of this repository and of no repository, or with
/// `--all-projects` all. Exits with 1 if nothing is found.
#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// What to look for
    query: String,
    /// Search only memories under this topic
    #[arg(short, long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Most memories shown [default: `recall.limit`]
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=200))]
    limit: Option<u8>,
    /// Show only memories with this keyword
    #[arg(short, long, value_name = "WORD")]
    keyword: Option<String>,
    /// Ask the memories of all projects
    #[arg(long)]
    all_projects: bool,
    /// Name of the project to search; an empty name searches all projects
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_projects", hide = true)]
    project: Option<String>,
    /// Do not count this as an access
    #[arg(long)]
    no_touch: bool,
    #[command(flatten)]
    form: MemoryForm,
}

impl Recall {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        self.form.choose(output);
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        let limit = self.limit.map_or_else(|| configured(&context), usize::from);
        let request = RecallRequest {
            query: self.query.clone(),
            scope: context.scope(self.asks_all_projects(global)?),
            topic: self.topic.clone(),
            keyword: self.keyword.clone(),
            // Twice as many, because some may be hidden.
            limit: (limit * 2).min(icr_memory::RECALL_MOST),
        };
        let mut database = context.readable()?;
        let answer = icr_memory::recall(&database, &request, now).map_err(memory_error)?;
        let (items, code) = self.write(&context, &answer, limit, now, global, output)?;
        // Written first: the answer does not wait until its accesses can be counted.
        output.flush()?;
        write_nameless_note(&database, global)?;
        if !self.no_touch && answer.strength != Strength::None {
            let ids: Vec<_> = items.iter().map(|item| item.id.clone()).collect();
            if let Err(error) = touch(&mut database, &ids, now) {
                tracing::info!("accesses are not counted: {error}");
            }
        }
        Ok(code)
    }

    /// Writes the answer; returns the memories that it shows, and the exit code.
    fn write(
        &self,
        context: &MemoryContext,
        answer: &RecallAnswer,
        limit: usize,
        now: UnixMillis,
        global: &Global,
        output: &mut Output,
    ) -> anyhow::Result<(Vec<MemoryItem>, u8)> {
        // A memory that scores far below the best does not answer. Programs get it with its score and decide
        // themselves.
        let answering = icr_memory::answering(&answer.memories, icr_memory::ANSWERING_SHARE);
        let (mut items, hidden) = context.items(&answering);
        let is_known = answer.strength != Strength::None && !items.is_empty();
        if output.is_json() {
            items = context.items(&answer.memories).0;
        }
        items.truncate(answer.strength.shown_count(limit));
        let code = if is_known { problem::OK } else { problem::FINDING };
        if output.is_json() {
            output.json(&json!({ "memories": items, "strength": answer.strength, "hidden": hidden }))?;
            return Ok((items, code));
        }
        if let Some(rows) = self.form.rows(if is_known { &items } else { &[] })? {
            output.line(rows.trim_end())?;
            return Ok((items, code));
        }
        if !is_known && !global.quiet {
            output.flush()?;
            let absent = absent_code_note(hidden, false).filter(|_| answer.strength != Strength::None);
            let nothing = absent.unwrap_or_else(|| "nothing is remembered about this".to_owned());
            note(&mut std::io::stderr().lock(), &nothing);
            if !items.is_empty() {
                output.line("Nearest:")?;
            }
        }
        if is_known && answer.strength == Strength::Weak && !global.quiet {
            output.line(output.styled(Style::Faint, "Perhaps:"))?;
        }
        write_items(output, &items, now, global.verbose > 0)?;
        if let Some(absent) = absent_code_note(hidden, true).filter(|_| is_known && !global.quiet) {
            output.flush()?;
            note(&mut std::io::stderr().lock(), &absent);
        }
        Ok((items, code))
    }
}

impl Recall {
    /// Whether to search the memories of all projects. `--project` exists because other programs pass a project name.
    fn asks_all_projects(&self, global: &Global) -> Result<bool, Usage> {
        let elsewhere = "stand in its directory or name that by `--repo PATH`, or ask all projects by `--all-projects`";
        match self.project.as_deref() {
            None => Ok(self.all_projects),
            Some("") => Ok(true),
            Some(name) if name == project_name(global) => Ok(false),
            Some(name) => Err(Usage {
                message: format!("`--project {name}` is not the project here"),
                hint: Some(elsewhere.to_owned()),
            }),
        }
    }
}

/// Number of memories in an answer by default.
fn configured(context: &MemoryContext) -> usize {
    usize::try_from(context.config.get_integer("recall.limit")).unwrap_or(1)
}
