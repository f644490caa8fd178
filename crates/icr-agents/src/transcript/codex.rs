//! Codex: the first line says where the session takes place; each following line is an item in an envelope.

use std::borrow::Cow;

use serde::Deserialize;

use super::record::{MessageContent, Record, RecordKind, SessionPlace, Speaker, UnknownShape, moment};

#[derive(Deserialize)]
struct Envelope<'a, T> {
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    payload: T,
}

#[derive(Deserialize)]
struct Context {
    id: Option<String>,
    cwd: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: Option<String>,
    role: Option<String>,
    #[serde(default)]
    content: MessageContent,
}

/// Reads the lines `session_meta` and `turn_context`, and messages in lines `response_item`. Lines `event_msg` are
/// ignored, because they repeat the messages for the screen.
pub(super) fn record(line: &[u8]) -> Result<Record, UnknownShape> {
    match RecordKind::of(line)?.kind.as_deref() {
        Some(kind @ ("session_meta" | "turn_context")) => {
            let Envelope { payload: Context { id, cwd }, .. } = serde_json::from_slice(line)?;
            let session = id.filter(|_| kind == "session_meta");
            Ok(Record { session, place: cwd.map(SessionPlace::Directory), ..Record::default() })
        }
        Some("response_item") => {
            let Envelope { timestamp, payload: item } = serde_json::from_slice::<Envelope<'_, Item>>(line)?;
            let speaker = match (item.kind.as_deref(), item.role.as_deref()) {
                (Some("message"), Some("user")) => Speaker::User,
                (Some("message"), Some("assistant")) => Speaker::Assistant,
                _ => return Ok(Record::default()),
            };
            let text = item.content.text.ok_or(UnknownShape)?;
            Ok(Record { time: moment(timestamp.as_deref()), said: Some((speaker, text)), ..Record::default() })
        }
        _ => Ok(Record::default()),
    }
}
