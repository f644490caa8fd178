//! JSON with comments and trailing commas, as a tree of places in its text.

use std::ops::Range;

use super::super::refusal::{Position, Refusal};

/// Deepest nesting that is read: far more than any configuration has, and far less than the stack allows.
const DEPTH_MOST: usize = 200;

/// A value and its position.
#[derive(Debug, Clone)]
pub(crate) struct JsonNode {
    pub(crate) span: Range<usize>,
    pub(crate) kind: JsonNodeKind,
}

/// Kind of a value.
#[derive(Debug, Clone)]
pub(crate) enum JsonNodeKind {
    /// A string, with escapes decoded.
    Text(String),
    /// A number, `true`, `false` or `null`; its text is in the span.
    Literal,
    Array(Vec<Child>),
    Object(Vec<Child>),
}

/// An item of an array, or a member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Child {
    /// The key of a member.
    pub(crate) key: Option<String>,
    /// Start of the child: its key, if it has one.
    pub(crate) start: usize,
    pub(crate) value: JsonNode,
    /// Where the comma after it stands.
    pub(crate) comma: Option<usize>,
}

impl JsonNode {
    /// Children of an array or object; empty for other values.
    pub(crate) fn children(&self) -> &[Child] {
        match &self.kind {
            JsonNodeKind::Array(children) | JsonNodeKind::Object(children) => children,
            JsonNodeKind::Text(_) | JsonNodeKind::Literal => &[],
        }
    }

    /// Name of the value's kind.
    pub(crate) fn kind_name(&self, text: &str) -> &'static str {
        match self.kind {
            JsonNodeKind::Text(_) => "a string",
            JsonNodeKind::Array(_) => "an array",
            JsonNodeKind::Object(_) => "an object",
            JsonNodeKind::Literal if slice(text, &self.span) == "null" => "null",
            JsonNodeKind::Literal => "no object",
        }
    }

    /// Collects all strings in the value, in order.
    pub(crate) fn texts<'a>(&'a self, into: &mut Vec<&'a str>) {
        if let JsonNodeKind::Text(text) = &self.kind {
            into.push(text);
        }
        self.children().iter().for_each(|child| child.value.texts(into));
    }

    /// The value without layout and comments. Equal values have equal forms; the order of members and duplicate keys
    /// are kept.
    pub(crate) fn canonical(&self, text: &str) -> String {
        let mut out = String::new();
        self.write_canonical(text, &mut out);
        out
    }

    fn write_canonical(&self, text: &str, out: &mut String) {
        let (open, close) = match &self.kind {
            JsonNodeKind::Text(value) => return out.push_str(&quoted(value)),
            JsonNodeKind::Literal => return out.push_str(slice(text, &self.span)),
            JsonNodeKind::Array(_) => ('[', ']'),
            JsonNodeKind::Object(_) => ('{', '}'),
        };
        out.push(open);
        for child in self.children() {
            if let Some(key) = &child.key {
                out.push_str(&quoted(key));
                out.push(':');
            }
            child.value.write_canonical(text, out);
            out.push(',');
        }
        out.push(close);
    }
}

/// The part `span` of `text`; empty if the span is out of range.
pub(crate) fn slice<'a>(text: &'a str, span: &Range<usize>) -> &'a str {
    text.get(span.clone()).unwrap_or_default()
}

/// `value` as a JSON string.
pub(crate) fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// Parses `text`; `None` if it has only space and comments.
pub(crate) fn parse(text: &str) -> Result<Option<JsonNode>, Refusal> {
    let mut reader = JsonParser { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    reader.skip_trivia()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip_trivia()?;
    if reader.at < text.len() { Err(reader.error("the end of the file")) } else { Ok(Some(node)) }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
}

impl JsonParser<'_> {
    fn remaining_text(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, expected: &'static str) -> Refusal {
        Refusal::Syntax { position: Position::of(self.text, self.at), expected: expected.to_owned() }
    }

    fn skip_trivia(&mut self) -> Result<(), Refusal> {
        loop {
            let rest = self.remaining_text();
            let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            match comment_length(rest.get(space..).unwrap_or_default()) {
                Some(Some(comment)) => self.at += space + comment,
                Some(None) => {
                    self.at += space;
                    return Err(self.error("an end of the comment that begins here"));
                }
                None => {
                    self.at += space;
                    return Ok(());
                }
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<JsonNode, Refusal> {
        if depth > DEPTH_MOST {
            return Err(self.error("less nesting"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => JsonNodeKind::Object(self.children(b'}', depth)?),
            Some(b'[') => JsonNodeKind::Array(self.children(b']', depth)?),
            Some(b'"') => JsonNodeKind::Text(self.string()?),
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let length = self.remaining_text().bytes().take_while(|byte| is_part(byte)).count();
                let literal = self.remaining_text().get(..length).unwrap_or_default();
                if serde_json::from_str::<serde_json::Value>(literal).is_err() && !is_huge_number(literal) {
                    return Err(self.error("a value"));
                }
                self.at += length;
                JsonNodeKind::Literal
            }
        };
        Ok(JsonNode { span: start..self.at, kind })
    }

    fn children(&mut self, close: u8, depth: usize) -> Result<Vec<Child>, Refusal> {
        self.at += 1;
        let mut children: Vec<Child> = Vec::new();
        loop {
            self.skip_trivia()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(children);
            }
            if children.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.error(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }));
            }
            let start = self.at;
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let value = self.value(depth + 1)?;
            self.skip_trivia()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            children.push(Child { key, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, Refusal> {
        if self.peek() != Some(b'"') {
            return Err(self.error("a key in double quotes, or `}`"));
        }
        let key = self.string()?;
        self.skip_trivia()?;
        if self.peek() != Some(b':') {
            return Err(self.error("`:`"));
        }
        self.at += 1;
        self.skip_trivia()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, Refusal> {
        let bytes = self.remaining_text().as_bytes();
        let mut end = 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'"' => break,
                b'\n' => return Err(self.error("an end of the string that begins here")),
                _ => end += 1,
            }
        }
        let token =
            self.remaining_text().get(..=end).ok_or_else(|| self.error("an end of the string that begins here"))?;
        let value = serde_json::from_str(token).map_err(|_| self.error("a string as JSON writes it"))?;
        self.at += end + 1;
        Ok(value)
    }
}

/// Whether a number is valid JSON but too large for a float.
fn is_huge_number(literal: &str) -> bool {
    literal.parse::<f64>().is_ok_and(f64::is_infinite) && literal.bytes().any(|byte| byte.is_ascii_digit())
}

/// Length of the comment at the start of `text`: `None` if there is no comment there, `Some(None)` if the comment does
/// not end.
pub(crate) fn comment_length(text: &str) -> Option<Option<usize>> {
    if text.starts_with("//") {
        return Some(Some(text.find(['\n', '\r']).unwrap_or(text.len())));
    }
    let inner = text.strip_prefix("/*")?;
    Some(inner.find("*/").map(|end| end + 4))
}
