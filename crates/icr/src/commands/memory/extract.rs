//! `icr extract`

use clap::Args;
use icr_memory::{
    Author, ExtractedFact, ExtractionRules, Importance, MemoryOrigin, NewMemory, StoreAction, StoreOutcome, extract,
    store_all,
};
use serde_json::json;

use super::memory_error;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, input, now_ms};
use crate::output::{Output, count_text, note};
use crate::problem;

/// Extract facts from a text and remember them
///
/// Works by rules, without a model: it takes sentences about decisions, errors and their fixes, and architecture.
/// Questions, plans, code and logs are ignored.
#[derive(Debug, Args)]
pub(crate) struct Extract {
    /// Name of the project, for the topic `context-NAME` [default: the repository's directory]
    #[arg(short, long, value_name = "NAME")]
    project: Option<String>,
    /// The text [default: standard input]
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Keep the beginning of the text with each fact
    #[arg(long)]
    store_raw: bool,
    /// Only show which facts would be stored
    #[arg(long)]
    dry_run: bool,
}

impl Extract {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let text = self.text.clone().map_or_else(input, Ok)?;
        let facts = extract(&text, &rules(&context));
        let topic = format!("context-{}", self.project.clone().unwrap_or_else(|| project_name(global)));
        let mut stored = Vec::new();
        if !self.dry_run && !facts.is_empty() {
            let mut database = context.for_changes()?;
            let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
            let memory = |(fact, code): (&ExtractedFact, _)| NewMemory {
                project: context.project.clone(),
                topic: topic.clone(),
                summary: fact.text.clone(),
                raw_excerpt: self.store_raw.then(|| text.chars().take(EXCERPT_CHARS).collect()),
                importance: fact.importance,
                source: MemoryOrigin("extracted".to_owned()),
                author: Author::Person,
                code,
                ..NewMemory::default()
            };
            let new: Vec<NewMemory> = facts.iter().zip(context.codes_of(&texts)).map(memory).collect();
            stored = store_all(&mut database, &new, now_ms()).map_err(memory_error)?;
        }
        if output.is_json() {
            let facts: Vec<_> = facts
                .iter()
                .map(|fact| json!({ "text": fact.text, "score": fact.score, "importance": fact.importance }))
                .collect();
            output.json(&json!({ "topic": topic, "facts": facts, "stored": stored, "dry_run": self.dry_run }))?;
            return Ok(problem::OK);
        }
        let count = count_text(facts.len() as u64, "fact", "facts");
        if self.dry_run {
            output.line(format_args!("Would extract {count}{}", if facts.is_empty() { "." } else { ":" }))?;
            for fact in &facts {
                output.line(format_args!("  [{}] ({topic}) {}", Importance::name(fact.importance), fact.text))?;
            }
        } else {
            output.line(stored_line(&count, &stored))?;
        }
        if facts.len() == rules(&context).max_kept && !global.quiet {
            output.flush()?;
            let most = format!("{count} is the most of one text (`extraction.max_kept`); there may be more");
            note(&mut std::io::stderr().lock(), &most);
        }
        if facts.is_empty() && !global.quiet {
            output.flush()?;
            let reason = "no sentence states a decision, an error or a setting; `icr store` keeps any text";
            note(&mut std::io::stderr().lock(), reason);
        }
        Ok(problem::OK)
    }
}

/// Text with the number of facts and how many of them are new.
fn stored_line(count: &str, stored: &[StoreOutcome]) -> String {
    let of = |action| stored.iter().filter(|outcome| outcome.action == action).count();
    let (added, merged, same) = (of(StoreAction::Added), of(StoreAction::Merged), of(StoreAction::SameText));
    if added == stored.len() {
        return format!("Extracted and stored {count}.");
    }
    let parts = [(added, "new"), (merged, "merged into what was there"), (same, "there already")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("Extracted {count}: {}.", parts.join(", "))
}

/// Longest part of a text that is stored with each of its facts, in characters.
const EXCERPT_CHARS: usize = 500;

fn rules(context: &MemoryContext) -> ExtractionRules {
    let number = |key| usize::try_from(context.config.get_integer(key)).unwrap_or(usize::MAX);
    ExtractionRules {
        threshold: context.config.get_float("extraction.threshold"),
        min_sentence_chars: number("extraction.min_sentence_chars"),
        max_sentence_chars: number("extraction.max_sentence_chars"),
        max_scored: number("extraction.max_scored"),
        max_kept: number("extraction.max_kept"),
        dedup_jaccard: context.config.get_float("extraction.dedup_jaccard"),
    }
}

/// Name of the repository for people, else `project`.
pub(super) fn project_name(global: &Global) -> String {
    let root = crate::context::locate(global).ok().map(|located| located.root().to_owned());
    let name = root.as_deref().and_then(std::path::Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "project".to_owned())
}
