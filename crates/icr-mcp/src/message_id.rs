//! Finds the id of a request that cannot be parsed: its line is too long to be kept, is not JSON, or has an id that no
//! number type can hold.

use serde_json::Value;

/// Longest name or value that is kept, in bytes. Ids are short, so a longer text is not treated as one.
const TOKEN_BYTES_MOST: usize = 512;

/// The id of a request as JSON text. It has the exact bytes that were sent, so that a number of any size is preserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageId(String);

impl MessageId {
    /// The id in `line`, as [`MessageIdScan::request_id`] finds it.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let mut scan = MessageIdScan::default();
        scan.take(line);
        scan.request_id()
    }

    /// A string or number in JSON.
    pub(crate) fn as_json(&self) -> &str {
        &self.0
    }
}

/// Finds the `id` of a JSON object in its text, which may come in pieces. Looks at each byte once and keeps at most two
/// tokens of the text. If the text is not JSON, it may find an id or none.
#[derive(Debug, Default)]
pub(crate) struct MessageIdScan {
    /// Number of open objects and arrays.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The current name or value of the outermost object.
    token: JsonToken,
    /// The name of the member whose value is being read.
    name: Option<String>,
    id: Option<MessageId>,
    /// It has a `result` or an `error`, so it is a response, and its id belongs to another message.
    is_answer: bool,
}

/// A name or a value, without nested content.
#[derive(Debug, Default)]
struct JsonToken {
    text: Vec<u8>,
    /// It is too long, or has nested values.
    is_cut: bool,
}

impl JsonToken {
    fn push(&mut self, byte: u8) {
        match self.text.len() < TOKEN_BYTES_MOST {
            true => self.text.push(byte),
            false => self.is_cut = true,
        }
    }

    /// The value of the token if it is a string or number, and its text. Empties the token.
    fn take(&mut self) -> Option<(Value, MessageId)> {
        let Self { text, is_cut } = std::mem::take(self);
        let value: Value = serde_json::from_slice(&text).ok()?;
        let is_id = !is_cut && (value.is_string() || value.is_number());
        let text = String::from_utf8(text).ok().filter(|_| is_id)?;
        Some((value, MessageId(text.trim_end().to_owned())))
    }
}

impl MessageIdScan {
    /// Reads further bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The string or number under `id`, unless the object is a response.
    pub(crate) fn request_id(self) -> Option<MessageId> {
        self.id.filter(|_| !self.is_answer)
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.token.is_cut |= self.depth == 1;
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_member(),
            b':' if self.depth == 1 => {
                self.name = self.token.take().and_then(|(name, _)| name.as_str().map(str::to_owned));
            }
            // White space inside of a token makes it invalid, so it is kept.
            b' ' | b'\t' | b'\r' if self.token.text.is_empty() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        let value = self.token.take();
        match self.name.take().as_deref() {
            Some("id") => self.id = value.map(|(_, id)| id),
            Some("result" | "error") => self.is_answer = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: impl AsRef<[u8]>, expected: Option<&str>) {
        let text = text.as_ref();
        for size in [1, 3, text.len().max(1)] {
            let mut scan = MessageIdScan::default();
            text.chunks(size).for_each(|piece| scan.take(piece));
            let found = scan.request_id();
            let shown = text.escape_ascii();
            assert_eq!(found.as_ref().map(MessageId::as_json), expected, "{shown} in pieces of {size}");
        }
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        check(r#"{"id": 7, "method": "tools/call"}"#, Some("7"));
        check(r#"{"method":"tools/call","params":{"id":1,"a":["}","]"]},"id":"seven"}"#, Some(r#""seven""#));
        check(r#"{"params":"\"id\":1,","\u0069d":-7,"method":"m"}"#, Some("-7"));
    }

    #[test]
    fn the_id_is_as_it_was_sent() {
        for id in ["18446744073709551616", "-9223372036854775809", "7.0", "1e400", r#""\u0061\/b""#, "\"\u{e9}\""] {
            // JSON allows exponents that the parser rejects.
            let expected = (id != "1e400").then_some(id);
            check(format!(r#"{{"id" : {id} ,"method":"m"}}"#), expected);
        }
    }

    #[test]
    fn the_id_is_found_in_what_is_no_json() {
        check(r#"{"id":7,"method":"m","params":{"text":"\q"}}"#, Some("7"));
        check(b"{\"method\":\"m\xff\",\"params\":\"\xc3\",\"id\":\"a\"}", Some(r#""a""#));
        check(r#"{"id":7,"params":"which does not end}"#, Some("7"));
        check(format!(r#"{{"params":{}0{},"id":7}}"#, "[".repeat(500), "]".repeat(500)), Some("7"));
        check(r#"{"id":7 8,"method":"m"}"#, None);
        check(br#"{"id":"\q","method":"m"}"#, None);
        check(b"{\"id\":\"\xff\",\"method\":\"m\"}", None);
        check(r#"{"method":"m","id":7"#, None);
    }

    #[test]
    fn what_is_no_request_has_no_id() {
        check(r#"{"method":"notifications/progress","params":{"id":1}}"#, None);
        check(r#"{"id":7,"result":{"method":"m"}}"#, None);
        check(r#"{"id":null,"method":"m"}"#, None);
        check(r#"{"id":[7],"method":"m"}"#, None);
        check(r#"[{"id":7,"method":"m"}]"#, None);
        check("}}]],,::\"\\", None);
        check("", None);
        let long = "x".repeat(TOKEN_BYTES_MOST);
        check(format!(r#"{{"id":"{long}","method":"m"}}"#), None);
    }

    proptest! {
        #[test]
        fn any_request_has_the_id_that_a_parser_finds(
            id in prop_oneof![any::<i64>().prop_map(|number| json!(number)), ".{0,40}".prop_map(|text| json!(text))],
            texts in proptest::collection::vec(".{0,30}", 1..4),
            is_first in any::<bool>(),
        ) {
            let inner = json!({"id": "another", "method": texts, "deep": [[{"id": 1}], texts.first()]});
            let request = match is_first {
                true => json!({"jsonrpc": "2.0", "id": id, "method": "m", "params": inner}),
                false => json!({"method": "m", "params": inner, "jsonrpc": "2.0", "id": id}),
            };
            for text in [request.to_string(), format!("{request:#}").replace('\n', " ")] {
                let mut scan = MessageIdScan::default();
                text.as_bytes().chunks(5).for_each(|piece| scan.take(piece));
                let found = scan.request_id().expect("it has one");
                prop_assert_eq!(found.as_json(), request["id"].to_string());
            }
        }

        #[test]
        fn no_text_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut scan = MessageIdScan::default();
            scan.take(&bytes);
            scan.request_id();
        }
    }
}
