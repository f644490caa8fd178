//! `icr store`

use clap::Args;
use icr_memory::{Author, Importance, MemoryKind, MemoryOrigin, NewMemory, StoreAction};
use icr_model::UnixMillis;

use super::{importance, memory_error};
use crate::arguments::Global;
use crate::config::duration;
use crate::memory_context::{MemoryContext, now_ms, text_or_input};
use crate::output::{Output, note};
use crate::problem::{self, Usage};

/// Store a memory
///
/// A memory belongs to the repository that it is stored in, and is recalled there and in its worktrees and clones. A
/// memory stored outside of any repository is recalled everywhere. The same text of one kind under one topic is stored
/// once; a near duplicate without contradiction is extended by what is new. Files and definitions that the text names
/// are recorded, so that recall can say when they have changed; names with more than three definitions are not.
#[derive(Debug, Args)]
pub(crate) struct Store {
    /// Topic to file it under
    #[arg(short, long, value_name = "TOPIC")]
    topic: String,
    /// What to remember; `-` reads standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    content: String,
    /// How much it matters: low, medium, high or critical
    #[arg(short, long, value_name = "LEVEL", default_value = "medium", value_parser = importance)]
    importance: Importance,
    /// Words to find it by, separated by commas
    #[arg(short, long, value_name = "WORDS", value_delimiter = ',')]
    keywords: Vec<String>,
    /// Original text that the memory was taken from
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    raw: Option<String>,
    /// File that the memory is about; may be given again
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Definition that the memory is about, like `Store::open`; may be given again
    #[arg(long = "symbol", value_name = "NAME")]
    symbols: Vec<String>,
    /// How long the memory is valid, like `7d` [default: for ever]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    ttl: Option<String>,
    #[arg(long, value_name = "KIND", default_value = "episodic", value_parser = kind, help = kind_help())]
    kind: MemoryKind,
}

impl Store {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let summary = text_or_input(&self.content)?;
        let expires_at = self.ttl.as_deref().map(|ttl| expiry(ttl, now)).transpose()?;
        let mut new = NewMemory {
            project: context.project.clone(),
            topic: self.topic.clone(),
            summary,
            raw_excerpt: self.raw.clone(),
            keywords: self.keywords.iter().filter(|word| !word.trim().is_empty()).cloned().collect(),
            importance: self.importance,
            source: MemoryOrigin::default(),
            author: Author::Person,
            kind: self.kind,
            expires_at,
            code: None,
        };
        new.check().map_err(memory_error)?;
        let mut database = context.for_changes()?;
        new.code = context.code_of(&new.summary, &self.paths, &self.symbols)?;
        let outcome = icr_memory::store(&mut database, &new, now).map_err(memory_error)?;
        if output.is_json() {
            output.json(&serde_json::to_value(&outcome)?)?;
            return Ok(problem::OK);
        }
        output.line(match outcome.action {
            StoreAction::Added => format!("Stored: {}", outcome.id),
            StoreAction::SameText => match outcome.expires_at {
                end if self.ttl.is_none() || end == expires_at.map(UnixMillis::to_moment) => {
                    format!("Stored: {} (the same text was there already)", outcome.id)
                }
                Some(end) => format!("Stored: {} (the same text was there already, valid until {end})", outcome.id),
                None => format!("Stored: {} (the same text was there already, valid for ever)", outcome.id),
            },
            StoreAction::Merged => format!("Updated existing memory: {} (`icr undo` takes that back)", outcome.id),
        })?;
        if global.quiet {
            return Ok(problem::OK);
        }
        if new.code.is_none() && icr_engine::may_name_code(&new.summary) && context.is_unindexed()? {
            output.flush()?;
            let advice = "the repository is not indexed, so that changes of the code it names are not noticed; `icr index`, then store it again";
            note(&mut std::io::stderr().lock(), advice);
        } else if let Some(notice) = context.ambiguity_of(&new.summary) {
            output.flush()?;
            note(&mut std::io::stderr().lock(), &notice);
        }
        if !outcome.similar.is_empty() {
            let ids: Vec<&str> = outcome.similar.iter().map(icr_memory::RecordId::as_str).collect();
            output.line(format_args!("similar and kept apart: {}", ids.join(", ")))?;
        }
        if outcome.needs_consolidation {
            let (topic, count) = (&self.topic, outcome.topic_count);
            output.line(format_args!(
                "topic `{topic}` has {count} memories; `icr consolidate -t {topic}` makes one of them"
            ))?;
        }
        Ok(problem::OK)
    }
}

fn kind_help() -> String {
    format!("What kind it is: {}", MemoryKind::ALL.map(MemoryKind::name).join(", "))
}

fn kind(name: &str) -> Result<MemoryKind, String> {
    MemoryKind::from_name(name).ok_or_else(|| {
        let names = MemoryKind::ALL.map(MemoryKind::name);
        format!("expected one of {}", names.join(", "))
    })
}

/// Time at which a memory stored at `now` with this `ttl` expires.
fn expiry(ttl: &str, now: UnixMillis) -> Result<UnixMillis, Usage> {
    let ms = duration(ttl).and_then(|ms| i64::try_from(ms).ok()).filter(|ms| *ms > 0);
    ms.and_then(|ms| now.0.checked_add(ms)).map(UnixMillis).ok_or_else(|| Usage {
        message: format!("`--ttl` is `{ttl}`"),
        hint: Some("give a time like `12h` or `7d`".to_owned()),
    })
}
