//! One record of a session file, in a form that is independent of the host.

use std::borrow::Cow;
use std::fmt;

use icr_model::Moment;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speaker {
    /// A person.
    User,
    /// The model.
    Assistant,
}

impl Speaker {
    /// Name of the speaker, as shown in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Place of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SessionPlace {
    /// A directory.
    Directory(String),
    /// The SHA-256 of a directory's path, in hexadecimal digits.
    DirectoryHash(String),
}

/// Content of one record: a line of JSON Lines, or a message of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Id of the session.
    pub(super) session: Option<String>,
    /// Place of the session from this record on.
    pub(super) place: Option<SessionPlace>,
    /// Id of the record. A later one with the same id replaces it.
    pub(super) id: Option<String>,
    pub(super) time: Option<Moment>,
    pub(super) is_sidechain: bool,
    /// Whether the message also calls tools, so that more follows. Always false for hosts that write calls as separate
    /// records.
    pub(super) calls_tools: bool,
    /// Speaker and text, as the host wrote it.
    pub(super) said: Option<(Speaker, String)>,
}

/// A record that is damaged or has an unknown format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnknownShape;

impl From<serde_json::Error> for UnknownShape {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// The type that hosts give their records.
#[derive(Deserialize)]
pub(super) struct RecordKind<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
}

impl<'a> RecordKind<'a> {
    pub(super) fn of(record: &'a [u8]) -> Result<Self, UnknownShape> {
        // Checked because serde would accept a list as the fields in order.
        let first = record.iter().find(|byte| !byte.is_ascii_whitespace());
        if first != Some(&b'{') {
            return Err(UnknownShape);
        }
        Ok(serde_json::from_slice(record)?)
    }
}

/// Parses a time in RFC 3339, cut to the second.
pub(super) fn moment(time: Option<&str>) -> Option<Moment> {
    Some(Moment(time?.parse::<jiff::Timestamp>().ok()?.as_second()))
}

/// Content of a message: a text, or a list of blocks of which some are texts. Tool calls, tool output, pictures and
/// thoughts are skipped without an allocation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MessageContent {
    /// The texts, separated by an empty line; `None` for an unknown format.
    pub(super) text: Option<String>,
}

impl<'de> Deserialize<'de> for MessageContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = MessageContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<MessageContent, E> {
        Ok(MessageContent { text: Some(text.to_owned()) })
    }

    fn visit_unit<E>(self) -> Result<MessageContent, E> {
        Ok(MessageContent { text: Some(String::new()) })
    }

    fn visit_bool<E>(self, _: bool) -> Result<MessageContent, E> {
        Ok(MessageContent::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<MessageContent, E> {
        Ok(MessageContent::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<MessageContent, E> {
        Ok(MessageContent::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<MessageContent, E> {
        Ok(MessageContent::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageContent, A::Error> {
        Ok(MessageContent { text: Some(block_text(map)?.unwrap_or_default()) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<MessageContent, A::Error> {
        let mut all = String::new();
        while let Some(Block(text)) = blocks.next_element()? {
            let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
            if !all.is_empty() {
                all.push_str("\n\n");
            }
            all.push_str(&text);
        }
        Ok(MessageContent { text: Some(all) })
    }
}

/// One block of a list; `None` if it is not a text.
struct Block(Option<String>);

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlockVisitor;
        impl<'de> Visitor<'de> for BlockVisitor {
            type Value = Block;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a block")
            }

            fn visit_str<E>(self, text: &str) -> Result<Block, E> {
                Ok(Block(Some(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Block, A::Error> {
                Ok(Block(block_text(map)?))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Block, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Block(None))
            }

            fn visit_unit<E>(self) -> Result<Block, E> {
                Ok(Block(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Block, E> {
                Ok(Block(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Block, E> {
                Ok(Block(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Block, E> {
                Ok(Block(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Block, E> {
                Ok(Block(None))
            }
        }
        deserializer.deserialize_any(BlockVisitor)
    }
}

/// The text of a block if it is one: it has a `text`, is not marked as a thought, and its type, if given, is a text
/// type.
fn block_text<'de, A: MapAccess<'de>>(mut map: A) -> Result<Option<String>, A::Error> {
    let (mut text, mut is_text) = (None, true);
    while let Some(key) = map.next_key::<Cow<'de, str>>()? {
        match &*key {
            "type" => {
                is_text &= matches!(map.next_value::<Value>()?.as_str(), Some("text" | "input_text" | "output_text"))
            }
            "thought" => is_text &= map.next_value::<Value>()? == Value::Bool(false),
            "text" => {
                text = match map.next_value::<Value>()? {
                    Value::String(text) => Some(text),
                    _ => None,
                }
            }
            _ => {
                map.next_value::<IgnoredAny>()?;
            }
        }
    }
    Ok(text.filter(|_| is_text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let content: MessageContent = serde_json::from_str(json).expect(json);
        assert_eq!(content.text.as_deref(), expected, "{json}");
    }

    #[test]
    fn a_content_is_its_texts_and_nothing_else() {
        check(r#""berth""#, Some("berth"));
        check("null", Some(""));
        check(
            r#"[{"type":"text","text":"a"},{"text":"b","type":"output_text"},"c",{"text":"d"}]"#,
            Some("a\n\nb\n\nc\n\nd"),
        );
        check(r#"{"text":"one part"}"#, Some("one part"));
        check(
            r#"[{"type":"tool_result","content":[{"type":"text","text":"KEY=1"}]},{"type":"thinking","text":"t"}]"#,
            Some(""),
        );
        check(
            r#"[{"type":"tool_result","text":"x"},{"text":"t","thought":true},{"text":7},1,2.5,true,null,[1]]"#,
            Some(""),
        );
        check("7", None);
        check("false", None);
    }

    #[test]
    fn times_are_cut_to_the_second() {
        assert_eq!(moment(Some("1970-01-01T00:01:00.250Z")), Some(Moment(60)));
        assert_eq!(moment(Some("1970-01-01T01:00:00+01:00")), Some(Moment(0)));
        assert_eq!([moment(Some("yesterday")), moment(None)], [None, None]);
    }

    #[test]
    fn a_record_is_an_object() {
        for record in ["[\"user\"]", "null", "7", "", "{\"type\":"] {
            assert!(RecordKind::of(record.as_bytes()).is_err(), "{record}");
        }
        assert!(RecordKind::of(b" {\"a\":1}").is_ok_and(|record| record.kind.is_none()));
    }
}
