//! Answers as text that people read, without what differs from run to run and from machine to machine.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::examples::REPO;

/// Fields whose values differ, and what stands for them.
const VARYING: &[(&str, &str)] = &[
    // tidy: sorted
    ("created_at", "[time]"),
    ("duration_ms", "[ms]"),
    ("expires_at", "[time]"),
    ("index_size_bytes", "[bytes]"),
    ("last_accessed", "[time]"),
    ("last_index_update", "[time]"),
    ("map_duration_ms", "[ms]"),
    ("newest", "[time]"),
    ("oldest", "[time]"),
    ("pinned_at", "[time]"),
    ("reduce_duration_ms", "[ms]"),
    ("score", "[score]"),
    ("total_bytes", "[bytes]"),
    ("updated_at", "[time]"),
    ("uptime_seconds", "[s]"),
    ("vector_size_bytes", "[bytes]"),
    ("version", "[version]"),
    // tidy: end
];

/// Ids of objects, of repositories and of chunks, which change with every letter of the history, and of memories, which change with the
/// time.
static ID: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\b([0-9a-f]{40}|[0-9a-f]{16}|[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})\b";
    Regex::new(pattern).expect("the pattern is a constant")
});

/// The time that an answer took, in its text.
static TOOK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+ ms\b").expect("the pattern is a constant"));

/// A moment, in a text.
static MOMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").expect("the pattern is a constant"));

/// The result of a call of a repository at `root`: whether it is an error, its structured content, and each text.
pub(crate) fn rendered(result: &Value, root: &Path) -> String {
    let structured = &result["structuredContent"];
    let mut text = String::new();
    if result["isError"] == true {
        text.push_str("an error\n");
    }
    if !structured.is_null() {
        text.push_str(&format!("structured content:\n{:#}\n", envelope(structured, root)));
    }
    for block in result["content"].as_array().into_iter().flatten() {
        match (block["type"].as_str(), block["text"].as_str()) {
            (Some("text"), Some(said)) => text.push_str(&rendered_text(said, structured, root)),
            _ => text.push_str(&format!("another block:\n{:#}\n", without_varying(block, root))),
        }
    }
    text
}

/// An answer as the tools give it. Data of which something differs from run to run differs in its tokens as well.
fn envelope(answer: &Value, root: &Path) -> Value {
    let mut envelope = without_varying(answer, root);
    if envelope["data"] != with_whole_numbers(&answer["data"])
        && let Some(tokens) = envelope.pointer_mut("/metadata/tokens_used")
    {
        *tokens = json!("[tokens]");
    }
    envelope
}

/// A value whose numbers without a fraction have no `.0`, as some clients write them.
fn with_whole_numbers(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), with_whole_numbers(value))).collect())
        }
        Value::Array(items) => items.iter().map(with_whole_numbers).collect(),
        Value::Number(number) => match number.as_f64().filter(|number| number.fract() == 0.0) {
            Some(number) => rounded(number),
            None => value.clone(),
        },
        _ => value.clone(),
    }
}

/// A value with the names of [`VARYING`], [`REPO`] and ids in place of what differs. Numbers are rounded, so that the last
/// digit of a sum is nobody's business.
pub(crate) fn without_varying(value: &Value, root: &Path) -> Value {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let varying = VARYING.iter().find(|(varying, _)| varying == name);
                let value = match varying {
                    Some((_, replacement)) if !value.is_null() => json!(replacement),
                    _ => without_varying(value, root),
                };
                (name.clone(), value)
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Array(items) => items.iter().map(|item| without_varying(item, root)).collect(),
        Value::String(text) => json!(without_places(text, root)),
        Value::Number(number) => number.as_f64().filter(|_| number.is_f64()).map_or_else(|| value.clone(), rounded),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn rendered_text(said: &str, structured: &Value, root: &Path) -> String {
    match serde_json::from_str::<Value>(said) {
        // Clients write numbers in ways of their own.
        Ok(value) if envelope(&value, root) == envelope(structured, root) => "text: the same\n".to_owned(),
        Ok(value) => format!("text, of JSON:\n{:#}\n", envelope(&value, root)),
        Err(_) => {
            let said = without_places(said, root);
            let said = MOMENT.replace_all(&said, "[time]");
            format!("text:\n{}\n", TOOK.replace_all(&said, "[ms]").trim_end())
        }
    }
}

fn without_places(text: &str, root: &Path) -> String {
    let text = text.replace(root.to_str().expect("the directory has a name of letters"), REPO);
    ID.replace_all(&text, "[id]").into_owned()
}

/// Two digits; a whole number is one, as in languages that know one kind of number.
fn rounded(number: f64) -> Value {
    let rounded = (number * 100.0).round() / 100.0;
    if rounded.fract() == 0.0 { json!(rounded as i64) } else { json!(rounded) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_the_rest_stays() {
        let root = Path::new("/srv/shop");
        let result = json!({
            "isError": false,
            "structuredContent": {"at": "/srv/shop/a.rs:1", "duration_ms": 7, "expires_at": null, "entropy": 1.8349, "whole": 2.0},
            "content": [{"type": "text", "text": "# /srv/shop\nblob 0123456789abcdef0123456789abcdef01234567 in 12 ms, 2024-01-15T10:30:00Z\n"}],
        });
        let expected = r##"structured content:
{
  "at": "$REPO/a.rs:1",
  "duration_ms": "[ms]",
  "expires_at": null,
  "entropy": 1.83,
  "whole": 2
}
text:
# $REPO
blob [id] in [ms], [time]
"##;
        assert_eq!(rendered(&result, root), expected);
    }

    #[test]
    fn text_that_repeats_the_structured_content_is_not_repeated() {
        let result =
            json!({"isError": true, "structuredContent": {"a": 1}, "content": [{"type": "text", "text": "{\"a\":1}"}]});
        assert_eq!(
            rendered(&result, Path::new("/")),
            "an error\nstructured content:\n{\n  \"a\": 1\n}\ntext: the same\n"
        );
    }
}
