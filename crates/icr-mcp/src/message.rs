//! Parses a line as a message of the protocol, or reports why it is none.

use icr_model::{JSON_VALUES_MOST, too_many_json_values};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, InitializeRequestParams};
use serde_json::{Map, Value, json};

use crate::lines::LINE_BYTES_MOST;
use crate::message_id::MessageId;
use icr_serve::truncate_text;

/// Byte order mark; some clients begin with it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The answer to a line that is not handled.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    /// Id of the request; `None` if it is unknown.
    id: Option<MessageId>,
    code: ErrorCode,
    message: String,
    /// Whether another request with this id is still to be answered.
    is_id_in_use: bool,
}

impl Refusal {
    pub(crate) fn new(id: Option<MessageId>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into(), is_id_in_use: false }
    }

    /// The id of a request is that of another one, which is not answered yet.
    pub(crate) fn id_in_use(id: Option<MessageId>) -> Self {
        let shown = truncate_text(id.as_ref().map_or("null", MessageId::as_json));
        let message = format!("another request with the `id` {shown} is not answered yet; give each an id of its own");
        Self { is_id_in_use: true, ..Self::new(id, ErrorCode::INVALID_REQUEST, message) }
    }

    /// A line is longer than lines may be.
    pub(crate) fn too_long(id: Option<MessageId>, bytes_total: u64) -> Self {
        let most = LINE_BYTES_MOST >> 20;
        let message =
            format!("the message has {bytes_total} bytes, and at most {most} MiB are read; send less at once");
        Self::new(id, ErrorCode::INVALID_REQUEST, message)
    }

    /// The id of the request that is answered by this, as JSON. `None` if another one has it.
    pub(crate) fn answered_id(&self) -> Option<String> {
        self.id.as_ref().filter(|_| !self.is_id_in_use).map(|id| id.as_json().to_owned())
    }

    /// The answer as it is sent, without a line end. The id has the exact bytes of the request's id.
    pub(crate) fn message(&self) -> String {
        let id = self.id.as_ref().map_or("null", MessageId::as_json);
        let error = json!({ "code": self.code.0, "message": self.message });
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    }
}

/// The message in `line`; `None` for a blank line, and for an unknown notification, which must not be answered.
///
/// # Errors
///
/// The error answer for a line that is not a valid message.
pub(crate) fn message_of(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let refused = |code, message: String| Err(Refusal::new(MessageId::of(line), code, message));
    if let Some(values) = too_many_json_values(line) {
        let message =
            format!("the message has {values} values, and at most {JSON_VALUES_MOST} are read; send less at once");
        return refused(ErrorCode::INVALID_REQUEST, message);
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return refused(ErrorCode::PARSE_ERROR, format!("the message is not JSON: {error}")),
    };
    let Value::Object(object) = value else {
        let what = if value.is_array() { "a batch; send each message by itself" } else { "none" };
        return refused(ErrorCode::INVALID_REQUEST, format!("a message is a JSON object, and this is {what}"));
    };
    let wanted = match kind_of(&object, MessageId::of(line).as_ref()) {
        Ok(wanted) => wanted,
        Err(problem) => return refused(ErrorCode::INVALID_REQUEST, problem),
    };
    // The library takes a handshake that it cannot read for a request that it does not know.
    if wanted == MessageKind::Request && object.get("method").is_some_and(|method| method == "initialize") {
        let arguments = object.get("params").cloned().unwrap_or_default();
        if let Err(error) = serde_json::from_value::<InitializeRequestParams>(arguments) {
            return refused(ErrorCode::INVALID_PARAMS, format!("the `params` of `initialize` cannot be read: {error}"));
        }
    }
    match serde_json::from_value(Value::Object(object)) {
        Ok(message) => Ok(Some(message)),
        Err(error) if wanted == MessageKind::Request => {
            refused(ErrorCode::INVALID_REQUEST, format!("the request cannot be read: {error}"))
        }
        Err(error) => {
            tracing::debug!(%error, "a message that wants no answer cannot be read");
            Ok(None)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageKind {
    Request,
    /// A notification or a response.
    WantsNoAnswer,
}

/// The kind of message that `object` is; `sent` is its id. An error if it is none.
fn kind_of(object: &Map<String, Value>, sent: Option<&MessageId>) -> Result<MessageKind, String> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("`jsonrpc` must be \"2.0\"".to_owned());
    }
    match (object.get("method"), object.get("id")) {
        (Some(Value::String(_)), None) => Ok(MessageKind::WantsNoAnswer),
        (Some(Value::String(_)), Some(id)) if id.is_string() || is_whole(id) => Ok(MessageKind::Request),
        (Some(Value::String(_)), Some(id)) => {
            let id = sent.map_or_else(|| id.to_string(), |sent| sent.as_json().to_owned());
            Err(format!("`id` must be a string or a whole number of 64 bits, not {}", truncate_text(&id)))
        }
        (Some(method), _) => Err(format!("`method` must be a string, not {}", truncate_text(&method.to_string()))),
        (None, _) if object.contains_key("result") || object.contains_key("error") => Ok(MessageKind::WantsNoAnswer),
        (None, _) => Err("`method` is missing".to_owned()),
    }
}

/// Whether the protocol library accepts a number as an id. JSON counts `1.0` as an integer; this holds up to 2^53,
/// where no other integer has the same float.
fn is_whole(id: &Value) -> bool {
    let is_exact = |number: f64| number.fract() == 0.0 && number.abs() < (1_u64 << 53) as f64;
    id.is_i64() || (id.is_f64() && id.as_f64().is_some_and(is_exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_refusal(line: &[u8], id: &str, code: i32, message: &str) {
        let refusal = message_of(line).expect_err("no message");
        let error = json!({ "code": code, "message": message });
        assert_eq!(refusal.message(), format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }

    #[test]
    fn lines_that_are_no_messages_are_refused_with_what_is_wrong() {
        assert_refusal(b"garbage", "null", -32700, "the message is not JSON: expected value at line 1 column 1");
        assert_refusal(b"{", "null", -32700, "the message is not JSON: EOF while parsing an object at line 1 column 1");
        let batch = "a message is a JSON object, and this is a batch; send each message by itself";
        assert_refusal(b"[]", "null", -32600, batch);
        assert_refusal(b"7", "null", -32600, "a message is a JSON object, and this is none");
        assert_refusal(br#"{"id":7,"method":"ping"}"#, "7", -32600, "`jsonrpc` must be \"2.0\"");
        assert_refusal(br#"{"jsonrpc":"2.0","id":7}"#, "7", -32600, "`method` is missing");
        assert_refusal(
            br#"{"jsonrpc":"2.0","id":"a","method":7}"#,
            r#""a""#,
            -32600,
            "`method` must be a string, not 7",
        );
        let id = "`id` must be a string or a whole number of 64 bits, not ";
        assert_refusal(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", -32600, &format!("{id}null"));
        assert_refusal(br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "1.5", -32600, &format!("{id}1.5"));
        assert_refusal(br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "null", -32600, &format!("{id}{{}}"));
    }

    #[test]
    fn a_handshake_that_cannot_be_read_is_refused_as_one() {
        let handshake = |version: &str| {
            let client = r#""capabilities":{},"clientInfo":{"name":"a","version":"1"}"#;
            let params = format!(r#"{{"protocolVersion":{version},{client}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)
        };
        assert!(message_of(handshake(r#""2025-06-18""#).as_bytes()).is_ok());
        let unread = "the `params` of `initialize` cannot be read: ";
        let wrong = "invalid type: integer `7`, expected a string";
        assert_refusal(handshake("7").as_bytes(), "1", -32602, &format!("{unread}{wrong}"));
        let without = br#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
        let refusal = message_of(without).expect_err("no handshake");
        assert!(refusal.code == ErrorCode::INVALID_PARAMS && refusal.message.starts_with(unread), "{refusal:?}");
    }

    #[test]
    fn a_message_of_too_many_values_is_refused_before_it_is_read() {
        let many = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":[[]{}]}}"#, ",[]".repeat(100_000));
        let message = "the message has 200007 values, and at most 200000 are read; send less at once";
        assert_refusal(many.as_bytes(), "7", -32600, message);
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"a":"{}"}}}}"#, "[,".repeat(1 << 20));
        assert!(message_of(text.as_bytes()).is_ok());
    }

    #[test]
    fn requests_that_are_no_json_are_refused_under_their_id() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let within = |value: &[u8]| [br#"{"jsonrpc":"2.0","id":7,"method":"m","params":"#, value, b"}"].concat();
        for broken in [deep.as_bytes(), br#"{"a":"\q"}"#, b"{\"a\":\"\xff\"}", b"1e999", b"{"] {
            let refusal = message_of(&within(broken)).expect_err("no JSON");
            assert_eq!((refusal.code, refusal.id), (ErrorCode::PARSE_ERROR, MessageId::of(br#"{"id":7}"#)));
        }
        let refusal = message_of(deep.as_bytes()).expect_err("too deep");
        assert_eq!((refusal.code, refusal.id), (ErrorCode::PARSE_ERROR, None));
    }

    #[test]
    fn ids_that_no_type_holds_come_back_as_they_were_sent() {
        for id in ["18446744073709551616", "9223372036854775808", "-9223372036854775809", "1e16", "1.5"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let problem = format!("`id` must be a string or a whole number of 64 bits, not {id}");
            assert_refusal(line.as_bytes(), id, -32600, &problem);
        }
    }

    #[test]
    fn blank_lines_and_notifications_that_nobody_understands_are_passed_over() {
        for line in ["", " ", "\r", "\u{feff}", r#"{"jsonrpc":"2.0","id":1,"error":7}"#] {
            assert!(matches!(message_of(line.as_bytes()), Ok(None)), "{line}");
        }
        let odd = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#;
        assert!(message_of(odd).is_ok(), "it wants no answer");
    }

    #[test]
    fn messages_are_read_as_they_may_come() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r",
            r#" {"id":7.0,"method":"ping","jsonrpc":"2.0"} "#,
        ] {
            let message = message_of(line.as_bytes()).expect("a message").expect("a message");
            let request = message.into_request().expect("a request");
            assert_eq!(request.1, rmcp::model::NumberOrString::Number(7));
        }
    }
}
