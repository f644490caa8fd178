//! `memory_get`

use icr_engine::{DerivedItem, Error, PinContent, PinContentRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::Call;
use crate::failure::Failure;
use crate::reply::{Reply, counted, fenced, word};

/// Model tokens kept for what stands around the content.
const FRAME_TOKENS: u32 = 500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[schemars(length(min = 1, max = 256))]
    source_id: String,
    #[serde(default = "yes")]
    include_content: bool,
}

fn yes() -> bool {
    true
}

/// What an id names.
enum Asked {
    Pin(PinContent),
    /// A derived memory with its whole text.
    Memory(DerivedItem, String),
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let repository = call.repository()?;
    let request = PinContentRequest {
        source_id: input.source_id,
        include_content: input.include_content,
        max_tokens: call.settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS),
    };
    let now = call.now();
    let asked = call.ask(&repository, |snapshot| match icr_engine::pin_content(snapshot, &request, now) {
        Err(Error::NoSuchPin { .. }) => match icr_engine::derived_memory(snapshot, &request.source_id)? {
            Some((item, text)) => Ok(Asked::Memory(item, text)),
            None => icr_engine::pin_content(snapshot, &request, now).map(Asked::Pin),
        },
        content => content.map(Asked::Pin),
    })?;
    let (found, provenance) = match asked {
        (Asked::Pin(found), provenance) => (found, provenance),
        (Asked::Memory(item, text), provenance) => {
            let stale = item.stale.map(|stale| format!("code that it is about is {} since", word(&stale)));
            let text = if request.include_content { text } else { item.label };
            let reply = Reply::text(format!("{}: {}\n{text}\n", item.id, item.memory_kind));
            let reply = reply.fact(format!("{} {}", item.kind, item.created_at));
            return Ok(reply.from(provenance).noting(stale));
        }
    };
    let path = &found.item.path;
    let title = found.item.label.as_deref().map(|label| format!(": {label}")).unwrap_or_default();
    let heading = format!("{}{title}\n", found.item.id);
    let body = match &found.content {
        Some(content) => fenced(path, 1, found.end_line, icr_engine::language_of(path), content),
        None => format!("{path}\n"),
    };
    let size = format!("{} in {}", counted(found.token_count, "token"), counted(found.total_lines, "line"));
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
