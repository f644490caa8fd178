//! `memory_get`

use icr_engine::PinContentRequest;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::failure::Failure;
use crate::reply::{Reply, fenced};

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
    let (found, provenance) = call.ask(&repository, |snapshot| snapshot.pin_content(&request, now))?;
    let path = &found.item.path;
    let title = found.item.label.as_deref().map(|label| format!(": {label}")).unwrap_or_default();
    let heading = format!("{}{title}\n", found.item.id);
    let body = match &found.content {
        Some(content) => fenced(path, 1, found.end_line.max(1), icr_engine::language_of(path), content),
        None => format!("{path}\n"),
    };
    let mut data = json!(found.item);
    if let Value::Object(data) = &mut data {
        data.insert("token_count".to_owned(), json!(found.token_count));
        data.insert("total_lines".to_owned(), json!(found.total_lines));
        data.insert("truncated".to_owned(), json!(found.truncated));
    }
    let cut = found.truncated.then(|| {
        let next = found.end_line + 1;
        format!(
            "{} of {} lines are shown; env_peek shows more from `start_line` {next}",
            found.end_line, found.total_lines
        )
    });
    Ok(Reply::text(format!("{heading}{body}"), &data)?.from(provenance).cutting(cut).noting(found.problem))
}
