//! `memory_get`: a pinned file of code, or one memory, whole.

use icr_engine::{AbsentCode, DerivedItem, Error, PinContent, PinContentRequest};
use icr_memory::{Memory, RecalledMemory, RecordId};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallContext;
use crate::memory::archived_note;
use crate::reply::{Reply, fenced, format_count, word};
use crate::tools::icm_memory_recall::{HEADING, MemoryText, SeenMemories};
use icr_serve::Purpose;
use icr_serve::{CallFailure, Code};

/// Model tokens reserved for the text around the content.
const FRAME_TOKENS: u32 = 500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryGetInput {
    #[schemars(length(min = 1, max = 256))]
    source_id: String,
    #[serde(default = "yes")]
    include_content: bool,
}

fn yes() -> bool {
    true
}

/// The record that an id names.
enum IdTarget {
    Pin(PinContent),
    /// A derived memory with its whole text.
    Memory(DerivedItem, String),
    /// None of these, but maybe another memory.
    Other,
}

pub(crate) fn run(call: &CallContext<'_>, input: MemoryGetInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let request = PinContentRequest {
        source_id: input.source_id,
        include_content: input.include_content,
        max_tokens: call.settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS),
    };
    let now = call.now();
    let asked = call.ask(&repository, |snapshot| match icr_engine::pin_content(snapshot, &request, now) {
        Err(Error::NoSuchPin { .. }) => match icr_engine::derived_memory(snapshot, &request.source_id)? {
            Some((item, text)) => Ok(IdTarget::Memory(item, text)),
            None => Ok(IdTarget::Other),
        },
        content => content.map(IdTarget::Pin),
    })?;
    let (found, provenance) = match asked {
        (IdTarget::Pin(found), provenance) => (found, provenance),
        (IdTarget::Other, provenance) => {
            if let Some(memory) = own_memory(call, &request.source_id)? {
                return Ok(memory_reply(call, memory, request.include_content)?.from(provenance));
            }
            // Fails if there is no such pin, and suggests similar names.
            call.ask(&repository, |snapshot| icr_engine::pin_content(snapshot, &request, now))?
        }
        (IdTarget::Memory(item, text), provenance) => {
            let stale = item.stale.map(|stale| format!("code that it is about is {} since", word(&stale)));
            let text = if request.include_content { text } else { item.label };
            let reply = Reply::text(format!("{}: {}\n{text}\n", item.id, item.memory_kind));
            let reply = reply.fact(format!("{} {}", item.kind, item.created_at));
            return Ok(reply.from(provenance).with_budget(call.settings.limits.hard_tokens).noting(stale));
        }
    };
    let path = &found.item.path;
    let title = found.item.label.as_deref().map(|label| format!(": {label}")).unwrap_or_default();
    let heading = format!("{}{title}\n", found.item.id);
    let body = match &found.content {
        Some(content) => fenced(path, 1, found.end_line, icr_engine::language_of(path), content),
        None => format!("{path}\n"),
    };
    let size = format!("{} in {}", format_count(found.token_count, "token"), format_count(found.total_lines, "line"));
    let expiry = found.item.expires_at.map(|expires_at| format!(" until {expires_at}")).unwrap_or_default();
    let pinned = format!("{} {}{expiry}", found.item.kind, found.item.created_at);
    let stale = found.item.stale.map(|stale| format!("the file is {} since", word(&stale)));
    let cut = found.truncated.then(|| {
        let next = found.end_line + 1;
        format!(
            "{} of {} lines are shown; env_peek shows more from `start_line` {next}",
            found.end_line, found.total_lines
        )
    });
    let reply = Reply::text(format!("{heading}{body}")).fact(pinned).fact(size);
    Ok(reply.from(provenance).cutting(cut).noting(stale.into_iter().chain(found.problem)))
}

/// The memory with this id, if the call may see it.
fn own_memory(call: &CallContext<'_>, id: &str) -> Result<Option<Memory>, CallFailure> {
    let Ok(id) = RecordId::try_from(id) else { return Ok(None) };
    match call.own_memory(Purpose::Question, &id) {
        Ok(memory) => Ok(Some(memory)),
        // It may have been meant as the name of a pin.
        Err(failure) if failure.details.contains_key("engine_code") && failure.code == Code::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A memory with its full text, which recall cuts.
fn memory_reply(call: &CallContext<'_>, memory: Memory, include_content: bool) -> Result<Reply, CallFailure> {
    let note = archived_note(&memory);
    let recalled = RecalledMemory { weight: memory.weight, score: 1.0, memory };
    let seen = SeenMemories::of(call, &[recalled], AbsentCode::Show)?;
    let project = call.project()?;
    let texts = seen.items.iter().map(|item| {
        let text = MemoryText::of(item, &project, call.now_ms());
        if include_content { text.full_text() } else { text.heading }
    });
    let reply = Reply::text(format!("{HEADING}{}", texts.collect::<String>()));
    let archived = (!note.is_empty()).then(|| note.trim().to_owned());
    Ok(reply.with_budget(call.settings.limits.hard_tokens).noting(archived).noting(seen.missed.map(str::to_owned)))
}
