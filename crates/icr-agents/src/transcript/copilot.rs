//! Copilot CLI: each line is an event with its data in an envelope; the first one says where the session takes place.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::record::{Record, RecordKind, SessionPlace, Speaker, UnknownShape, moment};

#[derive(Deserialize)]
struct Envelope<'a, T> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    data: T,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    session_id: Option<String>,
    context: Option<Context>,
}

#[derive(Deserialize)]
struct Context {
    cwd: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotMessage {
    content: String,
    #[serde(default)]
    tool_requests: Vec<IgnoredAny>,
}

/// Reads the events `session.start` and `session.resume`, and messages. Additions of the host to a user's message are
/// in another field and are not read.
pub(super) fn record(line: &[u8]) -> Result<Record, UnknownShape> {
    let speaker = match RecordKind::of(line)?.kind.as_deref() {
        Some("session.start" | "session.resume") => {
            let Envelope { data: Start { session_id, context }, .. } = serde_json::from_slice(line)?;
            let place = context.and_then(|context| context.cwd).map(SessionPlace::Directory);
            return Ok(Record { session: session_id, place, ..Record::default() });
        }
        Some("user.message") => Speaker::User,
        Some("assistant.message") => Speaker::Assistant,
        _ => return Ok(Record::default()),
    };
    let Envelope { id, timestamp, data } = serde_json::from_slice::<Envelope<'_, CopilotMessage>>(line)?;
    Ok(Record {
        id: id.map(Cow::into_owned),
        time: moment(timestamp.as_deref()),
        calls_tools: !data.tool_requests.is_empty(),
        said: Some((speaker, data.content)),
        ..Record::default()
    })
}
