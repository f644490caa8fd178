//! Layout of a JSON file, so that additions look like the rest of it.

use std::ops::Range;

use serde_json::Value;

use super::super::splice::{Splice, line_end_of};
use super::tree::{Child, JsonNode, comment_length, parse, quoted, slice};

/// Indentation for files that do not have any.
const INDENT: &str = "  ";

/// The line ends and the indentation of a file.
pub(super) struct JsonLayout {
    line_end: &'static str,
    unit: String,
}

impl JsonLayout {
    pub(super) fn of(text: &str) -> Self {
        let root = parse(text).ok().flatten();
        let first =
            root.as_ref().and_then(|root| root.children().iter().find_map(|child| indent_of(text, child.start)));
        let unit = first.filter(|indent| !indent.is_empty()).unwrap_or(INDENT).to_owned();
        Self { line_end: line_end_of(text), unit }
    }

    /// Adds the first value to a file that contains only space and comments.
    pub(super) fn document(&self, text: &str, value: &Value) -> Splice {
        let end = self.line_end;
        let gap = if text.trim_start_matches('\u{feff}').is_empty() || text.ends_with('\n') { "" } else { end };
        Splice::at(text, text.len()..text.len(), format!("{gap}{}{end}", self.value(value, "", false)))
    }

    /// Replaces the value of `child`.
    pub(super) fn replacement(&self, text: &str, container: &JsonNode, child: &Child, value: &Value) -> Splice {
        let indent = indent_of(text, child.start).unwrap_or_default();
        let inline = !slice(text, &container.span).contains('\n');
        let new = self.child(child.key.as_deref(), value, indent, inline);
        Splice::at(text, child.start..child.value.span.end, new)
    }

    /// Adds a child after the others of `container`.
    pub(super) fn insertion(
        &self,
        text: &str,
        container: &JsonNode,
        inline: bool,
        key: Option<&str>,
        value: &Value,
    ) -> Splice {
        let end = self.line_end;
        let close = container.span.end.saturating_sub(1);
        let outer = line_indent(text, container.span.start);
        let Some(last) = container.children().last() else {
            let indent = format!("{outer}{}", self.unit);
            let at = after_comments(text, container.span.start + 1..close);
            let child = self.child(key, value, &indent, inline);
            if inline {
                return Splice::at(text, at..at, child);
            }
            let closes_on_new_line = slice(text, &(at..close)).contains('\n');
            let closing = if closes_on_new_line { String::new() } else { format!("{end}{outer}") };
            return Splice::at(text, at..at, format!("{end}{indent}{child}{closing}"));
        };
        let lines = container.children().iter().rev();
        let indent = lines.into_iter().find_map(|child| indent_of(text, child.start)).map(str::to_owned);
        let indent = indent.unwrap_or_else(|| format!("{outer}{}", self.unit));
        let child = self.child(key, value, &indent, inline);
        let gap = if inline { " ".to_owned() } else { format!("{end}{indent}") };
        match last.comma {
            Some(comma) => {
                let at = comments_on_line(text, comma + 1, close);
                Splice::at(text, at..at, format!("{gap}{child},"))
            }
            None => {
                let start = last.value.span.end;
                let at = comments_on_line(text, start, close);
                let comments = slice(text, &(start..at));
                Splice::at(text, start..at, format!(",{comments}{gap}{child}"))
            }
        }
    }

    fn child(&self, key: Option<&str>, value: &Value, indent: &str, inline: bool) -> String {
        let value = self.value(value, indent, inline);
        key.map_or_else(|| value.clone(), |key| format!("{}: {value}", quoted(key)))
    }

    /// `value`; lists of plain values stay in one line.
    fn value(&self, value: &Value, indent: &str, inline: bool) -> String {
        let is_plain = |value: &Value| !matches!(value, Value::Array(_) | Value::Object(_));
        let (open, close, children): (_, _, Vec<String>) = match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = format!("{indent}{}", self.unit);
                let written = members.iter().map(|(key, value)| self.child(Some(key), value, &inner, inline));
                ('{', '}', written.collect())
            }
            Value::Array(items) if !items.is_empty() => {
                let inline = inline || items.iter().all(is_plain);
                let inner = format!("{indent}{}", self.unit);
                let written: Vec<_> = items.iter().map(|item| self.value(item, &inner, inline)).collect();
                if inline {
                    return format!("[{}]", written.join(", "));
                }
                ('[', ']', written)
            }
            plain => return plain.to_string(),
        };
        if inline {
            return format!("{open}{}{close}", children.join(", "));
        }
        let end = self.line_end;
        let inner = format!("{end}{indent}{}", self.unit);
        format!("{open}{inner}{}{end}{indent}{close}", children.join(&format!(",{inner}")))
    }
}

/// `text` without `child` of `container` and its comma. If the child is alone on its line, the line is removed too.
pub(super) fn without(text: &str, container: &JsonNode, child: &Child) -> String {
    let previous = container.children().iter().take_while(|other| other.start < child.start).last();
    let previous_comma = previous.and_then(|previous| previous.comma);
    let end = child.comma.map_or(child.value.span.end, |comma| comma + 1);
    let is_last_on_line = slice(text, &(after_spaces(text, end)..text.len())).starts_with(['\n', '\r']);
    let line_start = line_start_or(text, child.start);
    let span = match (indent_of(text, child.start).is_some(), child.comma) {
        // Only the child is removed: if its line were joined to the line before, the rest of it could become part of a
        // comment there.
        (true, _) if !is_last_on_line => child.start..after_spaces(text, end),
        (true, _) => line_start..end,
        (false, Some(_)) => child.start..after_spaces(text, end),
        (false, None) => before_spaces(text, child.start)..end,
    };
    match (child.comma, previous_comma) {
        (None, Some(comma)) => cut(text, &[comma..comma + 1, span.start.max(comma + 1)..span.end]),
        (None, None) => {
            let inner = container.span.start + 1..container.span.end.saturating_sub(1);
            let head = slice(text, &(inner.start..child.start));
            let tail = slice(text, &(end..inner.end));
            if head.trim().is_empty() && tail.trim().is_empty() { cut(text, &[inner]) } else { cut(text, &[span]) }
        }
        _ => cut(text, &[span]),
    }
}

/// `text` without its value and the line end after it.
pub(super) fn without_document(text: &str, root: &JsonNode) -> String {
    let after = slice(text, &(root.span.end..text.len()));
    let line_end = if after.starts_with("\r\n") { 2 } else { usize::from(after.starts_with('\n')) };
    let span = root.span.start..root.span.end + line_end;
    cut(text, std::slice::from_ref(&span))
}

fn cut(text: &str, spans: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        left.push_str(slice(text, &(at..span.start)));
        at = span.end;
    }
    left.push_str(slice(text, &(at..text.len())));
    left
}

/// The white space before `at` on its line; `None` if there is something else before it.
fn indent_of(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.get(before.rfind('\n')? + 1..)?;
    line.chars().all(|character| matches!(character, ' ' | '\t')).then_some(line)
}

/// The indentation of the line with `at`.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(before, |end| before.get(end + 1..).unwrap_or_default());
    let line = line.trim_start_matches('\u{feff}');
    let rest = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - rest.len()).unwrap_or_default()
}

/// The end of the previous line if `at` is the first text on its line; else `at`.
fn line_start_or(text: &str, at: usize) -> usize {
    let Some(indent) = indent_of(text, at) else { return at };
    let before = text.get(..at - indent.len()).unwrap_or_default();
    let before = before.strip_suffix('\n').unwrap_or(before);
    before.strip_suffix('\r').unwrap_or(before).len()
}

fn before_spaces(text: &str, at: usize) -> usize {
    text.get(..at).map_or(at, |before| before.trim_end_matches([' ', '\t']).len())
}

fn after_spaces(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// The end of the comments that begin on the line of `at`; `at` if there are none.
fn comments_on_line(text: &str, at: usize, limit: usize) -> usize {
    let mut end = at;
    loop {
        let start = after_spaces(text, end);
        let rest = slice(text, &(start..limit));
        match comment_length(rest) {
            Some(Some(length)) => end = start + length,
            _ => return end,
        }
    }
}

/// The end of the last comment in `span`, which contains only space and comments; its start if there is none.
fn after_comments(text: &str, span: Range<usize>) -> usize {
    let mut end = span.start;
    loop {
        let rest = slice(text, &(end..span.end));
        let space = rest.len() - rest.trim_start().len();
        match comment_length(rest.get(space..).unwrap_or_default()) {
            Some(Some(length)) => end += space + length,
            _ => return end,
        }
    }
}
