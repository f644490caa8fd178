//! `icr recall-context`

use clap::Args;
use icr_engine::Strength;
use icr_memory::{MemoryItem, PreambleItem, PreambleLimits, RecallRequest, preamble};
use icr_model::UnixMillis;
use serde_json::json;

use super::memory_error;
use super::memory_text::{absent_code_note, age, altered_place, place_line};
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, note};
use crate::problem;

/// Print memories about something, as text to put in front of a prompt
///
/// The text is fenced as reference: nothing in a memory can end the fence or look like an instruction. Prints nothing
/// if nothing is found.
#[derive(Debug, Args)]
pub(crate) struct RecallContext {
    /// What the prompt is about
    query: String,
    /// Most memories [default: `recall.context_limit`]
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=50))]
    limit: Option<u8>,
    /// Ask the memories of all projects
    #[arg(long)]
    all_projects: bool,
}

impl RecallContext {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open_for_questions(global)?;
        let now = now_ms();
        let number = |key| usize::try_from(context.config.get_integer(key)).unwrap_or(1);
        let limit = self.limit.map_or_else(|| number("recall.context_limit"), usize::from);
        let scope = context.scope(self.all_projects);
        let request = RecallRequest { query: self.query.clone(), scope, limit: limit * 2, ..RecallRequest::default() };
        let database = context.readable()?;
        let answer = icr_memory::recall(&database, &request, now).map_err(memory_error)?;
        let (mut items, hidden) = match answer.strength {
            Strength::None => (Vec::new(), 0),
            Strength::Weak | Strength::Strong => context.items(&icr_memory::answering(&answer.memories, PROMPT_SHARE)),
        };
        items.truncate(limit);
        let text = preamble_of(&context, &items, now);
        let text = match context.config.get_bool("security.mask_credentials") {
            true => icr_secrets::mask_tokens(&text).text.into_owned(),
            false => text,
        };
        if output.is_json() {
            output.json(&json!({ "text": text, "memories": items, "strength": answer.strength }))?;
        } else if text.is_empty() {
            if !global.quiet {
                let nothing = || "nothing is remembered about this".to_owned();
                note(&mut std::io::stderr().lock(), &absent_code_note(hidden, false).unwrap_or_else(nothing));
            }
        } else {
            output.line(text.trim_end())?;
        }
        Ok(problem::OK)
    }
}

/// `items` as text to put in front of a prompt, up to the configured length.
pub(crate) fn preamble_of(context: &MemoryContext, items: &[MemoryItem], now: UnixMillis) -> String {
    let preambles: Vec<Preamble> = items.iter().map(|item| Preamble::of(item, now)).collect();
    let number = |key| usize::try_from(context.config.get_integer(key)).unwrap_or(1);
    let limits = PreambleLimits {
        max_item_chars: number("recall.max_item_chars"),
        max_total_chars: number("recall.max_total_chars"),
    };
    preamble(&preambles.iter().map(Preamble::item).collect::<Vec<_>>(), &limits)
}

/// Share of the best score that a memory needs to be put in front of a prompt. A human reader skips useless memories,
/// but in a prompt they cost tokens.
pub(crate) const PROMPT_SHARE: f64 = 0.25;

/// One memory of the preamble, with the parts of it that are shown.
pub(crate) struct Preamble {
    id: String,
    topic: String,
    text: String,
    importance: &'static str,
    when: String,
    who: &'static str,
    note: Option<String>,
}

impl Preamble {
    /// `item` as of `now`.
    pub(crate) fn of(item: &MemoryItem, now: UnixMillis) -> Self {
        Self {
            id: item.id.to_string(),
            topic: item.topic.clone(),
            text: item.summary.clone(),
            importance: item.importance.name(),
            when: age(item.created_at, now),
            who: item.author.name(),
            note: altered_place(item).map(place_line),
        }
    }

    /// The same, under another topic.
    pub(crate) fn filed_under(self, topic: String) -> Self {
        Self { topic, ..self }
    }

    pub(crate) fn item(&self) -> PreambleItem<'_> {
        PreambleItem {
            topic: &self.topic,
            text: &self.text,
            importance: self.importance,
            when: Some(self.when.clone()),
            who: Some(self.who.to_owned()),
            note: self.note.clone(),
            id: self.id.clone(),
        }
    }
}
