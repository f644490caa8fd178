//! The keys by which inputs are compared.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::Value;

use crate::error::Error;

use super::params::compile;

/// An input and what it is compared by.
#[derive(Debug, Clone)]
pub(super) struct KeyedInput<'a> {
    pub(super) input: &'a str,
    /// The input as an object, where it is one.
    pub(super) object: Option<serde_json::Map<String, Value>>,
    /// A string for text; `None` where the input has no such key.
    pub(super) key: Option<Value>,
}

/// Every input with its key; without `key`, the key is the whole input.
pub(super) fn keyed<'a>(inputs: &'a [String], key: Option<&str>) -> Result<Vec<KeyedInput<'a>>, Error> {
    let mut pattern: Option<Regex> = None;
    let mut rows = Vec::with_capacity(inputs.len());
    for input in inputs {
        let object = object_of(input);
        let found = match (key, &object) {
            (None, _) => Some(Value::from(input.as_str())),
            (Some(key), Some(object)) => field_of(object, key).cloned(),
            (Some(key), None) => {
                // Compiled when it is first needed, because the name of a field need not be a valid pattern.
                let pattern = match &mut pattern {
                    Some(pattern) => pattern,
                    none => none.insert(compile("params.key", key)?),
                };
                captured(pattern, input).next().map(Value::from)
            }
        };
        rows.push(KeyedInput { input, object, key: found });
    }
    Ok(rows)
}

/// The matches of `pattern` in `input`: of each its first group if that takes part, else the whole match.
pub(super) fn captured<'a>(pattern: &'a Regex, input: &'a str) -> impl Iterator<Item = &'a str> {
    pattern.captures_iter(input).filter_map(|found| found.get(1).or(found.get(0)).map(|part| part.as_str()))
}

/// The order of keys: by value if all are numbers or texts of numbers, else as texts. Inputs without a key come last.
pub(super) struct KeyOrder {
    is_numeric: bool,
}

impl KeyOrder {
    pub(super) fn of(rows: &[KeyedInput<'_>]) -> Self {
        Self { is_numeric: rows.iter().filter_map(|row| row.key.as_ref()).all(|key| number(key).is_some()) }
    }

    pub(super) fn compare(&self, a: &KeyedInput<'_>, b: &KeyedInput<'_>, reverse: bool) -> Ordering {
        let (Some(first), Some(second)) = (&a.key, &b.key) else {
            // Inputs without a key come last in either direction.
            return a.key.is_none().cmp(&b.key.is_none());
        };
        let order = match (number(first), number(second)) {
            (Some(first), Some(second)) if self.is_numeric => first.total_cmp(&second),
            _ => plain(first).cmp(&plain(second)),
        };
        if reverse { order.reverse() } else { order }
    }
}

/// A key as text: strings without quotes, everything else as JSON.
pub(super) fn plain(key: &Value) -> String {
    match key {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn object_of(input: &str) -> Option<serde_json::Map<String, Value>> {
    if !input.trim_start().starts_with('{') {
        return None;
    }
    serde_json::from_str(input).ok()
}

/// The field named `key`, or reached by `a.b`; one that is null counts as missing.
fn field_of<'a>(object: &'a serde_json::Map<String, Value>, key: &str) -> Option<&'a Value> {
    let direct = object.get(key);
    let found = direct.or_else(|| {
        let (first, rest) = key.split_once('.')?;
        field_of(object.get(first)?.as_object()?, rest)
    });
    found.filter(|value| !value.is_null())
}

fn number(key: &Value) -> Option<f64> {
    let number = match key {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}
