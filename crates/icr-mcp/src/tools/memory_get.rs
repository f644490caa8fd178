//! `memory_get`

use icr_engine::PinContentRequest;
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

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let repository = call.repository()?;
    let request = PinContentRequest {
        source_id: input.source_id,
        include_content: input.include_content,
        max_tokens: call.settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS),
    };
    let now = call.now();
    let (found, provenance) = call.ask(&repository, |snapshot| icr_engine::pin_content(snapshot, &request, now))?;
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
