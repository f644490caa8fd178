//! The payload that a host passes to a hook: one JSON object, with field names that differ between hosts.

use serde_json::{Map, Value};

/// Longest text of a prompt or an answer that is examined, in bytes; what is longer was pasted.
const LONGEST_TEXT: usize = 1 << 20;

/// The parts of a payload that icr reads. Every field may be missing, because hosts and their versions differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Payload {
    /// The event, by the host's name of it.
    pub event_name: Option<String>,
    /// Id of the session, in any format.
    pub session_id: Option<String>,
    /// Directory that the agent works in.
    pub directory: Option<String>,
    /// File that the host writes the conversation to.
    pub transcript_path: Option<String>,
    /// What the user sent.
    pub prompt: Option<String>,
    /// Who sent the prompt (`user`, `sdk`, `loop_wakeup`), or why the session starts (`startup`, `resume`, `compact`).
    pub source: Option<String>,
    /// Who asked for a compaction: `manual`, `auto`.
    pub trigger: Option<String>,
    /// The model's last message.
    pub answer: Option<String>,
    /// The tool that was called.
    pub tool: Option<ToolCall>,
}

/// A tool call with its answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Input of the tool.
    pub input: Value,
    /// Output of the tool, as text.
    pub output: String,
}

/// Why input is not a valid payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// The input is empty.
    #[error("the host sent nothing; a hook gets one JSON object on standard input")]
    Empty,
    /// The input is not JSON or is cut off.
    #[error("the host sent no JSON object: {reason}")]
    NotJson {
        /// Position and reason.
        reason: String,
    },
    /// The input is JSON but not an object.
    #[error("the host sent JSON, but {found} where an object is expected")]
    NotAnObject {
        /// Type of the JSON value.
        found: &'static str,
    },
}

impl Payload {
    /// Parses the payload in `bytes`, which must be the whole input. A field with an unexpected type counts as missing.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] if it is not a single JSON object.
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        // PowerShell writes a byte order mark first.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(PayloadError::Empty);
        }
        let value: Value = serde_json::from_slice(bytes)
            .or_else(|error| serde_json::from_slice(&with_whole_characters(bytes)).map_err(|_| error))
            .map_err(|error| PayloadError::NotJson { reason: error.to_string() })?;
        let object = match value {
            Value::Object(object) => object,
            Value::Null => return Err(PayloadError::NotAnObject { found: "`null`" }),
            Value::Bool(_) => return Err(PayloadError::NotAnObject { found: "a boolean" }),
            Value::Number(_) => return Err(PayloadError::NotAnObject { found: "a number" }),
            Value::String(_) => return Err(PayloadError::NotAnObject { found: "a string" }),
            Value::Array(_) => return Err(PayloadError::NotAnObject { found: "an array" }),
        };
        let text = |names: &[&str]| first_text(&object, names);
        let tool = text(&["tool_name", "toolName"]).map(|name| ToolCall {
            name,
            input: first(&object, &["tool_input", "toolArgs", "args"]).cloned().unwrap_or_default(),
            output: tool_output(&object),
        });
        Ok(Self {
            event_name: text(&["hook_event_name", "hookEventName", "event"]),
            session_id: text(&["session_id", "sessionId", "conversation_id", "conversationId", "thread_id"]),
            directory: text(&["cwd", "workspace", "workspacePath"]).or_else(|| first_root(&object)),
            transcript_path: text(&["transcript_path", "transcriptPath"]),
            prompt: text(&["prompt", "user_message", "userMessage", "input"]).map(without_hook_context),
            source: text(&["source", "trigger_source"]),
            trigger: text(&["trigger"]),
            answer: text(&["last_assistant_message", "prompt_response", "response", "answer"]),
            tool,
        })
    }

    /// Whether a person, or a program of the user, sent the prompt. A turn that the host started by itself gets no
    /// context.
    pub fn is_sent_by_user(&self) -> bool {
        self.source.as_deref().is_none_or(|source| matches!(source, "user" | "sdk"))
    }
}

/// `bytes` with each unpaired surrogate escape replaced by the replacement character. JavaScript writes such an escape
/// when a text was cut inside a character.
fn with_whole_characters(bytes: &[u8]) -> Vec<u8> {
    let unit = |at: usize| {
        let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(escape).ok()?, 16).ok()
    };
    let (mut whole, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let length = match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                whole.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            Some(_) => 6,
            // An escaped backslash begins no escape.
            None if *byte == b'\\' => 2,
            None => 1,
        };
        whole.extend_from_slice(&bytes[at..bytes.len().min(at + length)]);
        at += length;
    }
    whole
}

/// Gemini puts the output of session start hooks before the first prompt, between tags; this removes it.
fn without_hook_context(prompt: String) -> String {
    match (prompt.find("<hook_context>"), prompt.rfind("</hook_context>")) {
        (Some(start), Some(end)) if prompt[..start].trim().is_empty() && start < end => {
            prompt[end + "</hook_context>".len()..].trim_start().to_owned()
        }
        _ => prompt,
    }
}

fn first<'o>(object: &'o Map<String, Value>, names: &[&str]) -> Option<&'o Value> {
    names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null())
}

fn first_text(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let text = names.iter().find_map(|name| object.get(*name).and_then(Value::as_str))?;
    Some(beginning(text, LONGEST_TEXT).to_owned())
}

/// The first workspace root: Cursor gives the roots of its window instead of a directory.
fn first_root(object: &Map<String, Value>) -> Option<String> {
    Some(object.get("workspace_roots")?.as_array()?.first()?.as_str()?.to_owned())
}

/// Output of a tool. Hosts give a text, or an object that contains the text somewhere.
fn tool_output(object: &Map<String, Value>) -> String {
    let Some(output) = first(object, &["tool_output", "tool_response", "tool_result", "toolResult"]) else {
        return String::new();
    };
    let text = |value: &Value| value.as_str().map(|text| beginning(text, LONGEST_TEXT).to_owned());
    let inner = ["stdout", "output", "content", "textResultForLlm", "text_result_for_llm", "llmContent"];
    let named = || inner.iter().find_map(|name| output.get(*name).and_then(text));
    let of_file = || output.get("file")?.get("content").and_then(text);
    // Blocks of an MCP answer.
    let blocks = || {
        let blocks = output.as_array().or_else(|| output.get("content")?.as_array())?;
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        Some(beginning(&texts.join("\n"), LONGEST_TEXT).to_owned())
    };
    text(output).or_else(named).or_else(of_file).or_else(blocks).unwrap_or_default()
}

/// The first `bytes` of `text`, cut at a character.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parse(text: &str) -> Payload {
        Payload::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn assert_parse_error(bytes: &[u8], expected: &str) {
        let error = Payload::parse(bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_prompt_is_a_prompt_under_each_of_its_names() {
        for name in ["prompt", "user_message", "input"] {
            assert_eq!(parse(&format!(r#"{{"{name}":"fix it"}}"#)).prompt.as_deref(), Some("fix it"), "{name}");
        }
    }

    #[test]
    fn a_tool_answers_in_each_of_its_shapes() {
        let shapes = [
            r#""tool_output":"text""#,
            r#""tool_response":"text""#,
            r#""tool_response":{"stdout":"text"}"#,
            r#""tool_response":{"output":"text"}"#,
            r#""tool_response":{"content":"text"}"#,
            r#""tool_response":{"file":{"content":"text"}}"#,
            r#""tool_response":{"content":[{"type":"text","text":"text"}]}"#,
            r#""tool_response":[{"type":"text","text":"text"}]"#,
            r#""toolResult":{"textResultForLlm":"text"}"#,
            r#""tool_result":{"text_result_for_llm":"text"}"#,
        ];
        for shape in shapes {
            let payload = parse(&format!(r#"{{"tool_name":"Read",{shape}}}"#));
            assert_eq!(payload.tool.unwrap().output, "text", "{shape}");
        }
    }

    #[test]
    fn what_hooks_said_before_is_no_part_of_a_prompt() {
        let prompt = |text: &str| parse(&serde_json::json!({ "prompt": text }).to_string()).prompt.unwrap();
        assert_eq!(prompt("<hook_context>an index</hook_context>\n\nfix it"), "fix it");
        assert_eq!(
            prompt("why is <hook_context> there? </hook_context>"),
            "why is <hook_context> there? </hook_context>"
        );
    }

    #[test]
    fn what_is_lacking_or_of_another_type_is_lacking() {
        assert_eq!(parse(r#"{"prompt":7,"cwd":null,"session_id":["x"],"tool_response":3}"#), Payload::default());
        assert_eq!(parse(r#"{"tool_name":"Read","tool_response":3}"#).tool.unwrap().output, "");
    }

    #[test]
    fn only_turns_of_people_count_as_theirs() {
        let sent = |source: &str| parse(&format!(r#"{{"prompt":"x"{source}}}"#)).is_sent_by_user();
        assert!(sent("") && sent(r#","source":"user""#) && sent(r#","source":"sdk""#));
        assert!(!sent(r#","source":"loop_wakeup""#) && !sent(r#","source":"system""#));
    }

    #[test]
    fn what_is_no_payload_says_why() {
        assert_parse_error(b"", "sent nothing");
        assert_parse_error(b" \n", "sent nothing");
        assert_parse_error(b"{\"prompt\":", "no JSON object");
        assert_parse_error(b"hello", "no JSON object");
        assert_parse_error(b"[1]", "an array");
        assert_parse_error(b"\xff\xfe{}", "no JSON object");
    }

    #[test]
    fn half_a_character_does_not_lose_the_rest() {
        let prompt = |text: &str| parse(&format!(r#"{{"prompt":"{text}"}}"#)).prompt.unwrap();
        assert_eq!(prompt(r"a\ud83d b"), "a\u{fffd} b");
        assert_eq!(prompt(r"a\ude00\ud83d\ude00 \\ud83d"), "a\u{fffd}\u{1f600} \\ud83d");
        assert_parse_error(br#"{"prompt":"\ud8"#, "no JSON object");
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let long = "é".repeat(LONGEST_TEXT);
        let prompt = parse(&serde_json::json!({ "prompt": long }).to_string()).prompt.unwrap();
        assert_eq!((prompt.len(), prompt.chars().next()), (LONGEST_TEXT, Some('é')));
    }

    #[test]
    fn a_mark_before_the_object_is_skipped() {
        let bytes = b"\xef\xbb\xbf{\"prompt\":\"x\"}";
        assert_eq!(Payload::parse(bytes).unwrap().prompt.as_deref(), Some("x"));
    }
}
