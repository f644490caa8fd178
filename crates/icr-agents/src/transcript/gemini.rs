//! Gemini CLI: a session identifies its directory only by a hash. Newer versions append lines; older ones rewrite a
//! whole document each time.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{MessageContent, Record, RecordKind, SessionPlace, Speaker, UnknownShape, moment};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    project_hash: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct GeminiMessage<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    content: MessageContent,
}

/// A header, which has no type, or a message of `user` or `gemini`. A message that grows is written again with its id.
pub(super) fn record(line: &[u8]) -> Result<Record, UnknownShape> {
    let speaker = match RecordKind::of(line)?.kind.as_deref() {
        None => {
            let Header { session_id, project_hash } = serde_json::from_slice(line)?;
            let place = project_hash.map(|hash| SessionPlace::DirectoryHash(hash.into_owned()));
            return Ok(Record { session: session_id.map(Cow::into_owned), place, ..Record::default() });
        }
        Some("user") => Speaker::User,
        Some("gemini") => Speaker::Assistant,
        _ => return Ok(Record::default()),
    };
    let GeminiMessage { id, timestamp, content } = serde_json::from_slice(line)?;
    let text = content.text.ok_or(UnknownShape)?;
    Ok(Record {
        id: id.map(Cow::into_owned),
        time: moment(timestamp.as_deref()),
        said: Some((speaker, text)),
        ..Record::default()
    })
}

/// A document of older versions as records: its header, then its messages, each with the byte that it begins at.
///
/// # Errors
///
/// That the document is not whole, or has no list of messages.
pub(super) fn records(document: &str) -> Result<Vec<(usize, &str)>, UnknownShape> {
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
    }
    RecordKind::of(document.as_bytes())?;
    let Document { messages } = serde_json::from_str(document)?;
    // The parts are slices of the document, so their offset follows from the addresses.
    let place = |part: &str| part.as_ptr().addr() - document.as_ptr().addr();
    let messages = messages.into_iter().map(|message| (place(message.get()), message.get()));
    Ok([(0, document)].into_iter().chain(messages).collect())
}
