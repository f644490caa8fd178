//! Reads the arguments of a request.

use std::collections::HashMap;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use icr_model::{JSON_VALUES_MOST, too_many_json_values};
use icr_serve::schema::JsonObject;
use icr_serve::{CallFailure, Code, Violation};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Verb;

/// Longest body, in bytes: the largest patch that is read.
const BODY_BYTES_MOST: usize = 32 << 20;

/// Time limit for receiving a body.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// Media types of a body that is a patch and no JSON.
const PATCH_TYPES: &[&str] = &["text/x-diff", "text/x-patch", "text/plain"];

/// The arguments of a request, including those in its path, for checking against the schema. Values in the address are
/// text; where the schema wants numbers or booleans, they are converted.
///
/// # Errors
///
/// If the arguments cannot be read, are too long, or do not arrive in time.
pub(super) async fn of(
    verb: Verb,
    schema: &JsonObject,
    path: HashMap<String, String>,
    request: Request,
) -> Result<JsonObject, CallFailure> {
    let (parts, body) = request.into_parts();
    let mut arguments = of_query(schema, parts.uri.query().unwrap_or_default())?;
    if verb == Verb::Post {
        let reading = tokio::time::timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MOST));
        let late =
            |_| CallFailure::new(Code::Timeout, format!("the body was not there within {} s", BODY_WITHIN.as_secs()));
        let long = |_| {
            CallFailure::new(
                Code::ValidationError,
                format!("the body is longer than {BODY_BYTES_MOST} bytes, or was cut off"),
            )
        };
        let bytes = reading.await.map_err(late)?.map_err(long)?;
        let kind = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match takes_patch(schema) && PATCH_TYPES.contains(&kind) {
            true => {
                arguments.insert("patch".to_owned(), Value::String(String::from_utf8_lossy(&bytes).into_owned()));
            }
            false if bytes.is_empty() => {}
            false => arguments.extend(of_body(schema, kind, &bytes)?),
        }
    }
    arguments.extend(path.into_iter().map(|(name, value)| (name, Value::String(value))));
    Ok(arguments)
}

/// Whether the body may be a patch instead of JSON.
fn takes_patch(schema: &JsonObject) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get("patch").is_some())
}

fn of_body(schema: &JsonObject, kind: &str, bytes: &[u8]) -> Result<JsonObject, CallFailure> {
    if kind != "application/json" {
        let patch = if takes_patch(schema) { ", or `text/x-diff` for a patch itself" } else { "" };
        let kind =
            if kind.is_empty() { "of no type".to_owned() } else { format!("`{}`", icr_serve::truncate_text(kind)) };
        let message = format!("the body is {kind}; the `Content-Type` must be `application/json`{patch}");
        return Err(CallFailure::new(Code::ValidationError, message).with("field", "Content-Type"));
    }
    if let Some(values) = too_many_json_values(bytes) {
        let message =
            format!("the body has {values} values, and at most {JSON_VALUES_MOST} are read; send less at once");
        return Err(CallFailure::new(Code::ValidationError, message));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(CallFailure::new(Code::ValidationError, "the body must be an object of JSON")),
        Err(error) => Err(CallFailure::new(Code::ValidationError, format!("the body is not JSON: {error}"))),
    }
}

fn of_query(schema: &JsonObject, query: &str) -> Result<JsonObject, CallFailure> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query)
        .map_err(|error| CallFailure::new(Code::ValidationError, format!("the address cannot be read: {error}")))?;
    let properties = schema.get("properties").and_then(Value::as_object);
    let type_of = |name: &str| properties?.get(name)?.get("type")?.as_str();
    let mut arguments = JsonObject::new();
    for (name, text) in pairs {
        let value = match type_of(&name) {
            Some("integer" | "number") => number(&text).unwrap_or(Value::String(text)),
            Some("boolean") => match text.as_str() {
                "true" | "1" | "" => json!(true),
                "false" | "0" => json!(false),
                _ => Value::String(text),
            },
            Some("array") => match arguments.get_mut(&name) {
                Some(Value::Array(items)) => {
                    items.push(Value::String(text));
                    continue;
                }
                _ => json!([text]),
            },
            _ => Value::String(text),
        };
        if let Some(before) = arguments.insert(name.clone(), value) {
            return Err(CallFailure::validation(Violation {
                field: &icr_serve::truncate_text(&name),
                constraint: "single",
                value: &before,
                allowed: json!("one"),
                problem: "is given twice".to_owned(),
            }));
        }
    }
    Ok(arguments)
}

fn number(text: &str) -> Option<Value> {
    serde_json::from_str::<serde_json::Number>(text).ok().map(Value::Number)
}

/// The arguments as `T`. They were validated against the schema of `T` before.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, CallFailure> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| CallFailure::new(Code::ValidationError, format!("the arguments cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> JsonObject {
        let schema = json!({"properties": {
            "query": {"type": "string"}, "limit": {"type": "integer"}, "explain": {"type": "boolean"}, "focus": {"type": "array"},
        }});
        schema.as_object().expect("an object").clone()
    }

    #[test]
    fn an_address_says_numbers_truths_and_lists() {
        let read = |query: &str| of_query(&schema(), query).map(Value::Object).map_err(|failure| failure.message);
        assert_eq!(
            read("query=a+b%26c&limit=20&explain=true&focus=x&focus=y&other=1"),
            Ok(json!({"query": "a b&c", "limit": 20, "explain": true, "focus": ["x", "y"], "other": "1"}))
        );
        // An invalid number stays text, so that the validation reports it.
        assert_eq!(read("limit=many&explain=perhaps"), Ok(json!({"limit": "many", "explain": "perhaps"})));
        assert_eq!(read("limit=1&limit=2"), Err("`limit` is given twice".to_owned()));
        assert_eq!(read(""), Ok(json!({})));
        assert_eq!(read("query=%ff%00"), Ok(json!({"query": "\u{fffd}\0"})));
    }
}
