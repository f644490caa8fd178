//! Claude Code: each line is a message, with the working directory at that time.

use std::borrow::Cow;

use serde::Deserialize;

use super::record::{MessageContent, Record, RecordKind, SessionPlace, Speaker, UnknownShape, moment};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeCodeLine<'a> {
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    is_sidechain: Option<bool>,
    /// Whether the host wrote the message in the user's name.
    is_meta: Option<bool>,
    /// Whether the message is the model's summary of the conversation before a compaction.
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    message: ClaudeCodeMessage,
}

#[derive(Deserialize)]
struct ClaudeCodeMessage {
    content: MessageContent,
}

/// Reads a line of type `user` or `assistant`; lines of other types contain nothing that was said.
pub(super) fn record(line: &[u8]) -> Result<Record, UnknownShape> {
    let speaker = match RecordKind::of(line)?.kind.as_deref() {
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        _ => return Ok(Record::default()),
    };
    let line: ClaudeCodeLine<'_> = serde_json::from_slice(line)?;
    let is_sidechain = line.is_sidechain == Some(true);
    // In a sidechain, the agent is the one who asks.
    let is_of_agent = is_sidechain || line.is_compact_summary == Some(true);
    let is_of_host = line.is_meta == Some(true) || line.is_api_error_message == Some(true);
    let text = line.message.content.text.ok_or(UnknownShape)?;
    let speaker = if is_of_agent { Speaker::Assistant } else { speaker };
    Ok(Record {
        session: line.session_id.map(Cow::into_owned),
        place: line.cwd.map(|cwd| SessionPlace::Directory(cwd.into_owned())),
        id: line.uuid.map(Cow::into_owned),
        time: moment(line.timestamp.as_deref()),
        is_sidechain,
        calls_tools: false,
        said: (!is_of_host).then_some((speaker, text)),
    })
}
