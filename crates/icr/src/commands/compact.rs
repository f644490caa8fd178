//! `icr compact`

use anyhow::Context as _;
use clap::Args;
use icr_agents::{CompactionNote, Session, SessionEvent, SessionState};
use serde_json::{Value, json};

use super::hook::agent::{NOTE_TOKENS, compaction_note, pins_there, sessions_directory};
use crate::arguments::Global;
use crate::context::Context;
use crate::memory_context::MemoryContext;
use crate::output::{Output, note};
use crate::problem::{self, Usage};

/// Print what must be kept when the newest session's conversation here is replaced by a summary
///
/// Pins, invariants, open tasks, decisions, questions and files, at most one page. Also records that the conversation
/// was compacted, so that later prompts may be shown the same context again.
#[derive(Debug, Args)]
pub(crate) struct Compact {
    /// Only print; record nothing
    #[arg(long)]
    dry_run: bool,
}

impl Compact {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if global.read_only && !self.dry_run {
            let message = "`icr compact` records a compaction, which `--read-only` forbids".to_owned();
            return Err(Usage { message, hint: Some("`--dry-run` prints the note alone".to_owned()) }.into());
        }
        let context = Context::open(global)?;
        let session = Session::latest(&sessions_directory(&context.home, context.engine.repo_id()));
        let state = session.as_ref().map(|session| SessionState::of(&session.events())).unwrap_or_default();
        let pins = pins_there(&context)?;
        let kept = compaction_note(&context, &MemoryContext::open(global)?, &state)?;
        let is_recorded = match &session {
            Some(session) if !self.dry_run => {
                session
                    .append(&SessionEvent::Compacted { is_noted: false, keys: Vec::new() })
                    .context("recording the compaction")?;
                true
            }
            _ => false,
        };
        let code = if kept.is_empty() && !is_recorded { problem::FINDING } else { problem::OK };
        let text = kept.text(NOTE_TOKENS);
        if output.is_json() {
            let pin = |pin: &icr_memory::Pin| json!({ "path": pin.path.to_string(), "label": pin.label, "priority": pin.priority });
            let pins: Vec<Value> = pins.iter().map(pin).collect();
            let CompactionNote { pins: _, invariants, summary, todos, decisions, facts, questions, files, symbols } =
                kept;
            output.json(&json!({
                "note": text,
                "pins": pins,
                "invariants": invariants,
                "summary": summary,
                "todos": todos,
                "decisions": decisions,
                "facts": facts,
                "questions": questions,
                "files": files,
                "symbols": symbols,
                "has_session": session.is_some(),
                "recorded": is_recorded,
            }))?;
            return Ok(code);
        }
        if !text.is_empty() {
            output.line(text.trim_end())?;
        }
        output.flush()?;
        let remark = remark(is_recorded, session.is_some(), text.is_empty()).filter(|_| !global.quiet);
        if let Some(remark) = remark {
            note(&mut std::io::stderr().lock(), &format!("{}: {remark}", context.repository_name()));
        }
        Ok(code)
    }
}

/// What is said beside the note of a compaction; `None` if the note says enough.
fn remark(is_recorded: bool, has_session: bool, is_empty: bool) -> Option<&'static str> {
    Some(match (is_recorded, has_session, is_empty) {
        (true, _, true) => "nothing has to survive; the conversation counts as compacted from here on",
        (true, _, false) => "the conversation counts as compacted from here on",
        (false, false, true) => {
            "no session is recorded and nothing is pinned; hooks record sessions where they are set up (`icr init`)"
        }
        (false, false, false) => "no session is recorded; hooks record them where they are set up (`icr init`)",
        (false, true, true) => "nothing has to survive",
        (false, true, false) => return None,
    })
}
